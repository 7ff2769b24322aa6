/* adjust.h - several questions asked at once: Holm's steps (1979), which keep the chance of any
 * false finding at alpha.
 *
 * Of m questions the one with the smallest p is asked at alpha / m; each that is decided
 * leaves the next one test fewer. Whoever asks again at that level shows the interval that
 * decided:
 *
 *     struct holm steps = holm_begin(count);
 *     ... for each, in the order of its p:
 *     answer = ask at holm_level(&steps, p, alpha)
 *     adjusted = holm_step(&steps, answer.p, it is decided)
 *
 * Equal p (few values, whose exact p end at the same least one) share a level: which of them
 * comes first says nothing, and must not change an interval or a verdict.
 *
 * As long as all are decided, adjusted p are those of R's p.adjust; from the first that is
 * not they are no smaller, and decide the same: below alpha if and only if it is decided, as p
 * at a step's level may come in another order than p at alpha. */
#ifndef STATS_ADJUST_H
#define STATS_ADJUST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct holm {
    double left;      /* tests, this one among them */
    double before[2]; /* the largest adjusted p so far: of all, of those that are decided */
    double p;         /* that was asked about last, */
    double tests;     /* and at alpha over how many; 0: nothing was */
};

static inline struct holm holm_begin(size_t count)
{
    return (struct holm){.left = (double)count};
}

static inline double holm_level(struct holm *steps, double p, double alpha)
{
    bool is_tied = steps->tests > 0 && p == steps->p;
    if (!is_tied) steps->tests = steps->left;
    steps->p = p;
    return alpha / steps->tests;
}

static inline double holm_step(struct holm *steps, double p, bool is_decided)
{
    double tests = steps->tests > 0 ? steps->tests : steps->left;
    double adjusted = fmin(1, fmax(steps->before[is_decided], p * tests));
    steps->before[0] = fmax(steps->before[0], adjusted);
    if (!is_decided) return adjusted;
    steps->before[1] = adjusted;
    steps->left = fmax(1, steps->left - 1);
    return adjusted;
}

#endif
