/* The charts of the page, each with its table: distributions, trials in order,
 * comparisons. */
#include "report/chart.h"
#include "report/format_html.h"
#include "report/phrase.h"

#include <math.h>

static bool is_drawn(const struct view_cell *cell)
{
    return cell->metric_count > 0 && cell->metrics[0].n > 0 && isfinite(cell->metrics[0].min) &&
           isfinite(cell->metrics[0].max);
}

/* Cells that share a primary metric are drawn on one axis. */
static bool is_first_with(const struct view *view, size_t cell)
{
    for (size_t i = 0; i < cell; i++) {
        if (!is_drawn(&view->cells[i])) continue;
        if (strcmp(view->cells[i].metrics[0].name, view->cells[cell].metrics[0].name) == 0) {
            return false;
        }
    }
    return true;
}

static void put_quantiles(struct page *p, const char *metric)
{
    buf_text(p->out, "<details><summary>As a table</summary><div class=\"scroll\"><table>"
                     "<thead><tr><th>cell</th>");
    static const char *const names[] = {"min", "p5",  "p25", "median",
                                        "p75", "p95", "p99", "max"};
    for (size_t i = 0; i < COUNT(names); i++) {
        buf_printf(p->out, "<th class=\"n\">%s</th>", names[i]);
    }
    buf_text(p->out, "<th class=\"n\">n</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < p->view->cell_count; i++) {
        const struct view_cell *cell = &p->view->cells[i];
        if (!is_drawn(cell) || strcmp(cell->metrics[0].name, metric) != 0) continue;
        const struct view_metric *m = &cell->metrics[0];
        struct human_scale scale = phrase_scale(p->view, m);
        const double values[] = {m->min, m->p5,  m->p25, m->median,
                                 m->p75, m->p95, m->p99, m->max};
        html_label(p, phrase_label(cell));
        for (size_t k = 0; k < COUNT(values); k++) html_number(p, &scale, values[k], "n");
        buf_printf(p->out, "<td class=\"n\">%zu</td></tr>\n", m->n);
    }
    buf_text(p->out, "</tbody></table></div></details>\n");
}

static void put_distribution_of(struct page *p, const char *metric)
{
    const struct view *view = p->view;
    double low = INFINITY;
    double high = -INFINITY;
    const struct view_metric *first = NULL;
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        if (!is_drawn(cell) || strcmp(cell->metrics[0].name, metric) != 0) continue;
        double cell_low = 0;
        double cell_high = 0;
        chart_range(&cell->metrics[0], &cell_low, &cell_high);
        low = fmin(low, cell_low);
        high = fmax(high, cell_high);
        if (!first) first = &cell->metrics[0];
    }
    if (!first) return;
    struct axis axis = axis_make(low, high);
    char title[160];
    snprintf(title, sizeof title, "Distribution of %s", metric);
    html_open(p, title,
              "The values of all trials on one scale: counts as bars, each value as a dot, the "
              "box from quartile to quartile with whiskers from 5 % to 95 %. The line is the "
              "level (the median, of shares and costs the mean; over cases where there are "
              "some), the bold piece its 95 % interval.");
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        if (!is_drawn(cell) || strcmp(cell->metrics[0].name, metric) != 0) continue;
        const struct view_metric *m = &cell->metrics[0];
        struct human_scale scale = phrase_scale(view, m);
        html_say(p, "<div class=\"row\"><div>%s</div>", phrase_label(cell));
        chart_distribution(p->out, m, &axis);
        buf_text(p->out, "<div><b>");
        phrase_quantity(&p->piece, &scale, m->centre);
        html_say(p, "%s</b> <span>", p->piece.p);
        phrase_interval(&p->piece, &scale, m->centre_low, m->centre_high);
        size_t beyond = chart_beyond(m, &axis);
        if (beyond > 0) buf_printf(&p->piece, " · %zu beyond the scale", beyond);
        html_say(p, "%s</span></div></div>\n", p->piece.p);
    }
    struct human_scale scale = human_scale(first->unit, axis.high, axis.high);
    buf_text(p->out, "<div class=\"row\">");
    chart_axis(p->out, &axis, &scale);
    buf_text(p->out, "</div>\n");
    put_quantiles(p, metric);
    html_close(p);
}

void html_distributions(struct page *p)
{
    for (size_t i = 0; i < p->view->cell_count; i++) {
        if (is_drawn(&p->view->cells[i]) && is_first_with(p->view, i)) {
            put_distribution_of(p, p->view->cells[i].metrics[0].name);
        }
    }
}

static void put_samples(struct page *p, const struct view_cell *cell,
                        const struct view_metric *m, const struct human_scale *scale)
{
    size_t stride = chart_stride(m->count);
    buf_text(p->out,
             "<details><summary>As a table</summary><div class=\"scroll\"><table><thead>"
             "<tr><th class=\"n\">trial</th><th class=\"n\">value</th><th>status</th>"
             "</tr></thead><tbody>\n");
    for (size_t i = 0; i < m->count; i += stride) {
        enum trial_status status =
            i < cell->trial_count ? (enum trial_status)cell->statuses[i] : TRIAL_OK;
        buf_printf(p->out, "<tr><td class=\"n\">%zu</td>", i);
        html_number(p, scale, m->samples[i], "n");
        buf_printf(p->out, "<td>%s</td></tr>\n", trial_status_name(status));
    }
    buf_text(p->out, "</tbody></table></div></details>\n");
}

