#include "judge/stress.h"

#include "judge/stress_internal.h"
#include "stats/quantile.h"

#include <math.h>

enum {
    CALIBRATION_BLOCKS = 5,
    NORMAL_BLOCKS = 10,
    NORMAL_TRIES = 6, /* while the generator spoils it; of a load that the user states, */
    STATED_TRIES = 3,
    REQUESTS_PER_BLOCK = 100,
    BLOCK_MOST_S = 100, /* for STRESS_REQUESTS_MIN: who is slower is not stressed */
};

#define NORMAL_SHARE     0.5 /* of what one client gets */
#define OBJECTIVE_FACTOR 10  /* times the usual 95th percentile */

const char *stress_outcome_name(enum stress_outcome o)
{
    static const char *const names[] = {[STRESS_HELD] = "held",
                                        [STRESS_BROKE] = "broke",
                                        [STRESS_NOT_APPLICABLE] = "not_applicable",
                                        [STRESS_SPOILED] = "spoiled"};
    return names[o];
}

const char *stress_reason_name(enum stress_reason r)
{
    static const char *const names[] = {[STRESS_NO_REASON] = NULL,
                                        [STRESS_GENERATOR] = "generator",
                                        [STRESS_NO_PROCESS] = "not_started_by_assay",
                                        [STRESS_NO_INPUT] = "no_input",
                                        [STRESS_NO_MEMORY] = "memory_not_known",
                                        [STRESS_NO_LIMIT] = "no_limit",
                                        [STRESS_UNMEASURED] = "not_measured",
                                        [STRESS_UNFINISHED] = "search_unfinished",
                                        [STRESS_TOO_FEW] = "too_few_blocks",
                                        [STRESS_NO_LEAK] = "no_leak_test",
                                        [STRESS_LAW_OFF] = "law_disagrees",
                                        [STRESS_FEW_BEFORE] = "too_few_before",
                                        [STRESS_TOO_SHORT] = "watched_too_short",
                                        [STRESS_WATCHED] = "memory_watched"};
    return names[r];
}

/* ---- phases ---- */

static double median(const struct stress_phase *p, size_t offset, bool takes_spoiled)
{
    double values[STRESS_BLOCKS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < p->count && n < COUNT(values); i++) {
        const struct stress_block *b = &p->blocks[i];
        double v = *(const double *)((const char *)b + offset);
        if (b->is_answered && (takes_spoiled || !b->is_spoiled) && !isnan(v)) values[n++] = v;
    }
    if (n == 0) return NAN;
    stats_sort_inplace(values, n);
    return quantile_median(values, n);
}

double stress_median(const struct stress_phase *p, size_t offset)
{
    return median(p, offset, false);
}

double stress_errors(const struct stress_phase *p)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct stress_block *b = &p->blocks[i];
        bool is_empty = b->is_answered && isnan(b->error_share); /* nothing was due */
        if (b->is_spoiled || is_empty) continue;
        sum += b->is_answered ? b->error_share : 1;
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

bool stress_is_spoiled(const struct stress_phase *p)
{
    size_t spoiled = 0;
    for (size_t i = 0; i < p->count; i++) spoiled += p->blocks[i].is_spoiled;
    return 2 * spoiled > p->count;
}

/* ---- before the scenarios ---- */

/* Long enough for REQUESTS_PER_BLOCK, within what the user allows, but for
 * STRESS_REQUESTS_MIN. */
static double block_length(const struct stress_terms *t, double rate)
{
    double wanted = rate > 0 ? REQUESTS_PER_BLOCK / rate : t->block_s;
    double least = rate > 0 ? STRESS_REQUESTS_MIN / rate : 0;
    return fmax(fmin(fmax(wanted, t->block_s), t->block_max_s), least);
}

static bool is_too_slow(double rate)
{
    return rate > 0 && STRESS_REQUESTS_MIN / rate > BLOCK_MOST_S;
}

