/* The program is a list of rules, tried in turn; each is as short as it can be, and what
 * matches none is allowed. Since Linux 5.11 the kernel works out once which calls are
 * allowed whatever their arguments and asks a bitmap for those; before it, a call that
 * matches nothing costs some 15 comparisons. A 32-bit program has numbers of its own, by
 * which it would else pass. SECCOMP_FILTER_FLAG_SPEC_ALLOW: without it kernels before 5.16
 * turn speculation off for whoever has a filter, and the agent would be slower.
 * seccomp(2); Documentation/userspace-api/seccomp_filter.rst. */
#include "sandbox/filter.h"

#include "base/invariant.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum what {
    NEVER,
    UNKNOWN,       /* as of an older kernel: its flags are in memory, where no filter looks, and
                   * libraries go on with clone */
    BY_FLAGS,      /* the first argument: no cgroup namespace */
    BY_PID,        /* the first argument */
    BY_THREAD,     /* the same, and libraries name threads of their own by it */
    BY_PRIORITY,   /* which, who */
    BY_IOPRIORITY, /* the same, with other constants */
    BY_COMMAND,    /* the second: no lease on a file, for which its other readers would wait */
    BY_FAMILY      /* the first: no sockets to the host of a virtual machine */
};

struct rule {
    enum what what;
    uint32_t native;
    uint32_t compat;
};

enum { NO_CALL = 0xfffffff }; /* a number that no call has */

#if defined __x86_64__
enum { COMPAT = AUDIT_ARCH_I386, X32_BIT = 0x40000000 };
#define NUMBER(name, i386, arm) SYS_##name, i386
#elif defined __aarch64__
enum { COMPAT = AUDIT_ARCH_ARM, X32_BIT = 0 };
#define NUMBER(name, i386, arm) SYS_##name, arm
#else
enum { COMPAT = 0, X32_BIT = 0 };
#define NUMBER(name, i386, arm) SYS_##name, 0
#endif

static const struct rule rules[] = {
    {BY_PID, NUMBER(prlimit64, 340, 369)},
    {BY_PID, NUMBER(sched_setparam, 154, 154)},
    {BY_PID, NUMBER(sched_setscheduler, 156, 156)},
    {BY_PID, NUMBER(sched_setattr, 351, 380)},
    {BY_THREAD, NUMBER(sched_setaffinity, 241, 241)},
    {BY_PRIORITY, NUMBER(setpriority, 97, 97)},
    {BY_IOPRIORITY, NUMBER(ioprio_set, 289, 314)},
    {NEVER, NUMBER(add_key, 286, 309)},
    {NEVER, NUMBER(request_key, 287, 310)},
    {NEVER, NUMBER(keyctl, 288, 311)},
    {BY_FLAGS, NUMBER(unshare, 310, 337)},
    {BY_FLAGS, NUMBER(clone, 120, 120)},
    {UNKNOWN, NUMBER(clone3, 435, 435)},
    {BY_COMMAND, NUMBER(fcntl, 55, 55)},
    {BY_COMMAND, NO_CALL, 221}, /* fcntl64 */
    {BY_FAMILY, NUMBER(socket, 359, 281)},
};

enum { RULE_MOST = 8, PROGRAM_MOST = 3 + 2 * (4 + RULE_MOST * (int)COUNT(rules)) };

struct program {
    struct sock_filter items[PROGRAM_MOST];
    size_t n;
    bool sees_others;
};

static void add(struct program *p, uint16_t code, uint32_t k, uint8_t if_so, uint8_t if_not)
{
    p->items[p->n++] = (struct sock_filter){code, if_so, if_not, k};
}

static void add_load(struct program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The half of it that the kernel looks at: these arguments are int. */
static void add_argument(struct program *p, int i)
{
    size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    add_load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)i + low);
}

static void add_refusal(struct program *p, uint32_t reason)
{
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | reason, 0, 0);
}

static void add_end(struct program *p, bool is_allowed)
{
    if (is_allowed) {
        add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    } else {
        add_refusal(p, EPERM);
    }
}

/* Goes on with the next instruction if it is so, else after `size` of them. */
static void add_if(struct program *p, uint32_t k, uint8_t size)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, k, 0, size);
}

/* Argument i, the pid of somebody else's process? */
static void add_pid(struct program *p, int i)
{
    add_argument(p, i);
    add_if(p, p->sees_others ? 0 : 1, 1);
    add_end(p, p->sees_others);
    add_end(p, !p->sees_others);
}

static void add_rule(struct program *p, const struct rule *r, uint32_t number)
{
    bool is_by_which = r->what == BY_PRIORITY || r->what == BY_IOPRIORITY;
    if (r->what == BY_THREAD && p->sees_others) return;
    bool is_by_number = r->what == NEVER || r->what == UNKNOWN;
    add_if(p, number, is_by_number ? 1 : is_by_which ? 7 : 4);
    if (is_by_number) {
        add_refusal(p, r->what == NEVER ? EPERM : ENOSYS);
        return;
    }
    if (r->what == BY_COMMAND || r->what == BY_FAMILY) {
        add_argument(p, r->what == BY_COMMAND);
        add_if(p, r->what == BY_COMMAND ? F_SETLEASE : AF_VSOCK, 1);
        add_end(p, false);
        add_end(p, true);
        return;
    }
    if (r->what == BY_FLAGS) {
        add_argument(p, 0);
        add(p, BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWCGROUP, 0, 1);
        add_end(p, false);
        add_end(p, true);
        return;
    }
    if (is_by_which) { /* of a process only: the guard may be of the same group */
        enum { IOPRIO_WHO_PROCESS = 1 };
        uint32_t which = r->what == BY_PRIORITY ? PRIO_PROCESS : IOPRIO_WHO_PROCESS;
        add_argument(p, 0);
        add(p, BPF_JMP | BPF_JEQ | BPF_K, which, 1, 0);
        add_end(p, false);
    }
    add_pid(p, is_by_which ? 1 : 0);
}

static void add_rules(struct program *p, bool is_native)
{
    add_load(p, offsetof(struct seccomp_data, nr));
    if (is_native && X32_BIT > 0) add(p, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)X32_BIT, 0, 0);
    for (size_t i = 0; i < COUNT(rules); i++) {
        add_rule(p, &rules[i], is_native ? rules[i].native : rules[i].compat);
    }
    add_end(p, true);
}

bool filter_install(bool sees_others)
{
    struct program p = {.sees_others = sees_others};
    if (COMPAT > 0) {
        add_load(&p, offsetof(struct seccomp_data, arch));
        size_t choice = p.n;
        add_if(&p, (uint32_t)COMPAT, 0);
        add_rules(&p, false);
        p.items[choice].jf = (uint8_t)(p.n - choice - 1);
    }
    add_rules(&p, true);
    struct sock_fprog program = {(unsigned short)p.n, p.items};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}
