/* ask.h - the question that every comparison asks about a metric of two cells.
 *
 * Whoever compares (compare, versus, claims, regressions, gate, record, a summary)
 * makes a question here and gives it to stats/verdict.h, or several to
 * stats/family.h; so the same data get the same answer wherever they are asked
 * about.
 *
 *   by case       cases are paired, each by its value over passes (view/units.h)
 *   interleaved   arms of one group: trials are paired by round
 *   else          two independent samples in order of time
 *
 * Cells that were merged from several runs bring them along: the interval then
 * also holds what runs of one version differ by. */
#ifndef JUDGE_ASK_H
#define JUDGE_ASK_H

#include "stats/family.h"
#include "view/units.h"

struct ask_subject {
    const struct view_cell *cell[2];        /* baseline, contender */
    const struct view_metric *metric[2];    /* both NULL: the failure rate */
    const struct view_cell *const *runs[2]; /* what each cell was merged from; or NULL */
    size_t run_count[2];
    bool is_paired; /* pair trials by their number, whatever runs they are of */
};

struct ask_terms {
    double alpha;             /* 0: VERDICT_ALPHA */
    double margin;            /* of equivalence; 0: never equivalent */
    double limit;             /* 0: any change counts */
    enum direction direction; /* DIRECTION_NONE: the metric's own */
};

struct ask {
    struct verdict_question question;
    struct metric metric; /* what it is about */
    bool by_case;
    struct units units[2]; /* what is compared */
    size_t gone;           /* units of B that succeeded without a value, though A has one */
    size_t failed;         /* that failed and have none, where A has: enough to matter */
    size_t gone_of;        /* of so many */
    size_t unasked;        /* cases that B was not asked, though A was: it was ended early */
    const char *agent;     /* id of the agent that both cells are of; NULL: two of them */
    struct str prompt;     /* its name; empty without one */
};

/* The metrics must be comparable. Values go to `out`. */
struct ask ask_about(const struct ask_subject *subject, const struct ask_terms *terms,
                     struct arena *out);

/* Cells of one family: the same metric, asked about in the same way. What changed is an agent
 * (a command, the code): another agent of the same runs is another family, which neither
 * hides the change nor is hidden by it. So is another prompt: it has the same cases, which
 * are no further evidence. */
bool ask_is_alike(const struct ask *a, const struct ask *b);

/* Not all that A has was measured in B: what is missing may be worse, and nothing passes. */
bool ask_is_short(const struct ask *ask);
/* An answer that is short and not worse is undecided. */
void ask_leave_open(const struct ask *ask, struct verdict_answer *answer);
/* What a part of a whole lacks, the whole does. */
void ask_add_lacks(struct ask *whole, const struct ask *part);

/* Arms of one group of one run, which took turns. */
bool ask_are_arms(const struct view_cell *a, const struct view_cell *b);

#endif
