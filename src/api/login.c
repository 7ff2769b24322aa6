#include "api/login.h"

#define SECOND_NS INT64_C(1000000000)

struct logins logins_new(struct arena *arena)
{
    return (struct logins){.items = arena_new(arena, struct login, LOGIN_MAX)};
}

void login_begin(struct logins *s, const char *token_id, int64_t now_ns, char *secret)
{
    struct login *free = &s->items[0];
    for (size_t i = 1; i < LOGIN_MAX && free->digest[0]; i++) {
        struct login *x = &s->items[i];
        if (!x->digest[0] || x->ends_ns < free->ends_ns) free = x;
    }
    *free = (struct login){.ends_ns = now_ns + LOGIN_S * SECOND_NS};
    if (token_id) snprintf(free->token_id, sizeof free->token_id, "%s", token_id);
    token_digest(str_of(token_new(secret)), free->digest);
}

/* All places are looked at, whichever it is. */
static struct login *find(struct logins *s, struct str secret, int64_t now_ns)
{
    char digest[SHA256_HEX_SIZE];
    struct login *found = NULL;
    if (!token_is_one(secret)) return NULL;
    token_digest(secret, digest);
    for (size_t i = 0; i < LOGIN_MAX; i++) {
        struct login *x = &s->items[i];
        if (token_digest_equal(x->digest, digest)) found = x;
    }
    return found && found->ends_ns > now_ns ? found : NULL;
}

const struct login *login_find(struct logins *s, struct str secret, int64_t now_ns)
{
    return find(s, secret, now_ns);
}

void login_end(struct logins *s, struct str secret, int64_t now_ns)
{
    struct login *x = find(s, secret, now_ns);
    if (x) *x = (struct login){0};
}

void login_make_code(struct logins *s, int64_t now_ns, char *code)
{
    token_digest(str_of(token_new(code)), s->code);
    s->code_ends_ns = now_ns + LOGIN_CODE_S * SECOND_NS;
}

bool login_use_code(struct logins *s, struct str code, int64_t now_ns)
{
    char digest[SHA256_HEX_SIZE];
    if (!s->code[0] || !token_is_one(code)) return false;
    token_digest(code, digest);
    bool is_it = token_digest_equal(s->code, digest) && s->code_ends_ns > now_ns;
    if (is_it) s->code[0] = '\0';
    return is_it;
}
