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

TEST_MAIN(T(an_interrupted_run_stands_for_a_version_only_if_there_is_no_other))
