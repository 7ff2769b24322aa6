#include "check/check.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("check", check_kind_entry, false);
    for (size_t i = 0; check_kind_at(i); i++) {
        const struct check_kind *k = check_kind_at(i);
        if (!k->open || !k->score) fail_msg("%s: a hook is missing", k->name);
        for (size_t p = 0; p < k->params.count; p++) {
            const char *name = k->params.rows[p].name;
            if (strcmp(name, "check") == 0 || strcmp(name, "weight") == 0 ||
                strcmp(name, "dimension") == 0)
                fail_msg("%s.%s: belongs to the rubric", k->name, name);
        }
    }
}

TEST_MAIN(T(every_row_is_complete))
