/* schema_internal.h - a compiled schema and one use of it.
 *
 *   schema.c           compiles
 *   schema_validate.c  checks a value against it; keywords that apply schemas
 *   schema_assert.c    keywords that say what a value must be by itself */
#ifndef BASE_SCHEMA_INTERNAL_H
#define BASE_SCHEMA_INTERNAL_H

#include "base/pattern.h"
#include "base/pointer.h"
#include "base/schema.h"

/* A pattern of the schema, by the text that it was compiled from. */
struct schema_pattern {
    struct str text;
    const struct pattern *pattern;
    struct schema_pattern *next;
};

struct schema {
    const struct value *root;
    struct schema_pattern *patterns;
};

const struct pattern *schema_pattern_of(const struct schema *schema, struct str text);

/* The schema that a local reference points to; NULL if none is compiled there. */
const struct value *schema_resolve(const struct schema *schema, struct str ref);

/* ---- one validation ---- */

/* Where in the answer we are, for the reason. */
struct schema_place {
    const struct schema_place *up;
    struct str key;
    size_t index;
};

struct schema_run {
    const struct schema *schema;
    struct arena *out;
    size_t steps_left;
    size_t depth;
    size_t quiet; /* inside of anyOf, not, ...: a failure is not a reason yet */
    const char *why;
    bool has_failed;
    struct error *err;
};

/* One keyword on one value. */
struct schema_trial {
    struct schema_run *w;
    const struct value *schema; /* that has the keyword */
    const struct value *word;   /* the keyword's value */
    const struct value *v;
    const struct schema_place *at;
};

/* The value does not fit: keeps the first reason that is no longer quiet. The
 * validation cannot go on: sets the error. Both return false. */
bool schema_invalid(struct schema_run *w, const struct schema_place *at, const char *fmt, ...)
    PRINTF(3, 4);
bool schema_fails(struct schema_run *w, const char *text);

/* Whether one of the schema's patterns is found in the text. */
bool schema_matches(struct schema_run *w, struct str pattern, struct str text);

/* Whether the value satisfies the keyword. The sizes serve texts, lists and maps. */
bool schema_try_type(const struct schema_trial *t);
bool schema_try_enum(const struct schema_trial *t);
bool schema_try_const(const struct schema_trial *t);
bool schema_try_minimum(const struct schema_trial *t);
bool schema_try_maximum(const struct schema_trial *t);
bool schema_try_above(const struct schema_trial *t);
bool schema_try_below(const struct schema_trial *t);
bool schema_try_multiple(const struct schema_trial *t);
bool schema_try_least_size(const struct schema_trial *t);
bool schema_try_most_size(const struct schema_trial *t);
bool schema_try_pattern(const struct schema_trial *t);
bool schema_try_unique(const struct schema_trial *t);
bool schema_try_required(const struct schema_trial *t);
bool schema_try_dependent_required(const struct schema_trial *t);

#endif
