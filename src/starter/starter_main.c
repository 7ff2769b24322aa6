/* The starter: a small static program that stands between the keeper and what is
 * measured (sandbox/starter.h). It is written without any of our libraries.
 *
 * Why it exists: Linux takes the peak resident set of whoever calls vfork over into the
 * child, and keeps it across exec (exec_mmap: setmax_mm_hiwater_rss). A keeper of 3 MB
 * would make every `cat` one of 3 MB; here the floor is that of this program. Between the
 * clock reads there are vfork, exec, poll and wait4, and nothing else.
 *
 * As the first process of a pid namespace it also reaps orphans, and everything inside
 * ends with it. Its memory and environment hold nothing but the plan of the agent. When
 * the keeper's end of the socket closes, for whatever reason, it ends all and itself. */
#include "sandbox/starter_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_LIMIT_MS = 5000, LAST_KILLS = 20, TEXTS_MAX = 65536 };
enum { REAPS_MOST = 256 }; /* in a row, so that who starts processes without end is ended */
enum { SIGNALS_FD = 18, FIRST_FREE_FD = 20 };

struct plan {
    char *memory;
    size_t bytes;
    const char *file; /* NULL = ourselves */
    const char *folder;
    char **argv; /* the environment after it */
    char **env;
    size_t argv_bytes;
    int fds[4]; /* stdin, stdout, stderr, extra; -1 = none */
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nap(int64_t ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

/* ---- the end of others ---- */

static bool is_first_process(void)
{
    return getpid() == 1;
}

static void add_usage(struct rusage *to, const struct rusage *r)
{
    to->ru_utime.tv_sec += r->ru_utime.tv_sec;
    to->ru_utime.tv_usec += r->ru_utime.tv_usec;
    to->ru_stime.tv_sec += r->ru_stime.tv_sec;
    to->ru_stime.tv_usec += r->ru_stime.tv_usec;
    to->ru_minflt += r->ru_minflt;
    to->ru_majflt += r->ru_majflt;
    to->ru_nvcsw += r->ru_nvcsw;
    to->ru_nivcsw += r->ru_nivcsw;
    to->ru_inblock += r->ru_inblock;
    to->ru_oublock += r->ru_oublock;
    if (r->ru_maxrss > to->ru_maxrss) to->ru_maxrss = r->ru_maxrss;
}

/* Everybody in the namespace but us; without one, our children: whatever they leave
 * comes to us in turn. */
static void kill_all(void)
{
    if (is_first_process()) {
        kill(-1, SIGKILL);
        return;
    }
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    char text[4096];
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
    if (fd >= 0) close(fd);
    pid_t pid = 0;
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
            continue;
        }
        if (pid > 0) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
        }
        pid = 0;
    }
}

/* Reaps what has ended; true if something is still there. */
static bool reap(struct rusage *swept)
{
    for (int i = 0; i < REAPS_MOST; i++) {
        struct rusage r;
        pid_t pid = wait4(-1, NULL, WNOHANG | __WALL, &r);
        if (pid > 0) add_usage(swept, &r);
        if (pid == 0) return true;
        if (pid < 0 && errno != EINTR) return false;
    }
    return true;
}

static void end_child(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* in case it has left its group */
}

/* Takes the signals that have come: reaps orphans that have ended, but for the one that is
 * waited for; ends that one if the keeper, itself told to end, asks for it by
 * STARTER_SIGNAL. */
static void take_signals(pid_t waited_for, struct rusage *swept)
{
    struct signalfd_siginfo signal;
    for (int i = 0; i < REAPS_MOST && read(SIGNALS_FD, &signal, sizeof signal) > 0; i++) {
        if (signal.ssi_signo == STARTER_SIGNAL && waited_for > 0) end_child(waited_for);
    }
    for (int i = 0; i < REAPS_MOST; i++) {
        siginfo_t info = {0};
        struct rusage r;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
        if (info.si_pid == 0 || info.si_pid == waited_for) return;
        if (wait4(info.si_pid, NULL, 0, &r) > 0) add_usage(swept, &r);
    }
}

