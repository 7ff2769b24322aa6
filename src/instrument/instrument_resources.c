/* Processor, memory and input/output of a trial's process tree.
 *
 * Two sources that are never mixed. Totals come from the kernel as processes
 * are reaped, so that a thousand children of 2 ms each are counted in full.
 * The curve, and what is the largest of anything over time, comes from looking
 * at the tree every interval_ms from the runner, another process: it costs
 * nothing inside duration_s and sees only what lives long enough.
 *
 * A process's totals pass to its parent when it is reaped; the sums over arm
 * and descendants therefore go on growing as processes come and go. */
#include "base/clock.h"
#include "base/json.h"
#include "instrument/instrument.h"
#include "instrument/self_usage.h"

#include <math.h>

enum { PROCESSES_MAX = 4096 };

enum {
    CPU,
    CPU_PERCENT,
    MEMORY_PEAK,
    IO_READ,
    IO_WRITE,
    IO_OPERATIONS,
    RSS_MEAN,
    RSS_MAX,
    THREADS_MAX,
    FDS_MAX,
    PROCESSES,
    SAMPLES,
};

struct config {
    int64_t interval_ms;
    int64_t max_samples;
};

struct sample {
    double ts;
    double cpu_percent;
    int64_t rss_bytes;
    int64_t read_bytes;
    int64_t write_bytes;
    int64_t threads;
    int64_t fds;
};

/* Sums over the tree at one moment. */
struct totals {
    int64_t at_ns;
    double cpu_s;
    struct proc_io io;
    int64_t rss_bytes, threads, fds, processes;
};

struct watch {
    struct instrument_subject subject;
    size_t max_samples;
    struct buf samples; /* of struct sample */
    int64_t ticks;
    int64_t stride; /* every so many ticks are kept in the curve */
    struct totals first, last;
    int64_t looks;
    double rss_sum;
    int64_t rss_max, threads_max, fds_max, processes_max;
    pid_t pids[PROCESSES_MAX];
};

static const struct param options[] = {
    {"interval_ms", PARAM_INT, .offset = offsetof(struct config, interval_ms),
     .fallback = "200", .min = 10, .max = 3600000, .unit = "ms",
     .help = "time between two readings of the process tree"},
    {"max_samples", PARAM_INT, .offset = offsetof(struct config, max_samples),
     .fallback = "1000", .min = 2, .max = 1000000,
     .help = "points of the curve; a longer trial keeps every second, fourth, ... reading"},
};

#define MEMORY "resident memory of all processes together, 1 MB = 1,000,000 bytes"

static const struct metric metrics[] = {
    [CPU] = {"cpu_s", "s", DIRECTION_LOWER, "cpu/1",
             "processor time of the whole process tree"},
    [CPU_PERCENT] =
        {"cpu_percent", "%", DIRECTION_NONE, "cpu_percent/1",
         "processor time / elapsed time, 100 = one core; for trials of 1 ms or more"},
    [MEMORY_PEAK] = {"memory_peak_mb", "MB", DIRECTION_LOWER, "memory_peak/1",
                     "largest resident set of any one process, 1 MB = 1,000,000 bytes"},
    [IO_READ] = {"io_read_mb", "MB", DIRECTION_LOWER, "io_read/1",
                 "bytes returned by read calls, cached or not"},
    [IO_WRITE] = {"io_write_mb", "MB", DIRECTION_LOWER, "io_write/1",
                  "bytes passed to write calls, cached or not"},
    [IO_OPERATIONS] = {"io_operations", "1", DIRECTION_LOWER, "io_operations/1",
                       "read and write calls"},
    [RSS_MEAN] = {"rss_mean_mb", "MB", DIRECTION_LOWER, "rss_mean/1", "mean " MEMORY},
    [RSS_MAX] = {"rss_max_mb", "MB", DIRECTION_LOWER, "rss_max/1", "largest seen " MEMORY},
    [THREADS_MAX] = {"threads_max", "1", DIRECTION_NONE, "threads_max/1",
                     "most threads seen at once"},
    [FDS_MAX] = {"fds_max", "1", DIRECTION_NONE, "fds_max/1",
                 "most open descriptors seen at once"},
    [PROCESSES] = {"processes_max", "1", DIRECTION_NONE, "processes_max/1",
                   "most processes seen at once"},
    [SAMPLES] = {"samples", "1", DIRECTION_NONE, "resources_samples/1",
                 "number of readings of the process tree"},
};

