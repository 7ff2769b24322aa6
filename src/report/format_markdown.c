/* Tables for pages, pull requests and the README.md of a result folder. */
#include "report/format_markdown.h"
#include "report/outcome_words.h"

#include "report/answer_claims.h"
#include "report/experiment_plots.h"
#include "report/phrase.h"
#include "report/suite_section.h"

#include <inttypes.h>
#include <math.h>

void markdown_text(struct buf *out, struct str s)
{
    static const char *const to[sizeof "<&\\`*_{}[]>#|~!"] = {"&lt;", "&amp;"};
    static const struct phrase_escapes escapes = {"<&\\`*_{}[]>#|~!", to, " ", ""};
    phrase_escaped(out, s, &escapes);
}

void markdown_plots(struct plot_list plots, struct buf *out)
{
    enum { COLUMNS = 96 };
    struct arena scratch = arena_open();
    for (size_t i = 0; i < plots.count; i++) {
        buf_text(out, "\n```\n");
        plot_text(&plots.items[i], COLUMNS, scratch, out);
        buf_text(out, "```\n");
    }
    arena_close(&scratch);
}

static void put_label(struct buf *out, const struct view_cell *cell)
{
    markdown_text(out, str_of(phrase_label(cell)));
}

/* A unit may come from outside too. */
static void put_quantity(struct buf *out, const struct human_scale *scale, double v)
{
    struct buf text;
    buf_init(&text, 65536);
    phrase_quantity(&text, scale, v);
    markdown_text(out, buf_str(&text));
    buf_release(&text);
}

static void put_spread(struct buf *out, const struct view_metric *m,
                       const struct human_scale *scale)
{
    put_quantity(out, scale, m->centre);
    buf_text(out, " | ");
    phrase_interval(out, scale, m->centre_low, m->centre_high);
    buf_text(out, " | ");
    phrase_number(out, scale, m->mean);
    if (!isnan(m->sd)) {
        buf_text(out, " ± ");
        phrase_number(out, scale, m->sd);
    }
    buf_text(out, " | ");
    phrase_range(out, scale, m->min, m->max);
    buf_text(out, " | ");
    phrase_percent(out, m->cv);
    if (!isnan(m->cv)) buf_printf(out, " %s", m->cv_label);
}

static void put_constants(const struct view *view, const struct view_cell *cell,
                          struct buf *out)
{
    struct buf words;
    buf_init(&words, 65536);
    phrase_constants(&words, view, cell);
    if (words.n > 0) markdown_say(out, "| | constant | %s | | | | | |\n", words.p);
    buf_release(&words);
}

void markdown_cells(const struct view *view, struct buf *out)
{
    buf_text(
        out,
        "Values are medians, of shares and costs means, over cases where there are some. The "
        "columns after the interval are of the trials that gave a value.\n\n"
        "| cell | metric | value | 95 % interval | mean ± sd | range | cv | trials |\n"
        "|---|---|---:|---|---|---|---|---|\n");
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        for (size_t m = 0; m < cell->metric_count || m == 0; m++) {
            if (m > 0 && phrase_is_idle(&cell->metrics[m])) continue;
            buf_text(out, "| ");
            if (m == 0) put_label(out, cell);
            buf_text(out, " | ");
            if (m < cell->metric_count) {
                struct human_scale scale = phrase_scale(view, &cell->metrics[m]);
                markdown_say(out, "%s | ", cell->metrics[m].name);
                put_spread(out, &cell->metrics[m], &scale);
            } else {
                buf_text(out, "- | - | | - | - | -");
            }
            buf_text(out, " | ");
            if (m == 0) phrase_counts(out, &cell->record.counts);
            buf_text(out, " |\n");
        }
        put_constants(view, cell, out);
    }
}

void markdown_comparisons(const struct view *view, struct buf *out)
{
    if (view->comparison_count == 0) return;
    buf_printf(out, "\n## Comparison\n\nFrom %s, as `assay compare` decides.\n\n",
               phrase_paired(view));
    struct buf sentence;
    buf_init(&sentence, 65536);
    for (size_t i = 0; i < view->comparison_count; i++) {
        buf_clear(&sentence);
        phrase_comparison(&sentence, view, &view->comparisons[i]);
        markdown_say(out, "- %s\n", sentence.p);
    }
    buf_release(&sentence);
}

void markdown_effects(const struct view *view, struct buf *out)
{
    if (!phrase_tells_effects(view)) return;
    buf_text(out, "\n## Effect of parameters\n\n"
                  "Ratio of levels (medians; of shares and costs means) to the cells that have "
                  "the parameter's first value and are "
                  "equal in all else (geometric mean).\n\n"
                  "| parameter | value | metric | level | ratio | cells |\n"
                  "|---|---|---|---:|---:|---:|\n");
    for (size_t i = 0; i < view->effect_count; i++) {
        const struct view_effect *e = &view->effects[i];
        struct human_scale scale = human_scale(e->unit, e->median, e->median);
        markdown_say(out, "| %s | %s | %s | ", e->param, e->value, e->metric);
        put_quantity(out, &scale, e->median);
        if (isfinite(e->ratio)) {
            buf_printf(out, " | %.3f | %zu |\n", e->ratio, e->matched);
        } else {
            buf_printf(out, " | - | %zu |\n", e->matched);
        }
    }
}

