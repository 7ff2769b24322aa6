/* question_cost.h - what does a success cost, and would a cheaper agent do? */
#ifndef QUESTION_QUESTION_COST_H
#define QUESTION_QUESTION_COST_H

#include "base/param.h"

struct cost_params {
    const char *agent;
    const char *run;
};

#define COST_ROWS                                                                          \
    {                                                                                      \
        "agent", PARAM_TEXT, .offset = offsetof(struct cost_params, agent), .letter = 'a', \
                             .argument = "NAME",                                           \
                             .help = "only this agent (name, id or name@version)"          \
    }

#endif
