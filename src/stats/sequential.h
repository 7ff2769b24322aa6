/* sequential.h - look at the data more than once without fooling oneself.
 *
 * Looking k times at level alpha finds a difference that is not there
 * far more often than alpha; so alpha is spent over the looks. A spending
 * function A(t) rises from 0 to alpha with the share t of the budget used (Lan
 * and DeMets 1983); the look at t_k has the level
 *
 *     A(t_k) - A(t_{k-1})
 *
 * By the union bound all looks together err with at most alpha, whatever their
 * dependence and whichever test is used; the recursive integration that would
 * give a little more is only right for normal sums. Each kind of error is kept so, a false
 * difference as a false equivalence.
 *
 * O'Brien and Fleming's A(t) = 2 (1 - Phi(z_{alpha/2} / sqrt(t))) hardly spends
 * early and leaves the last look almost untouched; Pocock's A(t) = alpha ln(1 +
 * (e - 1) t) spends evenly and stops large differences sooner. */
#ifndef STATS_SEQUENTIAL_H
#define STATS_SEQUENTIAL_H

#include "base/invariant.h"

enum sequential_spending { SEQUENTIAL_OBRIEN_FLEMING, SEQUENTIAL_POCOCK };

struct sequential {
    double alpha;
    enum sequential_spending spending;
    size_t budget; /* values per arm at most */
    double spent;  /* of alpha, by the looks so far; begin with 0 */
};

/* The level of the look after n values per arm (at most the budget), which is
 * spent by asking. 0 if n has not grown. */
double sequential_level(struct sequential *s, size_t n);

#endif
