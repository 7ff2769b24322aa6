#!/usr/bin/env bats
# compare: plain files, runs, result files; the JSON that others lean on.
load ../helper

# Numbers around a level, from awk's own seeded generator: normal, 1 % wide.
noise() { # N LEVEL SEED
    awk -v n="$1" -v level="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            z = 0
            for (k = 0; k < 12; k++) z += rand()
            printf "%.9g\n", level * (1 + 0.01 * (z - 6))
        }
    }'
}

@test "samples: every key of assay.compare/1, in its place" {
    noise 20 10 1 > a
    noise 20 8 2 > b
    assay compare --samples a b --json > out
    [ "$(wc -l < out)" = 1 ]
    [ "$(jq -c 'keys_unsorted' out)" = \
        '["schema","p","n","verdict","kind","confidence","effect","tests","summary","mde","reasons","notes","sentence","next"]' ]
    [ "$(jq -c '.effect|keys_unsorted' out)" = \
        '["ratio","low","high","shift","shift_low","shift_high","cliffs_delta"]' ]
    [ "$(jq -c '.tests|del(.signed_rank)|map_values(keys_unsorted)' out)" = \
        '{"mann_whitney":["u","p","method"],"welch":["t","df","p"],"ks":["d","p","method"]}' ]
    [ "$(jq -c '[.summary[]|keys_unsorted]|unique' out)" = \
        '[["mean","sd","median","centre","mad","p95","p99"]]' ]
    jq -e '.schema == "assay.compare/1" and .n == [20,20] and .verdict == "better"' out
    jq -e '.effect | .low < 0.8 and .high > 0.8 and .high < 0.83 and .cliffs_delta == -1' out
    jq -e '.tests.mann_whitney | .u == 400 and .method == "exact"' out
    jq -e '.tests.signed_rank == null and .next == null' out
    jq -e '.notes == [] and (.sentence | startswith("better: B is 0."))' out
}

@test "samples: the verdict speaks of B, in the direction asked for" {
    noise 20 10 1 > a
    noise 20 8 2 > b
    [ "$(assay compare --samples a b --quiet)" = better ]
    [ "$(assay compare --samples b a --quiet)" = worse ]
    [ "$(assay compare --samples a b --direction higher --quiet)" = worse ]
    noise 200 10 3 > c
    noise 200 10 4 > d
    [ "$(assay compare --samples c d --quiet)" = equivalent ]
    [ "$(assay compare --samples c d --quiet --equivalence 0)" = undecided ]
}

@test "samples: a sentence, a table, and both distributions on one scale" {
    noise 30 10 1 > a
    noise 30 8 2 > b
    run assay compare --samples a b
    [ "$status" = 0 ]
    [[ ${lines[0]} == "better: B is 0."*"95 % interval"*"(n = 30 and 30)" ]]
    [[ $output == *median*mean*sd*p95* && $output == *█* && $output == *"Cliff's delta -1.00"* ]]
}

@test "samples: CSV columns, comments, standard input" {
    printf '# made\nt,x\n1,5\n2,6\n' > a.csv
    assay compare --samples a.csv a.csv --column x --json | jq -e '.summary[0].mean == 5.5'
    printf '5 # five\n\n6\n' | assay compare --samples - a.csv --json > out 2> err && false
    grep -q "a.csv:2: 't,x' is not a number; for a CSV file name the column" err
    printf '5 # five\n\n6\n' > b
    assay compare --samples - b --json < b | jq -e '.n == [2,2]'
}

@test "samples: bad input is named with its place, exit 2" {
    printf '1\n2\nzwei\n' > a
    fails_with 2 "a:3: 'zwei' is not a number" assay compare --samples a a
    fails_with 2 "no-such-file" assay compare --samples no-such-file a
    printf '1\n2\n' > b
    printf '1\n2\n3\n' > c
    fails_with 2 "A has 2, B has 3" assay compare --samples b c --paired
    fails_with 2 "--alpha must be above 0" assay compare --samples b b --alpha 0
    fails_with 2 "must be at least 0" assay compare --samples b b --equivalence -1
    fails_with 2 "--direction must be" assay compare --samples b b --direction up
    fails_with 2 "--fail-on must be one of" assay compare --samples b b --fail-on wrose
    fails_with 2 "takes a baseline A and a contender B" assay compare --samples b
    fails_with 2 "no column 'y'" assay compare --samples b b --column y
}

