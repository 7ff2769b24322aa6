#!/usr/bin/env bats
# What is the same thing, in which version, and what it is called.
load ../helper

teardown() {
    [ -z "$stub" ] || kill "$stub" 2> /dev/null || true
}

# commit SECONDS: a program that takes that long (planted), committed.
commit() {
    [ -d .git ] || git init -q -b main .
    printf '#!/bin/sh\n# %s\n' "$1" > work
    chmod +x work
    git add work
    git -c user.name=n -c user.email=e@x commit -qm "$1"
}

measure() {
    assay run --quiet -n 12 -- ./work
    plant "$1"
}

short() { git rev-parse --short=8 "$1"; }

@test "a second run of one commit is compared with the commit before, by name" {
    commit 0.01
    measure 0.01
    commit 0.05
    measure 0.05
    measure 0.05
    run assay regressions latest
    [ "$status" = 1 ]
    [[ $output == *"(commit $(short HEAD)) against commit $(short HEAD~1) (run "* ]]
    run assay regressions
    [ "$status" = 1 ]
    printf 'policy: p\nblock: [{slower_than: 5 %%}]\n' > gate.yaml
    run assay gate gate.yaml latest
    [ "$status" = 1 ]
    assay gate gate.yaml --json > out || true
    jq -e --arg now "$(git rev-parse HEAD)" --arg old "$(git rev-parse HEAD~1)" \
        '.commit == $now and .checks[0].baseline_commit == $old' out
    for format in markdown junit; do
        assay gate gate.yaml "--$format" "out.$format" || true
        grep -q "commit $(short HEAD~1)" "out.$format"
    done
    assay regressions --json > out || true
    jq -e --arg old "$(git rev-parse HEAD~1)" '.regressions[0].baseline_commit == $old' out
    assay regressions --baseline "$(short HEAD)" latest~2 > out || true
    grep -q "against commit $(short HEAD) " out
}

@test "list, show and compare name the commit" {
    commit 0.01
    measure 0.01
    commit 0.02
    measure 0.02
    assay list | grep -q "commit $(short HEAD~1)"
    assay list --json | jq -e --arg id "$(git rev-parse HEAD)" '.runs[0].commit == $id'
    assay show | grep -q "commit $(short HEAD)"
    assay compare latest~1 latest > out
    grep -q "^A .*commit $(short HEAD~1)" out
    assay compare latest~1 latest --json |
        jq -e --arg id "$(git rev-parse HEAD~1)" '.a.commit == $id'
}

@test "uncommitted changes are a version of their own, results beside the sources are not" {
    commit 0.01
    measure 0.01
    echo "# slower" >> work
    measure 0.05
    touch report.html results.json
    measure 0.05
    run assay regressions latest
    [ "$status" = 1 ]
    [[ $output == *"(commit $(short HEAD) + changes "*") against commit $(short HEAD) (run "* ]]
    [ "$(assay list --json | jq -r '.runs[:2] | map(.version) | unique | length')" = 1 ]
    echo 'int main;' > more.c
    measure 0.01
    assay regressions latest --json > out || true # what was not planted may do as it likes
    jq -e '[.improvements[].metric] | index("duration_s") != null' out
}

@test "without version control each run is a version" {
    printf '#!/bin/sh\n' > work
    chmod +x work
    measure 0.01
    measure 0.05
    run assay regressions
    [ "$status" = 1 ]
    measure 0.05
    assay regressions --json > out || true
    jq -e '[.unchanged[].metric] | index("duration_s") != null' out
}

@test "the id that is shown is unique and is understood" {
    printf 'x\n1\n2\n3\n' > a.csv
    for i in 1 2 3 4 5 6; do sed "s/1/$i/" a.csv > "b$i.csv"; done
    assay import --format csv b*.csv > /dev/null
    assay list --quiet | cut -d' ' -f1 > ids
    [ "$(sort -u ids | wc -l)" = 6 ]
    while read -r id; do
        assay show "$id" | grep -q "^run .*$id"
        assay show "${id:0:8}" > /dev/null
    done < ids
    run assay regressions "$(head -n 1 ids)"
    [[ $output == *"run $(head -n 1 ids)"* ]]
}

