/* Regressions with known answers: executions are put into a store with samples
 * made here. Each test of a sentence takes its cause away and sees it go. */
#include "history/alarm.h"
#include "history/regress_internal.h"
#include "judge/claims.h"
#include "report/regress_words.h"
#include "tests/history/bench.h"
#include "tests/report/fixture.h"

static const struct metric memory = {"memory_mb", "MB", DIRECTION_LOWER, "memory/1", "", false};
static const struct metric rate = {"rate", "1/s", DIRECTION_HIGHER, "rate/1", "", false};

static struct regress ask(struct bench *b, struct regress_question q)
{
    struct error err = {0};
    struct regress r;
    if (!q.which.agent && !q.which.run) q.which.agent = "a";
    OK(regress_ask(b->store, &q, &b->f.arena, &r, &err));
    return r;
}

static const struct regress_question usual = {0};

static bool has_row(const struct regress *r, const char *metric)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (strcmp(r->rows[i].metric, metric) == 0) return true;
    }
    return false;
}

/* The comparison of one metric. */
static const struct regress_row *row_of(const struct regress *r, const char *metric)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->rule == REGRESS_BEYOND && strcmp(row->metric, metric) == 0) return row;
    }
    fail_msg("no row of %s", metric);
    abort();
}

static bool is_found(const struct regress *r, enum regress_rule rule)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (r->rows[i].rule == rule && r->rows[i].state == REGRESS_FOUND) return true;
    }
    return false;
}

static bool has_note(const struct regress *r, const char *text)
{
    struct arena scratch = arena_open();
    struct sentences notes = {.out = &scratch};
    regress_words_notes(r, &notes);
    bool has = false;
    for (size_t i = 0; i < notes.count; i++) has |= strstr(notes.items[i], text) != NULL;
    arena_close(&scratch);
    return has;
}

TEST(a_clear_regression_is_found_with_all_it_rests_on)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 1.3});
    struct regress r = ask(&b, usual);
    const struct regress_row *row = row_of(&r, "duration_s");
    assert_int_equal(row->state, REGRESS_FOUND);
    assert_close(row->w.amount, 0.3, 0.02);
    assert_true(row->w.low > 0.25 && row->w.high < 0.35);
    assert_int_equal(row->severity, SEVERITY_MEDIUM); /* surely beyond twice the threshold */
    assert_non_null(strstr(regress_words_row(&r, row, &b.f.arena), "beyond_threshold"));
    assert_non_null(strstr(regress_words_row(&r, row, &b.f.arena), "threshold of 10 %"));
    assert_string_equal(r.overall_health, "degraded");
    assert_string_equal(r.set.pairs[0].against, "version 1");
    bench_close(&b);
}

TEST(severity_follows_what_is_sure)
{
    static const struct {
        const char *version;
        double level;
        enum severity severity;
    } cases[] = {{"2", 1.15, SEVERITY_LOW},
                 {"3", 1.25, SEVERITY_MEDIUM},
                 {"4", 1.4, SEVERITY_HIGH},
                 {"5", 1.6, SEVERITY_CRITICAL}};
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    for (size_t i = 0; i < COUNT(cases); i++) {
        put(&b, (struct shape){.version = cases[i].version, .level = cases[i].level});
        struct regress_question q = usual;
        q.which.baseline = "1";
        struct regress r = ask(&b, q);
        assert_int_equal(row_of(&r, "duration_s")->severity, cases[i].severity);
    }
    bench_close(&b);
}

TEST(the_threshold_is_held_against_the_interval)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1, .noise = 0.1});
    put(&b, (struct shape){.version = "2", .level = 1.13, .noise = 0.1});
    struct regress r = ask(&b, usual);
    const struct regress_row *row = row_of(&r, "duration_s");
    assert_int_equal(row->state, REGRESS_UNDECIDED); /* the point is beyond, the interval not */
    assert_non_null(
        strstr(regress_words_row(&r, row, &b.f.arena), "the interval includes the threshold"));
    static const struct regress_limit limits[] = {{"duration_s", 0.01}};
    struct regress_question q = {.limits = limits, .limit_count = 1};
    r = ask(&b, q);
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_FOUND);
    q = (struct regress_question){.threshold = 0.5};
    r = ask(&b, q);
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_NONE);
    bench_close(&b);
}

