/* Entries are in the order of asking; the first is the one that runs. Each has an arena of
 * its own, so that a server that starts a million runs does not grow. */
#include "api/queue.h"

#include "api/api.h"
#include "base/clock.h"
#include "base/machine.h"
#include "report/events.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 20, ERROR_BYTES = 2000, KILL_AFTER_S = 10, RETRY_S = 30 };

struct entry {
    struct arena arena;
    struct request_record r;
    struct feed *log;
    struct queue_waiter *waiters;
    bool is_cancelled;
    bool had_ended; /* by itself, when it was cancelled */
    struct entry *next;
};

struct queue {
    struct api *api;
    struct entry *entries;
    struct entry *free; /* places of those that have left */
    size_t count;
    /* the child of the first entry */
    pid_t pid;        /* 0: none */
    int64_t began_ns; /* when it was started, by the wall clock */
    int pid_fd;
    int out_fd;
    int err_fd;
    struct buf line;
    struct buf complaint; /* the beginning of what it said on standard error */
    struct http_alarm kill;
    bool is_parked;
    int lock_fd; /* while it is open, other servers of the store leave our runs alone */
};

static const char *stamp(struct arena *out)
{
    return clock_stamp(clock_unix_ns(), arena_new(out, char, CLOCK_STAMP_SIZE));
}

/* A store that is busy must not end the server: what is in memory is right. */
static void keep(struct queue *q, const struct entry *e)
{
    struct store *store = NULL;
    struct error ignored;
    if (!api_store(q->api, e->r.workspace, true, &store, &ignored)) return;
    if (!store_put_request(store, &e->r, &ignored)) return;
}

static struct entry *find(const struct queue *q, const char *id)
{
    for (struct entry *e = q->entries; e; e = e->next) {
        if (strcmp(e->r.id, id) == 0) return e;
    }
    return NULL;
}

static const char *copy(struct arena *out, const char *text)
{
    return text ? str_cstr(out, str_of(text)) : NULL;
}

static struct entry *append(struct queue *q, const char *workspace,
                            const struct request_record *r)
{
    struct entry *e = q->free ? q->free : arena_new(q->api->arena, struct entry, 1);
    struct entry **end = &q->entries;
    if (q->free) q->free = e->next;
    *e = (struct entry){0};
    e->arena = arena_open();
    e->r = *r;
    e->r.workspace = copy(&e->arena, workspace);
    e->r.token = copy(&e->arena, r->token);
    e->r.suite = copy(&e->arena, r->suite);
    e->r.agents = copy(&e->arena, r->agents);
    e->r.configuration = copy(&e->arena, r->configuration);
    e->r.schedule = copy(&e->arena, r->schedule);
    e->r.created_at = r->created_at ? copy(&e->arena, r->created_at) : stamp(&e->arena);
    e->r.started_at = copy(&e->arena, r->started_at);
    e->r.ended_at = e->r.error = NULL;
    e->log = feed_get(&q->api->feeds, e->r.id, api_workspace(q->api, workspace));
    while (*end) end = &(*end)->next;
    *end = e;
    q->count++;
    return e;
}

static void tell_queued(const struct queue *q, struct entry *e)
{
    char line[200];
    snprintf(line, sizeof line, "{\"event\":\"queued\",\"run_id\":\"%s\",\"ahead\":%zu}",
             e->r.id, q->count - 1);
    feed_add(e->log, str_of(line), false);
}

/* ---- the end of an entry ---- */

static void tell_state(struct entry *e)
{
    char line[200];
    snprintf(line, sizeof line,
             "{\"event\":\"request_ended\",\"run_id\":\"%s\",\"state\":\"%s\"}", e->r.id,
             request_state_name(e->r.state));
    feed_add(e->log, str_of(line), false);
    feed_end(e->log);
}

static void tell_waiters(struct entry *e)
{
    while (e->waiters) {
        struct queue_waiter *w = e->waiters;
        e->waiters = w->next;
        w->done(w->context);
    }
}

/* Takes it out of the queue, for good unless it is parked. */
static void leave(struct queue *q, struct entry *e, enum request_state state)
{
    struct entry **at = &q->entries;
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    q->count--;
    e->r.state = state;
    if (state != REQUEST_PARKED) e->r.ended_at = stamp(&e->arena);
    keep(q, e);
    tell_state(e);
    tell_waiters(e);
    arena_close(&e->arena);
    e->next = q->free;
    q->free = e;
}

