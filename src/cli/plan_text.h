/* plan_text.h - a plan as people and programs read it, before any work. */
#ifndef CLI_PLAN_TEXT_H
#define CLI_PLAN_TEXT_H

#include "cli/command.h"
#include "cli/estimate.h"

/* For people; at most `cells_max` cells are listed, the rest counted. */
void plan_text_write(const struct plan *plan, const struct estimate *estimate, size_t cells_max,
                     FILE *out);

/* One JSON object, schema "assay.plan/1". */
void plan_text_write_json(const struct plan *plan, const struct estimate *estimate, FILE *out);

#endif
