/* One thread of a load.
 *
 * The loop waits until a connection has something to say or the next request is due,
 * whichever is first. A connection is one of
 *
 *     closed -> connecting -> sending -> waiting -> idle -> sending -> ...
 *                          \-> shaking hands -^   (TLS)
 *
 * and carries at most one request. Requests are written at once where the socket takes them,
 * so that the usual one costs a send, a receive and its part of one epoll_wait; EPOLLOUT is
 * asked for only while a connect or a partial write is pending.
 *
 * All requests have the same time limit, so those in flight are in the order of their
 * deadlines: a list to whose end new ones are added, and only its head is looked at. */
#include "load/worker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "load/load_internal.h"
#include "load/reply.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { EVENTS_MAX = 256, READ_MAX = 64 << 10, WAIT_MAX_NS = 100000000, RETRY_NS = 1000000 };
enum { READS_MAX = 8 }; /* of one connection in a turn: others wait, and time-outs too */

enum conn_state {
    CONN_CLOSED,
    CONN_CONNECTING,
    CONN_SHAKING_HANDS,
    CONN_SENDING,
    CONN_WAITING,
    CONN_IDLE
};

struct conn {
    int fd;
    struct tls_session *tls; /* NULL: not encrypted */
    enum conn_state state;
    bool wants_out; /* EPOLLOUT is on */
    struct str request;
    size_t written;
    int64_t due_ns;
    int64_t sent_ns;
    int64_t ended_ns;         /* the last one of this block; 0: none yet */
    struct kept_answer *kept; /* NULL: not kept */
    struct conn *prev, *next; /* in flight by age, or idle, or closed */
    struct reply reply;
};

struct conn_list {
    struct conn *head, *tail;
};

struct worker_state {
    struct worker *w;
    int epoll;
    struct conn *conns;
    struct conn_list idle, closed, flying;
    char *read;
    struct schedule schedule;
    bool has_next;
    int64_t next_ns;
    size_t turn; /* which request comes next */
    int64_t
        free_since_ns; /* when a connection became free while requests waited; 0 = none did */
    bool is_blocked;
    size_t drawn; /* moments of the schedule, of all workers */
    int64_t last_due_ns;
    double mean_gap_ns;
    int64_t in_flight;
    int64_t retry_ns;                /* closed load: when to try again to connect */
    int64_t sent, ok, failed, flown; /* since others were told */
};

/* ---- lists ---- */

static void list_add(struct conn_list *l, struct conn *c)
{
    c->prev = l->tail;
    c->next = NULL;
    if (l->tail)
        l->tail->next = c;
    else
        l->head = c;
    l->tail = c;
}

static void list_remove(struct conn_list *l, struct conn *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        l->head = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        l->tail = c->prev;
    c->prev = c->next = NULL;
}

/* The one used last: its caches are warm. */
static struct conn *list_pop(struct conn_list *l)
{
    struct conn *c = l->tail;
    if (c) list_remove(l, c);
    return c;
}

/* ---- counting ---- */

static void note_error(struct worker *w, const char *what, const char *why)
{
    if (!w->error[0]) snprintf(w->error, sizeof w->error, "%s: %s", what, why);
}

/* Once a turn of the loop, not once a request. */
static void tell(struct worker_state *s)
{
    struct load_live *live = s->w->live;
    _Atomic int64_t *const counters[] = {&live->sent, &live->ok, &live->failed,
                                         &live->in_flight};
    int64_t *const since[] = {&s->sent, &s->ok, &s->failed, &s->flown};
    for (size_t i = 0; i < COUNT(since); i++) {
        if (*since[i]) atomic_fetch_add_explicit(counters[i], *since[i], memory_order_relaxed);
        *since[i] = 0;
    }
}

/* ---- connections ---- */

static void close_conn(struct worker_state *s, struct conn *c)
{
    if (c->tls) tls_end(s->w->tls, c->tls);
    c->tls = NULL;
    if (c->fd >= 0) close(c->fd); /* leaves the epoll set by itself */
    c->fd = -1;
    c->state = CONN_CLOSED;
    c->wants_out = false;
    list_add(&s->closed, c);
}

/* Its connection is free, and whoever waits for one can be sent. */
static void land(struct worker_state *s, struct conn *c, int64_t now, bool is_good)
{
    kept_end(c->kept, is_good);
    list_remove(&s->flying, c);
    s->in_flight--;
    s->flown--;
    if (s->is_blocked) s->free_since_ns = now;
    s->is_blocked = false;
}

