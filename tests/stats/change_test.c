/* Indices published by the detectors' own projects, and the targets of ours. */
#include "stats/change.h"

#include "tests/detector_score.h"
#include "tests/test.h"

static size_t find(const double *values, size_t n, struct change_options o, struct arena *out,
                   struct change_point **points)
{
    size_t count = 0;
    change_find(values, n, &o, out, points, &count);
    return count;
}

static void expect_indices(const double *values, size_t n, struct change_options o,
                           const size_t *expected, size_t expected_count)
{
    struct arena a = arena_open();
    struct change_point *points;
    size_t count = find(values, n, o, &a, &points);
    for (size_t i = 0; i < count && i < expected_count; i++)
        assert_int_equal(points[i].index, expected[i]);
    assert_int_equal(count, expected_count);
    arena_close(&a);
}

#define INDICES(...) (const size_t[]){__VA_ARGS__}, COUNT(((const size_t[]){__VA_ARGS__}))

static const struct change_options otava = {.detector = CHANGE_OTAVA};
static const struct change_options potts = {.detector = CHANGE_POTTS};
static const struct change_options ours = {.detector = CHANGE_ASSAY};

TEST(otava_finds_what_it_finds_in_short_series)
{
    static const double fall[] = {1.02, .95, .99, 1, 1.12, .90, .50, .51, .48, .48, .55};
    static const double dip[] = {2.02, 2.03, 2.01, 2.04, 1.82, 1.85,
                                 1.79, 1.81, 1.80, 1.76, 1.78};
    expect_indices(fall, COUNT(fall), otava, INDICES(6));
    expect_indices(dip, COUNT(dip), otava, INDICES(4));
}

static size_t read_tigerbeetle(double *values, size_t max)
{
    const char *path = shared_data("series/tigerbeetle_series.txt");
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f) return 0;
    size_t n = 0;
    char line[64];
    while (n < max && fgets(line, sizeof line, f)) values[n++] = strtod(line, NULL);
    fclose(f);
    return n;
}

TEST(otava_agrees_on_tigerbeetle)
{
    double v[400];
    size_t n = read_tigerbeetle(v, COUNT(v));
    if (n == 0) skip();
    assert_int_equal(n, 365);
    struct change_options o = {CHANGE_OTAVA, .01, 30, .05};
    expect_indices(v, n, o, INDICES(15, 71));
    o.p = .05;
    expect_indices(v, n, o, INDICES(15, 71));
    o.p = .1;
    expect_indices(v, n, o, INDICES(10, 11, 15, 71, 363));
    o.p = .2;
    expect_indices(v, n, o, INDICES(10, 11, 15, 71));
    o.magnitude = 0;
    o.p = .01;
    expect_indices(v, n, o,
                   INDICES(15, 26, 61, 71, 95, 117, 131, 142, 148, 165, 169, 192, 212, 260));
    o.p = .001;
    expect_indices(v, n, o, INDICES(15, 61, 71, 95, 117, 131, 142, 148, 192, 212, 260));
    o.p = 1e-4;
    expect_indices(v, n, o, INDICES(71, 95, 117, 131, 142, 148, 192, 212));
    o.p = 1e-5;
    expect_indices(v, n, o, INDICES(71, 95, 131, 192, 212));
    expect_indices(v, n, otava, INDICES(15, 61, 71, 95, 117, 131, 192, 212));
}

TEST(otava_reports_levels)
{
    static const double v[] = {0.3,  2.4,   1.5,   -0.9,  -0.5,  99.7,  98.3,
                               99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};
    struct arena a = arena_open();
    struct change_options o = {.detector = CHANGE_OTAVA, .p = .01};
    struct change_point *p;
    assert_int_equal(find(v, COUNT(v), o, &a, &p), 2);
    assert_int_equal(p[0].index, 5);
    assert_int_equal(p[1].index, 8);
    assert_close(p[0].before, 0.56, 1e-12);
    assert_close(p[1].before, (99.7 + 98.3 + 99.1) / 3, 1e-12);
    assert_close(p[1].change, p[1].after / p[1].before - 1, 1e-12);
    assert_true(p[0].p < .01 && p[1].p < .01);
    arena_close(&a);
}

TEST(potts_sees_a_step_and_ignores_a_wave)
{
    double v[1000];
    for (size_t j = 0; j < COUNT(v); j++)
        v[j] = 0.2 * cos((double)j / 100) + (j >= 500 ? 1 : 0);
    expect_indices(v, COUNT(v), potts, INDICES(500));
}

TEST(a_constant_has_no_change)
{
    double v[300];
    for (size_t i = 0; i < COUNT(v); i++) v[i] = 0.1;
    for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++) {
        for (size_t n = 0; n <= COUNT(v); n += n < 12 ? 1 : 96)
            expect_indices(v, n, (struct change_options){.detector = d}, NULL, 0);
    }
}

TEST(every_detector_finds_a_clear_step)
{
    double v[60];
    struct rng r = rng_seeded(7);
    for (size_t i = 0; i < COUNT(v); i++) v[i] = (i < 30 ? 100 : 140) + rng_normal(&r);
    for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++)
        expect_indices(v, COUNT(v), (struct change_options){.detector = d}, INDICES(30));
    for (size_t i = 0; i < COUNT(v); i++) v[i] = -v[i]; /* no logarithm to take */
    expect_indices(v, COUNT(v), ours, INDICES(30));
    for (size_t i = 0; i < COUNT(v); i++) v[i] = i < 30 ? 0 : 5; /* no variance either */
    expect_indices(v, COUNT(v), ours, INDICES(30));
}

