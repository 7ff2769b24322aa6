#!/usr/bin/env bats
# The exit code of `run` speaks of trials: --allow-failures.
load ../helper

# A command of which two of three trials fail, never three in a row.
two_of_three() {
    cat > two3.sh <<'END'
#!/bin/sh
n=$(cat count 2> /dev/null || echo 0)
echo $((n + 1)) > count
[ $((n % 3)) = 2 ] || exit 7
END
    chmod +x two3.sh
}

@test "two failed trials of three are not a success" {
    two_of_three
    run assay run -n 30 -c ./two3.sh -c true
    [ "$status" = 1 ]
    [[ $output == *"[1/2] ./two3.sh: 10 of 30 trials ok"* ]]
    [[ $output == *", 40 of 60 trials ok in "* ]]
    [[ $output == *"assay: ./two3.sh: 20 of 30 trials failed, and 0 are allowed"* ]]
    [[ $output != *success* ]]
    [ "$(assay list --json | jq -r '.runs[0].status')" = success ]
    for format in text markdown html; do
        [[ $(assay report --format $format) == *"40 of 60 trials ok"* ]]
    done
}

@test "--allow-failures is a number or a share of each cell's trials" {
    two_of_three
    rm -f count && assay run -q -n 30 -c ./two3.sh -c true --allow-failures 20
    rm -f count && assay run -q -n 30 -c ./two3.sh -c true --allow-failures 67%
    rm -f count && assay run -q -n 30 -c ./two3.sh -c true --allow-failures '67 %'
    rm -f count
    fails_with 1 "20 of 30 trials failed, and 19 are allowed" \
        assay run -q -n 30 -c ./two3.sh --allow-failures 19
    rm -f count # a third of all trials is 40 %, but two thirds of this cell's
    fails_with 1 "20 of 30 trials failed, and 40 % are allowed" \
        assay run -q -n 30 -c ./two3.sh -c true --allow-failures 40%
    for wrong in -1 1.5 101% x '' %; do
        fails_with 2 "takes a number of trials or a share" \
            assay run -q -n 1 -c true --allow-failures="$wrong"
    done
    rm -f count && assay run -q -n 30 -c ./two3.sh --ignore-failure
}

@test "several cells with failures: one sentence, which counts the others" {
    status=0
    assay run -q -n 2 -L code 1,2,3 -c 'test -e {code} || { touch {code}; exit {code}; }' 2> said || status=$?
    [ "$status" = 1 ]
    [ "$(wc -l < said)" = 1 ]
    [[ $(cat said) == *"1 of 2 trials failed, and 0 are allowed; 2 other cells have too many as well"* ]]
}

@test "failures of an agent lower its scores; harness errors end in exit 1" {
    cat > s.yaml <<'END'
suite: {id: s}
agents: [{id: flaky, process: {command: 'read q; test "$q" = b || exit 1; echo b'}}]
benchmarks:
  - {id: b, iterations: {warmup: 0, measured: 1},
     cases: [{input: a, expected: a}, {input: b, expected: b}]}
END
    assay run -q s.yaml
    fails_with 1 "b: 1 of 2 trials failed, and 0 are allowed" \
        assay run -q s.yaml --allow-failures 0
    sed -i "s/cases:/rubric: {check: command, command: 'exit 1'},\n     cases:/" s.yaml
    fails_with 1 "b: 1 of 2 trials were harness errors, and 0 are allowed" \
        assay run -q s.yaml
    assay run -q s.yaml --allow-failures 2
    assay run -q s.yaml --allow-failures 100%
}

@test "a resumed run answers for the trials of all its parts" {
    echo '{experiment: command, params: {command: "test -e go || { touch go; exit 1; }; sleep 0.02"},
        iterations: {measured: 40}}' > s.yaml
    "$ASSAY_BIN" run s.yaml --json > stream 2> /dev/null &
    pid=$!
    until grep -q '"trial":2' stream; do sleep 0.01; done
    kill -9 $pid
    wait $pid || true
    fails_with 1 "1 of 40 trials failed" assay run -q s.yaml --resume
}

# segments CELL: of its measured trials, as the store has them.
segments() { assay report --format json | jq -c ".cells[$1].segment_of"; }

@test "an arm that fails three times in a row is stopped, and no other" {
    run assay run -n 6 -c false -c true -c 'exit 0'
    [ "$status" = 1 ]
    [[ $output == *"[2/3] true: 6 of 6 trials ok"* && $output == *"[3/3] exit 0: 6 of 6 trials ok"* ]]
    [ "$(grep -c '! stopped after 3 failures in a row' <<< "$output")" = 1 ]
    [ "$(grep -c '! from trial 3 on without false, which was stopped' <<< "$output")" = 2 ]
    [[ $(tr -s '\n ' ' ' <<< "$output") == *"true against false: nothing to compare (0 pairs); unpaired from trial 3 on, where false was stopped"* ]]
    [ "$(segments 0)" = "[0,0,0]" ]
    [ "$(segments 1)" = "[0,0,0,1,1,1]" ]
    [ "$(segments 2)" = "[0,0,0,1,1,1]" ]
}

