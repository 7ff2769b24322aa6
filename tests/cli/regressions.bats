#!/usr/bin/env bats
# regressions and baseline: versions of an agent, runs of a command.
load ../helper

# suite VERSION SECONDS [WRONG]: an agent that doubles numbers, but those that fit
# the pattern. How long it took is planted: what is asked here are the rules.
suite() {
    cat > suite.yaml <<SPEC
suite: {id: arith, category: comprehensive}
agents:
  - id: calc
    version: "$1"
    process: {command: [sh, -c, 'read x; case \$x in ${3:-none}) x=0;; esac; echo \$((x*2))']}
benchmarks:
  - id: doubles
    cases:
$(for i in 1 2 3 4 5 6 7 8 9 10; do echo "      - {input: '$i', expected: '$((i * 2))'}"; done)
    rubric: [{check: exact, weight: 1}]
    metrics_measured: [duration_s, accuracy]
    iterations: {warmup: 0, measured: 2}
SPEC
    assay run --quiet suite.yaml
    plant "$2"
}

@test "a slower version is found: every key of assay.regressions/1, exit 1, kept" {
    suite 1 0.002
    suite 2 0.02
    run assay regressions --agent calc --json
    [ "$status" = 1 ]
    echo "$output" > out
    [ "$(jq -c 'keys_unsorted' out)" = '["schema","subject","has_regressions","regressions",'\
'"overall_health","sentence","recommended_action","confirmations","undecided","improvements","unchanged","quiet","cells",'\
'"compared","comparisons","tests","notes"]' ]
    jq -e '.schema == "assay.regressions/1" and .has_regressions and .subject == "calc 2"' out
    jq -e '.confirmations == [] and (.regressions | length == 1)' out
    jq -e '.regressions[0] | .metric == "duration_s" and .benchmark == "doubles" and .by_case and
        .current_value > 2 * .baseline_value and .regression_percentage > 0.5 and
        .low > .threshold and .threshold == 0.1 and .severity == "critical" and
        .baseline == "version 1" and .n == [10,10] and (.benchmark_id | length == 36)' out
    jq -e '.regressions[0].impact_analysis | .cases == 10 and .cases_worse == 10 and
        (.worst_cases | length == 5) and (.sentence | contains("10 of 10 cases"))' out
    jq -e '.overall_health == "critical" and (.recommended_action | startswith("do not release"))' out
    jq -e '.tests >= 1' out
    run assay regressions --agent calc
    [[ $output == *"beyond the threshold of 10 %"*"rule beyond_threshold"* ]]
    [ "$(assay regressions --agent calc --quiet)" = critical ]
    # It is kept once, however often it is found.
    [ "$(sqlite3 .assay/assay.db 'SELECT metric, severity, regression_percentage > 0.5,
        impact_analysis LIKE "%beyond_threshold%" FROM regressions')" = "duration_s|critical|1|1" ]
}

@test "the same version again, and the way back, are no regressions" {
    suite 1 0.01
    suite 2 0.0101
    assay regressions --agent calc
    suite 3 0.002
    run assay regressions --agent calc
    [ "$status" = 0 ]
    [[ $output == *Better*"duration_s"* ]]
    sqlite3 .assay/assay.db 'SELECT count(*) FROM regressions' | grep -qx 0
}

@test "one wrong answer of ten is told but not proved; --decide says so with exit 4" {
    suite 1 0.002
    suite 2 0.002 7
    assay regressions --agent calc --threshold accuracy=0.05 --json > out
    jq -e '.undecided[] | select(.metric == "accuracy") | .regression_percentage > 0.09 and
        .baseline_value == 1 and .current_value < 0.91 and .scale == "points"' out
    # The case that was right and is wrong is named, though it may be chance.
    assay regressions --agent calc --threshold accuracy=0.05 > text
    grep -A1 '^Worse in some cases, which may be chance' text | grep '1 of 10 cases are worse.*(1 -> 0)'
    fails_with 4 "" assay regressions --agent calc --threshold accuracy=0.05 --decide
    fails_with 2 "no metric 'acuracy' was compared" assay regressions --agent calc --threshold acuracy=0.05
}

@test "accuracy traded for speed is told, and goes with the speed" {
    suite 1 0.05
    suite 2 0.05 '[1-8]'
    run assay regressions --agent calc --json
    [ "$status" = 1 ]
    jq -e '[.regressions[].rule] == ["beyond_threshold"] and
        .regressions[0].metric == "accuracy"' <<< "$output"
    suite 3 0.002 '[1-8]'
    run assay regressions --agent calc --baseline 1 --json
    jq -e '.regressions | any(.rule == "trade" and
        (.sentence | contains("while duration_s is better by")))' <<< "$output"
}

