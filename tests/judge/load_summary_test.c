#include "judge/load_summary.h"

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
    struct load_summary s = {.response = {10, 10, 10, 10, 10}, .p95_ms = 10, .keeps_up = true};
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

TEST_MAIN(T(a_percentile_that_cannot_be_known_breaks_its_limit))
