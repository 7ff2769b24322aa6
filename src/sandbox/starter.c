#include "sandbox/starter.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program itself (starter_image.S). */
extern const char starter_image[];
extern const char starter_image_end[];

enum { PLAN_MAX_BYTES = 64 << 20, GROUP_FDS = 2 * STARTER_GROUPS_MAX };

/* ---- the program ---- */

/* A file in memory. It holds no secret, and needs no place. */
static bool make_image(int *fd, struct error *err)
{
    struct str image = {starter_image, (size_t)(starter_image_end - starter_image)};
    *fd = memfd_create("assay-starter", MFD_CLOEXEC);
    if (*fd < 0) return error_set_errno(err, errno, "memory for the starter");
    return os_write_all(*fd, image, err);
}

/* ---- its beginning, in a fork of ours ---- */

struct hello { /* the first packet; the second is the starter's own */
    bool is_in;
    bool has_group[CGROUP_CONTROLLERS];
    char said[2048];
};

struct birth {
    const struct jail_spec *jail;
    struct jail_ids ids;
    int socket;
    int image;
    int groups[GROUP_FDS]; /* as STARTER_GROUPS_FD says; -1 = none */
};

static bool is_first_of_folder(const struct cgroup *g, size_t c)
{
    return g->own[c] && (c == 0 || g->own[c] != g->own[c - 1]);
}

/* What is needed to leave the cgroup and to remove it, opened before there are mounts of
 * its own: a file open for writing keeps a mount from being made read-only. */
static void open_groups(struct birth *b)
{
    const struct cgroup *group = b->jail ? b->jail->cgroup : NULL;
    int n = 0;
    for (size_t i = 0; i < GROUP_FDS; i++) b->groups[i] = -1;
    for (size_t c = 0; group && c < CGROUP_CONTROLLERS; c++) {
        if (!is_first_of_folder(group, c)) continue;
        char path[1024];
        int above = (int)(strrchr(group->own[c], '/') - group->own[c]);
        snprintf(path, sizeof path, "%.*s", above, group->own[c]);
        b->groups[n++] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        snprintf(path, sizeof path, "%s/cgroup.procs", group->above[c]);
        b->groups[n++] = open(path, O_WRONLY | O_CLOEXEC);
    }
}

static void close_groups(const struct birth *b)
{
    for (size_t i = 0; i < GROUP_FDS; i++) {
        if (b->groups[i] >= 0) close(b->groups[i]);
    }
}

/* Names go to `argv`. */
static void enter_groups(const struct cgroup *from, const char **argv, struct hello *hello)
{
    struct cgroup group = *from;
    size_t n = 1;
    for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) {
        if (is_first_of_folder(&group, c)) argv[n++] = strrchr(group.own[c], '/') + 1;
    }
    cgroup_enter(&group);
    for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) hello->has_group[c] = group.own[c];
}

/* Descriptors 0 to 2 lead nowhere; ours that are not needed are closed: an open pipe of
 * ours would keep its readers waiting. */
static void let_go(struct birth *b, bool is_jailed)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int i = 1; i < NSIG; i++) sigaction(i, &usual, NULL);
    if (is_jailed) {
        setsid(); /* our terminal is not an agent's */
    } else {
        setpgid(0, 0);
    }
    int null_fd = open("/dev/null", O_RDWR);
    b->image = fcntl(b->image, F_DUPFD_CLOEXEC, 30);
    b->socket = fcntl(b->socket, F_DUPFD_CLOEXEC, 30);
    for (size_t i = 0; i < GROUP_FDS; i++) {
        if (b->groups[i] >= 0) b->groups[i] = fcntl(b->groups[i], F_DUPFD_CLOEXEC, 30);
    }
    for (int fd = 0; fd < 3; fd++) dup2(null_fd, fd);
    syscall(SYS_close_range, 3, 29, 0);
    dup2(b->socket, STARTER_SOCKET_FD);
    dup2(b->image, STARTER_IMAGE_FD);
    for (int i = 0; i < GROUP_FDS; i++) {
        if (b->groups[i] >= 0) dup2(b->groups[i], STARTER_GROUPS_FD + i);
    }
}

