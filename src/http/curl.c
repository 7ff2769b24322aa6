#define CURL_DISABLE_TYPECHECK /* its macros do not know our function table */
#include "http/curl.h"

#include "base/clock.h"
#include "base/library.h"
#include "base/peer.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sys/mman.h>

#define LIBRARY "libcurl.so.4"

enum { HEADER_MAX = 256 << 10 }; /* bytes of a reply's header */

#define FUNCTIONS(X)       \
    X(global_init)         \
    X(easy_init)           \
    X(easy_setopt)         \
    X(easy_getinfo)        \
    X(easy_strerror)       \
    X(easy_cleanup)        \
    X(multi_init)          \
    X(multi_add_handle)    \
    X(multi_remove_handle) \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_info_read)     \
    X(multi_cleanup)       \
    X(slist_append)        \
    X(slist_free_all)

struct library {
    void *handle;
#define FIELD(name) __typeof__(curl_##name) *(name);
    FUNCTIONS(FIELD)
#undef FIELD
};

struct curl {
    struct library lib;
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    struct curl_slist *pins;
    size_t body_max;
    char *memory;
    size_t memory_bytes;
    size_t from;  /* where this reply's body begins */
    size_t bytes; /* of it */
    bool is_too_large;
    size_t header_bytes; /* of this reply */
    bool is_stub;
    bool is_refused; /* who would answer is being measured */
    int known_port;  /* of ours, of the connection whose other end is known not to be */
    struct curl_chunk *chunks;
    size_t chunks_from;
    int64_t read_ns;    /* when the socket was last read; 0 = not yet */
    size_t chunk_count; /* of this reply */
    char error[CURL_ERROR_SIZE];
};

static bool load(struct library *lib, struct error *err)
{
#define SYMBOL(name) {"curl_" #name, &lib->name},
    const struct library_symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    if (!library_load(LIBRARY, "agents over HTTP need " LIBRARY "; install libcurl4", symbols,
                      COUNT(symbols), &lib->handle, err))
        return false;
    if (lib->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return true;
    return error_set(err, ERROR_UNAVAILABLE, LIBRARY " cannot be initialised");
}

bool curl_available(struct error *err)
{
    struct library lib = {0};
    return load(&lib, err);
}

/* Called by libcurl right after it has read from the socket, once for each HTTP chunk that
 * was in what it read. All of these came at the same time: a clock read for each would
 * measure libcurl. */
static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct curl *c = context;
    if (c->read_ns == 0) c->read_ns = clock_ns();
    int64_t now_ns = c->read_ns;
    size_t n = size * count;
    if (n > c->body_max - c->bytes) {
        c->is_too_large = true;
        return 0; /* ends the transfer */
    }
    memcpy(c->memory + c->from + c->bytes, bytes, n);
    c->bytes += n;
    if (c->chunks_from + c->chunk_count == CURL_CHUNKS_MAX) { /* the last grows */
        c->chunks[CURL_CHUNKS_MAX - 1] = (struct curl_chunk){c->bytes, now_ns};
        return n;
    }
    c->chunks[c->chunks_from + c->chunk_count++] =
        (struct curl_chunk){.end = c->bytes, .at_ns = now_ns};
    return n;
}

/* Called by libcurl with each line of the header. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct curl *c = context;
    size_t n = size * count;
    c->header_bytes += n;
    static const char mark[] = CURL_STUB_HEADER ":";
    c->is_stub |= n >= sizeof mark && strncasecmp(bytes, mark, sizeof mark - 1) == 0;
    return c->header_bytes > HEADER_MAX ? 0 : n; /* 0 ends the transfer */
}

