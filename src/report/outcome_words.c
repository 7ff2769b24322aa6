#include "report/outcome_words.h"

#include "base/buf.h"
#include "base/human.h"
#include "base/id.h"
#include "base/shell.h"
#include "model/environment.h"
#include "report/phrase.h"
#include "report/words.h"

#include <math.h>

static const struct outcome_agent *first_of(const struct outcome *o)
{
    return &o->agents[0];
}

/* Those that are ranked with the first: they have the same scores. */
static size_t count_rivals(const struct outcome *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->ranked_count; i++) {
        n += o->agents[i].entry->present == o->agents[0].entry->present;
    }
    return n;
}

const char *outcome_tied_with(const struct outcome *o, const struct outcome_agent *a,
                              struct arena *out)
{
    enum { NAMED_MAX = 4 };
    const char *names = NULL;
    size_t n = 0;
    for (size_t i = 0; a->entry && i < o->ranked_count; i++) {
        const struct ranking_entry *e = o->agents[i].entry;
        bool is_apart =
            &o->agents[i] == a || e->present != a->entry->present || a->entry->told[e->place];
        if (is_apart || n++ >= NAMED_MAX) continue;
        names =
            names ? arena_printf(out, "%s, %s", names, o->agents[i].name) : o->agents[i].name;
    }
    return n <= NAMED_MAX ? names : arena_printf(out, "%s and %zu more", names, n - NAMED_MAX);
}

/* A lead is the mean over cases of what is common to both; without an answer a case has no
 * time and no cost, and the scores of the board differ by less or more than it. */
static const char *gap_text(const struct outcome *o, struct arena *out)
{
    const double said_from = 0.02;
    double gap = first_of(o)->entry->overall - o->agents[1].entry->overall;
    bool is_said = fabs(gap - first_of(o)->entry->lead.by) > said_from;
    return is_said ? arena_printf(out, " by case (the scores differ by %.3f)", gap) : "";
}

/* "0.114 [0.052, 0.177], 33 cases" */
static const char *lead_text(const struct outcome *o, struct arena *out)
{
    const struct ranking_lead *l = &first_of(o)->entry->lead;
    const char *of = "cases";
    for (size_t i = 0; i < o->ranking->note_count; i++) {
        const struct ranking_note *n = &o->ranking->notes[i];
        bool is_count = n->code == RANKING_UNITS || n->code == RANKING_FEW_UNITS;
        if (is_count && !n->of_cases) of = "benchmarks";
    }
    if (isnan(l->low)) {
        return arena_printf(out, "%.3f%s; %zu %s are too few for an interval",
                            words_thousandth(l->by), gap_text(o, out), l->n, of);
    }
    return arena_printf(out, "%.3f [%.3f, %.3f]%s, %zu %s", words_thousandth(l->by),
                        words_thousandth(l->low), words_thousandth(l->high), gap_text(o, out),
                        l->n, of);
}

static bool is_told(const struct outcome *o)
{
    const struct ranking_entry *e = first_of(o)->entry;
    return e->lead.n > 0 && e->lead.is_told && e->rank_high == 1;
}

/* ---- runs without a suite ---- */

static const char *praise(const struct view_metric *m)
{
    if (m->direction == DIRECTION_HIGHER) return "highest";
    return strcmp(m->unit, "s") == 0 ? "fastest" : "lowest";
}

/* How the best compares with the next: by the verdict, whichever of them is B. */
static bool is_best_better(const struct outcome *o)
{
    return o->top.answer.verdict == (o->top.cell == o->best ? VERDICT_BETTER : VERDICT_WORSE);
}

/* "B is fastest: 1.16 [1.02, 1.33] times as fast as A, ": of a ratio with a factor above 1. */
static void put_better(struct buf *b, const struct outcome *o, const char *best,
                       const char *next)
{
    const struct verdict_answer *a = &o->top.answer;
    const struct view_metric *m = &o->view->cells[o->best].metrics[0];
    bool is_ratio = a->kind == KIND_RATIO;
    bool is_of_best = o->top.cell == o->best;
    struct phrase_effect x = phrase_effect_of(a, is_ratio ? a->effect.ratio < 1 : !is_of_best);
    buf_printf(b, "%s is %s: ", best, praise(m));
    if (is_ratio && !isfinite(x.value)) {
        buf_printf(b, "%s was cut off, ", next);
        return;
    }
    if (!is_ratio) buf_text(b, "difference ");
    phrase_effect(b, o->view, m, &x, "");
    if (is_ratio) {
        bool is_time = strcmp(praise(m), "fastest") == 0;
        bool is_high = m->direction == DIRECTION_HIGHER;
        buf_printf(b, " times as %s as %s", is_time ? "fast" : is_high ? "high" : "low", next);
    } else {
        buf_printf(b, " from %s", next);
    }
    buf_text(b, ", ");
}

