/* What `hyperfine --export-json` writes, for scripts that read that: seconds of the trials
 * that were ok, with their exit codes if the command reported them. */
#include "interop/export.h"

#include "base/json.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

struct state {
    bool is_open;
    struct json j;
};

static void put_mean(struct json *j, const char *key, const struct series_record *s,
                     struct arena scratch)
{
    size_t n = 0;
    const double *known = s ? stats_sort(&scratch, s->samples, s->count, &n) : NULL;
    struct moments m = moments_of(known, n);
    json_put_real(j, key, n ? m.mean : (double)NAN);
}

/* Those of the trials that have a duration. */
static void put_trials(struct json *j, const char *key, const struct series_record *s,
                       const struct series_record *durations, bool is_code)
{
    if (!s || s->count != durations->count) return;
    json_key_list(j, key);
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(durations->samples[i])) continue;
        if (is_code && !isnan(s->samples[i])) {
            json_int(j, (int64_t)s->samples[i]);
        } else {
            json_real(j, s->samples[i]);
        }
    }
    json_end(j);
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    struct state *s = state;
    struct json *j = &s->j;
    if (!s->is_open) {
        json_init(j, out, 2);
        json_object(j);
        json_key_list(j, "results");
        s->is_open = true;
    }
    struct arena scratch = *x->arena;
    const struct series_record *durations =
        series_find(x->series, x->series_count, PHASE_MEASURED, metric_duration.name);
    size_t n = 0;
    const double *sorted =
        durations ? stats_sort(&scratch, durations->samples, durations->count, &n) : NULL;
    if (n == 0) return;
    struct moments m = moments_of(sorted, n);
    json_object(j);
    json_put_text(j, "command", x->e->label);
    json_put_real(j, "mean", m.mean);
    json_put_real(j, "stddev", moments_sd(&m));
    json_put_real(j, "median", quantile_median(sorted, n));
    put_mean(j, "user", series_find(x->series, x->series_count, PHASE_MEASURED, "user_s"),
             scratch);
    put_mean(j, "system", series_find(x->series, x->series_count, PHASE_MEASURED, "system_s"),
             scratch);
    json_put_real(j, "min", sorted[0]);
    json_put_real(j, "max", sorted[n - 1]);
    put_trials(j, "times", durations, durations, false);
    put_trials(j, "exit_codes",
               series_find(x->series, x->series_count, PHASE_MEASURED, "exit_code"), durations,
               true);
    json_end(j);
}

static void end(void *state, struct buf *out)
{
    struct state *s = state;
    if (s->is_open) {
        json_end(&s->j);
        json_end(&s->j);
    } else {
        buf_text(out, "{\"results\":[]}");
    }
    buf_add_char(out, '\n');
}

const struct exporter exporter_hyperfine = {
    .name = "hyperfine",
    .summary = "as `hyperfine --export-json` writes it",
    .is_latest = true,
    .put = put,
    .end = end,
    .state_size = sizeof(struct state),
};
