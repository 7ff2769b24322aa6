#include "rank/cost.h"

#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "suite/scoring.h"
#include "view/select.h"

#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 2000 };

/* The cases of all benchmarks of one configuration, one after the other; the
 * same in every configuration of the run. */
struct evidence {
    double *cost; /* of all attempts at the case; NaN = not told */
    double *successes;
    double *attempts;
    double *accuracy;
    size_t count;
};

struct maker {
    struct arena *out;
    struct cost_analysis *analysis;
    struct evidence *evidence; /* one per configuration */
    struct agent_record *agents;
    size_t agent_count;
};

static double total_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

/* ---- one configuration on one benchmark ---- */

static void set_interval(struct maker *m, const struct evidence *e, struct cost_task *t)
{
    struct bootstrap_plan plan = {
        .samples = {{.values = e->successes, .n = e->count},
                    {.values = e->cost, .n = e->count}},
        .contrast = BOOTSTRAP_RATIO,
        .is_paired = true,
        .statistic = BOOTSTRAP_MEAN,
        .method = e->count >= BOOTSTRAP_BCA_LEAST ? BOOTSTRAP_BCA : BOOTSTRAP_PERCENTILE,
        .seed = 42,
    };
    struct bootstrap_interval ci;
    struct error why = {0};
    if (t->successes == t->attempts && t->total_usd == 0) {
        t->low = t->high = 0;
    } else if (bootstrap_interval(&plan, *m->out, &ci, &why)) {
        t->low = ci.low;
        t->high = ci.high;
    } else {
        t->reason = str_cstr(m->out, str_of(why.text));
    }
}

static struct evidence evidence_of(const struct scoring *s, struct arena *out)
{
    struct evidence e = {
        .cost = arena_new(out, double, s->case_count),
        .successes = arena_new(out, double, s->case_count),
        .attempts = arena_new(out, double, s->case_count),
        .accuracy = arena_new(out, double, s->case_count),
        .count = s->case_count,
    };
    for (size_t i = 0; i < s->case_count; i++) {
        const struct score_case *c = &s->cases[i];
        e.cost[i] = c->cost_total_usd;
        e.successes[i] = (double)c->passed;
        e.attempts[i] = (double)c->attempted;
        e.accuracy[i] = c->accuracy;
    }
    return e;
}

static struct cost_task price(struct maker *m, const struct scoring *s,
                              const struct evidence *e)
{
    struct cost_task t = {.benchmark = s->benchmark->name,
                          .cases = s->case_count,
                          .attempts = (int64_t)total_of(e->attempts, e->count),
                          .successes = (int64_t)total_of(e->successes, e->count),
                          .total_usd = total_of(e->cost, e->count),
                          .per_success_usd = NAN,
                          .low = NAN,
                          .high = NAN,
                          .per_dollar = NAN};
    if (isnan(t.total_usd)) {
        t.reason = "the agent reports neither its cost nor tokens that have a price";
        return t;
    }
    if (t.successes > 0) {
        t.per_success_usd = t.total_usd / (double)t.successes;
        set_interval(m, e, &t);
    } else if (t.attempts > 0) {
        double most = proportion_upper_if_none((int64_t)t.cases, 0.95);
        t.low = t.total_usd / (double)t.attempts / most;
        t.is_bound = true;
        t.reason = "no case was passed: only a lower bound of the cost of a success";
    }
    double performance = s->scores.by[SCORE_ACCURACY].value * s->scores.by[SCORE_SPEED].value;
    if (t.total_usd > 0) t.per_dollar = performance / t.total_usd;
    return t;
}

/* ---- configurations ---- */

static struct cost_configuration *configuration_of(struct maker *m, const char *agent,
                                                   const char *version, size_t most)
{
    struct cost_analysis *a = m->analysis;
    const char *name = version ? arena_printf(m->out, "%s@%s", agent, version) : agent;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->configurations[i].name, name) == 0) return &a->configurations[i];
    }
    struct cost_configuration *c = &a->configurations[a->count++];
    *c = (struct cost_configuration){.agent = agent, .version = version, .name = name};
    c->tasks = arena_new(m->out, struct cost_task, most);
    return c;
}

/* A benchmark that is asked with several prompts is a task with each. */
static const char *task_name(struct maker *m, const struct execution_record *e,
                             const char *benchmark)
{
    static const struct value_limits limits = {16 << 20, 64, 1000000};
    const struct value *parameters = NULL;
    bool is_swept = e->label && strstr(e->label, "prompt=");
    if (!is_swept ||
        !value_read_json(str_of(e->parameters), &limits, m->out, &parameters, NULL))
        return benchmark;
    const struct value *prompt = value_get(parameters, "prompt");
    if (!prompt || prompt->kind != VALUE_TEXT) return benchmark;
    return arena_printf(m->out, "%s, prompt=%.*s", benchmark, STR_ARG(prompt->source));
}

