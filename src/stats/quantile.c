#include "stats/quantile.h"

#include <math.h>

enum { RADIX_LEAST = 256, DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The bits of a double as a number that ascends as it does: those of negative ones turned
 * over, those of positive ones above them. Both zeros are one. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t digit_of(uint64_t key, int digit)
{
    return (size_t)(key >> digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

struct digit { /* how often each of its values occurs, then where the next one goes */
    size_t count[DIGIT_VALUES];
};

/* Digit by digit from the lowest, each pass keeping the order of the one before. A digit that
 * all keys share is left out. */
static void sort_by_digits(double *values, size_t n, struct arena *scratch)
{
    uint64_t *from = arena_new(scratch, uint64_t, n);
    uint64_t *to = arena_new(scratch, uint64_t, n);
    struct digit *digits = arena_new(scratch, struct digit, DIGITS);
    for (size_t i = 0; i < n; i++) {
        from[i] = key_of(values[i]);
        for (int d = 0; d < DIGITS; d++) digits[d].count[digit_of(from[i], d)]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        size_t *count = digits[d].count;
        size_t at = 0;
        if (count[digit_of(from[0], d)] == n) continue;
        for (size_t k = 0; k < DIGIT_VALUES; k++) {
            size_t here = count[k];
            count[k] = at;
            at += here;
        }
        for (size_t i = 0; i < n; i++) to[count[digit_of(from[i], d)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++) values[i] = value_of(from[i]);
}

void stats_sort_inplace(double *values, size_t n)
{
    if (n < RADIX_LEAST) {
        if (n > 1) qsort(values, n, sizeof *values, compare_reals);
        return;
    }
    struct arena scratch = arena_open();
    sort_by_digits(values, n, &scratch);
    arena_close(&scratch);
}

double *stats_sort(struct arena *out, const double *values, size_t n, size_t *kept)
{
    double *sorted = arena_new(out, double, n ? n : 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) sorted[count++] = values[i];
    }
    stats_sort_inplace(sorted, count);
    *kept = count;
    return sorted;
}

double stats_median(struct arena scratch, const double *values, size_t n)
{
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, values, n, &kept);
    return quantile_median(sorted, kept);
}

double quantile_of(const double *sorted, size_t n, double q)
{
    CHECK(q >= 0 && q <= 1);
    if (n == 0) return (double)NAN;
    double h = (double)(n - 1) * q;
    size_t below = (size_t)h;
    if (below + 1 >= n) return sorted[n - 1];
    double low = sorted[below];
    double high = sorted[below + 1];
    double part = h - (double)below;
    /* Equal neighbours first: inf - inf would be NaN. The two products rather
     * than low + part * (high - low), whose difference overflows for 1e308. */
    if (low == high || part == 0) return low;
    return (1 - part) * low + part * high;
}

double quantile_median(const double *sorted, size_t n)
{
    if (n == 0) return (double)NAN;
    double low = sorted[(n - 1) / 2];
    double high = sorted[n / 2];
    return low == high ? low : low / 2 + high / 2;
}

double quantile_mad(struct arena scratch, const double *sorted, size_t n)
{
    if (n == 0) return (double)NAN;
    double median = quantile_median(sorted, n);
    double *distance = arena_new(&scratch, double, n);
    for (size_t i = 0; i < n; i++) {
        distance[i] = sorted[i] == median ? 0 : fabs(sorted[i] - median);
    }
    stats_sort_inplace(distance, n);
    return quantile_median(distance, n);
}
