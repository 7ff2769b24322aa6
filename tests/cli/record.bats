#!/usr/bin/env bats
# record: executions from outside, and what was asked of them.
load ../helper

record() { assay record --quiet --task page "$@"; }

three_versions() {
    for i in 1 2 3 4 5 6 7 8; do
        echo '{"task":"page","duration":3.'$((i * 5 % 9))',"success":true,"version":"v1","cost":0.0002,
            "timestamp":"2026-11-0'$i'T12:00:00Z"}' | tr -d '\n'
        echo
        echo '{"task":"page","duration":2.'$((i * 5 % 9))',"success":true,"version":"v2","cost":0.0001,
            "timestamp":"2026-11-1'$i'T12:00:00Z"}' | tr -d '\n'
        echo
    done
    echo '{"task":"page","duration":90,"success":false,"version":"v2",
        "timestamp":"2026-11-19T12:00:00Z"}' | tr -d '\n'
}

@test "one execution by options" {
    record --duration 3.456 --success true --version v2.0 --agent builder --cost 0.00012 \
        --difficulty 0.2 --metadata git_commit=abc
    run assay show --json
    [[ $output == *'"name":"cost_usd"'*'"git_commit":"abc"'* ]]
    run assay record stats --json --agent builder
    [[ $output == *'"count":1,"ok":1'*'"mean":3.456'* ]]
    fails_with 2 "--duration is missing" record --success true
    fails_with 2 "must be one of false, true" record --duration 1 --success yes
    fails_with 2 "KEY=VALUE" record --duration 1 --success true --metadata x
    fails_with 2 "at least 0" record --duration -1 --success true
    fails_with 2 "say what was done with --task" assay record --duration 1 --success true < /dev/null
}

@test "stats, compare and report over versions and weeks" {
    three_versions | assay record
    run assay record stats --version v2 --json
    [[ $output == *'"count":9,"ok":8,"failed":1,"mean":2.4'*'"failure_duration_s":{"n":1,"mean":90'* ]]
    run assay record compare v1 v2 --json
    [[ $output == *'"improvement_percent":28.98'*'"verdict":"undecided"'* ]] # one of nine failed: its time may be any
    run assay record compare v2 v1
    [[ $output == *"40.8 % slower (worse; 8 against 8)"* ]]
    run assay record report
    [[ $output == *"version v1"*"version v2"*"v1 -> v2"*"2026-11-02"*"2026-11-09"*improved* ]]
    assay record report --json > r
    jq -e '.schema == "assay.record.report/1" and ([.versions[].version] == ["v1", "v2"])' r
    jq -e '.versions[0].against_previous == [] and (.versions[0].mean - 3.45 | fabs) < 1e-9' r
    jq -e '[.versions[1].against_previous[].metric] == ["execution_time", "success_rate", "cost"]' r
    jq -e '[.weeks[].monday] == ["2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16"]' r
    jq -e '.weeks[0] | .count == 1 and .improvement_percent == null and .verdict == null' r
    jq -e '.weeks[2] | .told == "improved" and .verdict == "better"' r
    jq -e '([.weeks[].count] | add) == ([.versions[].count] | add)' r
    run assay record stats --since 2026-11-15 --task page --json
    [[ $output == *'"count":5,'* ]]
    fails_with 2 "nothing recorded of version 'v9'" assay record compare v1 v9
    fails_with 2 "no metric 'speed'" assay record compare v1 v2 --metric speed
    fails_with 2 "compare takes two versions" assay record compare v1
}

@test "twenty processes at once lose nothing, in the store and in files" {
    for i in $(seq 20); do
        record --duration "$i" --success true --version v1 &
        record --duration "$i" --success true --file m.json &
        record --duration "$i" --success true --file m.jsonl &
    done
    wait
    for source in "" "--file m.json" "--file m.jsonl"; do
        # shellcheck disable=SC2086
        run assay record stats --json $source
        [[ $output == *'"count":20,"ok":20'*'"mean":10.5'* ]] || { echo "$source: $output"; false; }
    done
    [ "$(wc -l < m.jsonl)" = 20 ]
    [ "$(ls)" = "$(printf 'm.json\nm.jsonl')" ]
}

@test "a file is a list that import takes; what is no list is left alone" {
    record --duration 1 --success true --file m.json
    three_versions | assay record --quiet --file m.json
    run assay import m.json
    [[ $output == *"18 trials (record)"* ]]
    run assay import m.json
    [[ $output == *"stored already"* ]]
    echo '{"a":1}' > other.json
    fails_with 1 "not a list of records" record --duration 1 --success true --file other.json
    [ "$(cat other.json)" = '{"a":1}' ]
    fails_with 1 "No such file" record --duration 1 --success true --file no/such/m.json
}

