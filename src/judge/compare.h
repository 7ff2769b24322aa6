/* compare.h - two runs, result files or arms, held against each other.
 *
 * Cells are matched by their identity (model/cell.h), the same version first; a single
 * cell on each side is matched whatever its parameters, which are noted. Two agents are
 * matched only where both sides were chosen by hand (RUN:0, gpt@1), and a note says so. For
 * every metric that both have, stats/verdict.h gives effect, interval and
 * verdict; arms of one group are compared by their pairs, cases by case.
 *
 * What is not alike is not compared: another unit or definition is refused with
 * the reason, and refusing the primary metric refuses the whole. What may
 * explain a difference (host, suite, configuration, instruments, seed, resumes)
 * is noted.
 *
 * Several comparisons at once find differences that are not there. So p is
 * adjusted over all of them, and a `better` or `worse` whose adjusted p is above
 * alpha is told as `undecided`, with a note. */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include "stats/adjust.h"
#include "stats/proportion.h"
#include "stats/verdict.h"
#include "view/source.h"
#include "view/units.h"

struct compare_how {
    double alpha;             /* 0: VERDICT_ALPHA */
    double margin;            /* of equivalence; 0: never equivalent */
    bool is_paired;           /* pair trials by their number, whatever runs they are of */
    const char *metric;       /* NULL: all that are lower or higher is better */
    enum direction direction; /* for the named metric; DIRECTION_NONE: its own */
    bool is_adjusted;
    enum adjust_method adjust;
};

struct compare_row {
    size_t pair; /* of compare.pairs */
    const struct view_metric *metric[2];
    enum direction direction;
    bool is_primary;
    bool is_paired;
    bool by_case;                 /* n counts cases */
    struct verdict_answer answer; /* verdict and sentence after adjustment */
    double p_adjusted;            /* NaN where there was nothing to test */
};

struct compare_pair {
    const struct view_cell *cell[2];
    int64_t ok[2], attempted[2];
    struct proportion failures; /* B's share of failures less A's, Newcombe */
    enum verdict reliability;
};

struct compare_refusal {
    const char *label;
    const char *metric;
    const char *reason;
};

struct compare {
    struct source side[2];
    struct compare_pair *pairs;
    size_t pair_count;
    struct compare_row *rows; /* pair by pair, primary metric first */
    size_t row_count;
    struct compare_refusal *refusals;
    size_t refusal_count;
    const char **unmatched; /* labels of cells that only one side has */
    size_t unmatched_count;
    const char **notes;
    size_t note_count;
    size_t family; /* comparisons that p was adjusted for */
};

/* Fails with ERROR_INVALID if nothing can be compared. With b == NULL the arms
 * of each group of A's run are held against its first arm. */
MUST_USE bool compare_make(const struct source *a, const struct source *b,
                           const struct compare_how *how, struct arena *out,
                           struct compare *compare, struct error *err);

/* Why these two metrics must not be compared; NULL if they may. */
const char *compare_unlike(const struct view_metric *a, const struct view_metric *b,
                           struct arena *out);

/* The values of two cells that are held against each other. */
struct compare_values {
    struct units units[2];
    bool is_paired;
    bool is_alternating;
    bool by_case;
};
void compare_take(const struct view_cell *const cells[2],
                  const struct view_metric *const metrics[2], bool is_paired, struct arena *out,
                  struct compare_values *values);

/* The question about them; direction and margin are left open. */
struct verdict_question compare_question(const struct compare_values *values, double alpha);

/* What may explain a difference between the sides, as sentences. */
void compare_note_unlike(struct compare *compare, struct arena *out);

#endif
