/* The routes, in the order in which they are documented. Adding one is adding a file and a
 * line here. */
#include "api/route.h"

/* clang-format off */
#define ROW struct route
#define ROW_OF(id) route_##id
#define ROWS(X) \
    X(get_results) \
    X(get_leaderboard) \
    X(compare_agents) \
    X(get_agent_regressions) \
    X(get_matrix) \
    X(list_runs) \
    X(get_run) \
    X(get_outcome) \
    X(get_cases) \
    X(get_comparison) \
    X(get_run_regressions) \
    X(list_regressions) \
    X(acknowledge_regression) \
    X(mute_regression) \
    X(get_versus) \
    X(get_trend) \
    X(get_agent_trend) \
    X(get_cost) \
    X(get_stress) \
    X(get_profile) \
    X(get_claims) \
    X(record) \
    X(list_agents) \
    X(list_suites) \
    X(get_suite) \
    X(start_run) \
    X(list_requests) \
    X(watch_run) \
    X(watch_store) \
    X(get_request) \
    X(cancel_run) \
    X(delete_run) \
    X(get_session) \
    X(create_session) \
    X(delete_session) \
    X(open_session) \
    X(get_openapi) \
    X(get_health) \
    X(get_metrics)
/* clang-format on */

REGISTRY_ROWS(route)
