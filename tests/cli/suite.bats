#!/usr/bin/env bats
# Suites from the file to the scores, with agents that every machine has.
load ../helper

q() { sqlite3 -readonly .assay/assay.db "$1"; }

write_suite() {
    cat > s.yaml <<'END'
suite: {id: sums, category: accuracy, version: "1"}
agents:
  - {id: awk, version: "1", process: {command: 'read e; awk "BEGIN { print $e }"'}, prices: {input: 0, output: 0}}
  - {id: shell, version: "2", process: {command: 'read e; echo $(($e))'}, prices: {input: 0, output: 0}}
  - {id: broken, version: "3", process: {command: 'exit 7'}}
benchmarks:
  - id: small
    tags: [quick]
    cases:
      - {id: one, input: "1 + 1", expected: "2"}
      - {id: product, input: "6 * 7", expected: "42"}
      - {id: fraction, input: "10 / 4", expected: "2.5"}
    rubric: exact
    constraints: {time_limit_ms: 5000}
    targets: {duration_s: 0.01, cpu_s: 0.01, cost_usd: 0.001}
    iterations: {warmup: 1, measured: 2}
  - id: big
    cases: [{id: b1, input: "100 * 100", expected: "10000"}]
    rubric: contains
    iterations: {warmup: 0, measured: 2}
END
}

@test "init suite writes a suite that runs" {
    assay init suite
    run assay run suite.yaml
    [ "$status" = 0 ]
    run assay show latest
    [[ $output == *"accuracy     speed        efficiency"* && $output == *"fraction: 0 of 5 passed"* ]]
}

@test "scores, columns and answers are stored" {
    write_suite
    assay run s.yaml --quiet
    [ "$(q "SELECT accuracy_score, reliability_score FROM benchmark_executions WHERE label = 'small, agent=awk'")" = "1.0|1.0" ]
    [ "$(q "SELECT round(accuracy_score, 4) FROM benchmark_executions WHERE label = 'small, agent=shell'")" = 0.6667 ]
    [ "$(q "SELECT accuracy_score, reliability_score, status FROM benchmark_executions WHERE label = 'small, agent=broken'")" = "0.0|0.0|success" ]
    [ "$(q "SELECT agent_version FROM benchmark_executions WHERE label = 'big, agent=shell'")" = 2 ]
    # the score is the mean over cases of the rubric's, recomputed from case_results
    [ "$(q "SELECT round(avg(s), 4) FROM (SELECT avg(json_extract(detail, '$.score')) s FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE label = 'small, agent=shell' AND phase = 'measured' GROUP BY case_hash)")" = 0.6667 ]
    [ "$(q "SELECT count(*) FROM cases")" = 4 ]
    [ "$(q "SELECT output FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE label = 'big, agent=awk' LIMIT 1")" = 10000 ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE percentile_rank IS NULL OR notes IS NULL")" = 0 ]
}

@test "reports show the scores and the cases that were not passed" {
    write_suite
    assay run s.yaml --quiet
    run assay show latest
    [[ $output == *"Scores"* && $output == *"small, shell 2"* ]]
    [[ $output == *"fraction: 0 of 2 passed; exact: '2' instead of '2.5'"* ]]
    [[ $output == *"exit code 7"* ]]
    assay report --format markdown --out r.md
    grep -q '^| small, awk 1 | 1.000 \[0.29, 1.00\]' r.md
    assay report --out r.html
    grep -q '<h2>Scores</h2>' r.html
    assay report --json | grep -q '"scores":{"suite":"sums","benchmark":"small"'
}

@test "--only may be repeated: each names more" {
    write_suite
    assay check s.yaml --only big --json > one
    assay check s.yaml --only big --only small --json > both
    [ "$(jq -c .cells one)" != "$(jq -c .cells both)" ]
    [ "$(jq -c .cells both)" = "$(assay check s.yaml --json | jq -c .cells)" ]
    fails_with 2 "no benchmark is named or tagged 'zz'" assay check s.yaml --only quick --only zz
}

