/* The keeper and the guard speak over a socket of packets: the guard says hello
 * once its mounts are made; every byte from the keeper asks for a sweep and is
 * answered with what was reaped. namespaces(7), pid_namespaces(7). */
#include "sandbox/guard.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SWEEP_LIMIT_MS = 5000, LAST_KILLS = 20, REAL_MAX = 8 };

const char *const guard_namespaces[GUARD_NAMESPACES] = {"mnt", "ipc", "pid"};
const int guard_namespace_flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID;

static const char *const private_dirs[] = {"/tmp", "/var/tmp", "/dev/shm"};

struct hello {
    char unenforced[1024];
};

struct swept {
    bool is_clean;
    struct usage usage;
};

/* ---- in the guard: mounts ---- */

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* What is written to `folder` from now on goes to memory of this namespace. The
 * original is reached by a descriptor, since the memory is mounted over it. */
static bool make_private(const char *folder)
{
    char options[256], upper[64], work[64];
    struct stat st;
    int lower = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (lower < 0 || fstat(lower, &st) != 0) return errno == ENOENT;
    snprintf(upper, sizeof upper, "%s/upper", folder);
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(options, sizeof options, "lowerdir=/proc/self/fd/%d,upperdir=%s,workdir=%s", lower,
             upper, work);
    bool done = mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") == 0;
    if (done) {
        done = mkdir(upper, 0700) == 0 && mkdir(work, 0700) == 0 &&
               chmod(upper, st.st_mode & 07777) == 0 &&
               chown(upper, st.st_uid, st.st_gid) == 0 &&
               mount("overlay", folder, "overlay", MS_NOSUID | MS_NODEV, options) == 0;
        int reason = errno;
        if (!done) umount2(folder, MNT_DETACH);
        errno = reason;
    }
    int reason = errno;
    close(lower);
    errno = reason;
    return done;
}

/* Descriptors of the folders that must stay real, taken before they are hidden. */
static size_t open_real(const char *const *dirs, int *fds, const char **paths)
{
    size_t n = 0;
    for (size_t i = 0; dirs[i] && n < REAL_MAX; i++) {
        bool is_hidden = false;
        for (size_t k = 0; k < COUNT(private_dirs); k++) {
            is_hidden |= is_below(dirs[i], private_dirs[k]);
        }
        int fd = is_hidden ? open(dirs[i], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
        if (fd < 0) continue;
        fds[n] = fd;
        paths[n++] = dirs[i];
    }
    return n;
}

static void make_mounts(const struct guard_spec *spec, struct buf *unenforced)
{
    int fds[REAL_MAX];
    const char *paths[REAL_MAX];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        buf_printf(unenforced, "Mounts could not be made private (%s). ", strerror(errno));
        return;
    }
    size_t n = open_real(spec->real_dirs, fds, paths);
    for (size_t i = 0; i < COUNT(private_dirs); i++) {
        if (make_private(private_dirs[i])) continue;
        buf_printf(unenforced, "Files that the agent leaves in %s stay there (overlay: %s). ",
                   private_dirs[i], strerror(errno));
    }
    for (size_t i = 0; i < n; i++) {
        char from[64];
        snprintf(from, sizeof from, "/proc/self/fd/%d", fds[i]);
        if (mount(from, paths[i], NULL, MS_BIND | MS_REC, NULL) != 0) {
            buf_printf(unenforced, "What the agent writes to %s is lost (bind: %s). ", paths[i],
                       strerror(errno));
        }
        close(fds[i]);
    }
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        buf_printf(unenforced, "The agent sees the processes of this machine (proc: %s). ",
                   strerror(errno));
    }
}

/* ---- in the guard: processes ---- */

static void reap(struct usage *usage)
{
    struct rusage r;
    while (wait4(-1, NULL, WNOHANG, &r) > 0) usage_add_rusage(usage, &r);
}

/* kill(-1) reaches everybody in the namespace but its first process, us. */
static bool sweep(struct usage *usage)
{
    int64_t deadline_ns = clock_ns() + (int64_t)SWEEP_LIMIT_MS * 1000000;
    while (kill(-1, SIGKILL) == 0) {
        reap(usage);
        if (clock_ns() > deadline_ns) return false;
        if (kill(-1, 0) == 0) clock_sleep_until(clock_ns() + 100000);
    }
    reap(usage);
    return true;
}

