#include "judge/load_summary.h"

#include "stats/hdr.h"
#include "tests/test.h"

static bool is_broken(const char *text, const struct load_summary *s)
{
    struct load_limit limit;
    struct error err = {0};
    if (!load_limit_parse(text, &limit, &err)) fail_msg("%s", err.text);
    return load_limit_is_broken(&limit, s);
}

/* Nobody knows how long requests without a good answer would have taken. */
TEST(a_percentile_that_cannot_be_known_breaks_its_limit)
{
    struct load_summary s = {.sound = {.response = {10, 10, 10, 10, 10}, .p95_ms = 10},
                             .generator = "ok",
                             .keeps_up = true};
    static const char *const limits[] = {"p50>40ms", "p90>40ms",  "p95>40ms",
                                         "p99>40ms", "p999>40ms", "max>40ms"};
    static const double beyond[] = {0.5, 0.1, 0.05, 0.01, 0.001, 0};
    for (size_t i = 0; i < COUNT(limits); i++) {
        s.error_share = beyond[i];
        assert_false(is_broken(limits[i], &s));
        s.error_share = beyond[i] + 0.0005;
        assert_true(is_broken(limits[i], &s));
    }
    s.error_share = 0.123;
    assert_false(is_broken("p95<5ms", &s));
    assert_false(is_broken("errors>20%", &s));
    assert_true(is_broken("errors>10%", &s));
}