# phased VERSION SECONDS SEARCH_MS: an agent that says what it spent its time on.
phased() {
    cat > agent.sh <<'SH'
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    echo "{\"id\":$id,\"output\":\"4\",\"phases\":[{\"name\":\"plan\",\"start_ms\":0,\"ms\":5},
{\"name\":\"search\",\"start_ms\":5,\"ms\":$1}]}" | tr -d '\n'
    echo
done
SH
    cat > phased.yaml <<SPEC
suite: {id: p, category: speed}
agents: [{id: thinker, version: "$1", process: {command: [sh, "$PWD/agent.sh", "$3"], mode: session}}]
benchmarks:
  - id: plus
    cases: [$(printf '{input: "2+2+0*%d", expected: "4"}, ' 1 2 3 4 5 6 7 8)]
    rubric: [{check: exact, weight: 1}]
    metrics_measured: [duration_s, accuracy]
    iterations: {warmup: 0, measured: 2}
SPEC
    assay run --quiet phased.yaml
    plant "$2"
}

@test "a phase that the baseline did not have is called new" {
    phased 1 0.020 10
    sqlite3 .assay/assay.db "UPDATE case_results SET detail = replace(detail, 'search', 'look')"
    phased 2 0.040 30
    run assay regressions --agent thinker --json
    [ "$status" = 1 ]
    jq -e '.regressions[] | select(.metric == "duration_s") | .impact_analysis |
        (.sentence | contains("phase \u0027search\u0027 is new, 30 ms, of ")) and
        .phases[0] == {"name":"search","baseline_ms":null,"current_ms":30}' <<< "$output"
    [[ $output != *nan* ]]
}

@test "the phase that grew is named; without it the sentence goes" {
    phased 1 0.020 10
    phased 2 0.040 30
    run assay regressions --agent thinker --json
    [ "$status" = 1 ]
    jq -e '.regressions[] | select(.metric == "duration_s") | .impact_analysis |
        (.sentence | contains("phase \u0027search\u0027 grew most, 10 -> 30 ms, of ")) and
        .phases == [{"name":"search","baseline_ms":10,"current_ms":30},
                    {"name":"plan","baseline_ms":5,"current_ms":5}]' <<< "$output"
    phased 3 0.060 30 # slower, but not in any phase it reports
    run assay regressions --agent thinker --json
    [ "$status" = 1 ]
    jq -e '.regressions[] | select(.metric == "duration_s") |
        .impact_analysis.sentence | contains("phase \u0027") | not' <<< "$output"
    phased 4 0.060 30
    assay regressions --agent thinker
}

# web VERSION LEVEL SEED: 30 latencies around a level, 2 % wide, as a run.
web() {
    awk -v level="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        print "route,latency_ms"
        for (i = 0; i < 30; i++) {
            z = 0
            for (k = 0; k < 12; k++) z += rand()
            printf "/a,%.9g\n", level * (1 + 0.02 * (z - 6))
        }
    }' > "v$1.csv"
    assay import --quiet "v$1.csv" --by route --column latency_ms --agent web --version "$1"
}

