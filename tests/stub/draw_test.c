#include "stub/draw.h"

#include "tests/test.h"

static double mean_of(const char *text, double *sd)
{
    enum { N = 20000 };
    struct draw d;
    struct error err = {0};
    struct rng r = rng_seeded(7);
    double sum = 0;
    double squares = 0;
    assert_true(draw_parse(text, "x", &d, &err));
    for (int i = 0; i < N; i++) {
        double v = draw_next(&d, &r);
        assert_true(v >= 0);
        sum += v;
        squares += v * v;
    }
    *sd = sqrt(squares / N - sum / N * sum / N);
    return sum / N;
}

TEST(means_and_deviations_are_those_asked_for)
{
    static const struct {
        const char *text;
        double mean, sd;
    } forms[] = {
        {"50", 50, 0},
        {"uniform:10,90", 50, 80 / 3.4641016},
        {"normal:50,10", 50, 10},
        {"exp:50", 50, 50},
        {"lognormal:50,0.5", 56.657, 30.195}, /* exp(s^2/2), sqrt(exp(s^2) - 1) */
        {"lognormal-mean:50,0.5", 50, 26.648},
        {"normal:5,20", 10.727, 13.344}, /* cut at 0 */
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        double sd = 0;
        double mean = mean_of(forms[i].text, &sd);
        if (fabs(mean - forms[i].mean) > 1.5 || fabs(sd - forms[i].sd) > 1.5)
            fail_msg("%s: mean %g, sd %g", forms[i].text, mean, sd);
        struct draw d;
        struct error err = {0};
        assert_true(draw_parse(forms[i].text, "x", &d, &err));
        assert_close(draw_mean(&d), forms[i].mean, 1e-4);
    }
}

TEST(what_is_neither_is_refused_by_name)
{
    static const char *const wrong[] = {
        "",        "-1",          "x",           "normal",   "normal:1", "normal:1,2,3",
        "exp:1,2", "uniform:9,1", "normal:1,-2", "gamma:1,2"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct draw d;
        struct error err = {0};
        if (draw_parse(wrong[i], "--ttft-ms", &d, &err)) fail_msg("accepted '%s'", wrong[i]);
        assert_int_equal(err.code, ERROR_INVALID);
        assert_non_null(strstr(err.text, "--ttft-ms"));
    }
}

TEST_MAIN(T(means_and_deviations_are_those_asked_for), T(what_is_neither_is_refused_by_name))
