#!/usr/bin/env bats
# The suites as they ship: they run, their claims are decided, all in time.
load ../helper

@test "all shipped suites within 2 minutes; a planted leak is seen, what is claimed holds" {
    begin=$SECONDS
    for suite in "$ROOT"/specs/*.yaml; do
        case $suite in
        */agent-performance.yaml | */production.yaml) ;; # below
        *) assay run "$suite" --stub > out ;;
        esac
    done
    assay run "$ROOT/specs/agent-performance.yaml" --stub > out
    grep -q 'long-dialogue, window: 8 of 8 cases' out # it forgets
    run assay claims
    [[ $output == *"1 of 1 claim holds"* ]]
    assay run "$ROOT/specs/production.yaml" --stub > out
    run assay claims
    echo "$output"
    [[ $output == *"holds      the red flag works: a planted leak is seen"* ]]
    [[ $output == *"7 of 7 claims hold"* ]]
    within 120 "$begin"
}
