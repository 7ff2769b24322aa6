/* login.h - a browser that has shown a token once, and one-time codes.
 *
 * A session is a random secret in a cookie; the server keeps its digest and what it stands
 * for, in memory: a restart ends all of them. A code is a secret that makes one session
 * and is used up by that (`serve --open`). Both end after LOGIN_S; a session ends with its
 * token too, which access.c sees to. */
#ifndef API_LOGIN_H
#define API_LOGIN_H

#include "base/arena.h"
#include "base/token.h"

enum { LOGIN_MAX = 1024, LOGIN_S = 12 * 3600, LOGIN_CODE_S = 600 };

struct login {
    char digest[SHA256_HEX_SIZE]; /* "" = this place is free */
    char token_id[UUID_SIZE];     /* "" = by a code: of the server's own workspace */
    int64_t ends_ns;              /* clock_ns */
};

struct logins {
    struct login *items; /* LOGIN_MAX of them */
    char code[SHA256_HEX_SIZE];
    int64_t code_ends_ns;
};

struct logins logins_new(struct arena *arena);

/* A new one for the token (NULL: by a code); `secret` (TOKEN_SIZE bytes) goes into the
 * cookie. Where all places are taken, the one that ends first ends now. */
void login_begin(struct logins *s, const char *token_id, int64_t now_ns, char *secret);
const struct login *login_find(struct logins *s, struct str secret, int64_t now_ns);
void login_end(struct logins *s, struct str secret, int64_t now_ns);

/* The code that is valid from now on, instead of any before. */
void login_make_code(struct logins *s, int64_t now_ns, char *code);
/* True once. */
bool login_use_code(struct logins *s, struct str code, int64_t now_ns);

#endif
