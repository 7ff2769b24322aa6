/* What got worse since the baseline. */
#include "base/human.h"
#include "model/cell.h"
#include "report/answer_alarms.h"
#include "report/answers.h"
#include "report/regress_words.h"
#include "report/words.h"

#include <math.h>

static bool is_shown(const struct regress_row *row, enum regress_state state)
{
    return row->state == state && regress_is_listed(row);
}

/* ---- JSON ---- */

#define OF struct regress_case
static const struct layout_field case_fields[] = {
    LAYOUT_FIELD("case", name, "its name"),
    LAYOUT_FIELD("baseline", baseline, "its value then; null: it was timed out"),
    LAYOUT_FIELD("current", current, "its value now; null: it was timed out"),
};
static const struct layout case_layout = LAYOUT_OF(OF, case_fields);
#undef OF

#define OF struct regress_phase
static const struct layout_field phase_fields[] = {
    LAYOUT_FIELD("name", name, "of the phase"),
    LAYOUT_FIELD("baseline_ms", baseline_ms, "of one trial, mean; null: not there"),
    LAYOUT_FIELD("current_ms", current_ms, "of one trial, mean; null: not there"),
};
static const struct layout phase_layout = LAYOUT_OF(OF, phase_fields);
#undef OF

#define OF struct regress_impact
static const struct layout_field cost_fields[] = {
    LAYOUT_FIELD("baseline", cost_baseline_usd, "of one trial; null: unknown, or undecided"),
    LAYOUT_FIELD("current", cost_current_usd, "of one trial; null: unknown, or undecided"),
};
static const struct layout cost_layout = LAYOUT(cost_fields);

LAYOUT_SENTENCE_IS(impact_sentence, const struct regress_impact *x,
                   regress_words_impact(x, scratch))

static const struct layout_field impact_fields[] = {
    LAYOUT_SENTENCE("sentence", impact_sentence, "where it comes from, in words"),
    LAYOUT_FIELD("cases", case_count, "compared; 0: there are none"),
    LAYOUT_FIELD("cases_worse", cases_worse, "beyond the threshold"),
    LAYOUT_ARRAY("worst_cases", worst, worst_count, &case_layout, "the worst first"),
    LAYOUT_ARRAY("phases", phases, phase_count, &phase_layout, "largest growth first"),
    LAYOUT_GROUP("cost_usd", &cost_layout, "what a trial costs"),
};
static const struct layout impact_layout = LAYOUT(impact_fields);
#undef OF

static const struct baseline_pair *pair_of(const void *owner, const void *whole)
{
    return &((const struct regress *)whole)
                ->set.pairs[((const struct regress_row *)owner)->pair];
}

#define FROM_PAIR(function, put, expression)                                   \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        const struct baseline_pair *p = pair_of(owner, whole);                 \
        put(j, expression);                                                    \
    }
FROM_PAIR(put_benchmark_id, json_text, p->current->record.benchmark_id)
FROM_PAIR(put_benchmark, json_text, p->benchmark)
FROM_PAIR(put_cell, json_text, p->name)
FROM_PAIR(put_agent, json_text, p->agent)
FROM_PAIR(put_version, json_text, p->is_agent ? p->current->record.agent_version : NULL)
FROM_PAIR(put_baseline, json_text, p->against)
FROM_PAIR(put_execution, json_text, p->current->record.id)

static void put_commit(struct json *j, const struct run_record *run)
{
    struct arena scratch = arena_open();
    json_text(j, run ? cell_full_commit(run, &scratch) : NULL);
    arena_close(&scratch);
}
FROM_PAIR(put_baseline_commit, put_commit, p->baseline_run)
FROM_PAIR(put_current_commit, put_commit, p->current_run)

static void put_counts(struct json *j, const size_t counts[2])
{
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)counts[i]);
    json_end(j);
}
FROM_PAIR(put_runs, put_counts, p->run_count)

LAYOUT_TOLD_IS(put_sentence, const struct regress_row *x, regress_words_row(whole, x, scratch))
LAYOUT_TOLD_IS(put_again_sentence, const struct regress_row *x,
               regress_words_again(whole, x, scratch))

LAYOUT_WORD_IS(severity_of, const struct regress_row *x, severity_name(x->severity))
LAYOUT_WORD_IS(rule_of, const struct regress_row *x, regress_rule_name(x->rule))
LAYOUT_WORD_IS(state_of, const struct regress_row *x, regress_state_name(x->state))
LAYOUT_WORD_IS(scale_of, const struct regress_row *x, x->w.is_points ? "points" : "relative")
LAYOUT_FIGURE_IS(mde_of, const struct regress_row *row,
                 row->rule <= REGRESS_WHOLE ? row->w.mde : (double)NAN)
