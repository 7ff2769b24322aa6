/* answer_stress_results.h - what stress tests have concluded, as the store keeps it. */
#ifndef REPORT_ANSWER_STRESS_RESULTS_H
#define REPORT_ANSWER_STRESS_RESULTS_H

#include "model/record.h"

struct answer_stress_results {
    struct run_record run; /* the newest of what was asked for that has some; id "": none */
    const char *agent;     /* its URL or name */
    const struct stress_record *rows;
    size_t count;
};

#endif
