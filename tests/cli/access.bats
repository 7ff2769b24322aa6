#!/usr/bin/env bats
# Who may ask the API for what: every route that it has, by its own description.
load ../helper
load ../serve

teardown() { end_serve || true; }

token() { assay tokens new --quiet "$@"; }
bearer() { echo "Authorization: Bearer $1"; }

# routes: "METHOD PATH ROLE" of every route, with something in the place of parameters.
routes() {
    jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] |
        select(.key | IN("get", "post", "delete", "put", "patch")) |
        "\(.key | ascii_upcase) \($path | gsub("\\{[^}]*\\}"; "x1234")) \(.value["x-role"])"' openapi.json
}

# ask METHOD PATH [CURL OPTION...]: the status; the body is in body.
# Streams do not end by themselves.
ask() { curl -sS --max-time "$([[ $2 == */events ]] && echo 0.5 || echo 20)" -o body -w '%{http_code}' -X "$1" "$URL$2" "${@:3}" 2> curl.err || [ $? = 28 ]; }

@test "every route: no token, a wrong, an expired, a revoked one, a lower role" {
    for role in read run admin; do eval "$role=$(token --role $role $role)"; done
    old=$(token old)
    gone=$(token gone)
    sqlite3 .assay/assay.db "UPDATE api_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE name = 'old'"
    assay tokens revoke -q gone
    serve --behind-proxy --name 127.0.0.1
    get /openapi.json > openapi.json
    count=0
    while read -r method path role; do
        what="$method $path ($role)"
        none=$(ask "$method" "$path" -H 'X-Assay: 1')
        if [ "$role" = anybody ]; then
            [ "$none" != 403 ] || { echo "$what: $none"; false; }
            continue
        fi
        [ "$none" = 401 ] || { echo "$what without a token: $none"; false; }
        jq -e '.status == 401 and (keys == ["detail", "status", "title", "type"])' body
        for bad in "assay_$(printf 'A%.0s' {1..43})" nonsense "$old" "$gone" "${read%?}" ""; do
            peer=$((peer + 1)) # wrong ones are counted by peer, see below
            is=$(ask "$method" "$path" -H "$(bearer "$bad")" -H 'X-Assay: 1' \
                -H "X-Forwarded-For: 10.0.0.$peer")
            [ "$is" = 401 ] || { echo "$what with '$bad': $is"; cat body; false; }
        done
        for has in read run admin; do
            may=$([ "$has" = admin ] || [ "$role" = read ] || [ "$has" = "$role" ] && echo yes || echo no)
            is=$(ask "$method" "$path" -H "$(bearer "${!has}")" -H 'Content-Type: application/json' -d '')
            case $may$is in
            no403 | yes2?? | yes3?? | yes400 | yes404 | yes409 | yes415 | yes422) ;;
            *) echo "$what as $has: $is"; cat body; false ;;
            esac
        done
        count=$((count + 1))
    done < <(routes)
    # What was walked is the table: a route that OpenAPI does not have would be missed here.
    listed=$(routes | wc -l)
    [ "$listed" = "$(grep -c '^    X(' "$ROOT/src/api/route_registry.c")" ] || { echo "$listed routes"; false; }
    [ $((count + $(routes | grep -c ' anybody$'))) = "$listed" ]
    [ "$(status_of /healthz)" = 200 ]
    assay tokens list --json | jq -e '.tokens[] | select(.name == "read") | .last_used_at != null'
}

