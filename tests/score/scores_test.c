/* Every expected number below was worked out by hand from docs/scoring.md; the
 * working stands beside it. */
#include "score/scores.h"

#include "base/rng.h"
#include "tests/test.h"

static const double nan_value = NAN;

/* One row per trial: case, status, accuracy, duration, tokens, cpu, memory, cost. */
struct row {
    size_t case_index;
    enum trial_status status;
    double accuracy, duration_s, tokens, cpu_s, memory_mb, cost_usd;
};

static struct score_case *cases_of(const struct row *rows, size_t n, size_t case_count,
                                   struct arena *a)
{
    struct score_trial *trials = arena_new(a, struct score_trial, n);
    for (size_t i = 0; i < n; i++) {
        score_trial_init(&trials[i]);
        trials[i].case_index = rows[i].case_index;
        trials[i].status = rows[i].status;
        trials[i].accuracy = rows[i].accuracy;
        trials[i].duration_s = rows[i].duration_s;
        trials[i].tokens = rows[i].tokens;
        trials[i].cpu_s = rows[i].cpu_s;
        trials[i].memory_mb = rows[i].memory_mb;
        trials[i].cost_usd = rows[i].cost_usd;
    }
    return score_cases(trials, n, case_count, NULL, a);
}

/* Three cases, three passes. Case 2 times out once; case 1 has one trial that
 * the harness spoilt. */
static const struct row passes[] = {
    {0, TRIAL_OK, 1.0, 0.10, 100, 0.05, 20, 0.001},
    {0, TRIAL_OK, 1.0, 0.30, 120, 0.06, 20, 0.001},
    {0, TRIAL_OK, 0.0, 0.20, 110, 0.07, 22, 0.001},
    {1, TRIAL_OK, 0.5, 0.40, 200, 0.10, 30, 0.002},
    {1, TRIAL_OK, 0.5, 0.60, 220, 0.20, 30, 0.004},
    {1, TRIAL_HARNESS_ERROR, 0.0, 9.00, 999, 9.00, 999, 9.0},
    {2, TRIAL_OK, 1.0, 1.00, 300, 0.30, 40, 0.003},
    {2, TRIAL_TIMED_OUT, 1.0, 5.00, 300, 0.90, 60, 0.003},
    {2, TRIAL_OK, 0.8, 2.00, 300, 0.50, 50, 0.006},
};

TEST(a_case_is_one_value_of_its_passes)
{
    struct arena a = arena_open();
    struct score_case *c = cases_of(passes, COUNT(passes), 3, &a);
    assert_close(c[0].accuracy, 2.0 / 3, 0); /* of 0 1 1: a share has its mean */
    assert_close(c[0].duration_s, 0.20, 0);  /* of .1 .2 .3 */
    assert_close(c[0].tokens, 110, 0);
    assert_close(c[1].accuracy, 0.5, 0);
    assert_close(c[1].duration_s, 0.50, 1e-15); /* of .4 .6; the spoilt one is gone */
    assert_close(c[1].cost_usd, 0.003, 1e-15);
    assert_close(c[2].accuracy, 0.6, 1e-15); /* of 0 .8 1: no answer is 0 */
    assert_close(c[2].duration_s, 2, 0);     /* of 1 2 and for ever: no answer came */
    assert_close(c[2].cpu_s, 0.5, 0);        /* of .3 .5 .9: but it was used */
    assert_close(c[2].memory_mb, 50, 0);
    assert_close(c[2].cost_usd, 0.004, 1e-15); /* of .003 .003 .006: money adds up */
    assert_int_equal(c[1].attempted, 2);
    assert_int_equal(c[2].attempted, 3);
    assert_int_equal(c[2].ok, 2);
    assert_int_equal(c[0].passed, 2);
    assert_int_equal(c[2].passed, 1); /* .8 is below 1 */
    assert_int_equal(c[2].judged, 3);
    assert_int_equal(c[1].missing, 1);
    assert_int_equal(c[2].missing, 0);
    arena_close(&a);
}

