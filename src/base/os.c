/* Other programs use the same folders, and any call may be interrupted or fall short: files
 * appear whole, by rename; temporary folders are locked while somebody uses them; trees are
 * removed by descriptor and not by path, which somebody could exchange. Faults are injected
 * before the call that they stand for (base/fault.h). */
#include "base/os.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Injected faults come first: the call then fails without being made. */
static int faulty_open(const char *path, int flags)
{
    int fault = fault_at("open");
    if (fault) {
        errno = fault;
        return -1;
    }
    return open(path, flags | O_CLOEXEC, 0666);
}

bool os_read_all(int fd, size_t max_bytes, struct arena *out, struct str *bytes,
                 struct error *err)
{
    struct buf b;
    buf_init(&b, max_bytes);
    char chunk[16384];
    bool done = false;
    while (!done) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            error_set_errno(err, errno, "reading");
            break;
        }
        if (n > 0) buf_add_bytes(&b, chunk, (size_t)n);
        if (b.overflow) {
            error_set(err, ERROR_INVALID, "larger than the limit of %zu bytes", max_bytes);
            break;
        }
        done = n == 0;
    }
    if (done) *bytes = str_copy(out, buf_str(&b));
    buf_release(&b);
    return done;
}

bool os_read_file(const char *path, size_t max_bytes, struct arena *out, struct str *bytes,
                  struct error *err)
{
    /* A named pipe that nobody writes to is not waited for. */
    int fd = faulty_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) return error_set_errno(err, errno, "cannot open '%s'", path);
    struct stat st;
    bool done = false;
    bool is_open = fstat(fd, &st) == 0 && fcntl(fd, F_SETFL, 0) == 0;
    bool is_given = str_starts(str_of(path), S("/dev/")) || /* <(command) */
                    str_starts(str_of(path), S("/proc/"));
    if (!is_open) {
        error_set_errno(err, errno, "'%s'", path);
    } else if (S_ISDIR(st.st_mode)) {
        error_set(err, ERROR_INVALID, "'%s' is a folder", path);
    } else if (S_ISFIFO(st.st_mode) && !is_given) {
        error_set(err, ERROR_INVALID, "'%s' is a named pipe, not a file", path);
    } else {
        done = os_read_all(fd, max_bytes, out, bytes, err) || error_wrap(err, "'%s'", path);
    }
    close(fd);
    return done;
}

bool os_write_all(int fd, struct str bytes, struct error *err)
{
    while (bytes.n > 0) {
        int fault = fault_at("write");
        errno = fault;
        ssize_t n = fault ? -1 : write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return error_set_errno(err, errno, "writing");
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return true;
}

static bool write_and_close(int fd, bool syncs, struct str bytes, struct error *err)
{
    bool done = os_write_all(fd, bytes, err);
    if (done && syncs && fsync(fd) != 0) done = error_set_errno(err, errno, "syncing");
    close(fd);
    return done;
}

/* A new file next to `target`, where others may write too: a name that cannot be foreseen,
 * and never one that is there already, which might be a link to somewhere else. */
static int open_beside(const char *target, char *beside, size_t size)
{
    for (int tries = 0; tries < 100; tries++) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) return -1;
        int n = snprintf(beside, size, "%s.%016" PRIx64 ".part", target, random);
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = faulty_open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

bool os_write_file(const char *path, struct str bytes, struct error *err)
{
    char target[PATH_MAX]; /* of a link: that is what is written, and the link stays */
    char beside[PATH_MAX + 32];
    struct stat st;
    if (!realpath(path, target)) snprintf(target, sizeof target, "%s", path);
    /* A pipe or a device stays what it is: a rename would put a file in its place. */
    bool is_there = stat(target, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    if (is_there) {
        int fd = faulty_open(target, O_WRONLY);
        if (fd < 0) return error_set_errno(err, errno, "cannot write '%s'", path);
        return write_and_close(fd, false, bytes, err) ||
               error_wrap(err, "cannot write '%s'", path);
    }
    int fd = open_beside(target, beside, sizeof beside);
    if (fd < 0) return error_set_errno(err, errno, "cannot write '%s'", path);
    bool done = write_and_close(fd, true, bytes, err);
    if (done) {
        int fault = fault_at("rename");
        errno = fault;
        if (fault || rename(beside, target) != 0)
            done = error_set_errno(err, errno, "renaming");
    }
    if (!done) {
        unlink(beside);
        return error_wrap(err, "cannot write '%s'", path);
    }
    return true;
}

static bool make_one_dir(const char *path, struct error *err)
{
    int fault = fault_at("mkdir");
    errno = fault;
    if (!fault && (mkdir(path, 0777) == 0 || (errno == EEXIST && os_is_dir(path)))) return true;
    return error_set_errno(err, errno, "cannot make folder '%s'", path);
}

bool os_make_dirs(const char *path, struct error *err)
{
    char part[4096];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) {
        return error_set(err, ERROR_INVALID, "folder name is empty or too long");
    }
    memcpy(part, path, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (part[i] != '/') continue;
        part[i] = '\0';
        if (!os_is_dir(part) && !make_one_dir(part, err)) return false;
        part[i] = '/';
    }
    return make_one_dir(part, err);
}

bool os_make_new_dir(const char *path, bool *exists, struct error *err)
{
    int fault = fault_at("mkdir");
    errno = fault;
    *exists = false;
    if (!fault && mkdir(path, 0777) == 0) return true;
    *exists = errno == EEXIST;
    return error_set_errno(err, errno, "cannot make folder '%s'", path);
}

const char *os_path_below(const char *folder, struct str name, struct arena *out)
{
    bool stands_alone = !folder || (name.n > 0 && name.p[0] == '/');
    return stands_alone ? str_cstr(out, name)
                        : arena_printf(out, "%s/%.*s", folder, STR_ARG(name));
}

bool os_exists(const char *path)
{
    return path && access(path, F_OK) == 0;
}

const char *os_program_folder(struct arena *out)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    if (n <= 0 || n == sizeof self) return NULL;
    const char *slash = memrchr(self, '/', (size_t)n);
    return arena_copy(out, self, slash > self ? (size_t)(slash - self) : 1);
}

