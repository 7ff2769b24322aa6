/* question_claims.h - does what a spec claims hold in the samples of its run? */
#ifndef QUESTION_QUESTION_CLAIMS_H
#define QUESTION_QUESTION_CLAIMS_H

#include "base/param.h"

struct claims_params {
    double alpha;
    const char *run;
};

#define CLAIMS_ROWS                                                                           \
    {                                                                                         \
        "alpha", PARAM_SHARE, .offset = offsetof(struct claims_params, alpha),                \
                              .argument = "P", .fallback = "0.05", .max = 0.25, .open = true, \
                              .help = "how often a wrong decision may be made"                \
    }

#endif