static void put_not_better(struct buf *b, const struct outcome *o, const char *best,
                           const char *next, struct arena *out)
{
    const struct verdict_answer *a = &o->top.answer;
    const struct view_metric *m = &o->view->cells[o->best].metrics[0];
    buf_printf(b, "%s has the %s %s, but ", best,
               m->direction == DIRECTION_HIGHER ? "highest" : "lowest", m->name);
    if (a->verdict == VERDICT_EQUIVALENT) {
        buf_printf(b, "that of %s is the same within %s", next,
                   words_size(a->margin, a->kind, out));
    } else {
        buf_printf(b, "its order with %s is not decided", next);
    }
    buf_text(b, ": ");
    if (!verdict_is_measured(a)) return;
    struct phrase_effect x = phrase_effect_of(a, o->top.cell != o->best);
    buf_printf(b, "%s ", phrase_effect_name(x.kind));
    phrase_effect(b, o->view, m, &x, "");
    buf_text(b, ", ");
}

static const char *comparison_sentence(const struct outcome *o, struct arena *out)
{
    const char *best = phrase_label(&o->view->cells[o->best]);
    const char *next = phrase_label(&o->view->cells[o->next]);
    struct buf b;
    buf_init(&b, 4096);
    if (is_best_better(o)) {
        put_better(&b, o, best, next);
    } else {
        put_not_better(&b, o, best, next, out);
    }
    phrase_basis(&b, &o->top.answer);
    if (!verdict_is_measured(&o->top.answer)) buf_text(&b, " are too few");
    buf_add_char(&b, '.');
    return buf_keep(&b, out);
}

/* "4 results: /search 24.0 ms [23.8, 24.2], /login 29.5 ms [29.4, 30.0], ...": by their first
 * metrics, where nothing was compared. Phases of one load have one name: how many they are. */
static const char *list_sentence(const struct view *view, struct arena *out)
{
    enum { SHOWN = 3 };
    struct buf b;
    size_t shown = 0;
    bool is_one_name = view->cell_count > 1 && strcmp(phrase_label(&view->cells[0]),
                                                      phrase_label(&view->cells[1])) == 0;
    if (is_one_name)
        return arena_printf(out, "%zu results of %s.", view->cell_count,
                            phrase_label(&view->cells[0]));
    buf_init(&b, 4096);
    buf_printf(&b, "%zu result%s", view->cell_count, PLURAL(view->cell_count));
    for (size_t i = 0; i < view->cell_count && shown < SHOWN; i++) {
        if (view->cells[i].metric_count == 0 || isnan(view->cells[i].metrics[0].centre))
            continue;
        const struct view_metric *m = &view->cells[i].metrics[0];
        struct human_scale scale = phrase_scale(view, m);
        buf_printf(&b, "%s %s ", shown++ ? "," : ":", phrase_label(&view->cells[i]));
        phrase_quantity(&b, &scale, m->centre);
        buf_add_char(&b, ' ');
        phrase_interval(&b, &scale, m->centre_low, m->centre_high);
    }
    buf_text(&b, shown == view->cell_count ? "." : shown > 0 ? ", ..." : " without a value.");
    return buf_keep(&b, out);
}

static const char *plain_sentence(const struct outcome *o, struct arena *out)
{
    const struct view *view = o->view;
    if (o->has_comparison) return comparison_sentence(o, out);
    if (view->cell_count == 1 && view->cells[0].metric_count > 0) {
        const struct view_metric *m = &view->cells[0].metrics[0];
        struct buf b;
        buf_init(&b, 4096);
        struct human_scale scale = phrase_scale(view, m);
        buf_printf(&b, "%s: %s ", phrase_label(&view->cells[0]), m->name);
        phrase_quantity(&b, &scale, m->centre);
        buf_add_char(&b, ' ');
        phrase_interval(&b, &scale, m->centre_low, m->centre_high);
        buf_printf(&b, ", n = %zu.", m->units);
        return buf_keep(&b, out);
    }
    return list_sentence(view, out);
}

