/* One process for all tasks, spoken with in JSON lines (message.h).
 *
 * The timed part writes one line and reads until the next newline, into memory
 * that was mapped before: a write, a poll and a read. Everything else is before
 * or after. Whatever goes wrong ends the process; the next task gets a new one. */
#include "agent/message.h"
#include "agent/process_internal.h"
#include "agent/ready.h"
#include "base/clock.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRACE_MS = 200, FRAME_BYTES = 1 << 16 };

static const int64_t look_ns = 20000000;

/* Why an ask ended. */
enum end { END_REPLY, END_CLOSED, END_TIME, END_FLOOD, END_STOPPED, END_STRAY, END_UNREADY };

struct session {
    struct child_plan plan; /* while it runs */
    pid_t pid;              /* 0 = not running */
    bool is_up;
    int pidfd;
    int to_fd;
    int from_fd;
    clockid_t cpu_clock;
    struct ready ready;
    enum ready_end start;
    double ready_s; /* how long this task's start took; NaN = there was none */
    int io_fd;      /* /proc/<pid>/io and stat */
    int stat_fd;
    void (*pipe_handler)(int);

    int64_t id; /* of the latest task */
    struct buf request;
    char *line;
    size_t line_max;
    size_t got;        /* bytes read for this task */
    size_t line_bytes; /* up to and with the newline; 0 = not yet */
    enum end end;

    int64_t start_ns; /* of the exchange */
    int64_t end_ns;
    int64_t cpu_ns;  /* at the start of the task */
    int64_t own_ns;  /* the part of it of the process itself; -1 = unknown */
    bool has_others; /* processes of its have worked in this task */
    struct proc_stat stat;
    struct proc_io io;
};

static bool session_open(struct process *p, struct error *err)
{
    struct session *s = p->mode_state;
    /* An output of n bytes may take 6 n as JSON (\u0001). */
    s->line_max = p->output_max * 6 + FRAME_BYTES;
    if (!ready_read(p->config->ready, p->env.arena, &s->ready, err)) return false;
    buf_init(&s->request, (size_t)256 << 20);
    s->pipe_handler = signal(SIGPIPE, SIG_IGN);
    s->line = mmap(NULL, s->line_max, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->line == MAP_FAILED) {
        s->line = NULL;
        return error_set_errno(err, errno, "%zu bytes for replies", s->line_max);
    }
    return true;
}

/* ---- the process ---- */

static void read_cpu(struct process *p)
{
    struct session *s = p->mode_state;
    struct timespec t;
    s->cpu_ns = contain_cpu_ns(&p->contain);
    s->own_ns = -1;
    if (clock_gettime(s->cpu_clock, &t) == 0)
        s->own_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (s->cpu_ns < 0 && s->own_ns >= 0) s->cpu_ns = s->own_ns;
}

/* Whether more was used than by the process itself. Of a process that has ended, and was
 * reaped inside, nothing else is left to see. */
static bool others_worked(const struct session *s, int64_t before_ns, int64_t own_before_ns)
{
    static const int64_t least_ns = 1000000;
    static const double least_part = 0.02;
    int64_t all_ns = s->cpu_ns - before_ns;
    int64_t own_ns = s->own_ns - own_before_ns;
    if (s->own_ns < 0 || own_before_ns < 0) return false;
    return (double)(all_ns - own_ns) > (double)least_ns + least_part * (double)own_ns;
}

static bool read_counts(struct session *s)
{
    int64_t used = 0;
    if (!proc_pread_io(s->io_fd, &s->io, &used))
        s->io = (struct proc_io){.read_bytes = -1, .write_bytes = -1};
    return proc_pread_stat(s->stat_fd, &s->stat);
}

/* For a moment after its start a process still is as closed as its starter, and but for
 * root nobody may look: vfork ends before exec does. */
static int open_proc(pid_t pid, const char *file)
{
    enum { LOOKS = 200, LOOK_NS = 100000 };
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < LOOKS && fd < 0 && errno == EACCES; i++) {
        clock_sleep_until(clock_ns() + LOOK_NS);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    return fd;
}

