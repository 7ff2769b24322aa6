#include "store/store.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("store", store_kind_entry, false);
    for (size_t i = 0; store_kind_at(i); i++) {
        assert_non_null(store_kind_at(i)->open);
        assert_non_null(store_kind_at(i)->migrate);
    }
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

TEST_MAIN(T(every_row_is_complete),
          T(every_kind_says_why_a_store_that_is_not_there_cannot_be_opened))
