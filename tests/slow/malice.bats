#!/usr/bin/env bats
# Agents that try to raise their score, to read a secret or an expected answer, or to get
# out. Each attempt prints what it got: an attempt that got nothing prints nothing of it.
load ../helper
load ../serve

# What it tries to leave elsewhere: of a name of its own, and removed if it succeeds.
MARK=assay-malice-$$
teardown() {
    end_serve || true
    cd /
    rm -rf "/var/lib/$MARK" "/var/tmp/$MARK"
    rm -f "/run/$MARK.sock" "/run/$MARK.sock.relative" "/run/$MARK.fifo" "/run/$MARK.node" "/etc/$MARK" "/usr/$MARK" "/tmp/$MARK"
}

q() { sqlite3 -readonly .assay/assay.db "$1"; }

# What an agent has printed, in all its trials.
printed() { q "SELECT output FROM case_results"; }

# try SCRIPT: an agent that runs it, on two cases with the answer 'the-expected-answer'.
try() {
    rm -rf .assay
    printf '%s\n' "$1" > agent.sh
    printf '{"id":"%s","input":"q","expected":"the-expected-answer"}\n' one two > cases.jsonl
    cat > suite.yaml <<'Y'
suite: {id: malice, category: accuracy}
constraints: {time_limit_ms: 20000, memory_limit_mb: 60}
agents: [{id: bad, process: {command: [sh, "PWD/agent.sh"]}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: cases.jsonl}}
Y
    sed -i "s|PWD|$PWD|" suite.yaml
    A_SECRET=do-not-tell-anybody assay run -q suite.yaml > out 2>&1 || true
    # It did run, and was judged.
    [ "$(q 'SELECT count(*) FROM case_results')" = 2 ]
}

has_namespaces() {
    try 'echo a'
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%no namespaces%'")" = 0 ] ||
        skip "no namespaces here"
}

gets_nothing() {
    run printed
    [[ $output != *do-not-tell-anybody* ]]
    [[ $output != *the-expected-answer* ]]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE accuracy_score > 0")" = 0 ]
}

@test "malice: secrets of our environment" {
    try 'for p in /proc/[0-9]*; do tr "\0" "\n" < $p/environ; done 2> /dev/null
         env; cat /proc/$PPID/environ; strings /proc/1/mem; exit 0'
    gets_nothing
}

@test "malice: expected answers in memory" {
    try 'for p in /proc/[0-9]*; do
             [ $p != /proc/$$ ] && grep -a -o the-expected-a...er $p/mem; ls -l $p/fd; cat $p/maps
         done 2> /dev/null; exit 0'
    gets_nothing
}

@test "malice: expected answers in files" {
    has_namespaces
    try "cat $PWD/suite.yaml $PWD/cases.jsonl $PWD/.assay/* $PWD/.assay/assay.db*
         grep -r the-expected-a $PWD --include=*.jsonl --include=*.db --include=*.db-wal; exit 0"
    gets_nothing
}

# SQLite writes next to the file that a link leads to.
@test "malice: a store that is reached by a link" {
    has_namespaces
    mkdir -p elsewhere linked
    ln -s ../elsewhere/real.db linked/assay.db
    cat > linked.yaml <<Y
suite: {id: linked}
agents: [{id: bad, process: {command: 'cat $PWD/elsewhere/*; echo end of bad'}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: the-expected-answer}]}]
Y
    for _ in 1 2; do assay run -q linked.yaml --store sqlite:linked/assay.db > out 2>&1; done
    run sqlite3 -readonly elsewhere/real.db "SELECT output FROM case_results"
    [[ $output == *'end of bad'* ]]
    [[ $output != *the-expected-answer* ]]
}

@test "malice: the store and the suite are not changed" {
    has_namespaces
    try "sqlite3 $PWD/.assay/assay.db 'UPDATE benchmark_executions SET accuracy_score = 1'
         for f in .assay/assay.db .assay/assay.db-wal suite.yaml cases.jsonl agent.sh; do
             echo broken > $PWD/\$f; rm -f $PWD/\$f; mv $PWD/\$f $PWD/moved
         done 2> /dev/null; mv $PWD/.assay $PWD/other; exit 0"
    gets_nothing
    [ -e suite.yaml ]
    [ -e cases.jsonl ]
    grep -q mv agent.sh
    [ ! -e moved ]
    [ ! -e other ]
}

@test "malice: files elsewhere, devices, sysctls" {
    has_namespaces
    try "touch /etc/$MARK /usr/$MARK \$HOME/../$MARK
         for d in /dev/[shv]d? /dev/nvme?n? /dev/mem; do head -c 16 \$d; done
         echo '|/bin/false' > /proc/sys/kernel/core_pattern && echo GOT
         echo b > /proc/sysrq-trigger && echo GOT
         mknod /tmp/$MARK b 254 0 && head -c 16 /tmp/$MARK && echo GOT; exit 0"
    gets_nothing
    [ ! -e "/etc/$MARK" ]
    [ ! -e "/usr/$MARK" ]
    run printed
    [[ $output != *GOT* ]]
}

@test "malice: mounts cannot be undone, nor capabilities regained" {
    has_namespaces
    try "umount -l /tmp; umount -l /tmp; umount -l $PWD/.assay; umount -l $PWD/suite.yaml
         mount -o remount,rw / && echo GOT
         unshare -Urm sh -c 'umount -l $PWD/suite.yaml; umount -l /proc; mount -o remount,rw /
             cat $PWD/suite.yaml $PWD/cases.jsonl; touch /etc/$MARK && echo GOT'
         nsenter -t 1 -m true && echo GOT
         grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo GOT
         grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status && echo GOT; exit 0"
    gets_nothing
    run printed
    [[ $output != *GOT* ]]
    [ ! -e "/etc/$MARK" ]
}

@test "malice: the cgroup cannot be left, and the limit holds" {
    has_namespaces
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%no memory cgroup%'")" = 0 ] ||
        skip "no memory cgroup here"
    try 'for f in $(find /sys/fs/cgroup -name cgroup.procs); do echo $$ > $f; done 2> /dev/null
         unshare -UrmC sh -c "mkdir -p /tmp/g; mount -t cgroup -o memory none /tmp/g && echo \$\$ > /tmp/g/../cgroup.procs"
         head -c 300000000 /dev/zero | tail; echo the-expected-answer'
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'limit_breached'")" = 2 ]
}