# verdict_of A B WORD: undecided, exit 0, and a note or sentence with the word.
undecided_with() {
    assay compare --samples "$1" "$2" --json > out
    jq -e --arg word "$3" '.verdict == "undecided" and
        ((.notes + [.sentence]) | any(contains($word)))' out > /dev/null ||
        { cat out; false; }
}

@test "samples: one value, few, constant, NaN: an answer, never a false verdict" {
    echo 5 > one
    echo 6 > other
    printf '%s\n' 1 2 3 > three
    printf '%s\n' 4 5 6 > higher
    yes 5 | head -n 20 > constant
    printf '%s\n' nan nan NaN > nothing
    undecided_with one other "one value: its noise is unknown"
    undecided_with three higher "too few for any interval"
    undecided_with nothing three "3 values that are NaN"
    assay compare --samples constant constant --json > out
    jq -e '.verdict == "equivalent" or .verdict == "undecided"' out
    jq -e '.notes | any(contains("all 20 values of A are equal"))' out
    jq -e '.mde == null' out
    printf '%s\n' -1 0 1 2 3 -2 > around
    assay compare --samples around around --json > out
    jq -e '.effect.ratio == null and (.notes | any(contains("there is no ratio")))' out
}

@test "samples: inf is a time-out, the worst of all; what is NaN passes no check" {
    seq 20 | awk '{ print 10.4 + $1 / 100 }' > a
    { seq 10 | awk '{ print 9.4 + $1 / 100 }'; yes inf | head -n 10; } > b
    assay compare --samples a b --json > out
    jq -e '.n == [20,20] and .verdict != "better" and (.reasons | index("censored"))' out
    fails_with 4 undecided assay compare --samples a b --quiet --decide
    yes inf | head -n 20 > c
    fails_with 1 worse assay compare --samples a c --quiet --fail-on worse
    assay compare --samples c c > /dev/null
    fails_with 2 "b:11: inf is a value that nobody saw the end of" \
        assay compare --samples a b --direction higher
    printf '1\n-inf\n' > below
    fails_with 2 "below:2: '-inf' is not a number that was measured" assay compare --samples a below
    { head -n 10 b; yes nan | head -n 10; } > lost
    [ "$(assay compare --samples a lost --quiet)" = better ]
    fails_with 4 better assay compare --samples a lost --quiet --decide
    fails_with 4 better assay compare --samples a lost --quiet --fail-on worse
    fails_with 4 worse assay compare --samples lost a --quiet --fail-on equivalent
    fails_with 1 better assay compare --samples a lost --quiet --fail-on undecided
    fails_with 1 worse assay compare --samples lost a --quiet --fail-on worse --decide
}

@test "samples: identical inputs never come out better or worse" {
    for n in 1 2 3 5 6 10 40; do
        noise "$n" 10 "$n" > a
        for how in "" --paired "--direction higher" "--alpha 0.4"; do
            # shellcheck disable=SC2086
            verdict=$(assay compare --samples a a --quiet $how)
            [ "$verdict" = undecided ] || [ "$verdict" = equivalent ]
        done
    done
}

@test "samples: pairs cancel what both share" {
    noise 12 10 1 > a
    awk '{ print $1 * 1.01 + NR }' a > b
    awk '{ print $1 + NR }' a > a2
    [ "$(assay compare --samples a2 b --quiet --equivalence 0)" = undecided ]
    [ "$(assay compare --samples a2 b --quiet --equivalence 0 --paired)" = worse ]
    assay compare --samples a2 b --paired --json | jq -e '.tests.signed_rank.p < 0.01'
}

@test "exit codes: verdicts are not failures unless asked for" {
    noise 20 10 1 > a
    noise 20 8 2 > b
    assay compare --samples b a --quiet
    fails_with 1 worse assay compare --samples b a --quiet --fail-on worse
    fails_with 1 worse assay compare --samples b a --quiet --fail-on undecided,worse
    assay compare --samples a b --quiet --fail-on worse --decide
    echo 1 > one
    fails_with 4 undecided assay compare --samples one one --quiet --decide
}

