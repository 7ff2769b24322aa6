/* A rule becomes checks, one for each cell that it is about and one for the whole, in two
 * steps: first what can be said without asking (levels against absolute limits, what is
 * missing), then the relative ones of a rule together, as a family. A rule that is about
 * nothing is never passed over: it is violated where its cells could have had its
 * metric, undecided where they could not, else a mistake in the policy. */
#include "history/gate.h"

#include "experiment/experiment.h"
#include "history/alarm.h"
#include "instrument/instrument.h"
#include "judge/compare.h"

#include <math.h>

struct work {
    struct gate *gate;
    struct arena *out;
    double alpha;
};

const char *gate_state_name(enum gate_state state)
{
    static const char *const names[] = {"passed", "violated", "undecided", "muted"};
    return names[state];
}

const char *gate_verdict(const struct gate *gate)
{
    if (gate->blocked > 0) return "blocked";
    if (gate->open > 0) return "undecided";
    return gate->alerts > 0 ? "alert" : "passed";
}

enum gate_weight gate_weight(const struct gate *gate, const struct gate_check *check)
{
    bool is_block = check->rule->is_block;
    switch (check->state) {
    case GATE_PASSED: return GATE_WEIGHT_NONE;
    case GATE_VIOLATED: return is_block ? GATE_WEIGHT_FAILURE : GATE_WEIGHT_WARNING;
    case GATE_UNDECIDED:
        if (is_block && gate->must_decide) return GATE_WEIGHT_FAILURE;
        return is_block && gate->policy->undecided == GATE_UNDECIDED_WARNS ? GATE_WEIGHT_WARNING
                                                                           : GATE_WEIGHT_NOTICE;
    case GATE_MUTED: break;
    }
    return GATE_WEIGHT_NOTICE;
}

size_t gate_failures(const struct gate *gate)
{
    size_t count = 0;
    for (size_t i = 0; i < gate->count; i++)
        count += gate_weight(gate, &gate->checks[i]) == GATE_WEIGHT_FAILURE;
    return count;
}

static bool is_absolute(const struct gate_rule *rule)
{
    return gate_rule_kind_at(rule->kind)->is_absolute;
}

static bool is_about(const struct gate_rule *rule, const struct baseline_pair *pair)
{
    return !rule->benchmark || strcmp(rule->benchmark, pair->benchmark) == 0;
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
    *c = (struct gate_check){.rule = rule,
                             .pair = pair,
                             .cells = pair != NULL,
                             .state = GATE_UNDECIDED,
                             .w = worsening_none,
                             .p_adjusted = NAN,
                             .level = {.centre = NAN}};
    return c;
}

/* ---- absolute limits ---- */

static bool is_beyond(const struct gate_rule *rule, const struct units_level *l)
{
    return rule->kind == GATE_BELOW ? l->high < rule->limit : l->low > rule->limit;
}

static bool is_inside(const struct gate_rule *rule, const struct units_level *l)
{
    return rule->kind == GATE_BELOW ? l->low >= rule->limit : l->high <= rule->limit;
}

static void check_absolute(struct work *w, const struct gate_rule *rule,
                           const struct baseline_pair *pair, const struct view_metric *m)
{
    struct gate_check *c = add_check(w, rule, pair);
    c->level = units_bound(pair->current, m, w->alpha, *w->out);
    c->unit = m->unit;
    c->finding = c->level.n > 0 ? GATE_FOUND_LEVEL : GATE_NO_VALUES;
    if (c->level.n == 0) c->state = GATE_VIOLATED;
}

/* As a claim about levels is decided: each cell must pass at alpha; it is violated in any at
 * alpha over their number, or in all of them together at alpha. Of the checks of one agent. */
