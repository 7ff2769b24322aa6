#include "world/redis.h"

#include "base/clock.h"
#include "base/library.h"
#include "base/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libhiredis.so.0.14"

enum { ARGS_MAX = 1100, TIMEOUT_MS = 10000, SERVER_WAIT_MS = 10000 };

/* As hiredis 0.14 lays them out, which is what the library's name promises. */
struct context {
    int err;
    char errstr[128];
};

enum { REPLY_STRING = 1, REPLY_ARRAY, REPLY_INTEGER, REPLY_NIL, REPLY_STATUS, REPLY_ERROR };

struct reply {
    int type;
    long long integer;
    size_t len;
    char *str;
    size_t elements;
    struct reply **element;
};

struct redis {
    void *library;
    struct context *context;
    struct reply *reply; /* the last */
    int timeout_ms;
    struct context *(*connect_unix)(const char *path, struct timeval timeout);
    struct context *(*connect_tcp)(const char *host, int port, struct timeval timeout);
    int (*set_timeout)(struct context *c, struct timeval timeout);
    int (*append)(struct context *c, int argc, const char **argv, const size_t *lengths);
    int (*get_reply)(struct context *c, void **reply);
    void (*free_reply)(void *reply);
    void (*free_context)(struct context *c);
    const char *argv[ARGS_MAX];
    size_t lengths[ARGS_MAX];
};

static bool load(struct redis *r, struct error *err)
{
    const struct library_symbol symbols[] = {
        {"redisConnectUnixWithTimeout", &r->connect_unix},
        {"redisConnectWithTimeout", &r->connect_tcp},
        {"redisSetTimeout", &r->set_timeout},
        {"redisAppendCommandArgv", &r->append},
        {"redisGetReply", &r->get_reply},
        {"freeReplyObject", &r->free_reply},
        {"redisFree", &r->free_context},
    };
    return library_load(LIBRARY,
                        "no Redis client library (" LIBRARY ", package libhiredis0.14)",
                        symbols, COUNT(symbols), &r->library, err);
}

static bool connect_to(struct redis *r, const char *at, struct error *err)
{
    struct timeval timeout = {r->timeout_ms / 1000, r->timeout_ms % 1000 * 1000L};
    struct str host = str_of(at);
    int64_t port = 0;
    const char *colon = strrchr(at, ':');
    if (at[0] == '/') {
        r->context = r->connect_unix(at, timeout);
    } else if (colon && str_to_int(str_of(colon + 1), &port) && port > 0 && port < 65536 &&
               colon - at < 256) {
        char name[256];
        host.n = (size_t)(colon - at);
        snprintf(name, sizeof name, "%.*s", STR_ARG(host));
        r->context = r->connect_tcp(name, (int)port, timeout);
    } else {
        return error_set(err, ERROR_INVALID,
                         "'%s' is neither the path of a socket nor HOST:PORT", at);
    }
    if (!r->context || r->context->err)
        return error_set(err, ERROR_UNAVAILABLE, "no Redis server at %s: %s", at,
                         r->context ? r->context->errstr : "no memory");
    struct redis_answer a;
    struct error why = {0};
    r->set_timeout(r->context, timeout);
    return redis_call(r, (struct str[]){S("PING")}, 1, &a, &why) ||
           error_set(err, ERROR_UNAVAILABLE, "no Redis server at %s: %s", at, why.text);
}

bool redis_connect(const char *at, struct arena *arena, struct redis **redis, struct error *err)
{
    return redis_connect_within(at, TIMEOUT_MS, arena, redis, err);
}

bool redis_connect_within(const char *at, int timeout_ms, struct arena *arena,
                          struct redis **out, struct error *err)
{
    struct redis *r = arena_new(arena, struct redis, 1);
    r->timeout_ms = timeout_ms;
    if (!load(r, err) || !connect_to(r, at, err)) {
        redis_close(r);
        return false;
    }
    *out = r;
    return true;
}

void redis_close(struct redis *r)
{
    if (!r) return;
    if (r->reply) r->free_reply(r->reply);
    if (r->context) r->free_context(r->context);
    if (r->library) dlclose(r->library);
    r->reply = NULL;
    r->context = NULL;
    r->library = NULL;
}

void redis_queue(struct redis *r, const struct str *args, size_t count)
{
    CHECK(count <= ARGS_MAX);
    for (size_t i = 0; i < count; i++) {
        r->argv[i] = args[i].p;
        r->lengths[i] = args[i].n;
    }
    r->append(r->context, (int)count, r->argv, r->lengths);
}

static struct redis_answer answer_of(const struct reply *reply)
{
    struct redis_answer a = {.kind = REDIS_NIL};
    switch (reply->type) {
    case REPLY_STRING:
    case REPLY_STATUS:
        a.kind = REDIS_TEXT;
        a.text = (struct str){reply->str, reply->len};
        break;
    case REPLY_INTEGER:
        a.kind = REDIS_INT;
        a.integer = reply->integer;
        break;
    case REPLY_ARRAY:
        a.kind = REDIS_LIST;
        a.count = reply->elements;
        a.source = reply;
        break;
    default: break;
    }
    return a;
}

