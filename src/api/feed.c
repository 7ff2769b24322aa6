#include "api/feed.h"

#include "base/clock.h"

enum { CHUNK_BYTES = 48 << 10 };

struct feed_client {
    struct feeds *feeds;
    struct feed *log;
    struct http_request *request;
    int64_t next; /* id of the line to be sent */
    int64_t alive_ns;
    struct feed_client *before, *after;
};

struct feed *feed_find(struct feeds *e, const char *id)
{
    for (struct feed *log = e->logs; log; log = log->next) {
        if (strcmp(log->id, id) == 0) return log;
    }
    return NULL;
}

/* The oldest that is over and that nobody listens to; it leaves the list. */
static struct feed *take_old(struct feeds *e)
{
    struct feed **oldest = NULL;
    for (struct feed **at = &e->logs; *at; at = &(*at)->next) {
        if ((*at)->is_over && !(*at)->clients) oldest = at;
    }
    if (!oldest || e->log_count < FEED_LOGS) return NULL;
    struct feed *log = *oldest;
    *oldest = log->next;
    return log;
}

struct feed *feed_get(struct feeds *e, const char *id, const char *workspace)
{
    struct feed *log = feed_find(e, id);
    if (log) return log;
    log = take_old(e);
    if (log) {
        buf_clear(&log->text);
        buf_clear(&log->offsets);
    } else {
        log = arena_new(e->arena, struct feed, 1);
        buf_init(&log->text, FEED_BYTES);
        buf_init(&log->offsets, FEED_BYTES);
        e->log_count++;
    }
    snprintf(log->id, sizeof log->id, "%s", id);
    log->workspace = workspace;
    log->is_over = false;
    log->first = 1;
    log->count = 0;
    log->next = e->logs;
    e->logs = log;
    return log;
}

void feeds_release(struct feeds *e)
{
    for (struct feed *log = e->logs; log; log = log->next) {
        buf_release(&log->text);
        buf_release(&log->offsets);
    }
}

static uint32_t offset_of(const struct feed *log, int64_t index)
{
    uint32_t offset;
    memcpy(&offset, log->offsets.p + (size_t)index * sizeof offset, sizeof offset);
    return offset;
}

static struct str line_at(const struct feed *log, int64_t index)
{
    size_t begin = offset_of(log, index);
    size_t end = index + 1 < log->count ? offset_of(log, index + 1) : log->text.n;
    return (struct str){log->text.p + begin, end - begin - 1};
}

/* The older half goes; ids go on. */
static void make_room(struct feed *log)
{
    int64_t drop = (log->count + 1) / 2;
    size_t bytes = drop < log->count ? offset_of(log, drop) : log->text.n;
    struct buf kept;
    buf_init(&kept, FEED_BYTES);
    buf_add_bytes(&kept, log->text.p + bytes, log->text.n - bytes);
    int64_t left = log->count - drop;
    struct buf offsets;
    buf_init(&offsets, FEED_BYTES);
    for (int64_t i = 0; i < left; i++) {
        uint32_t offset = offset_of(log, drop + i) - (uint32_t)bytes;
        buf_add_bytes(&offsets, &offset, sizeof offset);
    }
    buf_release(&log->text);
    buf_release(&log->offsets);
    log->text = kept;
    log->offsets = offsets;
    log->first += drop;
    log->count = left;
}

static void wake_all(struct feed *log)
{
    for (struct feed_client *c = log->clients; c; c = c->after) http_wake(c->request);
}

void feed_add(struct feed *log, struct str line)
{
    if (line.n + 1 > FEED_BYTES / 2) line.n = 0; /* never: the run's lines are short */
    while (log->count > 0 && log->text.n + line.n + 2 > FEED_BYTES) make_room(log);
    uint32_t offset = (uint32_t)log->text.n;
    buf_add_bytes(&log->offsets, &offset, sizeof offset);
    buf_add(&log->text, line);
    buf_add_char(&log->text, '\n');
    log->count++;
    wake_all(log);
}

void feed_end(struct feed *log)
{
    log->is_over = true;
    wake_all(log);
}

/* ---- clients ---- */

static int64_t write_some(void *context, struct buf *out)
{
    struct feed_client *c = context;
    const struct feed *log = c->log;
    int64_t now_ns = clock_ns();
    size_t before = out->n;
    if (c->next < log->first) c->next = log->first; /* gone */
    while (c->next < log->first + log->count && out->n < CHUNK_BYTES) {
        struct str line = line_at(log, c->next - log->first);
        buf_printf(out, "id: %lld\ndata: ", (long long)c->next++);
        buf_add(out, line);
        buf_text(out, "\n\n");
    }
    if (c->next < log->first + log->count) return now_ns;
    if (log->is_over) return HTTP_END;
    if (out->n == before && now_ns >= c->alive_ns) buf_text(out, ": \n\n");
    if (out->n > before) c->alive_ns = now_ns + FEED_ALIVE_S * INT64_C(1000000000);
    return c->alive_ns;
}

static void forget(void *context)
{
    struct feed_client *c = context;
    if (c->before) c->before->after = c->after;
    if (c->after) c->after->before = c->before;
    if (c->log->clients == c) c->log->clients = c->after;
    c->feeds->client_count--;
}

static const struct http_header headers[] = {{"Cache-Control", "no-store"},
                                             {"X-Accel-Buffering", "no"}};

void feed_send_line(struct http_request *r, struct str line, bool is_last)
{
    if (is_last && str_is(http_header_of(r, "Last-Event-ID"), "end")) {
        http_reply(r, &(struct http_reply){.status = 204});
        return;
    }
    const char *event =
        arena_printf(r->arena, "%sdata: %.*s\n\n", is_last ? "id: end\n" : "", STR_ARG(line));
    http_reply(r, &(struct http_reply){.status = 200,
                                       .type = "text/event-stream",
                                       .body = str_of(event),
                                       .headers = headers,
                                       .header_count = COUNT(headers)});
}

void feed_send(struct feeds *e, struct feed *log, struct http_request *r)
{
    int64_t last = 0;
    struct str told = http_header_of(r, "Last-Event-ID");
    bool is_told = told.p && str_to_int(told, &last) && last >= 0 &&
                   last < log->first + log->count; /* else it is of an earlier server's log */
    if (is_told && log->is_over && last + 1 >= log->first + log->count) {
        http_reply(r, &(struct http_reply){.status = 204});
        return;
    }
    struct feed_client *c = arena_new(r->arena, struct feed_client, 1);
    *c = (struct feed_client){.feeds = e,
                              .log = log,
                              .request = r,
                              .next = is_told ? last + 1 : 1,
                              .after = log->clients};
    if (log->clients) log->clients->before = c;
    log->clients = c;
    e->client_count++;
    http_send_stream(r, &(struct http_stream){.status = 200,
                                              .type = "text/event-stream",
                                              .source = write_some,
                                              .context = c,
                                              .closed = forget,
                                              .headers = headers,
                                              .header_count = COUNT(headers)});
}
