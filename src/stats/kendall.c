#include "stats/kendall.h"

#include "stats/dist.h"

#include <math.h>

/* Merge sort that counts the pairs standing in the wrong order (Knight 1966). */
static double sort_counting(double *values, double *spare, size_t n)
{
    if (n < 2) return 0;
    size_t half = n / 2;
    double swaps =
        sort_counting(values, spare, half) + sort_counting(values + half, spare, n - half);
    size_t left = 0;
    size_t right = half;
    for (size_t i = 0; i < n; i++) {
        bool from_left = right == n || (left < half && values[left] <= values[right]);
        if (!from_left) swaps += (double)(half - left);
        spare[i] = from_left ? values[left++] : values[right++];
    }
    memcpy(values, spare, n * sizeof *values);
    return swaps;
}

struct tie_sums {
    double pairs;    /* sum t (t - 1) / 2 */
    double variance; /* sum t (t - 1) (2 t + 5) */
};

static struct tie_sums tie_sums(const double *sorted, size_t n)
{
    struct tie_sums sums = {0, 0};
    for (size_t i = 0, end = 0; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end] == sorted[i];) end++;
        double t = (double)(end - i);
        sums.pairs += t * (t - 1) / 2;
        sums.variance += t * (t - 1) * (2 * t + 5);
    }
    return sums;
}

struct kendall kendall_trend(struct arena scratch, const double *series, size_t n,
                             double inflation)
{
    struct kendall k = {0, 0, 1};
    if (n < 2) return k;
    double *values = arena_new(&scratch, double, n);
    double *spare = arena_new(&scratch, double, n);
    memcpy(values, series, n * sizeof *values);

    double size = (double)n;
    double falls = sort_counting(values, spare, n);
    struct tie_sums ties = tie_sums(values, n);
    double untied = size * (size - 1) / 2 - ties.pairs;
    if (untied == 0) return k;
    k.s = untied - 2 * falls;
    k.tau = k.s / untied;

    double variance = (size * (size - 1) * (2 * size + 5) - ties.variance) / 18 * inflation;
    if (n < 4 || !(variance > 0)) return k;
    double z = fmax(0, fabs(k.s) - 1) / sqrt(variance);
    k.p = fmin(1, dist_told(2 * dist_normal_upper(z)));
    return k;
}
