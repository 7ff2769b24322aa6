#!/usr/bin/env bats
# The suites that take longer: they run, their claims are decided, all in time.
load ../helper

@test "agent-performance and production: a planted leak is seen, what is claimed holds" {
    SECONDS=0
    assay run "$ROOT/specs/agent-performance.yaml" --stub > out
    grep -q 'long-dialogue, window: 8 of 8 cases' out # it forgets
    run assay claims
    [[ $output == *"1 of 1 claim holds"* ]]
    assay run "$ROOT/specs/production.yaml" --stub > out
    run assay claims
    echo "$output"
    [[ $output == *"holds      the red flag works: a planted leak is seen"* ]]
    [[ $output == *"7 of 7 claims hold"* ]]
    echo "$SECONDS s"
    [ "$SECONDS" -lt 90 ]
}