@test "gate and regressions say that hosts differ, and what is missing" {
    printf 'experiment: command\nsweep: {command: [["true"], [sh, -c, ":"]]}\niterations: {measured: 8}\n' > two.yaml
    printf 'experiment: command\nparams: {command: ["true"]}\niterations: {measured: 8}\n' > one.yaml
    assay run -q two.yaml
    sqlite3 .assay/assay.db "UPDATE runs SET environment = json_set(environment, '\$.hostname', 'other')"
    assay run -q one.yaml
    printf 'policy: p\nblock: [{slower_than: 900 %%}]\n' > gate.yaml
    assay gate gate.yaml --baseline latest~1 > out || [ $? = 1 ]
    grep -q "measured on host 'other'" out
    grep -q "undecided .* duration_s cannot be compared: .*different machines do not compare" out
    grep -q "violated .* is in the baseline and not in run" out
    (assay gate gate.yaml --baseline latest~1 --json || [ $? = 1 ]) | jq -e '.notes | length == 1'
    assay gate gate.yaml --baseline latest~1 --markdown out || [ $? = 1 ]
    grep -q "host 'other'" out
    assay regressions --baseline latest~1 > out || true
    grep -q "and is missing now" out
}

@test "pinned names are selectors" {
    printf 'experiment: command\nsweep: {command: [["true"], [sh, -c, ":"]]}\niterations: {measured: 6}\n' > two.yaml
    assay run -q two.yaml
    assay baseline set main latest
    assay run -q two.yaml
    printf '#!/bin/sh\n' > main # a program of that name is not a result file
    chmod +x main
    assay compare main latest --json > out
    jq -e '.cells | length == 2' out
    jq -e '.a.run != .b.run' out
    assay show main > /dev/null
    assay compare main:0 latest:0 > /dev/null
    assay forget --force latest~1 > /dev/null
    fails_with 2 "the run pinned as 'main' was forgotten" assay compare main latest
}

@test "a baseline is pinned again for a new version, and the reason for none is true" {
    spec() {
        printf 'suite: {id: s}\nagents: [{id: a, version: "%s", process: {command: [cat]}}]\n' "$1"
        printf 'benchmarks: [{id: b, cases: [{input: x, expected: x}], iterations: {warmup: 0, measured: 6}}]\n'
    }
    spec 1 > s.yaml
    assay run -q s.yaml
    assay baseline set main
    spec 2 > s.yaml
    assay run -q s.yaml
    assay baseline set main
    [ "$(assay baseline list --json | jq '.baselines | length')" = 1 ]
    [ "$(assay baseline list --json | jq -r '.baselines[0].agent_version')" = 2 ]
    assay run -q -n 6 -- true
    assay baseline set main
    assay run -q -n 6 -- sh -c :
    assay regressions --baseline main > out
    grep -q "the run pinned as 'main' has no such cell" out
}

@test "a name is what a command is: its history survives a changed path" {
    printf '#!/bin/sh\n' > a.sh
    chmod +x a.sh
    cp a.sh b.sh
    assay run -q -n 8 --name work -- ./a.sh
    plant 0.01
    assay run -q -n 8 --name work -- ./b.sh
    plant 0.05
    assay show | grep -q '^work '
    run assay regressions latest
    [ "$status" = 1 ]
    [[ $output == *"command: work, duration_s"* ]]
    [ "$(assay trend duration_s --json | jq '.series | length')" = 1 ]
    assay run -q -n 2 --name one --name two -c ./a.sh -c ./b.sh --save-spec s.yaml
    [ "$(sqlite3 .assay/assay.db 'SELECT name FROM benchmark_executions ORDER BY rowid DESC LIMIT 2' | sort | xargs)" = "one two" ]
    assay run -q s.yaml
    assay compare latest~1 latest --json | jq -e '[.cells[].label] == ["one", "two"]'
    fails_with 2 "--name is given 1 time for 2 commands" assay run --name one -c ./a.sh -c ./b.sh
    printf 'experiment: command\nname: w\nparams: {command: ./a.sh}\nsweep: {parameters.n: [1, 2]}\n' > n.yaml
    assay run -q n.yaml
    assay show | grep -q '^w, n=2 '
    printf 'experiments: [{experiment: command, name: w, params: {command: ./a.sh}}, {experiment: command, name: w, params: {command: ./b.sh}}]\n' > twice.yaml
    fails_with 2 "two cells are called 'w'" assay check twice.yaml
    printf 'experiment: command\nname: [w]\nsweep: {command: [./a.sh, ./b.sh]}\n' > few.yaml
    fails_with 2 "'name' has 1 name for 2" assay check few.yaml
}

# model MODEL [VERSION]: a run of a model of that name, which a stub serves.
model() {
    if [ -z "$stub" ]; then
        "$ASSAY_BIN" stub --listen 127.0.0.1:0 > stub.out 2>&1 3>&- &
        stub=$!
        for _ in $(seq 100); do grep -q listening stub.out && break; sleep 0.05; done
        url=$(sed -n '1s/.*listening on //p' stub.out)
    fi
    cat > m.yaml <<SPEC
suite: {id: m}
agents: [{id: gpt, ${2:+version: "$2", }openai: {url: "$url", model: $1, temperature: 0.5, retry: {max: 0}}}]
benchmarks: [{id: b, cases: [{input: x, expected: x}], rubric: contains, iterations: {warmup: 0, measured: 2}}]
SPEC
    assay run -q m.yaml
    # what a stub answers is simulated, which is no baseline
    sqlite3 .assay/assay.db "UPDATE benchmark_executions SET provenance = 'measured'"
}

