#!/usr/bin/env bats
# The page in a real browser, on a store filled by real runs (fill, walk.mjs). Screenshots of
# every view are left in the build folder. `make test-slow` looks at two forms; `make soak` at all
# four, and at every scenario of stress.
load ../helper
load ../serve

setup_file() {
    local said
    grep -qs WEB_ETAG "$ROOT/build/web/dist/etag.h" || { export NOT_HERE="built without the page (make WEB=0)"; return; }
    if said=$("$BATS_TEST_DIRNAME/setup"); then
        export DRIVER=$said
    else
        export NOT_HERE=$said
    fi
}

teardown() { end_serve || true; }

@test "browser: every view is whole, readable and says what the server says" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    "$ROOT/tests/web/fill" "$PWD/store" ${ASSAY_SOAK:+all}
    serve --store "$PWD/store"
    local forms="1280-light 390-dark"
    [ -z "$ASSAY_SOAK" ] || forms="1280-light 1280-dark 390-light 390-dark"
    # shellcheck disable=SC2086 # words
    run node "$DRIVER/walk.mjs" "$URL" "$BUILD_DIR/screenshots" $forms
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<< "$output")" -ge 36 ]
}

@test "browser: keys, sliders, table form and downloads work; a run is started and watched" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub --only whole-numbers --agent bc --agent awk --agent shell -q > /dev/null
    assay suites add -q demo.yaml
    serve
    run node "$DRIVER/use.mjs" "$URL"
    echo "$output"
    [ "$status" = 0 ]
}

@test "browser: the first row of the leaderboard is painted within a second, median of ten" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    needs_wall_clock
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub -q > /dev/null
    serve
    run node "$DRIVER/first.mjs" "$URL" 10
    echo "$output"
    [ "$status" = 0 ]
    [ "$(sed 's/median \([0-9]*\) .*/\1/' <<< "$output")" -lt 1000 ]
}