@test "runs: every key of assay.compare_runs/1; p adjusted over the cells of a metric" {
    assay run --quiet -n 12 -- true
    assay run --quiet -n 12 -- sleep 0.01
    assay compare latest~1 latest --json > out
    [ "$(jq -c 'keys_unsorted' out)" = '["schema","a","b","alpha","equivalence","adjust",'\
'"comparisons","wholes","cells","rows","refused","unmatched","notes"]' ]
    jq -e '.schema == "assay.compare_runs/1" and .a.run != .b.run' out
    # A busy machine can make these few trials resemble each other: then undecided.
    jq -e '.rows[0] | .metric == "duration_s" and .primary and (.paired | not) and
        .p_adjusted >= .p and .effect.ratio > 1 and
        (.verdict == "worse" or (.verdict == "undecided" and .notes != []))' out
    jq -e '.cells[0].reliability | .ok == [12,12] and .attempted == [12,12]' out
    jq -e '.notes | any(contains("parameter command is"))' out
    run assay compare latest~1 latest
    [[ $output == *"duration_s: "*": B is "* && $output == *"one after the other"* ]]
}

@test "runs: arms of one run are paired; cells by number; selectors" {
    assay run --quiet -n 12 -c true -c 'sleep 0.01'
    plant 0.001 0.011
    assay compare latest --json > out
    jq -e '.rows[0] | .paired and .verdict == "worse" and .n == [12,12]' out
    [ "$(assay compare latest:1 latest:0 --metric duration_s --quiet)" = better ]
    verdict=$(assay compare latest:0 latest:0 --quiet)
    [ "$verdict" = undecided ] || [ "$verdict" = equivalent ]
    id=$(assay list --json | jq -r '.runs[0].id')
    assay compare "$id:0" "${id:0:18}:1" --quiet
    fails_with 2 "has no cell 7" assay compare latest:7 latest:0
    fails_with 2 "there is no latest~9" assay compare latest~9 latest
    fails_with 2 "is not a run, agent, pinned name, result file" assay compare nobody latest
    fails_with 2 "made on branch 'nowhere'" assay compare branch:nowhere latest
    fails_with 2 "no cell gives 'speed'" assay compare latest:0 latest:1 --metric speed
}