static void put_item(void *to, const char *name, struct str what)
{
    struct buf *out = to;
    buf_printf(out, "- %s: ", name);
    markdown_text(out, what);
    buf_add_char(out, '\n');
}

static void put_warning(void *to, const struct view_cell *cell, const char *status,
                        const char *what)
{
    markdown_say(to, "- %s%s%s: %s\n", cell ? phrase_label(cell) : "machine",
                 status ? ", " : "", status ? status : "", what);
}

static void put_warnings(const struct view *view, struct buf *out)
{
    struct buf all;
    buf_init(&all, REPORT_MAX_BYTES);
    phrase_warnings(view, put_warning, &all);
    if (all.n > 0) {
        buf_text(out, "\n## Warnings\n\n");
        buf_add(out, buf_str(&all));
    }
    buf_release(&all);
}

static void put_explained(const struct view *view, struct buf *out)
{
    buf_text(out, "\n## Where the numbers come from\n");
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        for (size_t m = 0; m < cell->metric_count; m++) {
            markdown_say(out, "\n### %s: %s\n\n", phrase_label(cell), cell->metrics[m].name);
            phrase_explain(view, cell, &cell->metrics[m], put_item, out);
        }
    }
}

static void put_map(const struct value *map, const char *title, struct buf *out)
{
    if (!map || map->kind != VALUE_MAP || map->map.count == 0) return;
    buf_printf(out, "\n## %s\n\n| | |\n|---|---|\n", title);
    struct buf text;
    buf_init(&text, 65536);
    for (size_t i = 0; i < map->map.count; i++) {
        if (!phrase_is_fact(map->map.pairs[i].value)) continue;
        buf_clear(&text);
        phrase_value(&text, map->map.pairs[i].value);
        buf_text(out, "| ");
        markdown_text(out, map->map.pairs[i].key);
        markdown_say(out, " | %s |\n", text.p);
    }
    buf_release(&text);
}

/* The fence must be longer than any run of backticks inside. */
static void put_spec(const struct run_record *run, struct buf *out)
{
    struct str text = str_of(run->spec_text);
    if (text.n == 0) return;
    size_t run_length = 0;
    size_t longest = 2;
    for (size_t i = 0; i < text.n; i++) {
        run_length = text.p[i] == '`' ? run_length + 1 : 0;
        if (run_length > longest) longest = run_length;
    }
    buf_text(out, "\n## Spec\n\n");
    for (size_t i = 0; i <= longest; i++) buf_add_char(out, '`');
    buf_text(out, "yaml\n");
    buf_add(out, text);
    if (text.p[text.n - 1] != '\n') buf_add_char(out, '\n');
    for (size_t i = 0; i <= longest; i++) buf_add_char(out, '`');
    buf_add_char(out, '\n');
}

static void put_answer(const struct outcome *o, struct buf *out)
{
    if (!o) return;
    struct arena scratch = arena_open();
    const char *sure = outcome_sure(o, &scratch);
    markdown_say(out, "**%s**", outcome_sentence(o, &scratch));
    if (sure) markdown_say(out, " %s", sure);
    buf_text(out, "\n\n");
    arena_close(&scratch);
}

static void write_markdown(const struct view *view, const struct report_options *options,
                           struct buf *out)
{
    const struct run_record *run = &view->run;
    markdown_say(out, "# Run %s\n\n", run->id);
    put_answer(options->outcome, out);
    phrase_stamp(out, run->started_ns);
    buf_text(out, ", ");
    phrase_outcome(out, view);
    buf_printf(out, ", seed %" PRId64, run->seed);
    if (run->assay_version) {
        markdown_say(out, ", assay %s", run->assay_version);
    }
    buf_text(out, ".\n\n");
    for (size_t i = 0; i < run->notes.count; i++) {
        markdown_say(out, "%s\n\n", run->notes.items[i].text);
    }
    suite_markdown(view, out);
    if (view->suite_count > 0) buf_text(out, "\n## Measurements\n\n");
    if (view->cell_count > 0) {
        markdown_cells(view, out);
    } else {
        buf_text(out, "No cells.\n");
    }
    markdown_comparisons(view, out);
    markdown_effects(view, out);
    experiment_plots_markdown(view, out);
    claims_markdown(view->claims, out);
    put_warnings(view, out);
    if (options->explain) put_explained(view, out);
    put_map(view->run.environment, "Environment", out);
    put_map(view->run.vcs, "Version control", out);
    put_spec(run, out);
    claims_total(view->claims, "\n", "\n\n", "\n", out);
}

const struct reporter reporter_markdown = {
    .name = "markdown",
    .alias = "md",
    .summary = "tables for pages and pull requests",
    .write = write_markdown,
};
