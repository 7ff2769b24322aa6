/* One process per task. Standard input is memory with a descriptor that can
 * only read it: a pipe would have to be fed by us while the clock runs. */
#include "agent/message.h"
#include "agent/process_internal.h"
#include "base/clock.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USAGE_MAX_BYTES = 1 << 16 };

struct oneshot {
    struct child_plan plan;
    struct child_output output;
    struct child_result result;
    int64_t began_ns; /* right before the first attempt */
    bool was_repeated;
    int input_fd; /* written by us */
    int stdin_fd; /* the same, read by the child */
    int usage_fd;
};

/* A file in memory. */
static bool open_memory(const char *name, int *fd, struct error *err)
{
    *fd = memfd_create(name, MFD_CLOEXEC);
    return *fd >= 0 || error_set_errno(err, errno, "memory for %s", name);
}

static bool usage_is_too_long(const struct oneshot *o)
{
    struct stat st;
    return fstat(o->usage_fd, &st) == 0 && st.st_size > USAGE_MAX_BYTES;
}

/* Looked at every now and then while the program runs. */
static bool is_over(void *process)
{
    struct process *p = process;
    return contain_is_over(&p->contain) || usage_is_too_long(p->mode_state);
}

static bool oneshot_open(struct process *p, struct error *err)
{
    struct oneshot *o = p->mode_state;
    o->input_fd = o->stdin_fd = o->usage_fd = -1;
    if (!open_memory("input", &o->input_fd, err) || !process_open_file(p, &o->usage_fd, err) ||
        !child_output_open(&o->output, p->output_max, err)) {
        return false;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", o->input_fd);
    o->stdin_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (o->stdin_fd < 0) { /* a root without /proc */
        o->stdin_fd = fcntl(o->input_fd, F_DUPFD_CLOEXEC, 0);
    }
    if (o->stdin_fd < 0) return error_set_errno(err, errno, "opening the input for reading");
    o->output.ends_child = true;
    struct child_spec spec = p->spec;
    spec.stdin_fd = o->stdin_fd;
    spec.stdout_fd = o->output.write_fd;
    spec.extra_fd = o->usage_fd;
    if (!child_plan_init(&o->plan, &spec, p->env.arena, err)) return false;
    o->plan.watch = (struct child_watch){is_over, p};
    return true;
}

static void oneshot_close(struct process *p)
{
    struct oneshot *o = p->mode_state;
    child_plan_release(&o->plan);
    child_output_close(&o->output);
    int fds[] = {o->input_fd, o->stdin_fd, o->usage_fd};
    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] > 0) close(fds[i]);
    }
}

static bool oneshot_prepare(struct process *p, const struct agent_task *task, struct error *err)
{
    struct oneshot *o = p->mode_state;
    o->result = (struct child_result){0};
    child_output_clear(&o->output);
    if (ftruncate(o->input_fd, 0) != 0 || lseek(o->input_fd, 0, SEEK_SET) != 0 ||
        lseek(o->stdin_fd, 0, SEEK_SET) != 0) {
        return error_set_errno(err, errno, "emptying the input");
    }
    if (!process_empty_file(o->usage_fd, err)) return error_wrap(err, "usage");
    /* Text ends with a line feed: bc and `read` take no line without one. */
    struct str input = task->input;
    bool is_open = !task->is_json && input.n > 0 && input.p[input.n - 1] != '\n';
    if (!os_write_all(o->input_fd, input, err) ||
        (is_open && !os_write_all(o->input_fd, S("\n"), err))) {
        return error_wrap(err, "the input");
    }
    lseek(o->stdin_fd, 0, SEEK_SET); /* the same file where there is no /proc */
    contain_begin(&p->contain, true);
    o->was_repeated = false;
    o->began_ns = clock_ns();
    return true;
}

/* Somebody has ended the starter, and with it the agent: once more, from the beginning.
 * Who is asked twice and loses it twice does so itself. The clock goes on, and what the
 * first attempt used counts: else whoever can end its starter would have its work free. */
static bool ask_again(struct process *p)
{
    struct oneshot *o = p->mode_state;
    struct error err = {0};
    child_output_clear(&o->output);
    bool is_rewound = lseek(o->stdin_fd, 0, SEEK_SET) == 0 &&
                      process_empty_file(o->usage_fd, &err) &&
                      process_empty_file(p->errors_fd, &err);
    if (!is_rewound || !contain_revive(&p->contain, &err)) return false;
    int64_t limit_ns = p->env.limits.time_ns;
    int64_t left_ns = limit_ns > 0 ? o->began_ns + limit_ns - clock_ns() : 0;
    o->was_repeated = true;
    if (limit_ns > 0 && left_ns <= 0) {
        o->result = (struct child_result){.timed_out = true, .is_clean = true};
    } else {
        child_run(&o->plan, left_ns, &o->output, &o->result);
    }
    return true;
}

