/* Each rule with its cause, without it, and at its threshold. */
#include "judge/profile.h"
#include "report/profile_words.h"
#include "tests/registry.h"

/* Ten ok trials of 1 s with nothing to say: no rule has a cause. */
static struct profile quiet(void)
{
    return (struct profile){
        .trials = 10,
        .duration_s = 10,
        .cpus = 4,
        .input_tokens = NAN,
        .output_tokens = NAN,
        .cache_read_tokens = NAN,
        .all_tokens = NAN,
        .wasted_tokens = NAN,
        .cpu_efficiency = NAN,
        .parallelization_score = NAN,
    };
}

static const struct profile_bottleneck *bottleneck(const struct profile *p, const char *rule)
{
    for (size_t i = 0; i < p->bottleneck_count; i++) {
        if (strcmp(profile_words_rule(&p->bottlenecks[i].found), rule) == 0)
            return &p->bottlenecks[i];
    }
    fail_msg("rule %s is silent", rule);
    abort();
}

static const struct profile_opportunity *opportunity(const struct profile *p, const char *rule)
{
    for (size_t i = 0; i < p->opportunity_count; i++) {
        if (strcmp(profile_words_rule(&p->opportunities[i].found), rule) == 0)
            return &p->opportunities[i];
    }
    fail_msg("rule %s is silent", rule);
    abort();
}

static size_t findings(struct profile p)
{
    struct arena a = arena_open();
    profile_judge(&p, &a);
    arena_close(&a);
    return p.bottleneck_count + p.opportunity_count;
}

TEST(without_a_cause_every_rule_is_silent)
{
    assert_int_equal(findings(quiet()), 0);
    /* Nothing at all was measured. */
    assert_int_equal(findings((struct profile){.input_tokens = NAN}), 0);
}

TEST(slow_phase)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    struct profile_phase phases[] = {{.name = S("search"), .total_s = 6, .share = 0.6},
                                     {.name = S("plan"), .total_s = 3.9, .share = 0.39}};
    p.phases = phases;
    p.phase_count = COUNT(phases);
    profile_judge(&p, &a);
    assert_int_equal(p.bottleneck_count, 1);
    const struct profile_bottleneck *b = bottleneck(&p, "slow-phase");
    assert_string_equal(b->found.location, "search");
    assert_close(b->impact_ms, 600, 1e-12); /* 6 s in ten trials */
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "60 % of the time"));
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "at least 40 %"));
    const struct profile_opportunity *o = opportunity(&p, "slow-phase");
    assert_close(o->impact, 0.3, 1e-12); /* half of it gone */
    assert_non_null(strstr(profile_words_improvement(&o->found, &a),
                           "'search' (600.0 ms of 1000.0 ms a trial)"));
    arena_close(&a);
}

TEST(slow_phase_at_its_threshold)
{
    struct profile p = quiet();
    struct profile_phase phases[] = {{.name = S("a"), .total_s = 4, .share = 0.4},
                                     {.name = S("b"), .total_s = 1, .share = 0.1}};
    p.phases = phases;
    p.phase_count = COUNT(phases);
    assert_int_equal(findings(p), 2); /* a bottleneck and an opportunity */
    phases[0].share = 0.3999;
    assert_int_equal(findings(p), 0);
    phases[0].share = 1; /* the only phase is the work itself */
    p.phase_count = 1;
    assert_int_equal(findings(p), 0);
}

TEST(of_two_slow_phases_one_comes_first)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    struct profile_phase phases[] = {{.name = S("wait"), .total_s = 5.5, .share = 0.55},
                                     {.name = S("read"), .total_s = 4.5, .share = 0.45}};
    p.phases = phases;
    p.phase_count = COUNT(phases);
    profile_judge(&p, &a);
    assert_int_equal(p.bottleneck_count, 2);
    assert_string_equal(profile_words_suggestion(&p.bottlenecks[0].found, &a),
                        "look here first: no other phase can gain more");
    assert_string_equal(profile_words_suggestion(&p.bottlenecks[1].found, &a),
                        "look here after 'wait', which takes longer");
    arena_close(&a);
}

/* 84 of 100 samples in one function, of 2 s on the processor in ten trials. */
TEST(hot_function)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    struct profile_function functions[] = {{S("spin"), 84, 100}, {S("main"), 16, 100}};
    p.functions = functions;
    p.function_count = COUNT(functions);
    p.samples = 100;
    p.cpu_s = 2;
    profile_judge(&p, &a);
    const struct profile_bottleneck *b = bottleneck(&p, "hot-function");
    assert_string_equal(b->found.location, "spin");
    assert_close(b->impact_ms, 168, 1e-9);
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "84 % of the processor time"));
    assert_non_null(strstr(profile_words_cause(&b->found, &a),
                           "84 of 100 samples (50 are needed), at least 40 %]"));
    assert_close(opportunity(&p, "hot-function")->impact, 0.42, 1e-12);
    arena_close(&a);
}