@test "several files are several runs, each named by its own id" {
    write_suite
    sed 's/^suite: {id: [a-z]*/&-two/; s/^  id: .*/&-two/' s.yaml > t.yaml
    assay run s.yaml t.yaml > out 2> err
    [ "$(q "SELECT count(*) FROM runs")" = 2 ]
    [ "$(grep -c latest out)" = 0 ]
    for id in $(assay list --json | jq -r '.runs[].id'); do
        grep -q "assay show ${id: -12} --explain" out
    done
    grep -q "2 files are 2 runs: .gate., .regressions. and .baseline set. without a run take all of them" err
    assay run s.yaml > out
    grep -q "assay show latest --explain" out
}

@test "--only, --agent, --fail-under" {
    write_suite
    assay run s.yaml --only quick --agent awk --quiet
    [ "$(q "SELECT count(*) FROM benchmark_executions")" = 1 ]
    run assay run s.yaml --agent awk --only small --quiet --fail-under 0.5
    [ "$status" = 0 ]
    run assay run s.yaml --agent broken --only small --quiet --fail-under 0.9
    [ "$status" = 1 ]
    [[ $output == *"is below 0.9"* ]]
    run assay run s.yaml --agent awkk
    [ "$status" = 2 ]
    [[ $output == *"did you mean 'awk'"* ]]
}

@test "--only-failed asks the failed cases only, under another content" {
    write_suite
    assay run s.yaml --only small --agent shell --quiet
    assay run s.yaml --only small --agent shell --only-failed latest --quiet
    [ "$(q "SELECT group_concat(trials_attempted) FROM (SELECT trials_attempted FROM benchmark_executions ORDER BY created_at)")" = "6,2" ]
    [ "$(q "SELECT count(DISTINCT benchmark_id) FROM benchmark_executions")" = 2 ]
    assay run s.yaml --only big --agent awk --quiet
    run assay run s.yaml --only-failed latest --quiet
    [ "$status" = 2 ]
    [[ $output == *"nothing to run again"* ]]
}

@test "--rescore gives the same bytes, and another rubric another content" {
    write_suite
    assay run s.yaml --quiet
    first=$(q "SELECT id FROM runs")
    assay run --rescore latest --quiet
    second=$(q "SELECT id FROM runs WHERE id <> '$first'")
    columns="label, accuracy_score, speed_score, efficiency_score, cost_score, reliability_score, tokens_used, cost_usd, memory_peak_mb, cpu_usage_percent, benchmark_id, status, trials_attempted"
    q "SELECT $columns FROM benchmark_executions WHERE run_id = '$first' ORDER BY cell_index" > a
    q "SELECT $columns FROM benchmark_executions WHERE run_id = '$second' ORDER BY cell_index" > b
    cmp a b
    series="SELECT label, metric, phase, n, hex(samples) FROM series s JOIN benchmark_executions e ON e.id = s.execution_id WHERE run_id ="
    q "$series '$first' ORDER BY 1, 2, 3" > a
    q "$series '$second' ORDER BY 1, 2, 3" > b
    cmp a b
    [ -s a ]
    answers="SELECT label, phase, trial, c.status, error, detail, hex(output) FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id WHERE phase = 'measured' AND run_id ="
    q "$answers '$first' ORDER BY 1, 2, 3" > a
    q "$answers '$second' ORDER BY 1, 2, 3" > b
    cmp a b
    sed 's/rubric: exact/rubric: [{check: numeric, weight: 1, tolerance: 1}]/' s.yaml > t.yaml
    assay run t.yaml --rescore "$first" --quiet
    [ "$(q "SELECT accuracy_score FROM benchmark_executions WHERE label = 'small, agent=shell' ORDER BY created_at DESC LIMIT 1")" = 1.0 ]
    [ "$(q "SELECT count(DISTINCT benchmark_id) FROM benchmark_executions WHERE label LIKE 'small%'")" = 2 ]
}

@test "--rescore refuses what is about asking; a dry run stores nothing" {
    write_suite
    assay run s.yaml --quiet
    for option in "--dry-run" "-n 3" "--stub" "--resume" "-c true" "--concurrency 2"; do
        # shellcheck disable=SC2086 # an option and its value
        fails_with 2 "does not go with --rescore, which asks no agent" assay run --rescore latest $option
    done
    [ "$(q "SELECT count(*) FROM runs")" = 1 ]
}

