/* Evidence of a configuration is one row per case: cost of all attempts, successes,
 * accuracy, in an order that is the same for all configurations that did the same
 * work. So one drawing of cases resamples all of them equally, and what is compared
 * (prices, the front) is compared on the same cases. Configurations that did other
 * work are never peers. */
#include "rank/cost_internal.h"

#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "suite/scoring.h"
#include "view/select.h"

#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 2000 };

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
        .n = e->count,
        .values = e->cost,
        .over = e->successes,
        .method = e->count >= BOOTSTRAP_BCA_LEAST ? BOOTSTRAP_BCA : BOOTSTRAP_PERCENTILE,
        .seed = 42,
        .counts_undefined = true,
    };
    struct bootstrap_interval ci;
    struct error why = {0};
    if (t->successes == t->attempts && t->total_usd == 0) {
        t->low = t->high = 0;
        t->lack = COST_FREE;
        return;
    }
    if (!bootstrap_interval(&plan, *m->out, &ci, &why)) {
        t->lack = COST_NO_INTERVAL;
        t->error = str_cstr(m->out, str_of(why.text));
        return;
    }
    t->low = ci.low;
    t->high = isfinite(ci.high) ? ci.high : (double)NAN;
    t->no_success_share = (double)ci.undefined / BOOTSTRAP_RESAMPLES;
    if (t->low == t->high) t->lack = COST_NO_WIDTH;
    if (ci.undefined) t->lack = COST_FEW_SUCCESSES;
}

static int by_hash(const void *a, const void *b, void *hashes)
{
    const char *const *h = *(const char *const **)hashes;
    return strcmp(h[*(const size_t *)a], h[*(const size_t *)b]);
}

/* Whose successes report their cost now and then has an unknown cost in those cases. */
static size_t hide_costs(const struct evidence *e, const bool *is_hidden)
{
    size_t known = 0;
    size_t hidden = 0;
    for (size_t i = 0; i < e->count; i++) {
        known += !isnan(e->cost[i]);
        hidden += is_hidden[i];
    }
    for (size_t i = 0; i < e->count && known > 0; i++) {
        if (is_hidden[i]) e->cost[i] = NAN;
    }
    return known > 0 ? hidden : 0;
}

/* An agent that stopped early may not have reported its cost; it was not free. */
static size_t assume_costs(const struct evidence *e, struct arena scratch)
{
    double *known = arena_new(&scratch, double, e->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (!isnan(e->cost[i]) && e->attempts[i] > 0) known[n++] = e->cost[i] / e->attempts[i];
    }
    if (n == 0) return 0;
    stats_sort_inplace(known, n);
    double usual = quantile_median(known, n);
    size_t untold = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (!isnan(e->cost[i])) continue;
        e->cost[i] = usual * e->attempts[i];
        untold += e->attempts[i] > 0;
    }
    return untold;
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
    size_t *order = arena_new(out, size_t, s->case_count);
    bool *is_hidden = arena_new(out, bool, s->case_count + 1);
    struct buf work;
    buf_init(&work, (size_t)64 << 20);
    const char *const *hashes = s->hashes;
    for (size_t i = 0; i < s->case_count; i++) order[i] = i;
    if (s->case_count > 1) qsort_r(order, s->case_count, sizeof *order, by_hash, &hashes);
    for (size_t i = 0; i < s->case_count; i++) {
        const struct score_case *c = &s->cases[order[i]];
        e.cost[i] = c->cost_total_usd;
        e.successes[i] = (double)c->passed;
        e.attempts[i] = (double)c->attempted;
        e.accuracy[i] = c->accuracy;
        is_hidden[i] = c->unpriced > 0;
        buf_printf(&work, " %s", s->hashes[order[i]]);
    }
    e.hidden = hide_costs(&e, is_hidden);
    if (e.hidden == 0) e.untold = assume_costs(&e, *out);
    e.work = str_cstr(out, buf_str(&work));
    buf_release(&work);
    return e;
}

