/* The kinds of agents. Adding one is adding a file and a line here. */
#include "agent/agent.h"

/* clang-format off */
#define ROW struct agent_kind
#define ROW_OF(id) agent_##id
#define ROWS(X) \
    X(noop) \
    X(process) \
    X(http) \
    X(openai) \
    X(plugin) \
    X(replay)
/* clang-format on */

REGISTRY_ROWS(agent_kind)
