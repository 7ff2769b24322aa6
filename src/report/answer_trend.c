#include "report/answer_trend.h"

#include "base/clock.h"
#include "base/human.h"
#include "base/str.h"

#include <math.h>

enum { LINE_COLUMNS = 72 };

static void put_change(struct json *j, const struct trend_series *s,
                       const struct change_point *p)
{
    json_object(j);
    json_put_int(j, "index", (int64_t)p->index);
    json_put_real(j, "before", p->before);
    json_put_real(j, "after", p->after);
    json_put_real(j, "change", p->change);
    json_put_real(j, "p", p->p);
    if (s->points[p->index].run_id) {
        json_put_text(j, "kind", trend_kind(p, s->direction));
        json_put_text(j, "run", s->points[p->index].run_id);
        json_put_text(j, "commit", s->points[p->index].commit);
    }
    json_end(j);
}

static void put_changes(struct json *j, const struct trend_series *s)
{
    json_put_int(j, "n", (int64_t)s->count);
    json_key(j, "change_points");
    json_list(j);
    for (size_t i = 0; i < s->change_count; i++) put_change(j, s, &s->changes[i]);
    json_end(j);
}

static void put_findings(struct json *j, const struct trend_series *s)
{
    const struct change_drift *d = &s->drift;
    put_changes(j, s);
    json_key(j, "drift");
    if (d->is_found) {
        json_object(j);
        json_put_real(j, "slope", d->slope);
        json_put_real(j, "low", d->low);
        json_put_real(j, "high", d->high);
        json_put_real(j, "total", d->total);
        json_put_real(j, "p", d->p);
        json_end(j);
    } else {
        json_null(j);
    }
    json_put_bool(j, "too_few", s->too_few > 0);
}

static void put_expected(struct json *j, const struct trend_series *s)
{
    json_key(j, "expected");
    json_list(j);
    json_real(j, s->expected_low);
    json_real(j, s->expected_high);
    json_end(j);
}

