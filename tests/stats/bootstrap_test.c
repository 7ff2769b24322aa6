#include "src/stats/bootstrap.c"

#include "base/rng.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "tests/test.h"

static struct bootstrap_plan plan_of(const double *x, size_t n)
{
    return (struct bootstrap_plan){.values = x, .n = n, .seed = 1};
}

static struct bootstrap_interval interval_of(const struct bootstrap_plan *plan)
{
    struct arena a = arena_open();
    struct bootstrap_interval i;
    struct error err = {0};
    if (!bootstrap_interval(plan, a, &i, &err)) fail_msg("%s", err.text);
    arena_close(&a);
    return i;
}

static void fill_lognormal(double *x, size_t n, uint64_t seed)
{
    struct rng r = rng_seeded(seed);
    for (size_t i = 0; i < n; i++) x[i] = exp(0.5 * rng_normal(&r));
}

static double acceleration(const struct bootstrap_plan *plan, struct arena scratch)
{
    struct influence sum = influence_of(plan, scratch);
    return acceleration_of(&sum);
}

TEST(published_intervals_of_a_skewed_mean)
{
    static const double x[] = {10, 12, 12.5, 12.5, 13.9, 15,  21,  22,
                               23, 34, 50,   81,   89,   121, 134, 213};
    struct arena a = arena_open();
    struct bootstrap_plan p = plan_of(x, COUNT(x));
    p.resamples = 300000;
    double *b = arena_new(&a, double, p.resamples);
    resample(&p, a, b);
    stats_sort_inplace(b, p.resamples);
    struct bootstrap_interval i = {.estimate = estimate_of(&p, a),
                                   .acceleration = acceleration(&p, a)};
    take_percentile(b, p.resamples, 0.95, &i);
    assert_close(i.low, 28.86, 0.005);
    assert_close(i.high, 84.21, 0.005);
    assert_close(2 * i.estimate - i.high, 23.77, 0.005); /* basic */
    assert_close(2 * i.estimate - i.low, 79.12, 0.005);
    take_bca(b, p.resamples, 0.95, &i);
    assert_int_equal(i.method, BOOTSTRAP_BCA);
    assert_close(i.low, 32.31, 0.005);
    assert_close(i.high, 91.43, 0.005);
    arena_close(&a);
}

/* The generator of tests/reference/bca.R. */
static double lcg(uint64_t *state)
{
    *state = (*state * 1103515245 + 12345) % 2147483648;
    return (double)*state / 2147483648.0;
}

static double shape_of(int shape, double u)
{
    switch (shape) {
    case 0: return u;
    case 1: return -log(1 - u);
    case 2: return floor(10 * u);
    case 3: return pow(1 - u, -1.0 / 3);
    default: return exp(3 * u);
    }
}

/* Mean of the values from rank first to last, of what is drawn. */
static double between(const struct bootstrap_plan *plan, const uint32_t *counts, bool is_median)
{
    double copy[1024];
    size_t n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        for (uint32_t k = 0; k < counts[i]; k++) copy[n++] = plan->values[i];
    }
    stats_sort_inplace(copy, n);
    size_t first = is_median ? (n - 1) / 2 : n / 4;
    size_t last = is_median ? n / 2 : n - 1 - n / 4;
    double sum = 0;
    for (size_t i = first; i <= last; i++) sum += copy[i];
    return sum / (double)(last + 1 - first);
}

static double median(const uint32_t *counts, const void *context)
{
    return between(context, counts, true);
}

static double interquartile_mean(const uint32_t *counts, const void *context)
{
    return between(context, counts, false);
}