static bool find_run(struct queue *q, struct entry *e, struct run_record *run)
{
    struct store *store = NULL;
    return api_store(q->api, e->r.workspace, false, &store, NULL) &&
           store_find_run(store, e->r.id, &e->arena, run, NULL);
}

/* A run that was interrupted by us says so itself. */
static void mark_cancelled(struct queue *q, const struct entry *e, struct run_record *run)
{
    struct store *store = NULL;
    struct error ignored;
    if (!run) return;
    run->status = RUN_CANCELLED;
    if (api_store(q->api, e->r.workspace, true, &store, &ignored) &&
        !store_put_run(store, run, &ignored)) {
        return;
    }
}

/* A run that had ended by itself when it was asked to stop is done, whoever asked. */
static enum request_state state_after(struct queue *q, struct entry *e, int status,
                                      bool is_stopping)
{
    struct run_record run;
    bool is_there = find_run(q, e, &run);
    bool has_ended =
        is_there && (e->had_ended || run.status == RUN_SUCCESS || run.status == RUN_FAILED);
    if (has_ended) return REQUEST_DONE;
    if (e->is_cancelled) {
        mark_cancelled(q, e, is_there ? &run : NULL);
        return REQUEST_CANCELLED;
    }
    if (is_stopping) return REQUEST_PARKED;
    if (is_there) return REQUEST_DONE;
    struct str said = str_trim(buf_str(&q->complaint));
    e->r.error =
        said.n ? str_cstr(&e->arena, said)
               : arena_printf(&e->arena, "it ended with status %d before it began", status);
    return REQUEST_FAILED;
}

/* ---- the child ---- */

static void start_next(struct queue *q);

/* Whole lines become events; one that is too long is passed over to its end. */
static void take_lines(struct queue *q, struct str bytes)
{
    while (bytes.n > 0) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        struct str part = {bytes.p, end ? (size_t)(end - bytes.p) : bytes.n};
        buf_add(&q->line, part);
        if (!end) return;
        struct str line = buf_str(&q->line);
        bool is_event = !q->line.overflow && line.n > 0 && q->entries;
        if (is_event) feed_add(q->entries->log, line, event_is_passing(line));
        buf_clear(&q->line);
        bytes = (struct str){end + 1, bytes.n - part.n - 1};
    }
}

/* False when nothing more will come. */
static bool read_some(struct queue *q, int fd)
{
    char bytes[16384];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    if (fd == q->err_fd) {
        size_t room = ERROR_BYTES - q->complaint.n;
        buf_add_bytes(&q->complaint, bytes, (size_t)n < room ? (size_t)n : room);
    } else {
        take_lines(q, (struct str){bytes, (size_t)n});
    }
    return true;
}

static void close_fd(struct queue *q, int *fd)
{
    if (*fd < 0) return;
    http_server_unwatch(q->api->server, *fd);
    close(*fd);
    *fd = -1;
}

static void on_output(void *context, int fd)
{
    struct queue *q = context;
    if (!read_some(q, fd)) close_fd(q, fd == q->out_fd ? &q->out_fd : &q->err_fd);
}

/* What is in the pipes is read; whoever else holds their other ends is not waited for. */
static void drain(struct queue *q, int *fd)
{
    struct pollfd p = {.fd = *fd, .events = POLLIN};
    while (*fd >= 0 && poll(&p, 1, 0) > 0 && read_some(q, *fd)) {
    }
    close_fd(q, fd);
}

/* Waits for its end, and kills what it left behind while its number, which is also that of the
 * group, cannot be anybody else's: before it is reaped. */
static int reap_group(pid_t pid)
{
    int status = 0;
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void reap(struct queue *q, bool is_stopping)
{
    struct entry *e = q->entries;
    int status = reap_group(q->pid);
    drain(q, &q->out_fd);
    drain(q, &q->err_fd);
    close_fd(q, &q->pid_fd);
    http_server_set_alarm(q->api->server, &q->kill, 0);
    q->pid = 0;
    leave(q, e, state_after(q, e, status, is_stopping));
}

static void on_exit_of_child(void *context, int fd)
{
    (void)fd;
    struct queue *q = context;
    reap(q, false);
    start_next(q);
}

static void on_kill(void *context)
{
    struct queue *q = context;
    if (q->pid) kill(-q->pid, SIGKILL);
}

/* The program that we are, with none of our descriptors, blocked signals and raised limits. */
static bool spawn(struct queue *q, struct entry *e, const int out[2], const int errs[2],
                  struct error *err)
{
    struct arena *a = &e->arena;
    char *argv[] = {arena_printf(a, "assay"),
                    arena_printf(a, "run"),
                    arena_printf(a, "--request=%s", e->r.id),
                    arena_printf(a, "--json"),
                    arena_printf(a, "--store=%s", q->api->options.store_url),
                    arena_printf(a, "--workspace=%s", e->r.workspace),
                    NULL};
    sigset_t none;
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errs[1], STDERR_FILENO);
    struct rlimit ours;
    getrlimit(RLIMIT_NOFILE, &ours);
    setrlimit(RLIMIT_NOFILE, &q->api->files);
    int rc = posix_spawn(&q->pid, "/proc/self/exe", &files, &how, argv, environ);
    setrlimit(RLIMIT_NOFILE, &ours);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (rc == 0) return true;
    q->pid = 0;
    return error_set_errno(err, rc, "starting the run");
}

