/* ranks.h - a ranking as JSON (assay.leaderboard/1, assay.matrix/1) and as a table. */
#ifndef REPORT_ANSWER_RANKING_H
#define REPORT_ANSWER_RANKING_H

#include "base/json.h"
#include "rank/ranking.h"

void ranks_json(struct json *j, const struct ranking *r);

void ranks_text(struct buf *b, const struct ranking *r, bool quiet); /* quiet: tables only */

#endif
