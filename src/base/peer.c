/* A socket is found by its two ports alone: a loopback address has several spellings, and one
 * more socket of the same ports can only add to those who must not hold it. Formats: proc(5),
 * proc_net(5).
 *
 * A process can keep a socket without being seen with it: it makes itself undumpable, or has
 * sent the descriptor to itself and not yet received it. So a process of the socket's user
 * that is below a guard and closed to us counts as a holder, and a socket that nobody seems to
 * hold is believed only if another process of its user is closed to us (sshd's, which forwards
 * a port). */
#include "base/peer.h"

#include "base/arena.h"
#include "base/os.h"
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SOCKETS_MOST = 128, PROCESSES_MOST = 1 << 20, DEPTH_MOST = 1000 };

struct sockets {
    int64_t numbers[SOCKETS_MOST];
    int64_t users[SOCKETS_MOST];
    size_t count;
    bool is_closed; /* one of them has no holder any more */
};

struct process {
    pid_t pid;
    pid_t parent;
    bool is_guard;
};

struct processes {
    struct process *items; /* by pid */
    size_t count;
};

/* ---- the socket ---- */

static struct str next_word(struct str *line)
{
    struct str word = {0};
    while (line->p && word.n == 0) word = str_cut(line, ' ');
    return word;
}

/* Of "0100007F:20D0"; -1 = not one. */
static long port_of(struct str address)
{
    char digits[8] = "";
    str_cut(&address, ':');
    if (!address.p || address.n == 0 || address.n >= sizeof digits) return -1;
    memcpy(digits, address.p, address.n);
    char *end = NULL;
    long port = strtol(digits, &end, 16);
    return *end ? -1 : port;
}

static void read_line(struct str line, int port, int own_port, struct sockets *found)
{
    enum { LOCAL = 1, REMOTE, USER = 7, NUMBER = 9, WORDS };
    struct str words[WORDS];
    for (size_t i = 0; i < WORDS; i++) words[i] = next_word(&line);
    int64_t user = 0;
    int64_t number = 0;
    if (port_of(words[LOCAL]) != port || port_of(words[REMOTE]) != own_port) return;
    if (!str_to_int(words[USER], &user) || !str_to_int(words[NUMBER], &number) || number == 0 ||
        found->count == SOCKETS_MOST) {
        found->is_closed = true;
        return;
    }
    found->users[found->count] = user;
    found->numbers[found->count++] = number;
}

/* Line by line: where many have come and gone the table takes megabytes. */
static void read_table(const char *path, int port, int own_port, struct sockets *found)
{
    char bytes[8192];
    size_t kept = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && (n = read(fd, bytes + kept, sizeof bytes - kept)) > 0;) {
        struct str rest = {bytes, kept + (size_t)n};
        while (memchr(rest.p, '\n', rest.n)) {
            read_line(str_cut(&rest, '\n'), port, own_port, found);
        }
        memmove(bytes, rest.p, rest.n);
        kept = rest.n;
    }
    if (fd >= 0) close(fd);
}

static struct sockets find_sockets(int port, int own_port)
{
    struct sockets found = {0};
    read_table("/proc/net/tcp", port, own_port, &found);
    read_table("/proc/net/tcp6", port, own_port, &found);
    return found;
}

/* ---- folders ---- */

/* What readdir does, without its buffer of 32 kB on the heap: the library's buffer of the next
 * connection would come to lie there, in pages that are in memory already. */
struct folder {
    int fd;
    size_t at;
    size_t end;
    _Alignas(struct dirent64) char bytes[4096];
};

static bool folder_open(struct folder *f, const char *path)
{
    f->at = f->end = 0;
    f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->fd >= 0;
}

/* NULL: there are no more, and it is closed. */
static const char *folder_next(struct folder *f)
{
    if (f->at == f->end) {
        ssize_t n = getdents64(f->fd, f->bytes, sizeof f->bytes);
        f->at = 0;
        f->end = n > 0 ? (size_t)n : 0;
        if (n <= 0) {
            close(f->fd);
            return NULL;
        }
    }
    const struct dirent64 *e = (const struct dirent64 *)(const void *)(f->bytes + f->at);
    f->at += e->d_reclen;
    return e->d_name;
}

/* ---- who holds it ---- */

