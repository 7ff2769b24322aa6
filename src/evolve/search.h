/* search.h - evolves a playbook for a problem, with each of the five parts on or off.
 *
 * An iteration, three times:
 *
 *     choose an operator; make a child; render its code and outline it; score it on the
 *     training scenarios; keep it in the pool; is it the best?
 *
 * and then: restart? stop? (The design makes one trajectory an iteration; its agent makes three.)
 *
 * What each part changes, and what its absence means:
 *
 *   operators    the operator is chosen by `selector`      | by a fair die
 *   hot_spots    unknown chunks are outlined, and scenarios whose wishes are answered as in the
 *                parent keep their score                   | all of everything, for every child
 *   embeddings   int8 with a scale                         | float32
 *   stopping     `detector` decides                        | plateau of 10
 *   diversity    a uniform pool begins anew (restart)      | none
 *
 * A restart keeps the best trajectory, drops the others and adds three diverse seeds, as many as
 * generation 0 has.
 *
 * hot_spots cannot change the course of a search, only its work and memory; embeddings only by
 * their rounding error. The random streams of operator choice, operators and restarts are
 * separate: a part that is switched draws nothing from another's.
 *
 * A search can be told to run on (`runs_on`): it goes to the cap, or until its stop can be judged,
 * and reports where it would have stopped. So one run shows both the stop and what was lost by
 * it. A search that ran to its cap without a stop has nothing to be judged. */
#ifndef EVOLVE_SEARCH_H
#define EVOLVE_SEARCH_H

#include "base/error.h"
#include "evolve/challenge.h"
#include "evolve/convergence_detector.h"
#include "evolve/operator_selector.h"
#include "evolve/proposer.h"
#include "evolve/trajectory_pool.h"

enum {
    PART_OPERATORS = 1,
    PART_HOT_SPOTS = 2,
    PART_EMBEDDINGS = 4,
    PART_STOPPING = 8,
    PART_DIVERSITY = 16,
    PART_ALL = 31,
};

/* "none", "all", or names joined by +: "operators+stopping". */
MUST_USE bool search_parts_parse(struct str text, unsigned *parts, struct error *err);

enum search_end {
    SEARCH_TO_STOP,
    SEARCH_TO_CAP,
    SEARCH_TO_JUDGEMENT, /* CONVERGENCE_WATCHED times the stop */
};

struct search_options {
    unsigned parts;
    enum selector_rule selector;    /* where PART_OPERATORS is on */
    enum convergence_rule detector; /* where PART_STOPPING is on */
    double difficulty;              /* what the design's detector wants to know */
    int64_t cap;                    /* iterations */
    enum search_end runs_on;
    size_t pool_max; /* 0 = 50 */
    uint64_t seed;
    const struct proposer *proposer; /* NULL = the operators themselves */
};

/* After one iteration. */
struct search_point {
    double measured; /* best fitness, with noise */
    double fitness;  /* of the same playbook, without */
    double held_out; /* its quality on scenarios that the search never saw */
};

struct search_ancestor {
    int64_t id; /* in the order in which trajectories were made, from 0 */
    struct descent descent;
};

struct search_scored {
    struct genome genome;
    double measured; /* its fitness, with noise */
};

struct search_result {
    int64_t iterations; /* carried out */
    int64_t stop;       /* after which it stopped, or would have */
    enum convergence_reason reason;
    int64_t to_target;    /* first iteration with 95 % of best_known; cap if never */
    bool has_reached;     /* it did */
    bool is_judged;       /* the detector stopped it, and it ran on for long enough */
    bool is_false_stop;   /* known only then */
    bool is_false_by_cap; /* it improved between the stop and its last iteration */
    int64_t evaluations;  /* scenarios scored */
    int64_t parsed_bytes;
    int64_t restarts;
    int64_t refused; /* proposals */
    int64_t tried[OPERATOR_COUNT];
    struct search_point *curve;      /* one for each iteration */
    struct genome best;              /* at the stop */
    struct search_ancestor *lineage; /* of the best: itself, its first parent, and so on */
    size_t lineage_count;
    struct search_scored *scored; /* who was in the pool at the end */
    size_t scored_count;
    struct ledger ledger; /* what was used: peaks; nothing is live any more */
};

/* The lists are in `out`. Fails only if the proposer does. */
MUST_USE bool search_run(const struct challenge *p, const struct search_options *o,
                         struct arena *out, struct search_result *r, struct error *err);

/* Whether the best playbook and those in the pool, scored again and as a whole, are worth what the
 * search took them for; false with both numbers of one that is not. */
MUST_USE bool search_is_right(const struct challenge *p, const struct search_result *r,
                              struct error *err);

#endif
