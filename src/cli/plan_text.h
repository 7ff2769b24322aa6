/* plan_text.h - a plan as people and programs read it, before any work. */
#ifndef CLI_PLAN_TEXT_H
#define CLI_PLAN_TEXT_H

#include "cli/command.h"
#include "spec/plan.h"

/* Cells, groups, order, number of trials and, where an earlier run tells, the
 * time: for people, or with --json as one object (schema "assay.plan/1"). The
 * first 20 cells are listed and the rest counted, unless `all`. */
int plan_text_show(struct context *c, const struct plan *plan, bool all);

#endif