/* One word for all: the reducer of accuracy says what several attempts at a case come to. */
TEST(a_case_is_passed_as_its_reducer_counts)
{
    static const struct {
        double accuracy[3];
        bool is_passed[REDUCER_COUNT]; /* mean, median, all */
    } rows[] = {{{1, 1, 1}, {true, true, true}},
                {{1, 0, 1}, {true, true, false}},
                {{0, 0, 1}, {false, false, false}}};
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct score_trial trials[3];
        for (size_t k = 0; k < 3; k++) {
            score_trial_init(&trials[k]);
            trials[k].accuracy = rows[i].accuracy[k];
        }
        for (int r = 0; r < REDUCER_COUNT; r++) {
            const struct score_rules rules = {.pass_at = 1, .reducer = (enum reducer)r};
            assert_int_equal(score_cases(trials, 3, 1, &rules, &a)[0].is_passed,
                             rows[i].is_passed[r]);
        }
    }
    assert_false(score_cases(NULL, 0, 1, NULL, &a)[0].is_passed);
    arena_close(&a);
}

TEST(a_case_is_right_wrong_or_unjudged)
{
    enum what { PASS, MISS, NONE, OURS, OPEN, OPEN_NONE };
    static const struct {
        enum what attempts[3];
        enum case_state state;
    } rows[] = {
        {{PASS, PASS, PASS}, CASE_RIGHT},      {{PASS, MISS, PASS}, CASE_WRONG},
        {{PASS, NONE, PASS}, CASE_WRONG},      {{OURS, PASS, PASS}, CASE_RIGHT},
        {{OURS, MISS, PASS}, CASE_WRONG},      {{OURS, OURS, OURS}, CASE_UNJUDGED},
        {{OPEN, OPEN, OPEN}, CASE_UNJUDGED},   {{OPEN, OPEN, OURS}, CASE_UNJUDGED},
        {{OPEN, OPEN_NONE, OPEN}, CASE_WRONG},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct score_trial trials[3];
        for (size_t k = 0; k < 3; k++) {
            enum what what = rows[i].attempts[k];
            struct score_trial *t = &trials[k];
            score_trial_init(t);
            t->is_unjudged = what == OPEN || what == OPEN_NONE;
            if (what == PASS || what == MISS) t->accuracy = what == PASS ? 0.8 : 0.7;
            if (what == NONE || what == OPEN_NONE) t->status = TRIAL_FAILED;
            if (what == OURS) t->status = TRIAL_HARNESS_ERROR;
        }
        const struct score_rules rules = {.pass_at = 0.8};
        enum case_state state = score_case_state(score_cases(trials, 3, 1, &rules, &a));
        if (state != rows[i].state) fail_msg("row %zu: %d", i, (int)state);
    }
    arena_close(&a);
}

TEST(every_score_by_hand)
{
    struct arena a = arena_open();
    struct score_case *c = cases_of(passes, COUNT(passes), 3, &a);
    struct score_plan plan = {.targets = {.duration_s = 0.5,
                                          .tokens = 105,
                                          .cpu_s = 0.45,
                                          .memory_mb = 90,
                                          .cost_usd = 0.008 / 3},
                              .seed = 1};
    struct scores s;
    scores_compute(c, 3, &plan, &a, &s);

    double accuracy = (2.0 / 3 + 0.5 + 0.6) / 3;
    double speed = 0.5; /* median of .2 .5 1.5 is .5, the target */
    /* tokens 210 against 105: 1/3; cpu .15 against .45: 3/4; memory 30 against
     * 90: 3/4. Their product is 3/16. */
    double efficiency = cbrt(3.0 / 16);
    double cost = 0.5;            /* mean of .001 .003 .004 = .008/3, the target */
    double reliability = 7.0 / 8; /* nine trials, one spoilt by us, one late */

    assert_close(s.by[SCORE_ACCURACY].value, accuracy, 1e-15);
    assert_close(s.by[SCORE_SPEED].value, speed, 1e-15);
    assert_close(s.by[SCORE_EFFICIENCY].value, efficiency, 1e-15);
    assert_close(s.by[SCORE_COST].value, cost, 1e-15);
    assert_close(s.by[SCORE_RELIABILITY].value, reliability, 1e-15);
    assert_close(s.overall.value,
                 0.30 * accuracy + 0.20 * speed + 0.20 * efficiency + 0.15 * cost +
                     0.15 * reliability,
                 1e-15);
    assert_true(s.is_partial); /* what we spoilt was never judged */
    assert_int_equal(s.judged, 2);
    assert_int_equal(s.total, 3);
    assert_string_equal(s.overall.reason, "partial: 2 of 3 cases judged");

    /* Wilson, 7 of 8 at 95 %: z = 1.959964, z^2 = 3.841459,
     * centre (7 + 1.920729) / 11.841459 = 0.753347,
     * half z / 11.841459 * sqrt(7 * 1 / 8 + 0.960365) = 0.224235. */
    assert_close(s.by[SCORE_RELIABILITY].low, 0.529112, 2e-6);
    assert_close(s.by[SCORE_RELIABILITY].high, 0.977582, 2e-6);
    assert_string_equal(s.by[SCORE_RELIABILITY].method, "wilson");
    assert_string_equal(s.by[SCORE_ACCURACY].method, "exact");
    assert_string_equal(s.by[SCORE_SPEED].formula, "speed/2");
    assert_string_equal(s.overall.formula, "overall/1");
    for (int i = 0; i < SCORE_COUNT; i++) {
        assert_true(s.by[i].low <= s.by[i].value && s.by[i].value <= s.by[i].high);
        assert_true(s.by[i].low >= 0 && s.by[i].high <= 1);
        assert_null(s.by[i].reason);
    }
    assert_true(s.overall.low < s.overall.value && s.overall.value < s.overall.high);
    arena_close(&a);
}

