#!/usr/bin/env bats
# The program broken on purpose, where it matters most.
load helper

# change FILE FROM TO: one edit, which must apply.
change() {
    grep -qF "$2" "$1" || { echo "$1 has no '$2'"; return 1; }
    perl -0pi -e 'BEGIN { ($from, $to) = splice @ARGV, 0, 2 } s/\Q$from\E/$to/' "$2" "$3" "$1"
}

@test "a trial that is announced before it is stored fails the kill test" {
    with_build
    # Announce and forget, store nothing, from the fourth commit on.
    change src/run/run_flow.c 'if (!store_append(' \
        'static int commits; if (++commits < 4 && !store_append('
    make -s build/release/assay build/release/tests/run/kill_test
    ASSAY_KILLS=2 notices "not ok" env ASSAY_BIN="$PWD/build/release/assay" \
        build/release/tests/run/kill_test
}

@test "ids that repeat fail the test of sweeps" {
    with_build
    change src/base/id.c 'CHECK(getrandom(raw, sizeof raw, 0) == (ssize_t)sizeof raw);' \
        'memset(raw, 7, sizeof raw);'
    change src/base/id.c 'uint64_t now_ns = (uint64_t)clock_unix_ns();' 'uint64_t now_ns = 7;'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'no id is shared' tests/cli/run.bats
}

@test "limits that are too wide fail the tests of hostile specs" {
    with_build
    change src/base/value.c '.max_nodes = 50000' '.max_nodes = 50000000'
    change src/base/value.c '.max_depth = 64' '.max_depth = 10000000'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f 'deep nesting' tests/cli/check.bats
}

@test "a warm-up that is always called steady fails its test" {
    with_build
    change src/stats/steady.c 'if (n < STEADY_MIN_N) return never;' \
        'if (n < STEADY_MIN_N) return never; else return (struct steady){true, 0};'
    make -s WERROR=-Wno-error build/release/tests/stats/steady_test
    notices "not ok" build/release/tests/stats/steady_test
}

@test "a failure that is called a success fails the tests of failures" {
    with_build
    change src/run/run_group.c 'x->status = RUN_FAILED;' 'x->status = RUN_SUCCESS;'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats tests/cli/failures.bats
}

@test "failed trials that do not matter to the exit code fail its tests" {
    with_build
    change src/cli/allowance.c '*exceeded = first != NULL;' '*exceeded = false;'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok 1" bats tests/cli/exits.bats
}

@test "an arm that ends its rivals, or keeps their segment, fails the tests of stopping" {
    with_build
    change src/run/runner.c 'k->is_stopped = k->is_given_up = true;' \
        'for (size_t n = 0; n < r->group->arm_count; n++) r->keepers[n].is_given_up = true;
         k->is_stopped = true;'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok 1" \
        bats -f 'three times in a row' tests/cli/exits.bats
    cp "$ROOT/src/run/runner.c" src/run/runner.c
    change src/run/run_flow.c 'segment += has_ended_before(g, i, trial)' 'segment += 0 * has_ended_before(g, i, trial)'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok 1" \
        bats -f 'begins a segment' tests/cli/exits.bats
}

@test "a crash on a file of a corpus fails the replay" {
    with_build
    change fuzz/spec.c 'struct arena arena = arena_open();' \
        'struct arena arena = arena_open(); CHECK(size < 3);'
    make -s build/release/fuzz/spec
    notices "internal error" build/release/fuzz/spec
}

@test "a result in the text that was not asked for fails the reference page's test" {
    with_build
    change src/cli/cmd_version.c 'prints the version' 'prints what this is'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "out of date" \
        bats -f 'reference page' tests/docs/docs.bats
}

@test "texts that are not searched for keys fail the test of keys" {
    with_build
    change src/base/secret.c 'if (!s || !secret_is_in(s, text)) return text;' 'return text;'
    make -s WERROR=-Wno-error build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'a key that a server repeats' tests/cli/secrets.bats
}

@test "a stand-in that is known by its port fails the test of its resumption" {
    with_build
    change src/cli/stand_in.c '"http://stub.invalid/%.12s/v1"' '"http://stub.invalid/%.12s%p/v1"'
    change src/cli/stand_in.c 'id_sha256(str_of(all), hash));' \
        'id_sha256(str_of(all), hash), (const void *)name);'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'wherever the stand-in listens' tests/cli/specs.bats
}

@test "trials of lanes that are taken as they come fail the test of merging" {
    with_build
    change src/run/merge.c 'r->trial > next[r->phase]' 'r->trial > next[r->phase] && !r->kind'
    make -s build/release/tests/run/merge_test
    notices "not ok" build/release/tests/run/merge_test
}

@test "a lane's death that passes for success, and times not marked, fail the tests of concurrency" {
    with_build
    change src/run/lane.c 'TRIAL_HARNESS_ERROR : TRIAL_FAILED' 'TRIAL_HARNESS_ERROR : TRIAL_OK'
    change src/run/run_group.c 'x->concurrency = spec_lanes(e);' 'x->concurrency = 1;'
    make -s build/release/assay build/release/tests/run/flight_test
    notices "not ok" timeout 60 build/release/tests/run/flight_test
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'marked concurrent' tests/cli/concurrency.bats
}

