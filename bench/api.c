/* What a request costs `assay serve` in processor time, on a store of a million executions.
 *
 * The leaderboard, which is kept while nothing is stored, against a constant answer of the
 * same server (its page): at most 2x. With one insert before each question, which then has to
 * be answered anew: at most 20 ms. The server is a process of its own, and its processor
 * time is read from outside, so that what the client does is not in it; both bodies are
 * checked to be what they should. */
#include "api/api.h"
#include "bench/million.h"
#include "bench/ratio.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 2000, INSERTS = 9, REPLY_MAX = 1 << 20 };

struct client {
    pid_t server;
    int port;
    int fd;
    char reply[REPLY_MAX];
    size_t body; /* where it begins */
};

/* The child serves until it is killed; its port comes through the pipe. */
static void start(struct client *c, const char *url)
{
    int ends[2];
    if (pipe(ends) != 0) million_die("pipe");
    c->server = fork();
    if (c->server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with the benchmark, however that ends */
        struct arena arena = arena_open();
        struct error err = {0};
        struct api *api = NULL;
        struct api_options options = {.listen = "127.0.0.1:0",
                                      .store_url = url,
                                      .workspace = "default",
                                      .assay_version = "bench",
                                      .log_fd = -1};
        int port = api_open(&api, &options, &arena, &err) ? api_port(api) : 0;
        if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
        _exit(port && api_serve(api, -1, &err) ? 0 : 1);
    }
    if (read(ends[0], &c->port, sizeof c->port) != sizeof c->port || !c->port)
        million_die("the server did not start");
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)c->port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0) million_die("connect");
}

/* One request on the open connection; the whole reply is read. */
static size_t get(struct client *c, const char *path)
{
    char request[300];
    int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                     path, c->port);
    if (write(c->fd, request, (size_t)n) != n) million_die("send");
    size_t got = 0;
    size_t end = SIZE_MAX;
    while (got < end) {
        ssize_t more = read(c->fd, c->reply + got, sizeof c->reply - 1 - got);
        if (more <= 0) million_die("the connection was closed");
        got += (size_t)more;
        c->reply[got] = '\0';
        const char *blank = strstr(c->reply, "\r\n\r\n");
        const char *length = strstr(c->reply, "Content-Length: ");
        if (end != SIZE_MAX || !blank || !length) continue;
        c->body = (size_t)(blank + 4 - c->reply);
        end = c->body + (size_t)strtoul(length + 16, NULL, 10);
    }
    if (strncmp(c->reply, "HTTP/1.1 200", 12) != 0) million_die(c->reply);
    return got - c->body;
}

static double cpu_s(const struct client *c)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(c->server, &clock) != 0 || clock_gettime(clock, &t) != 0)
        million_die("processor time");
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_of(struct client *c, const char *path, int requests)
{
    double before = cpu_s(c);
    for (int i = 0; i < requests; i++) get(c, path);
    return (cpu_s(c) - before) / requests;
}

static bool compare_with_constant(struct client *c)
{
    static const char *const paths[] = {"/benchmarks/leaderboard", "/"};
    double cost[2][BLOCKS];
    size_t bytes[2] = {get(c, paths[0]), get(c, paths[1])};
    for (int i = 0; i < BLOCKS; i++) {
        for (int k = 0; k < 2; k++) {
            int which = (i + k) % 2;
            cost[which][i] = cpu_of(c, paths[which], REQUESTS);
        }
    }
    struct ratio r = ratio_of(cost[0], cost[1]);
    char what[120];
    snprintf(what, sizeof what, "CPU of the leaderboard (%zu B) / a constant answer (%zu B)",
             bytes[0], bytes[1]);
    ratio_line(what, r, "<= 2", r.median <= 2);
    printf("  %.1f us and %.1f us a request\n", 1e6 * ratio_median(cost[0], BLOCKS),
           1e6 * ratio_median(cost[1], BLOCKS));
    return r.median <= 2;
}

static bool ask_after_inserts(struct client *c, struct store *store)
{
    static const char all[] = "/benchmarks/leaderboard?limit=0"; /* with the one that changes */
    double cost[INSERTS];
    for (int i = 0; i < INSERTS; i++) {
        char before[64];
        get(c, all);
        snprintf(before, sizeof before, "%s", strstr(c->reply, "ETag: "));
        million_insert(store);
        usleep(5000); /* the server looks for what is new at most once in a millisecond */
        cost[i] = cpu_of(c, all, 1);
        if (strncmp(before, strstr(c->reply, "ETag: "), 24) == 0) million_die("an old answer:");
    }
    double median = ratio_median(cost, INSERTS);
    printf("%-58s %.2f ms [%.2f, %.2f]  <= 20 ms: %s\n",
           "CPU of the first question after an insert", 1e3 * median, 1e3 * cost[0],
           1e3 * cost[INSERTS - 1], median <= 0.02 ? "met" : "MISSED");
    return median <= 0.02;
}

int main(void)
{
    struct arena arena = arena_open();
    const char *dir = NULL;
    const char *url = NULL;
    struct store *store = million_open(&arena, &dir, &url);
    struct client *c = arena_new(&arena, struct client, 1);
    start(c, url);
    bool met = compare_with_constant(c);
    met = ask_after_inserts(c, store) && met;
    kill(c->server, SIGKILL);
    waitpid(c->server, NULL, 0);
    store_close(store);
    os_remove_tree(dir);
    arena_close(&arena);
    return met ? 0 : 1;
}
