/* access.h - who asks, and what they may see and do. docs/security.md has the reasons.
 *
 * A token (base/token.h) belongs to a workspace and has a role. It comes as `Authorization:
 * Bearer`, or as the cookie of a session that it was exchanged for (api/login.h). A
 * session ends with its token. As long as the store has no token, the server listens on
 * loopback only, and everybody there is admin of the workspace that it was started for;
 * once there is one, everybody needs one.
 *
 * What a foreign page in the user's browser could send is refused: a Host that is not this
 * server's (DNS rebinding), an Origin that is not, a sub-resource of another site, and a
 * change without something that a form or an image cannot send (the header X-Assay; without
 * a cookie a JSON body will do). */
#ifndef API_ACCESS_H
#define API_ACCESS_H

#include "api/refusal.h"
#include "base/token.h"
#include "store/store.h"

enum access_role { ACCESS_OPEN, ACCESS_READ, ACCESS_RUN, ACCESS_ADMIN };

const char *access_role_name(enum access_role role); /* "read" */

struct access {
    enum access_role role;
    const char *workspace; /* until the next check */
    const char *name;      /* of the token; NULL: no token */
    const char *token_id;  /* likewise */
    const char *expires_at;
    bool is_session; /* by cookie */
};

struct access_options {
    const char *listen; /* "127.0.0.1:8377" */
    const char *store_url;
    const char *workspace;    /* of those who need no token */
    const char *const *names; /* hosts that it is called from outside */
    size_t name_count;
    bool has_tls;
    bool is_behind_proxy; /* which does TLS and states X-Forwarded-For */
    double rate_per_s;    /* of a peer and of a token; 0: no limit */
};

struct access_rules; /* who may come in */

/* Refuses (ERROR_INVALID) to listen where anybody could come in. The store must be there. */
MUST_USE bool access_open(struct access_rules **rules, const struct access_options *options,
                          struct arena *arena, struct error *err);
void access_close(struct access_rules *rules); /* NULL is closed already */
/* Whether clients come from addresses of their own: not from this machine or by a proxy. */
bool access_knows_peers(const struct access_rules *rules);
/* The port that the server got; before the first check. */
/* Where everybody on this machine is let in: not what is being measured (base/peer.h), which
 * could ask for the expected answers. `port` is the peer's. */
bool access_admits_peer(const struct access_rules *rules, int port);

void access_set_port(struct access_rules *rules, int port);

/* Whether a request is looked at at all, whoever sent it: 421 (foreign Host), 403 (foreign
 * page), 429. Once for each request. */
MUST_USE bool access_admit(struct access_rules *rules, const struct http_request *r,
                           struct refusal *refusal);

/* Who sent the request, and whether they may: `needs` by the route, `changes` something or
 * only reads. Otherwise 401, 403 or 429 in `refusal`. */
MUST_USE bool access_check(struct access_rules *rules, const struct http_request *r,
                           enum access_role needs, bool changes, struct access *who,
                           struct refusal *refusal);

/* Whether whoever was let in still is: their token is neither revoked nor expired, has the
 * role, and is of that workspace; a session has not ended. For replies that last. */
bool access_still(struct access_rules *rules, const struct http_request *r,
                  enum access_role needs, const char *workspace);

/* ---- sessions: the routes of /session ---- */

/* For a token, or a code (the other is empty): the value of Set-Cookie, in the request's
 * arena. NULL: 401 or 429 in `refusal`. */
const char *access_log_in(struct access_rules *rules, const struct http_request *r,
                          struct str token, struct str code, struct refusal *refusal);
/* Ends the session of the request, if it has one; the value of Set-Cookie. */
const char *access_log_out(struct access_rules *rules, const struct http_request *r);
/* For `serve --open`: a code that logs in once, TOKEN_SIZE bytes. */
void access_make_code(struct access_rules *rules, char *code);

#endif
