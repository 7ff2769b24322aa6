/* getrusage before and after, and two things it cannot do by differences:
 *
 * The peak is of the whole life of a process. Writing 5 to clear_refs sets it
 * back to what is resident now (proc(5), Linux 4.0), so that each trial has a
 * peak of its own.
 *
 * Bytes read and written are in /proc/<pid>/io, which also takes over those of
 * a child when it is reaped: ours, or of the process that starts what is
 * measured (proc_find_guard). */
#include "instrument/self_usage.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

bool self_usage_open(void *state, const void *config, const struct instrument_subject *subject,
                     struct error *err)
{
    (void)config;
    (void)err;
    struct self_usage *s = state;
    pid_t guard = subject->spawns ? proc_find_guard(getpid()) : 0;
    char path[64] = "/proc/self/io";
    if (guard) snprintf(path, sizeof path, "/proc/%d/io", (int)guard);
    s->is_of_guard = guard > 0;
    s->io_fd = open(path, O_RDONLY | O_CLOEXEC);
    s->reset_fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    return true;
}

void self_usage_begin(void *state)
{
    struct self_usage *s = state;
    /* Where it fails the peak is that of the process's life, never too small. */
    ssize_t ignored = s->reset_fd >= 0 ? write(s->reset_fd, "5", 1) : 0;
    (void)ignored;
    s->has_io = s->io_fd >= 0 && proc_pread_io(s->io_fd, &s->io, &s->io_used);
    getrusage(RUSAGE_CHILDREN, &s->children);
    getrusage(RUSAGE_SELF, &s->self);
}

static struct rusage difference(const struct rusage *before, const struct rusage *after)
{
    struct rusage d = *after;
    timersub(&after->ru_utime, &before->ru_utime, &d.ru_utime);
    timersub(&after->ru_stime, &before->ru_stime, &d.ru_stime);
    d.ru_minflt -= before->ru_minflt;
    d.ru_majflt -= before->ru_majflt;
    d.ru_nvcsw -= before->ru_nvcsw;
    d.ru_nivcsw -= before->ru_nivcsw;
    return d;
}

void self_usage_end(void *state)
{
    struct self_usage *s = state;
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    self = difference(&s->self, &self);
    /* Only a child that is larger than any before reports its peak. */
    bool has_peak = children.ru_maxrss > s->children.ru_maxrss;
    children = difference(&s->children, &children);
    if (!has_peak) children.ru_maxrss = 0;
    s->usage = (struct usage){.is_set = true, .read_bytes = -1, .write_bytes = -1};
    usage_add_rusage(&s->usage, &self);
    usage_add_rusage(&s->usage, &children);
    struct proc_io io;
    int64_t used;
    if (s->has_io && proc_pread_io(s->io_fd, &io, &used)) {
        int64_t ours = s->is_of_guard ? 0 : s->io_used;
        s->usage.read_bytes = io.read_bytes - s->io.read_bytes - ours;
        s->usage.write_bytes = io.write_bytes - s->io.write_bytes;
        s->usage.io_operations = io.operations - s->io.operations - 1; /* our own look */
    }
}

void self_usage_close(void *state)
{
    struct self_usage *s = state;
    if (s->io_fd >= 0) close(s->io_fd);
    if (s->reset_fd >= 0) close(s->reset_fd);
}

const struct usage *self_usage_or(const struct self_usage *s, const struct usage *usage)
{
    if (usage->is_elsewhere) return NULL;
    return usage->is_set ? usage : &s->usage;
}
