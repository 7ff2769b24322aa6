/* The order matters: mounts while there is the right to mount, the cgroup before its
 * files are covered, Landlock (which forbids mounting), the rights and the filter of
 * system calls last.
 *
 * Root without capabilities still owns root's files, so that read-only mounts, a /dev of
 * its own and a read-only /proc/sys keep it from what capabilities would not: /etc/passwd,
 * /dev/sda, core_pattern. Sockets of others are covered, since who answers there does what
 * it is asked outside: tmux, an ssh agent, docker. namespaces(7), mount_setattr(2), landlock(7),
 * capabilities(7). */
#include "sandbox/jail.h"

#include "base/os.h"
#include "sandbox/filter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WRITABLE_MAX = 8 };

static const char *const private_dirs[] = {"/tmp", "/var/tmp", "/dev/shm"};

/* Who may write to them has the machine, or (1) the guard. */
static const char *const sealed[] = {
    "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
    "/proc/fs",  "/proc/acpi",          "/proc/1"};

/* Of daemons, where /proc/net/unix may not name them: a container's are the host's. */
static const char *const sockets[] = {"/run/docker.sock",     "/run/containerd", "/run/podman",
                                      "/run/systemd/private", "/run/dbus",       "/run/user"};

/* All of /dev that an agent gets: what does nothing but its own work, and what computes. */
static const char *const devices[] = {
    "null",    "zero",    "full",    "random",  "urandom",   "tty",        "shm",     "dri",
    "kfd",     "kvm",     "accel",   "dxg",     "nvidiactl", "nvidia-uvm", "nvidia0", "nvidia1",
    "nvidia2", "nvidia3", "nvidia4", "nvidia5", "nvidia6",   "nvidia7"};
static const char *const device_links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                              {"/proc/self/fd/0", "/dev/stdin"},
                                              {"/proc/self/fd/1", "/dev/stdout"},
                                              {"/proc/self/fd/2", "/dev/stderr"},
                                              {"pts/ptmx", "/dev/ptmx"}};

static bool put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0) close(fd);
    return n >= 0;
}

/* We are who we were, in a namespace where we may mount. */
static bool map_ids(const struct jail_ids *ids)
{
    char map[64];
    put("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", ids->gid, ids->gid);
    bool done = put("/proc/self/gid_map", map);
    snprintf(map, sizeof map, "%u %u 1", ids->uid, ids->uid);
    return put("/proc/self/uid_map", map) && done;
}

/* ---- mounts ---- */

/* What is written to `folder` from now on goes to memory of this namespace. The
 * original is reached by a descriptor, since the memory is mounted over it. */
static bool make_private(const char *folder, bool is_user)
{
    char options[256], upper[64], work[64];
    struct stat st;
    int lower = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (lower < 0 || fstat(lower, &st) != 0) return errno == ENOENT;
    snprintf(upper, sizeof upper, "%s/upper", folder);
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(options, sizeof options, "lowerdir=/proc/self/fd/%d,upperdir=%s,workdir=%s%s",
             lower, upper, work, is_user ? ",userxattr" : "");
    bool done = mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") == 0;
    if (done) {
        done = mkdir(upper, 0700) == 0 && mkdir(work, 0700) == 0 &&
               chmod(upper, st.st_mode & 07777) == 0;
        /* In a user namespace others are not there to be given anything. */
        done = done && (chown(upper, st.st_uid, st.st_gid) == 0 || is_user);
        done = done && mount("overlay", folder, "overlay", MS_NOSUID | MS_NODEV, options) == 0;
        int reason = errno;
        if (!done) umount2(folder, MNT_DETACH);
        errno = reason;
    }
    int reason = errno;
    close(lower);
    errno = reason;
    return done;
}

static bool set_flags(const char *path, struct mount_attr flags, bool is_deep)
{
    return syscall(SYS_mount_setattr, AT_FDCWD, path, is_deep ? AT_RECURSIVE : 0, &flags,
                   sizeof flags) == 0;
}

