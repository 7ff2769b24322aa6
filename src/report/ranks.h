/* ranks.h - a ranking as JSON (assay.leaderboard/1, assay.matrix/1) and as a table. */
#ifndef REPORT_RANKS_H
#define REPORT_RANKS_H

#include "analysis/ranking.h"
#include "base/json.h"

void ranks_json(struct json *j, const struct ranking *r);

void ranks_text(struct buf *b, const struct ranking *r, bool quiet); /* quiet: tables only */

#endif
