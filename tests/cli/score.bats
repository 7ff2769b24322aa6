#!/usr/bin/env bats
# One score: from the answers to the number, its interval, and what it lacks.
load ../helper

@test "weights that add up to 1 give exactly 1, and the answer passes" {
    cat > w.yaml <<'END'
suite: {id: w}
agents: [{id: cat, process: {command: [cat]}}]
benchmarks:
  - id: good
    cases: [{id: a, input: x, expected: x}, {id: b, input: y, expected: y}]
    rubric: [{check: exact, weight: 0.3}, {check: contains, weight: 0.6}, {check: max_length, weight: 0.1, chars: 5}]
    iterations: {warmup: 0, measured: 2}
END
    assay run w.yaml -q
    assay show latest --json > out
    [ "$(jq -c '.cells[0].scores | [.accuracy.score, .pass_1.at_k, (.failures | length), .judged, .total]' out)" = '[1,1,0,2,2]' ]
    run assay show latest
    [[ $output != *"not passed"* ]]
}

@test "right in three of five passes is 0.6, or what reducer says" {
    cat > flaky <<'END'
#!/bin/sh
n=$(cat count 2> /dev/null || echo 0)
echo $((n + 1)) > count
[ $((n % 5)) -lt 3 ] && echo yes || echo no
END
    chmod +x flaky
    for reducer in mean median all; do
        rm -f count
        cat > r.yaml <<END
suite: {id: r-$reducer}
agents: [{id: flaky, process: {command: ["$PWD/flaky"]}}]
benchmarks:
  - {id: b, reducer: $reducer, pass_k: [1, 3], environment: {workdir: "$PWD"}, cases: [{id: a, input: q, expected: "yes"}], iterations: {warmup: 0, measured: 5}}
END
        assay run r.yaml -q
        assay show latest --json | jq -c '.cells[0].scores.accuracy.score' >> values
        # C(2,3) = 0 of C(5,3) = 10 draws have no right one; C(3,3) = 1 of 10 has only right ones
        [ "$(assay show latest --json | jq -c '[.cells[0].scores.pass[] | [.k, .at_k, (.all_k * 1e9 | round / 1e9)]]')" = '[[1,0.6,0.6],[3,1,0.1]]' ]
    done
    [ "$(paste -sd' ' values)" = "0.6 1 0" ]
    run assay show latest
    [[ $output == *"pass@3 1.000 ["*"], pass^3 0.100 ["* ]]
    sed -i 's/reducer: all/reducer: worst/' r.yaml
    run assay check r.yaml
    [ "$status" = 2 ]
    [[ $output == *"'reducer' must be one of mean, median, all"* ]]
}

@test "pass_k is no part of a benchmark's content" {
    s() { printf 'suite: {id: k}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: b, %s cases: [{input: a, expected: a}], iterations: {warmup: 0, measured: 2}}]\n' "$1"; }
    s "" > a.yaml
    s "pass_k: [2]," > b.yaml
    assay run a.yaml -q
    assay run b.yaml -q
    [ "$(sqlite3 .assay/assay.db "SELECT count(DISTINCT content_hash) FROM benchmarks WHERE name = 'b'")" = 1 ]
    [ "$(assay show latest --json | jq -c '.cells[0].scores.pass[0].k')" = 2 ]
}

@test "what the judge did not see is counted and marked" {
    cat > jd.yaml <<'END'
suite: {id: jd}
agents: [{id: cat, process: {command: [cat]}}]
judges: [{id: j, process: {command: "echo I am down >&2; exit 1"}}]
benchmarks:
  - id: b
    cases: [{id: easy1, input: a, expected: a}, {id: easy2, input: b, expected: b},
            {id: hard1, input: a, expected: z, rubric: [{check: judge, agent: j}]}, {id: hard2, input: b, expected: z, rubric: [{check: judge, agent: j}]}]
    iterations: {warmup: 0, measured: 1}
END
    run assay run jd.yaml
    [[ $output == *"not judged in all cases"* ]]
    run assay show latest
    [[ $output == *"1.000* "*"2 of 4 cases judged"* ]]
    [ "$(assay show latest --json | jq -c '.cells[0].scores | [.judged, .total, .partial]')" = '[2,4,true]' ]
    assay report latest --format html > r.html
    grep -q '2 of 4 cases judged' r.html
    assay report latest --format markdown > r.md
    grep -q '2 of 4 cases judged' r.md
}

@test "a group below its threshold scores 0" {
    cat > t.yaml <<'END'
suite: {id: t}
agents: [{id: a, process: {command: [echo, one]}}]
benchmarks:
  - id: b
    cases: [{id: a, input: q}]
    rubric: [{check: contains, weight: 0.5, text: [one]}, {group: g, weight: 0.5, threshold: 0.5, rubric: [{check: contains, text: [one, two, three]}]}]
    iterations: {warmup: 0, measured: 1}
END
    assay run t.yaml -q
    [ "$(assay show latest --json | jq -c '.cells[0].scores.accuracy.score')" = 0.5 ]
}

