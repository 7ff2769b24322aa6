/* answer_results.h - executions of an agent, as the API lists them. */
#ifndef REPORT_ANSWER_RESULTS_H
#define REPORT_ANSWER_RESULTS_H

#include "model/record.h"

struct result_row {
    struct execution_record execution;
    const char *suite; /* names */
    const char *benchmark;
    const char *category;
};

struct answer_results {
    struct agent_record agent;
    const char *timeframe;
    const struct result_row *rows; /* newest first */
    size_t count;
    size_t total; /* that fit, with those left off by the limit */
};

#endif
