#!/usr/bin/env bats
# claims: decided from stored samples, printed by run, show and claims.
load ../helper

# spec CLAIM...: three times the work, interleaved, and these claims about it.
spec() {
    printf '%s\n' 'experiment: spin' 'sweep: {rounds: [100000, 300000]}' \
        'iterations: {measured: 15}' 'claims:'
    printf '  - {%s}\n' "$@"
}
pair='metric: duration_s, compare: {param: rounds, from: 100000, to: 300000}'

@test "run ends with its claims, and with exit 1 when one fails" {
    spec "name: more work takes longer, $pair, expect: {gain: {min: 0.5, band: [1.9, 2.1]}}" \
        'name: it ends today, metric: duration_s, expect: {at_most: 86400}' \
        "name: so does the longer, $pair, expect: {at_most: 86400}" > s.yaml
    run assay run s.yaml
    [ "$status" = 0 ]
    [[ $output == *"holds      more work takes longer"*"promised 1.9 to 2.1 (15 pairs)"* ]]
    [[ ${lines[-1]} == "3 of 3 claims hold" ]]
    spec "name: more work is free, $pair, expect: {equal_within: 0.05}" > s.yaml
    fails_with 1 "0 of 1 claim holds" assay run s.yaml
    fails_with 1 "" assay run s.yaml --quiet
    run assay show
    [ "$status" = 0 ]
    [[ ${lines[-1]} == "0 of 1 claim holds" ]]
}

@test "claims: every key of assay.claims/1, exit codes" {
    spec "name: a, $pair, expect: {speedup: {max: 0.8}}" \
        'name: b, metric: duration_s, compare: {runs: [latest~5, this]}, expect: {gain: 0.1}' \
        > s.yaml
    assay run s.yaml --quiet
    assay claims --json > out
    [ "$(jq -c 'keys_unsorted' out)" = \
        '["schema","run","claims","holds","fails","undecided","total","readiness"]' ]
    [ "$(jq -c '.claims[0]|keys_unsorted' out)" = '["name","metric","group","before",'\
'"after","also","also_before","also_after","expect","outcome",'\
'"value","low","high","confidence","min","max","band","strict_band","n","paired","subjects","failed","silent","trials",'\
'"label","expected","reason","sentence","next"]' ]
    jq -e '.schema == "assay.claims/1" and .holds == 1 and .fails == 0 and .undecided == 1' out
    jq -e '.readiness == null and (.claims[0] | .after > 2 * .before and .group == null)' out
    jq -e '.claims[1] | .outcome == "undecided" and (.reason | contains("no latest~5"))' out
    fails_with 4 "1 of 2 claims hold" assay claims --decide
    fails_with 2 "--alpha must be" assay claims --alpha 0.9
    fails_with 2 "takes one run" assay claims a b
}

@test "claims about runs: this one against the one before" {
    spec 'name: nothing has changed much, metric: duration_s,
          compare: {runs: [latest~1, this]}, expect: {equal_within: 3}' > s.yaml
    assay run s.yaml --quiet
    plant 0.010 0.030
    assay run s.yaml --quiet || true # decided by this machine's mood: not asked
    plant 0.011 0.033
    assay claims --json > out
    jq -e '.claims[0] | .subjects == 2 and .outcome == "holds" and (.paired | not)' out
    plant 0.011 0.150
    fails_with 1 "0 of 1 claim holds" assay claims
}

