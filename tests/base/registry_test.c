#include "base/registry.h"
#include "tests/registry.h"

struct fruit {
    REGISTRY_ENTRY;
    int seeds;
};
REGISTRY(struct fruit, fruit)

const struct fruit fruit_apple = {.name = "apple", .summary = "round", .seeds = 5};
const struct fruit fruit_plum = {
    .name = "plum", .alias = "prune", .summary = "oval", .seeds = 1};

#define ROW        struct fruit
#define ROW_OF(id) fruit_##id
/* clang-format off */
#define ROWS(X) \
    X(apple) \
    X(plum)
/* clang-format on */
REGISTRY_ROWS(fruit)

TEST(rows_are_listed_in_order_and_found_by_name_and_alias)
{
    assert_ptr_equal(fruit_at(0), &fruit_apple);
    assert_ptr_equal(fruit_at(1), &fruit_plum);
    assert_null(fruit_at(2));
    assert_null(fruit_entry(2));
    assert_ptr_equal(fruit_find(S("plum")), &fruit_plum);
    assert_int_equal(fruit_find(S("prune"))->seeds, 1);
    assert_null(fruit_find(S("apples")));
    assert_null(fruit_find((struct str){0}));
}

TEST(a_head_is_the_row)
{
    registry_check("fruit", fruit_entry, false);
    assert_ptr_equal(fruit_entry(1), &fruit_plum);
    assert_string_equal(fruit_entry(1)->name, fruit_plum.name);
    assert_string_equal(fruit_entry(1)->alias, fruit_plum.alias);
    assert_string_equal(fruit_entry(1)->summary, fruit_plum.summary);
    assert_null(fruit_entry(1)->help);
}

TEST(an_unknown_name_gets_a_hint)
{
    assert_string_equal(registry_hint(fruit_entry, S("aple")).text, "; did you mean 'apple'?");
    assert_string_equal(registry_hint(fruit_entry, S("zebra")).text, "; known: apple, plum");
    assert_string_equal(registry_names(fruit_entry).text, "apple, plum");
    assert_null(registry_near(fruit_entry, S("zebra")));
}

TEST_MAIN(T(rows_are_listed_in_order_and_found_by_name_and_alias), T(a_head_is_the_row),
          T(an_unknown_name_gets_a_hint))
