#include "stats/predict.h"

#include "base/rng.h"
#include "tests/test.h"

TEST(one_new_value_falls_inside_as_often_as_promised)
{
    struct arena a = arena_open();
    struct rng r = rng_seeded(1);
    int robust = 0;
    enum { RUNS = 4000, N = 8 };
    for (int k = 0; k < RUNS; k++) {
        double h[N];
        for (int i = 0; i < N; i++) h[i] = rng_normal(&r);
        double fresh = rng_normal(&r);
        struct predict m = predict_robust(a, h, N, 0.9);
        robust += fresh >= m.low && fresh <= m.high;
    }
    print_message("# robust: %.1f %%\n", 100.0 * robust / RUNS);
    assert_true(robust > 0.83 * RUNS && robust < 0.93 * RUNS);
    arena_close(&a);
}

TEST(an_old_outlier_does_not_widen_the_robust_one)
{
    double h[30];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = 100 + (double)(i % 5);
    struct arena a = arena_open();
    struct predict clean = predict_robust(a, h, COUNT(h), 0.95);
    h[7] = 5000;
    struct predict dirty = predict_robust(a, h, COUNT(h), 0.95);
    assert_close(dirty.high, clean.high, 0.02);
    arena_close(&a);
}

TEST(no_history_no_interval)
{
    struct arena a = arena_open();
    static const double one[] = {5};
    static const double same[] = {5, 5, 5};
    assert_true(isnan(predict_robust(a, one, 1, 0.95).low));
    assert_close(predict_robust(a, same, 3, 0.95).high, 5, 0);
    arena_close(&a);
}

TEST_MAIN(T(one_new_value_falls_inside_as_often_as_promised),
          T(an_old_outlier_does_not_widen_the_robust_one), T(no_history_no_interval))
