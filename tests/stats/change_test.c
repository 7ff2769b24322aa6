/* Indices published by the detectors' own projects, and the targets of ours. */
#include "stats/change.h"

#include "tests/detector_score.h"
#include "tests/test.h"

static size_t find(const double *values, size_t n, struct change_options o, struct arena *out,
                   struct change_point **points)
{
    struct change_found found = change_find(values, n, &o, out);
    *points = found.points;
    return found.count;
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

TEST(the_size_of_values_does_not_matter_to_a_detector)
{
    static const struct change_options each[] = {
        {.detector = CHANGE_ASSAY}, {.detector = CHANGE_OTAVA}, {.detector = CHANGE_POTTS}};
    struct arena a = arena_open();
    for (size_t d = 0; d < COUNT(each); d++) {
        double near[60];
        double far[60];
        for (size_t i = 0; i < 60; i++)
            near[i] = (i < 30 ? 1 : 1.2) + 0.01 * sin(12.9 * (double)i * (double)i);
        for (int power = -1000; power <= 1000; power += 400) {
            for (size_t i = 0; i < 60; i++) far[i] = ldexp(near[i], power);
            struct change_point *one;
            struct change_point *two;
            size_t count = find(near, 60, each[d], &a, &one);
            assert_int_equal(find(far, 60, each[d], &a, &two), count);
            assert_int_equal(count, 1);
            assert_int_equal(two[0].index, one[0].index);
            assert_close(two[0].change, one[0].change, 1e-9);
            assert_close(ldexp(two[0].after, -power), one[0].after, 1e-9);
        }
    }
    arena_close(&a);
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

/* 12 points at 100, 12 at 108, 12 at 108 (1 + s): the second step is too small to
 * tell, and must not hide the first. */
TEST(a_step_is_found_that_a_small_one_follows)
{
    struct arena a = arena_open();
    for (size_t k = 0; k < 5; k++) {
        double second = -0.01 - 0.005 * (double)k;
        size_t found = 0;
        for (uint64_t i = 0; i < 30; i++) {
            struct rng r = rng_seeded(rng_derive(2, k, i));
            double v[36];
            for (size_t t = 0; t < COUNT(v); t++) {
                double level = t < 12 ? 100 : t < 24 ? 108 : 108 * (1 + second);
                v[t] = level * (1 + 0.004 * rng_normal(&r));
            }
            struct change_point *p;
            size_t count = find(v, COUNT(v), ours, &a, &p);
            for (size_t j = 0; j < count; j++) found += p[j].index == 12;
        }
        if (found < 29) fail_msg("then %+.1f %%: %zu of 30", 100 * second, found);
    }
    arena_close(&a);
}

/* Where there are too few points to know, nothing is said: nobody is blamed for the
 * next one's change. */
TEST(a_change_near_an_end_is_placed_or_not_told)
{
    struct arena a = arena_open();
    for (size_t k = 1; k <= 10; k++) {
        size_t wrong[2] = {0, 0};
        for (uint64_t i = 0; i < 40; i++) {
            struct rng r = rng_seeded(rng_derive(3, k, i));
            size_t good = 24 + i % 3;
            double v[2][36];
            for (size_t t = 0; t < good + k; t++) {
                double bad = i % 2 ? 108 : 109;
                double noise = 1 + (i % 4 < 2 ? 0.004 : 0.005) * rng_normal(&r);
                v[0][t] = (t < good ? 100 : bad) * noise;
                v[1][t] = (t < k ? 100 : bad) * noise;
            }
            for (size_t side = 0; side < 2; side++) {
                size_t truth = side ? k : good;
                struct change_point *p;
                size_t count = find(v[side], good + k, ours, &a, &p);
                bool is_right = count == 0 || (count == 1 && p[0].index == truth);
                wrong[side] += !is_right;
                if (count > 0) assert_true(p[0].index >= truth);
                if (k >= CHANGE_SETTLED) assert_int_equal(count, 1);
            }
        }
        assert_true(wrong[0] <= 2 && wrong[1] <= 2);
    }
    arena_close(&a);
}

/* Two kinds of machine behind one name: each step moves the lower mode into the
 * gap, where a test of levels sees nothing. */
TEST(a_step_of_two_modes_is_found)
{
    struct arena a = arena_open();
    struct detector_score s = {0};
    for (uint64_t i = 0; i < 100; i++) {
        struct rng r = rng_seeded(rng_derive(4, 0, i));
        double v[100];
        for (size_t t = 0; t < COUNT(v); t++) {
            double mode = rng_real(&r) < 0.5 ? 100 : 110;
            v[t] = mode * (1 + 0.005 * rng_normal(&r));
        }
        detector_add(&s, v, &ours, a);
    }
    print_message("# flagged %zu, +10 %% %zu, +5 %% %zu\n", s.flagged, s.found10, s.found5);
    assert_true(s.flagged <= 4 && s.found10 >= 80 && s.found5 >= 90);
    arena_close(&a);
}

/* The share of the lower mode moves by chance, and each mode's inside wanders. */
TEST(modes_that_wander_raise_few_alarms)
{
    struct arena a = arena_open();
    size_t flagged = 0;
    for (uint64_t i = 0; i < 100; i++) {
        struct rng r = rng_seeded(rng_derive(5, 0, i));
        double inside = rng_normal(&r);
        double v[100];
        for (size_t t = 0; t < COUNT(v); t++) {
            inside = 0.9 * inside + sqrt(1 - 0.81) * rng_normal(&r);
            v[t] = (rng_real(&r) < 0.5 ? 100 : 110) * (1 + 0.005 * inside);
        }
        flagged += detector_flags(v, &ours, a);
    }
    if (flagged > 6) fail_msg("%zu of 100 flagged", flagged);
    arena_close(&a);
}

struct drift_count {
    size_t drifts;
    size_t stepped; /* a change told within 3 points of 60 */
    size_t changed; /* any change told */
    size_t covered; /* the interval holds the slope */
};

static struct drift_count count_drifts(double total, double step, struct arena a)
{
    struct drift_count c = {0};
    double slope = log1p(total) / 99;
    for (uint64_t i = 0; i < 60; i++) {
        struct rng r = rng_seeded(rng_derive(6, (uint64_t)(1000 * total), i));
        double v[100];
        for (size_t t = 0; t < COUNT(v); t++) {
            double level = 100 * exp(slope * (double)t) * (t < 60 ? 1 : 1 + step);
            v[t] = level * (1 + 0.02 * rng_normal(&r));
        }
        struct change_found f = change_find(v, COUNT(v), &ours, &a);
        c.drifts += f.drift.is_found;
        c.covered +=
            f.drift.is_found && f.drift.low <= expm1(slope) && expm1(slope) <= f.drift.high;
        c.changed += f.count > 0;
        for (size_t k = 0; k < f.count; k++)
            c.stepped += f.points[k].index >= 57 && f.points[k].index <= 63;
    }
    return c;
}

TEST(a_drift_is_a_drift)
{
    struct arena a = arena_open();
    struct drift_count slow = count_drifts(0.06, 0, a);
    struct drift_count fast = count_drifts(0.12, 0, a);
    struct drift_count both = count_drifts(0.12, 0.08, a);
    struct drift_count flat = count_drifts(0, 0, a);
    struct drift_count step = count_drifts(0, 0.08, a);
    print_message("# 6 %%: %zu drifts, %zu steps; 12 %%: %zu, %zu, %zu covered\n", slow.drifts,
                  slow.changed, fast.drifts, fast.changed, fast.covered);
    assert_true(slow.drifts >= 33 && slow.changed <= 24);
    assert_true(fast.drifts >= 54 && fast.changed <= 6);
    assert_true(fast.covered * 10 >= fast.drifts * 9);
    assert_true(both.stepped >= 55);
    assert_int_equal(flat.drifts + flat.changed, 0);
    assert_true(step.stepped >= 58 && step.drifts == 0);
    arena_close(&a);
}

TEST(too_few_points_are_told)
{
    double v[10] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    struct arena a = arena_open();
    for (size_t n = 0; n <= COUNT(v); n++) {
        struct change_found f = change_find(v, n, &ours, &a);
        assert_int_equal(f.too_few, n < 10 ? 10 : 0);
        assert_int_equal(f.count, n == 10 ? 1 : 0);
    }
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
    assert_true(s.found10 >= 78);
    assert_true(s.found5 >= 62);
    arena_close(&a);
}

TEST_MAIN(T(otava_finds_what_it_finds_in_short_series), T(otava_agrees_on_tigerbeetle),
          T(otava_reports_levels), T(potts_sees_a_step_and_ignores_a_wave),
          T(a_constant_has_no_change), T(every_detector_finds_a_clear_step),
          T(the_size_of_values_does_not_matter_to_a_detector), T(missing_values_are_filled),
          T(ours_reports_the_medians), T(a_small_change_needs_to_be_asked_for),
          T(a_burst_that_goes_back_is_no_change), T(long_series_are_searched_in_windows),
          T(a_step_is_found_that_a_small_one_follows),
          T(a_change_near_an_end_is_placed_or_not_told), T(a_step_of_two_modes_is_found),
          T(modes_that_wander_raise_few_alarms), T(a_drift_is_a_drift),
          T(too_few_points_are_told), T(made_noise_raises_few_alarms),
          T(real_noise_meets_the_targets))
