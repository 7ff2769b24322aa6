#!/usr/bin/env bats
# `assay report --site`: the page with its answers as files. What a browser makes of it:
# tests/web/site.bats; that no key is in it: secrets.bats.
load ../helper

fill() {
    cat > s.yaml <<'YAML'
suite: {id: small, category: accuracy}
agents:
  - {id: cat, process: {command: [cat]}}
  - {id: "rev & co/1", process: {command: [rev]}}
benchmarks:
  - id: echo
    cases: [{id: a, input: abc, expected: abc}, {id: b, input: level, expected: level}]
    rubric: [{check: exact}]
    iterations: {warmup: 0, measured: 2}
YAML
    for _ in 1 2 3; do assay run s.yaml -q > /dev/null; done
}

needs_page() {
    run assay report --site "$BATS_TEST_TMPDIR/probe"
    [ "$status" != 3 ] || skip "built without the page (make WEB=0)"
    rm -rf "$BATS_TEST_TMPDIR/probe"
}

# file TARGET: where its answer is.
file() { echo "pub/data/$(jq -er --arg t "$1" '.answers[$t]' pub/site.json)"; }

# same TARGET COMMAND...: the file is what the command prints with --json.
same() {
    local target=$1
    shift
    "$ASSAY_BIN" "$@" --json > printed || true
    cmp printed "$(file "$target")"
}

@test "site: files are what the commands print, byte by byte" {
    fill
    needs_page
    assay report --site pub 2> said
    grep -q 'wrote pub: answers [0-9]*, runs 3, agents 2, suites 1' said
    id=$(assay list --json | jq -r '.runs[0].id')
    same '/benchmarks/leaderboard?since=30d' leaderboard
    same '/benchmarks/leaderboard?since=all&metric=speed&suite=small' leaderboard --since all --metric speed --suite small
    same '/benchmarks/versus?a=cat&b=rev%20%26%20co%2F1&suite=small' versus cat 'rev & co/1' --suite small
    same "/benchmarks/runs/$id" show "$id"
    same "/benchmarks/runs/$id/cases" cases "$id"
    same "/benchmarks/profiles/$id" profile "$id"
    same "/benchmarks/cost?run=$id" cost "$id"
    same '/benchmarks/agents/rev%20%26%20co%2F1/trend' trend --agent 'rev & co/1'
    same '/benchmarks/agents/cat/regressions' regressions --agent cat
    same '/benchmarks/runs?limit=30' list --limit 30
    same '/benchmarks/suites?all=true' suites list --all
    [ "$(jq -r .schema pub/site.json)" = assay.site/1 ]
    grep -q '<meta name="assay-site"' pub/index.html
    # each file is named, and each name is a file
    jq -r '.answers[]' pub/site.json | sort -u > named
    find pub/data -type f -printf '%f\n' | sort | cmp - named
    find pub -type f | grep -v '^pub/data/' | sort > rest
    printf 'pub/%s\n' app.css app.js index.html logo.svg site.json | cmp - rest
}

@test "site: the newest runs are in it, and no list names another; it is written again in place" {
    fill
    needs_page
    assay report --site pub --runs 1 -q
    newest=$(assay list --json | jq -r '.runs[0].id')
    for limit in 0 1 30 100; do
        [ "$(jq -r '.runs[].id' "$(file "/benchmarks/runs?limit=$limit")")" = "$newest" ]
    done
    echo mine > pub/README
    echo mine > pub/data/notes.txt
    assay forget latest -q > /dev/null
    next=$(assay list --json | jq -r '.runs[0].id')
    [ "$next" != "$newest" ]
    assay report --site pub --runs 1 -q
    run grep -rl "$newest" pub
    [ -z "$output" ]
    [ "$(jq -r '.runs[].id' "$(file "/benchmarks/runs?limit=30")")" = "$next" ]
    [ "$(cat pub/README pub/data/notes.txt)" = "$(printf 'mine\nmine')" ]
    jq -r '.answers[]' pub/site.json | sort -u > named
    find pub/data -name '*.json' -printf '%f\n' | sort | cmp - named
}

@test "site: what is not a site is left alone, and links lead nowhere" {
    fill
    needs_page
    mkdir full outside
    echo mine > full/site.json
    fails_with 2 "'full' is not empty and holds no site" assay report --site full
    [ "$(ls full)$(cat full/site.json)" = site.jsonmine ]
    ln -s outside link
    fails_with 2 "'link' is a link" assay report --site link
    fails_with 2 "'link/' is a link" assay report --site link/
    assay report --site pub -q
    rm -r pub/data pub/app.js
    ln -s ../outside pub/data
    fails_with 2 "'data' is a link" assay report --site pub
    [ -z "$(ls outside)" ]
    rm pub/data
    echo theirs > outside/app.js
    ln -s ../outside/app.js pub/app.js
    assay report --site pub -q
    [ "$(cat outside/app.js)" = theirs ]
    [ ! -L pub/app.js ]
    fails_with 2 'omit RUN' assay report latest --site pub
    fails_with 2 'runs' assay report --site pub --runs 0
}

@test "site: a write that fails says so and leaves the old one whole" {
    fill
    needs_page
    assay report --site pub -q
    cp -r pub before
    assay run s.yaml -q > /dev/null
    ASSAY_FAULT=write:40:ENOSPC fails_with 1 'cannot write' assay report --site pub
    cmp pub/site.json before/site.json
    jq -r '.answers[]' pub/site.json | while read -r name; do [ -s "pub/data/$name" ]; done
    [ -z "$(find pub -name '*.part')" ]
    assay report --site pub -q
    run cmp pub/site.json before/site.json
    [ "$status" = 1 ]
}
