#!/usr/bin/env bats
# The HTTP API: what a command prints with --json and what its route sends are the same bytes.
load ../helper
load ../serve

teardown() { end_serve || true; }

# Two agents on a suite, with one version of one of them before.
fill() {
    cat > suite.yaml <<'Y'
suite: {id: echo, name: Echo, category: accuracy, version: "1"}
agents:
  - {id: good, version: "2", process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: bad, version: "1", process: {command: [echo, "1"]}, prices: {input: 0, output: 0}}
benchmarks:
  - id: lines
    cases: [{id: a, input: "1", expected: "1"}, {id: b, input: "2", expected: "2"},
            {id: c, input: "3", expected: "3"}]
    targets: {duration_s: 0.05}
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
claims:
  - {name: quick, metric: duration_s, expect: {at_most: 5}}
Y
    sed 's/version: "2"/version: "1"/' suite.yaml > before.yaml
    assay run -q before.yaml > /dev/null
    assay run -q suite.yaml > /dev/null
    assay suites add -q suite.yaml
}

# same ROUTE COMMAND...: the route sends what the command prints, and it says something.
same() {
    local route=$1 # a command may find something and say so by its exit code
    shift
    assay "$@" --json > command.json || [ $? -le 1 ]
    get "$route" > route.json
    cmp command.json route.json || { head -c 300 route.json; return 1; }
    jq -e '.schema | startswith("assay.")' route.json
    SAME=$((SAME + 1))
}

@test "a route sends the bytes that its command prints" {
    fill
    serve
    SAME=0
    same /benchmarks/leaderboard leaderboard
    same "/benchmarks/leaderboard?category=accuracy&metric=speed&limit=1&merge_versions=1" \
        leaderboard --category accuracy --metric speed --limit 1 --merge-versions
    same "/benchmarks/leaderboard?since=all&weights=accuracy%3D0.5,speed%3D0.5&by=category" \
        leaderboard --since all --weights accuracy=0.5,speed=0.5 --by category
    same "/benchmarks/matrix?min_coverage=50%25" matrix --min-coverage 50%
    same /benchmarks/runs list
    same "/benchmarks/runs?limit=1" list --limit 1
    same /benchmarks/runs/latest~1 show latest~1
    same /benchmarks/runs/latest/outcome show latest --brief
    same /benchmarks/runs/latest/cases cases latest
    same /benchmarks/agents agents
    same "/benchmarks/agents?all" agents --all
    same "/benchmarks/suites?all=true" suites --all
    same /benchmarks/suites/echo suites show echo
    same "/benchmarks/trend?metric=duration_s&any_host" trend duration_s --any-host
    same "/benchmarks/agents/good/trend?by=week" trend --agent good --by week
    same /benchmarks/cost cost
    same "/benchmarks/cost?run=latest~1&agent=bad" cost latest~1 --agent bad
    same "/benchmarks/profiles/latest?top=3" profile latest --top 3
    same "/benchmarks/claims?run=latest&alpha=1%25" claims latest --alpha 1%
    same "/benchmarks/runs/latest~1/compare?with=latest&metric=duration_s&adjust=none" \
        compare latest~1 latest --metric duration_s --adjust none
    same /benchmarks/runs/latest/compare compare latest
    same "/benchmarks/versus?a=good&b=bad&suite=echo" versus good bad --suite echo
    same "/benchmarks/agents/good/regressions?threshold=0.2" \
        regressions --agent good --threshold 0.2 --no-keep
    same "/benchmarks/agents/good/regressions?baseline_version=1" \
        regressions --agent good --baseline 1 --no-keep
    same "/benchmarks/runs/latest/regressions" regressions latest --no-keep
    assay regressions --agent good > /dev/null || true
    same /benchmarks/regressions regressions --stats
    same "/benchmarks/runs?limit=1&offset=1" list --limit 1 --offset 1
    same "/benchmarks/matrix?agent=good&agent=bad&suite=echo" \
        matrix --agent good --agent bad --suite echo
    same /benchmarks/runs/latest/cases cases
    same "/benchmarks/runs/latest/cases?failed&flipped=good&flipped=bad" \
        cases latest --failed --flipped good bad
    [ "$SAME" = 30 ]
    assay versus good bad --suite echo --json |
        cmp - <(post /benchmarks/compare '{"agent_ids": ["good", "bad"], "suite_id": "echo"}')
    assay matrix --agent good --agent bad --suite echo --limit 0 --json |
        cmp - <(post /benchmarks/compare '{"agent_ids": ["good", "bad"], "suite_id": "echo",
                                           "comparison_type": "matrix"}')
    assay matrix --agent good@1 --agent bad --suite echo --limit 0 --json > versioned.json
    jq -e '[.rows[] | select(.agent_name == "good") | .agent_version] == ["1"]' versioned.json
    post /benchmarks/compare '{"agent_ids": ["good@1", "bad"], "suite_id": "echo",
                               "comparison_type": "matrix"}' | cmp - versioned.json
    get "/benchmarks/runs/latest/cases?flipped=good&flipped=bad&flipped=x&flipped=y" |
        jq -e '.status == 400 and (.detail | startswith("flipped takes two agents"))'
    post "/benchmarks/compare?suite_id=echo&agent_ids=good&agent_ids=bad" '' |
        cmp - <(get "/benchmarks/versus?a=good&b=bad&suite=echo")
    post /benchmarks/compare '{"agent_ids": ["good@1", "good@2", "bad"], "suite_id": "echo"}' \
        > pairs.json
    jq -e '.schema == "assay.comparison/1" and (.pairs | length) == 3' pairs.json
    assay versus good@1 bad --suite echo --json |
        jq -e --slurpfile c pairs.json 'del(.schema) == $c[0].pairs[1]'
}