/* ---- suites ---- */

const char *outcome_right(const struct outcome_agent *a, const char *noun, struct arena *out)
{
    const char *text = arena_printf(out, "%zu of %zu%s right", a->right, a->cases, noun);
    if (a->unjudged_count == 0) return text;
    return arena_printf(out, "%s, %zu not judged", text, a->unjudged_count);
}

static const char *alone_sentence(const struct outcome *o, struct arena *out)
{
    const struct outcome_agent *a = first_of(o);
    const struct ranking_entry *e = a->entry;
    const char *interval = isnan(e->overall_interval.low)
                               ? ""
                               : arena_printf(out, " [%.2f, %.2f]", e->overall_interval.low,
                                              e->overall_interval.high);
    return arena_printf(out, "%s: %.3f%s overall, %s.", a->name, e->overall, interval,
                        outcome_right(a, " cases", out));
}

static const char *tie_sentence(const struct outcome *o, struct arena *out)
{
    const struct outcome_agent *a = first_of(o);
    const char *others = outcome_tied_with(o, a, out);
    if (o->agents[1].entry->overall_rank == a->entry->overall_rank) {
        return arena_printf(out,
                            "%s has %.3f overall, and so has %s; their order is not "
                            "decided.",
                            a->name, a->entry->overall, o->agents[1].name);
    }
    return arena_printf(out,
                        "%s leads with %.3f overall, but its order with %s is not decided.",
                        a->name, a->entry->overall, others ? others : "the next");
}

const char *outcome_sentence(const struct outcome *o, struct arena *out)
{
    if (!o->suite) return plain_sentence(o, out);
    if (o->ranked_count == 0) {
        const struct outcome_agent *a = o->agent_count ? &o->agents[0] : NULL;
        return arena_printf(out, "No agent of this run can be ranked%s%s%s%s.", a ? ": " : "",
                            a ? a->name : "", a ? " is " : "",
                            a ? outcome_left_out(a, out) : "");
    }
    const struct outcome_agent *a = first_of(o);
    size_t rivals = count_rivals(o);
    if (rivals == 1) return alone_sentence(o, out);
    if (!is_told(o)) return tie_sentence(o, out);
    if (rivals == 2) {
        return arena_printf(out, "%s is better than %s%s%s: ahead by %s, %s.", a->name,
                            o->agents[1].name, o->benchmark ? " on " : "",
                            o->benchmark ? o->benchmark : "", lead_text(o, out),
                            HUMAN_P(a->entry->lead.p));
    }
    return arena_printf(out, "%s is best: %.3f overall, first in %s of all weightings.",
                        a->name, a->entry->overall, words_part(a->entry->first_share, out));
}

const char *outcome_sure(const struct outcome *o, struct arena *out)
{
    if (!o->suite || o->ranked_count == 0) return NULL;
    size_t rivals = count_rivals(o);
    if (rivals < o->ranked_count && rivals == 1) {
        return "The others lack scores that it has: their overalls are means of other things, "
               "and are not ranked with it.";
    }
    if (rivals == 1) return NULL;
    const struct outcome_agent *next = &o->agents[1];
    const struct ranking_lead *l = &first_of(o)->entry->lead;
    if (is_told(o)) {
        if (rivals == 2) return NULL;
        return arena_printf(out, "Sure: ahead of %s by %s, %s adjusted.", next->name,
                            lead_text(o, out), HUMAN_P(l->p));
    }
    const char *need = words_need(l->need, out);
    if (l->n == 0) {
        return arena_printf(out, "Not sure: no case is common to %s and %s; to decide: %s.",
                            first_of(o)->name, next->name, need);
    }
    if (!(l->by > 0)) {
        return arena_printf(out, "Not sure: the difference is %s.", lead_text(o, out));
    }
    return arena_printf(out, "Not sure: ahead of %s by %s%s%s.", next->name, lead_text(o, out),
                        need ? "; to decide: " : "", need ? need : "");
}

const char *outcome_left_out(const struct outcome_agent *a, struct arena *out)
{
    const char *text =
        a->left_out ? words_unranked(a->left_out, false) : "without an overall score";
    if (a->untried == 0) return text;
    return arena_printf(out, "%s (%zu of %zu)", text, a->cases - a->untried, a->cases);
}

/* ---- warnings ---- */

