#include "report/suite_section.h"

#include "base/plain.h"
#include "report/format_markdown.h"
#include "view/suite_view.h"

#include <inttypes.h>
#include <math.h>

enum { CASES_SHOWN = 5, SCORES = SCORE_COUNT + 1 };

static const struct score *score_at(const struct suite_view *s, size_t i)
{
    return i < SCORE_COUNT ? &s->scores.by[i] : &s->scores.overall;
}

static const char *name_at(size_t i)
{
    return i < SCORE_COUNT ? score_name((enum score_id)i) : "overall";
}

static void add_value(struct buf *out, const struct score *s)
{
    if (isnan(s->value)) {
        buf_text(out, "-");
    } else {
        buf_printf(out, "%.3f", s->value);
    }
}

/* What a missing score or judgement makes partial. */
static bool has_mark(const struct suite_view *s, size_t i)
{
    bool lacks_judgement = s->scores.judged < s->scores.total;
    return (i == SCORE_COUNT && s->scores.is_partial) ||
           (i == SCORE_ACCURACY && lacks_judgement);
}

static void add_interval(struct buf *out, const struct score *s)
{
    if (!isnan(s->value) && !isnan(s->low)) buf_printf(out, "[%.2f, %.2f]", s->low, s->high);
}

/* "fraction: 0 of 5 passed; exact: is '2', not '2.5'", "poem: harness_error: the judge ..." */
static void add_case(struct buf *out, const struct suite_case *c)
{
    buf_printf(out, "%s: ", c->name);
    if (c->state == CASE_WRONG)
        buf_printf(out, "%" PRId64 " of %" PRId64 " passed%s", c->values.passed,
                   c->values.attempted, c->why ? "; " : "");
    if (c->why) buf_text(out, c->why);
}

/* The two lists of cases that are not right. */
struct lack {
    const struct suite_case *cases;
    size_t count;
    bool is_wrong;
};

static struct lack lack_of(const struct suite_view *s, bool is_wrong)
{
    return is_wrong ? (struct lack){s->wrong, s->wrong_count, true}
                    : (struct lack){s->unjudged, s->unjudged_count, false};
}

static const char *lack_text(bool is_wrong)
{
    return is_wrong ? "not passed in every attempt" : "that could not be judged";
}

/* "pass@3 0.840 [0.61, 0.96], pass^3 0.420 [0.18, 0.70]", of each k that was asked for. */
static void add_asked(struct buf *out, const struct suite_view *s)
{
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct score_pass *p = &s->asked[i];
        if (i > 0) buf_text(out, "; ");
        if (isnan(p->at_k)) {
            buf_printf(out, "pass@%" PRId64 ": %s", p->k, p->reason);
            continue;
        }
        buf_printf(out, "pass@%" PRId64 " %.3f [%.2f, %.2f]", p->k, p->at_k, p->at_k_low,
                   p->at_k_high);
        buf_printf(out, ", pass^%" PRId64 " %.3f [%.2f, %.2f]", p->k, p->all_k, p->all_k_low,
                   p->all_k_high);
        if (p->left_out) buf_printf(out, " (%zu cases have fewer attempts)", p->left_out);
    }
}

static bool is_unjudged(const struct suite_view *s)
{
    return s->scores.judged < s->scores.total;
}

/* "2 of 4 cases judged": the scores are those of the rest. */
static void add_judged(struct buf *out, const struct suite_view *s)
{
    buf_printf(out, "%zu of %zu cases judged", s->scores.judged, s->scores.total);
}

/* Where the attempts at one case differ, what a single attempt and what all of them pass is
 * said too. */
static void add_pass(struct buf *out, const struct suite_view *s)
{
    bool wavers = s->pass_k.k > 1 && s->pass_1.at_k > s->pass_k.all_k;
    if (!wavers) return;
    buf_printf(out, "; pass@1 %.3f", s->pass_1.at_k);
    if (!isnan(s->pass_1.at_k_low)) {
        buf_printf(out, " [%.2f, %.2f]", s->pass_1.at_k_low, s->pass_1.at_k_high);
    }
    buf_printf(out, ", pass^%" PRId64 " %.3f", s->pass_k.k, s->pass_k.all_k);
    if (!isnan(s->pass_k.all_k_low)) {
        buf_printf(out, " [%.2f, %.2f]", s->pass_k.all_k_low, s->pass_k.all_k_high);
    }
}

