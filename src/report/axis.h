/* axis.h - where a value is on a line, and which round values to name. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include "base/invariant.h"

struct axis {
    double low, high; /* low < high, both finite */
    bool is_log;
};

enum { AXIS_TICKS_MAX = 12 };

/* An axis for values in low..high with a little air at both ends; logarithmic
 * where that range spans more than a factor of 20. */
struct axis axis_make(double low, double high);

/* 0 at the low end, 1 at the high end; beyond them clamped. NaN -> 0. */
double axis_place(const struct axis *a, double v);

/* Round values (1, 2 or 5 times a power of ten) inside the axis; returns how
 * many. */
size_t axis_ticks(const struct axis *a, double ticks[AXIS_TICKS_MAX]);

#endif
