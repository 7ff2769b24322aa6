#!/usr/bin/env bats
# What a run ends in: one screen, whose words and numbers are those of every other command.
load ../helper

# The first is right in all 12 cases, the second in 3, the third in the same 3.
suite() {
    {
        cat <<'YAML'
suite: {id: sums, category: accuracy, version: "1.0"}
agents:
  - {id: right, process: {command: [sh, -c, 'read e; echo $(($e))']}}
  - {id: half, process: {command: [sh, -c, 'read e; [ ${#e} -gt 3 ] && echo no || echo $(($e))']}}
  - {id: twin, process: {command: [sh, -c, 'read e; [ ${#e} -gt 3 ] && echo no || echo $(($e))']}}
benchmarks:
  - id: small
    cases:
YAML
        for i in 1 2 3; do echo "      - {id: short-$i, input: \"$i+$i\", expected: \"$((i + i))\"}"; done
        for i in 11 12 13 14 15 16 17 18 19; do
            echo "      - {id: long-$i, input: \"$i+$i\", expected: \"$((i + i))\"}"
        done
        echo '    iterations: {warmup: 0, measured: 2}'
    } > s.yaml
}

key() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

@test "run: a suite ends in one screen, and show has the rest" {
    suite
    assay run s.yaml > out 2> /dev/null
    [ "$(wc -l < out)" -le 30 ]
    [ "$(head -1 out | cut -d, -f1)" = "sums: 3 agents x 12 cases x 2 passes" ]
    grep -q '^right is best: 1.000 overall, first in 100 % of all weightings\.$' out
    grep -qE '^Sure: ahead of half by 0\.500 \[.*\], 12 cases, p = 0\.0.* adjusted\.$' out
    grep -qE '^half: 0\..* rank 2-3, order with twin not decided, 3 of 12 right$' out
    grep -q 'assay versus right half --suite sums .* 9 cases where only right is right' out
    [ "$(grep -c '^Scores' out)" = 0 ]
    assay show latest > all
    grep -q '^Scores (0 to 1' all
    grep -q '^Cases not passed in every attempt$' all
    grep -q '^Comparison' all
    # Pairs are cases here, and the page says so as Markdown does.
    assay report latest --format html > r.html
    assay report latest --format markdown > r.md
    grep -q '>Ratio to the first arm of the group, from paired cases, ' r.html
    grep -q '^From paired cases, ' r.md
    [ "$(grep -c 'which is faster' r.html)" = 0 ]
}

@test "run: why there was no answer is the agent's own reason, whatever it is called" {
    cat > s.yaml <<'YAML'
suite: {id: sums, category: accuracy, version: "1.0"}
agents:
  - {id: bot, process: {command: [sh, -c, 'read e; [ "$e" = 1 ] || exit 3; echo 1']}}
  - {id: bot2, process: {command: [sh, -c, 'exit 4']}}
benchmarks:
  - id: small
    cases: [{input: "1", expected: "1"}, {input: "2", expected: "2"}]
    iterations: {warmup: 0, measured: 2}
YAML
    assay run s.yaml > out 2> /dev/null || true
    grep -q '^no answer: bot in 2 of 4, bot2 in 4 of 4 trials; bot2: exit code 4$' out
    # The interval of a share is that of its mean, and that is what is explained.
    assay show latest --explain > all
    grep -A4 -E '^  accuracy +0\.500 +\[' all | grep -qE '^      interval +95 % of the mean over 2 cases$'
}

@test "outcome: its numbers are those of leaderboard and versus" {
    suite
    assay run s.yaml > /dev/null 2>&1
    assay show --brief --json > o.json
    assay leaderboard --json > l.json
    assay versus half right --suite sums --json > v.json
    python3 - <<'PY'
import json
o, l, v = (json.load(open(f + '.json')) for f in 'olv')
rows = {r['agent_name']: r for r in l['rows']}
assert o['schema'] == 'assay.outcome/1' and len(o['agents']) == 3
for a in o['agents']:
    r = rows[a['name']]
    for mine, theirs in (('overall_score',) * 2, ('overall_low',) * 2, ('overall_high',) * 2,
                         ('rank', 'overall_rank'), ('rank_low',) * 2, ('rank_high',) * 2,
                         ('first_share',) * 2, ('tie_group',) * 2):
        assert a[mine] == r[theirs], (a['name'], mine, a[mine], r[theirs])
    for name, s in a['scores'].items():
        assert s['score'] == r['scores'][name]['score'] and s['low'] == r['scores'][name]['low']
lead, whole = o['lead'], v['overall']
assert lead['over'] == 'half' and lead['n'] == 12 and lead['decided']
assert abs(lead['by'] - whole['effect']['value']) < 1e-12, (lead, whole)
# One of three pairs: p is adjusted, and the interval is that of the same level.
assert abs(lead['p'] - 3 * whole['p']) < 1e-12, (lead, whole)
assert 0 < lead['low'] < whole['effect']['low'] and lead['high'] > whole['effect']['high']
assert o['agents'][0]['right'] == 12 and o['agents'][1]['right'] == 3
assert len(o['agents'][1]['wrong']) == 9
PY
    assay show --brief > text
    grep -qF "$(key 'd["sentence"]' < o.json)" text
    grep -qF "$(key 'd["sure"]' < o.json)" text
    [ "$(assay show --brief -q)" = "$(key 'd["sentence"]' < o.json)" ]
}

