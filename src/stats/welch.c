#include "stats/welch.h"

#include "stats/dist.h"

#include <math.h>

struct welch welch_test(const struct moments *x, const struct moments *y)
{
    struct welch w = {(double)NAN, (double)NAN, (double)NAN, false};
    if (x->count < 2 || y->count < 2) return w;
    double m = (double)x->count;
    double n = (double)y->count;
    double from_x = moments_variance(x) / m;
    double from_y = moments_variance(y) / n;
    double difference = x->mean - y->mean;
    if (from_x + from_y == 0) {
        w.is_degenerate = true;
        w.t = difference == 0 ? 0 : copysign((double)INFINITY, difference);
        w.p = difference == 0 ? 1 : 0;
        return w;
    }
    w.t = difference / sqrt(from_x + from_y);
    w.df = (from_x + from_y) * (from_x + from_y) /
           (from_x * from_x / (m - 1) + from_y * from_y / (n - 1));
    w.p = dist_t_two_sided(w.t, w.df);
    return w;
}
