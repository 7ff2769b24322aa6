#!/usr/bin/env bats
# Reading answers: cases, and answers for replay.
load ../helper

suite() {
    cat > s.yaml <<'YAML'
suite: {id: sums, category: accuracy, version: "1.0"}
agents:
  - {id: right, process: {command: [sh, -c, 'read e; echo $(($e))']}}
  - {id: wrong, process: {command: [sh, -c, 'read e; [ "$e" = 1+1 ] && exit 3; [ "$e" = 7*7 ] && sleep 0.3; echo 4']}}
benchmarks:
  - id: small
    rubric: [{check: exact, weight: 0.5}, {check: max_length, weight: 0.5, chars: 9}]
    cases:
      - {id: one, input: "1+1", expected: "2", tags: [tiny, first]}
      - {id: two, input: "2+2", expected: "4", tags: [tiny]}
      - {id: three, input: "3*7", expected: "21"}
      - {id: four, input: "5+6", expected: "11"}
      - {id: five, input: "7*7", expected: "49"}
    iterations: {warmup: 0, measured: 2}
YAML
    assay run s.yaml -q > /dev/null 2>&1
}

names() { jq -r '[.cases[].case] | join(" ")'; }

@test "cases: an agent is meant in all its versions, unless one is named" {
    cat > s.yaml <<'YAML'
suite: {id: sums, category: accuracy, version: "1.0"}
agents:
  - {id: bot, version: "1", process: {command: [cat]}}
  - {id: bot, version: "2", process: {command: [echo, "1"]}}
benchmarks:
  - id: small
    cases: [{id: one, input: "1", expected: "1"}, {id: two, input: "2", expected: "2"}]
    iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml -q > /dev/null 2>&1
    [ "$(assay cases --failed --agent bot --json | names)" = "two" ]
    [ "$(assay cases --failed --agent bot@1 --json | names)" = "" ]
    [ "$(assay cases --failed --agent 'bot 2' --json | names)" = "two" ]
    [ "$(assay cases --flipped bot@1 bot@2 --json | names)" = "two" ]
    fails_with 2 "the run has 2 of 'bot': name one, such as 'bot 2'" assay cases --flipped bot bot@2
}

@test "cases: filters find what is planted" {
    suite
    [ "$(assay cases --json | names)" = "one two three four five" ]
    [ "$(assay cases --failed --json | names)" = "one three four five" ]
    [ "$(assay cases --failed --agent right --json | names)" = "" ]
    [ "$(assay cases --flipped right wrong --json | names)" = "one three four five" ]
    [ "$(assay cases --tag tiny --json | names)" = "one two" ]
    [ "$(assay cases --tag tiny --failed --json | names)" = "one" ]
    [ "$(assay cases --case small/four --json | names)" = "four" ]
    [[ $(assay cases --slow --agent wrong --json | names) == *five* ]]
    hash=$(assay cases --case two --json | jq -r '.cases[0].hash')
    [ "$(assay cases --case "${hash:0:12}" --json | names)" = "two" ]
    fails_with 2 "the run has no case 'nine'" assay cases --case nine
    fails_with 2 "no agent 'nobody'" assay cases --agent nobody
    fails_with 2 "takes one run" assay cases a b
    assay run -q -n 1 -- true > /dev/null
    fails_with 2 "is not of a suite" assay cases latest
}

@test "cases: answers with their passes, checks, reasons and the way to ask again" {
    suite
    assay cases --case three > out
    grep -q '^sums: 1 of 5 cases: named three$' out
    grep -q '^small / three$' out
    grep -qE '^  expected +21$' out
    grep -qE '^  \+ right +21$' out
    grep -qE '^  - wrong +4$' out
    grep -qE "^ +0 of 2 passed, .*; exact: '4' instead of '21'$" out
    grep -qE '^  again +assay run s.yaml --only small --agent wrong --only-failed [0-9a-f]{12}$' out
    assay cases --case one > out
    grep -qE '^  - wrong +\(no answer\)$' out
    grep -q '0 of 2 passed; failed: exit code 3' out
    assay cases --case three --json > c.json
    jq -e '.cases[0].answers[] | select(.agent == "wrong") |
        .left_out == null and .passed == 0 and .attempted == 2 and (.attempts | length) == 2 and
        .attempts[0].checks[0] == {check: "exact", score: 0, why: "'"'4' instead of '21'"'"} and
        .attempts[0].checks[1].score == 1 and .attempts[0].score == 0.5' c.json
    # What it says to type works.
    again=$(jq -r '.cases[0].again' c.json)
    PATH="${ASSAY_BIN%/*}:$PATH" sh -c "$again" > /dev/null 2>&1
    [ "$(assay cases --json | names)" = "one three four five" ]
    [ "$(assay cases --json | jq '[.cases[].answers | length] | unique | .[0]')" = 1 ]
}

