#!/usr/bin/env bats
# import: other tools' results become runs.
load ../helper

ids() { assay list --limit 0 --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4; }

hyperfine() {
    cat > h.json << 'END'
{"results":[{"command":"sleep 0.1","mean":0.1,"times":[0.1,0.11,0.09,0.1,0.102,0.101,0.099],
 "exit_codes":[0,0,0,1,0,0,0]},{"command":"true","mean":0.001}]}
END
}

@test "a file becomes a run that show understands, once" {
    hyperfine
    run assay import h.json
    [ "$status" = 0 ]
    [[ $output == *"2 benchmarks with 8 trials (hyperfine)"*"1 of them claimed"* ]]
    run assay import h.json
    [[ $output == *"the same is stored already"* ]]
    assay import --json - < h.json | grep -q '"new":false'
    [ "$(ids | wc -l)" = 1 ]
    run assay show
    [[ $output == *"sleep 0.1"*"6 of 7 ok, 1 failed"*"exit code 1"*"claimed"* ]]
}

@test "columns of a table are mapped by options" {
    printf 'name,lat_ms,size\na,1.5,2\nb,2,3\na,2.5,4\n' > t.csv
    assay import t.csv --by name --column lat_ms --agent parser --version 2
    run assay show --brief
    [[ ${lines[0]} == "2 results: a 2.000 ms "*", b 2.000 ms "*"." ]]
    run assay show --json
    [[ $output == *'"name":"lat_s","unit":"s","direction":"lower"'* ]]
    [[ $output != *'"size"'* ]]
    fails_with 2 "no column 'nom'" assay import t.csv --by nom
    fails_with 2 "auto, lower, higher" assay import t.csv --direction up
}

@test "a table without a header does not lose its first value" {
    printf '0.5\n0.6\n' > t.csv
    fails_with 2 "the header has '0.5', which is a number" assay import t.csv --format csv
    printf '2025,2026\n1,2\n' > t.csv # unless that is its name
    assay import t.csv --column 2026
    [[ $(assay show --json) != *'"2025"'* ]]
}