/* Called by libcurl when there is a connection and nothing has been sent. */
static int on_connection(void *context, char *to, char *from, int port, int own_port)
{
    struct curl *c = context;
    bool is_here =
        strncmp(to, "127.", 4) == 0 || strcmp(to, "::1") == 0 || strcmp(to, from) == 0;
    if (!is_here || own_port == c->known_port) return CURL_PREREQFUNC_OK;
    struct arena scratch = arena_open();
    c->is_refused = peer_server_is_measured(port, own_port, scratch);
    arena_close(&scratch);
    c->known_port = c->is_refused ? 0 : own_port;
    return c->is_refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static bool is_local(const char *url)
{
    static const char *const hosts[] = {"://127.", "://localhost", "://[::1]"};
    for (size_t i = 0; i < COUNT(hosts); i++) {
        if (strstr(url, hosts[i])) return true;
    }
    return false;
}

/* Fails only for an address that libcurl cannot read. */
static bool set_options(struct curl *c, const struct curl_options *o, struct error *err)
{
    const struct library *l = &c->lib;
    CURL *e = c->easy;
    for (size_t i = 0; i < o->header_count; i++) {
        c->headers = l->slist_append(c->headers, o->headers[i]);
    }
    /* Else bodies over 1 MB wait a second for "100 Continue". */
    c->headers = l->slist_append(c->headers, "Expect:");
    l->easy_setopt(e, CURLOPT_URL, o->url);
    l->easy_setopt(e, CURLOPT_POST, 1L);
    l->easy_setopt(e, CURLOPT_CUSTOMREQUEST, o->method);
    l->easy_setopt(e, CURLOPT_HTTPHEADER, c->headers);
    l->easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    l->easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    l->easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    l->easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    l->easy_setopt(e, CURLOPT_WRITEDATA, c);
    l->easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    l->easy_setopt(e, CURLOPT_HEADERDATA, c);
    l->easy_setopt(e, CURLOPT_ERRORBUFFER, c->error);
    if (o->is_judge) {
        l->easy_setopt(e, CURLOPT_PREREQFUNCTION, on_connection);
        l->easy_setopt(e, CURLOPT_PREREQDATA, c);
    }
    if (o->pin) c->pins = l->slist_append(c->pins, o->pin);
    l->easy_setopt(e, CURLOPT_RESOLVE, c->pins);
    if (o->pin || is_local(o->url)) l->easy_setopt(e, CURLOPT_PROXY, "");
    if (strncmp(o->url, "http://", 7) == 0 || strncmp(o->url, "https://", 8) == 0) return true;
    return error_set(err, ERROR_INVALID, "url '%s' must begin with http:// or https://",
                     o->url);
}

bool curl_open(struct curl **curl, const struct curl_options *options, struct arena *arena,
               struct error *err)
{
    struct curl *c = arena_new(arena, struct curl, 1);
    *curl = c;
    c->body_max = options->body_max;
    c->memory = MAP_FAILED;
    if (!load(&c->lib, err)) return false;
    c->multi = c->lib.multi_init();
    c->easy = c->lib.easy_init();
    if (!c->multi || !c->easy) return error_set(err, ERROR_FAILED, "libcurl has no handle");
    c->memory_bytes = options->body_max + options->retries * CURL_KEPT_BYTES;
    c->chunks = arena_new(arena, struct curl_chunk, CURL_CHUNKS_MAX);
    c->memory = mmap(NULL, c->memory_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->memory == MAP_FAILED) {
        return error_set_errno(err, errno, "cannot map %zu bytes for answers", c->memory_bytes);
    }
    return set_options(c, options, err);
}

void curl_close(struct curl *c)
{
    if (!c || !c->lib.handle) return;
    if (c->easy) c->lib.easy_cleanup(c->easy);
    if (c->multi) c->lib.multi_cleanup(c->multi);
    c->lib.slist_free_all(c->headers);
    c->lib.slist_free_all(c->pins);
    if (c->memory != MAP_FAILED) munmap(c->memory, c->memory_bytes);
    dlclose(c->lib.handle);
    c->lib.handle = NULL;
}

void curl_set(struct curl *c, const char *url, struct str body)
{
    if (url) c->lib.easy_setopt(c->easy, CURLOPT_URL, url); /* copied */
    c->lib.easy_setopt(c->easy, CURLOPT_POSTFIELDS, body.p ? body.p : "");
    c->lib.easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    c->from = c->bytes = 0;
    c->chunks_from = c->chunk_count = 0;
}

void curl_only_connects(struct curl *c, bool does)
{
    c->lib.easy_setopt(c->easy, CURLOPT_CONNECT_ONLY, (long)does);
}

/* Until it is over (true) or the deadline has passed. */
static bool transfer(struct curl *c, int64_t deadline_ns)
{
    for (;;) {
        int running = 0;
        c->read_ns = 0;
        c->lib.multi_perform(c->multi, &running); /* reads the socket once */
        if (running == 0) return true;
        int64_t left_ns = deadline_ns - clock_ns();
        if (left_ns <= 0) return false;
        int64_t left_ms = left_ns / 1000000 + 1;
        c->lib.multi_poll(c->multi, NULL, 0, left_ms < 60000 ? (int)left_ms : 60000, NULL);
    }
}

static CURLcode result_of(struct curl *c)
{
    int left = 0;
    const CURLMsg *m = c->lib.multi_info_read(c->multi, &left);
    return m && m->msg == CURLMSG_DONE ? m->data.result : CURLE_FAILED_INIT;
}

static enum curl_end end_of(CURLcode code)
{
    switch (code) {
    case CURLE_OK: return CURL_END_DONE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_OPERATION_TIMEDOUT: return CURL_END_BROKEN;
    default: return CURL_END_REFUSED;
    }
}

static void read_info(struct curl *c, struct curl_reply *reply)
{
    const struct library *l = &c->lib;
    long status = 0;
    long connects = 0;
    curl_off_t wait_s = 0;
    curl_off_t connected_us = 0;
    curl_off_t secured_us = 0;
    l->easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
    l->easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &connects);
    l->easy_getinfo(c->easy, CURLINFO_RETRY_AFTER, &wait_s);
    l->easy_getinfo(c->easy, CURLINFO_CONNECT_TIME_T, &connected_us);
    l->easy_getinfo(c->easy, CURLINFO_APPCONNECT_TIME_T, &secured_us);
    const char *location = NULL;
    l->easy_getinfo(c->easy, CURLINFO_REDIRECT_URL, &location);
    if (location) snprintf(reply->location, sizeof reply->location, "%s", location);
    reply->is_stub = c->is_stub;
    reply->status = (int)status;
    reply->is_new_connection = connects > 0;
    reply->retry_after_s = (double)wait_s;
    /* Not PRETRANSFER: libcurl reads that clock when the request is already on its way, and
     * what passes between the two would be missing from the time to the first token. */
    curl_off_t ready_us = secured_us > connected_us ? secured_us : connected_us;
    reply->ready_ns = reply->start_ns + (connects > 0 ? (int64_t)ready_us * 1000 : 0);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void curl_cut(struct curl_reply *reply)
{
    reply->body.n = smaller(reply->body.n, CURL_KEPT_BYTES);
    reply->chunk_count = smaller(reply->chunk_count, CURL_KEPT_CHUNKS);
}

/* A line of the header that is too long for libcurl is "out of memory" to it. */
static void explain(const struct curl *c, CURLcode code, struct curl_reply *reply)
{
    bool is_header = c->bytes == 0 && !c->is_too_large &&
                     (code == CURLE_OUT_OF_MEMORY || c->header_bytes > HEADER_MAX);
    const char *why = c->error[0] ? c->error : c->lib.easy_strerror(code);
    if (is_header) why = "its header is too large: more than 100 KiB in a line, or 256 KiB";
    if (c->is_refused)
        why = "a program that is being measured takes connections at this judge's port";
    snprintf(reply->reason, sizeof reply->reason, "%s", why);
}

void curl_send(struct curl *c, int64_t deadline_ns, struct curl_reply *reply)
{
    c->from += smaller(c->bytes, CURL_KEPT_BYTES);
    c->chunks_from += smaller(c->chunk_count, CURL_KEPT_CHUNKS);
    CHECK(c->memory_bytes - c->from >= c->body_max && c->chunks_from < CURL_CHUNKS_MAX);
    c->bytes = c->chunk_count = 0;
    c->is_too_large = c->is_stub = c->is_refused = false;
    c->header_bytes = 0;
    c->error[0] = '\0';
    *reply = (struct curl_reply){.start_ns = clock_ns()};
    c->lib.multi_add_handle(c->multi, c->easy);
    bool is_over = transfer(c, deadline_ns);
    reply->end_ns = clock_ns();
    CURLcode code = is_over ? result_of(c) : CURLE_OPERATION_TIMEDOUT;
    read_info(c, reply);
    c->lib.multi_remove_handle(c->multi, c->easy);
    reply->body = (struct str){c->memory + c->from, c->bytes};
    reply->chunks = c->chunks + c->chunks_from;
    reply->chunk_count = c->chunk_count;
    reply->end = end_of(code);
    if (!is_over) reply->end = CURL_END_TIMED_OUT;
    if (c->is_too_large) reply->end = CURL_END_TOO_LARGE;
    explain(c, code, reply);
}