@test "results of an agent within a timeframe" {
    fill
    serve
    get /benchmarks/agents/good/results > latest.json
    jq -e '.schema == "assay.results/1" and .total == 1 and .agent_name == "good"' latest.json
    # The newest of the benchmark, not of each version on it; of one version its own.
    jq -e '[.results[].agent_version] == ["2"]' latest.json
    get /benchmarks/agents/good@1/results | jq -e '[.results[].agent_version] == ["1"]'
    jq -e '.results[0].accuracy_score == 1 and .results[0].status == "success"' latest.json
    id=$(jq -r .agent_id latest.json)
    get "/benchmarks/agents/$id/results" | cmp - latest.json
    assay run -q suite.yaml > /dev/null
    get "/benchmarks/agents/good/results?timeframe=latest" | jq -e '.total == 1'
    get "/benchmarks/agents/good/results?timeframe=all" | jq -e '.total == 3'
    get "/benchmarks/agents/good/results?timeframe=all&limit=1&offset=2" |
        jq -e '.total == 3 and (.results | length) == 1 and .results[0].agent_version == "1"'
    get "/benchmarks/agents/good/results?timeframe=7d&suite_id=echo" | jq -e '.total == 3'
    get "/benchmarks/agents/good@1/results?timeframe=7d" | jq -e '.total == 1'
    get "/benchmarks/agents/good/results?timeframe=2001-01-01..2001-12-31" | jq -e '.total == 0'
    get "/benchmarks/agents/good/results?timeframe=2001-01-01.." | jq -e '.total == 3'
    get "/benchmarks/agents/good/results?timeframe=$(date -u +%F)..$(date -u +%F)" |
        jq -e '.total == 3'
    get "/benchmarks/agents/good/results?suite_id=other&timeframe=all" | jq -e '.status == 404 and .errors[0].name == "suite_id"'
    get "/benchmarks/agents/good/results?timeframe=soon" | jq -e '.status == 400 and .errors[0].name == "timeframe"'
    get "/benchmarks/agents/good/regressions?baseline_version=nothing" | jq -e '.errors[0].name == "baseline_version"'
    get "/benchmarks/leaderboard?weights=x" | jq -e '.status == 400 and .errors[0].name == "weights"'
    get "/benchmarks/leaderboard?suite=nothing" | jq -e '.status == 404 and .errors[0].name == "suite"'
    get "/benchmarks/leaderboard?agent=$id" | jq -e '[.rows[].agent_name] | unique == ["good"]'
    get /benchmarks/agents/nobody/results | jq -e '.status == 404 and .errors[0].name == "agent_id"'
}

