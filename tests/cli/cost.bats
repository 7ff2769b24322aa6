#!/usr/bin/env bats
# assay cost: every figure can be worked out by hand from four cases.
load ../helper

# Three agents on the same sums: exact and dear, exact and cheap, always wrong.
suite() {
    cat > s.yaml <<'YAML'
suite: {id: sums, name: Sums, category: cost, version: "1"}
agents:
  - {id: dear, version: "1", process: {command: 'read e; echo $(($e)); echo "{\"cost_usd\": 0.04}" >&$ASSAY_USAGE_FD'}}
  - {id: cheap, version: "1", process: {command: 'read e; echo $(($e)); echo "{\"cost_usd\": 0.01}" >&$ASSAY_USAGE_FD'}}
  - {id: wrong, version: "1", process: {command: 'read e; echo 0; echo "{\"cost_usd\": 0.001}" >&$ASSAY_USAGE_FD'}}
benchmarks:
  - id: plus
    cases:
      - {id: a, input: "1+1", expected: "2"}
      - {id: b, input: "2+2", expected: "4"}
      - {id: c, input: "3+3", expected: "6"}
      - {id: d, input: "4+4", expected: "8"}
    targets: {duration_s: 1}
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
YAML
    assay run s.yaml --quiet
}

of() { jq -r ".configurations[] | select(.agent == \"$1\") | $2" cost; }

@test "a benchmark with two prompts is two tasks, each under its own key" {
    cat > s.yaml <<'YAML'
suite: {id: p}
agents: [{id: a, process: {command: 'cat; echo "{\"cost_usd\": 0.5}" >&$ASSAY_USAGE_FD'}}]
benchmarks:
  - id: x
    cases: [{input: q, expected: q}]
    prompts: {plain: "{{input}}", "with, comma": "please {{input}}"}
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml --quiet
    assay cost --json > cost
    [ "$(of a '.cost_per_task | keys | join("; ")')" = "x, prompt=plain; x, prompt=with, comma" ]
    [ "$(of a '.cost_per_task["x, prompt=plain"]')" = 0.5 ]
    [ "$(of a '.tasks["x, prompt=with, comma"].successes')" = 0 ]
    # one prompt is no other task, whatever the benchmark is called
    sed -i 's/id: x/id: "prompt=odd"/; s/, "with, comma": .*}/}/' s.yaml
    assay run s.yaml --quiet
    [ "$(assay cost --json | jq -r '.configurations[0].cost_per_task | keys[0]')" = "prompt=odd" ]
    # a key twice would leave one of them out for most readers
    python3 -c 'import json; json.load(open("cost"), object_pairs_hook=lambda p: len(dict(p)) == len(p) or exit(1))'
}

@test "cost per success, its interval, and a bound where there is no success" {
    suite
    assay cost --json > cost
    [ "$(jq -r .schema cost)" = assay.cost/1 ]
    [ "$(of dear .cost_per_task.plus)" = 0.04 ]
    [ "$(of cheap .cost_per_task.plus)" = 0.01 ]
    [ "$(of wrong .cost_per_task.plus)" = null ]
    [ "$(of wrong .tasks.plus.is_bound)" = true ]
    # 0.001 / (1 - 0.05^(1/4))
    [ "$(of wrong '.tasks.plus.low * 1e7 | round')" = 18971 ]
    [ "$(of dear '.total_usd * 100 | round')" = 32 ]
    [ "$(of dear '.tasks.plus.successes')" = 8 ]
}

