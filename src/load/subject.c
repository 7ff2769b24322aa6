#include "load/subject.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOK_NS = 10000000, PIDS_MAX = CPU_TALLY_MAX, UNSAID_MAX = 4096 };
static const int64_t ready_ns = 30000000000;
static const int64_t restart_ns = 100000000;

/* ---- its processes ---- */

static size_t list_processes(const struct subject *s, pid_t *pids)
{
    size_t n = s->starter.pid > 0 ? proc_descendants(s->starter.pid, pids, PIDS_MAX) : 0;
    for (size_t i = 0; i < s->root_count && n < PIDS_MAX; i++)
        n += proc_descendants(s->roots[i], pids + n, PIDS_MAX - n);
    return n;
}

/* `at` gets the moment; NULL: nobody asks. */
static void signal_all(const struct subject *s, int number, _Atomic int64_t *at)
{
    pid_t pids[PIDS_MAX];
    size_t n = list_processes(s, pids);
    if (at) atomic_store(at, clock_ns());
    for (size_t i = 0; i < n; i++) kill(pids[i], number);
}

static bool is_running(const struct subject *s)
{
    struct pollfd p = {.fd = s->pidfd, .events = POLLIN};
    return s->pidfd >= 0 && poll(&p, 1, 0) == 0;
}

static bool takes_connections(const struct subject *s)
{
    const struct target *t = s->target;
    int fd = socket(t->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    bool does = connect(fd, (const struct sockaddr *)&t->address, t->address_len) == 0;
    close(fd);
    return does;
}

static bool start(struct subject *s, struct error *err)
{
    struct arena memory = s->memory; /* what the start before took is free again */
    child_plan_release(&s->plan);
    s->next_start_ns = clock_ns() + restart_ns;
    if (!child_plan_init(&s->plan, &s->spec, &memory, err)) return false;
    int code = child_start(&s->plan, &s->pidfd);
    if (code == 0) return true;
    s->pidfd = -1;
    return error_set_errno(err, code, "the server cannot be started");
}

/* Whatever is left of it, too. */
static void stop(struct subject *s)
{
    struct child_result result;
    if (s->pidfd < 0) return;
    child_stop(&s->plan, &result);
    close(s->pidfd);
    s->pidfd = -1;
}

/* ---- memory, by the kernel ---- */

/* All or none: a limit that only some have is none. */
static void take_groups(struct subject *s, const struct subject_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (!groups->items[i] || !groups->items[i]->own[CGROUP_MEMORY]) return;
    }
    s->groups = *groups;
}

static int64_t count_kills(const struct subject *s)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        int64_t n = cgroup_read(s->groups.items[i], CGROUP_MEMORY_KILLS);
        sum += n > 0 ? n : 0;
    }
    return sum;
}

/* As if each had as much as the largest: who reads a file first is charged for all, and a limit
 * is shared equally. */
static int64_t use_of_groups(const struct subject *s, enum cgroup_reading what)
{
    int64_t most = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        int64_t n = cgroup_read(s->groups.items[i], what);
        if (n > most) most = n;
    }
    return most * (int64_t)s->groups.count;
}

/* False where one refuses. */
static bool limit_groups(struct subject *s, int64_t bytes)
{
    bool done = true;
    for (size_t i = 0; i < s->groups.count; i++)
        done = cgroup_limit_memory(s->groups.items[i], bytes) && done;
    return done;
}

static int64_t share_of_limit(const struct subject *s)
{
    int64_t usual = s->groups.usual_bytes;
    int64_t share = s->memory_limit_bytes / (int64_t)s->groups.count;
    return usual > 0 && usual < share ? usual : share;
}

static void begin_groups(struct subject *s)
{
    s->is_squeezed = false;
    s->group_bytes = 0;
    s->has_fresh_peak = s->groups.count > 0;
    for (size_t i = 0; i < s->groups.count; i++)
        s->has_fresh_peak &= cgroup_reset_peak(s->groups.items[i]);
    s->kills_before = count_kills(s);
    if (s->groups.count == 0) s->use.group_mb = s->use.memory_kills = NAN;
}

/* Version 1 refuses a limit that is below what is held: then they must go. */
static void squeeze(struct subject *s)
{
    if (s->memory_limit_bytes == 0 || s->is_squeezed) return;
    s->is_squeezed = limit_groups(s, share_of_limit(s));
    if (s->is_squeezed) return;
    signal_all(s, SIGKILL, NULL);
    s->use.memory_kills++;
}

