#!/usr/bin/env bats
# What ranks: whole, measured, judged executions of the newest content, each once.
load ../helper

# write VERSION WRONG: 30 cases of which the first WRONG are answered wrongly
write() {
    seq 0 29 | awk '{printf "{\"id\":\"c%02d\",\"input\":\"q%d\",\"expected\":\"x\"}\n",$1,$1}' > cases.jsonl
    seq 0 29 | awk -v k="$2" '{printf "{\"case\":\"c%02d\",\"output\":\"%s\"}\n",$1,($1<k?"wrong":"x")}' > "ans$2.jsonl"
    printf 'suite: {id: acc}\nagents: [{id: bot, version: "%s", replay: {answers: ans%s.jsonl}}]\nbenchmarks: [{id: one, dataset: {source: cases.jsonl}, iterations: {warmup: 0, measured: 1}}]\n' "$1" "$2" > "v$1.yaml"
}

rows() { assay leaderboard --json "$@" | jq -c '[.rows[] | [.agent_name, .agent_version, .scores.accuracy.score, .executions]]'; }
reasons() { assay leaderboard --json | jq -c '[.left_out[] | [.reason, .executions]]'; }

@test "a rerun of the failed cases does not rank" {
    write 1 9
    assay run v1.yaml -q
    [ "$(rows)" = '[["bot","1",0.7,1]]' ]
    assay run v1.yaml --only-failed latest -q
    [ "$(rows)" = '[["bot","1",0.7,1]]' ]
    [ "$(reasons)" = '[["subset",1]]' ]
    run assay leaderboard
    [[ $output == *"not ranked: 1 execution of bot: some of the cases only"* ]]
    [ "$(assay matrix --json | jq -c '[.rows[] | .avg_accuracy]')" = '[0.7]' ]
}

@test "a cached copy does not rank, a rescored execution takes the place of its source" {
    write 1 9
    assay run v1.yaml -q
    assay run v1.yaml --cache -q
    [ "$(rows)" = '[["bot","1",0.7,1]]' ]
    [ "$(reasons)" = '[["cached",1]]' ]
    first=$(assay list --json | jq -r '[.runs[] | .id] | sort | .[0]')
    sed 's/iterations/rubric: {check: max_length, words: 9}, iterations/' v1.yaml > r.yaml
    assay run r.yaml --rescore "$first" -q
    [ "$(rows)" = '[["bot","1",1,1]]' ]
    assay run r.yaml --rescore "$first" -q
    [ "$(rows)" = '[["bot","1",1,1]]' ]
    [[ $(reasons) == *'["rescored",2]'* ]]
}

@test "of a benchmark whose content changed only the newest ranks, and that is said" {
    write 1 9
    assay run v1.yaml -q
    sed -i 's/"c00","input":"q0"/"c00","input":"other"/' cases.jsonl
    assay run v1.yaml -q
    [ "$(rows | jq '.[0][3]')" = 1 ]
    [ "$(reasons)" = '[["old_content",1]]' ]
    run assay leaderboard
    [[ $output == *"the benchmark has newer content"* ]]
}

@test "versions are rows of their own unless merged; --suite and --benchmark choose" {
    write 1 0
    assay run v1.yaml -q
    write 2 15
    assay run v2.yaml -q
    [ "$(rows)" = '[["bot","1",1,1],["bot","2",0.5,1]]' ]
    [ "$(rows --merge-versions)" = '[["bot",null,0.75,2]]' ]
    sed 's/id: acc/id: other/; s/id: one/id: two/' v2.yaml > o.yaml
    assay run o.yaml -q
    [ "$(rows --suite other)" = '[["bot","2",0.5,1]]' ]
    [ "$(rows --benchmark one)" = '[["bot","1",1,1],["bot","2",0.5,1]]' ]
    [ "$(assay matrix --suite acc --json | jq -c '[.rows[].agent_version]')" = '["1","2"]' ]
    run assay leaderboard
    [[ $output == *"bot 1 "* && $output == *"bot 2 "* ]]
}

@test "scores without all of their judgements do not rank with full ones" {
    cat > jd.yaml <<'END'
suite: {id: jd}
agents: [{id: cat, process: {command: [cat]}}]
judges: [{id: j, process: {command: "echo I am down >&2; exit 1"}}]
benchmarks: [{id: b, cases: [{input: a, expected: a}, {input: b, expected: z, rubric: [{check: judge, agent: j}]}], iterations: {warmup: 0, measured: 1}}]
END
    run assay run jd.yaml -q
    [ "$(rows)" = '[]' ]
    [ "$(reasons)" = '[["unjudged",1]]' ]
}

@test "scores have intervals, and two agents are tied where their ranks may be the same" {
    write 1 0
    assay run v1.yaml -q
    write 2 15
    assay run v2.yaml -q
    assay leaderboard --json > out
    jq -e '.rows | all(.scores.accuracy.low <= .scores.accuracy.score and .scores.accuracy.score <= .scores.accuracy.high and .overall_low <= .overall_score and .overall_score <= .overall_high)' out
    jq -e '.rows[0].scores.accuracy.low > .rows[1].scores.accuracy.high' out
    # two agents share a group exactly where their rank intervals meet
    jq -e '[.rows[0], .rows[1]] as [$a, $b] | (([$a.tie_groups[] as $g | $b.tie_groups[] | select(. == $g)] | length) > 0) == ($a.rank_high >= $b.rank_low and $b.rank_high >= $a.rank_low)' out
}

