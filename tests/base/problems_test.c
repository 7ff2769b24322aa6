#include "base/problems.h"

#include "tests/test.h"

TEST(the_first_twenty_are_kept)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a, .file = "f"};
    for (uint32_t i = 1; i <= 30; i++) assert_false(problems_add(&p, i, 1, "n %u", i));
    assert_int_equal(p.kept, PROBLEMS_MAX);
    assert_int_equal(p.total, 30);
    assert_string_equal(p.items[19].text, "n 20");
    assert_string_equal(p.items[0].file, "f");
    arena_close(&a);
}

TEST(the_same_is_said_once)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    problems_add(&p, 1, 2, "x");
    problems_add(&p, 1, 2, "x");
    assert_int_equal(p.total, 1);
    problems_add(&p, 1, 2, "y");
    problems_add(&p, 1, 3, "x");
    assert_int_equal(p.total, 3);
    arena_close(&a);
}

TEST(sorting_is_by_place_and_stable)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    problems_add(&p, 3, 1, "d");
    problems_add(&p, 1, 9, "b");
    problems_add(&p, 1, 9, "c");
    problems_add(&p, 1, 2, "a");
    problems_sort(&p);
    for (int i = 0; i < 4; i++) assert_int_equal(p.items[i].text[0], 'a' + i);
    arena_close(&a);
}

TEST(a_setting_is_named_apart_from_why)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    assert_false(problems_add_setting(&p, S("it's.x"), "must be %d", 3));
    problems_add_setting(&p, S("it's.x"), "must be %d", 3);
    problems_add(&p, 1, 1, "'y' is of the file");
    assert_int_equal(p.total, 2);
    assert_string_equal(p.items[0].text, "'it's.x' must be 3");
    assert_string_equal(p.items[0].setting, "it's.x");
    assert_string_equal(p.items[0].why, "must be 3");
    assert_null(p.items[1].setting);
    arena_close(&a);
}

TEST_MAIN(T(the_first_twenty_are_kept), T(the_same_is_said_once),
          T(sorting_is_by_place_and_stable), T(a_setting_is_named_apart_from_why))
