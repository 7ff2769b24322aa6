/* The store's history of a metric.
 *
 * A point is the level of what comparisons compare (view/units.h): cases by their value
 * over passes, no answer as a wrong one, a time-out beyond all that was seen.
 *
 * A series is one cell's on one host: same experiment, parameters, agent and
 * benchmark. The agent's version is what changes along it. What was scored again
 * or taken over is one point, the newest, where its trials were made. Points of another unit
 * or definition than the newest are left out: two definitions never compare.
 *
 * Points are in the order of what was measured, not of when: by the commit's
 * time (a commit after its first parent, where both have the same), and where no
 * commit time is stored by the start of the run. A backfilled commit is placed where
 * it belongs. */
#include "history/trend.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/value.h"
#include "model/cell.h"
#include "view/select.h"
#include "view/units.h"

#include <math.h>
#include <stdlib.h>

/* What the run's commit is known by. */
struct vcs_point {
    const char *commit; /* NULL unknown */
    const char *parent;
    int64_t order_ns; /* when it was committed; unknown: when the run began */
};

/* One execution's values of the metric, as comparisons have them (view/units.h). */
struct entry {
    const struct execution_record *execution;
    struct cell_identity identity;
    struct metric metric;
    struct units units;
    const double *starts_s; /* of each unit that is a trial, since the run's start; or NULL */
    int64_t started_ns;
    struct vcs_point vcs;
    const char *host;   /* "" unknown */
    const char *origin; /* execution that made the trials: its own, or of what it copied */
    bool is_taken;      /* is in a series already */
};

struct loader {
    struct store *store;
    const struct trend_question *q;
    struct arena *out;
    struct run_record *runs;
    size_t run_count;
    struct entry *entries; /* newest first */
    size_t count;
    size_t fitting;    /* executions that fit, whether they have the metric or not */
    size_t unfinished; /* of these, that are no point: they did not finish */
    bool has_copies;   /* an entry has the trials of another execution */
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct run_record *)a)->id, ((const struct run_record *)b)->id);
}

static const struct run_record *find_run(const struct loader *l, const char *id)
{
    struct run_record key;
    if (l->run_count == 0) return NULL;
    memcpy(key.id, id, sizeof key.id);
    return bsearch(&key, l->runs, l->run_count, sizeof *l->runs, by_id);
}

static const char *text_or_null(struct str text, struct arena *out)
{
    return text.n ? str_cstr(out, text) : NULL;
}

static struct vcs_point vcs_of(const struct run_record *run, struct arena *out)
{
    struct run_vcs v = run_vcs(run);
    return (struct vcs_point){.commit = text_or_null(v.commit, out),
                              .parent = text_or_null(v.parent, out),
                              .order_ns = v.committed_ns ? v.committed_ns : run->started_ns};
}

static bool fits(const struct trend_question *q, const struct execution_record *e)
{
    if (q->experiment && (!e->experiment || strcmp(e->experiment, q->experiment) != 0))
        return false;
    return !q->label || (e->label && strstr(e->label, q->label)) ||
           (e->name && strstr(e->name, q->label));
}

static double *copy(const double *from, size_t count, struct arena *out)
{
    double *to = arena_new(out, double, count + 1);
    if (count) memcpy(to, from, count * sizeof *to);
    return to;
}

/* Who made the trials of a copy (rescored, cached), and in which run, as far as the store still
 * has it: the copy is a point where and when these were made. */
static bool find_origin(struct loader *l, const struct execution_record *e,
                        const struct run_record **run, const char **origin, struct error *err)
{
    enum { COPIES_MAX = 1000 };
    const char *from = e->made_from;
    struct error broken = {0};
    *origin = e->id;
    for (int i = 0; from && i < COPIES_MAX; i++) {
        struct execution_record source;
        struct run_record *of = arena_new(l->out, struct run_record, 1);
        struct error why = {0};
        *origin = from;
        bool is_there = (store_find_execution(l->store, from, l->out, &source, &why) &&
                         store_find_run(l->store, source.run_id, l->out, of, &why)) ||
                        error_unless_absent(&broken, &why);
        if (is_there) *run = of;
        from = is_there ? source.made_from : NULL;
    }
    l->has_copies |= *origin != e->id;
    return broken.code == ERROR_NONE || error_set(err, broken.code, "%s", broken.text);
}