TEST(one_score_for_one_sample)
{
    /* used, target, score */
    static const double table[][3] = {
        {0, 1, 1},   {1, 1, 0.5},   {3, 1, 0.25},  {0.05, 0.05, 0.5}, {0.2, 0.05, 0.2},
        {1, 0, NAN}, {1, NAN, NAN}, {NAN, 1, NAN}, {9, 1, 0.1},       {0.5, 1, 2.0 / 3},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        assert_close(score_of_use(table[i][0], table[i][1]), table[i][2], 1e-15);
    }
}

TEST(without_a_target_a_score_is_missing_and_the_overall_partial)
{
    struct arena a = arena_open();
    struct score_case *c = cases_of(passes, COUNT(passes), 3, &a);
    struct score_plan plan = {.targets = score_targets_none};
    struct scores s;
    scores_compute(c, 3, &plan, &a, &s);
    assert_true(isnan(s.by[SCORE_SPEED].value));
    assert_string_equal(s.by[SCORE_SPEED].reason, "the benchmark has no target for duration_s");
    assert_true(isnan(s.by[SCORE_EFFICIENCY].value));
    assert_true(isnan(s.by[SCORE_COST].value));
    assert_true(s.is_partial);
    double accuracy = (2.0 / 3 + 0.5 + 0.6) / 3;
    assert_close(s.overall.value, (0.30 * accuracy + 0.15 * 7 / 8) / 0.45, 1e-15);
    assert_close(s.weights[SCORE_ACCURACY], 0.30 / 0.45, 1e-15);
    assert_close(s.weights[SCORE_SPEED], 0, 0);
    assert_string_equal(s.overall.reason,
                        "partial: without speed, efficiency, cost; 2 of 3 cases judged");
    arena_close(&a);
}

TEST(weights_can_be_chosen)
{
    struct arena a = arena_open();
    struct score_case *c = cases_of(passes, COUNT(passes), 3, &a);
    struct score_plan plan = {.targets = {.duration_s = 0.5},
                              .weights = {[SCORE_ACCURACY] = 1, [SCORE_SPEED] = 3}};
    struct scores s;
    scores_compute(c, 3, &plan, &a, &s);
    assert_close(s.overall.value, ((2.0 / 3 + 1.1) / 3 + 3 * 0.5) / 4, 1e-15);
    assert_string_equal(s.overall.reason,
                        "partial: 2 of 3 cases judged"); /* no weight: not missed */
    arena_close(&a);
}

TEST(free_is_1_even_without_a_target)
{
    struct arena a = arena_open();
    static const struct row rows[] = {{0, TRIAL_OK, 1, 1, NAN, NAN, NAN, 0},
                                      {1, TRIAL_OK, 1, 1, NAN, NAN, NAN, 0}};
    struct score_case *c = cases_of(rows, 2, 2, &a);
    struct score_plan plan = {.targets = {.tokens = 5}};
    struct scores s;
    scores_compute(c, 2, &plan, &a, &s);
    assert_close(s.by[SCORE_COST].value, 1, 0);
    assert_true(isnan(s.by[SCORE_EFFICIENCY].value));
    assert_string_equal(s.by[SCORE_EFFICIENCY].reason,
                        "tokens has a target, but the agent does not report it");
    arena_close(&a);
}