TEST(hot_function_at_its_thresholds)
{
    struct profile p = quiet();
    struct profile_function functions[] = {{S("spin"), 40, 40}, {S("main"), 30, 100}};
    p.functions = functions;
    p.function_count = COUNT(functions);
    p.samples = 100;
    assert_int_equal(findings(p), 2);
    functions[0].self = 39;
    assert_int_equal(findings(p), 0);
    functions[0].self = 49;
    p.samples = 49; /* too few to say */
    assert_int_equal(findings(p), 0);
    p.samples = 50;
    assert_int_equal(findings(p), 2);
    functions[0].name = S("[unknown]"); /* no name, no advice */
    assert_int_equal(findings(p), 0);
}

TEST(serial_phases)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    struct profile_phase tool = {
        .name = S("tool"), .count = 30, .total_s = 3, .share = 0.3, .avoidable_s = 2};
    p.phases = &tool;
    p.phase_count = 1;
    profile_judge(&p, &a);
    const struct profile_bottleneck *b = bottleneck(&p, "serial-phases");
    assert_string_equal(b->found.location, "tool");
    assert_close(b->impact_ms, 200, 1e-12);
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "3.0 of these phases a trial"));
    assert_non_null(
        strstr(profile_words_cause(&b->found, &a), "20 % of the time, at least 10 %"));
    assert_close(opportunity(&p, "serial-phases")->impact, 0.2, 1e-12);
    arena_close(&a);
}

TEST(serial_phases_at_their_threshold)
{
    struct profile p = quiet();
    struct profile_phase tool = {.name = S("tool"), .count = 20, .avoidable_s = 1};
    p.phases = &tool;
    p.phase_count = 1;
    assert_int_equal(findings(p), 2);
    tool.avoidable_s = 0.999;
    assert_int_equal(findings(p), 0);
    tool.avoidable_s = 0;
    p.duration_s = 0; /* 0 / 0 is no share */
    assert_int_equal(findings(p), 0);
}

TEST(wasted_tokens)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    p.all_tokens = 2000;
    p.wasted_tokens = 500;
    profile_judge(&p, &a);
    const struct profile_bottleneck *b = bottleneck(&p, "wasted-tokens");
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "500 of 2000 tokens"));
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "25 %, at least 5 %"));
    assert_true(isnan(b->impact_ms)); /* tokens are no time */
    assert_close(opportunity(&p, "wasted-tokens")->impact, 0.25, 1e-12);
    arena_close(&a);
}

TEST(wasted_tokens_at_their_threshold)
{
    struct profile p = quiet();
    p.all_tokens = 2000;
    p.wasted_tokens = 100;
    assert_int_equal(findings(p), 2);
    p.wasted_tokens = 99;
    assert_int_equal(findings(p), 0);
    p.wasted_tokens = NAN;
    assert_int_equal(findings(p), 0);
    p.all_tokens = p.wasted_tokens = 0;
    assert_int_equal(findings(p), 0);
}

TEST(cache_misses)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    p.input_tokens = 800;
    p.output_tokens = 200;
    p.cache_read_tokens = 200;
    profile_judge(&p, &a);
    const struct profile_bottleneck *b = bottleneck(&p, "cache-misses");
    assert_non_null(
        strstr(profile_words_cause(&b->found, &a), "600 of 800 input tokens missed"));
    assert_non_null(strstr(profile_words_cause(&b->found, &a), "25 % hit, below 50 %"));
    assert_close(opportunity(&p, "cache-misses")->impact, 0.6, 1e-12); /* of 1000 */
    arena_close(&a);
}

TEST(cache_misses_at_their_threshold)
{
    struct profile p = quiet();
    p.input_tokens = 800;
    p.cache_read_tokens = 400; /* half is enough */
    assert_int_equal(findings(p), 0);
    p.cache_read_tokens = 399;
    assert_int_equal(findings(p), 2);
    p.cache_read_tokens = 0;
    assert_int_equal(findings(p), 2);
    p.cache_read_tokens = NAN; /* an agent without a cache cannot miss it */
    assert_int_equal(findings(p), 0);
}

