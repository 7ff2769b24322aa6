/* question_runs.h - which runs are there, and what is in one? */
#ifndef QUESTION_QUESTION_RUNS_H
#define QUESTION_QUESTION_RUNS_H

#include "base/param.h"

struct runs_params {
    int64_t limit;
    int64_t offset;
    const char *tag;
    const char *suite;
    int64_t since_ns;
};

#define RUNS_AT(field) .offset = offsetof(struct runs_params, field)
#define RUNS_ROWS                                                                            \
    {"limit",                                                                                \
     PARAM_INT,                                                                              \
     RUNS_AT(limit),                                                                         \
     .letter = 'n',                                                                          \
     .fallback = "20",                                                                       \
     .max = INFINITY,                                                                        \
     .help = "at most N runs, newest first; 0 = all"},                                       \
        {"offset", PARAM_INT, RUNS_AT(offset), .max = INFINITY, .help = "skip the first N"}, \
        {"tag", PARAM_TEXT, RUNS_AT(tag), .argument = "TAG",                                 \
         .help = "only runs with this tag"},                                                 \
        {"suite", PARAM_TEXT, RUNS_AT(suite), .argument = "SUITE",                           \
         .help = "only runs of this suite, by name or id"},                                  \
    {                                                                                        \
        "since", PARAM_MOMENT, RUNS_AT(since_ns),                                            \
            .help = "only runs since then: 7d, 12h, or 2026-11-15"                           \
    }

struct run_params {
    const char *run; /* a selector (view/select.h) */
};

#endif