static void append(struct evidence *all, const struct evidence *more, struct arena *out)
{
    struct evidence joined = {.count = all->count + more->count};
    double **to[] = {&joined.cost, &joined.successes, &joined.attempts, &joined.accuracy};
    const double *first[] = {all->cost, all->successes, all->attempts, all->accuracy};
    const double *second[] = {more->cost, more->successes, more->attempts, more->accuracy};
    for (size_t k = 0; k < COUNT(to); k++) {
        *to[k] = arena_new(out, double, joined.count);
        for (size_t i = 0; i < all->count; i++) (*to[k])[i] = first[k][i];
        for (size_t i = 0; i < more->count; i++) (*to[k])[all->count + i] = second[k][i];
    }
    *all = joined;
}

static void sum_up(struct cost_configuration *c, const struct evidence *e)
{
    double attempts = total_of(e->attempts, e->count);
    double successes = total_of(e->successes, e->count);
    c->total_usd = total_of(e->cost, e->count);
    c->per_task_usd = attempts > 0 ? c->total_usd / attempts : (double)NAN;
    c->per_success_usd = successes > 0 ? c->total_usd / successes : (double)NAN;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (isnan(e->accuracy[i])) continue;
        sum += e->accuracy[i];
        n++;
    }
    c->accuracy = n > 0 ? sum / (double)n : (double)NAN;
}

/* What is free is cheapest: it has the whole of that half. */
static double cheapness(double cheapest, double cost)
{
    if (isnan(cost)) return NAN;
    return cost <= 0 ? 1 : cheapest / cost;
}

static void rate(struct cost_analysis *a)
{
    double best = 0;
    double cheapest = INFINITY;
    double dearest = 0;
    for (size_t i = 0; i < a->count; i++) {
        best = fmax(best, a->configurations[i].accuracy);
        cheapest = fmin(cheapest, a->configurations[i].per_success_usd);
        dearest = fmax(dearest, a->configurations[i].per_success_usd);
    }
    for (size_t i = 0; i < a->count; i++) {
        struct cost_configuration *c = &a->configurations[i];
        c->efficiency = best > 0
                            ? sqrt(c->accuracy / best * cheapness(cheapest, c->per_success_usd))
                            : (double)NAN;
        c->is_optimal = c->efficiency > COST_OPTIMAL;
        c->savings_share = dearest > 0 ? 1 - c->per_success_usd / dearest : (double)NAN;
    }
}

/* ---- the front ---- */

static bool is_beaten(const double *cost, const double *accuracy, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++) {
        bool no_worse = cost[k] <= cost[i] && accuracy[k] >= accuracy[i];
        if (no_worse && (cost[k] < cost[i] || accuracy[k] > accuracy[i])) return true;
    }
    return isnan(cost[i]) || isnan(accuracy[i]);
}

/* One drawing of cases (the same for all), or all of them for `drawn` NULL. Cases
 * that could not be judged count for cost, not for accuracy. */
static void place(const struct maker *m, const uint32_t *drawn, size_t cases, double *cost,
                  double *accuracy)
{
    for (size_t c = 0; c < m->analysis->count; c++) {
        const struct evidence *e = &m->evidence[c];
        double spent = 0;
        double attempts = 0;
        double right = 0;
        size_t judged = 0;
        for (size_t i = 0; i < cases; i++) {
            size_t k = drawn ? drawn[i] : i;
            spent += e->cost[k];
            attempts += e->attempts[k];
            if (isnan(e->accuracy[k])) continue;
            right += e->accuracy[k];
            judged++;
        }
        cost[c] = attempts > 0 ? spent / attempts : (double)NAN;
        accuracy[c] = judged ? right / (double)judged : (double)NAN;
    }
}

