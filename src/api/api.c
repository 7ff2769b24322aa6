/* One request from its target to its reply (handle), in an order that matters: who may connect
 * at all is asked before anything is looked for, the page needs no token, and an answer that is
 * kept is sent before parameters are read, as the same words were right before. What is kept is
 * good as long as the store's generation and the date are the same: those who write need not
 * know of it. Refusals are made in one struct and sent at the end: a route that fails has sent
 * nothing. */
#include "api/api.h"

#include "api/asset.h"
#include "api/openapi.h"
#include "base/clock.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    BODY_MAX = 16 << 20,
    BODIES_MAX = 128 << 20, /* they are read before it is known whose they are */
    CONNECTIONS_MAX = 4096, /* fewer where the limit of open files is low */
    IDLE_S = 60,
    HEAD_S = 20, /* a client that sends a byte now and then holds its place no longer */
    BODY_S = 120,
    CONNECTION_BYTES = 16 << 10, /* headers must fit; 3,000 listeners take 100 MB at most */
    DRAIN_S = 10,
};

/* What keeps a page of ours from being used by another, and another from being ours. */
static const struct http_header marks[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
     "frame-ancestors 'none'"},
};

/* ---- stores ---- */

static bool open_store(struct api *api, const char *workspace, bool writes,
                       struct store **store, struct error *err)
{
    struct store_options how = {
        .read_only = !writes, .workspace = workspace, .is_served = true};
    return store_open(api->options.store_url, &how, store, err);
}

static struct api_store *find_store(struct api *api, const char *workspace)
{
    for (size_t i = 0; i < api->store_count; i++) {
        if (strcmp(api->stores[i].workspace, workspace) == 0) return &api->stores[i];
    }
    api->stores = arena_grow(api->arena, api->stores, api->store_count, sizeof *api->stores);
    struct api_store *s = &api->stores[api->store_count++];
    *s = (struct api_store){.workspace = str_cstr(api->arena, str_of(workspace))};
    return s;
}

bool api_store(struct api *api, const char *workspace, bool writes, struct store **store,
               struct error *err)
{
    struct api_store *s = find_store(api, workspace);
    struct store **kept = writes ? &s->writes : &s->reads;
    if (!*kept && !open_store(api, s->workspace, writes, kept, err)) return false;
    if (writes) s->looked_ns = 0;
    *store = *kept;
    return true;
}

const char *api_workspace(struct api *api, const char *workspace)
{
    for (size_t i = 0; i < api->store_count; i++) {
        if (strcmp(api->stores[i].workspace, workspace) == 0) return api->stores[i].workspace;
    }
    return str_cstr(api->arena, str_of(workspace));
}

/* ---- replies ---- */

static bool is_get(const struct http_request *r)
{
    return str_is(r->method, "GET") || str_is(r->method, "HEAD");
}

/* "*", or a list of tags, each perhaps weak, has it. */
static bool has_tag(struct str list, const char *etag)
{
    while (list.p) {
        struct str tag = str_trim(str_cut(&list, ','));
        if (str_starts(tag, S("W/"))) tag = (struct str){tag.p + 2, tag.n - 2};
        if (str_is(tag, "*") || str_is(tag, etag)) return true;
    }
    return false;
}

struct body {
    const char *type;
    struct str bytes;
    const char *etag;
    const char *cache_control;
    const char *encoding; /* NULL: as it is */
    http_closed *closed;
    void *context;
};

static void send_body(struct http_request *r, const struct body *body)
{
    enum { HEADERS_MAX = 4 };
    struct http_header *headers = arena_new(r->arena, struct http_header, HEADERS_MAX);
    size_t count = 0;
    headers[count++] = (struct http_header){"ETag", body->etag};
    headers[count++] = (struct http_header){"Cache-Control", body->cache_control};
    headers[count++] = (struct http_header){"Vary", "Accept-Encoding, Authorization, Cookie"};
    if (body->encoding)
        headers[count++] = (struct http_header){"Content-Encoding", body->encoding};
    /* Other methods have done their work by now, and tell so (RFC 9110, 13.1.2). */
    bool is_known = is_get(r) && has_tag(http_header_of(r, "If-None-Match"), body->etag);
    http_reply(r, &(struct http_reply){.status = is_known ? 304 : 200,
                                       .type = is_known ? NULL : body->type,
                                       .body = is_known ? (struct str){0} : body->bytes,
                                       .headers = headers,
                                       .header_count = count,
                                       .closed = body->closed,
                                       .context = body->context});
}

