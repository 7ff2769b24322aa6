/* The kernel's performance counters (perf_event_open(2)) of a trial.
 *
 * For work in the arm itself the counters run between begin and end. For work
 * in other processes they are those of the starter (sandbox/starter.h), and stay
 * off there; what it starts inherits them and switches them on at exec
 * (enable_on_exec): the starter's own doings are not in the numbers. Counts of an ended
 * child go to its parent's counter, so each trial is a difference of two
 * reads.
 *
 * A trap: when a parent and its new child have the same counters, the kernel
 * may swap the two sets instead of saving and loading them. The child's exec
 * then uses up enable_on_exec of the starter's own counters, and every child after
 * it counts nothing. A counter that is not inherited makes the sets differ, so
 * the arm also holds one of those (see `keepers`).
 * Where the processor has fewer counters than were asked for the kernel
 * takes turns; the counts are then scaled by the time they ran. */
#include "base/proc.h"
#include "instrument/instrument.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum event {
    TASK_CLOCK,
    PAGE_FAULTS,
    CONTEXT_SWITCHES,
    CPU_MIGRATIONS,
    CYCLES,
    INSTRUCTIONS,
    BRANCH_MISSES,
    CACHE_MISSES,
    EVENT_COUNT
};

static const struct {
    uint32_t type;
    uint64_t config;
    double scale;
} events[EVENT_COUNT] = {
    [TASK_CLOCK] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9},
    [PAGE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
    [CONTEXT_SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
    [CPU_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
    [CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1},
    [INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1},
    [BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1},
    [CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1},
};

static const struct metric metrics[EVENT_COUNT] = {
    [TASK_CLOCK] = {"task_clock_s", "s", DIRECTION_LOWER, "perf_task_clock/1",
                    "time on a processor, of all threads together"},
    [PAGE_FAULTS] = {"page_faults", "1", DIRECTION_LOWER, "perf_page_faults/1", "page faults"},
    [CONTEXT_SWITCHES] = {"context_switches", "1", DIRECTION_LOWER, "perf_context_switches/1",
                          "switches to another thread"},
    [CPU_MIGRATIONS] = {"cpu_migrations", "1", DIRECTION_LOWER, "perf_cpu_migrations/1",
                        "moves to another processor"},
    [CYCLES] = {"cycles", "1", DIRECTION_LOWER, "perf_cycles/1", "processor cycles"},
    [INSTRUCTIONS] = {"instructions", "1", DIRECTION_LOWER, "perf_instructions/1",
                      "instructions executed"},
    [BRANCH_MISSES] = {"branch_misses", "1", DIRECTION_LOWER, "perf_branch_misses/1",
                       "branches predicted wrongly"},
    [CACHE_MISSES] = {"cache_misses", "1", DIRECTION_LOWER, "perf_cache_misses/1",
                      "accesses that missed the last cache"},
};

static const char *const choices[] = {
    [TASK_CLOCK] = "task_clock",
    [PAGE_FAULTS] = "page_faults",
    [CONTEXT_SWITCHES] = "context_switches",
    [CPU_MIGRATIONS] = "cpu_migrations",
    [CYCLES] = "cycles",
    [INSTRUCTIONS] = "instructions",
    [BRANCH_MISSES] = "branch_misses",
    [CACHE_MISSES] = "cache_misses",
    [EVENT_COUNT] = NULL,
};

struct config {
    struct param_ints events;
};

static const struct param options[] = {
    {"events", PARAM_CHOICE_LIST, .offset = offsetof(struct config, events), .choices = choices,
     .help = "what to count; default: everything that this machine can count"},
};

/* as read with PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */
struct reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

struct state {
    bool spawns;
    int fds[EVENT_COUNT];     /* -1 = not counted */
    int keepers[EVENT_COUNT]; /* not inherited, never switched on; -1 = none */
    struct reading before[EVENT_COUNT];
    struct reading after[EVENT_COUNT];
};

enum use { OF_THE_ARM, OF_WHAT_IT_STARTS, AS_KEEPER };

static int open_event(enum event e, enum use use, pid_t pid)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = events[e].type,
        .config = events[e].config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .inherit = use != AS_KEEPER,
        .enable_on_exec = use == OF_WHAT_IT_STARTS,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool is_asked_for(const struct config *c, enum event e)
{
    for (size_t i = 0; i < c->events.count; i++) {
        if (c->events.items[i] == (int64_t)e) return true;
    }
    return c->events.count == 0;
}

static bool explain(enum event e, int errno_value, struct error *err)
{
    const char *name = choices[e];
    switch (errno_value) {
    case EACCES:
    case EPERM:
        return error_set(err, ERROR_UNAVAILABLE,
                         "this user may not count %s (kernel work included): set "
                         "kernel.perf_event_paranoid to 1 or less, or run with CAP_PERFMON",
                         name);
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return error_set(err, ERROR_UNAVAILABLE,
                         "no hardware counter for %s on this machine (usual in a virtual "
                         "machine); software events work: %s, %s, %s, %s",
                         name, choices[TASK_CLOCK], choices[PAGE_FAULTS],
                         choices[CONTEXT_SWITCHES], choices[CPU_MIGRATIONS]);
    case ENOSYS: return error_set(err, ERROR_UNAVAILABLE, "this kernel has no perf_event_open");
    default:
        error_set_errno(err, errno_value, "perf_event_open of %s", name);
        if (err) err->code = ERROR_UNAVAILABLE;
        return false;
    }
}

/* What is asked for by name must be there; of "everything", something. */
static bool perf_available(const void *config, struct error *err)
{
    const struct config *c = config;
    bool is_by_name = c->events.count > 0;
    for (enum event e = 0; e < EVENT_COUNT; e++) {
        if (!is_asked_for(c, e)) continue;
        int fd = open_event(e, OF_THE_ARM, 0);
        if (fd < 0) {
            if (is_by_name || e == TASK_CLOCK) return explain(e, errno, err);
            continue;
        }
        close(fd);
    }
    return true;
}

static bool perf_open(void *state, const void *config, const struct instrument_subject *subject,
                      struct error *err)
{
    struct state *s = state;
    s->spawns = subject->spawns;
    pid_t guard = s->spawns ? proc_find_guard(subject->arm) : 0;
    for (enum event e = 0; e < EVENT_COUNT; e++) s->fds[e] = s->keepers[e] = -1;
    if (!perf_available(config, err)) return false;
    for (enum event e = 0; e < EVENT_COUNT; e++) {
        if (!is_asked_for(config, e)) continue;
        s->fds[e] = open_event(e, s->spawns ? OF_WHAT_IT_STARTS : OF_THE_ARM, guard);
        if (s->spawns) s->keepers[e] = open_event(e, AS_KEEPER, guard);
    }
    return true;
}

static void read_all(const struct state *s, struct reading *readings)
{
    for (enum event e = 0; e < EVENT_COUNT; e++) {
        readings[e] = (struct reading){0};
        if (s->fds[e] >= 0 && read(s->fds[e], &readings[e], sizeof readings[e]) < 0) {
            readings[e] = (struct reading){0};
        }
    }
}

static void switch_all(const struct state *s, unsigned long request)
{
    for (enum event e = 0; e < EVENT_COUNT && !s->spawns; e++) {
        if (s->fds[e] >= 0) ioctl(s->fds[e], request, 0);
    }
}

static void perf_begin(void *state)
{
    struct state *s = state;
    read_all(s, s->before);
    switch_all(s, PERF_EVENT_IOC_ENABLE);
}

static void perf_end(void *state)
{
    struct state *s = state;
    switch_all(s, PERF_EVENT_IOC_DISABLE);
    read_all(s, s->after);
}

static void perf_give(const void *state, double duration_s, const struct usage *usage,
                      double *values)
{
    (void)duration_s;
    (void)usage;
    const struct state *s = state;
    for (enum event e = 0; e < EVENT_COUNT; e++) {
        if (s->fds[e] < 0) continue;
        double count = (double)(s->after[e].count - s->before[e].count);
        double enabled = (double)(s->after[e].enabled_ns - s->before[e].enabled_ns);
        double running = (double)(s->after[e].running_ns - s->before[e].running_ns);
        if (running <= 0) continue; /* it never had its turn: unknown, not zero */
        values[e] = count * events[e].scale * enabled / running;
    }
}

static void perf_close(void *state)
{
    struct state *s = state;
    for (enum event e = 0; e < EVENT_COUNT; e++) {
        if (s->fds[e] >= 0) close(s->fds[e]);
        if (s->keepers[e] >= 0) close(s->keepers[e]);
        s->fds[e] = s->keepers[e] = -1;
    }
}

const struct instrument instrument_perf = {
    .name = "perf",
    .summary = "the kernel's performance counters: time on processor, faults, cycles, misses",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct config),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .state_size = sizeof(struct state),
    .available = perf_available,
    .open = perf_open,
    .begin = perf_begin,
    .end = perf_end,
    .give = perf_give,
    .close = perf_close,
};
