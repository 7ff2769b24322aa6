/* question_versus.h - which of two agents is better on a suite? */
#ifndef QUESTION_QUESTION_VERSUS_H
#define QUESTION_QUESTION_VERSUS_H

#include "base/param.h"
#include "store/store.h"

struct versus_params {
    const char *suite;
    double alpha;
    double margin;
    const char *a;
    const char *b;
};

#define VERSUS_AT(field) .offset = offsetof(struct versus_params, field)
#define VERSUS_ROWS                                                      \
    {"suite", PARAM_TEXT, VERSUS_AT(suite), .argument = "NAME",          \
     .help = "the suite; may be left out where the store has only one"}, \
        {"alpha",                                                        \
         PARAM_SHARE,                                                    \
         VERSUS_AT(alpha),                                               \
         .argument = "P",                                                \
         .fallback = "0.05",                                             \
         .max = 0.5,                                                     \
         .open = true,                                                   \
         .help = "chance of a false winner that is accepted"},           \
    {                                                                    \
        "equivalence", PARAM_SHARE, VERSUS_AT(margin),                   \
            .fallback = "0.03", .max = 1, .open = true,                  \
            .help = "a difference that does not matter"                  \
    }

/* The suite of a store that has one: what is meant where none is named. */
MUST_USE bool question_only_suite(struct store *store, struct arena *arena, const char **name,
                                  struct error *err);

#endif
