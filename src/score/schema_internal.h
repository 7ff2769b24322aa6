/* schema_internal.h - the table of keywords, between schema.c, which compiles,
 * and schema_validate.c, which holds values against it. */
#ifndef SCORE_SCHEMA_INTERNAL_H
#define SCORE_SCHEMA_INTERNAL_H

#include "score/path.h"
#include "score/pattern.h"
#include "score/schema.h"

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

/* What a local reference points to; NULL = nothing. */
const struct value *schema_resolve(const struct schema *schema, struct str ref,
                                   struct arena *scratch);

#endif
