#include "stats/welch.h"

#include "stats/dist.h"

#include <math.h>

struct welch welch_test(const struct moments *x, const struct moments *y)
{
    struct welch w = {(double)NAN, (double)NAN, (double)NAN};
    if (x->count < 2 || y->count < 2) return w;
    double m = (double)x->count;
    double n = (double)y->count;
    long double from_x = moments_variance(x) / m;
    long double from_y = moments_variance(y) / n;
    long double difference = (long double)x->mean - y->mean;
    if (from_x + from_y == 0) {
        w.t = difference == 0 ? 0 : copysign((double)INFINITY, (double)difference);
        w.p = dist_told(difference == 0);
        return w;
    }
    double share = (double)(from_x / (from_x + from_y));
    w.t = (double)(difference / sqrtl(from_x + from_y));
    w.df = 1 / (share * share / (m - 1) + (1 - share) * (1 - share) / (n - 1));
    w.p = dist_told(dist_t_two_sided(w.t, w.df));
    return w;
}