static _Noreturn void be_born(struct birth b)
{
    bool is_jailed = b.jail && !b.jail->is_off;
    const char *argv[2 + STARTER_GROUPS_MAX] = {is_jailed ? STARTER_JAILED : STARTER_FREE};
    static const char *const env[] = {NULL};
    struct hello hello = {.is_in = true};
    struct buf said;
    buf_over(&said, hello.said, sizeof hello.said - 1);
    let_go(&b, is_jailed);
    if (b.jail) {
        if (b.jail->cgroup) enter_groups(b.jail->cgroup, argv, &hello);
        hello.is_in = jail_enter(b.jail, &b.ids, &said);
        if (chdir("/") != 0) hello.is_in = false;
    }
    if (send(STARTER_SOCKET_FD, &hello, sizeof hello, MSG_NOSIGNAL) < 0 || !hello.is_in) {
        _exit(1);
    }
    /* All but what it is to have closes on exec: what is above came from others. */
    syscall(SYS_close_range, 30, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
    syscall(SYS_execveat, b.image, "", argv, env, AT_EMPTY_PATH);
    _exit(1);
}

/* ---- in the keeper ---- */

void starter_close(struct starter *s)
{
    if (s->socket > 0) close(s->socket);
    while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *s = (struct starter){0};
}

bool starter_order(const struct starter *s, enum starter_order_kind kind, int64_t limit_ns)
{
    struct starter_order order = {.kind = (int32_t)kind, .limit_ns = limit_ns};
    return send(s->socket, &order, sizeof order, MSG_NOSIGNAL) == (ssize_t)sizeof order;
}

bool starter_receive(const struct starter *s, struct starter_reply *reply, int *pidfd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {reply, sizeof *reply};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = 0;
    do {
        n = recvmsg(s->socket, &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (pidfd) *pidfd = -1;
    if (c && c->cmsg_type == SCM_RIGHTS) {
        int fd = -1;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        if (pidfd) {
            *pidfd = fd;
        } else {
            close(fd);
        }
    }
    return n == (ssize_t)sizeof *reply;
}

/* It says that it is there, and starts itself once inside. */
static bool is_alive(const struct starter *s)
{
    struct starter_reply reply;
    return starter_receive(s, &reply, NULL) && starter_order(s, STARTER_TEST, 0) &&
           starter_receive(s, &reply, NULL) && reply.start_errno == 0 && reply.status == 0;
}

static bool try_to_open(struct starter *s, const struct jail_spec *jail, int flags,
                        struct hello *hello, struct error *err)
{
    int pair[2];
    struct birth birth = {.jail = jail, .ids = {getuid(), getgid(), flags}};
    if (!make_image(&birth.image, err)) return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        close(birth.image);
        return error_set_errno(err, errno, "socketpair");
    }
    birth.socket = pair[1];
    open_groups(&birth);
    long pid = syscall(SYS_clone, (unsigned long)flags | SIGCHLD, NULL, NULL, NULL, NULL);
    int reason = errno;
    if (pid == 0) be_born(birth);
    close_groups(&birth);
    close(pair[1]);
    close(birth.image);
    *s = (struct starter){
        .pid = pid > 0 ? (pid_t)pid : 0, .socket = pair[0], .has_namespaces = flags != 0};
    *hello = (struct hello){0};
    bool done = pid > 0 && recv(s->socket, hello, sizeof *hello, 0) == (ssize_t)sizeof *hello &&
                hello->is_in && is_alive(s);
    if (done) return true;
    starter_close(s);
    if (pid < 0) return error_set_errno(err, reason, "clone");
    return error_set(err, ERROR_UNAVAILABLE, "%s",
                     hello->said[0] && !hello->is_in ? hello->said
                                                     : "no program can be started inside");
}

/* What it could not enter is given up. */
static void forget_groups(struct cgroup *group, const struct hello *hello)
{
    for (enum cgroup_controller c = 0; c < CGROUP_CONTROLLERS; c++) {
        if (!hello->has_group[c]) cgroup_give_up(group, c);
    }
}

bool starter_open(struct starter *s, const struct jail_spec *jail, struct buf *unenforced,
                  struct error *err)
{
    static const int spaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID;
    const int attempts[] = {spaces, spaces | CLONE_NEWUSER, 0};
    struct hello hello;
    struct error why = {0};
    if (!jail) return try_to_open(s, NULL, 0, &hello, err);
    for (size_t i = jail->is_off ? COUNT(attempts) - 1 : 0; i < COUNT(attempts); i++) {
        if (!try_to_open(s, jail, attempts[i], &hello, &why)) continue;
        if (!attempts[i] && !jail->is_off) {
            buf_printf(
                unenforced,
                "Files that the agent leaves outside of TMPDIR remain (no namespaces: %s).\n",
                why.text);
        }
        buf_text(unenforced, hello.said);
        if (jail->cgroup) forget_groups(jail->cgroup, &hello);
        return true;
    }
    return error_set(err, ERROR_UNAVAILABLE, "agents cannot be contained here: %s", why.text);
}

/* ---- what is to be started ---- */

static void write_plan(struct buf *b, const struct starter_program *p)
{
    struct starter_plan head = {0};
    const char *const *env = p->env ? p->env : (const char *const *)environ; /* as it is now */
    while (p->argv[head.argc]) head.argc++;
    while (env[head.envc]) head.envc++;
    buf_add_bytes(b, &head, sizeof head);
    buf_add_bytes(b, p->file, strlen(p->file) + 1);
    const char *folder = p->folder ? p->folder : "";
    buf_add_bytes(b, folder, strlen(folder) + 1);
    for (size_t i = 0; i < head.argc; i++) buf_add_bytes(b, p->argv[i], strlen(p->argv[i]) + 1);
    for (size_t i = 0; i < head.envc; i++) buf_add_bytes(b, env[i], strlen(env[i]) + 1);
    uint32_t bytes = (uint32_t)b->n;
    if (!b->overflow) memcpy(b->p + offsetof(struct starter_plan, bytes), &bytes, sizeof bytes);
}

static bool send_plan(const struct starter *s, const int *fds, size_t count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(STARTER_FDS_MAX * sizeof(int))];
    } control = {0};
    struct starter_order order = {.kind = STARTER_PLAN};
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    control.head = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
    return sendmsg(s->socket, &message, MSG_NOSIGNAL) > 0;
}

bool starter_load(struct starter *s, const struct starter_program *p, struct error *err)
{
    struct buf b;
    int fds[STARTER_FDS_MAX] = {memfd_create("plan", MFD_CLOEXEC), p->fds[0], p->fds[1],
                                p->fds[2], p->fds[3]};
    if (fds[0] < 0) return error_set_errno(err, errno, "memory for the plan");
    buf_init(&b, PLAN_MAX_BYTES);
    write_plan(&b, p);
    bool done = !b.overflow || error_set(err, ERROR_INVALID, "the arguments are too long");
    done = done && os_write_all(fds[0], buf_str(&b), err);
    if (done && !send_plan(s, fds, p->fds[3] > 0 ? 5 : 4)) {
        done = error_set(err, ERROR_FAILED, "the starter has ended");
    }
    close(fds[0]);
    buf_release(&b);
    return done;
}

pid_t starter_pid_of(int pidfd)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0) close(fd);
    struct str rest = {text, n > 0 ? (size_t)n : 0};
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        int64_t pid = 0;
        if (!str_is(str_cut(&line, ':'), "Pid") || !str_to_int(str_trim(line), &pid)) continue;
        return pid > 0 ? (pid_t)pid : 0;
    }
    return 0;
}
