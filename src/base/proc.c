/* Formats: proc(5). The tree is walked down by /proc/<pid>/task/<tid>/children
 * (Linux 3.5 and later), which costs as much as the tree is large, not as much
 * as the machine is busy. */
#include "base/proc.h"

#include "base/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most of a line that we look at; stat has 52 numbers. */
enum { TEXT_MAX = 2048 };

/* fields of /proc/<pid>/stat, counted from the one after the name */
enum {
    STATE,
    MINFLT = 7,
    CMINFLT,
    MAJFLT,
    CMAJFLT,
    UTIME,
    STIME,
    CUTIME,
    CSTIME,
    THREADS = 17,
    STARTTIME = 19,
    VSIZE,
    RSS,
    STAT_FIELDS
};

static bool read_text(char *text, struct str *out, const char *fmt, ...) PRINTF(3, 4);

static bool read_text(char *text, struct str *out, const char *fmt, ...)
{
    char path[128];
    va_list args;
    va_start(args, fmt);
    vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, TEXT_MAX);
    close(fd);
    if (n < 0) return false;
    *out = (struct str){text, (size_t)n};
    return true;
}

static int64_t number(struct str s)
{
    int64_t v = 0;
    return str_to_int(s, &v) ? v : 0;
}

static bool parse_stat(struct str rest, struct proc_stat *out)
{
    /* The name may hold spaces and brackets: it ends at the last bracket. */
    const char *name_end = memrchr(rest.p, ')', rest.n);
    if (!name_end) return false;
    size_t skip = (size_t)(name_end - rest.p) + 2;
    if (skip > rest.n) return false;
    struct str head = {rest.p, skip - 1};
    bool is_guard = str_ends(head, S("(" PROC_GUARD_NAME ")"));
    rest = (struct str){rest.p + skip, rest.n - skip};
    struct str field[STAT_FIELDS] = {{0}};
    for (size_t i = 0; i < STAT_FIELDS && rest.p; i++) field[i] = str_cut(&rest, ' ');
    if (field[RSS].n == 0) return false;
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    *out = (struct proc_stat){
        .is_guard = is_guard,
        .state = field[STATE].p[0],
        .parent = (pid_t)number(field[STATE + 1]),
        .own_cpu_s = (double)(number(field[UTIME]) + number(field[STIME])) * tick_s,
        .reaped_cpu_s = (double)(number(field[CUTIME]) + number(field[CSTIME])) * tick_s,
        .system_cpu_s = (double)(number(field[STIME]) + number(field[CSTIME])) * tick_s,
        .minor_faults = number(field[MINFLT]) + number(field[CMINFLT]),
        .major_faults = number(field[MAJFLT]) + number(field[CMAJFLT]),
        .threads = number(field[THREADS]),
        .start_ticks = number(field[STARTTIME]),
        .vms_bytes = number(field[VSIZE]),
        .rss_bytes = number(field[RSS]) * sysconf(_SC_PAGESIZE),
    };
    return true;
}

bool proc_read_stat(pid_t pid, struct proc_stat *out)
{
    char text[TEXT_MAX];
    struct str rest;
    return read_text(text, &rest, "/proc/%d/stat", (int)pid) && parse_stat(rest, out);
}

bool proc_pread_stat(int fd, struct proc_stat *out)
{
    char text[TEXT_MAX];
    ssize_t n = pread(fd, text, sizeof text, 0);
    return n > 0 && parse_stat((struct str){text, (size_t)n}, out);
}

int64_t proc_read_peak(pid_t pid)
{
    char text[TEXT_MAX];
    struct str rest;
    if (!read_text(text, &rest, "/proc/%d/status", (int)pid)) return 0;
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        if (!str_is(str_cut(&line, ':'), "VmHWM")) continue;
        line = str_trim(line);
        return number(str_cut(&line, ' ')) * 1024;
    }
    return 0;
}

void proc_reset_peak(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = write(fd, "5", 1);
    (void)n;
    close(fd);
}

bool proc_pread_io(int fd, struct proc_io *out, int64_t *used)
{
    char text[512];
    ssize_t n = pread(fd, text, sizeof text, 0);
    if (n <= 0) return false;
    struct str rest = {text, (size_t)n};
    struct proc_io io = {.read_bytes = -1, .write_bytes = -1};
    while (rest.p) {
        struct str v = str_cut(&rest, '\n');
        struct str key = str_cut(&v, ':');
        if (str_is(key, "rchar")) io.read_bytes = number(str_trim(v));
        if (str_is(key, "wchar")) io.write_bytes = number(str_trim(v));
        if (str_is(key, "read_bytes")) io.disk_read_bytes = number(str_trim(v));
        if (str_is(key, "write_bytes")) io.disk_write_bytes = number(str_trim(v));
        if (str_is(key, "syscr") || str_is(key, "syscw")) io.operations += number(str_trim(v));
    }
    *out = io;
    *used = n;
    return io.read_bytes >= 0 && io.write_bytes >= 0;
}

bool proc_read_io(pid_t pid, struct proc_io *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    int64_t used = 0;
    bool done = proc_pread_io(fd, out, &used);
    close(fd);
    return done;
}

static bool is_number(const char *name)
{
    return name[0] >= '0' && name[0] <= '9';
}

int64_t proc_count_fds(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (!dir) return 0;
    int64_t n = 0;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) n += is_number(e->d_name);
    closedir(dir);
    return n;
}

/* Appends the children of one thread to out[n..max). */
static size_t add_children(pid_t pid, const char *tid, pid_t *out, size_t n, size_t max)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return n;
    char text[TEXT_MAX];
    int64_t child = 0;
    for (ssize_t got = 0; (got = read(fd, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < got; i++) { /* a number may span two reads */
            if (text[i] >= '0' && text[i] <= '9') {
                child = child * 10 + (text[i] - '0');
            } else if (child > 0) {
                if (n < max) out[n++] = (pid_t)child;
                child = 0;
            }
        }
    }
    close(fd);
    return n;
}

size_t proc_descendants(pid_t root, pid_t *out, size_t max)
{
    size_t n = 0;
    pid_t parent = root;
    for (size_t next = 0;; next++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
        DIR *dir = opendir(path);
        for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
            if (is_number(e->d_name)) n = add_children(parent, e->d_name, out, n, max);
        }
        if (dir) closedir(dir);
        if (next >= n) return n;
        parent = out[next];
    }
}

pid_t proc_find_guard(pid_t keeper)
{
    pid_t pids[64];
    size_t n = proc_descendants(keeper, pids, COUNT(pids));
    for (size_t i = 0; i < n; i++) {
        struct proc_stat stat;
        bool is_it = proc_read_stat(pids[i], &stat) && stat.is_guard && stat.parent == keeper;
        if (is_it) return pids[i];
    }
    return 0;
}