/* A generator that sends late makes times long and rates low by itself; it makes no errors. */
TEST(a_spoiled_load_breaks_no_limit_on_times_and_rates)
{
    struct load_summary s = {.sound = {.response = {50, 50, 50, 50, 50}, .p95_ms = 50},
                             .generator = "saturated",
                             .error_share = 0.005,
                             .accuracy = 0.5,
                             .keeps_up = true};
    static const struct {
        const char *text;
        bool is_untold;
    } rows[] = {{"p50>40ms", true},  {"p95>40ms", true},      {"p99>40ms", true},
                {"rate<500", true},  {"goodput<500", true},   {"errors>0.1%", false},
                {"p99>60ms", false}, {"accuracy<0.9", false}, {"max>40ms", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_limit limit;
        struct error err = {0};
        if (!load_limit_parse(rows[i].text, &limit, &err)) fail_msg("%s", err.text);
        s.generator = "saturated";
        if (load_limit_is_untold(&limit, &s) != rows[i].is_untold)
            fail_msg("%s: untold %d", rows[i].text, !rows[i].is_untold);
        s.generator = "ok";
        assert_false(load_limit_is_untold(&limit, &s));
    }
}

/* Of 1000 requests 900 were never sent, and 20 failed: who was too busy to send the others? */
TEST(what_a_busy_generator_never_sent_is_no_error_of_the_server)
{
    struct load_summary s = {.sound = {.response = {50, 50, 50, 50, 50}, .p95_ms = 50},
                             .scheduled = 1000,
                             .unsent = 900,
                             .sent = 100,
                             .ok = 80,
                             .failed = 20,
                             .error_share = 0.92,
                             .keeps_up = true};
    static const struct {
        const char *text;
        bool is_untold;
    } rows[] = {{"errors>1%", false}, {"errors>5%", true}, {"p99>60ms", false},
                {"p999>60ms", false}, {"p50>60ms", true},  {"errors<95%", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_limit limit;
        struct error err = {0};
        if (!load_limit_parse(rows[i].text, &limit, &err)) fail_msg("%s", err.text);
        assert_true(load_limit_is_broken(&limit, &s));
        s.generator = "saturated";
        if (load_limit_is_untold(&limit, &s) != rows[i].is_untold)
            fail_msg("%s: untold %d", rows[i].text, !rows[i].is_untold);
        s.generator = "ok"; /* the server kept its connections busy */
        assert_false(load_limit_is_untold(&limit, &s));
    }
}

/* One block of three is the generator's: it sent late, and its times are a second. */
TEST(limits_are_judged_by_the_blocks_that_the_generator_left_alone)
{
    struct arena a = arena_open();
    struct error err = {0};
    static const double generator[] = {0, 1, 0}, p95_s[] = {0.01, 1, 0.01},
                        rate[] = {100, 50, 100};
    struct view_metric metrics[] = {
        {.name = "generator", .samples = generator, .count = 3},
        {.name = "response_p95_s", .samples = p95_s, .count = 3, .median = 0.01},
        {.name = "rate", .samples = rate, .count = 3},
        {.name = "goodput", .samples = rate, .count = 3}};
    struct view_quantiles blocks[3], whole = {.metric = "response", .trial = -1, .p99 = 1};
    for (int i = 0; i < 3; i++) {
        struct hdr h;
        struct buf text;
        assert_true(hdr_init(&h, 1000, 3600000000000, 3, &a, &err));
        assert_true(hdr_record(&h, i == 1 ? 1000000000 : 10000000, 100));
        buf_init(&text, 1 << 16);
        hdr_encode(&h, &text);
        blocks[i] = (struct view_quantiles){
            .metric = "response", .trial = i, .data = str_copy(&a, buf_str(&text))};
        buf_release(&text);
    }
    struct view_cell cell = {.record = {.experiment = "load"},
                             .metrics = metrics,
                             .metric_count = COUNT(metrics),
                             .trial_count = 3,
                             .merged = &whole,
                             .merged_count = 1,
                             .histograms = blocks,
                             .histogram_count = 3};
    struct view view = {0};
    struct load_summary s;
    assert_true(load_summary_make(&view, &cell, &a, &s, &err));
    assert_string_equal(s.generator, "ok"); /* of most blocks */
    assert_int_equal(s.spoiled, 1);
    assert_close(s.response.p99, 1000, 1e-9); /* of all: what is shown */
    assert_close(s.sound.response.p99, 10, 0.02);
    assert_close(s.sound.response.max, 10, 0.02);
    assert_close(s.sound.p95_ms, 10, 1e-9);
    assert_close(s.sound.rate, 100, 1e-9);
    assert_false(is_broken("p99>100ms", &s));
    assert_false(is_broken("rate<90", &s));
    assert_true(is_broken("p99>5ms", &s));
    arena_close(&a);
}

TEST(a_limit_that_cannot_tell_is_refused)
{
    static const struct {
        const char *text, *says; /* NULL: it is one */
    } rows[] = {
        {"p95>-1ms", "always"},   {"p95<0ms", "never"},     {"p95<-1s", "never"},
        {"errors>150%", "never"}, {"errors>100%", "never"}, {"errors<150%", "always"},
        {"errors<0", "never"},    {"rate<-5", "never"},     {"rate>-5", "always"},
        {"accuracy<0", "never"},  {"errors>0", NULL},       {"accuracy<100%", NULL},
        {"p99>0ms", NULL},        {"rate<5", NULL},         {"errors>99%", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_limit limit;
        struct error err = {0};
        bool is_one = load_limit_parse(rows[i].text, &limit, &err);
        if (is_one != !rows[i].says || (!is_one && !strstr(err.text, rows[i].says)))
            fail_msg("%s: %s", rows[i].text, err.text);
        if (!is_one) assert_int_equal(err.code, ERROR_INVALID);
    }
}

/* Five a second for ten blocks of a second, all answered: each block's own rate, from its first
 * answer on, is below that. A server that does not keep up answers the rest after the time. */
TEST(the_rate_of_an_open_load_is_that_of_its_counts)
{
    struct arena a = arena_open();
    struct error err = {0};
    double ok[10], rate[10], goodput[10], growth_s[10];
    for (size_t i = 0; i < 10; i++) {
        ok[i] = 5;
        rate[i] = 4.179;
        goodput[i] = rate[i] / 5;
        growth_s[i] = 0;
    }
    struct view_metric metrics[] = {
        {.name = "answered", .samples = ok, .count = 10},
        {.name = "scheduled", .samples = ok, .count = 10},
        {.name = "rate", .samples = rate, .count = 10},
        {.name = "goodput", .samples = goodput, .count = 10},
        {.name = "queue_growth_s", .samples = growth_s, .count = 10}};
    const struct value *params =
        value_with(&a, value_with(&a, NULL, S("rate"), value_new_real(&a, 5)), S("seconds"),
                   value_new_real(&a, 1));
    struct view_cell cell = {.record = {.experiment = "load", .parameters = params},
                             .metrics = metrics,
                             .metric_count = COUNT(metrics),
                             .trial_count = 10};
    struct view view = {0};
    struct load_summary s;
    assert_true(load_summary_make(&view, &cell, &a, &s, &err));
    assert_close(s.rate, 5, 1e-9);
    assert_close(s.goodput, 1, 1e-9);
    assert_true(isnan(s.turn_rate));
    assert_false(is_broken("rate<4.5", &s));
    for (size_t i = 0; i < 10; i++) growth_s[i] = 0.5;
    assert_true(load_summary_make(&view, &cell, &a, &s, &err));
    assert_false(s.keeps_up);
    assert_close(s.rate, 4.179, 1e-9);
    assert_true(is_broken("rate<4.5", &s));
    arena_close(&a);
}

TEST_MAIN(T(what_a_busy_generator_never_sent_is_no_error_of_the_server),
          T(a_limit_that_cannot_tell_is_refused),
          T(the_rate_of_an_open_load_is_that_of_its_counts),
          T(a_percentile_that_cannot_be_known_breaks_its_limit),
          T(a_spoiled_load_breaks_no_limit_on_times_and_rates),
          T(limits_are_judged_by_the_blocks_that_the_generator_left_alone))
