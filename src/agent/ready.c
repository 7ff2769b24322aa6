#include "agent/ready.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_MAX = 65535, LOOK_MS = 5 };

static const double within_default_s = 60;
static const double within_most_s = 86400;

static bool take(const struct value *v, struct arena *out, struct ready *ready)
{
    if (v->kind == VALUE_TEXT && v->source.n > 0) {
        ready->line = str_cstr(out, str_trim(v->source));
        return true;
    }
    bool is_port = v->kind == VALUE_INT && v->integer > 0 && v->integer <= PORT_MAX;
    if (is_port) ready->port = (int)v->integer;
    return is_port;
}

bool ready_read(const struct value *v, struct arena *out, struct ready *ready,
                struct error *err)
{
    *ready = (struct ready){.within_ns = (int64_t)(within_default_s * 1e9)};
    if (!v || v->kind == VALUE_NULL || take(v, out, ready)) return true;
    const struct value *line = value_get(v, "line");
    const struct value *port = value_get(v, "port");
    const struct value *within = value_get(v, "within_s");
    const struct value *one = line ? line : port;
    size_t known = (line != NULL) + (port != NULL) + (within != NULL);
    bool is_right = v->kind == VALUE_MAP && known == v->map.count && one && !(line && port) &&
                    take(one, out, ready) && (line ? ready->line != NULL : ready->port > 0);
    if (within) {
        double s = value_is_number(within) ? value_number(within) : 0;
        is_right = is_right && s > 0 && s <= within_most_s;
        ready->within_ns = (int64_t)(s * 1e9);
    }
    return is_right || error_set(err, ERROR_INVALID,
                                 "ready must be a line of text, a port, or {line: TEXT or "
                                 "port: N, within_s: SECONDS}");
}

const char *ready_name(const struct ready *ready, struct arena *out)
{
    return ready->line ? arena_printf(out, "the line '%s'", ready->line)
                       : arena_printf(out, "port %d", ready->port);
}

static bool is_open(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    bool done = connect(fd, (const struct sockaddr *)&to, sizeof to) == 0;
    close(fd);
    return done;
}

bool ready_is_free(const struct ready *ready, struct error *err)
{
    if (!ready->port || !is_open(ready->port)) return true;
    return error_set(err, ERROR_UNAVAILABLE,
                     "port %d, which the agent is to open, is already open: another program or "
                     "another agent has it (give each a port of its own)",
                     ready->port);
}

struct lines {
    char *memory;
    size_t size;
    size_t n;
    bool is_closed;
};

/* Takes what has come; true when the line was among it. */
static bool has_line(struct lines *l, int fd, const char *line)
{
    for (;;) {
        if (l->n == l->size) l->n = 0; /* a line without end is not it */
        ssize_t got = read(fd, l->memory + l->n, l->size - l->n);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) l->is_closed = true;
        if (got <= 0) return false;
        l->n += (size_t)got;
        struct str rest = {l->memory, l->n};
        while (memchr(rest.p, '\n', rest.n)) {
            if (line && str_is(str_trim(str_cut(&rest, '\n')), line)) return true;
            if (!line) str_cut(&rest, '\n');
        }
        memmove(l->memory, rest.p, rest.n);
        l->n = rest.n;
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): lines are read into it */
enum ready_end ready_wait(const struct ready *ready, int from_fd, int pidfd, char *memory,
                          size_t size)
{
    struct lines lines = {.memory = memory, .size = size};
    int64_t deadline_ns = clock_ns() + ready->within_ns;
    if (!ready->line && !ready->port) return READY_YES;
    while (clock_ns() < deadline_ns) {
        struct pollfd fds[] = {{.fd = from_fd, .events = POLLIN},
                               {.fd = pidfd, .events = POLLIN}};
        int wait_ms = ready->port ? LOOK_MS : 100;
        poll(fds, COUNT(fds), wait_ms);
        if (fds[0].revents && has_line(&lines, from_fd, ready->line)) return READY_YES;
        if (ready->port && is_open(ready->port)) return READY_YES;
        if (lines.is_closed || fds[1].revents) return READY_ENDED;
    }
    return READY_LATE;
}
