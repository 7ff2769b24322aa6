#include "sandbox/contain.h"

#include "base/os.h"
#include "base/proc.h"
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MAX = 4096, ERRORS_MOST = 1 << 20, ERRORS_KEPT = 1 << 16 };

static const double megabyte = 1e6;
/* The kernel charges in batches, 256 kB for each processor: less is noise. */
static const int64_t excursion_least_bytes = 1 << 20;

/* ---- opening ---- */

/* The kernel takes only a process without other threads to another mount
 * namespace. Ours has none, unless a sanitizer's runtime started one. */
static bool may_change_namespaces(struct error *why)
{
    struct proc_stat self;
    if (!proc_read_stat(getpid(), &self) || self.threads <= 1) return true;
    return error_set(why, ERROR_UNAVAILABLE, "the keeper has %lld threads",
                     (long long)self.threads);
}

static bool open_namespaces(struct contain *c, const struct contain_spec *spec,
                            struct error *err)
{
    struct guard_spec guard = {spec->real_dirs, &c->cgroup, spec->unenforced};
    struct error why = {0};
    if (!may_change_namespaces(&why) || !guard_start(&c->guard, &guard, &why)) {
        if (why.code != ERROR_UNAVAILABLE) return error_set(err, why.code, "%s", why.text);
        buf_printf(
            spec->unenforced,
            "Files that the agent leaves outside of TMPDIR stay, and a process of it may "
            "outlive a killed keeper (%s). ",
            why.text);
        return true;
    }
    c->guard_fd = (int)syscall(SYS_pidfd_open, c->guard.pid, 0);
    c->cwd_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool done = c->guard_fd > 0 && c->cwd_fd > 0;
    for (size_t i = 0; i < GUARD_NAMESPACES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", guard_namespaces[i]);
        c->own_fds[i] = open(path, O_RDONLY | O_CLOEXEC);
        done = done && c->own_fds[i] > 0;
    }
    return done || error_set_errno(err, errno, "looking up our namespaces");
}

static void set_limits(struct contain *c, struct buf *unenforced)
{
    const struct agent_limits *l = &c->limits;
    bool has_memory = cgroup_limit_memory(&c->cgroup, l->memory_bytes);
    /* We are inside too, and count. */
    int64_t processes = l->processes ? l->processes + 1 : 0;
    bool has_pids = cgroup_limit_processes(&c->cgroup, processes);
    c->looks_at_memory = l->memory_bytes > 0 && !has_memory;
    c->looks_at_processes = l->processes > 0 && !has_pids;
    if (c->looks_at_memory) {
        buf_text(unenforced,
                 "Memory is looked at every 20 ms (no memory cgroup): a shorter peak "
                 "beyond the limit may pass. ");
    }
    if (c->looks_at_processes) {
        buf_text(unenforced,
                 "Processes are counted every 20 ms (no pids cgroup): for that long "
                 "there may be more than the limit. ");
    }
}

static void open_score(struct contain *c)
{
    c->oom_fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    if (c->oom_fd > 0 && pread(c->oom_fd, c->oom_before, sizeof c->oom_before - 1, 0) <= 0) {
        close(c->oom_fd);
        c->oom_fd = 0;
    }
}

bool contain_open(struct contain *c, const struct contain_spec *spec, struct arena *arena,
                  struct error *err)
{
    *c =
        (struct contain){.is_open = true, .limits = spec->limits, .errors_fd = spec->errors_fd};
    getrlimit(RLIMIT_DATA, &c->data_before);
    getrlimit(RLIMIT_CORE, &c->core_before);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, c->core_before.rlim_max}); /* no core files */
    open_score(c);
    if (!child_adopt(err)) return false;
    if (!spec->is_off) {
        cgroup_open(&c->cgroup, arena);
        if (!open_namespaces(c, spec, err)) return false;
        cgroup_enter(&c->cgroup);
    } else {
        buf_text(spec->unenforced,
                 "Files that the agent leaves outside of TMPDIR stay, and a "
                 "process of it may outlive a killed keeper (contain: off). ");
    }
    set_limits(c, spec->unenforced);
    return c->guard.pid || os_make_temp_dir("assay-agent", arena, &c->temp_dir, err);
}