@test "a suite in the shape of the requirement runs, agents by name" {
    printf '{"input":"one","expected":"ONE"}\n{"input":"two","expected":"TWO"}\n' > d.jsonl
    cat > r.json <<'END'
{"suite_id": "r", "suite_name": "R", "category": "reliability", "benchmarks": [
  {"benchmark_id": "b1", "name": "B", "description": "upper case", "test_type": "synthetic",
   "metrics_measured": ["duration_s", "accuracy"],
   "dataset": {"size": 2, "complexity": "low", "data_source": "d.jsonl"},
   "constraints": {"time_limit_ms": 5000, "memory_limit_mb": 512, "token_limit": 1000, "cost_limit_usd": 1},
   "scoring_rubric": {"exact": 1}}],
 "baseline_scores": [{"agent_id": "tr", "scores": {"accuracy": 1.0}}],
 "version": "1.0", "created_at": "2026-11-15T00:00:00Z"}
END
    printf 'agents:\n  - {id: tr, process: {command: [tr, a-z, A-Z]}}\n  - {id: cat, process: {command: [cat]}}\n' > a.yaml
    run assay run r.json
    [ "$status" = 2 ]
    [[ $output == *"a suite needs agents"* ]]
    assay agents add a.yaml --quiet
    assay run r.json --agent tr --agent cat --quiet
    [ "$(q "SELECT group_concat(accuracy_score) FROM (SELECT accuracy_score FROM benchmark_executions ORDER BY label DESC)")" = "1.0,0.0" ]
    [ "$(q "SELECT deviation_from_baseline FROM benchmark_executions WHERE label LIKE '%tr'")" = 0.0 ]
    [ "$(q "SELECT warmup_done, trials_attempted FROM benchmark_executions LIMIT 1")" = "3|10" ]
}

@test "agents and suites: add, list, show, remove" {
    write_suite
    assay suites add s.yaml --quiet
    run assay suites list
    [[ $output == sums*accuracy* ]]
    assay suites show sums --json | grep -q '"schema":"assay.suite/1"'
    mkdir elsewhere && cd elsewhere
    assay --version > /dev/null
    run env ASSAY_STORE=sqlite:../.assay/assay.db "$ASSAY_BIN" run sums --agent awk --only small --quiet
    [ "$status" = 0 ]
    cd ..
    printf '{id: one, noop: {}}\n' > one.yaml
    assay agents add one.yaml
    assay agents show one --json | grep -q '"kind":"noop"'
    printf '{id: two, noop: {}}\n' > two.yaml
    : > empty.yaml
    fails_with 2 "empty.yaml:1:1: a file of agents has" assay agents add empty.yaml
    assay agents add two.yaml --json | jq -e '[.agents[].name] == ["two"]'
    assay agents remove one --json | jq -e '.schema == "assay.agents/1" and [.agents[].name] == ["two"]'
    run assay agents remove one
    [ "$status" = 2 ]
    run assay suites show summs
    [[ $output == *"did you mean 'sums'"* ]]
    assay suites remove sums --quiet
    run assay run sums
    [ "$status" != 0 ]
}

@test "--cache takes answers over, and asks again when something differs" {
    cat > c.yaml <<END
suite: {id: c}
agents: [{id: echo, version: "1", process: {contain: off, command: 'echo x >> $PWD/asked; cat'}}]
benchmarks:
  - {id: b, cases: [{input: x, expected: x}, {input: y, expected: y}], iterations: {warmup: 1, measured: 3}}
END
    assay run c.yaml --quiet
    [ "$(wc -l < asked)" = 7 ]
    assay run c.yaml --cache --quiet
    [ "$(wc -l < asked)" = 7 ]
    [ "$(q "SELECT group_concat(trials_ok) FROM benchmark_executions")" = 6,6 ]
    [ "$(q "SELECT count(DISTINCT hex(samples)) FROM series WHERE metric = 'duration_s' AND phase = 'measured'")" = 1 ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE notes LIKE '%not measured again%'")" = 1 ]
    sed -i 's/version: "1"/version: "1.1"/' c.yaml
    assay run c.yaml --cache --quiet
    [ "$(wc -l < asked)" = 14 ]
}

