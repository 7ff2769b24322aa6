/* regressions.h - what got worse, for people and as assay.regressions/1. */
#ifndef REPORT_ANSWER_REGRESSIONS_H
#define REPORT_ANSWER_REGRESSIONS_H

#include "base/buf.h"
#include "history/regress.h"

void regressions_json(const struct regress *r, struct buf *out);

/* `all`: also what is not worse, and what could not be decided, line by line. */
void regressions_text(const struct regress *r, bool all, struct buf *out);

#endif
