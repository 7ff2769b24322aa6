#include "stats/runs.h"

#include "stats/dist.h"
#include "stats/moments.h"

#include <math.h>

struct runs_difference runs_compare(const double *a, size_t a_count, const double *b,
                                    size_t b_count)
{
    struct runs_difference r = {.d = NAN, .se = NAN, .df = NAN, .sd = NAN};
    if (a_count == 0 || b_count == 0) return r;
    struct moments x = moments_of(a, a_count);
    struct moments y = moments_of(b, b_count);
    r.d = y.mean - x.mean;
    if (a_count + b_count < 3) return r;
    r.df = (double)(a_count + b_count) - 2;
    r.sd = (double)sqrtl((x.m2 + y.m2) / r.df);
    r.se = r.sd * sqrt(1 / (double)a_count + 1 / (double)b_count);
    return r;
}

struct runs_difference runs_compare_pairs(const double *a, const double *b, size_t count)
{
    struct runs_difference r = {.d = NAN, .se = NAN, .df = NAN, .sd = NAN};
    struct moments d = {0};
    for (size_t i = 0; i < count; i++) moments_add(&d, b[i] - a[i]);
    if (count > 0) r.d = d.mean;
    if (count < 2) return r;
    double sd = moments_sd(&d);
    r.df = (double)count - 1;
    r.sd = sd / sqrt(2);
    r.se = sd / sqrt((double)count);
    return r;
}

void runs_widen(const struct runs_difference *x, double alpha, double *low, double *high)
{
    if (isnan(x->se) || isnan(*low)) return;
    double half = dist_t_quantile(1 - alpha / 2, x->df) * x->se;
    *low = fmin(*low, x->d - half);
    *high = fmax(*high, x->d + half);
}
