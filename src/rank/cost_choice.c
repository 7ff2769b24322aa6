/* What to choose, by verdicts. Points only tell whom to ask about: a pair that lies beyond the
 * margin could not be decided in favour of the cheaper one. The cheapest is asked about first,
 * and the first that would do ends the search. */
#include "rank/cost_internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- verdicts ---- */

static const enum score_id asked[SIDES] = {SCORE_ACCURACY, SCORE_COST};

bool cost_load_units(struct store *store, const struct execution_record *e, struct arena *out,
                     struct part *part, struct error *err)
{
    part->benchmark_id = e->benchmark_id;
    for (int k = 0; k < SIDES; k++) {
        if (!versus_load_units(store, e, asked[k], out, &part->units[k], err)) return false;
    }
    return true;
}

/* Accuracy and cost of `to` (B) against `from` (A), as `versus` asks. */
static bool ask_pair(const struct maker *m, size_t from, size_t to,
                     struct verdict_answer answers[SIDES], struct error *err)
{
    const struct evidence *a = &m->evidence[from];
    const struct evidence *b = &m->evidence[to];
    const struct verdict_question how = {.alpha = VERDICT_ALPHA, .margin = VERDICT_MARGIN};
    struct arena scratch = *m->out;
    struct versus_pairs p = {0};
    p.paired =
        arena_alloc(&scratch, a->part_count + 1, sizeof *p.paired, _Alignof(struct units));
    for (int s = 0; s < SIDES; s++) {
        p.count = 0;
        for (size_t i = 0; i < a->part_count; i++)
            versus_pair(&p, a->parts[i].benchmark_id, &a->parts[i].units[s],
                        &b->parts[i].units[s], &scratch);
        if (!versus_ask_units((const struct units(*)[2])p.paired, p.count, asked[s], &how,
                              &scratch, &answers[s], err))
            return false;
    }
    return true;
}

static bool is_better(const struct verdict_answer *a)
{
    return a->verdict == VERDICT_BETTER;
}

static bool is_no_worse(const struct verdict_answer *a)
{
    if (a->verdict == VERDICT_BETTER || a->verdict == VERDICT_EQUIVALENT) return true;
    return a->verdict == VERDICT_UNDECIDED && verdict_worsening_of(a).high <= a->margin;
}

/* ---- what would save money ---- */

/* No verdict could be in favour of `to` where its points lie beyond the margin. */
static bool is_candidate(const struct maker *m, size_t from, size_t to)
{
    const struct cost_configuration *a = &m->analysis->configurations[from];
    const struct cost_configuration *b = &m->analysis->configurations[to];
    return from != to && cost_is_peer(m, from, to) &&
           b->per_success_usd <= a->per_success_usd * (1 + VERDICT_MARGIN) &&
           b->accuracy >= a->accuracy - VERDICT_MARGIN;
}

static int by_price(const void *x, const void *y, void *configurations)
{
    const struct cost_configuration *all = configurations;
    const struct cost_configuration *a = &all[*(const size_t *)x];
    const struct cost_configuration *b = &all[*(const size_t *)y];
    if (a->per_success_usd != b->per_success_usd)
        return a->per_success_usd < b->per_success_usd ? -1 : 1;
    return (a->accuracy < b->accuracy) - (a->accuracy > b->accuracy);
}

static struct cost_opportunity opportunity_of(const struct cost_configuration *from,
                                              const struct cost_configuration *to,
                                              const struct verdict_answer answers[SIDES])
{
    double saving = from->per_success_usd - to->per_success_usd;
    struct cost_opportunity o = {
        .from = from->name,
        .to = to->name,
        .saving_usd = saving,
        .saving_share = saving / from->per_success_usd,
        .usd = {from->per_success_usd, to->per_success_usd},
        .accuracy = {from->accuracy, to->accuracy},
    };
    memcpy(o.answer, answers, sizeof o.answer);
    return o;
}

/* The cheapest that would do for configuration `i`, else the cheapest that may; and whether
 * one dominates it. */
static bool replace(struct maker *m, size_t i, const size_t *order, size_t count,
                    struct error *err)
{
    struct cost_analysis *a = m->analysis;
    struct cost_configuration *from = &a->configurations[i];
    struct cost_opportunity open = {0};
    for (size_t n = 0; n < count; n++) {
        const struct cost_configuration *to = &a->configurations[order[n]];
        struct verdict_answer answers[SIDES];
        if (!is_candidate(m, i, order[n])) continue;
        if (!ask_pair(m, i, order[n], answers, err)) return false;
        bool saves = to->per_success_usd < from->per_success_usd && !from->is_simulated;
        bool would_do = is_better(&answers[COST]) && is_no_worse(&answers[ACCURACY]);
        bool dominates =
            would_do || (is_better(&answers[ACCURACY]) && is_no_worse(&answers[COST]));
        bool is_worse = answers[ACCURACY].verdict == VERDICT_WORSE ||
                        answers[COST].verdict == VERDICT_WORSE;
        if (dominates && !from->dominated_by) from->dominated_by = to->name;
        if (saves && would_do) {
            a->opportunities[a->opportunity_count++] = opportunity_of(from, to, answers);
            return true;
        }
        bool may_do = saves && !is_worse && to->accuracy >= from->accuracy;
        if (may_do && !open.to) open = opportunity_of(from, to, answers);
    }
    if (open.to) a->open[a->open_count++] = open;
    return true;
}

