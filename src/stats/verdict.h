/* verdict.h - is B better than A? The one engine behind every comparison.
 *
 * A is the baseline; ratio is B over A; the verdict speaks of B. The effect is
 * Hodges and Lehmann's, on logarithms (a ratio) when all values are positive,
 * else the shift; paired, the same on the pairs. Its interval decides, in this
 * order:
 *
 *   equivalent  the 1 - 2 alpha interval lies inside the margin (two one-sided
 *               tests at alpha), even if it excludes no change
 *   better,     the 1 - alpha interval excludes no change
 *   worse
 *   undecided   otherwise, and always when no 1 - alpha interval exists (3
 *               against 3, 5 pairs, at 5 %)
 *
 * The margin of a ratio is (1 / (1 + margin), 1 + margin), so that exchanging A
 * and B mirrors the answer; of a shift, margin times the size of A's median.
 *
 * Series that remember: where the lag-1 autocorrelation of either unpaired arm,
 * in the order given, is above VERDICT_LAG1 (from VERDICT_LAG1_MIN_N values on;
 * also that of ranks, beyond chance) the interval is widened to the effective n
 * by autocorr_inflation, with a t quantile for it, and notes say so. Pairs of
 * interleaved trials cancel such memory; only where their differences still have
 * it beyond chance are they treated alike.
 *
 * Where rounds alternate AB, BA, AB, ... machine noise with memory rho makes
 * neighbouring differences alike, by 1 + rho (1 - rho) / (1 + rho^2) in the
 * variance of their mean: at most 1.21, which is_alternating takes into account
 * whatever rho is. Rounds that all go AB need nothing: their differences repel
 * each other.
 *
 * Mann-Whitney, Welch and KS are for information (in file order: R's
 * wilcox.test(A, B)); they decide nothing. NaN and infinite values are left out
 * and noted, with their partner when paired. */
#ifndef STATS_VERDICT_H
#define STATS_VERDICT_H

#include "base/error.h"
#include "stats/ks.h"
#include "stats/rank.h"
#include "stats/welch.h"

#define VERDICT_ALPHA  0.05
#define VERDICT_POWER  0.8 /* with which the smallest detectable effect would show */
#define VERDICT_MARGIN 0.03
#define VERDICT_LAG1   0.2
enum { VERDICT_LAG1_MIN_N = 10, VERDICT_NOTES_MAX = 16 };

enum verdict {
    VERDICT_UNDECIDED,
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_EQUIVALENT,
};

struct verdict_question {
    const double *a;
    size_t a_count;
    const double *b;
    size_t b_count;
    bool is_paired;        /* a[i] belongs to b[i] */
    bool is_alternating;   /* pairs were measured AB, BA, AB, ...: see below */
    bool higher_is_better; /* else lower */
    double alpha;          /* 0: VERDICT_ALPHA */
    double margin;         /* relative, for equivalence; 0: never equivalent */
};

struct verdict_arm {
    size_t n;
    double effective_n;
    double lag1;
    double mean;
    double sd;
    double median;
    double mad;
    double p95;
    double p99;
};

/* What cannot be computed is NaN, with a reason in the notes. */
struct verdict_effect {
    double ratio;
    double low;
    double high;
    double shift;
    double shift_low;
    double shift_high;
    double cliffs_delta; /* how often B exceeds A, -1 to 1 */
    const char *cliffs_label;
};

struct verdict_answer {
    enum verdict verdict;
    struct verdict_arm arm[2]; /* A, B */
    struct verdict_effect effect;
    double p; /* of no effect, two-sided, by the test that belongs to the interval */
    struct rank_test mann_whitney;
    struct rank_test signed_rank; /* of b - a (logarithms); p NaN if not paired */
    struct welch welch;
    struct ks ks;
    double mde;    /* smallest relative change found with 80 % power */
    bool is_short; /* the interval is narrower than the effective n asks for: undecided */
    const char *notes[VERDICT_NOTES_MAX];
    size_t note_count;
    const char *sentence;
};

/* Texts go to `out`. Fails with ERROR_INVALID for pairs of unequal length and
 * for alpha or margin out of range; data never make it fail. */
MUST_USE bool verdict_compare(const struct verdict_question *question, struct arena *out,
                              struct verdict_answer *answer, struct error *err);

const char *verdict_name(enum verdict verdict); /* "better", ... */

#endif