static bool has_simulated(const struct view *view)
{
    for (size_t i = 0; i < view->suite_count; i++) {
        if (strcmp(view->suites[i].provenance, "simulated") == 0) return true;
    }
    return false;
}

static bool has_partial(const struct view *view)
{
    for (size_t i = 0; i < view->suite_count; i++) {
        if (view->suites[i].scores.is_partial) return true;
    }
    return false;
}

static const char partial_text[] = "*: without the scores or the judgements that are missing; "
                                   "not ranked with full ones";
static const char simulated_text[] =
    "simulated: answers of a stand-in, no measurement of a real agent";

/* " (7 of 20 cases)" of what was stopped; else nothing. */
static const char *tried_text(const struct suite_view *s, struct arena *out)
{
    return s->untried == 0 ? ""
                           : arena_printf(out, " (%zu of %zu cases)", s->case_count,
                                          s->case_count + s->untried);
}

/* ---- text ---- */

static void pad(struct buf *out, size_t from, size_t to)
{
    for (size_t n = out->n - from; n < to; n++) buf_add_char(out, ' ');
}

static void text_row(const struct suite_view *s, bool color, struct buf *out)
{
    struct arena scratch = arena_open();
    enum { COLUMN = 13 };
    buf_text(out, color ? "\033[1m" : "");
    plain_add(out, str_of(suite_view_name(s, &scratch)), 60);
    buf_text(out, color ? "\033[0m" : "");
    buf_text(out, tried_text(s, &scratch));
    if (strcmp(s->provenance, "simulated") == 0) buf_text(out, "  simulated");
    buf_text(out, "\n");
    for (int line = 0; line < 2; line++) {
        buf_text(out, line && color ? "\033[2m " : " ");
        for (size_t i = 0; i < SCORES; i++) {
            size_t from = out->n;
            if (line == 0) {
                add_value(out, score_at(s, i));
                if (has_mark(s, i)) buf_add_char(out, '*');
            } else {
                add_interval(out, score_at(s, i));
            }
            if (i + 1 < SCORES) pad(out, from, COLUMN);
        }
        buf_text(out, line && color ? "\033[0m\n" : "\n");
    }
    if (is_unjudged(s)) {
        buf_text(out, " ");
        add_judged(out, s);
        buf_add_char(out, '\n');
    }
    if (s->asked_count) {
        buf_text(out, " ");
        add_asked(out, s);
        buf_add_char(out, '\n');
    }
    arena_close(&scratch);
}

static void text_lack(const struct suite_view *s, const struct lack *lack, size_t width,
                      struct buf *out)
{
    struct buf line;
    if (lack->count == 0) return;
    struct arena scratch = arena_open();
    buf_init(&line, 65536);
    plain_add(out, str_of(suite_view_name(s, &scratch)), 60);
    buf_printf(out, ": %zu of %zu cases", lack->count, s->case_count);
    if (lack->is_wrong) add_pass(out, s);
    buf_add_char(out, '\n');
    for (size_t i = 0; i < lack->count && i < CASES_SHOWN; i++) {
        buf_clear(&line);
        add_case(&line, &lack->cases[i]);
        buf_text(out, "  ");
        plain_add(out, buf_str(&line), width > 5 ? width - 5 : 40);
        buf_add_char(out, '\n');
    }
    if (lack->count > CASES_SHOWN)
        buf_printf(out, "  and %zu more\n", lack->count - CASES_SHOWN);
    buf_release(&line);
    arena_close(&scratch);
}

