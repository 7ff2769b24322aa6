# tools.bash - packages of npm that judge the API, fetched once for all builds.

# needs_tools: sets TOOLS, a folder with them and with our scripts. Without npm or a network the
# test is skipped.
needs_tools() {
    command -v npm > /dev/null || skip "npm is not installed"
    TOOLS=$ROOT/build/api-tools
    mkdir -p "$TOOLS"
    (
        flock 9
        cmp -s "$ROOT/tests/api/package-lock.json" "$TOOLS/installed" && exit 0
        cp "$ROOT/tests/api/"{package.json,package-lock.json,.npmrc} "$TOOLS" &&
            timeout 120 npm ci --prefix "$TOOLS" > "$TOOLS/log" 2>&1 &&
            cp "$ROOT/tests/api/package-lock.json" "$TOOLS/installed"
    ) 9> "$TOOLS/lock" || skip "npm cannot install the validator: $(tail -1 "$TOOLS/log")"
    cp "$ROOT/tests/api/"*.mjs "$TOOLS"
}
