/* verdict_internal.h - what verdict.c computes and verdict_words.c says. */
#ifndef STATS_VERDICT_INTERNAL_H
#define STATS_VERDICT_INTERNAL_H

#include "stats/hodges.h"
#include "stats/verdict.h"

struct verdict_work {
    const struct verdict_question *q;
    double alpha;
    double *a; /* finite values, in order */
    double *b;
    size_t dropped;
    bool is_ratio;        /* all positive: effects are ratios */
    bool is_widened;      /* for autocorrelation */
    struct hodges wide;   /* 1 - alpha, of logarithms if is_ratio */
    struct hodges narrow; /* 1 - 2 alpha */
    double limit;         /* half-width of the margin on that scale; NaN if none */
};

/* Fills notes and sentence. */
void verdict_say(const struct verdict_work *w, struct arena *out,
                 struct verdict_answer *answer);

#endif
