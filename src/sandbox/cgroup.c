/* Files and their meaning: cgroups(7); Documentation/admin-guide/cgroup-v2.rst,
 * cgroup-v1/memory.rst and pids.rst in the kernel's source. */
#include "sandbox/cgroup.h"

#include "base/clock.h"
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS_MAX_BYTES = 1 << 16, MOUNTS_MAX_BYTES = 1 << 20, REMOVE_LIMIT_MS = 1000 };

static const char *const v1_names[] = {"memory", "pids", "cpuacct"};

/* Which file says it; `key` is the word before the number, NULL = the number
 * stands alone. */
static const struct reading {
    enum cgroup_controller of;
    const char *file, *key;
    int64_t scale;
} readings[2][CGROUP_READINGS] = {
    {
        [CGROUP_MEMORY_NOW] = {CGROUP_MEMORY, "memory.usage_in_bytes", NULL, 1},
        [CGROUP_MEMORY_PEAK] = {CGROUP_MEMORY, "memory.max_usage_in_bytes", NULL, 1},
        [CGROUP_MEMORY_KILLS] = {CGROUP_MEMORY, "memory.oom_control", "oom_kill", 1},
        [CGROUP_PIDS_REFUSED] = {CGROUP_PIDS, "pids.events", "max", 1},
        [CGROUP_PIDS_NOW] = {CGROUP_PIDS, "pids.current", NULL, 1},
        [CGROUP_CPU_USED] = {CGROUP_CPU, "cpuacct.usage", NULL, 1},
    },
    {
        [CGROUP_MEMORY_NOW] = {CGROUP_MEMORY, "memory.current", NULL, 1},
        [CGROUP_MEMORY_PEAK] = {CGROUP_MEMORY, "memory.peak", NULL, 1},
        [CGROUP_MEMORY_KILLS] = {CGROUP_MEMORY, "memory.events", "oom_kill", 1},
        [CGROUP_PIDS_REFUSED] = {CGROUP_PIDS, "pids.events", "max", 1},
        [CGROUP_PIDS_NOW] = {CGROUP_PIDS, "pids.current", NULL, 1},
        [CGROUP_CPU_USED] = {CGROUP_CPU, "cpu.stat", "usage_usec", 1000},
    },
};

static bool put(const char *folder, const char *file, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n >= 0;
}

static bool has_word(struct str list, char separator, const char *word)
{
    while (list.p) {
        if (str_is(str_trim(str_cut(&list, separator)), word)) return true;
    }
    return false;
}

/* ---- finding our place ---- */

/* The line of /proc/self/cgroup for a controller ("" = version 2): the path. */
static struct str own_path(struct arena *arena, const char *controller)
{
    struct str text = {0};
    if (!os_read_file("/proc/self/cgroup", GROUPS_MAX_BYTES, arena, &text, NULL)) return text;
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        str_cut(&line, ':');
        struct str names = str_cut(&line, ':');
        bool is_it = *controller ? has_word(names, ',', controller) : names.n == 0;
        if (is_it && line.n > 0) return line;
    }
    return (struct str){0};
}

struct mount {
    struct str root;
    struct str point;
};

/* Where a hierarchy is mounted, from /proc/self/mountinfo (proc(5)). */
static bool find_mount(struct arena *arena, const char *controller, struct mount *out)
{
    struct str text = {0};
    if (!os_read_file("/proc/self/mountinfo", MOUNTS_MAX_BYTES, arena, &text, NULL)) {
        return false;
    }
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        for (int i = 0; i < 3; i++) str_cut(&line, ' ');
        struct str root = str_cut(&line, ' ');
        struct str point = str_cut(&line, ' ');
        while (line.p && !str_is(str_cut(&line, ' '), "-")) {
        }
        struct str type = str_cut(&line, ' ');
        str_cut(&line, ' ');
        bool is_it = *controller ? str_is(type, "cgroup") && has_word(line, ',', controller)
                                 : str_is(type, "cgroup2");
        if (!is_it) continue;
        *out = (struct mount){root, point};
        return true;
    }
    return false;
}

/* The folder of the group that we are in. */
static const char *find_own(struct arena *arena, const char *controller)
{
    struct mount m;
    struct str path = own_path(arena, controller);
    if (path.n == 0 || !find_mount(arena, controller, &m)) return NULL;
    if (m.root.n > 1 && str_starts(path, m.root)) { /* a container shows a part of it */
        path = (struct str){path.p + m.root.n, path.n - m.root.n};
    }
    if (str_is(path, "/")) path = (struct str){0};
    return arena_printf(arena, "%.*s%.*s", STR_ARG(m.point), STR_ARG(path));
}

/* Groups of arms that were killed together with their starters: the name has the pid of who
 * made it. One with a process in it cannot be removed. */
static void sweep(const char *above)
{
    enum { AGE_S = 60 };
    DIR *groups = opendir(above);
    for (struct dirent *e; groups && (e = readdir(groups));) {
        struct stat st;
        char *end = NULL;
        if (strncmp(e->d_name, "assay-", 6) != 0) continue;
        long pid = strtol(e->d_name + 6, &end, 10);
        bool is_stale = pid > 0 && *end == '-' && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
                        fstatat(dirfd(groups), e->d_name, &st, 0) == 0 &&
                        time(NULL) - st.st_mtime > AGE_S;
        if (is_stale) unlinkat(dirfd(groups), e->d_name, AT_REMOVEDIR);
    }
    if (groups) closedir(groups);
}

static const char *make_below(struct arena *arena, const char *above)
{
    sweep(above);
    const char *path = arena_printf(arena, "%s/assay-%d-%llx", above, (int)getpid(),
                                    (unsigned long long)clock_ns());
    return mkdir(path, 0755) == 0 ? path : NULL;
}

