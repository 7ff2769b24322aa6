/* answer_comparison.h - several agents, each against each on a suite. */
#ifndef REPORT_ANSWER_COMPARISON_H
#define REPORT_ANSWER_COMPARISON_H

#include "base/str.h"

struct versus;

struct answer_comparison {
    const char *suite; /* its name */
    const char *const *agents;
    size_t agent_count;
    const struct versus **pairs; /* in the order of the agents */
    size_t pair_count;
};

#endif
