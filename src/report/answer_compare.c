#include "report/answer_compare.h"

#include "base/clock.h"
#include "base/human.h"
#include "model/cell.h"
#include "report/answer_samples.h"
#include "report/phrase.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

enum { PLOTS_MAX = 3 }; /* cells whose primary metric is drawn */

/* ---- JSON ---- */

static void put_texts(struct json *j, const char *key, const char *const *texts, size_t count)
{
    json_key(j, key);
    json_list(j);
    for (size_t i = 0; i < count; i++) json_text(j, texts[i]);
    json_end(j);
}

static void put_side(struct json *j, const char *key, const struct source *s)
{
    const struct run_record *run = &s->view->run;
    char stamp[CLOCK_STAMP_SIZE];
    json_key(j, key);
    json_object(j);
    json_put_text(j, "selector", s->name);
    json_put_text(j, "run", run->id[0] ? run->id : NULL);
    json_put_text(j, "started", run->started_ns ? clock_stamp(run->started_ns, stamp) : NULL);
    struct arena scratch = arena_open();
    json_put_text(j, "commit", cell_full_commit(run, &scratch));
    json_put_text(j, "version", cell_commit(run, &scratch));
    arena_close(&scratch);
    json_end(j);
}

static void put_pair(struct json *j, const struct compare_pair *p, struct arena scratch)
{
    json_object(j);
    json_put_text(j, "label", phrase_label(p->cell[0]));
    json_put_text(j, "label_b", phrase_label(p->cell[1]));
    json_key(j, "reliability");
    json_object(j);
    json_put_text(j, "verdict", verdict_name(p->failures.verdict));
    json_key(j, "ok");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, p->ok[i]);
    json_end(j);
    json_key(j, "attempted");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, p->attempted[i]);
    json_end(j);
    json_put_real(j, "failures", p->failures.effect.shift);
    json_put_real(j, "low", p->failures.effect.shift_low);
    json_put_real(j, "high", p->failures.effect.shift_high);
    json_put_real(j, "p_adjusted", p->p_adjusted);
    json_put_text(j, "sentence", words_verdict(&p->failures, &scratch));
    json_put_text(j, "next", words_next(&p->failures, &scratch));
    json_end(j);
    json_end(j);
}

static void put_row(struct json *j, const struct compare_row *row, struct arena scratch)
{
    json_object(j);
    json_put_int(j, "cell", (int64_t)row->pair);
    json_put_text(j, "metric", row->metric[0]->name);
    json_put_text(j, "unit", row->metric[0]->unit);
    json_put_text(j, "direction", direction_name(row->direction));
    json_put_text(j, "definition", row->metric[0]->definition);
    json_put_bool(j, "primary", row->is_primary);
    json_put_bool(j, "paired", row->is_paired);
    json_put_bool(j, "by_case", row->by_case);
    json_put_real(j, "p", isnan(row->p_adjusted) ? (double)NAN : row->answer.p);
    json_put_real(j, "p_adjusted", row->p_adjusted);
    comparison_put(j, &row->answer, scratch);
    json_end(j);
}

/* One metric over all its cells. */
static void put_whole(struct json *j, const struct compare_whole *w, struct arena scratch)
{
    json_object(j);
    json_put_text(j, "metric", w->metric);
    json_put_bool(j, "primary", w->is_primary);
    json_put_int(j, "cells", (int64_t)w->cells);
    json_put_real(j, "p", w->answer.is_tested ? w->answer.p : (double)NAN);
    comparison_put(j, &w->answer, scratch);
    json_end(j);
}

void compare_runs_json(const struct compare *c, const struct compare_how *how,
                       struct arena scratch, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.compare_runs/1");
    put_side(&j, "a", &c->side[0]);
    put_side(&j, "b", &c->side[1]);
    json_put_real(&j, "alpha", how->alpha);
    json_put_real(&j, "equivalence", how->margin);
    json_put_text(&j, "adjust", how->is_unadjusted ? "none" : "holm");
    json_put_int(&j, "comparisons", (int64_t)(c->row_count + c->pair_count));
    json_key(&j, "wholes");
    json_list(&j);
    for (size_t i = 0; i < c->whole_count; i++) put_whole(&j, &c->wholes[i], scratch);
    json_end(&j);
    json_key(&j, "cells");
    json_list(&j);
    for (size_t i = 0; i < c->pair_count; i++) put_pair(&j, &c->pairs[i], scratch);
    json_end(&j);
    json_key(&j, "rows");
    json_list(&j);
    for (size_t i = 0; i < c->row_count; i++) put_row(&j, &c->rows[i], scratch);
    json_end(&j);
    json_key(&j, "refused");
    json_list(&j);
    for (size_t i = 0; i < c->refusal_count; i++) {
        json_object(&j);
        json_put_text(&j, "label", c->refusals[i].label);
        json_put_text(&j, "metric", c->refusals[i].metric);
        json_put_text(&j, "reason", c->refusals[i].reason);
        json_end(&j);
    }
    json_end(&j);
    put_texts(&j, "unmatched", c->unmatched, c->unmatched_count);
    put_texts(&j, "notes", c->notes, c->note_count);
    json_end(&j);
    buf_add_char(out, '\n');
}

/* ---- text ---- */

static void put_head(const struct source *s, char letter, struct buf *out)
{
    const struct run_record *run = &s->view->run;
    buf_printf(out, "%c  ", letter);
    if (s->is_file) {
        buf_printf(out, "%s\n", s->name);
        return;
    }
    buf_printf(out, "%s: run %s, ", s->name, id_short(run->id));
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
 * its own: it is small beside the medians, or not (medians of 0). */
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
    table_add(t, "%s", HUMAN_P_CELL(row->p_adjusted));
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
    const struct comparison_side sides[2] = {
        {"A", row->metric[0]->samples, row->metric[0]->count},
        {"B", row->metric[1]->samples, row->metric[1]->count}};
    comparison_plot(sides, row->metric[0]->unit, scratch, out);
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

void compare_runs_text(const struct compare *c, struct arena scratch, struct buf *out)
{
    bool is_one = c->side[0].view == c->side[1].view;
    put_head(&c->side[0], is_one ? ' ' : 'A', out);
    if (!is_one) put_head(&c->side[1], 'B', out);
    for (size_t i = 0; i < c->pair_count; i++) put_cell(c, i, scratch, out);
    bool has_more = c->note_count + c->unmatched_count + c->refusal_count > 0;
    if (has_more || c->pair_count > 1) buf_add_char(out, '\n');
    for (size_t i = 0; c->pair_count > 1 && i < c->whole_count; i++) {
        const struct compare_whole *w = &c->wholes[i];
        if (w->cells > 1 && w->answer.is_tested) {
            buf_printf(out, "%s of all %zu cells: %s\n", w->metric, w->cells,
                       words_verdict(&w->answer, &scratch));
        }
    }
    if (c->pair_count > 1) {
        buf_text(out, "Each metric is one question; its cells are adjusted among themselves. "
                      "\"Would show\" is the smallest change that would probably show.\n");
    }
    for (size_t i = 0; i < c->note_count; i++) buf_printf(out, "! %s\n", c->notes[i]);
    for (size_t i = 0; i < c->refusal_count; i++) {
        const struct compare_refusal *r = &c->refusals[i];
        buf_printf(out, "! %s of %s was not compared: %s\n", r->metric, r->label, r->reason);
    }
    for (size_t i = 0; i < c->unmatched_count; i++) buf_printf(out, "! %s\n", c->unmatched[i]);
}