static void decide_agent(struct work *w, const struct gate_rule *rule, const size_t *at,
                         size_t n)
{
    struct gate_check *checks = w->gate->checks;
    const struct view_cell **cells = arena_new(w->out, const struct view_cell *, n + 1);
    const struct view_metric **metrics = arena_new(w->out, const struct view_metric *, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct gate_check *c = &checks[at[i]];
        cells[i] = c->pair->current;
        metrics[i] = units_find_metric(cells[i], rule->metric, w->out);
        if (is_inside(rule, &c->level)) {
            c->state = GATE_PASSED;
            continue;
        }
        c->level = units_bound(cells[i], metrics[i], w->alpha / (double)n, *w->out);
        if (is_beyond(rule, &c->level)) c->state = GATE_VIOLATED;
    }
    size_t used = 0;
    struct units_level mean = units_bound_mean(cells, metrics, n, w->alpha, *w->out, &used);
    if (mean.n == 0 || !is_beyond(rule, &mean)) return; /* it adds violations, nothing else */
    struct gate_check *whole = add_check(w, rule, NULL);
    whole->of = checks[at[0]].pair;
    whole->cells = used;
    whole->state = GATE_VIOLATED;
    whole->finding = GATE_FOUND_LEVEL;
    whole->level = mean;
    whole->unit = metrics[0]->unit;
}

/* Another prompt has the same cases, which are no further evidence. */
static bool is_one_family(const struct baseline_pair *a, const struct baseline_pair *b)
{
    struct str prompts[] = {value_text(a->current->record.parameters, "prompt"),
                            value_text(b->current->record.parameters, "prompt")};
    return strcmp(a->agent, b->agent) == 0 && str_equal(prompts[0], prompts[1]);
}

/* Agent by agent: who is within the limit hides nobody who is not. */
static void decide_levels(struct work *w, const struct gate_rule *rule, size_t from)
{
    size_t upto = w->gate->count;
    bool *is_done = arena_new(w->out, bool, upto - from + 1);
    size_t *at = arena_new(w->out, size_t, upto - from + 1);
    for (size_t i = from; i < upto; i++) {
        size_t n = 0;
        for (size_t k = i; k < upto; k++) {
            const struct gate_check *c = &w->gate->checks[k];
            if (is_done[k - from] || c->level.n == 0) continue;
            if (n > 0 && !is_one_family(c->pair, w->gate->checks[at[0]].pair)) continue;
            is_done[k - from] = true;
            at[n++] = k;
        }
        if (n > 0) decide_agent(w, rule, at, n);
    }
}

/* ---- against the baseline ---- */

/* What the baseline had and the run has not is not passed over. */
static void check_missing(struct work *w, const struct gate_rule *rule,
                          const struct baseline_pair *pair)
{
    struct gate_check *c = add_check(w, rule, pair);
    c->state = GATE_VIOLATED;
    c->finding = GATE_METRIC_MISSING;
}

static void check_relative(struct work *w, const struct gate_rule *rule,
                           const struct baseline_pair *pair)
{
    bool of_failures = strcmp(rule->metric, UNITS_FAILURES) == 0;
    bool of_rate = units_is_rate(pair->current, rule->metric);
    const struct view_metric *now = units_find_metric(pair->current, rule->metric, w->out);
    const struct view_metric *then =
        of_failures || !pair->baseline
            ? NULL
            : units_find_metric(pair->baseline, rule->metric, w->out);
    if (!of_failures && (!now || units_are_empty(pair->current, now, *w->out))) {
        bool was_there = then && !units_are_empty(pair->baseline, then, *w->out);
        if (was_there) check_missing(w, rule, pair);
        return;
    }
    struct gate_check *c = add_check(w, rule, pair);
    if (!pair->baseline) {
        c->finding = GATE_NO_BASELINE;
        return;
    }
    c->gap = of_failures || of_rate ? compare_failures_gap(pair->baseline, pair->current)
                                    : worsening_gap(pair, then, now);
    bool is_either = !of_failures && now->direction == DIRECTION_NONE;
    if (c->gap.code == COMPARE_FITS && is_either) c->gap.code = COMPARE_NO_DIRECTION;
    if (c->gap.code != COMPARE_FITS && c->gap.code != COMPARE_HOSTS) {
        c->finding = GATE_GAP;
        if (c->gap.code == COMPARE_B_IGNORES) c->state = GATE_VIOLATED; /* turned off */
        return;
    }
    const struct ask_terms terms = {.alpha = w->alpha, .limit = limit_of(rule)};
    c->ask = worsening_ask(pair, then, of_failures ? NULL : now, &terms, w->out);
    c->is_asked = true;
}