bool redis_answer(struct redis *r, struct redis_answer *out, struct error *err)
{
    if (r->reply) r->free_reply(r->reply);
    r->reply = NULL;
    void *reply = NULL;
    errno = 0;
    if (r->get_reply(r->context, &reply) != 0 || !reply) {
        if (errno != EAGAIN) return error_set(err, ERROR_IO, "Redis: %s", r->context->errstr);
        return error_set(err, ERROR_IO, "Redis: no answer within %g s", r->timeout_ms / 1e3);
    }
    r->reply = reply;
    if (r->reply->type == REPLY_ERROR)
        return error_set(err, ERROR_FAILED, "Redis: %.*s", (int)r->reply->len, r->reply->str);
    *out = answer_of(r->reply);
    return true;
}

struct redis_answer redis_item(const struct redis_answer *list, size_t i)
{
    CHECK(list->kind == REDIS_LIST && i < list->count);
    const struct reply *reply = list->source;
    return answer_of(reply->element[i]);
}

bool redis_call(struct redis *r, const struct str *args, size_t count, struct redis_answer *out,
                struct error *err)
{
    redis_queue(r, args, count);
    return redis_answer(r, out, err);
}

bool redis_used_memory(struct redis *r, int64_t *bytes, struct error *err)
{
    struct redis_answer a;
    if (!redis_call(r, (struct str[]){S("INFO")}, 1, &a, err)) return false;
    struct str rest = a.text;
    while (rest.p) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        struct str name = str_cut(&line, ':');
        if (str_is(name, "used_memory") && str_to_int(line, bytes)) return true;
    }
    return error_set(err, ERROR_FAILED, "Redis reports no used_memory");
}

/* ---- a server of our own ---- */

static bool answers(const char *socket)
{
    struct arena arena = arena_open();
    struct redis *r = NULL;
    struct error ignored = {0};
    bool does = redis_connect(socket, &arena, &r, &ignored);
    redis_close(r);
    arena_close(&arena);
    return does;
}

/* Ends with us, whatever becomes of us. */
__attribute__((noreturn)) static void become_server(const char *program, const char *folder,
                                                    const char *socket, const char *log,
                                                    pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nowhere = open("/dev/null", O_RDWR);
    int said = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (getppid() != parent || nowhere < 0 || said < 0) _exit(127);
    dup2(nowhere, 0);
    for (int fd = 1; fd < 3; fd++) dup2(said, fd);
    execl(program, program, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700",
          "--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "warning",
          "--dir", folder, (char *)NULL);
    _exit(127);
}

/* ": its last line", or nothing. */
static const char *last_line(const char *log, struct arena *arena)
{
    struct str rest, line, last = {0};
    struct error ignored;
    if (!os_read_file(log, 1 << 20, arena, &rest, &ignored)) return "";
    while (rest.p) {
        line = str_trim(str_cut(&rest, '\n'));
        if (line.n > 0) last = line;
    }
    return last.n > 0 ? arena_printf(arena, ": %.*s", STR_ARG(last)) : "";
}

/* Waits until it answers; false if it has ended or does not. */
static bool wait_for_server(struct redis_server *server, const char *log, struct arena *arena,
                            struct error *err)
{
    int64_t deadline_ns = clock_ns() + (int64_t)SERVER_WAIT_MS * 1000000;
    while (!answers(server->socket)) {
        bool has_ended = waitpid(server->pid, NULL, WNOHANG) == server->pid;
        if (has_ended) server->pid = 0;
        if (has_ended || clock_ns() > deadline_ns) {
            redis_server_stop(server);
            return error_set(err, ERROR_UNAVAILABLE, "redis-server %s%s",
                             has_ended ? "ended at once" : "does not answer",
                             last_line(log, arena));
        }
        clock_sleep_until(clock_ns() + 5000000);
    }
    return true;
}

bool redis_server_start(struct redis_server *server, const char *where, struct arena *arena,
                        struct error *err)
{
    *server = (struct redis_server){0};
    const char *program = os_find_program("redis-server", arena);
    if (!program)
        return error_set(err, ERROR_UNAVAILABLE,
                         "no redis-server on PATH (package redis-server) and none given");
    char
        folder[PATH_MAX]; /* the server changes its own: a relative path would lead elsewhere */
    if (!realpath(where, folder)) return error_set_errno(err, errno, "'%s'", where);
    const char *log = os_path_below(folder, S("redis.log"), arena);
    server->socket = arena_printf(arena, "%s/redis.sock", folder);
    if (strlen(server->socket) >= sizeof((struct sockaddr_un){0}).sun_path)
        return error_set(err, ERROR_UNAVAILABLE, "'%s' is too long for a socket",
                         server->socket);
    struct redis *probe = arena_new(arena, struct redis, 1);
    bool is_loaded = load(probe, err);
    redis_close(probe);
    if (!is_loaded) return false;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) return error_set_errno(err, errno, "starting redis-server");
    if (pid == 0) become_server(program, folder, server->socket, log, parent);
    server->pid = pid;
    return wait_for_server(server, log, arena, err);
}

void redis_server_stop(struct redis_server *server)
{
    if (server->pid <= 0) return;
    kill(server->pid, SIGKILL); /* it has nothing to save */
    while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR) continue;
    server->pid = 0;
}
