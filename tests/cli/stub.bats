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
