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
            "ee60b0e3e85fe12b");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: clustered",
            "36fe677103c574ee");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: linear",
            "c129a0c4c7f5b6a1");
    try_all("spatial_comprehensive", "agent_counts: 200, distributions: sparse",
            "f4dc0e7ee50ba520");
    try_all("spatial_batch", "agent_counts: 500, batch_sizes: 7", "d78c845d0bbfc6a5");
    try_all("spatial_index_profiler", "agent_counts: 100, steps: 5", "bf9ffadcc249886e");
    try_all("spatial_memory_profiler", "agent_counts: 100, steps: 5", "be10654f9164ced6");
    try_all("spatial_performance_analyzer", "agent_counts: [50, 200], query_patterns: random",
            "783222d68c154b6f");
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
        assert_true(bench_value(&b, "gc_impact_mb") == bench_value(&b, "total_memory_mb"));
        first[run] = each;
        assert_true(bench_close(&b));
    }
    assert_true(first[0] == first[1]);
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

static void make_work(struct spatial_workload *w, int algorithm)
{
    struct spatial_plan plan = {.algorithm = algorithm,
                                .movable = 300,
                                .side = 100,
                                .questions = 10,
                                .moves = 50,
                                .stride = 5,
                                .seed = 9};
    spatial_workload_make(w, &plan);
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
        spatial_update(&index, w.moves, w.plan.moves);
        assert_true(spatial_workload_check(&w, &index, 20, &err));

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

TEST(algorithms_are_the_indexes_without_the_oracle)
{
    assert_string_equal(spatial_kind_at(0)->name, "brute_force");
    for (size_t i = 1; spatial_kind_at(i); i++)
        assert_string_equal(spatial_kind_at(i)->name, spatial_algorithms[i - 1]);
}

TEST_MAIN(T(contenders_get_the_same_workload_on_every_compiler), T(a_trial_agrees_with_itself),
          T(the_first_turn_is_drawn), T(counted_memory_is_exact),
          T(what_is_not_tracked_is_not_reported), T(a_wrong_answer_fails_the_check),
          T(algorithms_are_the_indexes_without_the_oracle))