static struct cost_task price_evidence(struct maker *m, const struct evidence *e, size_t cases)
{
    struct cost_task t = {.cases = cases,
                          .attempts = (int64_t)total_of(e->attempts, e->count),
                          .successes = (int64_t)total_of(e->successes, e->count),
                          .untold = e->untold,
                          .hidden = e->hidden,
                          .total_usd = total_of(e->cost, e->count),
                          .per_success_usd = NAN,
                          .low = NAN,
                          .high = NAN,
                          .per_dollar = NAN};
    if (isnan(t.total_usd)) {
        t.lack = e->hidden > 0 ? COST_HIDDEN : COST_NO_PRICE;
        return t;
    }
    if (t.successes > 0) {
        t.per_success_usd = t.total_usd / (double)t.successes;
        set_interval(m, e, &t);
    } else if (t.attempts > 0) {
        double most = proportion_upper_if_none((int64_t)t.cases, 0.95);
        t.low = t.total_usd / (double)t.attempts / most;
        t.is_bound = true;
        t.lack = COST_NO_SUCCESS;
    }
    return t;
}

static struct cost_task price(struct maker *m, const struct scoring *s,
                              const struct evidence *e)
{
    struct cost_task t = price_evidence(m, e, s->case_count);
    t.benchmark = s->benchmark->name;
    double performance = s->scores.by[SCORE_ACCURACY].value * s->scores.by[SCORE_SPEED].value;
    if (t.total_usd > 0) t.per_dollar = performance / t.total_usd;
    return t;
}

/* ---- configurations ---- */

/* By id and version: an agent may be called what another one with its version is. */
static struct cost_configuration *
configuration_of(struct maker *m, const struct execution_record *e, size_t most)
{
    struct cost_analysis *a = m->analysis;
    const char *version = e->agent_version;
    for (size_t i = 0; i < a->count; i++) {
        struct cost_configuration *known = &a->configurations[i];
        const struct agent_ref ref = {.id = known->agent_id, .version = known->version};
        bool is_same = !known->version == !version;
        if (is_same && agent_ref_fits(&ref, e->agent_id, version)) return known;
    }
    const char *agent = agent_record_name(m->agents, m->agent_count, e->agent_id);
    if (!agent) agent = e->agent_id;
    struct cost_configuration *c = &a->configurations[a->count++];
    *c = (struct cost_configuration){
        .agent_id = e->agent_id,
        .agent = agent,
        .version = version,
        .name = version ? arena_printf(m->out, "%s@%s", agent, version) : agent};
    c->tasks = arena_new(m->out, struct cost_task, most);
    return c;
}

static bool has_other_prompt(const struct maker *m, const struct execution_record *e,
                             struct str prompt)
{
    for (size_t i = 0; i < m->execution_count; i++) {
        const struct execution_record *x = &m->executions[i];
        if (strcmp(x->benchmark_id, e->benchmark_id) == 0 &&
            !str_equal(value_text(x->parameters, "prompt"), prompt))
            return true;
    }
    return false;
}

/* A benchmark that is asked with several prompts is a task with each. */
static const char *task_name(struct maker *m, const struct execution_record *e,
                             const char *benchmark)
{
    struct str prompt = value_text(e->parameters, "prompt");
    if (prompt.n == 0 || !has_other_prompt(m, e, prompt)) return benchmark;
    return arena_printf(m->out, "%s, prompt=%.*s", benchmark, STR_ARG(prompt));
}

