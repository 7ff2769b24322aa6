/* convergence_detector.h - when to stop a search: the fourth of the five parts.
 *
 *   plateau   the baseline's: best-so-far rose by less than 0.01 over the last 10 iterations
 *   design    the sparse-memory design's five rules, in its order: not before iteration 10; a
 *             score of at least 0.85 + 0.05 difficulty; less than 0.01 between the last 5; the
 *             mean of the last 5 steps below a fifth of the first 5's; at the cap
 *   patient   ours: waits in proportion to what the search has needed so far. It stops when
 *             the best score is at least 0.89, and nothing significant (half a percent of the
 *             best) has come for 70 + 170 difficulty iterations, and for as long as the last
 *             such improvement took to come. A search that never gets to 0.89 runs to its cap
 *
 * A false stop is defined by the same search carried on to twice the stop: one after which the
 * best score rises by more than 2 % until then. The design does not define it, and its velocity
 * rule fires at iteration 10 of almost every search that starts fast.
 *
 * Why in proportion: improvements of a random search come like records, at intervals that grow
 * with the time passed. To have seen none between i and 2i is evidence; to have seen none for
 * ten iterations is not, once they come every fifty. For the same reason a false stop needs a
 * stated end: watched for longer, any stop below the optimum becomes false, and more patience
 * alone does not help, since the end moves with the stop. The level does: the lower the best
 * score, the more is left to find. */
#ifndef EVOLVE_CONVERGENCE_DETECTOR_H
#define EVOLVE_CONVERGENCE_DETECTOR_H

#include "base/invariant.h"

enum convergence_rule {
    CONVERGENCE_PLATEAU,
    CONVERGENCE_DESIGN,
    CONVERGENCE_PATIENT,
    CONVERGENCE_RULE_COUNT
};

enum convergence_reason {
    CONVERGENCE_NOT_YET,
    CONVERGENCE_EXCELLENT,
    CONVERGENCE_FLAT,
    CONVERGENCE_SLOWED,
    CONVERGENCE_CAP,
};

struct convergence_detector {
    enum convergence_rule rule;
    double difficulty;
    int64_t cap;
};

extern const char *const convergence_rule_names[];   /* by enum, NULL-terminated */
extern const char *const convergence_reason_names[]; /* the design's: "plateau", ... */

/* history[i] is the best score after iteration i + 1; count >= 1. */
enum convergence_reason convergence_check(const struct convergence_detector *d,
                                          const double *history, size_t count);

enum { CONVERGENCE_WATCHED = 2 }; /* times the stop: how far a search is watched */

/* Whether `count` iterations are enough to judge a stop after `stop`. */
bool convergence_is_known(size_t count, size_t stop);

/* Whether that stop was false, by what came until iteration `end`. */
bool convergence_is_false(const double *history, size_t stop, size_t end);

#endif
