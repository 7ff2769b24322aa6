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
    mkdir -p "$1"
    tar -C "$ROOT" --exclude=./build --exclude=./.git --exclude=.assay -cf - . |
        tar -C "$1" -xf -
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

# as_nobody COMMAND...: without root's rights, which no permission stops.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