static void append(struct evidence *all, const struct evidence *more, struct arena *out)
{
    struct evidence joined = {.count = all->count + more->count,
                              .untold = all->untold + more->untold,
                              .hidden = all->hidden + more->hidden};
    joined.work = arena_printf(out, "%s\n%s", all->work ? all->work : "", more->work);
    double **to[] = {&joined.cost, &joined.successes, &joined.attempts, &joined.accuracy};
    const double *first[] = {all->cost, all->successes, all->attempts, all->accuracy};
    const double *second[] = {more->cost, more->successes, more->attempts, more->accuracy};
    for (size_t k = 0; k < COUNT(to); k++) {
        *to[k] = arena_new(out, double, joined.count);
        for (size_t i = 0; i < all->count; i++) (*to[k])[i] = first[k][i];
        for (size_t i = 0; i < more->count; i++) (*to[k])[all->count + i] = second[k][i];
    }
    joined.part_count = all->part_count + more->part_count;
    joined.parts = arena_new(out, struct part, joined.part_count);
    if (all->part_count)
        memcpy(joined.parts, all->parts, all->part_count * sizeof *joined.parts);
    memcpy(joined.parts + all->part_count, more->parts,
           more->part_count * sizeof *joined.parts);
    *all = joined;
}

/* As the leaderboard has it: benchmarks weigh the same, and the intervals of their scores are
 * put together by MOVER. */
static void set_accuracy(struct cost_configuration *c, const struct evidence *e)
{
    double sum = 0;
    double below = 0;
    double above = 0;
    size_t n = 0;
    for (size_t i = 0; i < e->part_count; i++) {
        const struct score *s = &e->parts[i].accuracy;
        if (isnan(s->value)) continue;
        sum += s->value;
        below += (s->value - s->low) * (s->value - s->low);
        above += (s->high - s->value) * (s->high - s->value);
        n++;
    }
    c->accuracy = n ? sum / (double)n : (double)NAN;
    c->accuracy_low = n ? fmax(c->accuracy - sqrt(below) / (double)n, 0) : (double)NAN;
    c->accuracy_high = n ? fmin(c->accuracy + sqrt(above) / (double)n, 1) : (double)NAN;
}

static void sum_up(struct maker *m, struct cost_configuration *c, const struct evidence *e)
{
    c->whole = price_evidence(m, e, e->count);
    c->total_usd = c->whole.total_usd;
    c->per_success_usd = c->whole.per_success_usd;
    set_accuracy(c, e);
}

/* What is free has the whole of that half, and takes nothing from the others': against
 * it each price, however small, is infinitely more. */
static double cheapness(double cheapest, double cost)
{
    if (isnan(cost)) return NAN;
    return cost <= 0 ? 1 : cheapest / cost;
}

bool cost_is_peer(const struct maker *m, size_t a, size_t b)
{
    const struct cost_configuration *c = m->analysis->configurations;
    return c[a].is_simulated == c[b].is_simulated &&
           strcmp(m->evidence[a].work, m->evidence[b].work) == 0;
}

