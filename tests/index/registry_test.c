#include "index/spatial.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("index", spatial_kind_entry, false);
    for (size_t i = 0; spatial_kind_at(i); i++) {
        const struct spatial_kind *k = spatial_kind_at(i);
        if (!k->close || !k->fill || !k->insert || !k->remove || !k->move || !k->radius ||
            !k->range || !k->nearest)
            fail_msg("%s: a hook is missing", k->name);
        if (k->state_size == 0) fail_msg("%s: hooks without a state", k->name);
    }
}

/* What the others are compared with comes first. */
TEST(the_oracle_is_the_first_row)
{
    assert_string_equal(spatial_kind_at(0)->name, "brute_force");
}

TEST_MAIN(T(every_row_is_complete), T(the_oracle_is_the_first_row))
