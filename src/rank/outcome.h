/* outcome.h - what one run shows: who is best, by how much, how sure, and what went wrong.
 *
 * Of a suite: its agents ranked among this run's own executions, by the engine of the
 * leaderboard (rank/ranking.h) with the suite's weights, and the first two head to head
 * (judge/versus.h). What keeps an execution out of rankings keeps it out here too, unless
 * nothing else is there (a run against a stand-in); then `is_unranked` says so.
 *
 * Of other runs: the best cell of a group against the next one: the row of `compare` where one
 * of them is the first arm; else the best against each of the others, adjusted as those are. */
#ifndef RANK_OUTCOME_H
#define RANK_OUTCOME_H

#include "judge/versus.h"
#include "rank/ranking.h"
#include "view/view.h"

struct outcome_agent {
    const struct suite_view *first;    /* its first benchmark in the run */
    const char *name;                  /* "bc", "gpt 1.2", "gpt prompt short" */
    const char *selector;              /* as other commands take it: "bc", "gpt@1.2" */
    const struct ranking_entry *entry; /* NULL: not ranked */
    const char *left_out;              /* why not: unranked_name, a status; NULL: ranked */
    size_t right;                      /* cases (score_case_state) */
    size_t cases;
    size_t untried; /* of them: it was stopped before them */
    int64_t ok;     /* trials */
    int64_t attempted;
    double median_s; /* over its cases, each by its passes (view/units.h); NaN: not known */
    double median_low, median_high;
    const char **wrong;    /* names of cases */
    const char **unjudged; /* likewise: neither right nor wrong */
    size_t wrong_count, unjudged_count;
};

struct outcome {
    const struct view *view;
    double duration_s; /* of the run; NaN: it has not ended */
    /* Of a suite; else NULL and 0. */
    const char *suite;
    const char *benchmark; /* the only one; NULL: several */
    size_t benchmark_count;
    size_t case_count;
    size_t pass_count;
    int64_t trial_count;
    struct outcome_agent *agents; /* those that rank, first to last, then the rest */
    size_t agent_count;
    size_t ranked_count;
    const struct ranking *ranking;
    bool is_unranked;           /* ranked among themselves, though they rank nowhere else */
    const struct versus *duel;  /* the second (A) against the first (B); NULL: none */
    int64_t lanes;              /* most cases of an agent in flight at once */
    bool took_turns;            /* arms were interleaved: a drift hits all of them */
    bool has_comparison;        /* of a run without a suite */
    size_t best, next;          /* cells of it */
    struct view_comparison top; /* of these two by the primary metric; either may be B */
};

/* `view` as summary_complete left it. A run that is not in `store` (NULL: a file) has no
 * ranking. */
MUST_USE bool outcome_make(struct store *store, const struct view *view, struct arena *out,
                           struct outcome *outcome, struct error *err);

/* How the tie group `group` (ranking_entry) reaches over agent `i`, of the first `count`: the
 * bracket that every board draws. Groups may overlap; side by side in so many lanes, each in
 * that of its number modulo them, none hides another. */
enum outcome_bracket {
    BRACKET_NONE, /* it is not in the group */
    BRACKET_ALONE,
    BRACKET_FIRST,
    BRACKET_INSIDE,
    BRACKET_LAST,
};
enum outcome_bracket outcome_bracket(const struct outcome *o, size_t count, size_t i,
                                     size_t group);
size_t outcome_lanes(const struct outcome *o, size_t count); /* at least 1 */

/* Whose cell that is; an index into agents. */
size_t outcome_agent_of(const struct outcome *o, const struct suite_view *s);

#endif
