/* What a run ends in: one screen. First the sentence, then one bar for each agent on a common
 * axis, then what went wrong, then what to do. Everything else is in `show`.
 *
 *     2┌awk      0.791                     ━━━●━━━              20/33     2.64 ms
 *     3└perl     0.790                    ━━━━●━━━━             23/33     2.69 ms
 *
 * A bracket joins agents of one tie group; those that overlap stand in columns of their own.
 * Without a terminal, colours or Unicode it is a line for each agent, with the
 * tie in words. */
#include "report/answer_outcome.h"

#include "base/human.h"
#include "base/id.h"
#include "base/plain.h"
#include "report/answer_claims.h"
#include "report/answers.h"
#include "report/axis.h"
#include "report/outcome_words.h"
#include "report/phrase.h"

#include <inttypes.h>
#include <math.h>

enum { NAME_MAX = 24, AGENTS_MAX = 20, RIGHT = 9, MEDIAN = 11 };

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define BLUE   "\033[34m"
#define ORANGE "\033[38;5;166m"
#define YELLOW "\033[33m"

struct screen {
    const struct outcome *o;
    struct buf *out;
    struct arena arena;
    bool is_rich;
    size_t width;
};

static void style(struct screen *s, const char *code)
{
    if (s->is_rich) buf_text(s->out, code);
}

static void plain(struct screen *s)
{
    style(s, "\033[0m");
}

static void end_line(struct screen *s)
{
    plain_end(s->out);
}

static void spaces(struct screen *s, size_t from, size_t to)
{
    if (from < to) plain_spaces(s->out, to - from);
}

/* In plain lines not wrapped. */
static void put_wrapped(struct screen *s, const char *text, size_t indent)
{
    plain_wrap(s->out, str_of(text), s->is_rich ? s->width : SIZE_MAX, indent, indent);
}

static void put_head(struct screen *s)
{
    const struct outcome *o = s->o;
    char span[HUMAN_SIZE];
    struct buf head;
    buf_init(&head, 1 << 20);
    buf_printf(&head, "%s%s%zu agent%s", o->suite, s->is_rich ? "  " : ": ", o->agent_count,
               PLURAL(o->agent_count));
    if (o->view->suite_count == o->agent_count * o->benchmark_count) {
        buf_text(&head, " x ");
    } else {
        buf_printf(&head, ", not each on all %zu benchmarks, up to ", o->benchmark_count);
    }
    buf_printf(&head, "%zu case%s", o->case_count, PLURAL(o->case_count));
    if (o->pass_count > 1) buf_printf(&head, " x %zu passes", o->pass_count);
    buf_printf(&head, ", %" PRId64 " trials", o->trial_count);
    size_t used = plain_add(s->out, buf_str(&head), s->is_rich ? s->width : SIZE_MAX);
    buf_release(&head);
    if (!isnan(o->duration_s)) {
        const char *text = human_span(o->duration_s, span);
        size_t n = plain_columns(str_of(text));
        if (s->is_rich && used + n + 2 <= s->width) {
            spaces(s, used + n, s->width < 80 ? s->width : 80);
            buf_text(s->out, text);
        } else {
            buf_printf(s->out, ", %s", text);
        }
    }
    end_line(s);
}

static void put_answer(struct screen *s)
{
    const char *sure = outcome_sure(s->o, &s->arena);
    if (s->is_rich) end_line(s);
    style(s, BOLD);
    spaces(s, 0, s->is_rich ? 2 : 0);
    put_wrapped(s, outcome_sentence(s->o, &s->arena), 2);
    plain(s);
    if (!sure) return;
    spaces(s, 0, s->is_rich ? 2 : 0);
    put_wrapped(s, sure, 2);
}

/* ---- the board ---- */

struct board {
    struct axis axis;
    size_t name, lanes, bar, shown;
};