static void text_lacks(const struct view *view, bool is_wrong, bool color, size_t width,
                       struct buf *out)
{
    bool has_title = false;
    for (size_t i = 0; i < view->suite_count; i++) {
        struct lack lack = lack_of(&view->suites[i], is_wrong);
        if (lack.count > 0 && !has_title)
            buf_printf(out, "\n%sCases %s%s\n", color ? "\033[1m" : "", lack_text(is_wrong),
                       color ? "\033[0m" : "");
        has_title |= lack.count > 0;
        text_lack(&view->suites[i], &lack, width, out);
    }
}

void suite_text(const struct view *view, bool color, size_t width, struct buf *out)
{
    if (view->suite_count == 0) return;
    buf_printf(out, "\n%sScores (0 to 1, 95 %% interval over cases)%s\n ",
               color ? "\033[1m" : "", color ? "\033[0m" : "");
    for (size_t i = 0; i < SCORES; i++) {
        size_t from = out->n;
        buf_text(out, name_at(i));
        if (i + 1 < SCORES) pad(out, from, 13);
    }
    buf_add_char(out, '\n');
    for (size_t i = 0; i < view->suite_count; i++) text_row(&view->suites[i], color, out);
    if (has_partial(view)) buf_printf(out, "%s\n", partial_text);
    if (has_simulated(view)) buf_printf(out, "%s\n", simulated_text);
    text_lacks(view, true, color, width, out);
    text_lacks(view, false, color, width, out);
}

/* ---- Markdown ---- */

static void markdown_row(const struct suite_view *s, struct buf *out)
{
    struct arena scratch = arena_open();
    markdown_say(out, "| %s", suite_view_name(s, &scratch));
    buf_text(out, tried_text(s, &scratch));
    if (strcmp(s->provenance, "simulated") == 0) buf_text(out, " (simulated)");
    for (size_t k = 0; k < SCORES; k++) {
        buf_text(out, " | ");
        add_value(out, score_at(s, k));
        if (has_mark(s, k)) buf_text(out, "\\*");
        buf_add_char(out, ' ');
        add_interval(out, score_at(s, k));
    }
    buf_text(out, " |\n");
    arena_close(&scratch);
}

static void markdown_lack(const struct suite_view *s, const struct lack *lack, const char *name,
                          struct buf *line, struct buf *out)
{
    for (size_t k = 0; k < lack->count; k++) {
        buf_clear(line);
        if (k == 0) {
            buf_printf(line, "%s, %s", lack->is_wrong ? "Not passed" : "Not judged", name);
            if (lack->is_wrong) add_pass(line, s);
            markdown_say(out, "\n%s:\n\n", line->p);
            buf_clear(line);
        }
        add_case(line, &lack->cases[k]);
        markdown_say(out, "- %s\n", line->p);
    }
}

/* What follows the table of one cell: judgements, pass@k, cases that are not right. */
static void markdown_rest(const struct suite_view *s, struct buf *line, struct buf *out)
{
    struct arena scratch = arena_open();
    const char *name = suite_view_name(s, &scratch);
    if (is_unjudged(s) || s->asked_count) {
        buf_clear(line);
        buf_printf(line, "%s: ", name);
        if (is_unjudged(s)) add_judged(line, s);
        if (is_unjudged(s) && s->asked_count) buf_text(line, "; ");
        add_asked(line, s);
        markdown_say(out, "\n%s\n", line->p);
    }
    for (int is_wrong = 1; is_wrong >= 0; is_wrong--) {
        struct lack lack = lack_of(s, is_wrong);
        markdown_lack(s, &lack, name, line, out);
    }
    arena_close(&scratch);
}

void suite_markdown(const struct view *view, struct buf *out)
{
    if (view->suite_count == 0) return;
    struct buf line;
    buf_init(&line, 65536);
    buf_text(out, "\n## Scores\n\n0 to 1, with the 95 % interval over cases.\n\n| |");
    for (size_t i = 0; i < SCORES; i++) buf_printf(out, " %s |", name_at(i));
    buf_text(out, "\n|---|");
    for (size_t i = 0; i < SCORES; i++) buf_text(out, "---|");
    buf_add_char(out, '\n');
    for (size_t i = 0; i < view->suite_count; i++) markdown_row(&view->suites[i], out);
    if (has_partial(view)) buf_printf(out, "\n%s.\n", partial_text);
    if (has_simulated(view)) buf_printf(out, "\n%s.\n", simulated_text);
    for (size_t i = 0; i < view->suite_count; i++) {
        markdown_rest(&view->suites[i], &line, out);
    }
    buf_release(&line);
}

