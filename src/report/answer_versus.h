/* duel.h - two agents head to head, as JSON (assay.versus/1) and as text. */
#ifndef REPORT_ANSWER_VERSUS_H
#define REPORT_ANSWER_VERSUS_H

#include "base/json.h"
#include "judge/versus.h"

void duel_json(struct json *j, const struct versus *v);
void duel_text(struct buf *b, const struct versus *v);

#endif
