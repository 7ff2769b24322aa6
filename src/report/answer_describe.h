/* answer_describe.h - a row of a registry: what it is for, and every parameter. */
#ifndef REPORT_ANSWER_DESCRIBE_H
#define REPORT_ANSWER_DESCRIBE_H

#include "base/registry.h"

struct described {
    const char *kind;            /* "experiment" */
    struct registry_entry entry; /* of a command without params: they are `options` */
    const char *usage;           /* of a command, as are the next; else NULL */
    const char *examples;        /* lines */
    struct param_table options;  /* letters and arguments instead of roles */
    const char *reason;          /* why this machine cannot do it; NULL = it can */
};

struct answer_describe {
    struct described *entries;
    size_t count;
};

#endif
