/* plot.h - a picture as data: what an answer would rather show than tell.
 *
 * An answer says what is on the axes and gives the numbers; whoever draws (the terminal,
 * the HTML report, the page) knows kinds of pictures and nothing of answers. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/human.h"
#include "base/layout.h"
#include "judge/worsening.h"
#include "report/axis.h"

enum plot_kind {
    PLOT_INTERVALS, /* a row for each point: label, y with low and high along one axis */
    PLOT_LINE,      /* points over x, joined but for gaps (y is NaN); low and high: a band */
    PLOT_POINTS,    /* points over x, each with its interval */
    PLOT_BARS,      /* a bar for each label, from 0 to y */
};

struct plot_axis {
    const char *name;
    const char *unit; /* as in metrics: "s", "1", "USD"; NULL: a bare number */
};

struct plot_point {
    const char *label; /* may be NULL */
    double x;          /* not of intervals and bars */
    double y;
    double low, high;     /* of y; NaN: none */
    enum verdict verdict; /* gives shape and colour where `has_verdict` */
    bool has_verdict;
};

struct plot_series {
    const char *name; /* may be NULL where there is one */
    const struct plot_point *points;
    size_t count;
};

struct plot_mark { /* a value to compare the others with: a limit, no difference, a change */
    const char *label;
    double at;
    bool is_on_x;
};

struct plot {
    const char *title;
    enum plot_kind kind;
    struct plot_axis x; /* not of intervals and bars */
    struct plot_axis y;
    const struct plot_series *series;
    size_t series_count;
    const struct plot_mark *marks;
    size_t mark_count;
};

struct plot_list {
    const struct plot *items;
    size_t count;
};

/* A plot of one series. */
struct plot_list plot_one(const struct plot *plot, const struct plot_point *points,
                          size_t count, struct arena *out);

/* Verdicts as intervals of B against A, in the kind of the first that has one (those of
 * other kinds are left out), with marks at no difference, margin and limit. `unit` is that
 * of shifts. Nothing measured: no plot. */
struct plot_effect {
    const char *label;
    const struct verdict_answer *answer;
};
struct plot_list plot_effects(const struct plot_effect *effects, size_t count,
                              const char *title, const char *unit, struct arena *out);

/* By how much something is worse (above 0), with marks at no difference and the limit. What
 * keeps within a limit is not better for that, nor the same: only the engine's own word and an
 * interval on the better side are shown as that. */
struct plot_worse {
    const char *label;
    const struct worsening *w;
    bool is_open; /* undecided, whatever the interval says */
};
struct plot_list plot_worsening(const struct plot_worse *rows, size_t count, const char *title,
                                double limit, struct arena *out);

const char *plot_kind_name(enum plot_kind kind);

/* The keys title, kind, x, y, series, marks. */
extern const struct layout plot_layout;

/* ---- what those who draw share ---- */

bool plot_has_points(const struct plot *plot);

/* An axis that holds all finite values, ends of intervals and marks; finite itself. */
struct axis plot_x_axis(const struct plot *plot);
struct axis plot_y_axis(const struct plot *plot);

/* "1.082", "12.5 ms": a value on that axis, in HUMAN_SIZE bytes; returns them. */
const char *plot_number(const struct plot_axis *axis, double value, char *text);

/* "latency_s of B against A: B / A", "sums: worse by (%)". */
const char *plot_heading(const struct plot *plot, struct arena *out);

/* Two columns: "▲ " better, "▼ " worse, "▮▮" equivalent, "○ " undecided. */
const char *plot_shape(enum verdict verdict);

/* ---- drawing ---- */

enum { PLOT_TEXT_LEAST = 60 }; /* columns: below, words say it better */

/* Rows of characters, at most `width` columns; no colours, verdicts by their shape. Nothing to
 * draw, or fewer than PLOT_TEXT_LEAST columns: nothing. */
void plot_text(const struct plot *plot, int width, struct arena scratch, struct buf *out);

/* One SVG of that width in pixels, the plots below each other. It needs no style sheet: its
 * colours are attributes, and classes with which a page or a dark screen changes them. */
void plot_svg(struct plot_list plots, int width, struct buf *out);

#endif