TEST(higher_is_better_turns_the_sign)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 100, .metric = &rate});
    put(&b, (struct shape){.version = "2", .level = 70, .metric = &rate});
    struct regress r = ask(&b, usual);
    const struct regress_row *row = row_of(&r, "rate");
    assert_int_equal(row->state, REGRESS_FOUND);
    assert_close(row->w.amount, 0.3, 0.02);
    put(&b, (struct shape){.version = "3", .level = 100, .metric = &rate});
    r = ask(&b, usual);
    assert_int_equal(row_of(&r, "rate")->state, REGRESS_IMPROVED);
    bench_close(&b);
}

TEST(identical_results_are_never_a_regression)
{
    static const size_t sizes[] = {1, 2, 5, 6, 30, 120};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (int tail = 0; tail < 2; tail++) {
            struct bench b = bench_open();
            struct shape shape = {.version = "1",
                                  .level = 1,
                                  .trials = sizes[i],
                                  .tail = tail * 0.2,
                                  .failures = sizes[i] / 5,
                                  .error = "x"};
            b.rng = rng_seeded(i);
            put(&b, shape);
            b.rng = rng_seeded(i);
            shape.version = "2";
            put(&b, shape);
            struct regress_question q = {.threshold = 1e-9, .alpha = 0.4};
            struct regress r = ask(&b, q);
            assert_int_equal(r.found, 0);
            bench_close(&b);
        }
    }
}

TEST(what_cannot_be_told_is_said)
{
    struct bench b = bench_open();
    struct error err = {0};
    put(&b, (struct shape){.version = "1", .level = 1, .trials = 1});
    struct regress r = ask(&b, usual);
    assert_int_equal(r.compared, 0);
    assert_string_equal(r.overall_health, "unknown");
    assert_true(has_note(&r, "no earlier version"));
    assert_int_equal(r.action, REGRESS_DO_PIN);

    put(&b, (struct shape){.version = "2", .level = 9, .trials = 1}); /* one sample */
    r = ask(&b, usual);
    assert_int_equal(r.found, 0);
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_UNDECIDED);
    assert_non_null(
        strstr(regress_words_row(&r, row_of(&r, "duration_s"), &b.f.arena), "undecided: "));

    put(&b, (struct shape){.version = "3", .level = 1, .trials = 20});
    put(&b, (struct shape){
                .version = "4", .level = 1, .trials = 20, .failures = 20, .error = "broke"});
    r = ask(&b, usual); /* all failures */
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_UNDECIDED);
    const struct regress_row *failures = row_of(&r, "failure_rate");
    assert_int_equal(failures->state, REGRESS_FOUND);
    assert_int_equal(failures->severity, SEVERITY_CRITICAL);

    put(&b, (struct shape){.version = "5", .level = 1, .noise = 1e-300, .trials = 20});
    put(&b, (struct shape){.version = "6", .level = 2, .noise = 1e-300, .trials = 20});
    r = ask(&b, usual); /* no variance */
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_FOUND);

    struct regress_question q = {.which = {.agent = "a", .version = "77"}};
    REFUSED(regress_ask(b.store, &q, &b.f.arena, &r, &err), ERROR_NOT_FOUND);
    q = (struct regress_question){.which = {.agent = "a", .baseline = "nothing"}};
    REFUSED(regress_ask(b.store, &q, &b.f.arena, &r, &err), ERROR_NOT_FOUND);
    bench_close(&b);
}

