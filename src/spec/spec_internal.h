/* spec_internal.h - what the files of the spec loader share.
 *
 * Each part of a spec is a table of keys (base/param.h) over a small struct.
 * spec_clean checks a mapping against its table, notes the problems and keeps
 * what is right, so that the rest can be checked too; spec_read then cannot
 * fail. */
#ifndef SPEC_SPEC_INTERNAL_H
#define SPEC_SPEC_INTERNAL_H

#include "spec/spec.h"

struct spec_reader {
    struct arena *out;
    struct problems *problems;
    const struct spec_override *override;
    const struct value *known_agents; /* list of a suite's, where all are asked; or NULL */
    const char *named; /* the parameter of which each value has a name of its own; or NULL */
    bool claims_are_shared; /* by several experiments: which one they mean is open */
};

/* The keys of one experiment, as tables see them. */
struct spec_keys {
    const struct value *name;
    const char *experiment;
    const struct value *params;
    const struct value *iterations;
    const struct value *instrumentation;
    const char *output_dir;
    struct param_texts tags;
    const char *notes;
    int64_t seed;
    const struct value *sweep;
    int strategy;
    int64_t samples;
    int64_t parallelism;
    const struct value *until;
    const struct value *interleave;
    const struct value *claims;
    const struct value *agents;
    const char *baseline;
    const struct value *stop_early;
    double time_limit_ms;
};

struct spec_iterations {
    const struct value *warmup; /* a count or "steady" */
    int64_t warmup_max;
    int64_t measured;
};

struct spec_stop_early {
    int64_t failures_in_a_row;
    bool breach;
};

extern const struct param_table spec_keys_table;
extern const struct param_table spec_iterations_table;
extern const struct param_table spec_until_table;
extern const struct param_table spec_stop_early_table;
extern const struct param_table spec_claim_table;

/* spec_suite_schema.c. Definitions `suite`, `benchmark`, `agent` and what they refer to, into
 * the open object of a schema that has those of experiments. */
void suite_write_definitions(struct json *j);

/* `map` (NULL = empty) without the pairs that are unknown, wrong or null, each
 * but the last noted as a problem. `what` names it: "a spec", "'until'". */
const struct value *spec_clean(struct spec_reader *r, struct param_table table,
                               const struct value *map, const char *what);

/* A text, but with nothing in it that could name anything. */
static inline bool spec_is_empty(const struct value *v)
{
    return v->kind == VALUE_TEXT && str_trim(v->source).n == 0;
}

/* A cleaned map into the table's struct. */
void spec_read(struct spec_reader *r, struct param_table table, const struct value *map,
               void *keys);

/* One entry from its merged map; problems are noted, `entry` is filled with
 * what is right. */
void spec_read_entry(struct spec_reader *r, const struct value *map, struct spec_entry *entry);

/* Parameters and sweep: fills params and axes. With `is_whole` false, `params`
 * is only a part (an override) and required ones may be missing. */
void spec_read_params(struct spec_reader *r, const struct value *params,
                      const struct value *sweep, bool is_whole, struct spec_entry *entry);

/* The row of a parameter, also for a dotted name into an open mapping
 * (*is_below); NULL if the experiment has none. */
const struct param *spec_find_param(const struct experiment *experiment, struct str name,
                                    bool *is_below);

/* A dotted name puts a value that many mappings deeper. False, with a problem at the value,
 * if the whole would be deeper than a file may be. */
bool spec_fits_depth(struct spec_reader *r, struct str name, const struct value *v);

/* Values in `v`, itself counted; long text counts as several, since readers copy it. */
size_t spec_weight(const struct value *v);

void spec_read_instruments(struct spec_reader *r, const struct value *list,
                           struct spec_entry *entry);
void spec_add_instrument(struct spec_reader *r, struct spec_entry *entry,
                         struct spec_instrument item);

/* Names of the metrics that the entry's trials give, at most `room`; how many. */
size_t spec_list_metrics(const struct spec_entry *entry, const char **names, size_t room);

/* Shape of the claims, and that what they compare is in the entry. */
void spec_check_claims(struct spec_reader *r, const struct spec_entry *entry);

/* A file with `suite` or `benchmarks` (suite.c): fills the entries. */
bool spec_is_suite(const struct value *root);
void spec_read_suite(struct spec_reader *r, const struct value *root,
                     const struct spec_override *o, struct spec *spec);

/* Overrides: `spec_override_map` changes parameters of the merged map,
 * `spec_override_entry` the rest. */
const struct value *spec_override_map(struct spec_reader *r, const struct value *map,
                                      const struct spec_override *o, bool *set_used);

/* True if a --set names this parameter. */
bool spec_is_set(const struct spec_reader *r, const char *key);
void spec_override_entry(struct spec_reader *r, const struct spec_override *o,
                         struct spec_entry *entry);
void spec_override_concurrency(struct spec_reader *r, const struct spec_override *o,
                               struct spec *spec);
void spec_read_until(struct spec_reader *r, const struct value *map, struct spec_entry *entry);
void spec_read_interleave(struct spec_reader *r, const struct value *v,
                          struct spec_entry *entry);

#endif