@test "runs of one suite, and what people call each" {
    fill
    assay run -q -n 2 --name one -c true > /dev/null
    printf 'route,latency_ms\n/a,3\n/a,4\n/a,5\n' > times.csv
    assay import -q times.csv --by route --column latency_ms --agent web --version 1.2 > /dev/null
    serve
    get "/benchmarks/runs?suite=echo&limit=1" | jq -e '(.runs | length) == 1 and .runs[0].suite == "echo"'
    get "/benchmarks/runs?suite=echo" > route.json
    jq -e '[.runs[].suite] == ["echo", "echo"]' route.json
    assay list --suite echo --json | cmp - route.json
    get "/benchmarks/runs?suite=nothing" | jq -e '.status == 404 and .errors[0].name == "suite"'
    get /benchmarks/runs | jq -e '[.runs[].subject] == ["web@1.2", "one", "suite.yaml", "before.yaml"]'
}

@test "the plots of an answer are its pictures as data" {
    fill
    serve
    assay leaderboard --plot plots.json > /dev/null
    get "/benchmarks/leaderboard?plots=1" | cmp plots.json -
}

@test "a request that is wrong is told what is wrong with which parameter" {
    serve
    get "/benchmarks/leaderboard?limt=3&metric=x&limit=-1&limit=2" > problem.json
    jq -e '.status == 400 and .type == "about:blank" and .title == "Bad Request"' problem.json
    jq -e '[.errors[].name] == ["limt", "metric", "limit"]' problem.json
    jq -e '.errors[0].detail | contains("did you mean '\''limit'\''")' problem.json
    [ "$(get "/benchmarks/leaderboard?limit=x" -o /dev/null -w '%{content_type}')" = \
        application/problem+json ]
    [ "$(status_of /benchmarks/leaderboard/)" = 404 ]
    [ "$(status_of /nothing)" = 404 ]
    [ "$(status_of /benchmarks/runs/latest)" = 404 ]
    [ "$(status_of "/benchmarks/leaderboard?limit=1&limit=2")" = 400 ]
    [ "$(status_of /benchmarks/%zz)" = 400 ]
    [ "$(status_of /benchmarks/matrix -X POST)" = 405 ]
    for body in '{' '[]' '"x"' '{"agent_ids": ["a"], "suite_id": "s"}' '{"suite_id": "s"}' \
        '{"agent_ids": ["a", {}], "suite_id": "s"}' '{"agent_ids": ["a","b"], "suite_id": "s", "x": 1}'; do
        post /benchmarks/compare "$body" | jq -e '.status == 400'
    done
    [ "$(status_of /benchmarks/compare --data-raw 'a=b' -H 'X-Assay: 1')" = 415 ]
    get /benchmarks/matrix -X DELETE -D headers > /dev/null
    grep -qi '^Allow: GET, HEAD' headers
    post /benchmarks/regressions/abc/mute '{"reason": "x"}' | jq -e '[.errors[].name] == ["alarm_id"]'
    get /benchmarks/runs/nothing | jq -e '.status == 404 and [.errors[].name] == ["run_id"]'
}

# names STATUS NAME: the problem on standard input blames NAME, and speaks of no option.
names() {
    jq -e --argjson status "$1" --arg name "$2" '.status == $status and [.errors[].name] == [$name] and (.detail | contains("--") | not)'
}

