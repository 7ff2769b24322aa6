#include "sandbox/contain.h"

#include "base/os.h"
#include "base/proc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MAX = 4096, ERRORS_MOST = 1 << 20, ERRORS_KEPT = 1 << 16 };

static const double megabyte = 1e6;
/* The kernel charges in batches, 256 kB for each processor: less is noise. */
static const int64_t excursion_least_bytes = 1 << 20;
/* The cgroup also counts the last moments of a process, after its account was closed: 1 to
 * 10 us each. More is a process that nobody has waited for. */
static const double unwaited_least_s = 0.001, unwaited_part = 0.02;

/* Of an agent for whom nobody has said how many: the user's quota is the rival's, too, which
 * could not be started once it is used up. */
enum { PROCESSES_USUAL = 512 };

/* ---- opening ---- */

static void set_limits(struct contain *c, struct buf *unenforced)
{
    const struct agent_limits *l = &c->limits;
    bool has_memory = cgroup_limit_memory(&c->cgroup, l->memory_bytes);
    /* The starter is inside too, and counts. */
    int64_t processes = l->processes ? l->processes + 1 : 0;
    bool has_pids = cgroup_limit_processes(&c->cgroup, processes);
    c->looks_at_memory = l->memory_bytes > 0 && !has_memory;
    c->looks_at_processes = l->processes > 0 && !has_pids;
    if (c->looks_at_memory && unenforced) {
        buf_text(unenforced, "Memory is checked every 20 ms (no memory cgroup): a shorter peak "
                             "above the limit may go unnoticed.\n");
    }
    if (c->looks_at_processes && c->spec.limits.processes > 0 && unenforced) {
        buf_text(unenforced, "Processes are counted every 20 ms (no pids cgroup): for that "
                             "long the limit may be exceeded.\n");
    }
}

static bool open_starter(struct contain *c, struct error *err)
{
    if (!starter_open(&c->starter, &c->jail, c->spec.unenforced, err)) return false;
    set_limits(c, NULL); /* of the groups that it could enter */
    return true;
}

bool contain_open(struct contain *c, const struct contain_spec *spec, struct arena *arena,
                  struct error *err)
{
    static const char *const none[] = {NULL};
    *c = (struct contain){.is_open = true, .spec = *spec, .limits = spec->limits};
    if (c->limits.processes == 0 && !spec->is_off) c->limits.processes = PROCESSES_USUAL;
    if (!child_adopt(err)) return false;
    if (!spec->is_off) cgroup_open(&c->cgroup, arena);
    set_limits(c, NULL);
    c->jail = (struct jail_spec){
        .is_off = spec->is_off,
        .writable = c->spec.writable,
        .memory = c->spec.memory,
        .hidden = spec->hidden ? spec->hidden : none,
        .fixed = spec->fixed ? spec->fixed : none,
        .cgroup = &c->cgroup,
        /* Where memory is only looked at, twice the limit is a wall between two looks. */
        .data_bytes = c->looks_at_memory ? 2 * c->limits.memory_bytes : 0,
    };
    if (!open_starter(c, err)) return false;
    set_limits(c, spec->unenforced);
    if (spec->is_off) {
        buf_text(spec->unenforced, "The agent has the same rights as assay: files that it "
                                   "leaves outside of TMPDIR remain (contain: off).\n");
    }
    return c->starter.has_namespaces ||
           os_make_temp_dir("assay-agent", arena, &c->temp_dir, err);
}

bool contain_revive(struct contain *c, struct error *err)
{
    bool had_namespaces = c->starter.has_namespaces;
    c->lost++;
    starter_close(&c->starter);
    /* Without a namespace what it had started has come to us. */
    if (!had_namespaces && !child_sweep(err)) return false;
    struct buf said;
    buf_init(&said, 4096);
    bool done = starter_open(&c->starter, &c->jail, &said, err);
    buf_release(&said);
    return done;
}

