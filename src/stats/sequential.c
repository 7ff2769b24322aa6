#include "stats/sequential.h"

#include "stats/dist.h"

#include <math.h>

static double spending(const struct sequential *s, double t)
{
    if (t >= 1) return s->alpha;
    if (s->spending == SEQUENTIAL_POCOCK) return s->alpha * log1p((M_E - 1) * t);
    return 2 * dist_normal_upper(dist_normal_quantile(1 - s->alpha / 2) / sqrt(t));
}

double sequential_level(struct sequential *s, size_t n)
{
    CHECK(s->budget > 0);
    if (n == 0) return 0;
    double until_now = spending(s, (double)n / (double)s->budget);
    double level = fmax(0, until_now - s->spent);
    s->spent += level;
    return level;
}

enum sequential_state sequential_decide(const struct sequential *s, size_t n,
                                        const struct sequential_look *look)
{
    if (look->equivalent[0] > -look->margin && look->equivalent[1] < look->margin)
        return SEQUENTIAL_EQUIVALENT;
    bool excludes_0 = look->different[0] > 0 || look->different[1] < 0;
    if (excludes_0 && fabs(look->effect) >= look->least) return SEQUENTIAL_DIFFERENT;
    return n < s->budget ? SEQUENTIAL_CONTINUE : SEQUENTIAL_UNDECIDED;
}

size_t sequential_next(const struct sequential *s, size_t n)
{
    return n > s->budget / 2 ? s->budget : 2 * n;
}

double sequential_mixture_ratio(double n, double mean_difference, double variance,
                                double tau_squared)
{
    double total = variance + n * tau_squared;
    double sum = n * mean_difference;
    return sqrt(variance / total) * exp(sum * sum * tau_squared / (2 * variance * total));
}