@test "claims about agents: by case" {
    cat > suite.yaml <<'END'
suite: {id: words, name: Words, category: accuracy, version: "1"}
agents:
  - {id: cat, version: "1", process: {command: [cat], mode: oneshot}}
  - {id: rev, version: "1", process: {command: [rev], mode: oneshot}}
benchmarks:
  - id: echo
    cases: [{input: ab, expected: ab}, {input: cd, expected: cd}, {input: ef, expected: ef},
            {input: gh, expected: gh}, {input: ij, expected: ij}, {input: kl, expected: kl},
            {input: mn, expected: mn}, {input: op, expected: op}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
claims:
  - {name: cat repeats better, metric: accuracy, compare: {agents: [rev, cat]},
     expect: {difference: {min: 0.1}}}
  - {name: cat is right, metric: accuracy, expect: {at_least: 0.5}}
END
    assay run suite.yaml --quiet || true
    assay claims --json > out || true
    jq -e '.claims[0] | .outcome == "holds" and .n == [8,8] and .paired' out
    jq -e '.claims[1] | .outcome == "fails" and .subjects == 2' out
}

@test "claims about agents: two versions of one id are two agents" {
    cat > suite.yaml <<'END'
suite: {id: words, name: Words, category: accuracy, version: "1"}
agents:
  - {id: bot, version: "2", process: {command: [cat], mode: oneshot}}
  - {id: bot, version: "1", process: {command: [rev], mode: oneshot}}
benchmarks:
  - id: echo
    cases: [{input: ab, expected: ab}, {input: cd, expected: cd}, {input: ef, expected: ef},
            {input: gh, expected: gh}, {input: ij, expected: ij}, {input: kl, expected: kl},
            {input: mn, expected: mn}, {input: op, expected: op}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
claims:
  - {name: the second repeats better, metric: accuracy, compare: {agents: [bot@1, bot@2]},
     expect: {difference: {min: 0.1}}}
  - {name: the first repeats better, metric: accuracy, compare: {agents: [bot@2, bot@1]},
     expect: {difference: {min: 0.1}}}
END
    assay run suite.yaml --quiet || true
    assay claims --json > out || true
    jq -e '.claims[0] | .outcome == "holds" and .n == [8,8] and .paired' out
    jq -e '.claims[1] | .outcome == "fails" and .n == [8,8]' out
    sed 's/bot@1, bot@2/bot@1, bot@3/' suite.yaml > typo.yaml
    fails_with 2 "no agent 'bot@3' is in this suite; did you mean 'bot@2'?" assay check typo.yaml
}

@test "a run without claims claims nothing; no store, no claims" {
    fails_with 2 "there is no store" assay claims
    assay run --quiet -n 2 -- true
    run assay claims
    [ "$status" = 0 ]
    [[ $output == *"claims nothing" ]]
    assay claims --json | jq -e '.claims == [] and .total == 0'
}

# words VERSION ALPHA BETA: two agents of that version, told apart by what they run.
words() {
    cat <<END
suite: {id: words, name: Words, category: accuracy, version: "1"}
agents:
  - {id: alpha, version: "$1", process: {command: [$2], mode: oneshot}}
  - {id: beta, version: "$1", process: {command: [$3], mode: oneshot}}
benchmarks:
  - id: echo
    cases: [{input: ab, expected: ab}, {input: cd, expected: cd}, {input: ef, expected: ef},
            {input: gh, expected: gh}, {input: ij, expected: ij}, {input: kl, expected: kl},
            {input: mn, expected: mn}, {input: op, expected: op}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 1}
claims:
  - {name: better, metric: accuracy, compare: {versions: ["1", "2"]},
     expect: {difference: {min: 0.1}}}
  - {name: better than before, metric: accuracy, compare: {runs: [latest~1, this]},
     expect: {difference: {min: 0.1}}}
END
}

@test "claims about versions: each agent against itself, in whichever run it was" {
    words 1 rev rev > one.yaml
    assay run one.yaml --quiet
    assay claims --json > out
    jq -e '.claims[0] | .outcome == "undecided" and (.reason | contains("versions 1 and 2"))' out
    words 2 cat cat > two.yaml
    assay run two.yaml --quiet
    assay claims --json > out
    jq -e '[.claims[] | .outcome == "holds" and .subjects == 2 and .paired and .n == [8,8] and
            .value == 1] | all and length == 2' out
    # From the older run, the newer version is the one in the store.
    assay claims latest~1 --json | jq -e '.claims[0].outcome == "holds"'
}

@test "claims about versions: what one agent lost is not made up by the other" {
    words 1 cat rev > one.yaml
    words 2 rev cat > two.yaml
    assay run one.yaml --quiet || true
    fails_with 1 "0 of 2 claims hold" assay run two.yaml
    assay claims --json > out || true
    jq -e '[.claims[] | .outcome == "fails" and .value == -1 and
            (.label | contains("alpha"))] | all' out
}