@test "metrics_measured takes known words, refuses others, and chooses what is shown" {
    m() { printf 'suite: {id: m}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: b, metrics_measured: [%s], cases: [{input: a, expected: a}], iterations: {warmup: 0, measured: 2}}]\n' "$1"; }
    m "speed, response_time, cost, efficiency, reliability" > m.yaml
    assay run m.yaml -q
    [ "$(sqlite3 .assay/assay.db "SELECT metrics_measured FROM benchmarks WHERE name = 'b'")" = \
        '["duration_s","cost_usd","tokens","cpu_s","memory_peak_mb","failure_rate"]' ]
    m "duration_s, accuracy" > n.yaml
    assay run n.yaml -q
    run assay show latest
    [[ $output == *duration_s* && $output != *memory_peak_mb* ]]
    m "accuracy, spede, throughput, beauty" > x.yaml
    run assay check x.yaml
    [ "$status" = 2 ]
    [[ $output == *"nothing measures 'spede'; did you mean 'speed'?"* ]]
    [[ $output == *"'throughput' is not measured here"*"duration_s"* ]]
    [[ $output == *"nothing measures 'beauty'"* ]]
}

@test "similarity is not computed by an embedder that nobody named" {
    s() { printf 'suite: {id: s}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: b, rubric: {check: similarity%s}, cases: [{input: a b, expected: a b}], iterations: {warmup: 0, measured: 1}}]\n' "$1"; }
    s "" > a.yaml
    run assay check a.yaml
    [ "$status" = 2 ]
    [[ $output == *"'similarity' needs a source of embeddings"* ]]
    s ", embedder: ngram" > b.yaml
    assay run b.yaml -q
    [ "$(assay show latest --json | jq -c '.cells[0].scores.accuracy.score')" = 1 ]
}

@test "report --format csv says of which agent, version and case each row is" {
    cat > c.yaml <<'YAML'
suite: {id: c}
agents: [{id: cat, version: "1,5", process: {command: cat}}]
benchmarks:
  - id: b
    iterations: {warmup: 0, measured: 2}
    cases: [{id: one, input: "1", expected: "1"}, {id: two, input: "2", expected: "3"}]
YAML
    assay run c.yaml -q > /dev/null
    assay report latest --format csv > out
    head -1 out | grep -q ',metric,unit,trial,value,status,agent,version,case$'
    [ "$(grep -c ',accuracy,.*,1,ok,cat,"1,5",one$' out)" = 2 ]
    [ "$(grep -c ',accuracy,.*,0,ok,cat,"1,5",two$' out)" = 2 ]
}

# gives ID COMMAND: an agent.
gives() { printf -- "- {id: %s, process: {command: '%s'}}\\n" "$1" "$2"; }

@test "giving up on slow cases makes nobody faster, in no command" {
    {
        printf 'suite: {id: s}\nagents:\n'
        gives honest 'read k n; if [ $k = slow ]; then sleep 0.1; echo x; else echo $n; fi'
        gives quitter 'read k n; if [ $k = slow ]; then exit 1; else echo $n; fi'
        printf 'benchmarks:\n- id: b\n  targets: {duration_s: 0.02}\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
        for i in {1..20}; do printf '  - {input: "%s %d", expected: "%d"}\n' "$([ "$i" -le 11 ] && echo slow || echo fast)" "$i" "$i"; done
    } > s.yaml
    assay run s.yaml -q > out
    grep -q '^honest is better than quitter' out
    jq -e '.rows | .[0].agent_name == "honest" and .[1].scores.speed.score == 0' <(assay leaderboard --json)
    jq -e '.overall_winner == "honest"' <(assay versus honest quitter --suite s --json)
    # and nothing passes by those that are left
    jq -e '.detailed_metrics[] | select(.metric == "speed") | .verdict_winner != "quitter"' <(assay versus honest quitter --suite s --json)
}

@test "who does not report what is dear has no score of it, wins nothing by it and passes no floor" {
    python3 - <<'PY'
import json
for name, hides in ("open", False), ("hider", True):
    with open(name + ".jsonl", "w") as f:
        for i in range(40):
            dear = i % 4 == 0
            answer = {"case": f"c{i}", "output": str(i)}
            if not (dear and hides):
                answer["usage"] = {"cost_usd": (0.2 if dear else 0.01) / (2 if hides else 1)}
            print(json.dumps(answer), file=f)
PY
    {
        printf 'suite: {id: s}\nagents: [{id: open, replay: {answers: open.jsonl}}, {id: hider, replay: {answers: hider.jsonl}}]\n'
        printf 'benchmarks:\n- id: b\n  targets: {cost_usd: 0.01}\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
        for i in {0..39}; do printf '  - {id: c%d, input: q%d, expected: "%d"}\n' "$i" "$i" "$i"; done
    } > s.yaml
    assay run s.yaml -q > /dev/null
    jq -e '.cells[1].scores | .cost.score == null and .cost.reason == "10 of 40 cases do not report their cost"' <(assay show latest --json)
    assay versus open hider --suite s --json > v.json
    jq -e '.overall_winner == null and ([.detailed_metrics[] | select(.metric == "cost") | .verdict_winner] == [null])' v.json
    jq -e '[.notes[] | select(startswith("cost: undecided: in 10 cases"))] | length == 1' v.json
    run assay run s.yaml -q --agent hider --fail-under 0.8
    [ "$status" = 4 ]
    [[ $output == *"answered cases do not report their cost or tokens"* ]]
}

