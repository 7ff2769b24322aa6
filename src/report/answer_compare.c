/* Two runs compared, cell by cell. */
#include "base/clock.h"
#include "base/human.h"
#include "model/cell.h"
#include "report/answers.h"
#include "report/compare_words.h"
#include "report/histogram.h"
#include "report/phrase.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

enum { PLOTS_MAX = 3 }; /* cells whose primary metric is drawn */

/* ---- JSON ---- */

LAYOUT_WORD_IS(side_run, const struct source *s, s->view->run.id[0] ? s->view->run.id : NULL)

static const char *side_started(const void *owner, struct arena *scratch)
{
    char stamp[CLOCK_STAMP_SIZE];
    int64_t started_ns = ((const struct source *)owner)->view->run.started_ns;
    return started_ns ? arena_printf(scratch, "%s", clock_stamp(started_ns, stamp)) : NULL;
}

LAYOUT_SENTENCE_IS(side_commit, const struct source *x,
                   cell_full_commit(&x->view->run, scratch))
LAYOUT_SENTENCE_IS(side_version, const struct source *x, cell_commit(&x->view->run, scratch))

#define OF struct source
static const struct layout_field side_fields[] = {
    LAYOUT_FIELD("selector", name, "as it was asked for"),
    LAYOUT_FIELD("runs", run_count, "how many of a version count together; 0: one was named"),
    LAYOUT_WORD("run", side_run, "id of the run; null of a file"),
    LAYOUT_SENTENCE("started", side_started, "when the run began"),
    LAYOUT_SENTENCE("commit", side_commit, "null: unknown"),
    LAYOUT_SENTENCE("version", side_version, "the commit, short, with uncommitted changes"),
};
static const struct layout side_layout = LAYOUT_OF(OF, side_fields);
#undef OF

LAYOUT_WORD_IS(label_a, const struct compare_pair *x, phrase_label(x->cell[0]))
LAYOUT_WORD_IS(label_b, const struct compare_pair *x, phrase_label(x->cell[1]))
LAYOUT_WORD_IS(failures_verdict, const struct compare_pair *x,
               verdict_name(x->failures.verdict))
LAYOUT_SENTENCE_IS(failures_sentence, const struct compare_pair *x,
                   words_verdict(&x->failures, scratch))
LAYOUT_SENTENCE_IS(failures_next, const struct compare_pair *x,
                   words_next(&x->failures, scratch))

#define OF struct compare_pair
static const struct layout_field reliability_fields[] = {
    LAYOUT_WORD("verdict", failures_verdict, "of the share of failures"),
    LAYOUT_ROW("ok", ok, "trials that were ok, of A and of B"),
    LAYOUT_ROW("attempted", attempted, "trials"),
    LAYOUT_FIELD("failures", failures.effect.shift, "B's share of failures less A's"),
    LAYOUT_FIELD("low", failures.effect.shift_low, "lower end of its interval"),
    LAYOUT_FIELD("high", failures.effect.shift_high, "upper end"),
    LAYOUT_FIELD("p_adjusted", p_adjusted, "after adjustment over the cells"),
    LAYOUT_SENTENCE("sentence", failures_sentence, "the same in words"),
    LAYOUT_SENTENCE("next", failures_next, "what would decide it; null where it is decided"),
};
static const struct layout reliability_layout = LAYOUT(reliability_fields);

static const struct layout_field pair_fields[] = {
    LAYOUT_WORD("label", label_a, "of A's cell"),
    LAYOUT_WORD("label_b", label_b, "of B's cell"),
    LAYOUT_GROUP("reliability", &reliability_layout, "which of them fails more often"),
};
static const struct layout pair_layout = LAYOUT_OF(OF, pair_fields);
#undef OF

static const struct view_metric *metric_of(const void *owner)
{
    return ((const struct compare_row *)owner)->metric[0];
}

static const char *row_metric(const void *owner)
{
    return metric_of(owner)->name;
}

static const char *row_unit(const void *owner)
{
    return metric_of(owner)->unit;
}

static const char *row_definition(const void *owner)
{
    return metric_of(owner)->definition;
}

LAYOUT_WORD_IS(row_direction, const struct compare_row *x, direction_name(x->direction))
LAYOUT_FIGURE_IS(row_p, const struct compare_row *row,
                 isnan(row->p_adjusted) ? (double)NAN : row->answer.p)