@test "efficiency, the Pareto front and the cheaper choice, with its rule" {
    suite
    assay cost --json > cost
    [ "$(of cheap .efficiency_score)" = 1 ]
    [ "$(of dear .efficiency_score)" = 0.5 ]
    [ "$(jq -r '.optimal_configurations[].configuration' cost)" = cheap@1 ]
    [ "$(of cheap .pareto)" = true ]
    [ "$(of dear .pareto)" = false ]
    [ "$(of wrong .pareto)" = true ]
    # Four cases show that it costs less, not that it is as accurate.
    jq -e '.cost_optimization_opportunities == [] and (.undecided_opportunities | length) == 1' cost
    jq -e '.undecided_opportunities[0] | .cost_verdict == "better" and .accuracy_verdict == "undecided"' cost
    [[ $(jq -r '.undecided_opportunities[0].sentence' cost) == "undecided whether cheap@1 would do instead of dear@1"*"75 % less"*"to decide: add cases"* ]]
    # 110 cases do.
    cases=$(seq 110 | sed 's/.*/{input: "&+1", expected: "#&"}/' | awk -F'#' '{sub(/"}/, "", $2); print $1 $2 + 1 "\"}"}' | paste -sd, -)
    sed -e "/^      - {id: [a-d]/d; s/^    cases:/    cases: [$cases]/; s/measured: 2/measured: 1/; s/id: sums/id: many/" s.yaml > many.yaml
    assay run many.yaml --quiet
    assay cost --json > cost
    jq -e '.undecided_opportunities == [] and (.cost_optimization_opportunities | length) == 1' cost
    [[ $(jq -r '.cost_optimization_opportunities[0].sentence' cost) == "cheap@1 instead of dear@1"*"75 % less"*"rule cheaper-and-no-worse"* ]]
    [ "$(of dear .dominated_by)" = cheap@1 ]
    [ "$(assay versus dear cheap --suite many --json | jq -r '[.detailed_metrics[] | select(.metric == "cost" or .metric == "accuracy") | .verdict] | sort | join(" ")')" = "better equivalent" ]
}

@test "without the cause the sentence goes: equal prices give no cheaper choice" {
    suite
    sed -i 's/0.04/0.01/' s.yaml
    assay run s.yaml --quiet
    [ "$(assay cost --json | jq -r '.cost_optimization_opportunities | length')" = 0 ]
}

@test "text, one agent, and runs without agents" {
    suite
    run assay cost --agent cheap
    [ "$status" = 0 ]
    [[ $output == *'cheap@1'*'$0.01'* && $output != *'wrong@1: '* ]]
    assay run --quiet -n 1 -- true
    fails_with 2 "nothing to price" assay cost latest
}

@test "what is free is said to be free, and not bounded by nothing" {
    suite
    sed 's/cost_usd\\": 0.0[0-9]*/cost_usd\\": 0/' s.yaml > free.yaml
    assay run free.yaml --quiet
    run assay cost latest
    [[ $output == *"no success in 8 attempts, which cost nothing"* ]]
    [[ $output != *"more than \$0"* && $output != *resamples* ]]
}

@test "who did other work is compared with none" {
    cat > co.yaml <<'YAML'
suite: {id: co}
agents: [{id: half, process: {command: [cat]}, prices: {input: 0, output: 0}}, {id: all, process: {command: 'cat; echo "{\"cost_usd\": 0.01}" >&"$ASSAY_USAGE_FD"'}}]
benchmarks:
  - {id: easy, cases: [{input: a, expected: a}, {input: b, expected: b}], iterations: {warmup: 0, measured: 1}}
  - {id: hard, agents: [all], cases: [{input: a, expected: a}, {input: b, expected: c}], iterations: {warmup: 0, measured: 1}}
YAML
    assay run co.yaml -q
    assay cost --json > cost
    jq -e '.cost_optimization_opportunities == [] and .optimal_configurations == []' cost
    jq -e '.configurations | all(.peers == 0 and .efficiency_score == null and .pareto == false and .pareto_share == null)' cost
    run assay cost
    [[ $output == *"all: accuracy 0.750"*"compared with none: no other had the same cases"* ]]
}

