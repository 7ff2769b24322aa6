/* Scenarios against models of agents: what was planted is what they must conclude. */
#include "model/vocabulary.h"
#include "tests/judge/stress_model.h"

TEST(a_sound_agent_holds_everywhere)
{
    for (size_t i = 0; stress_scenario_at(i); i++) {
        const char *name = stress_scenario_at(i)->name;
        bool has_limit = strcmp(name, "rate_limiting") != 0;
        expect(sound, name, has_limit ? STRESS_HELD : STRESS_NOT_APPLICABLE, NULL);
    }
}

/* Whatever a scenario wants to see, without it nothing has held. */
TEST(what_was_not_measured_has_not_held)
{
    for (size_t i = 0; stress_scenario_at(i); i++) {
        for (size_t phases = 1; phases <= 2; phases++) {
            struct arena a = arena_open();
            struct model m = sound;
            m.rng = rng_seeded(i);
            m.phases = phases; /* all from there on are refused */
            struct stress_result r = ask_scenario(&m, stress_scenario_at(i)->name, &a);
            bool is_short = r.phase_count < phases; /* it wants one phase only */
            assert_int_equal(r.outcome, is_short ? STRESS_HELD : STRESS_SPOILED);
            if (!is_short) {
                assert_int_equal(r.phase_count, phases); /* no use to ask on */
                assert_int_equal(r.reason, STRESS_UNMEASURED);
                assert_string_equal(r.error, "port busy");
                assert_true(isnan(r.score));
            }
            arena_close(&a);
        }
    }
}

/* A search that is not at its end has no answer. */
TEST(a_search_that_did_not_end_has_not_held)
{
    struct arena a = arena_open();
    struct model m = sound;
    struct stress_case c;
    struct error err = {0};
    m.rng = rng_seeded(1);
    assert_true(find_usual(&m, &c, &a, &err));
    struct stress_result r = {.scenario = stress_scenario_find(S("high_load"))};
    struct stress_ask ask;
    assert_true(stress_next(r.scenario, &c, &ask));
    struct stress_phase phase = measure(&m, &ask, &a);
    c.phases = &phase;
    c.count = 1;
    assert_true(stress_next(r.scenario, &c, &ask));
    stress_judge(&c, &a, &r);
    assert_int_equal(r.outcome, STRESS_SPOILED);
    assert_int_equal(r.reason, STRESS_UNFINISHED);
    arena_close(&a);
}

TEST(normal_load_is_half_of_what_one_client_gets)
{
    struct arena a = arena_open();
    struct model m = sound;
    struct stress_case c;
    struct error err = {0};
    m.rng = rng_seeded(1);
    assert_true(find_usual(&m, &c, &a, &err));
    assert_close(c.normal_rate, 250, 0.04);
    assert_close(c.objective_s, 10 * c.usual_p95_s, 1e-12);
    arena_close(&a);
}

/* An answer takes four times the longest block: blocks get longer, and one in which by chance
 * nothing was due is no failure. */
