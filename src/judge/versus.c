/* Executions are found first: of each agent and benchmark the newest that may speak for the
 * agent, and of several prompts those that both answered. Then cases are paired by the hash of their
 * content, so that two agents are only ever compared on the same question, and scores are
 * filled in; versus_compare.c asks the engine, versus_advice.c draws the conclusions. */
#include "judge/versus.h"

#include "base/value.h"
#include "judge/versus_internal.h"
#include "stats/proportion.h"
#include "view/select.h"

#include <math.h>
#include <stdlib.h>

/* ---- what is compared ---- */

static bool find_agent(struct store *store, const char *selector, struct arena *out,
                       struct agent_record *agent, const char **version, struct error *err)
{
    if (!select_agent(store, selector, out, agent, version, err)) return false;
    if (*version) agent->name = selector; /* two versions must not share a name */
    return true;
}

/* ---- executions ---- */

struct candidates { /* of one agent on one benchmark, newest first */
    const struct execution_record **items;
    const char **prompts; /* of each; "" without one */
    size_t count;
};

static const char *prompt_of(const struct execution_record *e, struct arena *out)
{
    return str_cstr(out, value_text(e->parameters, "prompt"));
}

static const struct execution_record *newest_with(const struct candidates *c,
                                                  const char *prompt)
{
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->prompts[i], prompt) == 0) return c->items[i];
    }
    return NULL;
}

static void add_candidate(struct candidates *c, const struct execution_record *e,
                          const char *prompt)
{
    c->items[c->count] = e;
    c->prompts[c->count++] = prompt;
}

/* Those of the question. `left_out`: of each prompt the newest that may not speak for the agent,
 * where none that may is newer. */
static bool find_candidates(struct store *store, const char *benchmark_id,
                            const struct versus *v, int side, const char *version,
                            struct arena *out, struct candidates *found,
                            struct candidates *left_out, struct error *err)
{
    struct execution_filter filter = {
        .benchmark_id = benchmark_id, .agent_id = v->agent[side].id, .is_measured = true};
    const char *run = v->question.run;
    struct execution_record *list = NULL;
    size_t count = 0;
    if (!store_query_executions(store, &filter, out, &list, &count, err)) return false;
    struct candidates *const all[] = {found, left_out};
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i]->items = arena_new(out, const struct execution_record *, count + 1);
        all[i]->prompts = arena_new(out, const char *, count + 1);
    }
    for (size_t i = 0; i < count; i++) {
        const char *has = list[i].agent_version ? list[i].agent_version : "";
        bool is_meant = (!version || strcmp(has, version) == 0) &&
                        (!run || strcmp(list[i].run_id, run) == 0);
        if (!is_meant) continue;
        const char *prompt = prompt_of(&list[i], out);
        if (execution_represents(&list[i])) {
            add_candidate(found, &list[i], prompt);
        } else if (!newest_with(found, prompt) && !newest_with(left_out, prompt)) {
            add_candidate(left_out, &list[i], prompt);
        }
    }
    return true;
}

static const char *name_by(const struct benchmark_record *row, const char *prompt,
                           struct arena *out)
{
    return prompt[0] ? arena_printf(out, "%s, prompt %s", row->name, prompt) : row->name;
}

static void add_left_out(struct versus *v, const struct benchmark_record *row, int side,
                         const struct candidates *from, struct arena *out)
{
    for (size_t i = 0; i < from->count; i++) {
        v->left_out = arena_grow(out, v->left_out, v->left_out_count, sizeof *v->left_out);
        v->left_out[v->left_out_count++] =
            (struct versus_left_out){side, name_by(row, from->prompts[i], out), from->items[i]};
    }
}

static bool has_prompt(const struct versus *v, const char *id, const char *prompt)
{
    for (size_t i = 0; i < v->benchmark_count; i++) {
        const struct versus_benchmark *b = &v->benchmarks[i];
        if (strcmp(b->id, id) == 0 && strcmp(b->prompt, prompt) == 0) return true;
    }
    return false;
}