static void rate(struct maker *m, size_t i)
{
    struct cost_configuration *all = m->analysis->configurations;
    struct cost_configuration *c = &all[i];
    double best = 0;
    double cheapest = INFINITY;
    double dearest = 0;
    for (size_t k = 0; k < m->analysis->count; k++) {
        if (!cost_is_peer(m, i, k)) continue;
        double cost = all[k].per_success_usd;
        c->peers += k != i;
        best = fmax(best, all[k].accuracy);
        if (cost > 0) cheapest = fmin(cheapest, cost);
        dearest = fmax(dearest, cost);
    }
    c->efficiency = best > 0 && c->peers
                        ? sqrt(c->accuracy / best * cheapness(cheapest, c->per_success_usd))
                        : (double)NAN;
    c->savings_share = dearest > 0 && c->peers ? 1 - c->per_success_usd / dearest : (double)NAN;
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

/* One drawing of cases (the same for all), or all of them for `drawn` NULL. Cases that could
 * not be judged count for cost, not for accuracy. */
static void place(const struct evidence *e, const uint32_t *drawn, double *cost,
                  double *accuracy)
{
    double spent = 0;
    double attempts = 0;
    double sum = 0;
    size_t parts = 0;
    for (size_t p = 0, at = 0; p < e->part_count; at += e->parts[p++].count) {
        double right = 0;
        size_t judged = 0;
        for (size_t i = at; i < at + e->parts[p].count; i++) {
            size_t k = drawn ? drawn[i] : i;
            spent += e->cost[k];
            attempts += e->attempts[k];
            if (isnan(e->accuracy[k])) continue;
            right += e->accuracy[k];
            judged++;
        }
        if (judged) sum += right / (double)judged;
        parts += judged > 0;
    }
    *cost = attempts > 0 ? spent / attempts : (double)NAN;
    *accuracy = parts ? sum / (double)parts : (double)NAN;
}

/* Cases of each benchmark among themselves. */
static void draw(const struct evidence *e, struct rng *rng, uint32_t *drawn)
{
    for (size_t p = 0, at = 0; p < e->part_count; at += e->parts[p++].count) {
        for (size_t i = at; i < at + e->parts[p].count; i++)
            drawn[i] = (uint32_t)(at + rng_below(rng, e->parts[p].count));
    }
}

/* The front of those that did the same work, given by their places. */
static void find_front(struct maker *m, const size_t *who, size_t count)
{
    struct cost_configuration *all = m->analysis->configurations;
    size_t cases = m->evidence[who[0]].count;
    double *cost = arena_new(m->out, double, count);
    double *accuracy = arena_new(m->out, double, count);
    size_t *times = arena_new(m->out, size_t, count);
    uint32_t *drawn = arena_new(m->out, uint32_t, cases);
    struct rng rng = rng_seeded(42);
    for (int r = 0; r <= RESAMPLES; r++) { /* the first is what was measured */
        if (r) draw(&m->evidence[who[0]], &rng, drawn);
        for (size_t c = 0; c < count; c++) {
            place(&m->evidence[who[c]], r ? drawn : NULL, &cost[c], &accuracy[c]);
        }
        for (size_t c = 0; c < count; c++) {
            bool is_on = !is_beaten(cost, accuracy, count, c);
            if (r == 0) all[who[c]].is_pareto = is_on;
            times[c] += r && is_on;
        }
    }
    for (size_t c = 0; c < count; c++) {
        all[who[c]].pareto_share = (double)times[c] / RESAMPLES;
    }
}

static void find_fronts(struct maker *m)
{
    size_t count = m->analysis->count;
    size_t *who = arena_new(m->out, size_t, count);
    bool *is_done = arena_new(m->out, bool, count);
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        for (size_t k = i; k < count && !is_done[i]; k++) {
            if (cost_is_peer(m, i, k)) who[n++] = k;
        }
        for (size_t k = 0; k < n; k++) is_done[who[k]] = true;
        if (n > 1 && m->evidence[i].count > 0) find_front(m, who, n);
    }
}

static bool add_part(struct evidence *to, struct store *store, const struct execution_record *e,
                     const struct scoring *s, struct arena *out, struct error *err)
{
    to->parts = arena_new(out, struct part, 1);
    to->part_count = 1;
    to->parts[0] =
        (struct part){.count = s->case_count, .accuracy = s->scores.by[SCORE_ACCURACY]};
    return cost_load_units(store, e, out, &to->parts[0], err);
}

static bool add_execution(struct maker *m, struct store *store,
                          const struct execution_record *e, size_t most, struct error *err)
{
    struct scoring *s = arena_new(m->out, struct scoring, 1);
    if (!scoring_load(store, e, m->out, s, err)) {
        return err->code == ERROR_INVALID; /* nothing was measured: nothing to price */
    }
    struct cost_configuration *c = configuration_of(m, e, most);
    struct evidence more = evidence_of(s, m->out);
    if (!add_part(&more, store, e, s, m->out, err)) return false;
    struct cost_task *task = &c->tasks[c->task_count++];
    *task = price(m, s, &more);
    task->benchmark = task_name(m, e, s->benchmark->name);
    if (e->unranked == UNRANKED_SUBSET) task->part = view_left_out(e, m->out);
    more.work = arena_printf(m->out, "%s %s%s", e->benchmark_id, task->benchmark, more.work);
    c->is_simulated |= e->provenance && strcmp(e->provenance, "simulated") == 0;
    append(&m->evidence[c - m->analysis->configurations], &more, m->out);
    return true;
}

