/* One metric over several cells: what the cells share. */
#include "stats/family.h"

#include "base/rng.h"
#include "stats/quantile.h"
#include "tests/arena.h"

#include <math.h>

enum { CELLS = 5, RUNS = 3, TRIALS = 10, SERIES = 600 };

struct plan {
    enum kind kind;
    double run_sd;  /* of what a run met, in all its cells */
    double change;  /* of B */
    bool are_known; /* the runs */
    bool is_short;  /* the first cell lacks one on each side */
};

/* Trials of one cell of one side about the mean of its runs' medians, as judge/ask.h has them. */
static void draw_side(struct rng *r, const struct plan *p, const double *met, double level,
                      double *values, double *numbers)
{
    double mean = 0;
    for (size_t k = 0; k < RUNS; k++) {
        double *of_run = values + k * TRIALS;
        double sum = 0;
        for (size_t i = 0; i < TRIALS; i++) {
            double z = level + met[k] + 0.01 * rng_normal(r);
            of_run[i] = p->kind == KIND_SHARE ? rng_real(r) < 0.7 + met[k] : z;
            sum += of_run[i];
        }
        numbers[k] = p->kind == KIND_SHARE ? sum / TRIALS : stats_median(arena, of_run, TRIALS);
        mean += numbers[k] / RUNS;
    }
    for (size_t i = 0; p->kind == KIND_RATIO && i < RUNS * TRIALS; i++) {
        values[i] = exp(values[i] + mean - numbers[i / TRIALS]);
    }
}

static struct verdict_answer ask_whole(uint64_t seed, const struct plan *p)
{
    struct rng r = rng_seeded(seed);
    struct family f = {.cells = arena_new(&arena, struct family_cell, CELLS), .count = CELLS};
    double met[2][RUNS];
    for (size_t k = 0; k < 2 * RUNS; k++) met[k / RUNS][k % RUNS] = p->run_sd * rng_normal(&r);
    for (size_t c = 0; c < CELLS; c++) {
        double *values[2];
        double *numbers[2];
        for (int s = 0; s < 2; s++) {
            values[s] = arena_new(&arena, double, RUNS *TRIALS);
            numbers[s] = arena_new(&arena, double, RUNS);
            draw_side(&r, p, met[s], (double)c + s * p->change, values[s], numbers[s]);
        }
        struct verdict_question *q = &f.cells[c].question;
        size_t runs = p->is_short && c == 0 ? RUNS - 1 : RUNS;
        *q = (struct verdict_question){.a = values[0],
                                       .a_count = runs * TRIALS,
                                       .b = values[1],
                                       .b_count = runs * TRIALS,
                                       .kind = p->kind};
        if (p->are_known)
            q->runs = (struct verdict_runs){{numbers[0], numbers[1]}, {runs, runs}, false};
    }
    struct error err = {0};
    if (!family_ask(&f, arena, &err)) fail_msg("%s", err.text);
    return f.whole;
}

static double share_decided(const struct plan *p)
{
    size_t decided = 0;
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        struct verdict_answer a = ask_whole(seed, p);
        decided += a.verdict == VERDICT_BETTER || a.verdict == VERDICT_WORSE;
        if (p->are_known &&
            (a.p < 0.05) != (a.effect.shift_low > 0 || a.effect.shift_high < 0 ||
                             a.effect.low > 1 || a.effect.high < 1)) {
            fail_msg("seed %d: p = %g beside its interval", (int)seed, a.p);
        }
        arena_reset(&arena);
    }
    return (double)decided / SERIES;
}

/* A busy hour happens to all cells of its run: however many there are, runs that differ by
 * it are no change. Without the runs the same data are alarms. */
TEST(what_a_run_met_is_no_change)
{
    static const struct plan plans[] = {{KIND_RATIO, 0.03, 0, true, false},
                                        {KIND_RATIO, 0.005, 0, true, false},
                                        {KIND_SHARE, 0.1, 0, true, false},
                                        {KIND_RATIO, 0.03, 0, true, true},
                                        {KIND_SHARE, 0.1, 0, true, true}};
    const double most = 0.05 + 3 * sqrt(0.05 * 0.95 / SERIES);
    for (size_t i = 0; i < COUNT(plans); i++) {
        double decided = share_decided(&plans[i]);
        print_message("# false verdicts with a run effect of %g: %.3f\n", plans[i].run_sd,
                      decided);
        assert_true(decided <= most);
    }
    struct plan unknown = plans[0];
    unknown.are_known = false;
    assert_true(share_decided(&unknown) > 0.5);
}

