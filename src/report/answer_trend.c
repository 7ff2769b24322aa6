/* A history with its changes. */
#include "base/clock.h"
#include "base/human.h"
#include "base/id.h"
#include "history/trend.h"
#include "report/answers.h"
#include "report/words.h"

#include <math.h>

enum { LINE_COLUMNS = 72 };

/* ---- JSON ---- */

/* A change refers to a point: written with its series at hand. */
static void put_change(struct json *j, const struct trend_series *s, size_t i)
{
    const struct change_point *p = &s->changes[i];
    const struct trend_point *at = &s->points[p->index];
    json_object(j);
    json_put_int(j, "index", (int64_t)p->index);
    json_put_real(j, "before", p->before);
    json_put_real(j, "after", p->after);
    json_put_real(j, "change", p->change);
    json_put_real(j, "p", p->p);
    json_put_text(j, "kind", trend_kind(s, i));
    json_put_text(j, "run", at->run_id);
    json_put_text(j, "commit", at->commit);
    json_end(j);
}

static void put_changes(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct trend_series *s = owner;
    json_list(j);
    for (size_t i = 0; i < s->change_count; i++) put_change(j, s, i);
    json_end(j);
}

#define OF struct trend_series
static const struct layout_field drift_fields[] = {
    LAYOUT_FIELD("slope", drift.slope, "share of the level per point"),
    LAYOUT_FIELD("low", drift.low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("high", drift.high, "upper end"),
    LAYOUT_FIELD("total", drift.total, "from the first point to the last"),
    LAYOUT_FIELD("p", drift.p, "of no drift"),
};
static const struct layout drift_layout = LAYOUT(drift_fields);
#undef OF

static void put_drift(struct json *j, const void *owner, const void *whole)
{
    const struct trend_series *s = owner;
    if (s->drift.is_found)
        layout_put(j, &drift_layout, s, whole);
    else
        json_null(j);
}

#define OF struct trend_series
static const struct layout_field move_fields[] = {
    LAYOUT_FIELD("from", moves.from, "median of the first five points"),
    LAYOUT_FIELD("to", moves.to, "of the last five"),
    LAYOUT_FIELD("low", moves.low, "the lowest median of five points"),
    LAYOUT_FIELD("high", moves.high, "the highest"),
};
static const struct layout move_layout = LAYOUT(move_fields);
#undef OF

static void put_moves(struct json *j, const void *owner, const void *whole)
{
    const struct trend_series *s = owner;
    if (s->moves.is_found)
        layout_put(j, &move_layout, s, whole);
    else
        json_null(j);
}

LAYOUT_CALL_IS(put_too_few, json_bool, const struct trend_series *x, x->too_few > 0)

static void put_expected(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct trend_series *s = owner;
    json_list(j);
    json_real(j, s->expected_low);
    json_real(j, s->expected_high);
    json_end(j);
}

static void put_missed(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct trend_rates *r = owner;
    json_list(j);
    for (size_t i = 0; i < TREND_STEPS; i++) {
        json_object(j);
        json_put_real(j, "step", r->steps[i]);
        json_put_real(j, "share", r->missed[i]);
        json_end(j);
    }
    json_end(j);
}

#define OF struct trend_rates
static const struct layout_field rate_fields[] = {
    LAYOUT_FIELD("series", deals, "made for each rate"),
    LAYOUT_FIELD("block", block, "points that stayed together"),
    LAYOUT_FIELD("false_alarms", false_alarms, "share of series without a change"),
    LAYOUT_CALL("missed", put_missed, "array", "share of series with a step of that size"),
};
static const struct layout rate_layout = LAYOUT(rate_fields);
#undef OF

static void put_rates(struct json *j, const void *owner, const void *whole)
{
    const struct trend_series *s = owner;
    if (s->rates.deals > 0)
        layout_put(j, &rate_layout, &s->rates, whole);
    else
        json_null(j);
}

LAYOUT_WORD_IS(direction_of, const struct trend_series *x, direction_name(x->direction))
LAYOUT_SENTENCE_IS(note_of, const struct trend_series *x,
                   x->unlike ? arena_printf(scratch,
                                            "%zu older executions measured it by another unit "
                                            "or definition and are left out",
                                            x->unlike)
                             : NULL)

/* "duration changed by +18.4 % on 2026-11-12 with 9c41e0a, which is worse; 10 ms before,
 * 11.8 ms since, 2 changes in 48 points". */
static const char *series_sentence(const void *owner, struct arena *out)
{
    const struct trend_series *s = owner;
    const char *metric = words_metric(s->metric, out);
    if (s->too_few > 0) {
        return arena_printf(out, "%s has too few points to see a change; %zu of at least %zu",
                            metric, s->count, s->too_few);
    }
    if (s->change_count == 0) {
        const char *drift =
            s->drift.is_found
                ? arena_printf(out, ", but it drifts by %+.1f %% in all", 100 * s->drift.total)
            : s->moves.is_found ? ", but its level moves: look at the plot"
                                : "";
        return arena_printf(out, "No change of %s was found in %zu points%s", metric, s->count,
                            drift);
    }
    const struct change_point *p = &s->changes[s->change_count - 1];
    const struct trend_point *at = &s->points[p->index];
    const char *kind = trend_kind(s, s->change_count - 1);
    char stamp[CLOCK_STAMP_SIZE];
    char text[2][HUMAN_SIZE];
    const char *commit = at->commit ? arena_printf(out, " with %.7s", at->commit) : "";
    const char *change =
        isfinite(p->change) ? arena_printf(out, " by %+.1f %%", 100 * p->change) : "";
    const char *verdict = strcmp(kind, "degradation") == 0   ? ", which is worse"
                          : strcmp(kind, "improvement") == 0 ? ", which is better"
                                                             : "";
    return arena_printf(out,
                        "%s changed%s on %.10s%s%s; %s before, %s since, %zu change%s in "
                        "%zu points",
                        metric, change, clock_stamp(at->at_ns, stamp), commit, verdict,
                        human_value(s->unit, p->before, text[0]),
                        human_value(s->unit, p->after, text[1]), s->change_count,
                        PLURAL(s->change_count), s->count);
}

#define OF struct trend_point
static const struct layout_field point_fields[] = {
    LAYOUT_STAMP("at", at_ns, "start of the run, the day or the week"),
    LAYOUT_FIELD("value", value, "the level: of shares and sums the mean, else the median"),
    LAYOUT_FIELD("low", low, "lower end of its 95 % interval; null: too few"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_FIELD("n", n, "cases, or trials"),
    LAYOUT_FIELD("run", run_id, "the newest in it"),
    LAYOUT_FIELD("commit", commit, "null: unknown"),
};
static const struct layout point_layout = LAYOUT_OF(OF, point_fields);
#undef OF

#define OF struct trend_series
static const struct layout_field finding_fields[] = {
    LAYOUT_FIELD("n", count, "points"),
    LAYOUT_CALL("change_points", put_changes, "array", "where the level changed"),
    LAYOUT_CALL("drift", put_drift, "object", "null: none"),
    LAYOUT_CALL("moves", put_moves, "object",
                "the level moves, but neither by one step nor along a line; null: no"),
    LAYOUT_CALL("too_few", put_too_few, "boolean", "fewer points than any change takes"),
    LAYOUT_CALL("rates", put_rates, "object", "how far to trust it; null: not measured"),
    LAYOUT_CALL("expected", put_expected, "array", "99 % interval of the newest value"),
};
static const struct layout finding_layout = LAYOUT(finding_fields);

static const struct layout_field series_fields[] = {
    LAYOUT_FIELD("label", label, "of the cell"),
    LAYOUT_FIELD("experiment", experiment, "of the cell"),
    LAYOUT_FIELD("metric", metric, "its name"),
    LAYOUT_FIELD("unit", unit, "of its values"),
    LAYOUT_WORD("direction", direction_of, "lower, higher or none: which is better"),
    LAYOUT_FIELD("host", host, "null: unknown, or all"),
    LAYOUT_ALSO(&finding_layout),
    LAYOUT_SENTENCE("note", note_of, "points left out and why"),
    LAYOUT_SENTENCE("sentence", series_sentence, "where its level changed last, in words"),
    LAYOUT_LIST("points", points, count, &point_layout, "in the order of their commits"),
};
static const struct layout series_layout = LAYOUT_OF(OF, series_fields);
#undef OF

static const char *by_of(const void *owner)
{
    static const char *const names[] = {"run", "day", "week"};
    const struct trend *t = owner;
    return t->file ? NULL : names[t->question.by];
}

LAYOUT_WORD_IS(detector_of, const struct trend *x,
               change_detector_name(x->question.change.detector))

#define OF struct trend
static const struct layout_field trend_fields[] = {
    LAYOUT_WORD("by", by_of, "run, day or week: what a point stands for; null of a file"),
    LAYOUT_PART_OF(file, &finding_layout),
    LAYOUT_WORD("detector", detector_of, "how changes were found"),
    LAYOUT_LIST("series", series, count, &series_layout, "one for each cell; none of a file"),
    LAYOUT_FIELD("left_out", left_out, "further cells"),
    LAYOUT_FIELD("unfinished", unfinished,
                 "executions that did not finish: they are not points"),
};
static const struct layout trend_layout = LAYOUT(trend_fields);
#undef OF

/* ---- text ---- */

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

static void put_change_text(const struct trend_series *s, size_t i, struct buf *out)
{
    const struct change_point *p = &s->changes[i];
    char text[2][HUMAN_SIZE];
    const struct trend_point *at = &s->points[p->index];
    buf_printf(out, "  ^ %s at point %zu", trend_kind(s, i), p->index);
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

static void put_moves_text(const struct trend_series *s, struct buf *out)
{
    const struct trend_moves *m = &s->moves;
    char text[4][HUMAN_SIZE];
    buf_printf(
        out,
        "  ! the level moves, from %s to %s (between %s and %s), but neither one step nor a "
        "straight line fits: look at the plot (--plot trend.svg)\n",
        human_value(s->unit, m->from, text[0]), human_value(s->unit, m->to, text[1]),
        human_value(s->unit, m->low, text[2]), human_value(s->unit, m->high, text[3]));
}

static void put_series(const struct trend_series *s, const char *detector, struct buf *out)
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
                   PLURAL(s->change_count));
    }
    if (s->count > 1) put_line(s, out);
    for (size_t i = 0; i < s->change_count; i++) put_change_text(s, i, out);
    if (s->drift.is_found) put_drift_text(&s->drift, out);
    if (s->moves.is_found) put_moves_text(s, out);
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
    struct arena scratch = arena_open();
    const char *note = note_of(s, &scratch);
    if (note) buf_printf(out, "  ! %s\n", note);
    arena_close(&scratch);
}