/* What is kept of an execution; its notes are not. */
static struct entry entry_of(const struct execution_record *e, const struct run_record *run,
                             const struct view_cell *cell, struct arena *out)
{
    struct arena scratch = arena_open();
    const struct view_metric *m = &cell->metrics[0];
    struct units u = units_of(cell, m, &scratch);
    struct entry entry = {
        .execution = e,
        .identity = cell_identity(e, CELL_SAME),
        .metric = view_metric_of(m),
        .units = {.values = copy(u.values, u.count, out), .count = u.count},
        .starts_s = u.keys ? NULL : copy(cell->starts_s, u.count, out),
        .started_ns = run->started_ns,
        .vcs = vcs_of(run, out),
        .host = str_cstr(out, value_text(run->environment, "hostname")),
    };
    entry.metric.name = arena_printf(out, "%s", m->name);
    entry.metric.unit = arena_printf(out, "%s", m->unit);
    entry.metric.definition = arena_printf(out, "%s", m->definition);
    arena_close(&scratch);
    return entry;
}

static bool take(struct loader *l, const struct execution_record *e, struct error *err)
{
    const struct run_record *run = find_run(l, e->run_id);
    if (!run || !fits(l->q, e)) return true;
    l->fitting++;
    l->unfinished += !execution_stands(e);
    if (!execution_stands(e)) return true;
    const char *wanted = l->q->metric ? l->q->metric : e->primary_metric;
    if (!wanted) return true;
    struct arena scratch = arena_open();
    struct view_cell cell;
    bool is_read = view_load_metric(l->store, e, wanted, &scratch, &cell, err);
    if (is_read && cell.metric_count > 0) {
        const char *origin = NULL;
        is_read = find_origin(l, e, &run, &origin, err);
        l->entries[l->count] = entry_of(e, run, &cell, l->out);
        l->entries[l->count++].origin = origin;
    }
    arena_close(&scratch);
    return is_read;
}

/* The start of the bucket that a moment belongs to; weeks begin on Monday. */
static int64_t bucket_of(enum trend_by by, int64_t at_ns)
{
    const int64_t day_ns = INT64_C(86400) * 1000000000;
    int64_t day = at_ns / day_ns;
    if (by == TREND_BY_DAY) return day * day_ns;
    if (by == TREND_BY_WEEK) return (day - (day + 3) % 7) * day_ns; /* 1970-01-01: Thursday */
    return at_ns;
}

struct sample {
    int64_t bucket;
    size_t entry; /* order of its execution */
    double value;
};

static int by_bucket(const void *a, const void *b)
{
    const struct sample *x = a;
    const struct sample *y = b;
    if (x->bucket != y->bucket) return x->bucket < y->bucket ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Values of all entries with the bucket of each: the run's number, or the day or
 * week of the trial itself (imported runs span months), of a case that of its run. */
static size_t take_samples(const struct entry *const *entries, size_t count, enum trend_by by,
                           struct sample *samples)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = entries[i];
        for (size_t k = 0; k < e->units.count; k++) {
            if (isnan(e->units.values[k])) continue;
            bool is_timed = e->starts_s && isfinite(e->starts_s[k]);
            int64_t at_ns = clock_after(e->started_ns, is_timed ? e->starts_s[k] : 0);
            samples[n++] = (struct sample){
                by == TREND_BY_RUN ? (int64_t)i : bucket_of(by, at_ns), i, e->units.values[k]};
        }
    }
    qsort(samples, n, sizeof *samples, by_bucket);
    return n;
}

static enum kind kind_of(const struct entry *const *entries, size_t count)
{
    enum kind kind = entries[count - 1]->metric.kind;
    for (size_t i = 0; i < count; i++) {
        kind = kind_common(kind, entries[i]->metric.kind);
    }
    return kind;
}

static void make_points(const struct entry *const *entries, size_t count, enum trend_by by,
                        struct arena *out, struct trend_series *s)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += entries[i]->units.count;
    struct sample *samples = arena_new(out, struct sample, total + 1);
    double *values = arena_new(out, double, total + 1);
    size_t n = take_samples(entries, count, by, samples);
    s->points = arena_new(out, struct trend_point, n + 1);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        for (; end < n && samples[end].bucket == samples[i].bucket; end++) {
            values[end - i] = samples[end].value;
        }
        const struct units u = {.values = values, .count = end - i};
        const struct entry *newest = entries[samples[end - 1].entry];
        const struct units_level level = units_level(&u, s->kind, VERDICT_ALPHA, *out);
        s->points[s->count++] = (struct trend_point){
            .at_ns = by == TREND_BY_RUN ? newest->started_ns : samples[i].bucket,
            .value = level.centre,
            .low = level.low,
            .high = level.high,
            .n = end - i,
            .run_id = newest->execution->run_id,
            .commit = newest->vcs.commit,
        };
        i = end;
    }
}