@test "runs: result files and folders, with and without a store" {
    assay run --quiet -n 8 -c true -c 'sleep 0.01' --out results
    folder=$(echo results/*)
    rm -rf .assay
    assay compare "$folder/cell-000.json" "$folder/cell-001.json" --json > out
    jq -e '.rows[0] | .paired and .verdict == "worse"' out
    assay compare "$folder" "$folder" --json | jq -e '.cells | length == 2'
    fails_with 2 "cannot open" assay compare nowhere.json "$folder"
    sed 's/"unit": "s"/"unit": "ms"/' "$folder/cell-001.json" > other.json
    fails_with 2 "its unit is 's' in A and 'ms' in B" \
        assay compare "$folder/cell-000.json" other.json
    sed 's/duration\/1/duration\/2/' "$folder/cell-001.json" > other.json
    fails_with 2 "it is defined as 'duration/1' in A and 'duration/2' in B" \
        assay compare "$folder/cell-000.json" other.json
}

@test "runs: AgentFarm's files compare with each other, not with ours" {
    for side in a b; do
        jq -n --arg side "$side" '{name: "observation_flow", run_id: "1DDXM87Q", parameters: {n: 1},
            iteration_metrics: [range(12) | {index: ., duration_s: (0.003 + (. * 7 % 12) * 1e-6 +
            (if $side == "b" then 0.001 else 0 end)), metrics: {observes_per_sec: (1889 + . * 5 % 12)}}],
            status: "success"}' > $side.json
    done
    assay compare a.json b.json --json > out
    jq -e '[.rows[] | {(.metric): .verdict}] | add |
        .duration_s == "worse" and .observes_per_sec == "equivalent"' out
    fails_with 1 worse assay compare a.json b.json --quiet --fail-on worse
    sed 's/observation_flow/memory_db/' b.json > c.json
    fails_with 2 "they measure different things" assay compare a.json c.json
    # The same file, read directly and imported: the same metrics with the same meaning.
    jq '.iteration_metrics |= map(.metrics += {x_us: 7.5, speedup: 2})' a.json > d.json
    assay import d.json
    assay compare d.json latest --json > out
    jq -e '[.rows[] | {metric, unit, direction}] | sort_by(.metric) ==
        [{metric: "duration_s", unit: "s", direction: "lower"},
         {metric: "observes_per_sec", unit: "1/s", direction: "higher"},
         {metric: "speedup", unit: "1", direction: "higher"},
         {metric: "x_us", unit: "us", direction: "lower"}]' out
    local dir=$ROOT/../shared/data/agentfarm/results
    [ -d "$dir" ] || return 0
    assay compare "$dir/batch_10.json" "$dir/batch_100.json" --json > out
    jq -e '[.rows[].verdict] | unique == ["undecided"]' out
}

@test "runs: a cell that only A has is not decided" {
    printf 'case,level\n%s' "$(for i in {1..12}; do printf 'a,%s\nb,%s\n' $((1000 + i * 7 % 5)) $((1000 + i * 7 % 5)); done)" > two.csv
    grep -v '^b' two.csv > one.csv
    for f in two one; do assay import $f.csv --by case --column level --agent bot --version $f -q; done
    run assay compare latest~1 latest --metric level --direction lower --decide --fail-on worse
    [ "$status" = 4 ]
    [[ $output == *equivalent* && $output == *"only A has"* ]]
    run assay compare latest~1 latest --metric level --direction lower --fail-on worse --quiet
    [ "$status" = 4 ]
    run assay compare latest~1 latest --metric level --direction lower --fail-on undecided --quiet
    [ "$status" = 1 ]
    assay compare latest~1 latest --metric level --direction lower --quiet
    # What only B has is new, not missing.
    assay compare latest latest~1 --metric level --direction lower --decide --fail-on worse --quiet
}

# agent VERSION COMMAND: 20 cases of one benchmark, and what answers them.
agent() {
    printf "suite: {id: s}\nagents: [{id: bot, version: '%s', process: {command: '%s'}}]\n" "$1" "$2"
    printf 'benchmarks:\n  - id: b\n    iterations: {warmup: 0, measured: 1}\n    cases:\n'
    for i in $(seq 20); do echo "      - {id: c$i, input: '$i', expected: 'a$i'}"; done
}

@test "runs: values that only A has pass no check" {
    printf '%s\n' 'read n' 'echo "{\"cost_usd\": 0.01}" >&$ASSAY_USAGE_FD' 'echo a$n' > a.sh
    agent 1 "sh $PWD/a.sh" > s.yaml
    agent 2 'read n; echo a$n' > t.yaml
    assay run s.yaml --quiet > /dev/null
    assay run t.yaml --quiet > /dev/null
    run assay compare bot@1 bot@2 --fail-on worse
    [ "$status" = 4 ] || [ "$status" = 1 ] # the machine may make the second slower
    [[ $output == *"20 of 20 cases of B do not report cost_usd"* ]]
    # What only B has is new.
    run assay compare bot@2 bot@1 --metric accuracy --fail-on worse
    [ "$status" = 0 ]
}

@test "runs: all failures, and one sample, are told and not judged" {
    assay run --quiet -n 3 -- true
    run assay run --quiet -n 3 -- false
    [ "$status" != 0 ]
    assay compare latest~1 latest --json > out
    jq -e '.rows[0] | .verdict == "undecided" and .n[1] == 0 and .p == null' out
    jq -e '.notes | any(contains("trials of B failed"))' out
    assay run --quiet -n 1 -- true
    assay compare latest latest --json | jq -e '[.rows[].verdict] | all(. == "undecided")'
}

@test "runs: --until-decided measures both again, in turns, until there is a verdict" {
    assay run --quiet -n 3 -- true
    assay run --quiet -n 3 -- sleep 0.02
    [ "$(assay compare latest~1 latest --quiet)" = undecided ]
    assay compare latest~1 latest --until-decided --budget 40 --json > out 2> err
    grep -q "decided after [124]0 rounds" err
    jq -e '.rows | length == 1 and (.[0] | .verdict == "worse" and .paired)' out
    jq -e '.alpha < 0.05' out
    run assay compare latest latest --until-decided
    [[ $output == *"needs one cell a side"* ]]
}

@test "runs: drift that both arms share is decided in pairs, and undecided without" {
    # Real arms; in place of their durations, a level that wanders from 10 ms to 40 ms
    # under both, 2 % of which only B has, and 0.3 % of noise.
    assay run --quiet -n 16 -c true -c 'true 1' --out results
    for arm in 0 1; do
        jq --argjson arm $arm '.iteration_metrics |= map((.index) as $i |
            ((0.010 + 0.002 * $i) * (1 + 0.02 * $arm) * (1 + 0.003 * ((($i * 7 + $arm * 5) % 11) / 5 - 1)))
            as $d | .duration_s = $d | .metrics.duration_s = $d)' results/*/cell-00$arm.json > $arm.json
    done
    assay compare 0.json 1.json --metric duration_s --equivalence 0 --json > out
    jq -e '.rows[0] | .paired and .verdict == "worse" and .n == [16,16]' out
    # The same numbers, had they been of two runs.
    sed -i 's/"run_id": "[^"]*"/"run_id": "another"/' 1.json
    assay compare 0.json 1.json --metric duration_s --equivalence 0 --json > out
    jq -e '.rows[0] | (.paired | not) and .verdict == "undecided"' out
}

@test "show and compare give one answer to one question" {
    echo '{experiment: spin, sweep: {rounds: [1000, 1050]}, iterations: {measured: 200}}' > s.yaml
    assay run s.yaml --quiet
    shown=$(assay show --json | jq -c '.comparisons[0] | [.ratio, .ratio_low, .ratio_high]')
    [ "$shown" = "$(assay compare latest --metric duration_s --json |
        jq -c '.rows[0].effect | [.ratio, .low, .high]')" ]
}

# Four agents over the same twelve cases: alike, wrong, and slow.
agents_suite() {
    cat > suite.yaml <<'END'
suite: {id: words, name: Words, category: accuracy, version: "1"}
agents:
  - {id: cat, version: "1", process: {command: [cat], mode: oneshot}}
  - {id: dog, version: "1", process: {command: [sh, -c, cat], mode: oneshot}}
  - {id: rev, version: "1", process: {command: [rev], mode: oneshot}}
  - {id: slow, version: "1", process: {command: [sh, -c, "sleep 0.03; cat"], mode: oneshot}}
benchmarks:
  - id: other
    cases: [{input: aa, expected: aa}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 1}
  - id: echo
    dataset: {source: cases.jsonl}
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 1, measured: 1}
claims: [{name: all right, metric: accuracy, expect: {at_least: 0.9}}]
END
    for word in ab cd ef gh ij kl mn op qr st uv wx; do
        printf '{"input": "%s", "expected": "%s"}\n' $word $word
    done > cases.jsonl
    assay run suite.yaml --quiet --only echo || true
}

