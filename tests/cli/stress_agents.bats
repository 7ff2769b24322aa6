#!/usr/bin/env bats
# Agents under load: programs by a pool, services over the wire, conversations; answers are
# checked. Counts are judged; how fast this machine is is not.
load ../helper

teardown() { [ -z "${STUB:-}" ] || kill "$STUB" 2> /dev/null || true; }

start_stub() {
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 "$@" > stub.log 2>&1 3>&- &
    STUB=$!
    until grep -q listening stub.log; do sleep 0.05; done
    URL=$(sed 's/.* //' stub.log)
}

write_suite() {
    cat > session.py <<'P'
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    out = "wrong" if m["input"] == "four" else m["input"].strip()
    print(json.dumps({"id": m["id"], "output": out}), flush=True)
P
    cat > suite.yaml <<Y
suite: {id: echoes}
agents:
  - {id: session, version: "1", process: {command: [python3, $PWD/session.py], mode: session}}
  - {id: oneshot, version: "1", process: {command: [cat]}}
benchmarks:
  - id: words
    cases: [{input: one, expected: one}, {input: two, expected: two}, {input: three, expected: three}, {input: four, expected: four}]
  - id: talks
    cases: [{id: c, turns: [{input: one}, {input: two}, {input: three, expected: three}]}]
Y
}

adds_up='.requests.scheduled == .requests.sent + .requests.unsent
    and .requests.sent == .requests.ok + .requests.failed + .requests.timed_out + .requests.cancelled'

@test "stress: programs are loaded by a pool and their answers checked; nothing of them is left" {
    write_suite
    assay stress suite.yaml --only words --connections 2 --duration 1s --json > load.jsonl
    [ "$(wc -l < load.jsonl)" = 2 ]
    jq -es "all(.schema == \"assay.load/1\" and .url == null and $adds_up and .requests.ok > 10 and .checked > 0 and .checked <= .requests.ok)" load.jsonl
    # One of four cases is answered wrongly by the first, none by the second.
    jq -es '.[0].agent == "session" and .[0].accuracy > 0.6 and .[0].accuracy < 0.9
        and .[1].agent == "oneshot" and .[1].accuracy == 1 and all(.turn_rate == null)' load.jsonl
    run assay stress suite.yaml --only words --agent session --connections 1 --duration 1s -q --fail-if 'accuracy<0.95'
    [ "$status" = 1 ]
    [[ $output == *"accuracy<0.95"* ]]
    assay stress suite.yaml --only words --agent session --connections 1 --duration 1s -q --fail-if 'accuracy<50%'
    fails_with 2 "the unit of accuracy is" assay stress suite.yaml --only words --fail-if 'accuracy<5ms'
    run pgrep -f "$PWD/session.py"
    [ "$status" = 1 ]
    fails_with 2 "say whose cases are the requests with --only (words, talks)" assay stress suite.yaml --duration 1s
    # The store knows whom the load was on; a load never ranks.
    [ "$(sqlite3 .assay/assay.db "SELECT count(DISTINCT agent_id) FROM benchmark_executions")" = 2 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM ranked_executions")" = 0 ]
}

@test "stress: a conversation is one request, whole in flight; its turns are counted" {
    write_suite
    assay stress suite.yaml --only talks --agent session --connections 2 --duration 1s --json > talk.json
    jq -e "$adds_up and .requests.ok > 3 and .accuracy == 1 and (.turn_rate / .rate - 3 | fabs) < 1e-6" talk.json
    start_stub
    cat > chat.yaml <<Y
suite: {id: chats}
agents: [{id: model, openai: {url: "$URL", model: stub}}]
benchmarks: [{id: talks, cases: [{id: c, turns: [{input: one}, {input: two}]}]}]
Y
    assay stress chat.yaml --connections 2 --duration 1s --json > chat.json
    jq -e "$adds_up and .requests.ok > 3 and (.turn_rate / .rate - 2 | fabs) < 1e-6 and .accuracy == null" chat.json
}