TEST(one_processor)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    p.cpu_efficiency = 0.95;
    p.parallelization_score = 0.95 / 4;
    profile_judge(&p, &a);
    assert_int_equal(p.bottleneck_count, 0);
    const struct profile_opportunity *o = opportunity(&p, "one-processor");
    assert_close(o->impact, 0.75, 1e-12);
    assert_non_null(strstr(profile_words_improvement(&o->found, &a),
                           "one of 4 processors busy 95 % of the time"));
    assert_non_null(strstr(profile_words_improvement(&o->found, &a), "75 % less"));
    arena_close(&a);
}

TEST(one_processor_at_its_thresholds)
{
    struct profile p = quiet();
    p.cpu_efficiency = 0.9;
    p.parallelization_score = 0.9 / 4;
    assert_int_equal(findings(p), 1);
    p.cpu_efficiency = 0.899; /* it waits */
    assert_int_equal(findings(p), 0);
    p.cpu_efficiency = 1;
    p.parallelization_score = 1.09 / 4; /* about one */
    assert_int_equal(findings(p), 1);
    p.parallelization_score = 1.2 / 4; /* others work too */
    assert_int_equal(findings(p), 0);
    p.cpus = 1; /* there are no others */
    p.parallelization_score = 1;
    assert_int_equal(findings(p), 0);
}

/* ---- every row, with its cause ---- */

static void plant(struct profile *p, const char *rule, struct profile_phase phases[2],
                  struct profile_function *function)
{
    p->phases = phases;
    p->functions = function;
    p->cpu_s = 2;
    if (strcmp(rule, "slow-phase") == 0) p->phase_count = 2;
    if (strcmp(rule, "serial-phases") == 0) {
        p->phase_count = 1;
        phases[0].avoidable_s = 5;
    }
    if (strcmp(rule, "wasted-tokens") == 0) {
        p->all_tokens = 100;
        p->wasted_tokens = 50;
    }
    if (strcmp(rule, "cache-misses") == 0) {
        p->input_tokens = 100;
        p->cache_read_tokens = 10;
    }
    if (strcmp(rule, "one-processor") == 0) {
        p->cpu_efficiency = 1;
        p->parallelization_score = 0.25;
    }
    if (strcmp(rule, "hot-function") == 0) {
        p->function_count = 1;
        p->samples = 100;
    }
}

TEST(every_rule_speaks_with_its_cause_and_alone)
{
    registry_check("profile rule", profile_rule_entry, false);
    for (size_t i = 0; profile_rule_at(i); i++) {
        const struct profile_rule *rule = profile_rule_at(i);
        struct arena a = arena_open();
        struct profile p = quiet();
        struct profile_phase phases[2] = {{.name = S("x"), .count = 10, .share = 0.8},
                                          {.name = S("y"), .count = 10, .share = 0.2}};
        struct profile_function function = {S("spin"), 90, 90};
        assert_true(rule->threshold > 0 && rule->threshold < 1);
        plant(&p, rule->name, phases, &function);
        profile_judge(&p, &a);
        assert_non_null(opportunity(&p, rule->name));
        for (size_t k = 0; k < p.opportunity_count; k++)
            assert_string_equal(profile_words_rule(&p.opportunities[k].found), rule->name);
        p = quiet(); /* and not without */
        rule->find(&p, rule, &a);
        assert_int_equal(p.opportunity_count + p.bottleneck_count, 0);
        arena_close(&a);
    }
}

TEST(findings_have_a_limit)
{
    struct arena a = arena_open();
    struct profile p = quiet();
    struct profile_phase phases[PROFILE_FINDINGS_MAX + 8];
    for (size_t i = 0; i < COUNT(phases); i++) {
        phases[i] = (struct profile_phase){.name = S("x"), .count = 1, .avoidable_s = 5};
    }
    p.phases = phases;
    p.phase_count = COUNT(phases);
    profile_judge(&p, &a);
    assert_int_equal(p.bottleneck_count, PROFILE_FINDINGS_MAX);
    assert_int_equal(p.opportunity_count, PROFILE_FINDINGS_MAX);
    arena_close(&a);
}

TEST_MAIN(T(without_a_cause_every_rule_is_silent),
          T(every_rule_speaks_with_its_cause_and_alone), T(slow_phase),
          T(slow_phase_at_its_threshold), T(of_two_slow_phases_one_comes_first),
          T(hot_function), T(hot_function_at_its_thresholds), T(serial_phases),
          T(serial_phases_at_their_threshold), T(wasted_tokens),
          T(wasted_tokens_at_their_threshold), T(cache_misses),
          T(cache_misses_at_their_threshold), T(one_processor),
          T(one_processor_at_its_thresholds), T(findings_have_a_limit))
