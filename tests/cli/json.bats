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
    {
        grep -rhoE '"assay\.[a-z_.]+/[0-9]' "$ROOT/src" | tr -d '"'
        grep -rhoE '    ANSWER_NAME\("[a-z_]+' "$ROOT/src" | sed 's|.*"\(.*\)|assay.\1/1|'
    } | sort -u > schemas
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
    assay help --json > help.json
    assay help run --json | jq -e '[.entries[] | [.kind, .name]] == [["command", "run"]]'
    assay profile --json > profile.json
    assay cost --json > cost.json
    assay show --brief --json > outcome.json
    assay list --json > list.json
    assay show --reproduce --json > reproduce.json
    assay show --spec --json | cmp - reproduce.json
    assay run --rescore latest -q --json > rescore.json
    for file in *.json; do
        jq -e '.schema | startswith("assay.")' "$file"
        documented "$file"
    done
}

@test "whatever has a verdict has a sentence and a next step" {
    assay init suite > /dev/null
    assay run suite.yaml -q > /dev/null
    assay run -q -n 6 -c 'sleep 0.002' -c 'sleep 0.0021' > /dev/null
    assay compare latest --json > compare.json
    printf '%s\n' 10 12 11 13 9 12 10 11 13 > a.txt
    printf '%s\n' 11 13 10 14 10 12 12 11 14 > b.txt
    assay compare --samples a.txt b.txt --json > samples.json
    for i in 1 2 3 4 5 6; do
        assay record --task t --duration "1.$i" --version 1 --success true > /dev/null
        assay record --task t --duration "1.3$i" --version 2 --success true > /dev/null
    done
    assay record compare 1 2 --json > record.json
    assay record report --json > weeks.json
    printf 'policy: merge\nblock: [{slower_than: 5 %%}]\n' > gate.yaml
    assay run -q -n 6 -c 'sleep 0.002' -c 'sleep 0.0021' > /dev/null
    assay gate gate.yaml latest --json > gate.json || true
    agents=$(assay leaderboard --json |
        jq -r '[.rows[].agent_name | select(. != "recorded")] | unique | .[:2] | join(" ")')
    # shellcheck disable=SC2086 # two words
    assay versus $agents --suite first-steps --json > versus.json
    for file in compare samples record weeks gate versus; do
        jq -e '[.. | objects | select(has("verdict"))] | length > 0' "$file.json"
        jq -e '[.. | objects | select(has("verdict"))] | all(has("sentence") and has("next"))' "$file.json"
    done
    # An open question names what would settle it; a decided one does not.
    jq -e '.verdict == "undecided" and (.next | test("measure about [0-9]+ trials on each side"))' samples.json
    seq 101 109 > b.txt
    assay compare --samples a.txt b.txt --json | jq -e '.verdict == "worse" and .next == null'
}