static void find_front(struct maker *m)
{
    struct cost_analysis *a = m->analysis;
    size_t cases = a->count ? m->evidence[0].count : 0;
    for (size_t c = 1; c < a->count; c++) {
        if (m->evidence[c].count != cases) return; /* not the same tasks: no common picture */
    }
    if (cases == 0) return;
    double *cost = arena_new(m->out, double, a->count);
    double *accuracy = arena_new(m->out, double, a->count);
    uint32_t *drawn = arena_new(m->out, uint32_t, cases);
    place(m, NULL, cases, cost, accuracy);
    for (size_t c = 0; c < a->count; c++) {
        a->configurations[c].is_pareto = !is_beaten(cost, accuracy, a->count, c);
    }
    struct rng rng = rng_seeded(42);
    for (int r = 0; r < RESAMPLES; r++) {
        for (size_t i = 0; i < cases; i++) drawn[i] = (uint32_t)rng_below(&rng, cases);
        place(m, drawn, cases, cost, accuracy);
        for (size_t c = 0; c < a->count; c++) {
            if (!is_beaten(cost, accuracy, a->count, c)) {
                a->configurations[c].pareto_share += 1.0 / RESAMPLES;
            }
        }
    }
}

/* ---- what would save money ---- */

/* Rule cheaper-and-no-worse: costs less per success, and its accuracy is at
 * least the other's. */
static void find_opportunities(struct maker *m)
{
    struct cost_analysis *a = m->analysis;
    a->opportunities = arena_new(m->out, struct cost_opportunity, a->count * a->count + 1);
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < a->count; k++) {
            const struct cost_configuration *from = &a->configurations[i];
            const struct cost_configuration *to = &a->configurations[k];
            bool saves =
                to->per_success_usd < from->per_success_usd && to->accuracy >= from->accuracy;
            if (!saves) continue;
            double saving = from->per_success_usd - to->per_success_usd;
            a->opportunities[a->opportunity_count++] = (struct cost_opportunity){
                .from = from->name,
                .to = to->name,
                .saving_usd = saving,
                .saving_share = saving / from->per_success_usd,
                .sentence = arena_printf(
                    m->out,
                    "%s instead of %s: %.3g instead of %.3g USD per success (%.0f %% less) at "
                    "an accuracy of %.3f against %.3f [rule cheaper-and-no-worse: costs less, "
                    "accuracy at least %.3f]",
                    to->name, from->name, to->per_success_usd, from->per_success_usd,
                    100 * saving / from->per_success_usd, to->accuracy, from->accuracy,
                    from->accuracy),
            };
        }
    }
}

static int by_cost(const void *a, const void *b)
{
    const struct cost_opportunity *x = a;
    const struct cost_opportunity *y = b;
    return (x->saving_usd < y->saving_usd) - (x->saving_usd > y->saving_usd);
}

static bool add_execution(struct maker *m, struct store *store,
                          const struct execution_record *e, size_t most, struct error *err)
{
    struct scoring *s = arena_new(m->out, struct scoring, 1);
    if (!scoring_load(store, e, m->out, s, err)) {
        return err->code == ERROR_INVALID; /* nothing was measured: nothing to price */
    }
    const char *name = agent_record_name(m->agents, m->agent_count, e->agent_id);
    struct cost_configuration *c =
        configuration_of(m, name ? name : e->agent_id, e->agent_version, most);
    struct evidence more = evidence_of(s, m->out);
    struct cost_task *task = &c->tasks[c->task_count++];
    *task = price(m, s, &more);
    task->benchmark = task_name(m, e, s->benchmark->name);
    append(&m->evidence[c - m->analysis->configurations], &more, m->out);
    return true;
}

bool cost_load(struct store *store, const char *selector, struct arena *out,
               struct cost_analysis *analysis, struct error *err)
{
    struct run_record run;
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!select_run(store, selector, out, &run, err) ||
        !store_list_executions(store, run.id, out, &executions, &count, err)) {
        return false;
    }
    *analysis = (struct cost_analysis){0};
    memcpy(analysis->run_id, run.id, sizeof run.id);
    analysis->configurations = arena_new(out, struct cost_configuration, count + 1);
    struct maker m = {.out = out,
                      .analysis = analysis,
                      .evidence = arena_new(out, struct evidence, count + 1)};
    if (!store_list_agents(store, true, out, &m.agents, &m.agent_count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(executions[i].experiment, "suite") != 0) continue;
        if (!add_execution(&m, store, &executions[i], count, err)) return false;
    }
    if (analysis->count == 0) {
        return error_set(err, ERROR_INVALID,
                         "run %s has no agents on a suite: there is nothing to price",
                         id_short(run.id));
    }
    for (size_t i = 0; i < analysis->count; i++) {
        sum_up(&analysis->configurations[i], &m.evidence[i]);
    }
    rate(analysis);
    find_front(&m);
    find_opportunities(&m);
    if (analysis->opportunity_count > 1) {
        qsort(analysis->opportunities, analysis->opportunity_count,
              sizeof *analysis->opportunities, by_cost);
    }
    return true;
}
