/* Where a link leads is the kernel's word: what is opened says its path and its file system.
 * Links of /proc itself (/proc/self/fd/0, /proc/self/cwd) lead elsewhere for the program that
 * checks than for us, so that none is followed (openat2(2), RESOLVE_NO_MAGICLINKS); what is
 * not there for us may be there for it, so that the folder of the target counts as well. */
#include "check/links.h"

#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DEPTH_MAX = 128, ENTRIES_MAX = 1000000 };

struct walk {
    struct arena *out;
    const char *folder;
    const char *const *hidden;
    size_t entries;
    const char *found;
};

static bool is_at_or_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    if (strcmp(folder, "/") == 0) return true;
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* In its own folder it sees the history, and a folder there is no way to anything else. */
static const char *hidden_at(const struct walk *w, const char *target)
{
    bool is_own = is_at_or_below(target, w->folder);
    for (size_t i = 0; w->hidden && w->hidden[i]; i++) {
        const char *h = w->hidden[i];
        if (is_own && str_ends(str_of(h), S("/.git"))) continue;
        if (is_at_or_below(target, h) && !(is_own && is_at_or_below(w->folder, h))) return h;
        if (!is_own && is_at_or_below(h, target)) return h;
    }
    return NULL;
}

/* Does not follow what leads elsewhere for each process; -1 with ELOOP at such a link. */
static int open_target(int folder, const char *name)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    return fd >= 0 || errno != ENOSYS ? fd : openat(folder, name, O_PATH | O_CLOEXEC);
}

static bool is_in_proc(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* The folder that a target is in, which may be there where the target is not yet. */
static bool begins_in_proc(int folder, const char *name)
{
    char text[PATH_MAX];
    ssize_t n = readlinkat(folder, name, text, sizeof text - 1);
    if (n <= 0) return false;
    text[n] = '\0';
    char *slash = strrchr(text, '/');
    if (!slash || slash == text) return false;
    *slash = '\0';
    int fd = open_target(folder, text);
    if (fd < 0) return errno == ELOOP;
    bool is_it = is_in_proc(fd);
    close(fd);
    return is_it;
}

static void look_at_link(struct walk *w, int folder, const char *name, const char *path)
{
    char at[64], target[PATH_MAX];
    int fd = open_target(folder, name);
    bool is_proc = fd >= 0 ? is_in_proc(fd) : errno == ELOOP;
    if (is_proc || begins_in_proc(folder, name)) {
        w->found = arena_printf(w->out, "%s, which leads into /proc or in a circle", path);
    } else if (fd >= 0) {
        snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(at, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        const char *h = hidden_at(w, target);
        if (h) w->found = arena_printf(w->out, "%s, which leads to %s", path, h);
    }
    if (fd >= 0) close(fd);
}

/* Takes `fd`. */
static void look_through(struct walk *w, int fd, const char *path, int depth)
{
    DIR *entries = fdopendir(fd);
    if (!entries) close(fd);
    for (struct dirent *e; entries && !w->found && (e = readdir(entries));) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (++w->entries > ENTRIES_MAX || depth > DEPTH_MAX) {
            w->found =
                arena_printf(w->out, "%s, which is too deep or too full to look through", path);
            break;
        }
        unsigned type = e->d_type;
        if (type == DT_UNKNOWN && fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
            type = IFTODT(st.st_mode);
        }
        if (type != DT_LNK && type != DT_DIR) continue;
        const char *below = arena_printf(w->out, "%s/%s", path, e->d_name);
        if (type == DT_LNK) {
            look_at_link(w, fd, e->d_name, below);
        } else {
            int next = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (next >= 0) look_through(w, next, below, depth + 1);
        }
    }
    if (entries) closedir(entries);
}

const char *links_to_hidden(const char *folder, const char *const *hidden, struct arena *out)
{
    struct arena scratch = arena_open();
    struct walk w = {.out = &scratch, .folder = folder, .hidden = hidden};
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) look_through(&w, fd, folder, 0);
    const char *found = w.found ? arena_copy(out, w.found, strlen(w.found)) : NULL;
    arena_close(&scratch);
    return found;
}