/* ---- HTML ---- */

static void html_row(struct page *p, const struct suite_view *s)
{
    struct arena scratch = arena_open();
    bool is_simulated = strcmp(s->provenance, "simulated") == 0;
    struct buf pass;
    buf_init(&pass, 1 << 20);
    if (s->asked_count) buf_text(&pass, "; ");
    add_asked(&pass, s);
    html_label(p, arena_printf(&scratch, "%s%s%s%s", suite_view_name(s, &scratch),
                               tried_text(s, &scratch), is_simulated ? " (simulated)" : "",
                               buf_keep(&pass, &scratch)));
    for (size_t i = 0; i < SCORES; i++) {
        const struct score *score = score_at(s, i);
        buf_text(p->out, i == SCORE_COUNT ? "<td class=\"n big\">" : "<td class=\"n\">");
        add_value(&p->piece, score);
        if (has_mark(s, i)) buf_text(&p->piece, "*");
        html_say(p, "%s<div class=\"sub\">", p->piece.p);
        add_interval(p->out, score);
        if (i == SCORE_ACCURACY && is_unjudged(s)) {
            buf_text(p->out, "<br>");
            add_judged(p->out, s);
        }
        buf_text(p->out, "</div></td>");
    }
    buf_text(p->out, "</tr>\n");
    arena_close(&scratch);
}

static void html_lack(struct page *p, const struct suite_view *s, struct lack lack)
{
    if (lack.count == 0) return;
    struct arena scratch = arena_open();
    html_say(p, "<details><summary>%s: %zu of %zu cases %s", suite_view_name(s, &scratch),
             lack.count, s->case_count, lack_text(lack.is_wrong));
    if (lack.is_wrong) add_pass(&p->piece, s);
    html_say(p, "%s</summary>\n<ul>\n", p->piece.p);
    for (size_t i = 0; i < lack.count; i++) {
        add_case(&p->piece, &lack.cases[i]);
        html_say(p, "<li>%s</li>\n", p->piece.p);
    }
    buf_text(p->out, "</ul></details>\n");
    arena_close(&scratch);
}

void suite_html(struct page *p)
{
    if (p->view->suite_count == 0) return;
    html_open(p, "Scores", "0 to 1, with the 95 % interval over cases.");
    buf_text(p->out, "<table><thead><tr><th>benchmark, agent</th>");
    for (size_t i = 0; i < SCORES; i++) {
        buf_printf(p->out, "<th class=\"n\">%s</th>", name_at(i));
    }
    buf_text(p->out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < p->view->suite_count; i++) html_row(p, &p->view->suites[i]);
    buf_text(p->out, "</tbody></table>\n");
    if (has_partial(p->view)) buf_printf(p->out, "<p class=\"sub\">%s</p>\n", partial_text);
    if (has_simulated(p->view)) buf_printf(p->out, "<p class=\"sub\">%s</p>\n", simulated_text);
    for (size_t i = 0; i < p->view->suite_count; i++) {
        const struct suite_view *s = &p->view->suites[i];
        html_lack(p, s, lack_of(s, true));
        html_lack(p, s, lack_of(s, false));
    }
    html_close(p);
}

/* ---- JSON ---- */