/* One for each prompt that either was asked by: prompts are matched, never mixed. */
static void add_benchmarks(struct versus *v, const struct benchmark_record *row,
                           const struct candidates *sides, struct arena *out)
{
    size_t most = v->benchmark_count + sides[0].count + sides[1].count;
    struct versus_benchmark *grown = arena_new(out, struct versus_benchmark, most + 1);
    if (v->benchmark_count) {
        memcpy(grown, v->benchmarks, v->benchmark_count * sizeof *grown);
    }
    v->benchmarks = grown;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sides[k].count; i++) {
            const char *prompt = sides[k].prompts[i];
            if (has_prompt(v, row->id, prompt)) continue;
            struct versus_benchmark *b = &v->benchmarks[v->benchmark_count++];
            *b = (struct versus_benchmark){
                .name = name_by(row, prompt, out), .id = row->id, .prompt = prompt};
            for (int s = 0; s < 2; s++) b->execution[s] = newest_with(&sides[s], prompt);
        }
    }
}

/* What --only-failed asked is a content of its own, of which no execution speaks for its
 * agent. */
static bool has_whole(struct store *store, const char *suite_id, struct arena *out, bool *has,
                      struct error *err)
{
    const struct execution_filter filter = {.suite_id = suite_id};
    struct execution_record *list = NULL;
    size_t count = 0;
    if (!store_query_executions(store, &filter, out, &list, &count, err)) return false;
    *has = count == 0;
    for (size_t i = 0; i < count; i++) *has |= list[i].unranked != UNRANKED_SUBSET;
    return true;
}

/* The one that is asked for, else the newest content that was run as a whole. */
static bool find_suite(struct store *store, struct versus *v, struct arena *out,
                       struct error *err)
{
    const struct versus_question *q = &v->question;
    struct suite_record *list = NULL;
    size_t count = 0;
    bool is_it = false;
    if (q->suite_id) return store_find_suite_by_id(store, q->suite_id, out, &v->suite, err);
    if (!store_find_suite(store, q->suite, out, &v->suite, err) ||
        !has_whole(store, v->suite.id, out, &is_it, err)) {
        return false;
    }
    if (is_it) return true;
    if (!store_list_suites(store, true, out, &list, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, v->suite.name) != 0) continue;
        if (!has_whole(store, list[i].id, out, &is_it, err)) return false;
        if (!is_it) continue;
        v->suite = list[i];
        break;
    }
    return true;
}

static bool find_executions(struct store *store, struct versus *v, struct arena *out,
                            struct error *err)
{
    struct benchmark_record *list = NULL;
    const char *versions[2];
    size_t count = 0;
    size_t common = 0;
    for (int i = 0; i < 2; i++) {
        if (!find_agent(store, v->question.agent[i], out, &v->agent[i], &versions[i], err))
            return error_blame(err, i ? "b" : "a");
    }
    if (!find_suite(store, v, out, err)) return error_blame(err, "suite");
    if (!store_list_benchmarks(store, v->suite.id, out, &list, &count, err)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct candidates sides[2] = {0};
        for (int k = 0; k < 2; k++) {
            struct candidates left_out = {0};
            if (!find_candidates(store, list[i].id, v, k, versions[k], out, &sides[k],
                                 &left_out, err))
                return false;
            add_left_out(v, &list[i], k, &left_out, out);
        }
        add_benchmarks(v, &list[i], sides, out);
    }
    for (size_t i = 0; i < v->benchmark_count; i++) {
        common += v->benchmarks[i].execution[0] && v->benchmarks[i].execution[1];
    }
    if (common > 0) return true;
    const struct versus_left_out *l = v->left_out_count ? v->left_out : NULL;
    return error_set(err, ERROR_NOT_FOUND,
                     "'%s' and '%s' have no benchmark of suite '%s' in common with a measured "
                     "success%s%s%s%s%s%s; `assay list` shows what was run",
                     v->question.agent[0], v->question.agent[1], v->suite.name, l ? ": '" : "",
                     l ? v->question.agent[l->side] : "", l ? "' on '" : "",
                     l ? l->benchmark : "", l ? "' is left out, " : "",
                     l ? view_left_out(l->execution, out) : "");
}