@test "stress: a service is loaded with the requests of its adapter, and refuses as any" {
    printf '%s\n' '{"match": "ping", "answer": "pong"}' '{"match": "", "answer": "what?"}' > answers.jsonl
    start_stub --answers answers.jsonl --rate-limit 60 --retry-after 3
    cat > s.yaml <<Y
suite: {id: pings}
agents:
  - {id: model, openai: {url: "$URL", model: stub}}
  - {id: plain, http: {url: "$URL/chat/completions", output: /choices/0/message/content, body: {model: stub, messages: [{role: user, content: "{{input}}"}]}}}
benchmarks: [{id: pings, cases: [{input: ping, expected: pong}, {input: other, expected: pong}]}]
Y
    assay stress s.yaml --connections 2 --duration 1s --json > load.jsonl
    jq -es "length == 2 and all($adds_up and .requests.ok > 5 and .requests.failed > 0 and .accuracy > 0.2 and .accuracy < 0.8)" load.jsonl
    # What its adapter would try again is counted as it comes: 429, with Retry-After.
    assay show --json | jq -e '[.cells[0].metrics[] | select(.name == "retry_after_s" or .name == "too_many_requests") | .samples | max]
        | sort == [3, max] and max > 3'
    sed -i 's|127.0.0.1:[0-9]*|224.0.0.1|' s.yaml
    run assay stress s.yaml --agent plain --duration 1s
    [ "$status" = 2 ]
    [[ $output == *"--allow-host 224.0.0.1"* ]]
}

@test "stress: a registered agent by its name; a killed one loses what it had and comes back" {
    write_suite
    assay agents add suite.yaml > /dev/null
    fails_with 2 "what is agent 'session' to be asked" assay stress session
    fails_with 2 "neither a file nor a registered suite or agent" assay stress nobody --body x
    assay stress session --body hello --connections 1 --duration 1s --json | jq -e "$adds_up and .requests.ok > 5 and .accuracy == null"
    printf '%s\n' '{"input": "a", "expected": "a"}' '{"input": "b", "expected": "b"}' > cases.jsonl
    assay stress session --cases cases.jsonl --connections 1 --duration 1s --json | jq -e '.accuracy == 1'
    cat > l.yaml <<Y
experiment: load
agents: [session]
params: {cases: [{input: one, expected: one}], rate: 50, seconds: 2, connections: 2, fault: kill}
iterations: {warmup: 0, measured: 1}
Y
    assay run l.yaml -q > out
    assay show --json > run.json
    of() { jq -r --arg n "$1" '.cells[0].metrics[] | select(.name == $n) | .samples[0]' run.json; }
    [ "$(of reset)" -ge 1 ]
    [ "$(of lost)" -ge 1 ]
    [ "$(of answered)" -ge 40 ]
    [ "$(of server_deaths)" = 0 ]
    jq -e '[.cells[0].metrics[] | select(.name == "server_memory_mb") | .samples[0]][0] > 1' run.json
    run pgrep -f "$PWD/session.py"
    [ "$status" = 1 ]
    fails_with 2 "takes 'agents' or 'url', not both" assay run l.yaml -q --set url=http://127.0.0.1:1/
    sed -i 's/^agents.*//' l.yaml
    fails_with 2 "needs 'agents' or the parameter url" assay run l.yaml -q
}

@test "stress: the section of a suite is carried out; options replace what it says" {
    start_stub
    cat > s.yaml <<Y
suite: {id: s}
agents: [{id: model, openai: {url: "$URL", model: stub, stream: false}}, {id: other, noop: {}}]
benchmarks: [{id: b, cases: [{input: one}]}, {id: c, cases: [{input: two}]}]
stress: {scenarios: [spike_load, memory_pressure], agents: [model], benchmark: b, rate: 40, quick: true}
Y
    assay check s.yaml > /dev/null
    run assay stress s.yaml --json --scenario memory_pressure
    [[ $status != 3 ]] || skip "this machine is too busy to load steadily"
    [ "$status" = 0 ]
    echo "${lines[-1]}" | jq -e '.agent_id == "model" and .usual.normal_rate == 40
        and [.stress_test_results[].name] == ["memory_pressure"] and .stress_test_results[0].outcome == "not_applicable"'
    sqlite3 .assay/assay.db "SELECT DISTINCT parameters FROM benchmark_executions" > params.json
    jq -es 'all(.cases == [{"id": "1", "input": "one"}])' params.json
    fails_with 2 "unknown key 'senarios'" assay check <(sed 's/scenarios/senarios/' s.yaml)
}