/* ---- what a rule that names no metric is about ---- */

#define ERROR_SHARE "error_share" /* of requests, in a load */

static const struct view_metric *find_either(const struct baseline_pair *pair, const char *name)
{
    const struct view_metric *now = view_find_metric(pair->current, name);
    return now || !pair->baseline ? now : view_find_metric(pair->baseline, name);
}

/* A load's blocks all last the same: what gets slower are its answers. */
static const char *time_of(const struct gate_rule *rule, const struct baseline_pair *pair)
{
    const char *primary = pair->current->record.primary_metric;
    bool is_of_time = rule->kind == GATE_SLOWER || rule->kind == GATE_IMPROVEMENT;
    if (!is_of_time || rule->is_chosen || !primary) return rule->metric;
    const struct view_metric *m = find_either(pair, primary);
    bool is_time = m && strcmp(m->unit, "s") == 0 && m->direction == DIRECTION_LOWER;
    return is_time ? primary : rule->metric;
}

static bool has_requests(const struct baseline_pair *pair)
{
    const struct view_metric *m = find_either(pair, ERROR_SHARE);
    return m && strcmp(m->definition, "load_error_share/1") == 0;
}

/* The rule about that metric, one for all cells that were checked since `from`. */
static const struct gate_rule *rule_about(struct work *w, const struct gate_rule *rule,
                                          const char *metric, size_t from)
{
    if (strcmp(rule->metric, metric) == 0) return rule;
    for (size_t i = from; i < w->gate->count; i++) {
        const struct gate_rule *known = w->gate->checks[i].rule;
        if (strcmp(known->metric, metric) == 0) return known;
    }
    struct gate_rule *about = arena_new(w->out, struct gate_rule, 1);
    *about = gate_rule_about(rule, metric, w->out);
    return about;
}

/* Failed trials are blocks of a load that did not happen; what failed in those that did are
 * requests. */
static void check_requests(struct work *w, const struct gate_rule *rule, size_t from)
{
    if (rule->kind != GATE_FAILURES || rule->is_chosen) return;
    for (size_t i = 0; i < w->gate->set.count; i++) {
        const struct baseline_pair *pair = &w->gate->set.pairs[i];
        if (!is_about(rule, pair)) continue;
        if (has_requests(pair)) check_relative(w, rule_about(w, rule, ERROR_SHARE, from), pair);
    }
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

static bool has_metric(const struct metric *metrics, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(metrics[i].name, name) == 0) return true;
    }
    return false;
}

static bool is_of_instrument(const char *metric)
{
    const struct instrument *n = NULL;
    for (size_t i = 0; (n = instrument_at(i)); i++) {
        if (has_metric(n->metrics, n->metric_count, metric)) return true;
    }
    return false;
}

/* Something can measure it: then its absence is the run's, not a slip of the policy's. */
static bool is_known(const char *metric)
{
    bool is = strcmp(metric, metric_duration.name) == 0 || is_of_instrument(metric);
    const struct experiment *e = NULL;
    for (size_t i = 0; !is && (e = experiment_at(i)); i++)
        is = has_metric(e->metrics, e->metric_count, metric);
    return is;
}

/* The cell could have had it: a command has no cost, whatever it does. */
static bool could_have(const struct baseline_pair *pair, const char *metric)
{
    const struct experiment *e = experiment_find(str_of(pair->current->record.experiment));
    return !e || has_metric(e->metrics, e->metric_count, metric);
}