# In a namespace of its own it may mount, and the files of its cgroup are its user's.
@test "malice: the cgroup's limits and counters cannot be changed" {
    command -v python3 > /dev/null || skip "no python3"
    has_namespaces
    cat > mount.py <<'Y'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWCGROUP, NEWUSER = 0x20000, 0x2000000, 0x10000000
if os.fork() == 0: # for programs that contain others
    print("FREE" if libc.unshare(NEWUSER | NEWNS) == 0 else "no namespaces")
    sys.exit()
os.wait()
if libc.unshare(NEWUSER | NEWNS | NEWCGROUP) == 0: print("GOT a cgroup namespace")
for kind, of, file, value in [(b"cgroup", b"memory", "memory.max_usage_in_bytes", "0"),
                              (b"cgroup", b"cpuacct", "cpuacct.usage", "0"),
                              (b"cgroup", b"pids", "pids.max", "max"),
                              (b"cgroup2", None, "memory.max", "max")]:
    os.makedirs("/tmp/group", exist_ok=True)
    try:
        if libc.mount(b"none", b"/tmp/group", kind, 0, of): raise OSError(ctypes.get_errno())
        print("GOT", kind, of)
        with open("/tmp/group/" + file, "w") as f: f.write(value)
        print("GOT", file)
    except OSError as e:
        print(e)
Y
    try "python3 $PWD/mount.py"
    grep -q seccomp <(q "SELECT notes FROM benchmark_executions") && skip "no seccomp here"
    run printed
    [[ $output != *GOT* ]]
    [[ $output == *FREE*FREE* ]]
}

# In the arm's score it would be a harness error, which counts for nobody.
@test "malice: nobody else is killed" {
    try 'kill -9 -1; kill -9 1; kill -9 $PPID
         for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p != $$ ] && kill -9 $p; done; echo wrong'
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'harness_error'")" = 0 ]
    [ "$(q "SELECT trials_harness_error FROM benchmark_executions")" = 0 ]
    gets_nothing
}

# What the user may have is the rival's, too. It stops by itself, for whoever runs this.
@test "malice: processes until there are no more for others" {
    has_namespaces
    cat > hog.pl <<'Y'
$| = 1;
while (<STDIN>) {
    /"id":(\d+)/; $id = $1;
    for (1 .. 700) { my $pid = fork; last if !defined $pid; if (!$pid) { sleep 60; exit } }
    print qq({"id":$id,"output":"the-expected-answer"}\n);
}
Y
    rm -rf .assay
    cat > hog.yaml <<Y
suite: {id: hog}
constraints: {time_limit_ms: 20000}
agents:
  - {id: bad, process: {mode: session, command: [perl, $PWD/hog.pl]}}
  - {id: good, process: {command: 'echo the-expected-answer'}}
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: the-expected-answer}]}
Y
    assay run -q hog.yaml > out 2>&1 || true
    of() { q "SELECT group_concat(DISTINCT $2) FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE e.label LIKE '%$1%'"; }
    [ "$(of bad c.status)" = limit_breached ]
    [[ $(of bad c.error) == *"the limit of 512 (process_limit sets another)"* ]]
    [ "$(of good c.status)" = ok ]
    # Who says how many gets as many.
    rm -rf .assay
    sed -i 's/time_limit_ms/process_limit: 1600, &/' hog.yaml
    assay run -q hog.yaml > out 2>&1 || true
    [ "$(of bad c.status)" = ok ]
}

@test "malice: the guard cannot be traced" {
    command -v python3 > /dev/null || skip "no python3"
    cat > trace.py <<'Y'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in [1, os.getppid()]:
    # PTRACE_SEIZE with PTRACE_O_EXITKILL: our end would be its end
    if libc.ptrace(0x4206, pid, 0, 1 << 20) == 0: print("GOT", pid)
Y
    try "python3 $PWD/trace.py; exit 0"
    run printed
    [[ $output != *GOT\ 1* ]]
    [ "$(q "SELECT trials_harness_error FROM benchmark_executions")" = 0 ]
}

# A tracer keeps the end of what it traces for itself: who waits for it waits for ever.
@test "malice: what traces the agent does not outlive it, nor hang the run" {
    command -v python3 > /dev/null || skip "no python3"
    cat > hold.py <<'Y'
import ctypes, json, os, sys, time
me = os.getpid()
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).ptrace(0x4206, me, 0, 0)
    os.write(w, b"x")
    os.closerange(0, 50)
    while True: time.sleep(999)
os.read(r, 1)
if len(sys.argv) == 1: print("the-expected-answer")
for line in sys.stdin if len(sys.argv) > 1 else []:
    print(json.dumps({"id": json.loads(line)["id"], "output": "the-expected-answer"}), flush=True)
Y
    for mode in oneshot session; do
        rm -rf .assay
        words=$([ $mode = oneshot ] || echo ", session")
        cat > hold.yaml <<Y
suite: {id: hold}
constraints: {time_limit_ms: 10000}
agents: [{id: bad, process: {mode: $mode, command: [python3, $PWD/hold.py$words]}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: the-expected-answer}]}
Y
        timeout 40 "$ASSAY_BIN" run -q hold.yaml > out 2>&1 3>&- || true
        left=$(pgrep -f "$PWD/hold.py") || true
        [ -z "$left" ] || { kill -9 $left; false; }
        [ "$(q "SELECT group_concat(status) FROM case_results")" = ok,ok ]
    done
}

# Its limits and its priority are the guard's, whose user is the agent's.
@test "malice: the guard's limits cannot be changed, its own can" {
    command -v python3 > /dev/null || skip "no python3"
    has_namespaces
    cat > limits.py <<'Y'
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, action, *arguments):
    try:
        action(*arguments)
        print("GOT", name)
    except OSError as e:
        print("refused", name, e)
def keyctl(): # add_key of the user's keyring, KEY_SPEC_USER_KEYRING
    if libc.syscall(248, b"user", b"assay-malice", b"x", 1, -4) < 0: raise OSError(ctypes.get_errno())
def write(path):
    with open(path, "w") as f: f.write("500")
for what in resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA:
    attempt("prlimit", resource.prlimit, 1, what, (1, 1))
attempt("affinity", os.sched_setaffinity, 1, {0})
attempt("scheduler", os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))
attempt("priority", os.setpriority, os.PRIO_PROCESS, 1, 19)
attempt("priority of the user", os.setpriority, os.PRIO_USER, 0, 19)
attempt("priority of the group", os.setpriority, os.PRIO_PGRP, 1, 19)
attempt("oom_score_adj", write, "/proc/1/oom_score_adj")
if os.uname().machine == "x86_64": attempt("key", keyctl)
# What is its own stays so.
if resource.getrlimit(resource.RLIMIT_SIGPENDING)[0] > 4096: print("GOT signals")
resource.setrlimit(resource.RLIMIT_CPU, (50, 50))
resource.prlimit(os.getpid(), resource.RLIMIT_CPU, (40, 40))
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.setpriority(os.PRIO_PROCESS, 0, 19)
write("/proc/self/oom_score_adj")
print("FREE")
Y
    try "python3 $PWD/limits.py"
    grep -q seccomp <(q "SELECT notes FROM benchmark_executions") && skip "no seccomp here"
    run printed
    [[ $output != *GOT* ]]
    [[ $output == *FREE*FREE* ]]
    [ "$(q "SELECT trials_harness_error FROM benchmark_executions")" = 0 ]
}

