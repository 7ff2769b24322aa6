#include "report/stress_document.h"

#include "report/answer_stress.h"
#include "report/answers.h"
#include "report/chart.h"
#include "report/format_html.h"
#include "report/format_markdown.h"

#include <math.h>

enum { PIXELS = 900 };

/* How each of the two writes the same things. */
struct writer {
    phrase_escape *escape;
    const char *heading[2]; /* before and after */
    const char *table[2];   /* with its head row open and closed */
    const char *columns[3]; /* before, between and after names of columns */
    const char *under;      /* after the names, once a column; "": nothing */
    const char *cells[3];   /* the same of a row */
    const char *item[2];    /* of a list */
    const char *list[2];
};

static const struct writer markdown = {
    .escape = markdown_text,
    .heading = {"\n## ", "\n\n"},
    .table = {"", "\n"},
    .columns = {"| ", " | ", " |\n"},
    .under = "|---",
    .cells = {"| ", " | ", " |\n"},
    .item = {"- ", "\n"},
    .list = {"", "\n"},
};

static const struct writer html = {
    .escape = html_text,
    .heading = {"<h2>", "</h2>\n"},
    .table = {"<table>\n", "</table>\n"},
    .columns = {"<tr><th>", "</th><th>", "</th></tr>\n"},
    .under = "",
    .cells = {"<tr><td>", "</td><td>", "</td></tr>\n"},
    .item = {"<li>", "</li>\n"},
    .list = {"<ul>\n", "</ul>\n"},
};

static void put(const struct writer *w, struct buf *out, const char *text)
{
    w->escape(out, str_of(text ? text : ""));
}

static void put_row(const struct writer *w, const char *const marks[3],
                    const char *const *texts, size_t count, struct buf *out)
{
    buf_text(out, marks[0]);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) buf_text(out, marks[1]);
        put(w, out, texts[i]);
    }
    buf_text(out, marks[2]);
}

static void put_head(const struct writer *w, const char *const *names, size_t count,
                     struct buf *out)
{
    buf_text(out, w->table[0]);
    put_row(w, w->columns, names, count, out);
    for (size_t i = 0; i < count && w->under[0]; i++) buf_text(out, w->under);
    if (w->under[0]) buf_text(out, "|\n");
}

static void put_heading(const struct writer *w, const char *text, struct buf *out)
{
    buf_text(out, w->heading[0]);
    buf_text(out, text);
    buf_text(out, w->heading[1]);
}

static void put_results(const struct writer *w, const struct stress *s, struct arena *scratch,
                        struct buf *out)
{
    static const char *const names[] = {"scenario", "outcome", "score", "why"};
    put_heading(w, "Scenarios", out);
    put_head(w, names, COUNT(names), out);
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        const char *row[] = {r->scenario->name, stress_outcome_name(r->outcome),
                             isnan(r->score) ? "-" : arena_printf(scratch, "%.2f", r->score),
                             answer_stress_sentence(r, scratch)};
        put_row(w, w->cells, row, COUNT(row), out);
    }
    buf_text(out, w->table[1]);
}

static void put_figures(const struct writer *w, const struct stress *s, struct arena *scratch,
                        struct buf *out)
{
    static const char *const names[] = {"scenario", "figure", "value", "interval"};
    char value[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE];
    put_heading(w, "Figures", out);
    put_head(w, names, COUNT(names), out);
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        for (size_t k = 0; k < r->figure_count; k++) {
            const struct stress_figure *f = &r->figures[k];
            const char *limits =
                isnan(f->low)
                    ? ""
                    : arena_printf(scratch, "%s … %s", human_value(f->unit, f->low, low),
                                   human_value(f->unit, f->high, high));
            const char *row[] = {r->scenario->name, f->name,
                                 human_value(f->unit, f->value, value), limits};
            put_row(w, w->cells, row, COUNT(row), out);
        }
    }
    buf_text(out, w->table[1]);
}

static void put_advice(const struct writer *w, const struct stress *s, struct arena *scratch,
                       struct buf *out)
{
    if (s->recommendation_count == 0) return;
    put_heading(w, "What to do", out);
    buf_text(out, w->list[0]);
    for (size_t i = 0; i < s->recommendation_count; i++) {
        buf_text(out, w->item[0]);
        put(w, out, answer_stress_recommendation(&s->recommendations[i], scratch));
        buf_text(out, w->item[1]);
    }
    buf_text(out, w->list[1]);
}

static const char *lead_of(const struct stress *s, struct arena *scratch)
{
    char p95[HUMAN_SIZE], objective[HUMAN_SIZE];
    return arena_printf(
        scratch,
        "%s. Normal load: %.4g requests per second, 95 %% within %s. Objective: "
        "95 %% within %s, at most %.3g %% errors. Run %s.",
        answer_stress_resilience(s, scratch), s->usual.normal_rate,
        human_value("s", s->usual.usual_p95_s, p95),
        human_value("s", s->usual.objective_s, objective), 100 * s->usual.error_share,
        s->run_id);
}

void stress_document_markdown(const void *answer, struct buf *out)
{
    const struct stress *s = answer;
    struct arena scratch = arena_open();
    buf_text(out, "# ");
    put(&markdown, out, answer_stress_head(s, &scratch));
    buf_text(out, "\n\n");
    put(&markdown, out, lead_of(s, &scratch));
    buf_add_char(out, '\n');
    put_results(&markdown, s, &scratch, out);
    put_advice(&markdown, s, &scratch, out);
    put_figures(&markdown, s, &scratch, out);
    markdown_plots(answer_stress.plots(answer, &scratch), out);
    arena_close(&scratch);
}

void stress_document_html(const void *answer, struct buf *out)
{
    const struct stress *s = answer;
    struct arena scratch = arena_open();
    const char *title = answer_stress_head(s, &scratch);
    html_before_title(out);
    put(&html, out, title);
    html_after_title(out);
    buf_text(out, "<h1>");
    put(&html, out, title);
    buf_text(out, "</h1>\n<p>");
    put(&html, out, lead_of(s, &scratch));
    buf_text(out, "</p>\n");
    put_results(&html, s, &scratch, out);
    put_advice(&html, s, &scratch, out);
    struct plot_list plots = answer_stress.plots(answer, &scratch);
    if (plots.count > 0) {
        put_heading(&html, "By load", out);
        plot_svg(plots, PIXELS, out);
    }
    put_figures(&html, s, &scratch, out);
    buf_text(out, "</main>\n</body>\n</html>\n");
    arena_close(&scratch);
}
