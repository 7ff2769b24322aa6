/* compare_options.h - the options of `assay compare`. */
#ifndef CLI_COMPARE_OPTIONS_H
#define CLI_COMPARE_OPTIONS_H

#include "cli/command.h"
#include "model/metric.h"
#include "stats/verdict.h"

struct compare_options {
    bool samples;
    const char *column;
    const char *direction;
    bool paired;
    double alpha;
    double equivalence;
    const char *metric;
    const char *adjust;
    bool until_decided;
    int64_t budget;
    double max_seconds;
    const char *fail_on;
    bool decide;
};

extern const struct compare_options compare_options_defaults;
enum { COMPARE_OPTION_COUNT = 13 };
extern const struct option compare_options_table[COMPARE_OPTION_COUNT];

/* What can be said about them before anything is read. */
MUST_USE bool compare_options_check(const struct compare_options *o, struct error *err);

/* --direction; DIRECTION_NONE where it was not given. */
enum direction compare_options_direction(const struct compare_options *o);

/* 1 if a verdict is one of --fail-on, 4 if undecided and --decide, else 0. */
int compare_options_exit(const struct compare_options *o, const enum verdict *verdicts,
                         size_t count);

#endif
