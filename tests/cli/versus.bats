#!/usr/bin/env bats
# versus over a suite that was really run.
load ../helper

suite() {
    cat > s.yaml <<'YAML'
suite: {id: arithmetic, category: accuracy, version: "1.0"}
agents:
  - {id: right, version: "1", process: {command: [sh, -c, 'read e; echo $(($e))']}}
  - {id: wrong, process: {command: [sh, -c, 'read e; echo 4']}}
benchmarks:
  - id: sums
    cases:
      - {input: "1+1", expected: "2"}
      - {input: "2+2", expected: "4"}
      - {input: "3*7", expected: "21"}
      - {input: "10-3", expected: "7"}
      - {input: "5*5", expected: "25"}
      - {input: "9+9", expected: "18"}
      - {input: "8+9", expected: "17"}
      - {input: "8-9", expected: "-1"}
      - {input: "6*6", expected: "36"}
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml --quiet > /dev/null
}

@test "versus: winner, flipped cases, recommendations with their rule" {
    suite
    run assay versus right wrong --suite arithmetic
    [ "$status" = 0 ]
    [[ $output == *"right against wrong on arithmetic, 9 cases"* ]]
    [[ $output == *"overall winner: right"* ]]
    [[ $output == *"right is more accurate: 8, wrong: 0; cases that only right passes: 8, only wrong: 0"* ]]
    [[ $output == *"Prefer 'right'"*"[prefer]"* ]]
    [[ $output == *"[state_targets]"* ]]
}

@test "versus --json: the sentence of the whole, and the runs behind it" {
    suite
    assay versus right wrong --suite arithmetic --json > v
    jq -e '.sentence | test("^right beats wrong: 1\\.000 against 0\\.[0-9]+ overall; ahead by ")' v
    assay versus wrong right --suite arithmetic --json > w # whoever is named first
    jq -e '.sentence | test("^right beats wrong: .*; ahead by 0\\.[0-9]+ \\[0\\.")' w
    id=$(assay list --json | jq -r '.runs[0].id')
    jq -e --arg id "$id" '.benchmarks[0] | .run_a == $id and .run_b == $id' v
}

@test "versus: every recommendation shows what it looked at, and its threshold" {
    suite
    assay versus right wrong > out
    recommendations=$(grep -cE '^- .* \[[a-z_]+\]$' out)
    [ "$recommendations" -ge 2 ]
    [ "$(grep -cE '^    [a-z_]+ [0-9.e-]+.*; threshold: [a-z_]+ [0-9.]+$' out)" = "$recommendations" ]
    grep -A1 'Prefer' out | grep -E 'overall_a 1, overall_b 0.[0-9]+, p 0.0[0-9]+; threshold: p_below 0.05'
    # Nothing is told of numbers that are none.
    assay versus right right@1 > out
    grep -A1 'Add cases' out | grep -E 'smallest_detectable 0\.[0-9]+'
    assay versus right right@1 --json >> out
    [ "$(grep -ciw nan out)" = 0 ]
}

@test "versus and cost: one case gives no number that is none" {
    cat > s.yaml <<'YAML'
suite: {id: one, category: accuracy, version: "1.0"}
agents:
  - {id: right, process: {command: [cat]}}
  - {id: wrong, process: {command: ["false"]}}
benchmarks:
  - id: echo
    cases: [{input: "1", expected: "1"}]
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml --quiet > /dev/null
    run assay versus right wrong
    [[ $output == *"1 does not decide it (p = 1)"*"[add_cases]"* ]]
    [[ $output != *nan* ]]
    sqlite3 .assay/assay.db "DELETE FROM case_results"
    run assay cost
    [[ $output == *"accuracy -, "* && $output != *nan* ]]
}