/* The run whose agents are compared: a part of several runs, or one cell of one, has no
 * configurations to compare. */
static bool find_run(struct store *store, const char *selector, struct arena *out,
                     struct selection *s, struct error *err)
{
    if (!select_find(store, selector, out, s, err) || !select_is_whole(s, selector, err))
        return false;
    if (s->kind == SELECT_FILE) return select_refuse_file(selector, err);
    return s->kind != SELECT_BASELINE || s->run_count == 1 ||
           error_set(err, ERROR_INVALID, "'%s' is pinned in %zu runs: name one of them",
                     selector, s->run_count);
}

static size_t keep_pinned(const struct selection *s, struct execution_record *list,
                          size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (select_has(s, &list[i])) list[kept++] = list[i];
    }
    return kept;
}

bool cost_load(struct store *store, const char *selector, struct arena *out,
               struct cost_analysis *analysis, struct error *err)
{
    struct run_record run;
    struct execution_record *executions = NULL;
    size_t count = 0;
    struct selection selection;
    if (!find_run(store, selector, out, &selection, err)) return false;
    run = selection.runs[0];
    if (!store_list_executions(store, run.id, out, &executions, &count, err)) return false;
    if (selection.kind == SELECT_BASELINE) count = keep_pinned(&selection, executions, count);
    *analysis = (struct cost_analysis){0};
    memcpy(analysis->run_id, run.id, sizeof run.id);
    analysis->configurations = arena_new(out, struct cost_configuration, count + 1);
    struct maker m = {.out = out,
                      .analysis = analysis,
                      .executions = executions,
                      .execution_count = count,
                      .evidence = arena_new(out, struct evidence, count + 1)};
    if (!store_list_agents(store, true, out, &m.agents, &m.agent_count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(executions[i].experiment, "suite") != 0) continue;
        if (!execution_stands(&executions[i])) {
            analysis->unfinished++;
            continue;
        }
        if (!add_execution(&m, store, &executions[i], count, err)) return false;
    }
    if (analysis->count == 0 && analysis->unfinished > 0) {
        return error_set(err, ERROR_INVALID,
                         "no agent of run %s finished a benchmark: there is nothing to price "
                         "(`assay run SPEC --resume` continues it)",
                         id_short(run.id));
    }
    if (analysis->count == 0) {
        return error_set(err, ERROR_INVALID,
                         "run %s has no agents on a suite: there is nothing to price",
                         id_short(run.id));
    }
    for (size_t i = 0; i < analysis->count; i++) {
        sum_up(&m, &analysis->configurations[i], &m.evidence[i]);
    }
    for (size_t i = 0; i < analysis->count; i++) rate(&m, i);
    find_fronts(&m);
    if (!cost_choose(&m, err)) return false;
    const struct agent_ref agent = {
        .id = selection.agent.id, .name = selector, .version = selection.version};
    return selection.kind != SELECT_AGENT || cost_keep(analysis, &agent, err);
}

bool cost_keep(struct cost_analysis *a, const struct agent_ref *agent, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct cost_configuration *c = &a->configurations[i];
        if (!agent_ref_fits(agent, c->agent_id, c->version)) continue;
        a->configurations[kept++] = *c;
    }
    a->count = kept;
    return kept > 0 || error_set(err, ERROR_NOT_FOUND, "run %s has no agent '%s'",
                                 id_short(a->run_id), agent->name);
}
