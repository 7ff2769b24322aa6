#!/usr/bin/env bats
# The commands that look into a store: show, report, list, forget, prune.
load ../helper

measure() { assay run --quiet -n 8 -c true -c 'sleep 0.02' > /dev/null; }
ids() { assay list --limit 0 --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4; }

@test "show: medians, intervals, comparison" {
    measure
    run assay show
    [ "$status" = 0 ]
    [[ $output == *"8 of 8 ok"* && $output == *"duration_s"* ]]
    [[ $output == *" x ["*"faster than"* ]]
    [[ $output != *$'\033'* ]]
}

@test "show --explain says where each number comes from" {
    measure
    run assay show latest --explain
    for word in "8 values" warm-up CLOCK_MONOTONIC_RAW overhead variation outliers shape \
        definition seed; do
        [[ $output == *"$word"* ]] || { echo "not said: $word"; false; }
    done
}

@test "show --reproduce is a script that runs it again" {
    measure
    assay show --reproduce > again
    grep -q '^# seed: ' again
    PATH="${ASSAY_BIN%/*}:$PATH" sh again > /dev/null
    [ "$(ids | wc -l)" = 2 ]
}

@test "what a label holds gives the terminal no orders" {
    assay run --quiet -n 6 -c $': \033[31m' -c true > /dev/null
    fails_with 2 "cannot be a name" assay baseline set $'b\033[5m'
    assay baseline set --quiet b > /dev/null # of an earlier version, or by another hand
    sqlite3 .assay/assay.db "UPDATE baselines SET name = 'b' || char(27) || '[5m'"
    sqlite3 .assay/assay.db "UPDATE runs SET spec_path = char(27) || '[2J'"
    for command in "show" "compare latest" "baseline list" "profile" "list" "regressions"; do
        run assay $command
        [[ $output != *$'\033'* ]] || { echo "$command: $output"; false; }
        iconv -f utf-8 -t utf-8 <<< "$output" > /dev/null
    done
    run assay compare latest
    [[ $output == *'\x1b[31m'* ]]
}

@test "a run's id cannot add a line to the script that reproduces it" {
    measure
    sqlite3 .assay/assay.db "PRAGMA foreign_keys = OFF; UPDATE runs SET id = 'x' || char(10) || 'touch y'"
    run assay show --reproduce
    [[ $output == *"# run: x touch y"* ]]
    [ "$(grep -c '^touch' <<< "$output")" = 0 ]
}

@test "show --reproduce --json has what the script has" {
    assay run -q -n 3 --seed 7 -- true > /dev/null
    assay show --reproduce --json > r
    jq -e '.schema == "assay.reproduce/1" and .seed == 7 and .vcs == null' r
    jq -e '.command[1:] == ["run", "-q", "-n", "3", "--seed", "7", "--", "true"]' r
    [ "$(jq -r .run r)" = "$(ids)" ]
    [ "$(jq -r .spec r)" = "$(assay show --spec)" ]
    jq -e '(.environment.cpus > 0) and (.spec_hash | length == 64) and .spec_path == "(command line)"' r
}

@test "show --json and report --format json agree" {
    measure
    assay show --json > a
    assay report --format json > b
    cmp a b
    grep -q '"schema":"assay.report/1"' a
}

@test "report: the file's ending decides" {
    measure
    for ending in txt json csv md html; do
        assay report --quiet --out "r.$ending"
        [ -s "r.$ending" ]
    done
    grep -q '^<!doctype html>' r.html
    [ "$(wc -l < r.csv)" -ge 17 ]
    fails_with 2 "did you mean 'csv'" assay report --format cvs
    fails_with 2 "cannot write 'no/such/r.html'" assay report --out no/such/r.html
}

@test "the environment in reports has facts only: no null, and warnings stand apart" {
    assay run -n 1 -q -- true
    for format in markdown html; do
        assay report --format $format > out
        grep -q hostname out
        [ "$(grep -c '| null |\|<dd>null' out)" = 0 ]
        [ "$(grep -ci '| warnings |\|<dt>warnings' out)" = 0 ]
    done
}

@test "list: newest first, filtered" {
    measure
    measure
    [ "$(ids | wc -l)" = 2 ]
    [ "$(ids | sort -r)" = "$(ids)" ]
    run assay list --limit 1
    [ "${#lines[@]}" = 2 ]
    [[ ${lines[1]} == *finished* ]]
    run assay list --since 1h --quiet
    [ "${#lines[@]}" = 2 ]
    run assay list --tag nothing
    [ "$output" = "no runs" ]
    fails_with 2 "--since must be a time" assay list --since soon
}

@test "forget removes what it names, all or nothing" {
    measure
    measure
    local newest
    newest=$(ids | head -n 1)
    fails_with 2 "no run 'ffff" assay forget "$newest" ffffffff
    [ "$(ids | wc -l)" = 2 ]
    run assay forget "$newest" "$newest"
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output == "forgot ${newest:24}"* ]]
    [ "$(ids | wc -l)" = 1 ]
    fails_with 2 "name the runs" assay forget
}

