/* How a page begins: the sentence, three short answers below it, then dot and interval of each
 * agent on one axis with a bracket around those whose order is not decided, then the five
 * scores. Every number carries its exact value (data-value), so that a test can compare it with
 * the JSON. */
#include "base/clock.h"
#include "base/id.h"
#include "report/chart.h"
#include "report/format_html.h"
#include "report/outcome_words.h"
#include "report/phrase.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put_value(struct page *p, int decimals, double v)
{
    if (isnan(v))
        buf_text(p->out, "-");
    else
        buf_printf(p->out, "<span data-value=\"%.17g\">%.*f</span>", v, decimals,
                   fabs(v) < 0.5 * pow(10, -decimals) ? 0 : v); /* never -0.00 */
}

static void put_range(struct page *p, struct ranking_interval r)
{
    if (isnan(r.low)) return;
    buf_text(p->out, " [");
    put_value(p, 2, r.low);
    buf_text(p->out, ", ");
    put_value(p, 2, r.high);
    buf_text(p->out, "]");
}

/* ---- the three ---- */

static void put_why(struct page *p, const struct outcome *o, struct arena *scratch)
{
    const struct outcome_agent *a = &o->agents[0];
    char median[HUMAN_SIZE];
    html_say(p, "<li><h2>Why %s</h2><p>", a->name);
    bool is_first = true;
    for (int i = 0; i < SCORE_COUNT; i++) {
        bool is_ahead = false; /* of somebody: where all are free, being cheap is no reason */
        for (size_t k = 1; k < o->ranked_count; k++)
            is_ahead |= o->agents[k].entry->rank[i] > 1;
        if (a->entry->rank[i] != 1 || !is_ahead) continue;
        buf_printf(p->out, "%s%s ", is_first ? "Highest " : ", ", score_name((enum score_id)i));
        put_value(p, 3, a->entry->row->mean[i]);
        is_first = false;
    }
    buf_text(p->out, is_first ? "" : ".");
    html_say(p, " %s", outcome_right(a, " cases", scratch));
    if (!isnan(a->median_s))
        buf_printf(p->out, ", median %s", human_value("s", a->median_s, median));
    buf_text(p->out, ".</p>");
    if (o->ranked_count > 1) {
        html_say(p, "<p>First in %s of all weightings of the scores.</p>",
                 words_part(a->entry->first_share, scratch));
    }
    buf_text(p->out, "</li>\n");
}

static void put_losses(struct page *p, const struct outcome *o)
{
    enum { NAMED_MAX = 6 };
    const struct outcome_agent *a = &o->agents[0];
    size_t whole = 0;
    buf_text(p->out, "<li><h2>Where it loses</h2><p>");
    for (size_t i = 0; i < a->wrong_count && i < NAMED_MAX; i++) {
        html_say(p, "%s%s", i ? ", " : "", a->wrong[i]);
    }
    if (a->wrong_count > NAMED_MAX)
        buf_printf(p->out, " and %zu more", a->wrong_count - NAMED_MAX);
    buf_text(p->out, a->wrong_count ? "." : "In no case.");
    buf_text(p->out, "</p>");
    for (size_t i = 0; i < o->agent_count; i++)
        whole += o->agents[i].right + o->agents[i].unjudged_count == o->case_count;
    if (whole == 0 && o->agent_count > 1) {
        buf_printf(p->out, "<p>No agent gets all %zu cases right.</p>", o->case_count);
    }
    buf_text(p->out, "</li>\n");
}

static void put_three(struct page *p, const struct outcome *o, struct arena *scratch)
{
    const char *const *warnings = outcome_warnings(o, scratch);
    buf_text(p->out, "<ul class=\"three\">\n");
    put_why(p, o, scratch);
    put_losses(p, o);
    buf_text(p->out, "<li><h2>How sure</h2>");
    if (o->ranked_count > 1 && o->agents[0].entry->lead.n > 0) {
        const struct ranking_lead *l = &o->agents[0].entry->lead;
        html_say(p, "<p>%s against %s: %s, ", o->agents[0].name, o->agents[1].name,
                 l->is_told ? "decided" : "not decided");
        put_value(p, 3, l->by);
        put_range(p, (struct ranking_interval){l->low, l->high});
        buf_printf(p->out, ", n = %zu.</p>", l->n);
    } else {
        buf_printf(p->out, "<p>%zu cases, %zu pass%s.</p>", o->case_count, o->pass_count,
                   o->pass_count == 1 ? "" : "es");
    }
    for (size_t i = 0; warnings[i]; i++) {
        html_say(p, "<p><span class=\"tag\">⚠ warning</span> %s.</p>", warnings[i]);
    }
    buf_text(p->out, "</li></ul>\n");
}