TEST(a_change_beyond_the_runs_is_found)
{
    const struct plan p = {KIND_RATIO, 0.03, 0.3, true, false};
    assert_true(share_decided(&p) > 0.95);
    struct verdict_answer a = ask_whole(1, &p);
    assert_true(a.needs_runs && verdict_has(&a, REASON_BETWEEN_RUNS));
    assert_close(a.run_sd, 0.03, 0.9);
}

/* An arm that always fails is stopped after 3 trials and has no partners; the other cell has
 * pairs. The whole is of both, whichever comes last. */
TEST(cells_with_and_without_pairs_make_one_whole)
{
    double none[60] = {0};
    const double failed[3] = {1, 1, 1};
    const struct verdict_question stopped = {
        .a = none, .a_count = 60, .b = failed, .b_count = 3, .kind = KIND_SHARE};
    const struct verdict_question steady = {.a = none,
                                            .a_count = 6,
                                            .b = none,
                                            .b_count = 6,
                                            .kind = KIND_SHARE,
                                            .is_paired = true};
    for (size_t last = 0; last < 2; last++) {
        struct family f = {.cells = arena_new(&arena, struct family_cell, 2), .count = 2};
        struct error err = {0};
        f.cells[1 - last].question = stopped;
        f.cells[last].question = steady;
        assert_true(family_ask(&f, arena, &err));
        assert_close(f.whole.effect.shift, 0.5, 1e-12);
        assert_true(f.whole.effect.shift_low > 0 && f.whole.effect.shift_high <= 1);
        assert_false(f.whole.is_paired);
        assert_int_equal(f.whole.verdict, VERDICT_WORSE);
        assert_int_equal(f.whole.arm[0].n, 66);
        assert_int_equal(f.whole.arm[1].n, 9);
    }
}

static struct verdict_question of_values(const double *a, const double *b, size_t n,
                                         bool is_paired)
{
    return (struct verdict_question){
        .a = a, .a_count = n, .b = b, .b_count = n, .is_paired = is_paired};
}

static void grow(double *a, double *b, size_t n, double by)
{
    struct rng r = rng_seeded(3);
    for (size_t i = 0; i < n; i++) {
        a[i] = exp(0.1 * rng_normal(&r));
        b[i] = by * exp(0.1 * rng_normal(&r));
    }
}

/* 3 against 3 have no interval: the whole is then of the other cell alone, in its effect, its
 * levels and its n. Small pairs count together where they have an interval together. */
TEST(a_cell_that_gave_nothing_is_no_part_of_the_whole)
{
    double a[10], b[10], small_a[3], small_b[3];
    grow(a, b, 10, 3);
    grow(small_a, small_b, 3, 0.1);
    struct error err = {0};
    struct family_cell cells[3] = {{.question = of_values(small_a, small_b, 3, false)},
                                   {.question = of_values(a, b, 10, false)}};
    struct family f = {.cells = cells, .count = 2};
    assert_true(family_ask(&f, arena, &err));
    assert_int_equal(f.used, 1);
    assert_true(!cells[0].is_part && cells[1].is_part);
    assert_int_equal(f.whole.arm[0].n, 10);
    assert_close(f.whole.arm[0].centre, cells[1].answer.arm[0].centre, 1e-12);
    assert_close(f.whole.effect.ratio, cells[1].answer.effect.ratio, 1e-12);
    for (int i = 0; i < 3; i++) cells[i].question = of_values(small_a, small_b, 3, true);
    f.count = 3;
    assert_true(family_ask(&f, arena, &err));
    assert_int_equal(f.used, 3);
    assert_int_equal(f.whole.arm[0].n, 9);
    assert_int_equal(f.whole.verdict, VERDICT_BETTER);
    cells[0].question = of_values(small_a, small_b, 3, false); /* none has an interval */
    f.count = 1;
    assert_true(family_ask(&f, arena, &err));
    cells[1].question = cells[0].question;
    f.count = 2;
    assert_true(family_ask(&f, arena, &err));
    assert_int_equal(f.used, 2);
    assert_int_equal(f.whole.arm[0].n, 6);
    assert_int_equal(f.whole.verdict, VERDICT_UNDECIDED);
}

/* One cell has a 0 and no ratio: all are shifts then, with runs and both intervals on that
 * scale. Without the zero's neighbour the whole is half the one shift and half the other. */
