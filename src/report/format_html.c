/* One self-contained page, nothing loaded from anywhere: the answer first, then the board, the
 * cases with their answers, and what the numbers rest on. It says everything without scripts;
 * with them cases can be filtered and long answers opened. Charts are drawn by chart.c; each has
 * its numbers in a table next to it. */
#include "report/format_html.h"

#include "base/id.h"
#include "report/experiment_plots.h"

#include "view/suite_view.h"

#include "report/answer_claims.h"
#include "report/chart.h"
#include "report/phrase.h"
#include "report/style.h"
#include "report/suite_section.h"

#include <inttypes.h>
#include <math.h>

void html_say(struct page *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    phrase_say_list(p->out, html_text, fmt, args);
    va_end(args);
    buf_clear(&p->piece);
}

void html_before_title(struct buf *out)
{
    buf_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    html_policy(out);
    buf_text(out, "<title>");
}

void html_after_title(struct buf *out)
{
    buf_text(out, "</title>\n<style>\n");
    for (size_t i = 0; style_css[i]; i++) buf_text(out, style_css[i]);
    buf_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

void html_open(struct page *p, const char *title, const char *lead)
{
    html_say(p, "<section>\n<h2>%s</h2>\n", title);
    if (lead) buf_printf(p->out, "<p class=\"soft\">%s</p>\n", lead);
    buf_text(p->out, "<div class=\"card\">\n");
}

void html_close(struct page *p)
{
    buf_text(p->out, "</div>\n</section>\n");
}

void html_label(struct page *p, const char *label)
{
    buf_printf(p->out, "<tr%s><td class=\"label\">", label[0] ? "" : " class=\"more\"");
    html_say(p, "%s</td>", label);
}

void html_number(struct page *p, const struct human_scale *scale, double v, const char *class)
{
    phrase_quantity(&p->piece, scale, v);
    html_say(p, "<td class=\"%s\">%s</td>", class, p->piece.p);
}

/* Commands are known by what was typed; the first few say what the page is about. */
static bool put_commands(struct page *p)
{
    enum { NAMED_MAX = 3 };
    const struct view *view = p->view;
    for (size_t i = 0; i < view->cell_count; i++) {
        const char *experiment = view->cells[i].record.experiment;
        if (!experiment || strcmp(experiment, "command") != 0) return false;
    }
    for (size_t i = 0; i < view->cell_count && i < NAMED_MAX; i++) {
        html_say(p, "%s%s", i ? ", " : "", phrase_label(&view->cells[i]));
    }
    if (view->cell_count > NAMED_MAX) {
        buf_printf(p->out, " and %zu more", view->cell_count - NAMED_MAX);
    }
    return view->cell_count > 0;
}

static void put_title(struct page *p)
{
    const struct view *view = p->view;
    if (view->suite_count > 0) {
        html_say(p, "%s", view->suites[0].suite); /* a file holds one */
        return;
    }
    if (put_commands(p)) return;
    for (size_t i = 0; i < view->cell_count; i++) {
        const char *name = view->cells[i].record.experiment;
        bool is_new = name != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            const char *earlier = view->cells[k].record.experiment;
            is_new = !earlier || strcmp(earlier, name) != 0;
        }
        if (!is_new) continue;
        if (i > 0) buf_text(p->out, ", ");
        html_say(p, "%s", name);
    }
    if (view->cell_count == 0) buf_text(p->out, "Empty run");
}

/* "assay report, suite demo, 2026-11-16 10:31, run 0a1b2c3d4e5f" */
static void put_where(struct page *p)
{
    const struct run_record *run = &p->view->run;
    buf_text(p->out, "<p class=\"where\"><b>assay report</b>");
    buf_text(p->out, p->view->suite_count > 0 ? "<span>suite <b>" : "<span><b>");
    put_title(p);
    buf_text(p->out, "</b></span><span>");
    phrase_stamp(&p->piece, run->started_ns);
    html_say(p, "%s</span><span>", p->piece.p);
    phrase_outcome(&p->piece, p->view);
    html_say(p, "%s</span><span title=\"%s\">run %s</span>", p->piece.p, run->id,
             id_short(run->id));
    buf_printf(p->out, "<span>seed %" PRId64 "</span>", run->seed);
    if (run->spec_path) html_say(p, "<span>%s</span>", run->spec_path);
    if (run->assay_version) html_say(p, "<span>assay %s</span>", run->assay_version);
    buf_text(p->out, "</p>\n");
}

