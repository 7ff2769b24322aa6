/* The load generator against wrk, and against the truth.
 *
 * Speed: nginx on one processor, the generator on another, 50 connections kept open, as many
 * requests as come. In each of ten blocks ours and wrk take turns, wrk twice: against itself
 * it shows how much of a ratio is this machine. Processor time is that of the whole child
 * process, as the kernel counted it; ours records every latency in three histograms and
 * checks every status.
 *
 * Truth: the stub stalls for 100 ms once a second and needs no time otherwise. Requests that
 * are due evenly find the stall with a probability of 0.1 and then wait for what is left of
 * it, so 1 % wait for more than 100 ms - 0.01 s = 90 ms: the 99th percentile, whatever the
 * rate. wrk asks again only when it was answered, so a stall costs it one request of each
 * connection; its percentile is printed next to ours. */
#include "load/load.h"
#include "base/clock.h"
#include "base/os.h"
#include "bench/ratio.h"
#include "http/listen.h"
#include "stub/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS = 50, SECONDS = 2, RATE = 1000, STALL_SECONDS = 10 };

struct measured {
    double cpu_s_per_request;
    double per_s;
};

static struct arena arena;

/* ---- processors ---- */

/* The first two that we may use; false with one. */
static bool find_processors(int *one, int *other)
{
    cpu_set_t set;
    int found[2] = {-1, -1};
    size_t n = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++) {
        if (CPU_ISSET(i, &set)) found[n++] = i;
    }
    *one = found[0];
    *other = found[1];
    return n == 2;
}