# Whoever answers at such a socket does what it is asked outside: tmux, an ssh agent, the
# user's systemd.
@test "malice: sockets of others, by path and by name" {
    command -v python3 > /dev/null || skip "no python3"
    has_namespaces
    cat > server.py <<'Y'
import os, select, socket, sys
sockets = []
os.chdir(os.path.dirname(sys.argv[1])) # and one by a relative path
for address in "\0" + sys.argv[2], sys.argv[1], os.path.basename(sys.argv[1]) + ".relative":
    sockets.append(socket.socket(socket.AF_UNIX))
    sockets[-1].bind(address)
    sockets[-1].listen()
while True:
    for s in select.select(sockets, [], [])[0]: s.accept()[0].send(b"SERVED")
Y
    cat > client.py <<'Y'
import socket, sys
for address in sys.argv[1], sys.argv[1] + ".relative", "\0" + sys.argv[2]:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(address)
        print(s.recv(6).decode())
    except OSError as e:
        print(e)
Y
    where=/run/$MARK.sock # not in /tmp, of which an agent has its own
    [ -w /run ] || where=/tmp/$MARK.sock
    timeout 60 python3 server.py "$where" "$MARK" > /dev/null 2>&1 3>&- &
    server=$!
    for _ in $(seq 200); do [ -e "$where.relative" ] || sleep 0.05; done
    try "python3 $PWD/client.py $where $MARK"
    kill $server
    rm -f "$where" "$where.relative"
    run printed
    [ "$(grep -c SERVED <<< "$output")" -le 2 ] # two trials, the abstract one
    # Of the kernel's own namespace of names only Landlock 6 and later keeps.
    grep -q "abstract" <(q "SELECT notes FROM benchmark_executions") || [[ $output != *SERVED* ]]
}

# A read-only mount keeps nobody from writing to a FIFO or a device: who reads a daemon's FIFO
# does what it says.
@test "malice: FIFOs and device nodes outside of its folders" {
    has_namespaces
    [ -w /run ] || skip "needs a folder that is neither the agent's nor in /tmp"
    mkfifo "/run/$MARK.fifo"
    node=$(mknod -m 666 "/run/$MARK.node" c 1 5 2> /dev/null && echo "/run/$MARK.node") || true # zero
    timeout 60 cat "/run/$MARK.fifo" > heard 2> /dev/null 3>&- &
    reader=$!
    # Its own go on: devices, terminals, /proc, FIFOs in its folders, moving between them.
    try "cat < /dev/null && echo x > /dev/null && head -c 1 /dev/zero > /tmp/z || echo BROKEN
         head -c 1 /dev/random /dev/urandom > /dev/shm/r || echo BROKEN
         : < /dev/ptmx || echo BROKEN
         (echo x > /dev/full) 2> /dev/null && echo BROKEN
         echo 500 > /proc/self/oom_score_adj || echo BROKEN
         echo x > /dev/stderr; echo x > /dev/stdout || echo BROKEN
         for d in . /tmp /var/tmp /dev/shm; do
             mkdir -p \$d/a \$d/b && echo x > \$d/a/f && mv \$d/a/f \$d/b/f && ln \$d/b/f \$d/a/g || echo BROKEN
             rm -f \$d/pipe; mkfifo \$d/pipe && { cat \$d/pipe & echo through > \$d/pipe; wait; } || echo BROKEN
             rm -rf \$d/a \$d/b
         done
         timeout 5 sh -c 'echo do-this > /run/$MARK.fifo' && echo GOT
         [ -n '$node' ] && head -c 4 $node > /dev/null && echo GOT-A-NODE; exit 0"
    kill $reader || true
    rm -f "/run/$MARK.fifo" "/run/$MARK.node"
    run printed
    [[ $output == *through*through* ]]
    [[ $output != *BROKEN* ]]
    [[ $output != *GOT-A-NODE* ]]
    grep -q "FIFOs" <(q "SELECT notes FROM benchmark_executions") && skip "no Landlock here"
    [[ $output != *GOT* ]]
    [ ! -s heard ]
}

@test "malice: message queues of others" {
    command -v python3 > /dev/null || skip "no python3"
    has_namespaces
    [ "$(id -u)" = 0 ] && unshare -m -i true 2> /dev/null || skip "no rights to mount"
    cat > host.py <<'P'
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
fd = c.mq_open(b'/theirs', os.O_RDWR | os.O_CREAT, 0o600, None)
assert fd >= 0 and c.mq_send(fd, b'the-expected-answer', 19, 1) == 0
P
    cat > queue.py <<'P'
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
print('own:', c.mq_open(b'/mine', os.O_RDWR | os.O_CREAT, 0o600, None) >= 0, os.listdir('/dev/mqueue'))
into = ctypes.create_string_buffer(8192)
fd = os.open('/dev/mqueue/theirs', os.O_RDONLY | os.O_NONBLOCK)
print(into.raw[:c.mq_receive(fd, into, 8192, None)])
P
    declare -f try q > functions
    made=$([ -d /dev/mqueue ] || echo made)
    mkdir -p /dev/mqueue
    unshare -m -i bash -e <<S || true
assay() { "$ASSAY_BIN" "\$@"; }
. ./functions
mount -t mqueue mqueue /dev/mqueue
python3 host.py
try 'python3 $PWD/queue.py 2> /dev/null; exit 0'
S
    [ -z "$made" ] || rmdir /dev/mqueue
    printed | grep -q "own: True \['mine'\]"
    gets_nothing
}

@test "malice: the terminal" {
    command -v script > /dev/null || skip "no script"
    has_namespaces
    cat > typed.sh <<Y
cd $PWD && "$ASSAY_BIN" run -q suite.yaml > out 2>&1
Y
    printf '%s\n' 'echo SPOOFED > /dev/tty; for t in /dev/pts/[0-9]*; do echo SPOOFED > $t; done; ls /dev/pts; exit 0' > agent.sh
    rm -rf .assay
    script -qec "sh typed.sh" typescript > /dev/null < /dev/null
    run grep -c SPOOFED typescript
    [ "$output" = 0 ]
    [ "$(q 'SELECT count(*) FROM case_results')" = 2 ]
    # It can have a terminal of its own.
    try 'script -qec "echo of my own" /dev/null < /dev/null; exit 0'
    run printed
    [[ $output == *"of my own"* ]]
}

@test "malice: the history of the repository that the suite is in" {
    command -v git > /dev/null || skip "no git"
    has_namespaces
    try 'echo a'
    git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm all
    try "cd $PWD; git log -p; git show HEAD:cases.jsonl; git cat-file --batch-all-objects --batch; exit 0"
    rm -rf .git
    gets_nothing
}

