#include "report/experiment_plots.h"

#include "experiment/experiment.h"
#include "report/format_html.h"
#include "report/format_markdown.h"

#include <math.h>

enum { KEYS_MAX = 64, COMPARED_MAX = 300, CURVE_MAX = 50 };

/* The cells of one experiment, and the parameters that tell them apart. */
struct group {
    const struct view_cell **cells;
    size_t count;
    struct str keys[KEYS_MAX];
    size_t key_count;
    struct arena *out;
};

static const struct value *setting(const struct view_cell *cell, const char *name)
{
    return value_get(cell->record.parameters, name);
}

static bool is_same_setting(const struct view_cell *a, const struct view_cell *b,
                            struct str name)
{
    const struct value *x = value_find(a->record.parameters, name);
    const struct value *y = value_find(b->record.parameters, name);
    return !x || !y ? x == y : value_equal(x, y);
}

static bool varies(const struct group *g, struct str name)
{
    for (size_t i = 1; i < g->count; i++) {
        if (!is_same_setting(g->cells[0], g->cells[i], name)) return true;
    }
    return false;
}

/* Cells that are equal in the other keys are equal in this one. */
static bool follows(const struct group *g, size_t key)
{
    for (size_t i = 0; i < g->count * g->count; i++) {
        const struct view_cell *a = g->cells[i / g->count];
        const struct view_cell *b = g->cells[i % g->count];
        bool is_same = true;
        for (size_t k = 0; k < g->key_count && is_same; k++)
            is_same = k == key || is_same_setting(a, b, g->keys[k]);
        if (is_same && !is_same_setting(a, b, g->keys[key])) return false;
    }
    return true;
}

static bool is_factor(const struct group *g, struct str key)
{
    for (size_t i = 0; i < g->count; i++) {
        const char *factor = g->cells[i]->record.factor;
        if (factor && str_is(key, factor)) return true;
    }
    return false;
}

/* What is compared first; what follows from the rest is left out, the last first. */
static void find_keys(struct group *g, const char *x)
{
    const struct value *map = g->cells[0]->record.parameters;
    g->key_count = 0;
    for (int of_factor = 1; of_factor >= 0; of_factor--) {
        for (size_t i = 0; map && i < map->map.count && g->key_count < KEYS_MAX; i++) {
            struct str key = map->map.pairs[i].key;
            bool is_wanted = is_factor(g, key) == of_factor && !(x && str_is(key, x));
            if (is_wanted && varies(g, key)) g->keys[g->key_count++] = key;
        }
    }
    for (size_t k = g->key_count; k-- > 0 && g->count <= COMPARED_MAX;) {
        if (is_factor(g, g->keys[k]) || !follows(g, k)) continue;
        memmove(&g->keys[k], &g->keys[k + 1], (--g->key_count - k) * sizeof *g->keys);
    }
}

/* What tells a cell from the others: "storage=dense, steps=10"; NULL if nothing. By the
 * keys from `from` to `to`. */
static const char *rest_of(const struct group *g, const struct view_cell *cell, size_t from,
                           size_t to)
{
    const char *text = NULL;
    for (size_t i = from; i < to; i++) {
        const struct value *v = value_find(cell->record.parameters, g->keys[i]);
        if (!v) continue;
        struct str value = v->kind == VALUE_TEXT ? v->source : json_of(v, g->out);
        text = arena_printf(g->out, "%s%s%.*s=%.*s", text ? text : "", text ? ", " : "",
                            STR_ARG(g->keys[i]), STR_ARG(value));
    }
    return text;
}