/* And without devices: a node that can be opened can be written to, on a read-only mount
 * too. Those that the agent is to have are given back one by one. */
static bool set_read_only(const char *path)
{
    return set_flags(
        path, (struct mount_attr){.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV}, true);
}

static bool set_writable(const char *path)
{
    return set_flags(path, (struct mount_attr){.attr_clr = MOUNT_ATTR_RDONLY}, false);
}

static bool set_devices(const char *path)
{
    return set_flags(path, (struct mount_attr){.attr_clr = MOUNT_ATTR_NODEV}, true);
}

/* A folder becomes an empty one, anything else an empty file. */
static bool hide(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return true;
    if (S_ISDIR(st.st_mode)) {
        return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY,
                     "size=4k,mode=0555") == 0;
    }
    return mount("/dev/null", path, NULL, MS_BIND, NULL) == 0;
}

/* Binds what `fd` is to `path`, of the same kind. */
static void bring(int fd, const char *path)
{
    char from[64];
    struct stat st;
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    if (fstat(fd, &st) != 0) return;
    int made = S_ISDIR(st.st_mode) ? mkdir(path, 0755)
                                   : open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    bool is_there = made >= 0 && mount(from, path, NULL, MS_BIND | MS_REC, NULL) == 0;
    if (!is_there) unlink(path);
    if (made > 0) close(made);
    /* The agent may write to /dev/shm, so that what is there is nobody's device. */
    if (is_there && strcmp(path, "/dev/shm") != 0) set_devices(path);
}

/* A /dev of its own, with terminals of its own: no disk, no console, no keyboard. */
static bool make_devices(void)
{
    int fds[COUNT(devices)];
    char path[64];
    for (size_t i = 0; i < COUNT(devices); i++) {
        snprintf(path, sizeof path, "/dev/%s", devices[i]);
        fds[i] = open(path, O_PATH | O_CLOEXEC);
    }
    bool done = mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "size=64k,mode=0755") == 0;
    for (size_t i = 0; i < COUNT(devices); i++) {
        snprintf(path, sizeof path, "/dev/%s", devices[i]);
        if (done && fds[i] >= 0) bring(fds[i], path);
        if (fds[i] >= 0) close(fds[i]);
    }
    if (!done) {
        set_devices("/dev"); /* the machine's own, then */
        return false;
    }
    for (size_t i = 0; i < COUNT(device_links); i++) {
        done &= symlink(device_links[i][0], device_links[i][1]) == 0;
    }
    done &= mkdir("/dev/pts", 0755) == 0;
    if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=0620") != 0) {
        unlink("/dev/ptmx"); /* no terminals, rather than everybody's */
    }
    /* Queues of its IPC namespace: on the mount of others theirs could be read. */
    done &= mkdir("/dev/mqueue", 0755) == 0;
    mount("mqueue", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    return set_flags("/dev", read_only, false) && done;
}

static bool is_below(const char *path, const char *const *folders)
{
    for (size_t i = 0; folders[i]; i++) {
        size_t n = strlen(folders[i]);
        if (strncmp(path, folders[i], n) == 0 && path[n] == '/') return true;
    }
    return false;
}

struct paths {
    struct arena *arena;
    const char *items[4096];
    size_t count;
};

static void add_path(struct paths *p, const char *path)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->items[i], path) == 0) return;
    }
    if (p->count < COUNT(p->items)) p->items[p->count++] = path;
}

/* The folders that processes work in: those of ours, or of all if we may look. */
static void find_folders(struct paths *folders)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *e; processes && (e = readdir(processes));) {
        char at[300], folder[4096];
        if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
        snprintf(at, sizeof at, "/proc/%s/cwd", e->d_name);
        ssize_t n = readlink(at, folder, sizeof folder);
        if (n > 0) add_path(folders, arena_copy(folders->arena, folder, (size_t)n));
    }
    if (processes) closedir(processes);
}

static void add_socket(struct paths *found, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode)) add_path(found, path);
}