static bool has_controllers(struct arena *arena, const char *group)
{
    const char *path = arena_printf(arena, "%s/cgroup.controllers", group);
    struct str names = os_read_line(path, arena);
    return has_word(names, ' ', "memory") && has_word(names, ' ', "pids");
}

/* A group can have controllers only if the one above hands them on, which only
 * one without processes (or the root) may do. */
static bool open_v2(struct cgroup *g, struct arena *arena)
{
    struct mount m;
    const char *above = find_own(arena, "");
    if (!above || !find_mount(arena, "", &m)) return false;
    const char *candidates[] = {above, str_cstr(arena, m.point)};
    for (size_t i = 0; i < COUNT(candidates); i++) {
        const char *own = make_below(arena, candidates[i]);
        if (!own) continue;
        bool is_able = has_controllers(arena, own) ||
                       (put(candidates[i], "cgroup.subtree_control", "+memory +pids") &&
                        has_controllers(arena, own));
        if (!is_able) {
            rmdir(own);
            continue;
        }
        g->is_v2 = true;
        for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) {
            g->own[c] = own;
            g->above[c] = above;
        }
        return true;
    }
    return false;
}

static void open_v1(struct cgroup *g, struct arena *arena)
{
    for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) {
        g->above[c] = find_own(arena, v1_names[c]);
        if (g->above[c]) g->own[c] = make_below(arena, g->above[c]);
    }
}

static void open_readings(struct cgroup *g, struct arena *arena)
{
    for (size_t i = 0; i < CGROUP_READINGS; i++) {
        const struct reading *r = &readings[g->is_v2][i];
        if (!g->own[r->of]) continue;
        const char *path = arena_printf(arena, "%s/%s", g->own[r->of], r->file);
        int fd = open(path, (i == CGROUP_MEMORY_PEAK ? O_RDWR : O_RDONLY) | O_CLOEXEC);
        if (fd < 0) fd = open(path, O_RDONLY | O_CLOEXEC); /* older: no reset */
        if (fd > 0) g->fds[i] = fd;
    }
}

void cgroup_open(struct cgroup *g, struct arena *arena)
{
    *g = (struct cgroup){0};
    if (!open_v2(g, arena)) open_v1(g, arena);
    open_readings(g, arena);
}

/* ---- limits ---- */

bool cgroup_limit_memory(struct cgroup *g, int64_t bytes)
{
    char text[32];
    if (!g->own[CGROUP_MEMORY]) return false;
    snprintf(text, sizeof text, "%lld", (long long)(bytes ? bytes : -1));
    if (g->is_v2) {
        put(g->own[CGROUP_MEMORY], "memory.swap.max", bytes ? "0" : "max");
        return put(g->own[CGROUP_MEMORY], "memory.max", bytes ? text : "max");
    }
    /* Memory alone may never have more than with swap: who raises both begins with the second,
     * which is not everywhere. */
    bool done = put(g->own[CGROUP_MEMORY], "memory.limit_in_bytes", text);
    put(g->own[CGROUP_MEMORY], "memory.memsw.limit_in_bytes", text);
    return done || put(g->own[CGROUP_MEMORY], "memory.limit_in_bytes", text);
}

bool cgroup_limit_processes(struct cgroup *g, int64_t count)
{
    char text[32];
    if (!g->own[CGROUP_PIDS]) return false;
    snprintf(text, sizeof text, "%lld", (long long)count);
    return put(g->own[CGROUP_PIDS], "pids.max", count ? text : "max");
}

static bool is_first_of_folder(const struct cgroup *g, size_t c)
{
    return g->own[c] && (c == 0 || g->own[c] != g->own[c - 1]);
}

void cgroup_give_up(struct cgroup *g, enum cgroup_controller c)
{
    if (!g->own[c]) return;
    rmdir(g->own[c]);
    if (g->is_v2) {
        cgroup_close(g);
        return;
    }
    g->own[c] = NULL;
}

void cgroup_enter(struct cgroup *g)
{
    for (enum cgroup_controller c = 0; c < CGROUP_CONTROLLERS; c++) {
        bool must = is_first_of_folder(g, c);
        if (must && !put(g->own[c], "cgroup.procs", "0")) cgroup_give_up(g, c);
    }
}

static void remove_group(const char *path)
{
    for (int ms = 0; ms < REMOVE_LIMIT_MS; ms++) {
        if (rmdir(path) == 0 || errno != EBUSY) return;
        clock_sleep_until(clock_ns() + 1000000); /* ended, and not yet gone */
    }
}

void cgroup_close(struct cgroup *g)
{
    for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) {
        if (is_first_of_folder(g, c)) remove_group(g->own[c]);
    }
    for (size_t i = 0; i < CGROUP_READINGS; i++) {
        if (g->fds[i] > 0) close(g->fds[i]);
    }
    *g = (struct cgroup){0};
}

/* ---- readings ---- */

int64_t cgroup_read(const struct cgroup *g, enum cgroup_reading what)
{
    const struct reading *r = &readings[g->is_v2][what];
    char text[1024];
    ssize_t n = g->fds[what] > 0 ? pread(g->fds[what], text, sizeof text, 0) : -1;
    struct str rest = {text, n > 0 ? (size_t)n : 0};
    while (n > 0 && rest.p) {
        struct str line = str_cut(&rest, '\n');
        if (r->key && !str_is(str_cut(&line, ' '), r->key)) continue;
        int64_t v = 0;
        return str_to_int(str_trim(line), &v) ? v * r->scale : -1;
    }
    return -1;
}

bool cgroup_reset_peak(const struct cgroup *g)
{
    int fd = g->fds[CGROUP_MEMORY_PEAK];
    return fd > 0 && pwrite(fd, "0", 1, 0) == 1;
}
