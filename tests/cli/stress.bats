#!/usr/bin/env bats
# assay stress: one load as JSON, servers that assay starts and disturbs, scenarios, resuming.
# Counts and orders are judged. On a machine too busy to send on time the generator says so,
# which is right; what then cannot be judged is skipped.
load ../helper

start_stub() {
    rm -f stub.log
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 "$@" > stub.log 2>&1 3>&- &
    STUB=$!
    until grep -q listening stub.log; do sleep 0.05; done
    URL=$(sed 's/.* //;s/\/v1$//' stub.log)/healthz
}
teardown() { [ -z "${STUB:-}" ] || kill "$STUB" 2> /dev/null || true; }

# A port that nobody uses.
free_port() {
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 > port.log 2>&1 3>&- &
    local pid=$!
    until grep -q listening port.log; do sleep 0.05; done
    kill $pid
    wait $pid 2> /dev/null || true
    PORT=$(sed -n 's/.*:\([0-9]*\)\/v1$/\1/p' port.log)
}

@test "stress: one load as numbers that add up, and a run that holds them" {
    start_stub
    assay stress --url "$URL" --rate 100 --duration 1s --json > load.json
    jq -e '.schema == "assay.load/1" and .blocks == 10
        and .requests.scheduled == .requests.sent + .requests.unsent
        and .requests.sent == .requests.ok + .requests.failed + .requests.timed_out + .requests.cancelled
        and .requests.ok > 50 and .latency_ms.response.p50 <= .latency_ms.response.p99
        and .latency_ms.response.p50 >= .latency_ms.service.p50
        and (.generator.verdict | IN("ok", "saturated", "skewed"))' load.json
    # The same numbers from the stored blocks.
    assay show "$(jq -r .run_id load.json)" --json > run.json
    jq -e --slurpfile l load.json '.cells[0] |
        ((.metrics[] | select(.name == "answered") | .samples | add) == $l[0].requests.ok)
        and ((.merged[] | select(.metric == "response") | .p99 * 1000) - $l[0].latency_ms.response.p99 | fabs) < 1e-9' run.json
}

@test "stress: a server's command finds assay, whether or not it is on PATH" {
    free_port
    ln -s "$ASSAY_BIN" elsewhere
    PATH=/usr/bin:/bin ./elsewhere stress --url "http://127.0.0.1:$PORT/healthz" --rate 50 --duration 1s --json \
        --serve "assay stub --listen 127.0.0.1:$PORT" > load.json
    jq -e '.requests.ok > 20' load.json
}

@test "stress: while it works it shows what was in flight, and the 99th percentile" {
    start_stub
    "$ASSAY_BIN" stress --url "$URL" --connections 3 --duration 1s > out 2> err
    grep -Eq '^0 load: [0-9.e+]+/s, up to 3 in flight, p50 [0-9.]+ .s, p99 [0-9.]+ .s, errors 0 %$' err
}

