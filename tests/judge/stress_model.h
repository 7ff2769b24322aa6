/* stress_model.h - agents as numbers, and scenarios asked about them. */
#ifndef TESTS_JUDGE_STRESS_MODEL_H
#define TESTS_JUDGE_STRESS_MODEL_H

#include "base/rng.h"
#include "judge/stress.h"
#include "tests/test.h"

#include <math.h>

/* An agent as numbers: what a block of a load shows. */
struct model {
    double capacity;       /* requests per second that it can answer */
    double service_s;      /* of one request at rest */
    double limit_rate;     /* 429 above it; 0: none */
    bool says_when;        /* with Retry-After */
    double leak_mb;        /* more memory after each block */
    double full_mb;        /* beyond which it takes no more; 0: never */
    double slows;          /* by so much a block */
    double retrograde_at;  /* in flight; beyond, the rate falls; 0: never */
    int64_t largest_bytes; /* inputs beyond fail; 0: none do */
    double needs_mb;       /* memory that it takes where it may */
    double least_mb;       /* below which nothing is answered */
    double group_mb;       /* by its cgroup; 0: there is none */
    bool comes_back;       /* after a kill */
    bool survives_spikes;
    double lingers;    /* after a spike: so many times as long as its queue takes; 0: 1 */
    double baseline;   /* answers before a spike or a fault; 0: enough */
    bool stays_slow;   /* after the first: later blocks begin as slow as they end */
    bool spoils;       /* the generator is saturated */
    double sends_most; /* it is, at rates above; 0: it never is */
    size_t spoiled; /* so many blocks of each phase are spoiled, and the agent fails in them */
    size_t phases;  /* that can be measured after the usual ones; 0: all */
    size_t idle;    /* in every so-many-th block nothing is due; 0: never */
    struct rng rng;
    double blocks; /* so far */
};

static const struct model sound = {.capacity = 1e6,
                                   .service_s = 0.002,
                                   .needs_mb = 40,
                                   .least_mb = 10,
                                   .comes_back = true,
                                   .survives_spikes = true};

static double noise(struct model *m)
{
    return 1 + 0.02 * rng_normal(&m->rng);
}

/* A queue that is worked off at the rate that is left, and seen within the block or not. */
static void after_spike(struct model *m, const struct stress_ask *ask, struct stress_block *b)
{
    double spike_s = ask->spike_share * ask->seconds, slot_s = ask->seconds / 60;
    double offered = ask->factor * ask->rate;
    double queue = fmax(0, offered - m->capacity) * spike_s;
    double recovery_s = queue / (m->capacity - ask->rate) * noise(m);
    if (m->lingers > 0) recovery_s *= m->lingers;
    recovery_s = slot_s * ceil(recovery_s / slot_s);
    bool is_seen = recovery_s <= ask->seconds - 3 * spike_s - 3 * slot_s;
    b->spike_rate = fmin(offered, m->capacity) * noise(m);
    b->recovery_s = m->survives_spikes && is_seen ? recovery_s : (double)NAN;
}

static struct stress_block block_of(struct model *m, const struct stress_ask *ask)
{
    struct stress_block b = {.is_answered = true,
                             .is_spoiled =
                                 (m->spoils && strcmp(ask->role, "calibration") != 0) ||
                                 (m->sends_most > 0 && ask->rate > m->sends_most),
                             .group_mb = m->group_mb > 0 ? m->group_mb : (double)NAN,
                             .memory_kills = m->group_mb > 0 ? 0 : (double)NAN,
                             .retry_after_s = NAN,
                             .recovery_s = NAN,
                             .baseline = m->baseline > 0 ? m->baseline : 100,
                             .first_success_s = NAN};
    bool is_closed = ask->rate <= 0;
    double in_flight = (double)(ask->connections ? ask->connections : 1);
    double offered = is_closed ? in_flight / m->service_s : ask->rate;
    double rate = fmin(offered, m->capacity);
    if (m->retrograde_at > 0 && is_closed && in_flight > m->retrograde_at)
        rate = m->retrograde_at / m->service_s * m->retrograde_at / in_flight;
    double over = offered / m->capacity;
    b.scheduled_rate = is_closed ? rate : offered;
    b.p95_s = m->service_s * (1 + m->slows * m->blocks) * noise(m) *
              (over > 1 && !is_closed ? 1000 * over : 1);
    b.p50_s = b.p95_s / 2;
    b.p99_s = 2 * b.p95_s;
    b.mean_s = b.p95_s / 2;
    b.growth_s = over > 1 && !is_closed ? b.mean_s : 0;
    if (m->limit_rate > 0 && !is_closed && offered > m->limit_rate) {
        b.limited_share = b.error_share = b.refused_share = 1 - m->limit_rate / offered;
        b.retry_after_s = m->says_when ? 1 : (double)NAN;
        rate = m->limit_rate;
    }
    b.rate = rate * noise(m);
    double leak_mb = m->leak_mb * m->blocks;
    b.memory_mb =
        m->needs_mb + (m->full_mb > 0 ? fmin(leak_mb, m->full_mb) : leak_mb) + 0.01 * noise(m);
    bool is_starved = ask->memory_limit_mb > 0 && ask->memory_limit_mb < m->least_mb;
    bool is_too_large = m->largest_bytes > 0 && ask->body_bytes > m->largest_bytes;
    if (is_starved) b.memory_kills += 3;
    if (is_starved || is_too_large) {
        b.is_answered = false;
        b.error_share = 1;
    }
    if (strcmp(ask->shape, "spike") == 0 && m->survives_spikes) b.recovery_s = 0.1;
    if (strcmp(ask->role, "spike") == 0) after_spike(m, ask, &b);
    if (strcmp(ask->fault, "none") != 0 && m->comes_back) {
        b.recovery_s = 0.2;
        b.lost = 3;
        b.first_success_s = 0.1;
    }
    m->blocks++;
    return b;
}