@test "the baseline: the last earlier version, a pinned one, a version, a run" {
    web 1 10 1
    assay baseline set good latest
    web 2 13 2
    fails_with 1 "web 2 against version 1" assay regressions --agent web
    web 3 13 3
    assay regressions --agent web
    fails_with 1 "against baseline 'good' (version 1)" assay regressions --baseline good
    fails_with 1 "against version 1" assay regressions --agent web --baseline 1
    fails_with 1 "against latest~2" assay regressions --baseline latest~2
    fails_with 1 "web 2 against version 1" assay regressions --agent web --version 2
    fails_with 1 "web 2 against version 1" assay regressions --agent web@2
    fails_with 1 "blocked" assay gate <(echo '{policy: p, block: [{slower_than: 10 %, metric: latency_s}]}') --agent web@2
    [ "$(assay trend latency_s --agent web@2 --json | jq '[.series[].points | length] | add')" -lt \
        "$(assay trend latency_s --agent web --json | jq '[.series[].points | length] | add')" ]
    fails_with 1 "version 1" assay regressions latest~1
    assay baseline list --json | jq -e '.baselines | length == 1 and .[0].name == "good" and
        .[0].agent == "web" and .[0].agent_version == "1"'
    assay baseline set default latest~2 --json | jq -e '.baselines[0].name == "default"'
    fails_with 1 "baseline 'default' (version 1)" assay regressions
    assay regressions --threshold latency_s=50%
    assay baseline set better
    assay baseline clear good --json | jq -e '[.baselines[].name] | unique == ["better", "default"]'
    assay baseline clear better
    fails_with 2 "did you mean 'default'" assay baseline clear defaultt
}

@test "two versions in one run: the one named is the baseline" {
    suite 1 0.010
    sed -i 's/^agents:/&\n  - {id: calc, version: "2", process: {command: [sh, -c, "read x; echo \$((x*2))"]}}/' \
        suite.yaml
    rm -r .assay
    assay run --quiet suite.yaml
    plant 0.020 0.010
    run assay regressions latest --baseline 1 --json
    [ "$status" = 1 ]
    jq -e '.regressions | length == 1 and (.[0] | .agent_version == "2" and
        .baseline == "version 1" and .metric == "duration_s")' <<< "$output"
    jq -e '.compared == 1 and (.notes | any(contains("it is version 1 itself")))' <<< "$output"
    # Runs differ by half, but both versions met the same.
    rm -r .assay
    for level in 10 20 15; do
        assay run --quiet suite.yaml
        plant "0.0$((level * 12))" "0.0${level}0"
    done
    run assay regressions --agent calc --version 2 --baseline 1 --json
    [ "$status" = 1 ]
    jq -e '.regressions[0] | .runs == [3,3] and .low > 0.15 and .high < 0.25' <<< "$output"
}

@test "what is scored again or taken over is no further run" {
    asked() {
        cat > s.yaml <<SPEC
suite: {id: s}
agents: [{id: bot, version: "$1", process: {command: [cat]}}]
benchmarks:
  - {id: b, cases: [{input: x, expected: x}, {input: y, expected: z}], iterations: {warmup: 0, measured: 3}${2:-}}
SPEC
    }
    runs() {
        (assay regressions --agent bot --version 2 --baseline 1 --threshold 100000% --json || true) |
            jq -c '[.regressions[], .improvements[]?, .unchanged[], .undecided[]?] |
                map(select(.metric == "duration_s")) | .[0].runs'
    }
    points() { assay trend accuracy --agent bot --json | jq '[.series[].points | length] | add'; }
    asked 1
    assay run -q s.yaml
    assay run -q s.yaml
    asked 2
    assay run -q s.yaml
    [ "$(runs)" = '[2,1]' ]
    [ "$(points)" = 3 ]
    for _ in 1 2 3; do assay run -q --rescore latest; done
    assay run -q s.yaml --cache
    [ "$(runs)" = '[2,1]' ]
    [ "$(points)" = 3 ]
    assay run -q --rescore latest~6 # of version 1: in place of its original
    [ "$(runs)" = '[2,1]' ]
    assay run -q s.yaml
    [ "$(runs)" = '[2,2]' ]
    # With another scoring it is another cell, in place of the old one.
    asked 2 ', rubric: {check: max_length, words: 9}'
    assay run -q s.yaml --rescore latest
    run assay regressions --agent bot --json
    jq -e '.compared == 0 and (.notes | any(contains("it ran with other cases or scoring")))' <<< "$output"
}

