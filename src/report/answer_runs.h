/* answer_runs.h - runs of the store, listed or removed. */
#ifndef REPORT_ANSWER_RUNS_H
#define REPORT_ANSWER_RUNS_H

#include "view/listed.h"

/* Of `list` and of `forget`: those that are there, or were. */
struct answer_runs {
    struct listed_run *runs;
    size_t count;
};

struct answer_prune {
    struct listed_run *runs; /* removed, or to be removed */
    size_t count;
    bool is_dry_run;
    size_t kept;
    size_t pinned; /* of the kept: spared because they are a baseline */
    size_t alive;  /* of the kept: spared because they are still running */
};

#endif
