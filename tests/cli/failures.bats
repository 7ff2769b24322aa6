#!/usr/bin/env bats
# What goes wrong gets one clear message and the right exit code, and what was
# finished before is kept.
load ../helper

stored() { assay list --json | jq -r '.runs | length'; }

@test "a missing command is found before the first trial: exit 3, with the name" {
    run assay run -n 3 -- no-such-command-at-all
    [ "$status" = 3 ]
    [[ $output == *"command 'no-such-command-at-all' not found on PATH"* ]]
    run assay run -n 3 -c 'no-such-command-at-all'
    [ "$status" = 3 ]
    [[ $output == *"command 'no-such-command-at-all' not found"*"full path"* ]]
    [[ $output == *"0 of 0 ok"* ]]
}

@test "a missing command within a text: 127, and the shell's own words" {
    # A folder of PATH that may not be looked into would make it 126.
    PATH=/usr/bin:/bin run assay run -n 2 -c 'true; no-such-command-at-all'
    [ "$status" = 1 ]
    [[ $output == *"127"* && $output == *"not found"* ]]
}

@test "setup may make the command, and so may prepare" {
    echo '#!/bin/sh' > template
    assay run -q -n 1 --setup 'cp template made && chmod +x made' -- ./made
    rm made
    assay run -q -n 1 --prepare 'cp template made && chmod +x made' -c ./made
}

@test "one of two commands cannot be started: the other is measured, exit 1" {
    assay run -n 2 --json -c 'no-such-command-at-all' -c true > stream || code=$?
    [ "$code" = 1 ]
    [ "$(jq -r 'select(.event=="cell_finished").status' stream | tr '\n' ' ')" = "failed success " ]
}

@test "an agent that cannot be started is charged with nothing: exit 3, or 1 beside others" {
    printf '#!/no/such/interpreter\n' > orphan
    echo 'no library' > plugin.so
    chmod +x orphan
    for agent in 'process: {command: [./orphan]}' 'process: {command: [./orphan], mode: session}' \
        'process: {command: no-such-agent}' 'process: {command: [no-such-agent], mode: session}' \
        'plugin: {library: ./plugin.so}' 'replay: {answers: none.jsonl}' \
        'http: {url: "http://127.0.0.1:9/", retry: {max: 0}}' \
        'openai: {url: "http://127.0.0.1:9/v1", model: m, retry: {max: 0}}'; do
        rm -rf .assay
        printf 'suite: {id: s}\nagents: [{id: bad, %s}]\nbenchmarks: [{id: b, cases: [{input: x, expected: x}]}]\n' "$agent" > s.yaml
        run assay run -q s.yaml
        echo "$agent: $status: $output"
        [ "$status" = 3 ]
        [[ $output == *"agent 'bad'"* ]]
        [ "$(sqlite3 .assay/assay.db 'SELECT status || trials_attempted FROM benchmark_executions')" = failed0 ]
        sed -i 's/^agents: \[/&{id: good, process: {command: [cat]}}, /' s.yaml
        run assay run -q s.yaml
        [ "$status" = 1 ]
        [ "$(assay leaderboard --json | jq -c '.rows | map([.agent_name, .overall_rank])')" = '[["good",1],["bad",null]]' ]
    done
}

@test "a judge that cannot be started is found before the first trial: exit 3, the agent is not asked" {
    for judge in 'process: {command: no-such-judge}' 'openai: {url: "http://127.0.0.1:9/v1", model: m, retry: {max: 0}}'; do
        rm -rf .assay
        printf 'suite: {id: s}\nagents: [{id: good, process: {command: [cat]}}]\njudges: [{id: j, %s}]\nbenchmarks: [{id: b, cases: [{input: x, expected: x}, {input: y, rubric: {check: judge, agent: j}}]}]\n' "$judge" > s.yaml
        run assay run -q s.yaml
        [ "$status" = 3 ]
        [[ $output == *"for the rubric: agent 'j'"* ]]
        [ "$(sqlite3 .assay/assay.db 'SELECT status || trials_attempted FROM benchmark_executions')" = failed0 ]
    done
    # asked only where a rubric names it
    sed -i 's/, {input: y, rubric: [^}]*}}//' s.yaml
    assay run -q s.yaml
}

