#include "stats/moments.h"

#include <math.h>

void moments_add(struct moments *m, double value)
{
    m->count++;
    double before = value - m->mean;
    m->mean += before / (double)m->count;
    m->m2 += (long double)before * (value - m->mean);
}

struct moments moments_of(const double *values, size_t n)
{
    struct moments m = {.count = (int64_t)n};
    if (n == 0) return m;
    long double shift = 0;
    for (size_t i = 1; i < n; i++) shift += (long double)values[i] - values[0];
    m.mean = (double)(values[0] + shift / (double)n);
    long double rest = 0; /* what rounding left of the mean's error */
    for (size_t i = 0; i < n; i++) {
        long double d = (long double)values[i] - m.mean;
        m.m2 += d * d;
        rest += d;
    }
    m.m2 -= rest * rest / (double)n;
    if (m.m2 < 0) m.m2 = 0;
    m.mean = (double)(m.mean + rest / (double)n);
    return m;
}

long double moments_variance(const struct moments *m)
{
    return m->count < 2 ? (long double)NAN : m->m2 / (double)(m->count - 1);
}

double moments_sd(const struct moments *m)
{
    return (double)sqrtl(moments_variance(m));
}
