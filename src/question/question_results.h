/* question_results.h - what has an agent been through?
 *
 * `timeframe`: "latest" (the newest execution of each benchmark: of the same cell, in whatever
 * version, by model/cell.h), "all", "7d", "12h" (since then), or "2026-11-01..2026-11-15" (both days included; either may be left out). */
#ifndef QUESTION_QUESTION_RESULTS_H
#define QUESTION_QUESTION_RESULTS_H

#include "base/error.h"

struct results_params {
    const char *agent; /* name, name@version or id */
    const char *suite; /* name or id; NULL: any */
    const char *timeframe;
    int64_t limit;
    int64_t offset;
};

struct timeframe {
    bool is_latest;
    int64_t from_ns; /* 0: from the first */
    int64_t to_ns;   /* the first that no longer counts; INT64_MAX: none */
};

MUST_USE bool timeframe_parse(const char *text, int64_t now_ns, struct timeframe *frame,
                              struct error *err);

#endif