bool os_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool os_can_write(const char *folder, struct error *err)
{
    if (access(folder, W_OK) != 0) return error_set_errno(err, errno, "folder '%s'", folder);
    return os_is_dir(folder) || error_set(err, ERROR_IO, "'%s' is not a folder", folder);
}

const char *os_temp_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

/* The lock says that somebody is using it: us, until we end, and who is forked from us. */
bool os_make_temp_dir(const char *prefix, struct arena *out, const char **path,
                      struct error *err)
{
    char *template = arena_printf(out, "%s/%s-XXXXXX", os_temp_base(), prefix);
    if (!mkdtemp(template)) {
        return error_set_errno(err, errno, "cannot make a folder like '%s'", template);
    }
    int fd = open(template, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) flock(fd, LOCK_SH); /* NOLINT: stays open */
    *path = template;
    return true;
}

/* Somebody else's tree, which may be as deep as they like and closed to us: a folder is
 * opened by its owner's right, and what is too deep is moved up to `top` and removed later.
 * False = something is left for another pass. */
static bool remove_below(int dir_fd, int top_fd, int depth)
{
    enum { DEPTH_MAX = 64 };
    bool is_done = true;
    fchmod(dir_fd, 0700);
    DIR *dir = fdopendir(dir_fd);
    if (!dir) {
        close(dir_fd);
        return true;
    }
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char moved[32];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(dir), e->d_name, 0) == 0) continue;
        snprintf(moved, sizeof moved, ".%llx", (unsigned long long)clock_ns());
        if (depth >= DEPTH_MAX && renameat(dirfd(dir), e->d_name, top_fd, moved) == 0) {
            is_done = false;
            continue;
        }
        fchmodat(dirfd(dir), e->d_name, 0700, AT_SYMLINK_NOFOLLOW);
        int below =
            openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0) is_done &= remove_below(below, top_fd, depth + 1);
        unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
    return is_done;
}

void os_remove_tree(const char *path)
{
    enum { PASSES_MAX = 100000 };
    fchmodat(AT_FDCWD, path, 0700, AT_SYMLINK_NOFOLLOW);
    for (int i = 0; i < PASSES_MAX; i++) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int top = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
        bool is_done = fd < 0 || remove_below(fd, top, 0);
        if (top >= 0) close(top);
        if (is_done) break;
    }
    rmdir(path);
}

/* Whoever made it took its lock within this time. */
enum { TEMP_AGE_S = 60 };

void os_sweep_temp_dirs(const char *const *prefixes)
{
    struct arena scratch = arena_open();
    DIR *dir = opendir(os_temp_base());
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        bool is_ours = false;
        for (size_t i = 0; prefixes[i]; i++) {
            size_t n = strlen(prefixes[i]);
            is_ours |= strncmp(e->d_name, prefixes[i], n) == 0 && e->d_name[n] == '-' &&
                       strlen(e->d_name) == n + 7;
        }
        is_ours = is_ours && fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
                  time(NULL) - st.st_mtime > TEMP_AGE_S;
        int fd =
            is_ours ? openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            os_remove_tree(arena_printf(&scratch, "%s/%s", os_temp_base(), e->d_name));
        }
        if (fd >= 0) close(fd);
    }
    if (dir) closedir(dir);
    arena_close(&scratch);
}

const char *os_find_program(const char *name, struct arena *out)
{
    if (strchr(name, '/')) return access(name, X_OK) == 0 && !os_is_dir(name) ? name : NULL;
    const char *path = getenv("PATH");
    struct str rest = str_of(path ? path : "/usr/local/bin:/usr/bin:/bin");
    while (rest.p) {
        struct str dir = str_cut(&rest, ':');
        const char *file = dir.n ? arena_printf(out, "%.*s/%s", STR_ARG(dir), name) : name;
        if (access(file, X_OK) == 0 && !os_is_dir(file)) return file;
    }
    return NULL;
}