# What --confirm leaves is a run of both versions: the older is what the newer is held against.
@test "of two versions in one run the older is no contender" {
    asked() {
        printf 'suite: {id: s}\nagents:\n'
        for v; do
            printf "  - {id: bot, version: '%s', process: {command: '%s'}}\n" "${v%%:*}" "${v#*:}"
        done
        printf 'benchmarks:\n  - {id: b, iterations: {warmup: 0, measured: 1}, cases: ['
        for i in $(seq 20); do printf "{input: '%d', expected: '%d'}, " "$i" "$i"; done
        printf ']}\n'
    }
    echo 'block: [{metric: accuracy, worse_by: 5 %}]' > gate.yaml
    asked 1:cat > s.yaml
    assay run -q s.yaml
    asked '2:echo no' > s.yaml
    assay run -q s.yaml
    run assay regressions --confirm
    [ "$status" = 1 ]
    [ "$(assay show --json | jq -c '[.cells[].label]')" = '["b, agent=bot@1","b, agent=bot@2"]' ]
    for which in "" "--agent bot"; do
        run assay gate gate.yaml $which --json
        [ "$status" = 1 ]
        jq -e '.checks | length == 1 and (.[0] | .state == "violated" and .baseline == "version 1")' \
            <<< "$output"
    done
    run assay regressions --json
    jq -e '.compared == 1 and (.regressions | length > 0 and all(.agent_version == "2"))' <<< "$output"
    # Run together from the first, neither is older: nobody guesses.
    rm -r .assay
    asked 1:cat '2:echo no' > s.yaml
    assay run -q s.yaml
    assay run -q s.yaml
    run assay gate gate.yaml
    [[ $output == *"is in the same run, and neither came first: name one with --baseline"* ]]
    [[ $output != *"better by"* && $output != *"passed "* ]]
    run assay gate gate.yaml --baseline 1
    [ "$status" = 1 ]
    [[ $output == *"it is version 1 itself"* && $output != *"all 2 cells"* ]]
}

@test "commands have no version: the last earlier run is their baseline" {
    assay run --quiet -n 10 -- true
    assay run --quiet -n 10 -- true
    assay regressions --threshold 100000% --json > out
    jq -e '.compared == 1 and .has_regressions == false and
        (.unchanged[0].baseline | startswith("run "))' out
}

@test "nothing to hold against, wrong words: a clear answer" {
    fails_with 2 "no store" assay regressions
    assay run --quiet -n 3 -- true
    assay regressions --json > out
    jq -e '.overall_health == "unknown" and .compared == 0 and
        (.notes[0] | contains("no earlier run has this cell"))' out
    fails_with 4 "no baseline" assay regressions --decide
    fails_with 2 "no agent 'nobody'" assay regressions --agent nobody
    fails_with 2 "baseline 'x'" assay regressions --baseline x
    fails_with 2 "must be a share" assay regressions --threshold ten
    fails_with 2 "write 5 % or 0.05" assay regressions --threshold 5
    fails_with 2 "write 5 % or 0.05" assay regressions --threshold duration_s=5
    assay regressions --threshold '5 %' --json > out
    jq -e '.overall_health == "unknown"' out
    fails_with 2 "--version goes with --agent" assay regressions --version 1
    fails_with 2 "cannot be a name" assay baseline set 'a b'
    fails_with 2 "takes set NAME" assay baseline pin
    run assay baseline list
    [[ $output == *"no baseline is pinned"* ]]
}

