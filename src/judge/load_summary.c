#include "judge/load_summary.h"

#include "stats/hdr.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double sum_of(const struct view_cell *cell, const char *metric)
{
    const struct view_metric *m = view_find_metric(cell, metric);
    double sum = 0;
    for (size_t i = 0; m && i < m->count; i++) sum += isnan(m->samples[i]) ? 0 : m->samples[i];
    return sum;
}

static double mean_of(const struct view_cell *cell, const char *metric)
{
    const struct view_metric *m = view_find_metric(cell, metric);
    return m && cell->trial_count ? sum_of(cell, metric) / (double)cell->trial_count
                                  : (double)NAN;
}

/* NaN where no block has a value. */
static double mean_if_any(const struct view_cell *cell, const char *metric)
{
    const struct view_metric *m = view_find_metric(cell, metric);
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; m && i < m->count; i++) {
        if (isnan(m->samples[i])) continue;
        sum += m->samples[i];
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static const struct view_quantiles *find_quantiles(const struct view_cell *cell,
                                                   const char *name)
{
    for (size_t i = 0; i < cell->merged_count; i++) {
        if (strcmp(cell->merged[i].metric, name) == 0) return &cell->merged[i];
    }
    return NULL;
}

static struct load_latency latency_of(const struct view_cell *cell, const char *name)
{
    const struct view_quantiles *q = find_quantiles(cell, name);
    struct load_latency none = {NAN, NAN, NAN, NAN, NAN};
    if (!q) return none;
    return (struct load_latency){1e3 * q->p50, 1e3 * q->p90, 1e3 * q->p99, 1e3 * q->p999,
                                 1e3 * q->max};
}

/* Over all answers that were checked: a block with many of them counts more. */
static double accuracy_of(const struct view_cell *cell)
{
    const struct view_metric *score = view_find_metric(cell, "accuracy");
    const struct view_metric *checked = view_find_metric(cell, "checked");
    double sum = 0, n = 0;
    for (size_t i = 0; score && checked && i < score->count && i < checked->count; i++) {
        if (isnan(score->samples[i]) || isnan(checked->samples[i])) continue;
        sum += score->samples[i] * checked->samples[i];
        n += checked->samples[i];
    }
    return n > 0 ? sum / n : (double)NAN;
}

/* The verdict that most of its blocks have, if that is not ok: one late send in one of ten
 * blocks spoils nothing. */
static const char *generator_of(const struct view_cell *cell, size_t *spoiled)
{
    const struct view_metric *m = view_find_metric(cell, "generator");
    size_t saturated = 0, skewed = 0;
    for (size_t i = 0; m && i < m->count; i++) {
        saturated += m->samples[i] == 1;
        skewed += m->samples[i] == 2;
    }
    *spoiled = saturated + skewed;
    if (2 * *spoiled <= cell->trial_count) return "ok";
    return saturated >= skewed ? "saturated" : "skewed";
}

/* ---- blocks that the generator did not spoil ---- */

static bool is_sound(const struct view_cell *cell, int64_t trial)
{
    const struct view_metric *m = view_find_metric(cell, "generator");
    return !m || trial < 0 || (size_t)trial >= m->count || !(m->samples[trial] > 0);
}

/* The values of the metric in sound blocks; how many. */
static size_t take_sound(const struct view_cell *cell, const char *metric, double *to)
{
    const struct view_metric *m = view_find_metric(cell, metric);
    size_t n = 0;
    for (size_t i = 0; m && i < m->count; i++) {
        if (is_sound(cell, (int64_t)i) && !isnan(m->samples[i])) to[n++] = m->samples[i];
    }
    return n;
}

static double sound_mean(const struct view_cell *cell, const char *metric, size_t blocks,
                         struct arena scratch)
{
    double *values = arena_new(&scratch, double, cell->trial_count + 1);
    double sum = 0;
    size_t n = take_sound(cell, metric, values);
    for (size_t i = 0; i < n; i++) sum += values[i];
    return blocks > 0 ? sum / (double)blocks : (double)NAN;
}

/* All their requests in one histogram. */
static struct load_latency sound_latency(const struct view_cell *cell)
{
    struct arena scratch = arena_open();
    struct hdr sum = {0};
    bool is_exact = true;
    struct load_latency l = {NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < cell->histogram_count; i++) {
        const struct view_quantiles *q = &cell->histograms[i];
        struct hdr one;
        if (strcmp(q->metric, "response") != 0 || !is_sound(cell, q->trial)) continue;
        if (!hdr_decode(&one, q->data, &scratch, NULL) ||
            !hdr_gather(&sum, &one, &scratch, &is_exact, NULL))
            is_exact = false;
    }
    if (sum.total > 0 && is_exact)
        l = (struct load_latency){
            1e-6 * (double)hdr_percentile(&sum, 50), 1e-6 * (double)hdr_percentile(&sum, 90),
            1e-6 * (double)hdr_percentile(&sum, 99), 1e-6 * (double)hdr_percentile(&sum, 99.9),
            1e-6 * (double)sum.max};
    arena_close(&scratch);
    return l;
}

/* Where none was spoiled, these are the numbers of all. */
static struct load_sound sound_of(const struct view_cell *cell, const struct load_summary *s)
{
    struct load_sound sound = {.response = s->response,
                               .p95_ms = s->p95_ms,
                               .rate = s->rate,
                               .goodput = s->goodput,
                               .blocks = cell->trial_count - s->spoiled};
    if (s->spoiled == 0) return sound;
    struct arena scratch = arena_open();
    double *p95_s = arena_new(&scratch, double, cell->trial_count + 1);
    size_t n = take_sound(cell, "response_p95_s", p95_s);
    stats_sort_inplace(p95_s, n);
    sound.p95_ms = n > 0 ? 1e3 * quantile_median(p95_s, n) : (double)NAN;
    sound.response = sound_latency(cell);
    sound.rate = sound_mean(cell, "rate", sound.blocks, scratch);
    sound.goodput = sound_mean(cell, "goodput", sound.blocks, scratch);
    arena_close(&scratch);
    return sound;
}

/* A block begins with an empty queue: where requests come faster than they are answered,
 * response times grow all through it, by (1 - capacity / rate) of 2/3 of its length, in every
 * block anew. A queue at capacity grows by chance, by 0.86 / sqrt(requests) of the same
 * (judge/breaking.h). */
static bool is_kept_up(const struct view_cell *cell, double seconds, double *growth_ms)
{
    const struct view_metric *growth = view_find_metric(cell, "queue_growth_s");
    const struct view_metric *due = view_find_metric(cell, "scheduled");
    size_t growing = 0, sound = 0;
    *growth_ms = growth ? 1e3 * growth->median : (double)NAN;
    for (size_t i = 0; growth && due && i < growth->count && i < due->count; i++) {
        if (!is_sound(cell, (int64_t)i)) continue;
        double by_chance = 0.86 / sqrt(due->samples[i]) * seconds * 2 / 3;
        growing += growth->samples[i] > by_chance;
        sound++;
    }
    return 10 * growing < 8 * sound || sound == 0;
}

/* Of open load that is kept up with: what was answered, over the time. The mean of the blocks'
 * own rates is apart from that where a block has few requests: 5 a second, all answered, are 4.2
 * from the first answer of each block on. A rate other than `rate` is a share of it. */
static double rate_of_counts(const struct view_cell *cell, const char *metric, double seconds,
                             bool takes_spoiled)
{
    const struct view_metric *ok = view_find_metric(cell, "answered");
    const struct view_metric *rate = view_find_metric(cell, "rate");
    const struct view_metric *m = view_find_metric(cell, metric);
    double sum = 0;
    size_t blocks = 0;
    for (size_t i = 0; i < cell->trial_count; i++) {
        if (!takes_spoiled && !is_sound(cell, (int64_t)i)) continue;
        blocks++;
        if (!ok || !rate || !m || i >= ok->count || i >= rate->count || i >= m->count) continue;
        if (ok->samples[i] > 0 && rate->samples[i] > 0 && !isnan(m->samples[i]))
            sum += ok->samples[i] * m->samples[i] / rate->samples[i];
    }
    return blocks > 0 && seconds > 0 ? sum / ((double)blocks * seconds) : (double)NAN;
}

static void count_rates(const struct view_cell *cell, double seconds, struct load_summary *s)
{
    s->rate = rate_of_counts(cell, "rate", seconds, true);
    s->goodput = rate_of_counts(cell, "goodput", seconds, true);
    if (!isnan(s->turn_rate)) s->turn_rate = rate_of_counts(cell, "turn_rate", seconds, true);
    s->sound.rate = rate_of_counts(cell, "rate", seconds, false);
    s->sound.goodput = rate_of_counts(cell, "goodput", seconds, false);
}

bool load_summary_make(const struct view *view, const struct view_cell *cell, struct arena *out,
                       struct load_summary *s, struct error *err)
{
    if (strcmp(cell->record.experiment, "load") != 0) {
        return error_set(err, ERROR_INVALID, "'%s' is not a load", cell->record.experiment);
    }
    const struct value *params = cell->record.parameters;
    struct str url = value_text(params, "url");
    const struct view_quantiles *lag = find_quantiles(cell, "lag");
    const struct view_metric *p95 = view_find_metric(cell, "response_p95_s");
    *s = (struct load_summary){
        .run_id = view->run.id,
        .url = url.n > 0 ? str_cstr(out, url) : NULL,
        .scheduled = (int64_t)sum_of(cell, "scheduled"),
        .unsent = (int64_t)sum_of(cell, "unsent"),
        .sent = (int64_t)sum_of(cell, "sent"),
        .ok = (int64_t)sum_of(cell, "answered"),
        .failed = (int64_t)sum_of(cell, "failed"),
        .timed_out = (int64_t)sum_of(cell, "timed_out"),
        .cancelled = (int64_t)sum_of(cell, "cancelled"),
        .no_connection = (int64_t)sum_of(cell, "no_connection"),
        .reset = (int64_t)sum_of(cell, "reset"),
        .bad_reply = (int64_t)sum_of(cell, "bad_reply"),
        .bad_status = (int64_t)sum_of(cell, "bad_status"),
        .too_many = (int64_t)sum_of(cell, "too_many_requests"),
        .rate = mean_of(cell, "rate"),
        .goodput = mean_of(cell, "goodput"),
        .turn_rate = mean_if_any(cell, "turn_rate"),
        .accuracy = accuracy_of(cell),
        .checked = (int64_t)sum_of(cell, "checked"),
        .response = latency_of(cell, "response"),
        .service = latency_of(cell, "service"),
        .p95_ms = p95 ? 1e3 * p95->median : (double)NAN,
        .lag_p99_ms = lag ? 1e3 * lag->p99 : (double)NAN,
        .seconds = value_real(params, "seconds") * (double)cell->trial_count,
        .blocks = cell->trial_count,
        .error = cell->record.error_details,
    };
    bool is_open = value_real(params, "rate") > 0 || value_get(params, "trace");
    s->generator = generator_of(cell, &s->spoiled);
    bool is_told = is_open && strcmp(s->generator, "ok") == 0;
    s->keeps_up = is_kept_up(cell, value_real(params, "seconds"), &s->growth_ms) || !is_told;
    s->sound = sound_of(cell, s);
    bool is_counted = is_told && s->keeps_up && view_find_metric(cell, "answered");
    if (is_counted) count_rates(cell, value_real(params, "seconds"), s);
    double cpu_s = sum_of(cell, "generator_cpu_s");
    s->cpu_us_per_request = s->sent > 0 ? 1e6 * cpu_s / (double)s->sent : (double)NAN;
    s->error_share = s->scheduled > 0 ? 1 - (double)s->ok / (double)s->scheduled : (double)NAN;
    for (size_t i = 0; i < cell->note_count && !s->error; i++) s->error = cell->notes[i].error;
    return true;
}

/* ---- limits ---- */

enum limit_unit { UNIT_TIME, UNIT_SHARE, UNIT_BARE };

static const char *const units[] = {
    [UNIT_TIME] = "us|ms|s", [UNIT_SHARE] = "%", [UNIT_BARE] = "/s"};

static const struct {
    const char *name;
    enum limit_unit unit;
    size_t offset;
    double beyond; /* of a time: the share of requests that may take longer */
} limit_rows[] = {
#define AT(member) offsetof(struct load_summary, member)
    {"p50", UNIT_TIME, AT(sound.response.p50), 0.5},
    {"p90", UNIT_TIME, AT(sound.response.p90), 0.1},
    {"p95", UNIT_TIME, AT(sound.p95_ms), 0.05},
    {"p99", UNIT_TIME, AT(sound.response.p99), 0.01},
    {"p999", UNIT_TIME, AT(sound.response.p999), 0.001},
    {"max", UNIT_TIME, AT(sound.response.max), 0},
    {"errors", UNIT_SHARE, AT(error_share), 0},
    {"rate", UNIT_BARE, AT(sound.rate), 0},
    {"goodput", UNIT_BARE, AT(sound.goodput), 0},
    {"accuracy", UNIT_SHARE, AT(accuracy), 0},
#undef AT
};

static double scale_of(enum limit_unit unit, const char *suffix)
{
    static const struct {
        enum limit_unit unit;
        const char *suffix;
        double scale;
    } rows[] = {{UNIT_TIME, "us", 1e-3}, {UNIT_TIME, "ms", 1}, {UNIT_TIME, "s", 1e3},
                {UNIT_SHARE, "%", 0.01}, {UNIT_SHARE, "", 1},  {UNIT_BARE, "", 1},
                {UNIT_BARE, "/s", 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].unit == unit && strcmp(rows[i].suffix, suffix) == 0) return rows[i].scale;
    }
    return NAN;
}

