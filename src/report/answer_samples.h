/* comparison.h - the answer of stats/verdict.h as JSON and as text. */
#ifndef REPORT_ANSWER_SAMPLES_H
#define REPORT_ANSWER_SAMPLES_H

#include "base/json.h"
#include "stats/verdict.h"

/* The keys n, verdict, kind, effect, tests, summary, mde, reasons, notes, sentence of
 * assay.compare/1 into an open object. */
void comparison_put(struct json *j, const struct verdict_answer *answer, struct arena scratch);

/* {"schema": "assay.compare/1", ...}, one line. */
void comparison_json(const struct verdict_answer *answer, struct arena scratch,
                     struct buf *out);

/* What the two sides are called, and the samples to draw. */
struct comparison_side {
    const char *name;
    const double *values;
    size_t count;
};

/* The sentence, a table of both sides, both distributions on one scale, what
 * the other tests say, and the notes. */
void comparison_text(const struct verdict_answer *answer, const struct comparison_side sides[2],
                     struct arena scratch, struct buf *out);

/* Both distributions on one scale, a line each and one for the scale in that unit
 * (NULL: bare numbers); nothing below 2 finite values. */
void comparison_plot(const struct comparison_side sides[2], const char *unit,
                     struct arena scratch, struct buf *out);

#endif