void contain_close(struct contain *c)
{
    if (!c->is_open) return;
    cgroup_leave(&c->cgroup);
    guard_end(&c->guard); /* ends what is left; removes the cgroup, too */
    cgroup_close(&c->cgroup);
    if (c->temp_dir) os_remove_tree(c->temp_dir);
    int fds[] = {c->guard_fd,   c->cwd_fd,     c->oom_fd,
                 c->own_fds[0], c->own_fds[1], c->own_fds[2]};
    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] > 0) close(fds[i]);
    }
    setrlimit(RLIMIT_CORE, &c->core_before);
    *c = (struct contain){0};
}

/* ---- entering ---- */

/* When memory runs out, in the cgroup or on the machine, the agent's processes
 * are to be ended, not we: they inherit the highest score, we take it off. */
static void set_score(const struct contain *c, const char *score)
{
    ssize_t n = c->oom_fd > 0 ? pwrite(c->oom_fd, score, strlen(score), 0) : 0;
    (void)n; /* a wish */
}

/* How much of what RLIMIT_DATA counts is ours: size resident shared text lib
 * data, in pages (proc(5)). */
static rlim_t own_data_bytes(void)
{
    struct arena scratch = arena_open();
    struct str line = os_read_line("/proc/self/statm", &scratch);
    int64_t pages = 0;
    for (int i = 0; i < 5; i++) str_cut(&line, ' ');
    bool is_known = str_to_int(str_cut(&line, ' '), &pages);
    arena_close(&scratch);
    return is_known ? (rlim_t)(pages * sysconf(_SC_PAGESIZE)) : RLIM_INFINITY / 2;
}

/* Where memory is only looked at, twice the limit is a wall between two looks.
 * The soft limit alone: we could not raise the hard one again. */
static void set_wall(const struct contain *c, bool is_up)
{
    if (!c->looks_at_memory) return;
    struct rlimit wall = c->data_before;
    rlim_t bytes = (rlim_t)c->limits.memory_bytes * 2;
    if (is_up) bytes += own_data_bytes(); /* it holds for us, too, until we leave */
    if (is_up && (wall.rlim_cur == RLIM_INFINITY || wall.rlim_cur > bytes)) {
        wall.rlim_cur = bytes;
    }
    setrlimit(RLIMIT_DATA, &wall);
}

bool contain_enter(struct contain *c, struct error *err)
{
    set_wall(c, true);
    set_score(c, "1000");
    c->is_inside = true;
    if (!c->guard.pid || setns(c->guard_fd, guard_namespace_flags) == 0) return true;
    return error_set_errno(err, errno, "entering the agent's namespaces");
}

bool contain_leave(struct contain *c, struct error *err)
{
    if (!c->is_inside) return true;
    set_wall(c, false);
    set_score(c, c->oom_before);
    bool done = true;
    for (size_t i = 0; i < GUARD_NAMESPACES && c->guard.pid; i++) {
        done &= setns(c->own_fds[i], 0) == 0;
    }
    if (done && c->guard.pid) done = fchdir(c->cwd_fd) == 0; /* setns went to the root */
    if (!done) return error_set_errno(err, errno, "leaving the agent's namespaces");
    c->is_inside = false;
    return true;
}

void contain_has_started(void *contain)
{
    /* A failure is found out by the next contain_leave. */
    bool done = contain_leave(contain, NULL);
    (void)done;
}

/* ---- limits ---- */

void contain_begin(struct contain *c, bool is_first)
{
    c->seen_bytes = c->seen_processes = 0;
    c->is_peak_fresh = cgroup_reset_peak(&c->cgroup);
    if (!is_first) return; /* the counts go on from the last judgement */
    c->base_bytes = cgroup_read(&c->cgroup, CGROUP_MEMORY_NOW);
    c->kills = cgroup_read(&c->cgroup, CGROUP_MEMORY_KILLS);
    c->refusals = cgroup_read(&c->cgroup, CGROUP_PIDS_REFUSED);
}

/* Much on standard error is no failure: its end is kept, and the room before it given
 * back to the disk. Where the file system cannot do that, all of it. */
