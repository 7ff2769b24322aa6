# serve.bash - `assay serve` for tests: starts it on a free port and ends it.

# serve [OPTION...]: sets URL and SERVE_PID; what it says is in serve.out and serve.err.
serve() {
    : > serve.out # of an earlier one: what follows may be read before the shell has emptied it
    "$ASSAY_BIN" serve --listen 127.0.0.1:0 --json "$@" > serve.out 2> serve.err 3>&- &
    SERVE_PID=$!
    local i
    for ((i = 0; i < 200; i++)); do
        grep -q listening serve.out && break
        kill -0 "$SERVE_PID" || { cat serve.err; return 1; }
        sleep 0.05
    done
    URL=$(sed -n 's/.*"url":"\([^"]*\)\/".*/\1/p' serve.out)
}

# end_serve: ends it as an operator does; its exit code is the function's.
end_serve() {
    [ -n "$SERVE_PID" ] || return 0
    kill "$SERVE_PID"
    wait "$SERVE_PID"
}

get() { curl -sS --max-time 60 "$URL$1" "${@:2}"; }
status_of() { curl -sS --max-time 60 -o /dev/null -w '%{http_code}' "$URL$1" "${@:2}"; }
# post PATH JSON [CURL OPTION...]
post() {
    curl -sS --max-time 60 -H 'Content-Type: application/json' --data-raw "$2" "$URL$1" "${@:3}"
}