static bool could_be_there(const struct work *w, const struct gate_rule *rule)
{
    bool is = is_of_instrument(rule->metric);
    for (size_t i = 0; !is && i < w->gate->set.count; i++) {
        const struct baseline_pair *p = &w->gate->set.pairs[i];
        is = is_about(rule, p) && could_have(p, rule->metric);
    }
    return is;
}

/* Cells that lack what others have: nothing is known of them, unless their baseline has it.
 * An agent that no longer reports its cost does not pass a limit on it. */
static void check_lacking(struct work *w, const struct gate_rule *rule)
{
    for (size_t i = 0; i < w->gate->set.count; i++) {
        const struct baseline_pair *pair = &w->gate->set.pairs[i];
        const struct view_metric *then =
            pair->baseline ? view_find_metric(pair->baseline, rule->metric) : NULL;
        bool has_it = view_find_metric(pair->current, rule->metric) ||
                      units_is_rate(pair->current, rule->metric);
        if (!is_about(rule, pair) || has_it) continue;
        if (then && !units_are_empty(pair->baseline, then, *w->out)) {
            check_missing(w, rule, pair);
        } else if (could_have(pair, rule->metric)) {
            add_check(w, rule, pair)->finding = GATE_NO_VALUES;
        }
    }
}

/* The cells of one rule are a family (one for each definition of its metric); of several the
 * whole is one more check. */
static bool ask_family(struct work *w, size_t from, size_t upto, struct error *err)
{
    struct gate *g = w->gate;
    const struct ask *ask = &g->checks[from].ask;
    struct family f = {.cells = arena_new(w->out, struct family_cell, upto - from + 1)};
    size_t *at = arena_new(w->out, size_t, upto - from + 1);
    for (size_t i = from; i < upto; i++) {
        if (!g->checks[i].is_asked || !ask_is_alike(&g->checks[i].ask, ask)) continue;
        at[f.count] = i;
        f.cells[f.count++].question = g->checks[i].ask.question;
    }
    if (!family_ask(&f, *w->out, err)) return false;
    for (size_t i = 0; i < f.count; i++) {
        struct gate_check *c = &g->checks[at[i]];
        c->w = worsening_of(&f.cells[i].answer, c->ask.by_case);
        c->p_adjusted = f.cells[i].p_adjusted;
    }
    if (f.used < 2) return true;
    const struct gate_check *first = &g->checks[at[0]];
    struct gate_check *whole = add_check(w, first->rule, NULL);
    whole->of = first->pair;
    whole->cells = f.used;
    whole->is_asked = true;
    whole->ask = first->ask;
    for (size_t i = 0; i < f.count && whole->gap.code == COMPARE_FITS; i++)
        whole->gap = g->checks[at[i]].gap;
    whole->w = worsening_of(&f.whole, first->ask.by_case);
    for (size_t i = 1; i < f.count; i++) ask_add_lacks(&whole->ask, &g->checks[at[i]].ask);
    whole->p_adjusted = f.whole.is_tested ? f.whole.p : (double)NAN;
    return true;
}

static bool ask_rule(struct work *w, const struct gate_rule *rule, size_t from,
                     struct error *err)
{
    size_t upto = w->gate->count;
    if (is_absolute(rule)) decide_levels(w, rule, from);
    for (size_t i = from; i < upto; i++) {
        const struct gate_check *checks = w->gate->checks;
        bool is_first = checks[i].is_asked;
        for (size_t k = from; k < i && is_first; k++)
            is_first = !checks[k].is_asked || !ask_is_alike(&checks[k].ask, &checks[i].ask);
        if (is_first && !ask_family(w, i, upto, err)) return false;
    }
    return true;
}

