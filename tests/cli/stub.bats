#!/usr/bin/env bats
# The stub from outside: options, messages, its end.
load ../helper

# start OPTION...: a stub; its address in $url.
start() {
    rm -f out # of a stub before this one
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 "$@" > out 2> err 3>&- &
    stub=$!
    for _ in $(seq 100); do [ -s out ] && break; sleep 0.05; done
    url=$(sed -n '1s/.*listening on //p' out)
}

teardown() { [ -z "${stub:-}" ] || kill "$stub" 2> /dev/null || true; }

ask() { # ask TEXT [MORE]: the answer's text
    curl -s -d "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$1\"}]${2:-}}" \
        "$url/chat/completions"
}

@test "it says where it listens, answers, and ends after its requests" {
    start --requests 2
    [ "$(curl -s "${url%/v1}/healthz")" = '{"ok":true}' ]
    ask hello | jq -e '.choices[0].message.content | length > 10'
    wait "$stub"
    grep -q '^answered 2 requests$' out
}

@test "events as JSON, and SIGTERM ends it in good order" {
    start --json
    url=$(jq -r 'select(.event == "listening").url' out)
    ask hello > /dev/null
    kill "$stub"
    wait "$stub"
    [ "$(jq -r 'select(.event == "stopped").requests' out)" = 1 ]
}

@test "answers are a function of seed and prompt" {
    start
    a=$(ask one | jq -r '.choices[0].message.content')
    b=$(ask two | jq -r '.choices[0].message.content')
    [ "$a" = "$(ask one | jq -r '.choices[0].message.content')" ]
    [ "$a" != "$b" ]
    [ "$a" != "$(ask one ',"seed":1' | jq -r '.choices[0].message.content')" ]
    kill "$stub"
    start --seed 7
    [ "$a" != "$(ask one | jq -r '.choices[0].message.content')" ]
    kill "$stub"
    start --echo
    [ "$(ask 'say this' | jq -r '.choices[0].message.content')" = "say this" ]
}

@test "an answer that is not streamed comes when its last token would" {
    start --ttft-ms 100 --gap-ms 20 --tokens 6
    took=$(curl -s -o /dev/null -w '%{time_total}' \
        -d '{"model":"m","messages":[{"role":"user","content":"x"}]}' "$url/chat/completions")
    awk "BEGIN { exit !($took >= 0.2) }"
}

@test "a table of answers" {
    printf '%s\n' '{"match":"2+2","answer":"4"}' > a.jsonl
    start --answers a.jsonl
    [ "$(ask 'What is 2+2?' | jq -r '.choices[0].message.content')" = 4 ]
    kill "$stub"
    echo '{"match":1}' > a.jsonl
    fails_with 2 "a.jsonl:1: needs a 'match'" assay stub --answers a.jsonl
    fails_with 2 "none.jsonl" assay stub --answers none.jsonl
}

@test "wrong options are told" {
    fails_with 2 "'fast' is neither a number" assay stub --ttft-ms fast
    fails_with 2 "--error-rate must be a share" assay stub --error-rate 2
    fails_with 2 "--error-status must be at least 400" assay stub --error-status 200
    fails_with 2 "'here' is not an address" assay stub --listen here
    fails_with 2 "takes no argument" assay stub here
    fails_with 2 "NOT_SET is not set" assay stub --api-key-env NOT_SET
    start
    fails_with 1 "Address already in use" assay stub --listen "$(echo "$url" | sed 's,http://,,; s,/v1,,')"
}

@test "wrong requests get the protocol's errors" {
    start
    code() { curl -s -o body -w '%{http_code}' "$@"; }
    [ "$(code -d '{' "$url/chat/completions")" = 400 ]
    jq -e '.error.type == "invalid_request_error"' body
    [ "$(code -d '[]' "$url/chat/completions")" = 400 ]
    [ "$(code -d '{"model":"m"}' "$url/chat/completions")" = 400 ]
    [ "$(code "$url/chat/completions")" = 405 ]
    [ "$(code "$url/nothing")" = 404 ]
    [ "$(code -d '{"input":5}' "$url/embeddings")" = 400 ]
    head -c 17000000 /dev/zero > big
    [ "$(code --data-binary @big "$url/embeddings")" = 413 ]
    [ "$(code "$url/models")" = 200 ]
}

