/* family.h - one metric over several cells, asked as a whole and cell by cell.
 *
 * A family is one metric (or one rule of a gate) over its cells: benchmarks of a
 * suite, commands of a spec. It is first asked as a whole: the mean of the
 * cells' effects, each with its own noise. Cells are strata, never pooled: their
 * levels do not matter, and a change in one of ten shows by the little noise it has
 * there. Ratios and shifts are combined by MOVER (Zou and Donner 2008), on
 * logarithms:
 *
 *     low = sum w_i e_i - sqrt(sum w_i^2 (e_i - low_i)^2)
 *
 * shares as one stratified sample (stats/share.h). Pairs of cells too small for an
 * interval of their own count together, as one. Where one cell has no ratio (a value that is
 * not above 0), shifts are combined; cells that are 0 throughout have nothing to combine.
 *
 * Runs: what a run met (a busy hour of a shared machine) happened to all its cells, and
 * does not average out over them. The whole is widened to hold Student's interval between
 * the runs' means over cells (stats/runs.h).
 *
 * The whole is decided at alpha. The cells say where, adjusted among themselves: the
 * one with the smallest p at alpha / m, the next at alpha / (m - 1), and so on while
 * each is decided (Holm 1979); the others at the level that was reached. Every
 * answer carries the interval of the level that decided it. Cells with nothing to
 * test (constants that are equal, no interval) cost the others nothing. How many
 * other metrics are asked about plays no part. */
#ifndef STATS_FAMILY_H
#define STATS_FAMILY_H

#include "stats/verdict.h"

struct family_cell {
    struct verdict_question question; /* alpha is the family's */
    struct verdict_answer answer;     /* filled */
    bool is_part;                     /* filled: the whole is of it too */
    double p_adjusted;                /* NaN: nothing was tested */
};

struct family {
    struct family_cell *cells;
    size_t count;
    size_t tested;
    size_t used; /* cells that the whole is of: with an interval, or small pairs that have one
                    together; where none has, all with values on both sides */
    struct verdict_answer whole; /* of one cell: its answer */
};

/* One kind, direction, alpha, margin and limit: what the questions of a family share. */
bool family_is_alike(const struct verdict_question *a, const struct verdict_question *b);

/* Fills answers. All questions are alike. */
MUST_USE bool family_ask(struct family *family, struct arena scratch, struct error *err);

/* Pairs in strata (cases in benchmarks): one question, in which strata weigh the same. */
struct family_stratum {
    const double *a, *b;
    size_t count;
    const double *a_ends[2], *b_ends[2]; /* of shares, as in verdict_question; NULL: known */
    double cut_at[2];                    /* of times, as there */
    bool is_graded[2];                   /* of shares, as there */
};

/* Kind, direction, alpha and margin are those of `how`; empty strata are left out. The answer
 * is family->whole: where strata are asked about as one, as shares are, cells have none. */
MUST_USE bool family_ask_strata(const struct family_stratum *strata, size_t count,
                                const struct verdict_question *how, struct arena *out,
                                struct family *family, struct error *err);

#endif
