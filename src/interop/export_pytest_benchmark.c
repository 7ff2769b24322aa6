/* What `pytest --benchmark-json --benchmark-save-data` writes, for scripts that read that: one
 * benchmark for each cell, with the seconds of its ok trials. The levels of other metrics, as
 * `show` has them, are in `extra_info`, where pytest-benchmark keeps what it does not measure
 * itself (of a suite that of the duration too: it is over cases, and `stats` are of rounds), and
 * under `assay` every value of every metric and the run's claims: `assay import` reads them back,
 * and decides and reports the same. (Not of a suite: which case a trial was of is not in it.) */
#include "interop/export.h"

#include "base/clock.h"
#include "base/json.h"
#include "interop/import.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

struct state {
    bool is_open;
    const struct run_record *run;
    bool has_claims; /* all cells are of one run, and have no cases */
    struct json j;
};

static void put_numbers(struct json *j, const char *key, const double *values, size_t count)
{
    json_key_list(j, key);
    for (size_t i = 0; i < count; i++) json_real(j, values[i]);
    json_end(j);
}

static void put_series(struct json *j, const struct series_record *s)
{
    json_object(j);
    json_put_text(j, "metric", s->metric);
    json_put_text(j, "unit", s->unit);
    json_put_text(j, "direction", direction_name(s->direction));
    json_put_text(j, "definition", s->definition);
    json_put_text(j, "kind", kind_name(s->kind));
    put_numbers(j, "samples", s->samples, s->count);
    json_end(j);
}

/* What a claim and a report need of a cell, on one line. */
static void put_own(struct json *whole, const struct exported *x)
{
    const struct execution_record *e = x->e;
    const double *statuses = export_statuses(x, PHASE_MEASURED);
    struct json own;
    struct json *j = &own;
    struct buf line;
    buf_init(&line, IMPORT_MAX_BYTES);
    json_init(j, &line, 0);
    json_object(j);
    json_put_text(j, "experiment", e->experiment);
    json_put_text(j, "label", e->label);
    json_put_text(j, "factor", e->factor);
    json_put_text(j, "primary", e->primary_metric);
    json_put_int(j, "entry", e->entry_index);
    json_put_int(j, "group", e->group_index);
    json_put_int(j, "arm", e->arm_index);
    if (statuses) put_numbers(j, "statuses", statuses, (size_t)e->counts.attempted);
    json_key_list(j, "series");
    for (size_t i = 0; i < x->series_count; i++) {
        const struct series_record *s = &x->series[i];
        if (s->phase == PHASE_MEASURED && export_is_metric(s)) put_series(j, s);
    }
    json_end(j);
    json_end(j);
    json_key(whole, "assay");
    json_raw(whole, buf_str(&line));
    buf_release(&line);
}

/* Without cases the level of the duration is the median, which pytest-benchmark states itself. */
static void put_info(struct json *j, const struct exported *x)
{
    json_key(j, "extra_info");
    json_object(j);
    for (size_t i = 0; i < x->levels.count; i++) {
        const struct export_level *l = &x->levels.items[i];
        bool is_stated = !x->cases && strcmp(l->metric, metric_duration.name) == 0;
        if (!is_stated && isfinite(l->centre)) json_put_real(j, l->metric, l->centre);
    }
    if (!x->cases) put_own(j, x);
    json_end(j);
}

static void put_stats(struct json *j, const double *sorted, size_t n,
                      const struct series_record *durations)
{
    struct moments m = moments_of(sorted, n);
    double q1 = quantile_of(sorted, n, 0.25);
    double q3 = quantile_of(sorted, n, 0.75);
    json_key(j, "stats");
    json_object(j);
    json_put_real(j, "min", sorted[0]);
    json_put_real(j, "max", sorted[n - 1]);
    json_put_real(j, "mean", m.mean);
    json_put_real(j, "stddev", n > 1 ? moments_sd(&m) : 0);
    json_put_int(j, "rounds", (int64_t)n);
    json_put_real(j, "median", quantile_median(sorted, n));
    json_put_real(j, "q1", q1);
    json_put_real(j, "q3", q3);
    json_put_real(j, "iqr", q3 - q1);
    json_put_real(j, "ops", 1 / m.mean);
    json_put_real(j, "total", m.mean * (double)n);
    json_put_int(j, "iterations", 1);
    json_key_list(j, "data");
    for (size_t i = 0; i < durations->count; i++) {
        if (!isnan(durations->samples[i])) json_real(j, durations->samples[i]);
    }
    json_end(j);
    json_end(j);
}

static void put_text_of(struct json *j, const char *key, const struct value *map,
                        const char *from)
{
    json_key(j, key);
    json_str(j, value_text(map, from));
}

static void open_document(struct state *s, const struct run_record *run, struct buf *out)
{
    struct json *j = &s->j;
    json_init(j, out, 2);
    json_object(j);
    json_key(j, "machine_info");
    json_object(j);
    put_text_of(j, "node", run->environment, "hostname");
    put_text_of(j, "machine", run->environment, "machine");
    json_end(j);
    json_key(j, "commit_info");
    json_object(j);
    struct run_vcs vcs = run_vcs(run);
    json_put_str(j, "id", vcs.commit);
    json_put_str(j, "branch", vcs.branch);
    json_put_bool(j, "dirty", vcs.is_dirty);
    json_end(j);
    char stamp[CLOCK_STAMP_SIZE];
    json_put_text(j, "datetime", clock_stamp(run->started_ns, stamp));
    json_put_text(j, "version", "4.0.0"); /* of the format */
    json_key_list(j, "benchmarks");
    s->is_open = true;
    s->run = run;
    s->has_claims = true;
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    struct state *s = state;
    struct json *j = &s->j;
    if (!s->is_open) open_document(s, x->run, out);
    s->has_claims &= !x->cases && strcmp(s->run->id, x->run->id) == 0;
    struct arena scratch = *x->arena;
    const struct series_record *durations =
        series_find(x->series, x->series_count, PHASE_MEASURED, metric_duration.name);
    size_t n = 0;
    const double *sorted =
        durations ? stats_sort(&scratch, durations->samples, durations->count, &n) : NULL;
    if (n == 0) return;
    json_object(j);
    json_put_text(j, "group", x->e->experiment);
    json_put_text(j, "name", x->e->label);
    json_put_text(j, "fullname",
                  arena_printf(&scratch, "%s::%lld %s", x->e->experiment,
                               (long long)x->e->cell_index + 1, x->e->label));
    json_key(j, "params");
    json_value(j, x->e->parameters);
    put_info(j, x);
    put_stats(j, sorted, n, durations);
    json_end(j);
}

static void end(void *state, struct buf *out)
{
    struct state *s = state;
    if (s->is_open) {
        json_end(&s->j);
        if (s->has_claims && s->run->claims) {
            json_key_object(&s->j, "assay");
            json_key(&s->j, "claims");
            json_value(&s->j, s->run->claims);
            json_end(&s->j);
        }
        json_end(&s->j);
    } else {
        buf_text(out, "{\"machine_info\":{},\"benchmarks\":[]}");
    }
    buf_add_char(out, '\n');
}

const struct exporter exporter_pytest_benchmark = {
    .name = "pytest_benchmark",
    .summary = "as `pytest --benchmark-json` writes it, with every round",
    .is_latest = true,
    .wants_levels = true,
    .put = put,
    .end = end,
    .state_size = sizeof(struct state),
};