TEST(cells_of_two_scales_are_asked_on_one)
{
    double a[10], b[10], zero_a[10], zero_b[10];
    const double logs[2][2] = {{0, 0.02}, {log(3), log(3) + 0.02}};
    const double plain[2][2] = {{1, 1.02}, {3, 3.06}};
    grow(a, b, 10, 3);
    grow(zero_a, zero_b, 10, 3);
    zero_a[4] = 0;
    struct error err = {0};
    struct family_cell cells[2] = {{.question = of_values(a, b, 10, false)},
                                   {.question = of_values(zero_a, zero_b, 10, false)}};
    cells[0].question.runs = (struct verdict_runs){{logs[0], logs[1]}, {2, 2}, false};
    cells[1].question.runs = (struct verdict_runs){{plain[0], plain[1]}, {2, 2}, false};
    struct family f = {.cells = cells, .count = 2};
    assert_true(family_ask(&f, arena, &err));
    assert_int_equal(f.whole.kind, KIND_SHIFT);
    assert_int_equal(cells[0].answer.kind, KIND_RATIO); /* by itself it is still one */
    const struct verdict_effect *e = &f.whole.effect;
    assert_close(e->shift, 2, 0.15);
    assert_true(e->shift_low < f.whole.narrow_low && f.whole.narrow_low < e->shift);
    assert_true(e->shift < f.whole.narrow_high && f.whole.narrow_high < e->shift_high);
    /* Runs differ by 2 % of A and of B: sqrt((0.0141^2 + 0.0424^2) / 2) and a little more. */
    assert_close(f.whole.run_sd, 0.0320, 0.0002);
    assert_int_equal(f.whole.verdict, VERDICT_WORSE);
}

/* Three small benchmarks that cost 30 % more, on three levels; a fourth is free in both
 * versions. It has no ratio, and does not make shifts of the others', of which only the
 * dearest would count. */
TEST(what_is_free_on_both_sides_changes_no_answer)
{
    enum { N = 4, PAID = 3 };
    double a[PAID][N], b[PAID][N];
    const double none[N] = {0};
    struct rng r = rng_seeded(5);
    struct family_cell cells[PAID + 2] = {0};
    struct error err = {0};
    for (size_t i = 0; i < PAID; i++) {
        for (size_t k = 0; k < N; k++) {
            a[i][k] = pow(10, (double)i) * (1 + rng_real(&r));
            b[i][k] = a[i][k] * (i < PAID - 1 ? 1.3 + 0.01 * rng_real(&r) : 1);
        }
    }
    for (size_t of = 0; of < 2; of++) { /* money, times */
        for (size_t n = 1; n <= N; n += N - 1) {
            for (size_t i = 0; i < PAID + 2; i++) {
                bool is_paid = i < PAID;
                cells[i].question = of_values(is_paid ? a[i] : none, is_paid ? b[i] : none,
                                              is_paid ? N : n, true);
                cells[i].question.has_no_order = true;
                cells[i].question.kind = of ? KIND_RATIO : KIND_SUM;
                cells[i].question.limit = 0.05;
            }
            struct family paid = {.cells = cells, .count = PAID};
            struct family all = {.cells = cells, .count = PAID + 2};
            struct family idle = {.cells = cells + PAID, .count = 2};
            assert_true(family_ask(&paid, arena, &err));
            assert_true(family_ask(&all, arena, &err));
            assert_int_equal(all.used, PAID);
            assert_int_equal(paid.whole.verdict, VERDICT_WORSE);
            assert_int_equal(all.whole.verdict, VERDICT_WORSE);
            assert_close(all.whole.effect.low, paid.whole.effect.low, 1e-12);
            assert_close(all.whole.arm[0].centre, paid.whole.arm[0].centre, 1e-12);
            assert_true(family_ask(&idle, arena, &err));
            assert_int_not_equal(idle.whole.verdict, VERDICT_WORSE);
            assert_close(idle.whole.effect.shift, 0, 0);
        }
    }
}

/* More of the same must not say less than one cell does. */
TEST(cells_that_are_the_same_constants_are_equivalent_together)
{
    const double none[10] = {0};
    struct error err = {0};
    struct family_cell cells[3];
    for (size_t count = 1; count <= 3; count++) {
        struct family f = {.cells = cells, .count = count};
        for (size_t i = 0; i < count; i++) {
            cells[i] = (struct family_cell){.question = of_values(none, none, 10, true)};
            cells[i].question.margin = 0.03;
        }
        assert_true(family_ask(&f, arena, &err));
        assert_int_equal(f.whole.verdict, VERDICT_EQUIVALENT);
        assert_false(f.whole.is_tested);
        assert_true(verdict_has(&f.whole, REASON_EQUAL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_a_run_met_is_no_change),
        T(a_change_beyond_the_runs_is_found),
        T(cells_with_and_without_pairs_make_one_whole),
        T(a_cell_that_gave_nothing_is_no_part_of_the_whole),
        T(cells_of_two_scales_are_asked_on_one),
        T(what_is_free_on_both_sides_changes_no_answer),
        T(cells_that_are_the_same_constants_are_equivalent_together),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