void route_send(struct route_call *call, const char *type, struct str body)
{
    char *etag = arena_new(call->arena, char, CACHE_ETAG_SIZE);
    cache_etag(body, etag);
    send_body(call->request, &(struct body){.type = type,
                                            .bytes = body,
                                            .etag = etag,
                                            .cache_control = "private, no-cache"});
}

void route_send_answer(struct route_call *call, const struct answer *row, const void *answer)
{
    struct str body;
    struct error err = {0};
    if (answer_text(row, answer, call->arena, &body, &err)) {
        route_send(call, "application/json", body);
    } else {
        refusal_set(call->refusal, 500, "%s", err.text);
        refusal_reply(call->request, call->refusal);
    }
}

/* ---- questions ---- */

struct use {
    struct cache *cache;
    struct cached_body *body;
};

static void end_use(void *context)
{
    const struct use *use = context;
    cache_unuse(use->cache, use->body);
}

/* The bytes themselves, not a copy: they are most of what such a request costs. */
static void send_kept(struct route_call *call, const struct cached *kept)
{
    struct use *use = arena_new(call->arena, struct use, 1);
    *use = (struct use){&call->api->cache, cache_use(kept)};
    struct body body = {.type = "application/json",
                        .bytes = buf_str(&use->body->bytes),
                        .etag = arena_copy(call->arena, kept->etag, strlen(kept->etag)),
                        .cache_control = "private, no-cache",
                        .closed = end_use,
                        .context = use};
    send_body(call->request, &body);
}

/* What an answer depends on besides its key. Looking costs two locks of the file: what
 * others store is seen within a millisecond, what we store at once. */
static bool age_now(struct api *api, const char *workspace, struct cache_age *age,
                    struct error *err)
{
    const int64_t day_ns = 86400 * INT64_C(1000000000);
    const int64_t look_ns = 1000000;
    struct api_store *s = find_store(api, workspace);
    int64_t now_ns = clock_ns();
    if (s->looked_ns == 0 || now_ns - s->looked_ns > look_ns) {
        if (!store_generation(s->reads, &s->generation, err)) return false;
        s->looked_ns = now_ns;
    }
    *age = (struct cache_age){s->generation, clock_unix_ns() / day_ns};
    return true;
}

/* What was asked in the same words before was asked rightly: its parameters need not be
 * read again. */
struct kept_key {
    struct str text;
    struct cache_age age;
    bool keeps;
};

static bool find_kept(struct route_call *call, struct kept_key *key, const struct cached **kept,
                      struct error *err)
{
    const struct question *q = call->route->question;
    *kept = NULL;
    key->keeps = q && !q->is_live && call->request->body.n == 0;
    if (!key->keeps) return true;
    key->text = str_of(arena_printf(call->arena, "%s\n%s\n%.*s", call->who->workspace,
                                    call->route->name, STR_ARG(call->request->target)));
    if (!age_now(call->api, call->who->workspace, &key->age, err)) return false;
    *kept = cache_find(&call->api->cache, key->text, key->age);
    return true;
}

static bool ask(struct route_call *call, const struct endpoint *endpoint,
                const struct kept_key *key, struct error *err)
{
    struct buf out;
    buf_init(&out, ANSWER_MAX_BYTES);
    bool done = endpoint_ask(endpoint, call, &out, err);
    if (done) route_send(call, "application/json", str_copy(call->arena, buf_str(&out)));
    if (done && key->keeps) cache_put(&call->api->cache, key->text, key->age, buf_str(&out));
    buf_release(&out);
    return done;
}

/* ---- requests ---- */

/* A strong tag is of bytes, and these are others. */
static const char *packed_etag(const char *etag, struct arena *out)
{
    return arena_printf(out, "%.*s-gzip\"", (int)strlen(etag) - 1, etag);
}