static void end_groups(struct subject *s)
{
    if (s->groups.count == 0) return;
    if (s->has_fresh_peak) s->group_bytes = use_of_groups(s, CGROUP_MEMORY_PEAK);
    s->use.group_mb = (double)s->group_bytes / 1e6;
    s->use.memory_kills += (double)(count_kills(s) - s->kills_before);
    if (s->memory_limit_bytes > 0 && !limit_groups(s, s->groups.usual_bytes))
        s->groups.count = 0; /* cannot be: a limit can always be raised */
}

/* ---- start and end ---- */

static void quote_last_line(const struct subject *s, struct error *err)
{
    char text[200];
    off_t size = lseek(s->errors_fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof text - 1 ? size - ((off_t)sizeof text - 1) : 0;
    ssize_t n = pread(s->errors_fd, text, sizeof text - 1, from);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) n--;
    if (n <= 0) return;
    text[n] = '\0';
    const char *line = strrchr(text, '\n');
    struct error because = *err;
    error_set(err, because.code, "%s; it said: %s", because.text, line ? line + 1 : text);
}

static bool wait_until_ready(struct subject *s, struct error *err)
{
    for (int64_t deadline_ns = clock_ns() + ready_ns; clock_ns() < deadline_ns;) {
        if (takes_connections(s)) return true;
        if (!is_running(s)) {
            error_set(err, ERROR_UNAVAILABLE, "the server ended before it took a connection");
            quote_last_line(s, err);
            return false;
        }
        clock_sleep_until(clock_ns() + LOOK_NS);
    }
    error_set(err, ERROR_UNAVAILABLE, "the server did not take a connection at %s within 30 s",
              s->target->authority);
    quote_last_line(s, err);
    return false;
}

/* Ours, with our own folder at the end of PATH: `serve: assay stub ...` is found wherever assay
 * is. */
static const char *const *environment(struct arena *out)
{
    size_t count = 0;
    while (environ[count]) count++;
    const char **env = arena_new(out, const char *, count + 2);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!str_starts(str_of(environ[i]), S("PATH="))) env[n++] = environ[i];
    }
    const char *path = getenv("PATH");
    const char *folder = os_program_folder(out);
    if (path || folder) {
        env[n] = arena_printf(out, "PATH=%s%s%s", path ? path : "/usr/bin:/bin",
                              folder ? ":" : "", folder ? folder : "");
    }
    return env;
}

bool subject_open(struct subject *s, const char *command, const struct target *target,
                  const char *work_dir, struct arena *out, struct error *err)
{
    *s = (struct subject){.target = target, .pidfd = -1, .null_fd = -1, .errors_fd = -1};
    if (takes_connections(s)) {
        return error_set(err, ERROR_INVALID,
                         "something takes connections at %s already: end it, or leave the "
                         "server's command out",
                         target->authority);
    }
    const char **argv = arena_new(out, const char *, 4);
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = command;
    s->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    s->errors_fd =
        open(arena_printf(out, "%s/server.err", work_dir), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->null_fd < 0 || s->errors_fd < 0) {
        subject_close(s);
        return error_set_errno(err, errno, "%s/server.err", work_dir);
    }
    cgroup_open(&s->own_group, out);
    static const char *const none[] = {NULL};
    struct jail_spec jail = {.is_off = true,
                             .writable = none,
                             .hidden = none,
                             .fixed = none,
                             .cgroup = &s->own_group};
    struct buf unsaid;
    buf_init(&unsaid, UNSAID_MAX);
    bool done = starter_open(&s->starter, &jail, &unsaid, err);
    buf_release(&unsaid);
    s->own_list[0] = &s->own_group;
    take_groups(s, &(struct subject_groups){.items = s->own_list, .count = 1});
    s->memory = arena_open();
    s->spec = (struct child_spec){.argv = argv,
                                  .env = environment(out),
                                  .stdin_fd = s->null_fd,
                                  .stdout_fd = s->errors_fd,
                                  .stderr_fd = s->errors_fd,
                                  .starter = &s->starter};
    done = done && start(s, err) && wait_until_ready(s, err);
    if (!done) subject_close(s);
    return done;
}

void subject_adopt(struct subject *s, const pid_t *roots, size_t count,
                   const struct subject_groups *groups)
{
    *s = (struct subject){.roots = roots, .root_count = count, .pidfd = -1};
    take_groups(s, groups);
}

void subject_close(struct subject *s)
{
    if (!s->target) return;
    stop(s);
    child_plan_release(&s->plan);
    starter_close(&s->starter); /* removes the cgroup, too */
    cgroup_close(&s->own_group);
    arena_close(&s->memory);
    if (s->null_fd >= 0) close(s->null_fd);
    if (s->errors_fd >= 0) close(s->errors_fd);
    *s = (struct subject){0};
}

/* ---- minding ---- */

