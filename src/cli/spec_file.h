/* spec_file.h - what `run` and `check` share: read, check, plan. */
#ifndef CLI_SPEC_FILE_H
#define CLI_SPEC_FILE_H

#include "cli/command.h"
#include "spec/plan.h"

/* The bytes of a spec file; "-" is standard input. */
MUST_USE bool spec_file_read(const char *path, struct arena *out, struct str *bytes,
                             struct error *err);

/* Prints each problem as file:line:column: text to standard error, or all of them
 * as JSON with --json; returns EXIT_USAGE. */
int spec_file_problems(struct context *c, const struct problems *p);

/* Checks only; a spec that is not right is said like problems. */
int spec_file_load(struct context *c, const char *path, struct str bytes,
                   const struct spec_override *override, struct spec **spec);
int spec_file_make_plan(const struct context *c, const struct spec *spec,
                        const struct plan **plan);

/* Checks and plans. On problems prints each as file:line:column: text to
 * standard error (or as JSON with --json) and returns EXIT_USAGE. */
int spec_file_plan(struct context *c, const char *path, struct str bytes,
                   const struct spec_override *override, struct spec **spec,
                   const struct plan **plan);

/* Cells, groups, order, number of trials and, where an earlier run tells, the time. The
 * first 20 cells are listed and the rest counted, unless `all`. */
int spec_file_show(struct context *c, const struct plan *plan, bool all);

/* What whoever wrote the benchmarks should know before they are run, to standard error. */
void spec_file_remark(const struct context *c, const struct spec *spec);

#endif
