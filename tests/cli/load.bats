#!/usr/bin/env bats
# experiment: load, through the program: what was sent is accounted for, stored and compared.
load ../helper

start_stub() { # start_stub [OPTION...]
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 "$@" > stub.log 2>&1 3>&- &
    STUB=$!
    until grep -q listening stub.log; do sleep 0.05; done
    URL=$(sed 's/.* //;s/\/v1$//' stub.log)/healthz
}
teardown() { [ -z "${STUB:-}" ] || kill "$STUB" 2> /dev/null || true; }

@test "load: blocks are trials, counts add up, histograms hold every answer" {
    start_stub
    cat > l.yaml <<Y
experiment: load
params: {url: "$URL", seconds: 0.2}
sweep: {rate: [50, 100]}
iterations: {warmup: 1, measured: 5}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    for i in 0 1; do
        jq -e --argjson i $i '.cells[$i].metrics | map({(.name): .samples}) | add |
            [range(5)] as $t | . as $m | all($t[];
                $m.scheduled[.] == $m.sent[.] + $m.unsent[.] and
                $m.sent[.] == $m.answered[.] + $m.failed[.] + $m.timed_out[.] + $m.cancelled[.])' run.json
        # Of each trial the histogram of responses has as many values as good answers came.
        jq -e --argjson i $i '.cells[$i] | ((.metrics[] | select(.name == "answered") | .samples) | add)
            == (.merged[] | select(.metric == "response") | .total)' run.json
    done
    # Twice the rate is a change that compare sees, in the blocks that were sent on time.
    assay compare latest:0 latest:1 --metric rate --json > compared
    jq -e '.rows[0] | .effect.ratio > 1.3 or (.n | min) < 4' compared
}

@test "load: nobody listens, another machine, and a shape without a rate" {
    cat > l.yaml <<'Y'
experiment: load
params: {url: "http://127.0.0.1:1/", rate: 50, seconds: 0.1}
iterations: {warmup: 0, measured: 2}
Y
    run assay run l.yaml
    [ "$status" = 1 ]
    [[ $output == *"no good answer"* && $output == *"no_connection"* ]]
    sed -i 's/127.0.0.1:1/224.0.0.1/' l.yaml
    run assay run l.yaml
    [ "$status" != 0 ]
    [[ $output == *"allow_hosts"* || $output == *"--allow-host"* ]]
    sed -i 's/224.0.0.1/127.0.0.1:1/;s/rate: 50/shape: spike/' l.yaml
    fails_with 2 "needs a rate" assay check l.yaml
}

@test "load: a trace is replayed, scaled, and a wrong one refused" {
    start_stub
    { echo when,what; for i in $(seq 0 99); do echo "2026-01-01 00:00:$(printf %02d $((i / 4))).$((i % 4 * 25)),x"; done; } > t.csv
    cat > l.yaml <<Y
experiment: load
params: {url: "$URL", trace: t.csv, trace_column: when, time_scale: 0.01, seconds: 0.2}
iterations: {warmup: 0, measured: 2}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    # 25 s of 4 requests each: 0.2 s at a hundredth are the first 20 s.
    jq -e '.cells[0].metrics[] | select(.name == "scheduled") | .samples == [80, 80]' run.json
    sed -i 's/trace_column: when/rate: 5/' l.yaml
    fails_with 2 "a trace has its own rate" assay check l.yaml
    sed -i 's/rate: 5/trace_column: who/' l.yaml
    run assay run l.yaml
    [ "$status" != 0 ]
    [[ $output == *"t.csv"*"no column 'who'"* ]]
}

