#!/usr/bin/env bats
# export: for other tools, and whole for another store.
load ../helper

measure() { assay run --quiet -n 8 -c true -c 'sleep 0.002' > /dev/null; }

@test "csv, jsonl and Bencher's format" {
    measure
    run assay export
    [[ ${lines[0]} == run,started,commit,branch,* ]]
    [ "$(assay export | grep -c ,duration_s,)" = 16 ]
    [ "$(assay export --format jsonl | wc -l)" = 2 ]
    assay export --json | head -n 1 | grep -q '"schema":"assay.execution/1"'
    run assay export --format bencher
    [[ $output == *'"latency": {'*'"value": '*'"lower_value": '*'"upper_value": '* ]]
    assay export --quiet --out x.jsonl
    [ "$(wc -l < x.jsonl)" = 2 ]
    fails_with 2 "did you mean 'bencher'?" assay export --format benchr
    fails_with 2 "neither --format nor --out" assay export --bundle x --format csv
}

@test "rows of another program are exported, as valid JSON on one line" {
    measure
    sqlite3 .assay/assay.db "UPDATE benchmark_executions SET experiment = NULL, notes = '{ no';
        UPDATE runs SET tags = '[' || char(10) || ' 1]', vcs = char(27) || 'x'"
    [ "$(assay export --format jsonl | wc -l)" = 2 ]
    run assay export --format jsonl
    [[ ${lines[0]} == *'"tags":[1]'* && ${lines[0]} == *'"vcs":null'* ]]
    [[ ${lines[0]} == *'"notes":["{ no"]'* ]]
    [ "$(assay export --format csv | grep -c ,duration_s,)" = 16 ]
    assay export --format bencher > /dev/null
}

@test "a bundle into an empty store: the same exports, once" {
    measure
    measure
    assay record --quiet --task t --duration 1 --success false --version v1
    assay export --quiet --bundle a.assay
    run assay import a.assay --store b/b.db
    [[ $output == *"3 of 3 runs added"* ]]
    assay import a.assay --store b/b.db --json | grep -q '"added":0'
    assay export --quiet --bundle b.assay --store b/b.db
    cmp a.assay b.assay
    for format in csv jsonl; do
        cmp <(assay export --format $format) <(assay export --format $format --store b/b.db)
    done
    cmp <(assay show --json) <(assay show --json --store b/b.db)
}

@test "csv: what a terminal would obey is escaped" {
    measure
    sqlite3 .assay/assay.db "UPDATE series SET unit = 's' || char(27) || '[31m' WHERE metric = 'duration_s'"
    for command in export report; do
        assay $command --format csv > out.csv
        grep -q '\\x1b\[31m' out.csv
        run grep -c "$(printf '\033')" out.csv
        [ "$output" = 0 ]
    done
}

@test "a damaged bundle is refused with the reason" {
    measure
    assay export --quiet --bundle a.assay
    head -c 500 a.assay > cut.assay
    fails_with 2 "it is truncated" assay import cut.assay --store b/b.db
    { head -c 300 a.assay; printf 'xxxx'; tail -c +305 a.assay; } > bad.assay
    run assay import bad.assay --store b/b.db
    [ "$status" = 2 ]
    run assay list --store b/b.db
    [ "$output" = "no runs" ]
}

@test "selectors: branch, tag, agent, id" {
    git init -q -b main .
    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
    measure
    git checkout -q -b side
    measure
    for selector in branch:main branch:side latest latest~1; do
        [ "$(assay export "$selector" --format jsonl | wc -l)" = 2 ]
    done
    assay export branch:main | grep -q ',main,'
    [ "$(assay export branch:main | grep -c ',side,')" = 0 ]
    [ "$(assay export latest --baseline branch:main --format jsonl | wc -l)" = 4 ]
    [ "$(assay export latest --baseline branch:side --format jsonl | wc -l)" = 2 ]
    fails_with 2 "made on branch 'none'" assay export branch:none
    fails_with 2 "has the tag 'none'" assay export tag:none
    fails_with 2 "is not a run, agent, pinned name, result file, branch:, tag: or commit:" assay export nobody
}