@test "percentile_rank does not depend on which cell ended first" {
    cat > p.yaml <<'END'
suite: {id: p}
agents: [{id: right, process: {command: [cat]}}, {id: half, process: {command: 'read x; echo a'}}, {id: wrong, process: {command: [echo, z]}}]
benchmarks: [{id: b, cases: [{input: a, expected: a}, {input: b, expected: b}], iterations: {warmup: 0, measured: 1}}]
END
    assay run p.yaml -q
    [ "$(sqlite3 .assay/assay.db "SELECT group_concat(printf('%s %.2f', a.name, e.percentile_rank), ', ') FROM (SELECT * FROM benchmark_executions ORDER BY cell_index) e JOIN agents a ON a.id = e.agent_id")" = "right 1.00, half 0.67, wrong 0.33" ]
}

# Two equal agents, with a prompt that makes them right and one that makes them wrong; then b
# alone with the first: a's latest is of `bad`, b's of `good`.
prompted() {
    cat > p.yaml <<'SPEC'
suite: {id: pr}
agents: [{id: a, version: "1", process: {command: [sh], mode: oneshot}}, {id: b, version: "1", process: {command: [sh], mode: oneshot}}]
prompts: {good: "echo {{input}}", bad: "echo {{input}}x"}
benchmarks:
  - id: echo
    cases: [{input: a, expected: a}, {input: b, expected: b}, {input: c, expected: c}, {input: d, expected: d}, {input: e, expected: e}, {input: f, expected: f}, {input: g, expected: g}, {input: h, expected: h}]
    iterations: {warmup: 0, measured: 1}
SPEC
    assay run p.yaml -q > /dev/null
    sed 's/, bad: .*}/}/' p.yaml > g.yaml
    assay run g.yaml --agent b -q > /dev/null
}

@test "prompts are rows of their own" {
    prompted
    for ask in leaderboard matrix 'leaderboard --suite pr' 'matrix --suite pr'; do
        # shellcheck disable=SC2086
        assay $ask --json | jq -c '[.rows[] | [.agent_name, .agent_version, .prompt, .overall_rank, .rank_low, .rank_high, .coverage]] | sort' > out
        [ "$(cat out)" = '[["a","1","bad",3,3,4,1],["a","1","good",1,1,2,1],["b","1","bad",3,3,4,1],["b","1","good",1,1,2,1]]' ]
    done
    assay leaderboard --agent b@1 --json | jq -e '[.rows[] | [.prompt, .executions]] | sort == [["bad",1],["good",2]]'
    assay leaderboard | grep -q 'a 1 prompt good '
}

@test "with versions merged, cases are paired prompt by prompt, as versus does" {
    prompted
    assay versus a b --suite pr --json | jq -e '.overall_winner == null and ([.benchmarks[].cases] | add) == 16'
    for ask in leaderboard matrix 'leaderboard --suite pr' 'matrix --suite pr'; do
        # shellcheck disable=SC2086
        assay $ask --merge-versions --json > out
        jq -e '[.rows[] | [.agent_version, .prompt, .rank_low, .rank_high, .coverage]] == [[null,null,1,2,1],[null,null,1,2,1]]' out
        jq -e '.notes | any(contains(" 8 cases"))' out
        # by the metric, as versus compares it
        # shellcheck disable=SC2086
        assay $ask --merge-versions --metric accuracy --json | jq -e 'all(.rows[]; .rank_low == 1 and .rank_high == 2)'
    done
    assay matrix --merge-versions --json | jq -e 'all(.rows[]; .avg_accuracy == 0.5 and .benchmarks_completed == 1)'
    # A prompt that one alone has been asked by is not covered by the other.
    sed 's/good:/other:/' g.yaml > o.yaml
    assay run o.yaml --agent b -q > /dev/null
    assay matrix --merge-versions --json | jq -e '[.rows[] | [.agent_name, (.coverage * 3 | round)]] | sort == [["a",2],["b",3]]'
}

# Two versions, each right in 21 of 30 cases, but in others; the failed ones of the second again.
@test "compare and versus take by agent what ranks, not a rerun of the failed cases" {
    write 1 9
    assay run v1.yaml -q
    write 2 9
    seq 0 29 | awk '{printf "{\"case\":\"c%02d\",\"output\":\"%s\"}\n",$1,($1>20?"wrong":"x")}' > other.jsonl
    sed -i 's/ans9/other/' v2.yaml
    assay run v2.yaml -q
    assay run v2.yaml --only-failed latest -q
    for b in bot@2 bot bot@2:0; do
        run assay compare bot@1 "$b" --metric accuracy --fail-on worse
        [ "$status" = 0 ]
        [[ $output == *"(over 30 cases)"* ]]
        [[ $output == *"'$b' is without one, bot 2 of run "*": run on some of the cases only"* ]]
        [[ $output != *"only B has"* ]]
    done
    run assay compare bot@1 latest --metric accuracy
    [ "$status" = 2 ]
    [[ $output == *"B was run on some of the cases only (--only-failed)"*"the two are not compared"* ]]
    run assay compare latest latest --metric accuracy
    [ "$status" = 0 ]
    [[ $output == *"B does not rank: run on some of the cases only"* ]]
    run assay versus bot@1 bot@2
    [ "$status" = 0 ]
    [[ $output == *"bot@1 against bot@2 on acc, 30 cases"* ]]
    [[ $output == *"overall winner: none"* ]]
}

@test "compare says of an agent without a whole run why it has none" {
    write 1 9
    assay run v1.yaml -q
    sed -i 's/"1"/"2"/' v1.yaml
    assay run v1.yaml --only-failed latest -q
    run assay compare bot@1 bot@2
    [ "$status" = 2 ]
    [[ $output == *"no run of 'bot@2' counts: "*" is left out, run on some of the cases only; name a run by its id"* ]]
}