/* Accuracy and cost must be known, whatever the benchmark lists. */
TEST(what_must_be_known_is_not_turned_off)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1, .accuracy = 1});
    put(&b, (struct shape){
                .version = "2", .level = 1, .accuracy = 0.5, .measured = "[\"duration_s\"]"});
    struct regress r = ask(&b, usual);
    assert_int_equal(row_of(&r, "accuracy")->state, REGRESS_FOUND);
    assert_string_equal(r.overall_health, "degraded");
    put(&b, (struct shape){.version = "3", .level = 1, .accuracy = 1});
    put(&b, (struct shape){.version = "4", .level = 1});
    r = ask(&b, usual);
    assert_int_equal(r.incomplete, 1);
    assert_string_equal(r.overall_health, "unknown");
    assert_true(has_note(&r, "b, accuracy was not compared: the current run does not have it"));
    put(&b, (struct shape){.version = "5", .level = 1});
    r = ask(&b, usual);
    assert_string_equal(r.overall_health, "healthy");
    bench_close(&b);
}

TEST(a_cost_that_may_have_grown_is_not_healthy)
{
    static const struct metric cost = {"cost_usd", "USD", DIRECTION_LOWER,
                                       "cost/1",   "",    .kind = KIND_SUM};
    struct bench b = bench_open();
    struct shape shape = {.version = "1", .level = 1, .metric = &cost, .accuracy = 1};
    shape.primary = "accuracy";
    put(&b, shape);
    shape.version = "2";
    put(&b, shape);
    assert_string_equal(ask(&b, usual).overall_health, "healthy");
    shape.version = "3";
    shape.tail = 0.1;
    put(&b, shape);
    struct regress r = ask(&b, usual);
    assert_int_equal(row_of(&r, "cost_usd")->state, REGRESS_UNDECIDED);
    assert_int_equal(r.found, 0);
    assert_string_equal(r.overall_health, "unknown");
    assert_int_equal(r.action, REGRESS_DO_MEASURE);
    assert_string_equal(r.about->metric, "cost_usd");
    bench_close(&b);
}

TEST(other_units_and_definitions_are_not_compared)
{
    struct bench b = bench_open();
    struct metric other = memory;
    put(&b, (struct shape){.version = "1", .level = 1, .metric = &memory});
    other.definition = "memory/2";
    put(&b, (struct shape){.version = "2", .level = 2, .metric = &other});
    struct regress r = ask(&b, usual);
    assert_false(has_row(&r, "memory_mb"));
    assert_int_equal(r.refusal_count, 1);
    assert_int_equal(r.refusals[0].gap.code, COMPARE_DEFINITION);
    assert_true(has_note(&r, "it is defined as 'memory/1'"));
    other.unit = "GB";
    put(&b, (struct shape){.version = "3", .level = 2, .metric = &other});
    r = ask(&b, usual);
    assert_true(has_note(&r, "its unit is 'MB' in the baseline and 'GB' in the current run"));
    bench_close(&b);
}

TEST(baselines_are_found_by_name_version_and_run)
{
    struct bench b = bench_open();
    struct error err = {0};
    struct execution_record first = put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 2});
    put(&b, (struct shape){.version = "3", .level = 2});
    struct regress r = ask(&b, usual);
    assert_string_equal(r.set.pairs[0].against, "version 2");
    assert_int_equal(r.found, 0);
    struct regress_question q = usual;
    q.which.baseline = "1";
    r = ask(&b, q);
    assert_true(r.found > 0);
    q.which.baseline = first.run_id;
    r = ask(&b, q);
    assert_true(r.found > 0);
    OK(store_put_baseline(b.store, "good", &first, &err));
    q.which.baseline = "good";
    r = ask(&b, q);
    assert_string_equal(r.set.pairs[0].against, "baseline 'good' (version 1)");
    assert_true(r.found > 0);
    OK(store_put_baseline(b.store, BASELINE_DEFAULT, &first, &err));
    r = ask(&b, usual);
    assert_true(r.found > 0);
    OK(store_forget(b.store, first.run_id, &err));
    q.which.agent = "a";
    REFUSED(regress_ask(b.store, &q, &b.f.arena, &r, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "was forgotten"));
    OK(store_clear_baseline(b.store, "good", &err));
    REFUSED(store_clear_baseline(b.store, "good", &err), ERROR_NOT_FOUND);
    bench_close(&b);
}