@test "selectors: tags, agents and their versions, each run once, newest first" {
    echo '{experiment: noop, tags: [nightly], iterations: {measured: 2}}' > t.yaml
    assay run t.yaml --quiet > /dev/null
    assay record --quiet --task t --duration 1 --success true --agent a --version 1
    assay record --quiet --task t --duration 2 --success true --agent a --version 2
    assay record --quiet --task t --duration 3 --success true --agent b --version 1
    values() { assay export "$@" | grep ,duration_s, | cut -d, -f17 | tr '\n' ' '; }
    [ "$(assay export tag:nightly | grep -c ,noop,)" = 2 ]
    [ "$(values a)" = "2 1 " ]
    [ "$(values a@1)" = "1 " ]
    [ "$(values a@2 a latest b)" = "2 1 3 " ]
    fails_with 2 "no run in the store has 'a@3'" assay export a@3
    fails_with 2 "no agent 'c' in the store" assay export c@1
    run assay show a@1 --json
    [[ $output == *'"samples":[1]'* ]]
    run assay show tag:nightly
    [[ $output == *noop* ]]
}

@test "samples of a suite say which case they are of" {
    printf 'suite: {id: s}\nagents: [{id: cat, process: {command: [cat]}}]\nbenchmarks: [{id: b, cases: [{id: "one, two", input: x, expected: x}, {id: three, input: y, expected: z}], iterations: {warmup: 1, measured: 3}}]\n' > s.yaml
    assay run s.yaml --quiet
    [ "$(assay export | grep ,measured,.*,accuracy, | grep -c ',1,"one, two"$')" = 3 ]
    [ "$(assay export | grep ,measured,.*,accuracy, | grep -c ',0,three$')" = 3 ]
    [ "$(assay export --format jsonl | jq -c '.cases | sort | unique')" = '["one, two","three"]' ]
    assay run --quiet -n 1 -- true
    assay export latest | grep -q ',duration_s,s,lower,[0-9.e-]*,$'
}

@test "hyperfine's form: its keys, our times, and our importer reads it" {
    hyperfine -N -r 3 --export-json theirs.json true > /dev/null 2>&1
    assay run -q -n 5 -i -c true -c 'exit 3'
    assay export --format hyperfine > ours.json
    [ "$(jq -c '[keys, (.results[0] | keys)]' ours.json)" = \
        "$(jq -c '[keys, (.results[0] | keys)]' theirs.json)" ]
    [ "$(jq -c '[.results[].exit_codes]' ours.json)" = '[[0,0,0,0,0],[3,3,3,3,3]]' ]
    jq -e '.results | all((.times | add / length) as $mean | .mean > 0.999999 * $mean and .mean < 1.000001 * $mean)' ours.json
    [ "$(jq -c '[.results[].times]' ours.json)" = "$(assay report --format json |
        jq -c '[.cells[].metrics[] | select(.name == "duration_s").samples]')" ]
    assay import ours.json
    # What ended with 3 has failed there, where nobody said to ignore it.
    [ "$(assay export --format hyperfine | jq -c '[.results[].times]')" = \
        "$(jq -c '[.results[0].times]' ours.json)" ]
    assay run -q -n 2 -c 'exit 1' || true
    [ "$(assay export --format hyperfine | jq -c '.')" = '{"results":[]}' ]
}

@test "Bencher's format gives right and wrong answers by their mean" {
    printf '%s\n' '{"case":"a","output":"x"}' '{"case":"b","output":"x"}' '{"case":"c","output":"no"}' > answers.jsonl
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: bot, replay: {answers: answers.jsonl}}]
benchmarks: [{id: b, iterations: {warmup: 0, measured: 1}, cases: [{id: a, input: a, expected: x}, {id: b, input: b, expected: x}, {id: c, input: c, expected: x}]}]
YAML
    assay run -q s.yaml > /dev/null
    assay export latest --format bencher | jq -e '[.[].accuracy][0] | (.value - 2/3 | fabs) < 1e-9 and
        .lower_value < .value and .upper_value < 1'
}

@test "an answer that never came is a wrong one, in Bencher's format too" {
    for i in {1..10}; do
        printf '{"id":"c%s","input":"%s","expected":"%s"}\n' $i $i $i
    done > cases.jsonl
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: bot, process: {command: 'read k; [ $k -gt 4 ] || exit 1; [ $k -lt 10 ] || sleep 9; echo $k'}}]
benchmarks: [{id: b, iterations: {warmup: 0, measured: 1}, constraints: {time_limit_ms: 500}, dataset: {source: cases.jsonl}}]
YAML
    assay run -q s.yaml > /dev/null || true
    assay show --json | jq -e '.cells[0].metrics[] | select(.name == "accuracy") | .level == 0.5 and .n == 5'
    assay export latest --format bencher | jq -e '.[] | .accuracy.value == 0.5 and
        .failure_rate.value == 0.5 and .failure_rate.lower_value > 0.1 and .latency.value < 5e8'
    assay export latest --format pytest_benchmark | jq -e '.benchmarks[0].extra_info.accuracy == 0.5'
    assay run -q -n 4 -c 'exit 1' > /dev/null || true
    assay export latest --format bencher | jq -e '.[] | .failure_rate.value == 1'
}