TEST(ten_right_answers_are_not_certainty)
{
    struct arena a = arena_open();
    struct row rows[10];
    for (size_t i = 0; i < 10; i++) {
        rows[i] = (struct row){i, TRIAL_OK, 1, 1, NAN, NAN, NAN, NAN};
    }
    struct score_case *c = cases_of(rows, 10, 10, &a);
    struct score_plan plan = {.targets = score_targets_none};
    struct scores s;
    scores_compute(c, 10, &plan, &a, &s);
    /* Clopper and Pearson, 10 of 10: low = 0.025^(1/10) */
    assert_close(s.by[SCORE_ACCURACY].low, pow(0.025, 0.1), 1e-9);
    assert_close(s.by[SCORE_ACCURACY].high, 1, 1e-12);
    assert_string_equal(s.by[SCORE_ACCURACY].method, "exact");
    /* Neither does their overall claim it: accuracy and reliability, both 1 of 1, may fail
     * together, so that it goes down as far as they do. */
    assert_close(s.overall.value, 1, 0);
    assert_close(s.overall.low, pow(0.025, 0.1), 1e-9);
    assert_close(s.overall.high, 1, 0);
    arena_close(&a);
}

TEST(nothing_gives_nothing_with_reasons)
{
    struct arena a = arena_open();
    static const struct row spoilt[] = {{0, TRIAL_HARNESS_ERROR, 1, 1, 1, 1, 1, 1}};
    struct score_plan plan = {.targets = {1, 1, 1, 1, 1}};
    for (size_t n = 0; n < 2; n++) {
        struct score_case *c = cases_of(spoilt, n, 1, &a);
        struct scores s;
        scores_compute(c, n, &plan, &a, &s);
        for (int i = 0; i < SCORE_COUNT; i++) {
            assert_true(isnan(s.by[i].value));
            assert_non_null(s.by[i].reason);
        }
        assert_true(isnan(s.overall.value));
        assert_non_null(s.overall.reason);
    }
    arena_close(&a);
}

TEST(a_failure_where_nothing_can_be_judged_is_no_wrong_answer)
{
    struct arena a = arena_open();
    struct score_trial t[2];
    score_trial_init(&t[0]);
    score_trial_init(&t[1]);
    t[1].status = TRIAL_FAILED;
    t[0].is_unjudged = t[1].is_unjudged = true;
    struct score_case *c = score_cases(t, 2, 1, NULL, &a);
    assert_close(c[0].accuracy, nan_value, 0);
    assert_int_equal(c[0].judged, 0);
    assert_int_equal(c[0].attempted, 2);
    arena_close(&a);
}

TEST(dimensions_are_means_over_cases)
{
    struct arena a = arena_open();
    struct score_trial t[3];
    for (size_t i = 0; i < 3; i++) {
        score_trial_init(&t[i]);
        t[i].case_index = i;
        t[i].accuracy = 1;
        t[i].dimensions[RUBRIC_RELEVANCE] = i == 0 ? 0.5 : 1;
    }
    t[2].status = TRIAL_FAILED; /* no answer: not relevant either */
    struct score_case *c = score_cases(t, 3, 3, NULL, &a);
    struct scores s;
    struct score_plan plan = {.targets = score_targets_none};
    scores_compute(c, 3, &plan, &a, &s);
    assert_close(s.dimensions[RUBRIC_RELEVANCE], 0.5, 1e-15);
    assert_close(s.dimensions[RUBRIC_CORRECTNESS], nan_value, 0);
    arena_close(&a);
}

TEST(the_same_seed_gives_the_same_interval)
{
    struct arena a = arena_open();
    struct score_case *c = cases_of(passes, COUNT(passes), 3, &a);
    struct score_plan plan = {.targets = {.duration_s = 0.5}, .seed = 7};
    struct scores first;
    struct scores again;
    scores_compute(c, 3, &plan, &a, &first);
    scores_compute(c, 3, &plan, &a, &again);
    assert_true(first.overall.low == again.overall.low);
    assert_true(first.overall.high == again.overall.high);
    arena_close(&a);
}

TEST(a_median_of_a_resample_is_the_median)
{
    /* 2000 resamples of 101 cases with durations 1..101: the interval of the
     * median must lie where order statistics put it (ranks 41 to 61), which a
     * wrong count would not. */
    struct arena a = arena_open();
    struct row rows[101];
    for (size_t i = 0; i < 101; i++) {
        rows[i] = (struct row){i, TRIAL_OK, 1, (double)(i + 1), NAN, NAN, NAN, NAN};
    }
    struct score_case *c = cases_of(rows, 101, 101, &a);
    struct score_plan plan = {.targets = {.duration_s = 51}, .seed = 3};
    struct scores s;
    scores_compute(c, 101, &plan, &a, &s);
    assert_close(s.by[SCORE_SPEED].value, 0.5, 0);
    double slow = 51 / s.by[SCORE_SPEED].low - 51;
    double fast = 51 / s.by[SCORE_SPEED].high - 51;
    assert_true(fast >= 38 && fast <= 44);
    assert_true(slow >= 58 && slow <= 64);
    arena_close(&a);
}

