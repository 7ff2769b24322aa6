#!/usr/bin/env bats
# Formulas made wrong on purpose: their vectors, R's answers and the counts of
# wrong verdicts must notice.
load helper

@test "R's answers notice a wrong rank test" {
    with_build
    breaks src/stats/rank.c 's/all_n + 1 - ties \/ (all_n/all_n + 1 - 0 * (all_n/' stats/oracle
    breaks src/stats/rank.c 's/(fabs(distance) - 0.5)/(fabs(distance))/' stats/oracle
    breaks src/stats/rank.c 's/ - ties \/ 48//' stats/oracle
    breaks src/stats/rank.c 's/ties == 0 && test.n == n/ties == 0/' stats/oracle
    breaks src/stats/rank.c 's/largest < RANK_EXACT_BELOW/largest <= RANK_EXACT_BELOW/' stats/oracle
}

@test "R's answers notice an interval that is one pair too narrow, or counted wrongly far out" {
    with_build
    breaks src/stats/hodges.c 's/cdf\[rank\] < tail - 10/cdf[rank] <= tail + 10/' stats/hodges
    breaks src/stats/hodges.c 's/p, c.rank);/p, c.rank + 1);/' stats/oracle
    breaks src/stats/hodges.c 's/(10 \* sum_of_squares)/(20 * sum_of_squares)/' stats/oracle
}

@test "R's answers notice Welch, Kolmogorov, McNemar, Wilson and Holm" {
    with_build
    breaks src/stats/welch.c 's/share \* share \/ (m - 1)/share * share \/ m/' stats/oracle
    breaks src/stats/ks.c 's/here >= gap || -here >= gap/here > gap || -here > gap/' stats/oracle
    breaks src/stats/ks.c 's/m \* n < KS_EXACT_BELOW/m * n < 2 * KS_EXACT_BELOW/' stats/oracle
    breaks src/stats/proportion.c 's/b < c ? b : c/b < c ? b : c + 1/' stats/oracle
    breaks src/stats/proportion.c 's/z \* z \/ (4 \* size/z * z \/ (2 * size/' stats/oracle
    breaks src/stats/adjust.h 's/steps->left - 1/steps->left/' stats/oracle
}

@test "R's z0, acceleration and limits notice a wrong BCa" {
    with_build
    breaks src/stats/bootstrap.c 's/z0 + low \/ (1 - a \* low)/z0 + low \/ (1 + a * low)/' stats/bootstrap
    breaks src/stats/bootstrap.c 's/quantile(below \/ (double)n)/quantile(below \/ (double)(n + 1))/' stats/bootstrap
}

@test "published vectors notice pass@k, quantiles and prediction intervals" {
    with_build
    breaks src/stats/proportion.c 's/1 - choose_ratio(n - c, n, k)/1 - pow((double)(n - c) \/ (double)n, (double)k)/' stats/proportion
    breaks src/stats/quantile.c 's/(double)(n - 1)/(double)n/' stats/quantile
    breaks src/stats/predict.c 's/sqrt(1 + M_PI /sqrt(0 + M_PI /' stats/predict
}

