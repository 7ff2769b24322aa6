/* Drawings of one metric on an axis that several share. Values far out are clamped to the
 * edge and counted (chart_beyond), so that the bulk stays readable. Coordinates are per
 * mille of the width: the page stretches them. */
#include "report/chart.h"

#include "report/phrase.h"

#include <math.h>

enum { WIDTH = 1000, DOTS_MAX = 400 };

void html_text(struct buf *out, struct str s)
{
    static const char *const to[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    static const struct phrase_escapes escapes = {"<>&\"'", to, "\xEF\xBF\xBD", "\n\t"};
    phrase_escaped(out, s, &escapes);
}

void chart_range(const struct view_metric *m, double *low, double *high)
{
    *low = m->min;
    *high = m->max;
    double reach = 8 * (m->p75 - m->p25);
    if (!(reach > 0)) return;
    *low = fmax(*low, m->p25 - reach);
    *high = fmin(*high, m->p75 + reach);
}

size_t chart_beyond(const struct view_metric *m, const struct axis *axis)
{
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        n += m->samples[i] < axis->low || m->samples[i] > axis->high;
    }
    return n;
}

static double x_of(const struct axis *axis, double v)
{
    return axis_place(axis, v) * WIDTH;
}

static void open_svg(struct buf *out, const char *class, int height)
{
    buf_printf(out,
               "<svg class=\"%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
               "aria-hidden=\"true\">",
               class, WIDTH, height);
}

static void put_grid(struct buf *out, const struct axis *axis, int height)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(axis, ticks);
    buf_text(out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "M%.1f 0V%d", x_of(axis, ticks[i]), height);
    }
    buf_text(out, "\"/>");
}

/* Bins are equal on the axis, not in the value, so that a logarithmic axis has
 * bars of equal width. */
static void put_bars(struct buf *out, const struct view_metric *m, const struct axis *axis,
                     double height)
{
    enum { BINS = 60 };
    size_t counts[BINS] = {0};
    size_t most = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!isfinite(m->samples[i])) continue;
        size_t bin = (size_t)fmin(axis_place(axis, m->samples[i]) * BINS, BINS - 1);
        if (++counts[bin] > most) most = counts[bin];
    }
    buf_text(out, "<path class=\"bars\" d=\"");
    for (size_t i = 0; i < BINS && most > 0; i++) {
        if (counts[i] == 0) continue;
        double width = (double)WIDTH / BINS;
        double tall = fmax(height * (double)counts[i] / (double)most, 2);
        buf_printf(out, "M%.1f %.1fv%.1fh%.1fv%.1fz", width * (double)i, height, -tall,
                   width * 0.9, tall);
    }
    buf_text(out, "\"/>");
}

static void put_dot(struct buf *out, double x, double y)
{
    buf_printf(out, "M%.1f %.1fh0", x, y); /* a round cap makes it a dot */
}

static void put_dots(struct buf *out, const struct view_metric *m, const struct axis *axis,
                     double y)
{
    if (m->n > DOTS_MAX) return;
    buf_text(out, "<path class=\"dots\" d=\"");
    for (size_t i = 0; i < m->count; i++) {
        if (isfinite(m->samples[i])) put_dot(out, x_of(axis, m->samples[i]), y);
    }
    buf_text(out, "\"/>");
}

void chart_distribution(struct buf *out, const struct view_metric *m, const struct axis *axis)
{
    enum { HEIGHT = 64, BARS = 40, DOTS_Y = 46, BOX_Y = 56 };
    open_svg(out, "dist", HEIGHT);
    put_grid(out, axis, HEIGHT);
    put_bars(out, m, axis, BARS);
    put_dots(out, m, axis, DOTS_Y);
    if (isfinite(m->p5) && isfinite(m->p95)) {
        buf_printf(out, "<path class=\"whisker\" d=\"M%.1f %dH%.1f\"/>", x_of(axis, m->p5),
                   BOX_Y, x_of(axis, m->p95));
    }
    if (isfinite(m->p25) && isfinite(m->p75)) {
        buf_printf(out, "<path class=\"box\" d=\"M%.1f %dH%.1f\"/>", x_of(axis, m->p25), BOX_Y,
                   x_of(axis, m->p75));
    }
    if (isfinite(m->centre_low) && isfinite(m->centre_high)) {
        buf_printf(out, "<path class=\"interval\" d=\"M%.1f %dH%.1f\"/>",
                   x_of(axis, m->centre_low), BOX_Y, x_of(axis, m->centre_high));
    }
    if (isfinite(m->centre)) {
        buf_printf(out, "<path class=\"median\" d=\"M%.1f 2V%d\"/>", x_of(axis, m->centre),
                   HEIGHT - 2);
    }
    buf_text(out, "</svg>");
}

