/* What a success costs: the requirement's keys first. */
#include "base/id.h"
#include "rank/cost.h"
#include "report/answers.h"
#include "stats/bootstrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { CONFIGURATIONS_SHOWN = 10, TASKS_SHOWN = 60, OPPORTUNITIES_SHOWN = 5 };

/* ---- JSON ---- */

static void put_cost_per_task(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct cost_configuration *c = owner;
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_put_real(j, c->tasks[i].benchmark, c->tasks[i].per_success_usd);
    }
    json_end(j);
}

static void put_per_dollar(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct cost_configuration *c = owner;
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_put_real(j, c->tasks[i].benchmark, c->tasks[i].per_dollar);
    }
    json_end(j);
}

/* Why something is missing, or odd; NULL: nothing is. */
static const char *lack_of(const struct cost_task *t, struct arena *out)
{
    switch (t->lack) {
    case COST_LACKS_NOTHING: break;
    case COST_FREE: return "all was free";
    case COST_NO_PRICE:
        return "the agent reports neither its cost nor tokens that have a price";
    case COST_NO_SUCCESS:
        return "no case was passed: only a lower bound of the cost of a success";
    case COST_FEW_SUCCESSES:
        return arena_printf(out, "%.0f of %d resamplings had no success%s",
                            t->no_success_share * BOOTSTRAP_RESAMPLES, BOOTSTRAP_RESAMPLES,
                            isnan(t->high) ? ": the interval has no upper end" : "");
    case COST_NO_WIDTH:
        return "no width: each case cost the same per success, so that other cases of these "
               "would change nothing";
    case COST_NO_INTERVAL: return t->error;
    }
    return NULL;
}

static const char *opportunity_text(const struct cost_opportunity *o, struct arena *out)
{
    return arena_printf(
        out,
        "%s instead of %s: %.3g instead of %.3g USD per success (%.0f %% less) at an accuracy "
        "of "
        "%.3f against %.3f [rule cheaper-and-no-worse: costs less, accuracy at least %.3f]",
        o->to, o->from, o->usd[1], o->usd[0], 100 * o->saving_share, o->accuracy[1],
        o->accuracy[0], o->accuracy[0]);
}

LAYOUT_SENTENCE_IS(task_reason, const struct cost_task *x, lack_of(x, scratch))

#define OF struct cost_task
static const struct layout_field task_fields[] = {
    LAYOUT_FIELD("cases", cases, "cases of the benchmark"),
    LAYOUT_FIELD("untold", untold, "cases whose cost is taken from the others"),
    LAYOUT_FIELD("attempts", attempts, "answers, right or wrong"),
    LAYOUT_FIELD("successes", successes, "answers that passed"),
    LAYOUT_FIELD("total_usd", total_usd, "cost of all attempts"),
    LAYOUT_FIELD("low", low, "lower end of the 95 % interval of the cost of a success"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_FIELD("is_bound", is_bound, "no success: low is a bound"),
    LAYOUT_FIELD("no_success_share", no_success_share, "resamplings without a success"),
    LAYOUT_SENTENCE("reason", task_reason, "why something is missing"),
};
static const struct layout task_layout = LAYOUT(task_fields);
#undef OF

static void put_tasks(struct json *j, const void *owner, const void *whole)
{
    const struct cost_configuration *c = owner;
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_key(j, c->tasks[i].benchmark);
        layout_put(j, &task_layout, &c->tasks[i], whole);
    }
    json_end(j);
}

static void put_pareto_share(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct cost_configuration *c = owner;
    json_real(j, c->peers ? c->pareto_share : (double)NAN);
}

static bool is_optimal(const void *item, const void *whole)
{
    (void)whole;
    return ((const struct cost_configuration *)item)->is_optimal;
}

