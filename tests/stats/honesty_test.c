/* How often the engine is wrong where the truth is known. Per combination:
 *   - A against A: better or worse although nothing changed;
 *   - B exactly at the margin: "equivalent" although it is not inside;
 *   - coverage of the interval wherever there is one.
 * Each may exceed alpha by three standard errors of the number of runs. 100
 * runs in the test; ASSAY_HONESTY_RUNS=2000 prints and checks the long form. */
#include "stats/verdict.h"

#include "base/rng.h"
#include "tests/test.h"

enum { N_MAX = 100, RUNS_IN_TEST = 100 };
#define MARGIN 0.03

enum noise { NORMAL, LOGNORMAL, BIMODAL, AR };
static const char *const noise_name[] = {"normal", "lognormal", "bimodal", "AR(1)"};

enum order { UNPAIRED, PAIRED, INTERLEAVED, ALTERNATING };
static const char *const order_name[] = {"unpaired", "paired", "interleaved AB", "AB BA"};

struct combination {
    enum noise noise;
    enum order order;
    double rho;
    size_t n;
};

static double independent(struct rng *r, enum noise noise)
{
    if (noise == LOGNORMAL) return 100 * exp(0.3 * rng_normal(r));
    bool is_slow = noise == BIMODAL && rng_below(r, 10) < 3;
    return (is_slow ? 130 : 100) * (1 + 0.03 * rng_normal(r));
}

static double next(struct rng *r, const struct combination *c, double *level)
{
    if (c->noise != AR) return independent(r, c->noise);
    *level = c->rho * *level + sqrt(1 - c->rho * c->rho) * rng_normal(r);
    return 100 * exp(0.05 * *level);
}

static void draw(struct rng *r, const struct combination *c, double *a, double *b)
{
    double level = rng_normal(r);
    bool is_one_series = c->order == INTERLEAVED || c->order == ALTERNATING;
    for (size_t i = 0; is_one_series && i < c->n; i++) {
        double first = next(r, c, &level);
        double second = next(r, c, &level);
        bool is_swapped = c->order == ALTERNATING && i % 2 == 1;
        a[i] = is_swapped ? second : first;
        b[i] = is_swapped ? first : second;
    }
    if (is_one_series) return;
    for (size_t i = 0; i < c->n; i++) a[i] = next(r, c, &level);
    level = rng_normal(r);
    for (size_t i = 0; i < c->n; i++) b[i] = next(r, c, &level);
}

struct tally {
    int changed;
    int equivalent;
    int intervals;
    int missed;
};

static void ask(struct arena *arena, const struct combination *c, const double *a,
                const double *b, double margin, double truth, struct tally *tally)
{
    struct verdict_question q = {
        .a = a,
        .a_count = c->n,
        .b = b,
        .b_count = c->n,
        .is_paired = c->order != UNPAIRED,
        .is_alternating = c->order == ALTERNATING,
        .margin = margin,
    };
    struct verdict_answer answer;
    assert_true(verdict_compare(&q, *arena, &answer, NULL));
    tally->changed += answer.verdict == VERDICT_BETTER || answer.verdict == VERDICT_WORSE;
    tally->equivalent += answer.verdict == VERDICT_EQUIVALENT;
    if (!isnan(answer.effect.low)) {
        tally->intervals++;
        tally->missed += answer.effect.low > truth || answer.effect.high < truth;
    }
    arena_reset(arena);
}

static bool is_too_often(int wrong, int runs)
{
    double limit = 0.05 + 3 * sqrt(0.05 * 0.95 / runs);
    return wrong > limit * runs;
}

static int runs_wanted(void)
{
    const char *text = getenv("ASSAY_HONESTY_RUNS");
    return text ? (int)strtol(text, NULL, 10) : RUNS_IN_TEST;
}

