/* results.h - everything that `assay run` shows or writes after a run. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "cli/command.h"
#include "spec/spec.h"
#include "store/store.h"

/* Before it: can the folder and the reports of `run_options` be written? Makes the folder.
 * `spec` may be NULL, as below. */
MUST_USE bool results_can_be_written(const struct context *c, const struct spec *spec,
                                     struct error *err);

/* After it. `claims_failing` becomes the number of claims of the spec that do not hold. */
MUST_USE bool results_show(const struct context *c, struct store *store,
                           const struct spec *spec, const char *run_id, size_t *claims_failing,
                           struct error *err);

/* The exit code of a run that finished: did no more trials fail than --allow-failures
 * says, do its claims hold and its scores reach --fail-under? */
int results_judge(const struct context *c, struct store *store, const char *run_id,
                  size_t claims_failing);

#endif