@test "cases: right, wrong and unjudged are the same to show, cases, reports and --only-failed" {
    # `tired` judges two attempts and is down at the third, `down` judges none.
    cat > s.yaml <<'YAML'
suite: {id: states, category: accuracy}
agents: [{id: bot, process: {command: 'read x; [ "$x" = boom ] && exit 3; echo $x'}}]
judges:
  - {id: tired, process: {command: 'n=$(cat /tmp/n 2> /dev/null || echo 0); echo $((n + 1)) > /tmp/n; [ $n -lt 2 ] && echo "{\"score\": 1, \"why\": \"good\"}"'}}
  - {id: down, process: {command: "echo I am down >&2; exit 1"}}
benchmarks:
  - id: b
    cases:
      - {id: a-right, input: a, expected: a}
      - {id: b-wrong, input: b, expected: z}
      - {id: c-crash, input: boom, expected: z}
      - {id: d-tired, input: c, expected: c, rubric: [{check: judge, agent: tired}]}
      - {id: e-down, input: d, expected: d, rubric: [{check: judge, agent: down}]}
      - {id: f-open, input: e}
    iterations: {warmup: 0, measured: 3}
YAML
    assay run s.yaml -q > /dev/null 2>&1 || true
    wrong='["b-wrong","c-crash"]'
    unjudged='["e-down","f-open"]'
    assay cases --json > c.json
    [ "$(jq -c '[.cases[] | select(.case == "d-tired").answers[0].attempts[].status]' c.json)" = '["ok","ok","harness_error"]' ]
    of() { jq -c "[.cases[] | select(.answers[0].right == $1).case]" c.json; }
    [ "$(of true)" = '["a-right","d-tired"]' ]
    [ "$(of false)" = "$wrong" ]
    [ "$(of null)" = "$unjudged" ]
    [ "$(assay cases --failed --json | jq -c '[.cases[].case]')" = "$wrong" ]
    [ "$(assay show latest --brief --json | jq -c '.agents[0] | [.right, .cases, .wrong, .unjudged]')" = "[2,6,$wrong,$unjudged]" ]
    assay show latest --json > s.json
    [ "$(jq -c '.cells[0].scores | [[.failures[].case], [.unjudged[].case]]' s.json)" = "[$wrong,$unjudged]" ]
    # Why, how many of how many, and which attempt shows it: one answer too.
    [ "$(jq -c '[.cells[0].scores.failures[] | [.case, .passed, .attempted, .why]]' s.json)" = \
      "$(jq -c '[.cases[] | .case as $c | .answers[0] | select(.right == false) | [$c, .passed, .attempted, .why]]' c.json)" ]
    [ "$(jq -c '[.cells[0].scores.unjudged[] | [.case, .why]]' s.json)" = \
      "$(jq -c '[.cases[] | .case as $c | .answers[0] | select(.right == null) | [$c, .why]]' c.json)" ]
    [ "$(jq -c '[.cases[].answers[0] | .attempts[.shown].status]' c.json)" = '["ok","ok","failed","ok","harness_error","ok"]' ]
    assay report latest --out r.html -q
    for row in a-right:✓ b-wrong:✗ c-crash:✗ d-tired:✓ e-down:– f-open:–; do
        grep -A1 "<button type=\"button\">${row%:*}</button>" r.html | grep -q "<i>${row#*:}</i>"
    done
    assay cases --case e-down | grep -qE '^  \? bot +d$'
    assay show latest | grep -A3 '^Cases that could not be judged$' | grep -q '^  f-open: nothing to judge it by$'
    # 3 passes of the two wrong and the two unjudged ones.
    [ "$(assay run s.yaml --only-failed latest --dry-run --json | jq .measured_trials)" = 12 ]
    run assay run s.yaml --only-failed latest -q
    [ "$(assay cases --json | jq -c '[.cases[].case]')" = '["b-wrong","c-crash","e-down","f-open"]' ]
}

@test "cases: what an agent says gives the terminal no orders" {
    cat > s.yaml <<'YAML'
suite: {id: evil, category: accuracy, version: "1.0"}
agents: [{id: a, process: {command: [printf, '\033[2Jgone\n\nok\033]0;title\007\n1\n2\n3\n4\n5\n6\n7']}}]
benchmarks: [{id: b, cases: [{id: c, input: x, expected: y}], iterations: {warmup: 0, measured: 1}}]
YAML
    assay run s.yaml -q > /dev/null 2>&1
    assay cases > out
    [ "$(grep -c "$(printf '\033')" out)" = 0 ]
    grep -q 'more lines' out
}

