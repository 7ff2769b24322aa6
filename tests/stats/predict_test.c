#include "stats/predict.h"

#include "base/rng.h"
#include "stats/dist.h"
#include "tests/test.h"

/* Bencher's boundary, Student's and the normal one. */
TEST(margin_is_bencher_s)
{
    assert_close(predict_margin(1, 6, 0.85), 1.2483714094976, 1e-12);
    assert_close(dist_normal_quantile(0.85), 1.0364333894938, 1e-12);
    assert_true(isnan(predict_margin(1, 1, 0.85)));
}

TEST(interval_and_p_agree)
{
    static const double h[] = {10.1, 9.8, 10.4, 9.9, 10.0, 10.3, 9.7};
    struct predict i = predict_student(h, COUNT(h), 0.95);
    assert_close(predict_p(h, COUNT(h), i.high), 0.05, 1e-9);
    assert_close(predict_p(h, COUNT(h), i.low), 0.05, 1e-9);
    assert_close(predict_p(h, COUNT(h), i.centre), 1, 1e-9);
}

TEST(one_new_value_falls_inside_as_often_as_promised)
{
    struct arena a = arena_open();
    struct rng r = rng_seeded(1);
    int student = 0;
    int robust = 0;
    enum { RUNS = 4000, N = 8 };
    for (int k = 0; k < RUNS; k++) {
        double h[N];
        for (int i = 0; i < N; i++) h[i] = rng_normal(&r);
        double fresh = rng_normal(&r);
        struct predict s = predict_student(h, N, 0.9);
        struct predict m = predict_robust(a, h, N, 0.9);
        student += fresh >= s.low && fresh <= s.high;
        robust += fresh >= m.low && fresh <= m.high;
    }
    assert_close((double)student / RUNS, 0.90, 0.015);
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
    assert_true(predict_student(h, COUNT(h), 0.95).high > 1000);
    arena_close(&a);
}

TEST(no_history_no_interval)
{
    struct arena a = arena_open();
    static const double one[] = {5};
    static const double same[] = {5, 5, 5};
    assert_true(isnan(predict_student(one, 1, 0.95).low));
    assert_true(isnan(predict_student(one, 0, 0.95).centre));
    assert_true(isnan(predict_robust(a, one, 1, 0.95).low));
    assert_true(isnan(predict_p(same, 3, 6)));
    assert_close(predict_robust(a, same, 3, 0.95).high, 5, 0);
    arena_close(&a);
}

TEST_MAIN(T(margin_is_bencher_s), T(interval_and_p_agree),
          T(one_new_value_falls_inside_as_often_as_promised),
          T(an_old_outlier_does_not_widen_the_robust_one), T(no_history_no_interval))