static void send_asset(struct http_request *r, const struct asset *a)
{
    bool packed = a->gzip.n && http_accepts(http_header_of(r, "Accept-Encoding"), "gzip");
    send_body(r, &(struct body){.type = a->type,
                                .bytes = packed ? a->gzip : a->plain,
                                .etag = packed ? packed_etag(a->etag, r->arena) : a->etag,
                                .cache_control = a->is_immutable
                                                     ? "public, max-age=31536000, immutable"
                                                     : "no-cache",
                                .encoding = packed ? "gzip" : NULL});
}

/* The page, where it is in the program. */
static bool serve_page(struct http_request *r, const struct url *url)
{
    const struct asset *a = is_get(r) ? asset_find(url->path) : NULL;
    if (a) {
        send_asset(r, a);
    } else if (is_get(r) && str_is(url->path, "/")) {
        http_reply(r,
                   &(struct http_reply){
                       .status = 200,
                       .type = "text/plain; charset=utf-8",
                       .body = S("This assay was built without its page (make WEB=0); `make` "
                                 "builds it in.\nThe API is here: /openapi.json\n")});
        return true;
    }
    return a != NULL;
}

static bool answer(struct route_call *call, const struct endpoint *endpoint,
                   const struct url *url)
{
    struct error err = {0};
    const struct route *route = endpoint->route;
    struct api *api = call->api;
    struct kept_key key = {0};
    const struct cached *kept = NULL;
    bool done = (route->is_storeless ||
                 api_store(api, call->who->workspace, route->writes, &call->store, &err)) &&
                find_kept(call, &key, &kept, &err);
    if (done && kept) {
        send_kept(call, kept);
        return true;
    }
    done = done && endpoint_read(endpoint, call->request, url, &call->params, call->refusal) &&
           (route->question ? ask(call, endpoint, &key, &err) : route->reply(call, &err));
    if (!done && route->instead && err.code == ERROR_NOT_FOUND && route->instead(call))
        return true;
    if (!done && !call->refusal->status) refusal_of(call->refusal, &err);
    if (!done) endpoint_blame(endpoint, &err, call->refusal);
    return done;
}

static void finish(void *context, const struct http_request *r,
                   const struct http_outcome *outcome)
{
    struct api *api = context;
    traffic_end(&api->traffic, r, outcome);
}

static bool admits(void *context, int port)
{
    const struct api *api = context;
    return access_admits_peer(api->rules, port);
}

/* Who asked is known until the next request asks (access.h); its note is read when it is over. */
static const char *copy_of(const char *text, struct arena *out)
{
    return text ? str_cstr(out, str_of(text)) : NULL;
}

static void too_large(struct refusal *refusal)
{
    refusal_set(refusal, 413, "the body is too large: at most %d bytes", BODY_MAX);
}

static void handle(void *context, struct http_request *r)
{
    struct api *api = context;
    struct traffic_note *note = arena_new(r->arena, struct traffic_note, 1);
    r->note = note;
    traffic_begin(&api->traffic);
    struct refusal refusal = {.arena = r->arena};
    struct url url;
    struct error err = {0};
    struct access who = {0};
    const struct endpoint *endpoint = NULL;
    if (r->is_too_large) {
        too_large(&refusal);
    } else if (!url_parse(r->target, r->arena, &url, &err)) {
        refusal_of(&refusal, &err);
    } else if (access_admit(api->rules, r, &refusal)) {
        note->is_page = serve_page(r, &url);
        if (note->is_page) return;
        endpoint = endpoints_find(&api->endpoints, r->method, &url, &refusal);
    }
    note->route = endpoint ? endpoint->route : NULL;
    bool changes = endpoint && strcmp(endpoint->route->method, "GET") != 0;
    if (endpoint &&
        access_check(api->rules, r, endpoint->route->needs, changes, &who, &refusal)) {
        struct route_call call = {.api = api,
                                  .route = endpoint->route,
                                  .request = r,
                                  .arena = r->arena,
                                  .who = &who,
                                  .refusal = &refusal};
        note->workspace = copy_of(who.workspace, r->arena);
        note->token = copy_of(who.name, r->arena);
        if (answer(&call, endpoint, &url)) return;
    }
    refusal_reply(r, &refusal);
}

static void refuse(void *context, struct http_request *r, int status, const char *why)
{
    (void)context;
    struct refusal refusal = {.arena = r->arena};
    if (status == 413) {
        too_large(&refusal);
    } else {
        refusal_set(&refusal, status, "%s", why);
    }
    refusal_reply(r, &refusal);
}

