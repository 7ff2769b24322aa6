#!/usr/bin/env bats
# The pages about adding something are carried out in a copy of the tree, and
# must need one new file and one line. Objects are copied with their times, so
# that only what the page adds is built.
load ../helper

# add PAGE KIND NAME
add() {
    [[ $BUILD_DIR == "$ROOT/build/release" ]] || skip "run once, in release"
    [ -e "$ROOT/src/cli/cmd_run.c" ] || skip "there is no assay run yet"
    copy_tree tree && cd tree
    mkdir -p build && cp -a "$BUILD_DIR" build/
    run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
        "$ROOT/tests/docs/run-commands" "$ROOT/docs/$1.md"
    [ "$status" = 0 ] || { echo "$output"; false; }
    run diff -rq "$ROOT/src" src
    [ "${#lines[@]}" = 2 ]
    [[ $output == *"Only in src/$2: $3.c"* ]]
    run diff "$ROOT/src/$2/$2_registry.c" "src/$2/$2_registry.c"
    [ "$(grep -c '^[<>]' <<< "$output")" = 1 ]
    clang-format --dry-run -Werror "src/$2/$3.c" "tests/$2/$3_test.c"
}

@test "adding an experiment is one file and one line" {
    add adding-an-experiment experiment sorting
}

@test "adding an instrument is one file and one line" {
    add adding-an-instrument instrument steal
}

@test "adding a reporter is one file and one line" {
    add adding-a-reporter report prometheus
}

@test "adding a check is one file and one line" {
    add adding-a-check check check_starts_with
}
