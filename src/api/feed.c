#include "api/feed.h"

#include "base/clock.h"

enum { CHUNK_BYTES = 48 << 10 };

struct feed_client {
    struct feeds *feeds;
    struct feed *log;
    struct http_request *request;
    enum access_role needs;
    int64_t next; /* number of the line to be sent */
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
        buf_clear(&log->lines);
    } else {
        log = arena_new(e->arena, struct feed, 1);
        buf_init(&log->text, FEED_BYTES);
        buf_init(&log->lines, FEED_BYTES);
        e->log_count++;
    }
    snprintf(log->id, sizeof log->id, "%s", id);
    log->workspace = workspace;
    log->is_over = false;
    log->last = 0;
    snprintf(log->epoch, sizeof log->epoch, "%llx", (unsigned long long)clock_unix_ns());
    log->next = e->logs;
    e->logs = log;
    return log;
}

void feeds_release(struct feeds *e)
{
    for (struct feed *log = e->logs; log; log = log->next) {
        buf_release(&log->text);
        buf_release(&log->lines);
    }
}

/* ---- lines ---- */

struct feed_line {
    int64_t number;
    uint32_t offset; /* of its beginning */
    bool is_passing;
};

static size_t line_count(const struct feed *log)
{
    return log->lines.n / sizeof(struct feed_line);
}

static struct feed_line line_at(const struct feed *log, size_t index)
{
    struct feed_line line;
    memcpy(&line, log->lines.p + index * sizeof line, sizeof line);
    return line;
}

static struct str text_of(const struct feed *log, size_t index)
{
    size_t begin = line_at(log, index).offset;
    size_t end = index + 1 < line_count(log) ? line_at(log, index + 1).offset : log->text.n;
    return (struct str){log->text.p + begin, end - begin - 1};
}

/* The first line with that number or a later one. */
static size_t find_line(const struct feed *log, int64_t number)
{
    size_t low = 0;
    size_t high = line_count(log);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line_at(log, middle).number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void append(struct feed *log, struct str text, int64_t number, bool is_passing)
{
    struct feed_line line = {number, (uint32_t)log->text.n, is_passing};
    buf_add_bytes(&log->lines, &line, sizeof line);
    buf_add(&log->text, text);
    buf_add_char(&log->text, '\n');
}

/* The older half goes, or what passes of it; numbers stay. */
static void drop_half(struct feed *log, bool keeps_lasting)
{
    struct feed old = *log;
    size_t count = line_count(&old);
    buf_init(&log->text, FEED_BYTES);
    buf_init(&log->lines, FEED_BYTES);
    for (size_t i = 0; i < count; i++) {
        struct feed_line line = line_at(&old, i);
        bool stays = i >= (count + 1) / 2 || (keeps_lasting && !line.is_passing);
        if (stays) append(log, text_of(&old, i), line.number, line.is_passing);
    }
    buf_release(&old.text);
    buf_release(&old.lines);
}

static bool has_room(const struct feed *log, size_t bytes)
{
    return log->text.n + bytes <= FEED_BYTES &&
           log->lines.n + sizeof(struct feed_line) <= FEED_BYTES;
}

/* A quarter at least, so that lines are not moved again for each one that comes. */
static void make_room(struct feed *log)
{
    drop_half(log, true);
    if (!has_room(log, FEED_BYTES / 4)) drop_half(log, false);
}

static void wake_all(struct feed *log)
{
    for (struct feed_client *c = log->clients; c; c = c->after) http_wake(c->request);
}

void feed_add(struct feed *log, struct str line, bool is_passing)
{
    if (line.n + 1 > FEED_BYTES / 2) line.n = 0; /* never: the run's lines are short */
    while (line_count(log) > 0 && !has_room(log, line.n + 1)) make_room(log);
    append(log, line, ++log->last, is_passing);
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
    if (!access_still(c->feeds->rules, c->request, c->needs, log->workspace)) return HTTP_END;
    size_t at = find_line(log, c->next);
    for (; at < line_count(log) && out->n < CHUNK_BYTES; at++) {
        c->next = line_at(log, at).number + 1;
        buf_printf(out, "id: %s-%lld\ndata: ", log->epoch, (long long)c->next - 1);
        buf_add(out, text_of(log, at));
        buf_text(out, "\n\n");
    }
    if (at < line_count(log)) return now_ns;
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

/* The number in an id of this log; 0 for any other. */
static int64_t number_of(const struct feed *log, struct str id)
{
    int64_t number = 0;
    struct str epoch = str_cut(&id, '-');
    bool is_ours = str_is(epoch, log->epoch) && str_to_int(id, &number);
    return is_ours && number > 0 && number <= log->last ? number : 0;
}

void feed_send(struct feeds *e, struct feed *log, struct http_request *r,
               enum access_role needs)
{
    int64_t had = number_of(log, http_header_of(r, "Last-Event-ID"));
    if (had > 0 && log->is_over && had == log->last) {
        http_reply(r, &(struct http_reply){.status = 204});
        return;
    }
    struct feed_client *c = arena_new(r->arena, struct feed_client, 1);
    *c = (struct feed_client){.feeds = e,
                              .log = log,
                              .request = r,
                              .needs = needs,
                              .next = had + 1,
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