#define OF struct compare_row
static const struct layout_field row_fields[] = {
    LAYOUT_FIELD("cell", pair, "index into cells"),
    LAYOUT_WORD("metric", row_metric, "its name"),
    LAYOUT_WORD("unit", row_unit, "of its values"),
    LAYOUT_WORD("direction", row_direction, "lower, higher or none: which is better"),
    LAYOUT_WORD("definition", row_definition, "what exactly was measured"),
    LAYOUT_FIELD("primary", is_primary, "the metric that the cell is about"),
    LAYOUT_FIELD("paired", is_paired, "value i of A belongs to value i of B"),
    LAYOUT_FIELD("by_case", by_case, "n counts cases"),
    LAYOUT_FIGURE("p", row_p, "of no effect; null where there was nothing to test"),
    LAYOUT_FIELD("p_adjusted", p_adjusted, "after adjustment over the cells of the metric"),
    LAYOUT_PART(answer, &answer_verdict_layout),
};
static const struct layout row_layout = LAYOUT_OF(OF, row_fields);
#undef OF

LAYOUT_FIGURE_IS(whole_p, const struct compare_whole *x, answer_verdict_p(&x->answer))

#define OF struct compare_whole
static const struct layout_field whole_fields[] = {
    LAYOUT_FIELD("metric", metric, "its name"),
    LAYOUT_FIELD("agent", agent, "whose cells, where several are compared each with itself"),
    LAYOUT_FIELD("primary", is_primary, "the metric that the cells are about"),
    LAYOUT_FIELD("cells", cells, "how many cells have it"),
    LAYOUT_FIGURE("p", whole_p, "of no effect; null where there was nothing to test"),
    LAYOUT_PART(answer, &answer_verdict_layout),
};
static const struct layout whole_layout = LAYOUT_OF(OF, whole_fields);
#undef OF

LAYOUT_SENTENCE_IS(refusal_reason, const struct compare_refusal *x,
                   words_gap(&x->gap, words_sides, scratch))

#define OF struct compare_refusal
static const struct layout_field refusal_fields[] = {
    LAYOUT_FIELD("label", label, "of the cell"),
    LAYOUT_FIELD("metric", metric, "that was not compared"),
    LAYOUT_SENTENCE("reason", refusal_reason, "why"),
};
static const struct layout refusal_layout = LAYOUT_OF(OF, refusal_fields);
#undef OF

LAYOUT_WORD_IS(adjust_of, const struct compare *x, x->how.is_unadjusted ? "none" : "holm")
LAYOUT_CALL_IS(put_comparisons, json_int, const struct compare *c,
               (int64_t)(c->row_count + c->pair_count))

static void add_unmatched(const void *owner, struct sentences *list)
{
    const struct compare *c = owner;
    for (size_t i = 0; i < c->unmatched_count; i++) {
        const struct compare_unmatched *x = &c->unmatched[i];
        sentences_add(list, "only %s has %s", x->side ? "B" : "A", x->name);
    }
}

LAYOUT_NOTES_IS(add_notes, const struct compare *c, compare_words_notes(c, notes))

#define OF struct compare
static const struct layout_field compare_fields[] = {
    LAYOUT_OBJECT("a", side[0], &side_layout, "the baseline"),
    LAYOUT_OBJECT("b", side[1], &side_layout, "the contender"),
    LAYOUT_FIELD("alpha", how.alpha, "how often a difference may be claimed that is not there"),
    LAYOUT_FIELD("equivalence", how.margin, "changes within this count as none"),
    LAYOUT_WORD("adjust", adjust_of, "holm or none: over the cells of a metric"),
    LAYOUT_CALL("comparisons", put_comparisons, "integer", "how many were made"),
    LAYOUT_LIST("wholes", wholes, whole_count, &whole_layout, "each metric over all its cells"),
    LAYOUT_LIST("cells", pairs, pair_count, &pair_layout, "matched cells"),
    LAYOUT_LIST("rows", rows, row_count, &row_layout, "each metric of each matched cell"),
    LAYOUT_LIST("refused", refusals, refusal_count, &refusal_layout,
                "metrics that cannot be compared"),
    LAYOUT_NOTES("unmatched", add_unmatched, "cells that only one side has"),
    LAYOUT_NOTES("notes", add_notes, "what else may explain a difference"),
};
static const struct layout compare_layout = LAYOUT(compare_fields);
#undef OF

/* ---- text ---- */