@test "stress: limits fail it, and what is no limit is refused before any load" {
    start_stub
    run assay stress --url "$URL" --connections 1 --duration 1s --fail-if 'p99>1us' -q
    [ "$status" = 1 ]
    [[ $output == *"p99>1us"* ]]
    run assay stress --url "$URL" --connections 1 --duration 1s --fail-if 'errors>50%' --fail-if 'rate<1' -q
    [ "$status" = 0 ]
    # No thread sends a million a second: what is not broken is undecided, and says so.
    run assay stress --url "$URL" --rate 1000000 --duration 500ms --fail-if 'rate<1' -q
    [ "$status" = 4 ]
    [[ $output == *"--fail-if 'rate<1': undecided, the generator was "* ]]
    fails_with 2 "is not a limit" assay stress --url "$URL" --fail-if 'p97>1s'
    fails_with 2 "the unit of p99 is us|ms|s" assay stress --url "$URL" --fail-if 'p99>1'
    fails_with 2 "needs --url" assay stress
    fails_with 2 "--plot shows what scenarios found" assay stress --url "$URL" --plot x.svg
    fails_with 2 "--report shows what scenarios found" assay stress --url "$URL" --report x.md
    fails_with 2 "did you mean 'spike_load'" assay stress --url "$URL" --scenario spike_lod
    fails_with 2 "is not 'NAME: VALUE'" assay stress --url "$URL" --header nothing
    fails_with 2 "--duration must be at least 500 ms (is '200ms')" assay stress --url "$URL" --duration 200ms
    fails_with 2 "accuracy is not known: nothing is checked" assay stress --url "$URL" --fail-if 'accuracy<0.9'
    fails_with 2 "is always true" assay stress --url "$URL" --fail-if 'p95>-1ms'
    fails_with 2 "is never true" assay stress --url "$URL" --fail-if 'errors>150%'
    # Wrong use is known before anything is stored.
    rm -rf .assay
    fails_with 2 "--allow-host 224.0.0.1" assay stress --url http://224.0.0.1/
    fails_with 2 "is not an http:// or https:// URL" assay stress --url ftp://127.0.0.1/
    fails_with 2 "'99999' is not a port" assay stress --url http://127.0.0.1:99999/
    fails_with 2 "is not a valid URL" assay stress --url http:///x
    fails_with 2 "is not one word" assay stress --url "$URL" --method 'GET /x HTTP/1.1'
    fails_with 2 "is not 'Name: value'" assay stress --url "$URL" --header $'X-A: b\r\nX-C: d'
    fails_with 2 "length of a request follows from its body" assay stress --url "$URL" --header 'content-length: 5'
    fails_with 2 "length of a request follows from its body" assay stress --url "$URL" --header 'Transfer-Encoding: chunked' --scenario spike_load
    fails_with 3 "host 'nobody.invalid'" assay stress --url http://nobody.invalid/
    (ulimit -Sn 400 && ulimit -Hn 400 && fails_with 3 "300 connections need 556 open files" assay stress --url "$URL" --connections 300)
    assay list --json > runs.json
    jq -e '[.. | objects | select(has("run_id"))] | length == 0' runs.json
}

@test "stress: a server that does not keep up breaks every limit on a time; a slow one is not weak" {
    # 100 answers per second, asked for 300: each second of load adds two seconds of queue.
    start_stub --servers 1 --service-ms 10
    body='{"model": "m", "messages": [{"role": "user", "content": "hello"}]}'
    run assay stress --url "${URL%/healthz}/v1/chat/completions" --body "$body" --rate 300 --arrivals constant \
        --duration 3s --fail-if 'p99>60s' --fail-if 'rate>1' --json
    if ! grep -h '^{' <<< "$output" | jq -e '.generator.verdict == "ok"'; then
        [ "$status" = 4 ] # late sends are no fault of the server
        [[ $output == *"'rate>1': undecided, the generator was "* ]]
        skip "this machine is too busy to load steadily"
    fi
    [ "$status" = 1 ]
    grep -Eq "^assay: --fail-if 'p99>60s': it is [0-9.]+ ms and grows: the server does not keep up$" <<< "$output"
    grep -Eq "^assay: --fail-if 'rate>1': it is [0-9.]+$" <<< "$output" # which does not grow
    grep -h '^{' <<< "$output" | jq -e '.keeps_up == false and .growth_ms > 50 and .rate < 110'
    kill "$STUB"
    # Each answer takes most of a block; as many come as were asked for.
    start_stub --ttft-ms 250
    assay stress --url "${URL%/healthz}/v1/chat/completions" --body "$body" --rate 40 --arrivals constant \
        --duration 3s --json > slow.json
    jq -e '.rate > 32 and .rate < 48 and .keeps_up' slow.json
}

@test "stress: a level that is asked for again is drawn anew" {
    start_stub
    run assay stress --url "$URL" --rate 40 --quick --scenario rate_limiting --scenario sustained_load --json
    [[ $status != 3 ]] || skip "this machine is too busy to load steadily"
    [ "$status" = 0 ]
    # The normal phase, the first level of the search for a limit and the sustained load are all 40 per second.
    sqlite3 .assay/assay.db "SELECT DISTINCT seed FROM benchmark_executions" > seeds
    [ "$(wc -l < seeds)" -gt 3 ]
}

