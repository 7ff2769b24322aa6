#include "stats/dist.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>
#include <float.h>
#include <math.h>

/* R's flag arguments by name. */
enum { UPPER = 0, LOWER = 1, PLAIN = 0 };

static bool is_probability(double p)
{
    return p >= 0 && p <= 1;
}

static bool is_positive(double x)
{
    return x > 0;
}

double dist_normal_cdf(double z)
{
    return isnan(z) ? z : pnorm5(z, 0, 1, LOWER, PLAIN);
}

double dist_normal_upper(double z)
{
    return isnan(z) ? z : pnorm5(z, 0, 1, UPPER, PLAIN);
}

double dist_normal_quantile(double p)
{
    return is_probability(p) ? qnorm5(p, 0, 1, LOWER, PLAIN) : (double)NAN;
}

double dist_t_upper(double t, double df)
{
    return !isnan(t) && is_positive(df) ? pt(t, df, UPPER, PLAIN) : (double)NAN;
}

double dist_t_quantile(double p, double df)
{
    return is_probability(p) && is_positive(df) ? qt(p, df, LOWER, PLAIN) : (double)NAN;
}

double dist_t_two_sided(double t, double df)
{
    return 2 * dist_t_upper(fabs(t), df);
}

double dist_told(double p)
{
    return p < DBL_MIN ? DBL_MIN : p;
}

double dist_beta_quantile(double p, double a, double b)
{
    bool ok = is_probability(p) && is_positive(a) && is_positive(b);
    return ok ? qbeta(p, a, b, LOWER, PLAIN) : (double)NAN;
}

/* Rmath warns about a size that is not a whole number. */
static bool is_binomial(double n, double p)
{
    return n >= 0 && isfinite(n) && n == floor(n) && is_probability(p);
}

double dist_binomial_cdf(double k, double n, double p)
{
    return !isnan(k) && is_binomial(n, p) ? pbinom(k, n, p, LOWER, PLAIN) : (double)NAN;
}

double dist_binomial_upper(double k, double n, double p)
{
    return !isnan(k) && is_binomial(n, p) ? pbinom(k, n, p, UPPER, PLAIN) : (double)NAN;
}

double dist_binomial_quantile(double q, double n, double p)
{
    return is_probability(q) && is_binomial(n, p) ? qbinom(q, n, p, LOWER, PLAIN) : (double)NAN;
}