# paced VERSION DELAY SECONDS [FILE]: an agent of that version takes that long, or runs
# that file; what is stored says that it took so many seconds.
paced() {
    local command="[sh, -c, 'read x; sleep $2; echo \$((x*2))']"
    [ -z "$4" ] || command="[$4]"
    cat > paced.yaml <<SPEC
suite: {id: pace, category: speed}
agents: [{id: runner, version: "$1", process: {command: $command, mode: oneshot}}]
benchmarks:
  - id: doubles
    cases: [$(printf "{input: '%d', expected: '%d'}, " 1 2 2 4 3 6 4 8 5 10 6 12 7 14 8 16)]
    rubric: [{check: exact, weight: 1}]
    metrics_measured: [duration_s, accuracy]
    iterations: {warmup: 0, measured: 1}
SPEC
    assay run --quiet paced.yaml
    plant "$3"
}

@test "--confirm: a real regression is found again, in turns, with new trials" {
    paced 1 0 0.010
    paced 2 0.05 0.060
    run assay regressions --agent runner --confirm --budget 16 --json
    [ "$status" = 1 ]
    echo "$output" > out
    jq -e '.has_regressions and (.confirmations | length == 1)' out
    jq -e '.confirmations[0] | .outcome == "confirmed" and .metric == "duration_s" and
        .rule == "beyond_threshold" and .cell == "doubles" and .n == [8,8] and
        .low > 0.1 and .high > .regression_percentage and (.run | length == 36)' out
    # The new run: both versions, taking turns, two passes each.
    run=$(jq -r '.confirmations[0].run' out)
    [ "$(sqlite3 .assay/assay.db "SELECT agent_version, arm_index, group_index, trials_ok
        FROM benchmark_executions WHERE run_id = '$run' ORDER BY arm_index")" = "1|0|0|16
2|1|0|16" ]
    [ "$(sqlite3 .assay/assay.db 'SELECT metric FROM regressions')" = duration_s ]
    # From now on it is a run of both versions like any other.
    run assay regressions --agent runner --json
    jq -e '.regressions + .undecided + .unchanged | .[] | select(.metric == "duration_s") |
        .runs == [2,2] and .baseline == "version 1" and .agent_version == "2" and
        .run_sd > 0' <<< "$output"
}

@test "--confirm: an alarm by chance is not found again, and no longer counts" {
    paced 1 0.01 0.010
    paced 2 0.010 0.014 # as fast as before, whatever was measured
    fails_with 1 "beyond the threshold" assay regressions --agent runner
    assay regressions --agent runner --confirm --budget 16 > text
    grep "not confirmed    doubles, duration_s: " text
    [ "$(grep -c "^Worse" text)" = 0 ]
    [ "$(sqlite3 .assay/assay.db 'SELECT count(*) FROM regressions')" = 0 ]
}

@test "--confirm: what cannot be run again is said, and its alarm stands" {
    for v in 1 2; do printf '#!/bin/sh\nread x; echo $((x*2))\n' > "v$v.sh"; done
    chmod +x v1.sh v2.sh
    paced 1 - 0.010 "$PWD/v1.sh"
    paced 2 - 0.020 "$PWD/v2.sh"
    rm v1.sh
    assay regressions --agent runner --confirm --budget 16 --json > out 2> err && false
    jq -e '.has_regressions and (.confirmations[0] | .outcome == "cannot_be_rerun" and
        .low == null and (.sentence | contains("version 1 could not be run") and
        contains("v1.sh\u0027 not found")))' out
    rm -r .assay
    paced 2 - 0.020 "$PWD/v2.sh"
    paced 3 - 0.040 "$PWD/v2.sh" # built in place: the old one is gone
    fails_with 1 "versions 2 and 3 differ in nothing but their version" assay regressions --agent runner --confirm
    web 1 10 1
    web 2 13 2
    fails_with 1 "cannot be re-run /a" assay regressions --agent web --confirm
    assay run --quiet -n 10 -- true
    plant 0.010
    assay run --quiet -n 10 -- true
    plant 0.020
    fails_with 1 "both sides are the same cell" assay regressions --confirm
    fails_with 2 "--budget must be at least 10" assay regressions --confirm --budget 1
    fails_with 2 "--max-seconds must be above 0" assay regressions --confirm --max-seconds 0
}