@test "an interval stays when a few resamplings have no success, and says how many" {
    seq 0 11 | awk '{printf "{\"id\":\"c%d\",\"input\":\"%d\",\"expected\":\"%s\"}\n", $1, $1, $1 % 2 ? $1 : "x"}' > cases.jsonl
    cat > few.yaml <<'YAML'
suite: {id: few}
agents: [{id: a, process: {command: 'cat; echo "{\"cost_usd\": 0.01}" >&"$ASSAY_USAGE_FD"'}}]
benchmarks: [{id: b, dataset: {source: cases.jsonl}, iterations: {warmup: 0, measured: 1}}]
YAML
    assay run few.yaml -q
    assay cost --json > cost
    # 6 of 12 pass: 0.5^12 of the resamplings have none, 2.4 of 10000
    [ "$(of a '.cost_per_task.b * 1e6 | round')" = 20000 ]
    jq -e '.configurations[0].tasks.b | .low > 0.01 and .low < 0.02 and .high > 0.02 and .high < 0.2 and .no_success_share > 0 and .no_success_share < 0.002' cost
    [[ $(of a .tasks.b.reason) == *" of 10000 resamplings had no success" ]]
    # One of two: too many have none for an upper end, which is said and is no number.
    head -2 cases.jsonl > two.jsonl
    sed -i 's/id: few/id: fewer/; s/cases.jsonl/two.jsonl/' few.yaml
    assay run few.yaml -q > /dev/null
    assay cost > text
    grep '\[at least \$0.01\] per success, 1 of 2' text
    [ "$(grep -ciw nan text)" = 0 ]
}

@test "fifty agents on twenty benchmarks fit on a page" {
    {
        echo 'suite: {id: wide}'
        echo 'agents:'
        for i in $(seq 50); do echo "  - {id: a$i, process: {command: 'cat; echo \"{\\\"cost_usd\\\": 0.$((100 + i))}\" >&\$ASSAY_USAGE_FD'}}"; done
        echo 'benchmarks:'
        for i in $(seq 20); do echo "  - {id: b$i, cases: [{input: q$i, expected: q$i}], iterations: {warmup: 0, measured: 1}}"; done
    } > wide.yaml
    assay run wide.yaml -q
    run assay cost
    [ "$status" = 0 ]
    [ "${#lines[@]}" -lt 30 ]
    [[ $output == *"a1: accuracy 1.000"*"and 40 less efficient"*"1000 benchmarks"*"a1 would do instead of a50"*"and for 44 more configurations"* ]]
    [ "$(assay cost --json | jq '.undecided_opportunities | length')" = 49 ]
}

