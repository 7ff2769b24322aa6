/* answer_stress_results.h - what stress tests have concluded, as the store keeps it. */
#ifndef REPORT_ANSWER_STRESS_RESULTS_H
#define REPORT_ANSWER_STRESS_RESULTS_H

#include "judge/stress.h"
#include "model/record.h"

/* What the store has as text of one scenario, read. */
struct stress_conclusion {
    enum stress_outcome outcome;
    bool is_of_generator; /* spoiled, as it was saturated or skewed */
    struct str advice;    /* empty: none */
};
const struct stress_conclusion *answer_stress_conclusions(const struct stress_record *rows,
                                                          size_t count, struct arena *out);

struct answer_stress_results {
    struct run_record run; /* the newest of what was asked for that has some; id "": none */
    const char *agent;     /* its URL or name */
    const struct stress_record *rows;
    const struct stress_conclusion *conclusions; /* of the rows */
    size_t count;
};

#endif
