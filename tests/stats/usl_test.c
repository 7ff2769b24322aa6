#include "stats/usl.h"

#include "base/rng.h"
#include "tests/test.h"

/* The 32 throughputs of the worked example in Baron Schwartz, Practical
 * Scalability Analysis with the Universal Scalability Law (2015). */
static const double throughputs[] = {
    955.16,   1878.91,  2688.01,  3548.68,  4315.54,  5130.43,  5931.37, 6531.08,
    7219.8,   7867.61,  8278.71,  8646.7,   9047.84,  9426.55,  9645.37, 9897.24,
    10097.6,  10240.5,  10532.39, 10798.52, 11151.43, 11518.63, 11806,   12089.37,
    12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39};

static size_t study(struct usl_point *points)
{
    for (size_t i = 0; i < COUNT(throughputs); i++)
        points[i] = (struct usl_point){(double)(i + 1), throughputs[i]};
    return COUNT(throughputs);
}

TEST(fit_of_the_published_study)
{
    struct usl_point points[COUNT(throughputs)];
    struct usl u;
    struct error err = {0};
    if (!usl_fit(points, study(points), &u, &err)) fail_msg("%s", err.text);
    assert_close(u.sigma, 0.02671591, 1e-7);
    assert_close(u.kappa, 7.690945e-4, 1e-9);
    assert_close(u.lambda, 995.6486, 1e-6);
    assert_close(u.peak_load, 35, 0);
    assert_close(u.peak_throughput, 12341.7454, 1e-7);
    assert_close(usl_throughput(&u, 35), u.peak_throughput, 1e-12);
}

/* The second reference fit: its law without its noise must give it back. */
TEST(exact_data_give_the_law_back)
{
    static const struct usl laws[] = {
        {.lambda = 89.9878, .sigma = 0.0277299, .kappa = 1.04343e-4},
        {.lambda = 5, .sigma = 0, .kappa = 0},
        {.lambda = 1e6, .sigma = 0.3, .kappa = 0},
        {.lambda = 0.02, .sigma = 0, .kappa = 0.01},
    };
    for (size_t k = 0; k < COUNT(laws); k++) {
        struct usl_point points[20];
        for (size_t i = 0; i < COUNT(points); i++) {
            double load = (double)(1 + 6 * i);
            points[i] = (struct usl_point){load, usl_throughput(&laws[k], load)};
        }
        struct usl u;
        struct error err = {0};
        assert_true(usl_fit(points, COUNT(points), &u, &err));
        assert_close(u.lambda / laws[k].lambda, 1, 1e-6);
        assert_close(u.sigma, laws[k].sigma, 1e-6);
        assert_close(u.kappa, laws[k].kappa, 1e-8);
        if (k == 0) assert_close(u.peak_load, 96, 0);
        if (k == 0) assert_close(u.peak_throughput, 1883.76, 1e-4);
        if (k == 1) assert_true(isinf(u.peak_load));
    }
}

TEST(intervals_hold_the_truth)
{
    static const struct usl law = {.lambda = 100, .sigma = 0.05, .kappa = 0.001};
    struct arena a = arena_open();
    int held = 0;
    enum { RUNS = 60 };
    for (uint64_t k = 0; k < RUNS; k++) {
        struct rng r = rng_seeded(rng_derive(3, k, 0));
        struct usl_point points[16];
        for (size_t i = 0; i < COUNT(points); i++) {
            double load = (double)(1 + 4 * i);
            double noise = 5 * rng_normal(&r);
            points[i] = (struct usl_point){load, usl_throughput(&law, load) + noise};
        }
        struct usl_interval i;
        struct error err = {0};
        assert_true(usl_bootstrap(points, COUNT(points), 0.95, 200, k, a, &i, &err));
        held += i.kappa[0] <= law.kappa && law.kappa <= i.kappa[1];
    }
    assert_true(held >= 0.95 * RUNS - 3 * sqrt(0.05 * 0.95 * RUNS));
    arena_close(&a);
}

TEST(too_little_is_refused)
{
    static const struct usl_point few[] = {{1, 10}, {2, 19}, {2, 18}, {1, 11}, {1, 9}};
    static const struct usl_point bad[] = {{1, 10}, {0, 19}, {3, 18}, {4, 11}};
    struct usl u;
    struct error err = {0};
    assert_false(usl_fit(few, 3, &u, &err));
    assert_false(usl_fit(few, COUNT(few), &u, &err));
    assert_false(usl_fit(bad, COUNT(bad), &u, &err));
}

TEST_MAIN(T(fit_of_the_published_study), T(exact_data_give_the_law_back),
          T(intervals_hold_the_truth), T(too_little_is_refused))
