/* allowance.h - how many trials of a cell may fail before `run` exits 1: --allow-failures.
 *
 * The stored status says that a cell was run to its end; whether its trials went well is said
 * here, cell by cell, so that an arm that always fails is not hidden among healthy ones.
 * What is not stated: no failure of a command or an experiment; of an agent no harness
 * error, as those count for nobody, and any number of other failures, as those lower its
 * scores, which --fail-under and gates judge. What is stated holds for all failures. */
#ifndef CLI_ALLOWANCE_H
#define CLI_ALLOWANCE_H

#include "cli/command.h"
#include "store/store.h"

struct allowance {
    bool is_stated;
    bool is_share; /* most is per cent of the trials of a cell */
    double most;
};

/* Reads "N" or "P%"; NULL is what is not stated. */
MUST_USE bool allowance_parse(const char *text, struct allowance *out, struct error *err);

/* Looks at every cell of the run; *exceeded: one has more failures than allowed, and a
 * sentence on stderr says which. */
MUST_USE bool allowance_check(const struct context *c, struct store *store, const char *run_id,
                              bool *exceeded, struct error *err);

#endif
