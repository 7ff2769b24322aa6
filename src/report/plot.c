#include "report/plot.h"

const char *plot_kind_name(enum plot_kind kind)
{
    static const char *const names[] = {[PLOT_INTERVALS] = "intervals",
                                        [PLOT_LINE] = "line",
                                        [PLOT_POINTS] = "points",
                                        [PLOT_BARS] = "bars"};
    return names[kind];
}

static void put_kind(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    json_text(j, plot_kind_name(((const struct plot *)owner)->kind));
}

static void put_verdict(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct plot_point *p = owner;
    json_text(j, p->has_verdict ? verdict_name(p->verdict) : NULL);
}

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
    LAYOUT_FIELD("x", x, "place on the x axis; 0 where there is none"),
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
    LAYOUT_FIELD("at", at, "where it stands"),
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
    LAYOUT_LIST("marks", marks, mark_count, &mark_layout, "lines to hold it against"),
};
const struct layout plot_layout = LAYOUT_OF(OF, plot_fields);
#undef OF
