#!/usr/bin/env bats
# What is the same thing, in which version, and what it is called.
load ../helper

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
    assay gate gate.yaml --baseline latest~1 > out
    grep -q "measured on host 'other'" out
    grep -q "was in the baseline (run .*) and is missing now" out
    assay gate gate.yaml --baseline latest~1 --json | jq -e '.notes | length == 2'
    assay gate gate.yaml --baseline latest~1 --markdown out
    grep -q "host 'other'" out
    assay regressions --baseline latest~1 > out || true
    grep -q "and is missing now" out
}

@test "pinned names are selectors" {
    printf 'experiment: command\nsweep: {command: [["true"], [sh, -c, ":"]]}\niterations: {measured: 6}\n' > two.yaml
    assay run -q two.yaml
    assay baseline set main latest
    assay run -q two.yaml
    printf '#!/bin/sh\n' > main # a program of that name is no result file
    chmod +x main
    assay compare main latest --json > out
    jq -e '.cells | length == 2' out
    jq -e '.a.run != .b.run' out
    assay show main > /dev/null
    assay compare main:0 latest:0 > /dev/null
    assay forget latest~1 > /dev/null
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
