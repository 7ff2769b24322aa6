#!/usr/bin/env bats
# What trials count value by value: from the trial to the store, the view and bundles.
load ../helper

# Trials, samples and histograms of the newest run, put together by a reader of our own
# (HdrHistogram V2: zlib, then zig-zag LEB128 counts, negative ones runs of zeros), against
# what `show --json` says.
check() {
    python3 - "$1" "$2" <<'PY'
import base64, json, sqlite3, struct, sys, zlib

def decode(text):
    outer = base64.b64decode(text)
    cookie, length = struct.unpack('>ii', outer[:8])
    body = zlib.decompress(outer[8:8 + length])
    _, size, _, digits, lowest, _, _ = struct.unpack('>iiiiqqd', body[:40])
    assert lowest == 1
    data, counts, index, at = body[40:40 + size], {}, 0, 0
    while at < len(data):
        bits = shift = 0
        while True:
            byte = data[at]
            at += 1
            bits |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80: break
        value = (bits >> 1) ^ -(bits & 1)
        if value < 0: index -= value
        else:
            counts[index] = value
            index += 1
    half = 1 << ((2 * 10 ** digits - 1).bit_length() - 1)
    def top(i):  # the highest value that the i-th count stands for
        bucket = i // half - 1
        sub = i % half + half
        if bucket < 0: bucket, sub = 0, i
        return ((sub + 1) << bucket) - 1
    return {top(i): n for i, n in counts.items() if n}

def quantile(counts, percent):
    wanted = max(1, int(percent / 100 * sum(counts.values()) + .5))
    for value in sorted(counts):
        wanted -= counts[value]
        if wanted <= 0: return value

def fits(said, counts):
    assert said['total'] == sum(counts.values()), (said, sum(counts.values()))
    for key, percent in (('p50', 50), ('p90', 90), ('p99', 99), ('p999', 99.9), ('max', 100)):
        assert abs(said[key] - quantile(counts, percent) / 1e9) < 1e-12, (key, said)

report = json.load(open(sys.argv[1]))
db = sqlite3.connect(sys.argv[2])
for cell in report['cells']:
    rows = db.execute("SELECT trial, count, data FROM histograms WHERE execution_id = ? AND"
                      " phase = 'measured' ORDER BY trial", (cell['id'],)).fetchall()
    gaps = next(m for m in cell['metrics'] if m['name'] == 'gaps')['samples']
    assert [r[0] for r in rows] == list(range(len(gaps))) and gaps
    assert [h['trial'] for h in cell['histograms']] == list(range(len(gaps)))
    everything = {}
    for (trial, count, data), said, gap in zip(rows, cell['histograms'], gaps):
        counts = decode(data)
        assert count == gap == sum(counts.values())
        fits(said, counts)
        for value, n in counts.items(): everything[value] = everything.get(value, 0) + n
    assert len(cell['merged']) == 1 and cell['merged'][0].get('trial') is None
    fits(cell['merged'][0], everything)
print(len(report['cells']), 'cells')
PY
}

spec() {
    cat > pauses.yaml <<'YAML'
experiment: pauses
sweep: {length_ms: [1, 2]}
iterations: {warmup: 1, measured: 5}
YAML
}

@test "what show says of histograms is what an independent reader of the store finds" {
    spec
    assay run pauses.yaml > out
    tr -s ' \n' ' ' < out | grep -q 'gap of all [0-9]* values: p50 .*; what follows is of its trials'
    assay show --json > report.json
    [ "$(check report.json .assay/assay.db)" = "2 cells" ]
}

@test "histograms go with their run: into a bundle, out of it, and away" {
    spec
    assay run pauses.yaml > out
    id=$(assay list --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["runs"][0]["id"])')
    assay export "$id" --bundle run.assay
    assay import run.assay --store other.db
    assay show "$id" --store other.db --json > report.json
    [ "$(check report.json other.db)" = "2 cells" ]
    [ "$(sqlite3 other.db 'SELECT count(*) FROM histograms')" = 12 ] # warm-ups too
    assay forget "$id" --store other.db
    [ "$(sqlite3 other.db 'SELECT count(*) FROM histograms')" = 0 ]
}

@test "a run that is interrupted and resumed has a histogram for each trial, once" {
    spec
    ASSAY_FAULT=commit:4:kill run assay run pauses.yaml
    [ "$status" != 0 ]
    assay run pauses.yaml --resume > out
    assay show --json > report.json
    [ "$(check report.json .assay/assay.db)" = "2 cells" ]
}

@test "the reader of this test notices a count that is missing" {
    spec
    assay run pauses.yaml > out
    assay show --json > report.json
    sqlite3 .assay/assay.db 'UPDATE histograms SET data = (SELECT data FROM histograms
        WHERE phase = "warmup" LIMIT 1) WHERE rowid = (SELECT max(rowid) FROM histograms)'
    run check report.json .assay/assay.db
    [ "$status" != 0 ]
}
