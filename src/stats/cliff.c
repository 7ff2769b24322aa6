#include "stats/cliff.h"

#include "stats/dist.h"
#include "stats/quantile.h"

#include <math.h>

/* For each of `a`: how many of `b` it exceeds less how many exceed it, over the
 * size of b. Both ascending, so two pointers do. `untied` counts the pairs that
 * are not equal, `balance` is wins less losses over all of them. */
static double *dominance(struct arena *out, const double *a, size_t m, const double *b,
                         size_t n, double *untied, double *balance)
{
    double *rows = arena_new(out, double, m);
    size_t below = 0; /* b[0..below) < a[i] */
    size_t upto = 0;  /* b[0..upto) <= a[i] */
    *untied = 0;
    *balance = 0;
    for (size_t i = 0; i < m; i++) {
        while (below < n && b[below] < a[i]) below++;
        while (upto < n && b[upto] <= a[i]) upto++;
        double wins = (double)below;
        double losses = (double)(n - upto);
        rows[i] = (wins - losses) / (double)n;
        *untied += wins + losses;
        *balance += wins - losses;
    }
    return rows;
}

static double squares_about(const double *values, size_t n, double centre)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (values[i] - centre) * (values[i] - centre);
    return sum;
}

static const char *label_of(double delta)
{
    static const struct {
        double below;
        const char *label;
    } labels[] = {{0.147, "negligible"}, {0.33, "small"}, {0.474, "medium"}};
    for (size_t i = 0; i < COUNT(labels); i++) {
        if (fabs(delta) < labels[i].below) return labels[i].label;
    }
    return "large";
}

struct cliff cliff_delta(struct arena scratch, const double *x, size_t m, const double *y,
                         size_t n, double alpha)
{
    struct cliff c = {(double)NAN, (double)NAN, (double)NAN, "negligible"};
    if (m == 0 || n == 0) return c;
    const double *xs = stats_sort(&scratch, x, m, &m);
    const double *ys = stats_sort(&scratch, y, n, &n);
    double untied = 0;
    double balance = 0;
    const double *of_y = dominance(&scratch, ys, n, xs, m, &untied, &balance);
    const double *of_x = dominance(&scratch, xs, m, ys, n, &untied, &balance);

    double mx = (double)m;
    double ny = (double)n;
    c.delta = balance / (mx * ny); /* whole numbers: equal samples give 0 itself */
    c.label = label_of(c.delta);
    if (m < 2 || n < 2) return c;

    double d = c.delta;
    double rows = mx * mx * squares_about(of_y, n, -d);
    double columns = ny * ny * squares_about(of_x, m, d);
    double cells = untied - mx * ny * d * d;
    double variance = (columns + rows - cells) / (mx * ny * (mx - 1) * (ny - 1));
    /* Never below the bound that an estimate of a variance of +-1 has. */
    variance = fmax(variance, (1 - d * d) / (mx * ny - 1));
    double z = dist_normal_quantile(1 - alpha / 2);
    if (fabs(d) == 1) {
        double fewer = fmin(mx, ny);
        double inner = (fewer - z * z) / (fewer + z * z);
        c.low = d > 0 ? inner : -1;
        c.high = d > 0 ? 1 : -inner;
        return c;
    }
    double spread = z * sqrt(variance) * sqrt((1 - d * d) * (1 - d * d) + z * z * variance);
    double base = 1 - d * d + z * z * variance;
    c.low = fmax(-1, (d - d * d * d - spread) / base);
    c.high = fmin(1, (d - d * d * d + spread) / base);
    return c;
}