static struct stress_phase measure(struct model *m, const struct stress_ask *ask,
                                   struct arena *out)
{
    struct stress_block *blocks = arena_new(out, struct stress_block, (size_t)ask->blocks);
    for (int64_t i = 0; i < ask->blocks; i++) {
        blocks[i] = block_of(m, ask);
        if (i == 0 && m->stays_slow) blocks[i].recovery_s = NAN;
        if (m->idle > 0 && (size_t)i % m->idle == 0)
            blocks[i].error_share = blocks[i].p95_s = blocks[i].p50_s = blocks[i].growth_s =
                NAN;
        if ((size_t)i >= m->spoiled) continue;
        blocks[i].is_spoiled = true;
        blocks[i].error_share = blocks[i].limited_share = 1;
        blocks[i].recovery_s = NAN;
        blocks[i].rate = 0;
        blocks[i].memory_mb *= 2;
    }
    return (struct stress_phase){.ask = *ask, .blocks = blocks, .count = (size_t)ask->blocks};
}

static const struct stress_terms terms = {.in_flight = 1,
                                          .error_share = 0.01,
                                          .factor = 10,
                                          .block_s = 0.2,
                                          .block_max_s = 1,
                                          .search_max_s = 1,
                                          .sustained = 30,
                                          .concurrency = 64,
                                          .input_bytes = 1 << 20,
                                          .has_process = true,
                                          .has_input = true};

static bool find_usual_by(const struct stress_terms *t, struct model *m, struct stress_case *c,
                          struct arena *out, struct error *err)
{
    struct stress_phase *phases = arena_new(out, struct stress_phase, 10);
    struct stress_ask ask;
    size_t n = 0;
    while (n < 10 && stress_next_usual(t, phases, n, &ask)) phases[n++] = measure(m, &ask, out);
    return stress_usual(t, phases, n, c, err);
}

static bool find_usual(struct model *m, struct stress_case *c, struct arena *out,
                       struct error *err)
{
    return find_usual_by(&terms, m, c, out, err);
}

static struct stress_result ask_scenario(struct model *m, const char *name, struct arena *out)
{
    struct stress_case c;
    struct error err = {0};
    struct stress_result r = {.scenario = stress_scenario_find(str_of(name)), .score = NAN};
    assert_non_null(r.scenario);
    if (!find_usual(m, &c, out, &err)) fail_msg("%s", err.text);
    struct stress_phase *phases = arena_new(out, struct stress_phase, 100);
    struct stress_ask ask;
    c.phases = phases;
    while (stress_next(r.scenario, &c, &ask)) {
        if (c.count == 99) fail_msg("%s never has enough", name);
        bool is_refused = m->phases > 0 && c.count + 1 >= m->phases;
        phases[c.count++] = is_refused ? (struct stress_phase){.ask = ask, .error = "port busy"}
                                       : measure(m, &ask, out);
    }
    stress_judge(&c, out, &r);
    return r;
}

static double figure_of(const struct stress_result *r, const char *name)
{
    for (size_t i = 0; i < r->figure_count; i++) {
        if (strcmp(r->figures[i].name, name) == 0) return r->figures[i].value;
    }
    return NAN;
}

/* The planted outcome, by its rule, for 20 draws of the noise. */
static void expect(struct model m, const char *scenario, enum stress_outcome outcome,
                   const char *rule)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct arena a = arena_open();
        struct model one = m;
        one.rng = rng_seeded(seed);
        struct stress_result r = ask_scenario(&one, scenario, &a);
        if (r.outcome != outcome || (rule && strcmp(r.rule.name ? r.rule.name : "", rule)) != 0)
            fail_msg("%s, seed %d: %s by %s", scenario, (int)seed,
                     stress_outcome_name(r.outcome), r.rule.name ? r.rule.name : "-");
        arena_close(&a);
    }
}

#endif
