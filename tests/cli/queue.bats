#!/usr/bin/env bats
# Runs that the API starts: asked for, queued, watched, cancelled, parked and gone on with.
load ../helper
load ../serve

teardown() { end_serve || true; }

# quick answers at once; slow takes 0.1 s for each of its cases.
register() {
    cat > suite.yaml <<'Y'
suite: {id: echo, name: Echo, category: accuracy, version: "1"}
overridable: [iterations.measured, agents.quick.config.temperature]
agents:
  - {id: quick, version: "1", process: {command: [cat]}, config: {temperature: 0.5}}
  - {id: slow, version: "1", process: {command: [sh, -c, "sleep 0.1; cat"]}}
benchmarks:
  - id: lines
    cases: [{id: a, input: "1", expected: "1"}, {id: b, input: "2", expected: "2"}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 2}
Y
    assay suites add -q suite.yaml "$@"
    echo '{agents: [{id: other, version: "3", process: {command: [cat]}}]}' > agents.yaml
    assay agents add -q agents.yaml "$@"
}

# post PATH JSON [CURL OPTION...]: the body; the status is in status, headers in head.
post() {
    curl -sS --max-time 30 -D head -o body -w '%{http_code}' -X POST "$URL$1" \
        -H 'Content-Type: application/json' -d "$2" "${@:3}" > status
    cat body
}

# start AGENT MEASURED: asks for a run and says its id.
start() {
    post /benchmarks/run "{\"suite_id\":\"echo\",\"agent_id\":\"$1\",\"async_execution\":true,
        \"configuration\":{\"iterations.measured\":$2}}" > /dev/null
    [ "$(cat status)" = 202 ] || { cat body >&2; return 1; }
    jq -r .run_id body
}

state() { get "/benchmarks/runs/$1/request" | jq -r .state; }

# wait_for STATE ID
wait_for() {
    for i in $(seq 300); do
        [ "$(state "$2")" != "$1" ] || return 0
        sleep 0.05
    done
    get "/benchmarks/runs/$2/request"
    return 1
}

@test "an answer that does not fit is not sent as 200, in part or empty" {
    register
    ASSAY_FAULT=answer:1:EIO serve
    post /benchmarks/run '{"suite_id":"echo","agent_id":"quick","async_execution":true}'
    [ "$(cat status)" = 500 ]
    end_serve
    ASSAY_FAULT=answer:1:EIO serve
    # Its status is sent when the run begins: the body ends in the middle, which curl reports.
    run post /benchmarks/run '{"suite_id":"echo","agent_id":"quick"}'
    [[ $output == *"curl: (18)"* ]]
    [ "$(status_of /benchmarks/queue)" = 200 ]
}

@test "a run is asked for: async at once, sync when it has ended, by configuration and registered agents" {
    register
    serve
    id=$(start quick 3e0)
    grep -qi "^location: /benchmarks/runs/$id" head
    grep -qi "^x-run-id: $id" head
    wait_for done "$id"
    [ "$(sqlite3 .assay/assay.db "SELECT trials_attempted FROM benchmark_executions WHERE run_id = '$id'")" = 6 ]
    post /benchmarks/run '{"suite_id":"echo","agent_ids":["quick","other"],
        "configuration":{"agents.quick.config.temperature":0.9}}' > /dev/null
    [ "$(cat status)" = 200 ]
    id=$(sed -n 's/^[Xx]-[Rr]un-[Ii]d: \([0-9a-f-]*\).*/\1/p' head)
    jq -e --arg id "$id" '.schema == "assay.report/1" and .run.id == $id and .run.status == "success"' body
    [ "$(sqlite3 .assay/assay.db "SELECT group_concat(model_configuration) FROM benchmark_executions WHERE run_id = '$id'")" = '{"temperature":0.9}' ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions WHERE run_id = '$id'")" = 2 ]
    get /benchmarks/queue | jq -e '.requests == []'
    # By the query; a mapping as JSON.
    post "/benchmarks/run?suite_id=echo&agent_ids=quick&async_execution&configuration=%7B%22iterations.measured%22:1%7D" '' > /dev/null
    [ "$(cat status)" = 202 ]
    jq -e '.configuration == {"iterations.measured": 1} and (.created_at | test("^20..-.*Z$"))' body
    jq -r .created_at body > created
    get "/benchmarks/runs/$(jq -r .run_id body)/request" | jq -r .created_at | cmp - created
}