static bool watch_child(struct queue *q, struct error *err)
{
    struct http_server *s = q->api->server;
    q->pid_fd = (int)syscall(SYS_pidfd_open, q->pid, 0);
    if (q->pid_fd < 0) return error_set_errno(err, errno, "watching the run");
    return http_server_watch(s, q->out_fd, on_output, q, err) &&
           http_server_watch(s, q->err_fd, on_output, q, err) &&
           http_server_watch(s, q->pid_fd, on_exit_of_child, q, err);
}

static bool start(struct queue *q, struct entry *e, struct error *err)
{
    int out[2] = {-1, -1};
    int errs[2] = {-1, -1};
    buf_clear(&q->line);
    buf_clear(&q->complaint);
    /* Ours never block: an event may be of a descriptor that has been opened anew since. The
     * child's do, as programs expect. */
    bool done = pipe2(out, O_CLOEXEC | O_NONBLOCK) == 0 &&
                pipe2(errs, O_CLOEXEC | O_NONBLOCK) == 0 && fcntl(out[1], F_SETFL, 0) == 0 &&
                fcntl(errs[1], F_SETFL, 0) == 0;
    if (!done) error_set_errno(err, errno, "starting the run");
    if (done) done = spawn(q, e, out, errs, err);
    if (out[1] >= 0) close(out[1]);
    if (errs[1] >= 0) close(errs[1]);
    q->out_fd = out[0];
    q->err_fd = errs[0];
    return done && watch_child(q, err);
}

static void start_next(struct queue *q)
{
    while (q->entries && !q->pid && !q->is_parked) {
        struct entry *e = q->entries;
        struct error err = {0};
        if (!e->r.started_at) e->r.started_at = stamp(&e->arena);
        e->r.state = REQUEST_RUNNING;
        keep(q, e);
        q->began_ns = clock_unix_ns();
        if (start(q, e, &err)) return;
        if (q->pid) {
            kill(-q->pid, SIGKILL);
            waitpid(q->pid, NULL, 0);
        }
        close_fd(q, &q->out_fd);
        close_fd(q, &q->err_fd);
        close_fd(q, &q->pid_fd);
        q->pid = 0;
        e->r.error = str_cstr(&e->arena, str_of(err.text));
        leave(q, e, REQUEST_FAILED);
    }
}

/* ---- from outside ---- */

bool queue_open(struct queue **queue, struct api *api, struct error *err)
{
    struct queue *q = arena_new(api->arena, struct queue, 1);
    struct store *store = NULL;
    struct request_record *rows = NULL;
    size_t count = 0;
    struct arena scratch = arena_open();
    const struct request_filter open = {.all = true, .is_open = true};
    q->api = api;
    q->pid_fd = q->out_fd = q->err_fd = q->lock_fd = -1;
    q->kill = (struct http_alarm){.ring = on_kill, .context = q};
    buf_init(&q->line, LINE_MAX_BYTES);
    buf_init(&q->complaint, ERROR_BYTES + 1);
    *queue = q;
    bool is_alone = false;
    bool done = api_store(api, api->options.workspace, false, &store, err) &&
                machine_join(arena_printf(&scratch, "%s-serve", store_path(store)), &q->lock_fd,
                             &is_alone, err) &&
                (!is_alone || store_list_requests(store, &open, &scratch, &rows, &count, err));
    for (size_t i = count; i-- > 0;) tell_queued(q, append(q, rows[i].workspace, &rows[i]));
    arena_close(&scratch);
    if (done) start_next(q);
    return done;
}

/* Whether the child ended in that time; what it says is read, so that it need not wait. A signal
 * that arrives meanwhile ends nothing. */
