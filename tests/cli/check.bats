#!/usr/bin/env bats
# `assay check`, and the specs that must be refused.
load ../helper

@test "init writes a spec that check accepts" {
    assay init command
    grep -q '^experiment: command' command.yaml
    run assay check command.yaml
    [ "$status" = 0 ]
    [[ $output == *"3 cells in 1 group; trials: 9 warm-up, 90 measured"* ]]
    [[ $output == *"time: unknown"* ]]
    [[ $output == *"order: 1 2 3 | "* ]]
}

@test "init does not write over a file" {
    echo mine > command.yaml
    fails_with 2 "'command.yaml' is there already; --force writes over it" assay init command
    [ "$(cat command.yaml)" = mine ]
    assay init command --force
    grep -q experiment command.yaml
    assay init command - | cmp - command.yaml
    assay init stress
    assay check stress.yaml
    grep -q "url: .*/v1/chat/completions" stress.yaml # which a stub with --servers limits
    fails_with 2 "no spec of kind 'zzz'" assay init zzz
    fails_with 2 "cannot write 'nowhere/x.yaml': No such file" assay init command nowhere/x.yaml
}

@test "check --json gives the plan" {
    assay init command -q
    assay check command.yaml --json > plan
    jq -e '.schema == "assay.plan/1" and .groups == 1' plan
    jq -e '.measured_trials == 90 and .warmup_trials == 9 and .estimated_s == null' plan
    jq -e '[.cells[].key] | unique | length == 3' plan
    jq -e '.cells[1].arm == 1 and .cells[1].factor == "command"' plan
}

@test "check reads standard input, and several files" {
    assay init command -q
    assay check - < command.yaml
    run assay check command.yaml command.yaml
    [ "$status" = 0 ]
    [ "$(grep -c 'cells in 1 group' <<< "$output")" = 2 ]
}

@test "check knows the time once a run has shown it" {
    assay init command -q
    assay run -q command.yaml > /dev/null
    run assay check command.yaml
    [[ $output == *"time: about "*" s of trials, by run "* ]]
    assay check command.yaml --json | jq -e '.estimated_s > 0'
    run assay check command.yaml --set 'command=[true]'
    [[ $output == *"time: unknown"* ]]
}

@test "problems come with file, line and column, all at once, exit 2" {
    printf '%s\n' 'experiment: spin' 'iterations: {measured: 0}' 'sed: 3' > bad.yaml
    run assay check bad.yaml
    [ "$status" = 2 ]
    [[ ${lines[0]} == bad.yaml:2:* ]]
    [[ $output == *"bad.yaml:3:1: "*"sed"*"did you mean 'seed'?"* ]]
    run assay check bad.yaml --json
    [ "$status" = 2 ]
    jq -e '.schema == "assay.problems/1" and .total == 2 and .problems[1].line == 3' <<< "$output"
}

@test "the first 20 problems, and the number of the rest" {
    { echo 'experiment: noop'; for i in $(seq 30); do echo "k$i: 1"; done; } > bad.yaml
    run assay check bad.yaml
    [ "$status" = 2 ]
    [ "${#lines[@]}" = 21 ]
    [ "${lines[20]}" = "and 10 more problems" ]
}

@test "a missing file is named, exit 2" {
    fails_with 2 "nowhere.yaml" assay check nowhere.yaml
    fails_with 2 "needs a spec file" assay check
    fails_with 2 "is a folder" assay check "$BATS_TEST_TMPDIR"
}

# refused FILE: exit 2 and one clear message, within 1 s of processor time and 100 MB.
refused() {
    run env -u LC_ALL /usr/bin/time -o used -f '%U %S %M' "$ASSAY_BIN" check "$1"
    echo "$1: exit $status: $(cut -c 1-200 <<< "${lines[0]}") ($(tail -n 1 used))"
    [ "$status" = 2 ]
    [[ ${lines[0]} == "$1:"* || ${lines[0]} == "assay: "* ]]
    [ "${#lines[0]}" -lt 700 ]
    [ -n "$ASSAY_SAN" ] || tail -n 1 used | awk '{ exit !($1 + $2 < 1 && $3 < 100 * 1024) }'
}

@test "hostile: deep nesting" {
    perl -e 'print "experiment: noop\nparams: ", "[" x 100000, "]" x 100000' > deep.yaml
    refused deep.yaml
    perl -e 'print "a:\n"; print " " x $_, "a:\n" for 1 .. 900' > indented.yaml
    refused indented.yaml
    perl -e 'print "{\"a\":" x 50000, "1", "}" x 50000' > deep.json
    refused deep.json
}