/* Its default baseline, after what was found is kept. */
static const struct baseline_pair *kept_pair(struct bench *b)
{
    struct error err = {0};
    struct regress *r = arena_new(&b->f.arena, struct regress, 1);
    *r = ask(b, usual);
    OK(regress_keep(b->store, r, regress_words_analysis, &b->f.arena, &err));
    return &r->set.pairs[0];
}

TEST(a_version_that_is_known_to_be_worse_is_no_baseline)
{
    struct bench b = bench_open();
    struct error err = {0};
    struct alarm_list marked;
    const struct alarm_mark real = {.judges = true, .is_real = true};
    const struct alarm_mark mute = {.mute_s = 3600, .reason = "accepted"};
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 2});
    kept_pair(&b);
    put(&b, (struct shape){.version = "3", .level = 2});
    const struct baseline_pair *p = kept_pair(&b);
    assert_string_equal(p->against, "version 2");
    assert_int_equal(p->open->id, 1);
    assert_string_equal(p->before, "version 1");
    assert_null(p->skipped);
    OK(alarm_mark(b.store, &(struct alarm_choice){0}, &real, &b.f.arena, &marked, &err));
    p = kept_pair(&b);
    assert_string_equal(p->against, "version 1");
    assert_int_equal(p->skipped->id, 1);
    assert_string_equal(p->skipped_version, "version 2");
    assert_null(p->open);
    put(&b, (struct shape){.version = "4", .level = 2}); /* 3 has an alarm that is open */
    assert_string_equal(kept_pair(&b)->against, "version 1");
    OK(alarm_mark(b.store, &(struct alarm_choice){0}, &real, &b.f.arena, &marked, &err));
    OK(alarm_mark(b.store, &(struct alarm_choice){0}, &mute, &b.f.arena, &marked, &err));
    assert_string_equal(kept_pair(&b)->against, "version 3");
    bench_close(&b);
}

/* ---- several runs of a version ---- */

static void put_runs(struct bench *b, const char *version, const double *levels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(b, (struct shape){.version = version, .level = levels[i]});
    }
}

TEST(a_difference_that_runs_of_one_version_show_too_is_none)
{
    static const double steady[] = {1.0, 1.01, 0.99};
    static const double worse[] = {1.29, 1.3, 1.31};
    static const double moody[] = {0.7, 1.0, 1.35}; /* the newest is slow by chance */
    struct bench b = bench_open();
    put_runs(&b, "1", steady, 3);
    put_runs(&b, "2", worse, 3);
    struct regress r = ask(&b, usual);
    const struct regress_row *row = row_of(&r, "duration_s");
    assert_int_equal(row->state, REGRESS_FOUND);
    assert_int_equal(r.set.pairs[0].run_count[0], 3);
    assert_int_equal(r.set.pairs[0].run_count[1], 3);
    assert_int_equal(row->w.n[0], 90);
    assert_close(row->w.amount, 0.3, 0.01);
    assert_close(row->w.run_sd, 0.01, 0.005);
    assert_non_null(strstr(regress_words_row(&r, row, &b.f.arena),
                           "n = 90 and 90, 3 and 3 runs, which differ by"));
    assert_false(has_note(&r, "one run against one"));

    put_runs(&b, "3", steady, 3);
    put_runs(&b, "4", moody, 3);
    r = ask(&b, usual);
    assert_int_equal(r.found, 0);
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_UNDECIDED);
    assert_non_null(strstr(regress_words_row(&r, row_of(&r, "duration_s"), &b.f.arena),
                           "so few runs would show"));

    struct regress_question q = usual; /* the newest run alone, of which more is known */
    q.which.run = "latest";
    r = ask(&b, q);
    assert_int_equal(r.set.pairs[0].run_count[0], 3);
    assert_int_equal(r.set.pairs[0].run_count[1], 1);
    assert_int_equal(row_of(&r, "duration_s")->state, REGRESS_FOUND);
    bench_close(&b);
}

