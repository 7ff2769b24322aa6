#include "stats/shape.h"

#include "tests/stats/noise.h"
#include "tests/test.h"

enum { LENGTH = 60, SEEDS = 400 };

static struct shape shape_at(const double *series, size_t n)
{
    struct arena a = arena_open();
    struct shape shape = shape_of(a, series, n);
    arena_close(&a);
    return shape;
}

TEST(healthy_noise_is_left_alone)
{
    for (int kind = 0; kind < NOISE_KIND_COUNT; kind++) {
        int raised[SHAPE_FLAG_COUNT] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct rng r = rng_seeded(rng_derive(seed, (uint64_t)kind, 0));
            double series[LENGTH];
            for (int i = 0; i < LENGTH; i++) {
                series[i] = 100 + 5 * noise_draw(&r, (enum noise_kind)kind);
            }
            struct shape shape = shape_at(series, LENGTH);
            for (unsigned f = 0; f < SHAPE_FLAG_COUNT; f++) raised[f] += shape.flags >> f & 1;
        }
        for (unsigned f = 0; f < SHAPE_FLAG_COUNT; f++) {
            if (raised[f] > SEEDS / 50) {
                fail_msg("%s: flag %u raised in %d of %d", noise_names[kind], f, raised[f],
                         SEEDS);
            }
        }
    }
}

/* In how many of 100 series made by base + add(i) + noise the flag is raised. */
static int raised(enum shape_flag flag, double (*add)(int i, struct rng *r), double sigma)
{
    int count = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng r = rng_seeded(seed);
        double series[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            double noise = rng_normal(&r);
            series[i] = 100 + add(i, &r) + sigma * noise;
        }
        count += (shape_at(series, LENGTH).flags & (unsigned)flag) != 0;
    }
    return count;
}

static double ramp_of_10_percent(int i, struct rng *r)
{
    (void)r;
    return 10.0 * i / LENGTH;
}

static double ramp_of_a_thousandth(int i, struct rng *r)
{
    (void)r;
    return 0.1 * i / LENGTH;
}

static double slow_first(int i, struct rng *r)
{
    (void)r;
    return i == 0 ? 40 : 0;
}

static double two_peaks(int i, struct rng *r)
{
    (void)i;
    return rng_below(r, 10) < 4 ? 20 : 0;
}

TEST(a_drift_is_seen_and_a_tiny_one_is_not)
{
    assert_true(raised(SHAPE_DRIFT, ramp_of_10_percent, 3) >= 95);
    assert_true(raised(SHAPE_DRIFT, ramp_of_a_thousandth, 0.001) == 0);
}

TEST(a_first_value_apart_is_seen)
{
    assert_true(raised(SHAPE_FIRST_APART, slow_first, 3) >= 95);
    const double flat_but_first[] = {2, 1, 1, 1, 1, 1};
    assert_true(shape_at(flat_but_first, 6).flags & SHAPE_FIRST_APART);
}

TEST(two_peaks_are_seen)
{
    assert_true(raised(SHAPE_BIMODAL, two_peaks, 3) >= 90);
}

TEST(a_limit_and_a_coarse_clock_are_seen)
{
    struct rng r = rng_seeded(3);
    double clipped[LENGTH];
    double coarse[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        clipped[i] = fmin(101, 100 + 2 * rng_normal(&r));
        coarse[i] = round(rng_normal(&r) * 0.8);
    }
    struct shape c = shape_at(clipped, LENGTH);
    assert_true(c.flags & SHAPE_CLIPPED);
    assert_false(c.flags & SHAPE_BIMODAL);
    struct shape q = shape_at(coarse, LENGTH);
    assert_true(q.flags & SHAPE_QUANTISED);
    assert_false(q.flags & (SHAPE_BIMODAL | SHAPE_CLIPPED));
}

TEST(autocorrelation_is_seen_and_is_no_drift)
{
    int seen = 0;
    int drift = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng r = rng_seeded(seed);
        double series[200];
        double x = 0;
        for (int i = 0; i < 200; i++) {
            x = 0.5 * x + rng_normal(&r);
            series[i] = 100 + 3 * x;
        }
        unsigned flags = shape_at(series, 200).flags;
        seen += (flags & SHAPE_AUTOCORRELATED) != 0;
        drift += (flags & SHAPE_DRIFT) != 0;
    }
    assert_true(seen >= 98);
    assert_true(drift <= 2);
}

TEST(degenerate_series)
{
    const double equal[] = {4, 4, 4};
    assert_int_equal(shape_at(equal, 3).flags, SHAPE_ZERO_VARIANCE);
    assert_int_equal(shape_at(equal, 1).flags, 0);
    assert_int_equal(shape_at(NULL, 0).flags, 0);
    const double holes[] = {(double)NAN, 1, (double)INFINITY, 2, 1.5};
    assert_int_equal(shape_at(holes, 5).n, 3);
    double bits[50];
    for (int i = 0; i < 50; i++) bits[i] = i * 7 % 3 == 0;
    assert_false(shape_at(bits, 50).flags & SHAPE_BIMODAL);
}

TEST(every_flag_has_a_sentence)
{
    struct arena a = arena_open();
    struct shape shape = {.n = 3};
    for (unsigned f = 0; f < SHAPE_FLAG_COUNT; f++) {
        enum shape_flag flag = (enum shape_flag)(1 << f);
        assert_true(strlen(shape_explain(&shape, flag, &a)) > 10);
    }
    arena_close(&a);
}

TEST_MAIN(T(healthy_noise_is_left_alone), T(a_drift_is_seen_and_a_tiny_one_is_not),
          T(a_first_value_apart_is_seen), T(two_peaks_are_seen),
          T(a_limit_and_a_coarse_clock_are_seen), T(autocorrelation_is_seen_and_is_no_drift),
          T(degenerate_series), T(every_flag_has_a_sentence))