@test "runs: --until-decided asks agents again, in turns, pairs by case" {
    agents_suite
    assay compare latest:0 latest:2 --until-decided --budget 40 --metric accuracy --json > out 2> err
    grep "decided after 12 rounds and 1 look," err
    jq -e '.rows | length == 1 and (.[0] | .verdict == "worse" and .paired and .n == [12,12])' out
    # Alike in every answer: never better or worse.
    assay compare latest~1:0 latest~1:1 --until-decided --budget 40 --metric accuracy --json > out
    # Twelve equal cases rule out a change of a fifth, not of 3 points.
    jq -e '.rows[0] | .verdict == "undecided" and .paired and .n == [12,12] and .effect.shift == 0' out
    assay compare latest~2:0 latest~2:3 --until-decided --budget 24 --json > out
    jq -e '.rows[0] | .metric == "duration_s" and .verdict == "worse" and .paired' out
    # What is kept: the one benchmark, both agents, every case, taking turns.
    assay report --format json > run.json
    jq -e '[.cells[] | .label] | length == 2' run.json
    assay show --spec | jq -e '[.agents[].id] == ["cat","slow"] and
        ([.benchmarks[].id] == ["echo"]) and (has("claims") | not)'
}

@test "runs: --until-decided on agents never finds what is not there" {
    agents_suite
    for try in 1 2 3; do
        assay compare latest:0 latest:1 --until-decided --budget 48 --quiet \
            --metric accuracy > out
        grep -E '^(equivalent|undecided)$' out
    done
    # Not even of an agent with itself.
    assay compare latest:0 latest:0 --until-decided --budget 24 --metric accuracy --quiet > out
    grep -E '^(equivalent|undecided)$' out
}