@test "what is not there, or not enough, is blamed on its parameter" {
    fill
    sed 's/id: echo, name: Echo/id: other, name: Other/' suite.yaml > other.yaml
    assay run -q other.yaml > /dev/null
    serve
    post /benchmarks/run '{"suite_id": "nothing"}' | names 404 suite_id
    post /benchmarks/run '{"suite_id": "other"}' | names 404 suite_id # known, but not registered
    get "/benchmarks/versus?a=nobody&b=bad&suite=echo" | names 404 a
    get "/benchmarks/versus?a=good&b=nobody&suite=echo" | names 404 b
    get "/benchmarks/versus?a=good&b=bad&suite=nothing" | names 404 suite
    get "/benchmarks/versus?a=good&b=bad" | names 400 suite
    post /benchmarks/compare '{"agent_ids": ["good", "nobody"], "suite_id": "echo"}' | names 404 agent_ids
    post /benchmarks/compare '{"agent_ids": ["good", "bad"], "suite_id": "nothing"}' | names 404 suite_id
    get "/benchmarks/regressions?agent_id=nobody" | names 404 agent_id
    assay run -q -n 2 -c true > /dev/null
    get /benchmarks/runs/latest/compare | names 400 with
    get "/benchmarks/runs/latest/compare?with=nothing" | names 404 with
    while read -r name body; do
        post /benchmarks/record "$body" | names 400 "$name"
    done <<'ROWS'
task {"success": true, "duration": 1}
duration {"task": "t", "success": true}
duration {"task": "t", "success": true, "duration": -1}
success {"task": "t", "duration": 1}
timestamp {"task": "t", "success": true, "duration": 1, "timestamp": "soon"}
ROWS
    # What is not there is named as it was asked for, and not the path that was right.
    run_id=$(assay list --suite echo --json | jq -r '.runs[0].id')
    while read -r name path; do
        get "/benchmarks/$path" | names "${name%%:*}" "${name#*:}" || { echo "$path"; false; }
    done << ROWS
404:agent leaderboard?agent=nobody
404:agent matrix?agent=nobody@2
404:agent cost?agent=nobody
400:run cost?run=x
404:run cost?run=nothing
404:run stress?run=nothing
404:run claims?run=nothing
404:agent runs/$run_id/cases?agent=nobody
404:case runs/$run_id/cases?case=nothing
404:flipped runs/$run_id/cases?flipped=good&flipped=nobody
400:run_id runs/x/compare?with=$run_id
400:with runs/$run_id/compare?with=x
400:metric runs/$run_id/compare?with=$run_id&metric=nothing
404:version agents/good/regressions?version=nothing
400:run agents/good/regressions?run=$run_id
400:agent runs/$run_id/regressions?agent=good
404:agent trend?agent=nobody
404:benchmark agents/good/trend?benchmark=nothing
404:label agents/good/trend?label=nothing
404:experiment trend?experiment=nothing
404:metric agents/good/trend?metric=nothing
400:since agents/good/trend?since=2999-01-01
404:agent_id agents/nobody/trend
404:agent profiles/$run_id?agent=nobody
ROWS
}

@test "files of the machine are no runs" {
    fill
    serve
    assay show latest --json > result.json
    for name in result.json ./result.json ..%2Fresult.json %2Fetc%2Fpasswd; do
        [ "$(status_of "/benchmarks/runs/$name" --path-as-is)" = 404 ]
        get "/benchmarks/runs/$name" --path-as-is > answer
        run grep -c '"cells"' answer
        [ "$output" = 0 ]
    done
    # Nor can it be told whether there is such a file.
    touch notes.txt
    mkdir folder && assay show latest --json > folder/cell-000.json
    for name in notes.txt folder result.json; do
        get "/benchmarks/runs/$name" | sed "s/$name/X/g" > there
        get "/benchmarks/runs/no-$name" | sed "s/no-$name/X/g" > not_there
        cmp there not_there
        get "/benchmarks/stress?run=$name" | sed "s/$name/X/g" > there
        get "/benchmarks/stress?run=no-$name" | sed "s/no-$name/X/g" > not_there
        cmp there not_there
    done
}

@test "a request with hundreds of parameters is answered or closed at once" {
    serve
    for count in 90 110 220 230 240 250 300 400; do
        query=$(printf 'a%d=1&' $(seq $count))
        code=0
        curl -sS --max-time 20 -o body "$URL/benchmarks/runs?$query" 2> /dev/null || code=$?
        [ "$code" != 28 ] || { echo "$count parameters: no answer"; false; }
        [ "$count" -gt 200 ] || jq -e '.status == 400' body
    done
}

@test "who has the answer is told that it is the same, until something is stored" {
    fill
    serve
    get /benchmarks/leaderboard -D first > first.json
    etag=$(tr -d '\r' < first | sed -n 's/^ETag: //p')
    [ -n "$etag" ]
    [ "$(status_of /benchmarks/leaderboard -H "If-None-Match: $etag")" = 304 ]
    [ "$(status_of /benchmarks/leaderboard -H "If-None-Match: \"x\", W/$etag")" = 304 ]
    [ "$(status_of /benchmarks/leaderboard -H 'If-None-Match: "x"')" = 200 ]
    [ "$(status_of "/benchmarks/leaderboard?limit=1" -H "If-None-Match: $etag")" = 200 ]
    assay run -q suite.yaml > /dev/null
    [ "$(status_of /benchmarks/leaderboard -H "If-None-Match: $etag")" = 200 ]
    assay leaderboard --json | cmp - <(get /benchmarks/leaderboard)
}