static void note_end(struct worker *w, struct conn *c, int64_t now, bool is_good)
{
    int64_t length_ns = w->end_ns - w->begin_ns;
    struct course_end e = {
        .share = (double)(c->due_ns - w->begin_ns) / (double)length_ns,
        .end_share = (double)(now - w->begin_ns) / (double)length_ns,
        .due_ns = c->due_ns,
        .sent_ns = c->sent_ns,
        .end_ns = now,
        .fault_ns = atomic_load_explicit(&w->live->fault_ns, memory_order_relaxed),
        .is_good = is_good,
    };
    course_note(&w->course, &e);
    w->counts.over_ns += load_over_ns(now, w->end_ns);
    load_note_again(&w->counts, &c->ended_ns, now, is_good);
}

/* The request is lost, and the connection with it. */
static void fail(struct worker_state *s, struct conn *c, enum load_failure f, const char *why)
{
    struct load_counts *counts = &s->w->counts;
    counts->failed++;
    counts->by_failure[f]++;
    int64_t now = clock_ns();
    if (f == LOAD_NO_CONNECTION) s->retry_ns = now + RETRY_NS;
    note_error(s->w, load_failure_name(f), why);
    s->failed++;
    note_end(s->w, c, now, false);
    land(s, c, now, false);
    close_conn(s, c);
}

static void watch(struct worker_state *s, struct conn *c, bool out)
{
    if (c->wants_out == out) return;
    struct epoll_event e = {.events = EPOLLIN | (out ? (uint32_t)EPOLLOUT : 0), .data.ptr = c};
    CHECK(epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->fd, &e) == 0);
    c->wants_out = out;
}

/* The two ways to move bytes: as send and recv, with EAGAIN where the connection is to be
 * tried again, which it is watched for. */
static ssize_t after_tls(struct worker_state *s, struct conn *c, enum tls_progress p,
                         size_t moved)
{
    switch (p) {
    case TLS_DONE: return (ssize_t)moved;
    case TLS_CLOSED: return 0;
    case TLS_WANTS_READ:
    case TLS_WANTS_WRITE:
        watch(s, c, p == TLS_WANTS_WRITE);
        errno = EAGAIN;
        return -1;
    default: errno = EPROTO; return -1;
    }
}

static ssize_t put_bytes(struct worker_state *s, struct conn *c, struct str bytes)
{
    if (c->tls) {
        size_t moved = 0;
        enum tls_progress p = tls_write(s->w->tls, c->tls, bytes.p, bytes.n, &moved);
        return after_tls(s, c, p, moved);
    }
    ssize_t n = send(c->fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
        watch(s, c, true);
        errno = EAGAIN;
    }
    return n;
}

static ssize_t get_bytes(struct worker_state *s, struct conn *c)
{
    if (!c->tls) return recv(c->fd, s->read, READ_MAX, MSG_DONTWAIT);
    size_t moved = 0;
    enum tls_progress p = tls_read(s->w->tls, c->tls, s->read, READ_MAX, &moved);
    return after_tls(s, c, p, moved);
}

/* Is there more to read, after n bytes? A record of TLS is smaller than the room for it. */
static bool may_have_more(const struct conn *c, ssize_t n)
{
    return n == READ_MAX || c->tls;
}

static void read_some(struct worker_state *s, struct conn *c);

/* A server that has heard enough may have answered before it closed: that is its answer. */
static void write_some(struct worker_state *s, struct conn *c)
{
    while (c->written < c->request.n) {
        struct str left = {c->request.p + c->written, c->request.n - c->written};
        ssize_t n = put_bytes(s, c, left);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            c->state = CONN_WAITING;
            read_some(s, c);
            return;
        }
        c->written += (size_t)n;
    }
    watch(s, c, false);
    c->state = CONN_WAITING;
}

static void shake_hands(struct worker_state *s, struct conn *c)
{
    struct tls *tls = s->w->tls;
    char why[120];
    if (!c->tls) c->tls = tls_begin(tls, c->fd);
    if (!c->tls) {
        fail(s, c, LOAD_NO_CONNECTION, "TLS: out of memory");
        return;
    }
    enum tls_progress p = tls_shake_hands(tls, c->tls);
    if (p == TLS_DONE)
        c->state = CONN_SENDING;
    else if (p == TLS_WANTS_READ || p == TLS_WANTS_WRITE)
        watch(s, c, p == TLS_WANTS_WRITE);
    else
        fail(s, c, LOAD_NO_CONNECTION, tls_why(tls, c->tls, why, sizeof why));
}