/* ---- pairs ---- */

static void add_pair(struct versus *v, struct versus_benchmark *b, const struct case_row *one,
                     const struct case_row *two)
{
    struct versus_case *c = &v->cases[v->case_count++];
    *c = (struct versus_case){.of = (size_t)(b - v->benchmarks),
                              .benchmark = b->name,
                              .name = one->name,
                              .hash = one->hash,
                              .row = {one, two},
                              .passed = {one->values.is_passed, two->values.is_passed}};
    c->is_judged = one->values.judged > 0 && two->values.judged > 0;
    if (c->is_judged && c->passed[0] != c->passed[1]) v->flipped[c->passed[1]]++;
    double gain = two->score[SCORE_ACCURACY] - one->score[SCORE_ACCURACY];
    if (fabs(gain) > 1e-12) v->ahead[gain > 0]++;
    b->cases++;
}

const char *versus_metric_of(enum score_id score)
{
    static const char *const names[SCORE_COUNT] = {[SCORE_ACCURACY] = "accuracy",
                                                   [SCORE_SPEED] = "duration_s",
                                                   [SCORE_COST] = "cost_usd",
                                                   [SCORE_RELIABILITY] = UNITS_SUCCESSES};
    return names[score];
}

bool versus_load_units(struct store *store, const struct execution_record *e,
                       enum score_id score, struct arena *out, struct units *units,
                       struct error *err)
{
    const char *name = versus_metric_of(score);
    struct view_cell cell;
    *units = (struct units){0};
    if (!name) return true;
    if (!view_load_metric(store, e, name, out, &cell, err)) return false;
    bool is_rate = strcmp(name, UNITS_SUCCESSES) == 0;
    struct view_metric rate;
    if (is_rate) rate = units_successes(&cell, out);
    const struct view_metric *m = is_rate ? &rate : view_find_metric(&cell, name);
    if (m) *units = units_of(&cell, m, out);
    return true;
}

static bool pair_units(struct store *store, struct versus_benchmark *b, struct arena *out,
                       struct error *err)
{
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        struct units sides[2];
        for (int k = 0; k < 2; k++) {
            if (!versus_load_units(store, b->execution[k], (enum score_id)i, out, &sides[k],
                                   err))
                return false;
        }
        bool is_there = sides[0].count > 0 && sides[1].count > 0;
        if (is_there) (void)units_pair(&sides[0], &sides[1], out, b->paired[i]);
    }
    return true;
}

/* Benchmarks that weigh their scores otherwise than each other have no overall in common but by
 * the default weights, as in rankings. */
static void take_weights(struct versus *v, const double weights[SCORE_COUNT])
{
    v->has_mixed_weights |= v->has_weights && !score_weights_are_equal(v->weights, weights);
    memcpy(v->weights, v->has_mixed_weights ? score_weights_default : weights,
           sizeof v->weights);
    v->has_weights = true;
}

static bool pair_cases(struct store *store, struct versus *v, struct versus_benchmark *b,
                       struct arena *out, struct error *err)
{
    struct case_scores side[2];
    for (int k = 0; k < 2; k++) {
        if (!case_scores_load(store, b->execution[k]->id, b->id, out, &side[k], err))
            return false;
    }
    take_weights(v, side[0].weights);
    size_t most = side[0].count < side[1].count ? side[0].count : side[1].count;
    struct versus_case *cases = arena_new(out, struct versus_case, v->case_count + most + 1);
    if (v->case_count) memcpy(cases, v->cases, v->case_count * sizeof *cases);
    v->cases = cases;
    for (size_t i = 0, k = 0; i < side[0].count && k < side[1].count;) {
        int order = strcmp(side[0].rows[i].hash, side[1].rows[k].hash);
        if (order == 0) add_pair(v, b, &side[0].rows[i], &side[1].rows[k]);
        i += order <= 0;
        k += order >= 0;
    }
    return pair_units(store, b, out, err);
}

