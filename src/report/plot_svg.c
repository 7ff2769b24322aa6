/* Pictures as SVG: dot and whisker, verdicts by shape and colour, no
 * decoration. Colours of the light theme are attributes, so that any viewer shows them;
 * classes of the same name let the dark theme below, or a page, change them.
 *
 * One picture is drawn into a frame: the title on top, then what belongs to the marks, then
 * the plotting area, then the ticks. Frames are drawn below each other. */
#include "base/plain.h"
#include "report/chart.h"
#include "report/plot.h"

#include <math.h>

enum {
    PAD = 16,
    TITLE = 24,
    MARKS = 16,
    TICKS = 24,
    ROW = 24,
    GRID_HEIGHT = 200,
    LETTER = 6, /* width of a letter of 11 px, about */
    DOTS_MAX = 400,
};

struct frame {
    const struct plot *plot;
    struct axis x, y; /* of intervals and bars only y, which then is drawn across */
    double left, right, top, bottom;
    double width;
    struct buf *out;
};

struct colour {
    const char *name;
    const char *light;
    const char *dark;
};

/* Names and values of web/src/style/tokens.css. */
static const struct colour colours[] = {
    {"surface", "#ffffff", "#191c21"},   {"grid", "#ecece8", "#252930"},
    {"ink", "#191b1f", "#e9eaec"},       {"ink-3", "#676c75", "#9298a2"},
    {"data", "#2b3038", "#dfe2e6"},      {"data-2", "#8a8f98", "#7d848f"},
    {"interval", "#b7bcc6", "#555c68"},  {"better", "#0b5fa8", "#6cb6f5"},
    {"worse", "#b13c06", "#ff9a62"},     {"equivalent", "#5b6069", "#979da7"},
    {"undecided", "#2d1b4e", "#efe6ff"},
};

static const char *light(const char *name)
{
    for (size_t i = 0; i < COUNT(colours); i++) {
        if (strcmp(colours[i].name, name) == 0) return colours[i].light;
    }
    CHECK(false);
    return "";
}

/* class="f-ink" fill="#191b1f" */
static void put_fill(struct buf *out, const char *name)
{
    buf_printf(out, " class=\"f-%s\" fill=\"%s\"", name, light(name));
}

static void put_stroke(struct buf *out, const char *name, double width)
{
    buf_printf(out, " class=\"s-%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"", name,
               light(name), width);
}

static void put_dark(struct buf *out)
{
    buf_text(out, "<style>@media (prefers-color-scheme:dark){");
    for (size_t i = 0; i < COUNT(colours); i++) {
        buf_printf(out, ".f-%s{fill:%s}.s-%s{stroke:%s}", colours[i].name, colours[i].dark,
                   colours[i].name, colours[i].dark);
    }
    buf_text(out, "}</style>");
}

/* At most that many letters; what is cut ends in dots. */
static void put_words(struct frame *f, const char *words, double x, double y, const char *more,
                      size_t most)
{
    struct buf piece;
    buf_init(&piece, 1 << 16);
    plain_add(&piece, str_of(words), most);
    buf_printf(f->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    html_text(f->out, buf_str(&piece));
    buf_text(f->out, "</text>");
    buf_release(&piece);
}

#define SMALL(anchor) \
    "font-size=\"11\" class=\"f-ink-3\" fill=\"#676c75\" text-anchor=\"" anchor "\""

static void put_line(struct frame *f, const double from[2], const double to[2],
                     const char *colour, double width, const char *more)
{
    buf_printf(f->out, "<path d=\"M%.1f %.1fL%.1f %.1f\"", from[0], from[1], to[0], to[1]);
    put_stroke(f->out, colour, width);
    buf_printf(f->out, "%s/>", more);
}

/* Where a value of the axis that runs across stands. */
static double across(const struct frame *f, const struct axis *axis, double v)
{
    return f->left + axis_place(axis, v) * (f->right - f->left);
}

static double upwards(const struct frame *f, double v)
{
    return f->bottom - axis_place(&f->y, v) * (f->bottom - f->top);
}

static void put_grid_across(struct frame *f, const struct plot_axis *of,
                            const struct axis *axis)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(axis, ticks);
    double free_from = 0;
    for (size_t i = 0; i < count; i++) {
        char text[HUMAN_SIZE];
        double at = across(f, axis, ticks[i]);
        put_line(f, (double[]){at, f->top}, (double[]){at, f->bottom}, "grid", 1, "");
        plot_number(of, ticks[i], text);
        double half = LETTER * (double)plain_columns(str_of(text)) / 2;
        if (at - half < free_from || at + half > f->width) continue;
        put_words(f, text, at, f->bottom + 16, SMALL("middle"), SIZE_MAX);
        free_from = at + half + LETTER;
    }
}

