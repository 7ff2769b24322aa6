/* question_compare.h - is run B better than run A? */
#ifndef QUESTION_QUESTION_COMPARE_H
#define QUESTION_QUESTION_COMPARE_H

#include "base/param.h"
#include "judge/compare.h"

enum adjustment { ADJUSTMENT_HOLM, ADJUSTMENT_NONE };

struct compare_params {
    int direction; /* enum direction */
    bool paired;
    double alpha;
    double equivalence;
    const char *metric;
    int adjust; /* enum adjustment */
    const char *a;
    const char *b; /* NULL: the arms of A with one another */
};

extern const char *const question_compare_adjustments[];

#define COMPARE_AT(field) .offset = offsetof(struct compare_params, field)
#define COMPARE_ROWS                                                                           \
    {"direction",                                                                              \
     PARAM_CHOICE,                                                                             \
     COMPARE_AT(direction),                                                                    \
     .choices = direction_choices,                                                             \
     .fallback = "\"auto\"",                                                                   \
     .help = "which values are better; auto: lower for plain files, else as the metric says"}, \
        {"paired", PARAM_BOOL, COMPARE_AT(paired),                                             \
         .help = "value i of A belongs to value i of B"},                                      \
        {"alpha",                                                                              \
         PARAM_SHARE,                                                                          \
         COMPARE_AT(alpha),                                                                    \
         .argument = "P",                                                                      \
         .fallback = "0.05",                                                                   \
         .max = 0.5,                                                                           \
         .open = true,                                                                         \
         .help = "how often a difference may be claimed that is not there"},                   \
        {"equivalence",                                                                        \
         PARAM_SHARE,                                                                          \
         COMPARE_AT(equivalence),                                                              \
         .fallback = "0.03",                                                                   \
         .max = 10,                                                                            \
         .help = "changes within this share count as none; 0 never says equivalent"},          \
        {"metric", PARAM_TEXT, COMPARE_AT(metric), .argument = "NAME",                         \
         .help = "compare only this metric"},                                                  \
    {                                                                                          \
        "adjust", PARAM_CHOICE, COMPARE_AT(adjust),                                            \
            .choices = question_compare_adjustments, .fallback = "\"holm\"",                   \
            .help = "correction over the cells of a metric"                                    \
    }

struct compare_how question_compare_how(const struct compare_params *p);

#endif