void contain_close(struct contain *c)
{
    if (!c->is_open) return;
    bool had_namespaces = c->starter.has_namespaces;
    starter_close(&c->starter); /* ends what is left; removes the cgroup, too */
    if (!had_namespaces && !child_sweep(NULL)) {
        /* said by the kernel alone: nobody is left to hear it */
    }
    cgroup_close(&c->cgroup);
    if (c->temp_dir) os_remove_tree(c->temp_dir);
    *c = (struct contain){0};
}

/* ---- limits ---- */

/* Processor time of a process that has not been reaped; 0 = unknown. */
static int64_t cpu_of(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void contain_begin(struct contain *c, bool is_first)
{
    c->seen_bytes = c->seen_processes = 0;
    c->is_peak_fresh = cgroup_reset_peak(&c->cgroup);
    if (!is_first) return; /* the counts go on from the last judgement */
    /* Once, before anything of the agent was there: what it has left in memory since is its
     * own, and would else hide as much as it takes in its place. */
    if (!c->has_base) c->base_bytes = cgroup_read(&c->cgroup, CGROUP_MEMORY_NOW);
    c->has_base = true;
    c->base_cpu_ns = contain_cpu_ns(c);
    c->guard = c->starter.pid;
    c->guard_cpu_ns = cpu_of(c->guard);
    c->kills = cgroup_read(&c->cgroup, CGROUP_MEMORY_KILLS);
    c->refusals = cgroup_read(&c->cgroup, CGROUP_PIDS_REFUSED);
}

/* Much on standard error is not a failure: its end is kept, and the room before it given
 * back to the disk. Where the file system cannot do that, all of it. */
static void cut_errors(const struct contain *c)
{
    struct stat st;
    if (c->spec.errors_fd <= 0 || fstat(c->spec.errors_fd, &st) != 0 ||
        st.st_size <= ERRORS_MOST)
        return;
    int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    bool is_cut = (int64_t)st.st_blocks * 512 <= ERRORS_MOST ||
                  fallocate(c->spec.errors_fd, how, 0, st.st_size - ERRORS_KEPT) == 0 ||
                  ftruncate(c->spec.errors_fd, 0) == 0;
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
        if (pids[i] == c->starter.pid || !proc_read_stat(pids[i], &stat)) continue;
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

void contain_charge(const struct contain *c, struct usage *usage)
{
    int64_t now_ns = contain_cpu_ns(c);
    if (now_ns < 0 || c->base_cpu_ns < 0) return;
    int64_t guard_ns = cpu_of(c->starter.pid);
    if (c->starter.pid == c->guard) guard_ns -= c->guard_cpu_ns;
    double reported_s = usage->user_s + usage->system_s;
    double missing_s = (double)(now_ns - c->base_cpu_ns - guard_ns) / 1e9 - reported_s;
    if (missing_s <= 0) return;
    double user_part = reported_s > 0 ? usage->user_s / reported_s : 1;
    usage->user_s += missing_s * user_part;
    usage->system_s += missing_s * (1 - user_part);
    bool is_unwaited = missing_s > unwaited_least_s + unwaited_part * reported_s;
    if (is_unwaited && usage->group_peak_bytes > usage->peak_bytes)
        usage->peak_bytes = usage->group_peak_bytes;
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
    /* What was measured counts, too, however it came about. */
    bool is_too_large = is_beyond(usage->peak_bytes, l->memory_bytes) ||
                        (c->looks_at_memory && is_beyond(c->seen_bytes, l->memory_bytes));
    if (was_killed || is_too_large) {
        error_set(err, ERROR_FAILED, "needs more memory than the limit of %g MB",
                  (double)l->memory_bytes / megabyte);
    } else if (was_refused ||
               (c->looks_at_processes && is_beyond(c->seen_processes, l->processes))) {
        error_set(err, ERROR_FAILED, "wants more processes than the limit of %lld%s",
                  (long long)l->processes,
                  c->spec.limits.processes ? "" : " (process_limit sets another)");
    } else {
        return TRIAL_OK;
    }
    return TRIAL_LIMIT_BREACHED;
}

int64_t contain_cpu_ns(const struct contain *c)
{
    return cgroup_read(&c->cgroup, CGROUP_CPU_USED);
}
