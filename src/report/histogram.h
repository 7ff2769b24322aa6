/* histogram.h - samples counted into bins of equal width, for drawing.
 *
 * Only a picture: no number that a report states comes from here. */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include "base/buf.h"

enum { HISTOGRAM_BINS_MAX = 64 };

struct histogram {
    size_t bins;
    size_t most; /* the largest count */
    size_t counts[HISTOGRAM_BINS_MAX];
};

/* NaN is left out; values beyond low..high go to the end bins. If low == high
 * there is one bin. */
void histogram_fill(struct histogram *h, const double *samples, size_t count, double low,
                    double high, size_t bins);

/* One block character per bin ("▁▃█▂ ▁"); a bin with anything in it is never
 * blank. */
void histogram_sparkline(const struct histogram *h, struct buf *out);

struct histogram_side {
    const double *values;
    size_t count;
};

/* Two distributions, A and B, on one scale: a line each and one for the scale in that unit
 * (NULL: bare numbers); nothing below 2 finite values. */
void histogram_pair(const struct histogram_side sides[2], const char *unit,
                    struct arena scratch, struct buf *out);

#endif
