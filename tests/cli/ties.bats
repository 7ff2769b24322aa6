#!/usr/bin/env bats
# Ties of the leaderboard are verdicts of the engine: the same data through leaderboard,
# matrix and versus.
load ../helper

# answers NAME K J: of 30 cases of one benchmark and 10 of another the first K and J are wrong.
answers() {
    local b id n k
    for b in one:30:$2 two:10:$3; do
        IFS=: read -r id n k <<< "$b"
        seq 0 $((n - 1)) | awk -v k="$k" -v b="$id" \
            '{printf "{\"case\":\"%s%02d\",\"output\":\"%s\"}\n", b, $1, $1 < k ? "no" : "x"}'
    done > "$1.jsonl"
}

suite() {
    local a b id n
    for b in one:30 two:10; do
        IFS=: read -r id n <<< "$b"
        seq 0 $((n - 1)) | awk -v b="$id" \
            '{printf "{\"id\":\"%s%02d\",\"input\":\"q%d\",\"expected\":\"x\"}\n", b, $1, $1}' > "$id.jsonl"
    done
    printf 'suite: {id: s}\nagents:\n' > s.yaml
    for a in "$@"; do printf -- '- {id: %s, replay: {answers: %s.jsonl}}\n' "$a" "$a" >> s.yaml; done
    printf 'benchmarks:\n' >> s.yaml
    for b in one two; do
        printf -- '- {id: %s, dataset: {source: %s.jsonl}, iterations: {warmup: 0, measured: 1}}\n' $b $b >> s.yaml
    done
    rm -rf .assay
    assay run s.yaml -q > /dev/null
}

@test "two agents are told apart in leaderboard and matrix if and only if versus does" {
    told=0
    for k in 0 2 4 5 6 8 12; do
        answers a 0 0
        answers b "$k" $((k / 4))
        suite a b
        versus=$(assay versus a b --suite s --json |
            jq -r '.detailed_metrics[] | select(.metric == "accuracy") | .verdict_winner')
        for command in leaderboard matrix; do
            apart=$(assay $command --metric accuracy --json |
                jq -r '.rows | if .[0].rank_high == 1 then .[0].agent_name else "null" end')
            [ "$apart" = "$versus" ] || { echo "$k: $command $apart, versus $versus"; false; }
        done
        [ "$versus" = null ] || told=$((told + 1))
    done
    [ "$told" -ge 2 ]
    [ "$told" -le 5 ]
}

@test "leaderboard and versus weigh alike: a benchmark counts once, whatever its cases" {
    answers a 3 0
    answers b 0 5
    suite a b
    assay leaderboard --metric accuracy --json > board.json
    assay versus a b --suite s --json > versus.json
    # a: (27/30 + 1) / 2 = 0.95, b: (1 + 0.5) / 2 = 0.75; by case it would be 0.925 and 0.875.
    jq -e '[.rows[] | {(.agent_name): .scores.accuracy.score}] | add |
        (.a - 0.95 | fabs) < 1e-12 and (.b - 0.75 | fabs) < 1e-12' board.json
    jq -e '.detailed_metrics[] | select(.metric == "accuracy") |
        (.agent_a_score - 0.95 | fabs) < 1e-12 and (.agent_b_score - 0.75 | fabs) < 1e-12 and
        (.effect.value + 0.2 | fabs) < 1e-12' versus.json
}

@test "tie groups, rank intervals and sentences say the same" {
    answers a 0 0
    answers b 1 0
    answers c 20 8
    suite a b c
    assay leaderboard --metric accuracy --json > board.json
    jq -e '.rows[] | select(.agent_name == "c") | .rank_low == 3 and .rank_high == 3 and
        .tie_groups == [2] and .next == null and (.sentence | endswith("decided against all others"))' board.json
    for agent in a b; do
        jq -e --arg a $agent '.rows[] | select(.agent_name == $a) | .rank_low == 1 and .rank_high == 2 and
            .tie_groups == [1] and (.sentence | test("it may be 1 to 2: the order against [ab] is undecided$")) and
            (.next | test("to tell it from [ab]: measure about [0-9]+ cases|more than 100 times"))' board.json
    done
    jq -e '[.rows[] | .rank_low <= .scores.accuracy.rank and .rank_high >= .scores.accuracy.rank] | all' board.json
    assay matrix --metric accuracy --json | jq -e '[.rows[] | has("sentence") and has("next")] | all'
}

