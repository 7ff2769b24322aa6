/* usl.h - Gunther's Universal Scalability Law, fitted to throughputs.
 *
 *     X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))
 *
 * lambda: throughput of one; sigma: the share that waits in line (contention);
 * kappa: the price of agreeing with each other (coherency). With kappa > 0
 * there is a peak at N* = sqrt((1 - sigma) / kappa), and more load means less
 * work done. Least squares on X by Levenberg-Marquardt, all three kept >= 0. */
#ifndef STATS_USL_H
#define STATS_USL_H

#include "base/arena.h"
#include "base/error.h"

struct usl_point {
    double load; /* clients, threads: > 0 */
    double throughput;
};

struct usl {
    double lambda;
    double sigma;
    double kappa;
    double peak_load; /* floor(N*); infinite without a peak */
    double peak_throughput;
    double residual_sd;
};

/* Needs 4 points at 3 different loads at least. */
MUST_USE bool usl_fit(const struct usl_point *points, size_t n, struct usl *out,
                      struct error *err);

double usl_throughput(const struct usl *u, double load);

/* Percentile intervals from refits to resampled residuals (the loads are
 * chosen, not drawn). A kappa whose interval excludes 0 is retrograde scaling. */
struct usl_interval {
    double lambda[2];
    double sigma[2];
    double kappa[2];
};
MUST_USE bool usl_bootstrap(const struct usl_point *points, size_t n, double confidence,
                            size_t resamples, uint64_t seed, struct arena scratch,
                            struct usl_interval *out, struct error *err);

#endif
