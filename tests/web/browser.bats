#!/usr/bin/env bats
# The page in a real browser, on a store filled by real runs (fill, walk.mjs). Screenshots of
# every view are left in the build folder. `make test-slow` looks at two forms; `make soak` at all
# four, and at every scenario of stress.
load ../helper
load ../serve

setup_file() {
    local said
    grep -qs WEB_ETAG "$ROOT/build/web/dist/etag.h" || { export NOT_HERE="built without the page (make WEB=0)"; return; }
    if said=$("$BATS_TEST_DIRNAME/setup"); then
        export DRIVER=$said
    else
        export NOT_HERE=$said
    fi
}

teardown() { end_serve || true; }

@test "browser: every view is whole, readable and says what the server says" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    "$ROOT/tests/web/fill" "$PWD/store" ${ASSAY_SOAK:+all}
    serve --store "$PWD/store"
    local forms="1280-light 390-dark"
    [ -z "$ASSAY_SOAK" ] || forms="1280-light 1280-dark 390-light 390-dark"
    # shellcheck disable=SC2086 # words
    run node "$DRIVER/walk.mjs" "$URL" "$BUILD_DIR/screenshots" $forms
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<< "$output")" -ge 36 ]
}

@test "browser: keys, sliders, table form and downloads work; a run is started and watched" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub --only whole-numbers --agent bc --agent awk --agent shell -q > /dev/null
    assay suites add -q demo.yaml
    serve
    run node "$DRIVER/use.mjs" "$URL"
    echo "$output"
    [ "$status" = 0 ]
}

# thirty NAME AGENTS: a suite of thirty cases; every second answer of `bad` begins right and ends wrong.
thirty() {
    local name=$1 agents=$2
    printf 'suite: {id: %s, name: %s, category: accuracy, version: "1"}\nagents:\n%b' "$name" "$name" "$agents"
    echo 'iterations: {warmup: 0, measured: 1}'
    echo 'benchmarks: [{id: lines, rubric: [{check: contains}], cases: ['
    for i in $(seq 30); do echo "  {id: c$i, input: \"1$i\", expected: \"1$i\"},"; done
    echo ']}]'
}

@test "browser: a short address, or an odd one, opens what it means" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    good='  - {id: good, version: "1", process: {command: "sed s/$/-so-it-is/"}}\n'
    bad='  - {id: bad, version: "1", process: {command: "sed s/[13579]$/x/"}}\n'
    thirty old "$good$bad" > old.yaml
    thirty new "$good" > new.yaml
    sed 's,id: bad.*,id: gone\, version: "1"\, process: {command: [/nonexistent/program]}},; s/suite: {id: old, name: old/suite: {id: broken, name: broken/' old.yaml > broken.yaml
    assay run -q broken.yaml > /dev/null 2>&1 || [ $? = 1 ]
    thirty a-none '  - {id: gone, version: "1", process: {command: [/nonexistent/program]}}\n' > none.yaml
    assay run -q none.yaml > /dev/null 2>&1 || [ $? = 3 ]
    long=an-agent-with-a-name-that-was-made-of-a-branch-a-model-and-a-day-2026-11-18
    worse='  - {id: worse, version: "1", process: {command: "sed s/[1-7]$/x/"}}\n'
    { thirty prompted "$bad$worse" | sed "s/id: worse/id: $long/"; echo 'prompts: {short: "{{input}}", long: "say {{input}}"}'; } > prompted.yaml
    assay run -q prompted.yaml > /dev/null
    for spec in old old new; do assay run -q $spec.yaml > /dev/null; done
    printf 'route,latency_ms\n/a,3\n/a,4\n/a,5\n' > times.csv
    assay import -q times.csv --by route --column latency_ms --agent web --version 1.2 > /dev/null
    for i in $(seq 31); do assay run -q -n 2 --name fast -c 'printf "%s" x' --name slow -c 'sleep 0.002' > /dev/null; done
    sqlite3 .assay/assay.db "UPDATE runs SET notes = '[{\"kind\":\"disturbed\",\"text\":\"other work took 40 % of it\"}]'
        WHERE id = '$(assay list --suite old --json | jq -r '.runs[0].id')'"
    serve
    run node "$DRIVER/open.mjs" "$URL"
    echo "$output"
    [ "$status" = 0 ]
}

@test "browser: of 100,000 executions the first row is painted within a second, median of ten" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    needs_wall_clock
    "$BUILD_DIR/bench/leaderboard" fill sqlite:.assay/assay.db 100000
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub -q > /dev/null
    serve
    run node "$DRIVER/first.mjs" "$URL" 10
    echo "$output"
    [ "$status" = 0 ]
    [ "$(sed 's/median \([0-9]*\) .*/\1/' <<< "$output")" -lt 1000 ]
}
