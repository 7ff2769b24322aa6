/* verdict.h - is B better than A? The one engine behind every comparison.
 *
 * A is the baseline; the verdict speaks of B. How two sets of values compare is
 * said by their kind (base/kind.h):
 *
 *   ratio   Hodges and Lehmann's estimate on logarithms: B is 1.08 times A. Where a
 *           value is not above 0 there is no ratio, and the shift decides.
 *   share   the difference of means, in points (stats/share.h)
 *   sum     the ratio of means, from subsets (stats/typical.h); decided and reported as a
 *           ratio
 *   shift   Hodges and Lehmann's shift
 *
 * Pairs are compared by their differences. Pairs of cases (is_paired, has_no_order) of a
 * ratio or a shift by the mean of these, with the interval that flipped signs leave it
 * (stats/typical.h): ranks would take a fifth of the cases, 20 times slower, for noise. The
 * levels of such arms are geometric means (of shifts means), so that B's over A's is the
 * effect. A case that was cut off counts as the time after which that was done
 * (stats/verdict_values.c).
 *
 * The interval decides, in this order:
 *
 *   equivalent  the 1 - 2 alpha interval lies inside the margin (two one-sided
 *               tests at alpha), even if it excludes no change
 *   better,     the 1 - alpha interval lies beyond the limit (0 unless asked)
 *   worse
 *   undecided   otherwise, and where no interval exists (3 against 3, 5 pairs)
 *
 * p, the interval and the verdict are three views of one thing: p < alpha if and
 * only if the interval lies beyond the limit. The smallest effect that these data
 * would have shown (mde) is never below an effect they did not show.
 *
 * Margin and limit are relative for ratios (margin: (1 / (1 + m), 1 + m), so that
 * exchanging A and B mirrors the answer; limit: 1 + limit upwards, 1 - limit
 * downwards), points for shares, relative to the size of A's median for shifts.
 *
 * Values that nobody saw the end of (a time-out) are +infinity: known to be larger
 * than all that were seen. They count in ranks; an interval may be open above.
 *
 * Small samples: Hodges and Lehmann's interval is exact (R's). Asked at a level
 * below `nominal`, for which so few values have no exact one, it grows from the
 * widest one as Student's t does.
 *
 * Memory: values that resemble their neighbours know less than their number says.
 * Two unpaired arms have the interval stretched about the estimate by what their
 * lag-1 correlation, pooled, makes of the variance of a mean; pairs only where
 * their differences still remember beyond chance. docs/method.md has the price
 * (below 6 points of power) and what it buys. Rounds that alternate AB, BA make
 * neighbouring differences similar, by at most 1.21 in variance: is_alternating.
 *
 * Runs: values of one run share what that run met. With one number for each run
 * the interval is widened to hold Student's interval between runs (stats/runs.h).
 *
 * Values that do not vary: equal in both arms they decide nothing (equivalent, and
 * no test was spent); different, from VERDICT_CONSTANT_LEAST values on, they are a
 * difference, marked deterministic. Not so for shares of right or wrong: 3 of 3 and
 * 0 of 3 may be chance. Where a constant lies between 0 and 1 trials are graded, and
 * the rule holds; of pairs and of cases, whose values may be means of right and wrong over
 * passes, where is_graded says so; not of blocks.
 *
 * Mann-Whitney, Welch and KS are for information (in file order: R's
 * wilcox.test(A, B)); they decide nothing. NaN is left out, of a pair with its
 * partner. */
#ifndef STATS_VERDICT_H
#define STATS_VERDICT_H

#include "base/error.h"
#include "base/kind.h"
#include "stats/ks.h"
#include "stats/rank.h"
#include "stats/runs.h"
#include "stats/welch.h"

#define VERDICT_ALPHA  0.05
#define VERDICT_POWER  0.8 /* with which the smallest detectable effect would show */
#define VERDICT_MARGIN 0.03
enum { VERDICT_REASONS_MAX = 16, VERDICT_CONSTANT_LEAST = 4 };

