/* One socket and one signalfd: a message with two descriptors starts a runner, its end is sent
 * back with its status. Lifetimes hang on each other and need no bookkeeping: each process asks
 * the kernel to be killed when its parent ends (PR_SET_PDEATHSIG), and checks that the parent
 * has not ended before it asked. */
#include "run/nursery.h"

#include "load/names.h"
#include "run/runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNNERS_MAX = 256 };

struct launch_message {
    uint32_t group;
};

struct ended_message {
    uint32_t group;
    int32_t status;
};

struct children {
    struct names *names;
    struct {
        pid_t pid;
        uint32_t group;
    } items[RUNNERS_MAX];
    size_t count;
};

/* ---- in the nursery ---- */

/* False when the parent is gone. */
static bool receive_launch(int socket, uint32_t *group, int fds[2])
{
    struct launch_message message;
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec io = {&message, sizeof message};
    struct msghdr head = {.msg_iov = &io,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
    if (n != (ssize_t)sizeof message) return false;
    struct cmsghdr *c = CMSG_FIRSTHDR(&head);
    CHECK(c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(2 * sizeof(int)));
    memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
    *group = message.group;
    return true;
}

static void launch(int socket, const sigset_t *before, struct children *children,
                   uint32_t group, const int fds[2])
{
    CHECK(children->count < RUNNERS_MAX);
    pid_t nursery = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(socket);
        sigprocmask(SIG_SETMASK, before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != nursery) _exit(0);
        runner_main(fds[0], fds[1], children->names);
    }
    close(fds[0]);
    close(fds[1]);
    if (pid < 0) {
        struct ended_message message = {group, 127 << 8};
        send(socket, &message, sizeof message, MSG_NOSIGNAL);
        return;
    }
    children->items[children->count].pid = pid;
    children->items[children->count++].group = group;
}

static void reap(int socket, struct children *children)
{
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0;
         pid = waitpid(-1, &status, WNOHANG)) {
        for (size_t i = 0; i < children->count; i++) {
            if (children->items[i].pid != pid) continue;
            struct ended_message message = {children->items[i].group, status};
            children->items[i] = children->items[--children->count];
            send(socket, &message, sizeof message, MSG_NOSIGNAL);
        }
    }
}

__attribute__((noreturn)) static void nursery_main(int socket, pid_t parent,
                                                   struct names *names)
{
    setpgid(0, 0); /* the terminal's Ctrl-C is for the parent alone */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    sigset_t child_signal;
    sigset_t before;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    CHECK(signals >= 0);
    struct children children = {.names = names};
    for (;;) {
        struct pollfd p[2] = {{.fd = socket, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
        if (poll(p, 2, -1) < 0 && errno != EINTR) break;
        if (p[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) > 0) {
            }
            reap(socket, &children);
        }
        if (p[0].revents) {
            uint32_t group = 0;
            int fds[2];
            if (!receive_launch(socket, &group, fds)) break;
            launch(socket, &before, &children, group, fds);
        }
    }
    /* Our end is the runners' death signal, and theirs is the arms'. */
    _exit(0);
}

/* ---- in the parent ---- */

bool nursery_start(struct nursery *n, struct error *err)
{
    int pair[2];
    *n = (struct nursery){0};
    if (!names_open(&n->names, NULL, err)) return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        names_close(n->names);
        return error_set_errno(err, errno, "socketpair");
    }
    pid_t parent = getpid();
    n->pid = fork();
    if (n->pid < 0) {
        close(pair[0]);
        close(pair[1]);
        names_close(n->names);
        return error_set_errno(err, errno, "fork");
    }
    if (n->pid == 0) {
        close(pair[0]);
        nursery_main(pair[1], parent, n->names);
    }
    close(pair[1]);
    n->socket = pair[0];
    return true;
}

void nursery_end(struct nursery *n)
{
    if (n->pid <= 0) return;
    close(n->socket);
    while (waitpid(n->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    names_close(n->names);
    n->pid = 0;
}

bool nursery_launch(struct nursery *n, uint32_t group, int memory_fd, int event_fd,
                    struct error *err)
{
    struct launch_message message = {group};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec io = {&message, sizeof message};
    struct msghdr head = {.msg_iov = &io,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&head);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(2 * sizeof(int));
    int fds[2] = {memory_fd, event_fd};
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    if (sendmsg(n->socket, &head, MSG_NOSIGNAL) < 0) {
        return error_set_errno(err, errno, "starting a runner");
    }
    return true;
}

bool nursery_ended(struct nursery *n, uint32_t *group, int *status)
{
    struct ended_message message;
    ssize_t got = recv(n->socket, &message, sizeof message, MSG_DONTWAIT);
    n->is_gone = got == 0 || (got < 0 && errno == ECONNRESET);
    if (got != (ssize_t)sizeof message) return false;
    *group = message.group;
    *status = message.status;
    return true;
}
