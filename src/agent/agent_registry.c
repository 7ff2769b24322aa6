/* The kinds of agents. Adding one is adding a file and a line here. */
#include "agent/agent.h"

/* clang-format off */
#define AGENTS(X) \
    X(noop) \
    X(process) \
    X(http) \
    X(openai) \
    X(plugin) \
    X(replay)
/* clang-format on */

#define DECLARE(id) extern const struct agent_kind agent_##id;
AGENTS(DECLARE)
#undef DECLARE

#define ENTRY(id) &agent_##id,
static const struct agent_kind *const kinds[] = {AGENTS(ENTRY)};
#undef ENTRY

const struct agent_kind *agent_kind_at(size_t i)
{
    return i < COUNT(kinds) ? kinds[i] : NULL;
}

const struct agent_kind *agent_kind_find(struct str name)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (str_is(name, kinds[i]->name)) return kinds[i];
    }
    return NULL;
}
