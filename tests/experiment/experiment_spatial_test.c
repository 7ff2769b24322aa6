/* The spatial experiments: what they draw is the same for all contenders and compilers, what
 * they report agrees with itself, and a wrong answer is noticed. */
#include "experiment/spatial_workload.h"
#include "index/entities.h"
#include "tests/experiment/harness.h"

/* The digest of the last trial. */
static const char *digest_of(const struct bench *b)
{
    static const char key[] = "\"workload_digest\":\"";
    static char digest[17];
    const char *at = strstr(b->detail.p, key);
    assert_non_null(at);
    snprintf(digest, sizeof digest, "%.16s", at + strlen(key));
    return digest;
}

/* Trials of each algorithm: all right, and over the same workload; `pinned` is the digest of
 * the first, as it is with every compiler and on every machine. */
static void try_all(const char *experiment, const char *rest, const char *pinned)
{
    for (size_t i = 0; spatial_algorithms[i]; i++) {
        struct bench b;
        char yaml[300];
        snprintf(yaml, sizeof yaml, "{algorithms: %s, %s}", spatial_algorithms[i], rest);
        bench_open(&b, experiment, yaml, 0);
        if (bench_trial(&b) != TRIAL_OK)
            fail_msg("%s %s: %s", experiment, yaml, b.trial.error.text);
        assert_string_equal(digest_of(&b), pinned);
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_string_not_equal(digest_of(&b), pinned);
        for (size_t m = 0; m < b.experiment->metric_count; m++) {
            if (!isfinite(b.values[m]))
                fail_msg("%s %s: %s", experiment, yaml, b.experiment->metrics[m].name);
        }
        assert_true(bench_close(&b));
    }
}

TEST(contenders_get_the_same_workload_on_every_compiler)
{
    try_all("spatial_comprehensive", "agent_counts: 300, world_sizes: 100, steps: 5",
            "470c562dcbaee067");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: clustered",
            "b6a11770d9357b89");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: linear",
            "b0f4aefff4173cab");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: sparse",
            "81bea8283d9b3eea");
    try_all("spatial_batch", "agent_counts: 500, batch_sizes: 7", "bb977370ba412896");
    try_all("spatial_index_profiler", "agent_counts: 100, steps: 5", "41d9251c0ea23b46");
    try_all("spatial_memory_profiler", "agent_counts: 100, steps: 5", "39b9e2aa0770b3f6");
    try_all("spatial_performance_analyzer", "agent_counts: [50, 200], query_patterns: random",
            "abf579817597aaef");
}