@test "a workspace sees nothing of another, by any route" {
    assay run -q -n 3 --workspace theirs -- true > /dev/null
    run_id=$(assay list --workspace theirs --json | jq -r '.runs[0].id')
    cat > suite.yaml <<'Y'
suite: {id: hidden, name: Hidden, category: accuracy, version: "1"}
agents: [{id: shy, version: "1", process: {command: [cat]}}]
benchmarks: [{id: b, cases: [{input: "1", expected: "1"}], rubric: [{check: exact, weight: 1}]}]
Y
    assay suites add -q suite.yaml --workspace theirs
    ours=$(token --role admin --workspace ours ours)
    theirs=$(token --role read --workspace theirs theirs)
    serve
    get /openapi.json > openapi.json
    [ "$(ask GET "/benchmarks/runs/$run_id" -H "$(bearer "$theirs")")" = 200 ]
    [ "$(ask GET "/benchmarks/runs/$run_id" -H "$(bearer "$ours")")" = 404 ]
    [ "$(ask GET "/benchmarks/suites/hidden" -H "$(bearer "$theirs")")" = 200 ]
    [ "$(ask GET "/benchmarks/suites/hidden" -H "$(bearer "$ours")")" = 404 ]
    ! grep -q Hidden body || false
    asked=0
    for path in $(jq -r '.paths | to_entries[] | select((.value.get["x-role"] // "anybody") != "anybody") | .key' openapi.json); do
        [[ $path != *events* ]] || continue
        path=${path//\{run_id\}/$run_id}
        path=$(sed "s/{[a-z_]*}/hidden/g" <<< "$path")
        ask GET "$path?workspace=theirs" -H "$(bearer "$ours")" > /dev/null
        [ "$(grep -c "Hidden\|shy\|content_hash" body)" = 0 ] || { echo "$path"; cat body; false; }
        is=$(ask GET "$path" -H "$(bearer "$ours")")
        [ "$(grep -c "Hidden\|shy\|content_hash" body)" = 0 ] || { echo "$path"; cat body; false; }
        [[ $is != 5* ]] || { echo "$path: $is"; cat body; false; }
        asked=$((asked + 1))
    done
    [ "$asked" -ge 20 ]
    # By any method: what names a run of theirs does not exist.
    named=0
    while read -r method path; do
        path=${path//\{run_id\}/$run_id}
        [[ $path != *\{* ]] || continue
        is=$(ask "$method" "$path" -H "$(bearer "$ours")" -H 'Content-Type: application/json' -d '')
        [ "$is" = 404 ] || { echo "$method $path: $is"; cat body; false; }
        named=$((named + 1))
    done < <(jq -r '.paths | to_entries[] | select(.key | test("run_id")) | .key as $p | .value | keys[] |
        select(IN("get", "post", "delete")) | "\(ascii_upcase) \($p)"' openapi.json)
    [ "$named" -ge 8 ]
    for body in "{\"a\":\"$run_id\",\"b\":\"$run_id\"}" "{\"run\":\"$run_id\"}" '{"suite_id":"hidden"}' '{"agent_ids":["shy","shy"]}'; do
        for path in $(jq -r '.paths | to_entries[] | select(.value.post) | .key' openapi.json | grep -v '{'); do
            is=$(ask POST "$path" -H "$(bearer "$ours")" -H 'Content-Type: application/json' -d "$body")
            [[ $is = 4* || $path = /session ]] || { echo "POST $path $body: $is"; cat body; false; }
            [ "$(grep -c "Hidden\|content_hash" body)" = 0 ] || { echo "$path"; cat body; false; }
        done
    done
}

@test "a foreign Host, Origin or site is refused, with a token and without" {
    serve
    port=${URL##*:}
    [ "$(ask GET /benchmarks/runs)" = 200 ]
    for host in evil.example "evil.example:$port" "127.0.0.1" "127.0.0.1:1" "localhost.evil.example:$port" \
        "127.0.0.1:$port.evil.example" "evil.example@127.0.0.1:$port" "[::1].evil:$port" ""; do
        is=$(ask GET /benchmarks/runs -H "Host: $host")
        [[ $is = 421 || $is = 400 ]] || { echo "Host $host: $is"; false; }
    done
    for host in "localhost:$port" "LocalHost:$port" "127.0.0.1:$port" "[::1]:$port"; do
        [ "$(ask GET /benchmarks/runs -H "Host: $host")" = 200 ]
    done
    for origin in http://evil.example null "http://127.0.0.1:1" "https://127.0.0.1:$port" \
        "http://127.0.0.1:$port.evil.example" "http://evil.example/127.0.0.1:$port"; do
        is=$(ask GET /benchmarks/runs -H "Origin: $origin")
        [ "$is" = 403 ] || { echo "Origin $origin: $is"; false; }
    done
    [ "$(ask GET /benchmarks/runs -H "Origin: http://127.0.0.1:$port")" = 200 ]
    [ "$(ask GET /benchmarks/runs -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: no-cors')" = 403 ]
    [ "$(ask GET / -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate')" = 200 ]
    [ "$(ask OPTIONS /benchmarks/runs -H 'Origin: http://evil.example')" = 403 ]
    [ "$(curl -sS -i "$URL/benchmarks/runs" | grep -ci '^access-control')" = 0 ]
}

@test "a session: by token, by cookie only with X-Assay, ended by hand and with the token" {
    token=$(token --role run ci)
    serve
    port=${URL##*:}
    [ "$(ask POST /session -H 'Content-Type: application/json' -d '{"token":"assay_no"}')" = 401 ]
    [ "$(ask POST "/session?token=$token")" = 400 ]
    [ "$(ask POST /session -H 'Content-Type: application/json' -d '{}')" = 400 ]
    jq -e '.errors[0].name == "token"' body
    [ "$(ask POST /session -D head -H 'Content-Type: application/json' -d "{\"token\":\"$token\"}")" = 204 ]
    grep -Eqi "^set-cookie: assay_session_$port=assay_[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200" head
    cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' head)
    [ "$(grep -c "$token" head)" = 0 ]
    [ "$(ask GET /session -H "Cookie: a=b; $cookie; c=d")" = 200 ]
    jq -e '.role == "run" and .name == "ci" and .workspace == "default"' body
    # A change by cookie needs the header; JSON alone will not do.
    for change in $(get /openapi.json | jq -r '.paths | to_entries[] | select(.value.post["x-role"] // "anybody" |
        IN("run", "read")) | .key' | grep -v '{'); do
        is=$(ask POST "$change" -H "Cookie: $cookie" -H 'Content-Type: application/json' -d '{}')
        grep -q X-Assay body || { echo "$change: $is"; cat body; false; }
        [ "$is" = 403 ]
    done
    [ "$(ask DELETE /session -D head -H "Cookie: $cookie")" = 204 ]
    grep -Eqi "^set-cookie: assay_session_$port=; .*Max-Age=0" head
    [ "$(ask GET /session -H "Cookie: $cookie")" = 401 ]
    ask POST /session -D head -H "$(bearer "$token")" > /dev/null
    cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' head)
    [ "$(ask GET /session -H "Cookie: $cookie")" = 200 ]
    assay tokens revoke -q ci
    [ "$(ask GET /session -H "Cookie: $cookie")" = 401 ]
    [ "$(ask GET /session -H "$(bearer "$token")")" = 401 ]
}

@test "a stream ends with what opened it: revoked, expired, a lower role, logged out" {
    admin=$(token --role admin admin)
    serve
    sql() { sqlite3 -cmd '.timeout 10000' .assay/assay.db "UPDATE api_tokens SET $1 WHERE name = '$2'"; }
    listeners() { get /metrics -H "$(bearer "$admin")" | sed -n 's/^assay_http_requests_open //p'; }
    record() { post /benchmarks/record '{"agent":"a","task":"t","duration":1,"success":true}' -H "$(bearer "$admin")" | jq -r .run; }
    for how in revoked expired lowered logout; do
        token=$(token --role read "$how")
        header=$(bearer "$token")
        if [ "$how" = logout ]; then
            ask POST /session -D head -H "$header" > /dev/null
            header="Cookie: $(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' head)"
        fi
        curl -sS -N --max-time 60 "$URL/benchmarks/events" -H "$header" > "stream.$how" 3>&- &
        reader=$!
        for ((i = 0; i < 400; i++)); do [ "$(listeners)" != 2 ] || break; sleep 0.05; done
        before=$(record)
        for ((i = 0; i < 400; i++)); do ! grep -q "$before" "stream.$how" || break; sleep 0.05; done
        grep -q "$before" "stream.$how"
        case $how in
        revoked) assay tokens revoke -q revoked ;;
        expired) sql "expires_at = '2020-01-01T00:00:00.000Z'" expired ;;
        lowered) sql "role = 'none'" lowered ;;
        logout) [ "$(ask DELETE /session -H "$header")" = 204 ] ;;
        esac
        after=$(record)
        [ "$after" != "$before" ]
        wait "$reader" || { echo "$how: the stream went on"; false; }
        ! grep "$after" "stream.$how" || { echo "$how: it heard of a later run"; false; }
    done
}

@test "a server on port 80 is called without a port" {
    (exec 3<> /dev/tcp/127.0.0.1/80) 2> /dev/null && skip "something listens on port 80"
    "$ASSAY_BIN" serve --listen 127.0.0.1:80 --json > serve.out 2> serve.err 3>&- &
    SERVE_PID=$!
    for ((i = 0; i < 200; i++)); do
        grep -q listening serve.out && break
        kill -0 "$SERVE_PID" 2> /dev/null || { SERVE_PID=; skip "$(cat serve.err)"; }
        sleep 0.05
    done
    for host in 127.0.0.1 127.0.0.1:80 localhost; do
        [ "$(curl -sS -o /dev/null -w '%{http_code}' -H "Host: $host" http://127.0.0.1/benchmarks/runs)" = 200 ]
    done
    [ "$(curl -sS -o /dev/null -w '%{http_code}' -H 'Host: 127.0.0.1:81' http://127.0.0.1/benchmarks/runs)" = 421 ]
    [ "$(curl -sS -o /dev/null -w '%{http_code}' -H 'Origin: http://127.0.0.1' http://127.0.0.1/benchmarks/runs)" = 200 ]
}

@test "the access log names who asked, also of what ends later" {
    ann=$(token --role admin ann)
    bob=$(token --role read bob)
    serve --access-log access.log
    timeout 10 curl -sS -N "$URL/benchmarks/events" -H "Authorization: Bearer $bob" > events 3>&- &
    for ((i = 0; i < 100; i++)); do
        grep -q 'requests_open 2$' <(get /metrics -H "Authorization: Bearer $bob") && break
        sleep 0.05
    done
    # Ann is known to have used her token from now on: the tokens are read again.
    for i in 1 2 3; do get /benchmarks/agents -H "Authorization: Bearer $ann" > /dev/null; done
    end_serve
    SERVE_PID=
    jq -se '[.[] | select(.route == "watch_store") | [.workspace, .token]] == [["default", "bob"]]' access.log
}

@test "the code of --open logs in once" {
    token=$(token --role read ci)
    serve --open
    open=$(jq -r 'select(.event == "open").url' serve.out)
    [ "$(ask GET /session)" = 401 ]
    [ "$(curl -sS -o /dev/null -D head -w '%{http_code}' "$open")" = 303 ]
    grep -qi '^location: /' head
    cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' head)
    [ "$(ask GET /session -H "Cookie: $cookie")" = 200 ]
    jq -e '.role == "admin" and .name == null' body
    [ "$(curl -sS -o /dev/null -w '%{http_code}' "$open")" = 401 ]
}

@test "beyond loopback: tokens and TLS or a proxy, and a name; otherwise it does not start" {
    fails_with 2 "give --tls-cert and --tls-key" assay serve --listen 0.0.0.0:0
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem \
        -days 2 -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2> /dev/null
    fails_with 2 "the store has no token" assay serve --listen 0.0.0.0:0 --tls-cert cert.pem --tls-key key.pem
    fails_with 2 "the store has no token" assay serve --listen 127.0.0.1:0 --behind-proxy
    token=$(token --role read ci)
    fails_with 2 "say by --name" assay serve --listen 0.0.0.0:0 --tls-cert cert.pem --tls-key key.pem
    fails_with 2 "go together" assay serve --tls-cert cert.pem
    fails_with 1 "PEM files that belong together" assay serve --listen 127.0.0.1:0 --tls-cert key.pem --tls-key cert.pem
    serve --tls-cert cert.pem --tls-key key.pem
    [[ $URL == https://* ]]
    [ "$(ask GET /benchmarks/runs --cacert cert.pem)" = 401 ]
    [ "$(ask GET /benchmarks/runs --cacert cert.pem -H "$(bearer "$token")")" = 200 ]
    ask POST /session --cacert cert.pem -D head -H "$(bearer "$token")" > /dev/null
    grep -qi '^set-cookie: .*; Secure' head
    end_serve
    serve --behind-proxy --name bench.example
    [ "$(ask GET /benchmarks/runs -H 'Host: bench.example' -H "$(bearer "$token")" -H 'Origin: https://bench.example')" = 200 ]
    [ "$(ask GET /benchmarks/runs -H 'Host: evil.example' -H "$(bearer "$token")")" = 421 ]
}

@test "who asks too often, or with wrong tokens, is told when to come back" {
    token=$(token --role read ci)
    serve --rate 10
    for i in $(seq 40); do echo "url = $URL/session"; echo 'output = /dev/null'; done > many
    curl -sS -K many -H "$(bearer "$token")" -w '%{http_code} %header{retry-after}\n' > codes
    [ "$(grep -c '^200' codes)" -ge 15 ]
    [ "$(grep -c '^429 1$' codes)" -ge 5 ]
    [ "$(grep -Evc '^(200|429 1)' codes)" = 0 ] || { sort codes | uniq -c; false; }
    end_serve
    serve
    for i in $(seq 40); do echo "url = $URL/session"; echo 'output = /dev/null'; done > many
    curl -sS -K many -H "$(bearer nonsense)" -w '%{http_code} %header{retry-after}\n' > codes
    [ "$(grep -c '^401' codes)" -ge 20 ]
    [ "$(grep -c '^429 1$' codes)" -ge 5 ]
    [ "$(ask GET /session -H "$(bearer "$token")")" = 200 ] # a valid one is not held back by others
}

# raw TEXT: what the server answers to these bytes (\r\n as such), first line.
raw() {
    exec 9<> "/dev/tcp/127.0.0.1/${URL##*:}"
    printf "$1" >&9
    timeout 10 head -1 <&9 | tr -d '\r'
    exec 9>&-
}

@test "requests made to break it: right status, nothing leaked, server alive" {
    token=$(token --role admin ci)
    serve
    host="Host: ${URL#http://}"
    auth="$(bearer "$token")"
    # Path traversal
    for path in /../../etc/passwd /..%%2f..%%2fetc/passwd /%%2e%%2e/%%2e%%2e/etc/passwd //etc/passwd /benchmarks/runs/..%%2f..%%2f.assay \
        /benchmarks/suites/%%2fetc%%2fpasswd '/benchmarks/runs/%%00' /%%ff%%fe '/a\\..\\..\\b'; do
        is=$(raw "GET $path HTTP/1.1\r\n$host\r\n$auth\r\nConnection: close\r\n\r\n")
        [[ $is =~ ^HTTP/1.1\ 40[04] ]] || { echo "$path: $is"; false; }
    done
    # Header injection, by address and by body
    get "/benchmarks/leaderboard?category=%0d%0aX-Evil:%201" -H "$auth" -i > reply
    [ "$(grep -ci '^x-evil' reply)" = 0 ]
    ask POST /session -D head -H 'Content-Type: application/json' -d '{"token":"a\r\nSet-Cookie: x=1"}' > /dev/null
    [ "$(grep -ci '^set-cookie' head)" = 0 ]
    # Malformed JSON, deep nesting, duplicate keys, wrong types
    for body in '{' '[]' '"x"' '{"token":1}' '{"token":"a","token":"b"}' '{"tokn":"a"}' $'\xff\xfe' 'null'; do
        is=$(ask POST /session -H 'Content-Type: application/json' --data-binary "$body")
        [[ $is = 400 || $is = 401 || $is = 422 ]] || { echo "$body: $is"; cat body; false; }
    done
    head -c 1000000 /dev/zero | tr '\0' '[' > deep
    [ "$(ask POST /session -H 'Content-Type: application/json' --data-binary @deep)" = 400 ]
    (printf '{"token":'; head -c 1000000 deep; ) > deeper
    [ "$(ask POST /session -H 'Content-Type: application/json' --data-binary @deeper)" = 400 ]
    # Too large: a body, a header, a target
    head -c 17000000 /dev/zero > large
    is=$(ask POST /session -H 'Content-Type: application/json' --data-binary @large -H 'Expect:' || true)
    [[ $is = 413 || $is = 400 || $is = 000 ]]
    is=$(ask GET /session -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' a)" || true)
    [[ $is = 431 || $is = 413 || $is = 000 ]]
    is=$(ask GET "/benchmarks/runs?x=$(head -c 60000 /dev/zero | tr '\0' a)" || true)
    [[ $is = 414 || $is = 431 || $is = 000 ]]
    # Two hosts (one that is ours), lengths in doubt, wrong methods, no HTTP at all
    [[ $(raw "GET /healthz HTTP/1.1\r\n$host\r\nHost: evil.example\r\n\r\n") == *" 400 "* ]]
    [[ $(raw "GET /healthz HTTP/1.1\r\nhost: evil.example\r\n$host\r\n\r\n") == *" 400 "* ]]
    [[ $(raw "POST /session HTTP/1.1\r\n$host\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n") == *" 400 "* ]]
    for coding in gzip 'gzip, chunked' identity 'chunked, chunked' 'x chunked'; do
        [[ $(raw "POST /session HTTP/1.1\r\n$host\r\nTransfer-Encoding: $coding\r\n\r\n") == *" 400 "* ]]
    done
    [[ $(raw "GET /healthz HTTP/1.1\r\n$host\r\nHost : evil.example\r\n\r\n") == *" 400 "* ]]
    [[ $(raw "POST /session HTTP/1.1\r\n$host\r\nContent-Length: -5\r\n\r\n") == *" 4"* ]]
    [[ $(raw "POST /session HTTP/1.1\r\n$host\r\nContent-Length: 2\r\ncontent-length: 40\r\n\r\n{}") == *" 400 "* ]]
    for method in PUT PATCH TRACE BREW; do
        is=$(ask $method /benchmarks/runs -H "$auth")
        [[ $is = 405 || $is = 501 ]] || { echo "$method: $is"; false; }
    done
    raw 'nonsense\r\n\r\n' || true
    # Slow ones hold nobody up.
    for i in $(seq 50); do
        (exec 8<> "/dev/tcp/127.0.0.1/${URL##*:}"; printf 'GET / HTTP/1.1\r\nHost:' >&8; sleep 3) 3>&- &
    done
    [ "$(status_of /healthz --max-time 2)" = 200 ]
    [ "$(ask GET /benchmarks/runs -H "$auth")" = 200 ]
    [ ! -s serve.err ]
    wait $(jobs -p | grep -v "$SERVE_PID")
    end_serve
}
