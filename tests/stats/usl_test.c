#include "stats/usl.h"

#include "base/rng.h"
#include "stats/quantile.h"
#include "tests/test.h"

#include <math.h>

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

/* At least 95 % of the runs, but for chance. */
static void is_covered(const char *what, int held, int runs)
{
    double chance = 3 * sqrt(0.95 * 0.05 * runs);
    if (held < 0.95 * runs - chance) fail_msg("%s: only %d of %d are held", what, held, runs);
}

static struct usl drawn_law(struct rng *r)
{
    struct usl law = {.lambda = 100};
    law.sigma = 0.15 * rng_real(r);
    law.kappa = pow(10, -4 + 2 * rng_real(r));
    return law;
}

/* A measurement: noise of a constant size, or of 3 % of the throughput. */
static double measured(const struct usl *law, double load, bool is_relative, struct rng *r)
{
    double x = usl_throughput(law, load);
    return x + (is_relative ? 0.03 * x : 20) * rng_normal(r);
}

enum { RUNS = 200, RESAMPLES = 200, LOADS = 8 };

TEST(intervals_hold_the_truth)
{
    struct arena a = arena_open();
    for (int is_relative = 0; is_relative < 2; is_relative++) {
        int held[3] = {0};
        for (uint64_t k = 0; k < RUNS; k++) {
            struct rng r = rng_seeded(rng_derive(3, k, (uint64_t)is_relative));
            struct usl law = drawn_law(&r);
            struct usl_point points[LOADS];
            for (size_t i = 0; i < LOADS; i++) {
                points[i].load = pow(64, (double)i / (LOADS - 1));
                points[i].throughput = measured(&law, points[i].load, is_relative, &r);
            }
            struct usl_sample s = {.points = points,
                                   .n = LOADS,
                                   .confidence = 0.95,
                                   .resamples = RESAMPLES,
                                   .seed = k};
            struct usl_interval i;
            struct error err = {0};
            assert_true(usl_bootstrap(&s, a, &i, &err));
            held[0] += i.lambda[0] <= law.lambda && law.lambda <= i.lambda[1];
            held[1] += i.sigma[0] <= law.sigma && law.sigma <= i.sigma[1];
            held[2] += i.kappa[0] <= law.kappa && law.kappa <= i.kappa[1];
        }
        is_covered("lambda", held[0], RUNS);
        is_covered("sigma", held[1], RUNS);
        is_covered("kappa", held[2], RUNS);
    }
    arena_close(&a);
}

/* Between the loads that were measured, and at twice the highest. */
TEST(predictions_hold_what_is_measured_there)
{
    struct arena a = arena_open();
    for (int is_relative = 0; is_relative < 2; is_relative++) {
        int between = 0, beyond = 0, p95_held = 0;
        double width = 0;
        for (uint64_t k = 0; k < RUNS; k++) {
            struct rng r = rng_seeded(rng_derive(4, k, (uint64_t)is_relative));
            struct usl law = drawn_law(&r);
            double power = -0.3 * rng_real(&r);
            struct usl_point points[LOADS + 2];
            double p95_s[LOADS + 2];
            for (size_t i = 0; i < LOADS + 2; i++) {
                double at = i < LOADS ? (double)i / (LOADS - 1) : rng_real(&r);
                double load = i < LOADS + 1 ? pow(64, at) : 128;
                double response = load / usl_throughput(&law, load);
                points[i].load = load;
                points[i].throughput = measured(&law, load, is_relative, &r);
                p95_s[i] = 3 * pow(load, power) * response * exp(0.05 * rng_normal(&r));
            }
            struct usl_sample s = {.points = points,
                                   .p95_s = p95_s,
                                   .n = LOADS,
                                   .confidence = 0.95,
                                   .resamples = RESAMPLES,
                                   .seed = k};
            struct usl_prediction p[2];
            struct error err = {0};
            assert_true(usl_predict(&s, points[LOADS].load, a, &p[0], &err));
            assert_true(usl_predict(&s, points[LOADS + 1].load, a, &p[1], &err));
            between += p[0].throughput_limits[0] <= points[LOADS].throughput &&
                       points[LOADS].throughput <= p[0].throughput_limits[1];
            beyond += p[1].throughput_limits[0] <= points[LOADS + 1].throughput &&
                      points[LOADS + 1].throughput <= p[1].throughput_limits[1];
            p95_held +=
                p[0].p95_limits[0] <= p95_s[LOADS] && p95_s[LOADS] <= p[0].p95_limits[1];
            width += (p[0].throughput_limits[1] - p[0].throughput_limits[0]) / p[0].throughput;
        }
        is_covered("throughput between", between, RUNS);
        is_covered("throughput beyond", beyond, RUNS);
        is_covered("p95", p95_held, RUNS);
        assert_true(width / RUNS < (is_relative ? 0.4 : 0.6)); /* and say something */
    }
    arena_close(&a);
}

/* A server with `flight` requests always in it, until 2000 are answered. Without a law it
 * has so many workers. */