static void put_grid_upwards(struct frame *f)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(&f->y, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[HUMAN_SIZE];
        double at = upwards(f, ticks[i]);
        put_line(f, (double[]){f->left, at}, (double[]){f->right, at}, "grid", 1, "");
        put_words(f, plot_number(&f->plot->y, ticks[i], text), f->left - 8, at + 4,
                  SMALL("end"), SIZE_MAX);
    }
}

/* Marks on the axis that runs across; names that would touch are left out. */
static void put_marks_across(struct frame *f, const struct axis *axis, bool is_x)
{
    double free_from = 0;
    for (size_t i = 0; i < f->plot->mark_count; i++) {
        const struct plot_mark *m = &f->plot->marks[i];
        if (m->is_on_x != is_x || !isfinite(m->at)) continue;
        double at = across(f, axis, m->at);
        bool is_first = i == 0 && !is_x;
        put_line(f, (double[]){at, f->top}, (double[]){at, f->bottom}, "ink-3", 1,
                 is_first ? "" : " stroke-dasharray=\"3 3\"");
        double half = LETTER * (double)(m->label ? plain_columns(str_of(m->label)) : 0) / 2;
        if (!m->label || at - half < free_from) continue;
        put_words(f, m->label, fmin(fmax(at, half), f->width - half), f->top - 5,
                  SMALL("middle"), 40);
        free_from = at + half + LETTER;
    }
}

static void put_marks_upwards(struct frame *f)
{
    for (size_t i = 0; i < f->plot->mark_count; i++) {
        const struct plot_mark *m = &f->plot->marks[i];
        if (m->is_on_x || !isfinite(m->at)) continue;
        double at = upwards(f, m->at);
        put_line(f, (double[]){f->left, at}, (double[]){f->right, at}, "ink-3", 1,
                 " stroke-dasharray=\"3 3\"");
        if (m->label) put_words(f, m->label, f->right, at - 4, SMALL("end"), 40);
    }
}

static const char *colour_of(const struct plot_point *p)
{
    return p->has_verdict ? verdict_name(p->verdict) : "data";
}

/* Round: better or without verdict; diamond: worse; square: equivalent; ring: undecided. */
static void put_dot(struct frame *f, const struct plot_point *p, double x, double y, double r)
{
    const char *colour = colour_of(p);
    bool has = p->has_verdict;
    if (has && p->verdict == VERDICT_WORSE) {
        buf_printf(f->out, "<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"", x,
                   y - r - 1, r + 1, r + 1, -r - 1, r + 1, -r - 1, -r - 1);
        put_fill(f->out, colour);
    } else if (has && p->verdict == VERDICT_EQUIVALENT) {
        buf_printf(f->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x - r,
                   y - r, 2 * r, 2 * r);
        put_fill(f->out, colour);
    } else if (has && p->verdict == VERDICT_UNDECIDED) {
        buf_printf(f->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, r);
        buf_printf(f->out,
                   " class=\"f-surface s-%s\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"",
                   colour, light("surface"), light(colour));
    } else {
        buf_printf(f->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, r);
        put_fill(f->out, colour);
    }
    buf_text(f->out, "/>");
}

static void put_interval(struct frame *f, const struct plot_point *p, double y)
{
    double from[2] = {across(f, &f->y, p->low), y};
    double to[2] = {across(f, &f->y, p->high), y};
    if (f->plot->kind == PLOT_BARS) {
        from[0] = across(f, &f->y, 0);
        to[0] = across(f, &f->y, p->y);
        put_line(f, from, to, p->has_verdict ? colour_of(p) : "data-2", 12, "");
        return;
    }
    bool is_open = p->has_verdict && p->verdict == VERDICT_UNDECIDED;
    if (isnan(p->low) || isnan(p->high)) return;
    put_line(f, from, to, p->has_verdict ? colour_of(p) : "interval", is_open ? 2 : 5,
             is_open          ? " stroke-dasharray=\"4 3\""
             : p->has_verdict ? " stroke-linecap=\"round\" stroke-opacity=\"0.35\""
                              : " stroke-linecap=\"round\"");
}

