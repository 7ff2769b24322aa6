#!/usr/bin/env bats
# The page as the server sends it: small, packed, from here alone, and with packages that
# Debian 12's node can run. What a browser makes of it: browser.bats.
load ../helper
load ../serve

teardown() { end_serve || true; }

needs_page() {
    grep -qs WEB_ETAG "$ROOT/build/web/dist/etag.h" || skip "built without the page (make WEB=0)"
}

@test "page: each file comes packed, with a tag, and not again to whoever has it" {
    needs_page
    serve
    total=0
    for file in / /app.js /app.css /logo.svg; do
        curl -s -D head -o body -H 'Accept-Encoding: gzip' "$URL$file"
        grep -qi '^content-encoding: gzip' head
        tag=$(sed -n 's/^etag: *//Ip' head | tr -d '\r')
        [ -n "$tag" ]
        [ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Accept-Encoding: gzip' -H "If-None-Match: $tag" "$URL$file")" = 304 ]
        total=$((total + $(wc -c < body)))
        # As it is for whoever refuses it packed, under another tag: these are other bytes.
        for accepts in identity 'gzip;q=0' 'br, gzip; q=0.000' 'x-gzipped'; do
            curl -s -D plain.head -o plain -H "Accept-Encoding: $accepts" "$URL$file"
            [ "$(grep -ci '^content-encoding' plain.head)" = 0 ] || { echo "$accepts"; false; }
            cmp plain <(gunzip -c body)
            [ "$(sed -n 's/^etag: *//Ip' plain.head | tr -d '\r')" != "$tag" ]
            [ "$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $tag" "$URL$file")" = 200 ]
        done
        for accepts in 'GZIP' 'br;q=1, gzip;q=0.5'; do
            curl -s -D - -o /dev/null -H "Accept-Encoding: $accepts" "$URL$file" | grep -qi '^content-encoding: gzip'
        done
    done
    echo "# page: $total bytes packed" >&2
    [ "$total" -lt 150000 ] # the limit is 350,000
}

@test "page: no script in the page itself, and nothing from elsewhere" {
    needs_page
    serve
    curl -s -D head "$URL/" > index.html
    grep -qi "^content-security-policy:.*script-src 'self';" head
    run grep -cE '<script[^>]*>[^<]+| on[a-z]+="| style="' index.html
    [ "$output" = 0 ]
    for file in / /app.js /app.css; do curl -s "$URL$file"; done > all
    # names of XML namespaces are not addresses of anything; the other is in a command
    grep -oE 'https?://[a-z0-9.]+' all | sort -u > hosts
    run grep -vxE 'http://(www\.w3\.org|127\.0\.0\.1)' hosts
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "page: packages are pinned, run on node 18, and name no host to fetch from" {
    for lock in "$ROOT/web/package-lock.json" "$ROOT/tests/web/package-lock.json" "$ROOT/tests/api/package-lock.json"; do
        jq -e '.packages | to_entries | map(select(.key != "")) |
            length > 1 and all(.value.version and .value.integrity and (.value.resolved | not))' "$lock"
        jq -r '.packages[].engines.node // empty' "$lock" | sort -u > engines
        [ -s engines ]
        run grep -vE '^(>= ?(0|4|6|8|10|12|14|16|18)(\.[0-9.]+)?|\*)$' engines
        [ -z "$output" ] || { echo "$lock: $output"; false; }
    done
    jq -e '[.dependencies, .devDependencies] | add | all(test("^[0-9.]+$"))' "$ROOT/web/package.json"
}

# A and B may be of different runs, and one benchmark of others than the next; each run may have
# answers of both.
@test "page: the grid of cases shows the answers that were compared, of all benchmarks" {
    needs_page
    cat > grid.mjs <<EOF
import { gridOf } from "$ROOT/web/src/lib/grid.js";
const book = (...rows) => ({ cases: rows.map(([benchmark, id, answers]) => ({ benchmark, case: id, answers: Object.entries(answers).map(([agent, said]) => ({ agent, said })) })) });
const books = new Map([
  ["old", book(["sums", "one", { awk: "old awk", bc: "old bc" }])],
  ["new", book(["sums", "one", { awk: "new awk", bc: "new bc" }])],
  ["third", book(["powers", "two", { awk: "third awk", bc: "third bc", perl: "third perl" }])],
]);
const grid = gridOf([{ benchmark: "sums", run_a: "old", run_b: "new" }, { benchmark: "powers", run_a: "third", run_b: "third" }], books, "awk", "bc");
console.log(grid.agents.join(" "));
for (const row of grid.rows) console.log(row.id, "A:", row.a.said, "B:", row.b.said, "also:", row.by.get("awk").said, "and", row.by.get("bc").said);
EOF
    run node grid.mjs
    [ "$output" = "awk bc perl
sums/one A: old awk B: new bc also: old awk and new bc
powers/two A: third awk B: third bc also: third awk and third bc" ] || { echo "$output"; false; }
}

@test "page: the view of docs/adding-a-view.md is one file and one line" {
    needs_page
    cp -r "$ROOT/web" page
    block() { awk -v want="$1" '/^```/ { if (open) { open = 0 } else { n++; open = 1; next } } open && n == want' "$ROOT/docs/adding-a-view.md"; }
    block 1 > page/src/views/claims.js
    { echo 'import { Claims } from "./views/claims.js";'; cat "$ROOT/web/src/views.js"; } > page/src/views.js
    row=$(block 2 | grep path:)
    [ -n "$row" ]
    awk -v row="$row" '{ print } /^export const VIEWS/ { print row }' page/src/views.js > views.js
    mv views.js page/src/views.js
    node page/build.mjs "$ROOT/build/web" "$PWD/out"
    grep -q 'claims hold' out/app.js
}

@test "page: numbers are rounded as the terminal rounds them, also halfway" {
    command -v node > /dev/null || skip "node is not there"
    values="0.0625 0.1875 0.3125 -0.3125 0.145 0.625 0.125 0.908 0.9995 0 -0.00004"
    cat > round.mjs << JS
import { format } from "$ROOT/web/src/lib/format.js";
for (const v of "$values".split(" ").map(Number)) console.log(format(v, "score"), format(v, "score2"), format(v, "points"));
JS
    node round.mjs | sed 's/\xe2\x88\x92/-/g; s/+//' > page
    # shellcheck disable=SC2086 # words
    printf '%s\n' $values | awk '{ printf "%.3f %.2f %.1f\n", $1, $1, $1 * 100 }' | sed -E 's/-(0\.0+)( |$)/\1\2/g' > terminal
    diff page terminal
}
