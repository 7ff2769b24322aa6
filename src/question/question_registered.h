/* question_registered.h - what the store keeps by name: agents and suites. */
#ifndef QUESTION_QUESTION_REGISTERED_H
#define QUESTION_QUESTION_REGISTERED_H

#include "base/param.h"

struct registered_params {
    bool all; /* also those known from runs only */
};

struct suite_params {
    const char *suite; /* its name */
};

#endif
