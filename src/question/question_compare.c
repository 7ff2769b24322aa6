/* Two runs, agents or result files, or the arms of one run. */
#include "question/question_compare.h"

#include "question/question.h"
#include "report/words.h"
#include "view/source.h"

const char *const question_compare_adjustments[] = {"holm", "none", NULL}; /* enum adjustment */

static const struct param rows[] = {
    COMPARE_ROWS,
    {"a", PARAM_SELECTOR, COMPARE_AT(a), .required = true, .help = "the baseline: a run"},
    {"b", PARAM_SELECTOR, COMPARE_AT(b),
     .help = "the contender; without it the arms of the run with one another"},
};

struct compare_how question_compare_how(const struct compare_params *p)
{
    return (struct compare_how){
        .alpha = p->alpha,
        .margin = p->equivalence,
        .is_paired = p->paired,
        .metric = p->metric,
        .direction = (enum direction)p->direction,
        .is_unadjusted = p->adjust == ADJUSTMENT_NONE,
    };
}

/* The store may be NULL where both are files. */
static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct compare_params *p = params;
    const struct compare_how how = question_compare_how(p);
    struct source a;
    struct source b;
    struct compare *compare = arena_new(out, struct compare, 1);
    *answer = compare;
    bool is_found = p->b ? source_load_side(store, p->a, true, out, &a, err)
                         : source_load(store, p->a, out, &a, err);
    if (!is_found) return error_blame(err, "a");
    if (p->b && !source_load_side(store, p->b, false, out, &b, err))
        return error_blame(err, "b");
    if (compare_make(&a, p->b ? &b : NULL, &how, out, compare, err)) return true;
    (void)words_refuse(&compare->refused, err);
    if (!p->b) error_blame(err, "b"); /* a run without arms needs another */
    return false;
}

const struct question question_compare = {
    .name = "compare",
    .summary = "whether run B is better than run A: effect, interval and verdict",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct compare_params),
    .answer = &answer_compare,
    .ask = ask,
};
