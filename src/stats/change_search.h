/* change_search.h - where in a stretch of points do the two parts differ most?
 *
 * Three statistics, each best at another kind of change. Each looks at every
 * split in O(n log n) altogether, since moving one point from the right part
 * to the left changes it by what a tree of sums, or the neighbours in order of
 * size, can tell. */
#ifndef STATS_CHANGE_SEARCH_H
#define STATS_CHANGE_SEARCH_H

#include "base/arena.h"

struct change_stretch {
    const double *y;
    const size_t *order; /* indices into y, ascending by value */
    size_t n;
    size_t first; /* splits looked at: first..last, 1 <= first, last < n */
    size_t last;
};

/* The indices of y[0..n), ascending by value, equal ones by index. Sorting costs more
 * than all that follows: sort a series once, and pick its stretches from that. */
size_t *change_search_order(const double *y, size_t n, struct arena *out);

struct change_place {
    size_t at;        /* first point of the right part; 0: no split was looked at */
    double statistic; /* the larger, the more the parts differ */
};

/* The largest energy distance n1 n2 / n (2 E|X-Y| - E|X-X'| - E|Y-Y'|) (Szekely
 * and Rizzo 2004): for levels. On midranks it is deaf to outliers. */
struct change_place change_search_energy(const struct change_stretch *s, struct arena scratch);

/* The fewest runs (Wald and Wolfowitz 1940) when all points are put in order of
 * size and each is marked by its part; in standard deviations below what
 * chance gives. For series with several modes, whose levels overlap while the
 * modes do not. Ties count as if put in random order. */
struct change_place change_search_runs(const struct change_stretch *s, struct arena scratch);

#endif