@test "a C program records through the installed library" {
    [ -z "$ASSAY_SAN" ] || skip "the library of a sanitized build needs its runtime"
    mkdir inst
    cp "$BUILD_DIR/libassay_record.a" inst/
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$ROOT/include" \
        "$ROOT/tests/interop/examples/record_example.c" -Linst -lassay_record -o example
    for i in 1 2 3 4 5; do ./example m.json 4 & done
    wait
    run assay record stats --file m.json --json
    [[ $output == *'"count":20,"ok":15,"failed":5'* ]]
    [ "$(nm inst/libassay_record.a | grep -cE ' U (arena|buf|error|str)_')" = 0 ]
}

@test "a C program benchmarks its own functions, as a program and under the runner" {
    cc -O2 -Wall -Wextra -Werror -I"$ROOT/include" \
        "$ROOT/tests/interop/examples/bench_example.c" -o example
    [ "$(./example --list | tr '\n' ' ')" = "sum copy fails " ]
    ./example --samples 8 --version 1.2 --min-time 1e-6 | assay record
    run assay show
    [[ $output == *"sum "*"8 of 8 ok"*"fails "*"8 failed"*"it always does"* ]]
    run ./example --samples none
    [ "$status" = 2 ]
    [ -z "$ASSAY_SAN" ] || skip "a plugin without the sanitizer's runtime"
    cc -O2 -Wall -Wextra -Werror -I"$ROOT/include" -shared -fPIC -DASSAY_BENCH_PLUGIN \
        "$ROOT/tests/interop/examples/bench_example.c" -o example.so
    cat > functions.yaml << 'END'
suite: {id: functions, name: Functions, category: speed, version: "1"}
agents: [{id: mine, version: "1.2", plugin: {library: ./example.so}}]
benchmarks:
  - id: functions
    cases: [{id: sum, input: sum, expected: done}, {id: copy, input: copy, expected: done}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 1, measured: 3}
END
    assay run functions.yaml --quiet > /dev/null
    run assay show
    [ "$status" = 0 ]
    [[ $output == *"6 of 6 ok"* ]]
}

@test "a difficulty beyond 1 is refused" {
    run assay record --task build --duration 1 --success true --difficulty 2
    [ "$status" = 2 ]
    [[ $output == *"--difficulty must be at most 1 (is 2)"* ]]
}

@test "compare matches tasks: another mix of them is no change of speed" {
    local i k
    for i in 1 2 3 4 5 6 7 8; do
        for k in 1 2; do echo '{"task":"build","duration":3.0'$i',"success":true,"version":"'$k'"}'; done
        echo '{"task":"look","duration":0.0020'$i',"success":true,"version":"1"}'
        for k in 1 2 3 4; do echo '{"task":"look","duration":0.0020'$i',"success":true,"version":"2"}'; done
        echo '{"task":"new","duration":9'$i',"success":true,"version":"2"}'
    done | assay record --quiet
    assay record compare 1 2 --json > out
    jq -e '.improvement_percent < 0.01 and .improvement_percent > -0.01 and .ratio > 0.99 and .ratio < 1.01 and
        .v1_count == 16 and .v2_count == 40 and .same_tasks == false' out
    jq -e '([.tasks[].task] | sort == ["build", "look"]) and any(.tasks[]; .metrics[0].v2_count == 32)' out
    assay record compare 1 2 > out
    grep -q '^task look$' out
    grep -q 'only common ones count' out
    assay record report --json | jq -e '.versions[1].against_previous[0].ratio | . > 0.99 and . < 1.01'
}

# same_answer: record compare and regressions on the same store.
same_answer() {
    assay regressions --agent bot --baseline v1 --threshold 0.00001 --json > regressions || true
    assay record compare v1 v2 --json > compare
    jq -s -e '(.[0] | .regressions + .undecided | map(select(.metric == "duration_s"))[0]) as $r | .[1] |
        (($r.low + 1 - .low) | fabs < 1e-12) and (($r.high + 1 - .high) | fabs < 1e-12)' regressions compare
}

@test "runs count as they do in regressions, with many values each and with one" {
    local run=0
    for level in 1.00 1.10 0.92 1.04 0.95 1.07; do
        run=$((run + 1))
        for v in "v1 1" "v2 1.12"; do
            for i in 1 2 3; do
                awk -v v="${v% *}" -v x="${v#* }" -v level=$level -v i=$i 'BEGIN {
                    printf "{\"task\":\"build\",\"agent\":\"bot\",\"success\":true,\"version\":\"%s\",\"duration\":%.9g}\n",
                        v, x * level * (1 + i / 1e4) }'
            done | assay record --quiet
        done
    done
    same_answer
    rm -rf .assay
    for level in 1.00 1.10 0.92 1.04 0.95 1.07; do
        assay record -q --task build --agent bot --success true --version v1 --duration $level
        assay record -q --task build --agent bot --success true --version v2 --duration ${level}1
    done
    same_answer
    jq -e '.verdict == "undecided" and .low < 0.95' compare # neither is a constant
}

@test "stats of what nobody recorded: exit 2 and a sentence, never NaN" {
    assay record -q --task build --duration 1 --success true
    fails_with 2 "nothing that was recorded fits: task nope" assay record stats --task nope
    fails_with 2 "nothing that was recorded fits" assay record stats --task nope --json
    assay record stats --task build > /dev/null
}
