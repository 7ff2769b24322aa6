#!/usr/bin/env bats
# trend: where a level changed, in plain files and in the store.
load ../helper

# Normal noise, 1 % wide, whose level is 10, and 11 from point $2 on.
steps() { # N AT SEED
    awk -v n="$1" -v at="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            z = 0
            for (k = 0; k < 12; k++) z += rand()
            printf "%.9g\n", (i < at ? 10 : 11) * (1 + 0.01 * (z - 6))
        }
    }'
}

@test "samples: the keys of assay.trend/1, the index of the first new point" {
    steps 60 40 1 > a
    for detector in assay otava potts; do
        assay trend --samples a --detector "$detector" --json > out
        jq -e '.schema == "assay.trend/1" and .n == 60' out
        [ "$(jq -c '.change_points[0]|keys_unsorted' out)" = \
            '["index","before","after","change","p"]' ]
        jq -e '.change_points | length == 1 and .[0].index == 40' out
        jq -e '.change_points[0].change | . > 0.09 and . < 0.11' out
    done
    jq -e '.change_points[0].p == null' out # Potts has no test
}

@test "samples: noise alone has no change, nor have few points or none" {
    steps 80 80 2 > a
    assay trend --samples a --json | jq -e '.change_points == []'
    head -n 1 a > one
    : > none
    assay trend --samples one --json | jq -e '.n == 1 and .change_points == []'
    assay trend --samples none --json | jq -e '.n == 0 and .change_points == []'
    yes 3 | head -n 50 > constant
    assay trend --samples constant --json | jq -e '.change_points == []'
    assay trend --samples constant
    { cat a; echo nan; cat a; } > gap
    assay trend --samples gap --json | jq -e '.n == 161 and .change_points == []'
}

@test "samples: a line, the change marked and told, and the detector's own rates" {
    steps 60 40 1 > a
    run assay trend --samples a --direction lower
    [ "$status" = 0 ]
    [[ ${lines[0]} == "60 points, 1 change" ]]
    [[ ${lines[1]} == *▁* && ${lines[1]} == *█* ]]
    [[ ${lines[2]} == "                                          ^" ]]
    [[ ${lines[3]} == *"degradation at point 40: 1"*"-> 1"*"+"*"%"* ]]
    [[ $output == *"false alarms in "*"misses a step of 3 % in "* ]]
    run assay trend --samples a --direction higher
    [[ $output == *"improvement at point 40"* ]]
    assay trend --samples a --json --rates > out
    jq -e '.rates.false_alarms <= 0.1 and (.rates.missed | length == 3)' out
    jq -e '.rates.missed[2] | .step == 0.1 and .share <= 0.1' out
}

@test "samples: wrong options are named" {
    steps 20 20 1 > a
    fails_with 2 "--detector must be" assay trend --samples a --detector magic
    fails_with 2 "--p must be" assay trend --samples a --p 2
    fails_with 2 "--window must be" assay trend --samples a --window 1
    fails_with 2 "--by must be" assay trend --by month
    fails_with 2 "takes one file" assay trend --samples
    fails_with 2 "--since asks the store, --samples a file" assay trend --samples a --since 7d
    fails_with 2 "--by asks the store" assay trend --samples a --by week
    fails_with 2 "--column goes with --samples" assay trend duration_s --column x
    fails_with 2 "--direction goes with --samples" assay trend duration_s --direction lower
    fails_with 2 "there is no store" assay trend duration_s
}

@test "samples: real noise of unchanged code stays quiet, its steps are seen" {
    local file=$ROOT/../shared/data/series/azure_vm_noise_first120.csv flagged=0
    [ -e "$file" ] || skip "no ../shared/data"
    for series in $(seq 1 81); do
        awk -F, -v s="$series" '$1 == s && $8 < 100 { print $10 }' "$file" > one
        count=$(assay trend --samples one --json | jq '.change_points | length')
        [ "$count" = 0 ] || flagged=$((flagged + 1))
    done
    echo "flagged $flagged of 81"
    [ "$flagged" -le 4 ]
}

# history FILE: 40 days of a benchmark, three values a day; from day 25 on 20 % slower.
history() {
    steps 120 75 7 | awk 'BEGIN { print "name,when,took" }
        { d = int((NR - 1) / 3); m = 8 + int(d / 30)
          printf "sums,2026-%02d-%02dT0%d:00:00Z,%s\n", m + 1, d % 30 + 1, NR % 3, $1 }' > "$1"
}

@test "store: by day, by week, with the change told as a degradation" {
    history h.csv
    assay import h.csv --by name --time when --column took --unit ms --direction lower --quiet
    assay trend --by day --json --rates > out
    jq -e '.schema == "assay.trend/1" and .by == "day" and (.series | length == 1)' out
    [ "$(jq -c '.series[0]|keys_unsorted' out)" = '["label","experiment","metric","unit",'\
'"direction","n","change_points","rates","expected","note","points"]' ]
    jq -e '.series[0] | .n == 40 and (.points[0] | .n == 3 and .at == "2026-09-01T00:00:00.000Z")' out
    jq -e '.series[0].change_points | length == 1 and (.[0] | .index == 25 and
        .kind == "degradation" and .change > 0.08)' out
    jq -e '.series[0].rates.false_alarms <= 0.1' out
    run assay trend --by week
    [[ $output == *" points, "* && $output == *"fewer than 20 points"* ]]
    run assay trend --by day
    [[ $output == *"^ degradation at point 25 (2026-09-26, run "* ]]
    [[ $output == *"false alarms in "* ]]
}

@test "store: by run, one series a cell; improvements are told too" {
    for i in $(seq 24); do
        n=$((i < 13 ? 20 : 10))
        jq -n --argjson n "$n" --argjson i "$i" '{name: "flow", run_id: "R\($i)", parameters: {n: 1},
            iterations: {warmup: 0, measured: 5}, metrics: {}, tags: [], notes: "",
            iteration_metrics: [range(5) | {index: ., duration_s: ($n + (. * 7 + $i * 3) % 5 * 0.1),
            metrics: {}}], environment: {}, vcs: {commit: "", branch: "", dirty: false},
            artifacts: [], status: "success"}' > "r$i.json"
        assay import "r$i.json" --format agentfarm --quiet
    done
    assay trend duration_s --json > out
    jq -e '.by == "run" and .series[0].n == 24' out
    jq -e '.series[0].change_points | length == 1 and (.[0] | .index == 12 and
        .kind == "improvement" and .run != null)' out
    fails_with 2 "has a history of 'speed'" assay trend speed
    fails_with 2 "has a history of 'duration_s'" assay trend duration_s --experiment other
    fails_with 2 "no benchmark 'nothing'" assay trend --benchmark nothing
    fails_with 2 "--since must be a time" assay trend --since soon
}

@test "store: one run is a history of one point" {
    assay run --quiet -n 2 -- true
    run assay trend
    [ "$status" = 0 ]
    [[ ${lines[0]} == "duration_s (lower is better) of command"*"1 point, 0 changes" ]]
}

@test "a slow drift without a step is told, noise is not" {
    seq 300 > rising
    [[ $(assay trend --samples rising) == *"no step, but it drifts: +"* ]]
    assay trend --samples rising --json | jq -e '.note | contains("drifts")'
    seq 1 60 | awk '{ print 10 + ($1 * 37 % 10) / 50 }' > still
    [[ $(assay trend --samples still) != *drifts* ]]
}