static void put_head(const struct source *s, char letter, struct buf *out)
{
    const struct run_record *run = &s->view->run;
    buf_printf(out, "%c  ", letter);
    if (s->is_file) {
        buf_printf(out, "%s\n", s->name);
        return;
    }
    buf_printf(out, "%s: ", s->name);
    if (s->run_count > 1) buf_printf(out, "%zu runs, the newest is ", s->run_count);
    buf_printf(out, "run %s, ", id_short(run->id));
    phrase_stamp(out, run->started_ns);
    buf_printf(out, "%s%s", run->spec_path ? ", " : "", run->spec_path ? run->spec_path : "");
    struct arena scratch = arena_open();
    const char *commit = cell_commit(run, &scratch);
    buf_printf(out, "%s%s\n", commit ? ", commit " : "", commit ? commit : "");
    arena_close(&scratch);
}

static void add_number(struct table *t, const struct human_scale *scale, double v)
{
    char text[HUMAN_SIZE];
    table_add(t, isnan(v) ? "-" : "%s %s", human_number(scale, v, text), scale->unit);
}

/* Ratio where there is one, else the shift, each with its interval. A shift has units of
 * its own: it is small next to the medians, or not (medians of 0). */
static void add_effect(struct table *t, const struct compare_row *row)
{
    const struct verdict_effect *e = &row->answer.effect;
    const char *unit = row->metric[0]->unit;
    char text[3][HUMAN_SIZE];
    if (row->answer.kind == KIND_SHARE) {
        bool is_known = !isnan(e->shift_low);
        table_add(t, isnan(e->shift) ? "-" : "%+.1f points", 100 * e->shift);
        table_add(t, is_known ? "%+.1f to %+.1f" : "-", 100 * e->shift_low,
                  100 * e->shift_high);
        return;
    }
    if (!isnan(e->ratio)) {
        table_add(t, "x %.4g", e->ratio);
        table_add(t, isnan(e->low) ? "-" : "%.4g to %.4g", e->low, e->high);
        return;
    }
    bool has_interval = !isnan(e->shift_low);
    table_add(t, isnan(e->shift) ? "-" : "%s%s", e->shift > 0 ? "+" : "",
              human_value(unit, e->shift, text[0]));
    table_add(t, has_interval ? "%s to %s" : "-", human_value(unit, e->shift_low, text[1]),
              human_value(unit, e->shift_high, text[2]));
}

static void add_row(struct table *t, const struct compare_row *row)
{
    const struct verdict_answer *a = &row->answer;
    double of_a = a->arm[0].centre;
    double of_b = a->arm[1].centre;
    struct human_scale scale = human_scale(row->metric[0]->unit, fmin(fabs(of_a), fabs(of_b)),
                                           fmax(fabs(of_a), fabs(of_b)));
    table_add(t, "%s", row->metric[0]->name);
    add_number(t, &scale, of_a);
    add_number(t, &scale, of_b);
    add_effect(t, row);
    table_add(t, isnan(row->p_adjusted) ? "-" : "%.2g", row->p_adjusted);
    const char *unit = a->kind == KIND_SHARE ? "points" : "%";
    table_add(t,
              isnan(a->mde)     ? "-"
              : a->mde < 0.0995 ? "%.2g %s"
                                : "%.0f %s",
              100 * a->mde, unit);
    table_add(t, "%s", verdict_name(a->verdict));
}

static void put_reliability(const struct compare_pair *p, struct buf *out)
{
    bool all_ok = p->ok[0] == p->attempted[0] && p->ok[1] == p->attempted[1];
    if (all_ok) return;
    buf_printf(out, "  reliability: %lld of %lld ok in A, %lld of %lld in B",
               (long long)p->ok[0], (long long)p->attempted[0], (long long)p->ok[1],
               (long long)p->attempted[1]);
    const struct verdict_effect *e = &p->failures.effect;
    if (!isnan(e->shift_low)) {
        buf_printf(out, "; share of failures %+.1f points [%+.1f, %+.1f]", 100 * e->shift,
                   100 * e->shift_low, 100 * e->shift_high);
    }
    buf_printf(out, ": %s\n", verdict_name(p->failures.verdict));
}

static void put_primary(const struct compare *c, const struct compare_row *row,
                        struct arena scratch, struct buf *out)
{
    const struct verdict_answer *a = &row->answer;
    buf_printf(out, "  %s: %s\n", row->metric[0]->name, words_verdict(a, &scratch));
    for (size_t i = 0; i < a->reason_count; i++) {
        buf_printf(out, "  ! %s\n", words_reason(a, &a->reasons[i], &scratch));
    }
    if (c->pair_count > PLOTS_MAX) return;
    const struct histogram_side sides[2] = {{row->metric[0]->samples, row->metric[0]->count},
                                            {row->metric[1]->samples, row->metric[1]->count}};
    histogram_pair(sides, row->metric[0]->unit, scratch, out);
}

