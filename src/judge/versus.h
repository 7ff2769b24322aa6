/* versus.h - two agents head to head on one suite, case by case.
 *
 * Each agent's latest execution of each benchmark of the suite that may speak for it
 * (execution_represents: all cases, as in a ranking, where besides only what was judged in full
 * counts); newer ones that may not are in left_out. Where both have one, cases are paired by content. A is the baseline: effects are B
 * against A, as everywhere.
 *
 * Accuracy, speed, cost and reliability are compared by what was measured, in the units of
 * view/units.h, as `compare` does: a time-out is longer than all that was seen, and an
 * outcome that was not judged is asked about both ways (stats/hull.h). Efficiency and the
 * overall, which no trial has, are compared by the scores of the cases. A metric that has
 * another unit or definition in one of the two is not compared. All go through
 * stats/family.h.
 *
 * Several prompts are the same cases once more: a case counts once, by its mean over them.
 *
 * An agent that lacks values which the other has (it failed there, or does not report them) does
 * not win by the rest: more than a twentieth of the cases, of money any, leave it undecided.
 *
 * The scores of an agent are those that every other command shows; its overall is their
 * weighted mean, as in a ranking. Scores by medians (efficiency, speed in the overall) are
 * not the means of the cases' own, and only those can be paired: what is compared is then
 * called "score by case".
 *
 * The overall winner is decided by the overall, alone. The requirement's own rule, more
 * metrics with a higher score, is shown next to it. */
#ifndef JUDGE_VERSUS_H
#define JUDGE_VERSUS_H

#include "base/registry.h"
#include "stats/verdict.h"
#include "view/case_scores.h"
#include "view/units.h"

enum { VERSUS_ADVICE_MAX = 16, VERSUS_VALUES_MAX = 6 };

struct versus_question {
    const char *agent[2]; /* "name" or "name@version" */
    const char *suite;
    const char *run;      /* only its executions, by its id; NULL: the newest of all */
    const char *suite_id; /* of several contents of the suite this one; NULL: the newest */
    double alpha;         /* 0: VERDICT_ALPHA */
    double margin;        /* 0: VERDICT_MARGIN */
};

enum versus_kind { VERSUS_RATIO, VERSUS_DIFFERENCE };

struct versus_metric {
    const char *name;
    double score[2]; /* mean over the common benchmarks; NaN = none */
    enum verdict verdict;
    const char
        *compared; /* what the verdict is about: "duration_s", "score", "score by case" */
    enum versus_kind kind;
    double effect; /* B / A, or B - A; NaN = not computed */
    double low;
    double high;
    double p;
    double mde;                   /* relative for a ratio, else a difference; 80 % power */
    size_t n;                     /* pairs of cases */
    const char *test;             /* "McNemar", "sign flips"; NULL = none */
    bool is_measured;             /* there are pairs, though there may be no score */
    size_t lacking[2];            /* cases without a value that the other has */
    bool is_owed;                 /* undecided, since who would win owes it to those */
    struct verdict_answer answer; /* of all benchmarks together */
};

struct versus_case {
    const char *benchmark;
    const char *name;
    const char *hash;
    size_t of; /* its benchmark and prompt, of versus.benchmarks */
    const struct case_row *row[2];
    bool is_judged; /* for both */
    bool passed[2]; /* as its reducer counts (score_case.is_passed) */
};

struct versus_benchmark {
    const char *name;
    const char *id;
    const char *prompt;                          /* its name; "" without one */
    const struct execution_record *execution[2]; /* NULL = none */
    size_t cases;                                /* in common */
    size_t of;      /* index of the first with these cases: itself, or that of another prompt */
    size_t prompts; /* further ones that are averaged into it, case by case */
    /* Of what has a metric; else empty. Empty too where units_unlike: a metric of another unit
     * or definition is not compared. */
    struct units paired[SCORE_COUNT][2];
};

/* An execution that is newer than the one that is compared, or has none in its place, and may not
 * speak for its agent. */
struct versus_left_out {
    int side;
    const char *benchmark; /* with its prompt, as in versus_benchmark */
    const struct execution_record *execution;
};

struct versus_value { /* what a rule looked at */
    const char *name;
    double value;
};

