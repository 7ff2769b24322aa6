/* Pictures for the terminal: a canvas of cells, each one character wide.
 *
 *   intervals and bars   a row for each point: shape of the verdict, label, the interval on
 *                        the common axis, the value
 *   lines and points     eight rows for the y axis, the columns for the x axis; of several
 *                        points in one cell the last is seen
 *
 * Marks are drawn before the data: no picture hides a value behind a limit. */
#include "base/plain.h"
#include "report/axis.h"
#include "report/plot.h"

#include <math.h>

enum { INDENT = 2, LABEL_MIN = 28, VALUE_COLUMNS = 12, ROWS_MAX = 40, GRID_ROWS = 8 };

struct canvas {
    const char **cells;
    size_t columns;
    size_t rows;
};

static struct canvas canvas_make(size_t columns, size_t rows, struct arena *scratch)
{
    struct canvas c = {arena_new(scratch, const char *, columns *rows + 1), columns, rows};
    for (size_t i = 0; i < columns * rows; i++) c.cells[i] = " ";
    return c;
}

static void canvas_set(struct canvas *c, size_t column, size_t row, const char *what)
{
    if (column < c->columns && row < c->rows) c->cells[row * c->columns + column] = what;
}

static void canvas_write(const struct canvas *c, size_t row, struct buf *out)
{
    for (size_t i = 0; i < c->columns; i++) buf_text(out, c->cells[row * c->columns + i]);
}

static size_t place(const struct axis *axis, double v, size_t columns)
{
    return (size_t)lround(axis_place(axis, v) * (double)(columns - 1));
}

/* Round values below their places; one that would touch its neighbour is left out. */
static void put_ticks(const struct plot_axis *of, const struct axis *axis, size_t columns,
                      struct buf *out)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(axis, ticks);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        char text[HUMAN_SIZE];
        plot_number(of, ticks[i], text);
        size_t width = plain_columns(str_of(text));
        size_t at = place(axis, ticks[i], columns);
        size_t from = at > width / 2 ? at - width / 2 : 0;
        if ((used > 0 && from < used + 1) || from + width > columns) continue;
        buf_printf(out, "%*s%s", (int)(from - used), "", text);
        used = from + width;
    }
}

static void put_title(const struct plot *p, size_t width, struct arena scratch, struct buf *out)
{
    plain_add(out, str_of(plot_heading(p, &scratch)), width);
    plain_end(out);
}

static size_t label_columns(const struct plot *p, size_t width)
{
    size_t most = 0;
    for (size_t s = 0; s < p->series_count; s++) {
        for (size_t i = 0; i < p->series[s].count; i++) {
            const char *label = p->series[s].points[i].label;
            size_t n = label ? plain_columns(str_of(label)) : 0;
            if (n > most) most = n;
        }
    }
    size_t limit = width / 2 > LABEL_MIN ? width / 2 : LABEL_MIN;
    return most < limit ? most : limit;
}

static const char *dot_of(const struct plot_point *p)
{
    static const char *const dots[] = {[VERDICT_UNDECIDED] = "○",
                                       [VERDICT_BETTER] = "●",
                                       [VERDICT_WORSE] = "◆",
                                       [VERDICT_EQUIVALENT] = "■"};
    return p->has_verdict ? dots[p->verdict] : "●";
}

static void draw_row(const struct plot *p, const struct axis *axis,
                     const struct plot_point *point, struct canvas *c)
{
    for (size_t i = 0; i < p->mark_count; i++) {
        if (!p->marks[i].is_on_x && isfinite(p->marks[i].at))
            canvas_set(c, place(axis, p->marks[i].at, c->columns), 0, i == 0 ? "│" : "┆");
    }
    bool is_bar = p->kind == PLOT_BARS;
    double low = is_bar ? fmin(0, point->y) : point->low;
    double high = is_bar ? fmax(0, point->y) : point->high;
    bool is_open = point->has_verdict && point->verdict == VERDICT_UNDECIDED;
    if (!isnan(low) && !isnan(high)) {
        size_t last = place(axis, high, c->columns);
        for (size_t k = place(axis, low, c->columns); k <= last; k++)
            canvas_set(c, k, 0, is_bar ? "█" : is_open ? "╌" : "━");
    }
    if (!is_bar) canvas_set(c, place(axis, point->y, c->columns), 0, dot_of(point));
}

