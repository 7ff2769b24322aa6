#!/usr/bin/env bats
load ../helper

@test "a store of an older version is refused until it is migrated" {
    assay run --quiet -n 1 -- true
    assay migrate | grep -Ex 'sqlite:.*: schema [0-9]+ already'
    [ "$(assay migrate --json | jq -r .schema)" = assay.migrate/1 ]
    assay migrate --json | jq -e '.from == .to and .to > 1'
    sqlite3 .assay/assay.db 'PRAGMA user_version = 9999'
    run assay list
    [ "$status" = 2 ]
    [[ $output == *9999* ]]
    run assay migrate
    [ "$status" = 2 ]
}

@test "a store with a schema version that nobody wrote is refused, not read as one" {
    assay run --quiet -n 1 -- true
    for version in -1 -7 -2147483648 0; do
        sqlite3 .assay/assay.db "PRAGMA user_version = $version"
        run assay migrate
        [ "$status" = 2 ]
        [[ $output == *"schema version $version"*damaged* ]]
    done
}

@test "a store of schema 7 is shown, compared and exported after migrate as before" {
    mkdir .assay
    sqlite3 .assay/assay.db < "$ROOT/tests/store/schema7.sql"
    assay migrate | grep "schema 7, now"
    [ "$(assay list --json | jq '.runs | length')" = 2 ]
    assay show latest~1 | grep "agent=good"
    assay claims latest | grep "fast"
    assay baseline list --json | jq -e '.baselines | length == 4'
    assay export --bundle new.bundle
    assay import new.bundle
    assay import "$ROOT/tests/store/schema7.bundle"
}

@test "a store of schema 9 ranks versions apart, and the newest content only" {
    mkdir .assay
    sqlite3 .assay/assay.db < "$ROOT/tests/store/schema9.sql"
    assay migrate | grep "schema 9, now"
    [ "$(assay leaderboard --since all --json | jq -c '[.rows[] | [.agent_version, .scores.accuracy.score, .executions]]')" = '[["1",0.75,1],["2",0.5,1]]' ]
    [ "$(assay leaderboard --since all --json | jq -c '[.left_out[] | [.reason, .executions]]')" = '[["old_content",1]]' ]
}

@test "a store of schema 12 ranks prompts apart" {
    mkdir .assay
    sqlite3 .assay/assay.db < "$ROOT/tests/store/schema12.sql"
    assay migrate | grep "schema 12, now"
    [ "$(assay matrix --json | jq -c '[.rows[] | [.agent_name, .prompt, .avg_accuracy]] | sort')" = '[["a","bad",0],["a","good",1],["b","bad",0],["b","good",1]]' ]
    assay export --bundle new.bundle
    assay import new.bundle
}
