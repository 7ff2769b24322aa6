#!/usr/bin/env bats
# The pages about adding something are carried out in a copy of the tree, and
# must need one new file and one line. Objects are copied with their times, so
# that only what the page adds is built.
load ../helper

# add PAGE FOLDER NAME [REGISTRY]
add() {
    [[ $BUILD_DIR == "$ROOT/build/release" ]] || skip "run once, in release"
    [ -e "$ROOT/src/cli/cmd_run.c" ] || skip "there is no assay run yet"
    copy_tree tree && cd tree
    copy_build "$BUILD_DIR" build
    run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
        "$ROOT/tests/docs/run-commands" "$ROOT/docs/$1.md"
    [ "$status" = 0 ] || { echo "$output"; false; }
    run diff -rq "$ROOT/src" src
    [ "${#lines[@]}" = 2 ]
    [[ $output == *"Only in src/$2: $3.c"* ]]
    local registry=src/$2/${4:-$2}_registry.c
    run diff "$ROOT/$registry" "$registry"
    [ "$(grep -c '^[<>]' <<< "$output")" = 1 ]
    clang-format --dry-run -Werror "src/$2/$3.c"
    [ ! -e "tests/$2/$3_test.c" ] || clang-format --dry-run -Werror "tests/$2/$3_test.c"
}

@test "adding an experiment is one file and one line" {
    add adding-an-experiment experiment experiment_sorting
}

@test "adding an instrument is one file and one line" {
    add adding-an-instrument instrument instrument_steal
}

@test "adding a reporter is one file and one line" {
    add adding-a-reporter report format_prometheus
}

@test "adding a check is one file and one line" {
    add adding-a-check check check_starts_with
}

@test "adding a kind of agent is one file and one line" {
    add adding-an-agent agent echo
}

@test "adding a store is one file and one line" {
    add adding-a-store store home
}

@test "adding a command is one file and one line" {
    add adding-a-command cli cmd_tally command
}

@test "adding an importer is one file and one line" {
    add adding-an-importer interop import_timings import
}

@test "adding an exporter is one file and one line" {
    add adding-an-exporter interop export_tsv export
}

@test "adding a spatial index is one file and one line" {
    add adding-an-index index spatial_sorted spatial
}

@test "adding a route is one file and one line" {
    add adding-a-route api route_tally route
}