enum verdict {
    VERDICT_UNDECIDED,
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_EQUIVALENT,
};

/* One number for each run, on the scale that decides: logarithms of medians,
 * means of shares, medians. */
struct verdict_runs {
    const double *values[2];
    size_t count[2]; /* 0: runs are not known */
    bool is_paired;  /* both took turns in the same runs */
};

struct verdict_question {
    const double *a;
    size_t a_count;
    const double *b;
    size_t b_count;
    /* Of shares: the lowest and the highest that each value may be, where an outcome is not
     * known and its value NaN (stats/hull.h). NULL: all are known. */
    const double *a_ends[2];
    const double *b_ends[2];
    /* A value of A, or of B, that is infinite was cut off after this (a time-out): it is no
     * less. 0: beyond all that were seen. */
    double cut_at[2];
    /* Of shares: trials that a value of A, or of B, is the mean of (stats/share.h). */
    double worth[2];
    /* Of shares, pairs or cases: a value of A, or of B, between 0 and 1 is a grade that trials
     * were given, no mean of right and wrong. */
    bool is_graded[2];
    enum kind kind;
    bool is_paired;        /* a[i] belongs to b[i] */
    bool is_alternating;   /* pairs were measured AB, BA, AB, ... */
    bool has_no_order;     /* values stand in no order of time: cases, not trials */
    bool higher_is_better; /* else lower */
    bool is_brief;         /* without the tests and sizes that decide nothing: they are NaN */
    double alpha;          /* 0: VERDICT_ALPHA */
    double nominal;        /* the level before any adjustment; 0: alpha */
    double margin;         /* of equivalence; 0: never equivalent */
    double limit;          /* a smaller change is neither better nor worse */
    struct verdict_runs runs;
};

/* Why the answer is what it is. */
enum verdict_reason_code {
    REASON_EMPTY,          /* arm: no values */
    REASON_ONE_VALUE,      /* arm: its noise is unknown */
    REASON_CONSTANT,       /* arm: all values are `value` */
    REASON_LEFT_OUT,       /* value: how many were NaN or without partner */
    REASON_CENSORED,       /* value: how many were cut off */
    REASON_NOT_POSITIVE,   /* there is no ratio: the shift decides */
    REASON_MEMORY,         /* value, other: effective n of A and B */
    REASON_BETWEEN_RUNS,   /* value: sd between runs, which is what hides a change */
    REASON_TOO_FEW,        /* value: as many as could decide */
    REASON_EQUAL,          /* all values of both arms are the same: nothing was tested */
    REASON_DETERMINISTIC,  /* neither arm varies, and they differ */
    REASON_NO_MDE_WIDTH,   /* no smallest detectable change: no width */
    REASON_NO_MDE_ZERO,    /* the same: A's median is 0 */
    REASON_MARGIN_OF_ZERO, /* a relative margin of 0 holds nothing */
    REASON_REAL_BUT_SMALL, /* a change, but inside the margin */
    REASON_SHAPE,          /* value: KS p; the shape differs where the level does not */
    REASON_TAIL,           /* value: share of B beyond A's 95th percentile; other: of A */
    REASON_UNKNOWN,        /* value: how many outcomes of `other` are not known */
    REASON_COUNT
};

struct verdict_reason {
    enum verdict_reason_code code;
    int arm; /* 0: A, 1: B; where one is meant */
    double value;
    double other;
};

struct verdict_arm {
    size_t n;
    double effective_n;
    double lag1;
    double mean;
    double sd;
    double median;
    double centre; /* what was compared: the mean of a share or a sum, the geometric mean of
                      a ratio over cases, the mean of their shift; else the median */
    double mad;
    double p95;
    double p99;
};