/* Points of a share end at 100: a rule beyond them would never be violated. */
static bool can_be_violated(const struct work *w, const struct gate_rule *rule,
                            const struct view_metric *m, struct error *err)
{
    bool is_sound = !m || m->kind != KIND_SHARE || is_absolute(rule) || rule->limit <= 1;
    return is_sound ||
           error_set(
               err, ERROR_INVALID,
               "%s:%u: '%s' is a share: it cannot get worse by more than 100 %% (rule %s)",
               w->gate->policy->file, rule->line, rule->metric, rule->words);
}

/* No cell of the rule has its metric. */
static bool check_nowhere(struct work *w, const struct gate_rule *rule, struct error *err)
{
    if (is_known(rule->metric) || !rule->is_block) {
        struct gate_check *c = add_check(w, rule, NULL);
        bool is_missing = is_known(rule->metric) && could_be_there(w, rule);
        c->state = is_missing ? GATE_VIOLATED : GATE_UNDECIDED;
        c->finding = is_missing ? GATE_NOWHERE : GATE_NOT_OF_CELLS;
        return true;
    }
    const char *meant = meant_metric(w, rule->metric);
    return error_set(err, ERROR_INVALID,
                     "%s:%u: no cell of %s has values of '%s'%s%s%s%s%s (rule %s)",
                     w->gate->policy->file, rule->line, w->gate->set.subject, rule->metric,
                     rule->benchmark ? " on " : "", rule->benchmark ? rule->benchmark : "",
                     STR_MEANT(meant), rule->words);
}

static bool check_rule(struct work *w, const struct gate_rule *rule, struct error *err)
{
    size_t before = w->gate->count;
    for (size_t i = 0; i < w->gate->set.count; i++) {
        const struct baseline_pair *pair = &w->gate->set.pairs[i];
        if (!is_about(rule, pair)) continue;
        const struct view_metric *m = units_find_metric(pair->current, rule->metric, w->out);
        if (!can_be_violated(w, rule, m, err)) return false;
        if (is_absolute(rule)) {
            if (m) check_absolute(w, rule, pair, m);
        } else {
            check_relative(w, rule_about(w, rule, time_of(rule, pair), before), pair);
        }
    }
    check_requests(w, rule, before);
    if (w->gate->count > before && is_absolute(rule)) check_lacking(w, rule);
    return w->gate->count > before ? ask_rule(w, rule, before, err)
                                   : check_nowhere(w, rule, err);
}

/* ---- deciding ---- */

static void decide(struct gate_check *c)
{
    const struct worsening *x = &c->w;
    c->finding = x->has_no_interval ? GATE_NO_INTERVAL : GATE_FOUND_EFFECT;
    if (x->has_no_interval) return;
    bool is_no_worse = x->is_no_worse && limit_of(c->rule) >= 0;
    if (x->verdict == VERDICT_WORSE) c->state = GATE_VIOLATED;
    bool is_whole = !ask_is_short(&c->ask); /* what was not measured does not pass */
    if (is_whole && (x->is_within || is_no_worse)) c->state = GATE_PASSED;
    if (c->gap.code == COMPARE_HOSTS && c->state == GATE_PASSED) {
        c->state = GATE_UNDECIDED; /* a faster machine would hide a slower version */
        c->finding = GATE_GAP;
        return;
    }
    c->is_below_noise = is_whole && c->state == GATE_UNDECIDED && x->mde > c->rule->limit;
    c->unit = c->w.is_points ? "1" : c->ask.metric.unit;
}

/* ---- cells that vanished ---- */

static const struct gate_rule no_cell_vanishes = {.is_block = true,
                                                  .kind = GATE_BELOW,
                                                  .metric = "cells",
                                                  .text = "no cell vanishes",
                                                  .words = "no cell vanishes"};

static const struct gate_rule cells_are_complete = {.is_block = true,
                                                    .kind = GATE_BELOW,
                                                    .metric = "cells",
                                                    .text = "cells are complete",
                                                    .words = "cells are complete"};

