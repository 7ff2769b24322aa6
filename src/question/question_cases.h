/* question_cases.h - what was asked, expected and answered? */
#ifndef QUESTION_QUESTION_CASES_H
#define QUESTION_QUESTION_CASES_H

#include "base/param.h"

struct cases_params {
    bool failed;
    bool slow;
    struct param_texts flipped;
    const char *tag;
    const char *name;
    struct param_texts agents;
    const char *run;
};

#define CASES_AT(field) .offset = offsetof(struct cases_params, field)
#define CASES_ROWS                                                                             \
    {"failed", PARAM_BOOL, CASES_AT(failed), .letter = 'f',                                    \
     .help = "cases that an agent did not pass in every attempt"},                             \
        {"flipped",                                                                            \
         PARAM_TEXT_LIST,                                                                      \
         CASES_AT(flipped),                                                                    \
         .argument = "A B",                                                                    \
         .takes = 2,                                                                           \
         .help = "cases that only one of two agents passes (of several attempts: most, or as " \
                 "`reducer` says all)"},                                                       \
        {"slow", PARAM_BOOL, CASES_AT(slow),                                                   \
         .help = "cases that took an agent more than twice its median over cases"},            \
        {"tag", PARAM_TEXT, CASES_AT(tag), .help = "cases with this tag"},                     \
        {"case", PARAM_TEXT, CASES_AT(name), .argument = "ID",                                 \
         .help = "this case: its name, benchmark/name, or the beginning of its hash"},         \
    {                                                                                          \
        "agent", PARAM_TEXT_LIST, CASES_AT(agents),                                            \
            .letter = 'a', .argument = "NAME",                                                 \
            .help = "only answers of this agent (name, id or name@version); may be repeated"   \
    }

#endif
