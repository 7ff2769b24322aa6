/* Several executions of one cell as if they were one. */
#include "view/view_internal.h"

#include <math.h>

static size_t slots_of(const struct view_cell *cell)
{
    size_t slots = cell->trial_count;
    for (size_t i = 0; i < cell->metric_count; i++) {
        if (cell->metrics[i].count > slots) slots = cell->metrics[i].count;
    }
    return slots;
}

/* NaN where an execution does not have the metric. */
static void merge_metric(const struct view_cell *const *cells, size_t count,
                         const struct view_metric *like, size_t slots, struct view_metric *to,
                         struct arena *out)
{
    double *samples = arena_new(out, double, slots + 1);
    enum kind kind = like->kind;
    size_t at = 0;
    for (size_t c = 0; c < count; c++) {
        const struct view_metric *m = view_find_alike(cells[c], like);
        if (m) kind = kind_common(kind, m->kind);
        size_t own = slots_of(cells[c]);
        for (size_t i = 0; i < own; i++) {
            samples[at++] = m && i < m->count ? m->samples[i] : (double)NAN;
        }
    }
    struct series_record series = {.metric = like->name,
                                   .unit = like->unit,
                                   .direction = like->direction,
                                   .definition = like->definition,
                                   .kind = kind,
                                   .phase = PHASE_MEASURED,
                                   .count = slots,
                                   .samples = samples};
    view_summarise(to, &series, out);
    to->is_of_trials = like->is_of_trials;
}

static void merge_trials(const struct view_cell *const *cells, size_t count, size_t slots,
                         struct view_cell *to, struct arena *out)
{
    double *starts = arena_new(out, double, slots + 1);
    uint8_t *statuses = arena_new(out, uint8_t, slots + 1);
    uint32_t *segments = arena_new(out, uint32_t, slots + 1);
    size_t at = 0;
    for (size_t c = 0; c < count; c++) {
        size_t own = slots_of(cells[c]);
        for (size_t i = 0; i < own; i++, at++) {
            bool is_known = i < cells[c]->trial_count;
            starts[at] = NAN; /* they count from the start of their own run */
            statuses[at] = is_known ? cells[c]->statuses[i] : (uint8_t)TRIAL_OK;
            segments[at] = (uint32_t)c;
        }
    }
    to->trial_count = slots;
    to->starts_s = starts;
    to->statuses = statuses;
    to->segments = segments;
}

static void merge_notes(const struct view_cell *const *cells, size_t count,
                        struct view_cell *to, struct arena *out)
{
    size_t most = 0;
    int64_t offset = 0;
    for (size_t c = 0; c < count; c++) most += cells[c]->note_count;
    to->notes = arena_new(out, struct trial_note, most + 1);
    to->note_count = 0;
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < cells[c]->note_count; i++) {
            struct trial_note note = cells[c]->notes[i];
            if (note.phase != PHASE_MEASURED) continue;
            note.trial += offset;
            to->notes[to->note_count++] = note;
        }
        offset += (int64_t)slots_of(cells[c]);
    }
}

const struct view_cell *view_merge(const struct view_cell *const *cells, size_t count,
                                   struct arena *out)
{
    const struct view_cell *newest = cells[count - 1];
    if (count == 1) return newest;
    struct view_cell *merged = arena_new(out, struct view_cell, 1);
    *merged = *newest;
    merged->merged_count = merged->histogram_count = merged->series_count =
        0; /* of the newest alone */
    size_t slots = 0;
    merged->record.counts = (struct trial_counts){0};
    for (size_t c = 0; c < count; c++) {
        const struct trial_counts *from = &cells[c]->record.counts;
        slots += slots_of(cells[c]);
        merged->record.counts.attempted += from->attempted;
        for (int s = 0; s < TRIAL_STATUS_COUNT; s++) {
            merged->record.counts.by_status[s] += from->by_status[s];
        }
    }
    merged->metrics = arena_new(out, struct view_metric, newest->metric_count + 1);
    for (size_t i = 0; i < newest->metric_count; i++) {
        merge_metric(cells, count, &newest->metrics[i], slots, &merged->metrics[i], out);
    }
    merge_trials(cells, count, slots, merged, out);
    merge_notes(cells, count, merged, out);
    view_centre(merged, out);
    return merged;
}
