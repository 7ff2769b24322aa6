#!/usr/bin/env bats
# run --concurrency: cases of one agent in flight at once. Whatever is in flight,
# the results are those of one case after the other, but for their times.
load ../helper

q() { sqlite3 -readonly .assay/assay.db "$1"; }

# write_suite COMMAND [KEYS]: 12 cases, one of them answered wrong.
write_suite() {
    cat > s.yaml <<END
suite: {id: waits}
agents: [{id: slow, process: {command: '$1'${2:+, $2}}}]
benchmarks:
  - id: echo
    rubric: exact
    iterations: {warmup: 1, measured: 2}
    cases:
$(for i in a b c d e f g h i j k; do echo "      - {id: case-$i, input: $i, expected: $i}"; done)
      - {id: case-l, input: l, expected: wrong}
END
}

# Everything that a case's result says, but times and order.
results() {
    q "SELECT k.name, c.iteration, c.status, hex(c.output), json_extract(c.detail, '$.score')
       FROM case_results c JOIN cases k ON k.hash = c.case_hash
       JOIN benchmark_executions e ON e.id = c.execution_id
       WHERE c.phase = 'measured' AND e.run_id = (SELECT id FROM runs ORDER BY started_ns DESC LIMIT 1)
       ORDER BY 1, 2"
}

# in_flight: the most measured trials of the newest run that were under way at once.
in_flight() {
    assay show latest --json | jq '
        .cells[0] | [.starts_s, (.metrics[] | select(.name == "duration_s").samples)] |
        transpose | map(select(.[1]) | [.[0], .[0] + .[1]]) as $spans |
        [$spans[] | .[0] as $at | [$spans[] | select(.[0] <= $at and $at < .[1])] | length] |
        max'
}

wall_ms() { q "SELECT (ended_ns - started_ns) / 1000000 FROM runs ORDER BY started_ns DESC LIMIT 1"; }

@test "four at once give the same results in less than half the time" {
    write_suite 'read x; sleep 0.1; echo $x'
    assay run s.yaml --quiet
    results > one
    one_ms=$(wall_ms)
    assay run s.yaml --quiet --concurrency 4
    results > four
    four_ms=$(wall_ms)
    [ "$(wc -l < one)" = 24 ]
    diff one four
    echo "# one after the other $one_ms ms, four at once $four_ms ms" >&2
    [ "$four_ms" -lt $((one_ms / 2)) ]
    n=$(in_flight)
    [ "$n" -gt 1 ]
    [ "$n" -le 4 ]
    [ "$(q "SELECT group_concat(concurrency) FROM (SELECT concurrency FROM benchmark_executions ORDER BY start_ns)")" = "1,4" ]
    [ "$(q "SELECT count(DISTINCT accuracy_score) FROM benchmark_executions")" = 1 ]
    [ "$(q "SELECT group_concat(trials_attempted) FROM benchmark_executions")" = 24,24 ]
}