static void put_rows(const struct plot *p, size_t width, struct arena scratch, struct buf *out)
{
    struct axis axis = plot_y_axis(p);
    size_t labels = label_columns(p, width);
    size_t columns = width - INDENT - 3 - labels - 1 - VALUE_COLUMNS - 2;
    size_t shown = 0;
    size_t total = 0;
    for (size_t s = 0; s < p->series_count; s++) {
        total += p->series[s].count;
        for (size_t i = 0; i < p->series[s].count && shown < ROWS_MAX; i++, shown++) {
            const struct plot_point *point = &p->series[s].points[i];
            struct canvas c = canvas_make(columns, 1, &scratch);
            char text[HUMAN_SIZE];
            draw_row(p, &axis, point, &c);
            buf_printf(out, "%*s%s ", INDENT, "",
                       point->has_verdict ? plot_shape(point->verdict) : "  ");
            size_t used = point->label ? plain_add(out, str_of(point->label), labels) : 0;
            buf_printf(out, "%*s", (int)(labels - used + 1), "");
            canvas_write(&c, 0, out);
            buf_text(out, "  ");
            plain_add(out, str_of(plot_number(&p->y, point->y, text)), VALUE_COLUMNS);
            plain_end(out);
        }
    }
    buf_printf(out, "%*s", (int)(INDENT + 3 + labels + 1), "");
    put_ticks(&p->y, &axis, columns, out);
    plain_end(out);
    if (total > shown) buf_printf(out, "%*sand %zu more\n", INDENT, "", total - shown);
}

static void draw_grid(const struct plot *p, const struct axis *x, const struct axis *y,
                      struct canvas *c)
{
    for (size_t i = 0; i < p->mark_count; i++) {
        const struct plot_mark *m = &p->marks[i];
        if (!isfinite(m->at)) continue;
        size_t lines = m->is_on_x ? c->rows : c->columns;
        for (size_t k = 0; k < lines; k++) {
            if (m->is_on_x)
                canvas_set(c, place(x, m->at, c->columns), k, "┆");
            else
                canvas_set(c, k, c->rows - 1 - place(y, m->at, c->rows), "╌");
        }
    }
    for (size_t s = p->series_count; s-- > 0;) {
        for (size_t i = 0; i < p->series[s].count; i++) {
            const struct plot_point *point = &p->series[s].points[i];
            if (!isfinite(point->y) || !isfinite(point->x)) continue;
            canvas_set(c, place(x, point->x, c->columns),
                       c->rows - 1 - place(y, point->y, c->rows), s == 0 ? dot_of(point) : "─");
        }
    }
}

static void put_grid(const struct plot *p, size_t width, struct arena scratch, struct buf *out)
{
    struct axis x = plot_x_axis(p);
    struct axis y = plot_y_axis(p);
    size_t columns = width - INDENT - VALUE_COLUMNS - 2;
    struct canvas c = canvas_make(columns, GRID_ROWS, &scratch);
    draw_grid(p, &x, &y, &c);
    for (size_t row = 0; row < GRID_ROWS; row++) {
        char text[HUMAN_SIZE] = "";
        bool is_named = row == 0 || row == GRID_ROWS - 1;
        double value = row == 0 ? y.high : y.low;
        if (is_named) plot_number(&p->y, value, text);
        size_t used = plain_columns(str_of(text));
        size_t air = used < VALUE_COLUMNS ? VALUE_COLUMNS - used : 0;
        buf_printf(out, "%*s", (int)(INDENT + air), "");
        plain_add(out, str_of(text), VALUE_COLUMNS);
        buf_text(out, " │");
        canvas_write(&c, row, out);
        plain_end(out);
    }
    buf_printf(out, "%*s", INDENT + VALUE_COLUMNS + 2, "");
    put_ticks(&p->x, &x, columns, out);
    plain_end(out);
}

void plot_text(const struct plot *p, int width, struct arena scratch, struct buf *out)
{
    if (width < PLOT_TEXT_LEAST || !plot_has_points(p)) return;
    put_title(p, (size_t)width, scratch, out);
    if (p->kind == PLOT_INTERVALS || p->kind == PLOT_BARS)
        put_rows(p, (size_t)width, scratch, out);
    else
        put_grid(p, (size_t)width, scratch, out);
}
