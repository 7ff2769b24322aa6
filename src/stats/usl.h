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
};

/* Needs 4 points at 3 different loads at least. */
MUST_USE bool usl_fit(const struct usl_point *points, size_t n, struct usl *out,
                      struct error *err);

double usl_throughput(const struct usl *u, double load);

/* The load with the highest throughput per response time (Kleinrock 1979), which for N in
 * flight is the highest X(N)^2 / N: the root of 3 kappa N^2 + (sigma - kappa) N = 1 - sigma.
 * Infinite where nothing waits. */
double usl_knee(const struct usl *u);

/* What an interval is made from. Points: one per load (the mean of its blocks) rather than
 * one per block, so that what a server does not have from the law counts as noise. */
struct usl_sample {
    const struct usl_point *points;
    const double *p95_s; /* of each point; NULL: not known */
    size_t n;
    double confidence;
    size_t resamples;
    uint64_t seed;
};

/* Percentile intervals from refits (the loads are chosen, not drawn). A kappa whose interval
 * excludes 0 is retrograde scaling.
 *
 * Throughputs are drawn anew around the law, each with a normal multiple of its own residual
 * (the wild bootstrap of Wu 1986): noise that grows with the throughput stays where it is.
 * Residuals of a fit are smaller than the noise; each is divided by 1 - its leverage (HC3,
 * MacKinnon and White 1985), and all are multiplied by the ratio of Student's quantile to
 * the normal one. From 8 loads on, 94 to 98 % of the 95 % intervals hold the truth, with
 * constant noise and with noise of 3 % of the throughput. */
struct usl_interval {
    double lambda[2];
    double sigma[2];
    double kappa[2];
};
MUST_USE bool usl_bootstrap(const struct usl_sample *sample, struct arena scratch,
                            struct usl_interval *out, struct error *err);

/* What a measurement at another load would give, and the limits it would be within. The
 * throughput is the law's; its limits are those of the refits there, with the noise of one
 * of the half of the points whose loads are nearest.
 *
 * The p95 supposes a closed load without pauses: N in flight at throughput X take N / X on
 * average (Little), and p95 is a multiple of that which changes as a power of the load: from
 * 3 for one exponential service towards 1 where everyone waits for many others. The power is
 * a least-squares line through log(p95 X / N) by log N, its limits Student's.
 *
 * A load that was held back among 1 to 128 in flight is within its 95 % limits in 94 to 99 of
 * 100 cases: servers that follow the law, and ones with a number of workers, which do not
 * and get wide limits. Beyond the loads that were measured the limits hold if the law does,
 * which nobody can know. */
struct usl_prediction {
    double throughput;
    double throughput_limits[2];
    double p95_s; /* NaN: not known at every point */
    double p95_limits[2];
};
MUST_USE bool usl_predict(const struct usl_sample *sample, double load, struct arena scratch,
                          struct usl_prediction *out, struct error *err);

#endif
