#include "report/answer_regressions.h"

#include "base/json.h"
#include "model/cell.h"
#include "report/words.h"

#include <math.h>

/* ---- JSON ---- */

static void put_impact(struct json *j, const struct regress_impact *x)
{
    json_key(j, "impact_analysis");
    json_object(j);
    json_put_text(j, "sentence", x->sentence);
    json_put_int(j, "cases", (int64_t)x->case_count);
    json_put_int(j, "cases_worse", (int64_t)x->cases_worse);
    json_key(j, "worst_cases");
    json_list(j);
    for (size_t i = 0; i < x->worst_count; i++) {
        json_object(j);
        json_put_text(j, "case", x->worst[i].name);
        json_put_real(j, "baseline", x->worst[i].baseline);
        json_put_real(j, "current", x->worst[i].current);
        json_end(j);
    }
    json_end(j);
    json_key(j, "phases");
    json_list(j);
    for (size_t i = 0; i < x->phase_count; i++) {
        json_object(j);
        json_put_text(j, "name", x->phases[i].name);
        json_put_real(j, "baseline_ms", x->phases[i].baseline_ms);
        json_put_real(j, "current_ms", x->phases[i].current_ms);
        json_end(j);
    }
    json_end(j);
    json_key(j, "cost_usd");
    json_object(j);
    json_put_real(j, "baseline", x->cost_baseline_usd);
    json_put_real(j, "current", x->cost_current_usd);
    json_end(j);
    json_end(j);
}

static void put_row(struct json *j, const struct regress *r, const struct regress_row *row)
{
    const struct baseline_pair *p = &r->set.pairs[row->pair];
    const struct worsening *w = &row->w;
    json_object(j);
    json_put_text(j, "benchmark_id", p->current->record.benchmark_id);
    json_put_text(j, "metric", row->metric);
    json_put_real(j, "baseline_value", w->baseline);
    json_put_real(j, "current_value", w->current);
    json_put_real(j, "regression_percentage", w->amount);
    json_put_text(j, "severity", severity_name(row->severity));
    if (row->impact) put_impact(j, row->impact);
    json_put_text(j, "benchmark", p->benchmark);
    json_put_text(j, "cell", p->name);
    json_put_text(j, "agent", p->agent);
    json_put_text(j, "agent_version", p->is_agent ? p->current->record.agent_version : NULL);
    json_put_text(j, "baseline", p->against);
    struct arena scratch = arena_open();
    json_put_text(j, "baseline_commit",
                  p->baseline_run ? cell_full_commit(p->baseline_run, &scratch) : NULL);
    json_put_text(j, "commit",
                  p->current_run ? cell_full_commit(p->current_run, &scratch) : NULL);
    json_put_text(j, "execution_id", p->current->record.id);
    json_put_text(j, "rule", regress_rule_name(row->rule));
    json_put_text(j, "state", regress_state_name(row->state));
    json_put_text(j, "unit", row->unit);
    json_put_text(j, "scale", w->is_points ? "points" : "relative");
    json_put_real(j, "low", w->low);
    json_put_real(j, "high", w->high);
    json_put_real(j, "threshold", row->threshold);
    json_put_real(j, "p_adjusted", row->p_adjusted);
    json_put_real(j, "mde", row->rule <= REGRESS_WHOLE ? w->mde : (double)NAN);
    json_put_real(j, "confidence", 1 - w->alpha);
    json_put_bool(j, "deterministic", w->is_deterministic);
    json_put_int(j, "cells", (int64_t)row->cells);
    if (row->by) json_put_text(j, "gained_metric", row->by);
    if (!isnan(row->gained)) json_put_real(j, "gained", row->gained);
    json_key(j, "n");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)w->n[i]);
    json_end(j);
    json_put_bool(j, "by_case", w->by_case);
    json_key(j, "runs");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)p->run_count[i]);
    json_end(j);
    json_put_real(j, "run_sd", w->run_sd);
    json_put_text(j, "sentence", row->sentence);
    bool is_open = row->state == REGRESS_UNDECIDED;
    json_put_text(j, "next", is_open ? words_need(w->need, &scratch) : NULL);
    arena_close(&scratch);
    json_end(j);
}

static void put_rows(struct json *j, const char *key, const struct regress *r,
                     enum regress_state state)
{
    json_key(j, key);
    json_list(j);
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        bool is_shown =
            row->state == state && (row->rule == REGRESS_BEYOND || state == REGRESS_FOUND);
        if (is_shown) put_row(j, r, row);
    }
    json_end(j);
}