@test "outcome: what is not decided is not called best, nor the same" {
    suite
    assay run s.yaml --agent half --agent twin > out 2> /dev/null
    grep -qE 'and so has (half|twin); their order is not decided\.' out
    [ "$(grep -cE 'is best|is better|same score|equal' out)" = 0 ]
    [ "$(assay show --brief --json | key 'd["lead"]["decided"]')" = False ]
    assay run s.yaml --agent half > out 2> /dev/null
    grep -qE '^half: 0\..* overall, 3 of 12 cases right\.$' out
}

@test "outcome: two agents, score by score" {
    suite
    assay run s.yaml --agent right --agent half > out 2> /dev/null
    grep -qE '^right is better than half on small: ahead by 0\.500 \[.*\], 12 cases, p = 0\.0' out
    grep -qE '^better      accuracy \+0\.750 \[' out
    grep -qE '^equivalent|^undecided' out
}

@test "outcome: a run is ranked among its own, whatever came after it" {
    suite
    assay run s.yaml > /dev/null 2>&1
    first=$(assay list --json | key 'd["runs"][0]["id"]')
    assay show "$first" --brief --json | key 'json.dumps(d["agents"])' > then
    sed -i 's/input: "19+19", expected: "38"/input: "19+20", expected: "39"/' s.yaml
    assay run s.yaml --agent twin > /dev/null 2>&1
    assay show "$first" --brief --json | key 'json.dumps(d["agents"])' > now
    diff then now
    [ "$(assay show --brief --json | key 'len(d["agents"])')" = 1 ]
}

@test "outcome: prompts are told apart, and a stand-in alone is ranked with a warning" {
    cat > p.yaml <<'YAML'
suite: {id: talk, category: accuracy, version: "1.0"}
prompts: {plain: "{{input}}", kind: "please: {{input}}"}
agents:
  - {id: gpt, openai: {url: "http://127.0.0.1:1/v1", model: stub}}
benchmarks:
  - id: echo
    cases: [{input: a, expected: a}, {input: b, expected: b}]
    iterations: {warmup: 0, measured: 1}
YAML
    assay run p.yaml --stub > out 2> err || { cat out err; false; }
    grep -qE '^warning: gpt prompt (plain|kind) is simulated: its answers come from a stand-in' out
    [ "$(assay show --brief --json | key 'sorted(a["name"] for a in d["agents"])')" = "['gpt prompt kind', 'gpt prompt plain']" ]
    [ "$(assay show --brief --json | key 'd["unranked"]')" = True ]
}

# on_terminal COMMAND: its output on a terminal of 80 columns.
on_terminal() { script -qec "stty cols 80 rows 40; $1" /dev/null < /dev/null 3>&-; }

@test "outcome: bars on a terminal that shows them, plain lines elsewhere" {
    suite
    export TERM=xterm LC_ALL=C.UTF-8
    on_terminal "$ASSAY_BIN run s.yaml" > out
    grep -q 'Ctrl-C keeps what is done' out
    grep -q '━●━  95 % interval over cases' out
    grep -q '2┌half' out
    grep -q '2└twin' out
    # Nothing is wider than the terminal.
    sed -E 's/\x1b\[[0-9;]*[A-Za-z]//g; s/\r//g' out | python3 -c '
import sys
lines = sys.stdin.read().split("\n")
assert max(map(len, lines)) <= 80, max(lines, key=len)'
    on_terminal "LC_ALL=C $ASSAY_BIN show --brief" > out
    [ "$(grep -c '●' out)" = 0 ]
    grep -q '3 of 12 right' out
    on_terminal "$ASSAY_BIN show --brief --no-color" > out
    [ "$(grep -cE '●|\[1m' out)" = 0 ]
}

# planted SHARE: the second arm needs so much less of everything.
planted() {
    echo "{experiment: sparse_memory, params: {planted: [0, $1], cap: 20, runs_on: false, mark: 5},
        iterations: {measured: 12}}" > planted.yaml
    assay run -q planted.yaml > /dev/null 2>&1
    assay compare latest --json |
        jq -r '.rows[] | select(.metric == "iterations_to_target") | .verdict' > verdict
    assay show --brief > out
}

@test "outcome: which cell is best is decided as compare does" {
    planted 0.3
    [ "$(cat verdict)" = better ]
    grep -q '^none, planted=0.3 is lowest: 1.43 .* times as low as none, planted=0, 95 % interval, 12 pairs\.$' out
    planted 0.02
    [ "$(cat verdict)" = equivalent ]
    grep -q '^none, planted=0.02 has the lowest iterations_to_target, but that of none, planted=0 is the same within 3 %: ratio 0.98 .*, 12 pairs\.$' out
}

@test "outcome: claims are said, and commands have their sentence" {
    assay run -n 12 -c 'sleep 0.001' -c 'sleep 0.05' > /dev/null 2>&1
    run assay show --brief
    [[ $output == "sleep 0.001 is fastest: "*" times as fast as sleep 0.05, 95 % interval, 12 pairs."* ]]
    suite
    cat >> s.yaml <<'YAML'
claims:
  - {name: right answers, metric: accuracy, compare: {agents: [half, right]}, expect: {difference: {min: 0.2}}}
YAML
    assay run s.yaml > out 2> err || { cat out err; false; }
    grep -q 'right answers' out
}