static void cut_errors(const struct contain *c)
{
    struct stat st;
    if (c->errors_fd <= 0 || fstat(c->errors_fd, &st) != 0 || st.st_size <= ERRORS_MOST) return;
    int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    bool is_cut = (int64_t)st.st_blocks * 512 <= ERRORS_MOST ||
                  fallocate(c->errors_fd, how, 0, st.st_size - ERRORS_KEPT) == 0 ||
                  ftruncate(c->errors_fd, 0) == 0;
    (void)is_cut;
}

static void look(struct contain *c)
{
    cut_errors(c);
    if (!c->looks_at_memory && !c->looks_at_processes) return;
    pid_t pids[LOOK_MAX];
    size_t n = proc_descendants(getpid(), pids, COUNT(pids));
    int64_t bytes = 0;
    int64_t processes = 0;
    for (size_t i = 0; i < n; i++) {
        struct proc_stat stat;
        if (pids[i] == c->guard.pid || !proc_read_stat(pids[i], &stat)) continue;
        bytes += stat.rss_bytes;
        processes++;
    }
    if (bytes > c->seen_bytes) c->seen_bytes = bytes;
    if (processes > c->seen_processes) c->seen_processes = processes;
}

static bool is_beyond(int64_t seen, int64_t limit)
{
    return limit > 0 && seen > limit;
}

bool contain_is_over(void *contain)
{
    struct contain *c = contain;
    look(c);
    return (c->looks_at_memory && is_beyond(c->seen_bytes, c->limits.memory_bytes)) ||
           (c->looks_at_processes && is_beyond(c->seen_processes, c->limits.processes));
}

enum trial_status contain_judge(struct contain *c, struct usage *usage, struct error *err)
{
    const struct agent_limits *l = &c->limits;
    int64_t peak = cgroup_read(&c->cgroup, CGROUP_MEMORY_PEAK);
    if (peak > 0 && c->is_peak_fresh) {
        int64_t now =
            usage->resident_bytes > 0 ? cgroup_read(&c->cgroup, CGROUP_MEMORY_NOW) : -1;
        if (now > 0 && peak - now > excursion_least_bytes &&
            usage->resident_bytes + peak - now > usage->peak_bytes) {
            usage->peak_bytes = usage->resident_bytes + peak - now;
        }
        peak -= c->base_bytes > 0 ? c->base_bytes : 0;
        /* Pages of files that were in memory before are charged to nobody here. */
        usage->group_peak_bytes = peak > usage->peak_bytes ? peak : usage->peak_bytes;
    }
    /* Who has no limit breaks none; each look is 1 us of a session's case. */
    int64_t kills = l->memory_bytes ? cgroup_read(&c->cgroup, CGROUP_MEMORY_KILLS) : c->kills;
    int64_t refusals =
        l->processes ? cgroup_read(&c->cgroup, CGROUP_PIDS_REFUSED) : c->refusals;
    bool was_killed = kills > c->kills;
    bool was_refused = refusals > c->refusals;
    c->kills = kills;
    c->refusals = refusals;
    if (was_killed || (c->looks_at_memory && is_beyond(c->seen_bytes, l->memory_bytes))) {
        error_set(err, ERROR_FAILED, "needs more memory than the limit of %g MB",
                  (double)l->memory_bytes / megabyte);
    } else if (was_refused ||
               (c->looks_at_processes && is_beyond(c->seen_processes, l->processes))) {
        error_set(err, ERROR_FAILED, "wants more processes than the limit of %lld",
                  (long long)l->processes);
    } else {
        return TRIAL_OK;
    }
    return TRIAL_LIMIT_BREACHED;
}

bool contain_sweep(struct contain *c, pid_t group, struct usage *usage, struct error *err)
{
    return c->guard.pid ? guard_sweep(&c->guard, usage, err) : child_sweep(group, usage, err);
}

int64_t contain_cpu_ns(const struct contain *c)
{
    struct timespec own;
    int64_t all_ns = cgroup_read(&c->cgroup, CGROUP_CPU_USED);
    if (all_ns < 0) return -1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    return all_ns - ((int64_t)own.tv_sec * 1000000000 + own.tv_nsec);
}
