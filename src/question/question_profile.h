/* question_profile.h - where did time and tokens go? */
#ifndef QUESTION_QUESTION_PROFILE_H
#define QUESTION_QUESTION_PROFILE_H

#include "base/param.h"

struct profile_params {
    const char *agent;
    int64_t top;
    const char *run;
};

#define PROFILE_AT(field) .offset = offsetof(struct profile_params, field)
#define PROFILE_ROWS                                                          \
    {"agent",                                                                 \
     PARAM_TEXT,                                                              \
     PROFILE_AT(agent),                                                       \
     .letter = 'a',                                                           \
     .argument = "NAME",                                                      \
     .help = "only executions of this agent (name, id or name@version)"},     \
    {                                                                         \
        "top", PARAM_INT, PROFILE_AT(top), .fallback = "10", .max = INFINITY, \
                                           .help = "functions to list"        \
    }

#endif
