#include "stats/power.h"

#include "stats/dist.h"
#include "stats/moments.h"

#include <math.h>

/* Variance of the estimated effect times n, over sigma^2. */
static double variance_factor(const struct power *p)
{
    double factor = p->is_paired ? 2 * (1 - p->correlation) : 2;
    return p->is_rank_test ? factor * M_PI / 3 : factor;
}

static double alpha_of(const struct power *p)
{
    return p->alpha > 0 ? p->alpha : 0.05;
}

static double power_of(const struct power *p)
{
    return p->power > 0 ? p->power : 0.8;
}

static double normal_sum(const struct power *p)
{
    return dist_normal_quantile(1 - alpha_of(p) / 2) + dist_normal_quantile(power_of(p));
}

double power_effect(const struct power *p, double n)
{
    if (!(n > 0)) return (double)NAN;
    return normal_sum(p) * p->sigma * sqrt(variance_factor(p) / n);
}

static double needed(const struct power *p, double effect, double quantiles)
{
    double ratio = quantiles * p->sigma / effect;
    return variance_factor(p) * ratio * ratio;
}

double power_needed(const struct power *p, double effect)
{
    if (effect == 0) return (double)INFINITY;
    return needed(p, effect, normal_sum(p));
}

double power_needed_student(const struct power *p, double effect)
{
    double n = power_needed(p, effect);
    if (!isfinite(n)) return n;
    n = fmax(2, ceil(n));
    for (int step = 0; step < 100; step++) { /* two or three do; fewer df, a few more */
        double df = p->is_paired ? n - 1 : 2 * n - 2;
        double sum =
            dist_t_quantile(1 - alpha_of(p) / 2, df) + dist_t_quantile(power_of(p), df);
        if (needed(p, effect, sum) <= n) break;
        n += 1;
    }
    return n;
}

struct power_noise power_noise(const double *values, const size_t *ends, size_t sessions)
{
    struct moments all = {0};
    long double within = 0;
    double squares = 0; /* of the sessions' sizes */
    for (size_t s = 0, start = 0; s < sessions; start = ends[s++]) {
        struct moments m = moments_of(values + start, ends[s] - start);
        within += m.m2;
        squares += (double)m.count * (double)m.count;
        moments_merge(&all, &m);
    }
    long double between = all.m2 - within;
    double n = (double)all.count;
    double df_within = n - (double)sessions;
    double df_between = (double)sessions - 1;
    struct power_noise noise = {all.mean, (double)NAN, (double)NAN};
    if (df_within > 0) noise.sd_within = (double)sqrtl(within / df_within);
    if (df_within > 0 && df_between > 0) {
        double size = (n - squares / n) / df_between; /* mean size, corrected if unequal */
        long double variance = (between / df_between - within / df_within) / size;
        noise.sd_between = (double)sqrtl(fmaxl(0, variance));
    }
    return noise;
}
