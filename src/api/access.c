/* Tokens are few: all of them are kept in memory, read again when the store has changed, and
 * every one is compared with what was sent, in full. */
#include "api/access.h"

#include "api/login.h"
#include "api/rate.h"
#include "base/clock.h"
#include "base/peer.h"

#include <math.h>
#include <strings.h>

enum { FAILURES_PER_S = 5, FAILURES_BURST = 20, TOUCH_S = 3600, BUSY_MS = 100 };

struct access_rules {
    struct access_options options;
    struct arena *arena;
    int port;
    bool needs_token;
    char cookie[32]; /* its name: cookies do not know ports */
    struct store *reads;
    struct store *writes; /* of last_used_at; opened when it is needed */
    struct arena tokens_arena;
    struct arena scratch; /* of one look at a peer; kept, so that the heap stays in one piece */
    struct token_record *tokens;
    int64_t *touched_ns; /* by token */
    size_t token_count;
    bool is_read;
    uint64_t generation; /* of the store when they were read */
    int64_t looked_ns;   /* when access_still last looked for a newer one */
    struct logins logins;
    struct rate peers;
    struct rate names; /* by token */
    struct rate failures;
};

const char *access_role_name(enum access_role role)
{
    static const char *const names[] = {"open", "read", "run", "admin"};
    return names[role];
}

static enum access_role role_of(const char *name)
{
    for (int i = ACCESS_READ; i <= ACCESS_ADMIN; i++) {
        if (strcmp(name, access_role_name((enum access_role)i)) == 0)
            return (enum access_role)i;
    }
    return ACCESS_OPEN;
}

/* ---- where it listens ---- */

/* The host of "host:port" or "[::1]:port", without the port and the brackets. `rest` is what
 * follows it. Anything but nothing or ":port" means that `address` is not an address. */
static struct str host_of(struct str address, struct str *rest)
{
    bool is_six = address.n > 0 && address.p[0] == '[';
    *rest = is_six ? (struct str){address.p + 1, address.n - 1} : address;
    const char *begin = rest->p;
    size_t n = 0;
    while (n < rest->n && begin[n] != (is_six ? ']' : ':')) n++;
    size_t skip = n + (is_six && n < rest->n);
    *rest = (struct str){begin + skip, rest->n - skip};
    return (struct str){begin, n};
}

static bool is_host(struct str a, const char *name)
{
    return a.n == strlen(name) && strncasecmp(a.p, name, a.n) == 0;
}

static bool is_loopback(struct str host)
{
    return str_is(host, "127.0.0.1") || str_is(host, "::1") || is_host(host, "localhost");
}

static bool is_every_address(struct str host)
{
    return host.n == 0 || str_is(host, "0.0.0.0") || str_is(host, "::") || str_is(host, "*");
}

static bool may_listen(const struct access_rules *rules, struct error *err)
{
    const struct access_options *o = &rules->options;
    struct str port;
    struct str host = host_of(str_of(o->listen), &port);
    bool is_reached = !is_loopback(host);
    if (is_reached && !o->has_tls && !o->is_behind_proxy) {
        return error_set(
            err, ERROR_INVALID,
            "'%s' can be reached from other machines: give --tls-cert and "
            "--tls-key, or --behind-proxy where another server does TLS; or listen "
            "on 127.0.0.1",
            o->listen);
    }
    if ((is_reached || o->is_behind_proxy) && !rules->needs_token) {
        return error_set(err, ERROR_INVALID,
                         "everybody could use it: the store has no token; `assay tokens new "
                         "--role admin` makes one");
    }
    if ((is_every_address(host) || o->is_behind_proxy) && o->name_count == 0) {
        return error_set(err, ERROR_INVALID,
                         "say by --name what this server is called from outside: requests for "
                         "other hosts are refused");
    }
    return true;
}

bool access_knows_peers(const struct access_rules *rules)
{
    struct str port;
    bool is_here = is_loopback(host_of(str_of(rules->options.listen), &port));
    return !is_here && !rules->options.is_behind_proxy;
}

/* ---- tokens ---- */

static bool is_valid(const struct token_record *t)
{
    char now[CLOCK_STAMP_SIZE];
    bool is_over =
        t->expires_at && strcmp(t->expires_at, clock_stamp(clock_unix_ns(), now)) <= 0;
    return !t->revoked_at && !is_over;
}

