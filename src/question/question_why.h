/* question_why.h - why is one agent ahead of another? */
#ifndef QUESTION_QUESTION_WHY_H
#define QUESTION_QUESTION_WHY_H

#include "base/param.h"

struct why_params {
    const char *suite;
    const char *name; /* of a case; NULL: all */
    const char *a;
    const char *b;
};

#define WHY_AT(field) .offset = offsetof(struct why_params, field)
#define WHY_ROWS                                                              \
    {                                                                         \
        "suite", PARAM_TEXT, WHY_AT(suite),                                   \
            .argument = "NAME",                                               \
            .help = "the suite; may be left out where the store has only one" \
    }

#endif
