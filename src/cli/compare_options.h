/* compare_options.h - the options of `assay compare`. */
#ifndef CLI_COMPARE_OPTIONS_H
#define CLI_COMPARE_OPTIONS_H

#include "cli/command.h"
#include "question/question_compare.h"

struct compare_options {
    struct compare_params asked;
    bool samples;
    const char *column;
    int kind; /* 0: auto, else 1 + enum kind */
    bool until_decided;
    int64_t budget;
    double max_seconds;
    struct param_ints fail_on; /* enum verdict */
    bool decide;
    const char *plot;
};

enum { COMPARE_OPTION_COUNT = 15 };
extern const struct param compare_options_table[COMPARE_OPTION_COUNT];

/* 1 if a verdict is one of --fail-on; 4 if undecided and --decide, or if values are missing under
 * either: they may be worse; else 0. */
int compare_options_exit(const struct compare_options *o, const enum verdict *found,
                         size_t count, bool is_missing);

#endif