static bool start_connect(struct worker_state *s, struct conn *c)
{
    const struct target *t = s->w->plan->target;
    c->fd = socket(t->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) return false;
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.ptr = c};
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd, &e) != 0) return false;
    c->wants_out = true;
    c->state = CONN_CONNECTING;
    if (connect(c->fd, (const struct sockaddr *)&t->address, t->address_len) == 0) return true;
    return errno == EINPROGRESS;
}

/* ---- replies ---- */

static void finish(struct worker_state *s, struct conn *c, int64_t now, bool stays)
{
    struct worker *w = s->w;
    const struct reply *r = &c->reply;
    bool is_good = r->status >= 200 && r->status < 300; /* a redirect is not an answer */
    if (is_good) {
        w->counts.ok++;
        w->counts.finished += now < w->end_ns;
        w->counts.within += now - c->due_ns <= w->objective_ns;
        if (w->first_ns == 0) w->first_ns = now;
        load_record(&w->response, now - c->due_ns);
        load_record(&w->service, now - c->sent_ns);
        if (r->tokens > 0) load_record(&w->first_token, r->first_token_ns - c->due_ns);
        w->counts.tokens += r->tokens;
        w->counts.turns++;
    } else {
        w->counts.failed++;
        enum load_failure f = r->status == 429 ? LOAD_TOO_MANY : LOAD_BAD_STATUS;
        w->counts.by_failure[f]++;
        char why[32];
        snprintf(why, sizeof why, "status %d", r->status);
        note_error(w, load_failure_name(f), why);
        w->retry_after_s = fmax(w->retry_after_s, r->retry_after_s); /* passes over NaN */
    }
    *(is_good ? &s->ok : &s->failed) += 1;
    note_end(w, c, now, is_good);
    land(s, c, now, is_good);
    if (stays) {
        c->state = CONN_IDLE;
        list_add(&s->idle, c);
    } else {
        close_conn(s, c);
    }
}

/* Bytes of a reply; true while the connection can go on. What is left of a request that was
 * answered early would be taken for the next one. */
static bool take(struct worker_state *s, struct conn *c, size_t n)
{
    bool is_asked = c->written == c->request.n;
    s->w->counts.bytes += (int64_t)n;
    switch (reply_take(&c->reply, (struct str){s->read, n})) {
    case REPLY_DONE: finish(s, c, clock_ns(), c->reply.can_stay && is_asked); return false;
    case REPLY_BAD: fail(s, c, LOAD_BAD_REPLY, c->reply.why); return false;
    default: return true;
    }
}

/* Not to its end: a reply that never ends would hold up all others. epoll reports the rest again. */
static void read_some(struct worker_state *s, struct conn *c)
{
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t n = get_bytes(s, c);
        if (n > 0) {
            if (!take(s, c, (size_t)n) || !may_have_more(c, n)) return;
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n == 0 && reply_end(&c->reply) == REPLY_DONE) { /* it had no length */
            finish(s, c, clock_ns(), false);
            return;
        }
        fail(s, c, LOAD_RESET, n == 0 ? "closed before the reply was whole" : strerror(errno));
        return;
    }
}