@test "hostile: alias bomb" {
    perl -e 'print "experiment: noop\nnotes: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
        for $i (1 .. 12) { print "k$i: &a$i [", join(", ", ("*a" . ($i - 1)) x 10), "]\n" }' \
        > bomb.yaml
    refused bomb.yaml
    printf 'experiment: noop\nparams: &a [*a]\n' > loop.yaml
    refused loop.yaml
}

@test "hostile: 100,000 keys" {
    perl -e 'print "experiment: noop\nparams:\n"; print "  k$_: 1\n" for 1 .. 30000' > keys.yaml
    refused keys.yaml
    perl -e 'print "{\"experiment\":\"noop\",\"params\":{",
        join(",", map { "\"$_\":1" } 1 .. 100000), "}}"' > keys.json
    refused keys.json
    perl -e 'print "experiment: noop\n"; print "a: 1\n" for 1 .. 60000' > same.yaml
    refused same.yaml
}

@test "hostile: NUL bytes, and bytes that are not UTF-8" {
    printf 'experiment: noop\nnotes: a\0b\n' > nul.yaml
    refused nul.yaml
    printf 'experiment: noop\nnotes: \377\376\n' > latin.yaml
    refused latin.yaml
    head -c 100000 /dev/zero > zero.yaml
    refused zero.yaml
    head -c 100000 "$ASSAY_BIN" > binary.yaml
    refused binary.yaml
}

@test "hostile: huge numbers" {
    for number in 1e999 99999999999999999999999 -1e400 .inf .nan \
        0x$(printf 'f%.0s' {1..400}) $(printf '9%.0s' {1..5000}); do
        printf 'experiment: noop\nseed: %s\n' "$number" > number.yaml
        refused number.yaml
    done
    printf 'experiment: noop\niterations: {measured: 9223372036854775807}\n' > many.yaml
    refused many.yaml
}

@test "hostile: a file of 1 MB, an endless one, a plan without end" {
    perl -e 'print "experiment: noop\nnotes: ", "x" x 1000000' > large.yaml
    refused large.yaml
    refused /dev/zero
    perl -e 'print "experiment: spin\nstrategy: random\nsamples: 1000000000\nsweep:\n  work: [1, 2]\n"' \
        > plan.yaml
    refused plan.yaml
}

@test "the longest time holds the warm-up, which until does not limit" {
    printf 'experiment: spin\nparams: {work_us: 2000}\niterations: {measured: 5}\n' > s.yaml
    assay run s.yaml -q
    echo 'until: {max_seconds: 0.01}' >> s.yaml
    sed -i 's/measured: 5/warmup: 1000/' s.yaml
    assay check s.yaml --json | jq -e '.estimated_s > 1.9'
}

@test "a problem is one plain line whatever the file's words hold" {
    printf 'experiment: noop\n"a\\e[31mb\\nc": 1\n' > t.yaml
    run assay check t.yaml
    [ "$status" = 2 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output == "t.yaml:2:1: unknown key 'a?[31mb c' of a spec"* ]]
}

@test "usual slips are told with what to do" {
    printf 'experiment: command\ncommand: echo hi\n' > s.yaml
    fails_with 2 "s.yaml:2:1: 'command' is a parameter of experiment 'command': it goes below 'params'" \
        assay check s.yaml
    printf 'experiment: noop\n\tseed: 1\n' > s.yaml
    fails_with 2 "is the next line indented too far, or by a tab?" assay check s.yaml
    printf 'experiment: command\nparams:\n  command: echo hi: there\n' > s.yaml
    fails_with 2 "s.yaml:3:19: not YAML: invalid nested block mapping on the same line; a text that contains ': ' needs quotes" \
        assay check s.yaml
}

@test "what this machine lacks for a spec is said, and the spec is right all the same" {
    assay describe instruments | grep -q 'gpu .*(not on this machine)' || return 0
    echo '{experiment: noop, instrumentation: [gpu]}' > s.yaml
    run assay check s.yaml
    [ "$status" = 0 ]
    [[ $output == *"assay: this machine cannot run it: instrument 'gpu'"* ]]
    echo '{experiment: noop, instrumentation: [{name: gpu, optional: true}]}' > s.yaml
    run assay check s.yaml
    [ "$status" = 0 ]
    [[ $output == *"without instrument 'gpu'"* ]]
}