static void put_confirmations(struct json *j, const struct regress *r)
{
    json_key(j, "confirmations");
    json_list(j);
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        const struct regress_again *again = row->again;
        if (!again) continue;
        bool is_measured = again->outcome != REGRESS_NO_RERUN;
        json_object(j);
        json_put_text(j, "cell", r->set.pairs[row->pair].name);
        json_put_text(j, "metric", row->metric);
        json_put_text(j, "rule", regress_rule_name(row->rule));
        json_put_text(j, "outcome", regress_outcome_name(again->outcome));
        json_put_text(j, "run", again->run_id);
        json_key(j, "n");
        json_list(j);
        for (int s = 0; s < 2; s++) json_int(j, (int64_t)again->w.n[s]);
        json_end(j);
        json_put_real(j, "regression_percentage", is_measured ? again->w.amount : (double)NAN);
        json_put_real(j, "low", is_measured ? again->w.low : (double)NAN);
        json_put_real(j, "high", is_measured ? again->w.high : (double)NAN);
        json_put_text(j, "sentence", again->sentence);
        json_end(j);
    }
    json_end(j);
}

void regressions_json(const struct regress *r, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.regressions/1");
    json_put_text(&j, "subject", r->set.subject);
    json_put_bool(&j, "has_regressions", r->found > 0);
    put_rows(&j, "regressions", r, REGRESS_FOUND);
    json_put_text(&j, "overall_health", r->overall_health);
    json_put_text(&j, "recommended_action", r->recommended_action);
    if (r->is_confirmed) put_confirmations(&j, r);
    put_rows(&j, "undecided", r, REGRESS_UNDECIDED);
    put_rows(&j, "improvements", r, REGRESS_IMPROVED);
    put_rows(&j, "unchanged", r, REGRESS_NONE);
    json_put_int(&j, "cells", (int64_t)r->set.count);
    json_put_int(&j, "compared", (int64_t)r->compared);
    json_put_int(&j, "tests", (int64_t)r->tests);
    json_key(&j, "notes");
    json_list(&j);
    for (size_t i = 0; i < r->note_count; i++) json_text(&j, r->notes[i]);
    json_end(&j);
    json_end(&j);
    buf_add_char(out, '\n');
}

/* ---- text ---- */

static bool is_shown(const struct regress_row *row, enum regress_state state)
{
    return row->state == state && (row->rule == REGRESS_BEYOND || state == REGRESS_FOUND);
}

static void put_state(const struct regress *r, enum regress_state state, const char *title,
                      struct buf *out)
{
    bool is_first = true;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (!is_shown(row, state)) continue;
        if (is_first) buf_printf(out, "\n%s\n", title);
        is_first = false;
        buf_text(out, "  ");
        if (state == REGRESS_FOUND) buf_printf(out, "%-8s ", severity_name(row->severity));
        buf_printf(out, "%s\n", row->sentence);
        if (row->impact) buf_printf(out, "           %s\n", row->impact->sentence);
    }
}

static void put_again(const struct regress *r, struct buf *out)
{
    static const char *const words[] = {"confirmed", "not confirmed", "cannot be re-run"};
    size_t shown = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_again *again = r->rows[i].again;
        if (!again) continue;
        if (shown++ == 0) buf_text(out, "\nMeasured again, both versions in turns\n");
        buf_printf(out, "  %-16s %s\n", words[again->outcome], again->sentence);
    }
    if (r->is_confirmed && shown == 0) {
        buf_text(out, "\nThere was no alarm to measure again\n");
    }
}

static void put_against(const struct regress *r, struct buf *out)
{
    const char *against = NULL;
    bool is_one = true;
    for (size_t i = 0; i < r->set.count; i++) {
        const struct baseline_pair *p = &r->set.pairs[i];
        if (!p->baseline) continue;
        is_one &= !against || strcmp(against, p->against) == 0;
        against = p->against;
    }
    if (!against) {
        buf_printf(out, "%s: no baseline\n", r->set.subject);
    } else {
        buf_printf(out, "%s against %s: ", r->set.subject,
                   is_one ? against : "a baseline of each cell");
    }
}

void regressions_text(const struct regress *r, bool all, struct buf *out)
{
    put_against(r, out);
    if (r->compared > 0) {
        buf_printf(out,
                   "%s. %zu regression%s, %zu improved, %zu undecided; %zu of %zu cells "
                   "compared\n",
                   r->overall_health, r->found, r->found == 1 ? "" : "s", r->improved,
                   r->undecided, r->compared, r->set.count);
    }
    put_state(r, REGRESS_FOUND, "Worse", out);
    put_state(r, REGRESS_IMPROVED, "Better", out);
    if (all) {
        put_state(r, REGRESS_UNDECIDED, "Undecided", out);
        put_state(r, REGRESS_NONE, "Not worse", out);
    }
    put_again(r, out);
    buf_printf(out, "\n%s\n", r->recommended_action);
    if (!all && r->undecided > 0) {
        buf_printf(out, "%zu comparison%s undecided; --all shows %s\n", r->undecided,
                   r->undecided == 1 ? " is" : "s are", r->undecided == 1 ? "it" : "them");
    }
    for (size_t i = 0; i < r->note_count; i++) buf_printf(out, "! %s\n", r->notes[i]);
}