static bool is_entry(const struct value *entry, const struct baseline_lost *lost)
{
    return str_is(entry->source, lost->name) ||
           (lost->benchmark && str_is(entry->source, lost->benchmark));
}

static bool is_retired(const struct gate_policy *policy, const struct baseline_lost *lost)
{
    const struct value *list = policy->retired;
    for (size_t i = 0; list && i < list->list.count; i++) {
        if (is_entry(list->list.items[i], lost)) return true;
    }
    return false;
}

static bool is_any_lost(const struct baseline_set *set, const struct value *entry)
{
    for (size_t i = 0; i < set->lost_count; i++) {
        if (is_entry(entry, &set->lost[i])) return true;
    }
    return false;
}

/* Not an error: once a new baseline was pinned, nothing is missing from it. */
static void find_idle(struct work *w)
{
    const struct value *list = w->gate->policy->retired;
    size_t count = list ? list->list.count : 0;
    w->gate->idle = arena_new(w->out, const struct value *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value *entry = list->list.items[i];
        if (!is_any_lost(&w->gate->set, entry)) w->gate->idle[w->gate->idle_count++] = entry;
    }
}

static void check_complete(struct work *w)
{
    for (size_t i = 0; i < w->gate->set.count; i++) {
        const struct baseline_pair *p = &w->gate->set.pairs[i];
        for (int k = 0; k < 2; k++) {
            if (!p->cut[k]) continue;
            struct gate_check *c = add_check(w, &cells_are_complete, p);
            c->state = GATE_VIOLATED;
            c->finding = k ? GATE_RUN_CUT : GATE_BASELINE_CUT;
        }
    }
}

static void check_lost(struct work *w)
{
    find_idle(w);
    for (size_t i = 0; i < w->gate->set.lost_count; i++) {
        const struct baseline_lost *lost = &w->gate->set.lost[i];
        if (is_retired(w->gate->policy, lost)) continue;
        struct gate_check *c = add_check(w, &no_cell_vanishes, NULL);
        c->state = GATE_VIOLATED;
        c->finding = GATE_VANISHED;
        c->lost = lost;
    }
}

static void count_states(struct gate *gate)
{
    gate->blocked = gate->alerts = gate->open = gate->open_alerts = gate->muted = 0;
    for (size_t i = 0; i < gate->count; i++) {
        const struct gate_check *c = &gate->checks[i];
        bool is_block = c->rule->is_block;
        gate->blocked += c->state == GATE_VIOLATED && is_block;
        gate->alerts += c->state == GATE_VIOLATED && !is_block;
        gate->open += c->state == GATE_UNDECIDED && is_block;
        gate->open_alerts += c->state == GATE_UNDECIDED && !is_block;
        gate->muted += c->state == GATE_MUTED;
    }
}

bool gate_judge(double alpha, struct arena *out, struct gate *gate, struct error *err)
{
    const struct gate_policy *policy = gate->policy;
    struct work w = {gate, out, alpha > 0 ? alpha : VERDICT_ALPHA};
    size_t most = policy->count * (3 * gate->set.count + 2) + gate->set.lost_count +
                  2 * gate->set.count + 1;
    gate->checks = arena_new(out, struct gate_check, most);
    for (size_t i = 0; i < policy->count; i++) {
        if (!check_rule(&w, &policy->rules[i], err)) return false;
    }
    check_complete(&w);
    check_lost(&w);
    for (size_t i = 0; i < gate->count; i++) {
        if (gate->checks[i].is_asked) decide(&gate->checks[i]);
    }
    count_states(gate);
    return true;
}

/* What was said of a violation; of the whole of a rule, by any of its cells: each that is
 * violated itself has an alarm of its own. NULL: nothing that makes it quiet. */
