/* sequential.h - look at the data more than once without fooling oneself.
 *
 * Three answers: DIFFERENT, EQUIVALENT, or go on until the budget of values is
 * spent. Looking k times at level alpha finds a difference that is not there
 * far more often than alpha; so alpha is spent over the looks. A spending
 * function A(t) rises from 0 to alpha with the share t of the budget used (Lan
 * and DeMets 1983); the look at t_k has the level
 *
 *     A(t_k) - A(t_{k-1})
 *
 * By the union bound all looks together err with at most alpha, whatever their
 * dependence and whichever test is used; the recursive integration that would
 * give a little more is only right for normal sums. Both errors are kept so: a
 * false DIFFERENT at most alpha, a false EQUIVALENT at most alpha.
 *
 * O'Brien and Fleming's A(t) = 2 (1 - Phi(z_{alpha/2} / sqrt(t))) hardly spends
 * early and leaves the last look almost untouched; Pocock's A(t) = alpha ln(1 +
 * (e - 1) t) spends evenly and stops large differences sooner. */
#ifndef STATS_SEQUENTIAL_H
#define STATS_SEQUENTIAL_H

#include "base/invariant.h"

enum sequential_spending { SEQUENTIAL_OBRIEN_FLEMING, SEQUENTIAL_POCOCK };

enum sequential_state {
    SEQUENTIAL_CONTINUE,   /* measure on, up to sequential_next values */
    SEQUENTIAL_DIFFERENT,  /* the interval excludes 0, the effect is worth telling */
    SEQUENTIAL_EQUIVALENT, /* the interval lies within the margin */
    SEQUENTIAL_UNDECIDED,  /* the budget is spent */
};

struct sequential {
    double alpha;
    enum sequential_spending spending;
    size_t budget; /* values per arm at most */
    double spent;  /* of alpha, by the looks so far; begin with 0 */
};

/* The level of the look after n values per arm (at most the budget), which is
 * spent by asking. 0 if n has not grown. */
double sequential_level(struct sequential *s, size_t n);

/* What to make of one look at level a: `different` is the 1 - a interval of the
 * effect, `equivalent` the 1 - 2a one; NaN limits (no interval) decide nothing.
 * `margin` is what counts as equivalent (0: nothing does), `least` the smallest
 * effect worth telling. */
struct sequential_look {
    double effect;
    double different[2];
    double equivalent[2];
    double margin;
    double least;
};
enum sequential_state sequential_decide(const struct sequential *s, size_t n,
                                        const struct sequential_look *look);

/* Twice as many as now, at most the budget. */
size_t sequential_next(const struct sequential *s, size_t n);

/* Always-valid alternative: the mixture likelihood ratio of Robbins (1970) for
 * n differences of known variance with mean d, under effects N(0, tau^2). Stop
 * when it reaches 1 / alpha, at any n whatsoever. */
double sequential_mixture_ratio(double n, double mean_difference, double variance,
                                double tau_squared);

#endif