/* Nothing of the keeper's but the socket: an open pipe of it would keep its
 * readers waiting. */
static int let_go(int socket, int *signals)
{
    sigset_t all, child_signal;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    setpgid(0, 0);
    prctl(PR_SET_NAME, PROC_GUARD_NAME);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++) dup2(null_fd, fd);
    if (socket != 3) dup3(socket, 3, O_CLOEXEC);
    syscall(SYS_close_range, 4, ~0U, 0);
    *signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    return 3;
}

__attribute__((noreturn)) static void guard_main(int keeper_socket,
                                                 const struct guard_spec *spec)
{
    int signals = -1;
    int socket = let_go(keeper_socket, &signals);
    struct hello hello = {{0}};
    struct buf text;
    buf_over(&text, hello.unenforced, sizeof hello.unenforced);
    make_mounts(spec, &text);
    if (chdir("/") != 0 || send(socket, &hello, sizeof hello, MSG_NOSIGNAL) < 0) _exit(1);
    struct swept swept = {0};
    for (;;) {
        struct pollfd fds[] = {{.fd = socket, .events = POLLIN},
                               {.fd = signals, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) break;
        struct signalfd_siginfo info;
        if (fds[1].revents && read(signals, &info, sizeof info) > 0) reap(&swept.usage);
        if (!fds[0].revents) continue;
        char order = 0;
        if (recv(socket, &order, 1, 0) <= 0) break;
        swept.is_clean = sweep(&swept.usage);
        if (send(socket, &swept, sizeof swept, MSG_NOSIGNAL) < 0) break;
        swept.usage = (struct usage){0};
    }
    /* The keeper is gone, in peace or not. What it had started may stay as
     * zombies of somebody else's, so that we do not wait for their end. */
    for (int i = 0; i < LAST_KILLS && kill(-1, SIGKILL) == 0; i++) {
        clock_sleep_until(clock_ns() + 1000000);
    }
    struct cgroup group = *spec->cgroup;
    cgroup_close(&group);
    _exit(0);
}

/* ---- in the keeper ---- */

bool guard_start(struct guard *g, const struct guard_spec *spec, struct error *err)
{
    int pair[2];
    *g = (struct guard){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return error_set_errno(err, errno, "socketpair");
    }
    /* fork, into namespaces */
    long pid = syscall(SYS_clone, (unsigned long)guard_namespace_flags | SIGCHLD, NULL, NULL,
                       NULL, NULL);
    int reason = errno;
    if (pid == 0) {
        close(pair[0]);
        guard_main(pair[1], spec);
    }
    close(pair[1]);
    *g = (struct guard){.pid = pid > 0 ? (pid_t)pid : 0, .socket = pair[0]};
    struct hello hello;
    if (pid < 0 || recv(g->socket, &hello, sizeof hello, 0) != (ssize_t)sizeof hello) {
        guard_end(g);
        return error_set(err, ERROR_UNAVAILABLE, "no pid and mount namespace: %s",
                         pid < 0 ? strerror(reason) : "its first process ended");
    }
    hello.unenforced[sizeof hello.unenforced - 1] = '\0';
    buf_text(spec->unenforced, hello.unenforced);
    return true;
}

bool guard_sweep(struct guard *g, struct usage *usage, struct error *err)
{
    struct swept swept;
    char order = 's';
    if (send(g->socket, &order, 1, MSG_NOSIGNAL) != 1 ||
        recv(g->socket, &swept, sizeof swept, 0) != (ssize_t)sizeof swept) {
        return error_set(err, ERROR_FAILED, "the agent's guard has ended");
    }
    usage_add(usage, &swept.usage);
    if (swept.is_clean) return true;
    return error_set(err, ERROR_FAILED,
                     "a process of the agent is still there %d ms after SIGKILL",
                     SWEEP_LIMIT_MS);
}

void guard_end(struct guard *g)
{
    if (g->socket > 0) close(g->socket);
    while (g->pid > 0 && waitpid(g->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *g = (struct guard){0};
}
