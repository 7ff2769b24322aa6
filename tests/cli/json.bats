#!/usr/bin/env bats
# What docs/json.md promises, held against what the program prints.
load ../helper

# documented FILE: every key at the top of the JSON objects in FILE, and of the objects in
# lists there, is named in docs/json.md.
documented() {
    jq -r 'keys[], (.[] | select(type == "array") | .[0] | select(type == "object") | keys[])' "$1" |
        sort -u > keys
    [ -s keys ]
    while read -r key; do
        grep -qw "$key" "$ROOT/docs/json.md" || { echo "not in docs/json.md: $key of $1"; return 1; }
    done < keys
}

@test "every schema of the program is described" {
    grep -rhoE '"assay\.[a-z_.]+/[0-9]' "$ROOT/src" | tr -d '"' | sort -u > schemas
    [ "$(wc -l < schemas)" -gt 30 ]
    while read -r schema; do
        grep -q "\`$schema\`" "$ROOT/docs/json.md" || { echo "not in docs/json.md: $schema"; false; }
    done < schemas
}

@test "every event of the stream is described, and every key of it" {
    assay run -n 2 -w 1 --instrument profile --json -c 'sleep 0.01' -c false > stream || true
    jq -e . stream > /dev/null
    documented stream
    jq -r .event stream | sort -u > events
    [ "$(wc -l < events)" -ge 6 ]
    while read -r event; do grep -q "\`$event\`" "$ROOT/docs/json.md"; done < events
}

@test "the keys of what is printed are described" {
    assay init suite --json > init.json
    assay check suite.yaml --json > plan.json
    assay run suite.yaml -q > /dev/null
    echo '{experiment: nop}' > wrong.yaml
    assay check wrong.yaml --json > problems.json || true
    assay agents add suite.yaml --json > agents.json
    assay suites add suite.yaml --json > suites.json
    assay suites show first-steps --json > suite.json
    assay describe spin --json > experiment.json
    assay describe run --json > command.json
    assay version --json > version.json
    assay profile --json > profile.json
    assay cost --json > cost.json
    assay list --json > list.json
    assay show --reproduce --json > reproduce.json
    assay show --spec --json | cmp - reproduce.json
    assay run --rescore latest -q --json > rescore.json
    for file in *.json; do
        jq -e '.schema | startswith("assay.")' "$file"
        documented "$file"
    done
}
