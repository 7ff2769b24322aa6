/* change.h - where in a history did the level change?
 *
 * Three detectors, one answer:
 *
 * CHANGE_ASSAY  our own, for histories of real benchmarks, whose noise has
 *     fat tails, two modes, memory, or all three. Splits are proposed by the
 *     energy statistic on logs; each must then be told from noise by a t test
 *     or a rank test at the effective sample size, and be worth telling
 *     (3 % by default). change_assay.c has the maths, docs/method.md what it
 *     was measured to find and to miss.
 * CHANGE_OTAVA  Apache Otava (formerly Hunter), index for index.
 * CHANGE_POTTS  least absolute deviations with a penalty per jump, the penalty
 *     chosen from the data under AR(1) noise, as airspeed velocity does.
 *     Almost never wrong, and slow to see.
 *
 * No detector can confirm a change by the newest one or two points: use
 * stats/predict.h to judge a single new value.
 *
 * Cost: quadratic in the window (at most 1000 points), linear in the rest. */
#ifndef STATS_CHANGE_H
#define STATS_CHANGE_H

#include "base/arena.h"

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

const char *change_detector_name(enum change_detector detector);

/* Ascending by index; none for fewer than 2 values. NaN and infinities count
 * as missing: the value before stands in for them (at the start, the first
 * one that follows). */
void change_find(const double *values, size_t n, const struct change_options *options,
                 struct arena *out, struct change_point **points, size_t *count);

#endif
