/* dials.h - search problems of a chosen difficulty, drawn from a seed.
 *
 * The dial goes from 0 (easy) to 1; the requirement's agents are simple 0.3, medium 0.5 and
 * complex 0.8. It turns four knobs at once, linearly:
 *
 *                        0      0.3    0.5    0.8
 *     segments           10     12     14     16
 *     library lines      24     33     39     48
 *     deceptive pairs    0      15 %   25 %   40 %   of the planted lines
 *     noise sd           0.005  0.0095 0.0125 0.017
 *
 * A solution is planted: half of the places hold lines that together satisfy every wish. The
 * rest of the library repeats some of their features and provides what nobody wants.
 * Its fitness, after dropping what does not earn its cost, is `best_known`. */
#ifndef EVOLVE_DIALS_H
#define EVOLVE_DIALS_H

#include "evolve/challenge.h"

enum { DIALS_SCENARIOS = 24, DIALS_TRAIN = 16 };

struct dials {
    size_t segments;
    size_t lines;
    double deceptive;
    double noise_sd;
};

struct dials dials_at(double difficulty);

/* Lives in `out`. The same seed and dials give the same problem on every machine. */
struct challenge *dials_challenge(const char *agent, double difficulty, uint64_t seed,
                                  struct arena *out);

#endif
