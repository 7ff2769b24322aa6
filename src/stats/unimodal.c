#include "stats/unimodal.h"

#include <math.h>

double unimodal_step(const double *sorted, size_t n)
{
    if (n < 2) return 0;
    double least = (sorted[n - 1] - sorted[0]) / 1e9;
    double step = (double)INFINITY;
    for (size_t i = 0; i + 1 < n; i++) {
        double gap = sorted[i + 1] - sorted[i];
        if (gap > least) step = fmin(step, gap);
    }
    return isfinite(step) ? step : 0;
}

/* The largest gap between the empirical function (in counts) and its greatest
 * convex minorant, over an ascending sample. `hull` has room for n. */
static double convexity_gap(const double *x, size_t n, size_t *hull)
{
    size_t corners = 0;
    for (size_t i = 0; i < n; i++) {
        while (corners >= 2) {
            size_t a = hull[corners - 2];
            size_t b = hull[corners - 1];
            bool bends_up = (double)(i - b) * (x[b] - x[a]) > (double)(b - a) * (x[i] - x[b]);
            if (bends_up) break;
            corners--;
        }
        hull[corners++] = i;
    }
    double gap = 0;
    for (size_t c = 0; c + 1 < corners; c++) {
        size_t a = hull[c];
        size_t b = hull[c + 1];
        double slope = x[b] > x[a] ? (double)(b - a) / (x[b] - x[a]) : 0;
        for (size_t i = a; i <= b; i++) {
            gap = fmax(gap, (double)(i - a) + 1 - (x[i] - x[a]) * slope);
        }
    }
    return gap;
}

/* Ties spread evenly over one step, and the same sample mirrored. */
static void spread(const double *sorted, size_t n, double step, double *up, double *down)
{
    for (size_t i = 0, end = 0; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end] - sorted[i] < step / 2;) end++;
        double share = step / (double)(end - i);
        for (size_t j = i; j < end; j++) {
            bool is_tied = end - i > 1;
            up[j] =
                is_tied ? sorted[i] + ((double)(j - i) + 0.5) * share - step / 2 : sorted[j];
        }
    }
    for (size_t i = 0; i < n; i++) down[i] = -up[n - 1 - i];
}

double unimodal_dip(struct arena scratch, const double *sorted, size_t n, double step)
{
    if (n < 4 || !(sorted[n - 1] > sorted[0])) return 0;
    double *up = arena_new(&scratch, double, n);
    double *down = arena_new(&scratch, double, n);
    size_t *hull = arena_new(&scratch, size_t, n);
    spread(sorted, n, step, up, down);

    /* The left gap grows with the mode and the right one shrinks, so the best
     * mode is where they cross. */
    double best = (double)n;
    size_t low = 0;
    size_t high = n - 1;
    while (low <= high) {
        size_t mode = low + (high - low) / 2;
        double left = convexity_gap(up, mode + 1, hull);
        double right = convexity_gap(down, n - mode, hull);
        best = fmin(best, fmax(left, right));
        if (left < right) {
            low = mode + 1;
        } else if (mode == 0) {
            break;
        } else {
            high = mode - 1;
        }
    }
    return best / 2 / sqrt((double)n);
}
