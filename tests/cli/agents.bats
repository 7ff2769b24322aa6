#!/usr/bin/env bats
# An agent is named by its name, its id, or name@version: by every command and route that takes
# one, with the same answer, and who is unknown is refused with the same words.
load ../helper
load ../serve

teardown() { end_serve || true; }

# Agent gpt in versions 1.1 and 1.2, one that is *named* gpt@1, and records of gpt 1.2.
fill() {
    for version in 1.1 1.2; do
        cat > s.yaml <<Y
suite: {id: s, name: S, category: accuracy}
agents:
  - {id: gpt, version: "$version", process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: gpt@1, process: {command: [cat]}, prices: {input: 0, output: 0}}
benchmarks:
  - {id: b, iterations: {warmup: 0, measured: 2}, targets: {duration_s: 1},
     cases: [{input: a, expected: a}, {input: b, expected: b}]}
Y
        assay run -q s.yaml > /dev/null
    done
    RUN=$(assay list --json | jq -r '.runs[0].id')
    assay record -q --task t --duration 1 --success true --agent gpt --version 1.2
    ID=$(assay agents --all --json | jq -r '.agents[] | select(.name == "gpt").id')
    [ ${#ID} = 36 ]
    [ ${#RUN} = 36 ]
}

# Each command that takes an agent; AGENT stands for it.
commands() {
    cat <<END
leaderboard --agent AGENT --json
matrix --agent AGENT --json
cost $RUN --agent AGENT --json
profile $RUN --agent AGENT --json
cases $RUN --agent AGENT --json
trend accuracy --agent AGENT --json
regressions --stats --agent AGENT --json
regressions --no-keep --agent AGENT --json
gate gate.yaml --agent AGENT --json
export $RUN --format answers --agent AGENT
versus AGENT gpt@1 --suite s --json
why AGENT gpt@1 --suite s --json
show AGENT --json
record stats --agent AGENT --json
record report --agent AGENT --json
END
}

routes() {
    cat <<END
/benchmarks/leaderboard?agent=AGENT
/benchmarks/matrix?agent=AGENT
/benchmarks/cost?run=$RUN&agent=AGENT
/benchmarks/profiles/$RUN?agent=AGENT
/benchmarks/runs/$RUN/cases?agent=AGENT
/benchmarks/trend?metric=accuracy&agent=AGENT
/benchmarks/regressions?agent_id=AGENT
/benchmarks/versus?a=AGENT&b=gpt@1&suite=s
/benchmarks/agents/AGENT/results
/benchmarks/agents/AGENT/trend
/benchmarks/agents/AGENT/regressions
END
}

@test "agents: every command takes a name, an id and name@version" {
    fill
    printf 'policy: p\nblock: [{slower_than: 50 %%}]\n' > gate.yaml
    commands > list
    while read -r line; do
        for agent in gpt "$ID" gpt@1.2; do
            # shellcheck disable=SC2086 # words
            run assay ${line//AGENT/$agent}
            # 1 and 4 are answers too
            [[ $status != [23] && $output != "" ]] ||
                { echo "# ${line//AGENT/$agent}: $status, $output" >&2; return 1; }
        done
        # shellcheck disable=SC2086
        fails_with 2 nobody assay ${line//AGENT/nobody}
        case $line in show*) ;; *) [[ $output == *"no agent 'nobody'"* ]] || { echo "# $line: $output" >&2; return 1; } ;; esac
    done < list
}

@test "agents: every route takes a name, an id and name@version" {
    fill
    serve
    routes > list
    while read -r line; do
        for agent in gpt "$ID" gpt@1.2; do
            [ "$(status_of "${line//AGENT/$agent}")" = 200 ] ||
                { echo "# ${line//AGENT/$agent}" >&2; get "${line//AGENT/$agent}" >&2; return 1; }
        done
        get "${line//AGENT/nobody}" > answer
        jq -e '.status == 404 and (.detail | contains("no agent '"'nobody'"'"))' answer ||
            { echo "# $line" >&2; cat answer >&2; return 1; }
    done < list
    for type in head_to_head matrix; do
        for agent in gpt "$ID" gpt@1.2 nobody; do
            post /benchmarks/compare "{\"agent_ids\": [\"$agent\", \"gpt@1\"], \"suite_id\": \"s\",
                \"comparison_type\": \"$type\"}" > answer
            case $agent in
                nobody) jq -e '.status == 404 and (.detail | contains("no agent '"'nobody'"'"))' answer ;;
                *) jq -e '.schema | startswith("assay.")' answer ;;
            esac || { echo "# $type $agent" >&2; cat answer >&2; return 1; }
        done
    done
}

@test "agents: a version is that version alone, and an agent whose name has an @ is itself" {
    fill
    for form in gpt "$ID"; do
        assay leaderboard --agent "$form" --json | jq -e '[.rows[].agent_version] | sort == ["1.1", "1.2"]'
    done
    assay leaderboard --agent gpt@1.2 --json | jq -e '[.rows[].agent_version] == ["1.2"]'
    assay leaderboard --agent gpt@1 --json | jq -e '[.rows[].agent_name] == ["gpt@1"]'
    assay cost "$RUN" --agent gpt@1 --json | jq -e '.configurations | length == 1'
    [ "$(assay export "$RUN" --format answers --agent gpt@1.2 | wc -l)" -gt 0 ]
    # gpt 1.1 is in the store, but not in this run.
    for command in cost profile cases; do
        fails_with 2 "no agent 'gpt@1.1'" assay $command "$RUN" --agent gpt@1.1
    done
    fails_with 2 "no execution of agent 'gpt@1.1'" assay export "$RUN" --agent gpt@1.1
    for command in "ack --real" "mute --reason known"; do
        # shellcheck disable=SC2086 # words
        fails_with 2 "no agent 'nobody'" assay $command --agent nobody
        for form in gpt "$ID" gpt@1.2; do
            # shellcheck disable=SC2086
            fails_with 2 "no alarm fits that" assay $command --agent "$form"
        done
    done
    # What has no agent is stored as assay.
    assay run -q -n 2 -- true > /dev/null
    [ "$(assay export latest --format jsonl --agent assay | wc -l)" -gt 0 ]
}
