#include "view/baseline.h"

#include "tests/history/bench.h"

static struct baseline_set find(struct bench *b, const char *baseline)
{
    struct error err = {0};
    struct baseline_set set;
    const struct baseline_question q = {.agent = "a", .baseline = baseline};
    OK(baseline_find(b->store, &q, &b->f.arena, &set, &err));
    assert_int_equal(set.count, 1);
    return set;
}

TEST(an_interrupted_run_stands_for_a_version_only_if_there_is_no_other)
{
    struct bench b = bench_open();
    struct execution_record whole = put(&b, (struct shape){.version = "1", .level = 1});
    struct execution_record cut =
        put(&b, (struct shape){.version = "1", .level = 1, .trials = 4, .status = RUN_PARTIAL});
    put(&b, (struct shape){.version = "2", .level = 1});
    struct baseline_set set = find(&b, NULL);
    assert_string_equal(set.pairs[0].baseline_run->id, whole.run_id);
    set = find(&b, "1"); /* named or not, it is the same run */
    assert_string_equal(set.pairs[0].baseline_run->id, whole.run_id);
    assert_null(set.pairs[0].cut[0]);
    struct error err = {0};
    OK(store_forget(b.store, whole.run_id, &err));
    set = find(&b, "1");
    assert_string_equal(set.pairs[0].baseline_run->id, cut.run_id);
    bench_close(&b);
}

/* Named or not: how fast a version is, is how fast it is on the machine that is asked about. */
TEST(of_a_version_the_runs_of_this_host_are_the_baseline)
{
    struct bench b = bench_open();
    struct execution_record here =
        put(&b, (struct shape){.version = "1", .level = 1, .host = "here"});
    struct execution_record there =
        put(&b, (struct shape){.version = "1", .level = 9, .host = "there"});
    put(&b, (struct shape){.version = "2", .level = 5, .host = "here"});
    const char *const wanted[] = {NULL, "1"};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        struct baseline_set set = find(&b, wanted[i]);
        assert_string_equal(set.pairs[0].baseline_run->id, here.run_id);
        assert_int_equal(set.pairs[0].run_count[0], 1);
        assert_null(set.pairs[0].hosts[0]);
    }
    struct error err = {0};
    OK(store_forget(b.store, here.run_id, &err));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        struct baseline_set set = find(&b, wanted[i]);
        assert_string_equal(set.pairs[0].baseline_run->id, there.run_id);
        assert_string_equal(set.pairs[0].hosts[0], "there");
    }
    bench_close(&b);
}

TEST_MAIN(T(an_interrupted_run_stands_for_a_version_only_if_there_is_no_other),
          T(of_a_version_the_runs_of_this_host_are_the_baseline))