static struct plot_point point_of(const struct view_metric *m, const char *label, double x)
{
    return (struct plot_point){
        .label = label, .x = x, .y = m->centre, .low = m->centre_low, .high = m->centre_high};
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
    const char *rest = rest_of(g, g->cells[cell], 0, g->key_count);
    struct plot_point *points = arena_new(g->out, struct plot_point, g->count);
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        const char *other = rest_of(g, g->cells[i], 0, g->key_count);
        if (!str_is(str_of(rest), other)) continue;
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
        const char *rest = rest_of(g, g->cells[i], 0, g->key_count);
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

/* ---- curves ---- */

/* The curve of a trial: a value after every so many steps. */
struct curve {
    const struct value *values;
    int64_t step;
};

static bool read_curve(const struct trial_note *n, struct arena *out, struct curve *c)
{
    if (n->phase != PHASE_MEASURED || !n->detail || !strstr(n->detail, "\"curve\""))
        return false;
    const struct value *detail = value_stored(n->detail, out);
    const struct value *step = value_get(detail, "curve_step");
    c->values = value_get(detail, "curve");
    c->step = step && step->kind == VALUE_INT ? step->integer : 0;
    return c->step > 0 && c->values && c->values->kind == VALUE_LIST;
}

/* The mean over trials, where all that have a curve still have one. */
static struct plot_series curve_of(const struct group *g, const struct view_cell *cell)
{
    struct curve *curves = arena_new(g->out, struct curve, cell->note_count + 1);
    struct plot_point *points = arena_new(g->out, struct plot_point, CURVE_MAX);
    size_t count = 0;
    size_t n = 0;
    int64_t step = 0;
    for (size_t i = 0; i < cell->note_count; i++) {
        if (!read_curve(&cell->notes[i], g->out, &curves[count])) continue;
        if (curves[count].step > step) step = curves[count].step;
        count++;
    }
    for (int64_t k = 1; count > 0 && k <= CURVE_MAX; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            size_t at = (size_t)(k * step / curves[i].step) - 1;
            bool is_there = at < curves[i].values->list.count &&
                            value_is_number(curves[i].values->list.items[at]);
            sum += is_there ? value_number(curves[i].values->list.items[at]) : (double)NAN;
        }
        if (isnan(sum)) break;
        points[n++] = (struct plot_point){
            .x = (double)(k * step), .y = sum / (double)count, .low = NAN, .high = NAN};
    }
    return (struct plot_series){NULL, points, n};
}

/* The arms of the group that the cell opens, a line each; without lines if it opens none. */
static struct plot curves(const struct group *g, const struct experiment_plot *row,
                          size_t first)
{
    int64_t index = g->cells[first]->record.group_index;
    size_t of_factor = g->key_count > 0 && is_factor(g, g->keys[0]);
    struct plot_series *series = arena_new(g->out, struct plot_series, g->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (g->cells[i]->record.group_index != index) continue;
        if (i < first) return (struct plot){0};
        series[n] = curve_of(g, g->cells[i]);
        series[n].name = rest_of(g, g->cells[i], 0, of_factor);
        n += series[n].count > 1;
    }
    const char *rest = rest_of(g, g->cells[first], of_factor, g->key_count);
    return (struct plot){
        .title = rest ? arena_printf(g->out, "%s, %s", row->title, rest) : row->title,
        .kind = PLOT_LINE,
        .x = {row->x, NULL},
        .y = {row->y[0], unit_of(g, row->y[0])},
        .series = series,
        .series_count = n,
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

static void add_plot(struct plot_list *list, const struct plot *plot, struct arena *out)
{
    if (value_count(plot) < 2) return;
    struct plot *items = arena_new(out, struct plot, list->count + 1);
    if (list->count) memcpy(items, list->items, list->count * sizeof *items);
    items[list->count++] = *plot;
    list->items = items;
}

struct plot_list experiment_plots(const struct view *view, struct arena *out)
{
    struct plot_list list = {0};
    for (size_t i = 0; experiment_at(i); i++) {
        const struct experiment *e = experiment_at(i);
        struct group g = e->plot_count ? group_of(view, e->name, out) : (struct group){0};
        for (size_t k = 0; g.count > 0 && k < e->plot_count; k++) {
            const struct experiment_plot *row = &e->plots[k];
            bool has_axis = row->kind == EXPERIMENT_LINES && is_numeric_axis(&g, row->x);
            bool is_curve = row->kind == EXPERIMENT_CURVES;
            find_keys(&g, has_axis ? row->x : NULL);
            for (size_t c = 0; c < g.count && is_curve; c++) {
                struct plot plot = curves(&g, row, c);
                add_plot(&list, &plot, out);
            }
            struct plot plot = has_axis ? lines(&g, row) : bars(&g, row);
            if (!is_curve) add_plot(&list, &plot, out);
        }
    }
    return list;
}

enum { PIXELS = 900 };

void experiment_plots_html(struct page *p)
{
    struct arena arena = arena_open();
    struct plot_list plots = experiment_plots(p->view, &arena);
    if (plots.count > 0) {
        html_open(p, "By parameter",
                  "Levels of cells (medians; of shares and sums means), with their 95 % "
                  "intervals; curves "
                  "are means over trials.");
        plot_svg(plots, PIXELS, p->out);
        html_close(p);
    }
    arena_close(&arena);
}

void experiment_plots_markdown(const struct view *view, struct buf *out)
{
    struct arena arena = arena_open();
    struct plot_list plots = experiment_plots(view, &arena);
    if (plots.count > 0) buf_text(out, "\n## By parameter\n");
    markdown_plots(plots, out);
    arena_close(&arena);
}
