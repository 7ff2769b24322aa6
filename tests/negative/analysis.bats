#!/usr/bin/env bats
# Comparisons and claims, made dishonest on purpose: their tests must notice.
load helper

# breaks FILE SED TEST: the copy with that edit fails the unit test.
breaks() {
    cp "$1" saved
    sed -i "$2" "$1"
    ! cmp -s "$1" saved || { echo "the edit changed nothing: $2"; return 1; }
    make -s "build/release/tests/analysis/$3_test"
    run "build/release/tests/analysis/$3_test"
    cp saved "$1"
    [ "$status" != 0 ] || { echo "$3_test did not notice: $2"; return 1; }
}

@test "claims decided by the point, not the interval" {
    with_build
    breaks src/analysis/claims.c 's/held->low >= c->min/held->value >= c->min/' claims
}

@test "a claim that needs to hold in one cell only" {
    with_build
    breaks src/analysis/claims.c 's/\[CLAIM_HOLDS\] = 1/[CLAIM_HOLDS] = 9/' claims
}

@test "a beaten band that always fails" {
    with_build
    breaks src/analysis/claims.c 's/if (c->is_strict) \*far/*far/' claims
}

@test "metrics of other definitions compared" {
    with_build
    breaks src/analysis/compare.c 's/strcmp(a->definition, b->definition) != 0/false/' compare
}

@test "many comparisons without adjustment" {
    with_build
    breaks src/analysis/compare.c 's/if (how->is_adjusted) adjust_p/if (false) adjust_p/' compare
}

@test "repeats of a case counted as evidence" {
    with_build
    breaks src/analysis/units.c 's/known == count \&\& count > 0/known > count/' compare
}

@test "miss rates measured without a step" {
    with_build
    breaks src/analysis/trend_rates.c 's/missed\[s\] += !is_found/missed[s] += is_found/' trend
}
