#include "base/pointer.h"

#include "tests/test.h"

static const char *const document =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
    "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"deep\":{\"list\":[{\"x\":9}]}}";

/* RFC 6901, section 5, and what is not there. */
static const struct {
    const char *pointer;
    int64_t expected; /* -1: nothing */
} cases[] = {
    {"/", 0},
    {"/a~1b", 1},
    {"/c%d", 2},
    {"/e^f", 3},
    {"/g|h", 4},
    {"/i\\j", 5},
    {"/k\"l", 6},
    {"/ ", 7},
    {"/m~0n", 8},
    {"/deep/list/0/x", 9},
    {"/no", -1},
    {"/foo/2", -1},
    {"/foo/00", -1},
    {"/foo/-", -1},
    {"/foo/-1", -1},
    {"/foo/ 0", -1},
    {"/deep/list/0/x/y", -1},
    {"foo", -1},
    {"/foo/99999999999999999999", -1},
};

TEST(pointers_find_what_the_rfc_says)
{
    struct arena a = arena_open();
    const struct value *root = NULL;
    struct error err = {0};
    assert_true(value_read_json(str_of(document), &value_limits_spec, &a, &root, &err));
    assert_ptr_equal(pointer_find(root, S("")), root);
    assert_true(str_is(pointer_find(root, S("/foo/0"))->source, "bar"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct value *v = pointer_find(root, str_of(cases[i].pointer));
        int64_t found = v ? v->integer : -1;
        if (found != cases[i].expected) fail_msg("'%s' gives %d", cases[i].pointer, (int)found);
    }
    arena_close(&a);
}

TEST(what_is_no_pointer_is_told)
{
    struct error err = {0};
    assert_true(pointer_check(S(""), &err));
    assert_true(pointer_check(S("/a~0b/c~1d/"), &err));
    assert_false(pointer_check(S("a/b"), &err));
    assert_non_null(strstr(err.text, "write /a/b"));
    assert_false(pointer_check(S("/a~"), &err));
    assert_false(pointer_check(S("/a~2"), &err));
}

TEST_MAIN(T(pointers_find_what_the_rfc_says), T(what_is_no_pointer_is_told))
