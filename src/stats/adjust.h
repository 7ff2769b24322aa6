/* adjust.h - several questions asked at once: Holm's steps (1979), which keep the chance of any
 * false finding at alpha.
 *
 * Of m questions the one with the smallest p is asked at alpha / m; each that is decided
 * leaves the next one test fewer. Whoever asks again at that level shows the interval that
 * decided:
 *
 *     struct holm steps = holm_begin(count);
 *     ... for each, in the order of its p:
 *     answer = ask at holm_level(&steps, alpha)
 *     adjusted = holm_step(&steps, answer.p, it is decided)
 *
 * As long as all are decided, adjusted p are those of R's p.adjust; from the first that is
 * not they are no smaller, and decide the same. They never fall from one to the next. */
#ifndef STATS_ADJUST_H
#define STATS_ADJUST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct holm {
    double left;   /* tests, this one among them */
    double before; /* the adjusted p of the step before */
};

static inline struct holm holm_begin(size_t count)
{
    return (struct holm){(double)count, 0};
}

static inline double holm_level(const struct holm *steps, double alpha)
{
    return alpha / steps->left;
}

static inline double holm_step(struct holm *steps, double p, bool is_decided)
{
    steps->before = fmin(1, fmax(steps->before, p * steps->left));
    if (is_decided) steps->left = fmax(1, steps->left - 1);
    return steps->before;
}

#endif