void html_answer(struct page *p)
{
    const struct outcome *o = p->options->outcome;
    struct arena scratch = arena_open();
    const char *sure = outcome_sure(o, &scratch);
    html_say(p, "<h1>%s", outcome_sentence(o, &scratch));
    if (sure) html_say(p, " <span class=\"q\">%s</span>", sure);
    buf_text(p->out, "</h1>\n");
    if (o->ranked_count > 0) put_three(p, o, &scratch);
    arena_close(&scratch);
}

/* ---- the board ---- */

static const char *const shapes[] = {"▲", "◆", "■", "●"};

/* Benchmarks in the order in which they appear, up to the number of shapes; else none. */
static size_t benchmarks_of(const struct outcome *o, const char *names[COUNT(shapes)])
{
    size_t n = 0;
    if (o->benchmark_count < 2 || o->benchmark_count > COUNT(shapes)) return 0;
    for (size_t i = 0; i < o->view->suite_count; i++) {
        const char *name = o->view->suites[i].benchmark;
        bool is_new = true;
        for (size_t k = 0; k < n; k++) is_new &= strcmp(names[k], name) != 0;
        if (is_new && n < COUNT(shapes)) names[n++] = name;
    }
    return n;
}

static void put_marks(struct page *p, const struct outcome *o, size_t agent,
                      const struct axis *axis)
{
    const char *names[COUNT(shapes)];
    size_t count = benchmarks_of(o, names);
    for (size_t i = 0; i < o->view->suite_count && count; i++) {
        const struct suite_view *s = &o->view->suites[i];
        if (outcome_agent_of(o, s) != agent || isnan(s->scores.overall.value)) continue;
        for (size_t k = 0; k < count; k++) {
            if (strcmp(names[k], s->benchmark) != 0) continue;
            buf_printf(p->out, "<s style=\"left:%.1f%%\">%s</s>",
                       100 * axis_place(axis, s->scores.overall.value), shapes[k]);
        }
    }
}

/* Begins above the first of a tie and ends below the last. */
static void put_brackets(struct page *p, const struct outcome *o, size_t i)
{
    static const char *const classes[] = {[BRACKET_NONE] = "",
                                          [BRACKET_ALONE] = "tie t e",
                                          [BRACKET_FIRST] = "tie t",
                                          [BRACKET_INSIDE] = "tie",
                                          [BRACKET_LAST] = "tie e"};
    const struct ranking_entry *e = o->agents[i].entry;
    size_t lanes = outcome_lanes(o, o->ranked_count);
    if (lanes > 1) buf_text(p->out, "<span class=\"ties\">");
    for (size_t lane = 0; lane < lanes; lane++) {
        enum outcome_bracket part = BRACKET_NONE;
        for (size_t group = e->tie_group; group <= e->tie_last; group++) {
            if (group % lanes == lane) part = outcome_bracket(o, o->ranked_count, i, group);
        }
        buf_printf(p->out, "<span class=\"%s\"></span>", classes[part]);
    }
    if (lanes > 1) buf_text(p->out, "</span>");
}

static void put_board_row(struct page *p, const struct outcome *o, size_t i,
                          const struct axis *axis, const double *ticks, size_t tick_count)
{
    const struct outcome_agent *a = &o->agents[i];
    const struct ranking_entry *e = a->entry;
    buf_text(p->out, "<div class=\"b-row\">");
    put_brackets(p, o, i);
    html_say(p, "<span>%zu</span><span>%s</span><span class=\"track\">", e->overall_rank,
             a->name);
    for (size_t k = 0; k < tick_count; k++)
        buf_printf(p->out, "<i style=\"left:%.1f%%\"></i>", 100 * axis_place(axis, ticks[k]));
    if (!isnan(e->overall_interval.low)) {
        double from = 100 * axis_place(axis, e->overall_interval.low);
        double to = 100 * axis_place(axis, e->overall_interval.high);
        buf_printf(p->out, "<u style=\"left:%.2f%%;width:%.2f%%\"></u>", from, to - from);
    }
    buf_printf(p->out, "<b style=\"left:%.2f%%\"></b>", 100 * axis_place(axis, e->overall));
    put_marks(p, o, i, axis);
    buf_text(p->out, "</span><span>");
    put_value(p, 3, e->overall);
    put_range(p, e->overall_interval);
    if (e->rank_low == e->rank_high || e->rank_low == 0) {
        buf_printf(p->out, "</span><span>%zu</span></div>\n", e->overall_rank);
    } else {
        buf_printf(p->out, "</span><span>%zu–%zu</span></div>\n", e->rank_low, e->rank_high);
    }
}