@test "a failing set-up: its own words; the other cells are carried out" {
    echo '{experiment: command, params: {command: "true", setup: "echo no good >&2; exit 4"}}' > a.yaml
    run assay run a.yaml
    [ "$status" = 1 ]
    [[ $output == *"no good"* ]]
    echo '{experiments: [{experiment: command, params: {command: [no-such-command]}},
                         {experiment: command, params: {command: ["true"]}, iterations: {measured: 2}}]}' > b.yaml
    assay run b.yaml --json > stream || code=$?
    [ "$code" = 1 ]
    [ "$(jq -r 'select(.event=="cell_finished").status' stream | tr '\n' ' ')" = "failed success " ]
    [ "$(jq -r 'select(.event=="iteration").status' stream | tr '\n' ' ')" = "ok ok " ]
}

@test "failing trials: kept apart from latencies, counted, three in a row end the cell" {
    assay run -n 10 --json -c 'exit 3' > stream || code=$?
    [ "$code" = 1 ]
    [ "$(jq -r 'select(.event=="iteration").status' stream | tr '\n' ' ')" = "failed failed failed " ]
    [ "$(jq -r 'select(.event=="iteration").metrics | length' stream | sort -u)" = 0 ]
    [ "$(jq -r 'select(.event=="cell_finished") | "\(.attempted) \(.ok) \(.failed)"' stream)" = "3 0 3" ]
    [[ $(jq -r 'select(.event=="cell_finished").error' stream) == *"exit code 3"* ]]
}

@test "one failing trial among good ones fails the exit code, not the cell" {
    assay run -n 6 --json -c 'test -e done || { touch done; exit 1; }' > stream || code=$?
    [ "$code" = 1 ]
    [ "$(jq -r 'select(.event=="cell_finished") | "\(.status) \(.ok) \(.failed)"' stream)" = "success 5 1" ]
}

@test "--ignore-failure: a non-zero exit is a result" {
    assay run -n 3 -i --json -c 'exit 3' > stream
    [ "$(jq -r 'select(.event=="iteration").metrics.exit_code' stream | sort -u)" = 3 ]
}

@test "a failing teardown is said, and the samples are kept" {
    echo '{experiment: command, params: {command: "true", cleanup: "exit 9"}, iterations: {measured: 3}}' > a.yaml
    run assay run a.yaml
    [[ $output == *"3 of 3 ok"* || $output == *"3 of 3 trials ok"* ]]
    [[ $output == *"9"* ]]
    run assay show --explain
    [[ $output == *"teardown failed"* ]]
}

@test "a trial over its time limit is ended and counted as that" {
    assay run -n 3 --time-limit 0.05 --json -c 'sleep 5.1937' > stream || true
    [ "$(jq -r 'select(.event=="iteration").status' stream | sort -u)" = timed_out ]
    run pgrep -f 'sleep 5.1937$'
    [ "$status" = 1 ]
}

@test "a hang inside the program is ended by the runner" {
    echo '{experiment: spin, params: {work_us: 3000000}, time_limit_ms: 60, iterations: {measured: 2}}' > a.yaml
    assay run a.yaml --json > stream || true
    [ "$(jq -r 'select(.event=="iteration").status' stream | sort -u)" = timed_out ]
}

@test "a read-only folder: exit 1 and which one" {
    mkdir locked && chmod 555 locked
    ! as_nobody test -w locked || skip "no way to give up root"
    run as_nobody "$ASSAY_BIN" run --store "$PWD/locked/x/assay.db" -n 1 -- true
    [ "$status" = 1 ]
    [[ $output == *locked* && $output == *"ermission denied"* ]]
}

@test "a full disk: what was announced is kept, exit 1" {
    ASSAY_FAULT=commit:6:ENOSPC run assay run -n 8 --json -- sleep 0.002
    [ "$status" = 1 ]
    [[ $output == *"disk full"* || $output == *"No space left"* ]]
    announced=$(grep -c '"event":"iteration"' <<< "$output")
    [ "$announced" -ge 2 ] # more where the program was late: it stores what is there
    assay run -n 8 --json --resume -- sleep 0.002 > rest
    [ "$(grep -c '"event":"iteration"' rest)" = $((8 - announced)) ]
}

@test "a store locked by another writer: said, exit 1" {
    assay run --quiet -n 1 -- true
    sqlite3 .assay/assay.db 'BEGIN IMMEDIATE; SELECT 1;' '.shell sleep 8' 'ROLLBACK;' > /dev/null &
    holder=$!
    sleep 0.3
    run assay run -n 1 -- true
    kill $holder 2> /dev/null || true
    [ "$status" = 1 ]
    [[ $output == *locked* || $output == *busy* ]]
}