/* On a new connection, which has not been asked anything. */
static bool speaks_unasked(const struct conn *c, uint32_t events)
{
    char first = 0;
    return (events & EPOLLIN) && recv(c->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void on_event(struct worker_state *s, struct conn *c, uint32_t events)
{
    if (c->state == CONN_CLOSED) return; /* closed by an event before this one */
    if (c->state == CONN_IDLE) {         /* the server has ended it, or speaks unasked */
        if (c->tls && get_bytes(s, c) < 0 && errno == EAGAIN) return; /* TLS among itself */
        list_remove(&s->idle, c);
        close_conn(s, c);
        return;
    }
    if (c->state == CONN_CONNECTING) {
        int code = 0;
        socklen_t size = sizeof code;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &code, &size);
        if (code != 0) {
            fail(s, c, LOAD_NO_CONNECTION, strerror(code));
            return;
        }
        if (!(events & EPOLLOUT)) return;
        if (!s->w->tls && speaks_unasked(c, events)) {
            fail(s, c, LOAD_BAD_REPLY, "bytes before the request");
            return;
        }
        c->state = s->w->tls ? CONN_SHAKING_HANDS : CONN_SENDING;
    }
    if (c->state == CONN_SHAKING_HANDS) shake_hands(s, c);
    if (c->state == CONN_SENDING) write_some(s, c);
    if ((c->state == CONN_SENDING || c->state == CONN_WAITING) &&
        (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) {
        read_some(s, c); /* a server may answer before it has read all */
    }
}

/* ---- sending ---- */

static void note_gap(struct worker_state *s, int64_t now)
{
    struct worker *w = s->w;
    if (s->last_due_ns && w->gap_count < LOAD_GAPS_MAX) {
        w->gaps[w->gap_count++] = (double)(now - s->last_due_ns) / s->mean_gap_ns;
    }
    s->last_due_ns = now;
}

static void send_one(struct worker_state *s, struct conn *c, int64_t due_ns)
{
    struct worker *w = s->w;
    int64_t now = clock_ns();
    c->request = w->plan->requests[s->turn];
    c->kept = kept_take(w->kept, s->turn);
    s->turn = s->turn + 1 < w->plan->request_count ? s->turn + 1 : 0;
    c->written = 0;
    c->sent_ns = now;
    c->due_ns = due_ns ? due_ns : now;
    reply_begin(&c->reply, str_starts(c->request, S("HEAD ")), &w->token_gap);
    c->reply.body = c->kept ? &c->kept->bytes : NULL;
    w->counts.scheduled++;
    w->counts.sent++;
    if (w->schedule) {
        int64_t possible = due_ns > s->free_since_ns ? due_ns : s->free_since_ns;
        load_record(&w->lag, now - possible);
        note_gap(s, now);
    }
    list_add(&s->flying, c);
    s->in_flight++;
    if (s->in_flight > w->most_in_flight) w->most_in_flight = s->in_flight;
    s->sent++;
    s->flown++;
    if (c->state == CONN_IDLE) {
        c->state = CONN_SENDING;
        write_some(s, c);
        return;
    }
    w->counts.connects++;
    if (!start_connect(s, c)) fail(s, c, LOAD_NO_CONNECTION, strerror(errno));
}

static struct conn *free_conn(struct worker_state *s)
{
    struct conn *c = list_pop(&s->idle);
    return c ? c : list_pop(&s->closed);
}

/* The next moment that is this worker's. */
static void draw(struct worker_state *s)
{
    struct worker *w = s->w;
    double at_s = 0;
    do {
        s->has_next = schedule_next(&s->schedule, &at_s);
        s->next_ns = w->begin_ns + (int64_t)(at_s * 1e9);
        s->has_next = s->has_next && s->next_ns < w->end_ns;
    } while (s->has_next && s->drawn++ % w->of != w->index);
}

/* Sends what is due and has a connection. */
static void pump(struct worker_state *s, int64_t now)
{
    if (s->w->schedule) {
        while (s->has_next && s->next_ns <= now) {
            struct conn *c = free_conn(s);
            if (!c) {
                s->is_blocked = s->w->has_waited = true;
                return;
            }
            send_one(s, c, s->next_ns);
            draw(s);
        }
        return;
    }
    /* A server that refuses would be asked in a tight loop: one round a millisecond. */
    size_t budget = s->w->connections;
    while (budget-- > 0 && now < s->w->end_ns && (s->idle.head || now >= s->retry_ns)) {
        struct conn *c = free_conn(s);
        if (!c) return;
        send_one(s, c, 0);
    }
}

static void expire(struct worker_state *s, int64_t now)
{
    int64_t limit_ns = (int64_t)(s->w->plan->timeout_s * 1e9);
    while (s->flying.head && now - s->flying.head->sent_ns >= limit_ns) {
        struct conn *c = s->flying.head;
        s->w->counts.timed_out++;
        load_record(&s->w->response, now - c->due_ns);
        load_record(&s->w->service, now - c->sent_ns);
        note_end(s->w, c, now, false);
        s->failed++;
        note_error(s->w, "timed out", "no whole reply within the limit");
        land(s, c, now, false);
        close_conn(s, c);
    }
}

static void cancel_all(struct worker_state *s)
{
    while (s->flying.head) {
        struct conn *c = s->flying.head;
        s->w->counts.cancelled++;
        land(s, c, clock_ns(), false);
        close_conn(s, c);
    }
}

static void count_unsent(struct worker_state *s)
{
    while (s->has_next) {
        s->w->counts.scheduled++;
        s->w->counts.unsent++;
        draw(s);
    }
}

static int64_t wait_ns(const struct worker_state *s, int64_t now)
{
    int64_t wait = WAIT_MAX_NS;
    if (now < s->w->begin_ns) wait = s->w->begin_ns - now;
    if (s->has_next && !s->is_blocked && s->next_ns - now < wait) wait = s->next_ns - now;
    if (now < s->w->end_ns && s->w->end_ns - now < wait) wait = s->w->end_ns - now;
    if (s->flying.head) {
        int64_t expires =
            s->flying.head->sent_ns + (int64_t)(s->w->plan->timeout_s * 1e9) - now;
        if (expires < wait) wait = expires;
    }
    bool is_refused = !s->w->schedule && s->closed.head && now < s->w->end_ns;
    if (is_refused && wait > RETRY_NS) wait = RETRY_NS;
    return wait > 0 ? wait : 0;
}

static void turn(struct worker_state *s)
{
    struct epoll_event events[EVENTS_MAX];
    int64_t ns = wait_ns(s, clock_ns());
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    int n = epoll_pwait2(s->epoll, events, EVENTS_MAX, &t, NULL);
    CHECK(n >= 0 || errno == EINTR);
    for (int i = 0; i < n; i++) on_event(s, events[i].data.ptr, events[i].events);
}

/* OpenSSL writes to sockets itself. */
static void block_sigpipe(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Nothing is left of the block before, but the connections. */
static void begin(struct worker *w)
{
    struct worker_state *s = w->state;
    w->counts = (struct load_counts){0};
    w->course = (struct course){0};
    w->most_in_flight = 0;
    w->first_ns = 0;
    hdr_reset(&w->response);
    hdr_reset(&w->service);
    hdr_reset(&w->lag);
    hdr_reset(&w->first_token);
    hdr_reset(&w->token_gap);
    w->retry_after_s = NAN;
    w->gap_count = 0;
    w->has_waited = false;
    w->error[0] = '\0';
    s->has_next = s->is_blocked = false;
    s->free_since_ns = s->last_due_ns = 0;
    s->drawn = 0;
    s->retry_ns = 0;
    for (size_t i = 0; i < w->connections; i++) s->conns[i].ended_ns = 0;
    if (!w->schedule) return;
    double length_s = 1e-9 * (double)(w->end_ns - w->begin_ns);
    double rate = schedule_expected(w->schedule) / length_s / (double)w->of;
    s->mean_gap_ns = rate > 0 ? 1e9 / rate : 1e9;
    s->schedule = schedule_begin(w->schedule);
    draw(s);
}

void worker_run(struct worker *w)
{
    struct worker_state *s = w->state;
    prctl(PR_SET_TIMERSLACK, 1UL);
    block_sigpipe();
    double cpu_s = load_thread_cpu_s();
    begin(w);
    for (bool is_open = true;;) {
        int64_t now = clock_ns();
        if (atomic_load_explicit(&w->live->stop, memory_order_relaxed)) break;
        /* Once more after the end: what was due before it may have been slept through. */
        if (now >= w->begin_ns && is_open) pump(s, now);
        is_open = now < s->w->end_ns;
        expire(s, now);
        if (now >= s->w->end_ns && s->in_flight == 0) break;
        turn(s);
        tell(s);
    }
    w->elapsed_s = 1e-9 * (double)(clock_ns() - w->begin_ns);
    cancel_all(s);
    count_unsent(s);
    tell(s);
    w->cpu_s = load_thread_cpu_s() - cpu_s;
}

bool worker_open(struct worker *w, struct arena *out, struct error *err)
{
    struct worker_state *s = arena_new(out, struct worker_state, 1);
    w->state = s;
    s->w = w;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll < 0) {
        return error_set(err, ERROR_UNAVAILABLE, "epoll: %s", strerror(errno));
    }
    s->read = arena_new(out, char, READ_MAX);
    s->conns = arena_new(out, struct conn, w->connections);
    for (size_t i = w->connections; i > 0; i--) {
        s->conns[i - 1].fd = -1;
        list_add(&s->closed, &s->conns[i - 1]);
    }
    s->turn = w->index % w->plan->request_count;
    w->gaps = arena_new(out, double, LOAD_GAPS_MAX);
    return true;
}

void worker_close(struct worker *w)
{
    if (!w->state) return;
    for (size_t i = 0; i < w->connections && w->state->conns; i++) {
        if (w->state->conns[i].tls) tls_end(w->tls, w->state->conns[i].tls);
        if (w->state->conns[i].fd >= 0) close(w->state->conns[i].fd);
    }
    if (w->state->epoll >= 0) close(w->state->epoll);
}
