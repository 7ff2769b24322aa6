/* What a success costs: the requirement's keys first. */
#include "base/id.h"
#include "rank/cost.h"
#include "report/answers.h"
#include "report/phrase.h"
#include "report/words.h"
#include "stats/bootstrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { CONFIGURATIONS_SHOWN = 10, TASKS_SHOWN = 60, OPPORTUNITIES_SHOWN = 5 };

/* ---- JSON ---- */

/* One figure of each task, by its benchmark. */
#define BY_TASK(function, member)                                              \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        (void)whole;                                                           \
        const struct cost_configuration *c = owner;                            \
        json_object(j);                                                        \
        for (size_t i = 0; i < c->task_count; i++)                             \
            json_put_real(j, c->tasks[i].benchmark, c->tasks[i].member);       \
        json_end(j);                                                           \
    }
BY_TASK(put_cost_per_task, per_success_usd)
BY_TASK(put_per_dollar, per_dollar)

/* Why something is missing, or odd; NULL: nothing is. */
static const char *lack_of(const struct cost_task *t, struct arena *out)
{
    switch (t->lack) {
    case COST_LACKS_NOTHING: break;
    case COST_FREE: return "all was free";
    case COST_NO_PRICE:
        return "the agent reports neither its cost nor tokens that have a price";
    case COST_HIDDEN:
        return arena_printf(out,
                            "unknown: %zu of %zu cases succeeded without reporting their cost, "
                            "as others do; let the agent report it of each trial",
                            t->hidden, t->cases);
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

/* "+1.2 points [-0.4, +2.7]", "x 0.251 [0.240, 0.263]": with the interval that decided. */
static const char *effect_text(const struct verdict_answer *a, struct arena *out)
{
    struct phrase_effect x = phrase_effect_of(a, false);
    const char *value = x.kind == KIND_RATIO ? arena_printf(out, "x %.3g", x.value)
                        : x.kind == KIND_SHARE
                            ? arena_printf(out, "%+.1f points", 100 * x.value)
                            : arena_printf(out, "%+.3g USD", x.value);
    if (!verdict_is_measured(a)) return arena_printf(out, "%s, too few for an interval", value);
    if (x.kind == KIND_SHARE)
        return arena_printf(out, "%s [%+.1f, %+.1f]", value, 100 * x.low, 100 * x.high);
    return arena_printf(out, "%s [%.3g, %.3g]", value, x.low, x.high);
}

/* "better, x 0.251 [0.240, 0.263] over 120 cases" */
static const char *described_answer(const struct verdict_answer *a, struct arena *out)
{
    if (a->arm[0].n == 0) return "not known";
    return arena_printf(out, "%s, %s over %zu cases", verdict_name(a->verdict),
                        effect_text(a, out), a->arm[0].n);
}

static const char *saving_text(const struct cost_opportunity *o, struct arena *out)
{
    return arena_printf(out,
                        "%.3g instead of %.3g USD per success (%.0f %% less); cost %s; "
                        "accuracy %.3f against %.3f: %s",
                        o->usd[1], o->usd[0], 100 * o->saving_share,
                        described_answer(&o->answer[1], out), o->accuracy[1], o->accuracy[0],
                        described_answer(&o->answer[0], out));
}

static const char *opportunity_text(const struct cost_opportunity *o, struct arena *out)
{
    return arena_printf(
        out,
        "%s instead of %s: %s [rule cheaper-and-no-worse: cost better, accuracy "
        "not worse by more than %s]",
        o->to, o->from, saving_text(o, out), words_size(o->answer[0].margin, KIND_SHARE, out));
}

static const char *open_next(const struct cost_opportunity *o, struct arena *out)
{
    struct verdict_need need = verdict_need_of(&o->answer[0]);
    if (need.what == NEED_NOTHING) return words_next(&o->answer[1], out);
    if (need.what == NEED_OUTCOMES) return words_need(need, out);
    return arena_printf(out, "add cases until the interval lies inside %s",
                        words_size(o->answer[0].margin, KIND_SHARE, out));
}

static const char *open_text(const struct cost_opportunity *o, struct arena *out)
{
    const char *next = open_next(o, out);
    return arena_printf(out, "undecided whether %s would do instead of %s: %s%s%s", o->to,
                        o->from, saving_text(o, out), next ? "; to decide: " : "",
                        next ? next : "");
}

LAYOUT_SENTENCE_IS(task_reason, const struct cost_task *x, lack_of(x, scratch))

#define OF struct cost_task
static const struct layout_field task_fields[] = {
    LAYOUT_FIELD("cases", cases, "cases of the benchmark"),
    LAYOUT_FIELD("untold", untold, "cases whose cost is taken from the others"),
    LAYOUT_FIELD("hidden", hidden,
                 "cases that succeeded without reporting their cost, as others do: it is "
                 "unknown"),
    LAYOUT_FIELD("attempts", attempts, "answers, right or wrong"),
    LAYOUT_FIELD("successes", successes, "answers that passed"),
    LAYOUT_FIELD("total_usd", total_usd, "cost of all attempts"),
    LAYOUT_FIELD("low", low, "lower end of the 95 % interval of the cost of a success"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_FIELD("is_bound", is_bound, "no success: low is a bound"),
    LAYOUT_FIELD("no_success_share", no_success_share, "resamplings without a success"),
    LAYOUT_SENTENCE("reason", task_reason, "why something is missing"),
    LAYOUT_FIELD("part", part, "that it was run on some of the cases only; null: on all"),
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

LAYOUT_CALL_IS(put_pareto_share, json_real, const struct cost_configuration *c,
               c->peers ? c->pareto_share : (double)NAN)

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
    LAYOUT_FIELD("accuracy", accuracy, "mean over its benchmarks"),
    LAYOUT_FIELD("accuracy_low", accuracy_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("accuracy_high", accuracy_high, "upper end"),
    LAYOUT_FIELD("efficiency_score", efficiency, "1: none is cheaper or more accurate"),
    LAYOUT_FIELD("pareto", is_pareto, "by these points none is both cheaper and more accurate"),
    LAYOUT_FIELD("dominated_by", dominated_by,
                 "by verdicts one is better in cost or accuracy and no worse in the other; or "
                 "null"),
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
LAYOUT_SENTENCE_IS(open_sentence, const struct cost_opportunity *x, open_text(x, scratch))
LAYOUT_SENTENCE_IS(next_of, const struct cost_opportunity *x, open_next(x, scratch))
LAYOUT_WORD_IS(accuracy_verdict, const struct cost_opportunity *x,
               verdict_name(x->answer[0].verdict))
LAYOUT_WORD_IS(cost_verdict, const struct cost_opportunity *x,
               verdict_name(x->answer[1].verdict))

#define OF struct cost_opportunity
#define COMMON                                                                       \
    LAYOUT_FIELD("from", from, "the configuration that could be replaced"),          \
        LAYOUT_FIELD("to", to, "the one that would do the same for less"),           \
        LAYOUT_CONST("rule", "cheaper-and-no-worse", "the rule that found it"),      \
        LAYOUT_FIELD("saving_usd_per_success", saving_usd, "USD saved per success"), \
        LAYOUT_FIELD("saving_share", saving_share, "share saved"),                   \
        LAYOUT_WORD("cost_verdict", cost_verdict, "of `to`, as `versus` has it"),    \
        LAYOUT_WORD("accuracy_verdict", accuracy_verdict, "the same of its accuracy")
static const struct layout_field opportunity_fields[] = {
    COMMON,
    LAYOUT_SENTENCE("sentence", sentence_of, "with the rule, the values and the threshold"),
};
static const struct layout opportunity_layout = LAYOUT_OF(OF, opportunity_fields);

static const struct layout_field open_fields[] = {
    COMMON,
    LAYOUT_SENTENCE("sentence", open_sentence, "what is known, and what is not"),
    LAYOUT_SENTENCE("next", next_of, "what would decide it"),
};
static const struct layout open_layout = LAYOUT_OF(OF, open_fields);
#undef COMMON
#undef OF

LAYOUT_WORD_IS(step_verdict, const struct cost_step *x, verdict_name(x->accuracy.verdict))

#define OF struct cost_step
static const struct layout_field step_fields[] = {
    LAYOUT_FIELD("from", from, "the cheaper configuration"),
    LAYOUT_FIELD("to", to, "the next more expensive one of the front"),
    LAYOUT_FIELD("gain", accuracy.effect.shift, "in accuracy, as `versus` has it"),
    LAYOUT_FIELD("low", accuracy.effect.shift_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("high", accuracy.effect.shift_high, "upper end"),
    LAYOUT_WORD("verdict", step_verdict, "better, worse, equivalent or undecided"),
    LAYOUT_FIELD("cases", accuracy.arm[0].n, "that both were judged on"),
    LAYOUT_FIELD("usd_per_success", usd, "that it costs more"),
    LAYOUT_FIELD("usd_per_success_and_point", usd_per_point, "null: nothing is gained"),
};
static const struct layout step_layout = LAYOUT_OF(OF, step_fields);
#undef OF

/* "; large is more accurate by 9.1 points [3.0, 15.2] over 120 cases for 4.6 times the money" */
static const char *more_text(const struct cost_value *v, struct arena *out)
{
    double from = v->best.per_success_usd;
    double to = v->most.per_success_usd;
    if (v->most.accuracy <= v->best.accuracy) return "; none has a higher accuracy";
    const char *money = from > 0
                            ? arena_printf(out, "for %.2g times the money", to / from)
                            : arena_printf(out, "for $%.3g per 1,000 successes", 1000 * to);
    if (v->accuracy.verdict != VERDICT_BETTER) {
        return arena_printf(out, "; %s, %s, is not shown to be more accurate: %s", v->most.name,
                            money, described_answer(&v->accuracy, out));
    }
    return arena_printf(out, "; %s is more accurate by %s over %zu cases, %s", v->most.name,
                        effect_text(&v->accuracy, out), v->accuracy.arm[0].n, money);
}

/* "medium has the highest efficiency, 0.94: 0.83 [0.77, 0.88] right for $0.84 [0.74, 0.97] per
 * 1,000 successes; ..." */
static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct cost_value *v = &((const struct cost_analysis *)owner)->value;
    const struct cost_configuration *best = &v->best;
    if (!v->is_there)
        return "No two measured configurations did the same work: nothing to compare";
    const char *price = "for nothing";
    if (best->per_success_usd > 0) {
        const struct cost_task *w = &best->whole;
        price = isnan(w->high)
                    ? arena_printf(out, "for $%.3g per 1,000 successes",
                                   1000 * best->per_success_usd)
                    : arena_printf(out, "for $%.3g [%.3g, %.3g] per 1,000 successes",
                                   1000 * best->per_success_usd, 1000 * w->low, 1000 * w->high);
    }
    return arena_printf(out,
                        "%s has the highest efficiency, %.2f: %.2f [%.2f, %.2f] right %s%s",
                        best->name, best->efficiency, best->accuracy, best->accuracy_low,
                        best->accuracy_high, price, more_text(v, out));
}

static const char *whole_next(const void *owner, struct arena *out)
{
    const struct cost_analysis *a = owner;
    if (a->opportunity_count > 0) return opportunity_text(&a->opportunities[0], out);
    return a->open_count > 0 ? open_text(&a->open[0], out) : NULL;
}

#define OF struct cost_analysis
static const struct layout_field cost_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the run"),
    LAYOUT_SENTENCE("sentence", whole_sentence,
                    "who is most efficient, and what more accuracy would cost"),
    LAYOUT_SENTENCE("next", whole_next, "what would or might save most; null: nothing"),
    LAYOUT_CONST("efficiency_formula", "efficiency/2", "how efficiency_score is made"),
    LAYOUT_LIST("configurations", configurations, count, &configuration_layout,
                "agents and their versions, in the order of the plan"),
    LAYOUT_LIST_IF("optimal_configurations", configurations, count, &optimal_layout, is_optimal,
                   "those whose efficiency is above 0.8"),
    LAYOUT_LIST("cost_optimization_opportunities", opportunities, opportunity_count,
                &opportunity_layout, "what would save money by the verdicts, most first"),
    LAYOUT_LIST("undecided_opportunities", open, open_count, &open_layout,
                "what would save money by the points, where a verdict is undecided"),
    LAYOUT_LIST("front_steps", steps, step_count, &step_layout,
                "along the front: what each more expensive configuration gains"),
    LAYOUT_FIELD("unfinished", unfinished, "executions left out: they did not finish"),
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

static void put_price(struct buf *b, const struct cost_task *t)
{
    if (t->is_bound && t->low == 0) {
        buf_printf(b, "no success in %" PRId64 " attempts, which cost nothing", t->attempts);
        return;
    }
    if (t->is_bound) {
        buf_printf(b, "more than $%.3g per success (no success in %" PRId64 " attempts)",
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
}

static void put_task_line(struct buf *b, const struct cost_task *t)
{
    buf_printf(b, "  %-24.24s ", t->benchmark);
    put_price(b, t);
    buf_printf(b, "%s%s\n", t->part ? "; " : "", t->part ? t->part : "");
}

static void put_heading(struct buf *b, const struct cost_configuration *x)
{
    buf_printf(b, "\n%s%s: ", x->name, x->is_simulated ? " (simulated)" : "");
    if (isnan(x->accuracy)) {
        buf_text(b, "accuracy -, ");
    } else {
        buf_printf(b, "accuracy %.3f [%.3f, %.3f], ", x->accuracy, x->accuracy_low,
                   x->accuracy_high);
    }
    put_usd(b, x->per_success_usd);
    buf_text(b, " per success");
    if (!isnan(x->efficiency)) {
        buf_printf(b, ", efficiency %.2f%s", x->efficiency, x->is_optimal ? " (optimal)" : "");
    }
    if (x->is_pareto) {
        struct arena scratch = arena_open();
        buf_printf(b, ", on the Pareto front (%s of resamplings)",
                   words_part(x->pareto_share, &scratch));
        arena_close(&scratch);
    }
    if (x->dominated_by) buf_printf(b, ", dominated by %s", x->dominated_by);
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

static void put_choices(struct buf *b, const char *title, const struct cost_opportunity *list,
                        size_t count,
                        const char *(*text)(const struct cost_opportunity *, struct arena *))
{
    struct arena scratch = arena_open();
    if (count > 0) buf_printf(b, "\n%s\n", title);
    for (size_t i = 0; i < count && i < OPPORTUNITIES_SHOWN; i++)
        buf_printf(b, "  %s\n", text(&list[i], &scratch));
    arena_close(&scratch);
    if (count > OPPORTUNITIES_SHOWN) {
        buf_printf(b, "  and for %zu more configurations, which save less: --json\n",
                   count - OPPORTUNITIES_SHOWN);
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
    put_choices(b, "cheaper configurations", a->opportunities, a->opportunity_count,
                opportunity_text);
    put_choices(b, "perhaps cheaper configurations", a->open, a->open_count, open_text);
    if (a->unfinished > 0)
        buf_printf(b, "\nnote: %zu executions are left out: they did not finish\n",
                   a->unfinished);
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
                                          .low = c->accuracy_low,
                                          .high = c->accuracy_high};
    }
    const struct plot plot = {.title = "Accuracy and what a success costs",
                              .kind = PLOT_POINTS,
                              .x = {"cost per success", "USD"},
                              .y = {"accuracy", "1"}};
    return plot_one(&plot, points, n, out);
}

const struct answer answer_cost = {
    ANSWER_NAME("cost"),
    .summary = "what a success costs, and whether a cheaper agent would do",
    .layout = &cost_layout,
    .text = cost_text,
    .plots = cost_plots,
};