LAYOUT_FIGURE_IS(confidence_of, const struct regress_row *x, 1 - x->w.alpha)
LAYOUT_SENTENCE_IS(next_of, const struct regress_row *row,
                   row->state == REGRESS_UNDECIDED ? words_need(row->w.need, scratch) : NULL)

#define OF struct regress_row
static const struct layout_field row_fields[] = {
    LAYOUT_CALL("benchmark_id", put_benchmark_id, "string", "in the store; null of commands"),
    LAYOUT_FIELD("metric", metric, "that got worse, or not"),
    LAYOUT_FIELD("baseline_value", w.baseline, "median then; of shares the mean"),
    LAYOUT_FIELD("current_value", w.current, "the same now"),
    LAYOUT_FIELD("regression_percentage", w.amount, "0.23: worse by 23 %; of shares points"),
    LAYOUT_WORD("severity", severity_of, "none, low, medium, high or critical"),
    LAYOUT_POINTER("impact_analysis", impact, &impact_layout, "of found ones; else null"),
    LAYOUT_CALL("benchmark", put_benchmark, "string", "its name"),
    LAYOUT_CALL("cell", put_cell, "string", "its name"),
    LAYOUT_CALL("agent", put_agent, "string", "its name"),
    LAYOUT_CALL("agent_version", put_version, "string", "null of commands"),
    LAYOUT_CALL("baseline", put_baseline, "string", "what it was compared with"),
    LAYOUT_CALL("baseline_commit", put_baseline_commit, "string", "null: unknown"),
    LAYOUT_CALL("commit", put_current_commit, "string", "null: unknown"),
    LAYOUT_CALL("execution_id", put_execution, "string", "the current one"),
    LAYOUT_WORD("rule", rule_of, "that found it"),
    LAYOUT_WORD("state", state_of, "regression, none, improved or undecided"),
    LAYOUT_FIELD("unit", unit, "of the values"),
    LAYOUT_WORD("scale", scale_of, "relative or points: of low, high and threshold"),
    LAYOUT_FIELD("low", w.low, "lower end of the interval; above 0 is worse"),
    LAYOUT_FIELD("high", w.high, "upper end"),
    LAYOUT_FIELD("threshold", threshold, "of the rule"),
    LAYOUT_FIELD("p_adjusted", p_adjusted, "over the cells of the metric"),
    LAYOUT_FIGURE("mde", mde_of, "smallest worsening that would probably show"),
    LAYOUT_FIGURE("confidence", confidence_of, "of the interval"),
    LAYOUT_FIELD("deterministic", w.is_deterministic, "neither side varies"),
    LAYOUT_FIELD("cells", cells, "that it is about"),
    LAYOUT_FIELD("gained_metric", by, "of the rule trade; else null"),
    LAYOUT_FIELD("gained", gained, "of the rules trade and slow_drift; else null"),
    LAYOUT_ROW("n", w.n, "values then and now"),
    LAYOUT_FIELD("by_case", w.by_case, "n counts cases"),
    LAYOUT_CALL("runs", put_runs, "array", "how many of each version"),
    LAYOUT_FIELD("run_sd", w.run_sd, "between runs of one version; null: not known"),
    LAYOUT_CALL("sentence", put_sentence, "string", "the answer in words"),
    LAYOUT_SENTENCE("next", next_of, "what would decide it; null where it is decided"),
    LAYOUT_POINTER("alarm", alarm, &answer_alarm_layout,
                   "what people said of it; null: it was not kept"),
    LAYOUT_FIELD("quiet", is_quiet, "muted, or judged false: it fails nothing"),
};
static const struct layout row_layout = LAYOUT_OF(OF, row_fields);
#undef OF

#define SHOWN(function, state)                                \
    static bool function(const void *item, const void *whole) \
    {                                                         \
        (void)whole;                                          \
        return is_shown(item, state);                         \
    }
SHOWN(is_found, REGRESS_FOUND)
SHOWN(is_undecided, REGRESS_UNDECIDED)
SHOWN(is_improved, REGRESS_IMPROVED)
SHOWN(is_unchanged, REGRESS_NONE)

static bool is_again(const void *item, const void *whole)
{
    (void)whole;
    return ((const struct regress_row *)item)->again != NULL;
}

LAYOUT_WORD_IS(again_outcome, const struct regress_again *x, regress_outcome_name(x->outcome))

/* NaN where it could not be measured again. */
static double again_number(const void *owner, double number)
{
    bool is_measured = ((const struct regress_again *)owner)->outcome != REGRESS_NO_RERUN;
    return is_measured ? number : (double)NAN;
}

LAYOUT_FIGURE_IS(again_amount, const struct regress_again *x, again_number(owner, x->w.amount))
LAYOUT_FIGURE_IS(again_low, const struct regress_again *x, again_number(owner, x->w.low))
LAYOUT_FIGURE_IS(again_high, const struct regress_again *x, again_number(owner, x->w.high))