@test "a fold or an upgrade that is not one with its commit fails the tests of kills" {
    with_build
    local apart='if (!sqlite_commit(s, err) || !sqlite_begin(s, err)) return false;'
    breaks src/store/sqlite_series.c \
        "s/    if (!load(s, execution_id, scratch, &all, err)) return false;/&\n    if (!drop_open_form(s, execution_id, err)) return false;\n    $apart/" \
        store/durability
    breaks src/store/sqlite_schema.c "s/        int fault = fault_at(\"migration\");/$apart\n&/" \
        store/durability
}

@test "a resumed run that begins anew fails the tests of resuming" {
    with_build
    change src/run/run_group.c 'progress->done[phase] = p.trials[phase];' 'progress->done[phase] = 0;'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f resume tests/cli/run.bats
    change src/run/run_group.c 'in->trials[phase] = p.trials[phase];' 'in->trials[phase] = 0;'
    make -s build/release/assay build/release/tests/run/kill_test
    ASSAY_KILLS=2 notices "not ok" env ASSAY_BIN="$PWD/build/release/assay" \
        build/release/tests/run/kill_test
}

@test "a starter that stays large, and children that are not counted, fail the tests of memory and CPU" {
    with_build
    change src/starter/starter_main.c 'serve();' 'static char large[8 << 20]; memset(large, 1, sizeof large); serve();'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "not ok" \
        bats -f 'what time.1. says' tests/cli/run.bats
    # One in ten is lost.
    breaks src/instrument/instrument_resources.c 's/values.CPU. = \(.*\);/values[CPU] = 0.9 * (\1);/' \
        instrument/instrument_resources
    all_checked
}

@test "a histogram that is stored without its trial, or not with it, fails the tests of both" {
    with_build
    breaks src/run/intake.c 's/        \.histogram_count = histograms,/        .histogram_count = in->histogram_count,/' run/intake
    breaks src/run/intake.c 's/h\.trial = r->trial;/h.trial = r->trial + 1;/' run/intake
    breaks src/store/sqlite_extra.c 's/if (!is_of_batch) {/if (!is_of_batch \&\& h->trial == 99) {/' \
        store/contract
    # Lost on the way: every trial that is stored has lost its histogram.
    change src/run/ring.c 'whole.histogram_bytes = (uint32_t)t.histograms.n;' \
        'whole.histogram_bytes = 0;'
    make -s build/release/assay build/release/tests/run/kill_test
    ASSAY_KILLS=1 notices "has lost its histogram" env ASSAY_BIN="$PWD/build/release/assay" \
        build/release/tests/run/kill_test
}

@test "a quantile or a count that is a little off is noticed by whoever works it out again" {
    with_build
    change src/view/view_summary.c 'quantile_of(sorted, m->n, 0.95)' 'quantile_of(sorted, m->n, 0.94)'
    make -s build/release/assay
    ASSAY_BIN=$PWD/build/release/assay notices "p95 is said to be" \
        bats -f 'a sweep' tests/cli/recompute.bats
}

@test "runs in the order of their dates fail the test of the store" {
    with_build
    breaks src/store/sqlite_rows.c 's/CASE WHEN rowid >= 0 THEN/CASE WHEN rowid > 1000000 THEN/' store/contract
    breaks src/store/sqlite_order.c 's/next.rowid < 0 || next.rowid >= last/next.rowid < 0/' store/sqlite
    breaks src/store/sqlite_order.c 's/version != eras->data_version || //' store/sqlite
    breaks src/store/sqlite_order.c 's/is_writing ? -1 : changes/changes/' store/sqlite
    breaks src/store/sqlite_rows.c 's/ WHEN started_ns <= " now " THEN started_ns/ WHEN true THEN started_ns/' store/contract
    breaks src/store/sqlite_rows.c 's/(started_ns > ?2 OR started_ns < /(false AND started_ns < /' store/contract
}

@test "bundles whose rows are believed fail the test of imports" {
    with_build
    for edit in 's/bool is_own = (t->kind == ROWS_RUN) == (run_id != NULL);/bool is_own = true;/' \
        's/    \*is = query_next(&q);/    *is = query_next(\&q) || true;/' \
        's/bool is_right = found \&\&/bool is_right = true ||/' \
        's/if (str_is(pair->key, registration)) {/if (false) {/'; do
        cp src/store/sqlite_rowcopy.c saved
        sed -i "$edit" src/store/sqlite_rowcopy.c
        [ "$(cmp saved src/store/sqlite_rowcopy.c | wc -l)" = 1 ]
        make -s WERROR=-Wno-error build/release/assay
        ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f "its own rows only" tests/cli/import.bats
        cp saved src/store/sqlite_rowcopy.c
    done
    for edit in 's/t->kind == ROWS_BASELINES \&\& !is_of/false \&\& !is_of/' \
        's/bool is_own = !id ||/bool is_own = true ||/'; do
        sed -i "$edit" src/store/sqlite_rowcopy.c
        [ "$(cmp saved src/store/sqlite_rowcopy.c | wc -l)" = 1 ]
        make -s WERROR=-Wno-error build/release/assay
        ASSAY_BIN=$PWD/build/release/assay notices "not ok" bats -f "by a bundle" tests/cli/alarms.bats
        cp saved src/store/sqlite_rowcopy.c
    done
}
