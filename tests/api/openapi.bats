#!/usr/bin/env bats
# What the API says of itself, judged by a validator that is not ours, and every answer judged
# by what it says.
load ../helper
load ../serve
load tools

teardown() { end_serve || true; }

fill() {
    cat > suite.yaml <<Y
suite: {id: echo, name: Echo, category: accuracy, version: "1"}
agents:
  - {id: good, version: "2", process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: bad, version: "1", process: {command: [echo, "1"]}, prices: {input: 0, output: 0}}
  - {id: worse, version: "2", process: {command: [sh, -c, "sleep 0.1; cat"]}}
  - {id: slow, version: "1", process: {command: [sh, -c, "sleep 0.3; cat"]}}
benchmarks:
  - id: lines
    cases: [$(for i in 1 2 3 4 5 6 7 8; do printf "{id: c$i, input: '$i', expected: '$i'}, "; done)]
    targets: {duration_s: 0.05}
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
claims:
  - {name: quick, metric: duration_s, expect: {at_most: 5}}
Y
    sed 's/version: "2"/version: "1"/; s/sleep 0.1; //' suite.yaml > before.yaml
    assay run -q before.yaml > /dev/null
    assay run -q suite.yaml > /dev/null
    assay suites add -q suite.yaml
    assay agents add -q suite.yaml
    assay regressions --agent worse > /dev/null || true
}

requests() {
    cat <<'R'
get_results /benchmarks/agents/good/results
get_results /benchmarks/agents/good/results?timeframe=wrong
get_leaderboard /benchmarks/leaderboard
get_leaderboard /benchmarks/leaderboard?by=category&stale=30d&limit=1
get_leaderboard /benchmarks/leaderboard?plots=1
get_leaderboard /benchmarks/leaderboard?wrong=1
compare_agents /benchmarks/compare {"agent_ids": ["good", "bad"], "suite_id": "echo"}
compare_agents /benchmarks/compare {"agent_ids": ["good@1", "good@2", "bad"], "suite_id": "echo"}
compare_agents /benchmarks/compare {"agent_ids": ["good", "bad"], "suite_id": "echo", "comparison_type": "matrix"}
compare_agents /benchmarks/compare {"agent_ids": ["wrong"], "suite_id": "echo"}
get_agent_regressions /benchmarks/agents/good/regressions
get_matrix /benchmarks/matrix
get_matrix /benchmarks/matrix?plots
list_runs /benchmarks/runs
get_run /benchmarks/runs/latest
get_run /benchmarks/runs/wrong
get_outcome /benchmarks/runs/latest/outcome
get_cases /benchmarks/runs/latest/cases
get_comparison /benchmarks/runs/latest~1/compare?with=latest
get_comparison /benchmarks/runs/latest~1/compare?with=latest&plots
get_run_regressions /benchmarks/runs/latest/regressions
list_regressions /benchmarks/regressions
get_versus /benchmarks/versus?a=good&b=bad&suite=echo
get_trend /benchmarks/trend?metric=duration_s
get_agent_trend /benchmarks/agents/good/trend
get_cost /benchmarks/cost
get_cost /benchmarks/cost?plots
get_stress /benchmarks/stress
get_profile /benchmarks/profiles/latest
get_claims /benchmarks/claims
list_agents /benchmarks/agents
list_suites /benchmarks/suites
get_suite /benchmarks/suites/echo
get_openapi /openapi.json
get_health /healthz
get_session /session
list_requests /benchmarks/queue
get_metrics /metrics
watch_store /benchmarks/events
watch_run /benchmarks/runs/latest/events
watch_run /benchmarks/runs/latest/events?last=end
record /benchmarks/record {"task": "build", "execution_time": 2.5, "success": true}
record /benchmarks/record {"task": "wrong"}
acknowledge_regression /benchmarks/regressions/1/acknowledge {"reason": "seen"}
acknowledge_regression /benchmarks/regressions/1/acknowledge {"judgement": "wrong"}
mute_regression /benchmarks/regressions/1/mute {"reason": "known", "expires": "1d"}
start_run /benchmarks/run {"suite_id": "echo", "agent_id": "good"}
start_run /benchmarks/run {"suite_id": "wrong"}
start_run /benchmarks/run {"suite_id": "echo", "agent_id": "slow", "async_execution": true}
get_request /benchmarks/runs/RUN/request
watch_run /benchmarks/runs/RUN/events
start_run /benchmarks/run {"suite_id": "echo", "agent_id": "slow", "async_execution": true}
cancel_run /benchmarks/runs/RUN/cancel {}
start_run /benchmarks/run {"suite_id": "echo", "agent_id": "slow", "async_execution": true}
delete_run /benchmarks/runs/RUN
create_session /session {"token": "TOKEN"}
delete_session /session
R
}

@test "the document is OpenAPI 3.1, and every route answers as it says" {
    needs_tools
    fill
    token=$(assay tokens new -q --role admin validator)
    serve --open
    requests > requests.txt
    echo "open_session $(jq -r 'select(.event == "open").url' serve.out | sed "s|^$URL||")" >> requests.txt
    run node "$TOOLS/validate.mjs" "$URL" requests.txt "$token"
    echo "$output" >&2
    [ "$output" = "$(grep -c '^    X(' "$ROOT/src/api/route_registry.c") operations, 0 problems" ]
}

@test "the document names each route of the table once, with its parameters" {
    serve
    get /openapi.json > api.json
    jq -e '[.paths[][].operationId] | length == (unique | length) and length >= 25' api.json
    jq -e '.paths["/benchmarks/agents/{agent_id}/results"].get.parameters | map(.name) ==
        ["agent_id", "suite_id", "timeframe", "limit", "offset"]' api.json
    jq -e '.paths["/benchmarks/leaderboard"].get.parameters | map(.name) |
        index("category") != null and index("metric") != null and index("limit") != null' api.json
    jq -e '.paths["/benchmarks/agents/{agent_id}/regressions"].get.parameters | map(.name) |
        index("agent_id") != null and index("baseline_version") != null and index("threshold") != null' api.json
    jq -e '.paths["/benchmarks/compare"].post.requestBody.content["application/json"].schema |
        .required == ["agent_ids", "suite_id"]' api.json
}
