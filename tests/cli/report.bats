#!/usr/bin/env bats
# The page: one file, whose words and numbers are those of the commands.
load ../helper

suite() {
    cat > s.yaml <<'YAML'
suite: {id: sums, category: accuracy, version: "1.0"}
agents:
  - {id: right, process: {command: [sh, -c, 'read e; echo $(($e))']}}
  - {id: long, process: {command: [sh, -c, 'read e; for i in $(seq 60); do printf "<b>word $i</b> </script> "; done; echo "é end of $e"']}}
  - {id: same, process: {command: [sh, -c, 'for i in $(seq 60); do printf "always this %s " $i; done']}}
benchmarks:
  - id: small
    cases:
      - {id: one, input: "1+1", expected: "2"}
      - {id: two, input: "2+2", expected: "4"}
      - {id: three, input: "3*7", expected: "21"}
      - {id: four, input: "5+6", expected: "11"}
      - {id: five, input: "7*7", expected: "49"}
      - {id: six, input: "7-8", expected: "-1"}
    targets: {duration_s: 0.01, cpu_s: 0.01}
    iterations: {warmup: 0, measured: 2}
YAML
    assay run s.yaml -q > /dev/null 2>&1
}

@test "report: a page opens with the sentence, and its numbers are those of the JSON" {
    suite
    assay report latest --html > r.html
    assay show --brief --json > o.json
    assay report latest --format markdown | grep -qF "**$(jq -r .sentence o.json)**"
    python3 - <<'PY'
import json, re, html
page, o = open('r.html').read(), json.load(open('o.json'))
text = lambda s: html.unescape(re.sub('<[^>]*>', '', s))
h1 = re.search(r'<h1>(.*?)</h1>', page, re.S).group(1)
assert text(h1) == ' '.join(filter(None, [o['sentence'], o['sure']])), h1
assert page.index('<h1>') < page.index('Overall score') < page.index('<table')
known = set()
def walk(v):
    if isinstance(v, dict): [walk(x) for x in v.values()]
    elif isinstance(v, list): [walk(x) for x in v]
    elif isinstance(v, (int, float)): known.add(float(v))
walk(o)
values = re.findall(r'<span data-value="([^"]+)">([^<]+)</span>', page)
assert len(values) > 3 * 18, len(values)
for exact, shown in values:
    assert float(exact) in known, (exact, shown)
    assert abs(float(exact) - float(shown)) <= 0.5 * 10 ** -len(shown.split('.')[1]) + 1e-12
board = re.findall(r'class="b-row".*?</div>', page)
assert [text(re.findall(r'<span>(.*?)</span>', b)[1]) for b in board] == [a['name'] for a in o['agents']]
PY
}

@test "report: answers are readable without scripts, and kept once, whole" {
    suite
    assay report latest --html > r.html
    assay cases --json > c.json
    python3 - <<'PY'
import base64, gzip, html, json, re
page, cases = open('r.html').read(), json.load(open('c.json'))['cases']
assert not re.search(r'(src|href)="', page), 'something is loaded'
# As a reader without scripts has it.
plain = html.unescape(re.sub('<[^>]*>', '', re.sub(r'(?s)<script.*?</script>', '', page)))
for c in cases:
    assert c['input'] in plain and c['expected'] in plain
    for a in c['answers']:
        assert a['attempts'][0]['output'][:200] in plain, a
assert '<b>word' not in page and page.count('</script>') == 2, 'an answer is markup'
block = re.search(r'id="answers">(.*?)</script>', page).group(1)
whole = json.loads(gzip.decompress(base64.b64decode(json.loads(block)['gzip'])))
long = [a['attempts'][0]['output'] for c in cases for a in c['answers'] if len(a['attempts'][0]['output']) > 200]
assert len(long) == 12 and sorted(set(long)) == sorted(whole['texts']), 'whole answers'
assert len(whole['texts']) == 7, 'equal answers are kept once'
for i, c in enumerate(cases):
    names = [a['agent'] for a in c['answers']]
    order = re.findall(r'<th>([^<]*)</th>', re.search(r'class="grid top".*?</thead>', page, re.S).group(0))[2:]
    for k, name in enumerate(order):
        at = whole['rows'][i][k + 2]
        out = c['answers'][names.index(name)]['attempts'][0]['output']
        assert (at == -1) == (len(out) <= 200)
        assert at == -1 or whole['texts'][at] == out
PY
    assay report latest --html --answers short > short.html
    [ "$(grep -c 'id="answers"' short.html)" = 0 ]
    grep -q 'always this 9 ' short.html
    assay report latest --html --answers none > none.html
    [ "$(grep -c 'always this' none.html)" -lt "$(grep -c 'always this' short.html)" ]
    [ "$(wc -c < none.html)" -lt "$(wc -c < short.html)" ]
    fails_with 2 "answers" assay report latest --html --answers some
}

@test "report: a page runs its own script only, and fetches nothing" {
    cat > s.yaml <<'Y'
suite: {id: p, name: P, category: accuracy, version: "1"}
agents: [{id: a, version: "1", process: {command: [cat]}}]
benchmarks: [{id: b, cases: [{input: "<script>alert(1)</script>", expected: "2"}], rubric: [{check: exact, weight: 1}]}]
Y
    assay run s.yaml -q > /dev/null
    assay report latest --html > page.html
    policy=$(sed -n 's/.*http-equiv="Content-Security-Policy" content="\([^"]*\)".*/\1/p' page.html)
    [[ $policy == "default-src 'none'; script-src 'sha256-"* ]]
    [[ $policy != *unsafe-inline*script* && $policy != *unsafe-eval* ]]
    # The hash is that of the one script that runs.
    [ "$(grep -c '^<script>$' page.html)" = 1 ]
    hash=$({ echo; sed -n '/^<script>$/,/^<\/script>$/p' page.html | sed '1d;$d'; } | openssl dgst -sha256 -binary | base64)
    [[ $policy == *"'sha256-$hash'"* ]] || { echo "$hash"; echo "$policy"; false; }
    # It stands before anything that other people wrote.
    [ "$(grep -n -m1 Content-Security-Policy page.html | cut -d: -f1)" -lt "$(grep -n -m1 '<title>' page.html | cut -d: -f1)" ]
}

