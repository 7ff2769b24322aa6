/* shape.h - what is odd about a series, in the order it was measured.
 *
 * A mean, a median and an interval assume values that are alike and
 * independent. These checks say when that is not so, as flags with the numbers
 * behind them. Each is made to stay silent on healthy noise (normal, lognormal,
 * exponential, uniform, rounded): 1 % or less per flag, measured in
 * tests/stats/shape_test.c. They warn; they change no result. */
#ifndef STATS_SHAPE_H
#define STATS_SHAPE_H

#include "base/arena.h"
#include "stats/drift.h"

enum shape_flag {
    SHAPE_ZERO_VARIANCE = 1 << 0,  /* two or more values, all equal */
    SHAPE_DRIFT = 1 << 1,          /* rises or falls: p < 0.001 and by 1 % or more */
    SHAPE_FIRST_APART = 1 << 2,    /* the first value is an outlier and the extreme one */
    SHAPE_BIMODAL = 1 << 3,        /* more than one peak: stats/unimodal.h */
    SHAPE_CLIPPED = 1 << 4,        /* values pile up at the minimum or the maximum */
    SHAPE_QUANTISED = 1 << 5,      /* the step between values is over half the sd */
    SHAPE_AUTOCORRELATED = 1 << 6, /* lag 1 over 0.2 and beyond chance */
    SHAPE_FLAG_COUNT = 7,
};

struct shape {
    unsigned flags; /* of enum shape_flag */
    size_t n;       /* values that are not NaN; the rest were left out */
    struct drift drift;
    double first_relative; /* first value over the median of the rest, less 1 */
    double dip;            /* against UNIMODAL_LIMIT */
    double clip_share;     /* of values at the fuller extreme */
    double step_over_sd;   /* resolution of the data */
    double lag1;
};

struct shape shape_of(struct arena scratch, const double *series, size_t n);

/* One sentence for a person, in `out`, e.g. "drifts: +4.1 % from the first
 * third to the last (p = 2e-06)". `flag` must be set in the shape. */
const char *shape_explain(const struct shape *shape, enum shape_flag flag, struct arena *out);

#endif
