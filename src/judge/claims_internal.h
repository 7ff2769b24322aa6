/* claims_internal.h - what a claim is about, and what was measured of it. */
#ifndef JUDGE_CLAIMS_INTERNAL_H
#define JUDGE_CLAIMS_INTERNAL_H

#include "judge/claims.h"
#include "judge/compare.h"

/* What one decision rests on: the values of a cell (in units[1]), or those of
 * two. */
struct claim_subject {
    const char *label;
    struct compare_values values;
    enum direction direction;
    const char *unit;
};

struct claim_reader {
    struct store *store;
    const struct view *view; /* the run */
    struct arena *out;
    const struct value *map; /* the claim as written */
    int64_t entry;           /* of the spec that it is about; -1: any */
    const char *experiment;  /* of a run without stored claims: of the entry; NULL: any */
    const char *benchmark;   /* the same, in a suite */
    const char *metric;
    struct claim_subject *subjects;
    size_t count;
    const char *reason; /* why there are none */
};

/* Fills subjects; false only if the store fails. */
MUST_USE bool claim_find_subjects(struct claim_reader *r, struct error *err);

/* The effect of a kind in one subject, with its interval. */
struct claim_effect {
    double value, low, high;
    const char *reason; /* why there is no interval; NULL if there is one */
};
struct claim_effect claim_measure(enum claim_kind kind, const struct claim_subject *subject,
                                  double alpha, struct arena *out);

#endif
