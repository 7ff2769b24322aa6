#include "src/stats/change_potts.c"

#include "base/rng.h"
#include "tests/test.h"

static struct potts potts_over(const double *y, size_t n, struct arena *a)
{
    struct potts p = {.y = y, .n = n, .width = n < LONGEST ? n : LONGEST};
    p.cost = arena_new(a, double, p.n *p.width);
    double *sorted = arena_new(a, double, p.width + 1);
    for (size_t left = 0; left < n; left++) fill_costs(&p, left, sorted);
    return p;
}

TEST(the_price_decides_how_many_steps)
{
    static const double y[] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
    struct arena a = arena_open();
    struct potts p = potts_over(y, COUNT(y), &a);
    struct fit f = fit_new(&a, COUNT(y));
    solve(&p, 0.1, &f, a);
    assert_int_equal(f.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(f.ends[i], 3 * (i + 1));
        assert_close(f.levels[i], (double)(i + 1), 0);
    }
    solve(&p, 8, &f, a);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.ends[0], 9);
    arena_close(&a);
}

TEST(costs_are_distances_from_the_median)
{
    struct arena a = arena_open();
    struct rng r = rng_seeded(3);
    double y[40];
    for (size_t i = 0; i < COUNT(y); i++) y[i] = floor(10 * rng_real(&r)); /* with ties */
    struct potts p = potts_over(y, COUNT(y), &a);
    for (size_t left = 0; left < COUNT(y); left++) {
        for (size_t right = left + 1; right <= COUNT(y); right++) {
            double middle = stats_median(a, y + left, right - left);
            double sum = 0;
            for (size_t i = left; i < right; i++) sum += fabs(y[i] - middle);
            assert_close(distance(&p, left, right, a), sum, 1e-12);
        }
    }
    arena_close(&a);
}

TEST_MAIN(T(the_price_decides_how_many_steps), T(costs_are_distances_from_the_median))
