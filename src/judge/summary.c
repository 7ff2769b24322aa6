/* Arms of a group against its first arm, from trials that ran side by side.
 *
 * Trial i of one arm and trial i of another were measured in the same round, so
 * whatever the machine did then happened to both. The same question as that of
 * `assay compare RUN` (stats/verdict.h), and the same answer. */
#include "judge/summary.h"

#include "judge/claims.h"
#include "judge/compare.h"

#include <math.h>

static struct view_comparison compare(const struct view *view, size_t reference, size_t cell,
                                      struct arena scratch)
{
    struct view_comparison c = {.cell = cell,
                                .reference = reference,
                                .ratio = (double)NAN,
                                .ratio_low = (double)NAN,
                                .ratio_high = (double)NAN};
    const struct view_cell *a = &view->cells[cell];
    const struct view_cell *b = &view->cells[reference];
    if (a->metric_count == 0 || b->metric_count == 0) return c;
    if (view_find_alike(b, &a->metrics[0]) != &b->metrics[0]) return c;
    const struct ask_subject subject = {.cell = {b, a},
                                        .metric = {&b->metrics[0], &a->metrics[0]}};
    const struct ask_terms terms = {0};
    struct ask ask = ask_about(&subject, &terms, &scratch);
    struct verdict_answer answer;
    if (!ask.question.is_paired || !verdict_compare(&ask.question, scratch, &answer, NULL))
        return c;
    c.pairs = answer.arm[0].n;
    c.ratio = answer.effect.ratio;
    c.ratio_low = answer.effect.low;
    c.ratio_high = answer.effect.high;
    return c;
}

/* Groups interleave in plan order when the factor is not the fastest axis, so
 * the first arm of each is remembered by the group's number. */
static void compare_arms(struct view *view, struct arena *out)
{
    view->comparisons = arena_new(out, struct view_comparison, view->cell_count + 1);
    size_t *reference = arena_new(out, size_t, view->cell_count + 1); /* 1 + its cell */
    for (size_t i = 0; i < view->cell_count; i++) {
        int64_t group = view->cells[i].record.group_index;
        if (group < 0 || (size_t)group >= view->cell_count) continue;
        if (reference[group] == 0) {
            reference[group] = i + 1;
        } else {
            view->comparisons[view->comparison_count++] =
                compare(view, reference[group] - 1, i, *out);
        }
    }
}

bool summary_complete(struct store *store, struct view *view, struct arena *out,
                      struct error *err)
{
    compare_arms(view, out);
    return claims_attach(store, view, out, err);
}