static void put_bars(struct page *p, const struct outcome *o)
{
    double ticks[AXIS_TICKS_MAX];
    const char *names[COUNT(shapes)];
    struct axis axis = outcome_axis(o, o->ranked_count);
    size_t tick_count = axis_ticks(&axis, ticks);
    size_t marks = benchmarks_of(o, names);
    buf_text(p->out, "<section class=\"card flush\"><div class=\"head\"><h2>Overall score</h2>"
                     "<p>dot and bar: 95 % interval");
    for (size_t i = 0; i < marks; i++) {
        html_say(p, "%s %s %s", i ? "" : "; small marks:", shapes[i], names[i]);
    }
    buf_printf(
        p->out,
        "; bracket: order of neighbours not decided; n = %zu cases × %zu passes</p></div>\n"
        "<div class=\"board\" role=\"group\" aria-label=\"overall score of each "
        "agent with its 95 %% interval\">\n",
        o->case_count, o->pass_count);
    buf_text(p->out, "<div class=\"b-axis\" aria-hidden=\"true\"><span></span><span></span>"
                     "<span></span><span class=\"track\">");
    for (size_t k = 0; k < tick_count; k++)
        buf_printf(p->out, "<span style=\"left:%.1f%%\">%.*f</span>",
                   100 * axis_place(&axis, ticks[k]), outcome_axis_decimals(ticks, tick_count),
                   ticks[k]);
    buf_text(p->out, "</span><span>overall [95 %]</span><span>rank</span></div>\n");
    for (size_t i = 0; i < o->ranked_count; i++)
        put_board_row(p, o, i, &axis, ticks, tick_count);
    buf_text(p->out, "</div></section>\n");
}

/* ---- scores ---- */

static void put_score(struct page *p, const char *name, double value,
                      struct ranking_interval range)
{
    html_say(p, "<td class=\"n\" data-label=\"%s\">", name);
    put_value(p, 3, value);
    buf_text(p->out, "<div class=\"sub\">");
    put_range(p, range);
    buf_text(p->out, "</div></td>");
}

static void put_scores(struct page *p, const struct outcome *o)
{
    buf_text(p->out,
             "<section class=\"card flush\"><div class=\"head\"><h2>Scores by agent</h2>"
             "<p>0 to 1, 95 % interval below</p></div><table class=\"fold\"><thead><tr>"
             "<th>agent</th>");
    for (int i = 0; i < SCORE_COUNT; i++)
        buf_printf(p->out, "<th class=\"n\">%s</th>", score_name((enum score_id)i));
    buf_text(p->out, "<th class=\"n\">overall</th><th class=\"n\">right</th><th class=\"n\">"
                     "median</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < o->ranked_count; i++) {
        const struct outcome_agent *a = &o->agents[i];
        char median[HUMAN_SIZE] = "-";
        html_say(p, "<tr><td><b>%s</b></td>", a->name);
        for (int k = 0; k < SCORE_COUNT; k++)
            put_score(p, score_name((enum score_id)k), a->entry->row->mean[k],
                      a->entry->score[k]);
        put_score(p, "overall", a->entry->overall, a->entry->overall_interval);
        if (!isnan(a->median_s)) human_value("s", a->median_s, median);
        buf_printf(p->out, "<td class=\"n\" data-label=\"right\">%zu of %zu", a->right,
                   a->cases);
        if (a->unjudged_count)
            buf_printf(p->out, "<div class=\"sub\">%zu not judged</div>", a->unjudged_count);
        buf_printf(p->out, "</td><td class=\"n\" data-label=\"median\">%s</td></tr>\n", median);
    }
    buf_text(p->out, "</tbody></table><p class=\"note\">");
    struct arena scratch = arena_open();
    for (size_t i = o->ranked_count; i < o->agent_count; i++) {
        html_say(p, "Left out: %s, %s. ", o->agents[i].name,
                 outcome_left_out(&o->agents[i], &scratch));
    }
    arena_close(&scratch);
    buf_text(p->out, "Overall =");
    bool is_first = true;
    for (int i = 0; i < SCORE_COUNT; i++) {
        double w = o->ranking->weights[i];
        if (w <= 0) continue;
        buf_printf(p->out, "%s %.2f %s", is_first ? "" : " +", w, score_name((enum score_id)i));
        is_first = false;
    }
    buf_text(p->out, ".</p></section>\n");
}

void html_board(struct page *p)
{
    const struct outcome *o = p->options->outcome;
    if (!o || o->ranked_count == 0) return;
    put_bars(p, o);
    put_scores(p, o);
}