static bool sweep(pid_t group, struct rusage *swept)
{
    if (!reap(swept)) return true;
    int64_t deadline_ns = now_ns() + (int64_t)SWEEP_LIMIT_MS * 1000000;
    do {
        if (group > 0) kill(-group, SIGKILL);
        kill_all();
        nap(100000);
        if (now_ns() > deadline_ns) return false;
    } while (reap(swept));
    return true;
}

/* The keeper is gone, in peace or not: all ends, and the cgroups go. */
__attribute__((noreturn)) static void end(int count, char **groups)
{
    struct rusage unused = {0};
    sweep(0, &unused);
    for (int i = 0; i < LAST_KILLS && is_first_process() && kill(-1, SIGKILL) == 0; i++) {
        nap(1000000);
    }
    for (int i = 0; i < count; i++) {
        int above = STARTER_GROUPS_FD + 2 * i;
        if (write(above + 1, "0", 1) != 1) continue;
        for (int ms = 0; ms < 1000 && unlinkat(above, groups[i], AT_REMOVEDIR) != 0; ms++) {
            if (errno != EBUSY) break;
            nap(1000000);
        }
    }
    _exit(0);
}

/* ---- starting ---- */

/* In the child, which shares our memory until it execs: only system calls. */
static int become(const struct plan *p, bool is_probe)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 4; i++) {
        if (p->fds[i] >= 0 && dup2(p->fds[i], i) < 0) return errno;
    }
    if (*p->folder && chdir(p->folder) != 0) return errno;
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (is_probe && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) return 0; /* may not: no word */
    syscall(SYS_execveat, p->file ? AT_FDCWD : STARTER_IMAGE_FD, p->file ? p->file : "",
            p->argv, p->env, p->file ? 0 : AT_EMPTY_PATH);
    return errno;
}

static pid_t start(const struct plan *p, bool is_probe, int *start_errno)
{
    volatile int reason = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        reason = become(p, is_probe);
        _exit(127);
    }
    *start_errno = pid < 0 ? errno : reason;
    if (pid > 0 && reason) waitpid(pid, NULL, 0);
    return *start_errno ? 0 : pid;
}

static struct timespec until(int64_t deadline_ns)
{
    int64_t left_ns = deadline_ns - now_ns();
    if (left_ns < 0) left_ns = 0;
    return (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
}

/* Waits until it has ended, the limit has passed or the keeper has said so. False when
 * the keeper is gone. The clock is asked after every event: orphans that end without
 * pause would else keep the limit from being seen. */
static bool await(pid_t pid, int pidfd, int64_t limit_ns, struct starter_reply *reply)
{
    int64_t deadline_ns = limit_ns ? reply->start_ns + limit_ns : 0;
    struct pollfd fds[] = {{.fd = pidfd, .events = POLLIN},
                           {.fd = STARTER_SOCKET_FD, .events = POLLIN},
                           {.fd = SIGNALS_FD, .events = POLLIN}};
    for (bool is_limited = limit_ns > 0;;) {
        struct timespec wait = is_limited ? until(deadline_ns) : (struct timespec){0};
        int ready = ppoll(fds, 3, is_limited ? &wait : NULL, NULL);
        if (ready < 0 && errno != EINTR) return false;
        if (ready > 0 && fds[0].revents) return true;
        if (ready > 0 && fds[2].revents) take_signals(pid, &reply->swept);
        if (ready > 0 && fds[1].revents) {
            struct starter_order order;
            if (recv(STARTER_SOCKET_FD, &order, sizeof order, 0) <= 0) return false;
            end_child(pid);
        }
        if (is_limited && (ready == 0 || now_ns() >= deadline_ns)) {
            reply->timed_out = 1;
            end_child(pid);
            is_limited = false;
        }
    }
}

/* Of a process that has ended or was killed. Where it has a tracer, the kernel keeps it for
 * that one, which is ended then: so that we never wait for what an agent holds. */
static void finish(pid_t pid, struct starter_reply *reply)
{
    int64_t deadline_ns = now_ns() + (int64_t)SWEEP_LIMIT_MS * 1000000;
    pid_t got = 0;
    while ((got = wait4(pid, &reply->status, WNOHANG, &reply->own)) != pid) {
        if (got < 0 && errno != EINTR) break;
        if (now_ns() > deadline_ns) break;
        kill_all();
        nap(100000);
    }
    reply->end_ns = now_ns();
    reply->is_clean = sweep(pid, &reply->swept) && got == pid;
    take_signals(0, &reply->swept); /* of the end just seen */
}

/* False when the keeper is gone. *pidfd is to be closed. */
static bool run(const struct plan *p, int64_t limit_ns, struct starter_reply *reply, int *pidfd)
{
    reply->start_ns = now_ns();
    pid_t pid = start(p, false, &reply->start_errno);
    if (pid <= 0) return true;
    *pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (*pidfd < 0) waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT); /* < 5.3 */
    bool goes_on = *pidfd < 0 || await(pid, *pidfd, limit_ns, reply);
    if (goes_on) finish(pid, reply);
    return goes_on;
}

