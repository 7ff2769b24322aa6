#!/usr/bin/env bats
# Negative controls of the API's access: what happens if a check is missing is noticed.
load helper

@test "a role that is not checked, and a workspace that is not the token's" {
    with_build
    breaks_cli src/api/access.c 's/if (who->role < needs)/if (false)/' access 'every route'
    breaks_cli src/api/access.c 's/\.workspace = t->workspace,/.workspace = rules->options.workspace,/' access 'sees nothing'
}

@test "a Host or Origin that is not checked, and a session that outlives its token" {
    with_build
    breaks_cli src/api/access.c 's/if (!is_ours(rules, host))/if (false)/' access 'a foreign Host'
    breaks_cli src/api/access.c 's/if (origin.p \&\& !is_our_origin(rules, origin))/if (false)/' access 'a foreign Host'
    breaks_cli src/api/feed.c 's/if (!access_still(.*/if (false) return HTTP_END;/' access 'a stream ends'
    breaks_cli src/api/access.c 's/return is_valid(&rules->tokens\[i\]) ? &rules->tokens\[i\] : NULL;/return \&rules->tokens[i];/' access 'a session'
}

@test "digests compared loosely, codes that stay, limits that are none" {
    with_build
    breaks src/base/token.c 's/i < SHA256_HEX_SIZE;/i < 8;/' base/token
    breaks src/base/token.c 's/return differ == 0;/return differ < 16;/' base/token
    breaks src/api/login.c "s/if (is_it) s->code\[0\] = '.0';//" api/rate
    breaks src/api/rate.c 's/    b->left -= 1;//' api/rate
}