#define OF struct score
static const struct layout_field score_fields[] = {
    LAYOUT_FIELD("score", value, "0 to 1; null: see reason"),
    LAYOUT_FIELD("low", low, "lower end of the 95 % interval"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_FIELD("n", n, "cases; of reliability attempts"),
    LAYOUT_FIELD("formula", formula, "and its version"),
    LAYOUT_FIELD("interval", method, "how the interval is made"),
    LAYOUT_FIELD("reason", reason, "why something is missing"),
};
static const struct layout score_layout = LAYOUT(score_fields);
#undef OF

#define OF struct score_pass
static const struct layout_field pass_fields[] = {
    LAYOUT_FIELD("k", k, "attempts"),
    LAYOUT_FIELD("at_k", at_k, "share of cases of which one of k attempts passes"),
    LAYOUT_FIELD("at_k_low", at_k_low, "lower end of its interval"),
    LAYOUT_FIELD("at_k_high", at_k_high, "upper end"),
    LAYOUT_FIELD("all_k", all_k, "share of cases of which all k attempts pass"),
    LAYOUT_FIELD("all_k_low", all_k_low, "lower end of its interval"),
    LAYOUT_FIELD("all_k_high", all_k_high, "upper end"),
    LAYOUT_FIELD("cases", cases, "with at least k attempts"),
    LAYOUT_FIELD("reason", reason, "why something is missing"),
};
static const struct layout pass_layout = LAYOUT_OF(OF, pass_fields);
#undef OF

#define OF struct suite_case
static const struct layout_field wrong_fields[] = {
    LAYOUT_FIELD("case", name, "its name"),
    LAYOUT_FIELD("passed", values.passed, "attempts that did"),
    LAYOUT_FIELD("attempted", values.attempted, "attempts, without harness errors"),
    LAYOUT_FIELD("why", why, "of the first that did not"),
};
static const struct layout wrong_layout = LAYOUT_OF(OF, wrong_fields);

static const struct layout_field unjudged_fields[] = {
    LAYOUT_FIELD("case", name, "its name"),
    LAYOUT_FIELD("why", why, "it could not be judged"),
};
static const struct layout unjudged_layout = LAYOUT_OF(OF, unjudged_fields);
#undef OF

LAYOUT_WORD_IS(prompt_of, const struct suite_view *s, s->prompt[0] ? s->prompt : NULL)

#define SCORE(name, which, words) LAYOUT_OBJECT(name, scores.by[which], &score_layout, words)
#define OF                        struct suite_view
static const struct layout_field suite_fields[] = {
    LAYOUT_FIELD("suite", suite, "its name"),
    LAYOUT_FIELD("benchmark", benchmark, "its name"),
    LAYOUT_FIELD("agent", agent, "its name"),
    LAYOUT_FIELD("version", version, "of the agent"),
    LAYOUT_WORD("prompt", prompt_of, "its name; null without one"),
    SCORE("accuracy", SCORE_ACCURACY, "how right"),
    SCORE("speed", SCORE_SPEED, "how fast, compared with the target"),
    SCORE("efficiency", SCORE_EFFICIENCY, "how little it uses"),
    SCORE("cost", SCORE_COST, "how cheap"),
    SCORE("reliability", SCORE_RELIABILITY, "how often it answers"),
    LAYOUT_OBJECT("overall", scores.overall, &score_layout, "the weighted mean"),
    LAYOUT_FIELD("partial", scores.is_partial, "a score or a judgement is missing"),
    LAYOUT_OBJECT("pass_1", pass_1, &pass_layout, "one attempt"),
    LAYOUT_OBJECT("pass_k", pass_k, &pass_layout, "as many as there were passes"),
    LAYOUT_ARRAY("pass", asked, asked_count, &pass_layout, "as the benchmark asks"),
    LAYOUT_FIELD("judged", scores.judged, "cases that lack no judgement"),
    LAYOUT_FIELD("total", scores.total, "cases that can be judged"),
    LAYOUT_FIELD("cases", case_count, "of the benchmark, that were tried"),
    LAYOUT_FIELD("untried", untried, "further cases that it was stopped before"),
    LAYOUT_LIST("failures", wrong, wrong_count, &wrong_layout,
                "cases not passed in every attempt"),
    LAYOUT_LIST("unjudged", unjudged, unjudged_count, &unjudged_layout,
                "cases of which no attempt could be judged: neither right nor wrong"),
};
const struct layout suite_layout = LAYOUT_OF(OF, suite_fields);
#undef OF
