#!/usr/bin/env bats
# What others do while we work: signals, stores that vanish, files that lie, names and
# answers that try something. Nothing is lost without a word, nothing aborts.
load ../helper

# started N COMMAND...: runs it in the background and waits until N trials are announced
# in `stream`; its process is $pid.
started() {
    local wanted=$1 tries=0
    shift
    "$@" > stream 2> messages &
    pid=$!
    until [ "$(grep -c '"event":"iteration"' stream)" -ge "$wanted" ]; do
        kill -0 $pid && [ $((tries += 1)) -lt 600 ]
        sleep 0.05
    done
}

ended() { code=0; wait $pid || code=$?; }

trials_of() { sqlite3 "$1" 'SELECT coalesce(sum(count), 0) FROM trials' 2> /dev/null; }

# ---- signals ----

@test "Ctrl-C: the trials are stored, then it dies of the signal, so that a loop ends" {
    started 3 "$ASSAY_BIN" run --json -n 500 -c 'sleep 0.02'
    kill -INT $pid
    ended
    [ "$code" = 130 ]
    grep -q 'interrupted.*--resume' messages
    [ "$(assay list --json | jq -r '.runs[0].status')" = partial ]
    # A shell whose child died of SIGINT does not go on with its loop.
    cat > loop.py <<'P'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen(["bash", "-ic", f"for i in 1 2 3; do echo begin $i; {sys.argv[1]} run -q -n 500 -- sleep 0.02; done"],
                     stdout=open("loop.out", "w"), stderr=subprocess.DEVNULL, start_new_session=True)
while not os.path.getsize("loop.out"): time.sleep(0.05)
time.sleep(1)
os.killpg(p.pid, signal.SIGINT)
p.wait(timeout=60)
P
    python3 loop.py "$ASSAY_BIN"
    [ "$(cat loop.out)" = "begin 1" ]
}

@test "SIGTERM, SIGHUP and SIGQUIT: the same, each by its own number" {
    local name
    for name in TERM:143 HUP:129 QUIT:131; do
        cat > start.py <<'P'
import os, signal, sys
for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP): signal.signal(s, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
P
        started 2 python3 start.py "$ASSAY_BIN" run --json -n 500 -c 'sleep 0.02'
        kill -"${name%:*}" $pid
        ended
        [ "$code" = "${name#*:}" ]
        grep -q 'interrupted.*--resume' messages
        [ "$(assay list --json | jq -r '.runs[0].status')" = partial ]
    done
}

@test "nohup: a terminal that is gone does not end it" {
    started 2 nohup "$ASSAY_BIN" run --json -n 40 -c 'sleep 0.02'
    kill -HUP $pid
    ended
    [ "$code" = 0 ]
    [ "$(assay list --json | jq -r '.runs[0].status')" = success ]
}

@test "a file that may not grow is a reason, not a death" {
    printf 'experiment: noop\niterations: {measured: 300000}\n' > n.yaml
    ulimit -f 300
    fails_with 1 "may have at most 307200 bytes (ulimit -f)" assay run -q n.yaml
}

@test "out of memory: said as what it is, exit 3" {
    [ -z "$ASSAY_SAN" ] || skip "sanitizers need address space"
    python3 -c "print('\\n'.join(['{\"x\": 1.5}'] * 400000))" > big.jsonl
    run bash -c "ulimit -v 60000; '$ASSAY_BIN' import big.jsonl"
    [ "$status" = 3 ]
    [[ $output == *"out of memory"* && $output != *"internal error"* ]]
}

@test "the clock is set back a day: durations are what they were" {
    cat > jump.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int rc = real(id, t);
    if (id == CLOCK_REALTIME && access("jump", F_OK) == 0) t->tv_sec -= 86400;
    return rc;
}
C
    ${CC:-cc} -shared -fPIC -o jump.so jump.c -ldl
    [ "$(nm -D "$ASSAY_BIN" | grep -c __asan)" = 0 ] || skip "a sanitizer wants to be loaded first"
    LD_PRELOAD=$PWD/jump.so assay run -q -n 3 -c 'touch jump; sleep 0.05'
    rm jump
    [ "$(sqlite3 .assay/assay.db 'SELECT total_duration_ms BETWEEN 100 AND 60000 FROM benchmark_executions')" = 1 ]
    [ "$(sqlite3 .assay/assay.db 'SELECT ended_ns > started_ns FROM runs')" = 1 ]
}

