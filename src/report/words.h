/* words.h - what the engine found, in words: one sentence for an answer, one for each
 * reason. Every report and command says it with these. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "judge/compare.h"
#include "judge/worsening.h"

/* "worse: B is 1.082 times A, 95 % interval 1.051 to 1.114 (n = 30 and 30)" */
const char *words_verdict(const struct verdict_answer *answer, struct arena *out);

/* A metric as people call it: "duration" of duration_s, "memory peak" of memory_peak_mb. The
 * page has the same rule (web/src/lib/format.js). */
const char *words_metric(const char *name, struct arena *out);

/* As %.3f shows it: what rounds to zero is zero, and never -0.000. */
double words_thousandth(double x);

/* What to do next about an answer that is open: "measure about 120 trials on each side".
 * NULL where nothing is open. */
const char *words_need(struct verdict_need need, struct arena *out);
const char *words_next(const struct verdict_answer *answer, struct arena *out);

/* "2.3 %", "12 points": a change of that kind. */
const char *words_size(double share, enum kind kind, struct arena *out);

const char *words_reason(const struct verdict_answer *answer, const struct verdict_reason *r,
                         struct arena *out);

/* "23 %", "-1.5 %", "12 points"; "-" for NaN. Above 0 is worse. */
const char *words_worse_by(const struct worsening *w, double amount, struct arena *out);

/* "worse by 23 % [12 %, 35 %]", "better by 3.0 % [1.0 %, 5.0 %]". */
const char *words_worsening(const struct worsening *w, struct arena *out);

/* Why there is no interval: "the baseline has no values". */
const char *words_no_interval(const struct worsening *w, struct arena *out);

/* "; 50 of 100 cases were not judged", or "" where the outcome of all is known. */
const char *words_unknown(const struct worsening *w, struct arena *out);

/* "10 of 30 cases no longer report cost_usd"; NULL: all do. */
const char *words_gone(const struct ask *ask, struct arena *out);

/* "5 cases are too few for any verdict: 6 could" */
const char *words_too_few(size_t n, const char *what, size_t least, struct arena *out);

/* "; 5 cases are too few for any verdict: 6 could", or "". */
const char *words_few(const struct worsening *w, struct arena *out);

/* Why two metrics were not compared: "its unit is 'MB' in A and 'GB' in B". The sides as
 * `names` has them. */
const char *words_gap(const struct compare_gap *gap, const char *const names[2],
                      struct arena *out);

/* Where compare_make failed by a metric: says why as the error. Always false. */
bool words_refuse(const struct compare_refusal *refused, struct error *err);

/* The sides of a comparison of runs, and those of one with a baseline. */
extern const char *const words_sides[2];
extern const char *const words_then_now[2];

/* Why the cell has no baseline: "nothing is pinned as 'main' for it". */
const char *words_no_baseline(const struct baseline_pair *pair, struct arena *out);

/* "with concurrency 4 instead of 1": how the run has the lost cell's benchmark; NULL if not. */
const char *words_instead(const struct baseline_lost *lost, struct arena *out);

/* Of a run that is in the future. */
const char *words_future(const struct run_record *run, struct arena *out);

/* That the two sides are of different hosts; NULL where they are not. */
const char *words_hosts(const struct baseline_pair *pair, struct arena *out);

/* "interrupted: 4 of 20 trials were made": of what view_unfinished gives. */
const char *words_unfinished(const struct execution_record *e, struct arena *out);

/* Why one side of the pair is not complete (0: the baseline), and what to do. */
const char *words_cut(const struct baseline_pair *pair, int side, struct arena *out);

/* By how much an alarm says that it got worse: "8.2 %", "20 points". */
const char *words_alarm_amount(const struct alarm_record *a, struct arena *out);

/* That a version was passed over as baseline, or that the baseline has an open alarm; NULL: no. */
const char *words_skipped(const struct baseline_pair *pair, struct arena *out);
const char *words_open_alarm(const struct baseline_pair *pair, struct arena *out);

/* "sleep 1", "[1,2]": a text bare, the rest as JSON; NULL is "missing", null "unknown". */
const char *words_value(const struct value *v, struct arena *out);

/* How the parameters of a cell with a given name differ from its baseline's; NULL: in nothing. */
const char *words_settings(const struct baseline_pair *pair, struct arena *out);

/* Why something does not rank, by the name of the reason (unranked_name, a status, a
 * provenance): of an agent, which is "run on some of the cases only", or of executions, which
 * are "some of the cases only". */
const char *words_unranked(const char *reason, bool is_of_executions);

/* "42 %", "<1 %", ">99 %": all and none are said only of all and none. */
const char *words_part(double share, struct arena *out);

/* "95", "99.5": a level as people write it. */
const char *words_confidence(double alpha, struct arena *out);

#endif