TEST(one_run_against_one_is_said)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 1.3});
    struct regress r = ask(&b, usual);
    assert_true(has_note(&r, "1 of 1 cells: one run against one"));
    assert_true(isnan(row_of(&r, "duration_s")->w.run_sd));
    put(&b, (struct shape){.version = "2", .level = 1.3});
    r = ask(&b, usual);
    assert_false(has_note(&r, "one run against one"));
    bench_close(&b);
}

static void put_odd_runs(struct bench *b, const char *version, const double levels[3],
                         int first_odd)
{
    for (int run = 0; run < 3; run++) {
        bool is_odd = run >= first_odd;
        for (int i = 0; i < 9; i++) {
            put(b, (struct shape){.version = version,
                                  .benchmark = arena_printf(&b->f.arena, "b%d", i),
                                  .level = levels[run],
                                  .trials = 60,
                                  .tail = is_odd ? 0.5 : 0, /* of it, what has not failed */
                                  .failures = is_odd ? 12 : 0,
                                  .error = "no route to host"});
        }
    }
}

/* A run in which everything was slow is no systemic regression, one with a tail or
 * failures of its own no new tail; all runs of a version are. */
TEST(patterns_of_one_run_are_none_of_the_version)
{
    static const double levels[3][3] = {{1, 1.01, 0.99}, {0.97, 1, 1.09}, {1.06, 1.07, 1.08}};
    for (int is_all = 0; is_all < 2; is_all++) {
        struct bench b = bench_open();
        put_odd_runs(&b, "1", levels[0], 3);
        put_odd_runs(&b, "2", levels[1 + is_all], is_all ? 0 : 2);
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_SYSTEMIC), is_all);
        assert_int_equal(is_found(&r, REGRESS_TAIL), is_all);
        assert_int_equal(is_found(&r, REGRESS_NEW_FAILURE), is_all);
        assert_true(is_all || r.found == 0);
        bench_close(&b);
    }
}

/* ---- patterns, and that each goes with its cause ---- */

TEST(systemic)
{
    for (int is_worse = 0; is_worse < 2; is_worse++) {
        struct bench b = bench_open();
        for (int version = 1; version <= 2; version++) {
            for (int i = 0; i < 9; i++) {
                const char *name = arena_printf(&b.f.arena, "b%d", i);
                double level = version == 2 && is_worse ? 1.07 : 1;
                put(&b, (struct shape){.version = version == 1 ? "1" : "2",
                                       .benchmark = name,
                                       .level = level});
            }
        }
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_SYSTEMIC), is_worse);
        assert_false(is_found(&r, REGRESS_BEYOND)); /* each alone is inside the threshold */
        bench_close(&b);
    }
}

TEST(slow_drift)
{
    static const double growth[] = {1, 1.04, 1}; /* no drift; drift; one step */
    for (int k = 0; k < 3; k++) {
        struct bench b = bench_open();
        double level = 1;
        for (int i = 0; i < 12; i++) {
            put(&b,
                (struct shape){.version = arena_printf(&b.f.arena, "%d", i), .level = level});
            level *= growth[k];
            if (k == 2 && i == 5) level *= 1.5;
        }
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_DRIFT), k == 1);
        for (size_t i = 0; i < r.row_count; i++) { /* p, and no interval */
            bool is_drift = r.rows[i].rule == REGRESS_DRIFT;
            if (is_drift) assert_true(isnan(r.rows[i].w.low) && isnan(r.rows[i].w.high));
        }
        assert_false(is_found(&r, REGRESS_BEYOND));
        bench_close(&b);
    }
}

/* Slower from run to run, but each time on another machine; or by a stand-in. */
TEST(another_machine_is_no_drift)
{
    for (int k = 0; k < 3; k++) {
        struct bench b = bench_open();
        double level = 1;
        for (int i = 0; i < 12; i++) {
            bool is_last = i == 11;
            put(&b, (struct shape){.version = arena_printf(&b.f.arena, "%d", i),
                                   .level = level,
                                   .host = k == 1 && !is_last ? "old" : "new",
                                   .provenance = k == 2 && !is_last ? "simulated" : NULL});
            level *= 1.04;
        }
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_DRIFT), k == 0);
        bench_close(&b);
    }
}

