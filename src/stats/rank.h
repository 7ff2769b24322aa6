/* rank.h - tests that look only at the order of values.
 *
 * Mann and Whitney's U (Wilcoxon 1945; Mann and Whitney 1947), Wilcoxon's
 * signed rank, the sign test. They follow R's wilcox.test to the digit: exact
 * where no values are tied and samples are small, else normal with corrections
 * for ties and continuity. Input without NaN.
 *
 * The null distributions are counted here, in memory of the caller's: R's own
 * pwilcox and psignrank keep static caches. */
#ifndef STATS_RANK_H
#define STATS_RANK_H

#include "base/arena.h"

enum rank_side {
    RANK_TWO_SIDED,
    RANK_LESS,    /* x tends to be smaller than y (or than 0) */
    RANK_GREATER, /* larger */
};

enum rank_method {
    RANK_AUTO, /* R's rule: exact without ties (and zeros) and all sizes below RANK_EXACT_BELOW */
    RANK_EXACT,
    RANK_NORMAL,
};
enum { RANK_EXACT_BELOW = 50 };

struct rank_test {
    double statistic; /* U of x (R's W), V of the positive differences, or their count */
    double p;         /* 1 when nothing can be decided: no values, all tied */
    size_t n;         /* pairs that were used: zeros are left out; 0 for Mann-Whitney */
    enum rank_method method;
};

/* Ranks 1..n, tied values sharing their mean, into `ranks`. Returns the sum of
 * t^3 - t over the groups of t tied values. */
double rank_midranks(struct arena scratch, const double *values, size_t n, double *ranks);

struct rank_test rank_mann_whitney(struct arena scratch, const double *x, size_t m,
                                   const double *y, size_t n, enum rank_side side,
                                   enum rank_method method);

/* Of differences against 0. Zeros are left out, and make the test normal. */
struct rank_test rank_signed(struct arena scratch, const double *differences, size_t n,
                             enum rank_side side, enum rank_method method);

/* P(U <= u) for u = 0..m n under the null hypothesis without ties, in `out`.
 * Costs m n min(m, n) steps; C(m + n, m) must be a finite double. */
const double *rank_u_cdf(struct arena *out, size_t m, size_t n);

/* P(V <= v) for v = 0..n (n + 1) / 2; n below 1000. */
const double *rank_v_cdf(struct arena *out, size_t n);

const char *rank_method_name(enum rank_method method); /* "exact", "normal" */

#endif