# built SECONDS TOLD: a commit whose program, a command under one name, takes that long; what
# is stored says that it took so many seconds. Each build is a file of its own.
built() {
    [ -d .git ] || { git init -q . && git config user.email a@b && git config user.name n; }
    n=$((n + 1))
    printf '#!/bin/sh\nsleep %s\n' "$1" > "build$n" && chmod +x "build$n"
    git add "build$n" && git commit -qm "$n"
    assay run --quiet --name web -n 12 -- "./build$n" > /dev/null
    plant "$2"
}

@test "--confirm: a command that became slower is found again" {
    built 0.001 0.002
    built 0.1 0.1
    run assay regressions --confirm --budget 16 --json
    [ "$status" = 1 ]
    jq -e '.has_regressions and (.confirmations[0] | .outcome == "confirmed" and
        .metric == "duration_s" and .n == [16,16] and .low > 1 and (.run | length == 36))' <<< "$output"
}

@test "--confirm: a command that is as fast as before is not found again" {
    built 0.05 0.010
    built 0.050 0.014
    fails_with 1 "beyond the threshold" assay regressions
    run assay regressions --confirm --budget 16 --json
    [ "$status" = 0 ]
    jq -e '.has_regressions == false and .confirmations[0].outcome == "not_confirmed"' <<< "$output"
}

@test "the baseline that a spec names is what its run is held against" {
    echo '{experiment: command, params: {command: "true"}, iterations: {measured: 20}}' > s.yaml
    assay run s.yaml --quiet
    plant 0.01
    assay baseline set good --quiet
    assay run s.yaml --quiet
    plant 0.02
    echo '{experiment: command, params: {command: "true"}, iterations: {measured: 20}, baseline: good}' > s.yaml
    assay run s.yaml --quiet
    plant 0.02
    fails_with 1 "beyond the threshold" assay regressions
    # What else is measured of `true` is not planted, and a busy machine may change it.
    assay regressions --baseline latest~1 --json > r.json || [ $? = 1 ]
    jq -e '[.regressions[] | select(.metric == "duration_s")] == []' r.json
    sed -i 's/baseline: good/baseline: gone/' s.yaml
    assay run s.yaml --quiet
    fails_with 2 "baseline 'gone' is neither a pinned name nor a version" assay regressions
}

