/* Arms of a group against its first arm, from trials that ran side by side.
 *
 * Trial i of one arm and trial i of another were measured in the same round, so
 * whatever the machine did then happened to both: the logarithm of their
 * ratio has only what differs. The ratio stated is the Hodges-Lehmann centre of
 * these logarithms with its exact interval (stats/hodges.h). A round in which
 * either arm failed leaves the comparison. */
#include "analysis/view_internal.h"

#include "stats/hodges.h"

#include <math.h>

static bool is_comparable(const struct view_metric *a, const struct view_metric *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->definition, b->definition) == 0;
}

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
    if (!is_comparable(&a->metrics[0], &b->metrics[0])) return c;
    const struct view_metric *x = &a->metrics[0];
    const struct view_metric *y = &b->metrics[0];
    size_t count = x->count < y->count ? x->count : y->count;
    double *logs = arena_new(&scratch, double, count + 1);
    bool is_positive = true;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x->samples[i]) || !isfinite(y->samples[i])) continue;
        is_positive = is_positive && x->samples[i] > 0 && y->samples[i] > 0;
        logs[c.pairs++] = is_positive ? log(x->samples[i] / y->samples[i]) : 0;
    }
    if (!is_positive || c.pairs == 0) return c;
    struct hodges centre =
        hodges_centre(scratch, logs, c.pairs, 0.05, (struct hodges_noise){0});
    c.ratio = exp(centre.estimate);
    if (centre.has_interval) {
        c.ratio_low = exp(centre.low);
        c.ratio_high = exp(centre.high);
    }
    return c;
}

/* Groups interleave in plan order when the factor is not the fastest axis, so
 * the first arm of each is remembered by the group's number. */
void view_compare(struct view *view, struct arena *out)
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
