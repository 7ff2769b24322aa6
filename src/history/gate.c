#include "history/gate.h"

#include "base/human.h"
#include "judge/compare.h"

#include <math.h>

struct work {
    struct gate *gate;
    struct arena *out;
    double alpha;
};

const char *gate_state_name(enum gate_state state)
{
    static const char *const names[] = {"passed", "violated", "undecided"};
    return names[state];
}

const char *gate_verdict(const struct gate *gate)
{
    if (gate->blocked > 0) return "blocked";
    if (gate->open > 0) return "undecided";
    return gate->alerts > 0 ? "alert" : "passed";
}

static bool is_absolute(const struct gate_rule *rule)
{
    return rule->kind == GATE_BELOW || rule->kind == GATE_ABOVE;
}

/* A worsening beyond this violates the rule; too small an improvement is one. */
static double limit_of(const struct gate_rule *rule)
{
    return rule->kind == GATE_IMPROVEMENT ? -rule->limit : rule->limit;
}

static struct gate_check *add_check(struct work *w, const struct gate_rule *rule,
                                    const struct baseline_pair *pair)
{
    struct gate_check *c = &w->gate->checks[w->gate->count++];
    *c = (struct gate_check){
        .rule = rule, .pair = pair, .state = GATE_UNDECIDED, .p_adjusted = NAN, .value = NAN};
    return c;
}

/* ---- absolute limits ---- */

static void check_absolute(struct work *w, const struct gate_rule *rule,
                           const struct baseline_pair *pair, const struct view_metric *m)
{
    struct gate_check *c = add_check(w, rule, pair);
    bool has_interval = !isnan(m->median_low);
    double low = has_interval ? m->median_low : m->min;
    double high = has_interval ? m->median_high : m->max;
    bool is_below = rule->kind == GATE_BELOW;
    char text[3][HUMAN_SIZE];
    c->value = m->median;
    if (m->n == 0) {
        c->sentence = arena_printf(w->out, "%s: %s has no values (rule %s)", pair->name,
                                   m->name, rule->words);
        return;
    }
    if (is_below ? high < rule->limit : low > rule->limit) c->state = GATE_VIOLATED;
    if (is_below ? low >= rule->limit : high <= rule->limit) c->state = GATE_PASSED;
    c->sentence = arena_printf(
        w->out, "%s: %s is %s [%s, %s], n = %zu; limit: not %s %.6g %s (rule %s)", pair->name,
        m->name, human_value(m->unit, m->median, text[0]), human_value(m->unit, low, text[1]),
        human_value(m->unit, high, text[2]), m->n, is_below ? "below" : "above", rule->limit,
        strcmp(m->unit, "1") == 0 ? "" : m->unit, rule->words);
}

/* ---- against the baseline ---- */

static bool check_relative(struct work *w, const struct gate_rule *rule,
                           const struct baseline_pair *pair, struct error *err)
{
    bool of_failures = rule->kind == GATE_FAILURES;
    const struct view_metric *now = view_find_metric(pair->current, rule->metric);
    if (!of_failures && (!now || now->n == 0)) return true;
    struct gate_check *c = add_check(w, rule, pair);
    c->w.p = NAN;
    if (!pair->baseline) {
        c->sentence = arena_printf(w->out, "%s: no baseline: %s (rule %s)", pair->name,
                                   pair->why ? pair->why : "nothing fits", rule->words);
        return true;
    }
    const struct view_metric *then =
        of_failures ? NULL : view_find_metric(pair->baseline, rule->metric);
    const char *reason = NULL;
    if (!of_failures) {
        reason = then ? compare_unlike(then, now, w->out) : "the baseline does not have it";
        if (!reason && now->direction == DIRECTION_NONE) {
            reason = "neither lower nor higher is better";
        }
    }
    if (reason) {
        c->sentence = arena_printf(w->out, "%s: %s cannot be compared: %s (rule %s)",
                                   pair->name, rule->metric, reason, rule->words);
        return true;
    }
    struct worsening_question q =
        worsening_question_of(pair, then, of_failures ? NULL : now, limit_of(rule), w->alpha);
    return worsening_measure(&q, w->out, &c->w, err);
}

/* A metric of any cell that the rule may have meant, or NULL. */
static const char *meant_metric(const struct work *w, const char *metric)
{
    const char *meant = NULL;
    for (size_t i = 0; i < w->gate->set.count && !meant; i++) {
        const struct view_cell *cell = w->gate->set.pairs[i].current;
        struct arena scratch = *w->out;
        if (view_find_metric(cell, metric)) return NULL; /* there, but not where it is asked */
        const char **names = arena_new(&scratch, const char *, cell->metric_count);
        for (size_t k = 0; k < cell->metric_count; k++) names[k] = cell->metrics[k].name;
        meant = str_suggest(str_of(metric), names, cell->metric_count);
    }
    return meant;
}