@test "report: the column of a stand-in says that it is one, and so do its answers" {
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub --only notation --agent bc --agent model -q > /dev/null
    assay report --html --out r.html
    [ "$(grep -o '<th>model <span class="tag">simulated</span></th>' r.html | wc -l)" -ge 1 ]
    grep -q '<th>bc</th>' r.html
    assay cases --json | jq -e '[.cases[0].answers[] | {(.agent): .left_out}] | add == {bc: null, model: "simulated"}'
}

@test "report: 400 cases x 6 agents with answers of 2 kB stay below 3 MB" {
    python3 - <<'PY'
import json, random
r = random.Random(7)
words = [''.join(r.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(r.randint(2, 10))) for _ in range(3000)]
text = lambda: ' '.join(r.choice(words) for _ in range(330))[:2048]
cases = [{'id': f'c{i}', 'input': f'question {i}', 'expected': f'right {i}'} for i in range(400)]
agents = []
for a in range(6):
    with open(f'a{a}.jsonl', 'w') as f:
        for i in range(400):
            head = f'right {i} ' if r.random() > 0.1 * a else 'wrong '
            f.write(json.dumps({'case': f'c{i}', 'output': head + text()}) + '\n')
    agents.append({'id': f'agent-{a}', 'replay': {'answers': f'a{a}.jsonl'}})
json.dump({'suite': {'id': 'big', 'category': 'accuracy', 'version': '1'}, 'agents': agents,
           'benchmarks': [{'id': 'b', 'rubric': 'contains', 'cases': cases,
                           'iterations': {'warmup': 0, 'measured': 1}}]}, open('s.json', 'w'))
PY
    assay run s.json -q > /dev/null 2>&1
    assay report latest --out r.html -q
    [ "$(wc -c < r.html)" -lt 3000000 ]
    [ "$(grep -c '^<tr data-f=' r.html)" = 400 ]
    grep -q 'id="answers"' r.html
    grep -q 'Whole answers: of those that did not pass' r.html
    assay report latest --answers full --out full.html -q
    [ "$(wc -c < full.html)" -gt "$(wc -c < r.html)" ]
}

@test "run --report html|json|both: the requirement's files" {
    suite
    assay run s.yaml --agent right -q --report both > /dev/null 2>&1
    grep -q '<h1>right: 0' benchmark_results/benchmark_results.html
    jq -e '.schema == "assay.report/1"' benchmark_results/benchmark_results.json
    rm -r benchmark_results
    assay run s.yaml --agent right -q --report html --report own.md > /dev/null 2>&1
    [ "$(ls benchmark_results)" = benchmark_results.html ]
    grep -q '^\*\*right: 0' own.md
    fails_with 2 "the ending must say the kind" assay run s.yaml --report pdf
}

@test "report: a run without a suite opens with its sentence too, and a file without a store" {
    assay run -n 12 -c 'sleep 0.001' -c 'sleep 0.03' --out d > /dev/null 2>&1
    assay report latest --html > r.html
    grep -q '<h1>sleep 0.001 is fastest: ' r.html
    assay report d/* --html > f.html
    grep -q '<h1>' f.html
}

@test "a lead that the scores of the board do not show says what it is; columns say of which trials" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents:
  - {id: all, process: {command: 'read k; echo $k'}, prices: {input: 0, output: 0}}
  - {id: some, process: {command: 'read k; [ $k -gt 10 ] || sleep 0.2; echo $k'}, prices: {input: 0, output: 0}}
targets: {duration_s: 0.04, cost_usd: 1}
iterations: {warmup: 0, measured: 1}
benchmarks:
  - id: b
    cases:
YAML
    for i in {1..24}; do printf '    - {input: "%d", expected: "%d"}\n' "$i" "$i"; done >> s.yaml
    assay run s.yaml -q > /dev/null
    # Ten of 24 cases take five times the target: 0.25 * 10/24 * about 0.8 in the mean over
    # cases; the score of speed goes by the median, which is that of a quick one.
    assay show latest --brief > out
    grep -qE 'ahead by 0\.0[5-9][0-9] \[.*\] by case \(the scores differ by -?0\.0[0-2][0-9]\), 24 cases' out
    assay report latest --format markdown > md
    grep -q 'The columns after the interval are of the trials that gave a value' md
}

@test "cells whose labels are too long for the table are told apart by their values" {
    cat > s.yaml <<'YAML'
experiment: spatial_comprehensive
params:
  algorithms: [quadtree, kd_tree]
  agent_counts: [10, 20]
  distributions: [uniform, clustered]
  query_radii: [10, 50]
  steps: 2
iterations: {warmup: 0, measured: 1}
YAML
    assay run s.yaml -q > /dev/null
    assay show latest > out
    grep -qx 'avg_query_time by agent_counts, algorithms, distributions, query_radii' out
    grep -qE '^20, kd_tree, clustered, 50 +[0-9]' out
    # each of the sixteen has a name of its own
    [ "$(grep -cE '^[12]0, (quadtree|kd_tree), (uniform|clustered), [15]0 ' out)" = 16 ]
    [ "$(grep -oE '^[12]0, (quadtree|kd_tree), (uniform|clustered), [15]0 ' out | sort -u | wc -l)" = 16 ]
}