static void trend_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct trend *t = answer;
    const char *detector = detector_of(t);
    if (t->file) put_series(t->file, detector, out);
    for (size_t i = 0; i < t->count; i++) {
        if (i > 0) buf_add_char(out, '\n');
        put_series(&t->series[i], detector, out);
    }
    if (t->left_out > 0) {
        buf_printf(out,
                   "\n%zu more cells have such a history; --experiment, --label, --agent "
                   "or --benchmark choose among them\n",
                   t->left_out);
    }
    if (t->unfinished > 0) {
        buf_printf(out, "\n%zu execution%s left out: %s did not finish\n", t->unfinished,
                   t->unfinished == 1 ? " is" : "s are", t->unfinished == 1 ? "it" : "they");
    }
}

/* ---- plots ---- */

/* The values as points, the levels between changes as a line, and on the newest point what
 * was expected of it. */
static struct plot plot_of(const struct trend_series *s, struct arena *out)
{
    struct plot_series *series = arena_new(out, struct plot_series, 2);
    struct plot_point *values = arena_new(out, struct plot_point, s->count + 1);
    struct plot_point *levels =
        arena_new(out, struct plot_point, s->count + s->change_count + 1);
    struct plot_mark *marks = arena_new(out, struct plot_mark, s->change_count + 1);
    size_t n = 0;
    size_t level_count = 0;
    size_t change = 0;
    for (size_t i = 0; i < s->count; i++) {
        while (change < s->change_count && s->changes[change].index <= i) {
            change++;
            levels[level_count++] = (struct plot_point){.x = (double)i - 0.5,
                                                        .y = (double)NAN,
                                                        .low = (double)NAN,
                                                        .high = (double)NAN};
        }
        double x = (double)i;
        bool is_newest = i + 1 == s->count;
        if (isfinite(s->points[i].value)) {
            values[n++] =
                (struct plot_point){.label = s->points[i].commit,
                                    .x = x,
                                    .y = s->points[i].value,
                                    .low = is_newest ? s->expected_low : (double)NAN,
                                    .high = is_newest ? s->expected_high : (double)NAN};
        }
        if (s->change_count == 0) continue;
        double level = change ? s->changes[change - 1].after : s->changes[0].before;
        levels[level_count++] =
            (struct plot_point){.x = x, .y = level, .low = (double)NAN, .high = (double)NAN};
    }
    for (size_t i = 0; i < s->change_count; i++) {
        const struct change_point *p = &s->changes[i];
        marks[i] = (struct plot_mark){
            .label =
                isfinite(p->change) ? arena_printf(out, "%+.1f %%", 100 * p->change) : "change",
            .at = (double)p->index - 0.5,
            .is_on_x = true};
    }
    series[0] = (struct plot_series){"values", values, n};
    series[1] = (struct plot_series){"level", levels, level_count};
    return (struct plot){.title = s->label ? s->label : "values of the file",
                         .kind = PLOT_LINE,
                         .x = {"point", NULL},
                         .y = {s->metric ? s->metric : "value", s->unit},
                         .series = series,
                         .series_count = level_count > 0 ? 2 : 1,
                         .marks = marks,
                         .mark_count = s->change_count};
}

static struct plot_list trend_plots(const void *answer, struct arena *out)
{
    const struct trend *t = answer;
    struct plot *plots = arena_new(out, struct plot, t->count + 2);
    size_t n = 0;
    if (t->file && t->file->count > 0) plots[n++] = plot_of(t->file, out);
    for (size_t i = 0; i < t->count; i++) {
        if (t->series[i].count > 0) plots[n++] = plot_of(&t->series[i], out);
    }
    return (struct plot_list){plots, n};
}

const struct answer answer_trend = {
    ANSWER_NAME("trend"),
    .summary = "history of a metric, with the places where its level changed",
    .layout = &trend_layout,
    .judges = true,
    .text = trend_text,
    .plots = trend_plots,
};
