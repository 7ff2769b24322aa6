/* schedule.h - when requests are due: a stream of moments, drawn from a seed.
 *
 * The wanted rate is a line of pieces, in each of which it runs straight from one value to
 * another: one piece is a constant rate or a ramp, three are a spike, many are bursts. The
 * number of requests due by t is the area below that line; the k-th is due where the area
 * reaches a_k. Even arrivals have a_k = k + 1/2; Poisson arrivals have gaps of a_k drawn
 * from the exponential distribution of mean 1, which makes them a Poisson process of just
 * that rate (time change of an inhomogeneous process). A trace is a list of moments.
 *
 * A value: two schedules begun from one plan give the same moments, so what was sent can be
 * compared with what should have been. Drawing allocates nothing. */
#ifndef LOAD_SCHEDULE_H
#define LOAD_SCHEDULE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"

enum schedule_arrivals { SCHEDULE_EVEN, SCHEDULE_POISSON };

struct schedule_piece {
    double length_s;  /* > 0 */
    double from_rate; /* requests per second, >= 0 */
    double to_rate;
};

struct schedule_plan {
    const struct schedule_piece *pieces;
    size_t piece_count;
    enum schedule_arrivals arrivals;
    const double *trace_s; /* instead of pieces: moments, ascending; NULL without */
    size_t trace_count;
    uint64_t seed;
};

struct schedule {
    const struct schedule_plan *plan;
    struct rng rng;
    size_t at;      /* piece, or place in the trace */
    double begin_s; /* of that piece */
    double done;    /* area of that piece used up */
    bool has_begun;
};

struct schedule schedule_begin(const struct schedule_plan *plan);

/* The next moment in seconds after the start; false after the last. */
bool schedule_next(struct schedule *s, double *at_s);

double schedule_expected(const struct schedule_plan *plan); /* requests: the area */
double schedule_highest_rate(const struct schedule_plan *plan);

/* The usual lines; the pieces are allocated in `out`. */
struct schedule_plan schedule_constant(double rate, double length_s, struct arena *out);
struct schedule_plan schedule_ramp(double from, double to, double length_s, struct arena *out);
/* A spike takes a share of the block, after twice that: a fifth is in the middle. */
#define SCHEDULE_SPIKE_BEGIN 2.0 /* times its share */
#define SCHEDULE_SPIKE_END   3.0
/* `factor` times the rate in it. */
struct schedule_plan schedule_spike(double rate, double factor, double share, double length_s,
                                    struct arena *out);
/* The mean is `rate`: of each period the first `duty` (0..1) has all of it. */
struct schedule_plan schedule_bursts(double rate, double period_s, double duty, double length_s,
                                     struct arena *out);

#endif