static struct board board_of(const struct screen *s)
{
    const struct outcome *o = s->o;
    struct board b = {.shown = o->ranked_count < AGENTS_MAX ? o->ranked_count : AGENTS_MAX};
    b.lanes = outcome_lanes(o, b.shown);
    for (size_t i = 0; i < b.shown; i++) {
        size_t n = plain_columns(str_of(o->agents[i].name));
        if (n > b.name) b.name = n;
    }
    if (b.name > NAME_MAX) b.name = NAME_MAX;
    if (b.name < 5) b.name = 5;
    b.axis = outcome_axis(o, b.shown);
    size_t fixed = 3 + b.lanes + b.name + 1 + 7 + 1 + RIGHT + MEDIAN;
    size_t room = (s->width < 100 ? s->width : 100);
    b.bar = room > fixed + 12 ? room - fixed : 12;
    return b;
}

static size_t place(const struct board *b, double v)
{
    return (size_t)lround(axis_place(&b->axis, v) * (double)(b->bar - 1));
}

static void put_scale(struct screen *s, const struct board *b)
{
    double ticks[AXIS_TICKS_MAX];
    size_t count = axis_ticks(&b->axis, ticks);
    int decimals = outcome_axis_decimals(ticks, count);
    size_t wide = 2 + (size_t)decimals;
    size_t used = 0;
    style(s, DIM);
    spaces(s, 0, 3 + b->lanes);
    buf_text(s->out, "agent");
    spaces(s, 5, b->name + 1);
    buf_text(s->out, "overall ");
    for (size_t i = 0; i < count; i++) {
        size_t at = place(b, ticks[i]);
        if (at + wide > b->bar) at = b->bar - wide;
        if (used > 0 && at < used + 2) continue;
        spaces(s, used, at);
        buf_printf(s->out, "%.*f", decimals, ticks[i]);
        used = at + wide;
    }
    spaces(s, used, b->bar);
    buf_printf(s->out, "%*s%*s", RIGHT, "right", MEDIAN, "median");
    end_line(s);
    plain(s);
}

/* Whether there is one. */
static bool put_brackets(struct screen *s, const struct board *b, size_t i)
{
    static const char *const signs[] = {[BRACKET_NONE] = " ",
                                        [BRACKET_ALONE] = " ",
                                        [BRACKET_FIRST] = "┌",
                                        [BRACKET_INSIDE] = "│",
                                        [BRACKET_LAST] = "└"};
    const struct ranking_entry *e = s->o->agents[i].entry;
    bool has_any = false;
    for (size_t lane = 0; lane < b->lanes; lane++) {
        enum outcome_bracket part = BRACKET_NONE;
        for (size_t group = e->tie_group; group <= e->tie_last; group++) {
            if (group % b->lanes == lane) part = outcome_bracket(s->o, b->shown, i, group);
        }
        buf_text(s->out, signs[part]);
        has_any |= part > BRACKET_ALONE;
    }
    return has_any;
}

static void put_bar(struct screen *s, const struct board *b, const struct ranking_entry *e)
{
    size_t dot = place(b, e->overall);
    bool has_range = !isnan(e->overall_interval.low);
    size_t from = has_range ? place(b, e->overall_interval.low) : dot;
    size_t to = has_range ? place(b, e->overall_interval.high) : dot;
    for (size_t i = 0; i < b->bar; i++) {
        buf_text(s->out, i == dot ? "●" : i >= from && i <= to ? "━" : " ");
    }
}

/* Whether there is a bracket in it. */
static bool put_row(struct screen *s, const struct board *b, size_t i)
{
    const struct outcome_agent *a = &s->o->agents[i];
    char median[HUMAN_SIZE];
    buf_printf(s->out, "%3zu", a->entry->overall_rank);
    bool has_bracket = put_brackets(s, b, i);
    style(s, i == 0 ? BOLD : "");
    size_t used = plain_add(s->out, str_of(a->name), b->name);
    if (i == 0) plain(s);
    spaces(s, used, b->name + 1);
    buf_printf(s->out, "%-7.3f ", a->entry->overall);
    put_bar(s, b, a->entry);
    bool is_judged = a->unjudged_count < a->cases;
    const char *right =
        is_judged ? arena_printf(&s->arena, "%zu/%zu", a->right, a->cases) : "-";
    buf_printf(s->out, "%*s%*s", RIGHT, right, MEDIAN,
               isnan(a->median_s) ? "-" : human_value("s", a->median_s, median));
    end_line(s);
    return has_bracket;
}

