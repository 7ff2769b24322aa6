/* The newest runs are looked through for executions with the cells' keys; of each cell the
 * newest gives the mean seconds of a trial, which is multiplied by the trials planned and
 * divided by the lanes. With `until` or a warm-up that ends when steady it is an upper limit.
 * A store that cannot be read gives no estimate, never an error. */
#include "spec/estimate.h"

#include "store/store.h"

#include <math.h>
#include <stdlib.h>

/* Enough to have seen every cell of recent work; few enough to be instant. */
enum { RUNS_MAX = 20, EARLIER_MAX = 2000 };

struct earlier {
    const char *key;
    const char *execution_id;
    const char *run_id;
};

int64_t estimate_trials(const struct spec_entry *entry, enum trial_phase phase)
{
    if (phase != PHASE_WARMUP) return spec_trials(entry);
    return (entry->warmup < 0 ? entry->warmup_max : entry->warmup) * spec_lanes(entry);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct earlier *)a)->key, ((const struct earlier *)b)->key);
}

/* The executions of one run that have a key; how many. */
static size_t collect(struct store *store, const struct run_record *run, struct arena *a,
                      struct earlier *found, size_t room)
{
    struct execution_record *executions = NULL;
    size_t count = 0;
    struct error ignored;
    if (!store_list_executions(store, run->id, a, &executions, &count, &ignored)) return 0;
    size_t n = 0;
    for (size_t i = 0; i < count && n < room; i++) {
        if (!executions[i].cell_key || executions[i].status == RUN_FAILED) continue;
        found[n++] = (struct earlier){executions[i].cell_key, executions[i].id, run->id};
    }
    return n;
}

/* Mean seconds of a measured trial; NaN if none was stored. */
static double mean_duration(struct store *store, const char *execution_id, struct arena *a)
{
    struct series_record *series = NULL;
    size_t count = 0;
    struct error ignored;
    if (!store_list_series(store, execution_id, a, &series, &count, &ignored)) return NAN;
    double sum = 0;
    size_t n = 0;
    const struct series_record *s =
        series_find(series, count, PHASE_MEASURED, metric_duration.name);
    for (size_t i = 0; s && i < s->count; i++) {
        if (isnan(s->samples[i])) continue;
        sum += s->samples[i];
        n++;
    }
    return n ? sum / (double)n : (double)NAN;
}

static void add_cell(struct estimate *e, const struct plan_cell *cell, double trial_s)
{
    const struct spec_entry *entry = cell->entry;
    double lane_s = trial_s / (double)spec_lanes(entry);
    double warmup_s = lane_s * (double)estimate_trials(entry, PHASE_WARMUP);
    double measured_s = lane_s * (double)estimate_trials(entry, PHASE_MEASURED);
    bool has_limit = entry->until.is_set && entry->until.max_seconds > 0;
    if (has_limit) measured_s = fmin(measured_s, entry->until.max_seconds);
    e->known++;
    e->seconds += warmup_s + measured_s;
    e->is_upper_limit |= entry->until.is_set || entry->warmup < 0;
}

static void estimate_from(struct store *store, const struct plan *plan, struct arena *a,
                          struct estimate *e)
{
    struct run_record *runs = NULL;
    size_t run_count = 0;
    struct error ignored;
    const struct run_filter newest = {.limit = RUNS_MAX};
    if (!store_list_runs(store, &newest, a, &runs, &run_count, &ignored)) return;
    struct earlier *earlier = arena_new(a, struct earlier, EARLIER_MAX);
    size_t count = 0;
    for (size_t i = 0; i < run_count; i++) {
        count += collect(store, &runs[i], a, earlier + count, EARLIER_MAX - count);
    }
    if (count == 0) return;
    qsort(earlier, count, sizeof *earlier, by_key);
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct earlier wanted = {.key = plan->cells[i].key};
        const struct earlier *hit = bsearch(&wanted, earlier, count, sizeof *earlier, by_key);
        if (!hit) continue;
        double trial_s = mean_duration(store, hit->execution_id, a);
        if (isnan(trial_s)) continue;
        add_cell(e, &plan->cells[i], trial_s);
        memcpy(e->run_id, hit->run_id, sizeof e->run_id);
    }
}

struct estimate estimate_plan(const char *store_url, const char *workspace,
                              const struct plan *plan)
{
    struct estimate e = {0};
    struct store *store = NULL;
    struct error ignored;
    const struct store_options options = {.read_only = true, .workspace = workspace};
    if (!store_open(store_url, &options, &store, &ignored)) return e;
    struct arena a = arena_open();
    estimate_from(store, plan, &a, &e);
    arena_close(&a);
    store_close(store);
    return e;
}
