/* phrase.h - what several reporters say in the same words.
 *
 * Everything appends plain text to a buffer; escaping for Markdown or HTML is
 * the reporter's own. */
#ifndef REPORT_PHRASE_H
#define REPORT_PHRASE_H

#include "base/human.h"
#include "report/report.h"
#include "view/view.h"

#include <stdarg.h>

/* The scale of a metric: the unit is shared with the same metric of the other cells where
 * their medians lie within a factor of 1000 (up to 500 cells), the digits fit its own. */
struct human_scale phrase_scale(const struct view *view, const struct view_metric *metric);

void phrase_number(struct buf *out, const struct human_scale *scale, double v);   /* 1.234 */
void phrase_quantity(struct buf *out, const struct human_scale *scale, double v); /* 1.234 ms */
void phrase_interval(struct buf *out, const struct human_scale *scale, double low,
                     double high); /* [1.2, 1.3]; nothing if NaN */
void phrase_range(struct buf *out, const struct human_scale *scale, double min,
                  double max);                             /* 1.1 … 1.4; - if NaN */
void phrase_percent(struct buf *out, double share);        /* 0.017 -> "1.7 %"; "-" for NaN */
void phrase_stamp(struct buf *out, int64_t unix_ns);       /* 2026-11-15 20:04:56 UTC */
void phrase_value(struct buf *out, const struct value *v); /* text bare, the rest as JSON */
bool phrase_is_fact(const struct value *v); /* not null, not a list: warnings are kept apart */

/* A text as markup takes it: what is hidden becomes U+FFFD, as do bytes beyond ASCII where the
 * text is not UTF-8. */
struct phrase_escapes {
    const char *from;         /* characters, */
    const char *const *to;    /* and what stands for each; NULL: itself after a backslash */
    const char *control;      /* for control characters, */
    const char *but_controls; /* but these */
};
void phrase_escaped(struct buf *out, struct str s, const struct phrase_escapes *how);

const char *phrase_label(const struct view_cell *cell); /* never NULL or empty */

/* Whether effects of parameters are worth a section: with one swept parameter and a
 * comparison, that has said it all. */
bool phrase_tells_effects(const struct view *view);

/* Without a value; or neither good nor bad and the same in all trials (an exit code of 0):
 * short reports have no row for it, as they have none for what metrics_measured does not
 * name. */
bool phrase_is_idle(const struct view_metric *metric);

/* The latter of a cell, without its first metric: "exit_code 0, rows 4060"; nothing if it has
 * none. */
void phrase_constants(struct buf *out, const struct view *view, const struct view_cell *cell);

/* "50 of 50 ok"; "47 of 50 ok, 2 failed, 1 timed out". */
void phrase_counts(struct buf *out, const struct trial_counts *counts);

/* How the run ended: of one that finished, "40 of 60 trials ok", as its status says
 * nothing of its trials; of others the status. */
void phrase_outcome(struct buf *out, const struct view *view);

/* The first measured trial that failed and says why; NULL if none, or if the error of
 * the execution says the same. */
const struct trial_note *phrase_first_failure(const struct view_cell *cell);

/* "first failure, trial 3 (timed_out): longer than 2 s". */
void phrase_failure(struct buf *out, const struct trial_note *note);

/* What decided, on the scale that did: B against A, or with is_flipped A against B. */
struct phrase_effect {
    enum kind kind;
    double value, low, high;
};
struct phrase_effect phrase_effect_of(const struct verdict_answer *answer, bool is_flipped);

/* "0.98 x [0.97, 0.99]", "+12.0 points [+3.1, +20.4]", "1.2 ms [0.9, 1.5]". */
void phrase_effect(struct buf *out, const struct view *view, const struct view_metric *metric,
                   const struct phrase_effect *x, const char *times);
const char *phrase_effect_name(enum kind kind); /* "ratio", "difference" */

/* "97.5 % interval, 12 pairs": the level of the interval that decided. */
void phrase_basis(struct buf *out, const struct verdict_answer *answer);

/* "paired cases": what the comparisons of a view rest on. */
const char *phrase_paired(const struct view *view);

/* "A ran 1.23 x [1.20, 1.26] faster than B (95 % interval, 12 pairs)", that they are the same
 * within a margin, that no difference was shown, or why nothing can be said. */
void phrase_comparison(struct buf *out, const struct view *view,
                       const struct view_comparison *c);

/* Ratio with its interval, as many decimals as the interval deserves. */
void phrase_ratio(struct buf *out, double ratio, double low, double high);

/* Where one number comes from, as name and text: n, warm-up, clock, overhead,
 * variation, outliers, interval, definition, seed, ... */
typedef void phrase_fact_fn(void *to, const char *name, struct str text);
void phrase_explain(const struct view *view, const struct view_cell *cell,
                    const struct view_metric *metric, phrase_fact_fn *fact, void *to);

/* Every warning of a run: of the machine (cell NULL), then cell by cell why it ended (`status`;
 * else NULL), its first failure and what its values show. */
typedef void phrase_warning_fn(void *to, const struct view_cell *cell, const char *status,
                               const char *what);
void phrase_warnings(const struct view *view, phrase_warning_fn *each, void *to);

/* "12 trials dropped; steady from trial 9". */
void phrase_warmup(struct buf *out, const struct view_cell *cell);

/* Markup with texts in it: `fmt` is written as it is, the text of each %s by `escape`;
 * %zu and %% are the only others. */
typedef void phrase_escape(struct buf *out, struct str text);
void phrase_say(struct buf *out, phrase_escape *escape, const char *fmt, ...) PRINTF(3, 4);
void phrase_say_list(struct buf *out, phrase_escape *escape, const char *fmt, va_list args);

#endif
