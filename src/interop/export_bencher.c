/* Bencher Metric Format: {"benchmark": {"measure": {"value", "lower_value",
 * "upper_value"}}}. Values are medians with their distribution-free 95 % interval
 * (null below 6 values), of right and wrong answers (stats/share.h) and of money the mean
 * over trials. An answer that never came is a wrong one, and `failure_rate` is the share of
 * trials that failed: an agent does not become better by what it does not answer. Bencher's built-in measure of time is `latency`, in nanoseconds: duration_s
 * goes there; other metrics keep their names and units.
 * Of several executions with one name the first counts: runs come newest first. */
#include "interop/export.h"

#include "base/json.h"
#include "experiment/declared.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "stats/share.h"
#include "stats/typical.h"

#include <math.h>

enum { NAMES_MAX = 100000, SEED = 42 };

struct state {
    struct arena arena;
    bool is_open;
    struct json j;
    const char **names;
    size_t count;
};

static bool is_taken(const struct state *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name) == 0) return true;
    }
    return s->count == NAMES_MAX;
}

static void put_metric(struct json *j, const struct exported *x, const struct series_record *r,
                       struct arena scratch)
{
    size_t n = 0;
    const double *sorted = stats_sort(&scratch, export_values(x, r, &scratch), r->count, &n);
    if (n == 0) return;
    bool is_latency = strcmp(r->metric, metric_duration.name) == 0;
    double factor = is_latency ? 1e9 : 1;
    struct interval i = {NAN, NAN, NAN};
    double value = quantile_median(sorted, n);
    enum kind kind = declared_kind_of(r);
    if (kind == KIND_SUM) {
        struct typical t = typical_mean(sorted, n, SEED, &scratch);
        value = moments_of(sorted, n).mean;
        typical_interval(&t, 0.05, &i.low, &i.high);
    } else if (kind == KIND_SHARE) {
        struct share_interval s = share_mean(sorted, n, 0.05);
        value = s.estimate;
        i.low = s.low;
        i.high = s.high;
    } else if (!interval_median(sorted, n, 0.95, &i, NULL)) {
        i.low = i.high = NAN;
    }
    if (!isfinite(value)) return; /* most were timed out */
    json_key_object(j, is_latency ? "latency" : r->metric);
    json_put_real(j, "value", factor * value);
    if (isfinite(i.low)) json_put_real(j, "lower_value", factor * i.low);
    if (isfinite(i.high)) json_put_real(j, "upper_value", factor * i.high);
    json_end(j);
}

static void put_failures(struct json *j, const struct exported *x, struct arena scratch)
{
    const struct series_record *r =
        series_find(x->series, x->series_count, PHASE_MEASURED, "trial.status");
    double *failed = arena_new(&scratch, double, r ? r->count + 1 : 1);
    size_t n = 0;
    for (size_t i = 0; r && i < r->count; i++) {
        if (r->samples[i] != TRIAL_HARNESS_ERROR) failed[n++] = r->samples[i] != TRIAL_OK;
    }
    struct share_interval s = share_mean(failed, n, 0.05);
    if (n == 0) return;
    json_key_object(j, "failure_rate");
    json_put_real(j, "value", s.estimate);
    json_put_real(j, "lower_value", s.low);
    json_put_real(j, "upper_value", s.high);
    json_end(j);
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    struct state *s = state;
    if (!s->is_open) {
        s->arena = arena_open();
        s->names = arena_new(&s->arena, const char *, NAMES_MAX);
        json_init(&s->j, out, 2);
        json_object(&s->j);
        s->is_open = true;
    }
    const char *name = x->e->label ? x->e->label : x->e->experiment;
    if (!name || is_taken(s, name)) return;
    s->names[s->count++] = str_cstr(&s->arena, str_of(name));
    json_key_object(&s->j, name);
    for (size_t i = 0; i < x->series_count; i++) {
        const struct series_record *r = &x->series[i];
        if (r->phase == PHASE_MEASURED && export_is_metric(r)) {
            put_metric(&s->j, x, r, *x->arena);
        }
    }
    put_failures(&s->j, x, *x->arena);
    json_end(&s->j);
}

static void end(void *state, struct buf *out)
{
    struct state *s = state;
    if (s->is_open) {
        json_end(&s->j);
        arena_close(&s->arena);
    } else {
        buf_text(out, "{}");
    }
    buf_add_char(out, '\n');
}

const struct exporter exporter_bencher = {
    .name = "bencher",
    .summary = "Bencher Metric Format: medians, or means of shares and costs, with intervals",
    .is_latest = true,
    .put = put,
    .end = end,
    .state_size = sizeof(struct state),
};