@test "--stub answers for every model, and says so" {
    cat > m.yaml <<'END'
suite: {id: m}
agents:
  - {id: gpt, openai: {url: "http://127.0.0.1:9/v1", model: big}, prices: {input: 1, output: 2}}
  - {id: cat, process: {command: [cat]}}
benchmarks:
  - {id: b, cases: [{input: hello, expected: hello}], rubric: contains, iterations: {warmup: 0, measured: 3},
     targets: {duration_s: 1, tokens: 100, cost_usd: 0.01}}
END
    run assay run m.yaml --stub
    [ "$status" = 0 ]
    [[ $output == *"left out: gpt: simulated: its answers come from a stand-in"* ]]
    run assay show latest
    [[ $output == *"b, gpt "????????"  simulated"* ]]
    assay report --out r.html --quiet
    grep -q 'suite <b>m</b>' r.html
    grep -q '<h1>cat: ' r.html
    grep -qE 'b, gpt [0-9a-f]{8} \(simulated\)' r.html
    [[ $output == *"Comparison (paired cases"* ]]
    [ "$(q "SELECT group_concat(provenance) FROM (SELECT provenance FROM benchmark_executions ORDER BY label)")" = "measured,simulated" ]
    [ "$(q "SELECT tokens_used > 0 AND api_calls_made = 3 AND cost_usd > 0 AND cost_score > 0 FROM benchmark_executions WHERE label LIKE '%gpt'")" = 1 ]
}

@test "the cleanup runs after a kill" {
    cat > k.yaml <<END
suite: {id: k}
agents: [{id: slow, process: {command: 'sleep 30'}}]
benchmarks:
  - id: b
    environment: {setup: 'touch $PWD/up', cleanup: 'touch $PWD/down'}
    cases: [{input: x, expected: x}]
END
    "$ASSAY_BIN" run k.yaml --quiet &
    pid=$!
    for _ in $(seq 100); do [ -e up ] && break; sleep 0.1; done
    [ -e up ]
    kill -9 $pid
    for _ in $(seq 100); do [ -e down ] && break; sleep 0.1; done
    [ -e down ]
}

