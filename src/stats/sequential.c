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