static bool answer(const struct starter_reply *reply, int pidfd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct starter_reply copy = *reply;
    struct iovec part = {&copy, sizeof copy};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (pidfd >= 0) {
        control.head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &pidfd, sizeof pidfd);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    return sendmsg(STARTER_SOCKET_FD, &message, MSG_NOSIGNAL) > 0;
}

/* What can wait is done while the keeper works with the answer. */
static bool run_and_answer(const struct plan *p, int64_t limit_ns)
{
    struct starter_reply reply = {0};
    int pidfd = -1;
    bool goes_on = run(p, limit_ns, &reply, &pidfd) && answer(&reply, -1);
    if (pidfd >= 0) close(pidfd);
    return goes_on;
}

/* A traced process stops when it has become the program: there it ends. */
static int probe(const struct plan *p)
{
    int reason = 0;
    pid_t pid = start(p, true, &reason);
    if (pid <= 0) return reason;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return 0;
}

/* ---- orders ---- */

struct session { /* between STARTER_START and STARTER_END */
    pid_t pid;   /* 0 = none */
    struct rusage swept;
};

static void forget(struct plan *p)
{
    if (p->memory) munmap(p->memory, p->bytes);
    for (int i = 0; i < 4; i++) {
        if (p->fds[i] >= 0) close(p->fds[i]);
        p->fds[i] = -1;
    }
    if (p->argv) munmap(p->argv, p->argv_bytes);
    *p = (struct plan){.fds = {-1, -1, -1, -1}};
}

/* The texts are used where they are: in memory that the keeper has written. */
static bool load(struct plan *p, const int *fds, size_t count)
{
    struct starter_plan head;
    if (count < 4 || pread(fds[0], &head, sizeof head, 0) != sizeof head) return false;
    if (head.argc > TEXTS_MAX || head.envc > TEXTS_MAX) return false;
    p->bytes = head.bytes;
    p->memory = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    p->argv_bytes = (head.argc + head.envc + 2) * sizeof *p->argv;
    p->argv =
        mmap(NULL, p->argv_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->memory == MAP_FAILED || p->argv == MAP_FAILED) return false;
    p->env = p->argv + head.argc + 1;
    char *at = p->memory + sizeof head;
    p->file = at;
    at += strlen(at) + 1;
    p->folder = at;
    for (uint32_t i = 0; i < head.argc; i++) p->argv[i] = at += strlen(at) + 1;
    for (uint32_t i = 0; i < head.envc; i++) p->env[i] = at += strlen(at) + 1;
    for (size_t i = 1; i < count; i++) { /* out of the way of 0 to 3 */
        p->fds[i - 1] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        if (p->fds[i - 1] < 0) return false;
    }
    for (size_t i = 0; i < count; i++) close(fds[i]);
    return true;
}