#define OF struct cost_configuration
static const struct layout_field configuration_fields[] = {
    LAYOUT_FIELD("agent", agent, "the agent's name"),
    LAYOUT_FIELD("version", version, "its version"),
    LAYOUT_FIELD("simulated", is_simulated, "it was answered by a stand-in"),
    LAYOUT_FIELD("peers", peers, "other configurations that did the same work"),
    LAYOUT_CALL("cost_per_task", put_cost_per_task, "object", "USD per success, by benchmark"),
    LAYOUT_CALL("performance_per_dollar", put_per_dollar, "object",
                "accuracy x speed score / total cost, by benchmark"),
    LAYOUT_CALL("tasks", put_tasks, "object", "by benchmark: what these figures are made of"),
    LAYOUT_FIELD("total_usd", total_usd, "cost of all attempts"),
    LAYOUT_FIELD("cost_per_success_usd", per_success_usd, "cost of a success"),
    LAYOUT_FIELD("cost_low", whole.low, "lower end of its 95 % interval, or a bound"),
    LAYOUT_FIELD("cost_high", whole.high, "upper end; null: none"),
    LAYOUT_FIELD("is_bound", whole.is_bound, "no success: cost_low is a bound"),
    LAYOUT_FIELD("cases", whole.cases, "of all benchmarks"),
    LAYOUT_FIELD("attempts", whole.attempts, "answers, right or wrong"),
    LAYOUT_FIELD("successes", whole.successes, "answers that passed"),
    LAYOUT_FIELD("accuracy", accuracy, "mean over cases of all benchmarks"),
    LAYOUT_FIELD("accuracy_low", accuracy_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("accuracy_high", accuracy_high, "upper end"),
    LAYOUT_FIELD("efficiency_score", efficiency, "1: none is cheaper or more accurate"),
    LAYOUT_FIELD("pareto", is_pareto, "none is both cheaper and more accurate"),
    LAYOUT_CALL("pareto_share", put_pareto_share, "number", "resamplings in which that holds"),
};
static const struct layout configuration_layout = LAYOUT_OF(OF, configuration_fields);

static const struct layout_field optimal_fields[] = {
    LAYOUT_FIELD("configuration", name, "agent@version"),
    LAYOUT_FIELD("efficiency_score", efficiency, "above 0.8"),
    LAYOUT_FIELD("estimated_savings", savings_share,
                 "share of the cost of a success, against the most expensive configuration"),
};
static const struct layout optimal_layout = LAYOUT_OF(OF, optimal_fields);
#undef OF

LAYOUT_SENTENCE_IS(sentence_of, const struct cost_opportunity *x, opportunity_text(x, scratch))

#define OF struct cost_opportunity
static const struct layout_field opportunity_fields[] = {
    LAYOUT_FIELD("from", from, "the configuration that could be replaced"),
    LAYOUT_FIELD("to", to, "the one that would do the same for less"),
    LAYOUT_CONST("rule", "cheaper-and-no-worse", "the rule that found it"),
    LAYOUT_FIELD("saving_usd_per_success", saving_usd, "USD saved per success"),
    LAYOUT_FIELD("saving_share", saving_share, "share saved"),
    LAYOUT_SENTENCE("sentence", sentence_of, "with the rule, the values and the threshold"),
};
static const struct layout opportunity_layout = LAYOUT_OF(OF, opportunity_fields);
#undef OF

/* Of those that are measured and compared: the most efficient, then the most accurate of
 * them (`best`), and the most accurate of all (`most`). False where there is none. */
static bool find_value(const struct cost_analysis *a, const struct cost_configuration **best,
                       const struct cost_configuration **most)
{
    *best = *most = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const struct cost_configuration *c = &a->configurations[i];
        if (c->is_simulated || isnan(c->efficiency)) continue;
        bool is_better = !*best || c->efficiency > (*best)->efficiency ||
                         (c->efficiency == (*best)->efficiency && c->accuracy > (*best)->accuracy);
        if (is_better) *best = c;
        if (!*most || c->accuracy > (*most)->accuracy) *most = c;
    }
    return *best && *most;
}

/* "medium is the best value: 0.83 [0.77, 0.88] right for $0.84 [0.74, 0.97] per 1,000
 * successes; large gets 9 points more for 4.6 times the money". */