# right VERSION MOST: right in the first MOST of 30 cases.
right() {
    {
        echo 'suite: {id: s}'
        echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; [ \$n -le $2 ] && echo \$n || echo no'}}]"
        echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ['
        for n in $(seq 30); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
    } > s.yaml
    assay run --quiet s.yaml
}

@test "what is worse beyond chance is not called chance" {
    right 1 30
    right 2 21
    assay regressions --agent bot --threshold accuracy=0.2 > text || true # for its times
    grep -A1 '^Worse beyond chance, but not surely beyond the threshold' text | grep -q 'accuracy: 9 of 30'
    [ "$(grep -c 'which may be chance' text)" = 0 ]
}

@test "what the survivors gain is neither traded for accuracy nor counted as savings" {
    for v in 1 2; do
        {
            echo 'suite: {id: s}'
            if [ $v = 1 ]; then
                work='read n; c=0.01; [ $n -gt 8 ] && c=0.05; sleep 0.02'
            else
                work='read n; [ $n -gt 8 ] && exit 1; c=0.01'
            fi
            echo "agents: [{id: bot, version: \"$v\", process: {command: '$work; echo \"{\\\"cost_usd\\\": \$c}\" >&\$ASSAY_USAGE_FD; echo \$n'}}]"
            echo 'benchmarks: [{id: b, rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ['
            for n in $(seq 20); do echo "  {input: '$n', expected: '$n'},"; done
            echo ']}]'
        } > s.yaml
        assay run --quiet s.yaml || true
    done
    run assay regressions --no-keep --all --json
    [ "$status" = 1 ]
    echo "$output" > r.json
    jq -e '[.undecided[].metric] | (index("cost_usd") != null) and (index("duration_s") != null)' r.json
    jq -e '[.. | objects | select(.rule? == "trade")] == []' r.json
    [ "$(grep -c '1000 trials cost' r.json)" = 0 ]
    run assay regressions --no-keep --all
    [[ $output == *"12 of 20 cases failed and have no cost_usd"* ]]
    [[ $output != *"1000 trials cost"* && $output != *"rule trade"* ]]
}

@test "a cell whose only metric has no direction is not healthy" {
    for v in 1 2; do
        { echo k,score; for i in 1 2 3 4 5 6 7 8; do echo "a,$((v * v * v * v)).$i"; done; } > $v.csv
        assay import --quiet $v.csv --by k --column score --agent w --version $v
    done
    fails_with 4 "score" assay regressions --no-keep --decide
    assay regressions --no-keep --json | jq -e '.overall_health == "unknown" and
        ([.notes[] | select(contains("score"))] | length == 1)'
}

# watching VERSION SECONDS LIST: takes so long, and lists these metrics.
watching() {
    {
        echo 'suite: {id: s}'
        echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; sleep $2; echo \$n'}}]"
        echo "benchmarks: [{id: b, rubric: exact, $3 iterations: {warmup: 0, measured: 1}, cases: ["
        for n in $(seq 10); do echo "  {input: '$n', expected: '$n'},"; done
        echo ']}]'
    } > s.yaml
    assay run --quiet s.yaml
}

@test "a version that no longer lists a metric is watched by what the baseline listed" {
    watching 1 0.005 'metrics_measured: [latency, accuracy],'
    watching 2 0.1 'metrics_measured: [accuracy],'
    run assay regressions --no-keep --json
    [ "$status" = 1 ]
    jq -e '([.regressions[] | select(.metric == "duration_s")] | length > 0) and
        ([.notes[] | select(contains("metrics_measured no longer names") and contains("duration_s"))] | length == 1)' <<< "$output"
    # Neither lists it.
    watching 3 0.005 'metrics_measured: [accuracy],'
    watching 4 0.1 'metrics_measured: [accuracy],'
    assay regressions --no-keep --decide --baseline 3 | grep -q healthy
}

@test "a list of metrics is watched whichever names its suite has for the keys" {
    # named VERSION SECONDS BENCHMARK SHARED: the benchmark's own keys, and keys of the file.
    named() {
        {
            echo 'suite: {id: s}'
            echo "$4"
            echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; sleep $2; echo \$n'}}]"
            echo "benchmarks: [{benchmark_id: b, $3 rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ["
            for n in $(seq 10); do echo "  {input: '$n', expected: '$n'},"; done
            echo ']}]'
        } > s.yaml
        assay run --quiet s.yaml
    }
    found() { jq -e '[.regressions[] | select(.metric == "duration_s")] | length > 0' <<< "$output"; }
    named 1 0.005 'metrics_measured: [latency, accuracy],' ''
    named 2 0.1 'metrics_measured: [accuracy],' ''
    run assay regressions --no-keep --json
    [ "$status" = 1 ]
    found
    # Listed for all benchmarks of the file.
    named 3 0.005 '' 'metrics_measured: [latency, accuracy]'
    named 4 0.1 '' 'metrics_measured: [accuracy]'
    run assay regressions --no-keep --json --baseline 3
    [ "$status" = 1 ]
    found
    named 5 0.005 '' 'metrics_measured: [accuracy]'
    assay regressions --no-keep --json --baseline 4 --run latest | jq -e '[.. | objects | select(.metric? == "duration_s")] == []'
}

@test "the title of a benchmark does not pass for the id of another" {
    # titled VERSION SECONDS LIST: `b` is the title of a, and the id of the benchmark that counts.
    titled() {
        {
            echo 'suite: {id: s}'
            echo "agents: [{id: bot, version: \"$1\", process: {command: 'read n; sleep $2; echo \$n'}}]"
            echo 'benchmarks:'
            echo '- {id: a, name: b, metrics_measured: [accuracy], rubric: exact, iterations: {warmup: 0, measured: 1}, cases: [{input: x, expected: x}]}'
            echo "- {id: b, $3 rubric: exact, iterations: {warmup: 0, measured: 1}, cases: ["
            for n in $(seq 10); do echo "  {input: '$n', expected: '$n'},"; done
            echo ']}'
        } > s.yaml
        assay run --quiet s.yaml
    }
    titled 1 0.005 'metrics_measured: [latency, accuracy],'
    titled 2 0.1 'metrics_measured: [accuracy],'
    run assay regressions --no-keep --json
    [ "$status" = 1 ]
    jq -e '[.regressions[] | select(.metric == "duration_s")] | length > 0' <<< "$output"
}

# times VERSION SHIFT: three routes of six times each; of two versions all of one are beyond the other.
times() {
    awk -v shift="$2" 'BEGIN { print "route,latency_ms"
        for (r = 1; r <= 3; r++) for (i = 0; i < 6; i++) printf "/r%d,%.3f\n", r, 10 * r + i * (0.1 + r / 10) + shift * r }' > "$1.csv"
    assay import -q "$1.csv" --by route --column latency_ms --agent web --version "$1" > /dev/null
}

