#include "sandbox/child.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/os.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a killed process may take to go away: longer means that the kernel
 * holds it (a dead disk), and we say so rather than wait for ever. */
enum { SWEEP_LIMIT_MS = 5000, SWEEP_PROCESSES = 1024, DRAIN_READS = 64 };

static const int64_t watch_ns = 20000000;

static const char *find_program(const struct child_spec *spec, struct arena *arena)
{
    const char *name = spec->argv[0];
    if (!spec->workdir || name[0] == '/' || !strchr(name, '/')) {
        return os_find_program(name, arena);
    }
    /* The child changes folder first, so that ./x is looked up there. */
    return os_find_program(arena_printf(arena, "%s/%s", spec->workdir, name), arena) ? name
                                                                                     : NULL;
}

bool child_plan_init(struct child_plan *plan, const struct child_spec *spec,
                     struct arena *arena, struct error *err)
{
    *plan = (struct child_plan){.argv = spec->argv, .env = spec->env};
    if (spec->workdir && !os_is_dir(spec->workdir)) {
        return error_set(err, ERROR_NOT_FOUND, "the working folder '%s' does not exist",
                         spec->workdir);
    }
    plan->file = find_program(spec, arena);
    if (!plan->file) {
        bool is_path = strchr(spec->argv[0], '/');
        const char *file = spec->workdir && spec->argv[0][0] != '/'
                               ? arena_printf(arena, "%s/%s", spec->workdir, spec->argv[0])
                               : spec->argv[0];
        bool is_there = is_path && os_exists(file) && !os_is_dir(file);
        return error_set(err, ERROR_NOT_FOUND, "command '%s' %s%s", spec->argv[0],
                         is_there ? "is not executable (use chmod +x)" : "not found",
                         is_path ? "" : " on PATH");
    }
    plan->starter = spec->starter;
    plan->is_ready = true;
    if (plan->starter) {
        plan->program = (struct starter_program){
            .file = plan->file,
            .folder = spec->workdir,
            .argv = spec->argv,
            .env = spec->env,
            .fds = {spec->stdin_fd, spec->stdout_fd, spec->stderr_fd, spec->extra_fd},
        };
        return true;
    }
    posix_spawn_file_actions_init(&plan->actions);
    posix_spawnattr_init(&plan->attributes);
    int failed = posix_spawn_file_actions_adddup2(&plan->actions, spec->stdin_fd, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&plan->actions, spec->stdout_fd, 1);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&plan->actions, spec->stderr_fd, 2);
    if (!failed && spec->extra_fd) { /* after the others: 3 may be one of their sources */
        failed =
            posix_spawn_file_actions_adddup2(&plan->actions, spec->extra_fd, CHILD_EXTRA_FD);
    }
    /* Ours close on exec; those that we were started with may not. */
    if (!failed) {
        failed = posix_spawn_file_actions_addclosefrom_np(
            &plan->actions, CHILD_EXTRA_FD + (spec->extra_fd ? 1 : 0));
    }
    if (!failed && spec->workdir) {
        failed = posix_spawn_file_actions_addchdir_np(&plan->actions, spec->workdir);
    }
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&plan->attributes, &all);
    posix_spawnattr_setsigmask(&plan->attributes, &none);
    posix_spawnattr_setpgroup(&plan->attributes, 0);
    posix_spawnattr_setflags(&plan->attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP);
    if (failed) return error_set_errno(err, failed, "preparing to start '%s'", plan->file);
    return true;
}

void child_plan_release(struct child_plan *plan)
{
    if (plan->starter && plan->starter->loaded == plan) plan->starter->loaded = NULL;
    if (!plan->is_ready) return;
    if (!plan->starter) {
        posix_spawn_file_actions_destroy(&plan->actions);
        posix_spawnattr_destroy(&plan->attributes);
    }
    *plan = (struct child_plan){0};
}

/* One pipe serves all trials: it stays open on our side, and what a child has
 * written is there in full once the child has ended. */
bool child_output_open(struct child_output *o, size_t kept_max, struct error *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return error_set_errno(err, errno, "pipe");
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    char *kept = mmap(NULL, kept_max, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) {
        close(fds[0]);
        close(fds[1]);
        return error_set_errno(err, errno, "%zu bytes for output", kept_max);
    }
    *o = (struct child_output){
        .read_fd = fds[0],
        .write_fd = fds[1],
        .kept = kept,
        .kept_max = kept_max,
    };
    return true;
}

