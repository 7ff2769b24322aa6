#!/usr/bin/env bats
# Comparisons and claims, made dishonest on purpose: their tests must notice.
load helper

@test "claims decided by the point, not the interval" {
    with_build
    breaks src/analysis/claims.c 's/held->low >= c->min/held->value >= c->min/' analysis/claims
}

@test "a claim that needs to hold in one cell only" {
    with_build
    breaks src/analysis/claims.c 's/\[CLAIM_HOLDS\] = 1/[CLAIM_HOLDS] = 9/' analysis/claims
}

@test "a beaten band that always fails" {
    with_build
    breaks src/analysis/claims.c 's/if (c->is_strict) \*far/*far/' analysis/claims
}

@test "metrics of other definitions compared" {
    with_build
    breaks src/analysis/compare.c 's/strcmp(a->definition, b->definition) != 0/false/' analysis/compare
}

@test "many comparisons without adjustment" {
    with_build
    breaks src/analysis/compare.c 's/if (how->is_adjusted) adjust_p/if (false) adjust_p/' analysis/compare
}

@test "repeats of a case counted as evidence" {
    with_build
    breaks src/analysis/units.c 's/known == count \&\& count > 0/known > count/' analysis/compare
}

@test "miss rates measured without a step" {
    with_build
    breaks src/analysis/trend_rates.c 's/missed\[s\] += !is_found/missed[s] += is_found/' analysis/trend
}

@test "growth of memory across two processes" {
    with_build
    breaks src/analysis/view_growth.c 's/cell->segments\[end\] == cell->segments\[from\]/true/' \
        analysis/view_growth
}

@test "a key that is cut in the middle is shown" {
    with_build
    breaks src/agent/secret.c 's/size_t tail = tail_of(s, text);/size_t tail = 0;/' agent/secret
}