/* That it is a virtual machine is always so: `show` has it. */
static bool is_passing(const struct view *view, size_t i)
{
    const char *kind = view->machine_warning_kinds ? view->machine_warning_kinds[i] : NULL;
    return !kind || strcmp(kind, MACHINE_VIRTUAL) != 0;
}

const char *const *outcome_warnings(const struct outcome *o, struct arena *out)
{
    const struct view *view = o->view;
    const char **list = arena_new(out, const char *, view->machine_warning_count + 4);
    size_t n = 0;
    if (o->is_unranked && o->ranked_count > 0) {
        list[n++] = arena_printf(out,
                                 "%s is %s: the order is among such agents, and no leaderboard "
                                 "has it",
                                 o->agents[0].name, outcome_left_out(&o->agents[0], out));
    }
    if (o->lanes > 1) {
        list[n++] = arena_printf(out,
                                 "%lld cases of an agent were in flight at once: times are "
                                 "those under that load",
                                 (long long)o->lanes);
    }
    size_t machine = 0;
    for (size_t i = 0; i < view->machine_warning_count; i++) {
        if (!is_passing(view, i)) continue;
        list[n++] = view->machine_warnings[i];
        machine++;
    }
    if (machine > 0) {
        list[n - 1] = arena_printf(
            out,
            "%s. Times may be too high%s. Repeat on a quiet machine before you keep them "
            "as a baseline",
            list[n - 1],
            o->took_turns ? "; what is compared took turns, so it hit all of them" : "");
    }
    return list;
}

struct axis outcome_axis(const struct outcome *o, size_t count)
{
    double low = 1;
    double high = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ranking_entry *e = o->agents[i].entry;
        bool has_range = !isnan(e->overall_interval.low);
        low = fmin(low, has_range ? e->overall_interval.low : e->overall);
        high = fmax(high, has_range ? e->overall_interval.high : e->overall);
    }
    struct axis a = {.low = floor(low * 10 - 1e-9) / 10, .high = ceil(high * 10 - 1e-9) / 10};
    if (a.high <= a.low) a.high = a.low + 0.1;
    return a;
}

int outcome_axis_decimals(const double *ticks, size_t count)
{
    return count > 1 && ticks[1] - ticks[0] < 0.1 - 1e-9 ? 2 : 1;
}

/* ---- what next ---- */

static const char *command_of(struct arena *out, const char *const *words, size_t count)
{
    struct buf b;
    buf_init(&b, 4096);
    buf_text(&b, "assay");
    for (size_t i = 0; i < count; i++) {
        buf_add_char(&b, ' ');
        shell_put_word(&b, str_of(words[i]));
    }
    return buf_keep(&b, out);
}
#define COMMAND(...)                                    \
    command_of(out, (const char *const[]){__VA_ARGS__}, \
               COUNT(((const char *const[]){__VA_ARGS__})))

static const char *versus_why(const struct versus *v, struct arena *out)
{
    size_t flips = v->flipped[0] + v->flipped[1];
    if (flips == 0) return "score by score, with intervals";
    if (v->flipped[0] == 0) {
        return arena_printf(out, "%zu case%s where only %s is right", flips, PLURAL(flips),
                            v->agent[1].name);
    }
    return arena_printf(out, "%zu case%s where only one of them is right", flips,
                        PLURAL(flips));
}

size_t outcome_next(const struct outcome *o, const char *run, struct arena *out,
                    struct outcome_step steps[OUTCOME_STEPS_MAX])
{
    size_t n = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < o->agent_count; i++) wrong += o->agents[i].wrong_count;
    if (o->duel) {
        steps[n++] = (struct outcome_step){COMMAND("versus", o->agents[0].selector,
                                                   o->agents[1].selector, "--suite", o->suite),
                                           versus_why(o->duel, out)};
    }
    if (wrong > 0) {
        steps[n++] = (struct outcome_step){COMMAND("cases", run, "--failed"),
                                           "what was asked, expected and answered"};
    }
    steps[n++] =
        (struct outcome_step){COMMAND("show", run, "--explain"), "what each number rests on"};
    const char *file = arena_printf(out, "%s.html", o->suite ? o->suite : "report");
    steps[n++] = (struct outcome_step){COMMAND("report", run, "--out", file),
                                       o->suite ? "this, with every answer, to send around"
                                                : "this as a page, to send around"};
    return n;
}