void child_output_close(struct child_output *o)
{
    if (!o->kept) return;
    close(o->read_fd);
    close(o->write_fd);
    munmap(o->kept, o->kept_max);
    *o = (struct child_output){0};
}

/* Empties the pipe. Not for ever: what writes faster than we read must not
 * keep us from looking at the time limit. */
static void drain(struct child_output *o)
{
    for (int reads = 0; reads < DRAIN_READS; reads++) {
        char beyond[16384];
        size_t room = o->kept_max - o->kept_bytes;
        ssize_t n = room > 0 ? read(o->read_fd, o->kept + o->kept_bytes, room)
                             : read(o->read_fd, beyond, sizeof beyond);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        if (room > 0) o->kept_bytes += (size_t)n;
        o->total_bytes += n;
    }
}

void child_output_clear(struct child_output *o)
{
    if (!o->kept) return;
    drain(o);
    o->kept_bytes = 0;
    o->total_bytes = 0;
}

/* Kills it and its process group; it stays to be reaped. */
static void child_end(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* in case it has left its group */
}

/* Why a child must not go on, noted in its result; false = it may. */
static bool is_over(const struct child_plan *plan, int64_t deadline_ns,
                    const struct child_output *output, struct child_result *result)
{
    result->timed_out = deadline_ns > 0 && clock_ns() >= deadline_ns;
    result->has_flooded =
        output && output->ends_child && output->total_bytes > (int64_t)output->kept_max;
    if (result->timed_out || result->has_flooded) return true;
    result->was_stopped = plan->watch.is_over && plan->watch.is_over(plan->watch.context);
    return result->was_stopped;
}

