load ../helper

@test "a token is shown once, kept as a digest, listed, and ended by revoke" {
    assay tokens new --role run --workspace team --expires 30d ci > made
    token=$(head -1 made)
    [[ $token =~ ^assay_[A-Za-z0-9_-]{43}$ ]]
    grep -q "'ci' may read and start runs in workspace 'team' until 20" made
    [ "$(cat .assay/assay.db* | grep -c "$token")" = 0 ]
    hash=$(printf %s "$token" | sha256sum | cut -d' ' -f1)
    [ "$(sqlite3 .assay/assay.db 'SELECT hash, role FROM api_tokens')" = "$hash|run" ]
    assay tokens list --workspace team | grep -E '^ci +run +team +valid +expires 20'
    [ "$(assay tokens list --json | jq '.tokens | length')" = 0 ]
    [ "$(assay tokens list --all --json | jq -r '.tokens[0] | .workspace, .role, .state')" = $'team\nrun\nvalid' ]
    [ "$(assay tokens list --all --json | grep -c "$hash")" = 0 ]
    fails_with 2 "has a token 'ci' already" assay tokens new --workspace team ci
    fails_with 2 "no token 'ci' in workspace 'default'" assay tokens revoke ci
    assay tokens revoke --workspace team ci
    fails_with 2 "that could be revoked" assay tokens revoke --workspace team ci
    assay tokens list --workspace team --json | jq -e '.tokens[0].state == "revoked"'
    assay tokens new --workspace team --json ci | jq -e '.role == "read" and (.token | test("^assay_"))'
}

@test "a token that has expired is said to have" {
    assay tokens new --quiet --expires 1s short
    sqlite3 .assay/assay.db "UPDATE api_tokens SET expires_at = '2020-01-01T00:00:00.000Z'"
    assay tokens list | grep -E '^short +read +default +expired'
}

@test "tokens refuses what it cannot do" {
    fails_with 2 "must be one of read, run, admin" assay tokens new --role root
    fails_with 2 "cannot be a name" assay tokens new 'a b'
    fails_with 2 "takes new" assay tokens mend
    fails_with 2 "takes new" assay tokens revoke
    fails_with 2 "a name has 1 to 100 characters" assay tokens list --workspace 'a b'
}

@test "workspaces do not see each other's runs, whatever the command" {
    assay run --quiet -n 3 -- true
    ASSAY_WORKSPACE=team assay run --quiet -n 3 -- true
    [ "$(assay list --json | jq '.runs | length')" = 1 ]
    ours=$(assay list --json | jq -r '.runs[0].id')
    theirs=$(assay list --workspace team --json | jq -r '.runs[0].id')
    [ "$ours" != "$theirs" ]
    assay show "$theirs" --workspace team | grep -q true
    for command in show report regressions forget; do
        fails_with 2 "$theirs" assay ${command% *} "$theirs"
    done
    fails_with 2 "$ours" assay compare "$ours" "$theirs" --workspace team
    assay list --workspace team --json | jq -e '.runs | length == 1'
}
