/* What a run shows, as JSON: the sentences of the terminal with the numbers below them. */
#include "report/answer_outcome.h"

#include "report/answers.h"
#include "report/outcome_words.h"

#include <math.h>

static const struct outcome *of(const void *answer)
{
    return &((const struct answer_outcome *)answer)->outcome;
}

static const char *sentence_of(const void *answer, struct arena *scratch)
{
    return outcome_sentence(of(answer), scratch);
}

static const char *sure_of(const void *answer, struct arena *scratch)
{
    return outcome_sure(of(answer), scratch);
}

static void put_warnings(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    struct arena scratch = arena_open();
    const char *const *list = outcome_warnings(of(owner), &scratch);
    json_list(j);
    for (size_t i = 0; list[i]; i++) json_text(j, list[i]);
    json_end(j);
    arena_close(&scratch);
}

static void put_next(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    struct arena scratch = arena_open();
    struct outcome_step steps[OUTCOME_STEPS_MAX];
    const struct answer_outcome *a = owner;
    size_t count = outcome_next(&a->outcome, a->run, &scratch, steps);
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        json_put_text(j, "command", steps[i].command);
        json_put_text(j, "why", steps[i].why);
        json_end(j);
    }
    json_end(j);
    arena_close(&scratch);
}

/* ---- agents ---- */

static const struct ranking_entry *entry_of(const void *agent)
{
    return ((const struct outcome_agent *)agent)->entry;
}

#define FIGURE(name, expression)                         \
    static double name(const void *agent)                \
    {                                                    \
        const struct ranking_entry *e = entry_of(agent); \
        return e ? (double)(expression) : (double)NAN;   \
    }
FIGURE(rank_figure, e->overall_rank)
FIGURE(rank_low_figure, e->rank_low)
FIGURE(rank_high_figure, e->rank_high)
FIGURE(tie_figure, e->tie_group)
FIGURE(tie_last_figure, e->tie_last)
FIGURE(overall_figure, e->overall)
FIGURE(low_figure, e->overall_interval.low)
FIGURE(high_figure, e->overall_interval.high)
FIGURE(share_figure, e->first_share)

static void put_scores(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct ranking_entry *e = entry_of(owner);
    json_object(j);
    for (int i = 0; e && i < SCORE_COUNT; i++) {
        json_key_object(j, score_name((enum score_id)i));
        json_put_real(j, "score", e->row->mean[i]);
        json_put_real(j, "low", e->score[i].low);
        json_put_real(j, "high", e->score[i].high);
        json_end(j);
    }
    json_end(j);
}