static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct cost_analysis *a = owner;
    const struct cost_configuration *best, *most;
    if (!find_value(a, &best, &most)) {
        return "No two measured configurations did the same work: nothing to compare";
    }
    const char *price = "for nothing";
    if (best->per_success_usd > 0) {
        const struct cost_task *w = &best->whole;
        price = isnan(w->high)
                    ? arena_printf(out, "for $%.3g per 1,000 successes",
                                   1000 * best->per_success_usd)
                    : arena_printf(out, "for $%.3g [%.3g, %.3g] per 1,000 successes",
                                   1000 * best->per_success_usd, 1000 * w->low, 1000 * w->high);
    }
    const char *head =
        arena_printf(out, "%s is the best value: %.2f [%.2f, %.2f] right %s", best->name,
                     best->accuracy, best->accuracy_low, best->accuracy_high, price);
    double points = 100 * (most->accuracy - best->accuracy);
    if (most == best || points < 0.05) {
        return arena_printf(out, "%s; none is more accurate", head);
    }
    if (best->per_success_usd > 0) {
        return arena_printf(out, "%s; %s gets %.3g points more for %.2g times the money", head,
                            most->name, points, most->per_success_usd / best->per_success_usd);
    }
    return arena_printf(out, "%s; %s gets %.3g points more for $%.3g per 1,000 successes", head,
                        most->name, points, 1000 * most->per_success_usd);
}

static const char *whole_next(const void *owner, struct arena *out)
{
    const struct cost_analysis *a = owner;
    if (a->opportunity_count == 0) return NULL;
    return opportunity_text(&a->opportunities[0], out);
}

#define OF struct cost_analysis
static const struct layout_field cost_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the run"),
    LAYOUT_SENTENCE("sentence", whole_sentence, "the best value, and what more would cost"),
    LAYOUT_SENTENCE("next", whole_next, "what would save most; null: nothing would"),
    LAYOUT_CONST("efficiency_formula", "efficiency/2", "how efficiency_score is made"),
    LAYOUT_LIST("configurations", configurations, count, &configuration_layout,
                "agents and their versions, in the order of the plan"),
    LAYOUT_LIST_IF("optimal_configurations", configurations, count, &optimal_layout, is_optimal,
                   "those whose efficiency is above 0.8"),
    LAYOUT_LIST("cost_optimization_opportunities", opportunities, opportunity_count,
                &opportunity_layout, "what would save money, most first"),
};
static const struct layout cost_layout = LAYOUT(cost_fields);
#undef OF

/* ---- text ---- */

static void put_usd(struct buf *b, double usd)
{
    if (!isfinite(usd)) {
        buf_text(b, "-");
    } else {
        buf_printf(b, "$%.3g", usd);
    }
}

static void put_task_line(struct buf *b, const struct cost_task *t)
{
    buf_printf(b, "  %-24.24s ", t->benchmark);
    if (t->is_bound && t->low == 0) {
        buf_printf(b, "no success in %" PRId64 " attempts, which cost nothing\n", t->attempts);
        return;
    }
    if (t->is_bound) {
        buf_printf(b, "more than $%.3g per success (no success in %" PRId64 " attempts)\n",
                   t->low, t->attempts);
        return;
    }
    put_usd(b, t->per_success_usd);
    if (!isnan(t->high)) {
        buf_printf(b, " [$%.3g, $%.3g]", t->low, t->high);
    } else if (!isnan(t->low)) {
        buf_printf(b, " [at least $%.3g]", t->low);
    }
    buf_printf(b, " per success, %" PRId64 " of %" PRId64 " attempts passed", t->successes,
               t->attempts);
    if (!isnan(t->per_dollar)) buf_printf(b, ", performance per dollar %.3g", t->per_dollar);
    struct arena scratch = arena_open();
    const char *reason = lack_of(t, &scratch);
    if (reason && t->per_success_usd != 0) buf_printf(b, " (%s)", reason);
    if (t->untold) {
        buf_printf(b, " (%zu of %zu cases reported no cost: taken as the median of the others)",
                   t->untold, t->cases);
    }
    arena_close(&scratch);
    buf_add_char(b, '\n');
}

static void put_heading(struct buf *b, const struct cost_configuration *x)
{
    buf_printf(b, "\n%s%s: ", x->name, x->is_simulated ? " (simulated)" : "");
    buf_printf(b, isnan(x->accuracy) ? "accuracy -, " : "accuracy %.3f, ", x->accuracy);
    put_usd(b, x->per_success_usd);
    buf_text(b, " per success");
    if (!isnan(x->efficiency)) {
        buf_printf(b, ", efficiency %.2f%s", x->efficiency, x->is_optimal ? " (optimal)" : "");
    }
    if (x->is_pareto) {
        buf_printf(b, ", on the Pareto front (%.0f %% of resamplings)", 100 * x->pareto_share);
    }
    if (!x->peers) buf_text(b, ", compared with none: no other had the same cases");
    buf_add_char(b, '\n');
}

