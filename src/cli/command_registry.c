/* The commands, in the order in which help shows them: one line each. */
#include "cli/command.h"

#include "base/str.h"

#define COMMANDS(X) \
    X(run)          \
    X(init)         \
    X(check)        \
    X(show)         \
    X(report)       \
    X(compare)      \
    X(versus)       \
    X(claims)       \
    X(leaderboard)  \
    X(matrix)       \
    X(regressions)  \
    X(baseline)     \
    X(gate)         \
    X(trend)        \
    X(cost)         \
    X(profile)      \
    X(list)         \
    X(describe)     \
    X(agents)       \
    X(suites)       \
    X(doctor)       \
    X(forget)       \
    X(migrate)      \
    X(prune)        \
    X(record)       \
    X(import)       \
    X(export)       \
    X(stub)         \
    X(completion)   \
    X(help)         \
    X(version)

#define DECLARE(id) extern const struct command command_##id;
COMMANDS(DECLARE)
#undef DECLARE

#define ENTRY(id) &command_##id,
static const struct command *const commands[] = {COMMANDS(ENTRY)};
#undef ENTRY

const struct command *command_at(size_t i)
{
    return i < COUNT(commands) ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}