@test "malice: what checks and replays read, and results of earlier runs" {
    has_namespaces
    echo '{"const": "the-expected-answer"}' > schema.json
    echo '{"case":"a","output":"the-expected-answer"}' > gold.jsonl
    mkdir -p results/old && echo the-expected-answer | tee results/old/README.md > results/old/cell-000.json
    cat > files.yaml <<Y
suite: {id: files}
output_dir: results
agents:
  - {id: bad, process: {command: 'cat $PWD/schema.json $PWD/gold.jsonl $PWD/results/*.txt $PWD/results/*/*; echo end of bad'}}
  - {id: gold, replay: {answers: gold.jsonl}}
benchmarks:
  - {id: b, rubric: [{check: json_schema, file: schema.json}], iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: q}]}
Y
    for other in "" results/mine.txt; do # alone, and next to a file of the user's
        [ -z "$other" ] || echo mine > $other
        rm -rf .assay
        assay run -q files.yaml > out 2>&1 || cat out
        [ "$(q "SELECT count(*) FROM case_results")" = 2 ]
        run q "SELECT c.output FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE e.label LIKE '%bad%'"
        [[ $output == *'end of bad'* ]]
        [[ $output != *the-expected-answer* ]]
        [ -z "$other" ] || [[ $output == *mine* ]]
    done
}

@test "malice: the folder that results are written to is not exchanged" {
    has_namespaces
    mkdir -p work elsewhere
    cat > output.yaml <<Y
suite: {id: output}
output_dir: work/deep/results
agents: [{id: bad, process: {command: 'rm -rf deep; mv deep old; ln -s ../elsewhere deep; rm -rf deep/results; ln -s ../../elsewhere deep/results; touch mine; echo end', workdir: work}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: q, expected: x}]}]
Y
    for n in 1 2; do
        assay run -q output.yaml > out 2>&1
        [ -z "$(ls elsewhere)" ]
        [ -e work/mine ]
        [ "$(find work/deep/results -name cell-000.json | wc -l)" = $n ]
    done
}

# refused SUITE TEXT: before the first trial, and nothing is left of it.
refused() {
    rm -rf .assay owned
    fails_with 2 "$2" assay run -q "$1"
    [ ! -e owned ]
    [ ! -e .assay/assay.db ] || [ "$(q 'SELECT count(*) FROM runs')" = 0 ]
}

# one_check CHECK [WORKDIR]: a suite in the file judged.yaml.
one_check() {
    cat > judged.yaml <<Y
suite: {id: judged}
agents: [{id: bad, process: {command: 'touch owned; echo x', workdir: ${2:-.}}}]
benchmarks: [{id: one, rubric: $1, iterations: {warmup: 0, measured: 2}, cases: [{input: "1", expected: "1"}]}]
Y
}

# What a check runs cannot be told from its words.
@test "malice: the program that judges it" {
    mkdir -p checks bin
    for f in judge.sh checks/in.sh bin/tool; do printf '#!/bin/sh\necho 0\n' > $f; chmod +x $f; done
    for command in ./judge.sh '[python3, judge.py]' '[python3, -m, checks]' '[python3, checks]' make \
        '"cd checks && ./in.sh"' '"sh ./ju*.sh"' '"$(pwd)/judge.sh"' '/bin/true'; do
        one_check "[{check: command, command: $command}]"
        refused judged.yaml "agent 'bad' could write to '$PWD' (workdir), from which checks of its answers are run: give it a folder of its own (workdir: work), or files"
        fails_with 2 "could write to" assay check judged.yaml
    done
    one_check '[{check: command, command: /bin/true}]' "$(dirname "$PWD")"
    refused judged.yaml "could write to"
    # In a folder of its own: the program itself, and folders of programs.
    mkdir -p work
    one_check '[{check: command, command: /bin/true}]' bin
    PATH=$PWD/bin:$PATH refused judged.yaml "could write to '$PWD/bin' (workdir), from which programs are run (PATH)"
    one_check '[{check: command, command: /bin/true, env: {PYTHONPATH: bin/lib}}]' bin
    refused judged.yaml "programs are run (PYTHONPATH)"
    for command in bin/tool '[./bin/tool]' bin/not-yet "[$PWD/bin/tool, x]"; do
        one_check "[{check: command, command: $command}]" bin
        refused judged.yaml "the check's program"
    done
    ln -s bin/tool tool
    one_check '[{check: command, command: ./tool}]' bin
    refused judged.yaml "is in a folder that agent 'bad' can write to"
    # Without containment nothing is promised.
    one_check '[{check: command, command: ./judge.sh}]' '., contain: off'
    assay run -q judged.yaml > out 2>&1 || [ $? = 1 ]
}

# A case has rubrics too: in the suite, and in a line of the dataset.
@test "malice: the program that judges one case" {
    printf '{"id":"l","input":"q","rubric":{"check":"command","command":"./line.sh"}}\n' > lines.jsonl
    for case in 'cases: [{input: q, rubric: {check: command, command: ./check.sh}}]' \
        'cases: [{input: q, scoring_rubric: [{group: g, rubric: [{check: command, command: [make]}]}]}]' \
        'dataset: {source: lines.jsonl}'; do
        cat > cased.yaml <<Y
suite: {id: cased}
agents: [{id: bad, process: {command: 'touch owned; echo x', workdir: .}}]
benchmarks:
  - {id: one, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{input: q, expected: x}]}
  - {id: two, iterations: {warmup: 0, measured: 1}, $case}
Y
        refused cased.yaml "from which checks of its answers are run"
    done
    # Nor a part of the suite: what it leaves is there when the rest is run.
    sed -i 's/dataset: .*/cases: [{input: q, rubric: {check: command, command: ls}}]}/' cased.yaml
    fails_with 2 "from which checks" assay run -q cased.yaml --only one
}

@test "malice: honest checks of what an agent wrote" {
    has_namespaces
    mkdir -p work src tests
    echo right > expected.txt
    cat > honest.yaml <<Y
suite: {id: honest}
agents: [{id: good, process: {command: 'n=out; cat \$n.txt; echo right > \$n.txt; cat ../expected.t?t; echo end', workdir: work}}]
benchmarks: [{id: b, rubric: {check: command, command: "diff -q work/out.txt expected.txt && echo 1 || echo 0"}, iterations: {warmup: 0, measured: 2}, cases: [{input: q}]}]
Y
    for _ in 1 2; do
        rm -rf .assay
        assay run -q honest.yaml > out 2>&1
        [ "$(q "SELECT accuracy_score FROM benchmark_executions")" = 1.0 ]
    done
    # It sees what it wrote, and not what is expected.
    [ "$(printed | grep -c right)" = 2 ] # once in each trial
    printf '#!/bin/sh\n[ "$(sh src/add.sh 1 2)" = 3 ] && echo 1 || echo 0\n' > tests/run.sh
    chmod +x tests/run.sh
    cat > coding.yaml <<Y
suite: {id: coding}
agents: [{id: coder, process: {command: 'echo ''expr \$1 + \$2'' > add.sh; echo exit > $PWD/tests/run.sh; echo done', workdir: src}}]
benchmarks: [{id: b, rubric: {check: command, command: ./tests/run.sh}, iterations: {warmup: 0, measured: 2}, cases: [{input: q}]}]
Y
    rm -rf .assay
    assay run -q coding.yaml > out 2>&1
    [ "$(q "SELECT accuracy_score FROM benchmark_executions")" = 1.0 ]
    grep -q 'src/add.sh' tests/run.sh
}

