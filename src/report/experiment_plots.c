#include "report/experiment_plots.h"
#include "experiment/experiment.h"
#include "report/format_html.h"

#include <math.h>

/* The cells of one experiment. */
struct group {
    const struct view_cell **cells;
    size_t count;
    struct arena *out;
};

static const struct value *setting(const struct view_cell *cell, const char *name)
{
    return value_get(cell->record.parameters, name);
}

static bool varies(const struct group *g, struct str name)
{
    for (size_t i = 1; i < g->count; i++) {
        const struct value *a = value_find(g->cells[0]->record.parameters, name);
        const struct value *b = value_find(g->cells[i]->record.parameters, name);
        if (!a != !b || (a && !value_equal(a, b))) return true;
    }
    return false;
}

/* What tells a cell from the others but for `x`: "storage=dense, steps=10"; NULL if nothing. */
static const char *rest_of(const struct group *g, const struct view_cell *cell, const char *x)
{
    const struct value *map = cell->record.parameters;
    const char *text = NULL;
    for (size_t i = 0; map && i < map->map.count; i++) {
        const struct value_pair *pair = &map->map.pairs[i];
        if ((x && str_is(pair->key, x)) || !varies(g, pair->key)) continue;
        struct str value = json_of(pair->value, g->out);
        if (pair->value->kind == VALUE_TEXT) value = pair->value->source;
        text = arena_printf(g->out, "%s%s%.*s=%.*s", text ? text : "", text ? ", " : "",
                            STR_ARG(pair->key), STR_ARG(value));
    }
    return text;
}

static struct plot_point point_of(const struct view_metric *m, const char *label, double x)
{
    return (struct plot_point){
        .label = label, .x = x, .y = m->median, .low = m->median_low, .high = m->median_high};
}

static int by_x(const void *a, const void *b)
{
    double x = ((const struct plot_point *)a)->x;
    double y = ((const struct plot_point *)b)->x;
    return (x > y) - (x < y);
}

static bool is_numeric_axis(const struct group *g, const char *x)
{
    if (!x || !varies(g, str_of(x))) return false;
    for (size_t i = 0; i < g->count; i++) {
        const struct value *v = setting(g->cells[i], x);
        if (!v || !value_is_number(v)) return false;
    }
    return true;
}

/* The line with all else as in `cell`; empty if an earlier cell is on the same one. */
static struct plot_series line_of(const struct group *g, size_t cell, const char *x,
                                  const char *metric, bool has_several)
{
    const char *rest = rest_of(g, g->cells[cell], x);
    struct plot_point *points = arena_new(g->out, struct plot_point, g->count);
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        const char *other = rest_of(g, g->cells[i], x);
        if (strcmp(rest ? rest : "", other ? other : "") != 0) continue;
        if (i < cell) return (struct plot_series){0};
        const struct view_metric *m = view_find_metric(g->cells[i], metric);
        if (!m || m->n == 0) continue;
        points[n++] = point_of(m, NULL, value_number(setting(g->cells[i], x)));
    }
    qsort(points, n, sizeof *points, by_x);
    const char *name = has_several && rest ? arena_printf(g->out, "%s, %s", metric, rest)
                       : has_several       ? metric
                                           : rest;
    return (struct plot_series){name, points, n};
}

static const char *unit_of(const struct group *g, const char *metric)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct view_metric *m = view_find_metric(g->cells[i], metric);
        if (m) return m->unit;
    }
    return "1";
}

static struct plot lines(const struct group *g, const struct experiment_plot *row)
{
    size_t metrics = 0;
    while (row->y[metrics]) metrics++;
    struct plot_series *series = arena_new(g->out, struct plot_series, metrics * g->count + 1);
    size_t n = 0;
    for (size_t m = 0; m < metrics; m++) {
        for (size_t i = 0; i < g->count; i++) {
            struct plot_series s = line_of(g, i, row->x, row->y[m], metrics > 1);
            if (s.count > 0) series[n++] = s;
        }
    }
    return (struct plot){
        .title = row->title,
        .kind = PLOT_LINE,
        .x = {row->x, NULL},
        .y = {metrics > 1 ? "value" : row->y[0], unit_of(g, row->y[0])},
        .series = series,
        .series_count = n,
    };
}

