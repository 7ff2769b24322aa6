#!/usr/bin/env bats
# leaderboard and matrix over a suite that was really run.
load ../helper

suite() {
    cat > s.yaml <<'YAML'
suite: {id: arithmetic, name: Arithmetic, category: accuracy, version: "1.0"}
agents:
  - {id: right, process: {command: [sh, -c, 'read e; echo $(($e))']}}
  - {id: wrong, process: {command: [sh, -c, 'read e; echo 4']}}
benchmarks:
  - id: sums
    dataset: {complexity: low}
    cases:
      - {input: "1+1", expected: "2"}
      - {input: "2+2", expected: "4"}
      - {input: "3*7", expected: "21"}
      - {input: "10-3", expected: "7"}
      - {input: "5*5", expected: "25"}
      - {input: "9+9", expected: "18"}
      - {input: "8+9", expected: "17"}
      - {input: "8-9", expected: "-1"}
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml --quiet > /dev/null
}

@test "leaderboard: one row an agent, with ranks, intervals and ties" {
    suite
    run assay leaderboard
    [ "$status" = 0 ]
    [[ ${lines[0]} == "* overall without speed efficiency cost"* ]]
    [[ ${lines[2]} == *right* && ${lines[3]} == *wrong* ]]
    [[ $output == *"ranks compare 8 cases"* ]]
}

@test "leaderboard --json has the promised keys" {
    suite
    assay leaderboard --json > out
    for key in schema rows agent_id agent_name overall_score overall_rank rank_low rank_high \
        tie_group scores benchmark_category benchmarks_completed best_ranking \
        last_benchmark_date first_share coverage partial; do
        grep -q "\"$key\":" out || { echo "no $key"; false; }
    done
    grep -q '"schema":"assay.leaderboard/1"' out
    jq -e '.rows[0].scores | .accuracy.score == 1 and .accuracy.rank == 1 and .accuracy.low < 1 and .accuracy.high == 1 and .speed == {score: null, low: null, high: null, rank: null}' out
    grep -q '"benchmark_category":"overall"' out
    assay leaderboard --by category --order best_ranking --json |
        grep -q '"benchmark_category":"accuracy"'
    assay leaderboard --by complexity --json | grep -q '"complexity":"low"'
}

@test "list names the suite of a run, whatever its file is called; a command has none" {
    suite
    assay run -q -n 2 -c true > /dev/null
    assay list --json | jq -e '[.runs[].suite] == [null, "arithmetic"]'
}