@test "a case that failed without telling its cost does not remove the agent's" {
    {
        printf 'suite: {id: s}\nagents:\n'
        printf -- "- {id: cheap, process: {command: '%s'}}\n" 'read k; [ $k = 7 ] && exit 1; echo $k; echo "{\"cost_usd\": 0.001}" >&$ASSAY_USAGE_FD'
        printf -- "- {id: dear, process: {command: '%s'}}\n" 'read k; [ $k -le 9 ] && k=x; echo $k; echo "{\"cost_usd\": 0.025}" >&$ASSAY_USAGE_FD'
        printf 'benchmarks:\n- id: b\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
        for i in {1..30}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > s.yaml
    assay run s.yaml --quiet
    assay cost --json > cost
    # 30 cases at 0.001, 29 of them passed
    [ "$(of cheap '.cost_per_task.b * 1e9 | round')" = 1034483 ]
    [ "$(of cheap .tasks.b.untold)" = 1 ]
    [ "$(of dear .tasks.b.untold)" = 0 ]
    [ "$(jq -r '[.optimal_configurations[].configuration] | join(" ")' cost)" = cheap ]
    run assay cost
    [[ $output == *"1 of 30 cases reported no cost: taken as the median of the others"* ]]
    [[ $output != *neither* ]]
}

@test "who hides the cost of successes is neither optimal nor recommended" {
    for hidden in 'n -gt 6' 'n -gt 29'; do
        {
            printf 'suite: {id: s}\nagents:\n'
            printf -- "- {id: hider, process: {command: '%s'}}\n" "read n; echo \$n; [ \$$hidden ] || echo \"{\\\"cost_usd\\\": 0.001}\" >&\$ASSAY_USAGE_FD"
            printf -- "- {id: dear, process: {command: '%s'}}\n" 'read n; echo $n; echo "{\"cost_usd\": 0.4}" >&$ASSAY_USAGE_FD'
            printf 'benchmarks:\n- id: b\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
            for i in {1..30}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
        } > s.yaml
        assay run s.yaml --quiet
        assay cost --json > cost
        [ "$(of hider '.cost_per_task.b')" = null ]
        [ "$(of hider .tasks.b.hidden)" = $((30 - ${hidden##* })) ]
        [ "$(of hider .pareto)" = false ]
        [ "$(of hider .efficiency_score)" = null ]
        jq -e '([.optimal_configurations[].configuration] | index("hider") == null) and
            .cost_optimization_opportunities == [] and .undecided_opportunities == []' cost
        run assay cost
        [[ $output == *"unknown: $((30 - ${hidden##* })) of 30 cases succeeded without reporting their cost"* ]]
    done
}

@test "a cost that one pass of a case hides is not known" {
    {
        printf 'suite: {id: s}\nagents:\n'
        printf -- "- {id: hider, process: {command: '%s'}}\n" "read n; echo \$n; echo >> $PWD/seen.\$n; [ \$(wc -l < $PWD/seen.\$n) = 2 ] || echo \"{\\\"cost_usd\\\": 0.001}\" >&\$ASSAY_USAGE_FD"
        printf -- "- {id: dear, process: {command: '%s'}}\n" 'read n; echo $n; echo "{\"cost_usd\": 0.4}" >&$ASSAY_USAGE_FD'
        printf 'benchmarks:\n- id: b\n  iterations: {warmup: 0, measured: 3}\n  targets: {cost_usd: 0.1}\n  cases:\n'
        for i in {1..8}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > s.yaml
    assay run s.yaml --quiet
    assay cost --json > cost
    [ "$(of hider .tasks.b.hidden)" = 8 ]
    [ "$(of hider '.cost_per_task.b')" = null ]
    assay versus dear hider --suite s --json > versus
    jq -e '[.. | objects | select(.verdict? == "better" and (.name? == "cost" or .metric? == "cost"))] == []' versus
    # What the other passes say is compared, as everywhere; it wins nothing.
    assay compare latest:1 latest:0 --metric cost_usd --json > compare
    jq -e --slurpfile c compare '.detailed_metrics[] | select(.metric == "cost") |
        [.n, .effect.value, .effect.low, .effect.high, .verdict] ==
        ($c[0] | [.. | objects | select(.metric? == "cost_usd" and .effect?)][0] | [.n[0], .effect.ratio, .effect.low, .effect.high, .verdict]) and
        .n == 8 and .verdict == "undecided"' versus
    assay show --json | grep -q '8 of 8 cases do not report their cost'
}

@test "what a failed attempt says that it cost is part of the cost of a success" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents:
  - id: a
    process:
      command: |
        read k
        case $k in
        7) echo '{"cost_usd": 1}' >&$ASSAY_USAGE_FD; exit 3 ;;
        8) echo '{"cost_usd": 2}' >&$ASSAY_USAGE_FD; sleep 60 ;;
        9) echo '{"cost_u' >&$ASSAY_USAGE_FD; exit 3 ;;
        *) echo '{"cost_usd": 0.5}' >&$ASSAY_USAGE_FD; echo $k ;;
        esac
benchmarks:
  - id: b
    iterations: {warmup: 0, measured: 1}
    constraints: {time_limit_ms: 2000}
    cases: [{input: "1", expected: "1"}, {input: "2", expected: "2"}, {input: "7", expected: "7"},
            {input: "8", expected: "8"}, {input: "9", expected: "9"}]
YAML
    assay run s.yaml --quiet
    assay cost --json > cost
    # 0.5 + 0.5 + 1 + 2, and 0.75 (the median) where the report was cut off: 4.75 for two successes
    [ "$(of a '.cost_per_task.b')" = 2.375 ]
    [ "$(of a .tasks.b.untold)" = 1 ]
}

@test "steps along the front carry the verdict that versus gives, not one of overlapping intervals" {
    {
        echo 'suite: {id: steps, name: Steps, category: cost, version: "1"}'
        echo 'agents:'
        while read -r name usd right; do
            echo "  - {id: $name, version: \"1\", process: {command: 'read n; [ \$n -le $right ] && echo \$n || echo no; echo \"{\\\"cost_usd\\\": $usd}\" >&\$ASSAY_USAGE_FD'}}"
        done <<'ROWS'
small 0.001 12
middle 0.01 13
large 0.1 24
ROWS
        echo 'benchmarks:'
        echo '  - id: count'
        echo '    cases:'
        for i in $(seq 24); do echo "      - {id: c$i, input: \"$i\", expected: \"$i\"}"; done
        echo '    rubric: [{check: exact, weight: 1}]'
        echo '    iterations: {warmup: 0, measured: 1}'
    } > s.yaml
    assay run s.yaml --quiet
    assay cost --json > cost
    jq -e '[.front_steps[] | [.from, .to, .verdict, .cases]] ==
        [["small@1", "middle@1", "undecided", 24], ["middle@1", "large@1", "better", 24]]' cost
    # By hand: 1 of 24 cases more, from $0.024 / 12 to $0.24 / 13.
    jq -e '.front_steps[0] | (.gain - 1 / 24 | fabs) < 1e-12 and (.usd_per_success - (0.24 / 13 - 0.024 / 12) | fabs) < 1e-12 and
        (.usd_per_success_and_point - (0.24 / 13 - 0.024 / 12) / (100 / 24) | fabs) < 1e-12 and .low <= 0 and .high >= 1 / 24' cost
    for step in 0 1; do
        read -r from to verdict < <(jq -r ".front_steps[$step] | [.from, .to, .verdict] | @tsv" cost)
        assay versus "$from" "$to" --json |
            jq -e --arg v "$verdict" '[.. | objects | select((.metric? // .name?) == "accuracy" and .verdict?)][0].verdict == $v'
    done
}

# Two prompts ask the same 12 cases: 24 pairs would be twice the evidence that there is. One answer cannot be judged.
@test "prompts are no further cases for cost, as for versus" {
    answers() { for i in $(seq 12); do echo "{\"case\": \"c$i\", \"output\": \"$([ "$i" -le "$1" ] && echo 1 || echo 0)\", \"usage\": {\"cost_usd\": $2}}"; done; }
    answers 9 0.02 > large.jsonl
    answers 4 0.005 > small.jsonl
    for judged in 12 11; do
        sed -i "$((judged + 1)),\$d" small.jsonl
        {
            printf 'suite: {id: s}\nagents:\n- {id: large, replay: {answers: large.jsonl}}\n- {id: small, replay: {answers: small.jsonl}}\n'
            printf 'benchmarks:\n- id: b\n  prompts: {short: "{{input}}", long: "Think. {{input}}"}\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
            for i in $(seq 12); do echo "  - {id: c$i, input: '$i', expected: '1'}"; done
        } > s.yaml
        assay run s.yaml --quiet > /dev/null || [ $judged = 11 ]
        assay cost latest --json > cost
        assay versus small large --json > versus
        jq -e --slurpfile v versus '[.front_steps[] | [.cases, .verdict, .low, .high]] ==
            [$v[0].detailed_metrics[] | select(.metric == "accuracy") | [.n, .verdict, .effect.low, .effect.high]] and
            .front_steps[0].cases == '$judged' and .front_steps[0].verdict == "undecided"' cost
    done
}
