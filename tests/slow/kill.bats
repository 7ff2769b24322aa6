#!/usr/bin/env bats
# The kill tests of make test, with more instants: 30 in runs of processes, 30
# while short trials stream in, and every named fault point.
load ../helper

@test "68 runs killed: nothing announced is lost, nothing is done twice" {
    cd "$ROOT"
    ASSAY_KILLS=30 "$BUILD_DIR/tests/run/kill_test"
}
