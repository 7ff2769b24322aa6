/* regress_words.h - what got worse, in words. */
#ifndef REPORT_REGRESS_WORDS_H
#define REPORT_REGRESS_WORDS_H

#include "base/sentences.h"
#include "history/regress.h"

/* "sums, duration_s: 10 -> 12 ms, worse by 20 % [18 %, 22 %]: all of it beyond the threshold
 * of 10 % (rule beyond_threshold, ...)"; of an alarm that was not confirmed, that. */
const char *regress_words_row(const struct regress *r, const struct regress_row *row,
                              struct arena *out);

/* Which cases and phases, and what it costs; "" where nothing is known. */
const char *regress_words_impact(const struct regress_impact *x, struct arena *out);

/* What measuring again said of the row. */
const char *regress_words_again(const struct regress *r, const struct regress_row *row,
                                struct arena *out);

/* Whether anything got worse: the worst of it, and of how many. */
const char *regress_words_whole(const struct regress *r, struct arena *out);

/* What to do. */
const char *regress_words_action(const struct regress *r, struct arena *out);

/* What else to know. */
void regress_words_notes(const struct regress *r, struct sentences *notes);

/* What the store keeps of a row besides its numbers, as JSON: a regress_analysis_fn. */
const char *regress_words_analysis(const struct regress *r, const struct regress_row *row,
                                   struct arena *out);

#endif