@test "a damaged store: said, exit 1 or 2, nothing altered" {
    mkdir .assay
    head -c 20000 /dev/zero | tr '\0' 'x' > .assay/assay.db
    before=$(sha256sum < .assay/assay.db)
    run assay run -n 1 -- true
    [ "$status" = 2 ] || [ "$status" = 1 ]
    [[ $output == *assay.db* ]]
    [ "$(sha256sum < .assay/assay.db)" = "$before" ]
}

@test "PostgreSQL is said to come later: exit 3" {
    run assay run --store postgresql://localhost/x -n 1 -- true
    [ "$status" = 3 ]
}

@test "numbers out of range on the command line are refused, without a place in no file" {
    for bad in "-n -1" "-w -1" "-j 0" "-j -2" "--seed -1" "--time-limit -1" "-n 0" "--fail-under 2"; do
        # shellcheck disable=SC2086
        run assay run $bad -- true
        [ "$status" = 2 ]
        [[ $output == assay*"must be at"* && $output != *":0:"* && $output != *"(command line):"* ]]
    done
    run assay run --until '{relative_ci: -1}' -- true
    [ "$status" = 2 ]
    [[ $output == "assay: --until: 'relative_ci' must be at least 1e-06 (is -1)" ]]
    [ ! -e .assay ]
}

@test "the command that is measured is the one that was typed" {
    assay run -n 1 --output capture -L x 007,1.50,1e3,2 --quiet --out o -- echo 'a  b' '' {x}
    [ "$(cat .assay/../o/*/*.json | grep -o "'' [0-9][^\"]*" | sort -u | tr '\n' ' ')" = "'' 007 '' 1.50 '' 1e3 '' 2 " ]
    assay show | grep -F "echo 'a  b' '' 007"
    run assay run -n 1 -- ls "$(printf 'x\377')"
    [ "$status" = 2 ]
    [[ $output == *"argument 6 is not UTF-8"* ]]
}

@test "--fail-under without scores fails, instead of passing whatever was run" {
    run assay run -n 1 --fail-under 0.5 -- true
    [ "$status" = 2 ]
    [[ $output == *"--fail-under is for suites"* ]]
}

@test "one failure is told once" {
    run assay run -n 2 -- false
    [ "$status" = 1 ]
    [ "$(assay show | grep -c 'exit code 1')" = 1 ]
}

@test "names that are not there, and arguments too many, are said" {
    printf 'suite: {id: s}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: b, cases: [{input: x, expected: x}], iterations: {warmup: 0, measured: 1}}]\n' > s.yaml
    assay run s.yaml --quiet
    fails_with 2 "no agent 'dog' in the store" assay cost --agent dog
    fails_with 2 "no agent 'dog' in the store" assay profile --agent dog
    fails_with 2 "must be one of overall, speed" assay leaderboard --category sped
    fails_with 2 "takes one run, got 2" assay cost latest latest
    fails_with 2 "takes no argument" assay migrate x
}

@test "a report that could not be written is refused before the run, not after it" {
    fails_with 2 "the ending must say the kind" assay run -n 1 --report x.pdf -- true
    [ ! -e .assay ]
}

@test "a -L name that no command has in it is a mistake, not two equal cells" {
    fails_with 2 "-L 'thread': no command has {thread} in it" assay run -L thread 1,2 -- echo '{threads}'
    fails_with 2 "a name has letters" assay run -L a.b 1,2 -- echo '{a.b}'
    fails_with 2 "a name has letters" assay run -L '' 1,2 -- echo '{}'
    assay run -n 1 --quiet -L f 1,2 --prepare 'echo {f} > x' -- cat x
    grep -q '^[12]$' x
}

@test "an option that would be ignored is refused" {
    echo '{experiment: noop}' > s.yaml
    for option in "--prepare true" "-L x 1,2" "--input f" "-i" "--save-spec f"; do
        # shellcheck disable=SC2086
        fails_with 2 "goes with a command" assay run s.yaml $option
    done
    for option in "--agent x" "--cache" "--stub" "--fail-under 0.5"; do
        # shellcheck disable=SC2086
        fails_with 2 "is for suites; 's.yaml' is not one" assay run s.yaml $option
    done
    [ ! -e .assay ]
}

@test "results that cannot be written are told before the first trial" {
    touch file
    for where in '--out file/x' '--report file/x.html' '--report no/such/x.html' '--report x.odt'; do
        # shellcheck disable=SC2086 # an option and its value
        run assay run -n 1 $where -- touch ran
        [ "$status" != 0 ]
        [[ $output == "assay: "*"x"* && $output != *$'\n'* ]]
        [ ! -e ran ]
    done
    run assay list
    [[ $output == *"no store"* ]]
}

@test "a store that is full at the end of a cell: said at once" {
    begin=$SECONDS
    ASSAY_FAULT=fold:1:ENOSPC fails_with 1 "disk full" assay run -n 3 -- true
    within 3 "$begin"
}

@test "assay's own process is killed: no fault of the agent, unless it may have done it" {
    for way in auto off; do
        rm -rf .assay up
        cat > s.yaml <<Y
suite: {id: s}
agents: [{id: a, process: {contain: $way, workdir: ., command: 'read x; if [ \$x = 2 ]; then : > up; sleep 60; fi; echo \$x'}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: 1, expected: 1}, {id: b, input: 2, expected: 2}, {id: c, input: 3, expected: 3}]}
Y
        "$ASSAY_BIN" run -q s.yaml > out 2>&1 3>&- &
        parent=$!
        for _ in $(seq 1200); do [ -e up ] || sleep 0.05; done
        arm=$(pgrep -P "$(pgrep -P "$(pgrep -P $parent -o)" -o)" -o)
        kill -9 "$arm"
        wait $parent || true
        results=$(sqlite3 -readonly .assay/assay.db "SELECT group_concat(status) FROM (SELECT status FROM case_results ORDER BY status)")
        [ "$results" = "$([ $way = auto ] && echo harness_error,ok,ok || echo failed,ok,ok)" ]
        [ "$(sqlite3 -readonly .assay/assay.db "SELECT accuracy_score = 1 FROM benchmark_executions")" = $([ $way = auto ] && echo 1 || echo 0) ]
    done
}