static void expect_as_r(const double *row)
{
    struct arena a = arena_open();
    uint64_t state = (uint64_t)row[0] * 7919;
    double cubed = pow(lcg(&state), 3);
    size_t n = 2 + (size_t)floor(cubed * ((int)row[0] % 20 == 0 ? 500 : 60));
    size_t resamples = 100 + (size_t)floor(200 * lcg(&state));
    assert_int_equal(n, (size_t)row[1]);
    assert_int_equal(resamples, (size_t)row[2]);
    double *x = arena_new(&a, double, n);
    for (size_t i = 0; i < n; i++) x[i] = shape_of((int)row[3], lcg(&state));
    double *again = arena_new(&a, double, n);
    double *b = arena_new(&a, double, resamples);
    struct bootstrap_plan drawn = plan_of(again, n);
    struct bootstrap_plan p = plan_of(x, n);
    bootstrap_function *const functions[] = {NULL, median, interquartile_mean};
    p.function = drawn.function = functions[(int)row[4]];
    p.context = &p;
    drawn.context = &drawn;
    for (size_t k = 0; k < resamples; k++) {
        for (size_t i = 0; i < n; i++) again[i] = x[(size_t)floor((double)n * lcg(&state))];
        b[k] = estimate_of(&drawn, a);
    }
    stats_sort_inplace(b, resamples);
    struct bootstrap_interval i = {.estimate = estimate_of(&p, a),
                                   .acceleration = acceleration(&p, a)};
    take_bca(b, resamples, row[5], &i);
    assert_close(i.z0, row[6], 1e-9);
    assert_close(i.acceleration, row[7], 1e-9);
    assert_close(i.low, row[8], 1e-9);
    assert_close(i.high, row[9], 1e-9);
    arena_close(&a);
}

TEST(bca_agrees_with_r_on_given_resamples)
{
    FILE *f = fopen("tests/reference/bca.tsv", "r");
    assert_non_null(f);
    char line[512];
    int problems = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#') continue;
        double row[10];
        char *p = line;
        for (size_t i = 0; i < COUNT(row); i++) row[i] = strtod(p, &p);
        expect_as_r(row);
        problems++;
    }
    fclose(f);
    assert_true(problems >= 500);
}

TEST(the_seed_decides_the_result)
{
    double x[200];
    fill_lognormal(x, COUNT(x), 1);
    struct arena a = arena_open();
    struct bootstrap_plan p = plan_of(x, COUNT(x));
    p.resamples = 1001;
    double one[1001];
    double other[1001];
    for (int way = 0; way < 2; way++) {
        p.over = way == 0 ? NULL : x;
        p.seed = 1;
        if (way > 0) p.function = median;
        p.context = &p;
        resample(&p, a, one);
        resample(&p, a, other);
        assert_memory_equal(one, other, sizeof one);
        p.seed++;
        resample(&p, a, other);
        assert_memory_not_equal(one, other, sizeof one);
    }
    arena_close(&a);
}

/* Beyond 2048 values indices are drawn 32 bits at a time. The resampled means of n values
 * have the mean and the standard error of the sample: to 4 standard errors of 4000. */
TEST(means_of_large_samples_have_their_standard_error)
{
    enum { N = 2051, RESAMPLES = 4000 };
    double x[N];
    fill_lognormal(x, N, 7);
    struct arena a = arena_open();
    struct bootstrap_plan p = plan_of(x, N);
    p.resamples = RESAMPLES;
    double *means = arena_new(&a, double, RESAMPLES);
    resample(&p, a, means);
    struct moments of_x = moments_of(x, N);
    struct moments of_means = moments_of(means, RESAMPLES);
    double se = moments_sd(&of_x) / sqrt(N); /* n - 1 for n: 0.02 % */
    assert_true(fabs(of_means.mean - of_x.mean) < 4 * se / sqrt(RESAMPLES));
    assert_true(fabs(moments_sd(&of_means) / se - 1) < 4 / sqrt(2 * RESAMPLES));
    /* Every value is drawn, and no other: of one large one, whole multiples. */
    for (size_t i = 0; i < N; i++) x[i] = i == N - 1 ? N : 0;
    resample(&p, a, means);
    double sum = 0;
    for (size_t i = 0; i < RESAMPLES; i++) {
        assert_close(means[i], round(means[i]), 1e-12);
        sum += means[i];
    }
    assert_true(fabs(sum / RESAMPLES - 1) < 4 / sqrt(RESAMPLES)); /* binomial, mean 1 */
    arena_close(&a);
}

