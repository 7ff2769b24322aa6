#include "api/refusal.h"

#include "base/json.h"

#include <stdarg.h>

enum { BODY_MAX = 64 << 10 };

static const char *format(struct arena *out, const char *fmt, va_list args) PRINTF(2, 0);

static const char *format(struct arena *out, const char *fmt, va_list args)
{
    char text[700];
    vsnprintf(text, sizeof text, fmt, args);
    return str_cstr(out, str_of(text));
}

bool refusal_set(struct refusal *p, int status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    p->status = status;
    p->detail = format(p->arena, fmt, args);
    va_end(args);
    return false;
}

bool refusal_add(struct refusal *p, struct str name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *detail = format(p->arena, fmt, args);
    va_end(args);
    if (p->field_count < REFUSAL_FIELDS_MAX) {
        p->fields[p->field_count++] = (struct refusal_field){str_cstr(p->arena, name), detail};
    }
    if (p->status) return false;
    return refusal_set(p, 400, "'%.*s' %s", STR_ARG(name), detail);
}

bool refusal_of(struct refusal *p, const struct error *err)
{
    enum { RETRY_S = 5 };
    static const int statuses[ERROR_CODE_COUNT] = {
        [ERROR_NONE] = 500,        [ERROR_INVALID] = 400, [ERROR_NOT_FOUND] = 404,
        [ERROR_UNAVAILABLE] = 503, [ERROR_IO] = 500,      [ERROR_TIMEOUT] = 503,
        [ERROR_FAILED] = 500,
    };
    CHECK(err->code < ERROR_CODE_COUNT);
    if (err->code == ERROR_TIMEOUT) p->retry_after_s = RETRY_S;
    return refusal_set(p, statuses[err->code], "%s", err->text);
}

static const char *title_of(int status)
{
    static const struct {
        int status;
        const char *title;
    } titles[] = {
        {400, "Bad Request"},         {401, "Unauthorized"},
        {403, "Forbidden"},           {404, "Not Found"},
        {405, "Method Not Allowed"},  {409, "Conflict"},
        {413, "Content Too Large"},   {415, "Unsupported Media Type"},
        {421, "Misdirected Request"}, {422, "Unprocessable Content"},
        {429, "Too Many Requests"},   {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < COUNT(titles); i++) {
        if (titles[i].status == status) return titles[i].title;
    }
    return "Error";
}

static struct str body_of(const struct refusal *p, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, BODY_MAX);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "type", "about:blank");
    json_put_text(&j, "title", title_of(p->status));
    json_put_int(&j, "status", p->status);
    json_put_text(&j, "detail", p->detail);
    if (p->field_count) json_key_list(&j, "errors");
    for (size_t i = 0; i < p->field_count; i++) {
        json_object(&j);
        json_put_text(&j, "name", p->fields[i].name);
        json_put_text(&j, "detail", p->fields[i].detail);
        json_end(&j);
    }
    if (p->field_count) json_end(&j);
    json_end(&j);
    buf_add_char(&b, '\n');
    struct str body = str_copy(out, buf_str(&b));
    buf_release(&b);
    return body;
}

void refusal_reply(struct http_request *r, const struct refusal *p)
{
    enum { HEADERS_MAX = 4 };
    struct http_header *headers = arena_new(r->arena, struct http_header, HEADERS_MAX);
    size_t count = 0;
    headers[count++] = (struct http_header){"Cache-Control", "no-store"};
    if (p->retry_after_s) {
        headers[count++] =
            (struct http_header){"Retry-After", arena_printf(r->arena, "%d", p->retry_after_s)};
    }
    if (p->allow) headers[count++] = (struct http_header){"Allow", p->allow};
    if (p->challenge) headers[count++] = (struct http_header){"WWW-Authenticate", p->challenge};
    http_reply(r, &(struct http_reply){.status = p->status,
                                       .type = "application/problem+json",
                                       .body = body_of(p, r->arena),
                                       .headers = headers,
                                       .header_count = count});
}
