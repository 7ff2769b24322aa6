/* The store's history of a metric.
 *
 * A series is one cell's: same experiment, parameters, agent and benchmark. The
 * agent's version is what changes along it. Points of another unit or
 * definition than the newest are left out: two definitions never compare. */
#include "history/trend.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/value.h"
#include "model/cell.h"
#include "stats/drift.h"
#include "stats/predict.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

#define EXPECT_CONFIDENCE 0.99

/* One execution's samples of the metric. */
struct entry {
    const struct execution_record *execution;
    struct cell_identity identity;
    const struct series_record *series;
    const struct series_record *starts; /* of the trials, since the run's start; or NULL */
    int64_t started_ns;
    const char *commit;
    bool is_taken; /* stands in a series already */
};

struct loader {
    struct store *store;
    const struct trend_question *q;
    struct arena *out;
    struct run_record *runs;
    size_t run_count;
    struct entry *entries; /* newest first */
    size_t count;
};

const char *trend_kind(const struct change_point *point, enum direction direction)
{
    if (direction == DIRECTION_NONE || point->after == point->before) return "change";
    bool is_up = point->after > point->before;
    return is_up == (direction == DIRECTION_HIGHER) ? "improvement" : "degradation";
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct run_record *)a)->id, ((const struct run_record *)b)->id);
}

static const struct run_record *find_run(const struct loader *l, const char *id)
{
    struct run_record key;
    memcpy(key.id, id, sizeof key.id);
    return bsearch(&key, l->runs, l->run_count, sizeof *l->runs, by_id);
}

static const char *commit_of(const struct run_record *run, struct arena *out)
{
    const struct value *vcs = NULL;
    if (!run->vcs || !value_read_json(str_of(run->vcs), &value_limits_spec, out, &vcs, NULL))
        return NULL;
    const struct value *commit = value_get(vcs, "commit");
    bool is_known = commit && commit->kind == VALUE_TEXT && commit->source.n > 0;
    return is_known ? str_cstr(out, commit->source) : NULL;
}

static bool fits(const struct trend_question *q, const struct execution_record *e)
{
    if (q->experiment && (!e->experiment || strcmp(e->experiment, q->experiment) != 0))
        return false;
    return !q->label || (e->label && strstr(e->label, q->label));
}

static bool take(struct loader *l, const struct execution_record *e, struct error *err)
{
    const struct run_record *run = find_run(l, e->run_id);
    if (!run || !fits(l->q, e)) return true;
    struct series_record *series = NULL;
    size_t count = 0;
    const char *wanted = l->q->metric ? l->q->metric : e->primary_metric;
    const char *const names[] = {"trial.start_s", wanted};
    struct series_filter filter = {e->id, names, COUNT(names)};
    if (!wanted) return true;
    if (!store_read_series(l->store, &filter, l->out, &series, &count, err)) return false;
    const struct series_record *starts = NULL;
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase == PHASE_MEASURED && strcmp(series[i].metric, "trial.start_s") == 0)
            starts = &series[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase != PHASE_MEASURED || strcmp(series[i].metric, wanted) != 0)
            continue;
        l->entries[l->count++] = (struct entry){
            .execution = e,
            .identity = cell_identity(e, CELL_SAME),
            .series = &series[i],
            .starts = starts,
            .started_ns = run->started_ns,
            .commit = commit_of(run, l->out),
        };
    }
    return true;
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
 * week of the trial itself (imported runs span months). */
static size_t take_samples(const struct entry *const *entries, size_t count, enum trend_by by,
                           struct sample *samples)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = entries[i];
        for (size_t k = 0; k < e->series->count; k++) {
            if (!isfinite(e->series->samples[k])) continue;
            bool is_timed =
                e->starts && k < e->starts->count && isfinite(e->starts->samples[k]);
            double start_s = is_timed ? e->starts->samples[k] : 0;
            int64_t at_ns = clock_after(e->started_ns, start_s);
            samples[n++] =
                (struct sample){by == TREND_BY_RUN ? (int64_t)i : bucket_of(by, at_ns), i,
                                e->series->samples[k]};
        }
    }
    qsort(samples, n, sizeof *samples, by_bucket);
    return n;
}

static void make_points(const struct entry *const *entries, size_t count, enum trend_by by,
                        struct arena *out, struct trend_series *s)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += entries[i]->series->count;
    struct sample *samples = arena_new(out, struct sample, total + 1);
    double *values = arena_new(out, double, total + 1);
    size_t n = take_samples(entries, count, by, samples);
    s->points = arena_new(out, struct trend_point, n + 1);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        for (; end < n && samples[end].bucket == samples[i].bucket; end++) {
            values[end - i] = samples[end].value;
        }
        stats_sort_inplace(values, end - i);
        const struct entry *newest = entries[samples[end - 1].entry];
        s->points[s->count++] = (struct trend_point){
            .at_ns = by == TREND_BY_RUN ? newest->started_ns : samples[i].bucket,
            .value = quantile_median(values, end - i),
            .n = end - i,
            .run_id = newest->execution->run_id,
            .commit = newest->commit,
        };
        i = end;
    }
}

static bool is_alike(const struct series_record *a, const struct series_record *b)
{
    struct metric of_a = series_metric(a);
    struct metric of_b = series_metric(b);
    return metric_is_comparable(&of_a, &of_b);
}