/* The arm's side: totals. */

static void resources_give(const void *state, double duration_s, const struct usage *usage,
                           double *values)
{
    const struct self_usage *self = state;
    const struct usage *u = self_usage_or(self, usage);
    if (!u) return;
    values[CPU] = u->user_s + u->system_s;
    /* The kernel's counters step by microseconds, and reading them costs some. */
    static const double shortest_s = 1e-3;
    if (duration_s >= shortest_s) values[CPU_PERCENT] = values[CPU] / duration_s * 100;
    values[MEMORY_PEAK] = (double)u->peak_bytes / 1e6;
    /* The arm's own counters took over those of the processes it reaped. */
    const struct usage *io = u->read_bytes >= 0 ? u : &self->usage;
    if (io->read_bytes >= 0) {
        values[IO_READ] = (double)io->read_bytes / 1e6;
        values[IO_WRITE] = (double)io->write_bytes / 1e6;
        values[IO_OPERATIONS] = (double)io->io_operations;
    }
}

/* The runner's side: looking. */

static void add_process(struct totals *t, pid_t pid, pid_t arm)
{
    struct proc_stat stat;
    struct proc_io io;
    if (!proc_read_stat(pid, &stat)) return;
    /* Ours, and not an agent's of that name; what it has reaped was the agent's. */
    bool is_guard = stat.is_guard && stat.parent == arm;
    t->cpu_s += (is_guard ? 0 : stat.own_cpu_s) + stat.reaped_cpu_s;
    if (proc_read_io(pid, &io)) {
        t->io.read_bytes += io.read_bytes;
        t->io.write_bytes += io.write_bytes;
    }
    if (is_guard || stat.state == 'Z') return;
    t->rss_bytes += stat.rss_bytes;
    t->threads += stat.threads;
    t->fds += proc_count_fds(pid);
    t->processes++;
}