size_t chart_stride(size_t count)
{
    return (count + CHART_TRIALS_MAX - 1) / CHART_TRIALS_MAX + (count == 0);
}

void chart_trials(struct buf *out, const struct view_cell *cell, const struct view_metric *m,
                  const struct axis *axis)
{
    enum { HEIGHT = 100 };
    double step = m->count > 1 ? (double)WIDTH / (double)(m->count - 1) : 0;
    open_svg(out, "trials", HEIGHT);
    if (isfinite(m->centre_low) && isfinite(m->centre_high)) {
        double top = (1 - axis_place(axis, m->centre_high)) * HEIGHT;
        double bottom = (1 - axis_place(axis, m->centre_low)) * HEIGHT;
        buf_printf(out, "<path class=\"band\" d=\"M0 %.1fH%dV%.1fH0z\"/>", top, WIDTH,
                   fmax(bottom, top + 0.5));
    }
    if (isfinite(m->centre)) {
        buf_printf(out, "<path class=\"median\" d=\"M0 %.1fH%d\"/>",
                   (1 - axis_place(axis, m->centre)) * HEIGHT, WIDTH);
    }
    for (size_t i = 1; i < m->count && i < cell->trial_count; i++) {
        if (cell->segments[i] == cell->segments[i - 1]) continue;
        buf_printf(out, "<path class=\"break\" d=\"M%.1f 0V%d\"/>", step * ((double)i - 0.5),
                   HEIGHT);
    }
    buf_text(out, "<path class=\"dots\" d=\"");
    for (size_t i = 0; i < m->count; i += chart_stride(m->count)) {
        if (!isfinite(m->samples[i])) continue;
        put_dot(out, m->count > 1 ? step * (double)i : WIDTH / 2.0,
                (1 - axis_place(axis, m->samples[i])) * HEIGHT);
    }
    buf_text(out, "\"/></svg>");
}

void chart_ratio(struct buf *out, const struct axis *axis, double low, double mid, double high)
{
    enum { HEIGHT = 24 };
    open_svg(out, "ratio", HEIGHT);
    put_grid(out, axis, HEIGHT);
    buf_printf(out, "<path class=\"one\" d=\"M%.1f 0V%d\"/>", x_of(axis, 1), HEIGHT);
    if (isfinite(low) && isfinite(high)) {
        buf_printf(out, "<path class=\"interval\" d=\"M%.1f 12H%.1f\"/>", x_of(axis, low),
                   x_of(axis, high));
    }
    buf_text(out, "<path class=\"point\" d=\"");
    put_dot(out, x_of(axis, mid), HEIGHT / 2.0);
    buf_text(out, "\"/></svg>");
}

void chart_axis(struct buf *out, const struct axis *axis, const struct human_scale *scale)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(axis, ticks);
    /* Ticks are round: as few decimals as tell them apart. */
    struct human_scale round = *scale;
    if (round.decimals >= 0 && count > 0) {
        double step = count > 1 && !axis->is_log ? ticks[1] - ticks[0] : fabs(ticks[0]);
        double decimals = step > 0 ? ceil(-log10(step * scale->factor) - 1e-9) : 0;
        round.decimals = (int)fmin(fmax(decimals, 0), 9);
    }
    buf_text(out, "<div class=\"axis\">");
    for (size_t i = 0; i < count; i++) {
        char text[HUMAN_SIZE];
        buf_printf(out, "<span style=\"left:%.2f%%\">", axis_place(axis, ticks[i]) * 100);
        html_text(out, str_of(human_number(&round, ticks[i], text)));
        if (i + 1 == count) {
            buf_add_char(out, ' ');
            html_text(out, str_of(scale->unit));
        }
        buf_text(out, "</span>");
    }
    buf_text(out, "</div>\n");
}