/* ---- the server ---- */

/* A connection is a descriptor. A quarter of those that we may have is left for stores, runs
 * and the log, so that a server that is full still answers and starts runs. The limit is
 * raised for the server alone: what it runs gets `files`. */
static size_t connections_allowed(struct rlimit *files)
{
    struct rlimit ours;
    rlim_t wanted = CONNECTIONS_MAX / 3 * 4 + 4;
    if (getrlimit(RLIMIT_NOFILE, files) != 0) return CONNECTIONS_MAX;
    ours = *files;
    if (ours.rlim_cur < wanted) ours.rlim_cur = ours.rlim_max < wanted ? ours.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &ours) != 0) ours = *files;
    rlim_t most = ours.rlim_cur / 4 * 3;
    return most < CONNECTIONS_MAX ? (size_t)most : CONNECTIONS_MAX;
}

bool api_open(struct api **out, const struct api_options *options, struct arena *arena,
              struct error *err)
{
    struct api *api = arena_new(arena, struct api, 1);
    struct store *store = NULL;
    *out = api;
    api->options = *options;
    api->arena = arena;
    api->feeds.arena = arena;
    api->stop_fd = -1;
    api->endpoints = endpoints_make(arena);
    cache_init(&api->cache, arena);
    openapi_make(api, arena);
    traffic_init(&api->traffic, options->log_fd, arena);
    struct access_options access = {.listen = options->listen,
                                    .store_url = options->store_url,
                                    .workspace = options->workspace,
                                    .names = options->names,
                                    .name_count = options->name_count,
                                    .has_tls = options->tls_cert.n > 0,
                                    .is_behind_proxy = options->is_behind_proxy,
                                    .rate_per_s = options->rate_per_s};
    struct http_server_options server = {
        .listen = options->listen,
        .body_max = BODY_MAX,
        .bodies_max = BODIES_MAX,
        .connections_max = connections_allowed(&api->files),
        .idle_s = IDLE_S,
        .head_s = HEAD_S,
        .body_s = BODY_S,
        .connection_bytes = CONNECTION_BYTES,
        .tls_cert = options->tls_cert,
        .tls_key = options->tls_key,
        .drain_s = DRAIN_S,
        .marks = marks,
        .mark_count = COUNT(marks),
        .handle = handle,
        .refuse = refuse,
        .finished = finish,
        .admits = admits,
        .context = api,
    };
    struct store_options make = {.create = true, .workspace = options->workspace};
    bool done = store_open(options->store_url, &make, &store, err) &&
                access_open(&api->rules, &access, arena, err);
    if (done && access_knows_peers(api->rules))
        server.peer_connections_max = server.connections_max / 4;
    done = done && http_server_open(&api->server, &server, arena, err);
    store_close(store);
    if (done) access_set_port(api->rules, api_port(api));
    api->feeds.rules = api->rules;
    return done && queue_open(&api->queue, api, err) &&
           timetable_start(&api->options.schedules, api, err);
}

int api_port(const struct api *api)
{
    return http_server_port(api->server);
}

void api_make_code(struct api *api, char *code)
{
    access_make_code(api->rules, code);
}

/* What runs is parked, and streams end, so that nothing keeps the server from stopping. */
static void on_stop(void *context, int fd)
{
    struct api *api = context;
    http_server_unwatch(api->server, fd);
    queue_park(api->queue);
    for (struct feed *log = api->feeds.logs; log; log = log->next) feed_end(log);
}

bool api_serve(struct api *api, int stop_fd, struct error *err)
{
    api->stop_fd = stop_fd >= 0 ? fcntl(stop_fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (api->stop_fd >= 0 && !http_server_watch(api->server, api->stop_fd, on_stop, api, err)) {
        return false;
    }
    return http_server_run(api->server, stop_fd, err);
}

void api_close(struct api *api)
{
    if (!api) return;
    queue_park(api->queue);
    http_server_close(api->server);
    queue_close(api->queue);
    feeds_release(&api->feeds);
    if (api->stop_fd > 0) close(api->stop_fd);
    for (size_t i = 0; i < api->store_count; i++) {
        store_close(api->stores[i].reads);
        store_close(api->stores[i].writes);
    }
    access_close(api->rules);
    cache_release(&api->cache);
}