@test "counts of wrong verdicts notice an engine that forgets memory, margin or pairs" {
    with_build
    breaks src/stats/verdict.c 's/    w->spread = memory;/    w->spread = memory = 1;/' stats/honesty
    breaks src/stats/verdict.c 's/w->narrow\[0\] >= -margin \&\& w->narrow\[1\] <= margin/w->estimate >= -margin \&\& w->estimate <= margin/' stats/honesty
    breaks src/stats/verdict.c 's/return hodges_centre(scratch, w->d, w->n\[0\], level)/return hodges_centre(scratch, w->d, w->n[0], 4 * level)/' stats/honesty
    breaks src/stats/verdict.c 's/w->sign = w->q->higher_is_better ? -1 : 1;/w->sign = w->q->higher_is_better ? 1 : -1;/' stats/verdict
    breaks src/stats/family.c 's/are &= !f->cells/are |= !f->cells/' stats/family
    breaks src/stats/family.c 's/(kind == KIND_SHARE || pass > 0 || /(kind != KIND_COUNT || /' stats/family
    breaks src/stats/family.c 's/mean > 0 ? mean : 1/1/' stats/family
    breaks src/stats/family.c 's/if (alike <= \*cells) continue;/if (alike < f->used) continue;/' stats/family
    breaks src/stats/family.c 's/return is_of_ratio \&\& /return false \&\& /' stats/family
    breaks src/stats/family.c 's/        cells\[i\].question = as_shift(&cells\[i\], out);/        continue;/' stats/family
    breaks src/stats/verdict.c 's/fabs(w->d\[0\]) < beyond(w)/fabs(w->d[0]) < VERDICT_BEYOND_LOG \/ 2/' stats/verdict
    breaks src/stats/family.c 's/is_wider = widen_whole(f, &v, scratch)/is_wider = false/' stats/family
    breaks src/stats/verdict_answer.c 's/(double)n \* fmax(1, times)/(double)n * sqrt(fmax(1, times))/' stats/verdict
    breaks src/stats/moments.h 's/long double m2;/double m2;/' stats/verdict
}

@test "planted slow cases notice an engine that takes them for noise" {
    with_build
    breaks src/stats/verdict_values.c 's/w->is_of_cases = are_cases(w);/w->is_of_cases = are_cases(w) \&\& false;/' stats/verdict_cases
    breaks src/stats/verdict_values.c 's/w->kind == KIND_RATIO ? exp(mean) : mean;/arm->median;/' stats/verdict_cases
}

@test "made noise notices a detector without effective sample size, or blind" {
    with_build
    breaks src/stats/change_evidence.c 's/^    double share = fmin((1 - rho)/    if (rho >= 0) return (struct change_memory){1, 1};\n&/' stats/change
    breaks src/stats/change_assay.c 's/least_magnitude = 0.03/least_magnitude = 0.2/' stats/change
    breaks src/stats/change_evidence.c 's/sum += rho \* (1 - /sum += 0 * (1 - /' stats/change_evidence
    breaks src/stats/change_otava.c 's/(m + n) \* (n - 1)/(m + n) * n/' stats/change_otava
    all_checked
}

@test "planted steps notice a detector that drops small ones, misplaces, or overlooks modes and drifts" {
    with_build
    breaks src/stats/change_assay.c 's/split->p = split_p(s, around(s, splits, i), split->at, scratch);/&\n        if (fabs(matched_change(s, segment(s, splits, i), segment(s, splits, i + 1), scratch)) < 0.03) split->p = 1;/; s/^static void examine/static double matched_change(const struct scan *, struct range, struct range, struct arena);\n&/' stats/change
    breaks src/stats/change_assay.c 's/split->at = settle(s, w, better.at, scratch)/split->at = better.at/' stats/change
    breaks src/stats/change_evidence.c 's/p = fmin(p, runs_p/p = fmin(1, runs_p/' stats/change
    breaks src/stats/change_evidence.c 's/^    p = fmin(p, runs_p.*$/    p = p + 0 * runs_p(stretch, at, 1, scratch);/' stats/change
    breaks src/stats/change_assay.c 's/fabs(matched_change(s, a, b, scratch))/fabs(point.change)/' stats/change
    breaks src/stats/change_assay.c 's/if (!is_drift(&drifting/if (n_never || !is_drift(\&drifting/; s/^    struct drifting drifting/    bool n_never = true;\n&/' stats/change
    breaks src/stats/change_search.c 's/changes += changes_around(groups, count, k);/changes += changes_within(\&groups[k]);/' stats/change_search
    all_checked
}

@test "planted laws notice intervals and predictions of a scalability law that are too narrow" {
    with_build
    breaks src/stats/usl.c 's/widen \* residual \/ fmax(share, FREE_MIN)/residual/' stats/usl
    breaks src/stats/usl.c 's/ + noise);/ + 0 * noise);/' stats/usl
    breaks src/stats/usl.c 's/widen \* l.sd \* rng_normal/0 * l.sd * rng_normal/' stats/usl
    breaks src/stats/usl.c 's/residual \/ fmax(share, FREE_MIN)/9 * residual/' stats/usl
}