static ssize_t receive(struct starter_order *order, int *fds, size_t *count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(STARTER_FDS_MAX * sizeof(int))];
    } control;
    struct iovec part = {order, sizeof *order};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(STARTER_SOCKET_FD, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *count = 0;
    if (c && c->cmsg_type == SCM_RIGHTS) {
        *count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds, CMSG_DATA(c), *count * sizeof(int));
    }
    return n;
}

static bool obey(struct plan *plan, struct session *session, struct starter_order order)
{
    struct starter_reply reply = {0};
    pid_t *pid = &session->pid;
    static char name[] = "assay-test";
    static char *self_argv[] = {name, NULL};
    struct plan self = {
        .folder = "", .argv = self_argv, .env = self_argv + 1, .fds = {-1, -1, -1, -1}};
    switch (order.kind) {
    case STARTER_TEST: return run_and_answer(&self, 0);
    case STARTER_PROBE: reply.start_errno = probe(plan); return answer(&reply, -1);
    case STARTER_RUN: return run_and_answer(plan, order.limit_ns);
    case STARTER_START: {
        *pid = start(plan, false, &reply.start_errno);
        forget(plan); /* its ends of the pipes are to be the only ones */
        int pidfd = *pid > 0 ? (int)syscall(SYS_pidfd_open, *pid, 0) : -1;
        bool done = answer(&reply, pidfd);
        if (pidfd >= 0) close(pidfd);
        return done;
    }
    case STARTER_END:
        if (*pid > 0) {
            end_child(*pid);
            reply.swept = session->swept;
            finish(*pid, &reply);
        }
        *session = (struct session){0};
        return answer(&reply, -1);
    default: return true; /* STARTER_KILL after the end */
    }
}

/* Of the rights that the jail left: one serves to remove the cgroups, and is nobody's
 * beyond an exec. */
static void drop_rights(bool has_groups)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    uint32_t kept = has_groups ? 1U << CAP_DAC_OVERRIDE : 0;
    struct __user_cap_data_struct sets[2] = {{kept, kept, 0}, {0}};
    for (int c = 0; c < 64; c++) prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    if (syscall(SYS_capset, &head, sets) == 0) return;
    sets[0] = (struct __user_cap_data_struct){0};
    syscall(SYS_capset, &head, sets);
}

static void serve(void)
{
    struct plan plan = {.fds = {-1, -1, -1, -1}};
    struct session session = {0};
    struct starter_reply ready = {0};
    for (bool goes_on = answer(&ready, -1); goes_on;) {
        struct pollfd ready_fds[] = {{.fd = STARTER_SOCKET_FD, .events = POLLIN},
                                     {.fd = SIGNALS_FD, .events = POLLIN}};
        struct starter_order order;
        int fds[STARTER_FDS_MAX];
        size_t count = 0;
        if (session.pid > 0) {
            poll(ready_fds, 2, -1);
            if (ready_fds[1].revents) take_signals(session.pid, &session.swept);
            if (!ready_fds[0].revents) continue;
        }
        if (receive(&order, fds, &count) <= 0) return;
        if (order.kind == STARTER_PLAN) {
            forget(&plan);
            goes_on = load(&plan, fds, count);
        } else {
            goes_on = obey(&plan, &session, order);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 1 || fcntl(STARTER_SOCKET_FD, F_GETFD) < 0) return 0; /* STARTER_TEST */
    for (int fd = STARTER_SOCKET_FD; fd < SIGNALS_FD; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "assay-guard");
    if (strcmp(argv[0], STARTER_JAILED) == 0) {
        drop_rights(argc > 1);
        prctl(PR_SET_DUMPABLE, 0);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigaddset(&child, STARTER_SIGNAL);
    int fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    dup3(fd, SIGNALS_FD, O_CLOEXEC);
    close(fd);
    serve();
    end(argc - 1, argv + 1);
}