/* Every socket with a path: proc_net(5), last of eight columns. A path that is relative was
 * so to who bound it, in a folder where it most likely still is. */
static void find_sockets(struct paths *found)
{
    enum { TABLE_MAX = 8 << 20, COLUMNS_BEFORE = 7 };
    struct arena *arena = found->arena;
    struct paths *folders = arena_new(arena, struct paths, 1);
    folders->arena = arena;
    struct str rest = {0};
    int fd = open("/proc/net/unix", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !os_read_all(fd, TABLE_MAX, arena, &rest, NULL)) rest = (struct str){0};
    if (fd >= 0) close(fd);
    str_cut(&rest, '\n'); /* the names of the columns */
    while (rest.n > 0) {
        struct str name = str_cut(&rest, '\n');
        for (int i = 0; i < COLUMNS_BEFORE; i++) {
            str_cut(&name, ' ');
            while (name.n > 0 && name.p[0] == ' ') name = (struct str){name.p + 1, name.n - 1};
        }
        if (name.n == 0 || name.p[0] == '@') continue;
        if (name.p[0] == '/') add_socket(found, str_cstr(arena, name));
        if (name.p[0] == '/') continue;
        if (folders->count == 0) find_folders(folders);
        for (size_t i = 0; i < folders->count; i++) {
            add_socket(found, arena_printf(arena, "%s/%.*s", folders->items[i], STR_ARG(name)));
        }
    }
}

/* But for those of its own folders. */
static void hide_sockets(const struct jail_spec *spec, const struct paths *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (!is_below(found->items[i], spec->writable)) hide(found->items[i]);
    }
    for (size_t i = 0; i < COUNT(sockets); i++) hide(sockets[i]);
}

static bool is_mount(const char *path)
{
    struct statx st;
    return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &st) == 0 &&
           (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* What is mounted cannot be renamed, but the folder that it is in can, with another put in
 * its place for our next run: so every folder between one where the agent may write and
 * `path` is mounted on itself, with what is mounted below it. */
static void pin(const struct jail_spec *spec, const char *path, struct buf *said)
{
    char folder[4096];
    for (size_t i = 0; spec->writable[i]; i++) {
        const char *const one[] = {spec->writable[i], NULL};
        size_t n = strlen(spec->writable[i]);
        if (!is_below(path, one)) continue;
        for (const char *at = path + n; (at = strchr(at + 1, '/'));) {
            snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
            if (!os_exists(folder) || is_mount(folder)) continue;
            if (mount(folder, folder, NULL, MS_BIND | MS_REC, NULL) == 0) continue;
            buf_printf(said, "The agent can move %s (%s).\n", folder, strerror(errno));
        }
    }
}

static void fix(const char *path, struct buf *said)
{
    if (!os_exists(path)) return;
    if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) != 0 || !set_read_only(path))
        buf_printf(said, "The agent can change %s (%s).\n", path, strerror(errno));
}

static void hide_all(const struct jail_spec *spec, const struct paths *found, struct buf *said)
{
    for (size_t i = 0; i < COUNT(sealed); i++) {
        if (os_exists(sealed[i]) && mount(sealed[i], sealed[i], NULL, MS_BIND, NULL) == 0) {
            set_read_only(sealed[i]);
        }
    }
    hide_sockets(spec, found);
    if (!make_devices()) buf_text(said, "The agent sees the machine's devices.\n");
    if (!hide("/sys/fs/cgroup")) buf_text(said, "The agent sees the machine's cgroups.\n");
    for (size_t i = 0; spec->fixed[i]; i++) {
        pin(spec, spec->fixed[i], said);
        fix(spec->fixed[i], said);
    }
    for (size_t i = 0; spec->hidden[i]; i++) {
        pin(spec, spec->hidden[i], said);
        if (hide(spec->hidden[i])) continue;
        buf_printf(said, "The agent can see %s (%s).\n", spec->hidden[i], strerror(errno));
    }
}

