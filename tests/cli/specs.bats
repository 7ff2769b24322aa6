#!/usr/bin/env bats
# The suites that ship: all are right, and show what they are there to show.
load ../helper

@test "every shipped spec passes check" {
    for spec in "$ROOT"/specs/*.yaml; do
        run assay check "$spec"
        echo "$spec: $output"
        [ "$status" = 0 ]
    done
}

@test "demo: five programs, five rankings; none is right everywhere" {
    assay run "$ROOT/specs/demo.yaml" --stub -n 1 -w 0 > out
    for agent in bc awk shell perl bignum; do
        grep -Eq "^[a-z-]+, $agent: [0-9]+ of [0-9]+ cases" out
    done
    grep -q "above-53-bits: 0 of 1 passed; exact: '9.0072e+15' instead" out
    assay leaderboard --json > ranks
    [ "$(jq '.rows | length' ranks)" = 5 ] # the stand-in has no rank
    [ "$(jq '[.rows[].overall_score] | unique | length' ranks)" = 5 ]
    jq -e '.rows[0].scores | .accuracy.score < 1 and .speed.score < 1' ranks
}