@test "cells that take more than this machine has are named, and the spec is right all the same" {
    echo '{experiment: observation_flow, params: {num_agents: [1, 100000], radius: 100, fov_radius: 100}}' > s.yaml
    run assay check s.yaml
    [ "$status" = 0 ]
    [[ $output == *"this machine cannot run cell 2 (num_agents=100000): it takes about 210 GB of memory, and "* ]]
    [[ $output != *"cannot run cell 1"* ]]
    assay check s.yaml --json > plan 2> said # what is said is no part of the plan
    jq -e '.cells | length == 2' plan
    sed -i 's/\[1, 100000\]/[99996, 99997, 99998, 99999, 100000]/' s.yaml
    run assay check s.yaml
    [[ $output == *"this machine cannot run cell 3 (num_agents=99998)"* ]]
    [[ $output == *"nor 2 more of its cells"* ]]
}

@test "problems of a dataset name their file, and no column where none is known" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: a, process: {command: [cat]}}]
benchmarks: [{id: b, dataset: {source: cases.jsonl}}]
YAML
    : > cases.jsonl
    run assay check s.yaml
    [ "$status" = 2 ]
    [ "$output" = "./cases.jsonl: holds no cases" ]
    printf '{"id": "q", "input": "x"}\n{"id": "q", "input": "y"}\n' > cases.jsonl
    fails_with 2 "./cases.jsonl:2: id 'q' is taken by line 1" assay check s.yaml
    sed -i s/q/r/ cases.jsonl
    sed -i '1s/r/s/' cases.jsonl
    fails_with 2 "assay: --only: no benchmark is named or tagged 'zz'" assay run s.yaml --only zz
}

# ---- suites: what can be known before any work ----

suite_with() { # AGENT [BENCHMARK KEYS]
    printf 'suite: {id: s}\nagents: [%s]\nbenchmarks: [{id: b, cases: [{input: x, expected: x}]%s}]\n' "$1" "${2:+, $2}" > s.yaml
}
says() { # CODE TEXT
    run assay check s.yaml
    if [ "$status" -ne "$1" ] || [[ $output != *"$2"* ]]; then
        echo "exit $status, wanted $1 and '$2': $output"
        return 1
    fi
}

@test "what an agent lacks on this machine is said, and check exits 3" {
    suite_with '{id: a, process: {command: [no-such-program]}}'
    says 3 "agent 'a': command 'no-such-program' not found on PATH"
    suite_with '{id: a, process: {command: [./no-such.sh]}}'
    says 3 "agent 'a': command './no-such.sh' not found"
    suite_with '{id: a, process: {command: [sh, no-such.py]}}'
    says 3 "agent 'a': file 'no-such.py' does not exist"
    touch here.py
    suite_with '{id: a, process: {command: [sh, here.py]}}'
    says 3 "'here.py' is in this folder, but the agent works in another one"
    suite_with '{id: a, process: {command: [sh, here.py], workdir: .}}'
    says 0 "trials"
    suite_with '{id: a, plugin: {library: ./no.so}}'
    says 3 "agent 'a': library './no.so' does not exist"
    suite_with '{id: a, replay: {answers: no.jsonl}}'
    says 3 "agent 'a': the file of answers 'no.jsonl' does not exist"
    # What the environment brings cannot be known.
    suite_with '{id: a, process: {command: [./made.sh]}}' "environment: {setup: 'true'}"
    says 0 "trials"
}

@test "a variable that is not set is an error before any work" {
    unset NOT_SET
    for agent in '{id: a, process: {command: [cat], env: {K: {from: NOT_SET}}}}' \
        '{id: a, openai: {url: "http://127.0.0.1:9/v1", model: m, api_key_env: NOT_SET}}'; do
        suite_with "$agent"
        says 3 "the environment variable NOT_SET is not set"
        run assay run s.yaml
        [ "$status" -eq 3 ]
        [[ $output == *"agent 'a'"*"NOT_SET is not set"* ]]
    done
    suite_with '{id: a, process: {command: [cat]}}' 'environment: {env: {K: {from: NOT_SET}}}'
    says 3 "env.K: the environment variable NOT_SET is not set"
    [ ! -e .assay ]
    # A stand-in needs no key.
    suite_with '{id: a, openai: {url: "http://127.0.0.1:9/v1", model: m, api_key_env: NOT_SET}}' \
        'iterations: {warmup: 0, measured: 1}'
    assay run s.yaml --stub --quiet
}