# 224.0.0.1 is not this machine's; the kernel refuses a connection to it, so that nothing is sent.
@test "stress: only a file that the user names can consent for another machine" {
    cat > s.yaml <<Y
suite: {id: far}
agents: [{id: model, openai: {url: "http://224.0.0.1:9/v1", model: stub}}]
benchmarks: [{id: b, cases: [{input: one}]}]
Y
    refused() {
        run assay stress "$@" --duration 0.5s --timeout 0.05s --json
        [ "$status" = 2 ]
        [[ $output == *"--allow-host 224.0.0.1"* ]]
    }
    refused s.yaml
    # Of an included file only the agents count.
    sed 's/^agents.*/include: agents.yaml/' s.yaml > including.yaml
    { sed -n '/^agents/p' s.yaml; echo 'stress: {allow_hosts: [224.0.0.1]}'; } > agents.yaml
    refused including.yaml
    # Nor does what somebody else has registered.
    echo 'stress: {scenarios: [], allow_hosts: [224.0.0.1]}' >> s.yaml
    assay suites add s.yaml > /dev/null
    refused far
    # The file itself: nobody is there, but that is another reason; the consent is stored.
    run timeout 60 "$ASSAY_BIN" stress s.yaml --duration 0.5s --timeout 0.05s --json
    [[ $output != *"--allow-host"* ]]
    sqlite3 .assay/assay.db "SELECT parameters FROM benchmark_executions ORDER BY rowid DESC LIMIT 1" | jq -e '.allow_hosts == ["224.0.0.1"]'
}

@test "run: a benchmark of test_type stress is asked, then loaded by its scenario" {
    write_suite
    sed -i 's/id: words/id: words\n    test_type: stress\n    scenario: large_inputs/; s/^  - id: talks.*//; s/^    cases: \[{id: c.*//' suite.yaml
    run assay run suite.yaml --agent session -n 1 -w 0
    [[ $status != 3 ]] || skip "this machine is too busy to load steadily"
    [[ $output == *large_inputs* ]]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM runs")" = 2 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM stress_results WHERE scenario = 'large_inputs'")" = 1 ]
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM ranked_executions")" = 1 ]
}

# The name has another address each time it is asked for: 127.0.0.1 first, where the stub listens,
# then 127.0.0.2, where nobody does. Each call adds a line to `asked`.
moving_name() {
    [ "$(nm -D "$ASSAY_BIN" | grep -c '__[at]san')" = 0 ] || skip "a sanitizer wants to be loaded first"
    cat > moves.c <<C
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **to)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if (!real) real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (!host || strcmp(host, "moves.test") != 0 || (hints && hints->ai_flags & AI_NUMERICHOST))
        return real(host, port, hints, to);
    int fd = open("$PWD/asked", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(fd, "\\n", 1) != 1) return EAI_FAIL;
    off_t n = lseek(fd, 0, SEEK_END);
    close(fd);
    return real(n == 1 ? "127.0.0.1" : "127.0.0.2", port, hints, to);
}
C
    ${CC:-cc} -shared -fPIC -o moves.so moves.c -ldl
}

@test "stress: a name is resolved once for all phases, runs and agents of a command" {
    moving_name
    start_stub
    port=${URL#*127.0.0.1:}
    LD_PRELOAD=$PWD/moves.so assay stress --url "http://moves.test:${port%/v1}/healthz" --rate 40 --quick --scenario spike_load --json > s.json || [ $? = 3 ]
    [ "$(wc -l < asked)" = 1 ]
    sqlite3 .assay/assay.db "SELECT count(*) > 1 FROM benchmark_executions" | grep -qx 1
    sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions WHERE status = 'failed'" | grep -qx 0

    # Two cells of a spec; conversations, which go by the adapter, not over load's connections.
    rm asked
    printf 'experiment: load\nparams: {url: "http://moves.test:%s/healthz", seconds: 0.1, connections: 1}\nsweep: {timeout_s: [1, 2, 3]}\niterations: {warmup: 0, measured: 2}\n' "${port%/v1}" > sweep.yaml
    LD_PRELOAD=$PWD/moves.so assay run -q sweep.yaml
    [ "$(wc -l < asked)" = 1 ]
    rm asked
    cat > talks.yaml <<Y
suite: {id: talks}
agents: [{id: model, openai: {url: "http://moves.test:${port%/v1}/v1", model: stub, stream: false, retry: {max: 0}}}]
benchmarks: [{id: talk, cases: [{id: c, turns: [{input: one}, {input: two}]}]}]
Y
    LD_PRELOAD=$PWD/moves.so assay stress talks.yaml --connections 2 --duration 1s --json > t.json
    [ "$(wc -l < asked)" = 1 ]
    jq -e '.requests.ok > 0 and .requests.failed == 0' t.json
}
