#include "src/stats/change_search.c"

#include "base/rng.h"
#include "tests/test.h"

static double distances(const double *x, size_t m, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) sum += fabs(x[i] - y[j]);
    }
    return sum;
}

static double energy_by_definition(const double *x, size_t m, const double *y, size_t n)
{
    return energy_of(distances(x, m, y, n), distances(x, m, x, m) / 2,
                     distances(y, n, y, n) / 2, (double)m, (double)n);
}

/* MongoDB's own test of its energy statistic: E = 268.352, T = 10035.943. */
TEST(energy_is_the_published_one)
{
    double x[200];
    double y[46];
    for (size_t i = 0; i < COUNT(x); i++) x[i] = 300 + (double)i;
    for (size_t i = 0; i < COUNT(y); i++) y[i] = 400 + 11 * (double)i;
    double t = energy_by_definition(x, COUNT(x), y, COUNT(y));
    assert_close(t, 10035.943, 1e-7);
    assert_close(t * (200 + 46) / (200.0 * 46), 268.352, 1e-5);
}

/* The sums that are carried along must give the split that the definition does. */
TEST(the_best_split_is_the_one_by_definition)
{
    struct arena a = arena_open();
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct rng r = rng_seeded(seed);
        double y[50];
        double step = (double)(seed % 3);
        for (size_t i = 0; i < COUNT(y); i++) y[i] = rng_normal(&r) + (i < 30 ? 0 : step);
        size_t n = 20 + seed % 31;
        struct change_stretch s = {y, change_search_order(y, n, &a), n, 5, n - 5};
        size_t best = s.first;
        for (size_t t = s.first; t <= s.last; t++) {
            if (energy_by_definition(y, t, y + t, n - t) >
                energy_by_definition(y, best, y + best, n - best))
                best = t;
        }
        struct change_place place = change_search_energy(&s, a);
        assert_int_equal(place.at, best);
        assert_close(place.statistic, energy_by_definition(y, best, y + best, n - best), 1e-9);
    }
    arena_close(&a);
}

/* Runs of marks when the points are put in order of size. */
static double runs_by_definition(const double *y, size_t n, size_t at)
{
    double below[2] = {0, 0};
    double changes = 0;
    for (size_t i = 0; i < n; i++) { /* the next larger of each point */
        size_t next = n;
        for (size_t j = 0; j < n; j++) {
            if (y[j] > y[i] && (next == n || y[j] < y[next])) next = j;
        }
        if (next < n) changes += (i < at) != (next < at);
        below[i < at]++;
    }
    double mean = 2 * below[0] * below[1] / (double)n;
    return (mean - changes - 0.5) / sqrt(mean * (mean - 1) / (double)(n - 1));
}

TEST(runs_are_those_by_definition)
{
    struct arena a = arena_open();
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct rng r = rng_seeded(seed);
        double y[40];
        for (size_t i = 0; i < COUNT(y); i++)
            y[i] = rng_normal(&r) + (double)(seed % 3) * (i < 25 ? 0 : 1);
        for (size_t at = 5; at <= 35; at++) {
            struct change_stretch one = {y, change_search_order(y, COUNT(y), &a), COUNT(y), at,
                                         at};
            assert_close(change_search_runs(&one, a).statistic,
                         runs_by_definition(y, COUNT(y), at), 1e-9);
        }
    }
    arena_close(&a);
}

/* In random order a group of a left and b right points has 2 a b / (a + b) changes. */
TEST(ties_count_as_if_in_random_order)
{
    static const double y[] = {1, 1, 1, 2, 2, 1, 2, 2};
    struct arena a = arena_open();
    struct change_stretch s = {y, change_search_order(y, COUNT(y), &a), COUNT(y), 5, 5};
    double changes = 2 * 3 * 1 / 4.0 + 2 * 2 * 2 / 4.0 + (3 * 2 + 1 * 2) / 16.0;
    double mean = 2 * 5 * 3 / 8.0;
    assert_close(change_search_runs(&s, a).statistic,
                 (mean - changes - 0.5) / sqrt(mean * (mean - 1) / 7), 1e-12);
    arena_close(&a);
}

TEST_MAIN(T(energy_is_the_published_one), T(the_best_split_is_the_one_by_definition),
          T(runs_are_those_by_definition), T(ties_count_as_if_in_random_order))