static struct plot bars(const struct group *g, const struct experiment_plot *row)
{
    size_t metrics = 0;
    while (row->y[metrics]) metrics++;
    struct plot_point *points = arena_new(g->out, struct plot_point, metrics * g->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        const char *rest = rest_of(g, g->cells[i], NULL);
        for (size_t k = 0; k < metrics; k++) {
            const struct view_metric *m = view_find_metric(g->cells[i], row->y[k]);
            if (!m || m->n == 0) continue;
            const char *label = !rest ? row->y[k]
                                : metrics == 1
                                    ? rest
                                    : arena_printf(g->out, "%s, %s", row->y[k], rest);
            points[n++] = point_of(m, label, 0);
        }
    }
    struct plot_series *series = arena_new(g->out, struct plot_series, 1);
    *series = (struct plot_series){NULL, points, n};
    return (struct plot){
        .title = row->title,
        .kind = PLOT_BARS,
        .y = {metrics == 1 ? row->y[0] : "value", unit_of(g, row->y[0])},
        .series = series,
        .series_count = 1,
    };
}

static struct group group_of(const struct view *view, const char *experiment, struct arena *out)
{
    struct group g = {.cells = arena_new(out, const struct view_cell *, view->cell_count + 1),
                      .out = out};
    for (size_t i = 0; i < view->cell_count; i++) {
        const char *name = view->cells[i].record.experiment;
        if (name && strcmp(name, experiment) == 0) g.cells[g.count++] = &view->cells[i];
    }
    return g;
}

static size_t value_count(const struct plot *plot)
{
    size_t n = 0;
    for (size_t i = 0; i < plot->series_count; i++) n += plot->series[i].count;
    return n;
}

struct plot_list experiment_plots(const struct view *view, struct arena *out)
{
    struct plot *plots = NULL;
    size_t n = 0;
    for (size_t i = 0; experiment_at(i); i++) {
        const struct experiment *e = experiment_at(i);
        struct group g = e->plot_count ? group_of(view, e->name, out) : (struct group){0};
        for (size_t k = 0; g.count > 0 && k < e->plot_count; k++) {
            const struct experiment_plot *row = &e->plots[k];
            struct plot plot = row->kind == EXPERIMENT_LINES && is_numeric_axis(&g, row->x)
                                   ? lines(&g, row)
                                   : bars(&g, row);
            if (value_count(&plot) < 2) continue;
            plots = arena_grow(out, plots, n, sizeof *plots);
            plots[n++] = plot;
        }
    }
    return (struct plot_list){plots, n};
}

enum { PIXELS = 900, COLUMNS = 96 };

void experiment_plots_html(struct page *p)
{
    struct arena arena = arena_open();
    struct plot_list plots = experiment_plots(p->view, &arena);
    if (plots.count > 0) {
        html_open(p, "By parameter", "Medians of cells, with their 95 % intervals.");
        plot_svg(plots, PIXELS, p->out);
        html_close(p);
    }
    arena_close(&arena);
}

void experiment_plots_markdown(const struct view *view, struct buf *out)
{
    struct arena arena = arena_open(), scratch = arena_open();
    struct plot_list plots = experiment_plots(view, &arena);
    if (plots.count > 0) buf_text(out, "\n## By parameter\n");
    for (size_t i = 0; i < plots.count; i++) {
        buf_text(out, "\n```\n");
        plot_text(&plots.items[i], COLUMNS, scratch, out);
        buf_text(out, "```\n");
    }
    arena_close(&scratch);
    arena_close(&arena);
}
