# helper.bash - negative controls: a copy of the tree in which something is
# broken on purpose, and the check that must notice it.
load ../helper
export ASSAY_BIN

# The copy brings the objects of the build along, so that only what a control
# changes is compiled again.
setup() {
    unset ASSAY_STORE ASSAY_FAULT ASSAY_SAN MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR
    COPY=$BATS_TEST_TMPDIR/copy
    copy_tree "$COPY"
    cd "$COPY" || return
}

# with_build [NAME]: takes the objects of build/NAME (release) along.
with_build() {
    [ ! -d "$ROOT/build/${1:-release}" ] || copy_build "$ROOT/build/${1:-release}" "$COPY/build"
}

# notices TEXT COMMAND...: the command fails and says TEXT.
notices() {
    local text=$1
    shift
    run "$@"
    if [ "$status" = 0 ] || [[ $output != *"$text"* ]]; then
        printf '# exit %s; wanted a failure that says: %s\n%s\n' "$status" "$text" "$output" >&2
        return 1
    fi
}

# edit FILE SED: breaks the file; `cp saved FILE` mends it. tools/check-controls finds an edit
# that changes nothing, by the names of the functions that call this.
edit() {
    cp "$1" saved
    sed -i "$2" "$1"
    if cmp -s "$1" saved; then
        echo "the edit changed nothing: $2"
        return 1
    fi
}

# hangs_by_edit TEST NAME: the same test passes in time as it was built before the edit.
hangs_by_edit() {
    TEST_ONLY=$2 timeout -s KILL 30 "$ROOT/build/release/tests/$1_test" > /dev/null 2>&1
}

# breaks FILE SED TEST [NAME]: with that edit the unit test (stats/rank) fails, or the test of
# that name in it, where the others take long.
breaks() {
    edit "$1" "$2" || return
    make -s WERROR=-Wno-error "build/release/tests/$3_test" || return
    # The first failure is enough; nobody reads the rest. cmocka calls a test that it
    # skips "not ok" too.
    if ! { TEST_ONLY=${4:-*} timeout -s KILL 30 stdbuf -oL "build/release/tests/$3_test" 2>&1 || echo "fails $?"; } |
        tee result | grep -E '^(not ok|fails)' | grep -qv '# SKIP'; then
        echo "$3_test did not notice: $2"
        grep -qi '# skip' result || return 1
        UNCHECKED="$3_test skips here what would notice"
    elif grep -qx 'fails 137' result && ! hangs_by_edit "$3" "${4:-*}"; then
        echo "$3_test takes more than 30 s here without the edit, too"
        return 1
    fi
    cp saved "$1"
}

# all_checked: the last line of a control some of whose edits only a test can notice that is
# skipped where the kernel, the rights or the build lack something.
all_checked() {
    SAID=$UNCHECKED
    [ -z "$UNCHECKED" ] || skip "$UNCHECKED"
}
teardown() { [ "$SAID" = "$UNCHECKED" ] || { echo "end it with all_checked: $UNCHECKED"; return 1; }; }

# breaks_cli FILE SED TEST [FILTER]: with that edit tests/cli/TEST.bats fails, or what the
# filter picks of it.
breaks_cli() {
    edit "$1" "$2" || return
    make -s WERROR=-Wno-error build/release/assay || return
    notices "not ok" env ASSAY_BIN="$COPY/build/release/assay" BUILD_DIR="$COPY/build/release" \
        bats ${4:+-f "$4"} "tests/cli/$3.bats" || return
    cp saved "$1"
}
