/* answers.h - what assay answers: the contract.
 *
 * An answer is a struct that a module below has computed (`struct compare`, `struct gate`).
 * Its row here says how it looks from outside: its JSON as rows (base/layout.h), its text,
 * its pictures, and what else it can be written as. The commands print it, the API sends
 * it, the page draws it, all by this row. Nothing here computes.
 *
 * To add one: write src/report/answer_<name>.c ending in `const struct answer
 * answer_<name>` and name it in the list ANSWERS at the end of this file. A struct that no
 * module below computes is declared in answer_<name>.h; short answers of one kind share a
 * file (answer_done.c). */
#ifndef REPORT_ANSWERS_H
#define REPORT_ANSWERS_H

#include "base/layout.h"
#include "base/registry.h"
#include "report/plot.h"

struct answer_look {
    bool quiet; /* the shortest that still answers */
    bool all;   /* also what short texts leave out */
    bool color;
    bool is_rich; /* a terminal that shows colours and Unicode */
    int width;    /* columns; 0 = 80 */
};

struct answer_format {
    const char *name; /* "markdown", "junit", "annotations" */
    void (*write)(const void *answer, struct buf *out);
};

enum { ANSWER_FORMATS_MAX = 4, ANSWER_MAX_BYTES = 256 << 20 };

struct answer {
    REGISTRY_ENTRY;     /* name: "cost" */
    const char *schema; /* "assay.cost/1"; ANSWER_NAME sets both */
    const struct layout *layout;
    /* It has verdicts: tests/judge/agreement_test.c compares them with the others. */
    bool judges;

    void (*text)(const void *answer, const struct answer_look *look, struct buf *out);
    /* May be NULL: an answer without pictures. */
    struct plot_list (*plots)(const void *answer, struct arena *out);
    struct answer_format formats[ANSWER_FORMATS_MAX]; /* may be empty */
};

#define ANSWER_NAME(called) .name = (called), .schema = "assay." called "/1"

REGISTRY(struct answer, answer)

/* {"schema": "assay.cost/1", ...}, one line. */
void answer_json(const struct answer *row, const void *answer, struct buf *out);

/* An answer is whole or an error (ERROR_FAILED), never a part of one: whoever has filled a buf of
 * ANSWER_MAX_BYTES asks before it is sent or written. */
MUST_USE bool answer_is_whole(const struct buf *text, struct error *err);

/* answer_json into `out`, whole. */
MUST_USE bool answer_text(const struct answer *row, const void *answer, struct arena *out,
                          struct str *text, struct error *err);

/* {"schema": "assay.plots/1", "plots": [...]}, one line; no plots: an empty list. */
void answer_plots_json(const struct answer *row, const void *answer, struct buf *out);

/* The JSON Schema of that. */
void answer_plots_schema(struct buf *out);

/* NULL if the answer cannot be written as that. */
const struct answer_format *answer_format_find(const struct answer *row, const char *name);

/* Every key of assay.compare/1 but p, of a struct verdict_answer: a part of all answers
 * that hold one. */
extern const struct layout answer_verdict_layout;
double answer_verdict_p(const struct verdict_answer *answer); /* NaN: nothing was tested */

#define ANSWERS(X)    \
    X(agents)         \
    X(alarms)         \
    X(baselines)      \
    X(cases)          \
    X(claims)         \
    X(compare)        \
    X(comparison)     \
    X(cost)           \
    X(describe)       \
    X(doctor)         \
    X(export)         \
    X(forget)         \
    X(gate)           \
    X(import)         \
    X(init)           \
    X(leaderboard)    \
    X(list)           \
    X(load)           \
    X(marked)         \
    X(matrix)         \
    X(migrate)        \
    X(outcome)        \
    X(plan)           \
    X(problems)       \
    X(profile)        \
    X(prune)          \
    X(record)         \
    X(record_compare) \
    X(record_report)  \
    X(record_stats)   \
    X(regressions)    \
    X(report)         \
    X(reproduce)      \
    X(request)        \
    X(requests)       \
    X(rescore)        \
    X(results)        \
    X(samples)        \
    X(stress)         \
    X(stress_results) \
    X(suite)          \
    X(suites)         \
    X(new_token)      \
    X(tokens)         \
    X(trend)          \
    X(version)        \
    X(versus)         \
    X(why)

#define DECLARE(id) extern const struct answer answer_##id;
ANSWERS(DECLARE)
#undef DECLARE

#endif
