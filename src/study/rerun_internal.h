/* rerun_internal.h - how cells that agents answered are measured again. */
#ifndef STUDY_RERUN_INTERNAL_H
#define STUDY_RERUN_INTERNAL_H

#include "study/rerun.h"

/* The benchmark that both cells have, asked of both agents: whole passes over its
 * cases, at least as many trials as the budget. Fails where the suite of the run
 * cannot be had again as it was. */
MUST_USE bool rerun_suite_plan(const struct rerun_request *request, struct arena *out,
                               struct plan **plan, struct error *err);

/* Can this machine carry it out? Leaves out optional instruments that it lacks. */
MUST_USE bool rerun_check(struct spec *spec, struct arena *out, struct error *err);

/* Two cells of a plan become its only ones, arms of one group. */
void rerun_pair(struct plan *plan, const struct plan_cell *const cells[2], struct arena *out);

#endif