@test "export answers: replay gives them again, and scores are the same" {
    suite
    fails_with 2 "say --agent 'right'" assay export latest --format answers
    fails_with 2 "no agent 'nobody'" assay export latest --format answers --agent nobody
    assay export latest --format answers --agent wrong --out wrong.jsonl -q
    [ "$(wc -l < wrong.jsonl)" = 10 ]
    sed -e '/{id: right/d' -e "s|{id: wrong.*|{id: then, replay: {answers: $PWD/wrong.jsonl}}|" s.yaml > r.yaml
    first=$(assay show latest --json | jq -c '[.cells[] | select(.label | test("wrong")) | .scores | [.accuracy.score, .reliability.score]]')
    assay cases --agent wrong --json | jq -c '[.cases[] | [.case, (.answers[0].attempts | map(.output))]]' > before
    assay run r.yaml -q > /dev/null 2>&1
    [ "$(assay show latest --json | jq -c '[.cells[].scores | [.accuracy.score, .reliability.score]]')" = "$first" ]
    assay cases --json | jq -c '[.cases[] | [.case, (.answers[0].attempts | map(.output))]]' > after
    diff before after
}

@test "export answers: cases of two benchmarks that share an id keep their answers" {
    cat > s.yaml <<'YAML'
suite: {id: s, category: accuracy, version: "1.0"}
agents: [{id: good, process: {command: [cat]}}]
benchmarks:
  - {id: a, cases: [{id: c, input: one, expected: one}], iterations: {warmup: 0, measured: 2}}
  - {id: b, cases: [{id: c, input: two, expected: two}], iterations: {warmup: 0, measured: 2}}
YAML
    assay run s.yaml -q > /dev/null 2>&1
    assay export latest --format answers --agent good > a.jsonl
    [ "$(jq -rs 'map(.benchmark) | unique | join(" ")' a.jsonl)" = "a b" ]
    sed "s|agents: .*|agents: [{id: then, replay: {answers: $PWD/a.jsonl}}]|" s.yaml > r.yaml
    assay run r.yaml -q > /dev/null 2>&1
    [ "$(assay show latest --json | jq -c '[.cells[].scores.accuracy.score]')" = "[1,1]" ]
}

@test "export answers: the turns of a conversation go and come back" {
    cat > t.yaml <<'YAML'
suite: {id: talk, category: accuracy, version: "1.0"}
agents: [{id: echo, process: {command: [sh, -c, 'while read -r l; do i=${l#*\"id\":}; t=${l#*\"turn\":}; echo "{\"id\":${i%%,*},\"output\":\"turn ${t%%,*}\"}"; done'], mode: session}}]
benchmarks:
  - id: b
    cases: [{id: c, turns: [{input: hi, expected: turn 0}, {input: ho, expected: turn 1}]}]
    iterations: {warmup: 0, measured: 1}
YAML
    assay run t.yaml -q > /dev/null 2>&1
    assay export latest --format answers --agent echo > a.jsonl
    [ "$(jq -rs 'map("\(.turn)=\(.output)") | join(" ")' a.jsonl)" = "0=turn 0 1=turn 1" ]
    sed "s|agents: .*|agents: [{id: then, replay: {answers: $PWD/a.jsonl}}]|" t.yaml > r.yaml
    assay run r.yaml -q > /dev/null 2>&1
    assay cases --json | jq -e '.cases[0].answers[0].right'
    assay cases | grep -qE 'turn 0$'
}

@test "cases: equal ones of different ids are told before and after a run" {
    cat > s.yaml <<'YAML'
suite: {id: sums}
agents: [{id: bot, process: {command: [cat]}}]
benchmarks:
  - id: small
    cases: [{id: one, input: "1", expected: "1"}, {id: two, input: "1", expected: "1"}, {id: three, input: "1", expected: "1"}]
    iterations: {warmup: 0, measured: 1}
YAML
    text="1 of 3 cases are different: 'one' and 'two' have the same input and expected answer"
    run assay check s.yaml
    [ "$status" = 0 ]
    [[ $output == *"benchmark 'small': $text"* ]]
    run assay run s.yaml
    [ "$status" = 0 ]
    [[ $(tr -s ' \n' ' ' <<< "$output") == *"$text"* ]]
    sed -i 's/id: two, input: "1"/id: two, input: "2"/; s/id: three, input: "1"/id: three, input: "3"/' s.yaml
    run assay check s.yaml
    [[ $output != *"cases are different"* ]]
}
