/* A sampling profiler: where the time on the processor goes.
 *
 * The kernel interrupts every thread of the work `frequency` times per second
 * of its processor time and writes down the stack (perf_event_open, cpu-clock,
 * by frame pointers); the runner turns the stacks into names and counts equal
 * ones. What comes out is text in Brendan Gregg's folded form, one line per
 * stack: "program;outer;inner 42". Programs built without frame pointers show
 * the innermost function and little above it.
 *
 * An agent that stays from trial to trial is sampled as one that is started for each.
 *
 * It costs the work about 1 us per sample, so it has trials of its own. */
#include "base/proc.h"
#include "instrument/instrument.h"
#include "instrument/stacks.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { CPUS_MAX = 256, RING_PAGES = 64, MORE_MAX = 2048, PROCESSES_MAX = 512 };

struct config {
    int64_t trials;
    int64_t frequency;
};

static const struct param options[] = {
    {"trials", PARAM_INT, .offset = offsetof(struct config, trials), .fallback = "3", .min = 1,
     .max = 1000, .help = "separate trials, after the measured ones"},
    {"frequency", PARAM_INT, .offset = offsetof(struct config, frequency), .fallback = "997",
     .min = 10, .max = 20000, .unit = "Hz", .help = "samples per second of processor time"},
};

struct cpu {
    int fd; /* 0 = none */
    int number;
    struct perf_event_mmap_page *ring;
};

struct watch {
    struct instrument_subject subject;
    struct config config;
    struct cpu cpus[CPUS_MAX];
    size_t cpu_count;
    int more[MORE_MAX]; /* events of processes that were there already */
    size_t more_count;
    struct stacks *stacks;
    int64_t lost;
};

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(pid_t pid, int cpu, int64_t frequency)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = (uint64_t)frequency,
        .freq = 1,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .wakeup_watermark = RING_PAGES * 2048,
        .watermark = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool profile_available(const void *config, struct error *err)
{
    (void)config;
    int fd = open_event(0, 0, 100);
    if (fd >= 0) {
        close(fd);
        return true;
    }
    return error_set(err, ERROR_UNAVAILABLE,
                     "the kernel takes no samples for this user (%s): set "
                     "kernel.perf_event_paranoid to 2 or less, or run with CAP_PERFMON",
                     errno == ENOSYS ? "perf events are not built in"
                                     : "perf_event_open refused");
}

static int64_t profile_own_trials(const void *config)
{
    return ((const struct config *)config)->trials;
}

static int64_t profile_interval_ns(const void *config)
{
    (void)config;
    return 20000000;
}

static void close_cpus(struct watch *w)
{
    for (size_t i = 0; i < w->more_count; i++) close(w->more[i]);
    w->more_count = 0;
    for (size_t i = 0; i < w->cpu_count; i++) {
        if (w->cpus[i].ring) munmap(w->cpus[i].ring, (RING_PAGES + 1) * page_size());
        if (w->cpus[i].fd > 0) close(w->cpus[i].fd);
        w->cpus[i] = (struct cpu){0};
    }
    w->cpu_count = 0;
}

static bool profile_watch_open(void *state, const void *config,
                               const struct instrument_subject *subject, struct error *err)
{
    (void)err;
    struct watch *w = state;
    w->subject = *subject;
    w->config = *(const struct config *)config;
    w->stacks = stacks_open();
    return true;
}

/* One thread that was there before us, on every CPU, into the CPU's ring. */
static void watch_thread(struct watch *w, pid_t tid)
{
    for (size_t i = 0; i < w->cpu_count && w->more_count < MORE_MAX; i++) {
        int fd = open_event(tid, w->cpus[i].number, w->config.frequency);
        if (fd < 0) continue;
        if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, w->cpus[i].fd) != 0) {
            close(fd);
            continue;
        }
        w->more[w->more_count++] = fd;
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    }
}

/* Events are inherited by what starts later. An agent that stays was started before, by
 * an earlier trial: it and its threads get events of their own. */
static void watch_descendants(struct watch *w)
{
    pid_t pids[PROCESSES_MAX];
    size_t n = proc_descendants(w->subject.arm, pids, COUNT(pids));
    for (size_t i = 0; i < n; i++) {
        struct proc_stat stat;
        if (!proc_read_stat(pids[i], &stat)) continue;
        stacks_know_process(w->stacks, pids[i]);
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)pids[i]);
        DIR *dir = opendir(path);
        for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
            int64_t tid = 0;
            if (str_to_int(str_of(e->d_name), &tid)) watch_thread(w, (pid_t)tid);
        }
        if (dir) closedir(dir);
    }
}

/* An event that is inherited can be read out only if it is bound to a CPU, so
 * there is one per CPU. */
