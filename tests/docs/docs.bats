#!/usr/bin/env bats
# What the documents say must be so.
load ../helper

# Runs every command of a document in an empty folder; CONTRIBUTING in a copy of
# the tree with its objects. adding.bats has the pages about adding something.
run_document() {
    local name
    name=$(basename "$1" .md)
    mkdir -p "$name/bin"
    ln -s "$ASSAY_BIN" "$name/bin/assay"
    if [ "$name" = CONTRIBUTING ]; then
        copy_tree "$name"
        copy_build "$ROOT/build/release" "$name/build"
    fi
    (
        unset MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR
        cd "$name" && PATH=$PWD/bin:$PATH "$ROOT/tests/docs/run-commands" "$1"
    )
}

@test "every command in README and docs does what the text says" {
    [ -z "$ASSAY_SAN" ] || skip "the release build is the one the documents speak of"
    [[ $BUILD_DIR == "$ROOT/build/release" ]] || skip "run once, in release"
    for doc in "$ROOT"/*.md "$ROOT"/docs/*.md; do
        [[ $doc != */adding-* ]] || continue
        run run_document "$doc"
        [ "$status" = 0 ] || { echo "$output"; false; }
    done
}

@test "the reference page is what describe prints" {
    assay describe --markdown > page.md
    diff "$ROOT/docs/commands.md" page.md || {
        echo "docs/commands.md is out of date: make docs"
        false
    }
}

# Lines of ARCHITECTURE.md that name `src/a/b.c` and `function()`.
@test "every function of the life of a sample is where the tour says" {
    count=0
    while read -r file function; do
        grep -qE "^[a-z].*\b$function\(" "$ROOT/$file" || {
            echo "ARCHITECTURE.md names $function() in $file"
            false
        }
        count=$((count + 1))
    done < <(sed -nE 's/.*`(src\/[a-z_\/]+\.[ch])`[^`]* `([a-z0-9_]+)\(\)`.*/\1 \2/p' \
        "$ROOT/ARCHITECTURE.md")
    [ "$count" -ge 8 ]
}

@test "every file that a document links to is there" {
    cd "$ROOT"
    for doc in *.md docs/*.md; do
        grep -oE '\]\([^)#:]+' "$doc" | sed 's/](//' | while read -r link; do
            [ -e "$(dirname "$doc")/$link" ] || { echo "$doc links to $link"; exit 1; }
        done
    done
}

# Anything in backquotes that has a slash is a path of the tree; a name with an
# underscore, with or without (), is a function or a field of ours.
@test "every path and every name in the tour exists" {
    cd "$ROOT"
    count=0
    while read -r name; do
        case $name in
        */*) [ -e "$name" ] || [ -e "${name%/}" ] || { echo "no path $name"; false; } ;;
        *_*) grep -rqwF "${name%()}" src || { echo "no name $name"; false; } ;;
        *) continue ;;
        esac
        count=$((count + 1))
    done < <(grep -oE '`[a-z0-9_./-]+(\(\))?`' ARCHITECTURE.md | tr -d '`' | sort -u)
    [ "$count" -ge 25 ]
}

# What troubleshooting.md quotes in bold must be in a message of the program.
@test "every message that the troubleshooting page quotes is one" {
    count=0
    cat "$ROOT"/src/*/*.c | tr -s ' \n' ' ' | sed 's/" "//g' > messages
    while read -r quoted; do
        grep -qF -- "$quoted" messages || { echo "the program never says: $quoted"; false; }
        count=$((count + 1))
    done < <(sed -n '/^\*\*"/,/\*\*/p' "$ROOT/docs/troubleshooting.md" | tr '\n' ' ' |
        grep -oE '\*\*"[^*]*\*\*' | grep -oE '"[^"]+"' | tr -d '"')
    [ "$count" -ge 9 ]
}

@test "the example of bench.h measures its loop" {
    sed -n 's/^ \*     //p' "$ROOT/include/assay/bench.h" | sed '/^cc /,$d' > bench.c
    grep -q ASSAY_KEEP bench.c
    ${CC:-cc} -O2 -I"$ROOT/include" -o bench bench.c
    ./bench --samples 5 | jq -s -e '(map(.duration) | min) > 100e-9' > /dev/null
}

@test "every folder of src is in the tour" {
    for folder in "$ROOT"/src/*/; do
        grep -q "\`$(basename "$folder")\`" "$ROOT/ARCHITECTURE.md" || {
            echo "ARCHITECTURE.md does not name $folder"
            false
        }
    done
}

@test "the index lists every page of docs" {
    for page in "$ROOT"/docs/*.md; do
        name=$(basename "$page")
        [ "$name" = README.md ] || grep -qF "]($name)" "$ROOT/docs/README.md" || {
            echo "docs/README.md does not list $name"
            false
        }
    done
}