TEST(a_trial_agrees_with_itself)
{
    struct bench b;
    bench_open(&b, "spatial_index_profiler",
               "{agent_counts: 200, steps: 10, query_types: intersection}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_close(bench_value(&b, "per_query") * 100, bench_value(&b, "total_time"), 1e-9);
    assert_close(bench_value(&b, "queries_per_second") * bench_value(&b, "per_query"), 1, 1e-9);
    assert_true(bench_value(&b, "entities_moved") == 1000);
    assert_true(bench_close(&b));

    bench_open(&b, "spatial_batch", "{agent_counts: 1000, moved: 1, batch_sizes: 300}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_value(&b, "updates") == 1000); /* the peer's batches moved none */
    assert_true(bench_value(&b, "average_batch_size") == 250);
    assert_close(
        bench_value(&b, "speedup"),
        bench_value(&b, "individual_update_time") / bench_value(&b, "batch_update_time"), 1e-9);
    assert_true(bench_close(&b));
}

static void make_work(struct spatial_workload *w, int algorithm)
{
    struct spatial_plan plan = {.algorithm = algorithm,
                                .movable = 300,
                                .side = 100,
                                .questions = 11,
                                .moves = 50,
                                .stride = 5,
                                .seed = 9};
    spatial_workload_make(w, &plan);
}

/* Ten questions are one block, whose spread is not known; of eleven, the last one counts as one
 * of eleven. */
TEST(a_mean_is_that_of_all_questions)
{
    struct bench b;
    bench_open(&b, "spatial_comprehensive", "{agent_counts: 50, steps: 2, queries: 10}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_value(&b, "avg_query_time") > 0);
    assert_true(isnan(bench_value(&b, "query_time_std")));
    assert_true(isnan(bench_value(&b, "nearest_time_std")));
    assert_true(bench_close(&b));
    struct spatial_workload w;
    struct spatial index;
    make_work(&w, 0);
    spatial_workload_open(&w, &index);
    struct spatial_times times = spatial_time_radius(&w, &index, 20);
    assert_close(times.mean_s, times.total_s / 11, 1e-12);
    assert_true(times.std_s >= 0);
    spatial_close(&index);
    spatial_workload_release(&w);
}

TEST(a_batch_larger_than_all_moves_is_remarked)
{
    static const char *const yaml[] = {"{agent_counts: 100}", "{agent_counts: 1000}"};
    for (size_t i = 0; i < COUNT(yaml); i++) {
        const struct experiment *e = experiment_find(S("spatial_batch"));
        struct arena arena = arena_open();
        struct buf remarks;
        buf_init(&remarks, 1 << 16);
        struct experiment_env env = {
            .arena = &arena,
            .config = bench_config(&arena, e->params, e->config_size, yaml[i]),
            .remarks = &remarks,
        };
        struct error err = {0};
        assert_true(e->setup(&env, arena_alloc(&arena, 1, e->state_size, 16), &err));
        if (i == 0) assert_non_null(strstr(remarks.p, "a trial has 10 moves"));
        if (i == 1) assert_int_equal(remarks.n, 0); /* one batch of 100, as asked for */
        buf_release(&remarks);
        arena_close(&arena);
    }
}

/* Contenders within a trial: each is first about as often, by the seed and not by the clock. */
TEST(the_first_turn_is_drawn)
{
    int first[4] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct spatial_workload w = {.plan.seed = seed};
        int drawn = spatial_workload_draw(&w, 4);
        assert_true(drawn >= 0 && drawn < 4);
        assert_int_equal(spatial_workload_draw(&w, 4), drawn);
        first[drawn]++;
    }
    for (size_t i = 0; i < COUNT(first); i++) assert_true(first[i] > 70 && first[i] < 130);
}

/* Counted memory is the same in every trial and process; what is given back is all. */
TEST(counted_memory_is_exact)
{
    double first[2] = {0, 0};
    for (int run = 0; run < 2; run++) {
        struct bench b;
        bench_open(&b, "spatial_memory_profiler",
                   "{agent_counts: 1000, data_structures: numpy_array, steps: 3}", 0);
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        double each = bench_value(&b, "memory_per_entity_kb");
        assert_true(each >= 0.02 && each < 0.2); /* a place and a number take 20 bytes */
        assert_true(bench_value(&b, "records_per_entity_kb") >= 0.8);
        double total = bench_value(&b, "total_memory_mb");
        assert_true(bench_value(&b, "gc_impact_mb") == total);
        assert_true(bench_value(&b, "peak_memory_mb") >= total);
        first[run] = each;
        assert_true(bench_close(&b));
    }
    assert_true(first[0] == first[1]);
}

/* A list of what questions find is as long as they are wide. */
TEST(wider_questions_take_more_memory)
{
    static const char *const yaml[] = {"{agent_counts: 1000, steps: 3, query_radii: 0}",
                                       "{agent_counts: 1000, steps: 3, query_radii: 900}"};
    double took_kb[2];
    for (size_t i = 0; i < COUNT(yaml); i++) {
        struct bench b;
        bench_open(&b, "spatial_memory_profiler", yaml[i], 0);
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        took_kb[i] = bench_value(&b, "query_overhead_kb");
        assert_true(bench_close(&b));
    }
    assert_true(took_kb[0] >= 0 && took_kb[1] > took_kb[0] + 1);
}

TEST(what_is_not_tracked_is_not_reported)
{
    struct bench b;
    bench_open(&b, "spatial_memory_profiler",
               "{agent_counts: 50, steps: 2, track_memory_usage: false, "
               "track_garbage_collection: false}",
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(isnan(bench_value(&b, "rss_total_mb")));
    assert_true(isnan(bench_value(&b, "gc_impact_mb")));
    assert_true(bench_value(&b, "total_memory_mb") > 0);
    assert_true(bench_close(&b));
}

/* An index that lost a point, has one too many, or has one elsewhere by the last bit. */
TEST(a_wrong_answer_fails_the_check)
{
    for (int algorithm = 0; spatial_algorithms[algorithm]; algorithm++) {
        struct spatial_workload w;
        struct error err = {0};
        make_work(&w, algorithm);
        struct spatial index;
        spatial_workload_open(&w, &index);
        assert_false(spatial_workload_check(&w, &index, 20, &err)); /* the moves are missing */
        assert_true(spatial_workload_check_unmoved(&w, &index, 20, &err));
        spatial_update(&index, w.moves, w.plan.moves);
        assert_true(spatial_workload_check(&w, &index, 20, &err));
        assert_false(spatial_workload_check_unmoved(&w, &index, 20, &err));

        struct spatial_point there = {nextafter(w.at[7].x, 1000), w.at[7].y};
        spatial_move(&index, 7, there);
        assert_false(spatial_workload_check(&w, &index, 20, &err));
        assert_non_null(strstr(err.text, "brute force"));
        spatial_move(&index, 7, w.at[7]);
        spatial_insert(&index, 300, w.at[7]);
        assert_false(spatial_workload_check(&w, &index, 20, &err));
        spatial_remove(&index, 7); /* as many, and one has the wrong number */
        assert_false(spatial_workload_check(&w, &index, 20, &err));
        spatial_close(&index);
        spatial_workload_release(&w);
    }
}

/* Indexes that are wrong where only few questions show it. */
static const struct spatial_kind *right(void)
{
    return spatial_kind_find(S("brute_force"));
}

static size_t nearest_is_the_first(const void *state, struct spatial_point c, size_t k,
                                   struct spatial_near *near)
{
    size_t count = right()->nearest(state, c, k, near);
    if (k == 1) near[0].id = 0;
    return count;
}

static size_t tie_goes_to_the_last(const void *state, struct spatial_point c, size_t k,
                                   struct spatial_near *near)
{
    size_t count = right()->nearest(state, c, k, near);
    if (count > 1 && near[0].distance2 == near[1].distance2) {
        uint32_t id = near[0].id;
        near[0].id = near[1].id;
        near[1].id = id;
    }
    return count;
}

static void radius_is_open(const void *state, struct spatial_point c, double radius,
                           struct spatial_list *found)
{
    right()->radius(state, c, nextafter(radius, 0), found);
}

static void box_is_open(const void *state, const struct spatial_box *box,
                        struct spatial_list *found)
{
    struct spatial_box smaller = *box;
    smaller.max_y = nextafter(box->max_y, 0);
    right()->range(state, &smaller, found);
}

TEST(the_nearest_alone_edges_and_ties_are_checked)
{
    for (int wrong = 0; wrong <= 4; wrong++) {
        struct spatial_workload w;
        struct error err = {0};
        make_work(&w, 0);
        struct spatial_kind kind = *right();
        if (wrong == 1) kind.nearest = nearest_is_the_first;
        if (wrong == 2) kind.nearest = tie_goes_to_the_last;
        if (wrong == 3) kind.radius = radius_is_open;
        if (wrong == 4) kind.range = box_is_open;
        struct spatial index;
        spatial_open(&index, &kind, (struct spatial_settings){0}, &w.heap);
        spatial_build(&index, w.at, w.count);
        bool is_right = spatial_workload_check(&w, &index, 20, &err);
        if (is_right != (wrong == 0)) fail_msg("%d: %s", wrong, err.text);
        spatial_close(&index);
        spatial_workload_release(&w);
    }
}

TEST(algorithms_are_the_indexes_without_the_oracle)
{
    assert_string_equal(spatial_kind_at(0)->name, "brute_force");
    for (size_t i = 1; spatial_kind_at(i); i++)
        assert_string_equal(spatial_kind_at(i)->name, spatial_algorithms[i - 1]);
}

TEST_MAIN(T(contenders_get_the_same_workload_on_every_compiler), T(a_trial_agrees_with_itself),
          T(a_mean_is_that_of_all_questions), T(a_batch_larger_than_all_moves_is_remarked),
          T(the_first_turn_is_drawn), T(counted_memory_is_exact),
          T(wider_questions_take_more_memory), T(what_is_not_tracked_is_not_reported),
          T(a_wrong_answer_fails_the_check), T(the_nearest_alone_edges_and_ties_are_checked),
          T(algorithms_are_the_indexes_without_the_oracle))