@test "each arm that is stopped begins a segment of the others" {
    run assay run -n 6 -c false -c 'echo >> n; test $(wc -l < n) -lt 3' -c true
    [ "$status" = 1 ]
    [ "$(segments 0) $(segments 1)" = "[0,0,0] [0,0,0,1,1]" ]
    [ "$(segments 2)" = "[0,0,0,1,1,2]" ]
    [ "$(grep -c '! from trial [35] on without' <<< "$output")" = 3 ]
    run assay run -n 6 -c false -c 'exit 1'
    [ "$status" = 1 ]
    [[ $output != *"on without"* ]]
}

@test "until goes on for those that were not stopped" {
    run timeout 60 "$ASSAY_BIN" run -c false -c true -c 'exit 0' \
        --until '{relative_ci: 0.0001, max_iterations: 25}'
    [ "$status" = 1 ]
    [[ $output == *"[2/3] true: 25 of 25 trials ok"* && $output == *"[3/3] exit 0: 25 of 25 trials ok"* ]]
}

@test "an agent that stop_early ends does not cut the others short, nor rank" {
    cat > s.yaml <<'END'
suite: {id: s}
agents: [{id: bad, process: {command: 'read q; echo $q; test $q != b'}}, {id: cat, process: {command: [cat]}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 4}, stop_early: {failures_in_a_row: 3},
     cases: [{input: b, expected: b}, {input: b, expected: b, id: again}]}
END
    for lanes in 1 2; do
        run assay run s.yaml --concurrency $lanes
        [ "$status" = 0 ]
        [[ $output == *"b, agent=cat: 8 of 8 trials ok"* ]]
        [[ $output == *"left out: bad: run on some of the cases only"* ]]
        run assay show latest
        [[ $output == *"! from trial "*" on without b, agent=bad, which was stopped"* ]]
        [ "$(sqlite3 .assay/assay.db "SELECT group_concat(coalesce(unranked, '-')) FROM
            (SELECT * FROM benchmark_executions ORDER BY run_id DESC, cell_index LIMIT 2)")" = "subset,-" ]
    done
    sed -i 's/failures_in_a_row: 3/breach: true/; s/cases:/constraints: {time_limit_ms: 300}, cases:/' s.yaml
    sed -i "s/read q; echo .*test .q != b/sleep 5/" s.yaml
    run assay run s.yaml
    [ "$status" = 0 ]
    [[ $output == *"b, agent=cat: 8 of 8 trials ok"* ]]
    run assay show latest
    [[ $output == *"stopped after a limit was breached"* ]]
    [[ $output == *"from trial 1 on without b, agent=bad"* ]]
}

# Right in the first 14 of 20 cases; `cheat` then breaks a limit, and stop_early ends it.
stoppable() {
    cat > agent.sh <<'SH'
read -r q
[ "${q#q}" -gt 14 ] || { echo ok; exit 0; }
[ "$1" = honest ] && { echo wrong; exit 0; }
head -c 5000 /dev/zero | tr '\0' x
SH
    cat > s.yaml <<YAML
suite: {id: s}
agents: [{id: $1, version: "1", process: {command: [sh, $PWD/agent.sh, $1]}}]
benchmarks:
  - {id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, stop_early: {breach: true, failures_in_a_row: 0},
     weights: {accuracy: 1}, constraints: {output_limit_bytes: 1000},
     cases: [$(printf '{input: q%s, expected: ok},' {1..20})]}
YAML
}

@test "cases that a run was stopped before count against --fail-under, and are said" {
    stoppable honest
    fails_with 1 "overall score 0.700 is below 0.75" assay run s.yaml --fail-under 0.75
    [[ $output != *" of 20 cases)"* ]]
    assay run -q s.yaml --fail-under 0.7
    stoppable cheat
    run assay run s.yaml --fail-under 0.75
    tried=$(assay report latest --format json | jq '[.. | objects | select(has("untried"))][0].cases')
    [ "$tried" -lt 20 ]
    [[ $output == *"cheat is run on some of the cases only ($tried of 20)"* ]]
    [[ $(assay show latest) == *"b, cheat 1 ($tried of 20 cases)"* ]]
    [ "$status" = 4 ]
    [[ $output == *"which includes 0.75: $((20 - tried)) of 20 cases were not judged, as it was stopped before its end"* ]]
    # Right in every case that is left, it would still not reach 1.
    fails_with 1 "is below 1" assay run s.yaml --fail-under 1
    # And wrong in each it would still reach this.
    assay run -q s.yaml --fail-under 0.01
}

@test "of two specs the one that is known to fail decides, in either order" {
    stoppable cheat && mv s.yaml open.yaml
    sed -e 's/cheat/honest/g' open.yaml > below.yaml
    fails_with 4 "which includes 0.75" assay run -q open.yaml --fail-under 0.75
    fails_with 1 "is below 0.75" assay run -q below.yaml --fail-under 0.75
    fails_with 1 "which includes 0.75" assay run -q below.yaml open.yaml --fail-under 0.75
    fails_with 1 "is below 0.75" assay run -q open.yaml below.yaml --fail-under 0.75
    echo '{experiment: noop, nope: 1}' > wrong.yaml
    fails_with 2 "nope" assay run -q below.yaml wrong.yaml --fail-under 0.75
    fails_with 2 "is below 0.75" assay run -q wrong.yaml below.yaml --fail-under 0.75
}