static size_t find_row(const char *name, size_t n)
{
    size_t i = 0;
    while (i < COUNT(limit_rows) &&
           (strlen(limit_rows[i].name) != n || strncmp(limit_rows[i].name, name, n) != 0))
        i++;
    return i;
}

bool load_limit_parse(const char *text, struct load_limit *limit, struct error *err)
{
    size_t n = strcspn(text, "<> \t");
    const char *sign = text + n + strspn(text + n, " \t");
    char *end = NULL;
    double value = *sign ? strtod(sign + 1, &end) : 0;
    *limit = (struct load_limit){.text = text, .metric = find_row(text, n)};
    bool is_number = (*sign == '<' || *sign == '>') && end != sign + 1 && isfinite(value);
    if (limit->metric == COUNT(limit_rows) || !is_number) {
        return error_set(err, ERROR_INVALID,
                         "'%s' is not a limit: write NAME > VALUE or NAME < VALUE, such as "
                         "'p99>200ms'; names: p50, p90, p95, p99, p999, max, errors, rate, "
                         "goodput, accuracy",
                         text);
    }
    end += strspn(end, " \t");
    double scale = scale_of(limit_rows[limit->metric].unit, end);
    if (isnan(scale)) {
        return error_set(err, ERROR_INVALID, "'%s': the unit of %s is %s", text,
                         limit_rows[limit->metric].name, units[limit_rows[limit->metric].unit]);
    }
    limit->is_above = *sign == '>';
    limit->value = value * scale;
    double most = limit_rows[limit->metric].unit == UNIT_SHARE ? 1 : (double)INFINITY;
    bool is_always = limit->is_above ? limit->value < 0 : limit->value > most;
    bool is_never = limit->is_above ? limit->value >= most : limit->value <= 0;
    if (!is_always && !is_never) return true;
    return error_set(err, ERROR_INVALID, "'%s' is %s true: %s is %s", text,
                     is_always ? "always" : "never", limit_rows[limit->metric].name,
                     isinf(most) ? "never below 0" : "between 0 and 100 %");
}