TEST(pass_at_k_by_hand)
{
    struct arena a = arena_open();
    /* Five attempts each: 5, 2 and 0 pass; and a case with one attempt. */
    struct score_case c[] = {{.judged = 5, .passed = 5},
                             {.judged = 5, .passed = 2},
                             {.judged = 5, .passed = 0},
                             {.judged = 1, .passed = 1}};
    struct score_plan plan = {.seed = 1};
    struct score_pass p;
    score_pass_k(c, 4, 2, &plan, &a, &p);
    /* pass@2: 1, 1 - C(3,2)/C(5,2) = 1 - 3/10, 0. pass^2: 1, C(2,2)/10, 0. */
    assert_close(p.at_k, (1 + 0.7 + 0) / 3, 1e-12);
    assert_close(p.all_k, (1 + 0.1 + 0) / 3, 1e-12);
    assert_int_equal(p.cases, 3);
    assert_int_equal(p.left_out, 1);
    assert_true(p.at_k_low <= p.at_k && p.at_k <= p.at_k_high);

    score_pass_k(c, 4, 1, &plan, &a, &p);
    assert_close(p.at_k, (1 + 0.4 + 0 + 1) / 4, 1e-12);
    assert_close(p.at_k, p.all_k, 1e-12);

    score_pass_k(c, 4, 9, &plan, &a, &p);
    assert_true(isnan(p.at_k) && p.reason);
    arena_close(&a);
}

/* Cases whose true scores are known: how often the interval misses each. */
static void count_misses(size_t n, int runs, int misses[SCORE_COUNT + 1])
{
    static const double truth[] = {0.5, 0.5, 0.5, 0.4687906, 1};
    for (int run = 0; run < runs; run++) {
        struct arena a = arena_open();
        struct rng r = rng_seeded(rng_derive((uint64_t)run, n, 5));
        struct row *rows = arena_new(&a, struct row, n);
        for (size_t i = 0; i < n; i++) {
            rows[i] = (struct row){i,
                                   TRIAL_OK,
                                   rng_real(&r),
                                   exp(rng_normal(&r) / 2),
                                   NAN,
                                   exp(rng_normal(&r) / 2),
                                   NAN,
                                   exp(rng_normal(&r) / 2)};
        }
        struct score_plan plan = {
            .targets = {1, NAN, 1, NAN, 1}, .seed = (uint64_t)run, .resamples = 500};
        struct scores s;
        scores_compute(cases_of(rows, n, n, &a), n, &plan, &a, &s);
        double overall = 0;
        for (int i = 0; i <= SCORE_COUNT; i++) {
            const struct score *x = i < SCORE_COUNT ? &s.by[i] : &s.overall;
            double right = i < SCORE_COUNT ? truth[i] : overall;
            if (i < SCORE_COUNT) overall += score_weights_default[i] * truth[i];
            misses[i] += x->low > right + 1e-7 || x->high < right - 1e-7;
        }
        arena_close(&a);
    }
}

/* The mean cost of a lognormal is the hardest: 92 %, as for BCa. */
TEST(intervals_hold_the_truth_from_ten_cases_on)
{
    enum { RUNS = 300 };
    for (size_t n = 10; n <= 20; n += 10) {
        int misses[SCORE_COUNT + 1] = {0};
        count_misses(n, RUNS, misses);
        for (int i = 0; i <= SCORE_COUNT; i++) {
            double most = i == SCORE_COST ? 0.08 : 0.05;
            most += 3 * sqrt(most * (1 - most) / RUNS);
            if (misses[i] > most * RUNS)
                fail_msg("%zu cases, score %d: missed in %d of %d", n, i, misses[i], RUNS);
        }
    }
}