static void put_header(struct page *p)
{
    const struct run_record *run = &p->view->run;
    buf_text(p->out, "<header class=\"answer\">\n");
    put_where(p);
    if (p->options->outcome) {
        html_answer(p);
    } else {
        buf_text(p->out, "<h1>");
        put_title(p);
        buf_text(p->out, "</h1>\n");
    }
    for (size_t i = 0; i < run->notes.count; i++) {
        html_say(p, "<p>%s</p>\n", run->notes.items[i].text);
    }
    bool is_short = p->view->comparison_count > 0 && p->view->comparison_count <= 6;
    if (is_short && p->view->suite_count == 0) {
        buf_text(p->out, "<ul class=\"headline\">\n");
        for (size_t i = 0; i < p->view->comparison_count; i++) {
            phrase_comparison(&p->piece, p->view, &p->view->comparisons[i]);
            html_say(p, "<li>%s</li>\n", p->piece.p);
        }
        buf_text(p->out, "</ul>\n");
    }
    buf_text(p->out, "</header>\n");
}

static void put_metric_row(struct page *p, const struct view_metric *m, bool is_primary)
{
    struct human_scale scale = phrase_scale(p->view, m);
    html_say(p, "<td>%s</td>", m->name);
    html_number(p, &scale, m->centre, is_primary ? "n big" : "n");
    phrase_interval(&p->piece, &scale, m->centre_low, m->centre_high);
    html_say(p, "<td class=\"range\">%s</td><td class=\"range\">", p->piece.p);
    phrase_number(&p->piece, &scale, m->mean);
    if (!isnan(m->sd)) {
        buf_text(&p->piece, " ± ");
        phrase_number(&p->piece, &scale, m->sd);
    }
    html_say(p, "%s</td><td class=\"range\">", p->piece.p);
    phrase_range(&p->piece, &scale, m->min, m->max);
    html_say(p, "%s</td><td class=\"range\">", p->piece.p);
    phrase_percent(&p->piece, m->cv);
    if (!isnan(m->cv)) buf_printf(&p->piece, " %s", m->cv_label);
    html_say(p, "%s</td>", p->piece.p);
}

/* The label with what became of the trials below it. */
static void put_cell_name(struct page *p, const struct view_cell *cell)
{
    const struct trial_counts *n = &cell->record.counts;
    phrase_counts(&p->piece, n);
    html_say(p, "<tr><td class=\"label\">%s<div class=\"%s\">%s</div></td>", phrase_label(cell),
             n->by_status[TRIAL_OK] < n->attempted ? "bad" : "sub", p->piece.p);
}

static void put_summary_rows(struct page *p, const struct view_cell *cell)
{
    put_cell_name(p, cell);
    if (cell->metric_count == 0) {
        buf_printf(p->out, "<td colspan=\"6\" class=\"bad\">%s</td></tr>\n",
                   view_status(p->view, cell->record.status));
        return;
    }
    size_t rows = 0;
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (m > 0 && phrase_is_idle(&cell->metrics[m])) continue;
        if (rows++ > 0) html_label(p, "");
        put_metric_row(p, &cell->metrics[m], m == 0);
        buf_text(p->out, "</tr>\n");
    }
    phrase_constants(&p->piece, p->view, cell);
    if (p->piece.n == 0) return;
    html_label(p, "");
    html_say(p, "<td>constant</td><td colspan=\"5\" class=\"range\">%s</td></tr>\n",
             p->piece.p);
}

static void put_summary(struct page *p)
{
    if (p->view->cell_count == 0) return;
    html_open(
        p, "Summary",
        "Value: the median, of shares and costs the mean, over cases where there are some; its "
        "95 % interval (no shape assumed). Mean ± standard deviation, range and coefficient of "
        "variation are of the trials that gave a value.");
    buf_text(p->out, "<table><thead><tr><th>cell</th><th>metric</th><th class=\"n\">value</th>"
                     "<th>95 % interval</th><th>mean ± sd</th><th>range</th><th>cv</th></tr>"
                     "</thead><tbody>\n");
    for (size_t i = 0; i < p->view->cell_count; i++) {
        put_summary_rows(p, &p->view->cells[i]);
    }
    buf_text(p->out, "</tbody></table>\n");
    html_close(p);
}

static void put_warning(void *to, const struct view_cell *cell, const char *status,
                        const char *what)
{
    phrase_say(to, html_text, "<li>%s%s%s: %s</li>\n", cell ? phrase_label(cell) : "machine",
               status ? ", " : "", status ? status : "", what);
}

static void put_warnings(struct page *p)
{
    struct buf list;
    buf_init(&list, REPORT_MAX_BYTES);
    phrase_warnings(p->view, put_warning, &list);
    if (list.n > 0) {
        buf_text(p->out, "<section>\n<h2>Warnings</h2>\n<ul class=\"warnings\">\n");
        buf_add(p->out, buf_str(&list));
        buf_text(p->out, "</ul>\n</section>\n");
    }
    buf_release(&list);
}