struct closed {
    double workers;
    struct usl law;
};

static double of_closed(const struct closed *c, size_t flight, double *p95_s, struct rng *r)
{
    static double responses[2000];
    double begun[256] = {0};
    double now = 0, from = 0;
    size_t head = 0;
    for (size_t n = 0; n < 500 + COUNT(responses); n++) { /* the first 500 fill it */
        double busy = c->law.lambda > 0 ? (double)flight : fmin((double)flight, c->workers);
        double rate = c->law.lambda > 0 ? usl_throughput(&c->law, (double)flight) : busy;
        now += rng_exponential(r) / rate;
        size_t at = (head + rng_below(r, (uint64_t)busy)) % flight;
        if (n >= 500) responses[n - 500] = now - begun[at];
        if (n == 499) from = now;
        begun[at] = begun[head];
        begun[head] = now;
        head = (head + 1) % flight;
    }
    stats_sort_inplace(responses, COUNT(responses));
    *p95_s = quantile_of(responses, COUNT(responses), 0.95);
    return COUNT(responses) / (now - from);
}

TEST(a_level_that_is_held_back_is_within_its_limits)
{
    struct arena a = arena_open();
    for (int has_law = 0; has_law < 2; has_law++) {
        int held = 0, p95_held = 0;
        for (uint64_t k = 0; k < RUNS; k++) {
            struct rng r = rng_seeded(rng_derive(5, k, (uint64_t)has_law));
            struct closed c = {.workers = floor(pow(32, rng_real(&r)))};
            if (has_law) c.law = drawn_law(&r);
            struct usl_point points[LOADS];
            double p95_s[LOADS];
            for (size_t i = 0; i < LOADS; i++) {
                points[i].load = (double)(1 << i);
                points[i].throughput = of_closed(&c, (size_t)1 << i, &p95_s[i], &r);
            }
            size_t out = 1 + rng_below(&r, LOADS - 2);
            struct usl_point back = points[out];
            double back_p95_s = p95_s[out];
            for (size_t i = out; i + 1 < LOADS; i++) {
                points[i] = points[i + 1];
                p95_s[i] = p95_s[i + 1];
            }
            struct usl_sample s = {.points = points,
                                   .p95_s = p95_s,
                                   .n = LOADS - 1,
                                   .confidence = 0.95,
                                   .resamples = RESAMPLES,
                                   .seed = k};
            struct usl_prediction p;
            struct error err = {0};
            assert_true(usl_predict(&s, back.load, a, &p, &err));
            held += p.throughput_limits[0] <= back.throughput &&
                    back.throughput <= p.throughput_limits[1];
            p95_held += p.p95_limits[0] <= back_p95_s && back_p95_s <= p.p95_limits[1];
        }
        printf("# held back: %d throughputs, %d p95 of %d\n", held, p95_held, RUNS);
        is_covered("throughput held back", held, RUNS);
        is_covered("p95 held back", p95_held, RUNS);
    }
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
    static const struct usl_point dead[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}};
    static const struct usl_point law[] = {{1, 10}, {2, 19}, {4, 34}, {8, 58}, {16, 80}};
    static const double p95_s[] = {0.3, 0.3, 0.3, 0.4, NAN};
    struct arena a = arena_open();
    struct usl_prediction p;
    struct usl_sample s = {.points = dead, .n = 4, .confidence = 0.9, .resamples = 50};
    assert_false(usl_predict(&s, 3, a, &p, &err));
    s.points = law;
    s.n = 5;
    s.p95_s = p95_s;
    assert_false(usl_predict(&s, 0, a, &p, &err));
    assert_true(usl_predict(&s, 3, a, &p, &err));
    assert_true(p.throughput > 19 && p.throughput < 34 && isnan(p.p95_s));
    arena_close(&a);
}

/* Where X(N)^2 / N is highest, found by looking. */
TEST(the_knee_is_where_rate_per_response_is_highest)
{
    static const struct usl laws[] = {{.lambda = 100, .sigma = 0.02, .kappa = 0.0005},
                                      {.lambda = 5, .sigma = 0.1},
                                      {.lambda = 1, .sigma = 0, .kappa = 0.001}};
    for (size_t i = 0; i < COUNT(laws); i++) {
        double best = 0, at = 0;
        for (double n = 1; n < 1000; n += 0.01) {
            double x = usl_throughput(&laws[i], n);
            if (x * x / n <= best) continue;
            best = x * x / n;
            at = n;
        }
        assert_close(usl_knee(&laws[i]), at, 0.02);
    }
    assert_true(isinf(usl_knee(&(struct usl){.lambda = 1})));
}

TEST_MAIN(T(the_knee_is_where_rate_per_response_is_highest), T(fit_of_the_published_study),
          T(exact_data_give_the_law_back), T(intervals_hold_the_truth),
          T(predictions_hold_what_is_measured_there),
          T(a_level_that_is_held_back_is_within_its_limits), T(too_little_is_refused))
