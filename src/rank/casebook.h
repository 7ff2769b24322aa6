/* casebook.h - cases x agents of one run: what was asked, what was expected, and what each
 * agent answered, attempt by attempt, with what was said about it.
 *
 * Read by `assay cases` and the report. Nothing is judged here: whether an answer passed is
 * what scoring stored, and whether the case is right what suite_view.h says. */
#ifndef RANK_CASEBOOK_H
#define RANK_CASEBOOK_H

#include "model/detail.h"
#include "rank/outcome.h"

struct casebook_try { /* one attempt */
    const struct trial_note *note;
    double score;      /* NaN: not judged */
    double duration_s; /* NaN: it gave no answer in time */
    bool is_passed;
};

struct casebook_check {
    const char *name; /* "exact" */
    double score;
    const char *why;
};

struct casebook_answer { /* one agent on one case */
    const struct suite_view *cell;
    const struct suite_case *of; /* whether it is right, and why not; NULL: it was not asked */
    const struct casebook_try *tries;
    size_t try_count;
    double median_s; /* of its ok attempts */
    bool is_slow;    /* above CASEBOOK_SLOW times its median over cases */
};
#define CASEBOOK_SLOW 2.0

struct casebook_case {
    const char *benchmark;
    const char *name;
    const char *hash;
    const char *input;               /* JSON: a text, a value, or the turns of a conversation */
    const char *expected;            /* JSON; or NULL */
    const struct value *tags;        /* list; or NULL */
    struct casebook_answer *answers; /* of each of the outcome's agents */
};

struct casebook {
    const struct outcome *outcome;
    struct casebook_case *cases; /* benchmark by benchmark, in the order of its cases */
    size_t count;
};

MUST_USE bool casebook_make(struct store *store, const struct outcome *outcome,
                            struct arena *out, struct casebook *book, struct error *err);

/* The checks of one attempt, those inside groups too. */
size_t casebook_checks(const struct trial_note *note, struct arena *out,
                       const struct casebook_check **checks);

/* A JSON text bare, other values as JSON; a conversation one turn a line. */
struct str casebook_plain(const char *json, struct arena *out);

/* The answer as people read it: of a conversation one line a turn. */
struct str casebook_output(const struct trial_note *note, struct arena *out);

#endif
