/* cell.h - when two executions measured the same thing, and in which version.
 *
 * Identity. Two executions are of the same cell if their identities are equal. An
 * identity has parts, and whoever asks says which count:
 *
 *     what        experiment and parameters by value: {"n": [1]} is {"n": [1.0]}. A cell with a
 *                 given name (`name:`, `--name`) is what it is called instead, whatever its
 *                 parameters are, so that its history survives a changed path
 *     agent       by name
 *     benchmark   by content: a benchmark with other cases is another one
 *     lanes       cases in flight at once
 *     version     of the agent, with its configuration
 *
 * Of the prompts of a suite only the name of the cell's own counts: a prompt is
 * another cell, a changed text of it another version.
 *
 * Version. What changes along a history. An agent has its own, and the hash of its
 * configuration (model, settings, text of the prompt): the same number with another model
 * is another version. What has none of its own (commands, experiments, agents without
 * a version) has the commit of the run; a tree with uncommitted changes is the commit
 * and a hash of the changes. Without version control each run is a version. */
#ifndef MODEL_CELL_H
#define MODEL_CELL_H

#include "base/value.h"
#include "model/record.h"

enum cell_part {
    CELL_WHAT = 1,
    CELL_AGENT = 2,
    CELL_BENCHMARK = 4,
    CELL_LANES = 8,
    CELL_VERSION = 16,
};

/* The same cell in whatever version: what histories and baselines go by. */
#define CELL_SAME (CELL_WHAT | CELL_AGENT | CELL_BENCHMARK | CELL_LANES)

struct cell_identity {
    char hex[SHA256_HEX_SIZE];
};

struct cell_identity cell_identity(const struct execution_record *e, unsigned parts);

/* The same without the parameters named in `but` (dotted names, NULL ends the list): what is
 * equal is the same in all else. A given name does not count here. */
struct cell_identity cell_identity_but(const struct execution_record *e, unsigned parts,
                                       const char *const *but);

bool cell_is_same(const struct execution_record *a, const struct execution_record *b,
                  unsigned parts);

/* Exactly the cell of a plan: experiment, parameters and the agent's whole definition, by the
 * key that plan_make gave it. How a run finds its own cells again. */
bool cell_has_key(const struct execution_record *e, const char *key);

/* The value as it counts: whole numbers as such, whatever they were written as, in lists and
 * maps too. Values that are equal have the same canonical JSON then. */
const struct value *cell_plain_value(const struct value *v, struct arena *out);

/* Parameters with nested maps as dotted names, {"a": 1, "b": {"c": 2}} as a = 1, b.c = 2, in
 * their order. `map` may be NULL. */
const struct value_pair *cell_settings(const struct value *map, struct arena *out,
                                       size_t *count);

struct cell_version {
    const char *id;    /* equal: the same version */
    const char *shown; /* "1.07", "commit 1a2b3c4d", "commit 1a2b3c4d + changes 5e6f7a8b" */
    bool is_run;       /* nothing says more: the run is the version */
};

/* `is_agent`: the cell has an agent of its own, not the built-in one. */
struct cell_version cell_version(const struct execution_record *e, const struct run_record *run,
                                 bool is_agent, struct arena *out);

/* "1a2b3c4d", "1a2b3c4d + changes 5e6f7a8b"; NULL where the run knows no commit. */
const char *cell_commit(const struct run_record *run, struct arena *out);

/* All of it, without the changes. */
const char *cell_full_commit(const struct run_record *run, struct arena *out);

#endif