static int by_cost(const void *a, const void *b)
{
    const struct cost_opportunity *x = a;
    const struct cost_opportunity *y = b;
    return (x->saving_usd < y->saving_usd) - (x->saving_usd > y->saving_usd);
}

static void sort_savings(struct cost_opportunity *list, size_t count)
{
    if (count > 1) qsort(list, count, sizeof *list, by_cost);
}

static bool find_opportunities(struct maker *m, struct error *err)
{
    struct cost_analysis *a = m->analysis;
    size_t *order = arena_new(m->out, size_t, a->count + 1);
    size_t n = 0;
    a->opportunities = arena_new(m->out, struct cost_opportunity, a->count + 1);
    a->open = arena_new(m->out, struct cost_opportunity, a->count + 1);
    for (size_t i = 0; i < a->count; i++) {
        if (!isnan(a->configurations[i].per_success_usd)) order[n++] = i;
    }
    if (n > 1) qsort_r(order, n, sizeof *order, by_price, a->configurations);
    for (size_t i = 0; i < a->count; i++) {
        struct cost_configuration *c = &a->configurations[i];
        if (!replace(m, i, order, n, err)) return false;
        c->is_optimal = c->efficiency > COST_OPTIMAL && !c->is_simulated && !c->dominated_by;
    }
    sort_savings(a->opportunities, a->opportunity_count);
    sort_savings(a->open, a->open_count);
    return true;
}

/* Of those that are measured and compared: the most efficient, then the most accurate of
 * them, and the most accurate of all. */
static bool find_value(struct maker *m, struct error *err)
{
    struct cost_value *v = &m->analysis->value;
    const struct cost_configuration *all = m->analysis->configurations;
    size_t best = m->analysis->count;
    size_t most = best;
    for (size_t i = 0; i < m->analysis->count; i++) {
        const struct cost_configuration *c = &all[i];
        if (c->is_simulated || isnan(c->efficiency)) continue;
        bool is_first = best == m->analysis->count;
        bool is_ahead =
            is_first || c->efficiency > all[best].efficiency ||
            (c->efficiency == all[best].efficiency && c->accuracy > all[best].accuracy);
        if (is_ahead) best = i;
        if (is_first || c->accuracy > all[most].accuracy) most = i;
    }
    if (best == m->analysis->count) return true;
    *v = (struct cost_value){.is_there = true, .best = all[best], .most = all[most]};
    struct verdict_answer answers[SIDES];
    if (best == most || !cost_is_peer(m, best, most)) return true;
    if (!ask_pair(m, best, most, answers, err)) return false;
    v->accuracy = answers[ACCURACY];
    return true;
}

static bool add_step(struct maker *m, size_t from, size_t to, struct error *err)
{
    const struct cost_configuration *all = m->analysis->configurations;
    struct verdict_answer answers[SIDES];
    if (!ask_pair(m, from, to, answers, err)) return false;
    double usd = all[to].per_success_usd - all[from].per_success_usd;
    double points = 100 * answers[ACCURACY].effect.shift;
    m->analysis->steps[m->analysis->step_count++] =
        (struct cost_step){.from = all[from].name,
                           .to = all[to].name,
                           .accuracy = answers[ACCURACY],
                           .usd = usd,
                           .usd_per_point = points > 0 ? usd / points : (double)NAN};
    return true;
}

/* Along each front, from the cheapest that costs something to the dearest. */
static bool find_steps(struct maker *m, struct error *err)
{
    struct cost_analysis *a = m->analysis;
    size_t *front = arena_new(m->out, size_t, a->count + 1);
    size_t n = 0;
    a->steps = arena_new(m->out, struct cost_step, a->count + 1);
    for (size_t i = 0; i < a->count; i++) {
        const struct cost_configuration *c = &a->configurations[i];
        if (c->is_pareto && c->per_success_usd > 0) front[n++] = i;
    }
    if (n > 1) qsort_r(front, n, sizeof *front, by_price, a->configurations);
    for (size_t i = 0; i < n; i++) {
        size_t next = i + 1;
        while (next < n && !cost_is_peer(m, front[i], front[next])) next++;
        if (next < n && !add_step(m, front[i], front[next], err)) return false;
    }
    return true;
}

bool cost_choose(struct maker *m, struct error *err)
{
    return find_opportunities(m, err) && find_value(m, err) && find_steps(m, err);
}