static void check(struct arena *arena, const struct combination *c)
{
    int runs = runs_wanted();
    struct tally same = {0};
    struct tally edge = {0};
    for (int run = 0; run < runs; run++) {
        uint64_t what = (uint64_t)c->noise * 8 + (uint64_t)c->order + (uint64_t)(c->rho * 1000);
        struct rng r = rng_seeded(rng_derive((uint64_t)run, what, c->n));
        double a[N_MAX];
        double b[N_MAX];
        draw(&r, c, a, b);
        ask(arena, c, a, b, 0, 1, &same);
        for (size_t i = 0; i < c->n; i++) b[i] *= 1 + MARGIN;
        ask(arena, c, a, b, MARGIN, 1 + MARGIN, &edge);
    }
    bool is_wrong = is_too_often(same.changed, runs) || is_too_often(edge.equivalent, runs) ||
                    (same.intervals > 0 && is_too_often(same.missed, same.intervals));
    if (runs > RUNS_IN_TEST || is_wrong) {
        print_message(
            "# %-9s %.1f %-14s n = %-3zu false better/worse %.2f %%, wrong equivalent "
            "%.2f %%, missed %.2f %% of %d intervals\n",
            noise_name[c->noise], c->rho, order_name[c->order], c->n,
            100.0 * same.changed / runs, 100.0 * edge.equivalent / runs,
            same.intervals ? 100.0 * same.missed / same.intervals : 0, same.intervals);
    }
    assert_false(is_wrong);
}

TEST(independent_noise)
{
    struct arena arena = arena_open();
    static const size_t sizes[] = {5, 10, 20, 50};
    for (int noise = NORMAL; noise <= BIMODAL; noise++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            check(&arena, &(struct combination){(enum noise)noise, UNPAIRED, 0, sizes[i]});
            check(&arena, &(struct combination){(enum noise)noise, PAIRED, 0, sizes[i]});
        }
    }
    arena_close(&arena);
}

TEST(noise_with_memory_unpaired)
{
    struct arena arena = arena_open();
    check(&arena, &(struct combination){AR, UNPAIRED, 0.3, 50});
    check(&arena, &(struct combination){AR, UNPAIRED, 0.6, 50});
    check(&arena, &(struct combination){AR, UNPAIRED, 0.3, 100});
    check(&arena, &(struct combination){AR, UNPAIRED, 0.6, 100});
    arena_close(&arena);
}

TEST(noise_with_memory_interleaved)
{
    struct arena arena = arena_open();
    static const size_t sizes[] = {10, 20, 50};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        check(&arena, &(struct combination){AR, INTERLEAVED, 0.3, sizes[i]});
        check(&arena, &(struct combination){AR, INTERLEAVED, 0.6, sizes[i]});
        check(&arena, &(struct combination){AR, ALTERNATING, 0.3, sizes[i]});
        check(&arena, &(struct combination){AR, ALTERNATING, 0.6, sizes[i]});
    }
    arena_close(&arena);
}

static int found_of_100(struct arena *arena, size_t n, double change, bool want_equivalent)
{
    struct combination c = {NORMAL, UNPAIRED, 0, n};
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng r = rng_seeded(rng_derive(seed, n, 9));
        double a[N_MAX];
        double b[N_MAX];
        draw(&r, &c, a, b);
        for (size_t i = 0; i < n; i++) b[i] *= change;
        ask(arena, &c, a, b, MARGIN, change, &tally);
    }
    return want_equivalent ? tally.equivalent : tally.changed;
}

/* Honest, and yet of use, in 3 % of noise. At n = 10 chance gives a few series
 * an autocorrelation above 0.2, and with it too small an effective n. */
TEST(real_changes_are_found)
{
    struct arena arena = arena_open();
    assert_true(found_of_100(&arena, 5, 1.2, false) >= 98);
    assert_true(found_of_100(&arena, 10, 1.1, false) >= 88);
    assert_true(found_of_100(&arena, 20, 1.1, false) >= 98);
    assert_true(found_of_100(&arena, 50, 1.05, false) >= 98);
    assert_true(found_of_100(&arena, 50, 1.0, true) >= 95);
    arena_close(&arena);
}

TEST_MAIN(T(independent_noise), T(noise_with_memory_unpaired), T(noise_with_memory_interleaved),
          T(real_changes_are_found))