/* ---- prompts: the same cases once more, which are no further evidence ---- */

/* Index of the first that has the same cases as benchmark i. */
static size_t first_prompt(const struct versus *v, size_t i)
{
    size_t k = 0;
    for (;; k++) {
        const struct versus_benchmark *b = &v->benchmarks[k];
        if (k == i) return i;
        if (b->execution[0] && b->execution[1] && strcmp(b->id, v->benchmarks[i].id) == 0)
            return k;
    }
}

static size_t find_key(const struct units *u, const char *key)
{
    for (size_t i = 0; i < u->count; i++) {
        if (strcmp(u->keys[i], key) == 0) return i;
    }
    return SIZE_MAX;
}

static double add_value(double value, double more, double weight)
{
    if (isnan(value) || isnan(more)) return NAN;
    if (isinf(value) || isinf(more)) return INFINITY;
    return (value * weight + more) / (weight + 1);
}

/* What is known may be nothing else. */
static void open_ends(struct units *u, struct arena *out)
{
    for (int e = 0; e < 2 && !u->ends[1]; e++) {
        u->ends[e] = arena_new(out, double, u->count + 1);
        memcpy(u->ends[e], u->values, u->count * sizeof *u->values);
    }
}

static void add_units(struct units *to, const struct units *from, size_t at, size_t more,
                      double weight)
{
    bool is_there = more < from->count;
    for (int e = 0; e < 2 && to->ends[0]; e++) {
        const double *ends = from->ends[0] ? from->ends[e] : from->values;
        to->ends[e][at] =
            add_value(to->ends[e][at], is_there ? ends[more] : (double)NAN, weight);
    }
    if (to->is_silent && from->is_silent && is_there)
        to->is_silent[at] |= from->is_silent[more];
    double value = is_there ? from->values[more] : (double)NAN;
    to->values[at] = add_value(to->values[at], value, weight);
    to->unknown += to->ends[0] && to->ends[0][at] < to->ends[1][at];
}

bool versus_add_prompt(struct units to[2], const struct units from[2], size_t prompts,
                       struct arena *out)
{
    if (!to[0].keys || !from[0].keys) return false;
    for (int s = 0; s < 2; s++) {
        if (from[s].ends[0]) open_ends(&to[s], out);
        if (from[s].is_silent && !to[s].is_silent)
            to[s].is_silent = arena_new(out, bool, to[s].count + 1);
        to[s].unknown = 0;
    }
    for (size_t i = 0; i < to[0].count; i++) {
        size_t k = find_key(&from[0], to[0].keys[i]);
        for (int s = 0; s < 2; s++) add_units(&to[s], &from[s], i, k, (double)prompts);
    }
    for (int s = 0; s < 2; s++) {
        if (from[s].cut_at > 0 && !(to[s].cut_at > 0 && to[s].cut_at < from[s].cut_at))
            to[s].cut_at = from[s].cut_at;
    }
    return true;
}

void versus_pair(struct versus_pairs *to, const char *benchmark_id, const struct units *a,
                 const struct units *b, struct arena *out)
{
    struct units *next = to->paired[to->count];
    bool is_there = a->count > 0 && b->count > 0;
    if (!is_there || !units_pair(a, b, out, next)) return;
    bool is_prompt = to->count > 0 && strcmp(to->benchmark_id, benchmark_id) == 0;
    if (is_prompt && versus_add_prompt(to->paired[to->count - 1], next, to->prompts, out)) {
        to->prompts++;
        return;
    }
    to->benchmark_id = benchmark_id;
    to->prompts = 1;
    to->count++;
}

