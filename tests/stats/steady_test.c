#include "stats/steady.h"

#include "tests/stats/noise.h"
#include "tests/test.h"

enum { LENGTH = 200, SEEDS = 100 };

struct tally {
    int steady;
    int at_right; /* and the cut is where it should be */
};

static double level_flat(int i)
{
    (void)i;
    return 100;
}

static double level_approaching(int i)
{
    return 100 + 60 * exp(-i / 12.0);
}

static double level_never(int i)
{
    return 100 + 0.25 * i;
}

static double level_step(int i)
{
    return i < 40 ? 130 : 100;
}

static struct tally run(double (*level)(int), enum noise_kind kind, int n, size_t low,
                        size_t high)
{
    struct tally tally = {0, 0};
    struct arena a = arena_open();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng r = rng_seeded(rng_derive(seed, (uint64_t)kind, 1));
        double series[LENGTH];
        for (int i = 0; i < n; i++) series[i] = level(i) + 2 * noise_draw(&r, kind);
        struct steady found = steady_find(a, series, (size_t)n);
        tally.steady += found.is_steady;
        tally.at_right += found.is_steady && found.at >= low && found.at <= high;
        if (!found.is_steady) assert_int_equal(found.at, n);
    }
    arena_close(&a);
    return tally;
}

#define assert_at_least(count, least, kind)                                          \
    do {                                                                             \
        int test_count = (count);                                                    \
        if (test_count < (least)) fail_msg("%s: %d", noise_names[kind], test_count); \
    } while (0)

TEST(a_flat_series_is_steady_from_early_on)
{
    for (int k = 0; k < NOISE_KIND_COUNT; k++) {
        enum noise_kind kind = (enum noise_kind)k;
        assert_at_least(run(level_flat, kind, LENGTH, 0, 100).at_right, 95, k);
        assert_at_least(run(level_flat, kind, LENGTH, 0, 40).at_right, 75, k);
        assert_at_least(run(level_flat, kind, 20, 0, 10).at_right, 90, k);
    }
}

TEST(an_approaching_series_is_cut_after_the_approach)
{
    for (int k = 0; k < NOISE_KIND_COUNT; k++) {
        enum noise_kind kind = (enum noise_kind)k;
        assert_at_least(run(level_approaching, kind, LENGTH, 20, 100).at_right, 95, k);
        assert_at_least(run(level_step, kind, LENGTH, 38, 100).at_right, 95, k);
    }
}

TEST(a_drifting_series_is_never_steady)
{
    for (int k = 0; k < NOISE_KIND_COUNT; k++) {
        enum noise_kind kind = (enum noise_kind)k;
        struct tally t = run(level_never, kind, LENGTH, 0, LENGTH);
        assert_at_least(SEEDS - t.steady, 97, k);
    }
}

TEST(too_short_is_not_steady_and_constants_are)
{
    struct arena a = arena_open();
    const double few[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct steady short_one = steady_find(a, few, 9);
    assert_false(short_one.is_steady);
    assert_int_equal(short_one.at, 9);
    double equal[LENGTH];
    for (int i = 0; i < LENGTH; i++) equal[i] = i == 50 ? (double)NAN : 5;
    struct steady found = steady_find(a, equal, LENGTH);
    assert_true(found.is_steady);
    assert_int_equal(found.at, 0);
    arena_close(&a);
}

TEST_MAIN(T(a_flat_series_is_steady_from_early_on),
          T(an_approaching_series_is_cut_after_the_approach),
          T(a_drifting_series_is_never_steady), T(too_short_is_not_steady_and_constants_are))