TEST(the_reducer_says_what_passes_count_as)
{
    /* right in 3 of 5 passes; durations 1 2 3 4 9 whatever is said */
    static const struct {
        const char *name;
        double accuracy;
    } table[] = {{"mean", 0.6}, {"median", 1}, {"all", 0}, {NULL, 0.6}};
    for (size_t i = 0; i < COUNT(table); i++) {
        struct arena a = arena_open();
        struct score_trial t[5];
        for (size_t k = 0; k < COUNT(t); k++) {
            score_trial_init(&t[k]);
            t[k].accuracy = k < 3;
            t[k].duration_s = k < 4 ? (double)k + 1 : 9;
        }
        struct score_rules rules = {.reducer = reducer_find(table[i].name)};
        struct score_case *c = score_cases(t, COUNT(t), 1, &rules, &a);
        assert_close(c->accuracy, table[i].accuracy, 1e-15);
        assert_close(c->duration_s, 3, 0);
        assert_int_equal(c->passed, 3); /* attempts are counted as they are */
        arena_close(&a);
    }
}

/* Every number of right answers has its probability, so that coverage is exact: no draws. */
static double overall_coverage(size_t n, double rate)
{
    double covered = 0;
    double chance = pow(1 - rate, (double)n); /* of `right` right answers */
    for (size_t right = 0; right <= n; right++) {
        struct arena a = arena_open();
        struct row rows[20];
        for (size_t i = 0; i < n; i++) {
            rows[i] = (struct row){i, TRIAL_OK, i < right, 1, NAN, NAN, NAN, 1};
        }
        struct score_plan plan = {.targets = {.cost_usd = 1}, .resamples = 50};
        struct scores s;
        scores_compute(cases_of(rows, n, n, &a), n, &plan, &a, &s);
        double truth = (0.30 * rate + 0.15 * 0.5 + 0.15) / 0.60;
        if (s.overall.low <= truth && truth <= s.overall.high) covered += chance;
        chance *= (double)(n - right) / (double)(right + 1) * rate / (1 - rate);
        arena_close(&a);
    }
    return covered;
}

TEST(the_overall_holds_the_truth_of_pass_or_fail_cases)
{
    static const double rates[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99};
    for (size_t n = 10; n <= 20; n += 10) {
        for (size_t i = 0; i < COUNT(rates); i++) {
            double covered = overall_coverage(n, rates[i]);
            if (covered < 0.95) fail_msg("%zu cases at %g: held in %.4f", n, rates[i], covered);
        }
    }
}

/* Sums of 0.7 differ in their last bits from draw to draw. Taken for movement, they would say
 * that speed and an accuracy that never changes are unrelated, and shorten the interval. */
TEST(a_score_that_is_the_same_in_all_cases_does_not_move)
{
    struct arena a = arena_open();
    struct row rows[12];
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i] = (struct row){i, TRIAL_OK, 0.7, 0.1 * (double)(i + 1), NAN, NAN, NAN, NAN};
    }
    struct score_plan plan = {.targets = {.duration_s = 0.5}};
    plan.weights[SCORE_ACCURACY] = plan.weights[SCORE_SPEED] = 0.5;
    struct scores s;
    scores_compute(cases_of(rows, COUNT(rows), COUNT(rows), &a), COUNT(rows), &plan, &a, &s);
    const struct score *accuracy = &s.by[SCORE_ACCURACY], *speed = &s.by[SCORE_SPEED];
    assert_true(accuracy->low < 0.69);
    assert_close(s.overall.value - s.overall.low,
                 0.5 * (accuracy->value - accuracy->low) + 0.5 * (speed->value - speed->low),
                 1e-12);
    arena_close(&a);
}

TEST_MAIN(T(a_score_that_is_the_same_in_all_cases_does_not_move),
          T(a_case_is_passed_as_its_reducer_counts), T(a_case_is_right_wrong_or_unjudged),
          T(the_reducer_says_what_passes_count_as),
          T(the_overall_holds_the_truth_of_pass_or_fail_cases),
          T(a_case_is_one_value_of_its_passes), T(every_score_by_hand),
          T(one_score_for_one_sample),
          T(without_a_target_a_score_is_missing_and_the_overall_partial),
          T(weights_can_be_chosen), T(free_is_1_even_without_a_target),
          T(ten_right_answers_are_not_certainty), T(nothing_gives_nothing_with_reasons),
          T(a_failure_where_nothing_can_be_judged_is_no_wrong_answer),
          T(dimensions_are_means_over_cases), T(the_same_seed_gives_the_same_interval),
          T(a_median_of_a_resample_is_the_median), T(pass_at_k_by_hand),
          T(intervals_hold_the_truth_from_ten_cases_on))