/* What the level since the last change says about the newest point. */
static void predict_newest(struct trend_series *s, const double *values, struct arena scratch)
{
    s->expected_low = s->expected_high = NAN;
    size_t from = s->change_count ? s->changes[s->change_count - 1].index : 0;
    size_t n = s->count > from + 1 ? s->count - 1 - from : 0;
    double *history = arena_new(&scratch, double, n + 1);
    bool is_log = true;
    for (size_t i = 0; i < n; i++) is_log &= values[from + i] > 0;
    for (size_t i = 0; i < n; i++) {
        history[i] = is_log ? log(values[from + i]) : values[from + i];
    }
    if (n < 5) return;
    struct predict p = predict_robust(scratch, history, n, EXPECT_CONFIDENCE);
    s->expected_low = is_log ? exp(p.low) : p.low;
    s->expected_high = is_log ? exp(p.high) : p.high;
}

const char *trend_drift_note(const double *values, size_t n, size_t change_count,
                             const char *note, struct arena *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) return note;
    }
    struct drift drift = drift_of(*out, values, n);
    if (change_count > 0 || drift.p >= 0.001 || fabs(drift.relative) < 0.03) return note;
    return arena_printf(
        out,
        "no step, but it drifts: %+.1f %% from the first third to the last (p = "
        "%.2g)%s%s",
        100 * drift.relative, drift.p, note ? "; " : "", note ? note : "");
}

static void analyse(struct trend_series *s, const struct trend_question *q, struct arena *out)
{
    double *values = arena_new(out, double, s->count + 1);
    for (size_t i = 0; i < s->count; i++) values[i] = s->points[i].value;
    change_find(values, s->count, &q->change, out, &s->changes, &s->change_count);
    s->rates = (struct trend_rates){.reason = "not asked for"};
    if (q->wants_rates) s->rates = trend_rates(values, s->count, &q->change, 42, *out);
    s->note = trend_drift_note(values, s->count, s->change_count, s->note, out);
    predict_newest(s, values, *out);
}

static bool is_same_history(const struct entry *a, const struct entry *b)
{
    return strcmp(a->identity.hex, b->identity.hex) == 0 &&
           strcmp(a->series->metric, b->series->metric) == 0;
}

/* Entries with the identity of `first`, which is the newest of them, oldest
 * first; those of another definition are only counted. */
static size_t pick(struct loader *l, size_t first, const struct entry **mine, size_t *unlike)
{
    const struct entry *newest = &l->entries[first];
    size_t count = 0;
    for (size_t i = l->count; i-- > first;) {
        struct entry *e = &l->entries[i];
        if (e->is_taken || !is_same_history(e, newest)) continue;
        e->is_taken = true;
        if (is_alike(e->series, newest->series)) {
            mine[count++] = e;
        } else {
            (*unlike)++;
        }
    }
    return count;
}

static void gather(struct loader *l, const struct entry *const *mine, size_t count,
                   size_t unlike, struct trend_series *s)
{
    const struct entry *newest = mine[count - 1];
    *s = (struct trend_series){
        .label = newest->execution->label,
        .experiment = newest->execution->experiment,
        .metric = newest->series->metric,
        .unit = newest->series->unit,
        .direction = newest->series->direction,
    };
    make_points(mine, count, l->q->by, l->out, s);
    if (unlike > 0) {
        s->note = arena_printf(l->out,
                               "%zu older executions measured it by another unit or "
                               "definition and are left out",
                               unlike);
    }
    analyse(s, l->q, l->out);
}

/* Ids of what the question names; a benchmark by its name in any suite, or the
 * experiment's name for cells without a suite. */
static bool make_filter(struct loader *l, struct execution_filter *filter, struct error *err)
{
    const struct trend_question *q = l->q;
    if (q->agent) {
        struct agent_record *agent = arena_new(l->out, struct agent_record, 1);
        if (!store_find_agent(l->store, q->agent, l->out, agent, err)) return false;
        filter->agent_id = agent->id;
    }
    if (!q->benchmark) return true;
    struct suite_record *suites = NULL;
    size_t suite_count = 0;
    if (!store_list_suites(l->store, true, l->out, &suites, &suite_count, err)) return false;
    for (size_t i = 0; i < suite_count; i++) {
        struct benchmark_record *benchmarks = NULL;
        size_t count = 0;
        if (!store_list_benchmarks(l->store, suites[i].id, l->out, &benchmarks, &count, err))
            return false;
        for (size_t k = 0; k < count; k++) {
            if (strcmp(benchmarks[k].name, q->benchmark) != 0) continue;
            filter->benchmark_id = benchmarks[k].id;
            return true;
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "no benchmark '%s' is in the store", q->benchmark);
}

bool trend_load(struct store *store, const struct trend_question *question, struct arena *out,
                struct trend *trend, struct error *err)
{
    *trend = (struct trend){0};
    struct loader l = {.store = store, .q = question, .out = out};
    struct run_filter since = {.since_ns = question->since_ns};
    struct execution_filter filter = {0};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!make_filter(&l, &filter, err) ||
        !store_list_runs(store, &since, out, &l.runs, &l.run_count, err) ||
        !store_query_executions(store, &filter, out, &executions, &count, err)) {
        return error_wrap(err, "reading the history");
    }
    qsort(l.runs, l.run_count, sizeof *l.runs, by_id);
    l.entries = arena_new(out, struct entry, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!take(&l, &executions[i], err)) return error_wrap(err, "reading the history");
    }
    trend->series = arena_new(out, struct trend_series, TREND_SERIES_MAX);
    const struct entry **mine = arena_new(out, const struct entry *, l.count + 1);
    for (size_t i = 0; i < l.count; i++) {
        if (l.entries[i].is_taken) continue;
        size_t unlike = 0;
        size_t mine_count = pick(&l, i, mine, &unlike);
        if (trend->count == TREND_SERIES_MAX) {
            trend->left_out++;
        } else {
            gather(&l, mine, mine_count, unlike, &trend->series[trend->count++]);
        }
    }
    return true;
}
