/* How often versions that do not differ are told to, where runs do. Cells are
 * made here, with random shifts between runs: the machine was in another mood. */
#include "base/rng.h"
#include "judge/worsening.h"
#include "tests/test.h"

enum { RUNS_MAX = 5, TRIALS = 20, ROUNDS = 160, CASES = 8 };

struct world {
    struct arena arena;
    struct rng rng;
    double between; /* sd of the logarithm of a run's level */
    double within;
    bool has_cases;
    bool is_shared; /* both versions took turns in each run */
};

static double *draw(struct world *x, double level, double shift)
{
    double *values = arena_new(&x->arena, double, TRIALS);
    for (int i = 0; i < TRIALS; i++) {
        double of_case = x->has_cases ? 1 + i % CASES : 1;
        values[i] = level * of_case * exp(shift + x->within * rng_normal(&x->rng));
    }
    return values;
}

static const struct view_cell *cell_of(struct world *x, const double *values, size_t run)
{
    static const char *const hashes[CASES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct view_cell *cell = arena_new(&x->arena, struct view_cell, 1);
    cell->metrics = arena_new(&x->arena, struct view_metric, 1);
    cell->metric_count = 1;
    cell->record.run_id[0] = (char)('a' + run);
    cell->metrics[0] = (struct view_metric){.name = "duration_s",
                                            .unit = "s",
                                            .direction = DIRECTION_LOWER,
                                            .definition = "d/1",
                                            .samples = values,
                                            .count = TRIALS,
                                            .n = TRIALS};
    cell->trial_count = TRIALS;
    cell->statuses = arena_new(&x->arena, uint8_t, TRIALS);
    cell->segments = arena_new(&x->arena, uint32_t, TRIALS);
    cell->starts_s = values;
    if (!x->has_cases) return cell;
    cell->notes = arena_new(&x->arena, struct trial_note, TRIALS);
    for (int i = 0; i < TRIALS; i++) {
        cell->notes[cell->note_count++] = (struct trial_note){
            .trial = i, .phase = PHASE_MEASURED, .case_hash = hashes[i % CASES]};
    }
    return cell;
}

/* `knows_runs` false: only the newest run of each, as if it were all there is. */
static struct worsening measure(struct world *x, const struct view_cell *const *runs[2],
                                const size_t count[2], bool knows_runs)
{
    struct error err = {0};
    struct worsening w;
    struct worsening_question q = {.limit = 0};
    for (int s = 0; s < 2; s++) {
        q.cell[s] = knows_runs ? view_merge(runs[s], count[s], &x->arena) : runs[s][0];
        q.metric[s] = &q.cell[s]->metrics[0];
        q.runs[s] = runs[s];
        q.run_count[s] = knows_runs ? count[s] : 1;
    }
    if (!worsening_measure(&q, &x->arena, &w, &err)) fail_msg("%s", err.text);
    return w;
}

struct alarms {
    int both_sides; /* the interval excludes no change */
    int worse;      /* beyond the limit of 0, as a regression is */
};

static struct alarms count_alarms(struct world x, size_t then, size_t now, double worse_by,
                                  bool knows_runs)
{
    struct alarms alarms = {0};
    x.rng = rng_seeded(11);
    for (int round = 0; round < ROUNDS; round++) {
        x.arena = arena_open();
        const struct view_cell *cells[2][RUNS_MAX];
        double shifts[2 * RUNS_MAX];
        for (size_t i = 0; i < COUNT(shifts); i++) shifts[i] = x.between * rng_normal(&x.rng);
        for (size_t i = 0; i < then; i++) cells[0][i] = cell_of(&x, draw(&x, 1, shifts[i]), i);
        for (size_t i = 0; i < now; i++) {
            size_t run = x.is_shared ? i : RUNS_MAX + i;
            cells[1][i] = cell_of(&x, draw(&x, 1 + worse_by, shifts[run]), run);
        }
        const struct view_cell *const *runs[2] = {cells[0], cells[1]};
        struct worsening w = measure(&x, runs, (size_t[]){then, now}, knows_runs);
        alarms.both_sides += w.low > 0 || w.high < 0;
        alarms.worse += w.low > 0 && w.p <= 0.05;
        arena_close(&x.arena);
    }
    return alarms;
}

TEST(unchanged_versions_whose_runs_differ_raise_few_alarms)
{
    static const size_t counts[][2] = {{2, 2}, {3, 3}, {5, 1}, {2, 1}};
    double most = ROUNDS * 0.05 + 3 * sqrt(ROUNDS * 0.05 * 0.95);
    for (int has_cases = 0; has_cases < 2; has_cases++) {
        struct world x = {.between = 0.05, .within = 0.02, .has_cases = has_cases};
        struct alarms old = count_alarms(x, 2, 2, 0, false);
        print_message("# runs ignored: %d of %d\n", old.both_sides, ROUNDS);
        assert_true(old.both_sides > ROUNDS / 2); /* what was wrong */
        for (size_t i = 0; i < COUNT(counts); i++) {
            struct alarms a = count_alarms(x, counts[i][0], counts[i][1], 0, true);
            print_message("# %zu and %zu runs: %d of %d\n", counts[i][0], counts[i][1],
                          a.both_sides, ROUNDS);
            assert_true(a.both_sides <= most);
        }
    }
}

TEST(a_change_beyond_what_runs_differ_by_is_seen)
{
    struct world x = {.between = 0.02, .within = 0.02};
    assert_true(count_alarms(x, 3, 3, 0.2, true).worse > ROUNDS * 0.9);
    assert_true(count_alarms(x, 5, 1, 0.2, true).worse > ROUNDS * 0.9);
}

TEST(what_a_run_met_cancels_where_both_took_turns_in_it)
{
    struct world x = {.between = 0.1, .within = 0.02, .is_shared = true};
    double most = ROUNDS * 0.05 + 3 * sqrt(ROUNDS * 0.05 * 0.95);
    assert_true(count_alarms(x, 3, 3, 0, true).both_sides <= most);
    assert_true(count_alarms(x, 4, 4, 0.1, true).worse > ROUNDS * 0.9);
    x.is_shared = false;
    assert_true(count_alarms(x, 4, 4, 0.1, true).worse < ROUNDS * 0.5);
}

TEST(runs_that_do_not_differ_cost_little)
{
    struct world x = {.between = 0, .within = 0.05};
    assert_true(count_alarms(x, 3, 3, 0.1, true).worse > ROUNDS * 0.9);
}

TEST(identical_runs_are_never_worse)
{
    struct world x = {
        .arena = arena_open(), .rng = rng_seeded(3), .between = 0.1, .within = 0.1};
    const struct view_cell *cells[RUNS_MAX];
    for (size_t i = 0; i < RUNS_MAX; i++) {
        cells[i] = cell_of(&x, draw(&x, 1, 0.1 * (double)i), i);
    }
    const struct view_cell *const *runs[2] = {cells, cells};
    for (size_t n = 1; n <= RUNS_MAX; n++) {
        struct worsening w = measure(&x, runs, (size_t[]){n, n}, true);
        assert_true(w.low <= 0 && w.high >= 0);
        assert_close(w.p, 1, 0);
    }
    arena_close(&x.arena);
}

/* A slow wave: 20 values that say little more than one. */
TEST(values_that_depend_on_each_other_decide_nothing_by_themselves)
{
    struct world x = {.arena = arena_open()};
    double values[2][TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        values[0][i] = 1 + 0.01 * sin(i / 6.0);
        values[1][i] = 1.005 * values[0][i];
    }
    const struct view_cell *cells[2] = {cell_of(&x, values[0], 0), cell_of(&x, values[1], 1)};
    const struct view_cell *const *runs[2] = {&cells[0], &cells[1]};
    struct worsening w = measure(&x, runs, (size_t[]){1, 1}, true);
    assert_non_null(w.why);
    assert_non_null(strstr(w.why, "measure longer"));
    arena_close(&x.arena);
}

/* Eight scores, as often as the trials have room for. */
static const struct view_cell *scores_of(struct world *x, const double scores[CASES],
                                         size_t run)
{
    double *values = arena_new(&x->arena, double, TRIALS);
    for (int i = 0; i < TRIALS; i++) values[i] = scores[i % CASES];
    const struct view_cell *cell = cell_of(x, values, run);
    cell->metrics[0].name = "accuracy";
    cell->metrics[0].unit = "1";
    cell->metrics[0].direction = DIRECTION_HIGHER;
    return cell;
}

/* Expected: t.test of R, of the eight pairs and of twenty values a side. */
TEST(scores_that_are_no_flags_are_held_against_each_other_by_means)
{
    static const double then[CASES] = {.9, .8, .85, .95, .7, .9, .8, .75};
    static const double now[CASES] = {.6, .55, .7, .7, .5, .65, .6, .5};
    static const struct {
        const char *method;
        double limit, amount, low, high, p;
    } expected[] = {
        {"welch", .2, .2325, .182762011575362, .282237988424638, .193806168293965},
        {"welch", .1, .2325, .182762011575362, .282237988424638, 3.87660674757457e-06},
        /* p is no rarer than one of the 2^7 arrangements of signs, whatever R says */
        {"student, paired", .1, .23125, .192955000719321, .269544999280679, .0078125},
        {"student, paired", .3, .23125, .192955000719321, .269544999280679, 1},
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct world x = {.arena = arena_open(), .has_cases = i > 1};
        const struct view_cell *cell[2] = {scores_of(&x, then, 0), scores_of(&x, now, 1)};
        struct worsening_question q = {
            .cell = {cell[0], cell[1]},
            .metric = {&cell[0]->metrics[0], &cell[1]->metrics[0]},
            .limit = expected[i].limit,
        };
        struct error err = {0};
        struct worsening w;
        assert_true(worsening_measure(&q, &x.arena, &w, &err));
        assert_null(w.why);
        assert_true(w.is_points);
        assert_string_equal(w.method, expected[i].method);
        assert_close(w.amount, expected[i].amount, 1e-12);
        assert_close(w.low, expected[i].low, 1e-12);
        assert_close(w.high, expected[i].high, 1e-12);
        assert_close(w.p / expected[i].p, 1, 1e-9);
        arena_close(&x.arena);
    }
}

TEST(five_scores_a_side_have_no_interval)
{
    struct world x = {.arena = arena_open()};
    static const double scores[CASES] = {.5, .6, .7, .8, .9};
    const struct view_cell *cell = scores_of(&x, scores, 0);
    cell->metrics[0].count = 5;
    struct worsening_question q = {.cell = {cell, cell},
                                   .metric = {&cell->metrics[0], &cell->metrics[0]}};
    struct error err = {0};
    struct worsening w;
    assert_true(worsening_measure(&q, &x.arena, &w, &err));
    assert_string_equal(w.why, "fewer than 6 values a side");
    assert_true(isnan(w.low) && isnan(w.high) && w.p == 1);
    assert_close(w.baseline, 0.7, 1e-12);
    arena_close(&x.arena);
}

TEST(nothing_is_told_as_minus_nought)
{
    struct arena a = arena_open();
    struct worsening w = {.amount = -0.01, .low = -0.02, .high = 0.0004};
    assert_string_equal(worsening_effect(&w, &a), "better by 1.0 % [0.0 %, 2.0 %]");
    w.high = -0.0006;
    assert_string_equal(worsening_effect(&w, &a), "better by 1.0 % [0.1 %, 2.0 %]");
    arena_close(&a);
}

TEST_MAIN(T(scores_that_are_no_flags_are_held_against_each_other_by_means),
          T(five_scores_a_side_have_no_interval), T(nothing_is_told_as_minus_nought),
          T(values_that_depend_on_each_other_decide_nothing_by_themselves),
          T(unchanged_versions_whose_runs_differ_raise_few_alarms),
          T(a_change_beyond_what_runs_differ_by_is_seen),
          T(what_a_run_met_cancels_where_both_took_turns_in_it),
          T(runs_that_do_not_differ_cost_little), T(identical_runs_are_never_worse))