enum { PIPE_HOLDS = 65536 };

/* Reads `fd` until its end or the deadline; false when the deadline passed. Who comes late
 * still reads what was said in time: as much as a pipe holds. */
static bool drain(int fd, int64_t deadline_ns, struct buf *b)
{
    for (size_t late = 0; late < PIPE_HOLDS;) {
        int64_t left_ns = deadline_ns - clock_ns();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, left_ns <= 0 ? 0 : (int)(left_ns / 1000000) + 1);
        if (ready < 0 && errno != EINTR) return true;
        if (ready <= 0 && left_ns <= 0) return false;
        if (ready <= 0) continue;
        char chunk[4096];
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n <= 0) return true;
        buf_add_bytes(b, chunk, (size_t)n);
        if (left_ns <= 0) late += (size_t)n;
    }
    return false;
}

/* False when the deadline passed. A program may go on after it has closed its
 * output. */
static bool reap(pid_t pid, int64_t deadline_ns, int *status)
{
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got > 0 || (got < 0 && errno != EINTR)) return true;
        if (clock_ns() >= deadline_ns) return false;
        clock_sleep_until(clock_ns() + 200000);
    }
}

/* The length of NAME in NAME=value; 0: the word is not such a one. */
static size_t name_length(const char *word)
{
    size_t n = strcspn(word, "=/");
    return word[n] == '=' ? n : 0;
}

/* Our environment with the first `count` words set in it. */
static char **environment_with(const char *const *words, size_t count, struct arena *out)
{
    size_t most = 0;
    while (environ[most]) most++;
    char **all = arena_new(out, char *, most + count + 1);
    size_t n = 0;
    for (size_t i = 0; i < most; i++) {
        bool is_set = false;
        for (size_t k = 0; k < count && !is_set; k++)
            is_set = strncmp(environ[i], words[k], name_length(words[k]) + 1) == 0;
        if (!is_set) all[n++] = environ[i];
    }
    for (size_t i = 0; i < count; i++) all[n++] = arena_copy(out, words[i], strlen(words[i]));
    return all;
}

bool os_capture_begin(const char *const *words, int timeout_ms, struct os_capture *c,
                      struct error *err)
{
    int fds[2];
    const char *const *argv = words;
    *c = (struct os_capture){0};
    while (*argv && name_length(*argv) > 0) argv++;
    CHECK(*argv != NULL);
    int fault = fault_at("spawn");
    if (fault) return error_set_errno(err, fault, "cannot start '%s'", argv[0]);
    if (pipe2(fds, O_CLOEXEC) != 0) return error_set_errno(err, errno, "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    union { /* posix_spawnp takes char *const[] but does not write */
        const char *const *in;
        char *const *out;
    } args = {.in = argv};
    struct arena scratch = arena_open();
    char **env = environment_with(words, (size_t)(argv - words), &scratch);
    pid_t pid = 0;
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, args.out, env);
    arena_close(&scratch);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    if (failed) {
        close(fds[0]);
        return error_set_errno(err, failed, "cannot start '%s'", argv[0]);
    }
    *c = (struct os_capture){
        .pid = pid, .fd = fds[0], .deadline_ns = clock_ns() + (int64_t)timeout_ms * 1000000};
    return true;
}

void os_capture_end(struct os_capture *c, size_t max_bytes, struct arena *out,
                    struct os_output *result)
{
    struct buf b;
    int status = 0;
    buf_init(&b, max_bytes);
    result->timed_out =
        !drain(c->fd, c->deadline_ns, &b) || !reap(c->pid, c->deadline_ns, &status);
    close(c->fd);
    if (result->timed_out) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    result->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result->text = str_copy(out, buf_str(&b));
    buf_release(&b);
    *c = (struct os_capture){0};
}

bool os_capture(const char *const *words, int timeout_ms, size_t max_bytes, struct arena *out,
                struct os_output *result, struct error *err)
{
    struct os_capture c;
    if (!os_capture_begin(words, timeout_ms, &c, err)) return false;
    os_capture_end(&c, max_bytes, out, result);
    return true;
}

struct str os_read_line(const char *path, struct arena *out)
{
    struct str bytes = {0};
    if (!os_read_file(path, 65536, out, &bytes, NULL)) return (struct str){0};
    return str_trim(str_cut(&bytes, '\n'));
}

void os_step_back(bool does)
{
    struct sched_param none = {0};
    int from = does ? SCHED_OTHER : SCHED_BATCH; /* any other is somebody's decision */
    int to = does ? SCHED_BATCH : SCHED_OTHER;
    if (sched_getscheduler(0) == from) sched_setscheduler(0, to, &none);
}
