#!/usr/bin/env bats
# What is shown is what is stored: every number of `show --json`, worked out again from the
# samples in the store by a program of its own (recompute.py).
load ../helper

# agrees [SELECTOR]: at least 50 numbers, all of them the same.
agrees() {
    assay show "${1:-latest}" --json > report.json
    run python3 "$ROOT/tests/cli/recompute.py" .assay/assay.db report.json
    echo "$output"
    [ "$status" = 0 ]
    [ "${output% numbers}" -ge 50 ]
}

@test "a sweep: summaries, effects of parameters, ratios of pairs" {
    cat > spin.yaml <<'YAML'
experiment: spin
params: {jitter: 0.2}
sweep: {rounds: [1000, 2000, 4000], work_us: [1, 2]}
iterations: {warmup: 2, measured: 15}
instrumentation: [timing, rusage, resources]
YAML
    assay run spin.yaml -q > /dev/null
    agrees
    [ "$(jq '.effects | length' report.json)" -ge 5 ]
    [ "$(jq '.comparisons | length' report.json)" -ge 2 ]
}

@test "commands of which some fail" {
    assay run -q -n 12 -w 1 --allow-failures 100% -c true -c 'sleep 0.002' \
        -c 'n=$(cat n 2> /dev/null); n=$((n + 1)); echo $n > n; test $((n % 3)) = 0' > /dev/null || true
    agrees
    [ "$(jq '[.cells[].trials.failed] | add' report.json)" -ge 1 ]
}

@test "a suite: scores by case" {
    assay init suite > /dev/null
    assay run suite.yaml -q > /dev/null
    agrees
    jq -e '.cells[0].scores' report.json > /dev/null
}

@test "a suite: levels by case, of unequal passes and of a time-out" {
    cat > lv.yaml <<'YAML'
suite: {id: lv}
agents: [{id: a, process: {command: [sh, -c, 'read c; n=$(cat "n.$c" 2> /dev/null || echo 0); echo $((n + 1)) > "n.$c"; case $c$n in g?) sleep 9 ;; f?) sleep 0.05 ;; ?2) sleep 0.09 ;; *) sleep 0.01 ;; esac; echo "$c"'], mode: oneshot}}]
benchmarks:
  - id: b
    constraints: {time_limit_ms: 300}
    cases: [{input: a, expected: a}, {input: b, expected: b}, {input: c, expected: c}, {input: d, expected: d}, {input: e, expected: e}, {input: f, expected: f}, {input: g, expected: g}]
    iterations: {warmup: 0, measured: 3}
YAML
    assay run lv.yaml -q --allow-failures 100% > /dev/null || true
    agrees
    jq -e '.cells[0].metrics[] | select(.name == "duration_s") | .level_n == 7 and .n == 18 and .level_low != null and .level_high == null' report.json
}

@test "trials that were never folded, of a run that was killed, and the same after a resume" {
    printf 'experiment: spin\nparams: {rounds: 3000000}\niterations: {warmup: 1, measured: 40}\n' > s.yaml
    ASSAY_FAULT=commit:15:kill run assay run s.yaml -q
    [ "$status" != 0 ]
    [ "$(sqlite3 .assay/assay.db 'SELECT count(*) > 0 FROM chunks')" = 1 ]
    agrees
    assay run s.yaml --resume -q > /dev/null
    agrees
    [ "$(jq '.cells[0].trials.ok' report.json)" = 40 ]
}

@test "results of other tools" {
    printf 'seconds,kind\n1.5,a\n2.5,b\n4,a\n1,b\n9,a\n3.25,a\n2,b\n' > x.csv
    assay import x.csv --column seconds --by kind -q > /dev/null
    assay show --json > report.json
    run python3 "$ROOT/tests/cli/recompute.py" .assay/assay.db report.json
    echo "$output"
    [ "$status" = 0 ]
    [ "$(jq '.cells | length' report.json)" -ge 1 ]
}

@test "a sample that was changed after the report, and a number that nobody knows, are noticed" {
    assay run -q -n 8 -c true > /dev/null
    agrees
    jq '.cells[0].metrics[0].p95 *= 1.0001' report.json > other.json
    run python3 "$ROOT/tests/cli/recompute.py" .assay/assay.db other.json
    [[ $status != 0 && $output == *"p95 is said to be"* ]]
    jq '.cells[0].surprise = 3' report.json > other.json
    run python3 "$ROOT/tests/cli/recompute.py" .assay/assay.db other.json
    [[ $status != 0 && $output == *"nobody here knows the number cells.surprise"* ]]
    sqlite3 .assay/assay.db "UPDATE series SET samples = zeroblob(64) WHERE metric = 'duration_s'"
    run python3 "$ROOT/tests/cli/recompute.py" .assay/assay.db report.json
    [[ $status != 0 && $output == *"sample is said to be"* ]]
}
