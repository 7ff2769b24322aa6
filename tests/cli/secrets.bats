#!/usr/bin/env bats
# API keys: a server that repeats the key wherever it can, and everything that
# assay writes searched for it.
load ../helper

# Quotes are escaped in JSON, so that the key has two spellings.
KEY='sk-Q7"f3\Zz9-0123456789abcdefghijklmnopqrstuvwxyz'

teardown() { [ -z "${server:-}" ] || kill "$server" 2> /dev/null || true; }

# Says the key in answers, tool calls, headers, reasons and errors, whole, in two
# chunks, and so that an error of 600 characters is cut in the middle of it.
start_parrot() {
    cat > parrot.py <<'PY'
import http.server, json, sys
class Parrot(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *args): pass
    def give(self, status, body, kind="application/json"):
        data = body.encode()
        self.send_response(status, "No " + self.key())
        self.send_header("X-Key", self.key())
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def key(self):
        return self.headers.get("Authorization", self.headers.get("X-Api", "")).split(" ")[-1]
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key, who = self.key(), self.path.split("/")[1]
        call = [{"id": key, "type": "function",
                 "function": {"name": "f", "arguments": json.dumps({"k": key})}}]
        said = {"role": "assistant", "content": "your key is " + key, "tool_calls": call}
        if who == "fails":
            self.give(500, json.dumps({"error": {"message": "x" * 560 + key}}))
        elif who == "bare":
            self.give(403, "y" * 170 + key)
        elif who == "judge":
            said["content"] = json.dumps({"score": 0.5, "why": "he said " + key})
            self.give(200, json.dumps({"choices": [{"message": said, "finish_reason": key}]}))
        elif who == "stream":
            parts = ["it is ", key[:9], key[9:]]
            lines = [json.dumps({"choices": [{"delta": {"content": p}}]}) for p in parts]
            self.give(200, "".join(f"data: {l}\n\n" for l in lines) + "data: [DONE]\n\n",
                      "text/event-stream")
        elif who == "web":
            self.give(200, json.dumps({"text": "key " + key, "echo": body}))
        elif who == "weberror":
            self.give(200, json.dumps({"error": "no key like " + key}))
        else:
            self.give(200, json.dumps({"choices": [{"message": said, "finish_reason": "stop"}]}))
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
print(s.server_port, flush=True)
s.serve_forever()
PY
    python3 parrot.py > port 2> parrot.log 3>&- &
    server=$!
    until [ -s port ]; do sleep 0.05; done
    port=$(cat port)
}