@test "what may not be run is refused, each parameter by its name" {
    register
    serve
    post /benchmarks/run '{"suite_id":"nothing"}' > /dev/null
    [ "$(cat status)" = 404 ]
    touch echo.yaml secret.yaml
    for suite in suite.yaml ./suite.yaml "$PWD/suite.yaml" ../x -; do
        post /benchmarks/run "{\"suite_id\":\"$suite\"}" > /dev/null
        [ "$(cat status)" = 404 ] || { echo "$suite"; cat body; false; }
    done
    post /benchmarks/run '{}' | jq -e '.errors[0].name == "suite_id"'
    post /benchmarks/run '{"suite_id":"echo","agent_id":"nobody"}' |
        jq -e '.status == 422 and .errors[0].name == "agent_ids"'
    post /benchmarks/run '{"suite_id":"echo","configuration":{"iterations.measured":0,"seed":1,
        "agents.quick.process.command":["rm"],"agents.quick.config.temperature":"hot"}}' > /dev/null
    jq -e '.status == 422 and ([.errors[].name] | sort) == ["agents.quick.config.temperature",
        "agents.quick.process.command", "iterations.measured", "seed"]' body
    get /metrics | grep -qx 'assay_http_requests_total{route="start_run",status="422"} 2'
    post /benchmarks/run '{"suite_id":"echo","configuration":[1]}' | jq -e '.errors[0].name == "configuration"'
    post /benchmarks/run '{"suite_id":"echo","command":"id"}' | jq -e '.errors[0].name == "command"'
    post /benchmarks/run '{"suite_id":"echo","configuration":{"iterations.measured":1e99}}' | jq -e '.errors[0].name == "iterations.measured"'
    post /benchmarks/run "$(jq -nc '{suite_id: "echo", agent_ids: [range(1001) | "a\(.)"]}')" |
        jq -e '.status == 400 and .errors[0] == {name: "agent_ids", detail: "must be at most 1000 agents (are 1001)"}'
    [ "$(sqlite3 .assay/assay.db 'SELECT count(*) FROM run_requests')" = 0 ]
    # Nothing that decides what is started can be listed at all.
    sed -i 's/^overridable:.*/overridable: [agents.quick.process.command]/' suite.yaml
    fails_with 2 "'overridable' can list" assay check suite.yaml
}

@test "one at a time; the queue is bounded; what waits and what runs is cancelled" {
    register
    serve
    first=$(start slow 1000)
    wait_for running "$first"
    second=$(start quick 2)
    [ "$(state "$second")" = queued ]
    # Location says what there is: the request until the run begins, and for ever if it never does.
    get "/benchmarks/runs/$second" | jq -e '.schema == "assay.request/1" and .state == "queued"'
    get /benchmarks/queue | jq -e --arg a "$first" --arg b "$second" '[.requests[].run_id] == [$a, $b]'
    for i in $(seq 14); do start quick 2 > last; done
    post /benchmarks/run '{"suite_id":"echo"}' > /dev/null
    [ "$(cat status)" = 429 ]
    grep -Eqi '^retry-after: [1-9]' head
    [ "$(curl -sS -o body -w '%{http_code}' -X DELETE "$URL/benchmarks/runs/$(cat last)" -H 'X-Assay: 1')" = 202 ]
    jq -e '.state == "cancelled"' body
    [ "$(state "$(cat last)")" = cancelled ]
    get "/benchmarks/runs/$(cat last)" | jq -e '.schema == "assay.request/1" and .state == "cancelled"'
    post "/benchmarks/runs/$first/cancel" '' | jq -e '.state == "running"' # until it has ended
    [ "$(cat status)" = 202 ]
    wait_for cancelled "$first"
    [ "$(sqlite3 .assay/assay.db "SELECT status FROM runs WHERE id = '$first'")" = cancelled ]
    wait_for done "$second"
    get "/benchmarks/runs/$second" | jq -e '.schema == "assay.report/1"'
    post "/benchmarks/runs/$first/cancel" '' | jq -e '.status == 409'
    post /benchmarks/runs/01a1e890-177a-7499-afda-f30cea4ea030/cancel '' | jq -e '.status == 404'
    [ "$(pgrep -fc "request=$first")" = 0 ]
}

