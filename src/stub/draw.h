/* draw.h - a number that is set, or drawn from a distribution.
 *
 *     50                      always 50
 *     uniform:10,90           between 10 and 90
 *     normal:50,10            mean 50, standard deviation 10
 *     lognormal:50,0.5        median 50, standard deviation 0.5 of the logarithm
 *     lognormal-mean:50,0.5   mean 50, the same spread
 *     exp:50                  exponential, mean 50
 *
 * What falls below 0 is 0. */
#ifndef STUB_DRAW_H
#define STUB_DRAW_H

#include "base/error.h"
#include "base/rng.h"

enum draw_kind { DRAW_SET, DRAW_UNIFORM, DRAW_NORMAL, DRAW_LOGNORMAL, DRAW_EXPONENTIAL };

struct draw {
    enum draw_kind kind;
    double a; /* of both kinds of lognormal: the median */
    double b;
};

/* `what` names it in messages: "--ttft-ms". */
MUST_USE bool draw_parse(const char *text, const char *what, struct draw *out,
                         struct error *err);
double draw_next(const struct draw *d, struct rng *r);
double draw_mean(const struct draw *d);

#endif
