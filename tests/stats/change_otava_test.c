#include "src/stats/change_otava.c"

#include "tests/test.h"

/* E-divisive's own example: the first split and its statistic, then all. */
static const double z[] = {0.3,  2.4,   1.5,   -0.9,  -0.5,  99.7,  98.3,
                           99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};

TEST(first_candidate_has_the_published_statistic)
{
    struct arena a = arena_open();
    struct split s = best_split(z, COUNT(z), a);
    assert_int_equal(s.index, 5);
    assert_close(s.q, 761.2821428571, 1e-10);
    bool is_weak[COUNT(z) + 1] = {0};
    assert_int_equal(detect(z, COUNT(z), 0.01, is_weak, a), 8);
    for (size_t i = 0; i < COUNT(z); i++) assert_int_equal(is_weak[i], i == 5 || i == 8);
    arena_close(&a);
}

/* The sums carried along must be the sums over pairs. */
TEST(statistic_equals_the_definition)
{
    struct arena a = arena_open();
    double best = -1;
    for (size_t tau = 1; tau < COUNT(z); tau++) {
        for (size_t kappa = tau + 1; kappa <= COUNT(z); kappa++) {
            double cross = 0, left = 0, right = 0;
            for (size_t i = 0; i < kappa; i++) {
                for (size_t j = i + 1; j < kappa; j++) {
                    double d = fabs(z[i] - z[j]);
                    *(j < tau ? &left : i >= tau ? &right : &cross) += d;
                }
            }
            best = fmax(best, energy(cross, left, right, (double)tau, (double)(kappa - tau)));
        }
    }
    assert_close(best_split(z, COUNT(z), a).q, best, 1e-12);
    arena_close(&a);
}

TEST_MAIN(T(first_candidate_has_the_published_statistic), T(statistic_equals_the_definition))