@test "the process that starts the others is killed: the run ends, what is done is kept" {
    timeout -k 1 20 "$ASSAY_BIN" run -n 400 --json -- sleep 0.02 > stream 2> err &
    pid=$!
    until grep -q '"iteration"' stream; do sleep 0.02; done
    parent=$(pgrep -P $pid)
    kill -9 "$(pgrep -P "$parent" -o)"
    wait $pid || code=$?
    [ "$code" = 1 ]
    grep -q "the runner ended unexpectedly" err
    [ "$(jq -r 'select(.event=="iteration").trial' stream | wc -l)" -ge 1 ]
}

@test "a set-up that is interrupted has not failed" {
    echo '{experiment: command, params: {command: ["true"], setup: "touch up; sleep 20"}}' > a.yaml
    "$ASSAY_BIN" run a.yaml --json > stream 2> err &
    pid=$!
    until [ -e up ]; do sleep 0.02; done
    kill -INT $pid
    wait $pid || true
    [ "$(jq -r 'select(.event=="cell_finished").status' stream)" = partial ]
}

@test "a store that cannot be read is an error: no other baseline is chosen, no answer is changed" {
    for v in 1 2 3; do
        cat > s.yaml <<END
suite: {id: s}
agents: [{id: bot, version: "$v", process: {command: 'read n; [ \$n -gt $((3 * v)) ] && echo \$n || echo no'}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{input: '1', expected: '1'}, {input: '7', expected: '7'}, {input: '9', expected: '9'}]}
  - {id: c$((v / 3)), rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{input: '20', expected: '20'}]}
END
        assay run -q s.yaml > /dev/null
        if [ $v = 2 ]; then assay run -q --rescore latest s.yaml > /dev/null; fi
    done
    for command in "regressions --no-keep" trend; do
        # shellcheck disable=SC2086 # words
        want=$(assay $command --json) || true
        for n in $(seq 500); do
            # shellcheck disable=SC2086 # words
            got=$(ASSAY_FAULT=query:$n:EIO assay $command --json 2> said) || true
            grep -q "Input/output error" said && continue
            [ "$got" = "$want" ] || { echo "# $command: read $n failed unnoticed" >&2; return 1; }
            break
        done
        [ "$n" -gt 20 ]
        [ "$n" -lt 500 ]
    done
}