# ---- the store under our hands ----

# guard_of PID: the process that starts the agents of the run with this process.
guard_of() {
    ps -eo pid=,ppid=,comm= | awk -v top="$1" '{p[$1] = $2; c[$1] = $3}
        END {for (g in c) if (c[g] == "assay-guard") {for (x = g; x in p && x != top;) x = p[x]; if (x == top) print g}}'
}

# A line in `asked` for each task that was given: one more than trials, since one was repeated.
@test "the process that starts the agents is killed: another takes its place, and the trial is repeated" {
    oneshot="process: {workdir: $PWD, command: 'read x; echo >> $PWD/asked; sleep 0.5; echo \$x'}"
    cat > session.sh <<'END'
while read -r task; do
    echo >> "$1"
    sleep 0.5
    id=${task#*\"id\":}
    echo "{\"id\": ${id%%,*}, \"output\": \"1\"}"
done
END
    session="process: {workdir: $PWD, mode: session, command: [sh, session.sh, $PWD/asked]}"
    for agent in "$oneshot" "$session"; do
        rm -rf .assay asked
        printf 'suite: {id: s}\nagents: [{id: a, %s}]\nbenchmarks: [{id: b, iterations: {warmup: 0, measured: 3}, cases: [{input: "1", expected: "1"}]}]\n' "$agent" > s.yaml
        assay run -q s.yaml > messages 2>&1 &
        pid=$!
        for _ in $(seq 200); do [ -s asked ] && break; sleep 0.05; done
        guard=$(guard_of $pid)
        [ -n "$guard" ]
        kill -9 $guard
        ended
        cat messages
        [ "$code" = 0 ]
        [ "$(wc -l < asked)" = 4 ]
        [ "$(sqlite3 .assay/assay.db 'SELECT trials_ok || trials_harness_error FROM benchmark_executions')" = 30 ]
        # and the time of the lost one is not in the sample
        [ "$(sqlite3 .assay/assay.db "SELECT max < 30 FROM series WHERE metric = 'duration_s'")" = 1 ]
    done
}

@test "the store is removed during a run: it fails, and does not say that work is kept" {
    started 3 "$ASSAY_BIN" run --json -n 400 -c 'sleep 0.01'
    rm -rf .assay
    ended
    [ "$code" = 1 ]
    grep -q "was removed, moved or replaced" messages
    [ "$(grep -c "is kept" messages)" = 0 ]
}

@test "forget and prune leave a run alone that is being carried out" {
    assay run -q -n 1 -- true
    assay run -q -n 1 -- true
    gone=$(assay list --json | jq -r '.runs[0].id')
    started 3 "$ASSAY_BIN" run --json -n 150 -c 'sleep 0.01'
    fails_with 2 "still running (process" assay forget latest
    # What was removed before the one that cannot be is said.
    run_code=0
    assay forget --json latest~1 latest > forgotten 2> said || run_code=$?
    [ "$run_code" = 2 ]
    grep -q "still running (process" said
    jq -e --arg id "$gone" '.forgotten == [$id]' forgotten
    assay prune --keep 0 > pruned
    grep -q "1 forgotten, 1 kept, 1 of them because" pruned
    ended
    [ "$code" = 0 ]
    [ "$(assay list --json | jq -r '.runs | length')" = 1 ]
    [ "$(assay show --json | jq '.cells[0].trials.ok')" = 150 ]
    assay forget latest
}

@test "a bundle never replaces more trials by fewer, nor a run that is being carried out" {
    started 3 "$ASSAY_BIN" run --json -n 400 -c 'sleep 0.01'
    assay export --bundle old.assay
    fails_with 2 "still running (process" assay import old.assay
    sleep 0.5
    kill -9 $pid
    ended
    before=$(trials_of .assay/assay.db)
    [ "$before" -ge "$(grep -c '"event":"iteration"' stream)" ]
    assay import old.assay > said
    grep -q "0 replaced" said
    grep -q "1 unfinished run kept" said
    [ "$(trials_of .assay/assay.db)" = "$before" ]
    # The other way round the bundle knows more, and is taken.
    assay export --bundle new.assay
    assay import old.assay --store other.db
    assay import new.assay --store other.db > said
    grep -q "1 replaced" said
    [ "$(trials_of other.db)" = "$before" ]
}

@test "--cache and --rescore of counts that do not add up: no abort" {
    printf 'suite: {id: s}\nagents: [{id: a, noop: {}}]\nbenchmarks:\n  - {id: b, rubric: exact, iterations: {measured: 1}, cases: [{id: c, input: x, expected: x}]}\n' > s.yaml
    assay run -q s.yaml
    sqlite3 .assay/assay.db 'UPDATE benchmark_executions SET trials_ok = 2147483648'
    assay run -q s.yaml --cache
    sqlite3 .assay/assay.db 'UPDATE benchmark_executions SET trials_ok = 2147483648'
    fails_with 2 "do not add up" assay run --rescore latest
}

# ---- names ----

@test "a name of 1 MiB is refused with its size, by every importer" {
    python3 - <<'P'
import json
big = "x" * (1 << 20)
json.dump({"results": [{"command": big, "times": [1, 2, 3]}]}, open("h.json", "w"))
json.dump({"context": {}, "benchmarks": [{"name": big, "real_time": 1, "time_unit": "ns"}]}, open("g.json", "w"))
json.dump({"machine_info": {}, "benchmarks": [{"name": big, "fullname": big, "stats": {"data": [1, 2]}}]}, open("p.json", "w"))
open("c.csv", "w").write("name,x_s\n" + big + ",1\n")
json.dump({"task_type": big, "execution_time": 1.0, "success": True, "timestamp": "2026-01-01T00:00:00Z"}, open("r.json", "w"))
P
    fails_with 2 "a name of 1048576 bytes" assay import h.json
    fails_with 2 "a name of 1048576 bytes" assay import g.json
    fails_with 2 "a name of 1048576 bytes" assay import p.json
    fails_with 2 "a name of 1048576 bytes" assay import c.csv --by name
    run assay record < r.json
    [ "$status" -le 2 ]
    [[ $output != *"internal error"* ]]
}

@test "a newline in a label starts no line of its own, in whatever command" {
    python3 - <<'P'
import json
for n, v in (("a", 1), ("b", 1.01)):
    json.dump({"results": [{"command": "x\n::error file=x::injected\n\u001b]0;owned\u0007\u202ey", "times": [v, 2 * v, 3 * v, 2 * v, v, 2 * v, v, 3 * v] * 2, "mean": 2}]}, open(n + ".json", "w"))
P
    assay import -q a.json b.json
    printf 'policy: p\nblock: [{slower_than: 5 %%}]\n' > gate.yaml
    sqlite3 .assay/assay.db "UPDATE runs SET tags = '[\"t\\n::error::tag\"]'"
    for c in "gate gate.yaml latest" "gate gate.yaml latest --annotations" "compare latest~1 latest" \
        "regressions latest" "trend" "list" "show" "show --explain" "claims latest" "leaderboard" "show --json" \
        "report --format markdown" "report --format csv" "export --format csv" "baseline set m latest"; do
        assay $c > out 2>&1 || true
        [ -s out ]
        [ "$(grep -c '^::error file=x' out)" = 0 ]
        [ "$(grep -c '^::error::tag' out)" = 0 ]
        [ "$(grep -c "$(printf '\033]')" out)" = 0 ]
        [ "$(grep -c "$(printf '\342\200\256')" out)" = 0 ]
    done
    assay gate gate.yaml latest | grep -qF '\n::error file=x'
}

@test "--reproduce quotes what would give the terminal orders, and a shell reads it back" {
    assay run -q -n 1 -- printf "$(printf 'a\033]0;owned\007b')"
    assay show --reproduce > out
    [ "$(grep -c "$(printf '\033')" out)" = 0 ]
    word=$(tail -1 out)
    [ "$(bash -c "${word/#assay run -q -n 1 --/printf %s}")" = "printf$(printf 'a\033]0;owned\007b')" ]
}

@test "csv: what a spreadsheet would work out is text; numbers stay numbers" {
    python3 - <<'P'
import json
json.dump({"results": [{"command": c, "times": [1, 2], "mean": 2} for c in ("=cmd|calc", "@x", "-2+3", "+1", "plain")]}, open("f.json", "w"))
P
    assay import -q f.json
    for c in "export --format csv" "report --format csv"; do
        assay $c > out
        [ "$(grep -cE '(^|,)"?[=@]' out)" = 0 ]
        [ "$(grep -c ',-2+3' out)" = 0 ]
        grep -qF ",'=cmd|calc," out
        grep -q ',+1,' out
        grep -q ',plain,' out
    done
}

@test "wide characters: the progress line fits its terminal" {
    local label="sleep 0.05 # 日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"
    TERM=xterm script -qec "stty cols 80; '$ASSAY_BIN' run -n 12 -c '$label'" /dev/null > seen < /dev/null
    python3 - <<'P'
import re, unicodedata
text = open("seen", encoding="utf-8", errors="replace").read()
lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", l) for part in text.split("\n") for l in part.split("\r")]
live = [l for l in lines if "trial " in l and "left" in l or "so far" in l]
assert live
widths = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in l) for l in live]
assert max(widths) < 80, max(widths)
P
}

# ---- files ----

@test "reports are written through no link, and leave nothing behind" {
    assay run -q -n 2 -- true
    echo precious > victim
    for i in $(seq $(($$ + 1)) $(($$ + 400))); do ln -s victim "out.html.$i.part"; done
    assay report --out out.html
    [ "$(cat victim)" = precious ]
    [ ! -L out.html ]
    [ "$(find . -name 'out.html.*.part' ! -type l | wc -l)" = 0 ]
}

@test "record --file leaves nothing behind when it is killed, and follows no link" {
    echo precious > victim
    ln -s victim k.json.part
    assay record --file k.json --task t --duration 1 --success true
    [ "$(cat victim)" = precious ]
    [ "$(ls k.json*)" = k.json ]
}

# ---- sizes ----

# At every number one step or another cannot open what it needs.
@test "too few files may be open: the reason, and no abort" {
    for most in 6 7 8 9 10 12 16 24; do
        code=0
        ( ulimit -n "$most"; "$ASSAY_BIN" run -q -n 2 -- true ) > out 2>&1 3>&- || code=$?
        [ "$code" -le 4 ] || { echo "$most: exit $code"; cat out; false; }
        [ "$code" = 0 ] || grep -q '^assay: ' out
        [ "$(grep -c 'internal error' out)" = 0 ]
    done
}

@test "a small stack is enough for what an agent reports" {
    cat > s.yaml <<'Y'
suite: {id: small}
agents: [{id: a, process: {command: 'echo a; echo "{\"cost_usd\": 0.5}" >&$ASSAY_USAGE_FD'}}]
benchmarks: [{id: b, cases: [{input: a, expected: a}], rubric: exact, iterations: {warmup: 0, measured: 1}}]
Y
    ( ulimit -s 64; "$ASSAY_BIN" run -q s.yaml )
    [ "$(sqlite3 .assay/assay.db 'SELECT cost_usd FROM benchmark_executions')" = 0.5 ]
}

@test "show and export of many wrong cases take time in proportion" {
    [ -z "$ASSAY_SAN" ] || skip "a sanitizer takes processor time of its own"
    seq 0 39999 | awk '{printf "{\"id\":\"c%d\",\"input\":\"q %d\",\"expected\":\"other\"}\n",$1,$1}' > d.jsonl
    printf 'suite: {id: big}\nagents: [{id: no, noop: {}}]\nbenchmarks:\n  - {id: b, dataset: {source: d.jsonl}, rubric: exact, iterations: {warmup: 0, measured: 1}}\n' > s.yaml
    assay run -q s.yaml
    # Quadratic it was 22 s and 6 s of processor time.
    ( ulimit -t 8; assay show > text )
    grep -q "c39999\|40000" text
    ( ulimit -t 5; assay export --format csv > rows.csv )
    [ "$(grep -c ',c39999$' rows.csv)" -ge 1 ]
}
