/* trend.h - a history with its changes, as text and JSON. */
#ifndef REPORT_ANSWER_TREND_H
#define REPORT_ANSWER_TREND_H

#include "base/json.h"
#include "history/trend.h"

/* Of a plain file: assay.trend/1 with n and change_points, and the rates where
 * they were measured. */
void trend_samples_json(const struct trend_series *series, const char *detector,
                        struct buf *out);
void trend_json(const struct trend *trend, const struct trend_question *question,
                struct buf *out);

/* A line of blocks, the changes marked below and told, then the rates. */
void trend_text(const struct trend_series *series, const char *detector, struct buf *out);

#endif
