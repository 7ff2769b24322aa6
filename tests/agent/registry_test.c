#include "agent/agent.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    for (size_t i = 0; agent_kind_at(i); i++) {
        const struct agent_kind *k = agent_kind_at(i);
        registry_check_name("agent", k->name);
        if (!registry_is_line(k->summary)) fail_msg("%s: summary", k->name);
        if (!k->open || !k->ask || !k->conclude || !k->close)
            fail_msg("%s: a hook is missing", k->name);
        registry_check_params(k->name, k->params, k->config_size);
        registry_check_metrics(k->name, k->metrics, k->metric_count);
    }
}

TEST(every_name_is_unique_and_found)
{
    for (size_t i = 0; agent_kind_at(i); i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(agent_kind_at(i)->name, agent_kind_at(k)->name) == 0)
                fail_msg("two kinds of agents '%s'", agent_kind_at(i)->name);
        }
    }
    for (size_t i = 0; agent_kind_at(i); i++) {
        const struct agent_kind *found = agent_kind_find(str_of(agent_kind_at(i)->name));
        if (found != agent_kind_at(i)) fail_msg("two kinds of agents '%s'", found->name);
    }
    assert_null(agent_kind_find(S("no such thing")));
}

TEST_MAIN(T(every_row_is_complete), T(every_name_is_unique_and_found))