static int by_pid(const void *a, const void *b)
{
    const struct process *x = a;
    const struct process *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* By names alone, which the kernel tells soonest: every connection waits for it. */
static bool is_anything_measured(void)
{
    static const char guard[] = PROC_GUARD_NAME "\n";
    struct folder all;
    bool is = false;
    if (!folder_open(&all, "/proc")) return false;
    for (const char *entry; (entry = folder_next(&all));) {
        char path[300], name[sizeof guard] = "";
        if (is || entry[0] < '0' || entry[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/comm", entry);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, name, sizeof name) : 0;
        if (fd >= 0) close(fd);
        is = str_is((struct str){name, n > 0 ? (size_t)n : 0}, guard);
    }
    return is;
}

static struct processes list_processes(struct arena *out)
{
    struct processes all = {0};
    struct folder folder;
    if (!folder_open(&folder, "/proc")) return all;
    for (const char *entry; (entry = folder_next(&folder));) {
        int64_t pid = 0;
        struct proc_stat stat;
        if (all.count == PROCESSES_MOST || !str_to_int(str_of(entry), &pid) ||
            !proc_read_stat((pid_t)pid, &stat)) {
            continue;
        }
        all.items = arena_grow(out, all.items, all.count, sizeof *all.items);
        all.items[all.count++] = (struct process){(pid_t)pid, stat.parent, stat.is_guard};
    }
    if (all.count > 0) qsort(all.items, all.count, sizeof *all.items, by_pid);
    return all;
}

static bool is_below_guard(const struct processes *all, const struct process *p)
{
    for (int depth = 0; p && depth < DEPTH_MOST; depth++) {
        if (p->is_guard) return true;
        struct process parent = {.pid = p->parent};
        p = bsearch(&parent, all->items, all->count, sizeof parent, by_pid);
    }
    return false;
}

enum holding { HOLDS_NOT, HOLDS, HOLDS_HIDDEN };

static enum holding holding_of(pid_t pid, const struct sockets *wanted)
{
    char path[300], link[64];
    struct folder folder;
    enum holding is = HOLDS_NOT;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    if (!folder_open(&folder, path)) {
        return errno == EACCES || errno == EPERM ? HOLDS_HIDDEN : HOLDS_NOT;
    }
    for (const char *entry; (entry = folder_next(&folder));) {
        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, entry);
        ssize_t n = is == HOLDS ? 0 : readlink(path, link, sizeof link - 1);
        struct str target = {link, n > 0 ? (size_t)n : 0};
        int64_t number = 0;
        if (!str_starts(target, S("socket:["))) continue;
        target = (struct str){target.p + 8, target.n - 9};
        for (size_t i = 0; str_to_int(target, &number) && i < wanted->count; i++) {
            if (number == wanted->numbers[i]) is = HOLDS;
        }
    }
    return is;
}

static bool is_of_user(pid_t pid, const struct sockets *wanted, struct arena scratch)
{
    struct str rest = {0};
    bool is = false;
    int64_t user = -1;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!os_read_file(path, 1 << 16, &scratch, &rest, NULL)) rest = (struct str){0};
    while (rest.n > 0) {
        struct str line = str_cut(&rest, '\n');
        if (!str_is(str_cut(&line, '\t'), "Uid:")) continue;
        if (!str_to_int(str_cut(&line, '\t'), &user)) user = -1;
    }
    for (size_t i = 0; i < wanted->count; i++) is |= wanted->users[i] == user;
    return is;
}

enum holder { HOLDER_OTHER, HOLDER_MEASURED, HOLDER_NONE };

static enum holder holder_of(const struct processes *all, const struct sockets *wanted,
                             struct arena scratch)
{
    bool is_held = false;
    bool may_be_held = false;
    for (size_t i = 0; i < all->count; i++) {
        const struct process *p = &all->items[i];
        enum holding how = holding_of(p->pid, wanted);
        if (how == HOLDS_NOT || p->is_guard) continue;
        if (how == HOLDS_HIDDEN && !is_of_user(p->pid, wanted, scratch)) continue;
        if (is_below_guard(all, p)) return HOLDER_MEASURED;
        is_held |= how == HOLDS;
        may_be_held |= how == HOLDS_HIDDEN;
    }
    return is_held || may_be_held ? HOLDER_OTHER : HOLDER_NONE;
}

bool peer_is_measured(int port, int own_port, struct arena scratch)
{
    if (!is_anything_measured()) return false;
    struct processes all = list_processes(&scratch);
    struct sockets wanted = find_sockets(port, own_port);
    return wanted.is_closed || wanted.count == 0 ||
           holder_of(&all, &wanted, scratch) != HOLDER_OTHER;
}

/* ---- of a server ---- */

/* In a container others may share the network and not the processes. */
static bool are_all_seen(void)
{
    static const char first[] = "pid:[4026531836]"; /* the kernel's PROC_PID_INIT_INO */
    char link[64] = "";
    ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link);
    return n == sizeof first - 1 && memcmp(link, first, (size_t)n) == 0;
}

/* Of our user, as what is measured is. */
static void keep_own(struct sockets *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->users[i] != (int64_t)geteuid()) continue;
        s->users[kept] = s->users[i];
        s->numbers[kept++] = s->numbers[i];
    }
    s->count = kept;
}

static bool is_of_measured(const struct processes *all, struct sockets *s, struct arena scratch)
{
    keep_own(s);
    if (s->count == 0) return false;
    enum holder holder = holder_of(all, s, scratch);
    return holder == HOLDER_MEASURED || (holder == HOLDER_NONE && are_all_seen());
}

/* First those who take connections: who does so no more by then has taken ours, which until
 * then nobody holds. */
bool peer_server_is_measured(int port, int own_port, struct arena scratch)
{
    if (!is_anything_measured()) return false;
    struct processes all = list_processes(&scratch);
    struct sockets listening = find_sockets(port, 0);
    struct sockets connected = find_sockets(port, own_port);
    return listening.is_closed || is_of_measured(&all, &listening, scratch) ||
           is_of_measured(&all, &connected, scratch);
}