#define OF struct outcome_agent
static const struct layout_field agent_fields[] = {
    LAYOUT_FIELD("name", name, "of the agent, with version and prompt where it has them"),
    LAYOUT_FIELD("selector", selector, "what other commands call it"),
    LAYOUT_FIGURE("rank", rank_figure, "by the overall score; null: it is not ranked"),
    LAYOUT_FIGURE("rank_low", rank_low_figure, "the best rank that it may have"),
    LAYOUT_FIGURE("rank_high", rank_high_figure, "the worst"),
    LAYOUT_FIGURE("tie_group", tie_figure, "the first group of undecided order it is in"),
    LAYOUT_FIGURE("tie_last", tie_last_figure, "the last such group"),
    LAYOUT_FIGURE("overall_score", overall_figure, "by the suite's weights"),
    LAYOUT_FIGURE("overall_low", low_figure, "lower end of its 95 % interval"),
    LAYOUT_FIGURE("overall_high", high_figure, "upper end"),
    LAYOUT_FIGURE("first_share", share_figure, "of all weightings in which it is first"),
    LAYOUT_CALL("scores", put_scores, "object", "the five, each with its interval"),
    LAYOUT_FIELD("right", right, "cases of which every judged attempt passed"),
    LAYOUT_FIELD("cases", cases, "all"),
    LAYOUT_FIELD("ok", ok, "trials that gave an answer"),
    LAYOUT_FIELD("attempted", attempted, "trials"),
    LAYOUT_FIELD("median_s", median_s,
                 "of the time, over cases, each by the median of its passes"),
    LAYOUT_FIELD("median_low", median_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("median_high", median_high, "upper end"),
    LAYOUT_FIELD("left_out", left_out, "why it is not ranked; null: it is"),
    LAYOUT_TEXTS("wrong", wrong, wrong_count, "names of the cases that are not right"),
    LAYOUT_TEXTS("unjudged", unjudged, unjudged_count,
                 "names of the cases of which no attempt could be judged"),
};
static const struct layout agent_layout = LAYOUT_OF(OF, agent_fields);
#undef OF

static void put_lead(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct outcome *o = of(owner);
    const struct ranking_lead *l =
        o->ranked_count > 1 && o->agents[0].entry->lead.n ? &o->agents[0].entry->lead : NULL;
    if (!l) {
        json_null(j);
        return;
    }
    json_object(j);
    json_put_text(j, "over", o->agents[1].name);
    json_put_real(j, "by", l->by);
    json_put_real(j, "low", l->low);
    json_put_real(j, "high", l->high);
    json_put_real(j, "p", l->p);
    json_put_int(j, "n", (int64_t)l->n);
    json_put_bool(j, "decided", l->is_told);
    json_end(j);
}

static const char *run_id(const void *answer)
{
    return of(answer)->view->run.id;
}

static const char *status_of(const void *answer)
{
    return view_status(of(answer)->view, of(answer)->view->run.status);
}

#define OF struct answer_outcome
static const struct layout_field outcome_fields[] = {
    LAYOUT_WORD("run_id", run_id, "the run"),
    LAYOUT_WORD("status", status_of, "of the run"),
    LAYOUT_SENTENCE("sentence", sentence_of, "who is best, and by how much"),
    LAYOUT_SENTENCE("sure", sure_of, "how sure that is; null: the sentence has said it"),
    LAYOUT_CALL("warnings", put_warnings, "array", "sentences: what it means for the result"),
    LAYOUT_CALL("next", put_next, "array", "what to do next: command and why"),
    LAYOUT_FIELD("suite", outcome.suite, "its name; null: the run is of none"),
    LAYOUT_FIELD("benchmark", outcome.benchmark, "the only one; null: several"),
    LAYOUT_FIELD("benchmarks", outcome.benchmark_count, "of the suite that were run"),
    LAYOUT_FIELD("cases", outcome.case_count, "that an agent was asked"),
    LAYOUT_FIELD("passes", outcome.pass_count, "over each case"),
    LAYOUT_FIELD("trials", outcome.trial_count, "of all agents"),
    LAYOUT_FIELD("duration_s", outcome.duration_s, "of the run"),
    LAYOUT_FIELD("took_turns", outcome.took_turns, "a drift of the machine hits all of them"),
    LAYOUT_FIELD("unranked", outcome.is_unranked, "ranked among themselves only"),
    LAYOUT_CALL("lead", put_lead, "object", "of the first over the second; null: none"),
    LAYOUT_LIST("agents", outcome.agents, outcome.agent_count, &agent_layout,
                "by rank, then those that are not ranked"),
};
static const struct layout outcome_layout = LAYOUT(outcome_fields);
#undef OF

static struct plot_list outcome_plots(const void *answer, struct arena *out)
{
    const struct outcome *o = of(answer);
    struct plot_point *points = arena_new(out, struct plot_point, o->ranked_count + 1);
    for (size_t i = 0; i < o->ranked_count; i++) {
        const struct ranking_entry *e = o->agents[i].entry;
        points[i] = (struct plot_point){.label = o->agents[i].name,
                                        .y = e->overall,
                                        .low = e->overall_interval.low,
                                        .high = e->overall_interval.high};
    }
    if (o->ranked_count == 0) return (struct plot_list){0};
    const struct plot plot = {
        .title = o->suite, .kind = PLOT_INTERVALS, .y = {"overall score", NULL}};
    return plot_one(&plot, points, o->ranked_count, out);
}

const struct answer answer_outcome = {
    ANSWER_NAME("outcome"),
    .summary = "what a run shows: who is best, by how much, how sure",
    .layout = &outcome_layout,
    .text = outcome_text,
    .plots = outcome_plots,
};