/* What cannot be computed is NaN, with a reason. The ratio of shares is that of
 * their means, its ends those of the difference over A's mean. */
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
    enum kind kind; /* that decided: shift for ratios of values that are not positive */
    bool is_paired;
    bool higher_is_better;
    double alpha; /* 1 - alpha is the confidence of the interval */
    double margin;
    double limit;
    struct verdict_arm arm[2]; /* A, B */
    struct verdict_effect effect;
    double narrow_low; /* the 1 - 2 alpha interval of ratio (kind ratio) or shift */
    double narrow_high;
    double p;   /* of an effect no larger than the limit, two-sided */
    double mde; /* smallest change that would probably show; relative, or points of a share */
    struct rank_test mann_whitney;
    struct rank_test signed_rank; /* of b - a (logarithms); p NaN if not paired */
    struct welch welch;
    struct ks ks;
    double run_sd;     /* between runs of one side, on the scale that decides; NaN unknown */
    bool needs_runs;   /* what hides a change is that runs differ */
    bool is_within;    /* the interval ends before "worse by more than the limit" begins */
    bool is_tested;    /* something was there to test */
    bool is_of_cases;  /* n counts cases: passes do not help, cases do */
    size_t unknown[2]; /* values of A and B that may be more than one thing, of */
    size_t asked[2];   /* so many */
    double worst;      /* the shift if all that is unknown went against B */
    struct verdict_reason reasons[VERDICT_REASONS_MAX];
    size_t reason_count;
};

/* Fails with ERROR_INVALID for pairs of unequal length, for alpha, margin or limit
 * out of range, and for shares outside 0 to 1; data never make it fail otherwise. */
MUST_USE bool verdict_compare(const struct verdict_question *question, struct arena scratch,
                              struct verdict_answer *answer, struct error *err);

/* An interval that was found in another way (stats/family.h), on the scale that decides:
 * logarithms of ratios, points, shifts. */
struct verdict_interval {
    enum kind kind;
    bool higher_is_better;
    double alpha;
    double margin;
    double limit;
    double a_centre;
    double estimate;
    double low, high;
    double narrow[2];
};

/* Fills verdict, p, mde, is_within and is_tested by the rules above. */
void verdict_settle(const struct verdict_interval *v, struct verdict_answer *answer);

/* Widens the 1 - 2 alpha interval of shares of n units by what none of them showed. */
void verdict_widen_shares(size_t n, double alpha, double narrow[2]);

/* The difference between runs; of fewer than three its se is NaN. */
struct runs_difference verdict_between_runs(const struct verdict_runs *runs);

/* The edge that an estimate is beyond: of worse or of better; NaN between them. */
double verdict_edge(const struct verdict_interval *v, double estimate);

/* The effect as askers of "how much worse" want it: above 0 is worse, whichever
 * direction is better; relative, points for shares. NaN without interval; ends may
 * be infinite where A's median is 0. */
struct verdict_worsening {
    double amount;
    double low;
    double high;
    double worst; /* points of a share, if all that is unknown went against B; else amount */
};
struct verdict_worsening verdict_worsening_of(const struct verdict_answer *answer);

/* What would settle an undecided answer: so many values on each side (as many times more as
 * the smallest change that would show is larger than the one found, squared), or runs. */
struct verdict_need {
    enum {
        NEED_NOTHING,  /* decided, or nothing was there to test */
        NEED_VALUES,   /* n */
        NEED_RUNS,     /* of each version: what hides a change is that runs differ */
        NEED_OUTCOMES, /* n outcomes are not known, and they decide */
        NEED_TOO_MANY, /* more than VERDICT_NEED_MOST times as many: ask whether it is equal */
        NEED_MEETING   /* the two have nothing in common to be compared by */
    } what;
    size_t n;
    bool is_of_cases;
};
#define VERDICT_NEED_MOST 100
struct verdict_need verdict_need_of(const struct verdict_answer *answer);

bool verdict_has(const struct verdict_answer *answer, enum verdict_reason_code code);

/* An interval exists. */
bool verdict_is_measured(const struct verdict_answer *answer);

const char *verdict_name(enum verdict verdict); /* "better", ... */

#endif
