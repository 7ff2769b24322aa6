#!/usr/bin/env bats
# why: the effect of versus, in parts that add up to it; what is planted comes first.
load ../helper

# agent NAME JSON-FIELDS: answers "N" to question "N" with these fields; $1 is the question.
session() {
    cat > "$1.sh" <<END
while read -r line; do
    id=\${line#*'"id":'}; id=\${id%%,*}
    q=\${line#*'"input":"'}; q=\${q%%'"'*}
    out=\$q
    $2
    echo "{\"id\":\$id,\"output\":\"\$out\"\$fields}"
done
END
}

suite() {
    {
        echo 'suite: {id: s, category: accuracy, version: "1.0"}'
        echo "agents:"
        for agent in "$@"; do
            echo "  - {id: $agent, config: {style: $agent}, process: {command: [sh, $PWD/$agent.sh], mode: session}, prices: {input: 1, output: 1}}"
        done
        echo "benchmarks:"
        for b in one two; do
            echo "  - id: $b"
            echo "    cases:"
            for i in 1 2 3 4 5 6 7 8; do echo "      - {id: $b-$i, input: \"$b$i\", expected: \"$b$i\"}"; done
            [ $b = one ] || echo "      - {id: two-9, input: \"two9\", expected: \"two9\"}"
            echo "    targets: {duration_s: 0.05, tokens: 100, cpu_s: 0.1, memory_mb: 50, cost_usd: 0.01}"
            echo "    iterations: {warmup: 0, measured: 2}"
        done
    } > s.yaml
    assay run s.yaml -q > /dev/null 2>&1
}

# Parts add up to the effect of versus, by factor and by case, whatever it is.
adds_up() {
    assay why "$1" "$2" --json > w.json
    assay versus "$1" "$2" --json > v.json
    python3 - <<'PY'
import json
w, v = json.load(open('w.json')), json.load(open('v.json'))
assert w['effect'] == v['overall']['effect']['value'], 'that of versus'
assert w['low'] == v['overall']['effect']['low'] and w['verdict'] == v['overall']['verdict']
for parts in (w['factors'], w['cases']):
    assert abs(sum(p['part'] for p in parts) - w['effect']) < 1e-9, 'parts add up'
    assert abs(sum(p['share'] for p in parts) - 1) < 1e-6, 'shares add up'
    assert [abs(p['part']) for p in parts] == sorted((abs(p['part']) for p in parts), reverse=True)
for c in w['cases']:
    assert abs(sum(c['by_score'].values()) - c['part']) < 1e-12
assert abs(w['rest']) < 1e-9
PY
}

@test "why: a planted wrong answer, slow phase and waste of tokens each come first" {
    fields='fields=",\"usage\":{\"input_tokens\":10,\"output_tokens\":10},\"phases\":[{\"name\":\"think\",\"start_ms\":0,\"ms\":1}]"'
    session base "$fields"
    session wrong "$fields; [ \$q = two3 ] && out=no"
    session slow 'sleep 0.02; fields=",\"usage\":{\"input_tokens\":10,\"output_tokens\":10},\"phases\":[{\"name\":\"think\",\"start_ms\":0,\"ms\":1},{\"name\":\"search\",\"start_ms\":1,\"ms\":20}]"'
    session wordy 'fields=",\"usage\":{\"input_tokens\":10,\"output_tokens\":5000},\"phases\":[{\"name\":\"think\",\"start_ms\":0,\"ms\":1}]"'
    suite base wrong slow wordy
    adds_up base wrong
    jq -e '.factors[0].name == "accuracy" and .cases[0].case == "two-3" and .cases[0].outcome == "only A passes"' w.json
    jq -e '[.settings[].name] | index("config.style") != null' w.json
    adds_up base slow
    jq -e '.factors[0].name == "speed: search" and .factors[0].unit == "s"' w.json
    jq -e '(.factors[] | select(.name == "speed: think") | .part | fabs) < 0.001' w.json
    adds_up base wordy
    jq -e '.factors[0].name == "efficiency: tokens" and .factors[0].values == [20, 5010]' w.json
    # The other way round it is the same, with the other sign.
    assay why wordy base --json > back.json
    jq -es '(.[0].effect + .[1].effect | fabs) < 1e-12 and .[0].factors[0].name == .[1].factors[0].name' w.json back.json
    assay why base wrong > out
    grep -q '^wrong is behind base by 0\.' out
    grep -qE '^  accuracy +-0\.' out
    grep -qE '^  two/two-3 +-0\..*only A passes$' out
    grep -q '^  config.style: base, wrong$' out
    grep -q '^rule: ' out
    assay why base wrong two-3 > out
    grep -q '^two/two-3: only A passes; it adds -0\.' out
    fails_with 2 "have no case 'nine' in common" assay why base wrong nine
    fails_with 2 "takes two agents" assay why base
}

@test "why: values are means over the cases that both answered, not over all" {
    # fails every second case: 4 of 8 and 4 of 9 pairs have tokens, a cost and a time
    fields='fields=",\"usage\":{\"input_tokens\":10,\"output_tokens\":60}"'
    session base "$fields"
    session fails "$fields; case \$q in *[2468]) echo \"{\\\"id\\\":\$id,\\\"error\\\":\\\"no\\\"}\"; continue;; esac"
    suite base fails
    adds_up base fails
    jq -e '.factors[] | select(.name == "efficiency: tokens") | .values == [70, 70]' w.json
    jq -e '.factors[] | select(.name == "cost") | (.values[0] - 1 / (1 + 0.00007 / 0.01) | fabs) < 1e-9' w.json
    jq -e '.factors[] | select(.name == "reliability") | .values[0] == 1' w.json
}

@test "why: two agents that score the same are called equal" {
    session alpha 'fields='
    session gamma 'fields='
    suite alpha gamma
    sed -i '/targets:/d' s.yaml
    assay run s.yaml -q > /dev/null
    assay why alpha gamma --json | jq -r .sentence > said
    [ "$(cat said)" = "alpha and gamma have equal scores in all 17 cases." ]
}

@test "why: its time grows with the cases, not with their square" {
    needs_wall_clock
    for a in 0 1; do
        seq 10000 | awk -v a=$a '{ printf "{\"case\":\"c%d\",\"output\":\"%s\",\"phases\":[{\"name\":\"think\",\"start_ms\":0,\"ms\":%d}]}\n", $1, ($1 + a) % 3 ? $1 : "no", 1 + a }' > a$a.jsonl
    done
    seq 10000 | awk '{ printf "{\"id\":\"c%d\",\"input\":\"%d\",\"expected\":\"%d\"}\n", $1, $1, $1 }' > cases.jsonl
    cat > s.yaml <<'YAML'
suite: {id: big, category: accuracy, version: "1"}
agents: [{id: a, replay: {answers: a0.jsonl}}, {id: b, replay: {answers: a1.jsonl}}]
benchmarks:
  - id: x
    dataset: {source: cases.jsonl}
    targets: {duration_s: 0.01}
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml -q > /dev/null 2>&1
    begin=$SECONDS
    assay why a b --json > w.json
    within 5 "$begin"
    [ "$(jq '.cases | length' w.json)" = 10000 ]
}

# b1 has 10 cases, b2 has 20 and two prompts: pooled, or by prompt, levels are other ones.
@test "why: levels are those of versus, and benchmarks weigh the same whatever their cases and prompts" {
    {
        echo 'suite: {id: s}'
        echo 'agents:'
        echo "  - {id: a, process: {command: 'read n; case \$n in *q*) ;; *) [ \$n -le 10 ] || { echo no; exit; } ;; esac; echo a\${n##*q}'}}"
        echo "  - {id: b, process: {command: 'read n; [ \${n##*q} = 3 ] && echo no || echo a\${n##*q}'}}"
        echo 'benchmarks:'
        printf '  - id: b1\n    iterations: {warmup: 0, measured: 1}\n    targets: {duration_s: 0.01}\n    cases:\n'
        for i in $(seq 10); do echo "      - {id: x$i, input: '$i', expected: 'a$i'}"; done
        printf '  - id: b2\n    iterations: {warmup: 0, measured: 1}\n    targets: {duration_s: 0.01}\n    prompts: {p: "{{input}}", r: "q{{input}}"}\n    cases:\n'
        for i in $(seq 20); do echo "      - {id: y$i, input: '$i', expected: 'a$i'}"; done
    } > s.yaml
    assay run s.yaml -q > /dev/null
    adds_up a b
    jq -es '.[1].detailed_metrics[0] as $m | .[0].factors[] | select(.name == "accuracy") |
            .values == [$m.agent_a_score, $m.agent_b_score]' w.json v.json
    [ "$(jq '[.cases[].benchmark] | length' w.json)" = 50 ]
}