static void put_board(struct screen *s)
{
    struct board b = board_of(s);
    bool has_ties = false;
    end_line(s);
    put_scale(s, &b);
    for (size_t i = 0; i < b.shown; i++) has_ties |= put_row(s, &b, i);
    style(s, DIM);
    if (s->o->ranked_count > b.shown) {
        buf_printf(s->out, "    and %zu more: assay show", s->o->ranked_count - b.shown);
        end_line(s);
    }
    buf_printf(s->out, "    %s━●━  95 %% interval over cases",
               has_ties ? "┌ │ └  order not decided        " : "");
    end_line(s);
    plain(s);
}

/* "accuracy     bc 0.908   bignum 0.833": who is ahead in what. */
static void put_score(struct screen *s, enum score_id id)
{
    size_t *order = arena_new(&s->arena, size_t, s->o->ranked_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->o->ranked_count; i++) {
        double v = s->o->agents[i].entry->row->mean[id];
        size_t k = n;
        if (isnan(v)) continue;
        for (; k > 0 && s->o->agents[order[k - 1]].entry->row->mean[id] < v; k--)
            order[k] = order[k - 1];
        order[k] = i;
        n++;
    }
    if (n == 0) return;
    buf_printf(s->out, "  %-11s", score_name(id));
    size_t at = 13;
    for (size_t i = 0; i < n; i++) {
        const struct outcome_agent *a = &s->o->agents[order[i]];
        size_t wide = plain_columns(str_of(a->name)) + 9;
        if (i > 0 && at + wide > s->width) break;
        buf_text(s->out, "  ");
        plain_add(s->out, str_of(a->name), NAME_MAX);
        buf_printf(s->out, " %.3f ", a->entry->row->mean[id]);
        at += wide;
    }
    end_line(s);
}

/* ---- two agents ---- */

static void put_effect(const struct versus_metric *m, struct buf *line)
{
    buf_printf(line, "%s%s ", line->n ? ", " : "", m->name);
    if (isnan(m->effect)) {
        buf_text(line, "(nothing to compare)");
    } else if (m->kind == VERSUS_RATIO && m->effect > 0) {
        bool is_less = m->effect < 1;
        double r = is_less ? 1 / m->effect : m->effect;
        double low = is_less ? 1 / m->high : m->low;
        double high = is_less ? 1 / m->low : m->high;
        bool is_time = strcmp(m->name, score_name(SCORE_SPEED)) == 0;
        buf_printf(line, "%.3g x %s", r,
                   is_time   ? is_less ? "faster" : "slower"
                   : is_less ? "cheaper"
                             : "more expensive");
        if (!isnan(low)) buf_printf(line, " [%.3g, %.3g]", low, high);
    } else {
        buf_printf(line, "%+.3f", m->effect);
        if (!isnan(m->low)) buf_printf(line, " [%.3f, %.3f]", m->low, m->high);
    }
    if (m->verdict == VERDICT_UNDECIDED && isfinite(m->mde) && m->mde > 0) {
        buf_printf(line, " (%zu cases show %.2g or more at best)", m->n, m->mde);
    }
}