# The folder of a dead arm is removed by the runner, at the same time.
@test "the cleanup of a killed arm has its files" {
    mkdir work
    cat > k.yaml <<END
suite: {id: k}
constraints: {time_limit_ms: 20000}
agents: [{id: slow, process: {command: 'echo $$ > started; sleep 30', workdir: work}}]
benchmarks:
  - id: b
    environment: {setup: 'echo resource > name', cleanup: 'cat name >> $PWD/down'}
    iterations: {warmup: 0, measured: 1}
    cases: [{input: x, expected: x}]
END
    "$ASSAY_BIN" run k.yaml --quiet > out 2>&1 &
    pid=$!
    for _ in $(seq 100); do [ -e work/started ] && break; sleep 0.1; done
    # The guard's parent is the arm.
    arm=$(ps -eo pid=,ppid=,comm= | awk -v top=$pid '{p[$1] = $2; c[$1] = $3}
        END {for (g in c) if (c[g] == "assay-guard") {for (x = g; x in p && x != top;) x = p[x]; if (x == top) print p[g]}}')
    [ -n "$arm" ]
    kill -9 $arm
    for _ in $(seq 100); do [ -s down ] && break; sleep 0.1; done
    kill $pid || true # it may have ended: its last arm is gone
    wait $pid || true
    [ "$(sort -u down)" = resource ] # the arm after it may have cleaned up, too
}

@test "a killed suite goes on where it was" {
    write_suite
    "$ASSAY_BIN" run s.yaml --only small --json > lines &
    pid=$!
    for _ in $(seq 200); do grep -q '"iteration"' lines && break; sleep 0.02; done
    kill -9 $pid
    wait $pid 2> /dev/null || true
    assay run s.yaml --only small --resume --quiet
    [ "$(q "SELECT count(*) FROM runs")" = 1 ]
    [ "$(q "SELECT group_concat(DISTINCT trials_attempted) FROM benchmark_executions")" = 6 ]
    [ "$(q "SELECT accuracy_score FROM benchmark_executions WHERE label = 'small, agent=awk'")" = 1.0 ]
}

@test "a session that leaks is told from one that does not, by report and claim" {
    assay run "$ROOT/specs/production.yaml" --only leak > /dev/null
    assay show latest > out
    [ "$(grep -c "grows by .* MB per 1000 cases" out)" = 1 ]
    assay report --format json | grep -q memory_growth_mb
    run assay claims
    [[ $output == *"holds      the red flag works: a planted leak is seen"* ]]
}

@test "a registered suite whose dataset has changed is said to have changed, and not mixed" {
    mkdir d
    printf '{"input":"a","expected":"a"}\n' > d/c.jsonl
    cat > d/s.yaml <<'YAML'
suite: {id: reg}
agents: [{id: cat, process: {command: [cat]}}]
benchmarks: [{id: b, dataset: {source: c.jsonl}, iterations: {warmup: 0, measured: 1}}]
YAML
    assay suites add d/s.yaml --quiet
    assay run reg --quiet 2> err
    [ ! -s err ] # as it was
    old=$(q "SELECT substr(content_hash, 1, 12) FROM benchmarks WHERE name = 'b'")
    printf '{"input":"b","expected":"b"}\n' >> d/c.jsonl
    assay run reg --quiet 2> err
    new=$(q "SELECT substr(content_hash, 1, 12) FROM benchmarks WHERE name = 'b' AND content_hash NOT LIKE '$old%'")
    grep -q "'c.jsonl' has changed: benchmark 'b' was content $old and is $new, 2 cases now" err
    grep -q "not mixed" err
    [ "$(q "SELECT count(DISTINCT benchmark_id) FROM benchmark_executions")" = 2 ]
    assay run reg --quiet 2> err # until it is registered anew
    grep -q "has changed" err
    assay suites add d/s.yaml --quiet
    assay run reg --quiet 2> err
    [ ! -s err ]
}

@test "an agent that wavers: what one attempt passes, and what all do, is told" {
    cat > w.yaml <<END
suite: {id: w}
agents: [{id: third, process: {command: 'echo x >> $PWD/n; [ \$((\$(wc -l < $PWD/n) % 3)) = 0 ] && echo no || cat', contain: "off"}}]
benchmarks: [{id: b, cases: [{input: yes1, expected: yes1}], iterations: {warmup: 0, measured: 3}}]
END
    assay run w.yaml > /dev/null
    run assay show latest
    [[ $output == *"b, third: 1 of 1 cases; pass@1 0.667 ["*"], pass^3 0.000 [0."* ]]
    assay report --format markdown | grep -q 'pass@1 0.667'
    assay report --format html | grep -q 'pass@1 0.667'
}

@test "an agent that nobody can reach is told once; the others are measured" {
    echo '{suite: {id: s}, benchmarks: [{id: b, cases: [{input: a, expected: a}, {input: b, expected: b}]}],
           agents: [{id: gone, openai: {url: "http://127.0.0.1:1/v1", model: m, retry: {max: 0}}},
                    {id: here, process: {command: [cat]}}]}' > s.yaml
    run assay run s.yaml --json
    [ "$status" = 1 ]
    [ "$(grep -c 'nothing listens at http://127.0.0.1:1/v1' <<< "$output")" -ge 1 ]
    [ "$(jq -rR 'fromjson? | select(.event=="iteration").arm' <<< "$output" | sort | uniq -c | tr -s ' ')" = " 10 1" ]
}