static void put_trial_plot(struct page *p, const struct view_cell *cell)
{
    const struct view_metric *m = &cell->metrics[0];
    struct human_scale scale = phrase_scale(p->view, m);
    double low = 0;
    double high = 0;
    chart_range(m, &low, &high);
    struct axis axis = axis_make(low, high);
    html_say(p, "<div><h3>%s</h3><div class=\"frame\"><div class=\"y\"><span>",
             phrase_label(cell));
    phrase_quantity(&p->piece, &scale, axis.high);
    html_say(p, "%s</span><span>", p->piece.p);
    phrase_quantity(&p->piece, &scale, axis.low);
    html_say(p, "%s</span></div>", p->piece.p);
    chart_trials(p->out, cell, m, &axis);
    buf_printf(p->out, "<div class=\"x\"><span>trial 0</span><span>%zu</span></div></div>\n",
               m->count - 1);
    size_t stride = chart_stride(m->count);
    if (stride > 1) {
        buf_printf(p->out, "<p class=\"sub\">Every %zu. trial is drawn.</p>", stride);
    }
    put_samples(p, cell, m, &scale);
    buf_text(p->out, "</div>\n");
}

void html_trials(struct page *p)
{
    bool has_any = false;
    for (size_t i = 0; i < p->view->cell_count; i++) {
        if (!is_drawn(&p->view->cells[i])) continue;
        if (!has_any) {
            html_open(p, "Order of trials",
                      "Each value where it was measured: a slope is drift, steps are "
                      "something else on the machine. A dashed line is a resume.");
            buf_text(p->out, "<div class=\"plots\">\n");
        }
        has_any = true;
        put_trial_plot(p, &p->view->cells[i]);
    }
    if (!has_any) return;
    buf_text(p->out, "</div>\n");
    html_close(p);
}

/* What can be drawn next to the others: a ratio with both ends. */
static bool is_ratio(const struct view_comparison *c, struct phrase_effect *x)
{
    if (!c->is_asked) return false;
    *x = phrase_effect_of(&c->answer, false);
    return x->kind == KIND_RATIO && isfinite(x->value);
}

static struct axis ratio_axis(const struct view *view)
{
    double low = 0.98;
    double high = 1.02;
    for (size_t i = 0; i < view->comparison_count; i++) {
        struct phrase_effect x;
        if (!is_ratio(&view->comparisons[i], &x)) continue;
        const double all[] = {x.value, x.low, x.high};
        for (size_t k = 0; k < COUNT(all); k++) {
            if (!isfinite(all[k])) continue;
            low = fmin(low, all[k]);
            high = fmax(high, all[k]);
        }
    }
    return axis_make(low, high);
}

void html_comparisons(struct page *p)
{
    const struct view *view = p->view;
    if (view->comparison_count == 0) return;
    struct axis axis = ratio_axis(view);
    struct human_scale plain = {1, "", 9};
    struct arena scratch = arena_open();
    html_open(p, "Comparison",
              arena_printf(&scratch,
                           "Ratio to the first arm of the group, from %s, with the interval "
                           "that decides. An interval across 1 leaves the order open.",
                           phrase_paired(view)));
    arena_close(&scratch);
    for (size_t i = 0; i < view->comparison_count; i++) {
        const struct view_comparison *c = &view->comparisons[i];
        struct phrase_effect x;
        html_say(p, "<div class=\"row\"><div>%s <span class=\"soft\">/ %s</span></div>",
                 phrase_label(&view->cells[c->cell]), phrase_label(&view->cells[c->reference]));
        if (is_ratio(c, &x)) {
            chart_ratio(p->out, &axis, x.low, x.value, x.high);
            phrase_ratio(&p->piece, x.value, x.low, x.high);
        } else {
            buf_text(p->out, "<div></div>");
            buf_text(&p->piece, "-");
        }
        html_say(p, "<div><b>%s</b> <span>", p->piece.p);
        if (c->is_asked) phrase_basis(&p->piece, &c->answer);
        html_say(p, "%s</span></div></div>\n", p->piece.p);
    }
    buf_text(p->out, "<div class=\"row\">");
    chart_axis(p->out, &axis, &plain);
    buf_text(p->out, "</div>\n<details><summary>In words</summary><ul>\n");
    for (size_t i = 0; i < view->comparison_count; i++) {
        phrase_comparison(&p->piece, view, &view->comparisons[i]);
        html_say(p, "<li>%s</li>\n", p->piece.p);
    }
    buf_text(p->out, "</ul></details>\n");
    html_close(p);
}
