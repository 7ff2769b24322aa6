#!/usr/bin/env bats
# The server under requests that nobody means, SOAK_S seconds of each kind. `make soak` runs this
# with sanitizers; it is no part of `make test`.
load ../helper
load ../serve
load tools

: "${SOAK_S:=600}"

teardown() { end_serve || true; }

token() { assay tokens new -q "$@"; }

# Two workspaces; the other one's suite is called Hidden, its agent shy.
fill() {
    cat > suite.yaml <<'Y'
suite: {id: echo, name: Echo, category: accuracy, version: "1"}
overridable: [iterations.measured]
agents:
  - {id: good, version: "2", process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: bad, version: "1", process: {command: [echo, "1"]}, prices: {input: 0, output: 0}}
benchmarks:
  - id: lines
    cases: [{id: a, input: "1", expected: "1"}, {id: b, input: "2", expected: "2"}]
    targets: {duration_s: 0.05}
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
claims: [{name: quick, metric: duration_s, expect: {at_most: 5}}]
Y
    sed 's/version: "2"/version: "1"/' suite.yaml > before.yaml
    assay run -q before.yaml > /dev/null
    assay run -q suite.yaml > /dev/null
    assay suites add -q suite.yaml
    assay agents add -q suite.yaml
    sed 's/Echo/Hidden/; s/id: echo/id: hidden/; s/id: good/id: shy/' suite.yaml > theirs.yaml
    assay run -q theirs.yaml --workspace theirs > /dev/null
    assay suites add -q theirs.yaml --workspace theirs
    for role in read run admin; do eval "$role=$(token --role $role $role)"; done
    theirs=$(token --role admin --workspace theirs theirs)
}

# It answers, it ends in good order, and no sanitizer has said anything.
still_well() {
    [ "$(status_of /healthz)" = 200 ]
    end_serve
    SERVE_PID=
    [ ! -s serve.err ] || { cat serve.err; false; }
}

tokens() { jq -nc '$ARGS.named' --arg read "$read" --arg run "$run" --arg admin "$admin" --arg theirs "$theirs"; }

@test "requests made from openapi.json" {
    needs_tools
    fill
    serve
    run node "$TOOLS/generate.mjs" "$URL" "$SOAK_S" "$(tokens)"
    echo "# $output" >&3
    [ "$status" = 0 ]
    still_well
}

@test "requests made from openapi.json: a server that answers otherwise is noticed" {
    needs_tools
    fill
    serve
    for fault in 'reply.writeHead(500); reply.end()' 'reply.writeHead(200, {"Content-Type": "application/json"}); reply.end("{}")' \
        'reply.writeHead(200, {"Content-Type": "text/plain"}); reply.end("Hidden")' 'reply.destroy()'; do
        cat > liar.mjs <<J
import http from 'node:http';
http.createServer(async (request, reply) => {
    if (request.url === '/openapi.json') reply.end(await (await fetch('$URL/openapi.json')).text());
    else { $fault }
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });
J
        node liar.mjs > liar.out 3>&- &
        liar=$!
        for ((i = 0; i < 200; i++)); do [ ! -s liar.out ] || break; sleep 0.05; done
        run node "$TOOLS/generate.mjs" "$(cat liar.out)" 20 "$(tokens)"
        kill $liar
        [ "$status" = 1 ] || { echo "$fault: $output"; false; }
    done
}

# A line is a request: its method, its target and its body.
recorded() {
    local n=0 method target body
    mkdir -p requests
    while read -r method target body; do
        n=$((n + 1))
        printf '%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nIf-None-Match: "0123456789abcdef"\r\nX-Assay: 1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
            "$method" "$target" "${URL#http://}" "$admin" "${#body}" "$body" > "requests/$(printf %02d $n)"
    done <<'R'
GET /benchmarks/leaderboard?category=overall&metric=all&limit=20&weights=accuracy=0.5,speed=0.5
GET /benchmarks/agents/good/results?suite_id=echo&timeframe=2026-11-01..2026-11-15
GET /benchmarks/agents/good/regressions?baseline_version=1&threshold=0.1
GET /benchmarks/runs/latest/cases?failed=1
GET /benchmarks/runs/latest~1/compare?with=latest&plots
GET /benchmarks/trend?metric=duration_s&agent=good
GET /benchmarks/runs?limit=3&offset=1&since=7d
GET /benchmarks/runs/latest/events
POST /benchmarks/compare {"agent_ids": ["good", "bad"], "suite_id": "echo", "comparison_type": "head_to_head"}
POST /benchmarks/record [{"task": "build", "execution_time": 2.5, "success": true, "metadata": {"a": [1, null]}}]
POST /benchmarks/run {"suite_id": "echo", "agent_ids": ["good"], "configuration": {"iterations.measured": 1}, "async_execution": true}
POST /session {"token": "assay_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
DELETE /benchmarks/runs/01a1e890-177a-7499-afda-f30cea4ea030
R
}

@test "recorded requests with bits changed by zzuf" {
    command -v zzuf > /dev/null || skip "zzuf is not installed"
    needs_tools
    fill
    serve
    recorded
    run node "$TOOLS/mutate.mjs" "$URL" "$SOAK_S" requests
    echo "# $output" >&3
    [ "$status" = 0 ]
    still_well
}

# Others are answered while slowhttptest holds 1000 connections open in one of its ways.
slowly() {
    local probes=0 end=$((SECONDS + SOAK_S / 4))
    slowhttptest -c 1000 -r 200 -l $((SOAK_S / 4)) -i 5 -p 5 "$@" > slow.out 2>&1 3>&- &
    local slow=$!
    while [ $SECONDS -lt $end ]; do
        [ "$(status_of /healthz --max-time 15)" = 200 ] || { echo "$*: after $probes probes"; kill $slow; return 1; }
        [ "$(status_of /benchmarks/leaderboard --max-time 15 -H "Authorization: Bearer $read")" = 200 ]
        probes=$((probes + 1))
        sleep 0.5
    done
    wait $slow || true
    grep -aE 'connected:|closed:|service available' slow.out | tail -3 >&3
    [ "$probes" -ge 5 ]
}

@test "slowhttptest: slow headers, slow bodies, ranges, slow readers" {
    command -v slowhttptest > /dev/null || skip "slowhttptest is not installed"
    fill
    serve
    slowly -H -u "$URL/benchmarks/leaderboard" -x 24
    slowly -B -u "$URL/benchmarks/compare" -t POST -s 65536 -x 100
    slowly -R -u "$URL/openapi.json" -t HEAD -a 10 -b 3000
    slowly -X -u "$URL/openapi.json" -w 10 -y 20 -n 3 -z 32 -k 3
    still_well
}