@test "money and shares are means over cases in every format" {
    {
        echo 'suite: {id: s, name: S, version: "1"}'
        echo 'agents:'
        echo '  - {id: m, openai: {url: "http://127.0.0.1:1/v1", model: stub}, prices: {input: 1, output: 2, date: 2026-11-01}}'
        echo 'benchmarks:'
        echo '  - id: k'
        echo '    iterations: {warmup: 0, measured: 1}'
        echo '    rubric: [{check: max_length, chars: 60, weight: 1}]'
        echo '    cases:'
        for i in 1 1 1 1 1 1 1 40 40 40; do
            echo "      - {input: '$i $(seq -s ' ' 1 $i) x$RANDOM'}"
        done
    } > s.yaml
    assay run s.yaml --stub -q > /dev/null
    assay show --json > show.json
    for metric in cost_usd accuracy; do
        mean=$(jq "[.cells[0].metrics[] | select(.name == \"$metric\").samples[]] | add / length" show.json)
        assay export --format bencher | jq -e --argjson mean "$mean" \
            ".[] | .$metric.value | (. - \$mean) | fabs < 1e-12" > /dev/null
    done
}

@test "exported levels of a suite are over cases, as show has them" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: bot, process: {command: 'read k; [ $k != slow ] || sleep 0.1; echo $k'}}]
benchmarks:
  - {id: b, iterations: {warmup: 0, measured: 3}, cases: [{input: slow, expected: slow}, {input: w, expected: no}, {input: x, expected: x}, {input: y, expected: y}]}
YAML
    assay run -q s.yaml > /dev/null || true
    assay show --json | jq '[.cells[0].metrics[] | select(.level != null) | {(.name): .level}] | add' > show.json
    jq -e '.duration_s and .accuracy' show.json
    assay export latest --format bencher > bencher.json
    jq -e --slurpfile show show.json '.[] | with_entries(select(.key != "failure_rate")) |
        all(to_entries[]; .value.value as $v | .key as $k |
            if $k == "latency" then ($v / 1e9 - $show[0].duration_s | fabs) < 1e-12 else $v == $show[0][$k] end)' bencher.json
    assay export latest --format pytest_benchmark | jq -e --slurpfile show show.json \
        '.benchmarks[0].extra_info | del(.failure_rate) == $show[0]'
}

@test "hlog: every block of a load as an interval, which import reads back" {
    "$ASSAY_BIN" stub --listen 127.0.0.1:0 > stub.log 2>&1 3>&- &
    local stub=$!
    until grep -q listening stub.log; do sleep 0.05; done
    url=$(sed 's/.* //;s/\/v1$//' stub.log)/healthz
    "$ASSAY_BIN" stress --url "$url" --connections 2 --duration 1s --json > load.json 2> err
    kill $stub
    assay export latest --format hlog > load.hlog
    grep -Eq '^#\[StartTime: [0-9]{10}\.[0-9]{3} ' load.hlog
    [ "$(grep -Ec '^Tag=0-[^, ]+-response,[0-9]+\.[0-9]{3},0\.[0-9]{3},[0-9]+\.[0-9]{3},HISTFAAA' load.hlog)" = 10 ]
    cut -d, -f2 load.hlog | grep -E '^[0-9.]+$' | head -n 10 | sort -cn # one after the other
    # As many values as were answered, and in nanoseconds by the log's own maxima.
    mkdir back && cd back && assay import ../load.hlog --json > in.json
    assay show latest --json > run.json
    jq -e --slurpfile l ../load.json 'any(.cells[]; (.label | endswith("-response")) and
        ([.metrics[] | select(.name == "count") | .samples[]] | add) == $l[0].requests.ok)' run.json
    # What has no histogram has no interval.
    cd .. && assay run -q -n 1 -- true > /dev/null
    [ "$(assay export latest --format hlog | grep -c HIST)" = 0 ]
}

@test "pytest_benchmark: the format of pytest-benchmark, which import reads back" {
    cat > s.yaml <<'YAML'
experiment: spin
sweep: {rounds: [1000, 3000]}
iterations: {measured: 4}
YAML
    assay run s.yaml -q > /dev/null
    assay export latest --format pytest_benchmark > p.json
    jq -e '.benchmarks | length == 2 and (.[0] | .group == "spin" and .stats.rounds == 4 and
        (.stats.data | length == 4) and .params.rounds == 1000 and
        .extra_info.rounds == 1000 and .stats.min <= .stats.median)' p.json
    jq -e '.machine_info.node != "" and (.datetime | startswith("20"))' p.json
    assay import p.json --json > imported
    assay show latest --json > back
    jq -e --slurpfile p p.json '[.cells[] | .metrics[0].samples] ==
        [$p[0].benchmarks[].stats.data]' back
}

