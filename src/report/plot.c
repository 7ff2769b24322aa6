/* Plots are data: an answer gives points with labels, intervals and verdicts, marks and a
 * kind, and those who draw (plot_text.c, plot_svg.c) know nothing of the answer. Here are
 * the two kinds of plot that several answers make (effects and worsenings, with margin and
 * limit where the engine has them), and what both who draw need to agree on: axes, numbers,
 * headings and the shape of a verdict, which colour alone never shows. */
#include "report/plot.h"

#include <math.h>

const char *plot_kind_name(enum plot_kind kind)
{
    static const char *const names[] = {[PLOT_INTERVALS] = "intervals",
                                        [PLOT_LINE] = "line",
                                        [PLOT_POINTS] = "points",
                                        [PLOT_BARS] = "bars"};
    return names[kind];
}

LAYOUT_CALL_IS(put_kind, json_text, const struct plot *x, plot_kind_name(x->kind))
LAYOUT_CALL_IS(put_verdict, json_text, const struct plot_point *p,
               p->has_verdict ? verdict_name(p->verdict) : NULL)

#define OF struct plot_axis
static const struct layout_field axis_fields[] = {
    LAYOUT_FIELD("name", name, "what is on the axis"),
    LAYOUT_FIELD("unit", unit, "its unit; null for a bare number"),
};
static const struct layout axis_layout = LAYOUT(axis_fields);
#undef OF

#define OF struct plot_point
static const struct layout_field point_fields[] = {
    LAYOUT_FIELD("label", label, "what the point is"),
    LAYOUT_FIELD("x", x, "place on the x axis; 0 without one"),
    LAYOUT_FIELD("y", y, "value"),
    LAYOUT_FIELD("low", low, "lower end of its interval"),
    LAYOUT_FIELD("high", high, "upper end of its interval"),
    LAYOUT_CALL("verdict", put_verdict, "string", "better, worse, equivalent or undecided"),
};
static const struct layout point_layout = LAYOUT_OF(OF, point_fields);
#undef OF

#define OF struct plot_series
static const struct layout_field series_fields[] = {
    LAYOUT_FIELD("name", name, "what the points have in common"),
    LAYOUT_LIST("points", points, count, &point_layout, "in the order of drawing"),
};
static const struct layout series_layout = LAYOUT_OF(OF, series_fields);
#undef OF

#define OF struct plot_mark
static const struct layout_field mark_fields[] = {
    LAYOUT_FIELD("label", label, "what the line is"),
    LAYOUT_FIELD("at", at, "its place on the axis"),
    LAYOUT_FIELD("on_x", is_on_x, "on the x axis, else on the y axis"),
};
static const struct layout mark_layout = LAYOUT_OF(OF, mark_fields);
#undef OF

#define OF struct plot
static const struct layout_field plot_fields[] = {
    LAYOUT_FIELD("title", title, "what it shows"),
    LAYOUT_CALL("kind", put_kind, "string", "intervals, line, points or bars"),
    LAYOUT_OBJECT("x", x, &axis_layout, "the x axis"),
    LAYOUT_OBJECT("y", y, &axis_layout, "the y axis; of intervals the only one"),
    LAYOUT_LIST("series", series, series_count, &series_layout, "what is drawn"),
    LAYOUT_LIST("marks", marks, mark_count, &mark_layout, "lines to compare it with"),
};
const struct layout plot_layout = LAYOUT_OF(OF, plot_fields);
#undef OF

/* ---- making them ---- */

struct plot_list plot_one(const struct plot *plot, const struct plot_point *points,
                          size_t count, struct arena *out)
{
    struct plot_series *series = arena_new(out, struct plot_series, 1);
    *series = (struct plot_series){.points = points, .count = count};
    struct plot *copy = arena_new(out, struct plot, 1);
    *copy = *plot;
    copy->series = series;
    copy->series_count = 1;
    return (struct plot_list){copy, 1};
}

static struct plot_point effect_point(const struct plot_effect *of)
{
    const struct verdict_answer *a = of->answer;
    const struct verdict_effect *e = &a->effect;
    struct plot_point p = {.label = of->label, .verdict = a->verdict, .has_verdict = true};
    if (a->kind == KIND_RATIO) {
        p.y = e->ratio;
        p.low = e->low;
        p.high = e->high;
        return p;
    }
    double factor = a->kind == KIND_SHARE ? 100 : 1;
    p.y = factor * e->shift;
    p.low = factor * e->shift_low;
    p.high = factor * e->shift_high;
    return p;
}

/* Margin and limit as they are on the axis (stats/verdict.h). */
static size_t effect_marks(const struct verdict_answer *a, struct plot_mark *marks)
{
    size_t n = 0;
    bool is_ratio = a->kind == KIND_RATIO;
    double unit = a->kind == KIND_SHARE ? 100 : fabs(a->arm[0].centre);
    marks[n++] = (struct plot_mark){"no difference", is_ratio ? 1 : 0, false};
    if (a->margin > 0) {
        marks[n++] = (struct plot_mark){
            "margin", is_ratio ? 1 / (1 + a->margin) : -unit * a->margin, false};
        marks[n++] =
            (struct plot_mark){"margin", is_ratio ? 1 + a->margin : unit * a->margin, false};
    }
    if (a->limit > 0) {
        double sign = a->higher_is_better ? -1 : 1;
        marks[n++] = (struct plot_mark){
            "limit", is_ratio ? 1 + sign * a->limit : sign * unit * a->limit, false};
    }
    return n;
}