bool load_limit_is_accuracy(const struct load_limit *limit)
{
    return limit_rows[limit->metric].offset == offsetof(struct load_summary, accuracy);
}

double load_limit_value(const struct load_limit *limit, const struct load_summary *summary)
{
    return *(const double *)((const char *)summary + limit_rows[limit->metric].offset);
}

bool load_limit_is_time(const struct load_limit *limit)
{
    return limit_rows[limit->metric].unit == UNIT_TIME;
}

bool load_limit_is_unknown(const struct load_limit *limit, const struct load_summary *summary)
{
    const double rounding = 1e-9;
    return load_limit_is_time(limit) &&
           summary->error_share > limit_rows[limit->metric].beyond + rounding;
}

bool load_limit_is_broken(const struct load_limit *limit, const struct load_summary *summary)
{
    double v = load_limit_value(limit, summary);
    /* Times of a queue that grows pass every limit, given time. */
    if (load_limit_is_time(limit) && limit->is_above && !summary->keeps_up) return true;
    if (limit->is_above && load_limit_is_unknown(limit, summary)) return true;
    return isnan(v) || (limit->is_above ? v > limit->value : v < limit->value);
}

/* Requests that a busy generator never sent are no errors of the server's. */
static double charged_share(const struct load_summary *s)
{
    return s->error_share - (s->unsent > 0 ? (double)s->unsent / (double)s->scheduled : 0);
}

bool load_limit_is_untold(const struct load_limit *limit, const struct load_summary *summary)
{
    if (strcmp(summary->generator, "ok") == 0 || !load_limit_is_broken(limit, summary))
        return false;
    if (load_limit_is_accuracy(limit)) return false;
    struct load_summary sent = *summary;
    sent.error_share = charged_share(summary);
    if (limit_rows[limit->metric].unit == UNIT_SHARE)
        return limit->is_above && !(sent.error_share > limit->value);
    return !load_limit_is_unknown(limit, &sent);
}