static bool await_end(struct queue *q, int64_t end_ns)
{
    struct pollfd p = {.fd = q->pid_fd, .events = POLLIN};
    while (poll(&p, 1, 50) <= 0) {
        struct pollfd out = {.fd = q->out_fd, .events = POLLIN};
        if (clock_ns() >= end_ns) return false;
        while (q->out_fd >= 0 && poll(&out, 1, 0) > 0 && read_some(q, q->out_fd)) {
        }
    }
    return true;
}

/* It gets time to store what it has; the rest of the queue stays in the store as it is. */
void queue_park(struct queue *q)
{
    if (!q) return;
    q->is_parked = true;
    if (q->pid) {
        kill(q->pid, SIGTERM);
        if (!await_end(q, clock_ns() + KILL_AFTER_S * INT64_C(1000000000)))
            kill(-q->pid, SIGKILL);
        reap(q, true);
    }
    for (struct entry *e = q->entries; e; e = e->next) tell_waiters(e);
}

void queue_close(struct queue *q)
{
    if (!q) return;
    for (struct entry *e = q->entries; e; e = e->next) arena_close(&e->arena);
    buf_release(&q->line);
    buf_release(&q->complaint);
    if (q->lock_fd >= 0) close(q->lock_fd);
}

static size_t count_of(const struct queue *q, const char *workspace)
{
    size_t n = 0;
    for (const struct entry *e = q->entries; e; e = e->next) {
        n += strcmp(e->r.workspace, workspace) == 0;
    }
    return n;
}

bool queue_add(struct queue *q, const char *workspace, const struct request_record *request,
               struct error *err)
{
    struct store *store = NULL;
    if (q->is_parked) {
        return error_set(err, ERROR_TIMEOUT, "the server is about to stop; try again later");
    }
    if (count_of(q, workspace) >= QUEUE_MAX || q->count >= QUEUE_ALL_MAX) {
        return error_set(err, ERROR_TIMEOUT, "%zu runs wait already; try again later",
                         count_of(q, workspace));
    }
    if (!api_store(q->api, workspace, true, &store, err) ||
        !store_put_request(store, request, err)) {
        return false;
    }
    tell_queued(q, append(q, workspace, request));
    start_next(q);
    return true;
}

int queue_retry_s(const struct queue *q)
{
    return RETRY_S * (int)(q->count > 0 ? 1 : 0) + 1;
}

size_t queue_list(const struct queue *q, const char *workspace, struct arena *out,
                  struct request_record **requests)
{
    size_t n = 0;
    *requests = arena_new(out, struct request_record, q->count + 1);
    for (const struct entry *e = q->entries; e; e = e->next) {
        if (strcmp(e->r.workspace, workspace) == 0) (*requests)[n++] = e->r;
    }
    return n;
}

/* An interrupted run ends too, and is partial too: the difference shows only before that. The
 * end of an earlier part, from which this one went on, is not its own. */
static bool had_ended(struct queue *q, struct entry *e)
{
    struct run_record run;
    return find_run(q, e, &run) && run.status != RUN_RUNNING && run.ended_ns >= q->began_ns;
}

bool queue_cancel(struct queue *q, const char *workspace, const char *id)
{
    struct entry *e = find(q, id);
    if (!e || strcmp(e->r.workspace, workspace) != 0) return false;
    e->is_cancelled = true;
    if (e != q->entries || !q->pid) {
        leave(q, e, REQUEST_CANCELLED);
    } else {
        e->had_ended = had_ended(q, e);
        /* The run ends its own children in good order; what does not end is killed. */
        kill(q->pid, SIGTERM);
        http_server_set_alarm(q->api->server, &q->kill,
                              clock_ns() + KILL_AFTER_S * INT64_C(1000000000));
    }
    return true;
}

bool queue_wait(struct queue *q, const char *id, struct queue_waiter *waiter)
{
    struct entry *e = find(q, id);
    if (!e) return false;
    waiter->next = e->waiters;
    e->waiters = waiter;
    return true;
}

void queue_forget(struct queue *q, struct queue_waiter *waiter)
{
    for (struct entry *e = q->entries; e; e = e->next) {
        for (struct queue_waiter **at = &e->waiters; *at; at = &(*at)->next) {
            if (*at != waiter) continue;
            *at = waiter->next;
            return;
        }
    }
}

bool queue_is_idle(const struct queue *q)
{
    return q->count == 0 && machine_is_free(MACHINE_LOCK);
}
