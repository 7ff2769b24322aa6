#include "stats/usl.h"

#include "base/rng.h"
#include "stats/dist.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum { PARAMETERS = 3, STEPS_MAX = 500 };
#define FREE_MIN 0.1 /* share of a residual that the fit leaves, at least */

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
    return true;
}

double usl_knee(const struct usl *u)
{
    double slope = u->sigma - u->kappa, rest = 1 - u->sigma;
    if (rest <= 0) return 1;
    if (u->kappa > 0)
        return (sqrt(slope * slope + 12 * u->kappa * rest) - slope) / (6 * u->kappa);
    return slope > 0 ? rest / slope : (double)INFINITY;
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

/* x' (J'J)^-1 x for the gradients of the points; NaN if J'J is singular. */
static double leverage(double square[PARAMETERS][PARAMETERS], const double g[PARAMETERS])
{
    double a[PARAMETERS][PARAMETERS + 1];
    double x[PARAMETERS];
    for (int j = 0; j < PARAMETERS; j++) {
        memcpy(a[j], square[j], sizeof square[j]);
        a[j][PARAMETERS] = g[j];
    }
    if (!solve(a, x)) return NAN;
    double sum = 0;
    for (int j = 0; j < PARAMETERS; j++) sum += g[j] * x[j];
    return sum;
}

/* The residuals as noise: without what the fit has taken of them, and with Student's
 * uncertainty of how much that is. */
static bool noise_of(const struct usl_sample *s, const struct usl *fit, double *out,
                     struct error *err)
{
    const double p[PARAMETERS] = {fit->lambda, fit->sigma, fit->kappa};
    double square[PARAMETERS][PARAMETERS] = {0};
    double g[PARAMETERS];
    double tail = (1 + s->confidence) / 2;
    double widen =
        dist_t_quantile(tail, (double)(s->n - PARAMETERS)) / dist_normal_quantile(tail);
    for (size_t i = 0; i < s->n; i++) {
        gradient(p, s->points[i].load, g);
        for (int j = 0; j < PARAMETERS; j++) {
            for (int k = 0; k < PARAMETERS; k++) square[j][k] += g[j] * g[k];
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        gradient(p, s->points[i].load, g);
        double share = 1 - leverage(square, g);
        if (isnan(share))
            return error_set(err, ERROR_INVALID,
                             "the points say nothing about a scalability law");
        double residual = s->points[i].throughput - model(p, s->points[i].load);
        out[i] = widen * residual / fmax(share, FREE_MIN);
    }
    return true;
}

struct refits {
    struct usl fit;
    double *noise; /* of each point */
    struct usl *again;
};

static bool refit(const struct usl_sample *s, struct arena *scratch, struct refits *out,
                  struct error *err)
{
    if (!usl_fit(s->points, s->n, &out->fit, err)) return false;
    struct usl_point *drawn = arena_new(scratch, struct usl_point, s->n);
    out->noise = arena_new(scratch, double, s->n);
    out->again = arena_new(scratch, struct usl, s->resamples);
    if (!noise_of(s, &out->fit, out->noise, err)) return false;
    for (size_t b = 0; b < s->resamples; b++) {
        struct rng r = rng_seeded(rng_derive(s->seed, 0, b));
        for (size_t i = 0; i < s->n; i++) {
            drawn[i].load = s->points[i].load;
            drawn[i].throughput =
                usl_throughput(&out->fit, drawn[i].load) + rng_normal(&r) * out->noise[i];
        }
        if (!usl_fit(drawn, s->n, &out->again[b], err)) return false;
    }
    return true;
}

bool usl_bootstrap(const struct usl_sample *s, struct arena scratch, struct usl_interval *out,
                   struct error *err)
{
    struct refits f;
    if (!refit(s, &scratch, &f, err)) return false;
    double *lambda = arena_new(&scratch, double, s->resamples);
    double *sigma = arena_new(&scratch, double, s->resamples);
    double *kappa = arena_new(&scratch, double, s->resamples);
    for (size_t b = 0; b < s->resamples; b++) {
        lambda[b] = f.again[b].lambda;
        sigma[b] = f.again[b].sigma;
        kappa[b] = f.again[b].kappa;
    }
    limits(lambda, s->resamples, s->confidence, out->lambda);
    limits(sigma, s->resamples, s->confidence, out->sigma);
    limits(kappa, s->resamples, s->confidence, out->kappa);
    return true;
}

/* ---- loads that were not measured ---- */

/* The noise of the half of the points whose loads are nearest, by ratio; returns how many.
 * Where the throughput is higher than theirs, so may the noise be. */
static size_t noise_near(const struct usl_sample *s, const struct refits *f, double load,
                         double *out)
{
    size_t wanted = (s->n + 1) / 2, count = 0;
    double here = usl_throughput(&f->fit, load);
    for (size_t i = 0; i < s->n; i++) {
        size_t nearer = 0;
        double ratio = fabs(log(s->points[i].load / load));
        for (size_t k = 0; k < s->n; k++) nearer += fabs(log(s->points[k].load / load)) < ratio;
        double there = usl_throughput(&f->fit, s->points[i].load);
        if (nearer < wanted) out[count++] = f->noise[i] * fmax(1, here / there);
    }
    return count;
}

/* A straight line through log(p95 X / N) by log N, and where it is at a load. */
struct line {
    double at;
    double sd; /* of one new value there */
};

static struct line line_at(const struct usl_sample *s, double load)
{
    double n = (double)s->n, x_mean = 0, y_mean = 0, xx = 0, xy = 0, squares_left = 0;
    for (size_t pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < s->n; i++) {
            const struct usl_point *p = &s->points[i];
            double x = log(p->load), y = log(s->p95_s[i] * p->throughput / p->load);
            if (pass == 0) {
                x_mean += x / n;
                y_mean += y / n;
            } else if (pass == 1) {
                xx += (x - x_mean) * (x - x_mean);
                xy += (x - x_mean) * (y - y_mean);
            } else {
                double r = y - y_mean - xy / xx * (x - x_mean);
                squares_left += r * r;
            }
        }
    }
    double away = log(load) - x_mean;
    return (struct line){.at = y_mean + xy / xx * away,
                         .sd = sqrt(squares_left / (n - 2) * (1 + 1 / n + away * away / xx))};
}

static bool knows_p95(const struct usl_sample *s)
{
    for (size_t i = 0; s->p95_s && i < s->n; i++) {
        if (!(s->p95_s[i] > 0 && s->points[i].throughput > 0)) return false;
    }
    return s->p95_s != NULL;
}

static void predict_p95(const struct usl_sample *s, const struct refits *f, double load,
                        double *values, struct usl_prediction *out)
{
    struct line l = line_at(s, load);
    double tail = (1 + s->confidence) / 2;
    double widen = dist_t_quantile(tail, (double)(s->n - 2)) / dist_normal_quantile(tail);
    out->p95_s = exp(l.at) * load / out->throughput;
    for (size_t b = 0; b < s->resamples; b++) {
        struct rng r = rng_seeded(rng_derive(s->seed, 2, b));
        double multiple = exp(l.at + widen * l.sd * rng_normal(&r));
        values[b] = multiple * load / usl_throughput(&f->again[b], load);
    }
    limits(values, s->resamples, s->confidence, out->p95_limits);
}

bool usl_predict(const struct usl_sample *s, double load, struct arena scratch,
                 struct usl_prediction *out, struct error *err)
{
    struct refits f;
    if (!(load > 0))
        return error_set(err, ERROR_INVALID, "no prediction at a load of %g", load);
    if (!refit(s, &scratch, &f, err)) return false;
    double *near = arena_new(&scratch, double, s->n);
    double *values = arena_new(&scratch, double, s->resamples);
    size_t count = noise_near(s, &f, load, near);
    *out = (struct usl_prediction){
        .throughput = usl_throughput(&f.fit, load), .p95_s = NAN, .p95_limits = {NAN, NAN}};
    for (size_t b = 0; b < s->resamples; b++) {
        struct rng r = rng_seeded(rng_derive(s->seed, 1, b));
        double noise = near[rng_below(&r, count)] * rng_normal(&r);
        values[b] = fmax(0, usl_throughput(&f.again[b], load) + noise);
    }
    limits(values, s->resamples, s->confidence, out->throughput_limits);
    if (knows_p95(s)) predict_p95(s, &f, load, values, out);
    return true;
}
