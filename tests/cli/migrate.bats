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