static bool check_rule(struct work *w, const struct gate_rule *rule, struct error *err)
{
    size_t before = w->gate->count;
    for (size_t i = 0; i < w->gate->set.count; i++) {
        const struct baseline_pair *pair = &w->gate->set.pairs[i];
        if (rule->benchmark && strcmp(rule->benchmark, pair->benchmark) != 0) continue;
        const struct view_metric *m = view_find_metric(pair->current, rule->metric);
        if (is_absolute(rule)) {
            if (m) check_absolute(w, rule, pair, m);
        } else if (!check_relative(w, rule, pair, err)) {
            return false;
        }
    }
    if (w->gate->count > before) return true;
    struct gate_check *c = add_check(w, rule, NULL);
    c->w.p = NAN;
    const char *meant = meant_metric(w, rule->metric);
    c->sentence =
        arena_printf(w->out, "no cell of %s has values of %s%s%s%s%s%s (rule %s)",
                     w->gate->set.subject, rule->metric, rule->benchmark ? " on " : "",
                     rule->benchmark ? rule->benchmark : "", STR_MEANT(meant), rule->words);
    return true;
}

/* ---- deciding ---- */

static bool is_measured(const struct gate_check *c)
{
    return c->pair && !is_absolute(c->rule) && !c->sentence;
}

static void adjust(struct work *w)
{
    struct gate *g = w->gate;
    double *p = arena_new(w->out, double, g->count + 1);
    for (size_t i = 0; i < g->count; i++) {
        bool is_test = is_measured(&g->checks[i]) && !g->checks[i].w.why;
        p[i] = is_test ? g->checks[i].w.p : (double)NAN;
    }
    adjust_p(*w->out, ADJUST_HOLM, p, g->count, p);
    for (size_t i = 0; i < g->count; i++) g->checks[i].p_adjusted = p[i];
}

static const char *noise_text(const struct gate_check *c, struct arena *out)
{
    if (!c->is_below_noise) return "";
    double factor = c->w.mde / c->rule->limit;
    const char *shows = worsening_text(&c->w, c->w.mde, out);
    if (!(c->rule->limit > 0)) {
        return arena_printf(out, "; below its noise floor: these data would show %s", shows);
    }
    return arena_printf(
        out,
        "; below its noise floor: these data would show %s, about %.0f times as "
        "many %s are needed",
        shows, ceil(factor * factor), c->w.needs_runs ? "runs" : "values");
}

static void decide(struct work *w, struct gate_check *c)
{
    const struct worsening *x = &c->w;
    double limit = limit_of(c->rule);
    if (x->why) {
        c->sentence = arena_printf(w->out, "%s: %s: %s (rule %s)", c->pair->name,
                                   c->rule->metric, x->why, c->rule->words);
        return;
    }
    bool is_no_worse = x->is_points && x->amount <= 0 && limit >= 0;
    bool is_beyond = x->low > limit;
    if (is_beyond && c->p_adjusted <= w->alpha) c->state = GATE_VIOLATED;
    if (x->high <= limit || is_no_worse) c->state = GATE_PASSED;
    c->is_below_noise = c->state == GATE_UNDECIDED && !is_beyond && x->mde > c->rule->limit;
    char text[2][HUMAN_SIZE];
    const char *unit =
        x->is_points ? "1" : view_find_metric(c->pair->current, c->rule->metric)->unit;
    c->sentence = arena_printf(
        w->out, "%s: %s %s -> %s, %s than %s: %s (rule %s, adjusted p = %.2g)%s", c->pair->name,
        c->rule->metric, human_value(unit, x->baseline, text[0]),
        human_value(unit, x->current, text[1]), worsening_effect(x, w->out), c->pair->against,
        gate_state_name(c->state), c->rule->words, c->p_adjusted, noise_text(c, w->out));
}

bool gate_ask(struct store *store, const struct gate_policy *policy,
              const struct baseline_question *which, double alpha, struct arena *out,
              struct gate *gate, struct error *err)
{
    struct baseline_question q = *which;
    if (!q.baseline) q.baseline = policy->baseline;
    *gate = (struct gate){.policy = policy};
    if (!baseline_find(store, &q, out, &gate->set, err)) return false;
    struct work w = {gate, out, alpha > 0 ? alpha : VERDICT_ALPHA};
    gate->checks = arena_new(out, struct gate_check, policy->count * (gate->set.count + 1) + 1);
    for (size_t i = 0; i < policy->count; i++) {
        if (!check_rule(&w, &policy->rules[i], err)) return false;
    }
    adjust(&w);
    for (size_t i = 0; i < gate->count; i++) {
        struct gate_check *c = &gate->checks[i];
        if (is_measured(c)) decide(&w, c);
        bool is_block = c->rule->is_block;
        gate->blocked += c->state == GATE_VIOLATED && is_block;
        gate->alerts += c->state == GATE_VIOLATED && !is_block;
        gate->open += c->state == GATE_UNDECIDED && is_block;
        gate->open_alerts += c->state == GATE_UNDECIDED && !is_block;
    }
    return true;
}