@test "the views say the same as the commands" {
    suite
    view=$(sqlite3 -readonly .assay/assay.db "SELECT group_concat(agent_name || '=' ||
        (scores_and_ranks -> 'accuracy' ->> 'rank')) FROM benchmark_leaderboard")
    ours=$(assay leaderboard --json | jq -r '[.rows[] | "\(.agent_name)=\(.scores.accuracy.rank)"] | join(",")')
    [ "$view" = "$ours" ]
    matrix=$(sqlite3 -readonly .assay/assay.db "SELECT round(avg_accuracy, 9)
        FROM agent_comparison_matrix ORDER BY accuracy_rank LIMIT 1")
    assay matrix --json | grep -q '"schema":"assay.matrix/1"'
    [ "$matrix" = "1.0" ]
    assay matrix --order best_ranking --json | grep -q '"avg_accuracy":1,'
}

@test "leaderboard --stale: who was not benchmarked, and the share that was" {
    suite
    run assay leaderboard --stale 30d
    [[ $output == *"2 of 2 agents benchmarked since"*"(100 %)"* ]]
    assay leaderboard --stale 2200-01-01 --json | grep -q '"share":0,'
    run assay leaderboard --stale 2200-01-01
    [[ $output == *"not: right, last 2"* ]]
}

@test "a forgotten run leaves the board" {
    suite
    assay forget latest --quiet || assay forget latest
    run assay leaderboard
    [[ $output == *"no measured executions"* ]]
}

@test "what is misspelt is said" {
    suite
    fails_with 2 "--metric must be one of" assay leaderboard --metric beauty
    fails_with 2 "--since must be a time" assay leaderboard --since soon
    fails_with 2 "--by must be one of" assay leaderboard --by colour
    fails_with 2 "weight 'luck' is not understood" assay leaderboard --weights luck=1
    fails_with 2 "weights must add up to a number" assay leaderboard --weights accuracy=1e308,speed=1e308
    fails_with 2 "--min-coverage must be a share (is '7'): write 7 % or 0.07" assay matrix --min-coverage 7
    fails_with 2 "takes no argument" assay matrix x
}

@test "leaderboard --json: the sentence of the whole says who is best, by how much, how sure" {
    cat > s.yaml <<'Y'
suite: {id: s, category: accuracy, version: "1"}
agents:
  - {id: right, process: {command: [cat]}, prices: {input: 0, output: 0}}
  - {id: wrong, process: {command: [echo, "0"]}, prices: {input: 0, output: 0}}
benchmarks:
  - id: b
    cases:
      - {input: "1", expected: "1"}
      - {input: "2", expected: "2"}
      - {input: "3", expected: "3"}
      - {input: "4", expected: "4"}
      - {input: "5", expected: "5"}
      - {input: "6", expected: "6"}
      - {input: "7", expected: "7"}
      - {input: "8", expected: "8"}
    iterations: {warmup: 0, measured: 1}
    targets: {duration_s: 10}
Y
    assay leaderboard --json | jq -e '.sentence == null and .sure == null and .next == null'
    assay run s.yaml --agent right -q > /dev/null
    assay leaderboard --json | jq -e '(.sentence | test("^right is the only one ranked: ")) and .sure == null'
    assay run s.yaml -q > /dev/null
    assay leaderboard --json > out
    jq -e '.sentence | test("^right is best: [0-9.]+ overall, 0\\.[0-9]+ ahead of wrong by their latest runs; first in [0-9]+ % of all weightings$")' out
    jq -e '.sure | test("^decided: right is ahead of wrong by 0\\.[0-9]+ \\[.*over 8 cases of their latest runs, p = ")' out
    jq -e '.next == null' out
}

@test "leaderboard: agents without a case in common are all ranked, and nothing is said of their order" {
    cat > s.yaml <<'Y'
suite: {id: s, category: accuracy, version: "1"}
agents:
  - {id: one, process: {command: [cat]}}
  - {id: two, process: {command: [cat]}}
benchmarks:
  - {id: a, agents: [one], cases: [{input: "1", expected: "1"}, {input: "2", expected: "2"}]}
  - {id: b, agents: [two], cases: [{input: "3", expected: "3"}, {input: "4", expected: "5"}]}
iterations: {warmup: 0, measured: 1}
Y
    assay run s.yaml -q > /dev/null
    assay leaderboard --json > out
    jq -e '.sentence | test("^one leads with 1.000 overall, but the order against two is not decided; ")' out
    jq -e '.sure == "not decided: no case is common to one and two"' out
    jq -e '.next == "to tell one from two: run both on the same benchmark"' out
    jq -e '.notes | any(test("^agents were run on different benchmarks"))' out
    assay show --brief > text
    head -1 text | grep -q '^s: 2 agents, not each on all 2 benchmarks, up to 2 cases, 4 trials'
    grep -q '^Not sure: no case is common to one and two; to decide: run both on the same benchmark\.$' text
}

@test "leaderboard --json: who is best does not depend on the order and number of rows" {
    suite
    assay leaderboard --json | jq '{sentence, sure}' > out
    jq -e '.sentence | test("^right is best")' out
    assay leaderboard --json --limit 1 | jq '{sentence, sure}' | cmp - out
    assay leaderboard --json --order best_ranking | jq '{sentence, sure}' | cmp - out
}
