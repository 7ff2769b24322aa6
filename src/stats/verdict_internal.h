/* verdict_internal.h - a comparison while it is made: what verdict*.c share. */
#ifndef STATS_VERDICT_INTERNAL_H
#define STATS_VERDICT_INTERNAL_H

#include "stats/share.h"
#include "stats/typical.h"
#include "stats/verdict.h"

#define VERDICT_BEYOND_LOG   1e4 /* a censored value on a scale of logarithms: exp is infinite */
#define VERDICT_BEYOND_PLAIN 1e300 /* and on a plain one */

struct verdict_work {
    const struct verdict_question *q;
    double alpha;
    double nominal;
    enum kind kind;
    double *raw[2]; /* without NaN, in order; censored ones infinite */
    size_t n[2];
    const double *scaled[2]; /* on the scale that decides */
    const double *d;         /* pairs: b - a on it */
    struct typical typical;  /* sums: subsets of the values; cases: of d */
    bool is_sum;
    bool is_of_cases; /* pairs of cases: their mean difference */
    bool
        is_cut_apart; /* of these some were cut off in one arm alone: how far apart is not known */
    struct share_stratum stratum;
    struct share_question share;
    double exact_p;   /* of that question */
    double spread;    /* of the variance of a mean, by memory; 1: none */
    double df[2];     /* as if independent; as it is */
    double low, high; /* the 1 - alpha interval on the scale; NaN without */
    double narrow[2]; /* 1 - 2 alpha */
    double estimate;
    double bad, good; /* edges: beyond `bad` is worse, beyond `good` better */
    double sign;      /* 1: more is worse */
};

void verdict_give_reason(struct verdict_answer *answer, struct verdict_reason reason);

/* The values that count, then the scale that decides, then all that is on it. */
void verdict_take_values(struct verdict_work *w, struct arena *scratch,
                         struct verdict_answer *answer);
void verdict_choose_scale(struct verdict_work *w, struct arena *scratch,
                          struct verdict_answer *answer);

/* What is known of each arm; what informs and decides nothing. */
void verdict_describe_arm(struct arena scratch, const struct verdict_work *w, int s,
                          struct verdict_answer *answer);
void verdict_inform(struct arena scratch, const struct verdict_work *w,
                    struct verdict_answer *answer);

/* Where the level is not found to differ: says so if B has more values beyond A's 95th
 * percentile than chance puts there. It informs and decides nothing. */
void verdict_note_tail(struct arena scratch, const struct verdict_work *w,
                       struct verdict_answer *answer);

bool verdict_all_positive(const double *values, size_t n);

/* Censored values are at `cut`, on the scale. */
const double *verdict_onto_scale(struct arena *scratch, const double *raw, size_t n,
                                 bool is_log, double cut);

/* Finite, even where the true difference is beyond the doubles. */
const double *verdict_differences(struct arena *scratch, const double *a, const double *b,
                                  size_t n);

#endif
