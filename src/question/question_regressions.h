/* question_regressions.h - what got worse since the baseline, and the alarms of the past. */
#ifndef QUESTION_QUESTION_REGRESSIONS_H
#define QUESTION_QUESTION_REGRESSIONS_H

#include "base/param.h"
#include "history/regress.h"

struct regressions_params {
    const char *baseline;
    struct param_shares threshold;
    const char *agent;
    const char *version;
    double alpha;
    const char *run; /* NULL: the newest, or the agent's */
};

#define REGRESSIONS_AT(field) .offset = offsetof(struct regressions_params, field)
#define REGRESSIONS_ROWS                                                                       \
    {"baseline", PARAM_SELECTOR, REGRESSIONS_AT(baseline), .argument = "WHAT",                 \
     .help = "a pinned name, a version of the agent, or a run (default: pinned as 'default', " \
             "else the last earlier version)"},                                                \
        {"threshold",                                                                          \
         PARAM_SHARE_LIST,                                                                     \
         REGRESSIONS_AT(threshold),                                                            \
         .max = INFINITY,                                                                      \
         .open = true,                                                                         \
         .fallback = "0.1",                                                                    \
         .help =                                                                               \
             "worse by more than this (5 % or 0.05) is a regression; METRIC=SHARE for one "    \
             "metric; may be repeated"},                                                       \
        {"agent", PARAM_TEXT, REGRESSIONS_AT(agent), .argument = "NAME",                       \
         .help =                                                                               \
             "the newest version of this agent (or name@version), all its runs, not one run"}, \
        {"version", PARAM_TEXT, REGRESSIONS_AT(version), .argument = "TEXT",                   \
         .help = "with --agent: that version of it (its newest)"},                             \
    {                                                                                          \
        "alpha", PARAM_SHARE, REGRESSIONS_AT(alpha),                                           \
            .fallback = "0.05", .max = 0.5, .open = true,                                      \
            .help = "share of false findings that is accepted"                                 \
    }

/* What the parameters ask; it lives in `out`. */
struct regress_question question_regressions_of(const struct regressions_params *p,
                                                struct arena *out);
/* Asks, and refuses limits of metrics that nothing has. */
MUST_USE bool question_regressions_ask(struct store *store, const struct regress_question *q,
                                       struct arena *out, struct regress *r, struct error *err);

struct alarms_params {
    const char *agent;
};

#endif