# Their p are equal: which comes first must not change an interval, and of a run and of an agent
# the order differs.
@test "a run and an agent give the same intervals of the same cells" {
    times 1 0
    times 2 40
    assay regressions latest --no-keep --json > run.json || [ $? = 1 ]
    assay regressions --agent web --no-keep --json > agent.json || [ $? = 1 ]
    for of in run agent; do
        jq -S '[.regressions[], .undecided[], .improvements[], .unchanged[] | select(.rule == "beyond_threshold")] | sort_by(.cell, .metric)' $of.json > $of.rows
    done
    jq -e '[.[] | select(.metric == "latency_s") | .confidence] | length == 3 and (unique | length == 1)' run.rows
    cmp run.rows agent.rows
}

@test "what is counted is what is listed; the worst is the same in all places" {
    times 1 0
    times 2 -4
    times 3 40
    assay regressions latest --baseline 2 --no-keep --json > worse.json || [ $? = 1 ]
    assay regressions --agent web --version 2 --no-keep --json > better.json
    for of in worse better; do
        jq -e '.comparisons == ([.regressions, .undecided, .improvements, .unchanged | length] | add) and .comparisons > 0' $of.json
    done
    assay regressions --agent web --version 2 --no-keep > better.txt
    grep -q "$(jq -r '"\(.regressions | length) regressions, \(.improvements | length) improved, \(.undecided | length) undecided"' better.json)" better.txt
    jq -e '(.improvements | length) > 0' better.json
    # of one severity the largest
    jq -e '([.regressions[] | select(.severity == "critical")] | max_by(.regression_percentage)) as $worst
        | .recommended_action | contains("\($worst.metric) of \(if $worst.rule == "whole" then "all \($worst.cells) cells" else $worst.cell end)")' worse.json
}
