/* outcome_words.h - what a run shows, in sentences: the same words in the terminal, in
 * reports, in JSON and on the page. */
#ifndef REPORT_OUTCOME_WORDS_H
#define REPORT_OUTCOME_WORDS_H

#include "rank/outcome.h"
#include "report/axis.h"

/* Who is best and by how much; never NULL. */
const char *outcome_sentence(const struct outcome *o, struct arena *out);

/* How sure that is, and what would make it surer; NULL where the sentence has said it. */
const char *outcome_sure(const struct outcome *o, struct arena *out);

/* "30 of 33 cases right, 2 not judged"; the noun with its space, or "". In `out`. */
const char *outcome_right(const struct outcome_agent *a, const char *noun, struct arena *out);

/* What is to be known about the machine and the agents, each with what it means for the
 * result; NULL-terminated. */
const char *const *outcome_warnings(const struct outcome *o, struct arena *out);

/* "awk, perl": those whose order with this agent is not decided; NULL: none. */
const char *outcome_tied_with(const struct outcome *o, const struct outcome_agent *a,
                              struct arena *out);

/* "simulated: its answers come from a stand-in": why it is not ranked. */
const char *outcome_left_out(const struct outcome_agent *a, struct arena *out);

/* The axis of overall scores, in whole tenths, that holds the first `count` of the ranked with
 * their intervals. */
struct axis outcome_axis(const struct outcome *o, size_t count);

/* Decimals that its ticks need: 1, or 2 where they are nearer than tenths. */
int outcome_axis_decimals(const double *ticks, size_t count);

struct outcome_step {
    const char *command;
    const char *why;
};
enum { OUTCOME_STEPS_MAX = 4 };

/* What to do next; `run` is how to name the run: "latest", or its id. Returns how many. */
size_t outcome_next(const struct outcome *o, const char *run, struct arena *out,
                    struct outcome_step steps[OUTCOME_STEPS_MAX]);

#endif
