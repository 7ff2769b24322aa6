/* answer_cases.h - answers to read: cases of a run with what each agent said. */
#ifndef REPORT_ANSWER_CASES_H
#define REPORT_ANSWER_CASES_H

#include "rank/casebook.h"

/* Which cases were asked for; all zero: all. */
struct cases_filter {
    bool failed, slow;
    const char *flipped[2]; /* only one of these two passes */
    const char *tag;
    const char *name;
};

struct answer_cases {
    const struct casebook *book;
    const struct casebook_case **cases; /* those that were asked for */
    size_t count;
    const bool *agents; /* of each agent: whether it is shown; NULL: all */
    struct cases_filter filter;
    const char *run; /* how commands name the run */
};

#endif