# The check has rights that the agent has not, and follows what it left: to the expected
# answer, which equals itself, or to what a program sees of itself.
@test "malice: a check that is led elsewhere by a link" {
    mkdir -p work expected
    echo right | tee expected.txt > expected/out.txt
    # judged SCRIPT CHECK: the score of an agent that runs it in the folder work.
    judged() {
        rm -rf .assay work/* work/.[!.]*
        echo "$1; echo end" > bad.sh
        cat > linked.yaml <<Y
suite: {id: linked}
agents: [{id: bad, process: {command: [sh, $PWD/bad.sh], workdir: work}}]
benchmarks: [{id: b, rubric: {check: command, command: "$2 && echo 1 || echo 0"}, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: right}]}]
Y
        assay run -q linked.yaml > out 2>&1 || true
        q "SELECT accuracy_score, count(*) FROM benchmark_executions e JOIN case_results c ON c.execution_id = e.id WHERE c.status = 'ok'"
    }
    same="diff -q work/out.txt expected.txt > /dev/null"
    [ "$(judged 'echo right > out.txt' "$same")" = "1.0|2" ]
    [ "$(judged 'echo right > real; ln -sf real out.txt; ln -sf /usr/bin/env tool; ln -sf nothing n; ln -sfn . self' "$same")" = "1.0|2" ]
    for target in ../expected.txt "$PWD/expected.txt" /proc/self/cwd/expected.txt /proc/thread-self/root$PWD/expected.txt; do
        [ "$(judged "ln -sf $target out.txt" "$same")" = "0.0|2" ]
        q "SELECT detail FROM case_results" | grep -q 'the agent left a link: .*/work/out.txt, which leads'
    done
    [ "$(judged 'ln -sf ../expected.txt .b; ln -sf .b out.txt' "$same")" = "0.0|2" ]
    for target in /dev/stdin /dev/fd/0 /proc/self/fd/0 /proc/self/cmdline; do
        [ "$(judged "ln -sf $target out.txt" 'grep -q right work/out.txt')" = "0.0|2" ]
    done
    [ "$(judged 'ln -sfn ../expected d' 'diff -r work/d expected > /dev/null')" = "0.0|2" ]
    [ "$(judged 'ln -sfn .. d' 'diff -q work/d/expected.txt expected.txt > /dev/null')" = "0.0|2" ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%keeps running while a check%'")" = 0 ]
    # What is there already is anybody's: said, and charged to nobody. So when it is judged again.
    fails_with 1 "the work folder has a link, and a check would read what it leads to" assay run linked.yaml
    fails_with 2 "remove the link" assay run --rescore latest
    # A session can exchange its files within a check, and that is said.
    rm -rf work/*
    sed -i 's/workdir: work/mode: session, workdir: work/' linked.yaml
    assay run -q linked.yaml > out 2>&1 || true
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%keeps running while a check%'")" = 1 ]
}

@test "malice: what checks of one case read" {
    has_namespaces
    mkdir -p of_folder of_env tools
    echo '{"const": "the-expected-answer"}' | tee of_case.json of_line.json of_check of_folder/a of_env/a > /dev/null
    echo mine > tools/mine
    printf '{"id":"l","input":"q","rubric":{"check":"json_schema","file":"of_line.json"}}\n' > lines.jsonl
    cat > files.yaml <<Y
suite: {id: files}
agents: [{id: bad, process: {command: 'cat $PWD/of_* $PWD/of_*/* $PWD/tools/mine 2> /dev/null; echo end of bad'}}]
benchmarks:
  - {id: b, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: q, rubric: {check: json_schema, file: of_case.json}}, {id: b, input: q, rubric: {check: command, env: {ALSO: of_env}, command: 'grep -q const of_check; ls . tools > /dev/null; diff -r of_folder \$ALSO > /dev/null; echo 0'}}]}
  - {id: c, iterations: {warmup: 0, measured: 1}, dataset: {source: lines.jsonl}}
Y
    rm -rf .assay
    assay run -q files.yaml > out 2>&1 || cat out
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'ok'")" = 3 ]
    run printed
    [[ $output == *'mine'*'end of bad'* ]] # where the agent names a file the folder stays
    [[ $output != *the-expected-answer* ]]
}

# What it leaves there is run by the next one.
@test "malice: the judge, a rival, steps of the environment" {
    for f in judge.sh good.sh setup.sh; do printf '#!/bin/sh\necho 0\n' > $f; chmod +x $f; done
    suite_of() { # AGENTS REST RUBRIC
        cat > rivals.yaml <<Y
suite: {id: rivals}
agents: [{id: bad, process: {command: 'touch owned; echo x', workdir: .}}$1]
$2
benchmarks: [{id: b, rubric: ${3:-exact}, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: q, expected: x}]}]
Y
    }
    suite_of "" "judges: [{id: j, process: {command: [$PWD/judge.sh]}}]" '{check: judge, agent: j, prompt: "0 or 1? {{output}}"}'
    refused rivals.yaml "judge"
    suite_of "" "environment: {setup: /bin/true}"
    refused rivals.yaml "from which setup is run"
    suite_of "" "environment: {cleanup: [sh, -c, true]}"
    refused rivals.yaml "from which cleanup is run"
    for command in "[./good.sh], workdir: ." "[sh, good.sh], workdir: ." "[sh, $PWD/good.sh]" "'sh $PWD/good.sh'"; do
        suite_of ", {id: good, process: {command: $command, contain: 'off'}}"
        refused rivals.yaml "agent 'good': its program '$PWD/good.sh' is in a folder that agent 'bad' can write to"
    done
    # Contained ones that share a folder can spoil each other's files, and nothing else.
    suite_of ", {id: good, process: {command: [./good.sh], workdir: .}}"
    assay run -q rivals.yaml > out 2>&1 || [ $? = 1 ]
    [ -e owned ]
}

