# helper.bash - what every .bats file loads. Each test runs in an empty folder of
# its own, with the program as `assay` and nothing of ours in the environment.
ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
: "${ASSAY_BIN:=$ROOT/build/release/assay}" "${BUILD_DIR:=$ROOT/build/release}"

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset ASSAY_STORE ASSAY_FAULT NO_COLOR
}

assay() { "$ASSAY_BIN" "$@"; }

# copy_tree DIR: the sources, without what builds and runs have left behind.
copy_tree() {
    export WEB=0 # a build there needs no network
    mkdir -p "$1"
    tar -C "$ROOT" --exclude=./build --exclude=./.git --exclude=.assay -cf - . |
        tar -C "$1" -xf -
}

# copy_build FROM DIR: a build with its times, so that only what changes is built anew. Links:
# the Makefile writes no file in place, and all the objects and tests are a gigabyte.
copy_build() {
    mkdir -p "$2"
    cp -al "$1" "$2/" 2> /dev/null || cp -a "$1" "$2/"
    rm -rf "$2/$(basename "$1")/tap"
}

# fails_with CODE TEXT COMMAND...: the exit code, and a text in the output.
fails_with() {
    local code=$1 text=$2
    shift 2
    run "$@"
    if [ "$status" != "$code" ] || [[ $output != *"$text"* ]]; then
        printf '# wanted exit %s and: %s\n# got exit %s and:\n%s\n' \
            "$code" "$text" "$status" "$output" >&2
        return 1
    fi
}

# needs_wall_clock: for tests that whatever else the machine does would decide; `make soak`
# carries them out.
needs_wall_clock() { [ -n "$ASSAY_SOAK" ] || skip "it is about the wall clock: make soak"; }

# within SECONDS BEGIN: what began at BEGIN (of $SECONDS) took no longer; outside of `make
# soak` ten times as long, as others may be using the processors.
within() {
    local most=$1
    [ -n "$ASSAY_SOAK" ] || most=$((10 * most))
    echo "# took $((SECONDS - $2)) s of $most" >&2
    [ $((SECONDS - $2)) -le "$most" ]
}

# as_nobody COMMAND...: without root's rights, which no permission stops. Where root has
# no capabilities it has no such rights, nor that of becoming somebody else.
as_nobody() {
    if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 true 2> /dev/null; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# plant SECONDS...: the newest run as if the trials of its cells had taken so long,
# within 1 % and always alike. What a verdict then says is a matter of its rules,
# not of what else this machine is doing.
plant() {
    python3 - "$@" <<'PY'
import math, random, sqlite3, struct, sys
levels = [float(x) for x in sys.argv[1:]]
db = sqlite3.connect(".assay/assay.db")
rows = db.execute(
    "SELECT s.id, s.samples FROM series s JOIN benchmark_executions e ON e.id = s.execution_id"
    " WHERE s.metric = 'duration_s' AND s.phase = 'measured'"
    " AND e.run_id = (SELECT id FROM runs ORDER BY id DESC LIMIT 1) ORDER BY e.cell_index"
).fetchall()
assert len(rows) == len(levels), f"{len(rows)} cells, {len(levels)} levels"
for (id, blob), level in zip(rows, levels):
    old = struct.unpack(f"<{len(blob) // 8}d", blob)
    noise = random.Random(str(level)) # without memory from trial to trial
    new = [v if math.isnan(v) else level * (1 + noise.uniform(-0.01, 0.01)) for v in old]
    db.execute("UPDATE series SET samples = ? WHERE id = ?",
               (struct.pack(f"<{len(new)}d", *new), id))
db.commit()
PY
}
