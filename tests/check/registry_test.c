#include "check/check.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    for (size_t i = 0; check_kind_at(i); i++) {
        const struct check_kind *k = check_kind_at(i);
        registry_check_name("check", k->name);
        if (!registry_is_line(k->summary)) fail_msg("%s: summary", k->name);
        if (!k->open || !k->score) fail_msg("%s: a hook is missing", k->name);
        registry_check_params(k->name, k->params, k->config_size);
        for (size_t p = 0; p < k->params.count; p++) {
            const char *name = k->params.rows[p].name;
            if (strcmp(name, "check") == 0 || strcmp(name, "weight") == 0 ||
                strcmp(name, "dimension") == 0)
                fail_msg("%s.%s: belongs to the rubric", k->name, name);
        }
    }
}

TEST(every_name_is_unique_and_found)
{
    for (size_t i = 0; check_kind_at(i); i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(check_kind_at(i)->name, check_kind_at(k)->name) == 0)
                fail_msg("two checks '%s'", check_kind_at(i)->name);
        }
        assert_ptr_equal(check_kind_find(str_of(check_kind_at(i)->name)), check_kind_at(i));
    }
    assert_null(check_kind_find(S("no such thing")));
}

TEST_MAIN(T(every_row_is_complete), T(every_name_is_unique_and_found))
