/* facts.h - parts of JSON that the report and the result files share. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "base/layout.h"
#include "view/view.h"

extern const struct layout facts_counts; /* of struct trial_counts */

/* Each writes one value, or one key with its value. */
void facts_summary(struct json *j, const struct view_metric *metric); /* keys, no braces */
void facts_metric(struct json *j, const struct view_metric *metric);  /* object with samples */
void facts_warmup(struct json *j, const struct view_cell *cell);
void facts_comparison(struct json *j, const struct view *view, const struct view_comparison *c);
void facts_effect(struct json *j, const struct view_effect *effect);
/* The notes of a run as one text; `none` where it has none. */
void facts_put_notes(struct json *j, const struct note_list *notes, const char *none);
void facts_put_stamp(struct json *j, const char *key, int64_t unix_ns); /* 0 -> null */

/* Text that should hold JSON: as JSON if it reads, else as a string; NULL -> null. */
void facts_put_embedded(struct json *j, const char *key, const char *text);

#endif
