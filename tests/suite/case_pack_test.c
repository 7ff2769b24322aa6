#include "suite/case_pack.h"
#include "tests/test.h"

static struct case_set read_set(const char *jsonl, struct arena *arena)
{
    struct case_set set = {0};
    struct problems problems = {.arena = arena, .file = "t"};
    struct dataset_options none = {0};
    if (!dataset_read_bytes(str_of(jsonl), DATASET_JSONL, &none, arena, &set, &problems))
        fail_msg("%s", problems.items[0].text);
    return set;
}

TEST(cases_come_out_as_they_went_in)
{
    struct arena arena = arena_open();
    struct case_set set =
        read_set("{\"id\":\"t\",\"input\":\"a "
                 "\\\"b\\\"\\n\",\"expected\":[\"x\",\"y\"],\"hint\":\"h\"}\n"
                 "{\"input\":{\"k\":[1,2.5]},\"rubric\":\"contains\",\"expected\":\"2\"}\n"
                 "{\"turns\":[{\"input\":\"one\"},{\"input\":\"two\",\"expected\":\"2\"}]}\n",
                 &arena);
    struct buf b;
    buf_init(&b, 1 << 20);
    case_pack_write(&set, &b);
    struct str pack = buf_str(&b);
    struct error err = {0};
    struct case_item item;
    assert_int_equal(case_pack_count(pack), 3);

    assert_true(case_pack_read(pack, 0, &arena, &item, &err));
    assert_string_equal(item.id, "t");
    assert_string_equal(item.hash, set.items[0].hash);
    assert_true(str_is(item.input, "a \"b\"\n"));
    assert_false(item.is_json);
    assert_int_equal(item.expected->list.count, 2);
    assert_int_equal(item.rubric_index, -1);
    assert_true(str_is(value_get(item.fields, "hint")->source, "h"));

    assert_true(case_pack_read(pack, 1, &arena, &item, &err));
    assert_true(item.is_json);
    assert_true(str_is(item.input, "{\"k\":[1,2.5]}"));
    assert_int_equal(item.rubric_index, 0);
    assert_true(str_is(item.rubric->source, "contains"));

    assert_true(case_pack_read(pack, 2, &arena, &item, &err));
    assert_int_equal(item.turn_count, 2);
    assert_true(str_is(item.turns[1].input, "two"));
    assert_null(item.turns[0].expected);
    assert_non_null(item.turns[1].expected);

    assert_false(case_pack_read(pack, 3, &arena, &item, &err));
    buf_release(&b);
    arena_close(&arena);
}

TEST(a_damaged_pack_is_refused)
{
    struct arena arena = arena_open();
    struct case_set set = read_set("{\"input\":\"1\"}\n{\"input\":\"2\"}\n", &arena);
    struct buf b;
    buf_init(&b, 1 << 20);
    case_pack_write(&set, &b);
    struct error err = {0};
    struct str json;
    assert_int_equal(case_pack_count((struct str){0}), 0);
    for (size_t n = 0; n + 1 < b.n; n++) { /* cut anywhere: no read beyond the end */
        char *cut = arena_copy(&arena, b.p, n);
        bool done = case_pack_get((struct str){cut, n}, 1, &json, &err);
        assert_false(done);
    }
    buf_release(&b);
    arena_close(&arena);
}

TEST_MAIN(T(cases_come_out_as_they_went_in), T(a_damaged_pack_is_refused))