/* Spread between cases that pairs share must not widen their ratio. */
TEST(pairs_are_drawn_together)
{
    double x[50];
    double y[50];
    struct rng r = rng_seeded(3);
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 1 + 100 * rng_real(&r);
        y[i] = x[i] * (2 + 0.01 * rng_normal(&r));
    }
    struct bootstrap_plan p = plan_of(y, COUNT(y));
    p.resamples = 500;
    struct bootstrap_interval alone = interval_of(&p);
    p.over = x;
    struct bootstrap_interval ratio = interval_of(&p);
    assert_close(ratio.estimate, 2, 0.01);
    assert_true(ratio.high - ratio.low < 0.01 * ratio.estimate);
    assert_true(alone.high - alone.low > 0.1 * alone.estimate);
}

TEST(what_cannot_be_done_is_refused)
{
    double x[29];
    fill_lognormal(x, COUNT(x), 6);
    struct arena a = arena_open();
    struct bootstrap_interval i;
    struct error err = {0};
    struct bootstrap_plan p = plan_of(x, COUNT(x));
    p.method = BOOTSTRAP_BCA;
    assert_false(bootstrap_interval(&p, a, &i, &err));
    assert_non_null(strstr(err.text, "at least 30"));
    p.method = BOOTSTRAP_PERCENTILE;
    assert_true(bootstrap_interval(&p, a, &i, &err));
    p.n = 1;
    assert_false(bootstrap_interval(&p, a, &i, &err));
    arena_close(&a);
}

TEST(a_constant_falls_back_to_the_percentile)
{
    double x[40];
    for (size_t i = 0; i < COUNT(x); i++) x[i] = 7;
    struct bootstrap_plan p = plan_of(x, COUNT(x));
    p.method = BOOTSTRAP_BCA;
    p.resamples = 200;
    struct bootstrap_interval i = interval_of(&p);
    assert_int_equal(i.method, BOOTSTRAP_PERCENTILE);
    assert_true(i.low == 7 && i.high == 7);
}

static double lognormal_coverage(size_t n, double sigma, int runs)
{
    double x[200];
    int covered = 0;
    double truth = exp(sigma * sigma / 2);
    for (int k = 0; k < runs; k++) {
        struct rng r = rng_seeded(rng_derive(77, n, (uint64_t)k));
        for (size_t i = 0; i < n; i++) x[i] = exp(sigma * rng_normal(&r));
        struct bootstrap_plan p = plan_of(x, n);
        p.method = BOOTSTRAP_BCA;
        p.resamples = runs > 1000 ? 2000 : 1000;
        p.seed = (uint64_t)k;
        struct bootstrap_interval i = interval_of(&p);
        covered += i.low <= truth && truth <= i.high;
    }
    return (double)covered / runs;
}

/* At least 92 %, to 3 standard errors of the runs; ASSAY_LONG=1 runs more. */
TEST(bca_covers_the_mean_of_a_lognormal)
{
    bool is_long = getenv("ASSAY_LONG") != NULL;
    int runs = is_long ? 20000 : 1000;
    static const size_t sizes[] = {30, 50, 100};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (double sigma = 0.5; sigma <= 1; sigma += 0.5) {
            double covered = lognormal_coverage(sizes[i], sigma, runs);
            print_message("# n = %zu, sigma = %.1f: %.1f %%\n", sizes[i], sigma, 100 * covered);
            assert_true(covered >= 0.92 - 3 * sqrt(0.92 * 0.08 / runs));
        }
    }
}

TEST_MAIN(T(published_intervals_of_a_skewed_mean), T(bca_agrees_with_r_on_given_resamples),
          T(the_seed_decides_the_result), T(means_of_large_samples_have_their_standard_error),
          T(pairs_are_drawn_together), T(what_cannot_be_done_is_refused),
          T(a_constant_falls_back_to_the_percentile), T(bca_covers_the_mean_of_a_lognormal))
