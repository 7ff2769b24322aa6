/* The engine against truths that were planted: how often it is wrong, how much power
 * its protection costs, what its smallest detectable effect is worth.
 *
 * 200 draws for each line, 800 in `make soak`; every limit is the promise of docs/method.md plus three
 * standard errors of the draws. ASSAY_CALIBRATION=1 prints the curves. */
#include "stats/verdict.h"

#include "base/rng.h"
#include "tests/test.h"

#include <math.h>

enum { N_MAX = 200 };

static int runs; /* draws for each line: 200, or 800 in `make soak` */

struct world {
    double a[N_MAX], b[N_MAX];
    struct arena arena;
};

enum noise { NORMAL, LOGNORMAL, OUTLIERS, NOISES };
static const char *const noise_name[] = {"normal", "lognormal", "5 % outliers"};

static double noise_of(struct rng *r, int noise)
{
    double z = rng_normal(r);
    if (noise == LOGNORMAL) return exp(0.5 * z);
    return noise == OUTLIERS && rng_below(r, 20) == 0 ? z + 10 : z;
}

static void draw_arms(struct world *w, int noise, size_t n, uint64_t run)
{
    struct rng r = rng_seeded(rng_derive(run, n, (uint64_t)noise + 77));
    for (size_t i = 0; i < n; i++) w->a[i] = noise_of(&r, noise);
    for (size_t i = 0; i < n; i++) w->b[i] = noise_of(&r, noise);
}

static void draw_memory(struct world *w, double rho, size_t n, uint64_t run)
{
    struct rng r = rng_seeded(rng_derive(run, n, (uint64_t)(rho * 1000)));
    double *arms[2] = {w->a, w->b};
    for (int s = 0; s < 2; s++) {
        double level = rng_normal(&r);
        for (size_t i = 0; i < n; i++) {
            arms[s][i] = level;
            level = rho * level + sqrt(1 - rho * rho) * rng_normal(&r);
        }
    }
}

static struct verdict_answer ask(struct world *w, struct verdict_question q, size_t n)
{
    struct verdict_answer answer;
    q.a = w->a;
    q.b = w->b;
    q.a_count = q.b_count = n;
    assert_true(verdict_compare(&q, w->arena, &answer, NULL));
    return answer;
}

static bool is_decided(const struct verdict_answer *a)
{
    return a->verdict == VERDICT_BETTER || a->verdict == VERDICT_WORSE;
}

static const struct verdict_question shift = {.kind = KIND_SHIFT};
static const struct verdict_question unordered = {.kind = KIND_SHIFT, .has_no_order = true};

__attribute__((constructor)) static void choose_runs(void)
{
    runs = getenv("ASSAY_SOAK") ? 800 : 200;
}

static bool prints(void)
{
    return getenv("ASSAY_CALIBRATION") != NULL;
}

static double error_of(double rate)
{
    return sqrt(rate * (1 - rate) / runs);
}

/* ---- memory ---- */

static double false_rate(struct world *w, double rho, size_t n)
{
    int wrong = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        draw_memory(w, rho, n, run);
        struct verdict_answer a = ask(w, shift, n);
        wrong += is_decided(&a);
    }
    return (double)wrong / runs;
}

TEST(false_verdicts_under_memory)
{
    struct world w = {.arena = arena_open()};
    static const struct {
        size_t n;
        double limit;
    } rows[] = {{5, .14},  {6, .14},  {7, .14},  {8, .14},  {9, .14},  {10, .10},
                {11, .10}, {12, .10}, {13, .10}, {14, .10}, {15, .07}, {17, .07},
                {20, .07}, {25, .07}, {30, .07}, {40, .07}, {50, .07}, {100, .07}};
    int bad = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double rate = false_rate(&w, 0.5, rows[i].n);
        double none = false_rate(&w, 0, rows[i].n);
        if (prints()) {
            print_message(
                "# n = %-3zu false better/worse: AR .5 %.1f %%, independent %.1f %%\n",
                rows[i].n, 100 * rate, 100 * none);
        }
        bad += rate > rows[i].limit + 3 * error_of(rows[i].limit);
        bad += none > .05 + 3 * error_of(.05);
    }
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

static double power_of(struct world *w, struct verdict_question q, int noise, size_t n,
                       double by, uint64_t seed)
{
    int found = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        draw_arms(w, noise, n, seed + run);
        for (size_t i = 0; i < n; i++) w->b[i] += by;
        struct verdict_answer a = ask(w, q, n);
        found += is_decided(&a);
    }
    return (double)found / runs;
}