@test "runs: --until-decided on versions of an agent, and what cannot be asked again" {
    agents_suite
    sed -i 's/id: cat, version: "1", process: {command: \[cat\]/id: cat, version: "2", process: {command: [rev]/' suite.yaml
    assay run suite.yaml --quiet --only echo || true
    assay compare latest~1:0 latest:0 --until-decided --budget 24 --metric accuracy --json > out
    jq -e '.rows[0] | .verdict == "worse" and .n == [12,12]' out
    assay run suite.yaml --quiet --only other || true
    fails_with 2 "different benchmarks" assay compare latest:0 latest~2:0 --until-decided
    echo '{"input": "yz", "expected": "yz"}' >> cases.jsonl
    fails_with 2 "is not what it was" assay compare latest~2:0 latest~2:1 --until-decided
    rm cases.jsonl
    fails_with 2 "cannot be rebuilt" assay compare latest~2:0 latest~2:1 --until-decided
}

@test "runs: --until-decided finds agents that the suite has by name" {
    agents_suite
    printf '%s\n' '- {id: cat, version: "1", process: {command: [cat], mode: oneshot}}' \
        '- {id: rev, version: "1", process: {command: [rev], mode: oneshot}}' > agents.yaml
    assay agents add agents.yaml --quiet
    sed -i -e '/^  - {id: .*mode: oneshot}}$/d' -e 's/^agents:$/agents: [cat, rev]/' suite.yaml
    assay run suite.yaml --quiet --only echo || true
    rm agents.yaml
    assay compare latest:0 latest:1 --until-decided --budget 40 --metric accuracy --json > out
    jq -e '.rows[0] | .verdict == "worse" and .paired and .n == [12,12]' out
    assay show --spec | jq -e '[.agents[].process.command[0]] == ["cat","rev"]'
    # Only named since: the definition is still there.
    assay record --quiet --task t --duration 1 --success true --agent cat
    assay compare latest~1:0 latest~1:1 --until-decided --budget 12 --metric accuracy --json > out
    jq -e '.rows[0].verdict == "worse"' out
}

@test "samples whose mean is beyond all numbers: no nan, no inf" {
    printf '%s\n' 1e308 1e308 -1e308 1e308 1e308 -1e308 1e308 > a
    printf '%s\n' 1 2 3 4 5 6 7 > b
    run assay compare --samples a b
    [[ $output == *"Welch p = -, "* && $output == *"(n = 7 and 7)"* ]]
    [[ $output != *nan* && $output != *inf\ %* ]]
}

@test "runs: --until-decided on two prompts of one agent" {
    cat > suite.yaml <<'END'
suite: {id: words, category: accuracy}
agents: [{id: shell, process: {command: [sh], mode: oneshot}}]
prompts: {good: "echo {{input}}", bad: "echo {{input}}x"}
benchmarks:
  - id: echo
    cases: [{input: ab, expected: ab}, {input: cd, expected: cd}, {input: ef, expected: ef},
            {input: gh, expected: gh}, {input: ij, expected: ij}, {input: kl, expected: kl},
            {input: mn, expected: mn}, {input: op, expected: op}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 1}
END
    assay run suite.yaml --quiet
    assay compare latest:0 latest:1 --until-decided --metric accuracy --budget 16 --json > out
    jq -e '.rows[0] | .verdict == "worse" and .paired and .n == [8,8]' out
}

