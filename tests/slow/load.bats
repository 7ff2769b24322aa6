#!/usr/bin/env bats
# Ten thousand connections, client and server in two processes.
load ../helper

teardown() { [ -z "${STUB:-}" ] || kill "$STUB" 2> /dev/null || true; }

@test "load: ten thousand connections at once, each with its answer" {
    [ -z "$ASSAY_SAN" ] || skip "sanitizers have no room for it"
    limit=$(ulimit -Hn)
    [ "$limit" = unlimited ] || [ "$limit" -ge 10300 ] || skip "open files are limited to $limit"
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 --service-ms 15000 > stub.log 2>&1 3>&- &
    STUB=$!
    until grep -q listening stub.log; do sleep 0.05; done
    url=$(sed 's/.* //' stub.log)
    cat > l.yaml <<Y
experiment: load
params:
  url: "$url/chat/completions"
  body: '{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'
  connections: 10000
  seconds: 1
  timeout_s: 120
iterations: {warmup: 0, measured: 1}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    jq -e '.cells[0].metrics | map({(.name): .samples[0]}) | add |
        .sent == 10000 and .answered == 10000 and .failed == 0 and .timed_out == 0' run.json
    curl -s "$url/stub" | jq -e '.counts.most_in_flight == 10000'
}