@test "stress: what failed is told by kind, though most is answered" {
    start_stub --error-rate 0.3 --error-status 502
    body='{"model": "m", "messages": [{"role": "user", "content": "hello"}]}'
    assay stress --url "${URL%/healthz}/v1/chat/completions" --body "$body" --rate 100 --duration 1s --json > mixed.json
    jq -e '.requests.failed > 0 and .requests.ok > 0 and .failures.bad_status == .requests.failed
        and ([.failures[]] | add) == .requests.failed' mixed.json
    assay stress --url "${URL%/healthz}/v1/chat/completions" --body "$body" --rate 100 --duration 1s > mixed.txt
    grep -Eq '^  failed: [0-9]+ bad_status$' mixed.txt
}

@test "stress: nobody answers, or another machine: nothing is called good" {
    run assay stress --url http://127.0.0.1:1/ --rate 20 --duration 1s --json
    [ "$status" = 1 ]
    run assay stress --url http://127.0.0.1:1/ --rate 20 --duration 1s
    [[ $output == *"load: 0/s, "*"errors 100 %"* && $output != *nan* ]]
    run assay stress --url http://224.0.0.1/ --duration 1s
    [ "$status" = 2 ]
    [[ $output == *"'224.0.0.1' is not this machine: "*"--allow-host 224.0.0.1"* && $output != *nan* ]]
}

@test "stress: a server that assay starts is looked at, and nothing of it is left" {
    free_port
    cat > l.yaml <<Y
experiment: load
params:
  url: "http://127.0.0.1:$PORT/healthz"
  serve: "'$ASSAY_BIN' stub --listen 127.0.0.1:$PORT"
  rate: 50
  seconds: 0.3
iterations: {warmup: 0, measured: 3}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    metric() { jq -c --arg n "$1" '.cells[0].metrics[] | select(.name == $n) | .samples' run.json; }
    metric server_memory_mb | jq -e 'all(. > 1 and . < 200)'
    metric server_threads | jq -e 'all(. >= 1)'
    metric server_files | jq -e 'all(. >= 3)'
    [ "$(metric server_deaths)" = "[0,0,0]" ]
    run bash -c "exec 3<> /dev/tcp/127.0.0.1/$PORT"
    [ "$status" = 1 ] # nobody listens any more
    # One that cannot start is our reason, in its words.
    sed -i "s/serve: .*/serve: 'echo no licence here >\&2; exit 3'/" l.yaml
    run assay run l.yaml -q
    [ "$status" != 0 ]
    [[ $output == *"ended before it took a connection"*"no licence here"* ]]
    # Something is there already: it would be loaded instead.
    start_stub
    sed -i "s|url: .*|url: \"$URL\"|" l.yaml
    run assay run l.yaml -q
    [ "$status" != 0 ]
    [[ $output == *"takes connections"*already* ]]
}

@test "stress: an interrupt ends the server that assay started, and charges it nothing" {
    free_port
    "$ASSAY_BIN" stress --url "http://127.0.0.1:$PORT/healthz" --serve "$ASSAY_BIN stub --listen 127.0.0.1:$PORT" --rate 100 \
        --duration 20s -q > out 2> err 3>&- &
    pid=$!
    for _ in $(seq 200); do
        n=$(sqlite3 .assay/assay.db "SELECT count(*) FROM trials" 2> /dev/null || echo 0)
        [ "$n" -lt 1 ] || break
        sleep 0.05
    done
    [ "$n" -ge 1 ]
    sleep 0.5 # in the midst of the next block, of 2 s
    kill -INT $pid
    wait $pid || true
    assay export latest --format csv > blocks.csv
    grep -q ",failed,1,lower,0," blocks.csv
    [ "$(grep -cE ',(failed|no_connection|reset),1,[a-z]+,[1-9]' blocks.csv)" = 0 ]
}