/* How long to wait before is_over must be asked again; false = for ever. */
static bool next_look(const struct child_plan *plan, int64_t deadline_ns, struct timespec *wait)
{
    if (deadline_ns == 0 && !plan->watch.is_over) return false;
    int64_t left_ns = plan->watch.is_over ? watch_ns : INT64_MAX;
    if (deadline_ns > 0 && deadline_ns - clock_ns() < left_ns) {
        left_ns = deadline_ns - clock_ns();
    }
    if (left_ns < 0) left_ns = 0;
    *wait = (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
    return true;
}

/* Waits until the child has ended (it stays to be reaped), or ends it. */
static void await(const struct child_plan *plan, int64_t deadline_ns,
                  struct child_output *output, struct child_result *result)
{
    result->pidfd = (int)syscall(SYS_pidfd_open, result->pid, 0);
    bool was_ended = false;
    for (bool ended = result->pidfd < 0; !ended;) {
        struct pollfd fds[] = {
            {.fd = result->pidfd, .events = POLLIN},
            {.fd = output ? output->read_fd : -1, .events = POLLIN},
        };
        struct timespec wait;
        bool is_limited = !was_ended && next_look(plan, deadline_ns, &wait);
        int ready = ppoll(fds, 2, is_limited ? &wait : NULL, NULL);
        if (output && ready > 0 && fds[1].revents) drain(output);
        ended = ready > 0 && fds[0].revents;
        if (ended || was_ended || (ready > 0 && !fds[1].revents)) continue;
        was_ended = is_over(plan, deadline_ns, output, result);
        if (was_ended) child_end(result->pid);
    }
}

void child_settle(struct child_result *result)
{
    if (result->pidfd > 0) close(result->pidfd);
    result->pidfd = 0;
}

/* ---- by the starter ---- */

static bool load(const struct child_plan *plan)
{
    if (plan->starter->loaded == plan) return true;
    plan->starter->loaded = NULL;
    if (!starter_load(plan->starter, &plan->program, NULL)) return false;
    plan->starter->loaded = plan;
    return true;
}

static void take_reply(const struct child_plan *plan, struct child_result *result)
{
    struct starter_reply reply;
    if (!starter_receive(plan->starter, &reply, NULL)) {
        result->is_lost = true;
        return;
    }
    result->start_errno = reply.start_errno;
    result->status = reply.status;
    result->timed_out = reply.timed_out;
    result->start_ns = reply.start_ns;
    result->end_ns = reply.end_ns;
    result->is_clean = reply.is_clean;
    result->rusage = reply.own;
    result->swept = reply.swept;
}

/* Until the starter has an answer; what is over meanwhile is ended by it. */
static void attend(const struct child_plan *plan, struct child_output *output,
                   struct child_result *result)
{
    bool was_ended = false;
    for (;;) {
        struct pollfd fds[] = {
            {.fd = plan->starter->socket, .events = POLLIN},
            {.fd = output ? output->read_fd : -1, .events = POLLIN},
        };
        struct timespec wait;
        bool is_limited = !was_ended && next_look(plan, 0, &wait);
        int ready = ppoll(fds, 2, is_limited ? &wait : NULL, NULL);
        if (output && ready > 0 && fds[1].revents) drain(output);
        if (ready > 0 && fds[0].revents) return;
        if (was_ended || (ready > 0 && !fds[1].revents)) continue;
        was_ended = is_over(plan, 0, output, result);
        if (was_ended) starter_order(plan->starter, STARTER_KILL, 0);
    }
}

static void run_by_starter(const struct child_plan *plan, int64_t limit_ns,
                           struct child_output *output, struct child_result *result)
{
    result->start_errno = fault_at("spawn");
    if (result->start_errno) return;
    result->is_lost = !load(plan) || !starter_order(plan->starter, STARTER_RUN, limit_ns);
    if (result->is_lost) return;
    attend(plan, output, result);
    take_reply(plan, result);
    if (output) drain(output);
}

int child_probe(const struct child_plan *plan)
{
    struct starter_reply reply;
    if (!load(plan) || !starter_order(plan->starter, STARTER_PROBE, 0) ||
        !starter_receive(plan->starter, &reply, NULL)) {
        return ECONNRESET;
    }
    return reply.start_errno;
}

int child_start(const struct child_plan *plan, int *pidfd)
{
    struct starter_reply reply;
    int fault = fault_at("spawn");
    if (fault) return fault;
    *pidfd = -1;
    if (!load(plan) || !starter_order(plan->starter, STARTER_START, 0) ||
        !starter_receive(plan->starter, &reply, pidfd)) {
        return ECONNRESET;
    }
    return reply.start_errno;
}

void child_stop(const struct child_plan *plan, struct child_result *result)
{
    *result = (struct child_result){0};
    if (starter_order(plan->starter, STARTER_END, 0)) {
        take_reply(plan, result);
    } else {
        result->is_lost = true;
    }
}

void child_usage(const struct child_result *result, struct usage *usage)
{
    *usage = (struct usage){.is_set = true, .read_bytes = -1, .write_bytes = -1};
    usage_add_rusage(usage, &result->rusage);
    usage_add_rusage(usage, &result->swept);
}

/* ---- by us ---- */

static int spawn(const struct child_plan *plan, pid_t *pid)
{
    /* posix_spawn takes char *const[] for C's historical reasons and writes
     * nothing. */
    union {
        const char *const *in;
        char *const *out;
    } argv = {.in = plan->argv}, env = {.in = plan->env};
    int fault = fault_at("spawn");
    if (fault) return fault;
    return posix_spawn(pid, plan->file, &plan->actions, &plan->attributes, argv.out,
                       plan->env ? env.out : environ);
}

void child_run(const struct child_plan *plan, int64_t limit_ns, struct child_output *output,
               struct child_result *result)
{
    *result = (struct child_result){0};
    if (plan->starter) {
        run_by_starter(plan, limit_ns, output, result);
        return;
    }
    int64_t deadline_ns = limit_ns > 0 ? clock_ns() + limit_ns : 0;
    result->start_errno = spawn(plan, &result->pid);
    if (result->start_errno) return;
    if (deadline_ns > 0 || output || plan->watch.is_over) {
        await(plan, deadline_ns, output, result);
    }
    while (wait4(result->pid, &result->status, 0, &result->rusage) < 0 && errno == EINTR) {
    }
    if (output) drain(output);
}

int child_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_adopt(struct error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) return true;
    return error_set_errno(err, errno, "becoming a child subreaper");
}

/* Reaps what has ended; true if something is still running. */
static bool reap_ended(void)
{
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid == 0) return true;
        if (pid < 0 && errno != EINTR) return false;
    }
}

bool child_sweep(struct error *err)
{
    int64_t deadline_ns = 0;
    while (reap_ended()) {
        int64_t now_ns = clock_ns();
        if (deadline_ns == 0) deadline_ns = now_ns + (int64_t)SWEEP_LIMIT_MS * 1000000;
        if (now_ns > deadline_ns) {
            return error_set(err, ERROR_FAILED,
                             "a process of the command is still running %d ms after SIGKILL",
                             SWEEP_LIMIT_MS);
        }
        pid_t left[SWEEP_PROCESSES];
        size_t n = proc_descendants(getpid(), left, COUNT(left));
        for (size_t i = 0; i < n; i++) kill(left[i], SIGKILL);
        clock_sleep_until(now_ns + 200000);
    }
    return true;
}
