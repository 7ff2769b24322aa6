/* ranking.h - who is first, how sure is that, and on what does it depend?
 *
 * Two questions of requirement 3.1 and 5.1 with one answer's shape: the
 * leaderboard (means over all executions of a window of days) and the matrix
 * (means over the latest success on each benchmark). Besides the ranks:
 *
 *   rank interval   every two agents are compared by the engine,
 *   and tie group   as `versus` does, on each agent's latest success: who is
 *                   better beyond chance ranks above, all pairs adjusted
 *                   together (ranking_units.c). Neighbours, no two of which are
 *                   told apart, are tied
 *   first share     how often an agent would be first over all weightings
 *   coverage        share of the benchmarks, met by anybody here, that the
 *                   agent has a success on
 *
 * An overall score is a weighted mean of the five. Agents that lack one of the
 * weighted scores are marked partial and ranked apart, among those that lack
 * the same: their overalls are means of other things. */
#ifndef RANK_RANKING_H
#define RANK_RANKING_H

#include "stats/verdict.h"
#include "store/store.h"

enum {
    RANKING_OVERALL = -1, /* as a metric; else enum score_id */
    RANKING_UNITS_LEAST = 6,
    RANKING_NOTES_MAX = 16,
};

struct view;

enum ranking_order { RANKING_BY_RANK, RANKING_BY_BEST };

struct ranking_question {
    bool is_matrix;
    struct rank_filter filter;
    const struct agent_ref *agents; /* only these; none: all */
    size_t agent_count;
    int metric;                  /* what is ranked by */
    double weights[SCORE_COUNT]; /* all 0: the default ones; need not add up to 1 */
    double min_coverage;         /* agents below are listed, not ranked */
    enum ranking_order order;
    size_t limit;            /* rows of each group; 0 = all */
    const char *stale_since; /* first UTC day that counts as recent; NULL = not asked */
    uint64_t seed;
    const struct view *view; /* its executions are not read again; NULL: all are */
};

struct ranking_interval {
    double low, high; /* 95 %; NaN = none */
};

/* By how much an agent is ahead of another, asked as `versus` asks. */
struct ranking_lead {
    const char *over;     /* the second of those ranked together; NULL: there is none */
    double by, low, high; /* points of the score, at the level of its step; NaN: no interval */
    double p;             /* adjusted, as that of all pairs */
    size_t n;             /* cases, or benchmarks; 0: none is common to both */
    bool is_told;         /* beyond chance */
    struct verdict_need need;
};

struct ranking_entry {
    const struct rank_row *row;
    const char *name; /* "agent", or "agent version" */
    struct ranking_interval score[SCORE_COUNT];
    struct ranking_interval overall_interval;
    double overall;           /* NaN without any weighted score */
    bool is_partial;          /* over fewer than the weighted scores */
    unsigned present;         /* bit per score that it has */
    size_t rank[SCORE_COUNT]; /* within the group; 0 = has no such score */
    size_t overall_rank;      /* among those that have the same scores; 0 = not ranked */
    size_t best;              /* the smallest of rank; 0 = none */
    size_t rank_low;          /* of the metric that is ranked by; 0 = not ranked */
    size_t rank_high;
    size_t place;             /* among those that it is ranked with, from 0 */
    bool *told;               /* apart from the one at that place */
    size_t tied;              /* how many it is not told apart from */
    const char *overtaken_by; /* the first below it that is better by case; NULL: none */
    const char *rival;        /* of these the nearest; NULL: none */
    struct verdict_need need; /* what would tell it from that one */
    struct ranking_lead lead; /* of the first over the second */
    size_t tie_group;         /* the first that it is in, and the last: groups may overlap */
    size_t tie_last;
    double first_share;
    int64_t covered;   /* benchmarks with a success */
    double coverage;   /* of those of the group */
    bool is_uncovered; /* below min_coverage: not ranked */
};

struct ranking_stale {
    const char *agent_id;
    const char *agent_name;
    const char *last; /* NULL = never */
};

/* What else to know of a ranking. */
enum ranking_note_code {
    RANKING_UNEVEN,      /* agents have been through different benchmarks */
    RANKING_CLASSES,     /* some lack a score that others have */
    RANKING_OWN_WEIGHTS, /* a suite weighs its scores otherwise */
    RANKING_UNITS,       /* of `group`: n cases or benchmarks are compared */
    RANKING_FEW_UNITS,   /* of `group`: n are too few */
    RANKING_UNLIKE, /* of `group`: in n executions the metric has another unit or definition
                            than in others of its benchmark: these are not compared */
};

struct ranking_note {
    enum ranking_note_code code;
    const char *group; /* NULL: all */
    size_t n;
    bool of_cases; /* else benchmarks */
};

struct ranking {
    struct ranking_question question;
    double weights[SCORE_COUNT];   /* as used, adding up to 1 */
    struct ranking_entry *entries; /* group by group, in the order asked for */
    size_t count;
    size_t left_off;                     /* by the limit */
    const struct left_out_row *left_out; /* executions that do not rank, by reason */
    size_t left_out_count;
    struct ranking_stale *stale;
    size_t stale_count;
    size_t agent_count; /* known to the store, for the share of stale ones */
    struct ranking_note notes[RANKING_NOTES_MAX];
    size_t note_count;
    bool has_loads; /* not all had as many cases in flight at once */
};

MUST_USE bool ranking_ask(struct store *store, const struct ranking_question *question,
                          struct arena *out, struct ranking **ranking, struct error *err);

/* "accuracy=0.5,speed=0.5": what is not named weighs nothing. */
MUST_USE bool ranking_read_weights(const char *text, double weights[SCORE_COUNT],
                                   struct error *err);

const char *ranking_metric_name(int metric);

#endif