@test "versus --json has the requirement's keys" {
    suite
    assay versus wrong right --json > out
    for key in overall_winner category_winners detailed_metrics metric agent_a_score \
        agent_b_score difference percentage_difference winner statistical_significance \
        recommendations recommendation_rules win_count flipped_cases verdict p_adjusted; do
        grep -q "\"$key\":" out || { echo "no $key"; false; }
    done
    grep -q '^{"schema":"assay.versus/1","overall_winner":"right"' out
    grep -q '"category_winners":{"accuracy":"right"' out
    grep -q '"cost":null' out
}

# Of times and costs less is better, of scores more: the lead says it one way.
@test "versus --json: the lead of A is above 1 or 0 where A is better, in words and numbers" {
    suite
    assay versus right wrong --suite arithmetic --json > out
    jq -e '.detailed_metrics[0] | .metric == "accuracy" and .effect.value < 0 and .lead.value == -.effect.value and
        .lead.low == -.effect.high and (.sentence | startswith("accuracy: right wins by 0."))' out
    jq -e '.detailed_metrics[1] | .metric == "speed" and .lead == (.effect | del(.kind)) and
        (.sentence | test(" takes [0-9.]+.* times as long over 9 cases"))' out
    assay versus wrong right --suite arithmetic --json > back
    jq -e '.detailed_metrics[0] | .lead.value == -.effect.value and .lead.value < 0 and
        (.sentence | startswith("accuracy: right wins by 0."))' back
}

@test "versus: an agent against itself has no winner" {
    suite
    assay versus right right@1 --json > out
    grep -q '"overall_winner":null' out
    [ "$(grep -c '"passed_by"' out)" = 0 ]
    grep -q '"agent_name":"right@1"' out
    run assay versus right right
    [[ $output == *"overall winner: none"* ]]
}

@test "versus: what is not there is said" {
    suite
    fails_with 2 "takes two agents, got 1" assay versus right
    fails_with 2 "did you mean 'wrong'" assay versus right wrang
    fails_with 2 "no suite 'x'" assay versus right wrong --suite x
    fails_with 2 "no benchmark of suite" assay versus right@9 wrong
    fails_with 2 "--alpha must be" assay versus right wrong --alpha 2
}

