/* predict.h - is one new value in line with its history?
 *
 * An interval for a single further value, not for the mean: it has the spread
 * of one value in it, and the uncertainty of the centre on top. Supposes that
 * history and new value are independent draws of one distribution, and that it is about
 * normal: give logarithms of latencies. */
#ifndef STATS_PREDICT_H
#define STATS_PREDICT_H

#include "base/arena.h"

struct predict {
    double centre;
    double low; /* NaN below 2 values or without spread */
    double high;
};

/* median -+ t_{q,n-1} sigma sqrt(1 + pi / (2 n)), sigma = 1.4826 MAD
 * n / (n - 0.8) (Croux and Rousseeuw 1992): a past outlier widens nothing. Below
 * 10 values it is some points short of its confidence. pi / (2 n) is the variance of a
 * normal median. A MAD of 0 is replaced by 1.2533 times the mean distance from the median. */
struct predict predict_robust(struct arena scratch, const double *history, size_t n,
                              double confidence);

#endif