/* What decides it and what does not, of the first (B) against the second. */
static void put_verdicts(struct screen *s, const struct versus *v)
{
    static const enum verdict order[] = {VERDICT_BETTER, VERDICT_WORSE, VERDICT_UNDECIDED,
                                         VERDICT_EQUIVALENT};
    for (size_t k = 0; k < COUNT(order); k++) {
        struct buf line;
        buf_init(&line, 1 << 20);
        for (size_t i = 0; i < SCORE_COUNT; i++) {
            const struct versus_metric *m = &v->metrics[i];
            if (m->is_measured && m->verdict == order[k]) put_effect(m, &line);
        }
        if (line.n > 0) {
            style(s, order[k] == VERDICT_BETTER  ? BLUE
                     : order[k] == VERDICT_WORSE ? ORANGE
                                                 : DIM);
            buf_printf(s->out, "%s%-10s", s->is_rich ? "  " : "", verdict_name(order[k]));
            plain(s);
            buf_text(s->out, "  ");
            put_wrapped(s, line.p, 14);
        }
        buf_release(&line);
    }
}

/* ---- plain lines ---- */

static void put_line(struct screen *s, const struct outcome_agent *a)
{
    const struct ranking_entry *e = a->entry;
    const char *tied = outcome_tied_with(s->o, a, &s->arena);
    struct buf line;
    buf_init(&line, 1 << 20);
    buf_printf(&line, "%s: %.3f", a->name, e->overall);
    if (!isnan(e->overall_interval.low)) {
        buf_printf(&line, " [%.2f, %.2f]", e->overall_interval.low, e->overall_interval.high);
    }
    if (e->rank_low == e->rank_high || e->rank_low == 0) {
        buf_printf(&line, ", rank %zu", e->overall_rank);
    } else {
        buf_printf(&line, ", rank %zu-%zu", e->rank_low, e->rank_high);
    }
    if (tied) buf_printf(&line, ", order with %s not decided", tied);
    buf_printf(&line, ", %s", outcome_right(a, "", &s->arena));
    put_wrapped(s, line.p, 0);
    buf_release(&line);
}

/* ---- what went wrong ---- */

static void put_labelled(struct screen *s, const char *label, const char *text)
{
    if (s->is_rich) {
        buf_printf(s->out, "  %-11s  ", label);
        put_wrapped(s, text, 15);
    } else {
        buf_printf(s->out, "%s: ", label);
        put_wrapped(s, text, 0);
    }
}

static void put_named(struct screen *s, const char *label, const char *agent,
                      const char *const *names, size_t count)
{
    enum { NAMED_MAX = 6 };
    if (count == 0) return;
    struct buf line;
    buf_init(&line, 1 << 20);
    buf_printf(&line, "%s %zu: ", agent, count);
    for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
        buf_text(&line, i ? ", " : "");
        plain_add(&line, str_of(names[i]), 40);
    }
    if (count > NAMED_MAX) buf_printf(&line, " and %zu more", count - NAMED_MAX);
    put_labelled(s, label, line.p);
    buf_release(&line);
}

/* Of the first agent. */
static void put_wrong(struct screen *s)
{
    const struct outcome_agent *a = s->o->ranked_count ? &s->o->agents[0] : NULL;
    if (!a) return;
    put_named(s, "not right", a->name, a->wrong, a->wrong_count);
    put_named(s, "not judged", a->name, a->unjudged, a->unjudged_count);
}

/* Why the agent gave no answer for the first time. */
static const char *first_failure(const struct outcome *o, const struct outcome_agent *a)
{
    for (size_t k = 0; k < o->view->suite_count; k++) {
        const struct suite_view *v = &o->view->suites[k];
        const struct trial_note *note = phrase_first_failure(&o->view->cells[v->cell]);
        if (note && &o->agents[outcome_agent_of(o, v)] == a) return note->error;
    }
    return NULL;
}

