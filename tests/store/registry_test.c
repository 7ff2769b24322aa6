#include "store/store.h"
#include "tests/test.h"

TEST(every_kind_is_complete_and_its_name_unique)
{
    size_t count = 0;
    for (const struct store_kind *k; (k = store_kind_at(count)); count++) {
        assert_non_null(k->name);
        assert_true(k->name[0] != '\0');
        assert_non_null(k->summary);
        assert_true(k->summary[0] != '\0');
        assert_non_null(k->open);
        assert_non_null(k->migrate);
        for (size_t i = 0; i < count; i++) {
            assert_string_not_equal(store_kind_at(i)->name, k->name);
        }
    }
    assert_true(count >= 2);
    assert_null(store_kind_at(count + 1));
}

TEST(every_kind_says_why_a_store_that_is_not_there_cannot_be_opened)
{
    for (size_t i = 0; store_kind_at(i); i++) {
        struct store_options options = {0};
        struct store *store = NULL;
        struct error err = {0};
        assert_false(store_kind_at(i)->open("/nowhere/at/all", &options, &store, &err));
        assert_null(store);
        assert_true(err.code == ERROR_NOT_FOUND || err.code == ERROR_UNAVAILABLE);
        assert_true(err.text[0] != '\0');
    }
}

TEST_MAIN(T(every_kind_is_complete_and_its_name_unique),
          T(every_kind_says_why_a_store_that_is_not_there_cannot_be_opened))