@test "sessions: each of the agents at once lives through its cases" {
    cat > agent.sh <<'END'
echo $$ >> "$1/pids"
while read -r line; do
    id=${line#*'"id":'}
    input=${line#*'"input":"'}
    sleep 0.02
    echo "{\"id\":${id%%,*},\"output\":\"${input%%'"'*}\"}"
done
END
    write_suite "sh $PWD/agent.sh $PWD" "mode: session, contain: off"
    assay run s.yaml --quiet --concurrency 3
    [ "$(q "SELECT trials_ok FROM benchmark_executions")" = 24 ]
    [ "$(results | grep -c '|ok|.*|1\(\.0\)*$')" = 22 ]
    [ "$(sort -u pids | wc -l)" = 3 ]
    for pid in $(cat pids); do
        [ "$(cat "/proc/$pid/cmdline" 2> /dev/null | grep -c "agent.sh")" = 0 ]
    done
}

@test "times are marked concurrent wherever they are shown" {
    write_suite 'cat'
    run assay run s.yaml --concurrency 2
    [[ $output == *"warning: 2 cases of an agent were in flight at once"* ]]
    run assay show latest
    [[ $output == *"concurrent: 2 cases of the agent were in flight at once"* ]] ||
        [[ $(tr -s ' \n' ' ' <<< "$output") == *"concurrent: 2 cases of the agent were in flight"* ]]
    [[ $output == *"echo, slow (2 at once)"* ]]
    run assay show latest --explain
    [[ $output == *"concurrency"*"2 cases of the agent in flight at once"* ]]
    [ "$(assay show latest --json | jq '.cells[0].concurrency')" = 2 ]
    for kind in markdown html; do
        assay report --format $kind --out r.$kind
        grep -q "concurrent: 2 cases" r.$kind
        grep -q "(2 at once)" r.$kind
    done
    assay run s.yaml --quiet
    assay show latest > plain
    [ "$(grep -c "at once\|concurrent" plain)" = 0 ]
}

@test "compare and regressions do not take different conditions for equal ones" {
    write_suite 'cat'
    assay run s.yaml --quiet
    assay run s.yaml --quiet --concurrency 2
    run assay compare latest~1 latest
    [[ $(tr -s ' \n' ' ' <<< "$output") == *"different conditions: A had 1 of the agent's cases in flight at once, B 2"* ]]
    run assay compare latest~1 latest --json
    [[ $output == *"different conditions"* ]]
    assay run s.yaml --quiet --concurrency 2
    run assay compare latest~1 latest
    [[ $output != *"different conditions"* ]]
}

@test "--cache takes over what was asked in the same way" {
    write_suite 'cat'
    assay run s.yaml --quiet
    taken() { q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%not measured again%'"; }
    assay run s.yaml --quiet --cache --concurrency 2
    [ "$(taken)" = 0 ]
    assay run s.yaml --quiet --cache --concurrency 2
    [ "$(taken)" = 1 ]
}

@test "only cases of a suite can be in flight at once" {
    echo '{experiment: noop, iterations: {measured: 3}}' > n.yaml
    fails_with 2 "--jobs" assay run n.yaml --concurrency 2
    write_suite 'cat'
    fails_with 2 "must be 1 to 64" assay run s.yaml --concurrency 65
    fails_with 2 "must be 1 to 64 (is 0)" assay run s.yaml --concurrency 0
    fails_with 2 "watches one trial at a time" assay run s.yaml --concurrency 2 --instrument resources
    assay run s.yaml --concurrency 2 --instrument rusage --quiet
    [ "$(q "SELECT memory_peak_mb > 0 FROM benchmark_executions")" = 1 ]
    sed 's|rubric: exact|rubric: exact\n    environment: {workdir: /tmp}|' s.yaml > w.yaml
    fails_with 2 "workdir" assay run w.yaml --concurrency 2
}

@test "the plan says how many are in flight, and that each is warmed up" {
    write_suite 'cat'
    run assay run s.yaml --dry-run --concurrency 4
    [[ $output == *"trials: 4 warm-up, 24 measured"* && $output == *"4 in flight at once"* ]]
    [ "$(assay run s.yaml --dry-run --json --concurrency 4 | jq '.cells[0].concurrency')" = 4 ]
    [ "$(assay run s.yaml --dry-run --json --concurrency 50 | jq '.cells[0].concurrency')" = 24 ]
}

@test "an agent that hangs, dies or fails in one lane is one failed case" {
    write_suite 'read x; case $x in c) sleep 60 ;; e) kill -9 $$ ;; g) exit 7 ;; esac; echo $x'
    sed -i 's|rubric: exact|rubric: exact\n    constraints: {time_limit_ms: 400}\n    stop_early: {failures_in_a_row: 0}|' s.yaml
    assay run s.yaml --quiet --concurrency 4
    [ "$(q "SELECT trials_attempted, trials_ok, trials_timed_out, trials_failed + trials_agent_error FROM benchmark_executions")" = "24|18|2|4" ]
    [ "$(results | grep -c '|ok|')" = 18 ]
    results > four
    assay run s.yaml --quiet
    results > one
    diff one four
}

@test "a lane that is killed loses one case, and the rest is done" {
    write_suite 'read x; sleep 0.1; echo $x'
    "$ASSAY_BIN" run s.yaml --json --concurrency 3 > lines &
    pid=$!
    for _ in $(seq 200); do grep -q '"iteration"' lines && break; sleep 0.02; done
    # parent, nursery, runner, lanes
    nursery=$(pgrep -P $pid | head -1)
    runner=$(pgrep -P "$nursery" | head -1)
    lane=$(pgrep -P "$runner" | tail -1)
    kill -9 "$lane"
    wait $pid || true # a harness error
    [ "$(q "SELECT trials_attempted, trials_attempted - trials_ok < 2 FROM benchmark_executions")" = "24|1" ]
    [ "$(results | cut -d'|' -f1,2 | sort -u | wc -l)" = 24 ]
}

@test "killed and resumed: every case once, and nothing is left behind" {
    write_suite 'read x; sleep 0.0712304; echo $x'
    sed -i "s|rubric: exact|rubric: exact\n    environment: {setup: 'echo up >> $PWD/log', cleanup: 'echo down >> $PWD/log'}|" s.yaml
    TMPDIR=$PWD/tmp
    mkdir "$TMPDIR"
    export TMPDIR
    for signal in KILL INT; do
        rm -rf .assay log
        "$ASSAY_BIN" run s.yaml --json --concurrency 4 > lines 2> words &
        pid=$!
        for _ in $(seq 200); do [ "$(grep -c '"iteration"' lines)" -ge 5 ] && break; sleep 0.02; done
        kill -$signal $pid
        wait $pid 2> /dev/null || true
        for _ in $(seq 100); do [ "$(grep -c down log)" = 4 ] && break; sleep 0.05; done
        [ "$(grep -c up log)" = 4 ]
        [ "$(grep -c down log)" = 4 ]
        for _ in $(seq 60); do pgrep -f 'sleep 0.0712304' > /dev/null || break; sleep 0.05; done
        [ "$(pgrep -fc 'sleep 0.0712304')" = 0 ]
        fails_with 2 "has changed" assay run s.yaml --resume "$(q 'SELECT id FROM runs')"
        assay run s.yaml --quiet --concurrency 4 --resume
        [ "$(q "SELECT count(*), sum(trials_attempted), sum(trials_ok) FROM benchmark_executions")" = "1|24|24" ]
        [ "$(results | cut -d'|' -f1,2 | sort -u | wc -l)" = 24 ]
        [ "$(grep -c up log)" = "$(grep -c down log)" ]
    done
    [ -z "$(ls -A "$TMPDIR")" ]
}

@test "an interrupt lets go of lanes whose rings are full" {
    cat > b.yaml <<'END'
suite: {id: big}
agents: [{id: loud, process: {command: 'read x; [ $x = slow ] && sleep 20; head -c 250000 /dev/zero | tr "\0" x'}}]
benchmarks:
  - id: loud
    rubric: {max_length: {chars: 1000000}}
    iterations: {warmup: 0, measured: 40}
    cases: [{id: s, input: slow}, {id: a, input: a}]
END
    "$ASSAY_BIN" run b.yaml --json --concurrency 3 > lines 2> words &
    pid=$!
    # by then both others have more answers than their rings hold
    sleep 1.5
    since=$SECONDS
    kill -INT $pid
    wait $pid || true
    within 3 "$since"
    [ "$(q "SELECT status FROM benchmark_executions")" = partial ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%teardown%'")" = 0 ]
    grep -q -- "--concurrency 3 --resume" words
}

@test "two agents take turns, pass by pass, and never overlap" {
    write_suite 'read x; sleep 0.02; echo $x'
    sed -i 's|^agents:.*|agents: [{id: p, process: {command: "read x; sleep 0.02; echo $x"}}, {id: q, process: {command: "read x; sleep 0.02; echo $x"}}]|' s.yaml
    assay run s.yaml --quiet --concurrency 4
    # [start, end, agent] of all trials; two passes of two agents make three or four turns
    assay show latest --json | jq -e '
        [.cells | to_entries[] | .key as $agent | .value |
            [.starts_s, (.metrics[] | select(.name == "duration_s").samples)] | transpose[] |
            [.[0], .[0] + .[1], $agent]] | sort as $all |
        ($all | length == 48) and
        ([range(1; 48) | select($all[.][2] != $all[. - 1][2])] | length | . == 2 or . == 3) and
        all(range(1; 48); $all[.][2] == $all[. - 1][2] or $all[.][0] >= $all[. - 1][1]) and
        all($all[] as $a | $all[] | [$a, .];
            .[0][2] == .[1][2] or .[0][1] <= .[1][0] or .[1][1] <= .[0][0])'
}

@test "conversations and a model server are asked at once" {
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 --ttft-ms 120 --quiet > stub.out 2>&1 &
    stub=$!
    for _ in $(seq 100); do grep -qo '127.0.0.1:[0-9]*' stub.out && break; sleep 0.05; done
    url=http://$(grep -o '127.0.0.1:[0-9]*' stub.out | head -1)/v1
    cat > m.yaml <<END
suite: {id: talks}
agents: [{id: model, openai: {url: $url, model: stub}}]
benchmarks:
  - id: talk
    iterations: {warmup: 1, measured: 2}
    rubric: {max_length: {chars: 100000}}
    cases:
$(for i in 1 2 3 4; do echo "      - {id: t$i, turns: [{input: hello $i}, {input: and again}]}"; done)
END
    assay run m.yaml --quiet
    one_ms=$(wall_ms)
    assay run m.yaml --quiet --concurrency 4
    four_ms=$(wall_ms)
    kill $stub
    [ "$(q "SELECT group_concat(trials_ok) FROM benchmark_executions")" = 8,8 ]
    echo "# one after the other $one_ms ms, four at once $four_ms ms" >&2
    [ "$four_ms" -lt $((one_ms * 2 / 3)) ]
}

@test "until: max_seconds leaves agents with as many trials each" {
    cat > s.yaml <<'END'
suite: {id: even, name: Even, category: speed, version: "1"}
agents:
  - {id: a, version: "1", process: {command: [sleep, "0.02"]}}
  - {id: b, version: "1", process: {command: [sleep, "0.02"]}}
benchmarks:
  - id: b
    cases: [{input: "1"}, {input: "2"}, {input: "3"}, {input: "4"}, {input: "5"}, {input: "6"}, {input: "7"}]
    iterations: {warmup: 0}
    until: {max_seconds: 0.3, max_iterations: 1000}
END
    for _ in 1 2 3 4; do
        assay run s.yaml --concurrency 2 --json > stream 2> err
        jq -r 'select(.event=="cell_finished").attempted' stream > n
        [ "$(wc -l < n)" = 2 ]
        [ "$(sort -u n | wc -l)" = 1 ]
        [ "$(head -1 n)" -lt 100 ]
    done
}