/* What a stand-in answered is no history of the agent. */
static bool is_of_one_source(const struct entry *a, const struct entry *b)
{
    return str_is(str_of(a->execution->provenance), b->execution->provenance);
}

static bool is_same_history(const struct loader *l, const struct entry *a,
                            const struct entry *b)
{
    return (l->q->any_host || strcmp(a->host, b->host) == 0) &&
           strcmp(a->identity.hex, b->identity.hex) == 0 &&
           strcmp(a->metric.name, b->metric.name) == 0 && is_of_one_source(a, b);
}

static int by_commit(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a;
    const struct entry *y = *(const struct entry *const *)b;
    if (x->vcs.order_ns != y->vcs.order_ns) return x->vcs.order_ns < y->vcs.order_ns ? -1 : 1;
    return x->started_ns < y->started_ns ? -1 : x->started_ns > y->started_ns;
}

static bool is_parent_of(const struct entry *a, const struct entry *b)
{
    return a->vcs.commit && b->vcs.parent && strcmp(a->vcs.commit, b->vcs.parent) == 0;
}

/* Commits made by a script have the same second: the parent comes before the child. */
static void order(const struct entry **mine, size_t count)
{
    if (count > 0) qsort(mine, count, sizeof *mine, by_commit);
    for (size_t i = 1; i < count; i++) {
        const struct entry *e = mine[i];
        size_t at = i;
        for (size_t k = i; k > 0 && mine[k - 1]->vcs.order_ns == e->vcs.order_ns; k--) {
            if (is_parent_of(e, mine[k - 1])) at = k - 1;
        }
        memmove(mine + at + 1, mine + at, (i - at) * sizeof *mine);
        mine[at] = e;
    }
}

/* A newer one of the same history has the same trials. */
static bool is_copied(const struct loader *l, size_t first, size_t at)
{
    const struct entry *e = &l->entries[at];
    for (size_t i = first; i < at && l->has_copies; i++) {
        const struct entry *o = &l->entries[i];
        if (strcmp(o->origin, e->origin) == 0 && is_same_history(l, o, e)) return true;
    }
    return false;
}

/* Entries with the identity of `first`, which is the newest of them, oldest
 * first; those of another definition are only counted. */
static size_t pick(struct loader *l, size_t first, const struct entry **mine, size_t *unlike)
{
    const struct entry *newest = &l->entries[first];
    size_t count = 0;
    for (size_t i = l->count; i-- > first;) {
        struct entry *e = &l->entries[i];
        if (e->is_taken || !is_same_history(l, e, newest)) continue;
        e->is_taken = true;
        if (is_copied(l, first, i)) continue;
        if (metric_is_comparable(&e->metric, &newest->metric)) {
            mine[count++] = e;
        } else {
            (*unlike)++;
        }
    }
    order(mine, count);
    return count;
}

static void gather(struct loader *l, const struct entry *const *mine, size_t count,
                   size_t unlike, struct trend_series *s)
{
    const struct entry *newest = mine[count - 1];
    *s = (struct trend_series){
        .label = newest->execution->label,
        .experiment = newest->execution->experiment,
        .metric = newest->metric.name,
        .unit = newest->metric.unit,
        .direction = newest->metric.direction,
        .kind = kind_of(mine, count),
        .host = l->q->any_host || !*newest->host ? NULL : newest->host,
    };
    make_points(mine, count, l->q->by, l->out, s);
    s->unlike = unlike;
}

/* Ids of the benchmarks of that name: several suites may have one, and each content of a suite
 * has its own. */
struct benchmark_ids {
    const char **items;
    size_t count;
};

static bool find_benchmarks(struct loader *l, struct benchmark_ids *ids, struct error *err)
{
    struct suite_record *suites = NULL;
    size_t suite_count = 0;
    if (!store_list_suites(l->store, true, l->out, &suites, &suite_count, err)) return false;
    for (size_t i = 0; i < suite_count; i++) {
        struct benchmark_record *benchmarks = NULL;
        size_t count = 0;
        if (!store_list_benchmarks(l->store, suites[i].id, l->out, &benchmarks, &count, err))
            return false;
        for (size_t k = 0; k < count; k++) {
            if (strcmp(benchmarks[k].name, l->q->benchmark) != 0) continue;
            ids->items = arena_grow(l->out, ids->items, ids->count, sizeof *ids->items);
            ids->items[ids->count++] = benchmarks[k].id;
        }
    }
    return true;
}

