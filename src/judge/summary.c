/* Arms of a group against its first arm: the rows of `assay compare RUN` about each cell's
 * primary metric, with the same intervals and verdicts. */
#include "judge/summary.h"

#include "judge/claims.h"
#include "judge/compare.h"

static void compare_arms(struct view *view, struct arena *out)
{
    struct compare c;
    const struct source run = {.name = view->run.id, .view = view, .is_run = true};
    const struct compare_how how = {.margin = VERDICT_MARGIN, .is_primary_only = true};
    view->comparisons = arena_new(out, struct view_comparison, view->cell_count + 1);
    if (!compare_make(&run, NULL, &how, out, &c, NULL) && c.pair_count == 0) return;
    for (size_t i = 0; i < c.pair_count; i++) {
        view->comparisons[view->comparison_count++] =
            (struct view_comparison){.reference = (size_t)(c.pairs[i].cell[0] - view->cells),
                                     .cell = (size_t)(c.pairs[i].cell[1] - view->cells)};
    }
    for (size_t i = 0; i < c.row_count; i++) {
        struct view_comparison *of = &view->comparisons[c.rows[i].pair];
        of->is_asked = true;
        of->answer = c.rows[i].answer;
    }
}

bool summary_complete(struct store *store, struct view *view, struct arena *out,
                      struct error *err)
{
    compare_arms(view, out);
    return claims_attach(store, view, out, err);
}
