/* runs.h - do two versions differ by more than runs of one version do?
 *
 * Values within a run share what that run met: the layout of memory, the heat of
 * the machine, its neighbours. However many there are, they do not show how much
 * another run would differ. So each run counts once, by one number, and Student's
 * t with the pooled variance between runs of one side answers:
 *
 *     se = s sqrt(1/k0 + 1/k1),  s^2 = (SS0 + SS1) / df,  df = k0 + k1 - 2
 *
 * Pooled, not Welch's, so that one run against several can be answered as well
 * (the prediction interval of docs/method.md): both sides met the same machine.
 * Where both sides took turns in the same runs, what a run met happened to both:
 * its difference counts, d_i = b_i - a_i, se = sd(d) / sqrt(k), df = k - 1.
 *
 * The number of a run is near normal where it is a median of many values or their
 * logarithm. */
#ifndef STATS_RUNS_H
#define STATS_RUNS_H

#include "base/invariant.h"

struct runs_difference {
    double d;  /* mean of b less mean of a; NaN without values */
    double se; /* NaN below three runs in all */
    double df;
    double sd; /* between runs of one side; of pairs: between differences / sqrt 2 */
};

struct runs_difference runs_compare(const double *a, size_t a_count, const double *b,
                                    size_t b_count);

/* Makes an interval at 1 - alpha hold Student's between runs. */
void runs_widen(const struct runs_difference *x, double alpha, double *low, double *high);

/* a[i] and b[i] are of the same run. NaN below two. */
struct runs_difference runs_compare_pairs(const double *a, const double *b, size_t count);

#endif
