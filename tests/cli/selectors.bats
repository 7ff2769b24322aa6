#!/usr/bin/env bats
# A selector means the same part of a run to every command: one that cannot show a part refuses
# it instead of answering for the whole run.
load ../helper
load ../serve

teardown() { end_serve || true; }

# Cells 0 and 1: `good` and `bad` on one benchmark; cells 2 and 3 on another.
fill() {
    cat > s.yaml <<'Y'
suite: {id: s, category: accuracy}
agents:
  - {id: good, version: "1", process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: bad, version: "1", process: {command: 'read x; test "$x" != a || x=z; echo $x'}, prices: {input: 0, output: 0}}
benchmarks:
  - {id: one, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: a, expected: a}, {id: b, input: b, expected: b}]}
  - {id: two, iterations: {warmup: 0, measured: 1}, cases: [{id: c, input: c, expected: x}]}
claims: [{name: quick, metric: duration_s, expect: {at_most: 5}}]
Y
    assay run -q s.yaml > /dev/null
    ONE=$(assay show --json | jq '[.cells[] | select(.label | test("one.*bad"))][0].index')
}

# Whose executions and cases a command speaks of.
cells_of() { assay show "$1" --json | jq -c '[.cells[].label] | sort'; }
profiled() { assay profile "$1" --json | jq -c '[.profiles[].label] | sort'; }
answers() { assay cases "$1" --json | jq -c '[.cases[].answers[].agent] | unique'; }
priced() { assay cost "$1" --json | jq -c '[.configurations[].agent] | sort'; }

@test "selectors: show, cases, profile and cost take the same part of a run" {
    fill
    assay baseline set -q pinned bad
    for selector in latest good bad good@1 "latest:$ONE" "bad:$ONE" pinned "pinned:$ONE"; do
        [ "$(profiled "$selector")" = "$(cells_of "$selector")" ]
    done
    [ "$(cells_of "latest:$ONE" | jq length)" = 1 ]
    [ "$(answers latest)" = '["bad","good"]' ]
    for selector in bad bad@1 pinned "latest:$ONE"; do [ "$(answers "$selector")" = '["bad"]' ]; done
    [ "$(assay cases "latest:$ONE" --json | jq -c '[.cases[].case]')" = '["a","b"]' ]
    [ "$(priced latest | jq length)" = 2 ]
    for selector in bad bad@1 pinned; do [ "$(priced "$selector")" = '["bad"]' ]; done
    for command in show cases profile; do
        fails_with 2 "has no cell 9" assay $command latest:9
    done
}

@test "selectors: what is about whole runs refuses a cell" {
    fill
    for line in "claims latest:0" "cost latest:0" "export latest:0" "export --bundle x latest:0" \
        "run --rescore latest:0 s.yaml"; do
        # shellcheck disable=SC2086 # words
        fails_with 2 "'latest:0' is one cell, but this is about whole runs" assay $line
    done
    serve
    for route in "/benchmarks/claims?run=latest:0" "/benchmarks/cost?run=latest:0" "/benchmarks/stress?run=latest:0"; do
        [ "$(status_of "$route")" = 400 ]
    done
    get "/benchmarks/runs/latest:$ONE/cases" | jq -e '[.cases[].answers[].agent] | unique == ["bad"]'
}

@test "selectors: a branch, tag or commit of digits is a name, and a cell comes after it" {
    git init -q -b 2024 . && git config user.email a@b && git config user.name n
    git commit -q --allow-empty -m one
    echo '{experiment: noop, tags: ["42"], iterations: {measured: 2}}' > t.yaml
    assay run -q t.yaml > /dev/null
    git checkout -q -b other
    assay run -n 2 -q -- true > /dev/null
    id=$(assay show latest~1 --json | jq -r .run.id)
    for selector in branch:2024 tag:42 branch:2024:0 tag:42:0 "commit:$(git rev-parse HEAD):0"; do
        assay show "$selector" --json | jq -e '.cells | length == 1'
    done
    for selector in branch:2024 tag:42 branch:2024:0 tag:42:0; do
        [ "$(assay show "$selector" --json | jq -r .run.id)" = "$id" ]
    done
    fails_with 2 "has no cell 3" assay show branch:2024:3
    fails_with 2 "was made on branch '7'" assay show branch:7
    fails_with 2 "has the tag '7'" assay show tag:7
    fails_with 2 "'tag:42:0' is one cell" assay cost tag:42:0
}

@test "selectors: --only-failed takes the cases that the named agent or cell did not pass" {
    fill
    tried() { assay cases latest --json | jq -c '[.cases[].case] | unique'; }
    all=$(assay list --json | jq -r '.runs[0].id')
    assay run -q s.yaml --only-failed "$all" > /dev/null
    [ "$(tried)" = '["a","c"]' ]
    assay run -q s.yaml --only-failed "$all:$ONE" > /dev/null
    [ "$(tried)" = '["a"]' ]
    assay forget latest~1 latest
    assay run -q s.yaml --only-failed good > /dev/null
    [ "$(tried)" = '["c"]' ]
}

@test "selectors: a folder that is called as a run's id is no file where the run is meant" {
    fill
    sed 's/version: "1"/version: "2"/' s.yaml > t.yaml
    assay run -q t.yaml > /dev/null
    for id in $(assay list --json | jq -r '.runs[].id'); do
        mkdir "$id"
        touch "$id/cell-000.json"
    done
    # It reads runs by the ids of their executions.
    assay regressions --agent bad --json > out || [ $? = 1 ]
    jq -e '.schema | startswith("assay.")' out
    assay run -q s.yaml > /dev/null
}

# Version 1 was right with t: 0 and is wrong with t: 1, which is another version of that number.
@test "runs of a version count together only with one configuration, in compare as in gate and versus" {
    spec() {
        echo 'suite: {id: s}'
        echo 'agents:'
        echo "  - {id: bot, version: '$1', config: {t: $2}, process: {command: 'read n; [ \$n -le $3 ] && echo \$n || echo no'}}"
        printf 'benchmarks:\n  - id: b\n    iterations: {warmup: 0, measured: 1}\n    cases:\n'
        for i in $(seq 20); do echo "      - {id: c$i, input: '$i', expected: '$i'}"; done
    }
    spec 1 0 20 > s.yaml && assay run s.yaml --quiet > /dev/null
    spec 1 1 5 > s.yaml && assay run s.yaml --quiet > /dev/null
    spec 1 1 5 > s.yaml && assay run s.yaml --quiet > /dev/null
    spec 2 0 5 > s.yaml && assay run s.yaml --quiet > /dev/null
    echo '{"policy": "p", "block": [{"metric": "accuracy", "worse_by": "10 %"}]}' > g.json
    assay compare bot@1 bot@2 --metric accuracy --json > compare.json
    assay gate g.json --agent bot --baseline 1 --json > gate.json
    jq -e --slurpfile g gate.json '.a.runs == 2 and
        ([.. | objects | select(.metric? == "accuracy" and .effect?)][0] | [-.effect.shift_high, -.effect.shift_low]) == ($g[0].checks[0] | [.low, .high])' compare.json
    jq -e '.checks[0] | .baseline_value == 0.25 and .value == 0.25' gate.json
    assay compare bot@1 bot@2 --metric accuracy | grep -q "'bot@1' is without b, bot 1 of run [0-9a-f]*: another configuration"
}