@test "reports show the claims of their run, and end with how many hold" {
    spec "name: more work takes longer, $pair, expect: {gain: {min: 0.5, band: [1.9, 2.1]}}" \
        "name: more work is free, $pair, expect: {equal_within: 0.05}" > s.yaml
    assay run s.yaml --quiet --out results --report r.html || [ $? = 1 ]
    assay report --format markdown > r.md
    for file in r.md results/*/README.md; do
        grep -E '^\| more work takes longer \| holds \| gain of duration\\_s \| [0-9.]+ .s -.> [0-9.]+ .s duration\\_s \([0-9.]+ % more in pairs\) \| [0-9.]+ \| \\\[[0-9., ]+\\\] \(95 %\) \| at least 0\.5, promised 1\.9 to 2\.1 \| 15 pairs \|$' "$file"
        grep -E '^\| more work is free \| fails \| ratio of duration\\_s \|.* \(95 %\) \| 0\.9524 to 1\.05 \| 15 pairs \|$' "$file"
        [ "$(tail -n 1 "$file")" = "1 of 2 claims hold" ]
    done
    grep -F '<td>more work takes longer</td><td>holds</td><td>gain of duration_s</td>' r.html
    grep -F '<td>more work is free</td><td class="bad">fails</td>' r.html
    grep -F '1 of 2 claims hold' r.html
    run assay report --format text
    [[ ${lines[-1]} == "1 of 2 claims hold" ]]
    [ "$(assay report --format json | jq -c '.claims')" = "$(assay claims --json | jq -c '.claims')" ]
    [ "$(assay report --format json | jq -c '[.claims[].outcome]')" = '["holds","fails"]' ]
    assay run --quiet -n 2 -- true
    [ "$(assay report --format markdown | grep -ci claim)" = 0 ]
}

@test "a claim is decided by the cells of its own entry; of entries not run there is none" {
    cat > y.yaml <<'Y'
experiments:
  - {experiment: spin, tags: [a], params: {rounds: 1000}, iterations: {measured: 10}, claims: [{name: a thousand rounds take under 1 s, metric: duration_s, expect: {at_most: 1}}]}
  - {experiment: spin, tags: [b], params: {rounds: 8000000}, iterations: {measured: 6}, claims: [{name: eight million rounds take at least 2 ms, metric: duration_s, expect: {at_least: 0.002}}]}
  - {experiment: noop, tags: [c], iterations: {measured: 10}, claims: [{name: noop is fast, metric: duration_s, expect: {at_most: 1}}]}
Y
    assay run y.yaml -q
    assay claims --json | jq -e '[.claims[] | .outcome] == ["holds", "holds", "holds"]'
    assay claims --json | jq -e '[.claims[].subjects] | all(. == 1)'
    assay run y.yaml --only b -q
    assay claims --json | jq -e '[.claims[].name] == ["eight million rounds take at least 2 ms"]'
    assay claims --decide
}

@test "claims of the whole file are about every entry" {
    cat > y.yaml <<'Y'
claims: [{name: all are fast, metric: duration_s, expect: {at_most: 1}}]
experiments:
  - {experiment: spin, params: {rounds: 1000}, iterations: {measured: 8}}
  - {experiment: noop, iterations: {measured: 8}, claims: [{name: noop too, metric: duration_s, expect: {at_most: 1}}]}
Y
    assay run y.yaml -q
    assay claims --json | jq -e '[.claims[] | [.name, .outcome]] == [["all are fast", "holds"], ["noop too", "holds"]]'
    sqlite3 .assay/assay.db "SELECT claims -> 0 ->> 'entry', claims -> 1 ->> 'entry' FROM runs" | grep -x '|1'
    sqlite3 .assay/assay.db "SELECT group_concat(entry_index) FROM benchmark_executions" | grep -x '0,1'
}

@test "an undecided level says how many cases would decide it, not how many repeats" {
    {
        echo 'suite: {id: s}'
        echo "agents: [{id: a, process: {command: 'read n; [ \$n -gt 4 ] && echo \$n || echo no'}}]"
        echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 2}, cases: ['
        for n in $(seq 18); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
        echo 'claims: [{name: right, metric: accuracy, expect: {at_least: 0.6}}]'
    } > s.yaml
    assay run --quiet s.yaml || true
    run assay claims --json
    jq -r '.claims[0] | .outcome, .n[1], .next' <<< "$output" > said
    [ "$(sed -n 1,2p said | xargs)" = "undecided 18" ]
    grep -Eq '^measure about [0-9]{2} cases$' said
}

@test "--only makes the claims of what it names, and a part has no readiness" {
    cat > part.yaml << 'END'
iterations: {measured: 6}
experiments:
  - experiment: spin
    tags: [one, two]
    claims:
      - {name: first, group: One, metric: duration_s, expect: {at_most: 9}, tags: [one]}
      - {name: second, group: Two, metric: duration_s, expect: {at_least: 9}, tags: [two], reason: it is quick}
  - experiment: noop
    tags: [two]
    claims:
      - {name: third, group: Two, metric: duration_s, expect: {at_most: 9}}
END
    run assay run part.yaml
    [ "$status" = 1 ]
    [[ $output == *"fails because it is quick"*"2 of 3 claims hold"*"Readiness: 7.5 of 10"* ]]
    run assay run part.yaml --only one
    [ "$status" = 0 ]
    [[ $output == *"1 of 1 claim holds"* && $output != *Readiness* ]]
    assay claims --json > out
    jq -e '.readiness == null and [.claims[].name] == ["first"]' out
    run assay run part.yaml --only spin
    [[ $output == *"1 of 2 claims hold"* ]]
    run assay run part.yaml --only one --only two
    [[ $output == *"2 of 3 claims hold"*"Readiness: 7.5 of 10"* ]]
}

# agents CLAIMS AGENT:RIGHT...: agents that answer the first RIGHT of the cases of each benchmark
# rightly. BENCHMARKS are b1 and b2 with 20 cases each, unless said otherwise.
agents() {
    printf 'suite: {id: s}\nclaims:\n%s\nagents:\n' "$1"
    shift
    for one; do
        printf "  - {id: %s, version: '%s', process: {command: 'read n; [ \$n -le %d ] && echo a\$n || echo no'}}\n" \
            "${one%%:*}" "${VERSION:-1}" "${one##*:}"
    done
    echo 'benchmarks:'
    for b in ${BENCHMARKS:-b1 b2}; do
        printf '  - id: %s\n    iterations: {warmup: 0, measured: 1}\n    cases:\n' "$b"
        for i in $(seq "${CASES:-20}"); do echo "      - {id: $b-$i, input: '$i', expected: 'a$i'}"; done
    done
}

@test "good agents beside a bad one make no claim pass" {
    level='  - {name: right, metric: accuracy, expect: {at_least: 0.9}}'
    BENCHMARKS=b1 agents "$level" bot:13 > s.yaml
    run assay run s.yaml --quiet
    [ "$status" = 1 ]
    assay claims --json | jq -c '.claims[0] | [.outcome, .low, .high]' > alone || true
    BENCHMARKS=b1 agents "$level" bot:13 g1:20 g2:20 g3:20 g4:20 g5:20 g6:20 g7:20 g8:20 g9:20 g10:20 g11:20 > s.yaml
    run assay run s.yaml --quiet
    [ "$status" = 1 ]
    run assay claims --json
    [ "$status" = 1 ]
    [ "$(jq -c '.claims[0] | [.outcome, .low, .high]' <<< "$output")" = "$(cat alone)" ]
}

@test "the mean over the benchmarks of one agent fails a claim, whoever else is there" {
    level='  - {name: right, metric: accuracy, expect: {at_least: 0.9}}'
    BENCHMARKS="b1 b2 b3" agents "$level" bot:15 good:20 fine:20 > s.yaml
    run assay run s.yaml --quiet
    [ "$status" = 1 ]
    run assay claims
    [ "$status" = 1 ]
    [[ $output == *"3 of 9 cells together, of bot"* ]]
}

@test "a claim about cost does not hold by the cases that report it" {
    {
        echo 'suite: {id: s}'
        echo "agents: [{id: bot, process: {command: 'read n; echo \$n; [ \$n -gt 106 ] || echo \"{\\\"cost_usd\\\": 0.001}\" >&\$ASSAY_USAGE_FD'}}]"
        echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ['
        for n in $(seq 101 130); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
        echo 'claims: [{name: cheap, metric: cost_usd, expect: {at_most: 0.02}}]'
    } > s.yaml
    assay run --quiet s.yaml
    fails_with 4 undecided assay claims --decide
    assay claims --json | jq -e '.claims[0] | .outcome == "undecided" and .failed == 0 and .silent == 24 and
        (.reason | startswith("24 of 30 trials succeeded without reporting cost_usd")) and
        .next == "let the agent report cost_usd of each trial, and run it again"'
}

# undecided TEXT: the only claim of the newest run is, for that reason.
undecided() {
    assay claims --json > out
    [ "$(jq -r '.claims[0].outcome' out)" = undecided ]
    jq -r '.claims[0].reason' out | grep -qF "$1"
}

same='expect: {difference: {min: -0.9}}'

@test "a claim over runs is undecided without a benchmark that the baseline has" {
    agents "  - {name: no worse, metric: accuracy, compare: {runs: [latest~1, this]}, $same}" bot:18 > s.yaml
    assay run s.yaml --quiet > /dev/null
    assay run s.yaml --quiet > /dev/null
    [ "$(assay claims --json | jq -r '.claims[0].outcome')" = holds ]
    assay run s.yaml --only b1 --quiet > /dev/null
    undecided "nothing was measured of 1 cell that it is about as well (b2, bot 1)"
    assay run s.yaml --quiet > /dev/null # more than before: nothing is missing
    [ "$(assay claims --json | jq -r '.claims[0].outcome')" = holds ]
}

@test "a claim over versions is undecided where a benchmark has other cases or is gone" {
    claim="  - {name: no worse, metric: accuracy, compare: {versions: ['1', '2']}, $same}"
    agents "$claim" bot:18 > s.yaml
    assay run s.yaml --quiet > /dev/null
    VERSION=2 agents "$claim" bot:18 > s.yaml
    sed -i '/id: b2-20,/d' s.yaml
    assay run s.yaml --quiet > /dev/null
    undecided "1 cell that it is about as well (b2, bot 1)"
    VERSION=2 BENCHMARKS=b1 agents "$claim" bot:18 > s.yaml
    assay run s.yaml --quiet > /dev/null
    undecided "1 cell that it is about as well (b2, bot 1)"
    VERSION=2 agents "$claim" bot:18 > s.yaml
    assay run s.yaml --quiet > /dev/null
    [ "$(assay claims --json | jq -r '.claims[0].outcome')" = holds ]
}

@test "a level is undecided where an agent of the run could not start" {
    BENCHMARKS=b1 agents '  - {name: right, metric: accuracy, expect: {at_least: 0.5}}' bot:20 > s.yaml
    assay run s.yaml --quiet > /dev/null
    [ "$(assay claims --json | jq -r '.claims[0].outcome')" = holds ]
    sed -i "s|^benchmarks:|  - {id: absent, version: '1', process: {command: /nonexistent}}\n&|" s.yaml
    run assay run s.yaml --quiet
    [ "$status" = 1 ]
    undecided "(b1, agent=absent)"
}