@test "load: streams of a model give first tokens and gaps" {
    start_stub --tokens 5 --ttft-ms 20 --gap-ms 5
    cat > l.yaml <<Y
experiment: load
params:
  url: "${URL%/healthz}/v1/chat/completions"
  body: '{"model": "m", "stream": true, "messages": [{"role": "user", "content": "hello"}]}'
  rate: 20
  arrivals: constant
  seconds: 0.5
iterations: {warmup: 0, measured: 2}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    metric() { jq -e --arg n "$1" '.cells[0].metrics[] | select(.name == $n) | .samples' run.json; }
    [ "$(metric tokens | jq -c .)" = "[50,50]" ]
    # The stub sends no token before its time; a busy machine delays it.
    metric first_token_p50_s | jq -e 'all(. >= 0.02)'
    jq -e '.cells[0].merged[] | select(.metric == "first_token") | .total == 20' run.json
    jq -e '.cells[0].merged[] | select(.metric == "token_gap") | .total == 80' run.json
}

# Keeps connections, and writes one line for each that it accepts.
tls_server() {
    command -v openssl > /dev/null || skip "there is no openssl"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x \
        -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2> /dev/null
    cat > server.py <<'P'
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def setup(self):
        print("connection", flush=True)
        super().setup()
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * 100000)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("port", server.server_address[1], flush=True)
server.serve_forever()
P
    python3 server.py > server.log 2>&1 3>&- &
    STUB=$!
    until grep -q port server.log; do sleep 0.05; done
    PORT=$(awk '/^port/ {print $2}' server.log)
}

@test "load: https keeps its connections, moves large bodies both ways, and checks the certificate" {
    tls_server
    body=$(head -c 200000 /dev/zero | tr '\0' x)
    cat > l.yaml <<Y
experiment: load
params: {url: "https://127.0.0.1:$PORT/", connections: 3, seconds: 0.3, ca_file: cert.pem, body: "$body"}
iterations: {warmup: 0, measured: 2}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    jq -e '.cells[0].metrics | map({(.name): .samples}) | add | . as $m |
        all(range(2); $m.answered[.] > 3 and $m.answered[.] == $m.sent[.])' run.json
    connected=$(grep -o connection server.log | wc -l) # two threads may share a line
    [ "$connected" = 3 ] || { echo "$connected connections"; false; } # of both blocks
    sed -i 's/, ca_file: cert.pem//' l.yaml
    run assay run l.yaml
    [ "$status" = 1 ]
    [[ $output == *"no_connection: certificate: self-signed certificate"* ]]
    sed -i 's/seconds: 0.3/seconds: 0.3, verify_certificate: false/' l.yaml
    assay run l.yaml -q > out
    sed -i 's/seconds: 0.3/seconds: 0.3, ca_file: none.pem/;s/verify_certificate: false/verify_certificate: true/' l.yaml
    run assay run l.yaml
    [ "$status" != 0 ]
    [[ $output == *"none.pem"* ]]
}

@test "load: https to a server that does not speak it" {
    start_stub
    cat > l.yaml <<Y
experiment: load
params: {url: "https${URL#http}", rate: 20, seconds: 0.2}
iterations: {warmup: 0, measured: 1}
Y
    run assay run l.yaml
    [ "$status" = 1 ]
    [[ $output == *"no_connection: TLS: "* ]]
}

@test "load: replies that are sent before anything was asked are not answers" {
    cat > push.py <<'P'
import socket
s = socket.create_server(("127.0.0.1", 0), backlog=64)
print("port", s.getsockname()[1], flush=True)
kept = []
while True:
    c, _ = s.accept()
    kept.append(c)
    try: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" * 50)
    except OSError: pass
P
    python3 push.py > server.log 2>&1 3>&- &
    STUB=$!
    until grep -q port server.log; do sleep 0.05; done
    cat > l.yaml <<Y
experiment: load
params: {url: "http://127.0.0.1:$(awk '{print $2}' server.log)/", rate: 100, seconds: 0.2}
iterations: {warmup: 0, measured: 1}
Y
    assay run l.yaml -q > out || true
    assay show --json > run.json
    jq -e '.cells[0].metrics | map({(.name): .samples[0]}) | add | .sent > 3 and .answered == 0 and .failed > 3' run.json
}