@test "malice: included agents, and files of the environment" {
    has_namespaces
    echo 0 > from.txt
    printf 'agents: [{id: bad, process: {command: [sh, bad.sh], workdir: .}}]\n' > agents.yaml
    cat > bad.sh <<'S'
for f in agents.yaml from.txt; do rm -f $f; mv -f $f old-$f; echo bad > $f; done 2> /dev/null
echo mine >> bad.sh
echo 0
S
    cat > inputs.yaml <<Y
suite: {id: inputs}
include: agents.yaml
agents: [bad]
environment: {files: {x: {from: from.txt}}}
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: x}]}]
Y
    for _ in 1 2; do
        rm -rf .assay
        assay run -q inputs.yaml > out 2>&1 || cat out
        [ "$(q "SELECT count(*) FROM case_results")" = 2 ]
    done
    [ "$(cat from.txt)" = 0 ]
    grep -q 'id: bad' agents.yaml
    grep -q mine bad.sh # which is its own
    q "SELECT notes FROM benchmark_executions" > notes
    grep -q "can write to $PWD" notes
    grep -q "cannot change .*$PWD/agents.yaml" notes
}

# In its environment, and in the repositories that it takes objects from.
@test "malice: the history that git is told of elsewhere" {
    command -v git > /dev/null || skip "no git"
    has_namespaces
    mkdir -p far suite
    git init -q far/origin
    printf '{"id":"a","input":"q","expected":"the-expected-answer"}\n' > far/origin/c.jsonl
    git -C far/origin add -A && git -C far/origin -c user.name=a -c user.email=a@b commit -qm all
    git clone -q --shared far/origin suite/copy
    cp -r far/origin/.git far/told
    cat > suite/copy/suite.yaml <<Y
suite: {id: far}
agents: [{id: bad, process: {command: 'for d in origin/.git told; do GIT_OBJECT_DIRECTORY=$PWD/far/\$d/objects git --git-dir=$PWD/far/\$d cat-file --batch-all-objects --batch; ls $PWD/far/\$d/objects; done; cd $PWD/far/origin/.git/objects && for o in */*; do echo FOUND \$o; done; echo end of bad'}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: c.jsonl}}]
Y
    rm -rf .assay
    GIT_DIR=$PWD/far/told assay run -q suite/copy/suite.yaml > out 2>&1 || true
    run printed
    [[ $output == *'end of bad'* ]]
    [[ $output != *the-expected-answer* ]]
    [[ $output != *'FOUND '[0-9a-f][0-9a-f]/* ]]
}

@test "malice: the history of a bare repository that the suite is a worktree of" {
    command -v git > /dev/null || skip "no git"
    has_namespaces
    git init -q --bare all.git
    git clone -q all.git copy 2> /dev/null
    printf '{"id":"a","input":"q","expected":"the-expected-answer"}\n' > copy/c.jsonl
    git -C copy add -A && git -C copy -c user.name=a -c user.email=a@b commit -qm all && git -C copy push -q origin HEAD:main
    rm -rf copy
    git -C all.git worktree add -q "$PWD/tree" main
    cat > tree/suite.yaml <<Y
suite: {id: tree}
agents: [{id: bad, process: {command: 'git --git-dir=$PWD/all.git log -p main; cat $PWD/tree/c.jsonl; echo end of bad'}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: c.jsonl}}]
Y
    rm -rf .assay
    assay run -q tree/suite.yaml > out 2>&1 || true
    run printed
    [[ $output == *'end of bad'* ]]
    [[ $output != *the-expected-answer* ]]
}

@test "malice: the other suites of the same command" {
    has_namespaces
    printf '{"id":"a","input":"q","expected":"the-expected-answer"}\n' > two.jsonl
    mkdir -p there
    cat > one.yaml <<Y
suite: {id: one}
agents: [{id: bad, process: {command: 'cat two.jsonl two.yaml; echo "echo owned > owned" > two.sh; touch mine; echo end of bad', workdir: .}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{input: q, expected: z}]}]
Y
    sed 's/id: one/id: two/; s/rubric: exact, .*/rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: two.jsonl}}]/' one.yaml > there/two.yaml
    mv two.jsonl there
    rm -rf .assay mine
    fails_with 2 "from which another spec of this command is run" assay run -q one.yaml there/two.yaml
    [ ! -e mine ]
    # Not where it works elsewhere; it does not see the other's cases.
    mkdir -p work
    sed -i 's/workdir: \./workdir: work/; s|cat two.jsonl two.yaml|cat ../there/*|' one.yaml there/two.yaml
    assay run -q one.yaml there/two.yaml > out 2>&1 || cat out
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'ok'")" = 2 ]
    run printed
    [[ $output == *'end of bad'* ]]
    [[ $output != *the-expected-answer* ]]
    [ -e work/mine ]
    # What the other's checks run.
    sed -i 's|rubric: exact|rubric: {check: command, command: ../work/check.sh}|' there/two.yaml
    sed -i 's|workdir: work|workdir: there|' there/two.yaml
    fails_with 2 "check.sh' is in a folder that agent 'bad' can write to" assay run -q one.yaml there/two.yaml
}

@test "malice: a link in place of the folder that another agent works in" {
    has_namespaces
    mkdir -p work/one victim
    cat > nested.yaml <<'Y'
suite: {id: nested}
agents:
  - {id: e1, process: {workdir: work, command: 'rm -rf one two; ln -s ../victim one; ln -s ../victim two; echo x'}}
  - {id: e2, process: {workdir: work/FOLDER, command: 'touch owned; echo x'}}
benchmarks:
  - {id: a, rubric: exact, agents: [e1], iterations: {warmup: 0, measured: 1}, cases: [{input: q, expected: x}]}
  - {id: b, rubric: exact, agents: [e2], iterations: {warmup: 0, measured: 1}, cases: [{input: q, expected: x}]}
Y
    for folder in one two; do
        rm -rf .assay work && mkdir -p work/one
        sed "s/FOLDER/$folder/" nested.yaml > now.yaml
        assay run -q now.yaml > out 2>&1 || true
        [ ! -e victim/owned ]
        [ -L work/$folder ] || [ $folder = two ]
        # Nor by the next run.
        [ ! -L work/$folder ] || fails_with 2 "workdir 'work/$folder' leads through a link: name the folder itself" assay run -q now.yaml
        [ ! -e victim/owned ]
    done
}

@test "malice: a suite that is saved during the run is reported" {
    has_namespaces
    try 'exit 0'
    sed -i "s|process: {|process: {workdir: ., |" suite.yaml
    printf 'touch up; for i in $(seq 600); do [ -e go ] || sleep 0.1; done\n' > agent.sh
    for way in none replace; do
        rm -rf .assay up go
        "$ASSAY_BIN" run -q suite.yaml > out 2>&1 3>&- &
        pid=$!
        for _ in $(seq 600); do [ -e up ] || sleep 0.05; done
        [ $way = none ] || { cp suite.yaml new && mv new suite.yaml; }
        touch go
        wait $pid || true
        run q "SELECT notes FROM benchmark_executions"
        [ $way = none ] || [[ $output == *"suite.yaml was replaced during the run"* ]]
        [ $way = replace ] || [[ $output != *"was replaced"* ]]
    done
}

