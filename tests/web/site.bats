#!/usr/bin/env bats
# A published copy (`assay report --site`) in a real browser, shown by a plain file server.
load ../helper
load ../serve

teardown() {
    [ -z "${files:-}" ] || kill "$files" || true
    end_serve || true
}

@test "site: a plain file server shows every view with the server's numbers" {
    grep -qs WEB_ETAG "$ROOT/build/web/dist/etag.h" || skip "built without the page (make WEB=0)"
    [ -z "$ASSAY_SAN" ] || skip "the page is the same under sanitizers"
    driver=$("$BATS_TEST_DIRNAME/setup") || skip "$driver"
    sed "s,cases/,$ROOT/specs/cases/," "$ROOT/specs/demo.yaml" > demo.yaml
    assay run demo.yaml --stub --only whole-numbers --agent bc --agent awk --agent shell -q > /dev/null
    assay run demo.yaml --stub --only whole-numbers --agent bc --agent awk --agent shell -q > /dev/null
    assay report --site pub -q
    serve
    python3 -u -m http.server --bind 127.0.0.1 --directory pub 0 > files.out 2> files.err 3>&- &
    files=$!
    until grep -q 'port [0-9]' files.out; do sleep 0.05; done
    site=http://127.0.0.1:$(sed 's/.* port \([0-9]*\) .*/\1/' files.out)
    run node "$driver/site.mjs" "$site" "$URL" "$PWD/pub"
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<< "$output")" = 17 ]
    # and it would notice another number
    sed -i 's/"overall_score":0\.[0-9]*/"overall_score":0.123/' pub/data/*.json
    run node "$driver/site.mjs" "$site" "$URL" "$PWD/pub"
    [ "$status" = 1 ]
    grep -q '^not ok overview' <<< "$output"
    grep -q 'the copy has 0.123' <<< "$output"
}