/* "▲ better", and the value with its interval. */
static void put_value(struct frame *f, const struct plot_point *p, double y)
{
    char text[3][HUMAN_SIZE];
    char words[3 * HUMAN_SIZE + 8];
    plot_number(&f->plot->y, p->y, text[0]);
    if (isnan(p->low) || isnan(p->high) || f->plot->kind == PLOT_BARS) {
        snprintf(words, sizeof words, "%s", text[0]);
    } else {
        snprintf(words, sizeof words, "%s [%s, %s]", text[0],
                 plot_number(&f->plot->y, p->low, text[1]),
                 plot_number(&f->plot->y, p->high, text[2]));
    }
    put_words(f, words, f->right + 12, y + 4,
              "font-size=\"11\" class=\"f-ink\" fill=\"#191b1f\"", SIZE_MAX);
    if (!p->has_verdict) return;
    buf_printf(f->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" text-anchor=\"end\"",
               f->width - PAD, y + 4);
    put_fill(f->out, colour_of(p));
    buf_printf(f->out, ">%s %s</text>", plot_shape(p->verdict), verdict_name(p->verdict));
}

static size_t row_count(const struct plot *p)
{
    size_t n = 0;
    for (size_t s = 0; s < p->series_count; s++) n += p->series[s].count;
    return n;
}

static bool has_verdicts(const struct plot *p)
{
    return p->series_count > 0 && p->series[0].count > 0 && p->series[0].points[0].has_verdict;
}

/* As wide as the longest label, up to half of the picture or so. */
static double label_width(const struct frame *f)
{
    double widest = 0;
    for (size_t s = 0; s < f->plot->series_count; s++) {
        for (size_t i = 0; i < f->plot->series[s].count; i++) {
            const char *label = f->plot->series[s].points[i].label;
            double n = label ? (double)plain_columns(str_of(label)) : 0;
            widest = fmax(widest, PAD + 8 + (n + 1) * (LETTER + 0.6));
        }
    }
    return fmin(fmax(fmax(PAD + 60, f->width * 0.22), widest), f->width * 0.55);
}

static void draw_rows(struct frame *f)
{
    const struct plot *p = f->plot;
    f->left = label_width(f);
    f->right = f->width - PAD - (has_verdicts(p) ? 250 : 160);
    put_grid_across(f, &p->y, &f->y);
    put_marks_across(f, &f->y, false);
    size_t row = 0;
    for (size_t s = 0; s < p->series_count; s++) {
        for (size_t i = 0; i < p->series[s].count; i++, row++) {
            const struct plot_point *point = &p->series[s].points[i];
            double y = f->top + ROW * ((double)row + 0.5);
            if (point->label) {
                put_words(f, point->label, PAD, y + 4,
                          "font-size=\"12\" class=\"f-ink\" fill=\"#191b1f\"",
                          (size_t)((f->left - PAD - 8) / (LETTER + 0.6)));
            }
            if (!isfinite(point->y)) continue;
            put_interval(f, point, y);
            if (p->kind == PLOT_INTERVALS) put_dot(f, point, across(f, &f->y, point->y), y, 4);
            put_value(f, point, y);
        }
    }
}

/* A band where all points have an interval, else a bar at each that has one. */
static void put_spread(struct frame *f, const struct plot_series *s)
{
    size_t known = 0;
    for (size_t i = 0; i < s->count; i++)
        known += isfinite(s->points[i].low) && isfinite(s->points[i].high);
    if (known == 0) return;
    if (f->plot->kind == PLOT_LINE && known == s->count && s->count > 1) {
        buf_text(f->out, "<path opacity=\"0.4\" d=\"");
        for (size_t i = 0; i < s->count; i++) {
            buf_printf(f->out, "%c%.1f %.1f", i ? 'L' : 'M', across(f, &f->x, s->points[i].x),
                       upwards(f, s->points[i].high));
        }
        for (size_t i = s->count; i-- > 0;) {
            buf_printf(f->out, "L%.1f %.1f", across(f, &f->x, s->points[i].x),
                       upwards(f, s->points[i].low));
        }
        buf_text(f->out, "z\"");
        put_fill(f->out, "interval");
        buf_text(f->out, "/>");
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct plot_point *p = &s->points[i];
        if (!isfinite(p->low) || !isfinite(p->high)) continue;
        double x = across(f, &f->x, p->x);
        put_line(f, (double[]){x, upwards(f, p->low)}, (double[]){x, upwards(f, p->high)},
                 "interval", 5, " stroke-linecap=\"round\"");
    }
}