# A server that keeps 60 MB and answers "ok": half of what its cgroup holds is too little.
@test "stress: the kernel squeezes a server's memory where there is a cgroup; else that is said" {
    free_port
    cat > server.py <<P
import http.server
kept = bytearray(b"x" * 60000000)
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", $PORT), H).serve_forever()
P
    cat > l.yaml <<Y
experiment: load
params: {url: "http://127.0.0.1:$PORT/", serve: "exec python3 $PWD/server.py", rate: 20, seconds: 1, connections: 4}
sweep: {memory_limit_mb: [0, 30]}
iterations: {warmup: 0, measured: 1}
Y
    run assay run l.yaml -q
    assay show --json > run.json || true
    metric() { jq -c --arg n "$2" ".cells[$1].metrics[] | select(.name == \$n) | .samples[0]" run.json; }
    # Killed again and again: with or without a cgroup it cannot live on that.
    [ "$(metric 1 server_deaths)" -ge 1 ]
    # Of groups that were made since, those that are left belong to somebody who lives.
    find /sys/fs/cgroup -name "assay-*" -newer l.yaml 2> /dev/null | while IFS= read -r group; do
        pid=${group##*/assay-}
        [ ! -d "$group" ] || [ -d "/proc/${pid%%-*}" ] || exit 1
    done
    [ "$(metric 0 server_group_mb)" != "" ] && [ "$(metric 0 server_group_mb)" != null ] || skip "no memory cgroup"
    metric 0 server_group_mb | jq -e '. > 55 and . < 200'
    [ "$(metric 0 server_memory_kills)" = 0 ]
    [ "$(metric 1 server_memory_kills)" -ge 1 ]
}

@test "stress: a server that is killed loses requests and comes back; a stopped one goes on" {
    free_port
    cat > l.yaml <<Y
experiment: load
params:
  url: "http://127.0.0.1:$PORT/healthz"
  serve: "'$ASSAY_BIN' stub --listen 127.0.0.1:$PORT"
  rate: 100
  seconds: 2
sweep: {fault: [none, stop, kill]}
interleave: false
iterations: {warmup: 0, measured: 1}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    of() { jq -r --argjson c "$1" --arg n "$2" '.cells[$c].metrics[] | select(.name == $n) | .samples[0]' run.json; }
    [ "$(of 0 failed)" = 0 ]
    # What was due while it stood still waited for it, up to the 0.4 s.
    jq -e '[.cells[] | [.metrics[] | select(.name == "response_p95_s") | .samples[0]][0]] | .[1] > 0.2' run.json
    # A kill breaks connections; it is back before the block ends, and is not called a death.
    [ "$(of 2 server_deaths)" = 0 ]
    # All that failed did so after it: what was in flight is lost too.
    [ "$(of 2 lost)" = "$(($(of 2 failed) + $(of 2 timed_out) + $(of 2 unsent)))" ]
    jq -e '.cells[2].metrics[] | select(.name == "first_success_s") | .samples[0] > 0' run.json
    [ -z "$(of 0 lost)" ] || [ "$(of 0 lost)" = null ] # nothing was done to it
    jq -e '.cells[2].metrics[] | select(.name == "answered") | .samples[0] > 60' run.json
    fails_with 2 "need a server of ours" assay run l.yaml -q --set serve=null
}

@test "stress: a server that does not start again has not held" {
    free_port
    cat > server <<S
#!/bin/sh
echo x >> starts
[ \$(wc -l < starts) -le 1 ] || { echo no port is free >&2; exit 1; }
exec '$ASSAY_BIN' stub --listen 127.0.0.1:$PORT
S
    chmod +x server
    run assay stress --url "http://127.0.0.1:$PORT/healthz" --rate 40 --quick --serve "cd '$PWD' && ./server" \
        --scenario spike_load --scenario failure_recovery --fail-if broke --json
    [[ $output != *"cannot load it steadily"* ]] || skip "this machine is too busy to load steadily"
    [ "$status" = 4 ]
    [[ $output == *"spike_load is undecided"*"no port is free"* ]]
    grep '^{' <<< "$output" | jq -e '.resilience_score == null
        and all(.stress_test_results[]; .outcome == "spoiled" and .reason == "not_measured" and .score == null)'
}

@test "stress: scenarios say what they need, what they found and where it is stored" {
    start_stub --rate-limit 150 --retry-after 2
    run assay stress --url "${URL%/healthz}/v1/chat/completions" --rate 50 --factor 8 --quick --json \
        --body '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}' \
        --scenario rate_limiting --scenario memory_pressure
    [[ $status != 3 || $output != *"cannot load it steadily"* ]] || skip "this machine is too busy to load steadily"
    [ "$status" = 0 ]
    echo "${lines[-1]}" > s.json
    jq -e '.schema == "assay.stress/1" and (.stress_test_results | length) == 2' s.json
    ! jq -e '.stress_test_results[0].outcome == "spoiled"' s.json || skip "this machine is too busy to load steadily"
    jq -e '.stress_test_results[0] | .name == "rate_limiting" and .outcome == "held" and .broke == false
        and .evidence.rule == "limits_and_says_when" and .metrics.retry_after_s == 2
        and (.metrics.limited_at | IN(200, 400)) and (.executions | length) >= 3
        and (.parameters | .concurrent_requests > 0 and .duration_seconds > 0 and .request_rate >= 200)' s.json
    jq -e '.stress_test_results[1] | .outcome == "not_applicable" and .reason == "not_started_by_assay" and .score == null' s.json
    jq -e '.is_partial and .resilience_score == 1 and .usual.normal_rate == 50' s.json
    assay stress --url "$URL" --rate 50 --quick --json --scenario large_inputs | tail -n 1 |
        jq -e '.stress_test_results[0].reason == "no_input" and .resilience_score == null'
    # The conclusion is stored, with the executions it rests on; putting it twice changes nothing.
    run_id=$(jq -r .run_id s.json)
    # What does not apply is stored too, with its reason.
    sqlite3 .assay/assay.db "SELECT result FROM stress_results r JOIN benchmark_executions e ON e.id = r.execution_id WHERE e.run_id = '$run_id' ORDER BY r.id" > stored.json
    [ "$(jq -cS . stored.json)" = "$(jq -cS '.stress_test_results[]' s.json)" ]
    # The same once more as documents, from what is stored.
    assay stress --url "${URL%/healthz}/v1/chat/completions" --rate 50 --factor 8 --quick -q --resume "$run_id" --report s.md \
        --body '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}' --scenario rate_limiting --scenario memory_pressure
    grep -q '^| rate.*limiting | held | 1.00 ' s.md
    fails_with 2 "should end in .html or .md" assay stress --url "${URL%/healthz}/v1/chat/completions" --rate 50 --factor 8 --quick -q \
        --resume "$run_id" --report s.pdf --body '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}' --scenario rate_limiting --scenario memory_pressure
    # Each execution that it names is in the run.
    assay show "$(jq -r .run_id s.json)" --json > run.json
    jq -e '[.cells[].label] | any(endswith(", normal 50/s")) and any(endswith(", level 200/s"))' run.json
    jq -e --slurpfile s s.json '[.cells[].id] as $ids | all($s[0].stress_test_results[].executions[]; IN($ids[]))' run.json
}

@test "stress: a test that was killed goes on with what is stored" {
    start_stub
    "$ASSAY_BIN" stress --url "$URL" --rate 50 --quick --scenario concurrent_requests -q > out 2> err 3>&- &
    pid=$!
    # Five phases are stored: then without a warning.
    for _ in $(seq 600); do
        n=$(sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions WHERE status = 'success'" 2> /dev/null || echo 0)
        [ "$n" -lt 4 ] || break
        kill -0 $pid 2> /dev/null || break
        sleep 0.05
    done
    [ "$n" -ge 4 ] || skip "this machine is too busy to load steadily"
    pkill -9 -P $pid || true
    kill -9 $pid || true
    wait $pid || true
    run_id=$(sqlite3 .assay/assay.db "SELECT id FROM runs")
    before=$(sqlite3 .assay/assay.db "SELECT group_concat(id) FROM (SELECT id FROM benchmark_executions WHERE status = 'success' ORDER BY cell_index)")
    run assay stress --url "$URL" --rate 50 --quick --scenario concurrent_requests --json --resume "$run_id"
    [ "$status" = 0 ]
    echo "${lines[-1]}" | jq -e --arg id "$run_id" '.run_id == $id and (.stress_test_results[0].executions | length) == 6'
    after=$(sqlite3 .assay/assay.db "SELECT group_concat(id) FROM (SELECT id FROM benchmark_executions WHERE status = 'success' ORDER BY cell_index)")
    [[ $after == "$before"* ]]
    # Of a test that has ended it shows the same again, without measuring.
    n=$(sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions")
    echo "${lines[-1]}" > first.json
    assay stress --url "$URL" --rate 50 --quick --scenario concurrent_requests --json --resume "$run_id" > again.json
    [ "$(jq -cS . first.json)" = "$(jq -cS . again.json)" ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions")" = "$n" ]
    # Other options are another test.
    run assay stress --url "$URL" --rate 60 --quick --scenario concurrent_requests --resume "$run_id"
    [ "$status" = 2 ]
}