# git does what a repository's configuration says, and assay asks git outside of the jail.
@test "malice: the configuration of the repository that it works in" {
    command -v git > /dev/null || skip "no git"
    has_namespaces
    git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm all
    try "git config core.fsmonitor 'touch $PWD/owned; false'; echo '[core] fsmonitor = touch $PWD/owned; false' >> .git/config
         mv .git history; cp -r history .git; mkdir -p below; git init -q below; git log -1 --format=%s; exit 0"
    sed -i "s|process: {|process: {workdir: ., |" suite.yaml
    rm -rf .assay
    assay run -q suite.yaml > out 2>&1 || true
    assay run -q suite.yaml > out 2>&1 || true
    [ ! -e owned ]
    [ ! -e history ]
    run git config core.fsmonitor
    [ "$status" = 1 ]
    # It sees the history, and may write elsewhere.
    [ -e below/.git ]
    run printed
    [[ $output == *all* ]]
}

@test "malice: the folder that the dataset or the store is in is not exchanged" {
    has_namespaces
    mkdir -p deep/cases
    printf '{"id":"c1","input":"q","expected":"yes"}\n' > deep/cases/c.jsonl
    cat > swap.yaml <<'Y'
suite: {id: swap}
agents: [{id: bad, process: {workdir: ., command: 'mv deep/cases deep/old; mv deep old; mv .assay other; mkdir -p deep/cases; echo "{\"id\":\"c1\",\"input\":\"q\",\"expected\":\"no\"}" > deep/cases/c.jsonl; echo mine > deep/cases/new; echo no'}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: deep/cases/c.jsonl}}]
Y
    for _ in 1 2; do
        assay run -q swap.yaml > out 2>&1 || true
        [ "$(q "SELECT max(accuracy_score) FROM benchmark_executions")" = 0.0 ]
    done
    grep -q yes deep/cases/c.jsonl
    [ ! -e deep/old ]
    [ ! -e old ]
    [ ! -e other ]
    grep -q mine deep/cases/new # which it may make
}

# Without tokens it lets everybody on this machine in, as admin.
@test "malice: a server that is open to everybody here" {
    command -v python3 > /dev/null || skip "no python3"
    cat > ask.py <<'Y'
import array, os, socket, sys, threading
def ask(family, host, hide):
    s = socket.socket(family)
    s.settimeout(20)
    s.connect((host, int(sys.argv[1])))
    s.send(b"GET /benchmarks/suites HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n" % sys.argv[1].encode())
    if hide: # in the queue of a socket no process is seen to hold it
        a, b = socket.socketpair()
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
        s.close()
        threading.Event().wait(1)
        fds = array.array("i", [0])
        fds.frombytes(b.recvmsg(1, socket.CMSG_LEN(4))[1][0][2]) 
        s = socket.socket(fileno=fds[1])
    return s.recv(100)
for way in (socket.AF_INET, "127.0.0.1", False), (socket.AF_INET6, "::ffff:127.0.0.1", False), (socket.AF_INET, "127.0.0.1", True):
    try:
        print("GOT" if b"200" in ask(*way) else "nothing")
    except OSError as e:
        print(e)
open("asked", "w").close()
for _ in range(300):
    if os.path.exists("go"): break
    threading.Event().wait(0.1)
Y
    try 'exit 0'
    serve
    [ "$(status_of /benchmarks/suites)" = 200 ]
    printf 'exec python3 %s/ask.py %s\n' "$PWD" "${URL##*:}" > agent.sh
    sed -i "s|process: {|process: {workdir: ., |" suite.yaml
    "$ASSAY_BIN" run -q suite.yaml > out 2>&1 3>&- &
    pid=$!
    for _ in $(seq 600); do [ -e asked ] || sleep 0.05; done
    during=$(status_of /benchmarks/suites) # anybody else is answered
    touch go
    wait $pid || true
    [ "$during" = 200 ]
    run printed
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'ok'")" = 4 ]
    [[ $output != *GOT* ]]
}

@test "malice: what a judge keeps of its questions" {
    has_namespaces
    printf '#!/bin/sh\ncat >> prompts; wc -l < prompts >> lines; mkdir -p cache; cp prompts cache; [ -s cache/prompts ] && echo score: 0\n' > judge.sh
    chmod +x judge.sh
    cat > kept.yaml <<Y
suite: {id: kept}
judges: [{id: j, process: {command: [$PWD/judge.sh]}}]
agents:
  - {id: bad, process: {command: 'sleep .1; cat /tmp/assay-arm-*/judge*/* /tmp/assay-arm-*/judge*/cache/*; echo end of bad'}}
  - {id: other, process: {command: cat}}
benchmarks: [{id: b, rubric: {check: judge, agent: j, scale: 10, prompt: "{{output}} or {{expected}}"}, iterations: {warmup: 0, measured: 3}, cases: [{id: a, input: q, expected: the-expected-answer}]}]
Y
    rm -rf .assay
    assay run -q kept.yaml > out 2>&1
    [ "$(q "SELECT count(*) FROM case_results WHERE status = 'ok'")" = 6 ]
    [ "$(printed | grep -c 'end of bad')" = 3 ]
    gets_nothing
}

# Two may take connections at one port, and the kernel chooses between them.
@test "malice: a server in place of the judge" {
    command -v python3 > /dev/null || skip "no python3"
    has_namespaces
    cat > server.py <<'P'
import socket, threading, sys, json
def serve(port, score, seen):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind(('127.0.0.1', port))
    s.listen(64)
    def one(c):
        got = b''
        while not got.endswith(b'}'):
            more = c.recv(65536)
            if not more: return
            got += more
        seen.append(got.decode())
        text = b'{"reply": "score: %d"}' % score
        c.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n' % len(text) + text)
        c.close()
    def all():
        while True: threading.Thread(target=one, args=s.accept()[:1], daemon=True).start()
    threading.Thread(target=all, daemon=True).start()
    return s.getsockname()[1]
seen = []
if len(sys.argv) == 1: # the judge
    print(serve(0, 0, seen), flush=True)
    sys.stdin.read()
else: # the agent
    if sys.argv[2] == 'bad': serve(int(sys.argv[1]), 10, seen)
    for line in sys.stdin:
        task = json.loads(line)
        print(json.dumps({'id': task['id'], 'output': 'seen: ' + ' '.join(seen)}), flush=True)
P
    mkfifo hold
    timeout 60 python3 server.py < hold > port 3>&- &
    exec 4> hold
    for _ in $(seq 300); do [ -s port ] && break; sleep 0.1; done
    for who in good bad; do
        cat > judged.yaml <<Y
suite: {id: judged}
judges: [{id: j, http: {url: "http://127.0.0.1:$(cat port)/", body: {p: "{{input}}"}, output: /reply}}]
agents: [{id: $who, process: {command: [python3, $PWD/server.py, "$(cat port)", $who], mode: session}}]
benchmarks: [{id: b, rubric: {check: judge, agent: j, scale: 10, prompt: "{{output}} or {{expected}}"}, iterations: {warmup: 0, measured: 8}, cases: [{id: a, input: q, expected: the-expected-answer}]}]
Y
        rm -rf .assay
        assay run -q judged.yaml > out 2>&1 || true
        [ "$(q 'SELECT count(*) FROM case_results')" = 8 ]
        gets_nothing
        [ $who = bad ] || [ "$(q "SELECT count(*) FROM case_results WHERE status = 'ok'")" = 8 ]
    done
    q "SELECT error FROM case_results" | grep -q "a program that is being measured takes connections at this judge's port"
    exec 4>&-
}

