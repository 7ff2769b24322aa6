/* claims_internal.h - what a claim is about, and what was measured of it. */
#ifndef JUDGE_CLAIMS_INTERNAL_H
#define JUDGE_CLAIMS_INTERNAL_H

#include "judge/claims.h"

/* What one decision rests on: the values of a cell (in units[1]), or those of
 * two. */
struct claim_subject {
    const char *label;
    const char *agent; /* its name; NULL: none, or two */
    struct ask ask;    /* of one cell: only units[1] */
    enum kind kind;
    enum direction direction;
    const char *unit;
    const struct execution_record *cut; /* view_unfinished of a cell it rests on, or NULL */
    const struct view_cell *cell;       /* of one cell: it, and its metric */
    const struct view_metric *of;
    size_t missing[2]; /* trials of each side without a value, */
    size_t trials[2];  /* of so many */
    size_t silent[2];  /* of the missing ones, those that succeeded */
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
    bool is_of_means; /* ratios are those of means */
    struct claim_subject *subjects;
    size_t count;
    struct claim_reason reason; /* why there are none */
    size_t lost;           /* cells that it is about as well, of which nothing is there: the
                                   baseline has them, or their agent could not start */
    const char *lost_name; /* of the first */
};

/* Fills subjects; false only if the store fails. */
MUST_USE bool claim_find_subjects(struct claim_reader *r, struct error *err);

/* The effect of a kind in one subject, with its interval. */
struct claim_effect {
    double value, low, high;
    double confidence;          /* of the interval */
    struct claim_reason reason; /* why there is no interval */
};

/* Of an answer of the engine; `is_narrow`: its 1 - 2 alpha interval. */
struct claim_effect claim_effect_of(enum claim_kind kind, const struct verdict_answer *answer,
                                    bool is_narrow);

/* Of a level: at_least, at_most. */
struct claim_effect claim_level(const struct claim_subject *subject, double alpha,
                                struct arena *out);

#endif