@test "a script among an agent's arguments that only our folder has is pointed out" {
    echo 'cat' > agent.sh
    cat > s.yaml <<'YAML'
suite: {id: s}
agents:
  - {id: missed, process: {command: [sh, agent.sh]}}
  - {id: found, process: {command: [sh, agent.sh], workdir: .}}
benchmarks: [{id: b, cases: [{input: x, expected: x}], iterations: {warmup: 0, measured: 1}}]
YAML
    assay run s.yaml --json > out
    assay report --format json > report.json
    jq -e '.cells[0].notes | map(select(startswith("\u0027agent.sh\u0027 is in the folder where assay was started"))) | length == 1' report.json
    jq -e '.cells[1].notes | map(select(startswith("\u0027agent.sh\u0027 is in the folder where assay was started"))) | length == 0' report.json
    [[ $(assay baseline set b latest) == *"for 1 cell of 2: in the rest no trial was ok" ]]
}

@test "--rescore of conversations reads every turn back from the store" {
    cat > s.yaml <<'END'
suite: {id: talk, name: Talk, category: accuracy, version: "1"}
agents: [{id: cat, version: "1", process: {command: [cat]}}]
benchmarks:
  - id: turns
    rubric: [{check: contains, weight: 1}]
    cases:
      - {id: own, turns: [{input: one, expected: one}, {input: two, expected_output: other}]}
      - {id: last, turns: [hello, {input: {a: 1}, expected_outputs: [no, '"a"']}]}
      - {id: plain, input: {a: [1, 2]}, expected: "2"}
    iterations: {warmup: 0, measured: 2}
END
    assay run s.yaml --quiet
    assay run --rescore latest --quiet
    scores="SELECT e.run_id, trial, c.status, detail FROM case_results c JOIN benchmark_executions e ON e.id = c.execution_id"
    first=$(q "SELECT id FROM runs ORDER BY started_at LIMIT 1")
    q "$scores ORDER BY 1, 2" | grep "^$first" | cut -d'|' -f2- > a
    q "$scores ORDER BY 1, 2" | grep -v "^$first" | cut -d'|' -f2- > b
    [ "$(wc -l < a)" = 6 ]
    cmp a b
    [ "$(q "SELECT group_concat(round(accuracy_score, 6)) FROM benchmark_executions")" = "0.833333,0.833333" ]
}

@test "instruments tell of the agent alone: not of its guard, nor of us where it is behind HTTP" {
    cp "$(command -v sleep)" assay-guard # as ours calls itself
    cat > s.yaml <<END
suite: {id: whose, name: Whose, category: speed, version: "1"}
agents:
  - {id: here, version: "1", process: {command: ["$PWD/assay-guard", "0.1"]}}
  - {id: far, version: "1", openai: {url: "http://127.0.0.1:1/v1", model: m}}
benchmarks:
  - id: b
    cases: [{input: "1"}]
    instrumentation: [rusage, {name: resources, interval_ms: 20}]
    iterations: {warmup: 0, measured: 2}
END
    assay run s.yaml --stub --json > stream 2> err
    jq -c 'select(.event=="iteration") | [.arm, (.metrics | has("user_s", "cpu_percent", "max_rss_mb", "rss_max_mb"))]' stream | sort -u > has
    [ "$(jq -c 'select(.event=="iteration" and .arm==0).metrics | [.processes_max, .threads_max]' stream | sort -u)" = "[1,1]" ]
    [ "$(jq -s '[.[] | select(.[0]==0)[1:][]] | all' has)" = true ]
    [ "$(jq -s '[.[] | select(.[0]==1)[1:][]] | any' has)" = false ]
    [ "$(q "SELECT count(*) FROM benchmark_executions WHERE cpu_usage_percent IS NULL AND memory_peak_mb IS NULL")" = 1 ]
    [ "$(id -u)" = 0 ] || skip "the guard is closed to its user, and with it what its processes read and wrote"
    [ "$(jq -c 'select(.event=="iteration") | [.arm, (.metrics | has("io_read_mb"))]' stream | sort -u | tr -d '\n')" = "[0,true][1,false]" ]
}