static enum trial_status oneshot_ask(struct process *p)
{
    struct oneshot *o = p->mode_state;
    const struct child_result *r = &o->result;
    child_run(&o->plan, p->env.limits.time_ns, &o->output, &o->result);
    if (r->is_lost && !ask_again(p)) return TRIAL_HARNESS_ERROR;
    if (r->is_lost) return TRIAL_FAILED;
    if (r->start_errno == EAGAIN || r->start_errno == ENOMEM) return TRIAL_HARNESS_ERROR;
    if (r->start_errno) return TRIAL_FAILED;
    if (r->timed_out) return TRIAL_TIMED_OUT;
    if (r->was_stopped || o->output.total_bytes > (int64_t)o->output.kept_max) {
        return TRIAL_LIMIT_BREACHED;
    }
    return r->status == 0 ? TRIAL_OK : TRIAL_FAILED;
}

static void explain(const struct process *p, enum trial_status status, struct error *err)
{
    const struct oneshot *o = p->mode_state;
    if (o->result.is_lost) {
        error_set(err, ERROR_FAILED,
                  status == TRIAL_FAILED ? "killed the process that starts it, twice"
                                         : "the process that starts the agent has ended");
    } else if (o->result.start_errno) {
        error_set_errno(err, o->result.start_errno, "cannot be started");
    } else if (status == TRIAL_TIMED_OUT) {
        process_explain_time(p, err);
    } else if (status == TRIAL_LIMIT_BREACHED && usage_is_too_long(o)) {
        error_set(err, ERROR_FAILED,
                  "wrote more than %d bytes to ASSAY_USAGE_FD, which takes one JSON object",
                  USAGE_MAX_BYTES);
    } else if (status == TRIAL_LIMIT_BREACHED) {
        process_explain_output(p, err);
    } else if (status != TRIAL_OK) {
        process_explain(p, o->result.status, err);
    }
}

static bool read_usage(struct process *p, struct agent_answer *a, struct error *err)
{
    const struct oneshot *o = p->mode_state;
    struct stat st;
    if (fstat(o->usage_fd, &st) != 0 || st.st_size <= 0) return true;
    /* Not on the stack, which may be small (ulimit -s). */
    size_t most = st.st_size < USAGE_MAX_BYTES ? (size_t)st.st_size : USAGE_MAX_BYTES;
    char *text = arena_new(&p->answers, char, most);
    ssize_t n = pread(o->usage_fd, text, most, 0);
    if (n <= 0) return true;
    return message_read_usage(str_trim((struct str){text, (size_t)n}), &p->answers, a, err);
}

/* An agent that fails has still spent what it reported; a report that was cut off is dropped. */
static enum trial_status keep_usage(struct process *p, enum trial_status status,
                                    struct agent_answer *a)
{
    struct error ignored = {0};
    struct agent_answer reported = *a;
    if (read_usage(p, &reported, &ignored)) *a = reported;
    return status;
}

static enum trial_status read_answer(struct process *p, struct agent_answer *a)
{
    size_t good = str_utf8_prefix(a->output);
    if (good < a->output.n) {
        error_set(&a->error, ERROR_INVALID, "the output %s at byte %zu of %zu",
                  a->output.p[good] ? "is not UTF-8" : "has a NUL", good + 1, a->output.n);
        return TRIAL_INVALID_OUTPUT;
    }
    if (!read_usage(p, a, &a->error)) {
        error_wrap(&a->error, "what was written to ASSAY_USAGE_FD");
        return TRIAL_INVALID_OUTPUT;
    }
    return TRIAL_OK;
}

static enum trial_status oneshot_conclude(struct process *p, enum trial_status status,
                                          struct agent_answer *a)
{
    struct oneshot *o = p->mode_state;
    const struct child_result *r = &o->result;
    a->output = (struct str){o->output.kept, o->output.kept_bytes};
    if (status == TRIAL_OK && usage_is_too_long(o)) status = TRIAL_LIMIT_BREACHED;
    explain(p, status, &a->error);
    if (r->is_lost) {
        struct error err = {0};
        bool is_back = contain_revive(&p->contain, &err);
        return is_back ? status : TRIAL_HARNESS_ERROR;
    }
    if (r->start_errno) return status;
    if (!o->was_repeated) { /* else the caller's clock, which has seen both attempts */
        a->start_ns = r->start_ns;
        a->end_ns = r->end_ns;
    }
    child_usage(r, &a->usage);
    if (contain_judge(&p->contain, &a->usage, &a->error) != TRIAL_OK) {
        status = TRIAL_LIMIT_BREACHED;
    }
    contain_charge(&p->contain, &a->usage);
    if (!r->is_clean) {
        error_set(&a->error, ERROR_FAILED, "a process of the agent does not end after SIGKILL");
        return TRIAL_HARNESS_ERROR;
    }
    return status == TRIAL_OK ? read_answer(p, a) : keep_usage(p, status, a);
}

const struct process_mode process_oneshot = {
    .state_size = sizeof(struct oneshot),
    .open = oneshot_open,
    .prepare = oneshot_prepare,
    .ask = oneshot_ask,
    .conclude = oneshot_conclude,
    .close = oneshot_close,
};