/* The shift that the exact rank test finds in 80 %. */
static double shift_of(struct world *w, int noise, size_t n)
{
    double low = 0;
    double high = 10;
    for (int i = 0; i < 9; i++) {
        double middle = (low + high) / 2;
        if (power_of(w, unordered, noise, n, middle, 0) > 0.8) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return (low + high) / 2;
}

TEST(power_is_near_that_of_the_exact_rank_test)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 20, 30, 50};
    int bad = 0;
    for (int noise = 0; noise < NOISES; noise++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            double by = shift_of(&w, noise, sizes[i]);
            double exact = power_of(&w, unordered, noise, sizes[i], by, 5000000);
            double ours = power_of(&w, shift, noise, sizes[i], by, 5000000);
            if (prints()) {
                print_message("# %-12s n = %-3zu power %.1f %%, exact rank test %.1f %%\n",
                              noise_name[noise], sizes[i], 100 * ours, 100 * exact);
            }
            bad += ours < exact - 0.06 - 3 * error_of(.06);
        }
    }
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

TEST(complete_separation_is_never_undecided)
{
    struct world w = {.arena = arena_open()};
    static const double rhos[] = {0, .3, .6, .8};
    for (size_t k = 0; k < COUNT(rhos); k++) {
        for (uint64_t run = 0; run < (uint64_t)runs; run++) {
            draw_memory(&w, rhos[k], 20, run);
            for (size_t i = 0; i < 20; i++) {
                w.a[i] = 100 * exp(0.05 * w.a[i]);
                w.b[i] = 2000 * exp(0.05 * w.b[i]);
            }
            struct verdict_answer a = ask(&w, (struct verdict_question){0}, 20);
            assert_int_equal(a.verdict, VERDICT_WORSE);
        }
    }
    arena_close(&w.arena);
}

/* A change as large as the mde that one sample reports, in fresh samples. */
TEST(the_smallest_detectable_effect_is_found_four_times_in_five)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {10, 12, 15, 20, 30, 50, 100};
    int bad = 0;
    for (int noise = 0; noise < NOISES; noise++) {
        for (int paired = 0; paired < 2; paired++) {
            for (size_t i = 0; i < COUNT(sizes); i++) {
                size_t n = sizes[i];
                int found = 0;
                for (uint64_t run = 0; run < (uint64_t)runs; run++) {
                    struct verdict_question q = {.is_paired = paired != 0};
                    draw_arms(&w, noise, n, 9000000 + run);
                    for (size_t k = 0; k < n; k++) {
                        w.a[k] = exp(0.03 * w.a[k]);
                        w.b[k] = exp(0.03 * w.b[k]);
                    }
                    double mde = ask(&w, q, n).mde;
                    draw_arms(&w, noise, n, 19000000 + run);
                    for (size_t k = 0; k < n; k++) {
                        w.a[k] = exp(0.03 * w.a[k]);
                        w.b[k] = (1 + mde) * exp(0.03 * w.b[k]);
                    }
                    struct verdict_answer a = ask(&w, q, n);
                    found += is_decided(&a);
                }
                double power = (double)found / runs;
                if (prints()) {
                    print_message("# %-12s %s n = %-3zu a change of mde is found in %.1f %%\n",
                                  noise_name[noise], paired ? "paired  " : "unpaired", n,
                                  100 * power);
                }
                /* Ten pairs, one of them perhaps wild, do not know their own width. */
                bool is_wild = noise == OUTLIERS && paired && n < 15;
                double least = is_wild ? .65 : .75;
                bad += power < least - 3 * error_of(.75) || power > .85 + 3 * error_of(.85);
            }
        }
    }
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

/* ---- cases ---- */

/* Pairs of cases, whose levels differ by more than anything that is measured:
 * nothing changed, then each by the margin. */
