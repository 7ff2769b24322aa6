/* assay cost: what a success costs, and whether a cheaper agent would do. */
#include "base/json.h"
#include "cli/stored.h"
#include "rank/cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { CONFIGURATIONS_SHOWN = 10, TASKS_SHOWN = 60, OPPORTUNITIES_SHOWN = 5 };

struct cost_options {
    const char *agent;
};

static const struct param options[] = {
    {.name = "agent",
     .letter = 'a',
     .type = PARAM_TEXT,
     .offset = offsetof(struct cost_options, agent),
     .argument = "NAME",
     .help = "only this agent (name or name@version)"},
};

static bool is_shown(const struct cost_options *o, const struct cost_configuration *c)
{
    return !o->agent || strcmp(o->agent, c->agent) == 0 || strcmp(o->agent, c->name) == 0;
}

/* ---- JSON ---- */

static void put_task(struct json *j, const struct cost_task *t)
{
    json_object(j);
    json_put_int(j, "cases", (int64_t)t->cases);
    json_put_int(j, "attempts", t->attempts);
    json_put_int(j, "successes", t->successes);
    json_put_real(j, "total_usd", t->total_usd);
    json_put_real(j, "low", t->low);
    json_put_real(j, "high", t->high);
    json_put_bool(j, "is_bound", t->is_bound);
    json_put_real(j, "no_success_share", t->no_success_share);
    json_put_text(j, "reason", t->reason);
    json_end(j);
}

static void put_configuration(struct json *j, const struct cost_configuration *c)
{
    json_object(j);
    json_put_text(j, "agent", c->agent);
    json_put_text(j, "version", c->version);
    json_put_bool(j, "simulated", c->is_simulated);
    json_put_int(j, "peers", (int64_t)c->peers);
    json_key(j, "cost_per_task");
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_put_real(j, c->tasks[i].benchmark, c->tasks[i].per_success_usd);
    }
    json_end(j);
    json_key(j, "performance_per_dollar");
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_put_real(j, c->tasks[i].benchmark, c->tasks[i].per_dollar);
    }
    json_end(j);
    json_key(j, "tasks");
    json_object(j);
    for (size_t i = 0; i < c->task_count; i++) {
        json_key(j, c->tasks[i].benchmark);
        put_task(j, &c->tasks[i]);
    }
    json_end(j);
    json_put_real(j, "total_usd", c->total_usd);
    json_put_real(j, "cost_per_success_usd", c->per_success_usd);
    json_put_real(j, "accuracy", c->accuracy);
    json_put_real(j, "efficiency_score", c->efficiency);
    json_put_bool(j, "pareto", c->is_pareto);
    json_put_real(j, "pareto_share", c->peers ? c->pareto_share : (double)NAN);
    json_end(j);
}

