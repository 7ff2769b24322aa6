/* A load against servers whose behaviour is known: every request is accounted for, whatever
 * they do. Counts are judged, never times. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/rng.h"
#include "http/listen.h"
#include "load/load.h"
#include "load/load_internal.h"
#include "tests/test.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- a server that answers each request on a connection by a script ---- */

#define GOOD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

struct behaviour {
    const char *reply;   /* NULL: none */
    size_t repeat;       /* the reply so many times over; 0 = once */
    const char *endless; /* follows it again and again; NULL: nothing does */
    bool closes;         /* after the reply */
    bool resets;         /* the same, with a reset */
    int answers;         /* good ones on a connection before that; 0 = none */
    int stall_ms;        /* before the tenth reply of all, once */
    size_t early_of; /* requests have so many bytes, and are answered by the first; 0 = whole */
};

struct server {
    int fd, port;
    int stop[2];
    struct behaviour b;
    pthread_t thread;
    _Atomic int requests;
};

enum { PEERS_MAX = 300 };

static void end_peer(struct pollfd *p, bool reset)
{
    struct linger l = {1, 0};
    if (reset) setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
    close(p->fd);
    p->fd = -1;
}

static bool say(int fd, const char *text, size_t repeat)
{
    do {
        if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0) return false;
    } while (repeat-- > 1);
    return true;
}

/* The rest of a request that was answered early; at its end the next one begins. */
static bool is_rest(const struct server *s, size_t *taken, ssize_t n)
{
    bool is_first = *taken == 0;
    if (s->b.early_of == 0) return false;
    *taken += (size_t)n;
    if (*taken >= s->b.early_of) *taken -= s->b.early_of;
    return !is_first;
}

static void answer(struct server *s, struct pollfd *p, int *answered, size_t *taken)
{
    char bytes[4096];
    ssize_t n = recv(p->fd, bytes, sizeof bytes, 0);
    if (n <= 0) {
        end_peer(p, false);
        return;
    }
    if (is_rest(s, taken, n)) return;
    s->requests++;
    if (s->b.stall_ms && s->requests == 10) {
        clock_sleep_until(clock_ns() + (int64_t)s->b.stall_ms * 1000000);
    }
    if ((*answered)++ < s->b.answers) {
        say(p->fd, GOOD, 0);
        return;
    }
    bool is_heard = !s->b.reply || say(p->fd, s->b.reply, s->b.repeat);
    if (is_heard && s->b.endless) is_heard = say(p->fd, s->b.endless, (size_t)1 << 40);
    if (!is_heard) {
        end_peer(p, false);
    } else if (s->b.closes || s->b.resets) {
        end_peer(p, s->b.resets);
    }
}

static void *serve(void *context)
{
    struct server *s = context;
    struct pollfd peers[PEERS_MAX + 2] = {{.fd = s->stop[0], .events = POLLIN},
                                          {.fd = s->fd, .events = POLLIN}};
    int answered[PEERS_MAX + 2] = {0};
    size_t taken[PEERS_MAX + 2] = {0};
    for (int i = 2; i < PEERS_MAX + 2; i++) peers[i] = (struct pollfd){.fd = -1};
    for (;;) {
        poll(peers, PEERS_MAX + 2, -1);
        if (peers[0].revents) break;
        for (int i = 2; i < PEERS_MAX + 2; i++) {
            if (peers[i].fd >= 0 && peers[i].revents)
                answer(s, &peers[i], &answered[i], &taken[i]);
        }
        if (!(peers[1].revents & POLLIN)) continue;
        int fd = accept(s->fd, NULL, NULL);
        int i = 2;
        while (i < PEERS_MAX + 2 && peers[i].fd >= 0) i++;
        if (i < PEERS_MAX + 2) {
            peers[i] = (struct pollfd){.fd = fd, .events = POLLIN};
            answered[i] = 0;
            taken[i] = 0;
        } else {
            close(fd);
        }
    }
    for (int i = 2; i < PEERS_MAX + 2; i++) {
        if (peers[i].fd >= 0) close(peers[i].fd);
    }
    return NULL;
}

