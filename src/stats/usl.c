#include "stats/usl.h"

#include "base/rng.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum { PARAMETERS = 3, STEPS_MAX = 500 };

/* Order of parameters: lambda, sigma, kappa. */
static double model(const double p[PARAMETERS], double load)
{
    return p[0] * load / (1 + p[1] * (load - 1) + p[2] * load * (load - 1));
}

static void gradient(const double p[PARAMETERS], double load, double g[PARAMETERS])
{
    double below = 1 + p[1] * (load - 1) + p[2] * load * (load - 1);
    g[0] = load / below;
    double common = -p[0] * load / (below * below);
    g[1] = common * (load - 1);
    g[2] = common * load * (load - 1);
}

static double squares(const struct usl_point *points, size_t n, const double p[PARAMETERS])
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double r = points[i].throughput - model(p, points[i].load);
        sum += r * r;
    }
    return sum;
}

/* Gaussian elimination with pivoting; false if singular. */
static bool solve(double a[PARAMETERS][PARAMETERS + 1], double x[PARAMETERS])
{
    for (int c = 0; c < PARAMETERS; c++) {
        int pivot = c;
        for (int r = c + 1; r < PARAMETERS; r++) {
            if (fabs(a[r][c]) > fabs(a[pivot][c])) pivot = r;
        }
        if (!(fabs(a[pivot][c]) > 0)) return false;
        for (int k = 0; k <= PARAMETERS; k++) {
            double swap = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = swap;
        }
        for (int r = 0; r < PARAMETERS; r++) {
            if (r == c) continue;
            double factor = a[r][c] / a[c][c];
            for (int k = c; k <= PARAMETERS; k++) a[r][k] -= factor * a[c][k];
        }
    }
    for (int c = 0; c < PARAMETERS; c++) x[c] = a[c][PARAMETERS] / a[c][c];
    return true;
}

/* One step from p at the given damping, into `next`. A parameter that is 0 and
 * would go below stays there and is left out of the equations. */
static bool try_step(const struct usl_point *points, size_t n, const double p[PARAMETERS],
                     double damping, double next[PARAMETERS])
{
    double a[PARAMETERS][PARAMETERS + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        double g[PARAMETERS];
        gradient(p, points[i].load, g);
        double r = points[i].throughput - model(p, points[i].load);
        for (int j = 0; j < PARAMETERS; j++) {
            for (int k = 0; k < PARAMETERS; k++) a[j][k] += g[j] * g[k];
            a[j][PARAMETERS] += g[j] * r;
        }
    }
    for (int j = 0; j < PARAMETERS; j++) {
        bool held = p[j] <= 0 && a[j][PARAMETERS] < 0;
        for (int k = 0; held && k < PARAMETERS; k++) a[j][k] = a[k][j] = 0;
        a[j][j] = held ? 1 : a[j][j] * (1 + damping);
        if (held) a[j][PARAMETERS] = 0;
    }
    double d[PARAMETERS];
    if (!solve(a, d)) return false;
    for (int j = 0; j < PARAMETERS; j++) next[j] = fmax(0, p[j] + d[j]);
    return true;
}

static void minimise(const struct usl_point *points, size_t n, double p[PARAMETERS])
{
    double damping = 1e-3;
    double best = squares(points, n, p);
    for (int step = 0; step < STEPS_MAX && damping < 1e12; step++) {
        double next[PARAMETERS];
        double value = (double)INFINITY;
        if (try_step(points, n, p, damping, next)) value = squares(points, n, next);
        if (!(value < best)) {
            damping *= 4;
            continue;
        }
        bool done = best - value <= 1e-15 * best;
        memcpy(p, next, sizeof next);
        best = value;
        damping = fmax(damping / 8, 1e-12);
        if (done) return;
    }
}

static size_t different_loads(const struct usl_point *points, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < i && points[j].load != points[i].load) j++;
        count += j == i;
    }
    return count;
}

bool usl_fit(const struct usl_point *points, size_t n, struct usl *out, struct error *err)
{
    if (n < PARAMETERS + 1 || different_loads(points, n) < PARAMETERS)
        return error_set(err, ERROR_INVALID,
                         "a scalability law needs at least 4 points at 3 different loads, has "
                         "%zu at %zu",
                         n, different_loads(points, n));
    double p[PARAMETERS] = {0, 0.1, 1e-4};
    for (size_t i = 0; i < n; i++) {
        if (!(points[i].load > 0) || !isfinite(points[i].throughput))
            return error_set(err, ERROR_INVALID,
                             "point %zu of the scalability law: load %g, throughput %g", i + 1,
                             points[i].load, points[i].throughput);
        p[0] = fmax(p[0], points[i].throughput / points[i].load);
    }
    minimise(points, n, p);
    *out = (struct usl){.lambda = p[0], .sigma = p[1], .kappa = p[2]};
    out->peak_load = (double)INFINITY;
    out->peak_throughput = p[1] > 0 ? p[0] / p[1] : (double)INFINITY;
    if (p[2] > 0) {
        out->peak_load = p[1] < 1 ? fmax(1, floor(sqrt((1 - p[1]) / p[2]))) : 1;
        out->peak_throughput = model(p, out->peak_load);
    }
    out->residual_sd = sqrt(squares(points, n, p) / (double)(n - PARAMETERS));
    return true;
}

double usl_throughput(const struct usl *u, double load)
{
    return model((const double[PARAMETERS]){u->lambda, u->sigma, u->kappa}, load);
}

static void limits(double *values, size_t n, double confidence, double out[2])
{
    stats_sort_inplace(values, n);
    out[0] = quantile_of(values, n, (1 - confidence) / 2);
    out[1] = quantile_of(values, n, (1 + confidence) / 2);
}

bool usl_bootstrap(const struct usl_point *points, size_t n, double confidence,
                   size_t resamples, uint64_t seed, struct arena scratch,
                   struct usl_interval *out, struct error *err)
{
    struct usl fit = {0};
    if (!usl_fit(points, n, &fit, err)) return false;
    /* Residuals of a fit are smaller than the noise by its degrees of freedom. */
    double widen = sqrt((double)n / (double)(n - PARAMETERS));
    struct usl_point *again = arena_new(&scratch, struct usl_point, n);
    double *lambda = arena_new(&scratch, double, resamples);
    double *sigma = arena_new(&scratch, double, resamples);
    double *kappa = arena_new(&scratch, double, resamples);
    for (size_t b = 0; b < resamples; b++) {
        struct rng r = rng_seeded(rng_derive(seed, 0, b));
        for (size_t i = 0; i < n; i++) {
            const struct usl_point *drawn = &points[rng_below(&r, n)];
            double residual = drawn->throughput - usl_throughput(&fit, drawn->load);
            again[i].load = points[i].load;
            again[i].throughput = usl_throughput(&fit, points[i].load) + widen * residual;
        }
        struct usl refit = {0};
        if (!usl_fit(again, n, &refit, err)) return false;
        lambda[b] = refit.lambda;
        sigma[b] = refit.sigma;
        kappa[b] = refit.kappa;
    }
    limits(lambda, resamples, confidence, out->lambda);
    limits(sigma, resamples, confidence, out->sigma);
    limits(kappa, resamples, confidence, out->kappa);
    return true;
}