/* Reads the tokens again if the store has changed. */
static bool refresh(struct access_rules *rules, struct error *err)
{
    uint64_t generation = 0;
    if (!store_generation(rules->reads, &generation, err)) return false;
    if (rules->is_read && generation == rules->generation) return true;
    arena_reset(&rules->tokens_arena);
    rules->token_count = 0;
    rules->is_read = false;
    if (!store_list_tokens(rules->reads, true, &rules->tokens_arena, &rules->tokens,
                           &rules->token_count, err)) {
        return false;
    }
    rules->is_read = true;
    rules->generation = generation;
    rules->touched_ns = arena_new(&rules->tokens_arena, int64_t, rules->token_count + 1);
    for (size_t i = 0; i < rules->token_count; i++) {
        const struct token_record *t = &rules->tokens[i];
        rules->needs_token |= !t->revoked_at;
        int64_t used_ns = 0;
        bool was_used = t->last_used_at && clock_parse_stamp(t->last_used_at, &used_ns);
        rules->touched_ns[i] = was_used ? used_ns : 0;
    }
    return true;
}

static const struct token_record *find_token(const struct access_rules *rules, struct str token)
{
    char digest[SHA256_HEX_SIZE];
    const struct token_record *found = NULL;
    if (!token_is_one(token)) return NULL;
    token_digest(token, digest);
    for (size_t i = 0; i < rules->token_count; i++) {
        const struct token_record *t = &rules->tokens[i];
        if (strlen(t->hash) != SHA256_HEX_SIZE - 1) continue;
        if (token_digest_equal(t->hash, digest)) found = t;
    }
    return found && is_valid(found) ? found : NULL;
}

static const struct token_record *find_token_id(const struct access_rules *rules,
                                                const char *id)
{
    for (size_t i = 0; i < rules->token_count; i++) {
        if (strcmp(rules->tokens[i].id, id) == 0)
            return is_valid(&rules->tokens[i]) ? &rules->tokens[i] : NULL;
    }
    return NULL;
}

/* To the hour, and never at the price of an answer: what is stored makes kept ones old. */
static void touch(struct access_rules *rules, const struct token_record *t)
{
    size_t at = (size_t)(t - rules->tokens);
    int64_t now_ns = clock_unix_ns();
    if (now_ns - rules->touched_ns[at] < TOUCH_S * INT64_C(1000000000)) return;
    rules->touched_ns[at] = now_ns;
    const struct store_options how = {.workspace = rules->options.workspace,
                                      .busy_timeout_ms = BUSY_MS};
    struct error ignored;
    bool is_open =
        rules->writes || store_open(rules->options.store_url, &how, &rules->writes, &ignored);
    if (is_open && !store_touch_token(rules->writes, t->id, &ignored)) return;
}

/* ---- open and close ---- */

bool access_open(struct access_rules **rules, const struct access_options *options,
                 struct arena *arena, struct error *err)
{
    struct access_rules *r = arena_new(arena, struct access_rules, 1);
    const struct store_options how = {.read_only = true, .workspace = options->workspace};
    r->options = *options;
    r->arena = arena;
    r->tokens_arena = arena_open();
    r->scratch = arena_open();
    r->logins = logins_new(arena);
    r->peers = rate_new(options->rate_per_s, 2 * options->rate_per_s, arena);
    r->names = rate_new(options->rate_per_s, 2 * options->rate_per_s, arena);
    r->failures = rate_new(FAILURES_PER_S, FAILURES_BURST, arena);
    *rules = r;
    return store_open(options->store_url, &how, &r->reads, err) && refresh(r, err) &&
           may_listen(r, err);
}

void access_close(struct access_rules *rules)
{
    if (!rules) return;
    store_close(rules->reads);
    store_close(rules->writes);
    arena_close(&rules->tokens_arena);
    arena_close(&rules->scratch);
}

void access_set_port(struct access_rules *rules, int port)
{
    rules->port = port;
    snprintf(rules->cookie, sizeof rules->cookie, "assay_session_%d", port);
}

/* ---- admission ---- */

/* As in ":8377"; none is that of the scheme. */
static bool is_our_port(const struct access_rules *rules, struct str text)
{
    char port[16];
    int usual = rules->options.has_tls ? 443 : 80;
    snprintf(port, sizeof port, ":%d", rules->port);
    return text.n == 0 ? rules->port == usual : str_is(text, port);
}

/* This server, by the names it has. With its own address comes its port; what it is called
 * from outside may come with any, or none. */
