#!/usr/bin/env bats
load ../helper

@test "describe lists every registry" {
    assay describe > list
    for title in experiments instruments agents reporters stores commands; do
        grep -q "^$title - " list
    done
    grep -q '^  noop ' list
}

@test "every name of every registry can be described" {
    assay describe --json | jq -r '.entries[] | .name, (.alias // empty)' > names
    [ "$(wc -l < names)" -gt 20 ]
    while read -r name; do
        assay describe "$name" > page || { echo "describe $name"; false; }
        [ -s page ]
        assay describe "$name" --json | jq -e '.entries | length > 0' > /dev/null
    done < names
}

@test "what is described is complete" {
    assay describe --json > all
    jq -e '.schema == "assay.describe/1"' all
    jq -e '[.entries[] | select(.summary == null or .summary == "")] == []' all
    jq -e '[.entries[].params // [] | .[] | select(.help == null or .type == null)] == []' all
    jq -e '[.entries[].metrics // [] | .[] | select(.definition == null)] == []' all
    jq -e '[.entries[] | select(.available == false and .reason == null)] == []' all
}

@test "parameters and metrics are shown" {
    assay describe command > page
    grep -q '^experiment command - ' page
    grep -q 'ignore_failure .*true or false .*false' page
    grep -q '^parameters' page
    grep -q '^metrics' page
}

@test "an unknown name gets a suggestion" {
    fails_with 2 "nothing is called 'comand'; did you mean 'command'?" assay describe comand
    fails_with 2 "nothing is called 'qqqq'" assay describe qqqq --json
    fails_with 2 "one name at a time" assay describe a b
}

@test "the schema is a JSON schema that knows every experiment" {
    assay describe --schema > schema.json
    jq -e '."$schema" | test("2020-12")' schema.json
    for name in $(assay describe --json | jq -r '.entries[] | select(.kind == "experiment").name'); do
        jq -e --arg n "$name" '[.. | strings | select(. == $n)] | length > 0' schema.json
    done
}

@test "list takes a kind of thing, as the peer's --list; its rows stand in columns" {
    assay list experiments > listed
    assay describe experiments > described
    cmp listed described
    grep -q '^  noop                         does nothing' listed
    grep -q '^  spatial_performance_analyzer how the costs' listed
    assay list instruments --json | jq -e '.schema == "assay.describe/1" and (.entries | length) > 3'
    fails_with 2 "such as 'experiments'; got 'experiment'" assay list experiment
}