static int print_json(const struct context *c, const struct cost_analysis *a)
{
    const struct cost_options *o = c->options;
    struct buf b;
    buf_init(&b, (size_t)16 << 20);
    struct json j;
    json_open(&j, &b, "assay.cost/1");
    json_put_text(&j, "run_id", a->run_id);
    json_put_text(&j, "efficiency_formula", "efficiency/2");
    json_key(&j, "configurations");
    json_list(&j);
    for (size_t i = 0; i < a->count; i++) {
        if (is_shown(o, &a->configurations[i])) put_configuration(&j, &a->configurations[i]);
    }
    json_end(&j);
    json_key(&j, "optimal_configurations");
    json_list(&j);
    for (size_t i = 0; i < a->count; i++) {
        const struct cost_configuration *x = &a->configurations[i];
        if (!x->is_optimal || !is_shown(o, x)) continue;
        json_object(&j);
        json_put_text(&j, "configuration", x->name);
        json_put_real(&j, "efficiency_score", x->efficiency);
        json_put_real(&j, "estimated_savings", x->savings_share);
        json_end(&j);
    }
    json_end(&j);
    json_key(&j, "cost_optimization_opportunities");
    json_list(&j);
    for (size_t i = 0; i < a->opportunity_count; i++) {
        const struct cost_opportunity *x = &a->opportunities[i];
        json_object(&j);
        json_put_text(&j, "from", x->from);
        json_put_text(&j, "to", x->to);
        json_put_text(&j, "rule", "cheaper-and-no-worse");
        json_put_real(&j, "saving_usd_per_success", x->saving_usd);
        json_put_real(&j, "saving_share", x->saving_share);
        json_put_text(&j, "sentence", x->sentence);
        json_end(&j);
    }
    json_end(&j);
    json_close(&j);
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
}

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
    if (!isnan(t->low)) buf_printf(b, " [$%.3g, $%.3g]", t->low, t->high);
    buf_printf(b, " per success, %" PRId64 " of %" PRId64 " attempts passed", t->successes,
               t->attempts);
    if (!isnan(t->per_dollar)) buf_printf(b, ", performance per dollar %.3g", t->per_dollar);
    if (t->reason && t->per_success_usd != 0) buf_printf(b, " (%s)", t->reason);
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
    if (a->opportunity_count > 0) buf_text(b, "\ncheaper configurations\n");
    for (size_t i = 0; i < a->opportunity_count && i < OPPORTUNITIES_SHOWN; i++) {
        buf_printf(b, "  %s\n", a->opportunities[i].sentence);
    }
    if (a->opportunity_count > OPPORTUNITIES_SHOWN) {
        buf_printf(b, "  and for %zu more configurations, which save less: --json\n",
                   a->opportunity_count - OPPORTUNITIES_SHOWN);
    }
}

/* A page of it: the best, and how much there is besides. */
static int print_text(const struct context *c, const struct cost_analysis *a)
{
    const struct cost_configuration **shown =
        arena_new(c->arena, const struct cost_configuration *, a->count);
    size_t count = 0;
    size_t tasks = 0;
    struct buf b;
    buf_init(&b, (size_t)16 << 20);
    for (size_t i = 0; i < a->count; i++) {
        if (!is_shown(c->options, &a->configurations[i])) continue;
        shown[count++] = &a->configurations[i];
        tasks += a->configurations[i].task_count;
    }
    if (count > 1) qsort(shown, count, sizeof(void *), by_efficiency);
    bool has_tasks = tasks <= TASKS_SHOWN || count == 1;
    buf_printf(&b, "cost of run %s\n", id_short(a->run_id));
    for (size_t i = 0; i < count && i < CONFIGURATIONS_SHOWN; i++) {
        put_heading(&b, shown[i]);
        for (size_t t = 0; t < shown[i]->task_count && has_tasks; t++)
            put_task_line(&b, &shown[i]->tasks[t]);
    }
    if (count > CONFIGURATIONS_SHOWN)
        buf_printf(&b, "\nand %zu less efficient: --json\n", count - CONFIGURATIONS_SHOWN);
    if (!has_tasks)
        buf_printf(&b, "\n%zu benchmarks of these are not shown: --agent NAME, --json\n",
                   tasks);
    put_opportunities(&b, a);
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
}

extern const struct command command_cost;

static int run(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count > 1) {
        return command_misused(&command_cost, "takes one run, got %zu", c->arg_count);
    }
    if (!stored_open(c, true, &store, &err)) return command_fail(&err);
    struct cost_analysis a;
    bool done = cost_load(store, c->arg_count ? c->args[0] : "latest", c->arena, &a, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    const struct cost_options *o = c->options;
    size_t shown = 0;
    for (size_t i = 0; i < a.count; i++) shown += is_shown(o, &a.configurations[i]);
    if (shown == 0 && o->agent) {
        error_set(&err, ERROR_NOT_FOUND, "run %s has no agent '%s'", id_short(a.run_id),
                  o->agent);
        return command_fail(&err);
    }
    return c->json ? print_json(c, &a) : print_text(c, &a);
}

const struct command command_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .usage = "[RUN]",
    .examples = "assay cost\nassay cost latest --agent bc --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cost_options),
    .run = run,
};