#define OF struct regress_again
static const struct layout_field measured_fields[] = {
    LAYOUT_WORD("outcome", again_outcome, "confirmed, not_confirmed or cannot_be_rerun"),
    LAYOUT_FIELD("run", run_id, "the new one"),
    LAYOUT_ROW("n", w.n, "new values of both versions"),
    LAYOUT_FIGURE("regression_percentage", again_amount, "of the new trials alone"),
    LAYOUT_FIGURE("low", again_low, "lower end of its interval"),
    LAYOUT_FIGURE("high", again_high, "upper end"),
};
static const struct layout measured_layout = LAYOUT(measured_fields);
#undef OF

#define OF struct regress_row
static const struct layout_field again_fields[] = {
    LAYOUT_CALL("cell", put_cell, "string", "its name"),
    LAYOUT_FIELD("metric", metric, "of the alarm"),
    LAYOUT_WORD("rule", rule_of, "of the alarm"),
    LAYOUT_PART_OF(again, &measured_layout),
    LAYOUT_CALL("sentence", put_again_sentence, "string", "the answer in words"),
};
static const struct layout again_layout = LAYOUT_OF(OF, again_fields);
#undef OF

LAYOUT_CALL_IS(put_has_regressions, json_bool, const struct regress *x, x->found > 0)

LAYOUT_SENTENCE_IS(sentence_of, const struct regress *x, regress_words_whole(x, scratch))
LAYOUT_SENTENCE_IS(action_of, const struct regress *x, regress_words_action(x, scratch))

LAYOUT_NOTES_IS(add_notes, const struct regress *r, regress_words_notes(r, notes))

#define OF struct regress
static const struct layout_field regressions_fields[] = {
    LAYOUT_FIELD("subject", set.subject, "what was looked at"),
    LAYOUT_CALL("has_regressions", put_has_regressions, "boolean", "regressions is not empty"),
    LAYOUT_LIST_IF("regressions", rows, row_count, &row_layout, is_found, "what got worse"),
    LAYOUT_FIELD("overall_health", overall_health,
                 "healthy, watch, degraded, critical or unknown"),
    LAYOUT_SENTENCE("sentence", sentence_of, "whether anything got worse: the worst of it"),
    LAYOUT_SENTENCE("recommended_action", action_of, "with the rule and its values"),
    LAYOUT_LIST_IF("confirmations", rows, row_count, &again_layout, is_again,
                   "with --confirm: alarms that were measured again"),
    LAYOUT_LIST_IF("undecided", rows, row_count, &row_layout, is_undecided, "not decided"),
    LAYOUT_LIST_IF("improvements", rows, row_count, &row_layout, is_improved, "better"),
    LAYOUT_LIST_IF("unchanged", rows, row_count, &row_layout, is_unchanged, "not worse"),
    LAYOUT_FIELD("quiet", quiet, "regressions that are muted or were judged false"),
    LAYOUT_FIELD("cells", set.count, "looked at"),
    LAYOUT_FIELD("compared", compared, "those with a baseline"),
    LAYOUT_FIELD("comparisons", listed, "in the four lists"),
    LAYOUT_FIELD("tests", tests, "that were made: also of all cells together, and of patterns"),
    LAYOUT_NOTES("notes", add_notes, "what else to know"),
};
static const struct layout regressions_layout = LAYOUT(regressions_fields);
#undef OF

/* ---- plots ---- */

/* One picture for each metric: worsening by cell, with the threshold. */
static struct plot_list regressions_plots(const void *answer, struct arena *out)
{
    const struct regress *r = answer;
    struct plot *plots = arena_new(out, struct plot, r->row_count + 1);
    bool *is_done = arena_new(out, bool, r->row_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *first = &r->rows[i];
        if (is_done[i] || first->rule > REGRESS_WHOLE) continue;
        struct plot_worse *rows = arena_new(out, struct plot_worse, r->row_count - i);
        size_t n = 0;
        for (size_t k = i; k < r->row_count; k++) {
            const struct regress_row *row = &r->rows[k];
            if (row->rule > REGRESS_WHOLE || strcmp(row->metric, first->metric) != 0) continue;
            is_done[k] = true;
            bool is_whole = row->rule == REGRESS_WHOLE;
            rows[n++] =
                (struct plot_worse){is_whole ? "all together" : r->set.pairs[row->pair].name,
                                    &row->w, row->state == REGRESS_UNDECIDED};
        }
        struct plot_list one = plot_worsening(rows, n, first->metric, first->threshold, out);
        if (one.count > 0) plots[count++] = one.items[0];
    }
    return (struct plot_list){plots, count};
}

/* ---- text ---- */