/* Where the generator was busy, half of what it could send is a normal load anyway: the
 * phase at that load is judged by itself. */
static double first_normal_rate(const struct stress_terms *t,
                                const struct stress_phase *calibration)
{
    if (t->normal_rate > 0) return t->normal_rate;
    return NORMAL_SHARE * median(calibration, offsetof(struct stress_block, rate), true);
}

/* Phases at a normal load so far; the last is the one that counts. */
static size_t normal_tries(const struct stress_phase *phases, size_t count)
{
    size_t tries = 0;
    for (size_t i = 0; i < count; i++) tries += phases[i].ask.rate > 0;
    return tries;
}

static bool is_normal_measured(const struct stress_terms *t, const struct stress_phase *phases,
                               size_t count)
{
    size_t tries = normal_tries(phases, count);
    size_t most = t->normal_rate > 0 ? STATED_TRIES : NORMAL_TRIES;
    return tries >= most || (tries > 0 && !stress_is_spoiled(&phases[count - 1]));
}

/* A load that is spoiled is tried again: something else was busy. One that assay chose and
 * cannot send even so is none: half of it may be. What the user states is not ours to change. */
static double next_normal_rate(const struct stress_terms *t, const struct stress_phase *phases,
                               size_t count)
{
    size_t tries = normal_tries(phases, count);
    double first = first_normal_rate(t, &phases[0]);
    return t->normal_rate > 0 || tries < 2 ? first : first / (double)(1 << (tries - 1));
}

bool stress_next_usual(const struct stress_terms *terms, const struct stress_phase *phases,
                       size_t count, struct stress_ask *ask)
{
    *ask = (struct stress_ask){.shape = "constant", .fault = "none"};
    if (count == 0 && !(terms->normal_rate > 0)) {
        ask->role = "calibration";
        ask->connections = terms->in_flight;
        ask->seconds = fmin(fmax(1, terms->block_s), terms->block_max_s);
        ask->blocks = CALIBRATION_BLOCKS;
        return true;
    }
    double rate = next_normal_rate(terms, phases, count);
    if (!(rate > 0) || is_too_slow(rate) || is_normal_measured(terms, phases, count))
        return false;
    ask->role = "normal";
    ask->rate = rate;
    ask->seconds = block_length(terms, rate);
    ask->blocks = NORMAL_BLOCKS;
    return true;
}

bool stress_usual(const struct stress_terms *terms, const struct stress_phase *phases,
                  size_t count, struct stress_case *c, struct error *err)
{
    *c = (struct stress_case){.terms = terms};
    const struct stress_phase *last = &phases[count - 1];
    /* What could not be measured again was measured: spoiled, which is the reason. */
    while (last > phases && last->count == 0 && last[-1].ask.rate > 0) last--;
    c->normal_rate = last->ask.rate > 0 ? last->ask.rate : first_normal_rate(terms, &phases[0]);
    if (is_too_slow(c->normal_rate)) {
        return error_set(err, ERROR_INVALID,
                         "a normal load of %.3g requests per second is too little to see "
                         "anything within minutes: give --connections N, if it answers several "
                         "at a time, or --rate of %.3g or more",
                         c->normal_rate, (double)STRESS_REQUESTS_MIN / BLOCK_MOST_S);
    }
    c->normal = last;
    c->usual_p95_s = stress_median(last, offsetof(struct stress_block, p95_s));
    c->usual_memory_mb = stress_median(last, offsetof(struct stress_block, group_mb));
    c->has_groups = c->usual_memory_mb > 0;
    if (!c->has_groups)
        c->usual_memory_mb = stress_median(last, offsetof(struct stress_block, memory_mb));
    c->usual_accuracy = stress_median(last, offsetof(struct stress_block, accuracy));
    c->error_share = terms->error_share;
    c->objective_s = terms->p95_s > 0 ? terms->p95_s : OBJECTIVE_FACTOR * c->usual_p95_s;
    c->block_s = block_length(terms, c->normal_rate);
    bool is_normal = last->ask.rate > 0;
    if (is_normal && stress_is_spoiled(last)) {
        return error_set(err, ERROR_UNAVAILABLE,
                         "this machine cannot load it steadily even at the normal load of "
                         "%.4g requests per second: close other programs, or give %s--rate",
                         c->normal_rate, terms->normal_rate > 0 ? "a lower " : "");
    }
    double errors = stress_errors(last);
    if (is_normal && c->usual_p95_s > 0 && errors <= c->error_share) return true;
    if (last->error) return error_set(err, ERROR_FAILED, "%s", last->error);
    return error_set(err, ERROR_FAILED,
                     "%.3g %% of the requests failed at the normal load of %.4g per second: "
                     "what is broken at rest cannot be stressed",
                     100 * errors, c->normal_rate);
}