TEST(missing_values_are_filled)
{
    double v[40];
    for (size_t i = 0; i < COUNT(v); i++) v[i] = (i < 20 ? 10 : 20) + 0.01 * (double)(i % 3);
    v[0] = v[1] = v[7] = v[39] = NAN;
    v[25] = INFINITY;
    for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++)
        expect_indices(v, COUNT(v), (struct change_options){.detector = d}, INDICES(20));
    for (size_t i = 0; i < COUNT(v); i++) v[i] = NAN;
    for (int d = 0; d < CHANGE_DETECTOR_COUNT; d++)
        expect_indices(v, COUNT(v), (struct change_options){.detector = d}, NULL, 0);
}

TEST(ours_reports_the_medians)
{
    double v[50];
    for (size_t i = 0; i < COUNT(v); i++) v[i] = i < 25 ? 100 + (double)(i % 5) : 120;
    v[3] = 900; /* an outlier moves no median */
    struct arena a = arena_open();
    struct change_point *p;
    assert_int_equal(find(v, COUNT(v), ours, &a, &p), 1);
    assert_int_equal(p[0].index, 25);
    assert_close(p[0].before, 102, 1e-12);
    assert_close(p[0].after, 120, 1e-12);
    assert_close(p[0].change, 120.0 / 102 - 1, 1e-12);
    assert_true(p[0].p >= 0 && p[0].p <= 0.001);
    arena_close(&a);
}

TEST(a_small_change_needs_to_be_asked_for)
{
    double v[80];
    struct rng r = rng_seeded(11);
    for (size_t i = 0; i < COUNT(v); i++) v[i] = (i < 40 ? 100 : 102) + 0.1 * rng_normal(&r);
    expect_indices(v, COUNT(v), ours, NULL, 0);
    expect_indices(v, COUNT(v), (struct change_options){.magnitude = .01}, INDICES(40));
}

TEST(a_burst_that_goes_back_is_no_change)
{
    struct rng r = rng_seeded(13);
    for (size_t start = 20; start < 80; start += 5) {
        double v[100];
        for (size_t i = 0; i < COUNT(v); i++)
            v[i] = (100 + 2 * rng_normal(&r)) * (i >= start && i < start + 4 ? 1.5 : 1);
        expect_indices(v, COUNT(v), ours, NULL, 0);
    }
    double v[100]; /* half the series is no burst */
    for (size_t i = 0; i < COUNT(v); i++)
        v[i] = (100 + 2 * rng_normal(&r)) * (i >= 30 && i < 70 ? 1.5 : 1);
    expect_indices(v, COUNT(v), ours, INDICES(30, 70));
}

TEST(long_series_are_searched_in_windows)
{
    enum { N = 3000 };
    struct arena a = arena_open();
    double *v = arena_new(&a, double, N);
    struct rng r = rng_seeded(5);
    for (size_t i = 0; i < N; i++)
        v[i] = (i < 740 ? 100 : i < 2200 ? 110 : 95) + 2 * rng_normal(&r);
    expect_indices(v, N, ours, INDICES(740, 2200));
    expect_indices(v, 1500, potts, INDICES(740));
    arena_close(&a);
}

TEST(made_noise_raises_few_alarms)
{
    struct arena a = arena_open();
    for (int kind = 0; kind < NOISE_PROMISED; kind++) {
        struct detector_score s = detector_on_noise(kind, 200, &ours, a);
        if (s.flagged > 10) fail_msg("%s: %zu of 200 flagged", noise_names[kind], s.flagged);
    }
    arena_close(&a);
}

TEST(real_noise_meets_the_targets)
{
    static double values[SERIES_COUNT][SERIES_POINTS];
    const char *path = shared_data("series/azure_vm_noise_first120.csv");
    if (!path) skip();
    struct arena a = arena_open();
    struct error err = {0};
    if (!series_read(path, values, a, &err)) fail_msg("%s", err.text);
    struct detector_score s = {0};
    for (size_t i = 0; i < SERIES_COUNT; i++) detector_add(&s, values[i], &ours, a);
    print_message("# flagged %zu, +10 %% %zu, +5 %% %zu\n", s.flagged, s.found10, s.found5);
    assert_true(s.flagged <= 4);
    assert_true(s.found10 >= 73);
    assert_true(s.found5 >= 57);
    arena_close(&a);
}

TEST_MAIN(T(otava_finds_what_it_finds_in_short_series), T(otava_agrees_on_tigerbeetle),
          T(otava_reports_levels), T(potts_sees_a_step_and_ignores_a_wave),
          T(a_constant_has_no_change), T(every_detector_finds_a_clear_step),
          T(missing_values_are_filled), T(ours_reports_the_medians),
          T(a_small_change_needs_to_be_asked_for), T(a_burst_that_goes_back_is_no_change),
          T(long_series_are_searched_in_windows), T(made_noise_raises_few_alarms),
          T(real_noise_meets_the_targets))