@test "pytest_benchmark: claims and reports of what comes back are those of the run" {
    cat > s.yaml <<'YAML'
experiment: sparse_memory
params: {agent: Marketing, difficulty: 0.3, cap: 40}
sweep: {parts: [none, all]}
iterations: {measured: 8}
claims:
  - name: fewer
    group: Speed
    also: quality
    metric: iterations_to_target
    compare: {param: parts, from: none, to: all}
    expect: {reduction: {band: [0.45, 0.55]}}
  - {name: reached, group: Speed, metric: reached, expect: {at_least: 0.1}}
YAML
    assay run s.yaml -q > /dev/null || [ $? = 1 ]
    assay export latest --format pytest_benchmark > p.json
    jq -e '.benchmarks[0].extra_info | .reached * 8 == ([.assay.series[] | select(.metric == "reached").samples[]] | add)' p.json
    assay claims --json | jq 'del(.run)' > before || true
    assay import --store sqlite:other.db p.json
    assay claims --store sqlite:other.db --json | jq 'del(.run)' > after || true
    jq -e '.total == 2 and .claims[0].paired' before
    cmp before after
    for format in markdown html; do
        assay report latest --format "$format" --store sqlite:other.db > back
        grep -q quality_at_mark <(tr -d '\\' < back)
        grep -q "Readiness" back
    done
}

@test "pytest_benchmark: failed trials come back as that; claims of a suite are left out" {
    cat > s.yaml <<'YAML'
experiment: command
params: {command: "n=$(cat n || echo 0); echo $((n + 1)) > n; exit $((n % 2))"}
iterations: {measured: 8}
claims:
  - {name: quick, metric: duration_s, expect: {at_most: 60}}
YAML
    assay run s.yaml -q --allow-failures 100% > /dev/null || true
    assay export latest --format pytest_benchmark > p.json
    assay import --store sqlite:other.db p.json
    assay claims --store sqlite:other.db --json | jq -e '.claims[0] | .outcome == "undecided" and .failed == 4'
    jq 'del(.benchmarks[].extra_info.assay)' p.json > plain.json
    assay import --store sqlite:plain.db plain.json
    [[ $(assay show --store sqlite:plain.db) == *"4 of 4 ok"* ]]
    cat > suite.yaml <<'YAML'
suite: {id: s}
agents: [{id: cat, process: {command: [cat]}}]
claims: [{name: c, metric: accuracy, expect: {at_least: 0.1}}]
benchmarks:
  - {id: b, cases: [{input: x, expected: x}, {input: y, expected: y}]}
YAML
    assay run suite.yaml -q > /dev/null
    assay export latest --format pytest_benchmark > s.json
    jq -e '.assay == null and .benchmarks[0].extra_info.assay == null and (.benchmarks | length == 1)' s.json
}

@test "help names every format that there is" {
    names=$(assay describe exporters --json | jq -r '[.. | objects | select(.name? and .summary?) | .name] | unique[]')
    [ "$(wc -l <<< "$names")" -ge 6 ]
    assay export --help > help
    for name in $names; do
        [ "$name" = exporters ] || grep -qE "[ |]$name(\||$)" help || { echo "$name"; false; }
    done
}

@test "replay: stored answers have no time of their own, and outrun nobody" {
    cat > s.yaml <<'Y'
suite: {id: s}
agents:
  - {id: now, process: {command: [cat]}}
  - {id: then, replay: {answers: answers.jsonl}}
benchmarks:
  - id: b
    cases: [{id: one, input: x, expected: x}, {id: two, turns: [{input: y, expected: y}]}]
    targets: {duration_s: 1}
    iterations: {warmup: 0, measured: 2}
Y
    assay run s.yaml --agent now -q > /dev/null
    assay export latest --format answers --agent now --out answers.jsonl
    assay run s.yaml -q > /dev/null
    assay show latest --json | jq '[.cells[] | select(.scores.agent == "then")][0]' > then.json
    jq -e '.scores | .accuracy.score == 1 and .speed.score == null and .speed.reason == "no trial has a time"' then.json
    jq -e '.trials.ok == 4 and ([.metrics[] | select(.unit == "s" or .unit == "1/s") | .n] | all(. == 0))' then.json
    assay leaderboard --json | jq -e '[.rows[] | [.agent_name, .scores.speed.rank]] | sort == [["now", 1], ["then", null]]'
}