# pair COMMAND EXTRA: agent a is right, b does COMMAND; 12 cases, EXTRA in the benchmark.
pair() {
    {
        printf 'suite: {id: p}\nagents:\n- {id: a, process: {command: cat}}\n'
        printf -- "- {id: b, process: {command: '%s'}}\n" "$1"
        printf 'benchmarks:\n- id: one\n%s\n  cases:\n' "$2"
        for i in {1..12}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > p.yaml
    rm -rf .assay
    assay run p.yaml -q --allow-failures 100% > /dev/null
}

@test "versus: what was not judged decides nothing by being left out" {
    pair 'read k; [ $k -le 6 ] && echo $k || echo BAD' \
        '  rubric: {check: command, command: "grep -q BAD && exit 3; echo 1"}'
    assay versus a b --suite p --json > out
    jq -e '.detailed_metrics[0] | .verdict == "undecided" and .effect.low <= -0.5 and .n == 6' out
    jq -r '.detailed_metrics[0].sentence' out | grep "6 of 24 outcomes were not judged"
    jq -r '.detailed_metrics[0].next' out | grep "judge the 6 cases whose outcome is not known"
    # Wrong whatever the rest is: decided.
    pair 'read k; [ $k -le 2 ] && echo BAD || echo MISS' \
        '  rubric: {check: command, command: "x=$(cat); case $x in *BAD*) exit 3;; *MISS*) echo 0;; *) echo 1;; esac"}'
    assay versus a b --suite p --json | jq -e '.detailed_metrics[0].verdict_winner == "a"'
}

@test "versus: right in 3 of 5 attempts is less accurate than in 5, in every line" {
    pair 'read k; echo >> n$k; [ $(wc -l < n$k) -le 3 ] && echo $k || echo x' \
        '  iterations: {warmup: 0, measured: 5}'
    run assay versus a b --suite p
    [[ $output == *"accuracy "*"a "*"-0.4"* ]]
    [[ $output == *"cases in which a is more accurate: 12, b: 0; cases that only a passes: 0, only b: 0 (in most attempts, or in all where the reducer says so)"* ]]
    [[ $output != *McNemar* ]]
}

@test "time-outs and passes: versus and compare say the same of the same cases" {
    printf '#!/bin/sh\nread line\nprintf %%s "$line"\n' > quick
    printf '#!/bin/sh\nread line\ncase $line in *[02468]) exec sleep 9;; esac\nprintf %%s "$line"\n' > hangs
    chmod +x quick hangs
    {
        echo 'suite: {id: s, name: S, version: "1"}'
        echo 'agents:'
        echo '  - {id: a, version: "1", process: {command: [./quick]}}'
        echo '  - {id: b, version: "1", process: {command: [./hangs]}}'
        echo 'benchmarks:'
        echo '  - id: k'
        echo '    iterations: {warmup: 0, measured: 2}'
        echo '    constraints: {time_limit_ms: 150}'
        echo '    stop_early: {failures_in_a_row: 0}'
        echo '    rubric: [{check: exact, weight: 1}]'
        echo '    cases:'
        for i in $(seq 11 22); do echo "      - {id: c$i, input: 'n $i', expected: 'n $i'}"; done
    } > s.yaml
    assay run s.yaml -q > /dev/null
    assay versus a b --json > versus.json
    assay compare a b --json > compare.json
    for pair in duration_s:speed accuracy:accuracy; do
        of_versus=$(jq -c ".detailed_metrics[] | select(.metric == \"${pair#*:}\") | [.p, .n, .verdict, .effect.low]" versus.json)
        of_compare=$(jq -c ".rows[] | select(.metric == \"${pair%:*}\") | [.p, .n[0], .verdict, if .kind == \"share\" then .effect.shift_low else .effect.low end]" compare.json)
        [ "$of_versus" = "$of_compare" ] || { echo "$pair: $of_versus, $of_compare"; return 1; }
        [ "$(jq -r ".detailed_metrics[] | select(.metric == \"${pair#*:}\").n" versus.json)" = 12 ]
    done
}

# unsteady REDUCER: `a` is wrong in the second of three passes of each case, `b` never.
unsteady() {
    cat > agent.py <<'PY'
import collections, json, sys
seen = collections.Counter()
for line in sys.stdin:
    m = json.loads(line)
    seen[m["input"]] += 1
    is_wrong = sys.argv[1] == "a" and seen[m["input"]] == 2
    print(json.dumps({"id": m["id"], "output": "wrong" if is_wrong else "right"}), flush=True)
PY
    {
        echo "suite: {id: $1}"
        echo 'agents:'
        for a in a b; do echo "  - {id: $a, version: '1', process: {mode: session, command: [python3, $PWD/agent.py, $a]}}"; done
        echo "benchmarks: [{id: k, reducer: $1, iterations: {warmup: 0, measured: 3}, rubric: [{check: exact, weight: 1}], cases: ["
        for i in $(seq 12); do echo "  {id: c$i, input: q$i, expected: right},"; done
        echo ']}]'
    } > s.yaml
    assay run s.yaml -q > /dev/null
    assay versus a b --suite "$1" --json > versus.json
    assay why a b --suite "$1" --json > why.json
    assay cases latest --flipped a b --json > cases.json || true
}

@test "versus: whether a case is passed is what the reducer makes of its passes, everywhere" {
    unsteady all
    jq -e '.detailed_metrics[0].agent_a_score == 0 and .mcnemar.only_b_passes == 12' versus.json
    jq -e '(.flipped_cases | length) == 12 and .mcnemar.p < 0.001' versus.json
    jq -e '[.. | objects | .outcome? // empty] | unique == ["only B passes"]' why.json
    [ "$(jq '.cases | length' cases.json)" = 12 ]
    unsteady mean
    jq -e '.mcnemar.only_b_passes == 0 and .mcnemar.b_more_accurate == 12' versus.json
    jq -e '[.. | objects | .outcome? // empty] | unique == ["both pass"]' why.json
    [ "$(jq '.cases | length' cases.json)" = 0 ]
}

@test "versus: the number of scores changes no p" {
    unsteady all
    jq -e '[.detailed_metrics[], .overall] | all(.p_adjusted == .p)' versus.json
    jq -e '.statistical_significance.accuracy == .detailed_metrics[0].p' versus.json
}

# By accuracy alone y wins, by speed alone x: whoever applies one benchmark's weights to both is sure.
@test "benchmarks that weigh otherwise are ranked by the default weights, by versus as by run" {
    {
        printf 'suite: {id: s}\nagents:\n'
        printf '  - {id: x, process: {command: "read n; [ $n -le 6 ] && echo $n || echo no"}}\n'
        printf '  - {id: y, process: {command: "read n; sleep 0.02; echo $n"}}\nbenchmarks:\n'
        for id in accuracy speed; do
            printf '  - id: %s\n    iterations: {warmup: 0, measured: 1}\n    targets: {duration_s: 0.01}\n    weights: {%s: 1}\n    cases:\n' $id $id
            for i in $(seq 12); do printf '      - {input: "%s", expected: "%s"}\n' $i $i; done
        done
    } > s.yaml
    assay run -q s.yaml > /dev/null
    assay versus x y --json > versus.json
    jq -e '.notes | any(test("default"))' versus.json
    assay show latest --brief --json > show.json
    jq -e --slurpfile v versus.json '[.agents[] | {(.name): .overall_score}] | add | .x == $v[0].overall.agent_a_score and .y == $v[0].overall.agent_b_score' show.json ||
        { jq '.agents' show.json; jq .overall versus.json; return 1; }
}

# An agent that is right until it gives up, after 26 of 40 cases, and a slower one that is not.
quitter() {
    {
        echo 'suite: {id: s}'
        echo 'agents:'
        echo "  - {id: good, version: '1', process: {command: 'read n; sleep 0.02; [ \$n -le 38 ] && echo a\$n || echo no'}}"
        echo "  - {id: quit, version: '1', process: {command: 'read n; c=\$(cat \$HOME/k 2>/dev/null || echo 0); echo \$((c+1)) > \$HOME/k; [ \$c -ge 25 ] && exit 1; echo a\$n'}}"
        echo 'benchmarks:'
        echo '  - id: b'
        echo '    iterations: {warmup: 0, measured: 1}'
        echo '    targets: {duration_s: 0.01, cpu_s: 0.01}'
        echo '    stop_early: {failures_in_a_row: 1}'
        echo '    cases:'
        for i in $(seq 40); do echo "      - {id: c$i, input: '$i', expected: 'a$i'}"; done
    } > s.yaml
    assay run s.yaml --quiet > /dev/null
}

@test "an agent that gave up early wins nothing by the cases that it was asked" {
    quitter
    for command in versus why; do
        run assay $command good quit
        [ "$status" = 2 ]
        [[ $output == *"'quit' on 'b' is left out, run on some of the cases only (26 of 40 trials)"* ]]
    done
    run assay compare latest:0 latest:1 --metric duration_s --decide
    [ "$status" = 4 ]
    [[ $output == *"B does not rank: run on some of the cases only (26 of 40 trials)"* ]]
    [[ $output == *"14 cases of A were not asked in B"* ]]
    assay cost > out
    grep -q '25 of 26 attempts passed.*; run on some of the cases only (26 of 40 trials)$' out
    [ "$(grep -c 'some of the cases only' out)" = 1 ]
    [ "$(assay cost --json | jq -r '[.. | .part? // empty] | length')" -ge 1 ]
}

@test "versus takes the newest execution of all cases, and names newer ones that it leaves out" {
    quitter
    sed -i 's/\[ \$c -ge 25 \] && exit 1; //' s.yaml
    assay run s.yaml --quiet > /dev/null
    assay versus good quit > out
    [ "$(grep -c 'left out' out)" = 0 ]
    sed -i "s/echo a\\\$n'}}$/exit 1'}}/" s.yaml
    assay run s.yaml --quiet > /dev/null
    assay versus good quit > out
    grep -q 'good against quit on s, 40 cases' out
    grep -qx 'A  good: version 1' out
    grep -qE "note: 'quit' 1 on benchmark 'b' in run [0-9a-f]{12} is left out: run on some of the cases only \(1 of 40 trials\)" out
}

# both VERSION COMMAND: x answers rightly, y by the command, both of that version.
both() {
    {
        echo 'suite: {id: s}'
        echo 'agents:'
        echo "  - {id: x, version: '$1', process: {command: 'read n; echo a\$n'}}"
        echo "  - {id: y, version: '$1', process: {command: '$2'}}"
        printf 'benchmarks:\n  - id: b\n    iterations: {warmup: 0, measured: 1}\n    cases:\n'
        for i in $(seq 20); do echo "      - {id: c$i, input: '$i', expected: 'a$i'}"; done
    } > s.yaml
    assay run s.yaml --quiet > /dev/null 2>&1
}

@test "versions are named, and a newer one without a success is said" {
    both 1 'read n; echo a$n'
    both 2 /nonexistent || true
    assay versus x y > out
    grep -qx 'A  x: version 2' out
    grep -qx 'B  y: version 1' out
    grep -qE "^note: 'y' 2 on benchmark 'b' in run [0-9a-f]{12} is left out: failed: .*'/nonexistent' not found" out
    assay versus x y --json > out
    [ "$(jq -c '[.agent_a_version, .agent_b_version]' out)" = '["2","1"]' ]
    # The same runs: of x the metric is there, of y it is not.
    run assay compare latest~1 latest --metric accuracy
    [ "$status" = 0 ]
    [[ $output == *"(over 20 cases)"* ]]
    [[ $output == *"accuracy of b, agent=y was not compared: B does not have it"* ]]
    run assay compare latest~1 latest --metric accuracy --fail-on worse
    [ "$status" = 4 ]
    run assay compare latest~1:1 latest:1 --metric accuracy
    [ "$status" = 2 ]
    [[ $output == *"'accuracy' cannot be compared: B does not have it"* ]]
    run assay compare latest latest~1 --metric accuracy --fail-on worse
    [ "$status" = 0 ]
    [[ $output == *"accuracy of b, agent=y was not compared: A does not have it"* ]]
}

# Each case costs spiky 1, 1 and 10 cents and even 2 each time: twice as much, though its median is half.
@test "who is dearer wins no overall by the median of its passes" {
    answers() {
        awk -v costs="$1" 'BEGIN { n = split(costs, cents); for (i = 1; i <= 12; i++) for (k = 1; k <= n; k++)
            printf "{\"case\": \"c%d\", \"output\": \"1\", \"usage\": {\"cost_usd\": %.4f}}\n", i, cents[k] * (50 + i) / 5000 }'
    }
    answers "1 1 10" > spiky.jsonl
    answers "2 2 2" > even.jsonl
    {
        printf 'suite: {id: s}\nagents:\n- {id: spiky, replay: {answers: spiky.jsonl}}\n- {id: even, replay: {answers: even.jsonl}}\n'
        printf 'benchmarks:\n- id: b\n  targets: {cost_usd: 0.02}\n  iterations: {warmup: 0, measured: 3}\n  cases:\n'
        for i in $(seq 12); do echo "  - {id: c$i, input: '$i', expected: '1'}"; done
    } > s.yaml
    assay run s.yaml --quiet > /dev/null
    assay versus spiky even --json > out
    jq -e '.overall_winner == "even" and .category_winners.cost == "even"' out
    jq -e '.detailed_metrics[] | select(.metric == "cost") | .agent_a_score < .agent_b_score' out
    [ "$(assay leaderboard --json | jq -r '.rows[0].agent_name')" = even ]
}