write_suite() {
    {
        echo 'suite: {id: keys, category: accuracy}'
        echo 'agents:'
        for name in says fails bare; do
            echo "  - {id: $name, openai: {url: 'http://127.0.0.1:$port/$name', model: m, stream: false, api_key_env: PLANTED, retry: {max: 0}}}"
        done
        echo "  - {id: stream, openai: {url: 'http://127.0.0.1:$port/stream', model: m, api_key_env: PLANTED}}"
        for name in web weberror; do
            echo "  - {id: $name, http: {url: 'http://127.0.0.1:$port/$name', output: /text, error: /error, api_key_env: PLANTED, api_key_header: 'X-Api: {{key}}'}}"
        done
        cat <<'YAML'
judges:
YAML
        echo "  - {id: judge, openai: {url: 'http://127.0.0.1:$port/judge', model: m, stream: false, api_key_env: PLANTED}}"
        cat <<'YAML'
benchmarks:
  - id: one
    cases: [{id: a, input: hello, expected: hello}, {id: b, turns: [{input: x}, {input: y, expected: z}]}]
    rubric:
      - {check: exact, weight: 0.2}
      - {check: judge, agent: judge, weight: 0.4}
      - {check: command, weight: 0.4, command: [./snitch], env: {PLANTED: {from: PLANTED}}}
    iterations: {warmup: 1, measured: 2}
YAML
    } > s.yaml
    # A check's program has what it is given of our environment.
    cat > snitch <<'SH'
#!/usr/bin/perl
$_ = $ENV{PLANTED};
s/(["\\])/\\$1/g;
print qq({"score": 0.5, "why": "env has $_"}\n);
SH
    chmod +x snitch
}

# All that assay has written, in one file. A bundle is compressed.
gather() {
    mkdir -p all
    {
        cat "$@"
        zcat -f "$@" 2> /dev/null || true
        python3 - "$@" <<'PY'
import re, sys, zlib
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    for at in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        try:
            sys.stdout.buffer.write(zlib.decompressobj().decompress(data[at.start():]))
        except zlib.error:
            pass
PY
    } > all/text
}

@test "a key that a server repeats is nowhere: store, events, results, reports, bundles" {
    start_parrot
    write_suite
    export PLANTED=$KEY
    assay run s.yaml --json --out results --report r.html > events 2> err || true
    assay run s.yaml --rescore latest > again 2>> err || true
    for f in text json csv markdown html; do assay report --format $f > "report.$f"; done
    assay report --explain > report.explained
    assay show latest > shown 2>&1
    assay profile latest > profile 2>&1 || true
    assay compare latest latest~1 > compared 2>&1 || true
    for f in csv jsonl; do assay export latest latest~1 --format $f > "export.$f"; done
    assay export --bundle runs.assay
    assay agents list --all --json > agents 2>&1 || true
    mkdir site
    assay report --site site 2>> err || [ $? = 3 ] # built without the page

    gather $(find .assay results site -type f) events err again r.html report.* shown profile \
        compared export.* runs.assay agents
    # It was there to be found: the parrot has spoken, and was heard.
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE CAST(output AS TEXT) LIKE '%[redacted]%'")" -ge 6 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE error LIKE '%[redacted]%'")" -ge 6 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE detail LIKE '%env has [redacted]%'")" -ge 1 ]
    # Whole, as JSON writes it, its parts without quotes, and its beginning.
    for part in "$KEY" 'sk-Q7\"f3' '0123456789abcdefghijkl' 'Zz9-0123' 'mnopqrstuvwxyz' 'sk-Q7"f3'; do
        if grep -a -c -F "$part" all/text; then
            echo "found '$part' in: $(grep -a -l -r -F "$part" . --exclude-dir=all)"
            return 1
        fi
    done
}

@test "the search of this file finds a key that is there" {
    mkdir .assay
    sqlite3 .assay/assay.db "CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('a 0123456789abcdefghijkl z')"
    printf 'Zz9-0123' | gzip > b.gz
    gather .assay/assay.db b.gz
    grep -a -q -F 0123456789abcdefghijkl all/text
    grep -a -q -F Zz9-0123 all/text
}

# Wherever a text is cut, whichever agent named the key, and however it is spelled.
@test "every key that a suite names is hidden in every cell, whole and in pieces" {
    export AGENTKEY=sk-AGENTSECRET-abcdefghijklmnopqrstuvwxyz0123456789
    export JUDGEKEY=sk-JUDGESECRET-zyxwvutsrqponmlkjihgfedcba9876543210
    cat > k.yaml <<'YAML'
suite: {id: k}
agents:
  - id: tells
    process:
      command: 'read q; echo "$KEY $OTHER" | tr a-z A-Z; echo "$KEY" | sed "s/-/%2D/g"; echo "$KEY" | cut -c 9-30; echo "bad $KEY" >&2; test $q = good'
      env: {KEY: {from: AGENTKEY}, OTHER: {from: JUDGEKEY}, HOME: {from: HOME, secret: false}}
judges: [{id: j, openai: {url: "http://127.0.0.1:9/v1", model: x, api_key_env: JUDGEKEY, retry: {max: 0}}}]
benchmarks:
  - id: cut
    cases: [{id: a, input: good}, {id: b, input: bad}]
    rubric: {check: command, command: 'echo "aaaaaaaaaaaa$AGENTKEY$JUDGEKEY"'}
    iterations: {warmup: 0, measured: 1}
  - id: judged
    environment: {env: {E: {from: AGENTKEY}}, setup: 'test "$E" = "$E"'}
    cases: [{id: c, input: good}]
    rubric: {check: judge, agent: j}
    iterations: {warmup: 0, measured: 1}
YAML
    assay run k.yaml --json > events 2> err || true
    assay show > shown 2>&1
    assay report --format html > r.html
    gather $(find .assay -type f) events err shown r.html
    [ "$(grep -c redacted all/text)" -ge 3 ]
    for key in "$AGENTKEY" "$JUDGEKEY"; do
        for at in 1 9 17 25 33 41; do
            piece=$(printf %s "$key" | cut -c $at-$((at + 7)))
            if grep -aiqF -- "$piece" all/text; then echo "'$piece' is there"; return 1; fi
        done
    done
    [ "$(grep -aicF 'sk%2DAGENTSECRET' all/text)" -eq 0 ]
}