static bool has_id(const struct benchmark_ids *ids, const char *id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (id && strcmp(ids->items[i], id) == 0) return true;
    }
    return ids->count == 0;
}

/* Executions that the question's agent and benchmark name. What an import called a
 * benchmark is a cell's label. */
static bool query(struct loader *l, struct execution_record **executions, size_t *count,
                  struct error *err)
{
    const struct trend_question *q = l->q;
    struct execution_filter filter = {0};
    struct agent_ref agent;
    struct benchmark_ids benchmarks = {0};
    if (q->agent && !select_agent_ref(l->store, q->agent, l->out, &agent, err)) return false;
    if (q->agent) filter.agent_id = agent.id;
    if (q->benchmark && !find_benchmarks(l, &benchmarks, err)) return false;
    if (benchmarks.count == 1) filter.benchmark_id = benchmarks.items[0]; /* by its index */
    if (!store_query_executions(l->store, &filter, l->out, executions, count, err))
        return false;
    const char *label = benchmarks.count ? NULL : q->benchmark;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const struct execution_record *e = &(*executions)[i];
        bool fits = has_id(&benchmarks, e->benchmark_id) &&
                    (!q->agent || agent_ref_fits(&agent, e->agent_id, e->agent_version)) &&
                    (!label || str_is(str_of(e->label), label));
        if (fits) (*executions)[kept++] = *e;
    }
    *count = kept;
    if (kept > 0 || !label) return true;
    error_set(err, ERROR_NOT_FOUND, "no benchmark '%s' is in the store", label);
    return error_blame(err, "benchmark");
}

static void tell(const struct trend_question *q, const char *what, size_t at, size_t total)
{
    if (q->progress) q->progress(q->progress_context, what, at, total);
}

bool trend_load(struct store *store, const struct trend_question *question, struct arena *out,
                struct trend *trend, struct error *err)
{
    *trend = (struct trend){.question = *question};
    struct loader l = {.store = store, .q = question, .out = out};
    struct run_filter since = {.since_ns = question->since_ns};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_list_runs(store, &since, out, &l.runs, &l.run_count, err) ||
        !query(&l, &executions, &count, err)) {
        return error_wrap(err, "reading the history");
    }
    if (l.run_count > 0) qsort(l.runs, l.run_count, sizeof *l.runs, by_id);
    l.entries = arena_new(out, struct entry, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!take(&l, &executions[i], err)) return error_wrap(err, "reading the history");
        if (i % 256 == 0) tell(question, "execution", i + 1, count);
    }
    trend->executions = l.run_count > 0 ? count : 0;
    trend->fitting = l.fitting;
    trend->unfinished = l.unfinished;
    trend->series = arena_new(out, struct trend_series, TREND_SERIES_MAX);
    const struct entry **mine = arena_new(out, const struct entry *, l.count + 1);
    for (size_t i = 0; i < l.count; i++) {
        if (l.entries[i].is_taken) continue;
        tell(question, "series", trend->count + trend->left_out + 1, 0);
        size_t unlike = 0;
        size_t mine_count = pick(&l, i, mine, &unlike);
        if (trend->count == TREND_SERIES_MAX) {
            trend->left_out++;
        } else {
            struct trend_series *s = &trend->series[trend->count++];
            gather(&l, mine, mine_count, unlike, s);
            trend_analyse(s, question, out);
        }
    }
    return true;
}

bool trend_of(struct store *store, const struct trend_cell *cell, struct arena *out,
              struct trend_series *series, struct error *err)
{
    const struct trend_question q = {.metric = cell->metric};
    struct loader l = {.store = store,
                       .q = &q,
                       .out = out,
                       .runs = arena_new(out, struct run_record, cell->count + 1),
                       .entries = arena_new(out, struct entry, cell->count + 1)};
    const struct entry **mine = arena_new(out, const struct entry *, cell->count + 1);
    size_t unlike = 0;
    *series = (struct trend_series){0};
    for (size_t i = 0; i < cell->count; i++) {
        struct run_record *run = &l.runs[l.run_count++];
        if (!store_find_run(store, cell->executions[i]->run_id, out, run, err)) return false;
    }
    if (l.run_count > 0) qsort(l.runs, l.run_count, sizeof *l.runs, by_id);
    for (size_t i = 0; i < cell->count; i++) {
        if (!take(&l, cell->executions[i], err)) return error_wrap(err, "reading the history");
    }
    if (l.count > 0) gather(&l, mine, pick(&l, 0, mine, &unlike), unlike, series);
    return true;
}