static int by_efficiency(const void *a, const void *b)
{
    const struct cost_configuration *x = *(const struct cost_configuration *const *)a;
    const struct cost_configuration *y = *(const struct cost_configuration *const *)b;
    double ex = isnan(x->efficiency) ? -1 : x->efficiency;
    double ey = isnan(y->efficiency) ? -1 : y->efficiency;
    if (ex != ey) return ex < ey ? 1 : -1;
    return (x > y) - (x < y); /* in the order of the plan */
}

static void put_opportunities(struct buf *b, const struct cost_analysis *a)
{
    struct arena scratch = arena_open();
    if (a->opportunity_count > 0) buf_text(b, "\ncheaper configurations\n");
    for (size_t i = 0; i < a->opportunity_count && i < OPPORTUNITIES_SHOWN; i++) {
        buf_printf(b, "  %s\n", opportunity_text(&a->opportunities[i], &scratch));
    }
    arena_close(&scratch);
    if (a->opportunity_count > OPPORTUNITIES_SHOWN) {
        buf_printf(b, "  and for %zu more configurations, which save less: --json\n",
                   a->opportunity_count - OPPORTUNITIES_SHOWN);
    }
}

/* A page of it: the best, and how much there is besides. */
static void cost_text(const void *answer, const struct answer_look *look, struct buf *b)
{
    (void)look;
    const struct cost_analysis *a = answer;
    struct arena scratch = arena_open();
    const struct cost_configuration **shown =
        arena_new(&scratch, const struct cost_configuration *, a->count + 1);
    size_t tasks = 0;
    for (size_t i = 0; i < a->count; i++) {
        shown[i] = &a->configurations[i];
        tasks += a->configurations[i].task_count;
    }
    if (a->count > 1) qsort(shown, a->count, sizeof(void *), by_efficiency);
    bool has_tasks = tasks <= TASKS_SHOWN || a->count == 1;
    buf_printf(b, "cost of run %s\n", id_short(a->run_id));
    for (size_t i = 0; i < a->count && i < CONFIGURATIONS_SHOWN; i++) {
        put_heading(b, shown[i]);
        for (size_t t = 0; t < shown[i]->task_count && has_tasks; t++)
            put_task_line(b, &shown[i]->tasks[t]);
    }
    if (a->count > CONFIGURATIONS_SHOWN)
        buf_printf(b, "\nand %zu less efficient: --json\n", a->count - CONFIGURATIONS_SHOWN);
    if (!has_tasks)
        buf_printf(b, "\n%zu benchmarks of these are not shown: --agent NAME, --json\n", tasks);
    put_opportunities(b, a);
    arena_close(&scratch);
}

/* ---- plots ---- */

/* Cost against accuracy; what is free or never passed has no place on the axis. */
static struct plot_list cost_plots(const void *answer, struct arena *out)
{
    const struct cost_analysis *a = answer;
    struct plot_point *points = arena_new(out, struct plot_point, a->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct cost_configuration *c = &a->configurations[i];
        if (!(c->per_success_usd > 0) || isnan(c->accuracy)) continue;
        points[n++] = (struct plot_point){.label = c->name,
                                          .x = c->per_success_usd,
                                          .y = c->accuracy,
                                          .low = NAN,
                                          .high = NAN};
    }
    struct plot_series *series = arena_new(out, struct plot_series, 1);
    *series = (struct plot_series){.points = points, .count = n};
    struct plot *plot = arena_new(out, struct plot, 1);
    *plot = (struct plot){.title = "Accuracy and what a success costs",
                          .kind = PLOT_POINTS,
                          .x = {"cost per success", "USD"},
                          .y = {"accuracy", "1"},
                          .series = series,
                          .series_count = 1};
    return (struct plot_list){plot, 1};
}

const struct answer answer_cost = {
    .name = "cost",
    .summary = "what a success costs, and whether a cheaper agent would do",
    .schema = "assay.cost/1",
    .layout = &cost_layout,
    .text = cost_text,
    .plots = cost_plots,
};