TEST(tail_and_variance)
{
    static const struct {
        double tail, noise;
        bool is_tail, is_variance;
    } cases[] = {{0, 0.01, false, false}, {0.15, 0.01, true, false}, {0, 0.03, false, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b = bench_open();
        put(&b, (struct shape){.version = "1", .level = 1, .trials = 120});
        put(&b, (struct shape){.version = "2",
                               .level = 1,
                               .trials = 120,
                               .tail = cases[i].tail,
                               .noise = cases[i].noise});
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_TAIL), cases[i].is_tail);
        assert_int_equal(is_found(&r, REGRESS_VARIANCE), cases[i].is_variance);
        assert_false(is_found(&r, REGRESS_BEYOND));
        bench_close(&b);
    }
}

/* Of several cells each pattern is asked at the level of its step: none is quiet next to an
 * interval that is all beyond the threshold. */
TEST(patterns_show_the_interval_that_decided)
{
    size_t found = 0;
    size_t stepped = 0;
    for (int set = 0; set < 12; set++) {
        struct bench b = bench_open();
        for (int version = 1; version <= 2; version++) {
            for (int i = 0; i < 4; i++) {
                double tail = version == 2 ? 0.01 * (double)(set + 2 * i) : 0;
                put(&b, (struct shape){.version = version == 1 ? "1" : "2",
                                       .benchmark = arena_printf(&b.f.arena, "b%d", i),
                                       .level = 1,
                                       .trials = 120,
                                       .tail = tail});
            }
        }
        struct regress r = ask(&b, usual);
        for (size_t i = 0; i < r.row_count; i++) {
            const struct regress_row *row = &r.rows[i];
            if (row->rule != REGRESS_TAIL) continue;
            bool is_beyond = row->w.low > row->threshold;
            assert_int_equal(row->state == REGRESS_FOUND, is_beyond);
            assert_int_equal(row->p_adjusted <= 0.05, is_beyond);
            found += is_beyond;
            stepped += row->w.alpha < 0.05;
        }
        bench_close(&b);
    }
    assert_true(found > 0 && stepped > found / 2);
}

/* The status is the kind; a sentence may name what is another in every run. */
TEST(new_kinds_of_failure)
{
    for (int is_new = 0; is_new < 2; is_new++) {
        struct bench b = bench_open();
        put(&b, (struct shape){.version = "1",
                               .level = 1,
                               .trials = 60,
                               .failures = 10,
                               .error = "cannot open /tmp/work-x1/db"});
        put(&b, (struct shape){.version = "2",
                               .level = 1,
                               .trials = 60,
                               .failures = 10,
                               .failed_as = is_new ? TRIAL_AGENT_ERROR : TRIAL_FAILED,
                               .error = "cannot open /tmp/work-yzw/db"});
        struct regress r = ask(&b, usual);
        assert_int_equal(is_found(&r, REGRESS_NEW_FAILURE), is_new);
        assert_false(is_found(&r, REGRESS_BEYOND));
        bench_close(&b);
    }
}

/* 60 versions that differ by noise alone: at most a few of 600 tests alarm. */
TEST(unchanged_versions_raise_few_alarms)
{
    struct bench b = bench_open();
    size_t found = 0;
    for (int i = 0; i < 60; i++) {
        put(&b, (struct shape){.version = arena_printf(&b.f.arena, "%d", i),
                               .level = 1,
                               .noise = 0.05,
                               .trials = 20});
        struct regress_question q = {.threshold = 1e-6};
        found += ask(&b, q).found > 0;
    }
    assert_true(found <= 6); /* 5 % of 60, and 2 standard errors */
    bench_close(&b);
}