static void put_cell(const struct compare *c, size_t pair, struct arena scratch,
                     struct buf *out)
{
    const struct compare_pair *p = &c->pairs[pair];
    const char *of_a = phrase_label(p->cell[0]);
    const char *of_b = phrase_label(p->cell[1]);
    bool is_same = strcmp(of_a, of_b) == 0;
    buf_printf(out, "\n%s%s%s%s\n", is_same ? "" : "A: ", of_a,
               is_same ? "" : "\nB: ", is_same ? "" : of_b);
    struct table t;
    table_begin(&t, "lrrrlrrl", &scratch);
    table_row(&t, (const char *[]){"", "A", "B", "B / A", "interval", "p", "would show", ""});
    const struct compare_row *primary = NULL;
    for (size_t i = 0; i < c->row_count; i++) {
        if (c->rows[i].pair != pair) continue;
        add_row(&t, &c->rows[i]);
        if (!primary || c->rows[i].is_primary) primary = &c->rows[i];
    }
    table_write(&t, 2, out);
    put_reliability(p, out);
    if (primary) put_primary(c, primary, scratch, out);
}

static void put_wholes(const struct compare *c, struct arena scratch, struct buf *out)
{
    for (size_t i = 0; i < c->whole_count; i++) {
        const struct compare_whole *w = &c->wholes[i];
        if (w->cells > 1 && w->answer.is_tested) {
            buf_printf(out, "%s of all %zu cells%s%s: %s\n", w->metric, w->cells,
                       w->agent ? " of " : "", w->agent ? w->agent : "",
                       words_verdict(&w->answer, &scratch));
        }
    }
    buf_text(out, "Each metric is one question; its cells are adjusted among themselves. "
                  "\"Would show\" is the smallest change that would probably show.\n");
}

/* Each metric by its cells, and where there are several all of them together. */
static struct plot_list compare_plots(const void *answer, struct arena *out)
{
    const struct compare *c = answer;
    struct plot *plots = arena_new(out, struct plot, c->whole_count + 1);
    struct plot_effect *effects = arena_new(out, struct plot_effect, c->row_count + 1);
    size_t count = 0;
    for (size_t w = 0; w < c->whole_count; w++) {
        const char *unit = NULL;
        size_t n = 0;
        for (size_t i = 0; i < c->row_count; i++) {
            const struct compare_row *row = &c->rows[i];
            if (row->whole != w) continue;
            unit = row->metric[0]->unit;
            effects[n++] = (struct plot_effect){label_b(&c->pairs[row->pair]), &row->answer};
        }
        if (n > 1) effects[n++] = (struct plot_effect){"all together", &c->wholes[w].answer};
        const char *agent = c->wholes[w].agent;
        const char *title = arena_printf(out, "%s%s%s of B against A", c->wholes[w].metric,
                                         agent ? " of " : "", agent ? agent : "");
        struct plot_list one = plot_effects(effects, n, title, unit, out);
        if (one.count > 0) plots[count++] = one.items[0];
    }
    return (struct plot_list){plots, count};
}

static void compare_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct compare *c = answer;
    if (look->quiet) {
        buf_printf(out, "%s\n", verdict_name(c->wholes[0].answer.verdict));
        return;
    }
    struct arena scratch = arena_open();
    bool is_one = c->side[0].view == c->side[1].view;
    put_head(&c->side[0], is_one ? ' ' : 'A', out);
    if (!is_one) put_head(&c->side[1], 'B', out);
    for (size_t i = 0; i < c->pair_count; i++) put_cell(c, i, scratch, out);
    struct sentences notes = {.out = &scratch};
    compare_words_notes(c, &notes);
    for (size_t i = 0; i < c->refusal_count; i++) {
        const struct compare_refusal *r = &c->refusals[i];
        sentences_add(&notes, "%s of %s was not compared: %s", r->metric, r->label,
                      words_gap(&r->gap, words_sides, &scratch));
    }
    add_unmatched(c, &notes);
    if (notes.count > 0 || c->pair_count > 1) buf_add_char(out, '\n');
    if (c->pair_count > 1) {
        struct plot_list plots = compare_plots(c, &scratch);
        if (plots.count > 0) plot_text(&plots.items[0], look->width, scratch, out);
        put_wholes(c, scratch, out);
    }
    sentences_put(&notes, "! ", out);
    arena_close(&scratch);
}

const struct answer answer_compare = {
    .name = "compare",
    .summary = "two runs, agents or result files: effect, interval and verdict of each metric",
    .schema = "assay.compare_runs/1",
    .layout = &compare_layout,
    .judges = true,
    .text = compare_text,
    .plots = compare_plots,
};