static const struct alarm_record *
quiet_alarm(const struct gate *gate, const struct alarm_list *list, const struct gate_check *c)
{
    const struct alarm_record *found = NULL;
    enum regress_rule rule = c->pair ? REGRESS_BEYOND : REGRESS_WHOLE;
    for (size_t i = 0; i < gate->set.count && !found; i++) {
        const struct baseline_pair *pair = &gate->set.pairs[i];
        if (c->pair ? pair != c->pair : !is_about(c->rule, pair)) continue;
        found = alarm_find(list, pair, c->rule->metric, rule);
        if (found && !alarm_is_quiet(found, list->now)) found = NULL;
    }
    return found;
}

static bool mute(struct store *store, struct arena *out, struct gate *gate, struct error *err)
{
    struct alarm_list list;
    if (!alarm_list_read(store, NULL, out, &list, err)) return false;
    for (size_t i = 0; i < gate->count && list.count > 0; i++) {
        struct gate_check *c = &gate->checks[i];
        if (c->state != GATE_VIOLATED || !c->is_asked) continue;
        const struct alarm_record *alarm = quiet_alarm(gate, &list, c);
        if (!alarm) continue;
        c->state = GATE_MUTED;
        c->alarm = alarm;
    }
    count_states(gate);
    return true;
}

/* Every name that a rule may mean: of the cells, of those that are lost, of the store. */
static bool list_benchmark_names(struct store *store, const struct baseline_set *set,
                                 struct arena *out, const char ***names, size_t *count,
                                 struct error *err)
{
    struct suite_record *suites = NULL;
    size_t suite_count = 0;
    *names = NULL;
    *count = 0;
    for (size_t i = 0; i < set->count + set->lost_count; i++) {
        const char *name =
            i < set->count ? set->pairs[i].benchmark : set->lost[i - set->count].benchmark;
        if (!name) continue;
        *names = arena_grow(out, *names, *count, sizeof **names);
        (*names)[(*count)++] = name;
    }
    if (!store_list_suites(store, true, out, &suites, &suite_count, err)) return false;
    for (size_t i = 0; i < suite_count; i++) {
        struct benchmark_record *list = NULL;
        size_t n = 0;
        if (!store_list_benchmarks(store, suites[i].id, out, &list, &n, err)) return false;
        for (size_t k = 0; k < n; k++) {
            *names = arena_grow(out, *names, *count, sizeof **names);
            (*names)[(*count)++] = list[k].name;
        }
    }
    return true;
}

/* A rule that blocks on a benchmark which nothing here ever had is a slip of the pen, and
 * would block nothing. */
static bool check_names(struct store *store, const struct gate *gate, struct arena *out,
                        struct error *err)
{
    const char **names = NULL;
    size_t count = 0;
    if (!list_benchmark_names(store, &gate->set, out, &names, &count, err)) return false;
    for (size_t i = 0; i < gate->policy->count; i++) {
        const struct gate_rule *rule = &gate->policy->rules[i];
        bool is_known = !rule->benchmark || !rule->is_block;
        for (size_t k = 0; k < count && !is_known; k++)
            is_known = strcmp(names[k], rule->benchmark) == 0;
        if (is_known) continue;
        const char *meant = str_suggest(str_of(rule->benchmark), names, count);
        return error_set(
            err, ERROR_INVALID, "%s:%u: no benchmark '%s' in the store%s%s%s (rule %s)",
            gate->policy->file, rule->line, rule->benchmark, STR_MEANT(meant), rule->words);
    }
    return true;
}

bool gate_ask(struct store *store, const struct gate_policy *policy,
              const struct baseline_question *which, double alpha, struct arena *out,
              struct gate *gate, struct error *err)
{
    struct baseline_question q = *which;
    if (!q.baseline) q.baseline = policy->baseline;
    *gate = (struct gate){.policy = policy,
                          .must_decide = policy->undecided == GATE_UNDECIDED_FAILS};
    if (!baseline_find(store, &q, out, &gate->set, err) ||
        !check_names(store, gate, out, err)) {
        return false;
    }
    return gate_judge(alpha, out, gate, err) && mute(store, out, gate, err);
}