static void stay_on(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* ---- nginx ---- */

struct nginx {
    pid_t pid;
    int port;
    char folder[64];
};

static bool write_config(const struct nginx *n, struct error *err)
{
    const char *f = n->folder;
    const char *text = arena_printf(
        &arena,
        "daemon off; master_process off; worker_processes 1; pid %s/pid;\n"
        "error_log %s/error.log;\n"
        "events { worker_connections 4096; }\n"
        "http { access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;\n"
        "client_body_temp_path %s/body; proxy_temp_path %s/proxy; fastcgi_temp_path %s/f;\n"
        "uwsgi_temp_path %s/u; scgi_temp_path %s/s;\n"
        "server { listen 127.0.0.1:%d; location / { default_type text/plain;\n"
        "return 200 \"Hello, world\\n\"; } } }\n",
        f, f, f, f, f, f, f, n->port);
    const char *path = arena_printf(&arena, "%s/nginx.conf", f);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return done || error_set_errno(err, errno, "writing %s", path);
}

static bool is_listening(int port)
{
    struct target t;
    struct error err = {0};
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", port);
    if (!target_open(&t, url, &(struct target_terms){0}, &arena, &err)) return false;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is = connect(fd, (struct sockaddr *)&t.address, t.address_len) == 0;
    close(fd);
    return is;
}

static bool nginx_start(struct nginx *n, int processor, struct error *err)
{
    int fd = -1;
    snprintf(n->folder, sizeof n->folder, "/tmp/assay-bench-XXXXXX");
    if (!mkdtemp(n->folder)) return error_set_errno(err, errno, "a folder for nginx");
    if (!listen_open("127.0.0.1:0", &fd, err)) return false;
    n->port = listen_port(fd); /* free a moment ago, and most likely still */
    close(fd);
    if (!write_config(n, err)) return false;
    const char *config = arena_printf(&arena, "%s/nginx.conf", n->folder);
    const char *log = arena_printf(&arena, "%s/error.log", n->folder);
    n->pid = fork();
    if (n->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        stay_on(processor);
        execlp("nginx", "nginx", "-p", n->folder, "-c", config, "-e", log, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 200 && !is_listening(n->port); i++) {
        if (waitpid(n->pid, NULL, WNOHANG) == n->pid) n->pid = 0;
        if (n->pid == 0) return error_set(err, ERROR_FAILED, "nginx ended; see %s", log);
        clock_sleep_until(clock_ns() + 50000000);
    }
    return true;
}

static void nginx_stop(struct nginx *n)
{
    struct os_output out;
    struct error err = {0};
    if (n->pid > 0) {
        kill(n->pid, SIGTERM);
        waitpid(n->pid, NULL, 0);
    }
    const char *const argv[] = {"rm", "-r", n->folder, NULL};
    if (!os_capture(argv, 10000, 100, &arena, &out, &err)) printf("# %s\n", err.text);
}

/* ---- the two generators ---- */

static double children_cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct reported { /* by our child */
    int64_t good, bad;
    double elapsed_s;
};

static struct reported load_here(const char *url)
{
    struct target t;
    struct str request;
    struct load *load = NULL;
    struct load_result r;
    struct error err = {0};
    struct load_plan plan = {.target = &t,
                             .requests = &request,
                             .request_count = 1,
                             .connections = CONNECTIONS,
                             .threads = 1,
                             .timeout_s = 10};
    int64_t start_ns = clock_ns();
    bool done =
        target_open(&t, url, &(struct target_terms){0}, &arena, &err) &&
        target_write(&t, &(struct target_request){0}, &arena, &request, &err) &&
        load_open(&load, &plan, &arena, &err) &&
        load_block(load, &(struct load_block){.schedule = NULL, .length_s = SECONDS}, &r, &err);
    load_close(load);
    if (!done) return (struct reported){.bad = 1};
    return (struct reported){.good = r.counts.ok,
                             .bad = r.counts.sent - r.counts.ok,
                             .elapsed_s = 1e-9 * (double)(clock_ns() - start_ns)};
}

static bool run_ours(const char *url, struct measured *m)
{
    int ends[2];
    struct reported said = {0};
    double before_s = children_cpu_s();
    if (pipe(ends) != 0) return false;
    pid_t pid = fork();
    if (pid == 0) {
        said = load_here(url);
        _exit(write(ends[1], &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
    }
    close(ends[1]);
    bool done = read(ends[0], &said, sizeof said) == (ssize_t)sizeof said;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    if (!done || said.bad > 0 || said.good == 0) return false;
    m->cpu_s_per_request = (children_cpu_s() - before_s) / (double)said.good;
    m->per_s = (double)said.good / said.elapsed_s;
    return true;
}

/* "  23965 requests in 2.02s, 9.89MB read", and no line of errors. */
static bool run_wrk(const char *url, struct measured *m)
{
    const char *const argv[] = {"wrk",
                                "-t1",
                                arena_printf(&arena, "-c%d", CONNECTIONS),
                                arena_printf(&arena, "-d%d", SECONDS),
                                url,
                                NULL};
    struct os_output out = {0};
    struct error err = {0};
    long long count = 0;
    double before_s = children_cpu_s();
    if (!os_capture(argv, 30000, 1 << 16, &arena, &out, &err)) return false;
    const char *text = str_cstr(&arena, out.text);
    const char *line = strstr(text, " requests in ");
    if (!line || strstr(text, "Non-2xx") || strstr(text, "Socket errors")) return false;
    double seconds = strtod(line + 13, NULL);
    while (line > text && line[-1] >= '0' && line[-1] <= '9') line--;
    count = strtoll(line, NULL, 10);
    if (count <= 0 || !(seconds > 0)) return false;
    m->cpu_s_per_request = (children_cpu_s() - before_s) / (double)count;
    m->per_s = (double)count / seconds;
    return true;
}

/* ---- speed ---- */

struct blocks {
    double cpu[BLOCKS], per_s[BLOCKS];
};

static bool take_turns(const char *url, struct blocks by[3])
{
    for (int i = -1; i < BLOCKS; i++) { /* the first one warms up */
        for (int k = 0; k < 3; k++) {
            int who = (i + 1 + k) % 3; /* 0: ours; 1, 2: wrk */
            struct measured m;
            if (!(who == 0 ? run_ours(url, &m) : run_wrk(url, &m))) {
                printf("bench: load: %s failed MISSED\n", who == 0 ? "ours" : "wrk");
                return false;
            }
            if (i < 0) continue;
            by[who].cpu[i] = m.cpu_s_per_request;
            by[who].per_s[i] = m.per_s;
        }
    }
    return true;
}

/* The lower end of the interval is judged; where wrk against itself is below the limit too,
 * this machine cannot tell, unless ours is below it for sure. */
static void judge_rate(const struct blocks by[3])
{
    const double limit = 0.97;
    static const char what[] = "load: requests/s, ours / wrk";
    struct ratio r = ratio_of(by[0].per_s, by[1].per_s);
    struct ratio noise = ratio_of(by[2].per_s, by[1].per_s);
    if (r.low < limit && r.high >= limit && noise.low < limit) {
        printf("%-58s %.3f [%.3f, %.3f]  bound >= %.2f: UNDECIDED, wrk against itself is down "
               "to %.3f\n",
               what, r.median, r.low, r.high, limit, noise.low);
        return;
    }
    ratio_line(what, r, "bound >= 0.97", r.low >= limit);
}

static void compare_speed(void)
{
    int server = 0;
    int generator = 0;
    struct nginx nginx = {0};
    struct error err = {0};
    static struct blocks by[3];
    if (!os_find_program("wrk", &arena) || !os_find_program("nginx", &arena)) {
        printf("bench: load against wrk: skipped, there is no wrk or no nginx\n");
        return;
    }
    if (!find_processors(&server, &generator)) {
        printf("bench: load against wrk: skipped, it needs two processors\n");
        return;
    }
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    if (!nginx_start(&nginx, server, &err)) {
        printf("bench: load: %s MISSED\n", err.text);
        nginx_stop(&nginx);
        return;
    }
    stay_on(generator);
    const char *url = arena_printf(&arena, "http://127.0.0.1:%d/", nginx.port);
    if (take_turns(url, by)) {
        ratio_at_most("load: CPU per request, ours / wrk (goal 0.80)", by[0].cpu, by[1].cpu,
                      0.9);
        ratio_note("load: CPU per request, wrk / wrk", by[2].cpu, by[1].cpu);
        judge_rate(by);
        printf("load: CPU per request: ours %.2f us, wrk %.2f us; per second: %.0f, %.0f\n",
               1e6 * ratio_median(by[0].cpu, BLOCKS), 1e6 * ratio_median(by[1].cpu, BLOCKS),
               ratio_median(by[0].per_s, BLOCKS), ratio_median(by[1].per_s, BLOCKS));
    }
    nginx_stop(&nginx);
    sched_setaffinity(0, sizeof all, &all);
}

/* ---- truth ---- */

static void verdict(const char *what, bool is_met, const struct load_result *r)
{
    bool is_sound = r->verdict == GENERATOR_OK;
    printf("%-58s %s%s\n", what,
           is_met     ? "met"
           : is_sound ? "MISSED"
                      : "UNDECIDED: ",
           is_met || is_sound ? "" : r->reason);
}

/* Latency that wrk calls the 99th percentile, in ms: "     99%   90.12ms". */
static double wrk_p99_ms(const char *url)
{
    const char *const argv[] = {"wrk",
                                "-t1",
                                arena_printf(&arena, "-c%d", CONNECTIONS),
                                arena_printf(&arena, "-d%d", STALL_SECONDS),
                                "--latency",
                                "-s",
                                "bench/stub.lua",
                                url,
                                NULL};
    struct os_output out = {0};
    struct error err = {0};
    if (!os_find_program("wrk", &arena) ||
        !os_capture(argv, 60000, 1 << 16, &arena, &out, &err))
        return NAN;
    const char *line = strstr(str_cstr(&arena, out.text), " 99%");
    if (!line) return NAN;
    char *unit = NULL;
    double value = strtod(line + 4, &unit);
    return strncmp(unit, "us", 2) == 0 ? value / 1e3 : *unit == 's' ? value * 1e3 : value;
}

static bool load_stalled(const char *url, struct load_result *r, struct error *err)
{
    static struct target t;
    static struct str request;
    struct target_request asks = {
        .body = S("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}")};
    struct load_plan plan = {.target = &t,
                             .requests = &request,
                             .request_count = 1,
                             .connections = 1000,
                             .threads = 1,
                             .timeout_s = 10};
    struct schedule_plan schedule = schedule_constant(RATE, STALL_SECONDS, &arena);
    struct load *load = NULL;
    bool done =
        target_open(&t, url, &(struct target_terms){0}, &arena, err) &&
        target_write(&t, &asks, &arena, &request, err) &&
        load_open(&load, &plan, &arena, err) &&
        load_block(load, &(struct load_block){.schedule = &schedule, .length_s = STALL_SECONDS},
                   r, err);
    load_close(load);
    return done;
}

static void compare_truth(void)
{
    struct stub_options options = stub_options_default;
    struct stub_process stub;
    struct load_result r = {0};
    struct error err = {0};
    char line[160];
    options.listen = "127.0.0.1:0";
    options.stall_every_s = 1;
    options.stall_s = 0.1;
    double truth_ms = 1e3 * (options.stall_s - 0.01 * options.stall_every_s);
    if (!stub_start(&stub, &options, &err)) {
        printf("bench: load: %s MISSED\n", err.text);
        return;
    }
    clock_sleep_until(clock_ns() + 1200000000); /* the first period has no stall */
    const char *url =
        arena_printf(&arena, "http://127.0.0.1:%d/v1/chat/completions", stub.port);
    if (!load_stalled(url, &r, &err)) {
        printf("bench: load: %s MISSED\n", err.text);
    } else {
        double p99_ms = 1e-6 * (double)hdr_percentile(&r.response, 99);
        double lag_ms = 1e-6 * (double)hdr_percentile(&r.lag, 99);
        double sent_per_s = (double)r.counts.sent / STALL_SECONDS;
        snprintf(line, sizeof line,
                 "load: p99 of stalls %.1f ms, true %.1f (wrk: %.1f); 5 %%:", p99_ms, truth_ms,
                 wrk_p99_ms(url));
        verdict(line, fabs(p99_ms / truth_ms - 1) <= 0.05, &r);
        snprintf(line, sizeof line, "load: lag p99 %.3f ms; below 1 ms:", lag_ms);
        verdict(line, lag_ms < 1, &r);
        snprintf(line, sizeof line, "load: %.1f requests/s of %d; 0.1 %%:", sent_per_s, RATE);
        verdict(line, fabs(sent_per_s / RATE - 1) <= 0.001, &r);
    }
    stub_stop(&stub);
}

int main(void)
{
    arena = arena_open();
    compare_speed();
    compare_truth();
    arena_close(&arena);
    return 0;
}