@test "a key that stands in the file gets a warning, which does not show it" {
    suite_with '{id: a, process: {command: [cat], env: {OPENAI_API_KEY: abcdefgh12345678}}}'
    says 0 "agent 'a': env.OPENAI_API_KEY looks like a key and is stored in clear text: use {from: NAME}"
    [[ $output != *"abcdefgh12345678"*"looks like"* ]]
    suite_with '{id: a, http: {url: "http://127.0.0.1:9", headers: {Authorization: "Bearer abcdefgh12345678"}}}'
    says 0 "headers.Authorization looks like a key"
    suite_with '{id: a, process: {command: [cat], env: {MODE: fast, KEY_FILE: /etc/key, N: 3}}}'
    run assay check s.yaml
    [[ $output != *"looks like"* ]]
}

@test "slips in addresses, fields, claims and cases are found" {
    suite_with '{id: a, openai: {url: "127.0.0.1:9/v1", model: m}}'
    says 2 "url '127.0.0.1:9/v1' must begin with http:// or https://"
    suite_with '{id: a, http: {url: "http://127.0.0.1:9", body: {q: "{{inptu}}"}}}'
    says 2 "benchmark 'b': the case has no field 'inptu'; did you mean 'input'?"
    suite_with '{id: a, process: {command: [cat]}}' 'prompts: {p: "Say {{question}}"}'
    says 2 "the case has no field 'question'"
    suite_with '{id: a, process: {command: [cat]}}, {id: b, process: {command: [cat]}}' \
        'claims: [{name: c, metric: duration_s, compare: {agents: [a, zz]}, expect: {reduction: {min: 0}}}]'
    says 2 "'compare': no agent 'zz' is in this suite"
    suite_with '{id: a, process: {command: [cat], env: {K: {fro: X}}}}'
    says 2 "variable 'K' must be {from: NAME}"
    suite_with '{id: a, process: {command: [cat]}}' 'test_type: sythetic'
    says 2 "'test_type' must be one of synthetic, real_world, stress, edge_case"
    printf 'suite: {id: s}\nagents: [{id: a, process: {command: [cat]}}]\nbenchmarks: [{id: b, cases: [{input: x}, {input: y, expected: y}]}]\n' > s.yaml
    says 0 "1 of 2 cases have no expected answer and are not judged"
    printf 'id;input;expected\n1;x;y\n' > c.csv
    printf 'suite: {id: s}\nagents: [{id: a, process: {command: [cat]}}]\nbenchmarks: [{id: b, dataset: c.csv}]\n' > s.yaml
    says 2 "the header is one column, 'id;input;expected': columns are separated by ',' here"
}

@test "check takes --agent as run does" {
    printf '{"suite_id": "o", "suite_name": "O", "category": "accuracy", "created_at": "2026-11-15", "benchmarks": [{"benchmark_id": "w", "name": "Words", "cases": [{"input": "x", "expected": "x"}]}]}' > o.json
    printf 'agents: [{id: one, process: {command: [cat]}}]\n' > a.yaml
    assay agents add a.yaml
    assay check o.json --agent one
    assay run o.json --agent one --quiet -n 1
    [ "$(sqlite3 .assay/assay.db "SELECT settings FROM benchmarks" | jq -r '.name + " " + .suite_created_at')" = "Words 2026-11-15" ]
}

@test "--stub replaces judges too" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: a, process: {command: [cat]}}]
judges: [{id: j, openai: {url: "http://127.0.0.1:9/v1", model: x, api_key_env: NOT_SET, retry: {max: 0}}}]
benchmarks: [{id: b, cases: [{input: x}, {input: y}], rubric: {check: judge, agent: j}, iterations: {warmup: 0, measured: 1}}]
YAML
    assay run s.yaml --stub --quiet
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results WHERE detail LIKE '%simulated%' AND status = 'ok'")" -eq 2 ]
}

@test "check: the hash of a plan is the one that a run keeps" {
    echo '{experiment: noop}' > s.yaml
    hash=$(assay check s.yaml --json | jq -r .hash)
    [ "$hash" = "$(assay run s.yaml --dry-run --json | jq -r .hash)" ]
    assay run s.yaml -q > /dev/null
    [ "$hash" = "$(assay show --json | jq -r .run.spec_hash)" ]
    [ "$hash" != "$(assay run s.yaml --seed 1 --dry-run --json | jq -r .hash)" ]
}