static void profile_watch_begin(void *state)
{
    struct watch *w = state;
    w->lost = 0;
    stacks_clear(w->stacks);
    int cpus = get_nprocs_conf();
    pid_t guard = w->subject.spawns ? proc_find_guard(w->subject.arm) : 0;
    if (guard) w->subject.arm = guard; /* who starts what is measured */
    stacks_know_process(w->stacks, w->subject.arm);
    for (int cpu = 0; cpu < cpus && w->cpu_count < CPUS_MAX; cpu++) {
        int fd = open_event(w->subject.arm, cpu, w->config.frequency);
        if (fd < 0) continue;
        void *ring = mmap(NULL, (RING_PAGES + 1) * page_size(), PROT_READ | PROT_WRITE,
                          MAP_SHARED, fd, 0);
        if (ring == MAP_FAILED) {
            close(fd);
            continue;
        }
        w->cpus[w->cpu_count++] = (struct cpu){fd, cpu, ring};
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    }
    watch_descendants(w);
}

/* ---- reading the kernel's ring ---- */

struct sample_head {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid;
    uint32_t tid;
    uint64_t depth;
    /* uint64_t addresses[depth], innermost first */
};

struct mmap2_head {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t tid;
    uint64_t address;
    uint64_t length;
    uint64_t file_offset;
    uint64_t skipped[3]; /* device, inode and generation */
    uint32_t protection;
    uint32_t flags;
    char path[];
};

struct comm_head {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t tid;
    char name[];
};

struct fork_head {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t parent;
};

static void take_record(struct watch *w, const struct perf_event_header *h)
{
    const void *raw = h;
    if (h->type == PERF_RECORD_SAMPLE) {
        const struct sample_head *s = raw;
        if (w->subject.spawns && (pid_t)s->pid == w->subject.arm) return;
        stacks_add(w->stacks, (pid_t)s->pid, (const uint64_t *)(s + 1), s->depth);
    } else if (h->type == PERF_RECORD_MMAP2) {
        const struct mmap2_head *m = raw;
        struct stacks_map map = {m->address, m->length, m->file_offset, m->path};
        stacks_add_map(w->stacks, (pid_t)m->pid, &map);
    } else if (h->type == PERF_RECORD_COMM) {
        const struct comm_head *c = raw;
        stacks_rename(w->stacks, (pid_t)c->pid, c->name,
                      (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0);
    } else if (h->type == PERF_RECORD_FORK) {
        const struct fork_head *f = raw;
        if (f->pid != f->parent) stacks_fork(w->stacks, (pid_t)f->pid, (pid_t)f->parent);
    } else if (h->type == PERF_RECORD_LOST) {
        uint64_t lost = 0;
        memcpy(&lost, (const char *)raw + sizeof *h + 8, sizeof lost);
        w->lost += (int64_t)lost;
    }
}

/* Records wrap around the end of the ring; each is copied out whole. */
static void drain(struct watch *w, const struct cpu *c)
{
    static const size_t record_max = 1 << 16;
    size_t size = RING_PAGES * page_size();
    const char *data = (const char *)c->ring + page_size();
    _Atomic uint64_t *head_word = (_Atomic uint64_t *)(void *)&c->ring->data_head;
    uint64_t head = atomic_load_explicit(head_word, memory_order_acquire);
    uint64_t tail = c->ring->data_tail;
    _Alignas(8) char record[1 << 16];
    while (tail < head) {
        struct perf_event_header h;
        memcpy(&h, data + tail % size, sizeof h); /* records are 8-aligned: it never wraps */
        if (h.size < sizeof h || h.size > record_max) break;
        size_t first = size - tail % size < h.size ? size - tail % size : h.size;
        memcpy(record, data + tail % size, first);
        memcpy(record + first, data, h.size - first);
        take_record(w, (const struct perf_event_header *)(const void *)record);
        tail += h.size;
    }
    _Atomic uint64_t *tail_word = (_Atomic uint64_t *)(void *)&c->ring->data_tail;
    atomic_store_explicit(tail_word, head, memory_order_release);
}

static void profile_watch_tick(void *state)
{
    struct watch *w = state;
    for (size_t i = 0; i < w->cpu_count; i++) drain(w, &w->cpus[i]);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the hook's type */
static void profile_watch_end(void *state, double *values, struct buf *curve)
{
    (void)values;
    struct watch *w = state;
    for (size_t i = 0; i < w->cpu_count; i++) ioctl(w->cpus[i].fd, PERF_EVENT_IOC_DISABLE, 0);
    profile_watch_tick(w);
    close_cpus(w);
    stacks_write(w->stacks, curve);
    /* Stacks that the kernel could not hand over are said, not hidden. */
    if (w->lost > 0) buf_printf(curve, "[lost] %lld\n", (long long)w->lost);
}

static void profile_watch_close(void *state)
{
    struct watch *w = state;
    close_cpus(w);
    stacks_close(w->stacks);
    w->stacks = NULL;
}

const struct instrument instrument_profile = {
    .name = "profile",
    .alias = "cprofile",
    .summary = "where processor time goes: sampled stacks, in separate trials",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct watch),
    .available = profile_available,
    .own_trials = profile_own_trials,
    .watch_interval_ns = profile_interval_ns,
    .watch_open = profile_watch_open,
    .watch_begin = profile_watch_begin,
    .watch_tick = profile_watch_tick,
    .watch_end = profile_watch_end,
    .watch_close = profile_watch_close,
};
