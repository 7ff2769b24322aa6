/* answer_registered.h - what the store keeps by name: agents, suites and baselines. */
#ifndef REPORT_ANSWER_REGISTERED_H
#define REPORT_ANSWER_REGISTERED_H

#include "model/record.h"

/* Of agents, suites and baselines. */
struct answer_registered {
    const void *rows; /* struct agent_record, suite_record or baseline_record */
    size_t count;
    bool is_whole; /* its text says everything about the one row */
};

struct answer_suite {
    struct suite_record suite;
    struct benchmark_record *benchmarks;
    size_t count;
};

#endif
