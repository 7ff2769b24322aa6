/* duel.h - two agents head to head, as JSON (assay.versus/1) and as text. */
#ifndef REPORT_DUEL_H
#define REPORT_DUEL_H

#include "analysis/versus.h"
#include "base/json.h"

void duel_json(struct json *j, const struct versus *v);
void duel_text(struct buf *b, const struct versus *v);

#endif