@test "peaks of the smallest programs may be that of our own process: not compared" {
    [ -z "$ASSAY_SAN" ] || skip "a sanitized keeper is not small"
    cat > small.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atol(argv[1]) : 1;
    char *p = malloc(n);
    memset(p, 1, n);
    return p[n / 2] != 1;
}
C
    cc -O0 -static -o small small.c
    assay run --quiet -n 8 -- ./small
    assay run --quiet -n 8 -- ./small
    assay compare latest~1 latest --json > out
    jq -e '[.rows[].metric] | index("memory_peak_mb") == null' out
    jq -e '.refused | any(.metric == "memory_peak_mb" and (.reason | contains("below 1 MB")))' out
    # The starter has 0.6 MB: what is above it is the program's own.
    assay run --quiet -n 8 -L n 1,900000 -- ./small '{n}'
    assay compare latest --json | jq -e '.rows[] | select(.metric == "memory_peak_mb") | .verdict == "worse"'
}

@test "too few cases: more of them are asked for, not more passes" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: a, process: {command: [cat]}}]
benchmarks:
  - {id: b, cases: [{input: x, expected: x}, {input: y, expected: y}], iterations: {warmup: 0, measured: 4}}
YAML
    assay run s.yaml -q
    assay run s.yaml -q
    assay compare latest~1 latest > out
    grep -q 'no 95 % interval exists for so few pairs (n = 2 and 2): 6 have one; measure more trials, or of a suite more cases' out
}

@test "after a new version of one agent it is compared with itself, never with another" {
    cat > m.yaml <<'YAML'
suite: {id: m}
agents: [{id: slow, version: "1", process: {command: 'sleep 0.01; cat'}}, {id: fast, version: "1", process: {command: [cat]}}]
benchmarks:
  - id: echo
    cases: [{input: a, expected: a}, {input: b, expected: b}, {input: c, expected: c}, {input: d, expected: d},
            {input: e, expected: e}, {input: f, expected: f}, {input: g, expected: g}, {input: h, expected: h}]
    iterations: {warmup: 0, measured: 1}
YAML
    sed 's/id: fast, version: "1"/id: fast, version: "2"/' m.yaml > m2.yaml
    assay run m.yaml -q
    assay run m2.yaml --agent fast -q
    assay compare latest~1 latest --metric duration_s > out
    grep -q '^A: echo, agent=fast$' out
    grep -q 'only A has echo, slow 1' out
    assay run m.yaml --agent slow -q
    fails_with 2 'two agents, which `assay versus` compares' assay compare latest~1 latest
    assay compare fast slow --metric duration_s > out
    grep -q 'two agents: A is echo, fast 2, B is echo, slow 1' out
}

@test "a file of samples without a number is a mistake" {
    echo 1 > b.txt
    : > empty.txt
    fails_with 2 "empty.txt: it has no numbers" assay compare --samples empty.txt b.txt
}

@test "--plot writes the picture by the name of its file: SVG, text, data" {
    noise 20 10 1 > a
    noise 20 8 2 > b
    [[ $(assay compare --samples a b --plot p.svg) == better:* ]]
    python3 -c 'import xml.dom.minidom as m; m.parse("p.svg")'
    grep -q 'class="f-better"' p.svg
    assay compare --samples a b --plot p.json --json | jq -e '.verdict == "better"'
    jq -e '.schema == "assay.plots/1" and .answer == "samples" and (.plots | length == 1)' p.json
    jq -e '.plots[0] | .kind == "intervals" and .series[0].points[0].verdict == "better" and
        .series[0].points[0].low < .series[0].points[0].y and .marks[0].at == 1' p.json
    assay compare --samples a b --plot p.txt --quiet
    grep -q '▲ .*━●━' p.txt
    fails_with 2 "should end in .svg, .txt, or .json" assay compare --samples a b --plot p.png
    [ ! -e p.png ]
    fails_with 2 "cannot write" assay compare --samples a b --plot no/such/p.svg
    echo nan > none
    fails_with 2 "there is nothing to draw" assay compare --samples none none --plot n.svg
}