TEST(cases_are_compared_by_their_mean_at_no_more_than_alpha)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {6, 8, 10, 13, 14, 20, 30, 50, 200};
    int bad = 0;
    for (int noise = 0; noise < NOISES; noise++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            size_t n = sizes[i];
            int wrong = 0;
            int equal = 0;
            for (uint64_t run = 0; run < (uint64_t)runs; run++) {
                struct rng r = rng_seeded(run);
                draw_arms(&w, noise, n, 29000000 + run);
                for (size_t k = 0; k < n; k++) {
                    double level = exp(2 * rng_normal(&r));
                    w.a[k] = level * exp(0.03 * w.a[k]);
                    w.b[k] = level * exp(0.03 * w.b[k]);
                }
                struct verdict_question q = {.is_paired = true, .has_no_order = true};
                struct verdict_answer a = ask(&w, q, n);
                wrong += is_decided(&a);
                /* Changed by as much as the margin: equivalent at most alpha of the time. */
                for (size_t k = 0; k < n; k++) w.b[k] *= 1.03;
                q.margin = 0.03;
                equal += ask(&w, q, n).verdict == VERDICT_EQUIVALENT;
            }
            double rate[2] = {(double)wrong / runs, (double)equal / runs};
            if (prints()) {
                print_message("# cases, %-12s n = %-3zu false better/worse %.1f %%, false "
                              "equivalent %.1f %%\n",
                              noise_name[noise], n, 100 * rate[0], 100 * rate[1]);
            }
            for (int k = 0; k < 2; k++) bad += rate[k] > .05 + 3 * error_of(.05);
        }
    }
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

/* Either arm is cut off here and there, by chance: nobody is better or worse by that. */
TEST(cases_that_are_cut_off_make_no_false_verdicts)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {10, 20, 50, 100};
    static const double shares[] = {.02, .1, .3};
    int bad = 0;
    for (size_t s = 0; s < COUNT(shares) * COUNT(sizes); s++) {
        size_t n = sizes[s % COUNT(sizes)];
        double share = shares[s / COUNT(sizes)];
        int wrong = 0;
        for (uint64_t run = 0; run < (uint64_t)runs; run++) {
            struct rng r = rng_seeded(rng_derive(run, n, 31));
            for (size_t k = 0; k < n; k++) {
                double level = 0.01 * exp(0.5 * rng_normal(&r));
                w.a[k] = level * exp(0.1 * rng_normal(&r));
                w.b[k] = level * exp(0.1 * rng_normal(&r));
                if (rng_real(&r) < share) w.a[k] = (double)INFINITY;
                if (rng_real(&r) < share) w.b[k] = (double)INFINITY;
            }
            struct verdict_answer a =
                ask(&w,
                    (struct verdict_question){
                        .is_paired = true, .has_no_order = true, .cut_at = {.2, .2}},
                    n);
            wrong += is_decided(&a);
        }
        double rate = (double)wrong / runs;
        if (prints()) {
            print_message("# %2.0f %% of cases cut off, n = %-3zu false better/worse %.1f %%\n",
                          100 * share, n, 100 * rate);
        }
        bad += rate > .05 + 3 * error_of(.05);
    }
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

/* ---- shares ---- */

enum design { UNPAIRED, PAIRED, CLUSTERED, DESIGNS };
static const char *const design_name[] = {"unpaired", "paired", "3 passes a case"};

/* Paired: cases are of unlike difficulty, so both arms tend to pass the same ones. */
static void draw_shares(struct world *w, enum design design, double rate, size_t n,
                        uint64_t run)
{
    struct rng r = rng_seeded(rng_derive(run, n, (uint64_t)(rate * 1000) * 8 + design));
    int passes = design == CLUSTERED ? 3 : 1;
    for (size_t i = 0; i < n; i++) {
        bool is_hard = rng_real(&r) < 2 * (1 - rate);
        double p = design == UNPAIRED ? rate : is_hard ? 0.5 : 1;
        double *sides[2] = {&w->a[i], &w->b[i]};
        for (int s = 0; s < 2; s++) {
            *sides[s] = 0;
            for (int k = 0; k < passes; k++) *sides[s] += (rng_real(&r) < p) / (double)passes;
            if (*sides[s] > 0.999) *sides[s] = 1;
        }
    }
}