static void put_rates(struct json *j, const struct trend_rates *r)
{
    json_key(j, "rates");
    if (r->deals == 0) {
        json_null(j);
        return;
    }
    json_object(j);
    json_put_int(j, "series", (int64_t)r->deals);
    json_put_int(j, "block", (int64_t)r->block);
    json_put_real(j, "false_alarms", r->false_alarms);
    json_key(j, "missed");
    json_list(j);
    for (size_t i = 0; i < TREND_STEPS; i++) {
        json_object(j);
        json_put_real(j, "step", r->steps[i]);
        json_put_real(j, "share", r->missed[i]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void trend_samples_json(const struct trend_series *s, const char *detector, struct buf *out)
{
    struct json j;
    json_open(&j, out, "assay.trend/1");
    put_findings(&j, s);
    json_put_text(&j, "detector", detector);
    if (s->rates.deals > 0) put_rates(&j, &s->rates);
    put_expected(&j, s);
    json_close(&j);
}

static void put_series(struct json *j, const struct trend_series *s)
{
    char stamp[CLOCK_STAMP_SIZE];
    json_object(j);
    json_put_text(j, "label", s->label);
    json_put_text(j, "experiment", s->experiment);
    json_put_text(j, "metric", s->metric);
    json_put_text(j, "unit", s->unit);
    json_put_text(j, "direction", direction_name(s->direction));
    json_put_text(j, "host", s->host);
    put_findings(j, s);
    put_rates(j, &s->rates);
    put_expected(j, s);
    json_put_text(j, "note", s->note);
    json_key(j, "points");
    json_list(j);
    for (size_t i = 0; i < s->count; i++) {
        const struct trend_point *p = &s->points[i];
        json_object(j);
        json_put_text(j, "at", clock_stamp(p->at_ns, stamp));
        json_put_real(j, "value", p->value);
        json_put_int(j, "n", (int64_t)p->n);
        json_put_text(j, "run", p->run_id);
        json_put_text(j, "commit", p->commit);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void trend_json(const struct trend *trend, const struct trend_question *q, struct buf *out)
{
    static const char *const by[] = {"run", "day", "week"};
    struct json j;
    json_open(&j, out, "assay.trend/1");
    json_put_text(&j, "by", by[q->by]);
    json_put_text(&j, "detector", change_detector_name(q->change.detector));
    json_key(&j, "series");
    json_list(&j);
    for (size_t i = 0; i < trend->count; i++) put_series(&j, &trend->series[i]);
    json_end(&j);
    json_put_int(&j, "left_out", (int64_t)trend->left_out);
    json_close(&j);
}

/* Column k stands for points [k n / columns, (k + 1) n / columns): their mean. */
static void put_line(const struct trend_series *s, struct buf *out)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t columns = s->count < LINE_COLUMNS ? s->count : LINE_COLUMNS;
    double low = INFINITY;
    double high = -INFINITY;
    double means[LINE_COLUMNS];
    for (size_t k = 0; k < columns; k++) {
        double sum = 0;
        size_t n = 0;
        for (size_t i = k * s->count / columns; i < (k + 1) * s->count / columns; i++) {
            if (!isfinite(s->points[i].value)) continue;
            sum += s->points[i].value;
            n++;
        }
        means[k] = n ? sum / (double)n : (double)NAN;
        low = fmin(low, means[k]);
        high = fmax(high, means[k]);
    }
    buf_text(out, "  ");
    for (size_t k = 0; k < columns; k++) {
        double place = high > low ? (means[k] - low) / (high - low) : 0.5;
        buf_text(out, isnan(place) ? " " : blocks[(size_t)fmin(7, floor(place * 8))]);
    }
    char text[2][HUMAN_SIZE];
    buf_printf(out, "  %s to %s\n", human_value(s->unit, low, text[0]),
               human_value(s->unit, high, text[1]));
    if (s->change_count == 0) return;
    char marks[LINE_COLUMNS + 1];
    memset(marks, ' ', sizeof marks);
    size_t last = 0;
    for (size_t i = 0; i < s->change_count; i++) {
        last = s->changes[i].index * columns / s->count;
        marks[last] = '^';
    }
    buf_printf(out, "  %.*s\n", (int)last + 1, marks);
}

static void put_change_text(const struct trend_series *s, const struct change_point *p,
                            struct buf *out)
{
    char text[2][HUMAN_SIZE];
    const struct trend_point *at = &s->points[p->index];
    buf_printf(out, "  ^ %s at point %zu", trend_kind(p, s->direction), p->index);
    if (at->run_id) {
        char stamp[CLOCK_STAMP_SIZE];
        buf_printf(out, " (%.10s, run %s", clock_stamp(at->at_ns, stamp), id_short(at->run_id));
        if (at->commit) buf_printf(out, ", commit %.8s", at->commit);
        buf_add_char(out, ')');
    }
    buf_printf(out, ": %s -> %s", human_value(s->unit, p->before, text[0]),
               human_value(s->unit, p->after, text[1]));
    if (isfinite(p->change)) buf_printf(out, ", %+.1f %%", 100 * p->change);
    if (!isnan(p->p)) buf_printf(out, " (%s)", HUMAN_P(p->p));
    buf_add_char(out, '\n');
}

static void put_rates_text(const struct trend_rates *r, const char *detector, struct buf *out)
{
    if (r->deals == 0) return;
    buf_printf(
        out,
        "  '%s' on this series' own noise, %zu reshufflings of blocks of %zu points (longer "
        "memory is lost): false alarms in %.0f %%",
        detector, r->deals, r->block, 100 * r->false_alarms);
    for (size_t i = 0; i < TREND_STEPS; i++) {
        buf_printf(out, "%s a step of %.0f %% in %.0f %%", i ? "," : "; misses",
                   100 * r->steps[i], 100 * r->missed[i]);
    }
    buf_add_char(out, '\n');
}

static void put_drift_text(const struct change_drift *d, struct buf *out)
{
    buf_printf(out, "  it drifts: %+.2g %% a point [%+.2g, %+.2g], %+.1f %% in all (%s)\n",
               100 * d->slope, 100 * d->low, 100 * d->high, 100 * d->total, HUMAN_P(d->p));
}

void trend_text(const struct trend_series *s, const char *detector, struct buf *out)
{
    if (s->label) {
        buf_printf(out, "%s", s->metric);
        if (s->direction != DIRECTION_NONE) {
            buf_printf(out, " (%s is better)", direction_name(s->direction));
        }
        buf_printf(out, " of %s%s%s, ", s->experiment,
                   strcmp(s->label, s->experiment) == 0 ? "" : ": ",
                   strcmp(s->label, s->experiment) == 0 ? "" : s->label);
        if (s->host) buf_printf(out, "on %s, ", s->host);
    }
    if (s->too_few > 0) {
        buf_printf(out, "too few points to see a change (%zu; needs %zu)\n", s->count,
                   s->too_few);
    } else {
        buf_printf(out, "%zu points, %zu change%s\n", s->count, s->change_count,
                   s->change_count == 1 ? "" : "s");
    }
    if (s->count > 1) put_line(s, out);
    for (size_t i = 0; i < s->change_count; i++) put_change_text(s, &s->changes[i], out);
    if (s->drift.is_found) put_drift_text(&s->drift, out);
    double newest = s->count ? s->points[s->count - 1].value : (double)NAN;
    if (newest < s->expected_low || newest > s->expected_high) {
        char text[3][HUMAN_SIZE];
        buf_printf(out,
                   "  ! the newest value, %s, is outside of what the ones before it predict "
                   "(%s to %s): measure again to confirm\n",
                   human_value(s->unit, newest, text[0]),
                   human_value(s->unit, s->expected_low, text[1]),
                   human_value(s->unit, s->expected_high, text[2]));
    }
    put_rates_text(&s->rates, detector, out);
    if (s->note) buf_printf(out, "  ! %s\n", s->note);
}