TEST(slow_agents_get_longer_blocks)
{
    struct arena a = arena_open();
    struct model m = sound;
    struct stress_case c;
    struct error err = {0};
    m.service_s = 4;
    m.idle = 3;
    m.rng = rng_seeded(1);
    if (!find_usual(&m, &c, &a, &err)) fail_msg("%s", err.text);
    assert_true(c.normal->ask.seconds * c.normal_rate > 4.999);
    assert_true(c.block_s * c.normal_rate > 4.999);
    expect(m, "sustained_load", STRESS_HELD, "within_objective");
    struct stress_result r = ask_scenario(&m, "high_load", &a);
    assert_int_equal(r.outcome, STRESS_HELD);
    for (size_t i = 0; i < r.phase_count; i++)
        assert_true(r.phases[i].ask.seconds * r.phases[i].ask.rate > 4.999);
    m.service_s = 60; /* minutes a block: that is said before they are spent */
    assert_false(find_usual(&m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_non_null(strstr(err.text, "--rate"));
    arena_close(&a);
}

TEST(an_agent_that_fails_at_rest_is_not_stressed)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.limit_rate = 100; /* below the normal load of 250 */
    struct stress_case c;
    struct error err = {0};
    m.rng = rng_seeded(1);
    assert_false(find_usual(&m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_FAILED);
    m = sound;
    m.rng = rng_seeded(1);
    m.spoils = true;
    assert_false(find_usual(&m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    arena_close(&a);
}

TEST(high_load_finds_where_it_breaks)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.capacity = 1000; /* four times the normal load */
    m.rng = rng_seeded(3);
    struct stress_result r = ask_scenario(&m, "high_load", &a);
    assert_int_equal(r.outcome, STRESS_BROKE);
    assert_non_null(r.breaking);
    assert_close(r.breaking->point, 1000, 0.1);
    assert_close(r.score, log(4) / log(10), 0.1);
    assert_true(figure_of(&r, "safe_rate") < 1000);
    arena_close(&a);
}

/* After the search it is flooded once, and its way back timed. */
TEST(high_load_tells_how_long_it_takes_to_recover)
{
    for (int i = 0; i < 3; i++) {
        struct arena a = arena_open();
        struct model m = sound;
        bool survives = i == 1;
        m.capacity = 1000;
        m.survives_spikes = i > 0;
        m.stays_slow = i == 2;
        m.rng = rng_seeded(3);
        struct stress_result r = ask_scenario(&m, "high_load", &a);
        const struct stress_ask *last = &r.phases[r.phase_count - 1].ask;
        assert_string_equal(last->role, "recovery");
        assert_string_equal(r.rule.name, survives ? "queue_growth" : "slow_recovery");
        assert_close(last->rate * last->factor, 1.5 * r.breaking->breaks, 1e-6);
        assert_int_equal(r.outcome, STRESS_BROKE);
        assert_close(r.breaking->point, 1000, 0.1);
        if (survives) assert_close(r.breaking->recovery_s, 0.1, 1e-9);
        if (!survives) assert_true(isinf(r.breaking->recovery_s));
        assert_int_equal(isnan(figure_of(&r, "recovery_s")), !survives);
        arena_close(&a);
    }
    struct arena a = arena_open();
    struct model m = sound;
    m.rng = rng_seeded(3);
    struct stress_result r = ask_scenario(&m, "high_load", &a);
    for (size_t i = 0; i < r.phase_count; i++) /* what holds is not flooded */
        assert_string_equal(r.phases[i].ask.role, "level");
    assert_true(isnan(r.breaking->recovery_s));
    arena_close(&a);
}

/* The law has its knee where the rate bends, or its predictions are not to be trusted. */
TEST(the_knee_of_the_law_is_compared_with_the_measured_one)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.capacity = 4000; /* eight in flight */
    m.rng = rng_seeded(1);
    struct stress_result r = ask_scenario(&m, "concurrent_requests", &a);
    /* Its median does not grow with the number in flight, which the law cannot be. */
    double knee = figure_of(&r, "knee_in_flight"), law = figure_of(&r, "usl_knee_in_flight");
    assert_true(knee >= 8 && law >= 1 && 4 * law < knee);
    assert_int_equal(r.reason, STRESS_LAW_OFF);
    m = sound;
    m.rng = rng_seeded(1);
    r = ask_scenario(&m, "concurrent_requests", &a);
    assert_close(figure_of(&r, "usl_knee_in_flight"), 64, 1e-9);
    assert_int_equal(r.reason, STRESS_NO_REASON);
    arena_close(&a);
}

TEST(sustained_load_finds_leaks)
{
    struct model m = sound;
    m.leak_mb = 0.5; /* of 40: 15 MB in 30 blocks */
    expect(m, "sustained_load", STRESS_BROKE, "memory_grows");
    m.full_mb = 14; /* a cache: a third more memory, full before half of the 30 blocks */
    expect(m, "sustained_load", STRESS_HELD, "within_objective");
    m = sound;
    m.slows = 0.2;
    expect(m, "sustained_load", STRESS_BROKE, "latency_grows");
}

TEST(spikes_that_leave_a_queue_break_it)
{
    struct model m = sound;
    m.survives_spikes = false;
    expect(m, "spike_load", STRESS_BROKE, "spike_lingers");
}

/* One, two and four servers at half of what one gives: their queues take 8, 2.7 and 0.3 times the
 * spike. Who takes that is sound, who takes three times as long is not. */
TEST(a_queue_has_the_time_that_it_takes)
{
    for (int servers = 1; servers <= 4; servers *= 2) {
        struct model m = sound;
        m.capacity = servers / m.service_s;
        expect(m, "spike_load", STRESS_HELD, "recovered");
        m.lingers = 3;
        expect(m, "spike_load", STRESS_BROKE, "spike_lingers");
        struct arena a = arena_open();
        m.rng = rng_seeded(1);
        struct stress_result r = ask_scenario(&m, "spike_load", &a);
        double drain_s = 0.4 * (2500 - m.capacity) / (m.capacity - 250);
        assert_close(figure_of(&r, "drain_s"), drain_s, 0.3);
        assert_int_equal(r.phase_count, servers == 4 ? 1 : 2);
        assert_true(r.rule.value >= 2);
        const struct stress_ask *last = &r.phases[r.phase_count - 1].ask;
        assert_close(last->seconds * last->spike_share, r.phases[0].ask.seconds / 5, 1e-9);
        arena_close(&a);
    }
}

/* Where the queue takes longer than anybody watches, nothing is said; who does less in a spike
 * than at rest has broken. */
TEST(a_spike_that_was_watched_too_short_is_undecided)
{
    struct arena a = arena_open();
    struct stress_terms stated = terms;
    struct stress_case c;
    struct error err = {0};
    stated.normal_rate = 450;
    for (int i = 0; i < 2; i++) {
        struct model m = sound;
        m.capacity = 500;
        m.rng = rng_seeded(1);
        assert_true(find_usual_by(&stated, &m, &c, &a, &err));
        struct stress_phase phases[3];
        struct stress_ask ask;
        struct stress_result r = {.scenario = stress_scenario_find(S("spike_load"))};
        m.capacity = i == 1 ? 300 : 500;
        m.survives_spikes = false;
        c.phases = phases;
        while (c.count < 3 && stress_next(r.scenario, &c, &ask)) {
            assert_true(ask.seconds <= 23.001 * c.block_s);
            phases[c.count++] = measure(&m, &ask, &a);
        }
        stress_judge(&c, &a, &r);
        assert_int_equal(r.outcome, i == 0 ? STRESS_SPOILED : STRESS_BROKE);
        assert_int_equal(r.reason, i == 0 ? STRESS_TOO_SHORT : STRESS_NO_REASON);
        if (i == 1) assert_string_equal(r.rule.name, "spike_stalls");
    }
    arena_close(&a);
}

/* To live on what it takes anyway is no feat: what it cannot live on is named, and scored. */
TEST(memory_is_squeezed_down_to_what_it_needs)
{
    const struct {
        double least_mb, score, holds_mb, breaks_mb;
    } rows[] = {{10, 1, 20.1, NAN},
                {30, 2.0 / 3, 30.1, 20.1},
                {40, 1.0 / 3, 44.1, 30.1},
                {50, 0, NAN, 44.1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena a = arena_open();
        struct model m = sound;
        m.rng = rng_seeded(1);
        m.least_mb = rows[i].least_mb;
        struct stress_result r = ask_scenario(&m, "memory_pressure", &a);
        bool holds = isnan(rows[i].breaks_mb);
        assert_int_equal(r.outcome, holds ? STRESS_HELD : STRESS_BROKE);
        assert_close(r.score, rows[i].score, 1e-9);
        assert_int_equal(r.reason, STRESS_WATCHED);
        assert_string_equal(r.rule.name, holds ? "within_objective" : "squeezed_errors");
        if (!holds) assert_close(figure_of(&r, "breaks_with_mb"), rows[i].breaks_mb, 1e-9);
        if (!isnan(rows[i].holds_mb))
            assert_close(figure_of(&r, "holds_with_mb"), rows[i].holds_mb, 1e-9);
        arena_close(&a);
    }
}

/* What the kernel charges is what it limits: the resident set has pages that are others'. */
TEST(memory_is_squeezed_by_what_the_cgroup_says_where_there_is_one)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.rng = rng_seeded(1);
    m.group_mb = 8;
    m.least_mb = 5;
    struct stress_result r = ask_scenario(&m, "memory_pressure", &a);
    assert_int_equal(r.outcome, STRESS_BROKE);
    assert_int_equal(r.reason, STRESS_NO_REASON);
    assert_close(figure_of(&r, "usual_memory_mb"), 8, 1e-9);
    assert_close(figure_of(&r, "holds_with_mb"), 6, 1e-9);
    assert_close(figure_of(&r, "breaks_with_mb"), 4, 1e-9);
    assert_close(figure_of(&r, "memory_kills"), 15, 1e-9); /* 3 in each of 5 blocks */
    arena_close(&a);
}

TEST(more_in_flight_and_less_done_is_retrograde)
{
    struct model m = sound;
    m.retrograde_at = 8;
    expect(m, "concurrent_requests", STRESS_BROKE, "retrograde");
    m = sound;
    m.capacity = 4000; /* a rate that stays at its height is no break */
    expect(m, "concurrent_requests", STRESS_HELD, "within_objective");
}

TEST(the_largest_input_is_named)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.largest_bytes = 100000;
    m.rng = rng_seeded(1);
    struct stress_result r = ask_scenario(&m, "large_inputs", &a);
    assert_int_equal(r.outcome, STRESS_BROKE);
    assert_string_equal(r.rule.name, "input_fails");
    assert_close(figure_of(&r, "largest_input_bytes"), 65536, 0);
    arena_close(&a);
}

TEST(a_rate_limit_is_found_and_must_say_when_to_come_back)
{
    struct model m = sound;
    m.limit_rate = 700;
    expect(m, "rate_limiting", STRESS_BROKE, "no_retry_after");
    m.says_when = true;
    expect(m, "rate_limiting", STRESS_HELD, "limits_and_says_when");
    struct arena a = arena_open();
    m = sound;
    m.rng = rng_seeded(1);
    struct stress_result r = ask_scenario(&m, "rate_limiting", &a);
    assert_int_equal(r.outcome, STRESS_NOT_APPLICABLE); /* nothing to judge: no pass */
    assert_int_equal(r.reason, STRESS_NO_LIMIT);
    assert_true(isnan(r.score));
    assert_true(figure_of(&r, "tried_rate") > 2000);
    arena_close(&a);
}

/* Who cannot see the memory has not seen that it does not grow. */
TEST(a_sustained_load_says_what_it_could_not_look_for)
{
    struct arena a = arena_open();
    struct model m = sound;
    m.rng = rng_seeded(1);
    struct stress_result r = ask_scenario(&m, "sustained_load", &a);
    assert_int_equal(r.reason, STRESS_NO_REASON);
    m.needs_mb = NAN;
    r = ask_scenario(&m, "sustained_load", &a);
    assert_int_equal(r.outcome, STRESS_HELD);
    assert_int_equal(r.reason, STRESS_NO_LEAK);
    struct stress_terms few = terms;
    few.sustained = 7;
    struct stress_case c;
    struct error err = {0};
    m = sound;
    m.rng = rng_seeded(1);
    assert_true(find_usual(&m, &c, &a, &err));
    c.terms = &few;
    struct stress_ask ask;
    assert_true(stress_next(r.scenario, &c, &ask));
    struct stress_phase phase = measure(&m, &ask, &a);
    c.phases = &phase;
    c.count = 1;
    r = (struct stress_result){.scenario = r.scenario};
    stress_judge(&c, &a, &r);
    assert_int_equal(r.outcome, STRESS_SPOILED);
    assert_int_equal(r.reason, STRESS_TOO_FEW);
    arena_close(&a);
}

/* Of 16 blocks that leak, the generator spoils some of the last: with too few of them nobody
 * knows whether a cache was filled; no leak has held for that. */
TEST(a_leak_is_not_passed_for_spoiled_blocks)
{
    static const struct {
        size_t spoiled;
        enum stress_outcome outcome;
        enum stress_reason reason;
    } rows[] = {{0, STRESS_BROKE, STRESS_NO_REASON},
                {1, STRESS_BROKE, STRESS_NO_REASON},
                {3, STRESS_BROKE, STRESS_NO_REASON},
                {4, STRESS_SPOILED, STRESS_TOO_FEW}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena a = arena_open();
        struct model m = sound;
        struct stress_case c;
        struct error err = {0};
        m.rng = rng_seeded(1);
        m.leak_mb = 2;
        assert_true(find_usual(&m, &c, &a, &err));
        struct stress_terms quick = terms;
        quick.sustained = 16;
        c.terms = &quick;
        struct stress_result r = {.scenario = stress_scenario_find(S("sustained_load"))};
        struct stress_ask ask;
        assert_true(stress_next(r.scenario, &c, &ask));
        struct stress_phase phase = measure(&m, &ask, &a);
        struct stress_block blocks[16];
        memcpy(blocks, phase.blocks, sizeof blocks);
        for (size_t k = 0; k < rows[i].spoiled; k++) blocks[15 - 2 * k].is_spoiled = true;
        phase.blocks = blocks;
        c.phases = &phase;
        c.count = 1;
        stress_judge(&c, &a, &r);
        assert_int_equal(r.outcome, rows[i].outcome);
        assert_int_equal(r.reason, rows[i].reason);
        assert_int_equal(isnan(r.score) != 0, r.outcome == STRESS_SPOILED);
        arena_close(&a);
    }
}

TEST(every_way_to_break_has_a_remedy)
{
    for (enum breaking_mode mode = BREAKING_NONE + 1; mode < BREAKING_MODES; mode++) {
        struct arena a = arena_open();
        struct stress_result r = {.scenario = stress_scenario_find(S("high_load")),
                                  .outcome = STRESS_BROKE,
                                  .rule = {breaking_mode_name(mode), 2, 1, "1"},
                                  .score = 0};
        struct stress s = {.results = &r, .count = 1};
        stress_conclude(&s, &a);
        if (s.recommendation_count != 1) fail_msg("%s: no advice", breaking_mode_name(mode));
        arena_close(&a);
    }
}

TEST(an_agent_that_stays_down_has_not_recovered)
{
    struct model m = sound;
    m.comes_back = false;
    expect(m, "failure_recovery", STRESS_BROKE, "no_recovery");
}

/* What is usual takes answers: slow agents get longer blocks for it, of less than a minute. */
TEST(disturbed_blocks_begin_with_enough_answers)
{
    static const char *const names[] = {"spike_load", "failure_recovery"};
    static const double before[] = {0.4, 0.3}; /* of a block */
    for (size_t i = 0; i < COUNT(names); i++) {
        for (double rate = 5; rate < 1000; rate *= 2) {
            struct stress_terms quick = terms;
            quick.block_max_s = 0.25;
            struct stress_case c = {.terms = &quick, .normal_rate = rate, .block_s = 0.25};
            struct stress_ask ask;
            assert_true(stress_next(stress_scenario_find(str_of(names[i])), &c, &ask));
            assert_true(ask.rate * ask.seconds * before[i] > 29.9);
            assert_true(ask.seconds <= 20);
        }
    }
}

/* Who has answered too little before the fault cannot be said to be slower after it. */
TEST(what_was_not_usual_is_not_missed)
{
    static const char *const names[] = {"spike_load", "failure_recovery"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct arena a = arena_open();
        struct model m = sound;
        m.rng = rng_seeded(1);
        m.comes_back = m.survives_spikes = false;
        m.baseline = 19;
        struct stress_result r = ask_scenario(&m, names[i], &a);
        assert_int_equal(r.outcome, STRESS_SPOILED);
        assert_int_equal(r.reason, STRESS_FEW_BEFORE);
        assert_true(isnan(r.score));
        arena_close(&a);
    }
}

/* The generator's own weakness is never the agent's. */
TEST(what_the_generator_spoiled_is_not_judged)
{
    for (size_t i = 0; stress_scenario_at(i); i++) {
        struct arena a = arena_open();
        struct model m = sound;
        struct stress_case c;
        struct error err = {0};
        m.rng = rng_seeded(1);
        assert_true(find_usual(&m, &c, &a, &err));
        m.spoils = true;
        m.capacity = 10;
        m.comes_back = m.survives_spikes = false;
        struct stress_result r = {.scenario = stress_scenario_at(i)};
        struct stress_phase *phases = arena_new(&a, struct stress_phase, 100);
        struct stress_ask ask;
        for (c.phases = phases; stress_next(r.scenario, &c, &ask);)
            phases[c.count++] = measure(&m, &ask, &a);
        stress_judge(&c, &a, &r);
        assert_int_equal(r.outcome, STRESS_SPOILED);
        assert_int_equal(r.reason, STRESS_GENERATOR);
        assert_true(isnan(r.score));
        arena_close(&a);
    }
}

/* A server that answers faster than this machine can send has a normal load all the same: the
 * highest half, quarter, ... of its rate that can be sent. What the user states is not changed. */
TEST(a_normal_load_that_cannot_be_sent_is_halved)
{
    struct arena a = arena_open();
    struct model m = sound; /* one client gets 500 a second, 250 are normal */
    struct stress_case c;
    struct error err = {0};
    m.rng = rng_seeded(1);
    m.sends_most = 70;
    assert_true(find_usual(&m, &c, &a, &err));
    assert_true(fabs(c.normal_rate / 62.5 - 1) < 0.1);
    assert_true(c.usual_p95_s > 0);
    m.sends_most = 1;
    assert_false(find_usual(&m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    struct stress_terms stated = terms;
    stated.normal_rate = 100;
    m.sends_most = 70;
    assert_false(find_usual_by(&stated, &m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "or give a lower --rate"));
    m.sends_most = 110;
    assert_true(find_usual_by(&stated, &m, &c, &a, &err));
    assert_true(c.normal_rate == 100 && c.error_share == 0.01);
    stated.error_share = 0;
    assert_true(find_usual_by(&stated, &m, &c, &a, &err));
    assert_true(c.error_share == 0);
    m.sends_most = 600; /* 250 are normal, 500 can be sent: up to there it has held */
    struct stress_result r = ask_scenario(&m, "high_load", &a);
    assert_int_equal(r.reason, STRESS_GENERATOR);
    assert_true(fabs(figure_of(&r, "holds") / 500 - 1) < 0.1);
    arena_close(&a);
}

/* At the normal load it is tried again: something else was busy. Not for ever. */
TEST(a_spoiled_normal_load_is_measured_again)
{
    struct arena a = arena_open();
    struct model m = sound;
    struct stress_phase phases[4];
    struct stress_ask ask;
    struct stress_case c;
    struct error err = {0};
    m.rng = rng_seeded(1);
    m.spoils = true;
    size_t n = 0;
    for (; stress_next_usual(&terms, phases, n, &ask); n++) {
        assert_true(n < COUNT(phases));
        m.spoils = n < 2;
        phases[n] = measure(&m, &ask, &a);
    }
    assert_int_equal(n, 3); /* the calibration, one in vain, one that counts */
    assert_true(stress_usual(&terms, phases, n, &c, &err));
    assert_ptr_equal(c.normal, &phases[2]);
    phases[1].blocks = phases[2].blocks; /* it could not be started again: the first counts */
    phases[2] = (struct stress_phase){.ask = ask, .error = "no port is free"};
    phases[2].ask.rate = phases[1].ask.rate;
    assert_true(stress_usual(&terms, phases, n, &c, &err));
    assert_ptr_equal(c.normal, &phases[1]);
    m.spoils = true;
    assert_false(find_usual(&m, &c, &a, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    arena_close(&a);
}

/* Of a phase with one spoiled block the others count, and only they. */
TEST(spoiled_blocks_count_for_nobody)
{
    for (size_t i = 0; stress_scenario_at(i); i++) {
        const char *name = stress_scenario_at(i)->name;
        struct arena a = arena_open();
        struct model m = sound;
        m.rng = rng_seeded(1);
        m.spoiled = 1;
        struct stress_result r = ask_scenario(&m, name, &a);
        bool has_limit = strcmp(name, "rate_limiting") != 0;
        if (r.outcome != (has_limit ? STRESS_HELD : STRESS_NOT_APPLICABLE))
            fail_msg("%s: %s by %s", name, stress_outcome_name(r.outcome), r.rule.name);
        arena_close(&a);
    }
}

TEST(the_whole_is_the_mean_of_what_applies)
{
    struct arena a = arena_open();
    struct stress_result results[3] = {
        {.scenario = stress_scenario_find(S("high_load")),
         .score = 0.5,
         .rule = {"queue_growth", 1, 2, "1"},
         .outcome = STRESS_BROKE},
        {.scenario = stress_scenario_find(S("spike_load")), .score = 1},
        {.scenario = stress_scenario_find(S("memory_pressure")),
         .score = NAN,
         .outcome = STRESS_NOT_APPLICABLE},
    };
    struct stress s = {.results = results, .count = 3};
    stress_conclude(&s, &a);
    assert_close(s.resilience, 0.75, 1e-12);
    assert_true(s.is_partial);
    assert_int_equal(s.recommendation_count, 1);
    assert_int_equal(s.recommendations[0].advice, STRESS_ADVISE_LIMIT);
    arena_close(&a);
}

/* The words of a suite's file are the scenarios that there are. */
TEST(the_vocabulary_has_every_scenario_and_all)
{
    size_t n = 0;
    for (; stress_scenario_at(n); n++)
        assert_string_equal(vocabulary_scenarios[n], stress_scenario_at(n)->name);
    assert_string_equal(vocabulary_scenarios[n], "all");
    assert_null(vocabulary_scenarios[n + 1]);
}

/* A quick search measures each level once, in five blocks; what precision it was content with
 * is in its answer. Only the search for a rate limit gives up on what is late anyway. */
TEST(a_quick_search_is_short_and_says_how_fine_it_is)
{
    struct stress_terms quick = terms;
    quick.search_max_s = 0.5;
    quick.search_blocks = 5;
    quick.cuts_off = true;
    struct arena a = arena_open();
    struct model m = sound;
    m.capacity = 1000;
    m.rng = rng_seeded(1);
    struct stress_case c;
    struct error err = {0};
    assert_true(find_usual(&m, &c, &a, &err));
    c.terms = &quick;
    const struct stress_scenario *high = stress_scenario_find(S("high_load"));
    struct stress_phase *phases = arena_new(&a, struct stress_phase, 100);
    struct stress_ask ask;
    for (c.phases = phases; high->next(&c, &ask); c.count++) {
        if (strcmp(ask.role, "recovery") == 0) break; /* the search has ended */
        assert_int_equal(ask.blocks, 5);
        assert_true(ask.seconds <= 0.5 && ask.timeout_s == 0); /* a cut would be a fall */
        for (size_t i = 0; i < c.count; i++) assert_true(phases[i].ask.rate != ask.rate);
        phases[c.count] = measure(&m, &ask, &a);
    }
    struct stress_case limited = c;
    limited.count = 0;
    assert_true(stress_scenario_find(S("rate_limiting"))->next(&limited, &ask));
    assert_true(ask.timeout_s >= 0.5 && ask.can_be_old);
    struct stress_result r = {.scenario = high};
    high->conclude(&c, &a, &r);
    assert_int_equal(r.outcome, STRESS_BROKE);
    double precision = figure_of(&r, "precision");
    assert_true(precision >= 0.05 && precision < 0.2);
    assert_true(r.breaking->breaks / r.breaking->holds <= 1 + precision);
    assert_true(fabs(log(r.breaking->point / 1000)) < log(1 + precision));
    arena_close(&a);
}

TEST_MAIN(T(the_vocabulary_has_every_scenario_and_all), T(what_was_not_measured_has_not_held),
          T(a_search_that_did_not_end_has_not_held),
          T(a_sustained_load_says_what_it_could_not_look_for),
          T(spoiled_blocks_count_for_nobody), T(a_spoiled_normal_load_is_measured_again),
          T(a_quick_search_is_short_and_says_how_fine_it_is), T(a_sound_agent_holds_everywhere),
          T(normal_load_is_half_of_what_one_client_gets), T(slow_agents_get_longer_blocks),
          T(an_agent_that_fails_at_rest_is_not_stressed), T(high_load_finds_where_it_breaks),
          T(high_load_tells_how_long_it_takes_to_recover),
          T(the_knee_of_the_law_is_compared_with_the_measured_one),
          T(sustained_load_finds_leaks), T(a_leak_is_not_passed_for_spoiled_blocks),
          T(spikes_that_leave_a_queue_break_it), T(a_queue_has_the_time_that_it_takes),
          T(a_spike_that_was_watched_too_short_is_undecided),
          T(memory_is_squeezed_down_to_what_it_needs),
          T(memory_is_squeezed_by_what_the_cgroup_says_where_there_is_one),
          T(more_in_flight_and_less_done_is_retrograde), T(the_largest_input_is_named),
          T(a_rate_limit_is_found_and_must_say_when_to_come_back),
          T(every_way_to_break_has_a_remedy), T(an_agent_that_stays_down_has_not_recovered),
          T(what_was_not_usual_is_not_missed), T(disturbed_blocks_begin_with_enough_answers),
          T(what_the_generator_spoiled_is_not_judged),
          T(a_normal_load_that_cannot_be_sent_is_halved),
          T(the_whole_is_the_mean_of_what_applies))