struct look {
    int64_t rss_bytes;
    double threads;
    double files;
    struct cpu_process processes[PIDS_MAX];
    size_t count;
};

static void look_at(const struct subject *s, struct look *l)
{
    pid_t pids[PIDS_MAX];
    size_t n = list_processes(s, pids);
    l->rss_bytes = 0;
    l->threads = l->files = 0;
    l->count = 0;
    for (size_t i = 0; i < n; i++) {
        struct proc_stat stat;
        if (!proc_read_stat(pids[i], &stat)) continue;
        l->rss_bytes += stat.rss_bytes;
        l->threads += (double)stat.threads;
        int64_t files = proc_count_fds(pids[i]);
        l->files += files > 0 ? (double)files : 0;
        l->processes[l->count++] = (struct cpu_process){pids[i], stat.parent, stat.start_ticks,
                                                        stat.own_cpu_s, stat.reaped_cpu_s};
    }
}

/* The resident set that was seen. */
static int64_t note(struct subject *s)
{
    struct subject_use *u = &s->use;
    struct look l;
    look_at(s, &l);
    u->memory_mb = fmax(u->memory_mb, (double)l.rss_bytes / 1e6);
    u->threads = fmax(u->threads, l.threads);
    u->files = fmax(u->files, l.files);
    int64_t group_bytes = use_of_groups(s, CGROUP_MEMORY_NOW);
    if (group_bytes > s->group_bytes) s->group_bytes = group_bytes;
    cpu_tally_look(&s->cpu, l.processes, l.count);
    u->cpu_s = s->cpu.used_s;
    return l.rss_bytes;
}

static void disturb(struct subject *s, int64_t now_ns)
{
    if (s->fault != SUBJECT_NO_FAULT && now_ns >= s->fault_ns) {
        signal_all(s, s->fault == SUBJECT_STOP ? SIGSTOP : SIGKILL, s->fault_at);
        if (s->fault == SUBJECT_KILL) stop(s);
        if (s->fault == SUBJECT_STOP) s->resume_ns = clock_ns() + s->stop_ns;
        s->fault = SUBJECT_NO_FAULT;
    }
    if (s->resume_ns > 0 && now_ns >= s->resume_ns) {
        signal_all(s, SIGCONT, NULL);
        s->resume_ns = 0;
    }
}

/* As a supervisor would. */
static void keep_running(struct subject *s)
{
    struct error ignored = {0};
    if (!s->target || is_running(s)) return;
    if (s->pidfd >= 0) {
        s->use.deaths++;
        stop(s);
    }
    if (clock_ns() >= s->next_start_ns && !start(s, &ignored)) s->pidfd = -1;
}

static void *mind(void *subject)
{
    struct subject *s = subject;
    while (!atomic_load(&s->is_over)) {
        int64_t now_ns = clock_ns();
        disturb(s, now_ns);
        bool is_over = note(s) > s->memory_limit_bytes && s->memory_limit_bytes > 0;
        if (s->groups.count > 0)
            squeeze(s);
        else if (is_over)
            signal_all(s, SIGKILL, NULL);
        keep_running(s);
        clock_sleep_until(now_ns + LOOK_NS);
    }
    if (s->resume_ns > 0) signal_all(s, SIGCONT, NULL);
    return NULL;
}

bool subject_begin(struct subject *s, const struct subject_watch *w, struct error *err)
{
    if (s->target && !is_running(s)) {
        stop(s);
        if (!start(s, err) || !wait_until_ready(s, err)) return false;
    }
    s->use = (struct subject_use){0};
    struct look before;
    look_at(s, &before);
    cpu_tally_begin(&s->cpu, before.processes, before.count);
    s->memory_limit_bytes = w->memory_limit_bytes;
    begin_groups(s);
    s->fault = w->fault;
    s->fault_at = w->fault_at;
    s->fault_ns = w->begin_ns + (int64_t)(SUBJECT_FAULT_AT * w->length_s * 1e9);
    s->stop_ns = (int64_t)(SUBJECT_STOP_SHARE * w->length_s * 1e9);
    s->resume_ns = 0;
    atomic_store(&s->is_over, false);
    int code = pthread_create(&s->minder, NULL, mind, s);
    if (code != 0) {
        return error_set(err, ERROR_UNAVAILABLE, "cannot start a thread: %s", strerror(code));
    }
    s->has_minder = true;
    return true;
}

void subject_end(struct subject *s, struct subject_use *use)
{
    if (s->has_minder) {
        atomic_store(&s->is_over, true);
        pthread_join(s->minder, NULL);
        s->has_minder = false;
        note(s);
        end_groups(s);
    }
    *use = s->use;
}
