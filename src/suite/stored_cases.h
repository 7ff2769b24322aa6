/* stored_cases.h - the cases of a benchmark, read back from a store. */
#ifndef SUITE_STORED_CASES_H
#define SUITE_STORED_CASES_H

#include "score/dataset.h"
#include "store/store.h"

struct stored_cases {
    struct store *store;
    const struct value *rubric; /* the benchmark's, or NULL */
    struct arena *out;
    const struct value *rubrics[255]; /* of cases with their own, each once */
    size_t rubric_count;
    struct case_item *items;
    size_t count;
};

/* The case of that content; read once. */
MUST_USE bool stored_case(struct stored_cases *s, const char *hash,
                          const struct case_item **item, struct error *err);

#endif
