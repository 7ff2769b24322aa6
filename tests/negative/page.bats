#!/usr/bin/env bats
# The walk through the page (tests/web/walk.mjs) notices what it is there for.
load ../helper
load ../serve

setup_file() {
    local said
    grep -qs WEB_ETAG "$ROOT/build/web/dist/etag.h" || { export NOT_HERE="built without the page (make WEB=0)"; return; }
    if said=$("$ROOT/tests/web/setup"); then
        export DRIVER=$said
    else
        export NOT_HERE=$said
    fi
}

teardown() { end_serve || true; }

# with SED FILE TEXT: the page with that edit is walked, and that is said of it.
with() {
    rm -rf page
    cp -r "$ROOT/web" page
    sed -i "$1" "page/src/$2"
    if cmp -s "page/src/$2" "$ROOT/web/src/$2"; then
        echo "the edit changed nothing: $1"
        return 1
    fi
    node page/build.mjs "$ROOT/build/web" "$PWD/out"
    VIEW=overview PAGE=$PWD/out run node "$DRIVER/walk.mjs" "$URL" shots 1280-light
    [ "$status" = 1 ] || { echo "not noticed: $1"; echo "$output"; return 1; }
    [[ $output == *"$3"* ]] || { echo "not said: $3"; echo "$output"; return 1; }
}

@test "page: a wrong number, one without its place, pale text, a wide page, a foreign request, an error" {
    [ -z "${NOT_HERE:-}" ] || skip "$NOT_HERE"
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub --only whole-numbers --agent bc --agent awk -q > /dev/null
    serve
    VIEW=overview run node "$DRIVER/walk.mjs" "$URL" shots 1280-light
    echo "$output"
    [ "$status" = 0 ]
    with 's/const value = of ? of\[k\] : v;/const value = of \&\& k === "overall_score" ? of[k] + 1e-9 : of ? of[k] : v;/' \
        parts/number.js "overall_score: the page has"
    with 's/"data-value": value === null/"data-of": value === null/' parts/number.js "a number without a place"
    with 's/--ink-3: #676c75/--ink-3: #b7bcc5/' style/tokens.css "color-contrast"
    with 's/^main {/main { min-width: 1500px;/' style/base.css "px wider than the window"
    with 's|^render(|fetch("http://127.0.0.1:9/x", { mode: "no-cors" }).catch(() => {}); render(|' main.js "violates the following Content Security Policy"
    with 's/^export function Weights(.*{$/&\n  if (board) throw new Error("broken");/' parts/weights.js "broken"
}
