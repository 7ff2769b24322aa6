/* The commands, in the order in which help shows them. Adding one is adding a file and a line here. */
#include "cli/command.h"

/* clang-format off */
#define ROW struct command
#define ROW_OF(id) command_##id
#define ROWS(X) \
    X(run) \
    X(init) \
    X(check) \
    X(show) \
    X(cases) \
    X(report) \
    X(compare) \
    X(versus) \
    X(why) \
    X(claims) \
    X(leaderboard) \
    X(matrix) \
    X(regressions) \
    X(ack) \
    X(mute) \
    X(baseline) \
    X(gate) \
    X(trend) \
    X(cost) \
    X(profile) \
    X(stress) \
    X(list) \
    X(describe) \
    X(agents) \
    X(suites) \
    X(tokens) \
    X(doctor) \
    X(forget) \
    X(migrate) \
    X(prune) \
    X(record) \
    X(import) \
    X(export) \
    X(serve) \
    X(stub) \
    X(completion) \
    X(help) \
    X(version)
/* clang-format on */

REGISTRY_ROWS(command)