@test "a workspace that fills its places leaves those of the others free" {
    for workspace in ours others; do
        register --workspace $workspace
        eval "$workspace=$(assay tokens new -q --role run --workspace $workspace $workspace)"
    done
    serve
    ask() { post /benchmarks/run '{"suite_id":"echo","agent_id":"slow","async_execution":true}' -H "Authorization: Bearer $1" > /dev/null; }
    for i in $(seq 40); do
        ask "$ours"
        [ "$(cat status)" = 202 ] || break
    done
    [ "$(cat status)" = 429 ]
    ask "$others"
    [ "$(cat status)" = 202 ]
}

@test "events: every line, in order, resumable; 204 when there is no more" {
    register
    serve
    id=$(start slow 4)
    # A client that goes away in the middle and comes back where it was misses nothing.
    timeout 0.4 curl -sS -N "$URL/benchmarks/runs/$id/events" > part || true
    last=$(sed -n 's/^id: //p' part | tail -1)
    epoch=${last%-*}
    [ "${last#*-}" -ge 1 ]
    get "/benchmarks/runs/$id/events" -N -H "Last-Event-ID: $last" > rest
    [ "$(cat part rest | sed -n "s/^id: $epoch-//p")" = "$(seq "$(grep -c '^id: ' <(cat part rest))")" ]
    cat part rest | sed -n 's/^data: //p' > lines
    [ "$(jq -r 'select(.event != "progress").event' lines | uniq | tr '\n' ' ')" = \
        "queued run_started cell_started iteration cell_finished run_finished request_ended " ]
    [ "$(jq -r 'select(.event == "iteration").trial' lines | tr '\n' ' ')" = "0 1 2 3 4 5 6 7 " ]
    # What a late reader needs is in the lines that stay: counts, right answers, the estimate.
    jq -se '.[] | select(.event == "cell_finished") | .attempted == 8 and .ok == 8 and .right == 8 and .n == 8 and
        .low <= .median and .median <= .high' lines
    jq -se '[.[] | select(.event == "progress")] | length > 0 and all(.trials_planned == 8 and .right <= .attempted)' lines
    [ "$(status_of "/benchmarks/runs/$id/events" -H "Last-Event-ID: $epoch-$(wc -l < lines)")" = 204 ]
    # An id that this log never gave: everything is new.
    for never in 500 2 "$epoch-500" "$epoch-" "x$epoch-2" "-2" "$epoch"; do
        [ "$(get "/benchmarks/runs/$id/events" -H "Last-Event-ID: $never" | grep -c '^id: ')" = "$(wc -l < lines)" ]
    done
    [ "$(get "/benchmarks/runs/$id/events" -I | grep -ci '^content-type: text/event-stream')" = 1 ]
    # Of a run that was started elsewhere: what the store says.
    assay run -q suite.yaml --agent quick > /dev/null
    other=$(assay list --json | jq -r '.runs[0].id')
    get "/benchmarks/runs/$other/events" | sed -n 's/^data: //p' | jq -e '.event == "run_finished" and .status == "success"'
    [ "$(status_of "/benchmarks/runs/$other/events" -H "Last-Event-ID: end")" = 204 ]
    sqlite3 .assay/assay.db "UPDATE runs SET status = 'running' WHERE id = '$other'"
    get "/benchmarks/runs/$other/events" | sed -n 's/^data: //p' | jq -e '.event == "run_status" and .status == "running"'
    sqlite3 .assay/assay.db "UPDATE runs SET status = 'success' WHERE id = '$other'"
    get "/benchmarks/runs/$other/events" | sed -n 's/^data: //p' | jq -e '.event == "run_finished"'
    [ "$(status_of /benchmarks/runs/01a1e890-177a-7499-afda-f30cea4ea030/events)" = 404 ]
}

@test "the server never waits for what a run says" {
    register
    serve
    id=$(start slow 20)
    run=$(pgrep -f -- "--request=$id" | head -1)
    ends=0
    for fd in /proc/"$SERVE_PID"/fd/*; do
        pipe=$(readlink "$fd") || continue
        [ "$pipe" = "$(readlink "/proc/$run/fd/1")" ] || [ "$pipe" = "$(readlink "/proc/$run/fd/2")" ] || continue
        flags=$(sed -n 's/^flags:\t//p' "/proc/$SERVE_PID/fdinfo/${fd##*/}")
        (( 8#$flags & 8#4000 )) # O_NONBLOCK
        ends=$((ends + 1))
    done
    [ "$ends" -ge 1 ]
}

@test "runs that others record appear on the store's stream" {
    register
    serve
    timeout 20 curl -sS -N "$URL/benchmarks/events" > stream 3>&- &
    reader=$!
    sleep 0.5
    assay run -q -n 3 -- true > /dev/null
    assay run -q -n 3 --workspace elsewhere -- true > /dev/null
    id=$(assay list --json | jq -r '.runs[0].id')
    for i in $(seq 100); do grep -q "$id.*success" stream && break; sleep 0.1; done
    kill $reader
    sed -n 's/^data: //p' stream | jq -se --arg id "$id" 'all(.run_id == $id) and
        .[-1] == {"event":"run_changed","run_id":$id,"status":"success","executions":1}'
}

@test "a client that goes away does not end its run" {
    register
    serve
    timeout 0.5 curl -sS -X POST "$URL/benchmarks/run" -H 'Content-Type: application/json' \
        -d '{"suite_id":"echo","agent_id":"slow","configuration":{"iterations.measured":6}}' -D head > /dev/null || true
    id=$(sed -n 's/^[Xx]-[Rr]un-[Ii]d: \([0-9a-f-]*\).*/\1/p' head)
    wait_for done "$id"
    [ "$(sqlite3 .assay/assay.db "SELECT status, (SELECT trials_attempted FROM benchmark_executions WHERE run_id = r.id) FROM runs r")" = "success|12" ]
}

@test "a server that is told to stop parks its run; the next one goes on with it and with the queue" {
    register
    serve
    first=$(start slow 15)
    second=$(start quick 2)
    timeout 30 curl -sS -N "$URL/benchmarks/runs/$first/events" > stream 3>&- &
    for i in $(seq 200); do grep -q '"iteration"' stream && break; sleep 0.05; done
    end_serve
    [ "$(sqlite3 .assay/assay.db "SELECT state FROM run_requests WHERE id = '$first'")" = parked ]
    [ "$(sqlite3 .assay/assay.db "SELECT state FROM run_requests WHERE id = '$second'")" = queued ]
    before=$(grep -c '"iteration"' stream)
    [ "$before" -ge 1 ]
    [ "$before" -lt 30 ]
    serve
    wait_for done "$second"
    [ "$(state "$first")" = done ]
    # Nothing announced was lost, and nothing made twice.
    [ "$(sqlite3 .assay/assay.db "SELECT status, (SELECT trials_attempted FROM benchmark_executions WHERE run_id = r.id) FROM runs r WHERE id = '$first'")" = "success|30" ]
    [ "$(sqlite3 .assay/assay.db "SELECT segments FROM benchmark_executions WHERE run_id = '$first'")" = 2 ]
    get "/benchmarks/runs/$first/events" | sed -n 's/^data: //p' > lines
    [ "$(jq -r 'select(.event == "iteration").trial' lines | wc -l)" -le $((30 - before)) ]
    # An id of the first server's log is none of this one's, however many lines it has.
    last=$(sed -n 's/^id: //p' stream | tail -1)
    [ "${last#*-}" -lt "$(wc -l < lines)" ]
    [ "$(get "/benchmarks/runs/$first/events" -H "Last-Event-ID: $last" | grep -c '^id: ')" = "$(wc -l < lines)" ]
    [ "$(sqlite3 .assay/assay.db "SELECT trials_attempted FROM benchmark_executions WHERE run_id = '$first'")" = \
        "$(jq 'select(.event == "cell_finished").right' lines)" ]
}

# ended_as STATUS: a run that has stored its end and cannot go on from there when it is told to
# stop is done, and keeps that status.
ended_as() {
    register
    serve
    id=$(start slow 1000)
    for i in $(seq 400); do [ "$(assay list --json | jq -r '.runs[0].status')" != running ] || break; sleep 0.05; done
    run=$(pgrep -f -- "--request=$id" | head -1)
    for i in $(seq 50); do
        kill -STOP "$run"
        ! sqlite3 .assay/assay.db "UPDATE runs SET status = '$1', ended_ns = $(date +%s%N) WHERE id = '$id'" || break
        kill -CONT "$run"
        sleep 0.05
    done
    post "/benchmarks/runs/$id/cancel" '' > /dev/null
    [ "$(cat status)" = 202 ]
    kill -9 "$run"
    wait_for done "$id"
    [ "$(sqlite3 .assay/assay.db "SELECT status FROM runs WHERE id = '$id'")" = "$1" ]
}

@test "a run that had ended when it was cancelled is done" { ended_as success; }

# Outcomes could not be judged, or a cell failed: nobody interrupted it.
@test "a run that had ended as partial when it was cancelled is done" { ended_as partial; }

@test "who may no longer ask does not get the document of the run that it waits for" {
    register
    token=$(assay tokens new -q --role run waiting)
    serve
    curl -sS -N "$URL/benchmarks/run" -D head -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
        -d '{"suite_id":"echo","agent_id":"slow","configuration":{"iterations.measured":10}}' > body 2> curl.err 3>&- &
    reader=$!
    for i in $(seq 400); do ! grep -qi '^x-run-id' head 2> /dev/null || break; sleep 0.05; done
    grep -qi '^x-run-id' head
    assay tokens revoke -q waiting
    ! wait "$reader" || false
    [ ! -s body ]
}

@test "a run of the server is known to run, and ends with a server that is killed; the next goes on" {
    register
    serve
    id=$(start slow 30)
    timeout 30 curl -sS -N "$URL/benchmarks/runs/$id/events" > stream 3>&- &
    for i in $(seq 200); do grep -q '"iteration"' stream && break; sleep 0.05; done
    assay list --json | jq -e '.runs[0] | .status == "running"'
    fails_with 2 "" assay forget "$id"
    kill -9 "$SERVE_PID"
    wait "$SERVE_PID" || true
    for i in $(seq 200); do pgrep -f -- "--request=$id" > /dev/null || break; sleep 0.05; done
    [ -z "$(pgrep -f -- "--request=$id")" ]
    [ "$(sqlite3 .assay/assay.db "SELECT status FROM runs WHERE id = '$id'")" = partial ]
    serve
    post "/benchmarks/runs/$id/cancel" '{}' > /dev/null
    [ "$(cat status)" = 202 ]
    wait_for cancelled "$id"
    [ -z "$(pgrep -f -- "--request=$id")" ]
    [ "$(sqlite3 .assay/assay.db "SELECT status FROM runs WHERE id = '$id'")" = cancelled ]
}

@test "a run belongs to its token's workspace, and others cannot see or end it" {
    register --workspace ours
    ours=$(assay tokens new -q --role run --workspace ours a)
    theirs=$(assay tokens new -q --role admin --workspace theirs b)
    serve
    post /benchmarks/run '{"suite_id":"echo","agent_id":"slow","async_execution":true}' -H "Authorization: Bearer $theirs" > /dev/null
    [ "$(cat status)" = 404 ]
    post /benchmarks/run '{"suite_id":"echo","agent_id":"slow","async_execution":true}' -H "Authorization: Bearer $ours" > /dev/null
    [ "$(cat status)" = 202 ]
    id=$(jq -r .run_id body)
    jq -e '.token == "a"' body
    for path in "" /events /request; do
        [ "$(status_of "/benchmarks/runs/$id$path" -H "Authorization: Bearer $theirs")" = 404 ]
    done
    get /benchmarks/queue -H "Authorization: Bearer $theirs" | jq -e '.requests == []'
    post "/benchmarks/runs/$id/cancel" '' -H "Authorization: Bearer $theirs" > /dev/null
    [ "$(cat status)" = 404 ]
    get "/benchmarks/runs/$id/events" -H "Authorization: Bearer $ours" | grep -q '"state":"done"'
    [ "$(assay list --workspace ours --json | jq -r '.runs[0].id')" = "$id" ]
    [ "$(assay list --json | jq '.runs | length')" = 0 ]
}

# 3,000 of them within 100 MB: an idle server takes 13, which leaves 29 kB for each.
@test "many listeners: each costs less than 29 kB, and each hears of a run" {
    [ -z "$ASSAY_SAN" ] || skip "sanitizers keep more of every connection"
    serve
    rss() { awk '/^VmRSS/ { print $2 }' "/proc/$SERVE_PID/status"; }
    port=${URL##*:}
    before=$(rss)
    fds=()
    for i in $(seq 400); do
        exec {fd}<> "/dev/tcp/127.0.0.1/$port"
        printf 'GET /benchmarks/events HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&"$fd"
        fds+=("$fd")
    done
    for fd in "${fds[@]}"; do
        read -r -t 20 line <&"$fd"
        [[ $line == "HTTP/1.1 200"* ]]
    done
    each=$((($(rss) - before) * 1024 / 400))
    [ "$each" -lt 29000 ] || { echo "$each bytes each"; false; }
    assay run -q -n 3 -- true > /dev/null
    heard=0
    for fd in "${fds[@]}"; do
        while read -r -t 20 line <&"$fd"; do
            [[ $line == *run_changed* ]] && heard=$((heard + 1)) && break
        done
        exec {fd}>&-
    done
    [ "$heard" = 400 ]
    end_serve
}

@test "a second server of the store leaves the runs of the first alone" {
    register
    serve
    first=$(start slow 1000)
    wait_for running "$first"
    second=$(start slow 2)
    ours=$URL
    "$ASSAY_BIN" serve --listen 127.0.0.1:0 --json > other.out 2> other.err 3>&- &
    other=$!
    for i in $(seq 200); do ! grep -q listening other.out || break; sleep 0.05; done
    URL=$(sed -n 's/.*"url":"\([^"]*\)\/".*/\1/p' other.out)
    get /benchmarks/queue | jq -e '.requests == []'
    [ "$(pgrep -fc -- "--request=$first")" -ge 1 ]
    post "/benchmarks/runs/$first/cancel" '' | jq -e '.status == 409 and (.detail | test("state: running"))'
    third=$(start quick 1)
    URL=$ours
    post "/benchmarks/runs/$first/cancel" '' > /dev/null
    wait_for cancelled "$first"
    wait_for done "$second"
    wait_for done "$third"
    kill $other
    wait $other
    [ "$(state "$first")" = cancelled ]
    [ "$(sqlite3 .assay/assay.db "SELECT status FROM runs WHERE id = '$first'")" = cancelled ]
    [ "$(sqlite3 .assay/assay.db "SELECT segments, trials_attempted FROM benchmark_executions WHERE run_id = '$second'")" = "1|4" ]
}

@test "as many listeners as the limit of open files allows, and then a run" {
    [ -z "$ASSAY_SAN" ] || skip "one build is enough"
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] || skip "the hard limit is $(ulimit -Hn)"
    register
    ulimit -Sn 512
    serve
    ulimit -Sn 1200
    port=${URL##*:}
    fds=()
    for i in $(seq 1000); do
        exec {fd}<> "/dev/tcp/127.0.0.1/$port"
        printf 'GET /benchmarks/events HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&"$fd"
        fds+=("$fd")
    done
    for fd in "${fds[@]}"; do
        read -r -t 20 line <&"$fd"
        [[ $line == "HTTP/1.1 200"* ]]
    done
    id=$(start slow 5)
    wait_for running "$id"
    run=$(pgrep -f -- "--request=$id" | head -1)
    [ "$(awk '/^Max open files/ { print $4 }' "/proc/$run/limits")" = 512 ] # what it runs has the user's limit
    wait_for done "$id"
    for fd in "${fds[@]}"; do exec {fd}>&-; done
}

@test "schedules run when they are due and the machine is free, and a restart changes nothing" {
    register
    cat > schedules.yaml <<'Y'
schedules:
  - {name: hourly, suite: echo, agents: [quick], every: 1h}
  - {name: often, suite: echo, agents: [other], every: 1s}
Y
    serve --schedules schedules.yaml
    runs() { sqlite3 .assay/assay.db "SELECT count(*) FROM run_requests WHERE schedule = '$1' AND state = 'done'"; }
    for i in $(seq 400); do [ "$(runs often)" -lt 2 ] || break; sleep 0.05; done
    [ "$(runs often)" -ge 2 ]
    [ "$(runs hourly)" = 1 ]
    end_serve
    serve --schedules schedules.yaml
    before=$(runs often)
    for i in $(seq 400); do [ "$(runs often)" = "$before" ] || break; sleep 0.05; done
    [ "$(runs hourly)" = 1 ]
    end_serve
    SERVE_PID=
    echo 'schedules: [{suite: echo, evry: 1d}, {suite: echo, every: 1d}, {suite: echo, every: 2d}]' > bad.yaml
    run assay serve --schedules bad.yaml
    [ "$status" = 2 ]
    [[ $output == *"bad.yaml:1:"*"evry"* ]]
    [[ $output == *"two schedules are called 'echo'"* ]]
    echo 'schedules: [{suite: nothing, every: 1d}]' > bad.yaml
    fails_with 2 "schedule 'nothing'" assay serve --listen 127.0.0.1:0 --schedules bad.yaml
}

@test "asked at full rate while it measures: every request answered, no event lost, the run flagged" {
    register
    serve
    id=$(start slow 15)
    assay stress --url "$URL/benchmarks/leaderboard" --connections 20 --duration 2 --json > load.json
    jq -e '.requests | .sent > 100 and .failed == 0 and .timed_out == 0 and .ok + .cancelled == .sent' load.json
    wait_for done "$id"
    get "/benchmarks/runs/$id/events" | sed -n 's/^data: //p' > lines
    [ "$(jq -r 'select(.event == "iteration").trial' lines | tr '\n' ' ')" = "$(seq 0 29 | tr '\n' ' ')" ]
    jq -se '.[] | select(.event == "run_finished") | .disturbed' lines
    get "/benchmarks/runs" | jq -e --arg id "$id" '.runs[] | select(.id == $id).disturbed'
}