@test "an agent that never answers is told of, and --fail-under is what fails" {
    cat > s.yaml <<'END'
suite: {id: vain, category: accuracy}
agents: [{id: crash, process: {command: [sh, -c, "exit 3"]}}, {id: fine, process: {command: [echo, "4"]}}]
benchmarks: [{id: b, cases: [{input: "2+2", expected: "4"}], iterations: {warmup: 0, measured: 3}}]
END
    assay run s.yaml > out 2> err
    grep -qx 'assay: b, agent=crash: none of 3 trials was ok; --fail-under SCORE makes that exit 1' err
    [ "$(grep -c 'was ok' err)" = 1 ]
    run "$ASSAY_BIN" run s.yaml --fail-under 0.5
    [ "$status" = 1 ]
}

# The shape of the requirement, whose rubric may be empty.
@test "an empty scoring_rubric is the default; names and created_at are kept" {
    cat > s.json <<'JSON'
{"suite_id": "7f1d0c2e-1111-4222-8333-444455556666", "suite_name": "Text", "category": "accuracy",
 "benchmarks": [{"benchmark_id": "up", "name": "Uppercase", "test_type": "synthetic",
   "cases": [{"input": "a"}], "expected_outputs": ["A"], "scoring_rubric": {}}],
 "version": "1", "created_at": "2026-01-02T03:04:05Z"}
JSON
    echo 'agents: [{id: tr, version: "1", process: {command: [tr, a-z, A-Z]}}]' > agents.yaml
    assay agents add agents.yaml
    assay run -q s.json --agent tr > text
    [ "$(sqlite3 .assay/assay.db 'SELECT accuracy_score FROM benchmark_executions')" = 1.0 ]
    [ "$(sqlite3 .assay/assay.db "SELECT json_extract(settings, '$.name') || json_extract(settings, '$.suite_created_at') FROM benchmarks WHERE name = 'up'")" = Uppercase2026-01-02T03:04:05Z ]
    [ "$(sqlite3 .assay/assay.db "SELECT title FROM benchmark_suites WHERE name LIKE '7f1d%'")" = Text ]
}

@test "a named pipe is no dataset, spec or list of agents, and is not waited for" {
    mkfifo pipe.jsonl pipe.yaml
    cat > piped.yaml <<'Y'
suite: {id: piped}
agents: [{id: cat, process: {command: [cat]}}]
benchmarks: [{id: b, rubric: exact, dataset: {source: pipe.jsonl}}]
Y
    sed 's/dataset: .*/cases: [{input: q, expected: q}]}]/; 1a include: pipe.yaml' piped.yaml > included.yaml
    for how in run check; do
        fails_with 2 "is not a file" timeout 10 "$ASSAY_BIN" $how piped.yaml
        fails_with 2 "is a named pipe" timeout 10 "$ASSAY_BIN" $how included.yaml
        fails_with 2 "is a named pipe" timeout 10 "$ASSAY_BIN" $how pipe.yaml
    done
    assay check <(sed 's/dataset: .*/cases: [{input: q, expected: q}]}]/' piped.yaml)
}

@test "a cell that --resume repeats keeps what was stored of it, in a run that is not the latest" {
    cat > s.yaml <<'Y'
suite: {id: h}
agents: [{id: a, process: {command: 'cat > /dev/null; echo x'}}]
benchmarks:
  - id: b
    rubric: {check: command, command: "test -e ok && echo 1 || { read l; case $l in *five*) exit 3;; esac; echo 1; }"}
    iterations: {warmup: 0, measured: 3}
    cases: [{input: one}, {input: five}, {input: six}]
Y
    fails_with 1 "3 of 9 trials were harness errors" assay run -q s.yaml
    touch ok
    assay run -q s.yaml --resume
    [ "$(sqlite3 .assay/assay.db "SELECT count(*) FROM case_results")" = 18 ]
    [ "$(sqlite3 .assay/assay.db "SELECT group_concat(status, ' ') FROM (SELECT status FROM runs ORDER BY status)")" = "cancelled success" ]
    assay list | sed -n 2p | grep -q finished
    assay show --brief | grep -q "3 of 3 cases right"
    # It is finished: neither the run nor what was set aside is resumed again.
    fails_with 2 "no unfinished run" assay run -q s.yaml --resume
}