/* ---- a scenario ---- */

void stress_leave_open(struct stress_result *r, enum stress_reason why)
{
    r->outcome = STRESS_SPOILED;
    r->reason = why;
    r->rule = (struct stress_rule){0};
    r->score = NAN;
}

struct stress_ask stress_ask_of(const struct stress_case *c, const char *role)
{
    return (struct stress_ask){.role = role,
                               .shape = "constant",
                               .fault = "none",
                               .seconds = c->block_s,
                               .blocks = STRESS_PHASE_BLOCKS};
}

double stress_disturbed_s(double least_s, double rate, double share)
{
    double wanted_s = 1.5 * STRESS_BASELINE_MIN / (rate * share);
    return fmax(least_s, fmin(wanted_s, STRESS_DISTURBED_MAX_S));
}

void stress_add_figure(struct stress_result *r, const char *name, const char *unit,
                       double value)
{
    if (r->figure_count == STRESS_FIGURES_MAX || isnan(value)) return;
    r->figures[r->figure_count++] = (struct stress_figure){name, unit, value, NAN, NAN};
}

void stress_decide(struct stress_result *r, enum stress_outcome outcome, const char *rule,
                   double value, double threshold, const char *unit)
{
    r->outcome = outcome;
    r->rule = (struct stress_rule){rule, value, threshold, unit};
}

bool stress_tells_recovery(const struct stress_block *b)
{
    return !b->is_spoiled && !(isnan(b->recovery_s) && b->baseline < STRESS_BASELINE_MIN);
}

void stress_count_recovered(const struct stress_phase *p, struct stress_recovered *to)
{
    for (size_t i = 0; i < p->count; i++) {
        if (!stress_tells_recovery(&p->blocks[i])) continue;
        to->all++;
        to->blocks += !isnan(p->blocks[i].recovery_s);
    }
}

bool stress_next(const struct stress_scenario *s, const struct stress_case *c,
                 struct stress_ask *ask)
{
    bool is_measured = c->count == 0 || c->phases[c->count - 1].count > 0;
    return is_measured && s->next(c, ask);
}

static void note_accuracy(struct stress_result *r)
{
    double lowest = INFINITY;
    for (size_t i = 0; i < r->phase_count; i++) {
        double accuracy = stress_median(&r->phases[i], offsetof(struct stress_block, accuracy));
        if (accuracy < lowest) lowest = accuracy;
    }
    if (!isfinite(lowest) || r->figure_count == STRESS_FIGURES_MAX) return;
    r->figures[r->figure_count++] =
        (struct stress_figure){"lowest_accuracy", "1", lowest, NAN, NAN};
}

void stress_judge(const struct stress_case *c, struct arena *out, struct stress_result *r)
{
    struct stress_phase *telling = arena_new(out, struct stress_phase, c->count + 1);
    const struct stress_phase *unmeasured = NULL;
    struct stress_case told = *c;
    told.phases = telling;
    told.count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct stress_phase *p = &c->phases[i];
        if (p->count == 0)
            unmeasured = p;
        else if (r->scenario->takes_spoiled || !stress_is_spoiled(p))
            telling[told.count++] = *p;
    }
    r->score = NAN;
    r->phases = c->phases;
    r->phase_count = c->count;
    if (told.count > 0 || c->count == 0) r->scenario->conclude(&told, out, r);
    note_accuracy(r);
    if (told.count == c->count || r->outcome == STRESS_BROKE) return;
    stress_leave_open(r, unmeasured ? STRESS_UNMEASURED : STRESS_GENERATOR);
    if (unmeasured) r->error = unmeasured->error;
}