@test "another model under the same name is another version, and is noted" {
    model small 1
    model large 1
    assay compare latest~1 latest > out || true
    grep -q 'different agent configurations: .*"model":"small".*"model":"large"' out
    sqlite3 .assay/assay.db 'SELECT model_configuration FROM benchmark_executions' | grep -q '"temperature":0.5'
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM benchmark_executions WHERE model_configuration LIKE '%127.0.0.1%'")" = 0 ]
    assay regressions --agent gpt > out || true
    grep -q 'against version 1 with another configuration' out
}

@test "without a version the hash of model and configuration is it" {
    model small
    model large
    [ "$(sqlite3 .assay/assay.db 'SELECT count(DISTINCT agent_version) FROM benchmark_executions')" = 2 ]
    [ "$(sqlite3 .assay/assay.db 'SELECT DISTINCT version_kind FROM benchmark_executions')" = hash ]
    local first
    first=$(sqlite3 .assay/assay.db 'SELECT agent_version FROM benchmark_executions ORDER BY rowid LIMIT 1')
    assay regressions --agent gpt > out || true
    grep -q "against version $first" out
    assay show "gpt@$first" | grep -q "b, gpt $first"
}

prompts() {
    cat > p.yaml <<'SPEC'
suite: {id: p}
agents: [{id: one, version: "1", process: {command: [sh], mode: oneshot}}, {id: two, version: "1", process: {command: [sh], mode: oneshot}}]
prompts: {good: "echo {{input}}", bad: "echo {{input}}x"}
benchmarks:
  - id: echo
    cases: [{input: ab, expected: ab}, {input: cd, expected: cd}, {input: ef, expected: ef}]
    rubric: [{check: exact, weight: 1}]
    iterations: {warmup: 0, measured: 1}
SPEC
    assay run -q p.yaml
}

@test "scores name the prompt, and versus matches prompts" {
    prompts
    assay show > out
    grep -A1 '^ *echo, one 1, prompt good$' out | grep -q '1\.000'
    grep -A1 '^ *echo, one 1, prompt bad$' out | grep -q '0\.000'
    assay versus one two --suite p --json > out
    jq -e '[.benchmarks[] | "\(.benchmark) \(.cases)"] | sort ==
        ["echo, prompt bad 3", "echo, prompt good 3"]' out
}

@test "two versions in one run are told apart by their labels" {
    cat > v.yaml <<'SPEC'
suite: {id: v}
agents: [{id: web, version: "1", process: {command: [cat]}}, {id: web, version: "2", process: {command: [cat]}}]
benchmarks: [{id: b, cases: [{input: x, expected: x}], iterations: {warmup: 0, measured: 2}}]
SPEC
    assay run -q v.yaml
    assay compare latest --json | jq -e '.cells[0] | .label == "b, agent=web@1" and .label_b == "b, agent=web@2"'
}

# A cell of trials of two commits would be a baseline that hides what changed between them.
@test "--resume goes on with the same sources only, where they are the version" {
    git init -q . && git config user.email a@b && git config user.name a
    printf '.assay/\nstream\n' > .gitignore
    echo 'sleep 0.02' > work.sh
    echo '{experiment: command, params: {command: "sh work.sh"}, iterations: {measured: 100}}' > c.yaml
    {
        echo 'suite: {id: s}'
        echo "agents: [{id: a, version: '1', process: {command: 'sleep 0.02; cat'}}]"
        echo 'benchmarks: [{id: b, iterations: {warmup: 0, measured: 100}, cases: [{input: x, expected: x}]}]'
    } > s.yaml
    git add . && git commit -qm one
    for spec in c.yaml s.yaml; do
        "$ASSAY_BIN" run $spec --json > stream 2> /dev/null &
        pid=$!
        until [ "$(grep -c '"event":"iteration"' stream)" -ge 3 ]; do sleep 0.01; done
        kill -INT $pid
        wait $pid || [ $? = 130 ]
    done
    echo 'sleep 0.04' > work.sh
    fails_with 2 " + changes " assay run c.yaml --resume
    git commit -qam two
    fails_with 2 "start a new run without --resume" assay run c.yaml --resume
    assay run s.yaml --quiet --resume > /dev/null # its version is stated
    git checkout -q HEAD~1
    assay run c.yaml --quiet --resume > /dev/null
}
