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