/* 30 versions of three runs each; runs differ by 5 %, versions do not. */
TEST(unchanged_versions_whose_runs_differ_raise_few_alarms)
{
    struct bench b = bench_open();
    size_t found = 0;
    size_t found_alone = 0;
    for (int i = 0; i < 30; i++) {
        for (int run = 0; run < 3; run++) {
            double mood = 1 + 0.05 * rng_normal(&b.rng);
            put(&b, (struct shape){.version = arena_printf(&b.f.arena, "%d", i),
                                   .level = mood,
                                   .trials = 20});
        }
        struct regress_question q = {.threshold = 1e-6};
        found += ask(&b, q).found > 0;
        if (i == 0) continue;
        q.which = (struct baseline_question){.run = "latest", .baseline = "latest~3"};
        found_alone += ask(&b, q).found > 0; /* the newest run of each */
    }
    assert_true(found <= 5); /* 5 % of 30, and 3 standard errors */
    assert_true(found_alone > 10);
    bench_close(&b);
}

/* ---- claims about versions rest on the same runs ---- */

static struct claim claim_of(struct bench *b, const char *run_id, const char *metric,
                             const char *expect)
{
    struct error err = {0};
    struct view *view = NULL;
    struct claims claims;
    OK(view_load(b->store, run_id, &b->f.arena, &view, &err));
    view->run.claims = NULL;
    view->run.spec_text =
        arena_printf(&b->f.arena,
                     "claims:\n  - {name: c, metric: %s, compare: {versions: ['1', '2']}, "
                     "expect: {%s}}\n",
                     metric, expect);
    OK(claims_decide(b->store, view, 0, &b->f.arena, &claims, &err));
    assert_int_equal(claims.count, 1);
    return claims.items[0];
}

/* What regressions say of the versions, as a ratio, and what a claim does. */
static void agree(struct bench *b, const char *run_id)
{
    struct regress_question q = usual;
    q.which.version = "2";
    q.which.baseline = "1";
    struct regress r = ask(b, q);
    const struct worsening *w = &row_of(&r, "duration_s")->w;
    struct claim c = claim_of(b, run_id, "duration_s", "equal_within: 0.05");
    assert_int_equal(c.outcome, CLAIM_UNDECIDED);
    assert_close(c.value, 1 + w->amount, 1e-12);
    assert_close(c.low, 1 + w->low, 1e-12);
    assert_close(c.high, 1 + w->high, 1e-12);
}

TEST(claims_and_regressions_take_the_same_runs_of_a_version)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "1", .level = 1.2, .failures = 6});
    struct execution_record e = put(&b, (struct shape){.version = "2", .level = 1.203});
    agree(&b, e.run_id);
    put(&b, (struct shape){.version = "1", .level = 5, .provenance = "simulated"});
    put(&b, (struct shape){.version = "1", .level = 1.2});
    struct claim measured = claim_of(&b, e.run_id, "duration_s", "equal_within: 0.05");
    assert_true(measured.value < 1.2); /* 5 was not measured */
    agree(&b, e.run_id);
    put(&b, (struct shape){.version = "2", .level = 1.1});
    agree(&b, e.run_id); /* all runs of both */
    struct claim failing = claim_of(&b, e.run_id, "failure_rate", "difference: {max: 0.5}");
    struct claim right = claim_of(&b, e.run_id, "success_rate", "difference: {min: -0.5}");
    assert_close(failing.low, -right.high, 1e-12);
    assert_close(failing.high, -right.low, 1e-12);
    struct regress_question q = usual;
    q.which.version = "2";
    q.which.baseline = "1";
    struct regress r = ask(&b, q);
    assert_close(failing.high, row_of(&r, "failure_rate")->w.high, 1e-12);
    bench_close(&b);
}

/* ---- impact ---- */

static void fill_cases(struct view_cell *cell, size_t n, double level, struct arena *arena)
{
    struct view_metric *m = &cell->metrics[0];
    double *samples = arena_new(arena, double, n);
    cell->notes = arena_new(arena, struct trial_note, n);
    cell->note_count = n;
    for (size_t i = 0; i < n; i++) {
        samples[i] = level * (1 + 0.001 * (double)i);
        cell->notes[i] = (struct trial_note){.trial = (int64_t)i,
                                             .phase = PHASE_MEASURED,
                                             .case_hash = arena_printf(arena, "%03zu", i)};
    }
    m->samples = samples;
    m->definition = metric_duration.definition;
}