static bool is_ours(const struct access_rules *rules, struct str authority)
{
    struct str rest;
    struct str of_listen;
    struct str host = host_of(authority, &rest);
    struct str listen = host_of(str_of(rules->options.listen), &of_listen);
    if (rest.n > 0 && rest.p[0] != ':') return false;
    for (size_t i = 0; i < rules->options.name_count; i++) {
        if (is_host(host, rules->options.names[i])) return true;
    }
    bool is_here = is_loopback(listen) ? is_loopback(host)
                                       : !is_every_address(listen) && str_equal(host, listen);
    return is_here && is_our_port(rules, rest);
}

static bool is_our_origin(const struct access_rules *rules, struct str origin)
{
    bool is_secure = rules->options.has_tls || rules->options.is_behind_proxy;
    struct str scheme = is_secure ? S("https://") : S("http://");
    return str_starts(origin, scheme) &&
           is_ours(rules, (struct str){origin.p + scheme.n, origin.n - scheme.n});
}

/* Behind a proxy the one that it names last. */
static struct str peer_of(const struct access_rules *rules, const struct http_request *r,
                          struct http_peer *peer)
{
    struct str forwarded = http_header_of(r, "X-Forwarded-For");
    struct str last = {0};
    *peer = http_peer_of(r);
    if (rules->options.is_behind_proxy) {
        while (forwarded.p) last = str_trim(str_cut(&forwarded, ','));
    }
    return last.n ? last : str_of(peer->text);
}

static bool too_often(struct refusal *refusal, double wait_s)
{
    refusal->retry_after_s = (int)ceil(wait_s);
    return refusal_set(refusal, 429, "too many requests; try again in %d s",
                       refusal->retry_after_s);
}

bool access_admit(struct access_rules *rules, const struct http_request *r,
                  struct refusal *refusal)
{
    struct str host = http_header_of(r, "Host");
    struct str origin = http_header_of(r, "Origin");
    struct str site = http_header_of(r, "Sec-Fetch-Site");
    struct http_peer peer;
    if (!is_ours(rules, host)) {
        return refusal_set(refusal, 421,
                           "this server has another name than the request's Host");
    }
    if (origin.p && !is_our_origin(rules, origin)) {
        return refusal_set(refusal, 403, "pages of other origins are not answered");
    }
    bool is_foreign = str_is(site, "cross-site") || str_is(site, "same-site");
    if (is_foreign && !str_is(http_header_of(r, "Sec-Fetch-Mode"), "navigate")) {
        return refusal_set(refusal, 403, "cross-site requests are refused");
    }
    double wait_s = rate_take(&rules->peers, peer_of(rules, r, &peer), clock_ns());
    return wait_s <= 0 || too_often(refusal, wait_s);
}

bool access_admits_peer(const struct access_rules *rules, int port)
{
    return rules->needs_token || !peer_is_measured(port, rules->port, rules->scratch);
}

/* ---- who it is ---- */

static struct str bearer_of(const struct http_request *r)
{
    struct str header = http_header_of(r, "Authorization");
    struct str scheme = str_cut(&header, ' ');
    bool is_bearer = is_host(scheme, "Bearer");
    return is_bearer ? str_trim(header) : (struct str){0};
}

static struct str cookie_of(const struct access_rules *rules, const struct http_request *r)
{
    struct str rest = http_header_of(r, "Cookie");
    while (rest.p) {
        struct str pair = str_trim(str_cut(&rest, ';'));
        struct str name = str_cut(&pair, '=');
        if (str_is(name, rules->cookie)) return pair;
    }
    return (struct str){0};
}

static bool refuse_unknown(struct access_rules *rules, const struct http_request *r,
                           bool has_tried, struct refusal *refusal)
{
    struct http_peer peer;
    if (has_tried) {
        double wait_s = rate_take(&rules->failures, peer_of(rules, r, &peer), clock_ns());
        if (wait_s > 0) return too_often(refusal, wait_s);
    }
    refusal->challenge = "Bearer realm=\"assay\"";
    return refusal_set(refusal, 401,
                       has_tried
                           ? "the token or session is not valid; `assay tokens new` makes "
                             "a token"
                           : "this needs a token: `Authorization: Bearer ...`; `assay "
                             "tokens new` makes one");
}

static struct access of_token(struct access_rules *rules, const struct token_record *t)
{
    touch(rules, t);
    return (struct access){.role = role_of(t->role),
                           .workspace = t->workspace,
                           .name = t->name,
                           .token_id = t->id,
                           .expires_at = t->expires_at};
}

static struct access of_owner(const struct access_rules *rules)
{
    return (struct access){.role = ACCESS_ADMIN, .workspace = rules->options.workspace};
}