@test "pages of others cannot ask" {
    serve
    [ "$(status_of /healthz)" = 200 ]
    [ "$(status_of /healthz -H "Host: localhost:${URL##*:}")" = 200 ]
    for host in evil.example "evil.example:${URL##*:}" 127.0.0.1:1 "127.0.0.1.evil.example:${URL##*:}"; do
        [ "$(status_of /benchmarks/runs -H "Host: $host")" = 421 ]
    done
    [ "$(status_of /benchmarks/runs -H 'Origin: http://evil.example')" = 403 ]
    [ "$(status_of /benchmarks/runs -H "Origin: $URL")" = 200 ]
    fails_with 2 "can be reached from other machines" assay serve --listen 0.0.0.0:0
}

@test "HEAD says what GET would, without it" {
    serve
    get /benchmarks/leaderboard -I > head
    grep -q '^HTTP/1.1 200' head
    [ "$(grep -i '^content-length' head | tr -dc 0-9)" = "$(get /benchmarks/leaderboard | wc -c)" ]
}

@test "it makes the store that it is to show, and ends in good order" {
    serve --store new/a.db
    get /benchmarks/runs | jq -e '.runs == []'
    get / | grep -qE 'openapi.json|app.js' # without the page, or with it
    get /healthz | jq -e '.status == "ok"'
    end_serve
    SERVE_PID=
}

@test "executions are recorded as \`assay record\` does" {
    serve
    post /benchmarks/record '[{"task": "build", "execution_time": 2.5, "success": true},
        {"task": "build", "execution_time": 3.5, "success": false}]' > recorded.json
    jq -e '.schema == "assay.record/1" and .records == 2' recorded.json
    assay record stats --task build --json | jq -e '.count == 2 and .ok == 1'
    get "/benchmarks/runs?limit=1" | jq -e --slurpfile r recorded.json '.runs[0].id == $r[0].run'
    # What has been stored is told, whatever its reader has (RFC 9110, 13.1.2).
    [ "$(post /benchmarks/record '{"task": "again", "duration": 1, "success": true}' -H 'If-None-Match: *' | jq .records)" = 1 ]
    post /benchmarks/record '{"task": 3}' | jq -e '.status == 400'
    post /benchmarks/record '' | jq -e '.status == 400'
}

@test "a body that is too large is refused, never cut, whether it states its length or not" {
    serve
    # 16 MiB end between two records.
    printf '%-1022s}\n' '{"task":"t","duration":1,"success":true' > line
    yes "$(cat line)" | head -17000 > records
    for how in 'Transfer-Encoding: chunked' 'X-Nothing: 1'; do
        [ "$(status_of /benchmarks/record -H 'Content-Type: application/json' -H 'Expect:' -H "$how" --data-binary @records)" = 413 ]
    done
    [ "$(sqlite3 .assay/assay.db 'SELECT count(*) FROM runs')" = 0 ]
    # Refused before it is read: in the same words as what is refused later.
    get /benchmarks/record -X POST -H 'Content-Length: 99999999' -D headers > problem.json
    grep -qi '^content-type: application/problem+json' headers
    jq -e '.status == 413 and (.detail | test("at most 16777216 bytes"))' problem.json
}

@test "a record of very many keys does not take the server's memory" {
    [ -z "$ASSAY_SAN" ] || skip "sanitizers reserve more than the limit"
    ulimit -v 2000000
    serve
    jq -nc '{task: "t", duration: 1, success: true} + ([range(20000) | {key: "k\(.)", value: .}] | from_entries)' > record
    [ "$(get /benchmarks/record -H 'Content-Type: application/json' --data-binary @record | jq .records)" = 1 ]
    [ "$(status_of /healthz)" = 200 ]
}

@test "a store whose file is removed or replaced is not answered from any more" {
    serve
    post /benchmarks/record '{"task": "t", "duration": 1, "success": true}' > /dev/null
    [ "$(status_of /benchmarks/runs)" = 200 ]
    mv .assay/assay.db old.db
    [ "$(status_of /benchmarks/runs)" = 503 ]
    assay tokens new -q --role admin ci > /dev/null
    get /benchmarks/runs | jq -e '.status == 503 and (.detail | test("was removed or replaced"))'
    [ "$(status_of /healthz)" = 503 ]
}

@test "stored stress tests are shown, and nothing where there is none" {
    serve
    get /benchmarks/stress | jq -e '.run_id == null and .results == []'
    assay run -q -n 2 -c true > /dev/null
    get "/benchmarks/stress?run=latest" | jq -e '.status == 404 and .errors[0].name == "run"'
}

@test "without a run, cost is of the newest that cost something" {
    fill
    sed -e "s|{command: .cat.}|{command: [perl, $ROOT/tests/web/answerer.pl, '0.001', '1'], mode: session}|" -e 's/id: echo/id: priced/' \
        -e 's/, prices: {input: 0, output: 0}//' suite.yaml > priced.yaml
    assay run -q priced.yaml > /dev/null
    cost=$(assay list -n 1 --json | jq -r '.runs[0].id')
    assay run -q suite.yaml > /dev/null
    assay run -q -n 2 -c true > /dev/null
    serve
    get /benchmarks/cost | jq -e --arg id "$cost" '.run_id == $id'
    same /benchmarks/cost cost
}

@test "requests are counted for Prometheus and told line by line" {
    serve --access-log access.log
    get /benchmarks/leaderboard > one
    get /benchmarks/leaderboard > two
    status_of "/benchmarks/leaderboard?limit=x"
    status_of /nothing
    [ "$(status_of /benchmarks/compare -X POST -H 'Content-Length: 99999999')" = 413 ]
    get /metrics > metrics
    grep -qx 'assay_http_requests_total{route="get_leaderboard",status="200"} 2' metrics
    grep -qx 'assay_http_requests_total{route="get_leaderboard",status="400"} 1' metrics
    grep -qx 'assay_http_requests_total{route="none",status="404"} 1' metrics
    grep -qx 'assay_cache_hits_total 1' metrics
    grep -qx 'assay_http_request_duration_seconds_bucket{le="+Inf"} 5' metrics
    grep -qx 'assay_http_requests_total{route="none",status="413"} 1' metrics
    grep -qx 'assay_http_requests_open 1' metrics
    end_serve
    SERVE_PID=
    [ "$(wc -l < access.log)" = 6 ]
    jq -se 'map(.status) == [200, 200, 400, 404, 413, 200]' access.log
    jq -se '.[0] | .method == "GET" and .path == "/benchmarks/leaderboard" and
        .route == "get_leaderboard" and .peer == "127.0.0.1" and .workspace == "default" and
        .ms >= 0' access.log
    jq -se --argjson n "$(wc -c < one)" '.[0].bytes == $n' access.log
    jq -se '.[2].query == "limit=x"' access.log
    jq -se '.[4].method == "POST"' access.log
}

@test "no request is too strange for the log" {
    serve --access-log access.log
    exec 9<> "/dev/tcp/127.0.0.1/${URL##*:}"
    printf 'GET /%s?%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' \
        "$(printf '\1%.0s' {1..600})" "$(printf '\1%.0s' {1..600})" "${URL#http://}" >&9
    timeout 10 cat <&9 > reply
    exec 9>&-
    grep -q '^HTTP/1.1 404' reply
    end_serve
    SERVE_PID=
    jq -se 'length == 1 and .[0].status == 404' access.log
}

@test "what was begun is answered when it is told to stop" {
    fill
    serve
    exec 9<> "/dev/tcp/127.0.0.1/${URL##*:}"
    printf 'GET /benchmarks/leaderboard HTTP/1.1\r\nHost: %s\r\n' "${URL#http://}" >&9
    sleep 0.3
    kill "$SERVE_PID"
    sleep 0.3
    printf '\r\n' >&9
    head -c 12 <&9 > begun
    exec 9>&-
    [ "$(cat begun)" = "HTTP/1.1 200" ]
    wait "$SERVE_PID"
    SERVE_PID=
}

@test "the browser that --open starts leaves no dead process behind" {
    mkdir bin
    printf '#!/bin/sh\necho "$1" > "%s/opened"\n' "$PWD" > bin/xdg-open
    chmod +x bin/xdg-open
    assay run -q -n 2 -- true
    DISPLAY=:0 PATH=$PWD/bin:$PATH serve --open
    for i in $(seq 200); do [ ! -s opened ] || break; sleep 0.05; done
    grep -q "session/open?code=" opened
    [ "$(ps --ppid "$SERVE_PID" -o stat= | grep -c Z)" = 0 ]
}