/* The folders that stay real, taken before their surroundings change. */
static size_t open_writable(const struct jail_spec *spec, int *fds)
{
    size_t n = 0;
    for (; spec->writable[n] && n < WRITABLE_MAX; n++) {
        fds[n] = open(spec->writable[n], O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    return n;
}

static void bind_writable(const struct jail_spec *spec, const int *fds, size_t n,
                          struct buf *said)
{
    for (size_t i = 0; i < n; i++) {
        char from[64];
        snprintf(from, sizeof from, "/proc/self/fd/%d", fds[i]);
        if (fds[i] < 0 || mount(from, spec->writable[i], NULL, MS_BIND, NULL) != 0 ||
            !set_writable(spec->writable[i])) {
            buf_printf(said, "The agent cannot write to %s (%s).\n", spec->writable[i],
                       strerror(errno));
        }
        if (fds[i] >= 0) close(fds[i]);
    }
}

/* `found`: sockets of others, looked for while /proc is still everybody's. */
static bool make_mounts(const struct jail_spec *spec, bool is_user, const struct paths *found,
                        struct buf *said)
{
    int fds[WRITABLE_MAX];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        buf_printf(said, "mounts cannot be made private: %s", strerror(errno));
        return false; /* a chroot: what we mount might be seen by others */
    }
    size_t n = open_writable(spec, fds);
    bool is_private[COUNT(private_dirs)];
    for (size_t i = 0; i < COUNT(private_dirs); i++) {
        is_private[i] = make_private(private_dirs[i], is_user);
        if (is_private[i]) continue;
        buf_printf(said, "Files that the agent leaves in %s stay there (overlay: %s).\n",
                   private_dirs[i], strerror(errno));
    }
    if (!set_read_only("/")) {
        buf_printf(said, "The agent can write wherever assay can (%s).\n", strerror(errno));
    }
    for (size_t i = 0; i < COUNT(private_dirs); i++) set_writable(private_dirs[i]);
    bind_writable(spec, fds, n, said);
    if (spec->memory &&
        mount("tmpfs", spec->memory, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") != 0)
        buf_printf(said, "It cannot write to %s (%s).\n", spec->memory, strerror(errno));
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        buf_printf(said, "no /proc of its own: %s", strerror(errno));
        return false;
    }
    hide_all(spec, found, said);
    return true;
}

static bool make_room(const struct jail_spec *spec, bool is_user, struct buf *said)
{
    struct arena scratch = arena_open();
    struct paths *found = arena_new(&scratch, struct paths, 1);
    found->arena = &scratch;
    find_sockets(found);
    bool done = make_mounts(spec, is_user, found, said);
    arena_close(&scratch);
    return done;
}

/* ---- Landlock ---- */

/* As in linux/landlock.h, which older systems have only in part. */
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scoped; /* ABI 6 */
};
struct landlock_path {
    uint64_t allowed;
    int32_t folder_fd;
} __attribute__((packed));

enum {
    LANDLOCK_WRITES = 0x1ffe & ~0xc, /* all of ABI 1 but execute, read file, read folder */
    LANDLOCK_WRITE = 1 << 1,         /* files */
    LANDLOCK_READ = 1 << 2,
    LANDLOCK_REFER = 1 << 13,    /* ABI 2 */
    LANDLOCK_TRUNCATE = 1 << 14, /* ABI 3 */
    LANDLOCK_SCOPES = 3,         /* abstract sockets, signals */
};

/* Not through links: what they lead to has a place of its own. */
static void allow_below(int rules, uint64_t allowed, const char *folder)
{
    struct landlock_path path = {allowed, open(folder, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    if (path.folder_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, 1, &path, 0);
    close(path.folder_fd);
}

/* Whether `path` is hidden, or (is_above) has something hidden below it. */
static bool is_hidden(const struct jail_spec *spec, const char *path, bool is_above)
{
    size_t n = strlen(path);
    for (size_t i = 0; spec->hidden[i]; i++) {
        bool is_it = strncmp(spec->hidden[i], path, n) == 0;
        if (is_it && spec->hidden[i][n] == (is_above ? '/' : '\0')) return true;
    }
    return false;
}

/* Landlock knows only what is allowed: everything but the way to what is hidden. */
static void allow_reading(const struct jail_spec *spec, int rules, const char *folder)
{
    DIR *entries = opendir(*folder ? folder : "/");
    for (struct dirent *e; entries && (e = readdir(entries));) {
        char path[4096];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        bool is_closed = strcmp(path, "/dev") == 0 || is_hidden(spec, path, false);
        if (n >= (int)sizeof path || is_closed) continue;
        if (is_hidden(spec, path, true)) {
            allow_reading(spec, rules, path);
        } else {
            allow_below(rules, LANDLOCK_READ, path);
        }
    }
    if (entries) closedir(entries);
}

/* No terminal: those that are there are other people's. */
static void allow_devices(int rules, uint64_t allowed)
{
    uint64_t of_file = allowed & (LANDLOCK_WRITE | LANDLOCK_READ | LANDLOCK_TRUNCATE);
    for (size_t i = 0; i < COUNT(devices); i++) {
        char path[64];
        snprintf(path, sizeof path, "/dev/%s", devices[i]);
        allow_below(rules, os_is_dir(path) ? allowed : of_file, path);
    }
}

/* Processes outside are out of reach, too: Landlock forbids to look into them. */
static bool restrict_files(const struct jail_spec *spec, struct buf *said)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    if (version < 1) return false;
    struct landlock_rules r = {.files = LANDLOCK_WRITES | LANDLOCK_READ};
    if (version >= 2) r.files |= LANDLOCK_REFER;
    if (version >= 3) r.files |= LANDLOCK_TRUNCATE;
    if (version >= 6) r.scoped = LANDLOCK_SCOPES;
    size_t size = version >= 6 ? sizeof r : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
    if (rules < 0) return false;
    for (size_t i = 0; spec->writable[i]; i++) {
        allow_below(rules, r.files, spec->writable[i]);
        if (!is_hidden(spec, spec->writable[i], true)) continue;
        buf_printf(said, "The agent works in %s and sees files there that should be hidden.\n",
                   spec->writable[i]);
    }
    for (size_t i = 0; spec->fixed[i]; i++) {
        if (is_below(spec->fixed[i], spec->writable))
            buf_printf(said, "The agent can change %s (no namespaces).\n", spec->fixed[i]);
    }
    allow_reading(spec, rules, "");
    for (size_t i = 0; i < COUNT(private_dirs); i++) {
        allow_below(rules, r.files & ~(uint64_t)LANDLOCK_READ, private_dirs[i]);
    }
    if (spec->memory) allow_below(rules, r.files, spec->memory);
    allow_devices(rules, r.files);
    bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    if (done && version < 6) buf_text(said, "The agent can signal assay's processes.\n");
    return done;
}

/* With namespaces, for what mounts do not keep: a FIFO can be written to on a read-only
 * mount, and who reads it outside does what it is asked; sockets that have a name and no
 * path are in none of the namespaces. Files may be moved wherever mounts let them: Landlock
 * forbids it unless asked, and in its first version whatever it is asked. Writing alone is
 * ruled here, since the guard is to remove the cgroups. */
static void restrict_rest(const struct jail_spec *spec, struct buf *said)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    struct landlock_rules r = {.files = LANDLOCK_WRITE | LANDLOCK_REFER};
    if (version >= 6) r.scoped = LANDLOCK_SCOPES;
    size_t size = version >= 6 ? sizeof r : version >= 4 ? 16 : 8;
    int rules = version >= 2 ? (int)syscall(SYS_landlock_create_ruleset, &r, size, 0) : -1;
    if (rules >= 0) {
        static const char *const own[] = {"/proc", "/dev/pts", "/dev/mqueue"};
        allow_below(rules, LANDLOCK_REFER, "/");
        for (size_t i = 0; spec->writable[i]; i++)
            allow_below(rules, LANDLOCK_WRITE, spec->writable[i]);
        for (size_t i = 0; i < COUNT(private_dirs); i++)
            allow_below(rules, LANDLOCK_WRITE, private_dirs[i]);
        for (size_t i = 0; i < COUNT(own); i++) allow_below(rules, LANDLOCK_WRITE, own[i]);
        if (spec->memory) allow_below(rules, LANDLOCK_WRITE, spec->memory);
        allow_devices(rules, LANDLOCK_WRITE);
    }
    bool done = rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (rules >= 0) close(rules);
    if (!done)
        buf_text(said,
                 "The agent can write to FIFOs outside of its folders (no Landlock 2).\n");
    if (!done || version < 6)
        buf_text(said, "The agent can reach abstract sockets of others (no Landlock 6).\n");
}

/* ---- rights ---- */

/* All but two of root's, which the starter gives up once it has used them: one to drop
 * rights, one to remove the cgroup. Anybody else loses all by exec. The kernel gives none
 * back (no_new_privs). */
static bool drop_rights(void)
{
    enum { KEPT = 1 << CAP_SETPCAP | 1 << CAP_DAC_OVERRIDE };
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{0}};
    if (syscall(SYS_capget, &head, sets) != 0) return false;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (int c = 0; c < 64; c++) {
        bool is_kept = geteuid() == 0 && (c == CAP_SETPCAP || c == CAP_DAC_OVERRIDE);
        if (!is_kept) prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    }
    sets[0].permitted &= KEPT;
    sets[0].effective = sets[0].permitted;
    sets[0].inheritable = 0;
    sets[1] = (struct __user_cap_data_struct){0};
    syscall(SYS_keyctl, 1, NULL); /* a session keyring of its own: KEYCTL_JOIN_SESSION */
    return syscall(SYS_capset, &head, sets) == 0;
}

