#include "load/reply.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

static int on_headers(llhttp_t *p)
{
    struct reply *r = p->data;
    r->has_headers = true;
    r->status = (uint16_t)p->status_code;
    r->is_stream &= r->status < 300;
    if (r->status < 100 || r->status > 599) { /* the parser takes any number */
        r->why = "its status is not one of HTTP";
        return -1;
    }
    return r->has_no_body ? 1 : 0;
}

static int on_end(llhttp_t *p)
{
    struct reply *r = p->data;
    if (r->status / 100 == 1 && r->status != 101) {
        r->has_headers = r->is_stream = false;
        r->retry_after_s = NAN;
        return 0;
    }
    r->is_complete = true;
    return HPE_PAUSED; /* what follows is not asked for */
}

static uint8_t append(char *to, uint8_t have, size_t size, struct str more)
{
    size_t room = size - have;
    size_t n = more.n < room ? more.n : room;
    memcpy(to + have, more.p, n);
    return (uint8_t)(have + n);
}

static int on_field(llhttp_t *p, const char *at, size_t n)
{
    struct reply *r = p->data;
    r->name_length = append(r->name, r->name_length, sizeof r->name, (struct str){at, n});
    return 0;
}

static int on_value(llhttp_t *p, const char *at, size_t n)
{
    struct reply *r = p->data;
    r->value_length = append(r->value, r->value_length, sizeof r->value, (struct str){at, n});
    return 0;
}

static bool is_name(const struct reply *r, struct str name)
{
    return r->name_length == name.n && strncasecmp(r->name, name.p, name.n) == 0;
}

/* Seconds, or a date in one of the three forms of RFC 9110, 5.6.7. NaN: neither. */
static double read_wait_s(struct str value)
{
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT",
                                        "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"};
    char text[REPLY_VALUE_MAX + 1];
    double seconds = 0;
    if (str_to_real(value, &seconds)) return seconds >= 0 ? seconds : (double)NAN;
    memcpy(text, value.p, value.n);
    text[value.n] = '\0';
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct tm when = {0};
        const char *end = strptime(text, forms[i], &when);
        if (end && *end == '\0')
            return fmax(0, (double)timegm(&when) - 1e-9 * (double)clock_unix_ns());
    }
    return NAN;
}

static int on_header_end(llhttp_t *p)
{
    struct reply *r = p->data;
    static const char events[] = "text/event-stream";
    struct str value = {r->value, r->value_length};
    if (is_name(r, S("retry-after"))) {
        r->retry_after_s = read_wait_s(value);
    } else if (is_name(r, S("content-type"))) {
        r->is_stream = value.n >= sizeof events - 1 &&
                       strncasecmp(value.p, events, sizeof events - 1) == 0;
    }
    r->name_length = r->value_length = 0;
    return 0;
}

static void note_tokens(struct reply *r, size_t count)
{
    if (r->now_ns == 0) r->now_ns = clock_ns();
    for (size_t i = 0; i < count; i++) {
        int64_t gap = r->now_ns - r->last_token_ns;
        if (r->tokens++ == 0)
            r->first_token_ns = r->now_ns;
        else if (r->gaps && !hdr_record(r->gaps, gap, 1))
            CHECK(hdr_record(r->gaps, r->gaps->highest, 1));
        r->last_token_ns = r->now_ns;
    }
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
    struct reply *r = p->data;
    if (r->body) buf_add(r->body, (struct str){at, n});
    if (!r->is_stream) return 0;
    size_t tokens = token_scan_take(&r->scan, (struct str){at, n});
    if (tokens > 0) note_tokens(r, tokens);
    return 0;
}

static const llhttp_settings_t settings = {
    .on_headers_complete = on_headers,
    .on_message_complete = on_end,
    .on_header_field = on_field,
    .on_header_value = on_value,
    .on_header_value_complete = on_header_end,
    .on_body = on_body,
};

void reply_begin(struct reply *r, bool is_to_head, struct hdr *gaps)
{
    *r = (struct reply){.retry_after_s = NAN, .has_no_body = is_to_head, .gaps = gaps};
    llhttp_init(&r->parser, HTTP_RESPONSE, &settings);
    r->parser.data = r;
}

enum reply_progress reply_take(struct reply *r, struct str bytes)
{
    if (!r->has_headers) r->header_bytes += bytes.n;
    r->now_ns = 0;
    enum llhttp_errno code = llhttp_execute(&r->parser, bytes.p, bytes.n);
    if (r->is_complete) {
        /* One request is in flight: what follows answers none, and so may this one. */
        bool has_more = llhttp_get_error_pos(&r->parser) != bytes.p + bytes.n;
        if (has_more) r->why = "more than one reply to a request";
        r->can_stay = llhttp_should_keep_alive(&r->parser) && !has_more;
        return has_more ? REPLY_BAD : REPLY_DONE;
    }
    if (!r->why) r->why = code != HPE_OK ? llhttp_errno_name(code) : "headers without end";
    bool is_endless = !r->has_headers && r->header_bytes > REPLY_HEADER_MAX;
    return code != HPE_OK || is_endless ? REPLY_BAD : REPLY_MORE;
}

enum reply_progress reply_end(struct reply *r)
{
    llhttp_finish(&r->parser);
    return r->is_complete ? REPLY_DONE : REPLY_MORE;
}
