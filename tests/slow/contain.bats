#!/usr/bin/env bats
# Agents that misbehave, from the suite to the store: each is ended, what it broke
# is told under its own name, and nothing of it is left.
load ../helper

q() { sqlite3 -readonly .assay/assay.db "$1"; }

# The number is the mark of every process that an agent leaves behind.
agents() {
    cat > wild.sh <<'END'
case $1 in
hang) sleep 47.1142 ;;
deaf) trap '' TERM INT HUP; setsid sleep 47.1142 & sleep 47.1142 ;;
forks) i=0; while [ $i -lt 40 ]; do sleep 47.1142 & i=$((i + 1)); done; wait ;;
eats) head -c 900000000 /dev/zero | tail ;;
floods) yes ;;
closes) exec >&-; sleep 47.1142 ;;
bytes) printf 'x\377\376' ;;
signal) kill -SEGV $$ ;;
litters)
    for dir in /tmp /var/tmp /dev/shm; do echo x > $dir/assay-wild-47.1142; done
    mount -t tmpfs none /mnt 2> /dev/null
    perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "/tmp/assay-wild-47.1142.sock", Listen => 1)'
    echo a
    ;;
half) read -r l; printf '{"id":1,"out' ;;
order) read -r l; echo '{"id":2,"output":"x"}'; sleep 47.1142 ;;
twice) read -r l; printf '{"id":1,"output":"x"}\n{"id":1,"output":"x"}\n'; sleep 47.1142 ;;
session-hang) read -r l; trap '' TERM; sleep 47.1142 ;;
session-forks) read -r l; i=0; while [ $i -lt 40 ]; do sleep 47.1142 & i=$((i + 1)); done; wait ;;
session-eats) read -r l; head -c 900000000 /dev/zero | tail ;;
session-floods) read -r l; yes | tr -d '\n' ;;
esac
END
}

# suite CONTAIN AGENT...: each is asked once.
suite() {
    local contain=$1 mode id
    shift
    echo "suite: {id: wild, category: reliability}"
    echo "constraints: {time_limit_ms: 1000, memory_limit_mb: 60, output_limit_bytes: 20000, process_limit: 12}"
    echo "agents:"
    for id; do
        mode=oneshot
        case $id in half | order | twice | session-*) mode=session ;; esac
        echo "  - {id: $id, process: {mode: $mode, contain: $contain, command: [sh, $PWD/wild.sh, $id]}}"
    done
    echo "benchmarks: [{id: b, cases: [{input: a, expected: a}], rubric: contains, iterations: {warmup: 0, measured: 1}}]"
}

# told AGENT STATUS TEXT: what the store has of it.
told() {
    local row
    row=$(q "SELECT c.status || ': ' || coalesce(c.error, '') FROM case_results c
        JOIN benchmark_executions e ON e.id = c.execution_id WHERE e.label LIKE '%agent=$1'")
    [[ $row == "$2: "*"$3"* ]] || { echo "# $1: $row"; return 1; }
}

nothing_is_left() {
    [ "$(pgrep -fc 'sleep 47\.1142')" = 0 ]
    [ "$(find /tmp /var/tmp /dev/shm -maxdepth 1 -name 'assay-wild-*' | wc -l)" = 0 ]
    [ "$(sed 's/^[0-9]* //' /proc/self/mountinfo | sort)" = "$(cat mounts)" ]
}

# every_limit_is_told [TEXT]: what is said of those that fork.
every_limit_is_told() {
    local forks=${1:-more processes than the limit of 12}
    told hang timed_out 'longer than the limit of 1 s'
    told deaf timed_out 'longer than the limit of 1 s'
    told forks limit_breached "$forks"
    told eats limit_breached 'more memory than the limit of 60 MB'
    told floods limit_breached 'more output than the limit of 20000 bytes'
    told closes timed_out 'longer than the limit'
    told bytes invalid_output 'not UTF-8 at byte 2'
    told signal failed 'signal 11'
    told half invalid_output 'an incomplete line'
    told order invalid_output 'the reply is to task 2'
    told twice invalid_output 'answered twice'
    told session-hang timed_out 'longer than the limit'
    told session-forks limit_breached "$forks"
    told session-eats limit_breached 'more memory than the limit of 60 MB'
    told session-floods limit_breached 'more output than the limit of 20000 bytes'
}

WILD="hang deaf forks eats floods closes bytes signal half order twice
    session-hang session-forks session-eats session-floods"

@test "contained: every case is told, and nothing is left" {
    agents
    sed 's/^[0-9]* //' /proc/self/mountinfo | sort > mounts
    # shellcheck disable=SC2086 # one word an agent
    suite auto $WILD litters > s.yaml
    assay run s.yaml --quiet --out results || true
    every_limit_is_told
    if grep -rq 'Files that the agent leaves' results; then
        rm -f /tmp/assay-wild-* /var/tmp/assay-wild-* /dev/shm/assay-wild-*
        skip "no namespaces here"
    fi
    told litters ok ''
    nothing_is_left
}

@test "without namespaces: the same is told, no process is left, what is not enforced is said" {
    agents
    sed 's/^[0-9]* //' /proc/self/mountinfo | sort > mounts
    # shellcheck disable=SC2086
    suite off $WILD > s.yaml
    assay run s.yaml --quiet --out results || true
    # Between two looks they may pass both limits; either is true.
    every_limit_is_told 'more '
    nothing_is_left
    grep -rq 'Memory is checked every 20 ms' results
    grep -rq 'Processes are counted every 20 ms' results
    assay show --explain > explained
    grep -q 'Memory is checked every 20 ms' explained
}