static void set_limits(void)
{
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core); /* no core files */
    /* When memory runs out, the agent's processes are to be ended, not ours. */
    put("/proc/self/oom_score_adj", "1000");
}

/* Last of all limits: what is prepared here takes memory of its own. */
static void limit_data(const struct jail_spec *spec)
{
    struct rlimit data = {(rlim_t)spec->data_bytes, (rlim_t)spec->data_bytes};
    if (spec->data_bytes > 0) setrlimit(RLIMIT_DATA, &data);
}

/* Counted for the whole user, so that an agent that queues all it may leaves most of them
 * to others. */
static void limit_signals(void)
{
    enum { SIGNALS_MOST = 4096 };
    struct rlimit now;
    if (getrlimit(RLIMIT_SIGPENDING, &now) != 0 || now.rlim_cur <= SIGNALS_MOST) return;
    now.rlim_cur = now.rlim_max = SIGNALS_MOST;
    setrlimit(RLIMIT_SIGPENDING, &now);
}

bool jail_enter(const struct jail_spec *spec, const struct jail_ids *ids, struct buf *said)
{
    bool is_user = ids->flags & CLONE_NEWUSER;
    if (is_user && !map_ids(ids)) {
        buf_printf(said, "no user namespace: %s", strerror(errno));
        return false;
    }
    set_limits();
    if (spec->is_off) {
        limit_data(spec);
        return true;
    }
    limit_signals();
    if (ids->flags && !make_room(spec, is_user, said)) return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        (!ids->flags && !restrict_files(spec, said))) {
        buf_text(said, "The agent can write wherever assay can, and read assay's memory and "
                       "environment (no namespaces, no Landlock).\n");
    }
    if (ids->flags) restrict_rest(spec, said);
    if (!drop_rights())
        buf_printf(said, "The agent keeps assay's rights (%s).\n", strerror(errno));
    limit_data(spec);
    if (!filter_install(!ids->flags)) {
        buf_printf(said,
                   "The agent can change limits and priorities of the processes that measure "
                   "it (no seccomp: %s).\n",
                   strerror(errno));
    }
    return true;
}