static bool start(struct process *p, struct error *err)
{
    struct session *s = p->mode_state;
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    bool done = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0;
    if (!done) error_set_errno(err, errno, "pipe");
    struct child_spec spec = p->spec;
    spec.stdin_fd = in[0];
    spec.stdout_fd = out[1];
    contain_begin(&p->contain, true);
    done = done && child_plan_init(&s->plan, &spec, &p->answers, err);
    int reason = done ? child_start(&s->plan, &s->pidfd) : 0;
    if (reason == ECONNRESET && contain_revive(&p->contain, err)) {
        reason = child_start(&s->plan, &s->pidfd);
    }
    if (reason) done = error_set_errno(err, reason, "the agent cannot be started");
    if (!done) child_plan_release(&s->plan);
    int unused[] = {in[0], out[1], done ? -1 : in[1], done ? -1 : out[0]};
    for (size_t i = 0; i < COUNT(unused); i++) {
        if (unused[i] >= 0) close(unused[i]);
    }
    if (!done) return false;
    s->to_fd = in[1];
    s->from_fd = out[0];
    fcntl(s->to_fd, F_SETFL, O_NONBLOCK);
    fcntl(s->from_fd, F_SETFL, O_NONBLOCK);
    s->pid = starter_pid_of(s->pidfd);
    s->is_up = true;
    if (s->pid > 0) clock_getcpuclockid(s->pid, &s->cpu_clock);
    s->io_fd = open_proc(s->pid, "io");
    s->stat_fd = open_proc(s->pid, "stat");
    return true;
}

/* Ends it, if it has not ended by itself within the grace, and everything that
 * it has started. The last of its use is added. */
static void stop(struct process *p, int grace_ms, struct usage *usage,
                 struct child_result *result)
{
    struct session *s = p->mode_state;
    struct pollfd ended = {.fd = s->pidfd, .events = POLLIN};
    close(s->to_fd);
    if (grace_ms > 0) poll(&ended, 1, grace_ms);
    child_stop(&s->plan, result);
    int fds[] = {s->from_fd, s->pidfd, s->io_fd, s->stat_fd};
    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
    int64_t peak = (int64_t)result->rusage.ru_maxrss * 1024;
    if (peak > usage->peak_bytes) usage->peak_bytes = peak;
    child_plan_release(&s->plan);
    s->pid = 0;
    s->is_up = false;
}

static void session_close(struct process *p)
{
    struct session *s = p->mode_state;
    struct usage unused = {0};
    struct child_result result;
    if (s->is_up) stop(p, GRACE_MS, &unused, &result);
    if (s->line) munmap(s->line, s->line_max);
    buf_release(&s->request);
    signal(SIGPIPE, s->pipe_handler);
}

/* ---- a task ---- */

/* Writes as much as the pipe takes. */
static size_t send_some(const struct session *s, size_t sent)
{
    while (sent < s->request.n) {
        ssize_t n = write(s->to_fd, s->request.p + sent, s->request.n - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) return s->request.n; /* closed: reading will show the rest */
        sent += (size_t)n;
    }
    return sent;
}