/* ---- after them ---- */

static double figure(const struct stress *s, const char *scenario, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        if (strcmp(r->scenario->name, scenario) != 0) continue;
        for (size_t k = 0; k < r->figure_count; k++) {
            if (strcmp(r->figures[k].name, name) == 0) return r->figures[k].value;
        }
    }
    return NAN;
}

/* What to do about a result, by the rule that decided it. */
static const struct {
    const char *rule;
    enum stress_advice advice;
} advice_rows[] = {
    {"queue_growth", STRESS_ADVISE_LIMIT},
    {"slow_recovery", STRESS_ADVISE_LIMIT},
    {"error_cliff", STRESS_ADVISE_LOAD},
    {"slow_answers", STRESS_ADVISE_LOAD},
    {"errors_beyond_objective", STRESS_ADVISE_LOAD},
    {"p95_beyond_objective", STRESS_ADVISE_LOAD},
    {"throughput_falls", STRESS_ADVISE_COHERENCE},
    {"retrograde", STRESS_ADVISE_COHERENCE},
    {"contention", STRESS_ADVISE_CONTENT},
    {"no_retry_after", STRESS_ADVISE_WAIT},
    {"memory_grows", STRESS_ADVISE_LEAK},
    {"latency_grows", STRESS_ADVISE_LEAK},
    {"input_fails", STRESS_ADVISE_INPUT},
    {"no_recovery", STRESS_ADVISE_RESTART},
    {"spike_lost", STRESS_ADVISE_SPIKE},
    {"spike_lingers", STRESS_ADVISE_SPIKE},
    {"spike_stalls", STRESS_ADVISE_SPIKE},
    {"memory", STRESS_ADVISE_MEMORY},
    {"squeezed_errors", STRESS_ADVISE_MEMORY},
    {"squeezed_p95", STRESS_ADVISE_MEMORY},
};

static void recommend(struct stress *s, struct arena *out)
{
    s->recommendations = arena_new(out, struct stress_recommendation, s->count + 1);
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        for (size_t k = 0; r->rule.name && k < COUNT(advice_rows); k++) {
            if (strcmp(advice_rows[k].rule, r->rule.name) != 0) continue;
            s->recommendations[s->recommendation_count++] = (struct stress_recommendation){
                advice_rows[k].advice, r->scenario->name, r->rule};
            break;
        }
    }
}

enum stress_outcome stress_worst(const struct stress *s)
{
    enum stress_outcome worst = STRESS_HELD;
    for (size_t i = 0; i < s->count; i++) {
        enum stress_outcome o = s->results[i].outcome;
        if (o == STRESS_BROKE || (o == STRESS_SPOILED && worst == STRESS_HELD)) worst = o;
    }
    return worst;
}

void stress_conclude(struct stress *s, struct arena *out)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(s->results[i].score)) continue;
        sum += s->results[i].score;
        n++;
    }
    size_t all = 0;
    while (stress_scenario_at(all)) all++;
    s->resilience = n > 0 ? sum / (double)n : (double)NAN;
    s->is_partial = n < all;
    s->limits = (struct stress_limits){
        .safe_rate = figure(s, "high_load", "safe_rate"),
        .highest_rate = figure(s, "high_load", "highest_rate"),
        .peak_in_flight = figure(s, "concurrent_requests", "peak_in_flight"),
        .allowed_rate = figure(s, "rate_limiting", "allowed_rate"),
        .largest_input_bytes = figure(s, "large_inputs", "largest_input_bytes"),
    };
    recommend(s, out);
}
