/* Logging in and out: a page cannot keep a token safely, and EventSource cannot send one. */
#include "api/api.h"
#include "base/json.h"

#define WHO_SCHEMA                                                                         \
    "{\"type\":\"object\",\"required\":[\"workspace\",\"role\",\"name\"],\"properties\":{" \
    "\"workspace\":{\"type\":\"string\"},"                                                 \
    "\"role\":{\"enum\":[\"read\",\"run\",\"admin\"]},"                                    \
    "\"name\":{\"type\":[\"string\",\"null\"]},"                                           \
    "\"expires_at\":{\"type\":[\"string\",\"null\"]}}}"

struct log_in_params {
    const char *token;
    const char *code;
};

#define AT(field) .offset = offsetof(struct log_in_params, field)

static const struct param log_in_rows[] = {
    {"token", PARAM_TEXT, AT(token), .help = "of `assay tokens new`; or Authorization: Bearer"},
    {"code", PARAM_TEXT, AT(code), .help = "of `assay serve --open`: valid once"},
};

static bool has_query(const struct http_request *r)
{
    return memchr(r->target.p, '?', r->target.n) != NULL;
}

static void send_cookie(struct route_call *call, int status, const char *cookie,
                        const char *location)
{
    struct http_header *headers = arena_new(call->arena, struct http_header, 3);
    size_t count = 0;
    headers[count++] = (struct http_header){"Set-Cookie", cookie};
    headers[count++] = (struct http_header){"Cache-Control", "no-store"};
    if (location) headers[count++] = (struct http_header){"Location", location};
    http_reply(call->request, &(struct http_reply){
                                  .status = status, .headers = headers, .header_count = count});
}

/* A secret in a URL gets into logs and histories. */
static bool reply_log_in(struct route_call *call, struct error *err)
{
    (void)err;
    const struct log_in_params *p = call->params;
    if (has_query(call->request)) {
        return refusal_set(call->refusal, 400,
                           "send the token in the body, not in the address");
    }
    struct str header = http_header_of(call->request, "Authorization");
    struct str token = str_of(p->token);
    if (!token.n && str_starts(header, S("Bearer ")))
        token = str_trim((struct str){header.p + 7, header.n - 7});
    if (!token.n && !str_of(p->code).n)
        return refusal_add(call->refusal, S("token"), "is missing: of `assay tokens new`");
    const char *cookie =
        access_log_in(call->api->rules, call->request, token, str_of(p->code), call->refusal);
    if (cookie) send_cookie(call, 204, cookie, NULL);
    return cookie != NULL;
}

const struct route route_create_session = {
    .name = "create_session",
    .summary = "exchanges a token for a session cookie, which ends with the token",
    .method = "POST",
    .path = "/session",
    .needs = ACCESS_OPEN,
    .is_storeless = true,
    .params = {log_in_rows, COUNT(log_in_rows)},
    .config_size = sizeof(struct log_in_params),
    .reply = reply_log_in,
    .status = 204,
};

static bool reply_open(struct route_call *call, struct error *err)
{
    (void)err;
    const struct log_in_params *p = call->params;
    const char *cookie = access_log_in(call->api->rules, call->request, (struct str){0},
                                       str_of(p->code), call->refusal);
    if (cookie) send_cookie(call, 303, cookie, "/");
    return cookie != NULL;
}

static const struct param open_rows[] = {
    {"code", PARAM_TEXT, AT(code), .required = true,
     .help = "of `assay serve --open`: valid once"},
};

const struct route route_open_session = {
    .name = "open_session",
    .summary = "begins a session by a one-time code and goes to the page",
    .method = "GET",
    .path = "/session/open",
    .needs = ACCESS_OPEN,
    .is_storeless = true,
    .params = {open_rows, COUNT(open_rows)},
    .config_size = sizeof(struct log_in_params),
    .reply = reply_open,
    .status = 303,
};

static bool reply_who(struct route_call *call, struct error *err)
{
    (void)err;
    struct buf b;
    struct json j;
    buf_init(&b, 4096);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "workspace", call->who->workspace);
    json_put_text(&j, "role", access_role_name(call->who->role));
    json_put_text(&j, "name", call->who->name);
    json_put_text(&j, "expires_at", call->who->expires_at);
    json_end(&j);
    buf_add_char(&b, '\n');
    route_send(call, "application/json", str_copy(call->arena, buf_str(&b)));
    buf_release(&b);
    return true;
}

const struct route route_get_session = {
    .name = "get_session",
    .summary = "who the caller is: workspace, role and name of the token",
    .method = "GET",
    .path = "/session",
    .needs = ACCESS_READ,
    .is_storeless = true,
    .reply = reply_who,
    .schema = WHO_SCHEMA,
};

static bool reply_log_out(struct route_call *call, struct error *err)
{
    (void)err;
    send_cookie(call, 204, access_log_out(call->api->rules, call->request), NULL);
    return true;
}

const struct route route_delete_session = {
    .name = "delete_session",
    .summary = "ends the session",
    .method = "DELETE",
    .path = "/session",
    .needs = ACCESS_OPEN,
    .is_storeless = true,
    .reply = reply_log_out,
    .status = 204,
};
