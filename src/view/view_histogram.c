/* Quantiles of histograms. Those of trials are added count by count, never averaged: the
 * p99.9 of an execution is that of all its values. One that the source gave of the whole
 * execution (an imported log) stands for itself. */
#include "view/view_internal.h"

#include "interop/import.h"
#include "stats/hdr.h"

static struct view_quantiles quantiles_of(const struct histogram_record *r, const struct hdr *h)
{
    const char *unit = r->unit;
    double factor = import_unit(str_of(unit), &unit);
    return (struct view_quantiles){
        .metric = r->metric,
        .unit = unit,
        .trial = r->trial,
        .total = h->total,
        .p50 = import_scaled((double)hdr_percentile(h, 50), factor),
        .p90 = import_scaled((double)hdr_percentile(h, 90), factor),
        .p99 = import_scaled((double)hdr_percentile(h, 99), factor),
        .p999 = import_scaled((double)hdr_percentile(h, 99.9), factor),
        .max = import_scaled((double)h->max, factor),
    };
}

static bool is_alike(const struct histogram_record *a, const struct histogram_record *b)
{
    return a->phase == b->phase && strcmp(a->metric, b->metric) == 0;
}

/* Those of one metric, of which the first may be of the whole execution. One that does not
 * decode is left out: the samples are still worth showing. */
static void take_metric(struct view_cell *cell, const struct histogram_record *list,
                        size_t count)
{
    struct arena scratch = arena_open();
    struct hdr sum = {0};
    bool has_whole = list[0].trial < 0;
    bool is_exact = true;
    for (size_t i = 0; i < count; i++) {
        struct hdr h;
        if (!hdr_decode(&h, list[i].data, &scratch, NULL) || h.total == 0) continue;
        if (list[i].trial >= 0) {
            struct view_quantiles *one = &cell->histograms[cell->histogram_count++];
            *one = quantiles_of(&list[i], &h);
            one->data = list[i].data;
        }
        bool counts = has_whole ? i == 0 : true;
        if (counts && !hdr_gather(&sum, &h, &scratch, &is_exact, NULL)) is_exact = false;
    }
    if (sum.total > 0) {
        struct view_quantiles *all = &cell->merged[cell->merged_count++];
        *all = quantiles_of(&list[0], &sum);
        all->trial = -1;
    }
    arena_close(&scratch);
}

bool view_take_histograms(struct store *store, struct view_cell *cell, struct arena *out,
                          struct error *err)
{
    struct histogram_record *list = NULL;
    size_t count = 0;
    if (!store_list_histograms(store, cell->record.id, out, &list, &count, err)) return false;
    if (count == 0) return true;
    cell->merged = arena_new(out, struct view_quantiles, count);
    cell->histograms = arena_new(out, struct view_quantiles, count);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && is_alike(&list[first], &list[end])) end++;
        if (list[first].phase == PHASE_MEASURED) take_metric(cell, list + first, end - first);
    }
    return true;
}
