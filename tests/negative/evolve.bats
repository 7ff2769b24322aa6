#!/usr/bin/env bats
# Parts of sparse memory made wrong on purpose: their tests must notice.
load helper

@test "a selector that asks for more than the threshold, or forgets its floor, is noticed" {
    with_build
    breaks src/evolve/operator_selector.c 's/: improvement >= success_threshold/: improvement > success_threshold/' evolve/operator_selector
    breaks src/evolve/operator_selector.c 's/floor_p = 0.05/floor_p = 0/' evolve/operator_selector
}

@test "a detector that is in a hurry and a wrong definition of a false stop are noticed" {
    with_build
    breaks src/evolve/convergence_detector.c 's/ \&\& count - last >= last)/)/' evolve/convergence_detector
    breaks src/evolve/convergence_detector.c 's/false_above = 0.02/false_above = 0.03/' evolve/convergence_detector
}

@test "bytes that are not counted, and scores that are reused where they must not be, are noticed" {
    with_build
    breaks src/evolve/ledger.c 's/    l->live_bytes += whole;/    l->live_bytes += bytes;/' evolve/ledger
    breaks src/evolve/challenge.c 's/if (o->lonely != before->lonely) return false;//' evolve/search
}

@test "a distance that is off, and an outline that parses what it knows, are noticed" {
    with_build
    breaks src/evolve/diversity_metric.c "s/rest.p\[i\] != ' '/true/" evolve/diversity_metric
    breaks src/evolve/hot_spot.c 's/    if (c) return c;//' evolve/hot_spot
}