/* The rules, in the order of their rows (versus_advice.c). */
enum versus_rule_id {
    VERSUS_PREFER,
    VERSUS_TRADE_OFF,
    VERSUS_ADD_CASES,
    VERSUS_LEARN_FROM_FLIPS,
    VERSUS_MEND_RELIABILITY,
    VERSUS_STATE_TARGETS,
    VERSUS_RUN_THE_REST,
    VERSUS_RULE_COUNT
};

struct versus_advice {
    enum versus_rule_id id;
    const char *rule;                   /* "prefer", "trade_off", ... */
    int side;                           /* of whom it speaks: 0 = A, 1 = B */
    const struct versus_metric *metric; /* that it is about; NULL: none */
    const char *name;                   /* of the target, or of the first benchmark */
    size_t count;                       /* of cases, or of benchmarks */
    struct versus_value values[VERSUS_VALUES_MAX];
    size_t value_count;
    struct versus_value threshold;
};

struct versus;

/* A rule adds advice where what it looks at passes the threshold; NaN: the question's
 * alpha. */
struct versus_rule {
    REGISTRY_ENTRY;
    struct versus_value threshold;
    void (*find)(struct versus *v, const struct versus_rule *rule);
};

REGISTRY(struct versus_rule, versus_rule)

struct versus {
    struct versus_question question;
    struct agent_record agent[2];
    const char *version[2]; /* of what is compared; NULL: several, or none is known */
    struct suite_record suite;
    double weights[SCORE_COUNT]; /* of its benchmarks; the default ones where these differ */
    bool has_weights;            /* a benchmark has been seen */
    bool has_mixed_weights;
    struct versus_metric metrics[SCORE_COUNT];
    struct versus_metric overall;
    int wins[2]; /* metrics with the higher score: the requirement's rule */
    int ties;
    struct versus_case *cases;
    size_t case_count;
    size_t flipped[2]; /* cases that only A, only B passes */
    size_t ahead[2];   /* cases in which A, B is more accurate */
    double mcnemar_p;
    struct versus_benchmark *benchmarks;
    size_t benchmark_count;
    struct versus_left_out *left_out;
    size_t left_out_count;
    struct versus_advice advice[VERSUS_ADVICE_MAX];
    size_t advice_count;
};

/* Fails with ERROR_NOT_FOUND for unknown names and where the two have no
 * benchmark in common. */
MUST_USE bool versus_ask(struct store *store, const struct versus_question *question,
                         struct arena *out, struct versus **versus, struct error *err);

/* The question of one score, for whoever has the executions at hand (rank/): the units of the
 * metric that the score is of (none: empty), and the answer about those of both in each
 * benchmark, paired by units_pair. Efficiency has none. Of `how` the levels, the margin and
 * is_brief count; kind and direction are the score's. */
MUST_USE bool versus_load_units(struct store *store, const struct execution_record *execution,
                                enum score_id score, struct arena *out, struct units *units,
                                struct error *err);
MUST_USE bool versus_ask_units(const struct units (*paired)[2], size_t count,
                               enum score_id score, const struct verdict_question *how,
                               struct arena *out, struct verdict_answer *answer,
                               struct error *err);
const char *versus_metric_of(enum score_id score); /* NULL: of several */

/* Pairs of the same cases by one prompt more, averaged into those of `prompts` others; what
 * one of them lacks is lacking. False, and nothing is done: units are not cases. */
bool versus_add_prompt(struct units to[2], const struct units from[2], size_t prompts,
                       struct arena *out);

/* The pairs of both in each benchmark, for versus_ask_units. Benchmarks come one after the
 * other; a further prompt has the same cases, and is averaged into the first. */
struct versus_pairs {
    struct units (*paired)[2]; /* room for all that may come */
    size_t count;
    const char *benchmark_id; /* of the last */
    size_t prompts;           /* of the last */
};
void versus_pair(struct versus_pairs *to, const char *benchmark_id, const struct units *a,
                 const struct units *b, struct arena *out);

/* 0 = A, 1 = B, -1 = neither. */
int versus_winner(const struct versus_metric *m);
int versus_higher(const struct versus_metric *m); /* by the scores alone */

#endif