static void open_server(struct server *s, struct behaviour b)
{
    struct error err = {0};
    *s = (struct server){.b = b};
    if (!listen_open("127.0.0.1:0", &s->fd, &err)) fail_msg("%s", err.text);
    s->port = listen_port(s->fd);
    assert_int_equal(pipe(s->stop), 0);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void close_server(struct server *s)
{
    close(s->stop[1]);
    pthread_join(s->thread, NULL);
    close(s->stop[0]);
    close(s->fd);
}

/* ---- loads ---- */

struct wanted {
    double rate; /* 0: closed */
    size_t connections;
    double length_s;
    double timeout_s;
    size_t threads;
    size_t body_bytes;
};

static struct arena arena;

static struct load_result run_on_port(int port, struct wanted w)
{
    struct error err = {0};
    struct target t;
    struct str bytes;
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", port);
    struct schedule_plan schedule;
    struct load_result r;
    if (w.rate > 0) schedule = schedule_constant(w.rate, w.length_s, &arena);
    struct load_plan plan = {.target = &t,
                             .requests = &bytes,
                             .request_count = 1,
                             .connections = w.connections,
                             .threads = w.threads,
                             .timeout_s = w.timeout_s};
    struct load *load = NULL;
    struct target_request request = {
        .body = {arena_new(&arena, char, w.body_bytes + 1), w.body_bytes}};
    bool done = target_open(&t, url, &(struct target_terms){0}, &arena, &err) &&
                target_write(&t, &request, &arena, &bytes, &err) &&
                load_open(&load, &plan, &arena, &err) &&
                load_block(load,
                           &(struct load_block){.schedule = w.rate > 0 ? &schedule : NULL,
                                                .length_s = w.length_s},
                           &r, &err);
    load_close(load);
    if (!done) fail_msg("%s", err.text);
    const struct load_counts *c = &r.counts;
    assert_int_equal(c->scheduled, c->sent + c->unsent);
    assert_int_equal(c->sent, c->ok + c->failed + c->timed_out + c->cancelled);
    assert_int_equal(r.response.total, c->ok + c->timed_out);
    assert_int_equal(r.service.total, c->ok + c->timed_out);
    int64_t failed = 0;
    for (size_t i = 0; i < LOAD_FAILURES; i++) failed += c->by_failure[i];
    assert_int_equal(failed, c->failed);
    return r;
}

static struct load_result run_on(struct behaviour b, struct wanted w)
{
    struct server s;
    open_server(&s, b);
    struct load_result r = run_on_port(s.port, w);
    close_server(&s);
    return r;
}

static const struct wanted closed = {0, 4, 0.2, 5, 1};
static const struct wanted open_load = {200, 8, 0.5, 5, 1};

TEST(a_good_server_answers_all)
{
    arena = arena_open();
    struct load_result r = run_on((struct behaviour){.reply = GOOD}, closed);
    assert_true(r.counts.ok > 0);
    assert_int_equal(r.counts.ok, r.counts.sent);
    assert_int_equal(r.counts.connects, 4);
    r = run_on((struct behaviour){.reply = GOOD}, open_load);
    assert_int_equal(r.counts.scheduled, 100);
    assert_int_equal(r.counts.ok, 100);
    assert_int_equal(r.lag.total, 100);
    r = run_on((struct behaviour){.reply = GOOD}, (struct wanted){200, 8, 0.5, 5, 3});
    assert_int_equal(r.counts.ok, 100);
    arena_close(&arena);
}

TEST(a_server_that_closes_after_each_reply_is_asked_anew)
{
    arena = arena_open();
    static const char reply[] =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    struct load_result r =
        run_on((struct behaviour){.reply = reply, .closes = true}, open_load);
    assert_int_equal(r.counts.ok, 100);
    assert_int_equal(r.counts.connects, 100);
    /* Without a length the end of the connection is the end of the reply. */
    r = run_on((struct behaviour){.reply = "HTTP/1.0 200 OK\r\n\r\nok", .closes = true},
               open_load);
    assert_int_equal(r.counts.ok, 100);
    arena_close(&arena);
}

TEST(every_way_to_fail_is_counted_as_what_it_is)
{
    static const struct {
        struct behaviour b;
        enum load_failure f;
    } rows[] = {
        {{.resets = true}, LOAD_RESET},
        {{.closes = true}, LOAD_RESET},
        {{.reply = "HTTP/1.1 200 OK\r\nContent-Le", .closes = true}, LOAD_RESET},
        {{.reply = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", .closes = true},
         LOAD_RESET},
        {{.reply = "SSH-2.0-garbage\r\n", .closes = true}, LOAD_BAD_REPLY},
        {{.reply = "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"}, LOAD_BAD_REPLY},
        {{.reply = "X-Filler: 0123456789012345678901234567890123456789\r\n", .repeat = 1},
         LOAD_BAD_REPLY},
        {{.reply = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"}, LOAD_BAD_STATUS},
        {{.reply = "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"},
         LOAD_BAD_STATUS},
        {{.reply = "HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"},
         LOAD_TOO_MANY},
    };
    arena = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_result r = run_on(rows[i].b, open_load);
        if (r.counts.by_failure[rows[i].f] != r.counts.sent || r.counts.scheduled != 100 ||
            r.counts.sent == 0) {
            fail_msg("row %zu: %d of %d sent, %s", i, (int)r.counts.by_failure[rows[i].f],
                     (int)r.counts.sent, r.error);
        }
        if (rows[i].f == LOAD_TOO_MANY) assert_close(r.retry_after_s, 7, 1e-12);
    }
    arena_close(&arena);
}

/* A server need not read all of a request to answer it; what is left of it must not be taken
 * for the next one. */
TEST(a_request_that_is_answered_early_is_answered_once)
{
    enum { BODY = 8 << 20 };
    char head[128];
    struct server s;
    arena = arena_open();
    open_server(&s, (struct behaviour){.reply = GOOD});
    s.b.early_of = BODY + (size_t)snprintf(head, sizeof head,
                                           "POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                                           "Content-Length: %d\r\n\r\n",
                                           s.port, BODY);
    struct load_result r = run_on_port(s.port, (struct wanted){0, 2, 0.3, 5, 1, BODY});
    close_server(&s);
    assert_true(r.counts.ok > 2);
    assert_int_equal(r.counts.ok, r.counts.sent);
    /* One that closes at once has answered, too. */
    static const char no[] = "HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n";
    r = run_on((struct behaviour){.reply = no, .closes = true},
               (struct wanted){0, 2, 0.3, 5, 1, BODY});
    assert_true(r.counts.sent > 2);
    assert_int_equal(r.counts.by_failure[LOAD_BAD_STATUS], r.counts.sent);
    arena_close(&arena);
}

/* However fast it comes: whoever waits for its end would wait for good. */
TEST(a_reply_without_end_is_given_up)
{
    static char trailer[(4 << 20) + 1];
    arena = arena_open();
    for (size_t i = 0; i + 6 < sizeof trailer; i += 6) memcpy(trailer + i, "X: y\r\n", 6);
    struct behaviour b = {.reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                          .endless = trailer};
    struct load_result r = run_on(b, (struct wanted){0, 1, 0.2, 0.3, 1});
    assert_int_equal(r.counts.sent, 1);
    assert_int_equal(r.counts.timed_out, 1);
    arena_close(&arena);
}

TEST(headers_without_end_are_cut_off)
{
    arena = arena_open();
    struct behaviour b = {.reply = "HTTP/1.1 200 OK\r\n", .answers = 0};
    static char filler[70001];
    memcpy(filler, "HTTP/1.1 200 OK\r\nX: ", 20);
    memset(filler + 20, 'a', sizeof filler - 21);
    b.reply = filler;
    struct load_result r = run_on(b, (struct wanted){20, 4, 0.3, 5, 1});
    assert_int_equal(r.counts.by_failure[LOAD_BAD_REPLY], r.counts.sent);
    arena_close(&arena);
}

static int64_t longer_than(const struct hdr *h, int64_t ns)
{
    int64_t n = 0;
    for (size_t i = 0; i < h->counts_len; i++) {
        int64_t range = 0;
        if (hdr_value_at(h, i, &range) > ns) n += h->counts[i];
    }
    return n;
}

TEST(a_server_that_never_answers_times_out_and_what_waits_is_unsent)
{
    arena = arena_open();
    struct load_result r = run_on((struct behaviour){0}, (struct wanted){100, 2, 0.4, 0.1, 1});
    assert_int_equal(r.counts.ok, 0);
    assert_int_equal(r.counts.scheduled, 40);
    assert_int_equal(r.counts.timed_out, r.counts.sent);
    assert_true(r.counts.unsent > 0); /* two connections, 0.1 s each */
    /* What was given up took as long as that, at least. */
    assert_int_equal(longer_than(&r.service, 90000000), r.counts.timed_out);
    assert_true(hdr_percentile(&r.response, 50) >= 100000000);
    assert_int_equal(r.counts.within, 0);
    arena_close(&arena);
}

TEST(nobody_listens)
{
    arena = arena_open();
    struct server s;
    open_server(&s, (struct behaviour){0});
    close_server(&s);
    struct load_result r = run_on_port(s.port, open_load);
    assert_int_equal(r.counts.scheduled, 100);
    assert_int_equal(r.counts.by_failure[LOAD_NO_CONNECTION], r.counts.sent);
    assert_true(r.counts.sent > 0);
    r = run_on_port(s.port, closed); /* and not in a tight loop */
    assert_int_equal(r.counts.by_failure[LOAD_NO_CONNECTION], r.counts.sent);
    assert_true(r.counts.sent <= 4 * 1000);
    arena_close(&arena);
}

TEST(a_server_that_ends_connections_at_random_loses_only_what_it_ended)
{
    arena = arena_open();
    struct behaviour b = {.answers = 3, .resets = true};
    struct load_result r = run_on(b, open_load);
    assert_int_equal(r.counts.sent, 100);
    assert_true(r.counts.ok >= 60 && r.counts.ok <= 80);
    assert_int_equal(r.counts.by_failure[LOAD_RESET], 100 - r.counts.ok);
    arena_close(&arena);
}

static int64_t count_ok(const struct load_result *r, size_t from, size_t to)
{
    int64_t n = 0;
    for (size_t i = from; i < to; i++) n += r->course.slots[i].ok;
    return n;
}

TEST(connections_live_from_block_to_block_and_nothing_else_does)
{
    arena = arena_open();
    struct server s;
    struct error err = {0};
    open_server(&s, (struct behaviour){.reply = GOOD});
    struct target t;
    struct str bytes;
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", s.port);
    assert_true(target_open(&t, url, &(struct target_terms){0}, &arena, &err));
    assert_true(target_write(&t, &(struct target_request){0}, &arena, &bytes, &err));
    struct load_plan plan = {
        .target = &t, .requests = &bytes, .request_count = 1, .connections = 3, .timeout_s = 5};
    struct load *load = NULL;
    assert_true(load_open(&load, &plan, &arena, &err));
    for (int i = 0; i < 3; i++) {
        struct load_result r;
        struct schedule_plan schedule = schedule_constant(100, 0.2, &arena);
        assert_true(load_block(
            load, &(struct load_block){.schedule = &schedule, .length_s = 0.2}, &r, &err));
        assert_int_equal(r.counts.ok, 20);
        assert_int_equal(r.response.total, 20);
        assert_int_equal(count_ok(&r, 0, COURSE_SLOTS), 20);
        if (i > 0) assert_true(r.counts.connects < 3);
    }
    load_close(load);
    close_server(&s);
    arena_close(&arena);
}

/* 100 requests a second, one connection, and a stall of 0.4 s: some 40 requests waited for
 * it, though only one was in flight. Counted from the send, the others would look fast. */
TEST(a_stalled_server_is_charged_for_what_it_kept_waiting)
{
    arena = arena_open();
    struct behaviour b = {.reply = GOOD, .stall_ms = 400};
    struct load_result r = run_on(b, (struct wanted){100, 1, 1, 5, 1});
    assert_int_equal(r.counts.scheduled, 100);
    assert_true(longer_than(&r.response, 100000000) >= 25);
    assert_true(longer_than(&r.response, 100000000) > 5 * longer_than(&r.service, 100000000));
    for (size_t i = 0; i < 3; i++)
        assert_true(count_ok(&r, i * COURSE_SLOTS / 3, (i + 1) * COURSE_SLOTS / 3) > 0);
    arena_close(&arena);
}

static void *stop_soon(void *live)
{
    clock_sleep_until(clock_ns() + 150000000);
    atomic_store(&((struct load_live *)live)->stop, true);
    return NULL;
}

TEST(a_load_that_is_stopped_cancels_what_is_in_flight)
{
    arena = arena_open();
    struct server s;
    struct error err = {0};
    open_server(&s, (struct behaviour){0});
    struct target t;
    struct str bytes;
    struct load_live live = {0};
    struct load_result r;
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", s.port);
    assert_true(target_open(&t, url, &(struct target_terms){0}, &arena, &err));
    assert_true(target_write(&t, &(struct target_request){0}, &arena, &bytes, &err));
    struct load_plan plan = {.target = &t,
                             .requests = &bytes,
                             .request_count = 1,
                             .connections = 5,
                             .timeout_s = 60};
    pthread_t thread;
    pthread_create(&thread, NULL, stop_soon, &live);
    struct load *load = NULL;
    assert_true(load_open(&load, &plan, &arena, &err));
    assert_true(load_block(
        load, &(struct load_block){.schedule = NULL, .length_s = 60, .live = &live}, &r, &err));
    load_close(load);
    pthread_join(thread, NULL);
    close_server(&s);
    assert_int_equal(r.counts.cancelled, 5);
    assert_int_equal(live.in_flight, 0);
    arena_close(&arena);
}

static struct load_result run_schedule(int port, const struct schedule_plan *schedule,
                                       size_t connections, double length_s)
{
    struct target t;
    struct str bytes;
    struct load_result r = {0};
    struct error err = {0};
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", port);
    struct load_plan plan = {.target = &t,
                             .requests = &bytes,
                             .request_count = 1,
                             .connections = connections,
                             .timeout_s = 5};
    struct load *load = NULL;
    bool done =
        target_open(&t, url, &(struct target_terms){0}, &arena, &err) &&
        target_write(&t, &(struct target_request){0}, &arena, &bytes, &err) &&
        load_open(&load, &plan, &arena, &err) &&
        load_block(load, &(struct load_block){.schedule = schedule, .length_s = length_s}, &r,
                   &err);
    load_close(load);
    if (!done) fail_msg("%s", err.text);
    return r;
}

/* 3000 requests due at once, each with a connection of its own: the last is sent
 * milliseconds after the first on any machine. */
TEST(a_generator_that_sends_late_says_so)
{
    enum { N = 3000 };
    static const double moments[N];
    arena = arena_open();
    struct server s;
    open_server(&s, (struct behaviour){0});
    close_server(&s);
    struct schedule_plan schedule = {.trace_s = moments, .trace_count = N};
    struct load_result r = run_schedule(s.port, &schedule, N, 0.1);
    assert_int_equal(r.counts.sent, N);
    assert_int_equal(r.verdict, GENERATOR_SATURATED);
    assert_non_null(strstr(r.reason, "it sent late"));
    arena_close(&arena);
}

/* One in 20 answers takes 80 ms, the others 10: four connections get 296 a second, however
 * short the blocks are. */
TEST(the_rate_of_closed_load_does_not_depend_on_the_blocks_length)
{
    enum { IN_FLIGHT = 4, BLOCKS = 2000 };
    static const double lengths_s[] = {0.02, 0.1, 0.3, 1};
    struct load_timing timing = {.in_flight = IN_FLIGHT, .first_s = NAN};
    for (size_t k = 0; k < COUNT(lengths_s); k++) {
        struct rng rng = rng_seeded(k);
        double sum = 0;
        for (int i = 0; i < BLOCKS; i++) {
            struct load_result r = {.length_s = lengths_s[k]};
            int64_t end_ns = (int64_t)(1e9 * r.length_s);
            for (int c = 0; c < IN_FLIGHT; c++) {
                int64_t at_ns = 0, ended_ns = 0;
                for (; at_ns < end_ns; r.counts.ok++) {
                    at_ns += rng_below(&rng, 20) == 0 ? 80000000 : 10000000;
                    load_note_again(&r.counts, &ended_ns, at_ns, true);
                }
                r.counts.over_ns += load_over_ns(at_ns, end_ns);
            }
            sum += load_rate(&r, &timing);
        }
        /* A block of few answers has a mean rate a little above: 1 / x is convex. */
        double least = 0.98 * IN_FLIGHT / 0.0135;
        double most = (lengths_s[k] < 0.1 ? 1.15 : 1.03) * IN_FLIGHT / 0.0135;
        if (!(sum / BLOCKS > least && sum / BLOCKS < most))
            fail_msg("%g s: %g", lengths_s[k], sum / BLOCKS);
    }
}

/* Two servers of 10 ms, one queue, first come first served. */
static struct load_result ask_queue(size_t in_flight, double length_s, bool (*is_good)(size_t))
{
    enum { SERVICE_NS = 10000000, MOST = 200 };
    struct load_result r = {.length_s = length_s};
    int64_t end_ns = (int64_t)(1e9 * length_s);
    int64_t sent_ns[MOST] = {0}, ended_ns[MOST] = {0}, free_ns[2] = {0};
    for (size_t n = 0;; n++) {
        size_t at = 0, server = free_ns[1] < free_ns[0];
        for (size_t c = 1; c < in_flight; c++) at = sent_ns[c] < sent_ns[at] ? c : at;
        if (sent_ns[at] >= end_ns) return r;
        int64_t begin_ns = free_ns[server] > sent_ns[at] ? free_ns[server] : sent_ns[at];
        free_ns[server] = sent_ns[at] = begin_ns + SERVICE_NS;
        r.counts.ok += is_good(n);
        r.counts.over_ns += load_over_ns(sent_ns[at], end_ns);
        load_note_again(&r.counts, &ended_ns[at], sent_ns[at], is_good(n));
    }
}

static bool always(size_t n)
{
    (void)n;
    return true;
}

static bool every_other(size_t n)
{
    return n % 2 == 0;
}

/* The first answers of a block find no queue: they are no part of the rate. */
TEST(the_rate_of_closed_load_is_what_the_queue_gives)
{
    static const size_t in_flight[] = {1, 2, 3, 10, 100};
    static const double lengths_s[] = {0.1, 0.2, 0.5, 1, 5};
    for (size_t i = 0; i < COUNT(in_flight); i++) {
        for (size_t k = 0; k < COUNT(lengths_s); k++) {
            struct load_timing timing = {.in_flight = in_flight[i], .first_s = NAN};
            struct load_result r = ask_queue(in_flight[i], lengths_s[k], always);
            double rate = load_rate(&r, &timing), true_rate = in_flight[i] > 1 ? 200 : 100;
            if (!(fabs(rate - true_rate) < 0.01 * true_rate))
                fail_msg("%zu in flight, %g s: %g", in_flight[i], lengths_s[k], rate);
        }
    }
    struct load_timing timing = {.in_flight = 9, .first_s = NAN};
    struct load_result r = ask_queue(9, 5, every_other);
    assert_true(fabs(load_rate(&r, &timing) - 100) < 2);
}

/* The verdict alone, on results that are made up. */
TEST(a_generator_judges_closed_load_and_what_it_has_sent)
{
    arena = arena_open();
    struct error err = {0};
    struct load_result r = {.length_s = 1, .busiest = 0.89};
    struct load_sends sends = {0};
    assert_true(load_init_hdr(&r.lag, &arena, &err));
    load_judge(&r, NULL, &sends);
    assert_int_equal(r.verdict, GENERATOR_OK);
    r.busiest = 0.91;
    load_judge(&r, NULL, &sends);
    assert_int_equal(r.verdict, GENERATOR_SATURATED);

    struct schedule_plan schedule = schedule_constant(100, 1, &arena);
    r.verdict = GENERATOR_OK;
    r.busiest = NAN; /* not known */
    r.counts = (struct load_counts){.scheduled = 100, .sent = 100};
    load_judge(&r, &schedule, &sends);
    assert_int_equal(r.verdict, GENERATOR_OK);
    r.counts = (struct load_counts){.scheduled = 100, .sent = 90, .unsent = 10};
    load_judge(&r, &schedule, &sends);
    assert_int_equal(r.verdict, GENERATOR_SKEWED);
    sends.have_waited = true; /* for the server: its doing */
    r.verdict = GENERATOR_OK;
    load_judge(&r, &schedule, &sends);
    assert_int_equal(r.verdict, GENERATOR_OK);
    arena_close(&arena);
}

/* Gaps that were drawn, and sent with delays of up to `late` of the mean gap. */
static enum generator_verdict judge_gaps(double rate, bool is_even, double late)
{
    enum { N = 1600 };
    static double gaps[N];
    struct error err = {0};
    struct rng rng = rng_seeded(1);
    double at = 0, last = 0;
    for (size_t i = 0; i < N; i++) {
        at += is_even ? 1 : rng_exponential(&rng);
        double sent = fmax(last, at + late * rng_real(&rng));
        gaps[i] = sent - last;
        last = sent;
    }
    struct load_result r = {.length_s = 10};
    assert_true(load_init_hdr(&r.lag, &arena, &err));
    struct schedule_plan schedule = schedule_constant(rate, r.length_s, &arena);
    schedule.arrivals = SCHEDULE_POISSON;
    struct schedule drawn = schedule_begin(&schedule);
    double moment = 0;
    while (schedule_next(&drawn, &moment)) r.counts.sent += moment < r.length_s;
    struct load_sends sends = {.gaps = gaps, .gap_count = N};
    load_judge(&r, &schedule, &sends);
    return r.verdict;
}

/* Delays that the limit of the lag allows do not skew a load; other gaps than drawn do. */
TEST(gaps_are_judged_where_they_matter)
{
    arena = arena_open();
    assert_int_equal(judge_gaps(500, false, 0), GENERATOR_OK);
    assert_int_equal(judge_gaps(500, false, 0.2), GENERATOR_OK);
    assert_int_equal(judge_gaps(500, true, 0), GENERATOR_SKEWED);
    assert_int_equal(judge_gaps(8145, false, 1.5), GENERATOR_OK);
    arena_close(&arena);
}

/* One send of 24 may be late, two may not; of 200 two may. */
TEST(one_late_send_of_few_spoils_nothing)
{
    static const struct {
        int sends, late;
        enum generator_verdict verdict;
    } rows[] = {{24, 1, GENERATOR_OK},
                {24, 2, GENERATOR_SATURATED},
                {200, 2, GENERATOR_OK},
                {200, 3, GENERATOR_SATURATED},
                {1, 1, GENERATOR_SATURATED}};
    arena = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {0};
        struct schedule_plan schedule = schedule_constant(rows[i].sends, 1, &arena);
        struct load_result r = {.length_s = 1, .counts = {.sent = rows[i].sends}};
        assert_true(load_init_hdr(&r.lag, &arena, &err));
        for (int k = 0; k < rows[i].sends; k++)
            load_record(&r.lag, k < rows[i].late ? 200000000 : 100000);
        load_judge(&r, &schedule, &(struct load_sends){0});
        if (r.verdict != rows[i].verdict) fail_msg("%d of %d", rows[i].late, rows[i].sends);
    }
    arena_close(&arena);
}

/* One connection and a stall: what waited for it is sent at once. Those gaps are not
 * exponential, and it is the server's doing. */
TEST(a_generator_is_not_blamed_for_waiting_for_the_server)
{
    arena = arena_open();
    struct server s;
    open_server(&s, (struct behaviour){.reply = GOOD, .stall_ms = 300});
    struct schedule_plan schedule = schedule_constant(300, 1.5, &arena);
    schedule.arrivals = SCHEDULE_POISSON;
    struct load_result r = run_schedule(s.port, &schedule, 1, 1.5);
    close_server(&s);
    if (r.verdict == GENERATOR_SKEWED) fail_msg("%s", r.reason);
    arena_close(&arena);
}

#define EVENT "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"

/* Three tokens a stream: as many first ones as answers, twice as many gaps, each first one
 * not later than its answer. */
TEST(streams_give_first_tokens_and_gaps)
{
    arena = arena_open();
    struct behaviour b = {.reply =
                              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                              "Connection: close\r\n\r\n" EVENT EVENT EVENT "data: [DONE]\n\n",
                          .closes = true};
    struct load_result r = run_on(b, open_load);
    /* A busy machine may leave the last of 100 unsent. */
    assert_true(r.counts.ok > 50 && r.counts.ok + r.counts.unsent == 100);
    assert_int_equal(r.counts.tokens, 3 * r.counts.ok);
    assert_int_equal(r.first_token.total, r.counts.ok);
    assert_int_equal(r.token_gap.total, 2 * r.counts.ok);
    assert_true(hdr_percentile(&r.first_token, 50) <= hdr_percentile(&r.response, 50));
    r = run_on((struct behaviour){.reply = GOOD}, open_load);
    assert_int_equal(r.first_token.total, 0);
    arena_close(&arena);
}

/* Of a trace those moments are sent that fall into the block. */
TEST(a_trace_is_sent_as_it_is)
{
    static const double moments[] = {0, 0.1, 0.1, 0.15, 0.19, 0.3};
    arena = arena_open();
    struct server s;
    open_server(&s, (struct behaviour){.reply = GOOD});
    struct schedule_plan schedule = {.trace_s = moments, .trace_count = COUNT(moments)};
    struct load_result r = run_schedule(s.port, &schedule, 9, 0.2);
    assert_int_equal(r.counts.scheduled, 5);
    assert_int_equal(r.counts.ok, 5);
    assert_true(r.verdict != GENERATOR_SKEWED);
    assert_int_equal(count_ok(&r, 0, 20), 1);
    assert_int_equal(count_ok(&r, 20, 40), 2);
    assert_int_equal(count_ok(&r, 40, 60), 2);
    close_server(&s);
    arena_close(&arena);
}

/* Closed load begins when the block does, also on connections that are open already. */
TEST(every_block_of_closed_load_begins_at_once)
{
    arena = arena_open();
    struct server s;
    struct error err = {0};
    open_server(&s, (struct behaviour){.reply = GOOD});
    struct target t;
    struct str bytes;
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", s.port);
    assert_true(target_open(&t, url, &(struct target_terms){0}, &arena, &err));
    assert_true(target_write(&t, &(struct target_request){0}, &arena, &bytes, &err));
    struct load_plan plan = {
        .target = &t, .requests = &bytes, .request_count = 1, .connections = 1, .timeout_s = 5};
    struct load *load = NULL;
    assert_true(load_open(&load, &plan, &arena, &err));
    size_t used = 0;
    for (int i = 0; i < 10; i++) {
        struct load_result r;
        /* Far enough ahead that the thread waits for it on a busy machine, too. */
        struct load_block block = {.length_s = 0.04, .begin_ns = clock_ns() + 60000000};
        assert_true(load_block(load, &block, &r, &err));
        used += r.counts.ok > 0;
    }
    assert_true(used >= 6); /* a busy machine may sleep through some */
    load_close(load);
    close_server(&s);
    arena_close(&arena);
}

TEST_MAIN(T(gaps_are_judged_where_they_matter), T(one_late_send_of_few_spoils_nothing),
          T(every_block_of_closed_load_begins_at_once),
          T(the_rate_of_closed_load_is_what_the_queue_gives),
          T(the_rate_of_closed_load_does_not_depend_on_the_blocks_length),
          T(a_generator_judges_closed_load_and_what_it_has_sent), T(a_good_server_answers_all),
          T(a_server_that_closes_after_each_reply_is_asked_anew),
          T(every_way_to_fail_is_counted_as_what_it_is),
          T(a_request_that_is_answered_early_is_answered_once),
          T(a_reply_without_end_is_given_up), T(headers_without_end_are_cut_off),
          T(a_server_that_never_answers_times_out_and_what_waits_is_unsent), T(nobody_listens),
          T(a_server_that_ends_connections_at_random_loses_only_what_it_ended),
          T(connections_live_from_block_to_block_and_nothing_else_does),
          T(a_stalled_server_is_charged_for_what_it_kept_waiting),
          T(a_load_that_is_stopped_cancels_what_is_in_flight),
          T(a_generator_that_sends_late_says_so),
          T(a_generator_is_not_blamed_for_waiting_for_the_server),
          T(streams_give_first_tokens_and_gaps), T(a_trace_is_sent_as_it_is))
