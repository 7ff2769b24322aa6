#include "agent/agent.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("agent", agent_kind_entry, false);
    for (size_t i = 0; agent_kind_at(i); i++) {
        const struct agent_kind *k = agent_kind_at(i);
        if (!k->open || !k->ask || !k->conclude || !k->close)
            fail_msg("%s: a hook is missing", k->name);
    }
}

TEST_MAIN(T(every_row_is_complete))