/* Trials that gave no answer, with the first reason of who has most of them. */
static void put_failures(struct screen *s)
{
    const struct view *view = s->o->view;
    const struct outcome_agent *worst = NULL;
    struct buf line;
    buf_init(&line, 1 << 20);
    for (size_t i = 0; i < s->o->agent_count; i++) {
        const struct outcome_agent *a = &s->o->agents[i];
        if (a->ok == a->attempted) continue;
        if (!worst || a->attempted - a->ok > worst->attempted - worst->ok) worst = a;
        buf_printf(&line, "%s%s in %" PRId64 " of %" PRId64, line.n ? ", " : "", a->name,
                   a->attempted - a->ok, a->attempted);
    }
    const char *why = worst ? first_failure(s->o, worst) : NULL;
    if (worst) buf_printf(&line, " trials%s", why ? "; " : "");
    if (why) {
        buf_printf(&line, "%s: ", worst->name);
        plain_add(&line, str_of(why), 60);
    }
    if (worst) put_labelled(s, "no answer", line.p);
    buf_release(&line);
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        if (view->cells[i].trial_count > 0 || !e->error_details) continue;
        put_labelled(
            s, "not run",
            arena_printf(&s->arena, "%s: %s", phrase_label(&view->cells[i]), e->error_details));
    }
}

static void put_left_out(struct screen *s)
{
    for (size_t i = s->o->ranked_count; i < s->o->agent_count; i++) {
        const struct outcome_agent *a = &s->o->agents[i];
        put_labelled(
            s, "left out",
            arena_printf(&s->arena, "%s: %s", a->name, outcome_left_out(a, &s->arena)));
    }
}

static void put_warnings(struct screen *s)
{
    const char *const *list = outcome_warnings(s->o, &s->arena);
    if (list[0] && s->is_rich) end_line(s);
    for (size_t i = 0; list[i]; i++) {
        style(s, YELLOW);
        buf_text(s->out, s->is_rich ? "  ! " : "warning: ");
        plain(s);
        put_wrapped(s, list[i], 4);
    }
}

static void put_next(struct screen *s, const char *run)
{
    struct outcome_step steps[OUTCOME_STEPS_MAX];
    size_t count = outcome_next(s->o, run, &s->arena, steps);
    size_t wide = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = plain_columns(str_of(steps[i].command));
        if (n > wide) wide = n;
    }
    if (s->is_rich) end_line(s);
    style(s, BOLD);
    buf_text(s->out, s->is_rich ? "Next" : "next:");
    plain(s);
    end_line(s);
    for (size_t i = 0; i < count; i++) {
        buf_text(s->out, "  ");
        size_t used = plain_add(s->out, str_of(steps[i].command), SIZE_MAX);
        spaces(s, used, wide + 3);
        style(s, DIM);
        plain_add(s->out, str_of(steps[i].why), SIZE_MAX);
        plain(s);
        end_line(s);
    }
}

static void put_suite(struct screen *s)
{
    const struct outcome *o = s->o;
    bool is_duel = o->duel && o->ranked_count == 2;
    put_head(s);
    put_answer(s);
    if (is_duel) {
        put_verdicts(s, o->duel);
    } else if (s->is_rich && o->ranked_count > 0) {
        put_board(s);
        if (o->ranked_count > 1) {
            end_line(s);
            put_score(s, SCORE_ACCURACY);
            put_score(s, SCORE_SPEED);
        }
    }
    for (size_t i = 0; !s->is_rich && i < o->ranked_count; i++) put_line(s, &o->agents[i]);
    put_wrong(s);
    put_failures(s);
    put_left_out(s);
    put_warnings(s);
}

void outcome_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_outcome *a = answer;
    struct screen s = {.o = &a->outcome,
                       .out = out,
                       .arena = arena_open(),
                       .is_rich = look->is_rich,
                       .width = look->width >= 60 ? (size_t)look->width : 80};
    if (look->quiet) {
        put_wrapped(&s, outcome_sentence(s.o, &s.arena), 0);
    } else {
        if (s.o->suite) {
            put_suite(&s);
        } else {
            put_answer(&s);
            put_warnings(&s);
        }
        if (s.o->view->claims) {
            buf_add_char(out, '\n');
            claims_lines(s.o->view->claims, out);
        }
        if (a->is_end) put_next(&s, a->run);
        buf_printf(out, "run %s\n", s.o->view->run.id);
    }
    arena_close(&s.arena);
}