/* Joined but for gaps. Returns the last point, or NULL. */
static const struct plot_point *put_path(struct frame *f, size_t which)
{
    const struct plot_series *s = &f->plot->series[which];
    const struct plot_point *last = NULL;
    bool is_joined = false;
    buf_text(f->out, "<path stroke-linejoin=\"round\" d=\"");
    for (size_t i = 0; i < s->count; i++) {
        bool is_there = isfinite(s->points[i].y);
        if (is_there) {
            buf_printf(f->out, "%c%.1f %.1f", is_joined ? 'L' : 'M',
                       across(f, &f->x, s->points[i].x), upwards(f, s->points[i].y));
            last = &s->points[i];
        }
        is_joined = is_there;
    }
    buf_add_char(f->out, '"');
    put_stroke(f->out, which ? "data" : "data-2", which ? 2 : 1);
    buf_text(f->out, "/>");
    return last;
}

static void put_dots(struct frame *f, const struct plot_series *s)
{
    bool is_line = f->plot->kind == PLOT_LINE;
    for (size_t i = 0; i < s->count && s->count <= DOTS_MAX; i++) {
        const struct plot_point *p = &s->points[i];
        if (!isfinite(p->y)) continue;
        double x = across(f, &f->x, p->x);
        double y = upwards(f, p->y);
        put_dot(f, p, x, y, is_line ? 2 : 4);
        if (!is_line && p->label) put_words(f, p->label, x + 8, y - 6, SMALL("start"), 24);
    }
}

/* Of a line that shares its picture the name is at its end. */
static void put_series(struct frame *f, size_t which)
{
    const struct plot_series *s = &f->plot->series[which];
    put_spread(f, s);
    const struct plot_point *last = f->plot->kind == PLOT_LINE ? put_path(f, which) : NULL;
    if (which == 0 || !last) put_dots(f, s);
    if (!last || !s->name || f->plot->series_count < 2) return;
    put_words(f, s->name, f->right + 8, upwards(f, last->y) + (which % 2 ? 16 : 4),
              SMALL("start"), 12);
}

static void draw_grid(struct frame *f)
{
    const struct plot *p = f->plot;
    f->left = PAD + 70;
    f->right = f->width - PAD - (p->series_count > 1 ? 60 : 16);
    put_grid_upwards(f);
    put_grid_across(f, &p->x, &f->x);
    put_marks_across(f, &f->x, true);
    put_marks_upwards(f);
    for (size_t s = 0; s < p->series_count; s++) put_series(f, s);
    if (p->x.name) put_words(f, p->x.name, f->right, f->bottom + 16 + 12, SMALL("end"), 60);
}

static bool is_of_rows(const struct plot *p)
{
    return p->kind == PLOT_INTERVALS || p->kind == PLOT_BARS;
}

static double height_of(const struct plot *p)
{
    double inner = is_of_rows(p) ? ROW * (double)row_count(p) : GRID_HEIGHT;
    return PAD + TITLE + MARKS + inner + TICKS + (is_of_rows(p) ? 8 : 20);
}

static void put_title(struct frame *f)
{
    struct arena scratch = arena_open();
    put_words(f, plot_heading(f->plot, &scratch), PAD, f->top - MARKS - 8,
              "font-size=\"13\" font-weight=\"600\" class=\"f-ink\" fill=\"#191b1f\"",
              (size_t)((f->width - 2 * PAD) / (LETTER + 1)));
    arena_close(&scratch);
}

static void draw(const struct plot *p, double top, int width, struct buf *out)
{
    struct frame f = {.plot = p,
                      .x = plot_x_axis(p),
                      .y = plot_y_axis(p),
                      .top = top + PAD + TITLE + MARKS,
                      .width = width,
                      .out = out};
    f.bottom = f.top + (is_of_rows(p) ? ROW * (double)row_count(p) : GRID_HEIGHT);
    put_title(&f);
    if (is_of_rows(p))
        draw_rows(&f);
    else
        draw_grid(&f);
}

void plot_svg(struct plot_list plots, int width, struct buf *out)
{
    double height = 0;
    for (size_t i = 0; i < plots.count; i++) height += height_of(&plots.items[i]);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
               "viewBox=\"0 0 %d %.0f\" role=\"img\" font-family=\"Inter, system-ui, "
               "sans-serif\"><title>",
               width, height, width, height);
    for (size_t i = 0; i < plots.count; i++) {
        if (i) buf_text(out, "; ");
        html_text(out, str_of(plots.items[i].title));
    }
    buf_text(out, "</title>");
    put_dark(out);
    buf_printf(out, "<rect width=\"%d\" height=\"%.0f\"", width, height);
    put_fill(out, "surface");
    buf_text(out, "/>\n");
    double top = 0;
    for (size_t i = 0; i < plots.count; i++) {
        draw(&plots.items[i], top, width, out);
        buf_add_char(out, '\n');
        top += height_of(&plots.items[i]);
    }
    buf_text(out, "</svg>\n");
}