@test "show, trend, gate, a claim and the speed score have one level of a time" {
    # Three passes of 1, 1, 9 twice and 8, 8, 8 (hundredths of a second): 1 over cases, 8 over trials.
    cat > lv.yaml <<'END'
suite: {id: lv, category: speed}
agents: [{id: a, version: "1", process: {command: [sh, -c, 'read c; n=$(cat "n.$c" 2> /dev/null || echo 0); echo $((n + 1)) > "n.$c"; case $c$n in c?) sleep 0.08 ;; ?2) sleep 0.09 ;; *) sleep 0.01 ;; esac; echo "$c"'], mode: oneshot}}]
benchmarks:
  - id: b
    targets: {duration_s: 0.02}
    cases: [{input: a, expected: a}, {input: b, expected: b}, {input: c, expected: c}]
    iterations: {warmup: 0, measured: 3}
claims: [{name: quick, metric: duration_s, expect: {at_most: 5}}]
END
    assay run lv.yaml -q > /dev/null
    assay show --json > show.json
    jq '.cells[0].metrics[] | select(.name == "duration_s")' show.json > m.json
    jq -e '.level_n == 3 and .n == 9 and .level < .median' m.json
    level=$(jq .level m.json)
    [ "$(assay trend duration_s --agent a --json | jq '.series[0].points[0] | select(.n == 3) | .value')" = "$level" ]
    [ "$(assay claims --json | jq '.claims[0] | select(.n == [0, 3]) | .value')" = "$level" ]
    echo 'block: [{metric: duration_s, above: 5}]' > gate.yaml
    assay gate gate.yaml --json | jq '.checks[0]' > check.json
    [ "$(jq .value check.json)" = "$level" ]
    jq -e --argjson level "$level" '.cells[0].scores.speed | .n == 3 and (0.02 * (1 / .score - 1) / $level - 1 | fabs) < 1e-9' show.json
    [ "$(assay show --brief --json | jq '.agents[0].median_s')" = "$level" ]
    # In words: with three digits, or four.
    short=$(jq -r '.sentence | capture("duration_s is (?<ms>[0-9.]+) ms .*n = 3;").ms' check.json)
    jq -e --argjson ms "$short" '(.level * 1000 / $ms - 1 | fabs) < 0.005' m.json
    assay show > out
    shown=$(awk '$1 == "duration_s" && $3 == "ms" { print $2 }' out)
    jq -e --argjson ms "$shown" '(.level * 1000 / $ms - 1 | fabs) < 0.0005' m.json
    grep -q 'of 9 trials: mean' out
    assay show --explain | grep -q 'none: it takes 6 cases, there are 3'
}

@test "an agent that answers nothing is no faster than one that answers little" {
    {
        printf 'suite: {id: s}\nagents:\n'
        gives never 'exit 1'
        gives seldom 'read n; [ $n -le 2 ] || exit 1; echo $n'
        printf 'benchmarks:\n- id: b\n  targets: {duration_s: 1, cpu_s: 1}\n  iterations: {warmup: 0, measured: 1}\n  cases:\n'
        for i in {1..20}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > s.yaml
    assay run s.yaml -q > /dev/null || true
    jq -e '[.cells[].scores.speed.score] == [0, 0]' <(assay show latest --json)
    jq -e '.cells | .[0].scores.overall.score < .[1].scores.overall.score' <(assay show latest --json)
}

@test "several prompts are the same cases, and decide no more than one" {
    python3 - <<'PY'
import json
for name, wrong in ("good", 4), ("weak", 8):
    with open(name + ".jsonl", "w") as f:
        for i in range(20): print(json.dumps({"case": f"c{i}", "output": "x" if i < wrong else str(i)}), file=f)
cases = "".join(f'  - {{id: c{i}, input: q{i}, expected: "{i}"}}\n' for i in range(20))
for n in 1, 5:
    prompts = ", ".join(f'p{k}: "{k} {{{{input}}}}"' for k in range(n))
    open(f"{n}.yaml", "w").write(f"suite: {{id: s}}\nprompts: {{{prompts}}}\nagents: [{{id: good, replay: {{answers: good.jsonl}}}}, {{id: weak, replay: {{answers: weak.jsonl}}}}]\n"
                                 f"benchmarks:\n- id: b\n  iterations: {{warmup: 0, measured: 1}}\n  cases:\n{cases}")
PY
    for n in 1 5; do
        assay run -q $n.yaml --store $n.db > /dev/null
        assay versus good weak --suite s --store $n.db --json |
            jq -c '[.detailed_metrics[] | select(.metric == "accuracy")][0] | [.verdict_winner, .effect, .n_cases // .n]' > versus-$n
        assay compare latest --metric accuracy --store $n.db --json | jq -c '[.wholes[] | .verdict] | unique' > compare-$n
    done
    diff versus-1 versus-5
    diff compare-1 compare-5
    jq -e '.[0] == null' versus-5
}