@test "who is told apart is in no tie group with the other and is not called undecided" {
    answers a 0 0
    answers b 5 1
    answers c 10 2
    suite a b c
    assay leaderboard --json > board.json
    # a and c may both be second, and yet their order is decided
    jq -e '[.rows[] | [.agent_name, .rank_low, .rank_high]] == [["a", 1, 2], ["b", 1, 3], ["c", 2, 3]]' board.json
    jq -e '[.rows[] | .tie_groups] == [[1], [1, 2], [2]]' board.json
    assay versus a c --suite s --json | jq -e '.overall_winner == "a"'
    assay show latest --brief > out
    grep -q '^a leads with .*, but its order with b is not decided' out
    grep -q '^a: .*, order with b not decided' out
    grep -q '^b: .*, order with a, c not decided' out
    grep -q '^c: .*, order with b not decided' out
}

# timed WEIGHTS: two agents on one benchmark with targets; cases take unlike times.
timed() {
    {
        printf 'suite: {id: s}\nagents:\n'
        printf -- '- {id: a, process: {command: %s}}\n' "'read k; sleep 0.0\$((k % 4)); echo \$k'"
        printf -- '- {id: b, process: {command: %s}}\n' "'read k; [ \$k -gt 3 ] || k=x; echo \$k'"
        printf 'benchmarks:\n- id: one\n  iterations: {warmup: 0, measured: 2}\n%s' "$1"
        printf '  targets: {duration_s: 0.01, cpu_s: 0.01}\n  cases:\n'
        for i in {1..12}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > s.yaml
    rm -rf .assay
    assay run s.yaml -q > /dev/null
}

@test "an agent has one overall score, and one interval of it, in show, leaderboard, matrix and versus" {
    timed ''
    for a in a b; do
        for command in leaderboard matrix; do
            assay $command --json | jq -c --arg a $a '.rows[] | select(.agent_name == $a) |
                [.overall_score, .overall_low, .overall_high | . * 1e10 | round]'
        done
        assay show latest --json | jq -c --arg a $a '.cells[] | select(.scores.agent == $a) |
            .scores.overall | [.score, .low, .high | . * 1e10 | round]'
    done | sort -u > all
    cat all
    [ "$(wc -l < all)" = 2 ]
    for score in accuracy speed efficiency; do
        assay leaderboard --json | jq -c ".rows[].scores.$score | [.score, .low, .high | . * 1e10 | round]"
        assay show latest --json | jq -c ".cells[].scores.$score | [.score, .low, .high | . * 1e10 | round]"
    done | sort -u > all
    cat all
    [ "$(wc -l < all)" = 6 ]
    assay leaderboard --json | jq '.rows | map({(.agent_name): .overall_score}) | add | .a, .b | . * 1e10 | round' > board
    assay versus a b --suite s --json | jq '.overall | .agent_a_score, .agent_b_score | . * 1e10 | round' | diff board -
    assay versus a b --suite s | grep -q 'score by case'
    assay versus a b --suite s | grep -q 'note: overall: the scores differ by '
    # Weights of the suite's own are another question, and it is said.
    ! assay leaderboard | grep -q 'weights of its own' || false
    timed $'  weights: {accuracy: 1}\n'
    assay leaderboard | grep -q 'a suite states weights of its own'
}

@test "in a ranking by speed a time-out is as long as versus says" {
    {
        printf 'suite: {id: s}\nagents:\n'
        printf -- '- {id: quick, process: {command: [cat]}}\n'
        printf -- '- {id: hangs, process: {command: %s}}\n' "'read k; [ \$k -gt 14 ] || sleep 9; echo \$k'"
        printf 'benchmarks:\n- id: one\n  iterations: {warmup: 0, measured: 1}\n  targets: {duration_s: 1}\n'
        printf '  constraints: {time_limit_ms: 300}\n  cases:\n'
        for i in {1..40}; do printf '  - {input: "%d", expected: "%d"}\n' "$i" "$i"; done
    } > s.yaml
    assay run s.yaml -q > /dev/null
    assay versus quick hangs --suite s --json > versus.json
    jq -e '.detailed_metrics[] | select(.metric == "speed") | .verdict_winner == "quick"' versus.json
    # Scores are of medians, which 14 time-outs of 40 hardly move; the order is decided by cases.
    for command in leaderboard matrix; do
        assay $command --metric speed --json > board.json
        jq -e '[.rows[] | .tie_groups] == [[1], [2]]' board.json
        jq -e '.rows[0] | .agent_name == "quick" or (.sentence | endswith("case by case quick is better"))' board.json
    done
}