static void time_out(struct view_cell *cell, const size_t *trials, size_t count,
                     struct arena *arena)
{
    uint8_t *statuses = arena_new(arena, uint8_t, cell->trial_count);
    double *samples = arena_new(arena, double, cell->trial_count);
    memcpy(samples, cell->metrics[0].samples, cell->trial_count * sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        statuses[trials[i]] = TRIAL_TIMED_OUT;
        samples[trials[i]] = NAN;
        cell->notes[trials[i]].status = TRIAL_TIMED_OUT;
    }
    cell->statuses = statuses;
    cell->metrics[0].samples = samples;
}

TEST(a_case_that_was_timed_out_is_the_worst)
{
    enum { CASES = 20 };
    static const size_t late[] = {4, 7}; /* 4 in both versions */
    struct bench b = bench_open();
    struct arena *arena = &b.f.arena;
    struct error err = {0};
    struct view *v = fixture_view(
        arena,
        (struct fixture_shape){.cells = 2, .trials = CASES, .metrics = 1, .typical_s = 1});
    for (size_t k = 0; k < 2; k++) {
        fill_cases(&v->cells[k], CASES, k ? 1.5 : 1, arena);
        time_out(&v->cells[k], late, 1 + k, arena);
        snprintf(v->cells[k].record.run_id, UUID_SIZE, "run %zu", k);
    }
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .current_run = &v->run,
                                 .baseline_run = &v->run,
                                 .agent = "a",
                                 .benchmark = "b",
                                 .name = "b",
                                 .against = "before"};
    struct regress r = {.set = {.pairs = &pair, .count = 1, .subject = "run"}};
    OK(regress_judge(b.store, &usual, arena, &r, &err));
    const struct regress_row *row = row_of(&r, v->cells[0].metrics[0].name);
    assert_int_equal(row->state, REGRESS_FOUND);
    assert_int_equal(row->impact->case_count, CASES);
    assert_int_equal(row->impact->cases_worse, CASES - 1);
    assert_string_equal(row->impact->worst[0].name, "007");
    assert_non_null(strstr(regress_words_impact(row->impact, arena), "-> timed out)"));
    bench_close(&b);
}

TEST(one_comparison_and_several)
{
    struct arena a = arena_open();
    struct regress r = {.undecided = 1};
    assert_string_equal(regress_words_action(&r, &a),
                        "none; more cases or trials would decide the comparison that is open");
    r.undecided = 2;
    assert_string_equal(
        regress_words_action(&r, &a),
        "none; more cases or trials would decide the 2 comparisons that are open");
    arena_close(&a);
}

TEST_MAIN(T(one_comparison_and_several), T(a_clear_regression_is_found_with_all_it_rests_on),
          T(severity_follows_what_is_sure), T(the_threshold_is_held_against_the_interval),
          T(higher_is_better_turns_the_sign), T(identical_results_are_never_a_regression),
          T(what_cannot_be_told_is_said), T(what_must_be_known_is_not_turned_off),
          T(a_cost_that_may_have_grown_is_not_healthy),
          T(other_units_and_definitions_are_not_compared),
          T(baselines_are_found_by_name_version_and_run),
          T(a_version_that_is_known_to_be_worse_is_no_baseline),
          T(a_difference_that_runs_of_one_version_show_too_is_none),
          T(one_run_against_one_is_said), T(patterns_of_one_run_are_none_of_the_version),
          T(systemic), T(slow_drift), T(another_machine_is_no_drift), T(tail_and_variance),
          T(new_kinds_of_failure), T(patterns_show_the_interval_that_decided),
          T(a_case_that_was_timed_out_is_the_worst),
          T(claims_and_regressions_take_the_same_runs_of_a_version),
          T(unchanged_versions_raise_few_alarms),
          T(unchanged_versions_whose_runs_differ_raise_few_alarms))