static struct totals look(struct watch *w)
{
    struct totals t = {.at_ns = clock_ns()};
    struct proc_stat arm;
    if (!w->subject.spawns) {
        add_process(&t, w->subject.arm, 0);
    } else if (proc_read_stat(w->subject.arm, &arm)) {
        t.cpu_s = arm.reaped_cpu_s;
        if (!proc_read_io(w->subject.arm, &t.io)) t.io = (struct proc_io){0};
    }
    size_t n = proc_descendants(w->subject.arm, w->pids, COUNT(w->pids));
    for (size_t i = 0; i < n; i++) add_process(&t, w->pids[i], w->subject.arm);
    return t;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Keeps every second point, and from now on half as many. */
static void thin_out(struct watch *w)
{
    size_t count = w->samples.n / sizeof(struct sample);
    for (size_t i = 0; i < count; i += 2) {
        memcpy(w->samples.p + i / 2 * sizeof(struct sample),
               w->samples.p + i * sizeof(struct sample), sizeof(struct sample));
    }
    w->samples.n = (count + 1) / 2 * sizeof(struct sample);
    w->stride *= 2;
}

static void keep(struct watch *w, const struct totals *t)
{
    double since_s = (double)(t->at_ns - w->last.at_ns) / 1e9;
    struct sample s = {
        .ts = (double)(t->at_ns - w->first.at_ns) / 1e9,
        .cpu_percent = since_s > 0 ? (t->cpu_s - w->last.cpu_s) / since_s * 100 : 0,
        .rss_bytes = t->rss_bytes,
        .read_bytes = t->io.read_bytes - w->first.io.read_bytes,
        .write_bytes = t->io.write_bytes - w->first.io.write_bytes,
        .threads = t->threads,
        .fds = t->fds,
    };
    if (w->samples.n / sizeof s >= w->max_samples) thin_out(w);
    buf_add_bytes(&w->samples, &s, sizeof s);
}

static void resources_watch_tick(void *state)
{
    struct watch *w = state;
    struct totals t = look(w);
    /* A process reaped while we looked is in neither sum for once. */
    t.cpu_s = fmax(t.cpu_s, w->last.cpu_s);
    t.io.read_bytes = larger(t.io.read_bytes, w->last.io.read_bytes);
    t.io.write_bytes = larger(t.io.write_bytes, w->last.io.write_bytes);
    w->rss_sum += (double)t.rss_bytes;
    w->rss_max = larger(w->rss_max, t.rss_bytes);
    w->threads_max = larger(w->threads_max, t.threads);
    w->fds_max = larger(w->fds_max, t.fds);
    w->processes_max = larger(w->processes_max, t.processes);
    w->looks++;
    if (w->ticks++ % w->stride == 0) {
        keep(w, &t);
        w->last = t;
    }
}

static int64_t resources_watch_interval_ns(const void *config)
{
    return ((const struct config *)config)->interval_ms * 1000000;
}

static bool resources_watch_open(void *state, const void *config,
                                 const struct instrument_subject *subject, struct error *err)
{
    (void)err;
    struct watch *w = state;
    w->subject = *subject;
    w->max_samples = (size_t)((const struct config *)config)->max_samples;
    buf_init(&w->samples, (w->max_samples + 1) * sizeof(struct sample));
    return true;
}

static void resources_watch_begin(void *state)
{
    struct watch *w = state;
    buf_clear(&w->samples);
    w->ticks = w->looks = 0;
    w->stride = 1;
    w->rss_sum = 0;
    w->rss_max = w->threads_max = w->fds_max = w->processes_max = 0;
    w->first = w->last = look(w);
}

static void write_curve(const struct watch *w, struct buf *curve)
{
    for (size_t at = 0; at + sizeof(struct sample) <= w->samples.n;
         at += sizeof(struct sample)) {
        struct sample s;
        memcpy(&s, w->samples.p + at, sizeof s);
        struct json j;
        json_init(&j, curve, 0);
        json_object(&j);
        json_put_real(&j, "ts", s.ts);
        json_put_real(&j, "cpu_percent", s.cpu_percent);
        json_put_int(&j, "rss_bytes", s.rss_bytes);
        json_put_int(&j, "read_bytes", s.read_bytes);
        json_put_int(&j, "write_bytes", s.write_bytes);
        json_put_int(&j, "threads", s.threads);
        json_put_int(&j, "fds", s.fds);
        json_end(&j);
        buf_add_char(curve, '\n');
    }
}

static void resources_watch_end(void *state, double *values, struct buf *curve)
{
    struct watch *w = state;
    /* A short trial in the arm itself has at least its end to show. */
    if (w->looks == 0 && !w->subject.spawns) resources_watch_tick(w);
    values[SAMPLES] = (double)w->looks;
    if (w->processes_max == 0) return; /* nobody seen: unknown, not zero */
    values[RSS_MEAN] = w->rss_sum / (double)w->looks / 1e6;
    values[RSS_MAX] = (double)w->rss_max / 1e6;
    values[THREADS_MAX] = (double)w->threads_max;
    values[FDS_MAX] = (double)w->fds_max;
    values[PROCESSES] = (double)w->processes_max;
    write_curve(w, curve);
}

static void resources_watch_close(void *state)
{
    struct watch *w = state;
    buf_release(&w->samples);
}

union state { /* each side has one of its own */
    struct self_usage arm;
    struct watch runner;
};

const struct instrument instrument_resources = {
    .name = "resources",
    .alias = "psutil",
    .summary = "processor, memory, input/output, threads and descriptors of the process tree",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct config),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .state_size = sizeof(union state),
    .open = self_usage_open,
    .begin = self_usage_begin,
    .end = self_usage_end,
    .give = resources_give,
    .close = self_usage_close,
    .watch_interval_ns = resources_watch_interval_ns,
    .watch_open = resources_watch_open,
    .watch_begin = resources_watch_begin,
    .watch_tick = resources_watch_tick,
    .watch_end = resources_watch_end,
    .watch_close = resources_watch_close,
};
