/* change.h - where in a history did the level change?
 *
 * Three detectors, one answer:
 *
 * CHANGE_ASSAY  our own, for histories of real benchmarks, whose noise has
 *     fat tails, two modes, memory, or all three; it distinguishes a drift from steps.
 *     change_assay.c has the idea, docs/method.md what it was measured to find
 *     and to miss.
 * CHANGE_OTAVA  Apache Otava (formerly Hunter), index for index.
 * CHANGE_POTTS  least absolute deviations with a penalty per jump, the penalty
 *     chosen from the data under AR(1) noise, as airspeed velocity does.
 *     Almost never wrong, and slow to see.
 *
 * No detector can confirm a change by the newest one or two points: use
 * stats/predict.h to judge a single new value.
 *
 * Cost: n log n within the window (at most 1000 points), linear in the rest;
 * Potts is quadratic. */
#ifndef STATS_CHANGE_H
#define STATS_CHANGE_H

#include "base/arena.h"

/* Points that a level needs before CHANGE_ASSAY distinguishes it from a disturbance, and that a
 * series needs to have two. */
enum { CHANGE_SETTLED = 5, CHANGE_FEWEST = 2 * CHANGE_SETTLED };

enum change_detector { CHANGE_ASSAY, CHANGE_OTAVA, CHANGE_POTTS, CHANGE_DETECTOR_COUNT };

/* {0} asks for our detector with its defaults. */
struct change_options {
    enum change_detector detector;
    double p;         /* largest p of a reported change; 0: 0.001. Not for Potts */
    size_t window;    /* Otava's window in points, at least 2; 0: 50 */
    double magnitude; /* smallest relative change to report; 0: the detector's own */
};

struct change_point {
    size_t index;  /* the first point of the new level */
    double before; /* level before and after: median (Otava: mean) of the segment */
    double after;
    double change; /* after / before - 1; infinite when before is 0 */
    double p;      /* of the test at this split; NaN for Potts, which has none */
};

/* A level that moves all the time, by the same share from each point to the next
 * (by the same amount, taken as a share of the first value, where not all values
 * are positive). */
struct change_drift {
    bool is_found;
    double slope; /* share of the level per point */
    double low;   /* its 95 % interval */
    double high;
    double total; /* from the first point to the last */
    double p;
};

struct change_found {
    struct change_point *points; /* ascending by index */
    size_t count;
    struct change_drift drift; /* of CHANGE_ASSAY; steps are then those besides it */
    size_t too_few;            /* points that a change would take, if there are fewer; else 0 */
};

const char *change_detector_name(enum change_detector detector);

/* NaN and infinities count as missing: the value before stands in for them (at
 * the start, the first one that follows). */
struct change_found change_find(const double *values, size_t n,
                                const struct change_options *options, struct arena *out);

#endif
