/* Recorded executions out of a store or a file, in one flat list. */
#include "history/recorded.h"

#include "base/clock.h"
#include "view/select.h"

#include <math.h>

static void push(struct recorded_list *list, struct arena *out, struct recorded r)
{
    list->items = arena_grow(out, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = r;
}

static bool fits(const struct recorded_filter *f, const char *task, const char *version)
{
    return (!f->task || strcmp(f->task, task) == 0) &&
           (!f->version || (version && strcmp(f->version, version) == 0));
}

/* A file has no ids, only names. */
static bool is_named(const struct imported_cell *cell, const char *agent)
{
    return cell->agent && agent_name_fits(str_of(agent), str_of(cell->agent), cell->version);
}

/* The columns of one cell that the questions need. */
struct columns {
    const double *starts_s;
    const double *statuses;
    const double *durations;
    const double *failures;
    const double *costs;
    size_t count;
};

static double at(const double *values, size_t i)
{
    return values ? values[i] : (double)NAN;
}

static void take(struct recorded_list *list, struct arena *out, const struct columns *c,
                 struct recorded r, int64_t start_ns, int64_t since_ns)
{
    for (size_t i = 0; i < c->count; i++) {
        r.at_ns = clock_after(start_ns, at(c->starts_s, i));
        if (r.at_ns < since_ns) continue;
        r.is_ok = at(c->statuses, i) == TRIAL_OK;
        r.duration_s = r.is_ok ? at(c->durations, i) : at(c->failures, i);
        r.cost_usd = at(c->costs, i);
        r.number = list->count;
        push(list, out, r);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct recorded *x = a;
    const struct recorded *y = b;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort(struct recorded_list *list)
{
    if (list->count) qsort(list->items, list->count, sizeof *list->items, by_time);
}

/* ---- from a file ---- */

static const double *values_of(const struct imported_cell *cell, const char *metric)
{
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (strcmp(cell->metrics[m].metric.name, metric) == 0) return cell->metrics[m].values;
    }
    return NULL;
}

void recorded_from_import(const struct imported *in, const struct recorded_filter *filter,
                          struct arena *out, struct recorded_list *list)
{
    *list = (struct recorded_list){0};
    for (size_t i = 0; i < in->cell_count; i++) {
        const struct imported_cell *cell = in->cells[i];
        if (!fits(filter, cell->name, cell->version)) continue;
        if (filter->agent && !is_named(cell, filter->agent)) continue;
        double *statuses = arena_new(out, double, cell->trial_count + 1);
        for (size_t k = 0; k < cell->trial_count; k++) statuses[k] = cell->statuses[k];
        struct columns c = {cell->starts_s,
                            statuses,
                            values_of(cell, "duration_s"),
                            values_of(cell, "failure_duration_s"),
                            values_of(cell, "cost_usd"),
                            cell->trial_count};
        struct recorded r = {.task = cell->name, .version = cell->version, .run = ""};
        take(list, out, &c, r, in->started_ns, filter->since_ns);
    }
    sort(list);
}

/* ---- from a store ---- */

static struct columns columns_of(const struct series_record *series, size_t count)
{
    struct columns c = {0};
    static const char *const names[] = {"trial.start_s", "trial.status", "duration_s",
                                        "failure_duration_s", "cost_usd"};
    const double **slots[] = {&c.starts_s, &c.statuses, &c.durations, &c.failures, &c.costs};
    for (size_t k = 0; k < COUNT(names); k++) {
        const struct series_record *s = series_find(series, count, PHASE_MEASURED, names[k]);
        if (!s) continue;
        CHECK(c.count == 0 || c.count == s->count); /* the store fills them up */
        *slots[k] = s->samples;
        c.count = s->count;
    }
    return c;
}

static bool take_execution(struct store *store, const struct execution_record *e,
                           int64_t since_ns, struct arena *out, struct recorded_list *list,
                           struct error *err)
{
    struct series_record *series = NULL;
    size_t count = 0;
    if (!store_list_series(store, e->id, out, &series, &count, err)) return false;
    struct columns c = columns_of(series, count);
    struct recorded r = {.task = e->experiment,
                         .version = e->agent_version,
                         .run = e->run_id,
                         .run_ns = e->start_ns};
    take(list, out, &c, r, e->start_ns, since_ns);
    return true;
}

bool recorded_from_store(struct store *store, const struct recorded_filter *filter,
                         struct arena *out, struct recorded_list *list, struct error *err)
{
    struct suite_record suite;
    struct agent_ref agent = {0};
    struct execution_record *executions = NULL;
    size_t count = 0;
    *list = (struct recorded_list){0};
    if (!store_find_suite(store, "recorded", out, &suite, err)) {
        return error_set(
            err, ERROR_NOT_FOUND,
            "nothing is recorded in this store yet; `assay record --task ...` adds a record");
    }
    if (filter->agent && !select_agent_ref(store, filter->agent, out, &agent, err)) {
        return false;
    }
    struct execution_filter which = {.suite_id = suite.id, .agent_id = agent.id};
    if (!store_query_executions(store, &which, out, &executions, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        const struct execution_record *e = &executions[i];
        bool is_of = !agent.id || agent_ref_fits(&agent, e->agent_id, e->agent_version);
        if (!e->experiment || !is_of || !fits(filter, e->experiment, e->agent_version)) {
            continue;
        }
        if (!take_execution(store, e, filter->since_ns, out, list, err)) return false;
    }
    sort(list);
    return true;
}

/* ---- versions ---- */

size_t recorded_versions(const struct recorded_list *list, struct arena *out,
                         const char ***versions)
{
    enum { VERSIONS_MAX = 1000 };
    const char **names = arena_new(out, const char *, VERSIONS_MAX);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const char *v = list->items[i].version;
        size_t k = 0;
        while (v && k < count && strcmp(names[k], v) != 0) k++;
        if (v && k == count && count < VERSIONS_MAX) names[count++] = v;
    }
    *versions = names;
    return count;
}

struct recorded_list recorded_of_version(const struct recorded_list *list, const char *version,
                                         struct arena *out)
{
    struct recorded_list part = {0};
    for (size_t i = 0; i < list->count; i++) {
        const char *v = list->items[i].version;
        if (v && strcmp(v, version) == 0) push(&part, out, list->items[i]);
    }
    return part;
}