@test "reports compare arms as compare does: the same interval, whatever the number of arms" {
    assay run -q -n 12 -c 'sleep 0.001' -c 'sleep 0.0011' -c 'sleep 0.004' > /dev/null
    assay compare latest --json | jq -c '[.rows[] | select(.primary) | [.effect.ratio, .effect.low, .effect.high]]' > rows
    assay report latest --format json | jq -c '[.comparisons[] | [.ratio, .ratio_low, .ratio_high]]' > shown
    [ "$(jq length shown)" = 2 ]
    cmp rows shown
}

@test "runs: a parameter that only one of them has is noted, whichever it is" {
    printf 'experiment: command\nname: it\nparams: {command: ["true"]}\niterations: {measured: 6}\n' > a.yaml
    sed 's/\["true"\]/["true"], env: {LEVEL: "3"}/' a.yaml > b.yaml
    assay run -q a.yaml > /dev/null
    assay run -q b.yaml > /dev/null
    assay compare latest~1 latest > out
    grep -qx '! parameter env.LEVEL is missing in A and 3 in B' out
    assay compare latest latest~1 > out
    grep -qx '! parameter env.LEVEL is 3 in A and missing in B' out
}

@test "two files of plain numbers without --samples: it says the option" {
    seq 5 > a.txt
    fails_with 2 "'a.txt' is not a result file (JSON); two files of plain numbers are compared with --samples" \
        assay compare a.txt a.txt
}

@test "runs: a commit names its runs, as a branch does" {
    git init -q . && git config user.email a@b && git config user.name n
    echo 1 > f && git add f && git commit -qm one
    assay run -n 6 -q -- true > /dev/null
    echo 2 > f && git commit -qam two
    assay run -n 6 -q -- true > /dev/null
    one=$(git rev-parse HEAD~1)
    assay compare "commit:$one" "commit:$(git rev-parse --short=9 HEAD)" --json > out
    [ "$(assay compare latest~1 latest --json | jq -c '[.. | .effect? // empty]')" = "$(jq -c '[.. | .effect? // empty]' out)" ]
    assay compare "commit:$one:0" latest > /dev/null
    fails_with 2 "at least 7 digits" assay compare commit:1234 latest
    fails_with 2 "no run in the store is of commit '12345678'" assay compare commit:12345678 latest
}

@test "a column of a file of which nobody said what is better is named, not passed over" {
    for v in 1 2; do
        { echo bench,throughput,coverage_percent; for i in 1 2 3 4 5 6 7 8; do echo "x,10$i,$((105 - 15 * v))"; done; } > $v.csv
        assay import -q $v.csv --by bench --agent w --version $v
    done
    assay compare w@1 w@2 --json | jq -e '[.refused[].metric] == ["coverage_percent"]'
}

@test "all runs of a version count together, as in regressions" {
    for v in 1 2; do
        cat > $v.yaml <<YAML
suite: {id: s}
agents: [{id: w, version: "$v", process: {command: 'read k; [ $v = 1 ] || [ \$k != c3 ] || k=no; echo \$k'}}]
benchmarks: [{id: b, iterations: {warmup: 0, measured: 2}, cases: [$(for i in 1 2 3 4 5 6 7 8; do echo "{input: c$i, expected: c$i},"; done)]}]
YAML
        for i in 1 2 3; do assay run -q $v.yaml > /dev/null; done
    done
    assay compare w@1 w@2 --equivalence 0 --json > compare.json
    jq -e '.a.runs == 3 and .b.runs == 3 and .cells[0].reliability.attempted == [48,48]' compare.json
    assay compare w@1 w@2 | grep -q '^A  w@1: 3 runs, the newest is run '
    assay regressions --agent w --baseline 1 --json > regressions.json || true
    jq -e --slurpfile compare compare.json '($compare[0].rows[] | select(.metric == "duration_s").effect) as $e |
        [.. | objects | select(.metric? == "duration_s" and has("low"))][0] | .runs == [3,3] and
        ([.regression_percentage - $e.ratio, .low - $e.low, .high - $e.high] | all(. + 1 | fabs < 1e-9))' regressions.json
    assay compare latest~5 latest --json | jq -e '.a.runs == 0 and .cells[0].reliability.attempted == [16,16]'
}

@test "samples: two sides that were cut off throughout say nothing" {
    yes inf | head -30 > never
    run assay compare --samples never never --decide
    [ "$status" = 4 ]
}
