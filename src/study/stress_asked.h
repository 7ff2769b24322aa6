/* stress_asked.h - what an agent is asked under load: the cases of a benchmark, as parameters
 * of `experiment: load`.
 *
 * A phase keeps its parameters, cases included, so that it can be understood and repeated by
 * itself. Of a large dataset at most STRESS_CASES_MAX cases and STRESS_CASES_BYTES are taken,
 * drawn with the seed. */
#ifndef STUDY_STRESS_ASKED_H
#define STUDY_STRESS_ASKED_H

#include "spec/spec_suite.h"

enum { STRESS_CASES_MAX = 500, STRESS_CASES_BYTES = 128 << 10 };

struct stress_asked {
    const struct value *params; /* cases, rubric, prompt, judges, constraints, environment */
    size_t taken, of;           /* cases */
    double time_limit_s;        /* of a request; 0: none */
};

/* The benchmark of a suite's entry. */
void stress_asked_of(const struct spec_entry *entry, uint64_t seed, struct arena *out,
                     struct stress_asked *asked);

/* One input, or the cases of a file (.jsonl, .csv): either is NULL. */
MUST_USE bool stress_asked_plain(const char *input, const char *file, uint64_t seed,
                                 struct arena *out, struct stress_asked *asked,
                                 struct error *err);

#endif