static void put_state(const struct regress *r, enum regress_state state, const char *title,
                      struct buf *out)
{
    struct arena scratch = arena_open();
    bool is_first = true;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (!is_shown(row, state)) continue;
        if (is_first) buf_printf(out, "\n%s\n", title);
        is_first = false;
        buf_text(out, "  ");
        if (state == REGRESS_FOUND) buf_printf(out, "%-8s ", severity_name(row->severity));
        buf_printf(out, "%s\n", regress_words_row(r, row, &scratch));
        const char *impact = row->impact ? regress_words_impact(row->impact, &scratch) : "";
        if (impact[0]) buf_printf(out, "           %s\n", impact);
        if (row->alarm)
            buf_printf(out, "           %s\n", answer_alarm_words(row->alarm, &scratch));
    }
    arena_close(&scratch);
}

/* Without --all: what would be a regression by its estimate. */
static void put_open(const struct regress *r, bool all, struct buf *out)
{
    enum { SHOWN = 5 };
    struct arena scratch = arena_open();
    size_t shown = 0;
    for (size_t i = 0; i < r->open_count && (all || shown < SHOWN); i++) {
        const struct regress_row *row = r->open[i];
        if (!all && !(row->w.amount > row->threshold)) continue;
        if (shown++ == 0)
            buf_text(out, all ? "\nUndecided\n" : "\nUndecided, and perhaps worse\n");
        buf_printf(out, "  %s\n", regress_words_row(r, row, &scratch));
    }
    arena_close(&scratch);
}

/* Cases that were right and are wrong are worth a look whatever the verdict. */
static void put_flips(const struct regress *r, bool are_sure, const char *title,
                      struct buf *out)
{
    struct arena scratch = arena_open();
    bool is_first = true;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        bool is_sure = row->w.low > 0;
        if (!row->impact || row->state == REGRESS_FOUND || is_sure != are_sure) continue;
        if (is_first) buf_printf(out, "\n%s\n", title);
        is_first = false;
        buf_printf(out, "  %s, %s: %s\n", r->set.pairs[row->pair].name, row->metric,
                   regress_words_impact(row->impact, &scratch));
    }
    arena_close(&scratch);
}

static void put_again(const struct regress *r, struct buf *out)
{
    static const char *const words[] = {"confirmed", "not confirmed", "cannot be re-run"};
    struct arena scratch = arena_open();
    size_t shown = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_again *again = r->rows[i].again;
        if (!again) continue;
        if (shown++ == 0) buf_text(out, "\nMeasured again, both versions in turns\n");
        buf_printf(out, "  %-16s %s\n", words[again->outcome],
                   regress_words_again(r, &r->rows[i], &scratch));
    }
    arena_close(&scratch);
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

static const char *quiet_text(const struct regress *r, struct arena *out)
{
    return r->quiet ? arena_printf(out, " (%zu muted or judged false)", r->quiet) : "";
}

static void regressions_text(const void *answer, const struct answer_look *look,
                             struct buf *out)
{
    const struct regress *r = answer;
    bool all = look->all;
    if (look->quiet) {
        buf_printf(out, "%s\n", r->overall_health);
        return;
    }
    put_against(r, out);
    struct arena scratch = arena_open();
    if (r->compared > 0) {
        buf_printf(out,
                   "%s. %zu regression%s%s, %zu improved, %zu undecided; %zu of %zu cells "
                   "compared\n",
                   r->overall_health, r->found, PLURAL(r->found), quiet_text(r, &scratch),
                   r->improved, r->undecided, r->compared, r->set.count + r->set.lost_count);
    }
    if (r->action == REGRESS_DO_MEND) buf_printf(out, "%s\n", regress_words_whole(r, &scratch));
    put_state(r, REGRESS_FOUND, "Worse", out);
    put_state(r, REGRESS_IMPROVED, "Better", out);
    put_open(r, all, out);
    if (all) {
        put_state(r, REGRESS_NONE, "Not worse", out);
    } else {
        put_flips(r, true, "Worse beyond chance, but not surely beyond the threshold", out);
        put_flips(r, false, "Worse in some cases, which may be chance", out);
    }
    put_again(r, out);
    buf_printf(out, "\n%s\n", regress_words_action(r, &scratch));
    if (!all && r->undecided > 0) {
        buf_printf(out, "%zu comparison%s undecided; --all shows %s\n", r->undecided,
                   r->undecided == 1 ? " is" : "s are", r->undecided == 1 ? "it" : "them");
    }
    struct sentences notes = {.out = &scratch};
    regress_words_notes(r, &notes);
    sentences_put(&notes, "! ", out);
    arena_close(&scratch);
}

const struct answer answer_regressions = {
    ANSWER_NAME("regressions"),
    .summary = "what got worse since the baseline: how much, how sure, where",
    .layout = &regressions_layout,
    .judges = true,
    .text = regressions_text,
    .plots = regressions_plots,
};