# status N...: the status of each of N requests, one after the other; 000 without an answer.
statuses() {
    for _ in $(seq "$1"); do
        curl -s -o /dev/null -w '%{http_code}\n' \
            -d '{"model":"m","messages":[{"role":"user","content":"x"}]}' "$url/chat/completions"
    done
}

@test "it says what it is set to, each option by its name" {
    start --servers 4 --service-ms exp:20 --queue-limit 100 --contention 0.01 --stall-every-s 10 \
        --stall-s 1 --at-limit stay
    curl -s "$url/stub" > said
    jq -e '.settings | .servers == 4 and ."service-ms" == "exp:20" and ."queue-limit" == 100
        and .contention == 0.01 and ."stall-s" == 1 and ."at-limit" == "stay" and .seed == 42' said
    jq -e '.capacity_per_s == 180' said # 4 servers, 20 ms, and a tenth of the time nothing
    jq -r '.settings | keys[]' said | sort > have
    assay stub --help | grep -oE '^ +--[a-z-]+' | tr -d ' ' | sed 's/^--//' | sort > all
    [ "$(wc -l < have)" -ge 28 ]
    [ -z "$(comm -13 all have)" ]
}

@test "a queue that is full, and what waits in it" {
    start --servers 1 --service-ms 60000 --queue-limit 2
    for i in 1 2 3 4 5; do
        curl -s -m 30 -o /dev/null -w '%{http_code}\n' \
            -d '{"model":"m","messages":[{"role":"user","content":"x"}]}' \
            "$url/chat/completions" > "code$i" 3>&- &
        waiting="$waiting $!"
    done
    for _ in $(seq 100); do
        curl -s "$url/stub" > said
        jq -e '.counts.arrived == 5' said > /dev/null && break
        sleep 0.05
    done
    jq -e '.counts | .served == 3 and .queue_full == 2 and .in_flight == 3' said
    for _ in $(seq 100); do [ "$(cat code? | grep -c 503)" = 2 ] && break; sleep 0.05; done
    [ "$(cat code? | grep -c 503)" = 2 ]
    kill $waiting || true
}

@test "a cliff of the rate: all fail that follow too many" {
    start --cliff-rate 3 --error-status 502
    statuses 8 > codes # far more than three a second, or else the machine stood still
    [ "$(head -3 codes | sort -u)" = 200 ]
    curl -s "$url/stub" | jq -e --argjson bad "$(grep -c 502 codes)" '.counts.cliff == $bad and $bad >= 1'
}

@test "memory: it dies at its limit, or keeps no more" {
    start --memory-kb 1024 --memory-limit-mb 3
    [ "$(statuses 4 | tr '\n' ' ')" = "200 200 200 000 " ]
    code=0
    wait "$stub" || code=$?
    [ "$code" = 137 ]
    start --memory-kb 1024 --memory-limit-mb 3 --at-limit stay
    [ "$(statuses 6 | sort -u)" = 200 ]
    curl -s "$url/stub" | jq -e '.counts.memory_bytes == 3145728'
    kb=$(awk '/VmRSS/ {print $2}' "/proc/$stub/status")
    kill "$stub"
    start
    [ "$kb" -ge $(($(awk '/VmRSS/ {print $2}' "/proc/$stub/status") + 3000)) ]
}

@test "service time, and what cannot be set" {
    start --servers 1 --service-ms 150
    took=$(curl -s -o /dev/null -w '%{time_total}' \
        -d '{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}' "$url/chat/completions")
    awk "BEGIN { exit !($took >= 0.15) }"
    fails_with 2 "--queue-limit needs --servers" assay stub --queue-limit 5
    fails_with 2 "must be shorter than" assay stub --stall-every-s 1 --stall-s 1
    fails_with 2 "'slow' is neither a number" assay stub --service-ms slow
}
