/* words.h - what the engine found, in words: one sentence for an answer, one for each
 * reason. Every report and command says it with these. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "stats/verdict.h"

/* "worse: B is 1.082 times A, 95 % interval 1.051 to 1.114 (n = 30 and 30)" */
const char *words_verdict(const struct verdict_answer *answer, struct arena *out);

/* What to do next about an answer that is open: "measure about 120 trials on each side".
 * NULL where nothing is open. */
const char *words_need(struct verdict_need need, struct arena *out);
const char *words_next(const struct verdict_answer *answer, struct arena *out);

/* "2.3 %", "12 points": a change of that kind. */
const char *words_size(double share, enum kind kind, struct arena *out);

const char *words_reason(const struct verdict_answer *answer, const struct verdict_reason *r,
                         struct arena *out);

/* "95", "99.5": a level as people write it. */
const char *words_confidence(double alpha, struct arena *out);

#endif
