/* Does an agent's process leak? The slope of its resident set over the cases.
 *
 * Theil's incomplete method (1950): of a stretch of n cases that one process
 * answered, case i is paired with case i + n/2; each pair gives a slope, the
 * median of the n/2 slopes is the estimate, and its distribution-free interval
 * is that of any median. Pairs do not share a case, so that an allocator's step
 * counts once; the complete method's n (n - 1) / 2 slopes do share them.
 *
 * A process that fails is replaced by a new one, which begins small: pairs are
 * made within a stretch, never across. With several cases in flight it is not
 * kept which process answered, and nothing is said. */
#include "view/view_internal.h"

#include <math.h>

enum { STRETCH_LEAST = 12 }; /* 6 pairs: fewer have no interval */

/* Where the stretch that begins at `from` ends: at a case without a value, which
 * has failed, or at a resumption. */
static size_t stretch_end(const struct view_cell *cell, const struct view_metric *m,
                          size_t from)
{
    size_t end = from;
    while (end < m->count && isfinite(m->samples[end]) &&
           cell->segments[end] == cell->segments[from]) {
        end++;
    }
    return end;
}

void view_grow(struct view_cell *cell, struct arena *out)
{
    const struct view_metric *m = view_find_metric(cell, "memory_resident_mb");
    if (!m || m->n < STRETCH_LEAST || execution_lanes(&cell->record) > 1) return;
    if (view_find_metric(cell, "memory_growth_mb")) return; /* a file of ours has it */
    double *slopes = arena_new(out, double, m->count);
    size_t pairs = 0;
    for (size_t i = 0; i < m->count; i++) slopes[i] = NAN;
    for (size_t from = 0, end = 0; from < m->count; from = end) {
        end = stretch_end(cell, m, from);
        size_t half = (end - from) / 2;
        for (size_t i = from; end - from >= STRETCH_LEAST && i < from + half; i++, pairs++) {
            slopes[i] = (m->samples[i + half] - m->samples[i]) * 1000 / (double)half;
        }
        if (end == from) end++;
    }
    if (pairs == 0) return;
    struct series_record series = {
        .phase = PHASE_MEASURED,
        .metric = "memory_growth_mb",
        .unit = "MB/1000",
        .direction = DIRECTION_LOWER,
        .definition = "memory_growth/1",
        .samples = slopes,
        .count = m->count,
    };
    struct view_metric *growth = &cell->metrics[cell->metric_count++];
    view_summarise(growth, &series, out);
    growth->is_of_trials = true;
    growth->warning_count = 0; /* of drift and shape: slopes are not measurements */
    if (growth->median_low > 0) {
        view_warn(&cell->metrics[0], out,
                  "the agent's process grows by %.3g MB per 1000 cases [%.3g, %.3g]: a leak, "
                  "unless it was still warming up",
                  growth->median, growth->median_low, growth->median_high);
    }
}