static void put_effects(struct page *p)
{
    if (!phrase_tells_effects(p->view)) return;
    html_open(p, "Effect of parameters",
              "Ratio of levels (medians; of shares and costs means) to the cells that have the "
              "parameter's first value and are "
              "equal in all else (geometric mean).");
    buf_text(p->out, "<table><thead><tr><th>parameter</th><th>value</th><th>metric</th>"
                     "<th class=\"n\">level</th><th class=\"n\">ratio</th>"
                     "<th class=\"n\">cells</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < p->view->effect_count; i++) {
        const struct view_effect *e = &p->view->effects[i];
        struct human_scale scale = human_scale(e->unit, e->median, e->median);
        html_label(p, e->param);
        html_say(p, "<td>%s</td><td>%s</td>", e->value, e->metric);
        html_number(p, &scale, e->median, "n");
        if (isfinite(e->ratio)) buf_printf(&p->piece, "%.3f", e->ratio);
        html_say(p, "<td class=\"n big\">%s</td><td class=\"n\">%zu</td></tr>\n", p->piece.p,
                 e->matched);
    }
    buf_text(p->out, "</tbody></table>\n");
    html_close(p);
}

static void put_fact(void *to, const char *name, struct str what)
{
    struct page *p = to;
    buf_printf(p->out, "<dt>%s</dt><dd>", name);
    html_text(p->out, what);
    buf_text(p->out, "</dd>\n");
}

static void put_explained(struct page *p)
{
    if (p->view->cell_count == 0) return;
    html_open(p, "Where the numbers come from", NULL);
    for (size_t i = 0; i < p->view->cell_count; i++) {
        const struct view_cell *cell = &p->view->cells[i];
        if (cell->metric_count == 0) continue;
        html_say(p, "<details><summary>%s</summary>\n", phrase_label(cell));
        for (size_t m = 0; m < cell->metric_count; m++) {
            html_say(p, "<h3>%s</h3><dl>\n", cell->metrics[m].name);
            phrase_explain(p->view, cell, &cell->metrics[m], put_fact, p);
            buf_text(p->out, "</dl>\n");
        }
        buf_text(p->out, "</details>\n");
    }
    html_close(p);
}

static void put_map(struct page *p, const struct value *map, const char *title)
{
    if (!map || map->kind != VALUE_MAP || map->map.count == 0) return;
    html_open(p, title, NULL);
    buf_text(p->out, "<dl>\n");
    for (size_t i = 0; i < map->map.count; i++) {
        if (!phrase_is_fact(map->map.pairs[i].value)) continue;
        buf_text(p->out, "<dt>");
        html_text(p->out, map->map.pairs[i].key);
        buf_text(p->out, "</dt><dd>");
        phrase_value(&p->piece, map->map.pairs[i].value);
        html_say(p, "%s</dd>\n", p->piece.p);
    }
    buf_text(p->out, "</dl>\n");
    html_close(p);
}

/* What single cells did: of many that would be a book, and `show` has it. */
static void put_details(struct page *p)
{
    if (p->view->cell_count > HTML_CELLS_MAX) {
        buf_printf(
            p->out,
            "<p class=\"sub\">%zu cells: their distributions and where each number comes "
            "from are in <code>assay show %s --explain</code>.</p>\n",
            p->view->cell_count, id_short(p->view->run.id));
        return;
    }
    put_summary(p);
    html_comparisons(p);
    html_distributions(p);
    html_trials(p);
    put_effects(p);
    put_explained(p);
}

static void write_html(const struct view *view, const struct report_options *options,
                       struct buf *out)
{
    struct page page = {.out = out, .view = view, .options = options};
    buf_init(&page.piece, 1 << 20);
    html_before_title(out);
    put_title(&page);
    html_after_title(out);
    put_header(&page);
    experiment_plots_html(&page);
    html_board(&page);
    html_cases(&page);
    claims_html(&page);
    put_warnings(&page);
    suite_html(&page);
    put_details(&page);
    put_map(&page, view->run.environment, "Environment");
    put_map(&page, view->run.vcs, "Version control");
    if (view->run.spec_text && view->run.spec_text[0]) {
        html_open(&page, "Spec", NULL);
        html_say(&page, "<pre>%s</pre>\n", view->run.spec_text);
        html_close(&page);
    }
    claims_total(view->claims, "<p class=\"big\">", "<br>", "</p>\n", out);
    buf_text(out, "</main>\n");
    html_answers(&page);
    buf_text(out, "</body>\n</html>\n");
    buf_release(&page.piece);
}

const struct reporter reporter_html = {
    .name = "html",
    .summary = "one self-contained page with tables and distributions",
    .write = write_html,
};