TEST(shares_are_calibrated)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {5, 6, 8, 10, 15, 20, 30, 50, 100, 200};
    static const double rates[] = {.5, .7, .9, .95, .99};
    int bad = 0;
    for (int design = 0; design < DESIGNS; design++) {
        for (size_t k = 0; k < COUNT(rates); k++) {
            for (size_t i = 0; i < COUNT(sizes); i++) {
                if (design == CLUSTERED && sizes[i] > 50) continue; /* 9999 flips a draw */
                int wrong = 0;
                int missed = 0;
                int below = 0;
                for (uint64_t run = 0; run < (uint64_t)runs; run++) {
                    draw_shares(&w, (enum design)design, rates[k], sizes[i], run);
                    struct verdict_question q = {.kind = KIND_SHARE,
                                                 .is_paired = design != UNPAIRED};
                    struct verdict_answer a = ask(&w, q, sizes[i]);
                    wrong += is_decided(&a);
                    missed += a.effect.shift_low > 0 || a.effect.shift_high < 0;
                    below += is_decided(&a) != (a.p < 0.05);
                }
                double limit = .05 + 3 * error_of(.05);
                bool is_bad = wrong > limit * runs || missed > limit * runs || below > 0;
                if (prints() || is_bad) {
                    print_message("# %-15s rate %.2f n = %-3zu false %.1f %%, missed %.1f %%\n",
                                  design_name[design], rates[k], sizes[i], 100.0 * wrong / runs,
                                  100.0 * missed / runs);
                }
                bad += is_bad;
            }
        }
    }
    print_message("\n"); /* what libRmath may have said ends its line here */
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

/* A pair loses at rate `lost`, gains at `won`: by 1 (right or wrong), or by `size` or twice
 * that. */
struct change {
    double lost, won;
    double size;
};

static void draw_change(struct world *w, const struct change *c, size_t n, uint64_t run)
{
    struct rng r = rng_seeded(rng_derive(run, n, (uint64_t)(c->lost * 1000)));
    for (size_t i = 0; i < n; i++) {
        double u = rng_real(&r);
        double by = c->size == 1 || rng_below(&r, 2) == 0 ? c->size : 2 * c->size;
        bool is_won = u >= c->lost && u < c->lost + c->won;
        w->a[i] = is_won ? 1 - by : 1;
        w->b[i] = u < c->lost ? 1 - by : 1;
    }
}

/* An interval holds what is true as often as it says also where that is not 0: 6 of 6 lost
 * do not show that all are. */
TEST(shares_hold_true_changes)
{
    struct world w = {.arena = arena_open()};
    static const size_t sizes[] = {6, 8, 10, 20};
    static const struct change changes[] = {
        {1, 0, .2},   {.9, .1, .2},  {.9, 0, .2}, {.5, 0, .2}, {.2, 0, .2}, {.95, .05, .1},
        {.8, .1, .3}, {.95, 0, .4},  {.5, 0, 1},  {.8, 0, 1},  {.9, 0, 1},  {.95, 0, 1},
        {1, 0, 1},    {.67, .33, 1}, {.9, .1, 1}, {.1, .15, 1}};
    int bad = 0;
    for (size_t k = 0; k < COUNT(changes); k++) {
        const struct change *c = &changes[k];
        double truth = (c->won - c->lost) * (c->size == 1 ? 1 : 1.5 * c->size);
        for (size_t i = 0; i < COUNT(sizes); i++) {
            int missed[2] = {0, 0};
            for (uint64_t run = 0; run < (uint64_t)runs; run++) {
                draw_change(&w, c, sizes[i], run);
                struct verdict_question q = {.kind = KIND_SHARE, .is_paired = true};
                struct verdict_answer a = ask(&w, q, sizes[i]);
                missed[0] += a.effect.shift_low > truth + 1e-9;
                missed[1] += a.effect.shift_high < truth - 1e-9;
            }
            bool is_bad = missed[0] + missed[1] > (.05 + 3 * error_of(.05)) * runs;
            if (prints() || is_bad) {
                print_message("# lost %.2f, won %.2f by %.1f, n = %-3zu missed below %.1f %%, "
                              "above %.1f %%\n",
                              c->lost, c->won, c->size, sizes[i], 100.0 * missed[0] / runs,
                              100.0 * missed[1] / runs);
            }
            bad += is_bad;
        }
    }
    print_message("\n");
    assert_int_equal(bad, 0);
    arena_close(&w.arena);
}

TEST_MAIN(T(false_verdicts_under_memory), T(power_is_near_that_of_the_exact_rank_test),
          T(complete_separation_is_never_undecided),
          T(cases_are_compared_by_their_mean_at_no_more_than_alpha),
          T(cases_that_are_cut_off_make_no_false_verdicts),
          T(the_smallest_detectable_effect_is_found_four_times_in_five),
          T(shares_are_calibrated), T(shares_hold_true_changes))