/* False: nobody that is known. *has_tried: a token or a cookie came with it. */
static bool identify(struct access_rules *rules, const struct http_request *r,
                     struct access *who, bool *has_tried)
{
    struct str cookie = cookie_of(rules, r);
    const struct token_record *t = NULL;
    bool has_header = http_header_of(r, "Authorization").p != NULL;
    *has_tried = has_header || cookie.n > 0;
    if (has_header) {
        t = find_token(rules, bearer_of(r));
        if (t) *who = of_token(rules, t);
        return t != NULL;
    }
    const struct login *s = login_find(&rules->logins, cookie, clock_ns());
    if (s && s->token_id[0]) t = find_token_id(rules, s->token_id);
    if (s && (t || !s->token_id[0])) {
        *who = t ? of_token(rules, t) : of_owner(rules);
        who->is_session = true;
        return true;
    }
    *who = of_owner(rules);
    return !rules->needs_token;
}

/* A page elsewhere can make a browser send a form, with our cookie or without, but neither
 * this header nor this type without asking first, which we do not answer. */
static bool is_meant(const struct http_request *r, const struct access *who)
{
    struct str type = http_header_of(r, "Content-Type");
    struct str essence = str_trim(str_cut(&type, ';'));
    bool is_json = is_host(essence, "application/json");
    return http_header_of(r, "X-Assay").p || (is_json && !who->is_session);
}

bool access_check(struct access_rules *rules, const struct http_request *r,
                  enum access_role needs, bool changes, struct access *who,
                  struct refusal *refusal)
{
    struct error err = {0};
    *who = (struct access){0};
    if (needs == ACCESS_OPEN) return true;
    if (!refresh(rules, &err)) return refusal_of(refusal, &err);
    bool has_tried = false;
    if (!identify(rules, r, who, &has_tried)) {
        return refuse_unknown(rules, r, has_tried, refusal);
    }
    if (who->role < needs) {
        return refusal_set(refusal, 403, "this needs a token of role %s; '%s' has role %s",
                           access_role_name(needs), who->name ? who->name : "the session",
                           access_role_name(who->role));
    }
    bool is_by_bearer = who->token_id && !who->is_session;
    if (changes && !is_by_bearer && !is_meant(r, who)) {
        return refusal_set(refusal, 403,
                           "requests that change something need the header X-Assay: 1%s",
                           who->is_session ? "" : ", or a JSON body");
    }
    double wait_s =
        who->token_id ? rate_take(&rules->names, str_of(who->token_id), clock_ns()) : 0;
    return wait_s <= 0 || too_often(refusal, wait_s);
}

/* A stream asks before every piece that it sends, and there may be thousands of them: the
 * store is looked at once in a millisecond, as for answers that are kept (api.c). */
bool access_still(struct access_rules *rules, const struct http_request *r,
                  enum access_role needs, const char *workspace)
{
    const int64_t look_ns = 1000000;
    struct error ignored = {0};
    struct access who = {0};
    bool has_tried = false;
    int64_t now_ns = clock_ns();
    if (now_ns - rules->looked_ns > look_ns) {
        if (!refresh(rules, &ignored)) return false;
        rules->looked_ns = now_ns;
    }
    return identify(rules, r, &who, &has_tried) && who.role >= needs &&
           strcmp(who.workspace, workspace) == 0;
}

/* ---- sessions ---- */

static const char *cookie_text(const struct access_rules *rules, const char *secret, int age_s,
                               struct arena *out)
{
    bool is_secure = rules->options.has_tls || rules->options.is_behind_proxy;
    return arena_printf(out, "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
                        rules->cookie, secret, age_s, is_secure ? "; Secure" : "");
}

const char *access_log_in(struct access_rules *rules, const struct http_request *r,
                          struct str token, struct str code, struct refusal *refusal)
{
    char secret[TOKEN_SIZE];
    struct error err = {0};
    if (!refresh(rules, &err)) {
        refusal_of(refusal, &err);
        return NULL;
    }
    const struct token_record *t = token.n ? find_token(rules, token) : NULL;
    bool is_known = t || login_use_code(&rules->logins, code, clock_ns());
    if (!is_known) {
        refuse_unknown(rules, r, true, refusal);
        return NULL;
    }
    login_begin(&rules->logins, t ? t->id : NULL, clock_ns(), secret);
    return cookie_text(rules, secret, LOGIN_S, r->arena);
}

const char *access_log_out(struct access_rules *rules, const struct http_request *r)
{
    login_end(&rules->logins, cookie_of(rules, r), clock_ns());
    return cookie_text(rules, "", 0, r->arena);
}

void access_make_code(struct access_rules *rules, char *code)
{
    login_make_code(&rules->logins, clock_ns(), code);
}