/* Reads what is there. False when the other side has closed. */
static bool receive_some(struct session *s)
{
    while (s->got < s->line_max && s->line_bytes == 0) {
        ssize_t n = read(s->from_fd, s->line + s->got, s->line_max - s->got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (n == 0) return false;
        const char *newline = memchr(s->line + s->got, '\n', (size_t)n);
        if (newline) s->line_bytes = (size_t)(newline - s->line) + 1;
        s->got += (size_t)n;
    }
    return true;
}

/* A program that does not say when it is ready is when it waits for its first task: asleep,
 * and no process of it at work, at three looks in a row. One that never rests is given it
 * after a while. Returns when it went to sleep. */
static int64_t await_rest(struct process *p)
{
    enum { LOOK_NS = 2000000, RESTS = 3 };
    static const int64_t most_ns = 10000000000, idle_ns = LOOK_NS / 20;
    const struct session *s = p->mode_state;
    int64_t deadline_ns = clock_ns() + most_ns;
    int64_t since_ns = 0;
    int rests = 0;
    for (int64_t now_ns; rests < RESTS && (now_ns = clock_ns()) < deadline_ns;) {
        struct pollfd events[] = {{.fd = s->pidfd, .events = POLLIN},
                                  {.fd = s->from_fd, .events = POLLIN}};
        struct proc_stat stat;
        int64_t before_ns = s->cpu_ns;
        if (poll(events, COUNT(events), 0) > 0) break; /* it has ended, or speaks */
        read_cpu(p);
        bool is_resting = proc_pread_stat(s->stat_fd, &stat) && stat.state == 'S' &&
                          s->cpu_ns - before_ns < idle_ns;
        if (is_resting && rests == 0) since_ns = now_ns;
        rests = is_resting ? rests + 1 : 0;
        clock_sleep_until(now_ns + LOOK_NS);
    }
    return rests > 0 ? since_ns : clock_ns();
}

/* A program, and the wait until it is ready. One that never is has failed the task: the
 * time limit of a case and its latency count from when it is ready. */
static bool start_ready(struct process *p, struct error *err)
{
    struct session *s = p->mode_state;
    if (!ready_is_free(&s->ready, err)) return false;
    int64_t begin_ns = clock_ns();
    if (!start(p, err)) return false;
    s->start = ready_wait(&s->ready, s->from_fd, s->pidfd, s->line, s->line_max);
    bool says_so = s->ready.line || s->ready.port;
    s->ready_s = (double)((says_so ? clock_ns() : await_rest(p)) - begin_ns) / 1e9;
    return true;
}

static bool session_prepare(struct process *p, const struct agent_task *task, struct error *err)
{
    struct session *s = p->mode_state;
    bool is_new = !s->is_up;
    s->ready_s = NAN;
    if (is_new && !start_ready(p, err)) return false;
    s->id++;
    s->got = s->line_bytes = 0;
    buf_clear(&s->request);
    message_write_task(&s->request, s->id, task, p->env.config);
    if (s->request.overflow) {
        return error_set(err, ERROR_INVALID, "the task is longer than %zu bytes",
                         s->request.max);
    }
    if (!is_new) contain_begin(&p->contain, false);
    if (!is_new) receive_some(s); /* there should be nothing */
    if (!p->contain.is_peak_fresh) proc_reset_peak(s->pid);
    /* Later tasks go on from where the one before them ended: what the agent does
     * after its reply is work, too, and would be nobody's. */
    if (is_new && !read_counts(s)) s->stat = (struct proc_stat){0};
    if (is_new) read_cpu(p);
    return true;
}

/* Until the next look at the limits; false when the time is over. */
static bool next_look(int64_t deadline_ns, struct timespec *wait)
{
    int64_t wait_ns = look_ns;
    if (deadline_ns > 0) {
        int64_t left_ns = deadline_ns - clock_ns();
        if (left_ns <= 0) return false;
        if (left_ns < wait_ns) wait_ns = left_ns;
    }
    *wait = (struct timespec){0, wait_ns};
    return true;
}

/* By the clock: who sends a byte every few milliseconds is looked at, too. */
static bool is_due(int64_t *look_at_ns)
{
    int64_t now_ns = clock_ns();
    if (now_ns < *look_at_ns) return false;
    *look_at_ns = now_ns + look_ns;
    return true;
}

/* Reads; true when that was the end, which is in s->end. */
static bool has_ended(struct session *s)
{
    bool is_open = receive_some(s);
    if (s->line_bytes) {
        s->end = END_REPLY;
    } else if (!is_open) {
        s->end = END_CLOSED;
    } else if (s->got == s->line_max) {
        s->end = END_FLOOD;
    } else {
        return false;
    }
    return true;
}

static enum end exchange(struct process *p)
{
    struct session *s = p->mode_state;
    int64_t limit_ns = p->env.limits.time_ns;
    int64_t deadline_ns = limit_ns > 0 ? s->start_ns + limit_ns : 0;
    int64_t look_at_ns = s->start_ns + look_ns;
    size_t sent = send_some(s, 0);
    for (struct timespec wait; next_look(deadline_ns, &wait);) {
        struct pollfd fds[] = {
            {.fd = s->from_fd, .events = POLLIN},
            {.fd = s->pidfd, .events = POLLIN},
            {.fd = sent < s->request.n ? s->to_fd : -1, .events = POLLOUT},
        };
        bool is_ready = ppoll(fds, COUNT(fds), &wait, NULL) > 0;
        if (is_ready && fds[0].revents && has_ended(s)) return s->end;
        if (is_ready && fds[1].revents && !fds[0].revents) return END_CLOSED;
        if (is_ready && fds[2].revents) sent = send_some(s, sent);
        if (is_due(&look_at_ns) && contain_is_over(&p->contain)) return END_STOPPED;
    }
    return END_TIME;
}

/* Somebody has ended the starter, and with it the agent. */
static bool is_lost(const struct process *p)
{
    struct pollfd fd = {.fd = p->contain.starter.socket, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

/* The same task for a new process. Who loses two starters in one task does so itself. The
 * clock goes on, and processor time too, where a cgroup counts it. */
static bool start_again(struct process *p)
{
    struct session *s = p->mode_state;
    struct usage unused = {0};
    struct child_result result;
    struct error err = {0};
    stop(p, 0, &unused, &result);
    if (!contain_revive(&p->contain, &err) || !start_ready(p, &err)) return false;
    if (s->start != READY_YES) return false;
    s->got = s->line_bytes = 0;
    if (!read_counts(s)) s->stat = (struct proc_stat){0};
    if (contain_cpu_ns(&p->contain) < 0) read_cpu(p);
    return true;
}

static enum trial_status session_ask(struct process *p)
{
    struct session *s = p->mode_state;
    static const enum trial_status statuses[] = {
        [END_REPLY] = TRIAL_OK,
        [END_CLOSED] = TRIAL_FAILED,
        [END_TIME] = TRIAL_TIMED_OUT,
        [END_FLOOD] = TRIAL_LIMIT_BREACHED,
        [END_STOPPED] = TRIAL_LIMIT_BREACHED,
        [END_STRAY] = TRIAL_INVALID_OUTPUT,
        [END_UNREADY] = TRIAL_FAILED,
    };
    s->start_ns = s->end_ns = 0;
    if (s->start != READY_YES) {
        s->end = END_UNREADY;
        return statuses[s->end];
    }
    s->start_ns = clock_ns();
    s->end = s->got > 0 ? END_STRAY : exchange(p);
    s->end_ns = clock_ns();
    if (s->end == END_CLOSED && is_lost(p) && start_again(p)) {
        s->end = exchange(p);
        s->end_ns = clock_ns();
    }
    return statuses[s->end];
}

/* ---- after it ---- */

/* The kernel counts a write after it has woken its reader, and a child's not here: what has
 * come was written. Taken from the next task's count, where it may still turn up. */
static void add_reply(struct session *s, struct usage *u)
{
    int64_t missing = (int64_t)s->got - u->write_bytes;
    if (missing <= 0) return;
    u->write_bytes += missing;
    u->io_operations++;
    s->io.write_bytes += missing;
    s->io.operations++;
}

/* The kernel totals processor time exactly and splits it by ticks of 10 ms: the
 * split of the whole session is put to this task's total. */
static void give_usage(struct process *p, struct usage *u)
{
    struct session *s = p->mode_state;
    int64_t before_ns = s->cpu_ns;
    int64_t own_before_ns = s->own_ns;
    struct proc_io io = s->io;
    struct proc_stat stat = s->stat;
    *u = (struct usage){.is_set = true,
                        .voluntary_switches = -1,
                        .involuntary_switches = -1,
                        .read_bytes = -1,
                        .write_bytes = -1};
    read_cpu(p);
    s->has_others = others_worked(s, before_ns, own_before_ns);
    bool has_stat = read_counts(s);
    double total_s = s->cpu_ns > before_ns ? (double)(s->cpu_ns - before_ns) / 1e9 : 0;
    if (has_stat) {
        double all_s = s->stat.own_cpu_s + s->stat.reaped_cpu_s;
        u->system_s = all_s > 0 ? total_s * s->stat.system_cpu_s / all_s : 0;
        u->minor_faults = s->stat.minor_faults - stat.minor_faults;
        u->major_faults = s->stat.major_faults - stat.major_faults;
        u->peak_bytes = s->stat.rss_bytes;
        u->resident_bytes = s->stat.rss_bytes;
    }
    u->user_s = total_s - u->system_s;
    if (io.read_bytes >= 0 && s->io.read_bytes >= 0) {
        u->read_bytes = s->io.read_bytes - io.read_bytes;
        u->write_bytes = s->io.write_bytes - io.write_bytes;
        u->io_operations = s->io.operations - io.operations;
        add_reply(s, u);
    }
}

/* The largest resident set of the processes that it has left running. */
static int64_t peak_of_others(const struct process *p)
{
    enum { MOST = 1024 };
    const struct session *s = p->mode_state;
    int64_t largest = 0;
    /* The starter is inside, too. */
    if (cgroup_read(&p->contain.cgroup, CGROUP_PIDS_NOW) <= s->stat.threads + 1) return 0;
    pid_t pids[MOST];
    size_t n = proc_descendants(p->contain.starter.pid, pids, COUNT(pids));
    for (size_t i = 0; i < n; i++) {
        int64_t peak = pids[i] == s->pid ? 0 : proc_read_peak(pids[i]);
        if (peak > largest) largest = peak;
        if (peak > 0 && p->contain.is_peak_fresh) proc_reset_peak(pids[i]);
    }
    return largest;
}

/* The largest resident set of this task. The cgroup reports in 1 us that there was
 * nothing above what is held now; else the kernel's own mark, which takes 10 us to
 * read and to reset, is asked. Where others worked, too, the mark of the process does not
 * tell theirs: what the cgroup saw stands. */
static void give_peak(struct process *p, struct usage *u)
{
    struct session *s = p->mode_state;
    bool is_told = p->contain.is_peak_fresh;
    if (!s->is_up) return;
    if (!is_told || u->peak_bytes != u->resident_bytes) {
        int64_t peak = proc_read_peak(s->pid);
        if (is_told) proc_reset_peak(s->pid);
        bool is_exact = !is_told || (peak < u->peak_bytes && !s->has_others);
        if (peak > u->resident_bytes && is_exact) u->peak_bytes = peak;
    }
    int64_t others = peak_of_others(p);
    if (others > u->peak_bytes) u->peak_bytes = others;
    if (u->group_peak_bytes > 0 && u->group_peak_bytes < u->peak_bytes)
        u->group_peak_bytes = u->peak_bytes;
}

static enum trial_status explain(struct process *p, enum trial_status status, int wait_status,
                                 struct agent_answer *a)
{
    const struct session *s = p->mode_state;
    struct error *err = &a->error;
    switch (s->end) {
    case END_REPLY: break; /* said already */
    case END_STRAY:
        error_set(err, ERROR_INVALID,
                  "%zu unexpected bytes arrived; was task %lld answered twice?", s->got,
                  (long long)s->id - 1);
        break;
    case END_UNREADY:
        if (s->start == READY_LATE) {
            error_set(err, ERROR_TIMEOUT, "was not ready within %g s (%s)",
                      (double)s->ready.within_ns / 1e9, ready_name(&s->ready, &p->answers));
        } else {
            process_explain(p, wait_status, err);
            error_wrap(err, "ended before it was ready (%s)",
                       ready_name(&s->ready, &p->answers));
        }
        break;
    case END_TIME: process_explain_time(p, err); break;
    case END_FLOOD:
    case END_STOPPED: process_explain_output(p, err); break;
    case END_CLOSED:
        process_explain(p, wait_status, err);
        if (s->got > 0) {
            error_wrap(err, "the output ended after an incomplete line of %zu bytes", s->got);
            return TRIAL_INVALID_OUTPUT;
        }
        error_wrap(err, "closed its output before it answered");
        break;
    }
    return status;
}

static enum trial_status read_reply(struct process *p, struct agent_answer *a)
{
    struct session *s = p->mode_state;
    struct str line = {s->line, s->line_bytes - 1};
    enum trial_status status = message_read_reply(line, s->id, &p->answers, a);
    if (status == TRIAL_INVALID_OUTPUT) return status;
    if (s->got > s->line_bytes) {
        error_set(&a->error, ERROR_INVALID,
                  "answered twice: %zu bytes followed the reply to task %lld",
                  s->got - s->line_bytes, (long long)s->id);
        return TRIAL_INVALID_OUTPUT;
    }
    return status;
}

static enum trial_status session_conclude(struct process *p, enum trial_status status,
                                          struct agent_answer *a)
{
    struct session *s = p->mode_state;
    struct child_result result = {.is_clean = true};
    give_usage(p, &a->usage);
    a->ready_s = s->ready_s;
    a->start_ns = s->start_ns;
    a->end_ns = s->end_ns;
    if (status == TRIAL_OK) status = read_reply(p, a);
    bool is_over = status != TRIAL_OK && status != TRIAL_AGENT_ERROR;
    if (is_over) {
        bool ended = s->end == END_CLOSED || (s->end == END_UNREADY && s->start == READY_ENDED);
        int grace_ms = ended ? GRACE_MS : 0;
        if (s->is_up) stop(p, grace_ms, &a->usage, &result);
        status = explain(p, status, result.status, a);
    }
    if (contain_judge(&p->contain, &a->usage, &a->error) != TRIAL_OK) {
        status = TRIAL_LIMIT_BREACHED;
    }
    give_peak(p, &a->usage);
    if (result.is_lost && !contain_revive(&p->contain, &a->error)) return TRIAL_HARNESS_ERROR;
    if (!result.is_lost && !result.is_clean) {
        error_set(&a->error, ERROR_FAILED, "a process of the agent does not end after SIGKILL");
        return TRIAL_HARNESS_ERROR;
    }
    return status;
}

const struct process_mode process_session = {
    .state_size = sizeof(struct session),
    .open = session_open,
    .prepare = session_prepare,
    .ask = session_ask,
    .conclude = session_conclude,
    .close = session_close,
};
