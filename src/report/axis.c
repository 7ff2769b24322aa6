/* Round values are multiples of 1, 2 or 5 times a power of ten: the smallest such step that
 * is at least a fifth of the range. A range of positive values over more than a factor of 20 is
 * drawn by its logarithm, as response times and sizes are. Whatever comes in, the axis is
 * finite and its ends differ, and a place on it is between 0 and 1. */
#include "report/axis.h"

#include <math.h>

struct axis axis_make(double low, double high)
{
    if (!isfinite(low) || !isfinite(high)) return (struct axis){0, 1, false};
    low = fmin(fmax(low, -1e300), 1e300);
    high = fmin(fmax(high, -1e300), 1e300);
    if (low > 0 && high / low > 20) return (struct axis){low / 1.15, high * 1.15, true};
    double air = (high - low) * 0.04;
    if (air <= 0) air = low != 0 ? fabs(low) * 0.05 : 1;
    struct axis a = {low - air, high + air, false};
    if (a.low < 0 && low >= 0) a.low = 0;
    if (!(a.low < a.high)) a = (struct axis){low - 1, low + 1, false};
    return a;
}

double axis_place(const struct axis *a, double v)
{
    if (isnan(v)) return 0;
    double place = a->is_log
                       ? (v > 0 ? (log(v) - log(a->low)) / (log(a->high) - log(a->low)) : 0)
                       : (v - a->low) / (a->high - a->low);
    return fmin(fmax(place, 0), 1);
}

static size_t log_ticks(const struct axis *a, double *ticks)
{
    size_t count = 0;
    double decades = log10(a->high) - log10(a->low); /* the quotient may overflow */
    int step = (int)fmax(ceil(decades / 8), 1);
    int last = (int)floor(log10(a->high));
    for (int e = (int)floor(log10(a->low)); e <= last; e += step) {
        for (int k = 0; k < (decades < 2.5 ? 3 : 1); k++) {
            static const double factors[] = {1, 2, 5};
            double v = factors[k] * pow(10, e);
            if (v >= a->low && v <= a->high && count < AXIS_TICKS_MAX) ticks[count++] = v;
        }
    }
    return count;
}

size_t axis_ticks(const struct axis *a, double ticks[AXIS_TICKS_MAX])
{
    if (a->is_log) return log_ticks(a, ticks);
    double rough = (a->high - a->low) / 5;
    double power = pow(10, floor(log10(rough)));
    double factor = rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1;
    double step = factor * power;
    if (!isfinite(step) || step <= 0) return 0;
    size_t count = 0;
    /* Counted, not added up: 0.1 + 0.1 + 0.1 is not 0.3. */
    double first = ceil(a->low / step);
    while (count < AXIS_TICKS_MAX && (first + (double)count) * step <= a->high) {
        ticks[count] = (first + (double)count) * step;
        count++;
    }
    return count;
}
