/* Routes that ask a question and send its answer. */
#include "api/route.h"

#define ASKS(id, path_, asks)                                            \
    .name = #id, .method = "GET", .path = (path_), .needs = ACCESS_READ, \
    .question = &question_##asks

const struct route route_get_leaderboard = {
    ASKS(get_leaderboard, "/benchmarks/leaderboard", leaderboard),
    .summary = "agents ranked by their scores",
};

const struct route route_get_matrix = {
    ASKS(get_matrix, "/benchmarks/matrix", matrix),
    .summary = "all agents by their latest success on each benchmark",
};

const struct route route_list_runs = {
    ASKS(list_runs, "/benchmarks/runs", runs),
    .summary = "stored runs, newest first",
};

const struct route route_get_outcome = {
    ASKS(get_outcome, "/benchmarks/runs/{run_id}/outcome", outcome),
    .summary = "what a run shows: who is best, by how much, how sure, what to do next",
    .names = {{"run_id", "run"}},
};

const struct route route_get_cases = {
    ASKS(get_cases, "/benchmarks/runs/{run_id}/cases", cases),
    .summary = "the cases of a run: what was asked, expected and answered",
    .names = {{"run_id", "run"}},
};

const struct route route_list_agents = {
    ASKS(list_agents, "/benchmarks/agents", agents),
    .summary = "agents that the store keeps by name",
};

const struct route route_list_suites = {
    ASKS(list_suites, "/benchmarks/suites", suites),
    .summary = "suites that the store keeps by name",
};

const struct route route_get_suite = {
    ASKS(get_suite, "/benchmarks/suites/{suite_id}", suite),
    .summary = "one suite with its benchmarks",
    .names = {{"suite_id", "suite"}},
};

const struct route route_get_trend = {
    ASKS(get_trend, "/benchmarks/trend", trend),
    .summary = "history of a metric, with the places where its level changed",
};

const struct route route_get_agent_trend = {
    ASKS(get_agent_trend, "/benchmarks/agents/{agent_id}/trend", trend),
    .summary = "history of a metric of one agent",
    .names = {{"agent_id", "agent"}},
};

const struct route route_get_cost = {
    ASKS(get_cost, "/benchmarks/cost", cost),
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
};

const struct route route_get_profile = {
    ASKS(get_profile, "/benchmarks/profiles/{run_id}", profile),
    .summary = "phases, bottlenecks, tokens and sampled stacks of a run",
    .names = {{"run_id", "run"}},
};

const struct route route_get_claims = {
    ASKS(get_claims, "/benchmarks/claims", claims),
    .summary = "whether what a spec claims holds in the samples of its run",
};

const struct route route_get_comparison = {
    ASKS(get_comparison, "/benchmarks/runs/{run_id}/compare", compare),
    .summary = "whether another run is better than this one, or its arms with one another",
    .names = {{"run_id", "a"}, {"with", "b"}},
};

const struct route route_get_versus = {
    ASKS(get_versus, "/benchmarks/versus", versus),
    .summary = "two agents head to head on a suite, case by case",
};

const struct route route_get_results = {
    ASKS(get_results, "/benchmarks/agents/{agent_id}/results", results),
    .summary = "executions of an agent with their scores",
    .names = {{"agent_id", "agent"}, {"suite_id", "suite"}},
};

const struct route route_get_agent_regressions = {
    ASKS(get_agent_regressions, "/benchmarks/agents/{agent_id}/regressions", regressions),
    .summary = "what got worse since the baseline",
    .names = {{"agent_id", "agent"}, {"baseline_version", "baseline"}, {NULL, "run"}},
};

const struct route route_list_regressions = {
    ASKS(list_regressions, "/benchmarks/regressions", alarms),
    .summary = "alarms of the past with what people said of them",
    .names = {{"agent_id", "agent"}},
};

const struct route route_get_run_regressions = {
    ASKS(get_run_regressions, "/benchmarks/runs/{run_id}/regressions", regressions),
    .summary = "what got worse in a run since the baseline",
    .names = {{"run_id", "run"},
              {"baseline_version", "baseline"},
              {NULL, "agent"},
              {NULL, "version"}},
};

const struct route route_get_stress = {
    ASKS(get_stress, "/benchmarks/stress", stress),
    .summary = "stored conclusions of a stress test",
};
