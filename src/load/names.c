/* One lock for all processes. It is robust: who is killed while it resolves leaves no half an
 * entry behind, since an entry counts only when it is complete. */
#include "load/names.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/mman.h>

struct names {
    pthread_mutex_t lock;
    names_resolver *resolver;
    size_t count;
    struct {
        char host[NAMES_LENGTH_MAX + 1];
        struct names_address address;
    } items[NAMES_MAX];
};

static int look_up(const char *host, int flags, struct names_address *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, NULL, &hints, &found);
    if (code != 0) return code;
    memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
    address->length = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

static int ask_system(const char *host, struct names_address *address)
{
    return look_up(host, 0, address);
}

bool names_open(struct names **names, names_resolver *resolver, struct error *err)
{
    pthread_mutexattr_t shared;
    struct names *n =
        mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n == MAP_FAILED) return error_set_errno(err, errno, "memory for host names");
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&n->lock, &shared);
    pthread_mutexattr_destroy(&shared);
    n->resolver = resolver ? resolver : ask_system;
    *names = n;
    return true;
}

void names_close(struct names *names)
{
    if (names) munmap(names, sizeof *names);
}

static bool resolve(names_resolver *resolver, const char *host, struct names_address *address,
                    struct error *err)
{
    int code = resolver(host, address);
    return code == 0 ||
           error_set(err, ERROR_UNAVAILABLE, "host '%s': %s", host, gai_strerror(code));
}

static bool find_or_add(struct names *n, const char *host, struct names_address *address,
                        struct error *err)
{
    for (size_t i = 0; i < n->count; i++) {
        if (strcasecmp(n->items[i].host, host) != 0) continue;
        *address = n->items[i].address;
        return true;
    }
    if (n->count == NAMES_MAX || strlen(host) > NAMES_LENGTH_MAX) {
        return error_set(err, ERROR_INVALID,
                         "host '%s': a command loads at most %d hosts, with names of at most "
                         "%d characters",
                         host, NAMES_MAX, NAMES_LENGTH_MAX);
    }
    if (!resolve(n->resolver, host, address, err)) return false;
    memcpy(n->items[n->count].host, host, strlen(host) + 1);
    n->items[n->count].address = *address;
    n->count++;
    return true;
}

bool names_find(struct names *names, const char *host, struct names_address *address,
                struct error *err)
{
    *address = (struct names_address){0};
    if (look_up(host, AI_NUMERICHOST, address) == 0) return true;
    address->is_of_name = true;
    if (!names) return resolve(ask_system, host, address, err);
    int code = pthread_mutex_lock(&names->lock);
    if (code == EOWNERDEAD) code = pthread_mutex_consistent(&names->lock);
    if (code != 0) return error_set_errno(err, code, "the lock of host names");
    bool done = find_or_add(names, host, address, err);
    pthread_mutex_unlock(&names->lock);
    return done;
}
