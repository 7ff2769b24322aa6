#!/usr/bin/env bats
# Negative controls of the API's access: what happens if a check is missing is noticed.
load helper

# opens FILE SED NAME: with that edit the test of that name in tests/cli/access.bats fails.
opens() {
    cp "$1" saved
    sed -i "$2" "$1"
    if cmp -s "$1" saved; then
        echo "the edit changed nothing: $2"
        return 1
    fi
    make -s WERROR=-Wno-error build/release/assay || return
    notices "not ok" env ASSAY_BIN="$COPY/build/release/assay" BUILD_DIR="$COPY/build/release" \
        bats -f "$3" tests/cli/access.bats
    cp saved "$1"
}

@test "a role that is not checked, and a workspace that is not the token's" {
    with_build
    opens src/api/access.c 's/if (who->role < needs)/if (false)/' 'every route'
    opens src/api/access.c 's/\.workspace = t->workspace,/.workspace = rules->options.workspace,/' 'sees nothing'
}

@test "a Host or Origin that is not checked, and a session that outlives its token" {
    with_build
    opens src/api/access.c 's/if (!is_ours(rules, host))/if (false)/' 'a foreign Host'
    opens src/api/access.c 's/if (origin.p \&\& !is_our_origin(rules, origin))/if (false)/' 'a foreign Host'
    opens src/api/access.c 's/return is_valid(&rules->tokens\[i\]) ? &rules->tokens\[i\] : NULL;/return \&rules->tokens[i];/' 'a session'
}

@test "digests compared loosely, codes that stay, limits that are none" {
    with_build
    breaks src/base/token.c 's/i < SHA256_HEX_SIZE;/i < 8;/' base/token
    breaks src/base/token.c 's/return differ == 0;/return differ < 16;/' base/token
    breaks src/api/login.c "s/if (is_it) s->code\[0\] = '.0';//" api/rate
    breaks src/api/rate.c 's/    b->left -= 1;//' api/rate
}