/* Each case by its mean over the prompts that both were asked by. */
static void merge_prompts(struct versus *v, struct arena *out)
{
    for (size_t i = 0; i < v->benchmark_count; i++) {
        struct versus_benchmark *b = &v->benchmarks[i];
        if (!b->execution[0] || !b->execution[1]) continue;
        size_t first = first_prompt(v, i);
        b->of = first;
        if (first == i) continue;
        struct versus_benchmark *to = &v->benchmarks[first];
        to->prompts++;
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            if (versus_add_prompt(to->paired[m], b->paired[m], to->prompts, out))
                memset(b->paired[m], 0, sizeof b->paired[m]);
        }
    }
}

/* Without a version in the question the newest execution of each benchmark counts, whichever it
 * is of. */
static void find_versions(struct versus *v)
{
    for (int k = 0; k < 2; k++) {
        const char *one = NULL;
        bool is_mixed = false;
        for (size_t i = 0; i < v->benchmark_count; i++) {
            const struct execution_record *const *e = v->benchmarks[i].execution;
            if (!e[0] || !e[1]) continue;
            const char *version = e[k]->agent_version ? e[k]->agent_version : "";
            is_mixed |= one && strcmp(one, version) != 0;
            if (!one) one = version;
        }
        v->version[k] = is_mixed || !one || !one[0] ? NULL : one;
    }
}

/* Means of the stored scores over the benchmarks where both have them. */
static void fill_scores(struct versus *v)
{
    for (size_t m = 0; m < SCORE_COUNT; m++) {
        double sum[2] = {0, 0};
        size_t n = 0;
        for (size_t i = 0; i < v->benchmark_count; i++) {
            const struct versus_benchmark *b = &v->benchmarks[i];
            if (!b->execution[0] || !b->execution[1]) continue;
            double one = b->execution[0]->scores[m];
            double two = b->execution[1]->scores[m];
            if (isnan(one) || isnan(two)) continue;
            sum[0] += one;
            sum[1] += two;
            n++;
        }
        struct versus_metric *metric = &v->metrics[m];
        metric->name = score_name((enum score_id)m);
        for (int k = 0; k < 2; k++) metric->score[k] = n ? sum[k] / (double)n : (double)NAN;
        int higher = versus_higher(metric);
        if (higher >= 0) {
            v->wins[higher]++;
        } else if (n) {
            v->ties++;
        }
    }
}

int versus_winner(const struct versus_metric *m)
{
    if (m->verdict == VERDICT_BETTER) return 1;
    return m->verdict == VERDICT_WORSE ? 0 : -1;
}

int versus_higher(const struct versus_metric *m)
{
    if (m->score[0] > m->score[1]) return 0;
    return m->score[1] > m->score[0] ? 1 : -1;
}

bool versus_ask(struct store *store, const struct versus_question *question, struct arena *out,
                struct versus **versus, struct error *err)
{
    struct versus *v = arena_new(out, struct versus, 1);
    v->question = *question;
    if (!(v->question.alpha > 0)) v->question.alpha = VERDICT_ALPHA;
    if (!(v->question.margin > 0)) v->question.margin = VERDICT_MARGIN;
    if (!find_executions(store, v, out, err)) return false;
    for (size_t i = 0; i < v->benchmark_count; i++) {
        struct versus_benchmark *b = &v->benchmarks[i];
        if (!b->execution[0] || !b->execution[1]) continue;
        if (!pair_cases(store, v, b, out, err)) return false;
    }
    find_versions(v);
    merge_prompts(v, out);
    v->mcnemar_p = proportion_mcnemar((int64_t)v->flipped[0], (int64_t)v->flipped[1]);
    fill_scores(v);
    if (!versus_compare(v, out, err)) return false;
    versus_advise(v);
    *versus = v;
    return true;
}