@test "a result file imported is comparable in every metric with its run" {
    assay run --quiet -n 8 -c true --out out > /dev/null
    run assay import out/*/cell-000.json --quiet
    [ "$status" = 0 ]
    assay compare latest latest~1 --json > out.json
    jq -e '[.refused[].metric] - ["memory_peak_mb"] == [] and ([.rows[].metric] | contains(["duration_s", "user_s"])) and
        all(.rows[]; .summary[0] == .summary[1])' out.json
}

@test "the same bytes are one run, under another --name another" {
    printf 'v,w\n1,2\n' > k.csv
    assay import k.csv --quiet
    cp k.csv l.csv
    run assay import l.csv
    [[ $output == *"stored already"* ]]
    for try in 1 2; do assay import k.csv --name b --quiet; done
    [ "$(assay list --json | grep -o '"id":' | wc -l)" = 2 ]
    run assay show latest
    [[ $output == *"b  "*"1 of 1 ok"* ]]
}

# What a table without dates says is said when it is imported.
@test "what is imported again is the latest, for every command, and counts once" {
    export ASSAY_WORKSPACE=w
    printf 'test,ok\na,1\nb,1\n' > good.csv
    printf 'test,ok\na,1\nb,0\n' > bad.csv
    printf 'block:\n  - {name: all pass, metric: ok, below: 1}\n' > policy.yaml
    take() { assay import "$1" --by test --kind shift --agent A --version 1; }
    take good.csv
    assay baseline set base latest
    fails_with 2 "its own baseline" assay gate policy.yaml latest --baseline base
    take bad.csv
    fails_with 1 "" assay gate policy.yaml latest --baseline base
    [[ $(take good.csv) == *"the same is stored already as run "*", now the latest" ]]
    assay gate policy.yaml latest --baseline base > out
    take bad.csv --json
    fails_with 1 "ok is 0" assay gate policy.yaml latest --baseline base
    fails_with 1 "ok is 0" assay gate policy.yaml --baseline base
    [ "$(ids | wc -l)" = 2 ]
    bad=$(ids | head -n 1)
    assay show latest --json > out
    jq -e --arg id "$bad" '.run.id == $id and all(.cells[]; .trials.attempted == 1)' out
    [ "$(assay export latest --format jsonl | grep -c "$bad")" = 2 ]
    assay import bad.csv --by test --kind shift --agent A --version 1 --json > out
    jq -e '.new == false and .latest == true' out
    # A pin of today is not what was found again.
    assay baseline set base latest
    fails_with 2 "its own baseline" assay gate policy.yaml latest --baseline base
    [ "$(ASSAY_WORKSPACE=other assay list 2>&1 | grep -c "$bad")" = 0 ]
}

@test "what has a date stands where that belongs, and says so" {
    for day in 10 12; do
        printf 'at,v\n2026-01-%sT00:00:00Z,%s\n' "$day" "$day" > "$day.csv"
    done
    assay import 12.csv --time at
    for round in 1 2; do
        run assay import 10.csv --time at
        [[ $output == *"it is not the latest run"* ]]
    done
    assay show latest --json | grep -q '"12.csv"'
}

@test "hlog: what an HdrHistogram reader would say" {
    printf '0.1,1.0,2.7,%s\n' "$(cat "$ROOT/fuzz/corpus/hdr/one")" > a.hlog
    run assay import a.hlog --format hlog --json
    [ "$status" = 0 ]
    [[ $output == *'"histograms":1,"total":'*',"p999":'*',"max":'* ]]
}

@test "what cannot be read is refused with the place, and nothing is stored" {
    fails_with 2 "No such file" assay import none.json
    echo "hello" > x
    fails_with 2 "name one with --format" assay import x
    fails_with 2 "did you mean 'csv'?" assay import x --format cvs
    printf '{"task":"t","duration":1,"success":true}\n{"task":"t","success":true}\n' > r
    fails_with 2 "line 2: 'duration' is missing" assay import r --format record
    [ ! -e .assay ]
}

@test "hyperfine's CSV: commands are told apart, and summaries are claims" {
    printf 'command,mean,stddev,median,user,system,min,max\nsleep .003,0.0045,0.0003,0.0044,0.001,0.002,0.004,0.006\nsleep .005,0.0068,0.0003,0.0067,0.001,0.002,0.006,0.008\n' > hf.csv
    assay import hf.csv > out
    grep -q "2 benchmarks with 2 trials" out
    assay show --json > shown
    [ "$(jq -r '[.cells[].label] | join(";")' shown)" = "sleep .003;sleep .005" ]
    [ "$(jq -r '[.cells[].provenance] | unique | join(";")' shown)" = claimed ]
    [ "$(jq -r '.cells[0].metrics[] | select(.name == "mean") | "\(.unit) \(.median)"' shown)" = "s 0.0045" ]
}

@test "a file without numbers is refused by name; logs of older HdrHistogram libraries are read" {
    echo '{"results":[]}' > empty.json
    fails_with 2 "none of its columns has a number in it" assay import empty.json --format jsonl
    # V1, as its own library wrote it, with counts of two bytes.
    v1=HISTIgAAAFd42pNpmazIwMAYxgABTBDKT4GBgdnNYMcCBvsPUBkeBkYGZqA8MwMbAzsDC5DFBCTZgJCDQY1BjkGLQZRBlUEPCB8zWDCYMxgDZZkZhgJgHDibAY8JB/A=
    printf '#[StartTime: 1441812279.474 (seconds since epoch)]\n0.1,1.0,2.0,%s\n1.1,1.0,2.0,%s\n' $v1 $v1 > v1.hlog
    assay import v1.hlog --json | jq -e '.format == "hlog" and .histograms == 2 and .total == 2 * 724'
}

@test "nanoseconds become seconds without a rounding of their own" {
    printf 'x_ns,y\n1350221,1\n1350222,2\n' > ns.csv
    assay import -q ns.csv
    assay export --format csv > rows
    grep -q ',0\.001350221,' rows
}

@test "hlog: the quantiles of all values head the cell, not those of intervals" {
    printf '0.1,1.0,2.7,%s\n1.1,1.0,2.7,%s\n' "$(cat "$ROOT/fuzz/corpus/hdr/one")" "$(cat "$ROOT/fuzz/corpus/hdr/one")" > a.hlog
    assay import a.hlog --format hlog --json > imported
    assay show --json > shown
    [ "$(jq '.cells[0].merged[0].total' shown)" = "$(jq .total imported)" ]
    assay show > text
    [ "$(grep -c "of all $(jq .total imported) values: p50" text)" = 1 ]
    [[ $(sed -n '/of 2 ok\|of 2 trials/{n;p}' text) == *"of all"* ]]
}

# ---- bundles that change what is not theirs ----

# forge NAME: own.assay as forged.assay, with that changed and every checksum right.
forge() {
    python3 - "$1" <<'PY'
import gzip, hashlib, json, sqlite3, sys
lines = gzip.open("own.assay").read().decode().splitlines()
head, rows = json.loads(lines[0]), [json.loads(l) for l in lines[1:]]
shared = rows[:head["shared"]["rows"]]
run = rows[len(shared):len(shared) + head["runs"][0]["rows"]]
other = sqlite3.connect(".assay/assay.db").execute("SELECT id, run_id FROM benchmark_executions").fetchone()
for r in shared:
    if sys.argv[1] == "case" and "cases" in r: r["cases"]["expected"] = '"wrong"'
    if sys.argv[1] == "agent" and "agents" in r: r["agents"]["is_registered"] = 1
    if sys.argv[1] == "agent" and "benchmark_suites" in r: r["benchmark_suites"]["is_registered"] = 1
for r in run:
    if sys.argv[1] == "series" and r.get("series", {}).get("metric") == "accuracy":
        r["series"].update(execution_id=other[0], metric="planted")
    if sys.argv[1] == "execution" and "benchmark_executions" in r: r["benchmark_executions"]["run_id"] = other[1]
if sys.argv[1] == "place": shared, run = shared + run[-1:], run[:-1]
text = lambda rows: "".join(json.dumps(r, separators=(",", ":"), ensure_ascii=False) + "\n" for r in rows)
sums = lambda rows: {"rows": len(rows), "sha256": hashlib.sha256(text(rows).encode()).hexdigest()}
head["shared"].update(sums(shared)); head["runs"][0].update(sums(run))
head = json.dumps(head, separators=(",", ":")) + "\n"
open("forged.assay", "wb").write(gzip.compress((head + text(shared) + text(run)).encode()))
PY
}

@test "a bundle brings its own rows only: no other content of a case, no rows of another run, no registration" {
    cat > s.yaml <<'YAML'
suite: {id: s}
agents: [{id: a, version: "1", process: {command: [cat]}}]
benchmarks: [{id: b, iterations: {warmup: 0, measured: 1},
    cases: [{input: x, expected: x}, {input: {a: [1, 2.50]}, expected: é}, {turns: [{input: u, expected: v}]}]}]
YAML
    assay run -q s.yaml --store own.db
    assay export -q --store own.db --bundle own.assay
    assay run -q s.yaml
    before=$(sqlite3 .assay/assay.db .dump | sha256sum)
    forge nothing
    assay import -q forged.assay --store sqlite:copy.db
    for what in series execution place; do
        forge $what
        fails_with 2 "does not belong where the bundle has it" assay import forged.assay
        [ "$(sqlite3 .assay/assay.db .dump | sha256sum)" = "$before" ]
    done
    forge case
    fails_with 2 "the content of a case is not what its hash says" assay import forged.assay --store sqlite:other.db
    [ "$(sqlite3 other.db 'SELECT count(*) FROM cases')" = 0 ]
    forge agent
    assay import -q forged.assay --store sqlite:agent.db
    [ "$(sqlite3 agent.db 'SELECT sum(is_registered) FROM agents')$(sqlite3 agent.db 'SELECT sum(is_registered) FROM benchmark_suites')" = 00 ]
}

@test "import: a bundle of others pins and mutes nothing with --runs-only" {
    assay run -q -n 6 -c true
    assay baseline set default latest
    assay export --bundle a.assay latest
    fresh() { rm -rf .assay; }
    fresh
    run assay import a.assay
    [[ $output == *"with 1 baseline or alarm, pinned or muted as the bundle has them; --runs-only"* ]]
    [ "$(assay baseline list --json | jq '.baselines | length')" = 1 ]
    fresh
    run assay import a.assay --runs-only
    [[ $output == *"1 of 1 run added"* && $output != *"baseline"* ]]
    [ "$(assay baseline list --json | jq '.baselines | length')" = 0 ]
}
