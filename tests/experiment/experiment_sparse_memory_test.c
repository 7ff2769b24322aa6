#include "base/value.h"
#include "evolve/dials.h"
#include "evolve/search.h"
#include "tests/experiment/harness.h"

static double value_of(const char *yaml, const char *metric)
{
    struct bench b;
    bench_open(&b, "sparse_memory", yaml, 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    double v = bench_value(&b, metric);
    assert_true(bench_close(&b));
    return v;
}

/* The arms of a comparison differ in what is switched, not in the problem. */
TEST(arms_pair_by_seed)
{
    assert_close(value_of("{cap: 60, copy: a}", "quality"),
                 value_of("{cap: 60, copy: b}", "quality"), 0);
    assert_close(value_of("{cap: 60, parts: none}", "iterations_to_target"),
                 value_of("{cap: 60, parts: hot_spots}", "iterations_to_target"), 0);
    assert_close(value_of("{cap: 60, planted: 0.5}", "quality"),
                 value_of("{cap: 60}", "quality") / 2, 1e-12);
}

/* The search of the harness's trial `i`, without the experiment. */
static struct search_result search_of(unsigned parts, enum search_end end, uint64_t i,
                                      struct arena *a)
{
    const struct challenge *c = dials_challenge("Marketing", 0.8, rng_nth(100 + i, 1), a);
    struct search_options o = {.parts = parts,
                               .selector = SELECTOR_MATCHING,
                               .detector = CONVERGENCE_PLATEAU,
                               .difficulty = 0.8,
                               .cap = 90,
                               .runs_on = end,
                               .seed = rng_nth(100 + i, 2)};
    struct search_result r;
    struct error err = {0};
    assert_true(search_run(c, &o, a, &r, &err));
    return r;
}

static void metrics_are_of(struct bench *b, const struct search_result *r, int64_t mark)
{
    bool has_mark = mark <= r->iterations;
    const struct {
        const char *metric;
        double value;
        bool is_none;
    } rows[] = {
        {"iterations", (double)r->stop, false},
        {"iterations_to_target", (double)r->to_target, false},
        {"reached", r->has_reached, false},
        {"quality", r->curve[r->stop - 1].held_out, false},
        {"quality_at_mark", has_mark ? r->curve[mark - 1].held_out : 0, !has_mark},
        {"false_stop_by_twice", r->is_false_stop, !r->is_judged},
        {"evaluations", (double)r->evaluations, false},
        {"parsed_bytes", (double)r->parsed_bytes, false},
        {"trajectory_bytes", (double)r->ledger.parts[LEDGER_TRAJECTORIES].peak_bytes, false},
        {"embedding_bytes", (double)r->ledger.parts[LEDGER_EMBEDDINGS].peak_bytes, false},
        {"syntax_bytes", (double)r->ledger.parts[LEDGER_SYNTAX].peak_bytes, false},
        {"peak_bytes", (double)r->ledger.peak_bytes, false},
        {"restarts", (double)r->restarts, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double value = bench_value(b, rows[i].metric);
        bool is_same = rows[i].is_none ? isnan(value) : value == rows[i].value;
        if (!is_same) fail_msg("%s: %g, not %g", rows[i].metric, value, rows[i].value);
    }
}

TEST(every_metric_is_the_one_of_the_search)
{
    static const struct {
        const char *yaml;
        unsigned parts;
        enum search_end end;
        int64_t mark;
    } cases[] = {
        {"{difficulty: 0.8, cap: 90, mark: 4}", 0, SEARCH_TO_CAP, 4},
        {"{difficulty: 0.8, cap: 90, mark: 80, detector: plateau, parts: all}", PART_ALL,
         SEARCH_TO_CAP, 80},
        {"{difficulty: 0.8, cap: 90, mark: 80, runs_on: false, parts: embeddings+diversity}",
         PART_EMBEDDINGS | PART_DIVERSITY, SEARCH_TO_STOP, 80},
    };
    bool has_gap = false; /* else it could not tell held-out quality from fitness */
    bool has_gain = false;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena a = arena_open();
        struct bench b;
        bench_open(&b, "sparse_memory", cases[i].yaml, 0);
        for (uint64_t k = 0; k < 4; k++) {
            struct search_result r = search_of(cases[i].parts, cases[i].end, k, &a);
            assert_int_equal(bench_trial(&b), TRIAL_OK);
            metrics_are_of(&b, &r, cases[i].mark);
            const struct search_point *stop = &r.curve[r.stop - 1];
            has_gap |= stop->held_out != stop->fitness && stop->held_out != stop->measured;
            has_gain |= r.stop > 4 && r.curve[3].held_out != stop->held_out;
        }
        assert_true(bench_close(&b));
        arena_close(&a);
    }
    assert_true(has_gap && has_gain);
}

/* Otherwise an arm that stopped at once would be compared at another iteration. */
TEST(there_is_no_quality_at_a_mark_that_the_search_did_not_come_to)
{
    static const char *const ends[] = {"runs_on: false", "until_judged: true"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        char yaml[80];
        snprintf(yaml, sizeof yaml, "{cap: 900, %s}", ends[i]);
        double iterations = value_of(yaml, "iterations") * (i == 0 ? 1 : 2);
        snprintf(yaml, sizeof yaml, "{cap: 900, %s, mark: %.0f}", ends[i], iterations);
        assert_false(isnan(value_of(yaml, "quality_at_mark")));
        snprintf(yaml, sizeof yaml, "{cap: 900, %s, mark: %.0f}", ends[i], iterations + 1);
        assert_true(isnan(value_of(yaml, "quality_at_mark")));
    }
}

TEST(a_trial_reports_its_curve_and_what_stopped_it)
{
    struct bench b;
    bench_open(&b, "sparse_memory", "{cap: 100, parts: all}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    const struct value *v;
    assert_true(
        value_read_json(buf_str(&b.detail), &value_limits_spec, &b.arena, &v, &b.error));
    assert_int_equal(value_get(v, "curve")->list.count, 50);
    assert_true(str_is(value_text(v, "stopped_by"), "max_iterations_reached"));
    assert_close(value_real(value_get(v, "operators"), "revision") +
                     value_real(value_get(v, "operators"), "recombination") +
                     value_real(value_get(v, "operators"), "refinement"),
                 300, 0);
    assert_close(bench_value(&b, "peak_bytes") > bench_value(&b, "trajectory_bytes"), 1, 0);
    const struct value *lineage = value_get(v, "lineage");
    assert_true(lineage->list.count > 1 && lineage->list.count <= 50);
    for (size_t i = 0; i + 1 < lineage->list.count; i++) {
        const struct value *parents = value_get(lineage->list.items[i], "parents");
        assert_close(value_number(parents->list.items[0]),
                     value_real(lineage->list.items[i + 1], "id"), 0);
    }
    assert_true(bench_close(&b));
}

/* Otherwise a search that never stopped would count as one that did not stop falsely. */
TEST(a_stop_is_judged_only_where_there_is_one_and_it_was_watched)
{
    assert_true(isnan(value_of("{cap: 100, runs_on: false}", "false_stop_by_twice")));
    assert_false(isnan(value_of("{cap: 100}", "false_stop_by_twice")));
    assert_true(
        isnan(value_of("{cap: 100, parts: all}", "false_stop_by_twice"))); /* ran to the cap */
    double stop = value_of("{cap: 1600, parts: all, until_judged: true}", "iterations");
    assert_false(isnan(value_of("{cap: 1600, parts: all}", "false_stop_by_twice")));
    char yaml[80]; /* it stops, and the cap comes before twice that */
    snprintf(yaml, sizeof yaml, "{cap: %.0f, parts: all}", 2 * stop - 1);
    assert_close(value_of(yaml, "iterations"), stop, 0);
    assert_true(isnan(value_of(yaml, "false_stop_by_twice")));
}

/* Watched to the cap, a stop is false if it is false by twice its iteration, and more are. */
TEST(a_stop_is_also_judged_by_the_uncapped_search)
{
    assert_true(isnan(value_of("{cap: 100, runs_on: false}", "false_stop_by_cap")));
    assert_true(isnan(value_of("{cap: 1600, until_judged: true}", "false_stop_by_cap")));
    struct bench b;
    bench_open(&b, "sparse_memory", "{cap: 400, difficulty: 0.3}", 0);
    double by_twice = 0;
    double by_cap = 0;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        double twice = bench_value(&b, "false_stop_by_twice");
        double cap = bench_value(&b, "false_stop_by_cap");
        assert_true(cap >= twice);
        by_twice += twice;
        by_cap += cap;
    }
    assert_true(bench_close(&b));
    assert_true(by_cap > by_twice);
}

/* The cap is how long a search is watched at most, and no part of the judgement. */
TEST(a_false_stop_does_not_depend_on_the_cap)
{
    struct bench b[2];
    bench_open(&b[0], "sparse_memory", "{cap: 300, difficulty: 0.3}", 0);
    bench_open(&b[1], "sparse_memory", "{cap: 900, difficulty: 0.3}", 0);
    for (int i = 0; i < 10; i++) {
        for (size_t k = 0; k < 2; k++) assert_int_equal(bench_trial(&b[k]), TRIAL_OK);
        assert_close(bench_value(&b[0], "false_stop_by_twice"),
                     bench_value(&b[1], "false_stop_by_twice"), 0);
    }
    for (size_t k = 0; k < 2; k++) assert_true(bench_close(&b[k]));
}

TEST(a_larger_pool_keeps_more_and_takes_more_memory)
{
    double small = value_of("{cap: 60, pool: 20}", "embedding_bytes");
    double usual = value_of("{cap: 60}", "embedding_bytes");
    double large = value_of("{cap: 60, pool: 500}", "embedding_bytes");
    assert_close(small, 21 * 1552, 0); /* one more, before the worst is dropped */
    assert_close(usual, 51 * 1552, 0);
    assert_close(large, (3 + 180) * 1552, 0);
}

TEST(the_resident_set_is_given_beside_the_counted_bytes)
{
    assert_true(value_of("{cap: 60}", "rss_mb") * 1e6 > value_of("{cap: 60}", "peak_bytes"));
}

TEST(wrong_parts_and_marks_are_refused_before_any_work)
{
    struct bench b;
    assert_false(bench_try_open(&b, "sparse_memory", "{parts: operator}", 0));
    assert_non_null(strstr(b.error.text, "did you mean 'operators'?"));
    bench_close(&b);
    assert_false(bench_try_open(&b, "sparse_memory", "{mark: 50, cap: 40}", 0));
    assert_non_null(strstr(b.error.text, "'mark' must be at most 'cap' (40), and is 50"));
    bench_close(&b);
}

/* A score that was taken over from a parent, or kept, and is not the playbook's. */
TEST(a_score_that_is_not_the_playbooks_fails_the_trial)
{
    struct arena arena = arena_open();
    for (int i = 0; i < 3; i++) {
        struct search_result r = search_of(PART_ALL, SEARCH_TO_STOP, 0, &arena);
        const struct challenge *c = dials_challenge("Marketing", 0.8, rng_nth(100, 1), &arena);
        struct error err = {0};
        assert_true(r.scored_count > 10);
        assert_true(search_is_right(c, &r, &err));
        if (i == 0) r.scored[r.scored_count - 1].measured += 1e-9;
        if (i == 1) r.curve[r.stop - 1].measured += 1e-9;
        if (i == 2) r.best.segments[0].line = (int16_t)(r.best.segments[0].line < 0 ? 1 : -1);
        assert_false(search_is_right(c, &r, &err));
        assert_non_null(strstr(err.text, "a playbook was taken to score "));
    }
    arena_close(&arena);
}

static void spoil_a_score(struct bench *b)
{
    struct search_result *r = b->state; /* which the state begins with */
    assert_true(r->scored_count > 3);
    r->scored[3].measured *= 2;
}

TEST(a_trial_looks_at_the_scores)
{
    struct bench b;
    bench_open(&b, "sparse_memory", "{cap: 20, mark: 5}", 0);
    b.meddle = spoil_a_score;
    assert_int_equal(bench_trial(&b), TRIAL_FAILED);
    assert_non_null(strstr(b.trial.error.text, "a playbook was taken to score "));
    assert_true(bench_close(&b));
}

TEST_MAIN(T(a_score_that_is_not_the_playbooks_fails_the_trial), T(a_trial_looks_at_the_scores),
          T(arms_pair_by_seed), T(every_metric_is_the_one_of_the_search),
          T(there_is_no_quality_at_a_mark_that_the_search_did_not_come_to),
          T(a_trial_reports_its_curve_and_what_stopped_it),
          T(a_stop_is_judged_only_where_there_is_one_and_it_was_watched),
          T(a_stop_is_also_judged_by_the_uncapped_search),
          T(a_false_stop_does_not_depend_on_the_cap),
          T(a_larger_pool_keeps_more_and_takes_more_memory),
          T(the_resident_set_is_given_beside_the_counted_bytes),
          T(wrong_parts_and_marks_are_refused_before_any_work))