struct plot_list plot_effects(const struct plot_effect *effects, size_t count,
                              const char *title, const char *unit, struct arena *out)
{
    enum { MARKS_MAX = 4 };
    struct plot_point *points = arena_new(out, struct plot_point, count + 1);
    const struct verdict_answer *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct verdict_answer *a = effects[i].answer;
        struct plot_point p = effect_point(&effects[i]);
        if (!isfinite(p.y) || (first && a->kind != first->kind)) continue;
        if (!first) first = a;
        points[n++] = p;
    }
    if (n == 0) return (struct plot_list){0};
    struct plot_mark *marks = arena_new(out, struct plot_mark, MARKS_MAX);
    const struct plot_axis axes[] = {[KIND_RATIO] = {"B / A", NULL},
                                     [KIND_SHARE] = {"B - A", "points"},
                                     [KIND_SHIFT] = {"B - A", unit}};
    const struct plot plot = {.title = title,
                              .kind = PLOT_INTERVALS,
                              .y = axes[first->kind],
                              .marks = marks,
                              .mark_count = effect_marks(first, marks)};
    return plot_one(&plot, points, n, out);
}

static enum verdict worsening_verdict(const struct plot_worse *row)
{
    if (row->is_open) return VERDICT_UNDECIDED;
    if (row->w->high < 0) return VERDICT_BETTER;
    return row->w->verdict == VERDICT_BETTER ? VERDICT_UNDECIDED : row->w->verdict;
}

struct plot_list plot_worsening(const struct plot_worse *rows, size_t count, const char *title,
                                double limit, struct arena *out)
{
    struct plot_point *points = arena_new(out, struct plot_point, count + 1);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct worsening *w = rows[i].w;
        if (!isfinite(w->amount)) continue;
        points[n++] = (struct plot_point){.label = rows[i].label,
                                          .y = 100 * w->amount,
                                          .low = 100 * w->low,
                                          .high = 100 * w->high,
                                          .verdict = worsening_verdict(&rows[i]),
                                          .has_verdict = true};
    }
    if (n == 0) return (struct plot_list){0};
    struct plot_mark *marks = arena_new(out, struct plot_mark, 2);
    marks[0] = (struct plot_mark){"no difference", 0, false};
    marks[1] = (struct plot_mark){"limit", 100 * limit, false};
    const struct plot plot = {.title = title,
                              .kind = PLOT_INTERVALS,
                              .y = {"worse by", "%"},
                              .marks = marks,
                              .mark_count = isfinite(limit) ? 2 : 1};
    return plot_one(&plot, points, n, out);
}

/* ---- what those who draw share ---- */

bool plot_has_points(const struct plot *plot)
{
    for (size_t s = 0; s < plot->series_count; s++) {
        for (size_t i = 0; i < plot->series[s].count; i++) {
            if (isfinite(plot->series[s].points[i].y)) return true;
        }
    }
    return false;
}

static void widen(double v, double range[2])
{
    if (!isfinite(v)) return;
    range[0] = fmin(range[0], v);
    range[1] = fmax(range[1], v);
}

static struct axis axis_of(const struct plot *plot, bool is_x)
{
    double range[2] = {INFINITY, -INFINITY};
    for (size_t s = 0; s < plot->series_count; s++) {
        for (size_t i = 0; i < plot->series[s].count; i++) {
            const struct plot_point *p = &plot->series[s].points[i];
            if (is_x) {
                widen(p->x, range);
                continue;
            }
            widen(p->y, range);
            widen(p->low, range);
            widen(p->high, range);
        }
    }
    for (size_t i = 0; i < plot->mark_count; i++) {
        if (plot->marks[i].is_on_x == is_x) widen(plot->marks[i].at, range);
    }
    if (plot->kind == PLOT_BARS && !is_x) widen(0, range);
    return axis_make(range[0], range[1]);
}

struct axis plot_x_axis(const struct plot *plot)
{
    return axis_of(plot, true);
}

struct axis plot_y_axis(const struct plot *plot)
{
    return axis_of(plot, false);
}

/* Units that no prefix goes with are said once, in the heading. */
static bool is_bare(const struct plot_axis *axis)
{
    return !axis->unit || strcmp(axis->unit, "points") == 0 || strcmp(axis->unit, "%") == 0 ||
           strcmp(axis->unit, "1") == 0;
}

const char *plot_number(const struct plot_axis *axis, double value, char *text)
{
    if (isinf(value)) { /* an open end */
        snprintf(text, HUMAN_SIZE, "%s", value > 0 ? "∞" : "-∞");
        return text;
    }
    if (!is_bare(axis)) return human_value(axis->unit, value, text);
    snprintf(text, HUMAN_SIZE, "%.4g", fabs(value) < 1e-12 ? 0 : value);
    return text;
}

const char *plot_heading(const struct plot *plot, struct arena *out)
{
    const struct plot_axis *y = &plot->y;
    bool has_name = y->name && strcmp(y->name, plot->title) != 0;
    bool has_unit = y->unit && is_bare(y) && strcmp(y->unit, "1") != 0;
    return arena_printf(out, "%s%s%s%s%s%s", plot->title, has_name ? ": " : "",
                        has_name ? y->name : "", has_unit ? " (" : "", has_unit ? y->unit : "",
                        has_unit ? ")" : "");
}

const char *plot_shape(enum verdict verdict)
{
    static const char *const shapes[] = {[VERDICT_UNDECIDED] = "○ ",
                                         [VERDICT_BETTER] = "▲ ",
                                         [VERDICT_WORSE] = "▼ ",
                                         [VERDICT_EQUIVALENT] = "▮▮"};
    return shapes[verdict];
}