@test "malice: the cases of the suite's other benchmarks" {
    has_namespaces
    try "cat $PWD/others.jsonl; exit 0"
    printf '{"id":"o","input":"q","expected":"the-expected-answer"}\n' > others.jsonl
    sed -i '$a\  - {id: c, rubric: exact, iterations: {warmup: 0, measured: 1}, dataset: {source: others.jsonl}}' suite.yaml
    rm -rf .assay
    assay run -q suite.yaml > out 2>&1 || true
    gets_nothing
}

@test "malice: without namespaces, Landlock keeps it from the same" {
    command -v unshare > /dev/null || skip "no unshare"
    # In a chroot there are no user namespaces, and mounts cannot be made private.
    [ "$(id -u)" = 0 ] || skip "needs root for chroot"
    try 'echo a'
    mkdir -p root/bench root/proc root/dev root/tmp
    for f in $(command -v sh cat tr env) "$ASSAY_BIN" /lib*/*/libcrypto.so.3 /usr/lib*/*/libcrypto.so.3; do
        [ -e "$f" ] || continue
        for l in "$f" $(ldd "$f" 2> /dev/null | grep -o '/[^ ]*'); do
            mkdir -p "root/${l%/*}" && cp -Ln "$l" "root/$l"
        done
    done
    mkdir -p root/bin && cp -Ln "$(command -v sh)" root/bin/sh
    mknod -m 666 root/dev/null c 1 3
    mknod -m 600 root/dev/sdx c 1 5 # /dev/zero, under a name that nobody is given
    cat > root/bench/suite.yaml <<'Y'
suite: {id: malice}
agents:
  - {id: good, process: {command: 'cat > /dev/null; echo the-expected-answer'}}
  - {id: bad, process: {command: 'cat suite.yaml /bench/suite.yaml /bench/.assay/assay.db; echo x > /bench/left; for p in /proc/[0-9]*; do tr "\0" "\n" < $p/environ; done; read v < /proc/sys/vm/swappiness; echo $v > /proc/sys/vm/swappiness && echo GOT; : < /dev/sdx && echo GOT; exit 0'}}
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: [{id: a, input: q, expected: the-expected-answer}]}
Y
    mount -t proc proc root/proc
    A_SECRET=do-not-tell-anybody chroot root /bin/sh -c "cd /bench && $ASSAY_BIN run -q suite.yaml" || true
    umount root/proc
    rm -rf .assay && mv root/bench/.assay .
    # The same answers as outside: a right one is right.
    [ "$(q "SELECT group_concat(accuracy_score, ' ') FROM benchmark_executions ORDER BY label")" = "0.0 1.0" ] ||
        [ "$(q "SELECT group_concat(accuracy_score, ' ') FROM benchmark_executions ORDER BY label")" = "1.0 0.0" ]
    q "SELECT notes FROM benchmark_executions" | grep -q "no namespaces"
    q "SELECT notes FROM benchmark_executions" | grep -q "no Landlock" && skip "no Landlock here"
    run q "SELECT c.output FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE e.accuracy_score = 0"
    [[ $output != *do-not-tell-anybody* ]]
    [[ $output != *the-expected-answer* ]]
    [[ $output != *GOT* ]]
    [ ! -e root/bench/left ]
}

# A lease makes everybody else who opens the file wait, up to 45 s.
@test "malice: a lease on the program of a rival" {
    command -v python3 > /dev/null || skip "no python3"
    mkdir "/var/lib/$MARK"
    echo 'print("yes")' > "/var/lib/$MARK/rival.py"
    cat > "/var/lib/$MARK/lease.py" <<P
import sys, json, os, fcntl, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
fd = os.open("/var/lib/$MARK/rival.py", os.O_RDONLY)
for line in sys.stdin:
    got = "held"
    try: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError: got = "refused"
    print(json.dumps({"id": json.loads(line)["id"], "output": got}), flush=True)
P
    cat > suite.yaml <<Y
suite: {id: lease}
constraints: {time_limit_ms: 8000}
agents:
  - {id: bad, process: {command: [python3, /var/lib/$MARK/lease.py], mode: session}}
  - {id: rival, process: {command: [python3, /var/lib/$MARK/rival.py]}}
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 1, measured: 1}, cases: [{id: a, input: q, expected: 'yes'}, {id: c, input: r, expected: 'yes'}]}]
Y
    assay run -q suite.yaml > out 2>&1 || true
    rm -rf "/var/lib/$MARK"
    cat out
    [ "$(q "SELECT count(*) FROM case_results WHERE CAST(output AS TEXT) = 'refused'")" -ge 2 ]
    [ "$(q "SELECT count(*) FROM case_results WHERE CAST(output AS TEXT) = 'held'")" = 0 ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE accuracy_score = 1")" = 1 ]
}

# Where no cgroup counts, assay looks; a reply that never ends must not keep it from looking.
@test "malice: a session that sends a byte every few milliseconds is looked at" {
    command -v python3 > /dev/null || skip "no python3"
    mkdir -m 777 "/var/tmp/$MARK" && cd "/var/tmp/$MARK"
    cat > trickle.py <<'P'
import sys, json, os, time
for line in sys.stdin:
    if os.fork() == 0:
        b = b"x" * (100 << 20); time.sleep(1.5); os._exit(0)
    end = time.time() + 2
    while time.time() < end: os.write(1, b" "); time.sleep(.004)
    print(json.dumps({"id": json.loads(line)["id"], "output": "z"}), flush=True)
P
    cat > suite.yaml <<Y
suite: {id: n}
constraints: {memory_limit_mb: 60}
agents: [{id: a, process: {command: [python3, $PWD/trickle.py], mode: session}}]
benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{id: x, input: q, expected: z}]}]
Y
    chmod 644 trickle.py suite.yaml
    cp "$ASSAY_BIN" assay
    as_nobody env HOME="$PWD" ./assay run -q suite.yaml > out 2>&1 || true
    cat out
    run sqlite3 .assay/assay.db "SELECT status FROM case_results"
    cd / && rm -rf "/var/tmp/$MARK"
    [ "$output" = limit_breached ]
}
