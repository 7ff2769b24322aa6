# The official openai client for node against `assay stub`.
load ../helper

setup_file() {
    local said
    if said=$("$BATS_TEST_DIRNAME/setup"); then
        export INTEROP=$said
    else
        export NOT_HERE=$said
    fi
}

# client TEST OPTION...: one test of client.mjs against a stub with these options.
client() {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    local name=$1
    shift
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 --quiet "$@" > url 3>&- &
    stub=$!
    for _ in $(seq 100); do [ -s url ] && break; sleep 0.05; done
    PATH=$INTEROP/node_modules/.bin:$PATH node "$INTEROP/client.mjs" "$(sed 's/.* //' url)" "$name"
}

teardown() { [ -z "${stub:-}" ] || kill "$stub" 2> /dev/null || true; }

@test "openai client: a whole answer" { client whole; }
@test "openai client: a stream, the same text as the whole answer" { client stream; }
@test "openai client: tool calls, whole and streamed" {
    echo '{"match":"weather","tool_calls":[{"name":"weather","arguments":{"city":"Ulm"}}]}' > a.jsonl
    client tools --answers a.jsonl
}
@test "openai client: embeddings, as numbers and as base64" { client embeddings; }
@test "openai client: models" { client models; }
@test "openai client: wrong requests raise its errors" { client errors; }
@test "openai client: the key is demanded" {
    export SECRET=sk-right
    KEY=sk-wrong client refused --api-key-env SECRET
    kill "$stub"
    KEY=sk-right client accepted --api-key-env SECRET
}
@test "openai client: errors on demand" { client failing --error-rate 1 --error-status 503; }
@test "openai client: a rate limit, and Retry-After is waited for" { client limited --rate-limit 1; }
@test "openai client: a stream cut off is an error" { client dropped --drop-rate 1; }
