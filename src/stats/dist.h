/* dist.h - distribution functions: the one boundary to libRmath.
 *
 * Rmath is R's own code. It prints warnings to standard output when asked
 * outside a function's domain, so every question is checked here first: an
 * argument outside the domain, or NaN, gives NaN and no print.
 *
 * Never use Rmath's pwilcox or psignrank: they keep static caches, so they are
 * not for threads. stats/rank.h counts exact rank distributions itself.
 *
 * *_cdf is P(X <= x), *_upper is P(X > x) without cancellation, *_quantile the
 * inverse of *_cdf. All of them are pure and safe on any thread. */
#ifndef STATS_DIST_H
#define STATS_DIST_H

#include "base/invariant.h"

double dist_normal_cdf(double z);
double dist_normal_upper(double z);
double dist_normal_quantile(double p);

double dist_t_upper(double t, double df);
double dist_t_quantile(double p, double df);
double dist_t_two_sided(double t, double df); /* P(|T| >= |t|) */

/* A p as it is given out: a tail below the doubles, or one that nothing was seen of, is
 * small and not 0. NaN stays. */
double dist_told(double p);

double dist_beta_quantile(double p, double a, double b);

double dist_binomial_cdf(double k, double n, double p);
double dist_binomial_upper(double k, double n, double p);
double dist_binomial_quantile(double q, double n, double p);

#endif
