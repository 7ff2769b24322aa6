/* why.h - why one agent is ahead of another: the effect that `versus` shows, taken apart.
 *
 * The overall difference of `versus` is a mean over benchmarks of means over cases (and their
 * prompts) of weighted scores, so it is a sum: each case adds, and within a case each score. Two scores are taken
 * apart further, in proportion to what their inputs changed by:
 *
 *   speed        by phase of the answer (what agents report), and what is in no phase ("unphased"):
 *                the part of each is its share of the difference in seconds
 *   efficiency   by tokens, CPU time and memory: the share of each in the difference of the
 *                logarithms that the score is the mean of
 *
 * Parts add up to the effect, by factor and by case; `rest` is what rounding leaves. A part is
 * not a cause: it says where the difference is. What differs between the two (configuration,
 * version, load, prompt) is shown next to it. */
#ifndef JUDGE_WHY_H
#define JUDGE_WHY_H

#include "judge/versus.h"

struct why_factor {
    const char *name;    /* "accuracy", "speed: search", "efficiency: tokens" */
    double part;         /* of the effect, in points of the overall score */
    double share;        /* part / effect; NaN where the effect is 0 */
    double value[2];     /* of A and B: a score as versus has it; what has a unit, by its mean
                            over the cases in which both have it, benchmarks weighing the same */
    const char *unit;    /* of the values */
    double valued;       /* weight of the cases that the values are of */
    size_t cases;        /* in which it differs */
    enum score_id score; /* that it belongs to */
};

struct why_case {
    const struct versus_case *of;
    double part, share;
    double by_score[SCORE_COUNT]; /* adds up to part */
};

struct why_setting { /* something that differs between the two */
    const char *name;
    const char *value[2];
};

struct why {
    const struct versus *versus;
    double effect;              /* that of versus->overall */
    double gross;               /* the same with every case's part taken without its sign */
    struct why_factor *factors; /* largest part first */
    size_t factor_count;
    struct why_case *cases; /* largest part first */
    size_t case_count;
    const struct why_case *only; /* the one that was asked about; NULL: all */
    size_t telling;              /* cases that make WHY_TELLING of the gross */
    double rest;                 /* effect less the sum of parts */
    struct why_setting *settings;
    size_t setting_count;
};
#define WHY_TELLING 0.9

MUST_USE bool why_ask(struct store *store, const struct versus_question *question,
                      struct arena *out, struct why **why, struct error *err);

/* Sets `only`, by name or benchmark/name. */
MUST_USE bool why_choose(struct why *why, const char *name, struct error *err);

#endif