@test "prune keeps the newest" {
    measure
    measure
    local newest
    newest=$(ids | head -n 1)
    run assay prune --keep 1 --dry-run
    [[ ${lines[1]} == "1 would be forgotten, 1 kept" ]]
    [ "$(ids | wc -l)" = 2 ]
    assay prune --older-than 1d
    [ "$(ids | wc -l)" = 2 ]
    run assay prune --keep 1 --compact
    [ "$status" = 0 ]
    [ "$(ids)" = "$newest" ]
    fails_with 2 "say what to keep" assay prune
    fails_with 2 "--older-than must be a time span" assay prune --older-than soon
}

@test "no store is said, and not made" {
    for name in show report list "prune --keep 1"; do
        # shellcheck disable=SC2086
        fails_with 2 "there is no store at" assay $name
    done
    [ ! -e .assay ]
}

@test "latest~1 is the run before, for every command that takes a run" {
    assay run --quiet -n 1 -- true
    assay run --quiet -n 1 -- echo second
    [[ $(assay show latest~1) == *$'\ntrue '* ]]
    assay report latest~1 --format csv | grep -q ',true,'
    assay baseline set old latest~1
    run assay show latest~2
    [ "$status" = 2 ]
    [[ $output == *"there is no latest~2: the store has 2 runs"* ]]
    assay forget latest~1 --quiet --force
    [[ $(assay show latest) == *$'\necho second '* ]]
}

@test "a name that begins with latest is a name everywhere, and latest cannot be one" {
    assay run -q -n 3 -- true > /dev/null
    assay run -q -n 3 -- true > /dev/null
    assay baseline set latest-good latest~1
    pinned=$(assay list --json | jq -r '.runs[1].id')
    [ "$(assay show latest-good --json | jq -r .run.id)" = "$pinned" ]
    [ "$(assay show latest-good:0 --json | jq -r .run.id)" = "$pinned" ]
    assay compare latest-good latest --json | jq -e --arg id "$pinned" '.a.run == $id'
    assay regressions --baseline latest-good > out || [ $? = 1 ]
    grep -q "latest-good" out
    fails_with 2 "'latest' cannot be a name" assay baseline set latest
    fails_with 2 "'latest~1' cannot be a name" assay baseline set latest~1
    fails_with 2 "write latest~1 for the run before" assay show latest~x
    fails_with 2 "'latestx' is not a run, agent, pinned name" assay show latestx
}

@test "prune spares what is pinned as a baseline" {
    measure
    assay baseline set good --quiet
    good=$(ids)
    measure
    measure
    [[ $(assay prune --keep 1 --dry-run) == *"1 would be forgotten, 2 kept, 1 of them as baselines"* ]]
    assay prune --keep 1 --quiet
    [ "$(ids | wc -l)" = 2 ]
    ids | grep -q "$good"
    assay prune --older-than 0d --quiet
    [ "$(ids)" = "$good" ]
}

@test "list tells one-liners apart by what they ran" {
    assay run --quiet -n 1 -- true
    assay run --quiet -n 1 -c 'echo a' -c "printf 'b\\n'"
    [ "$(assay list | awk 'NR > 1' | sed 's,.* [0-9]*  ,,')" = $'echo a and 1 more\ntrue' ]
}

@test "branch: and tag: name their newest run" {
    git init -q -b side . && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x
    echo '{experiment: noop, tags: [nightly], iterations: {measured: 2}}' > s.yaml
    assay run s.yaml --quiet
    assay run --quiet -n 1 -- true
    [[ $(assay show tag:nightly) == *$'\ns.yaml, seed'* ]]
    [[ $(assay report branch:side) == *$'\ntrue '* ]]
    fails_with 2 "made on branch 'nosuch'" assay show branch:nosuch
    fails_with 2 "has the tag 'nosuch'" assay show tag:nosuch
}

@test "show and report take an agent, a cell, a result file and a folder of them" {
    echo '{suite: {id: s}, benchmarks: [{id: b, cases: [{input: a, expected: a}, {input: b, expected: b}]}],
           agents: [{id: right, process: {command: [cat]}}, {id: wrong, process: {command: [echo, no]}}]}' > s.yaml
    assay run -q s.yaml --out o
    run assay show wrong
    [[ $output == *"agent=wrong"*"10 of 10 ok"* ]]
    [[ $output == *"b, wrong"* && $output != *right* ]]
    run assay show latest:0
    [[ $output == *"b, right"* && $output != *wrong* ]]
    whole=$(assay report latest --format json | jq '.cells[0].metrics')
    run assay report right --format json
    [ "$(jq '.cells | length' <<< "$output")" = 1 ]
    [ "$(jq '.cells[0].metrics' <<< "$output")" = "$whole" ]
    run assay show o/*/cell-001.json --store sqlite:none.db
    [ "$status" = 0 ]
    [[ $output == *"agent=wrong"* && $output != *1970* ]]
    run assay show o/* --store sqlite:none.db
    [[ $output == *"agent=right"*"agent=wrong"* ]]
    run assay show rihgt
    [ "$status" = 2 ]
    [[ $output == *"'rihgt' is not a run, agent, pinned name, result file"* ]]
}
