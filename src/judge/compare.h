/* compare.h - two runs, result files or arms, compared.
 *
 * Cells are matched by their identity (model/cell.h), the same version first; a single
 * cell on each side is matched whatever its parameters, which are noted. Two agents are
 * matched only where both sides were chosen by hand (RUN:0, gpt@1), and a note says so. For
 * every metric that both have, judge/ask.h asks for effect, interval and verdict;
 * arms of one group are compared by their pairs, cases by case. Failures are a
 * metric like the others.
 *
 * What does not match is not compared: another unit or definition is refused with
 * the reason, and refusing the primary metric refuses the whole; where a cell lacks it on one
 * side, that cell alone. What may
 * explain a difference (host, suite, configuration, instruments, seed, resumes)
 * is noted.
 *
 * Each metric is a family over its cells (stats/family.h): asked as a whole, then
 * cell by cell, adjusted among themselves. How many metrics are asked about changes
 * no verdict. */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include "judge/ask.h"
#include "view/samples.h"
#include "view/source.h"

struct compare_how {
    double alpha;             /* 0: VERDICT_ALPHA */
    double margin;            /* of equivalence; 0: never equivalent */
    bool is_paired;           /* pair trials by their number, whatever runs they are of */
    const char *metric;       /* NULL: all that are lower or higher is better */
    enum direction direction; /* for the named metric; DIRECTION_NONE: its own */
    double limit;             /* 0: any change counts */
    bool is_unadjusted;       /* every cell at alpha */
    int kind;                 /* of plain samples: 0: guessed, else 1 + enum kind */
    bool is_primary_only;     /* of each cell; what cannot be compared refuses nothing else */
};

struct compare_row {
    size_t pair;  /* of compare.pairs */
    size_t whole; /* of compare.wholes: its family */
    const struct view_metric *metric[2];
    enum direction direction;
    bool is_primary;
    bool is_paired;
    bool by_case; /* n counts cases */
    struct ask ask;
    struct verdict_answer answer; /* at the level that adjustment gave it */
    double p_adjusted;            /* NaN where there was nothing to test */
};

struct compare_whole { /* one metric over all cells of an agent */
    const char *metric;
    const char *agent; /* its name, where several are compared each with itself; else NULL */
    bool is_primary;
    size_t cells;
    struct verdict_answer answer; /* of one cell: its own */
};

struct compare_pair {
    const struct view_cell *cell[2];
    int64_t ok[2], attempted[2];
    struct ask ask;
    struct verdict_answer failures; /* of the failure rate, in points */
    double p_adjusted;
};

/* Why two metrics must not be compared. */
enum compare_gap_code {
    COMPARE_FITS,         /* they may */
    COMPARE_UNIT,         /* a, b: the units, which differ */
    COMPARE_DEFINITION,   /* a, b: the definitions */
    COMPARE_DIRECTION,    /* a, b: which is better, lower or higher */
    COMPARE_SMALL,        /* both are below COMPARE_MEMORY_FLOOR_MB */
    COMPARE_A_LACKS,      /* A does not have it */
    COMPARE_B_LACKS,      /* B does not have it */
    COMPARE_NO_DIRECTION, /* neither lower nor higher is better */
    COMPARE_A_IGNORES,    /* failures do not count in A (ignore_failure), in B they do */
    COMPARE_B_IGNORES,    /* the other way round */
    COMPARE_HOSTS,        /* a, b: the machines, whose times and sizes are not the same */
};

struct compare_gap {
    enum compare_gap_code code;
    const char *a, *b;
};

/* A child's peak is never reported as less than that of the process that started it (the
 * starter: 0.56 MB, 0.72 MB in containment), which is the same in all trials of a run and another
 * in the next: of smaller programs two runs differ beyond all chance. Above it they do not: of
 * 56 pairs of runs of `true` and `cat`, with peaks of 0.9 to 1.7 MB, 3 were found to differ. */
#define COMPARE_MEMORY_FLOOR_MB 1.0

struct compare_refusal {
    const char *label;
    const char *metric;
    struct compare_gap gap;
};

struct compare_unmatched { /* a cell that only one side has */
    int side;
    const char *name;
};

struct compare {
    struct compare_how how;
    struct source side[2];
    struct compare_pair *pairs;
    size_t pair_count;
    struct compare_row *rows; /* pair by pair, primary metric first */
    size_t row_count;
    struct compare_whole *wholes; /* one a family, in the order of rows; failures last */
    size_t whole_count;
    struct compare_refusal *refusals;
    size_t refusal_count;
    struct compare_refusal refused; /* where compare_make fails by it; else COMPARE_FITS */
    struct compare_unmatched *unmatched;
    size_t unmatched_count;
};

/* Fails with ERROR_INVALID if nothing can be compared; of a metric that was asked about
 * `refused` says why, for which the report has the words (words_refuse). With b == NULL the arms
 * of each group of A's run are compared with its first arm. */
MUST_USE bool compare_make(const struct source *a, const struct source *b,
                           const struct compare_how *how, struct arena *out,
                           struct compare *compare, struct error *err);

struct compare_cells {
    const struct view_cell *cell[2];
};

/* Which cells of two sides belong together: the one matching of whoever compares two runs. By
 * their identity (model/cell.h), the same version first, then the same number of lanes; each
 * cell is in one pair at most. */
struct compare_match {
    const struct view *view[2];
    bool *is_taken[2]; /* of each cell; set beforehand: it is not asked about */
    struct compare_cells *pairs;
    size_t count;
};
struct compare_match compare_match_new(const struct view *a, const struct view *b,
                                       struct arena *out);

/* Adds the pairs among what is not taken. `but`: parts (enum cell_part) that do not count, as
 * CELL_AGENT | CELL_VERSION where two agents are compared. */
void compare_match(struct compare_match *match, unsigned but, struct arena scratch);

struct compare_samples { /* plain files of numbers, as ministat takes them */
    struct samples side[2];
    struct verdict_answer answer;
};

/* Fills the answer from the two sides. */
MUST_USE bool compare_plain(const struct compare_how *how, struct arena scratch,
                            struct compare_samples *samples, struct error *err);

/* Of a metric on both sides; NULL: that side does not have it. */
struct compare_gap compare_gap_of(const struct view_metric *a, const struct view_metric *b);

/* Of the failure rate: a cell with a given name is the same whatever its parameters say counts
 * as a failure. */
struct compare_gap compare_failures_gap(const struct view_cell *a, const struct view_cell *b);

#endif
