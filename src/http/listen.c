#include "http/listen.h"

#include "base/str.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, HOST_SIZE = 256 };

static bool split(const char *address, char *host, const char **port, struct error *err)
{
    const char *colon = strrchr(address, ':');
    int64_t number = -1;
    if (!colon || !str_to_int(str_of(colon + 1), &number) || number < 0 || number > 65535) {
        return error_set(err, ERROR_INVALID,
                         "'%s' is not an address; write HOST:PORT, such as 127.0.0.1:8400",
                         address);
    }
    struct str name = {address, (size_t)(colon - address)};
    if (name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']') {
        name = (struct str){name.p + 1, name.n - 2};
    }
    if (name.n == 0 || name.n >= HOST_SIZE) {
        return error_set(err, ERROR_INVALID, "'%s' names no host to listen on", address);
    }
    memcpy(host, name.p, name.n);
    host[name.n] = '\0';
    *port = colon + 1;
    return true;
}

bool listen_open(const char *address, int *fd, struct error *err)
{
    char host[HOST_SIZE];
    const char *port = NULL;
    if (!split(address, host, &port, err)) return false;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed) {
        return error_set(err, ERROR_INVALID, "cannot listen on %s: %s", address,
                         gai_strerror(failed));
    }
    int one = 1;
    *fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool done = *fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                bind(*fd, found->ai_addr, found->ai_addrlen) == 0 && listen(*fd, BACKLOG) == 0;
    if (!done) {
        error_set_errno(err, errno, "cannot listen on %s", address);
        if (*fd >= 0) close(*fd);
        *fd = -1;
    }
    freeaddrinfo(found);
    return done;
}

int listen_port(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a = {0};
    socklen_t size = sizeof a;
    if (getsockname(fd, &a.any, &size) != 0) return 0;
    return ntohs(a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port);
}
