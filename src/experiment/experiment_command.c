/* A command, as hyperfine runs it: one process per trial, from before it is
 * started until it is reaped and its output is drained.
 *
 *     setup once; (prepare, THE COMMAND, conclude) for each trial; cleanup once
 *
 * Standard error goes to an unlinked file: a pipe would have to be drained by
 * us while the clock runs, and only the end of it is ever shown, if the trial
 * fails. */
#include "base/os.h"
#include "base/proc.h"
#include "experiment/command_line.h"
#include "experiment/experiment.h"
#include "sandbox/startable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STDERR_SHOWN = 400 };
enum { OUTPUT_DROP, OUTPUT_CAPTURE, OUTPUT_NULL };
enum { STEP_SETUP, STEP_PREPARE, STEP_CONCLUDE, STEP_CLEANUP, STEP_COUNT };
enum { METRIC_EXIT_CODE, METRIC_USER, METRIC_SYSTEM, METRIC_MEMORY };

static const char *const step_names[] = {"setup", "prepare", "conclude", "cleanup"};

struct config {
    struct param_command command;
    struct param_command steps[STEP_COUNT];
    const char *input;
    const char *stdin_text;
    int output;
    int64_t output_max_bytes;
    bool ignore_failure;
    const struct value *parameters;
    const char *workdir;
    const struct value *env;
    const char *shell;
};

struct state {
    const struct config *config;
    int64_t limit_ns;
    bool is_open; /* the descriptors below are set */
    int null_fd;
    int input_fd;
    int stderr_fd;
    struct child_output output;
    struct starter starter;
    struct child_spec spec; /* what all have in common */
    struct child_plan plan;
    struct child_plan steps[STEP_COUNT];
    struct child_result result;
};

#define ROW(key, kind, field) \
    .name = (key), .type = (kind), .offset = offsetof(struct config, field)

/* "null" is hyperfine's word for drop; in YAML it would need quotes. */
static const char *const output_choices[] = {
    [OUTPUT_DROP] = "drop",
    [OUTPUT_CAPTURE] = "capture",
    [OUTPUT_NULL] = "null",
    NULL,
};

static const struct param params[] = {
    {ROW("command", PARAM_COMMAND, command), .role = PARAM_TREATMENT, .required = true,
     .help = "the command to time: a list is started directly, a text is run by the shell"},
    {ROW("parameters", PARAM_MAP, parameters), .role = PARAM_TREATMENT,
     .help = "values for {name} in every command of this experiment"},
    {ROW("setup", PARAM_COMMAND, steps[STEP_SETUP]), .help = "run once before the first trial"},
    {ROW("prepare", PARAM_COMMAND, steps[STEP_PREPARE]),
     .help = "run before each trial, not timed"},
    {ROW("conclude", PARAM_COMMAND, steps[STEP_CONCLUDE]),
     .help = "run after each trial, not timed"},
    {ROW("cleanup", PARAM_COMMAND, steps[STEP_CLEANUP]),
     .help = "run once after the last trial"},
    {ROW("input", PARAM_TEXT, input), .fallback = "\"null\"",
     .help = "file for standard input; null = empty"},
    {ROW("stdin", PARAM_TEXT, stdin_text),
     .help = "text for standard input, instead of a file"},
    {ROW("output", PARAM_CHOICE, output), .fallback = "\"null\"", .choices = output_choices,
     .help = "standard output: dropped, or kept with the trial"},
    {ROW("output_max_bytes", PARAM_INT, output_max_bytes), .fallback = "65536", .min = 1,
     .max = 16 << 20, .unit = "B",
     .help = "how much output is kept; the rest is read and discarded"},
    {ROW("ignore_failure", PARAM_BOOL, ignore_failure), .fallback = "false",
     .help = "treat a non-zero exit code as success"},
    {ROW("workdir", PARAM_TEXT, workdir),
     .help = "folder to run in; default: the one where assay was started"},
    {ROW("env", PARAM_MAP, env), .help = "environment variables to add or replace"},
    {ROW("shell", PARAM_TEXT, shell), .fallback = "\"/bin/sh\"",
     .help = "the shell that runs a text command; none: split the text into words instead"},
};

static const struct metric metrics[] = {
    [METRIC_EXIT_CODE] = {"exit_code", "1", DIRECTION_NONE, "exit_code/1",
                          "exit code, or 128 + the signal that ended it"},
    [METRIC_USER] = {"user_s", "s", DIRECTION_LOWER, "user_cpu/1",
                     "processor time in user mode, of the whole process tree"},
    [METRIC_SYSTEM] = {"system_s", "s", DIRECTION_LOWER, "system_cpu/1",
                       "processor time in the kernel, of the whole process tree"},
    [METRIC_MEMORY] = {"memory_peak_mb", "MB", DIRECTION_LOWER, "memory_peak/1",
                       "largest resident set of any one process, 1 MB = 1,000,000 bytes"},
};

/* Environment. */

static bool is_overridden(const char *entry, const struct value *map)
{
    struct str name = str_of(entry);
    return value_find(map, str_cut(&name, '=')) != NULL;
}

/* Ours, with those of the map added or replaced; NULL = ours. */
static bool build_env(const struct value *map, struct arena *arena, const char *const **env,
                      struct error *err)
{
    if (!map || map->map.count == 0) return true;
    size_t n = 0;
    while (environ[n]) n++;
    const char **list = arena_new(arena, const char *, n + map->map.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_overridden(environ[i], map)) list[count++] = environ[i];
    }
    for (size_t i = 0; i < map->map.count; i++) {
        struct str key = map->map.pairs[i].key;
        const char *text = NULL;
        if (!command_line_scalar(map->map.pairs[i].value, arena, &text)) {
            return error_set(err, ERROR_INVALID, "env.%.*s must be a text or a number",
                             STR_ARG(key));
        }
        list[count++] = arena_printf(arena, "%.*s=%s", STR_ARG(key), text);
    }
    *env = list;
    return true;
}

/* Empty; "null" is hyperfine's word for it. */
static bool has_no_input(const struct config *c)
{
    return !c->input || strcmp(c->input, "null") == 0;
}

static bool command_check(const void *config, struct error *err)
{
    const struct config *c = config;
    if (c->stdin_text && !has_no_input(c)) {
        return error_set(err, ERROR_INVALID, "give either 'input' or 'stdin', not both");
    }
    struct arena scratch = arena_open();
    const char *const *list = NULL;
    bool done = build_env(c->env, &scratch, &list, err) &&
                command_line_build(&c->command, c->shell, c->parameters, &scratch, &list, err);
    for (size_t i = 0; i < STEP_COUNT && done; i++) {
        if (!command_line_is_set(&c->steps[i])) continue;
        done = command_line_build(&c->steps[i], c->shell, c->parameters, &scratch, &list, err);
        if (!done) error_wrap(err, "'%s'", step_names[i]);
    }
    arena_close(&scratch);
    return done;
}

/* Set-up. */

/* A file without a name, for what goes in or comes out. Appending, so that it
 * can be emptied while a child may still hold it. */
static bool open_unnamed(const struct experiment_env *env, int *fd, struct error *err)
{
    char *path = arena_printf(env->arena, "%s/command-XXXXXX", env->work_dir);
    *fd = mkostemp(path, O_APPEND | O_CLOEXEC);
    if (*fd < 0)
        return error_set_errno(err, errno, "cannot make a file in '%s'", env->work_dir);
    unlink(path);
    return true;
}

static bool open_input(const struct experiment_env *env, struct state *s, struct error *err)
{
    const struct config *c = s->config;
    if (c->stdin_text) {
        return open_unnamed(env, &s->input_fd, err) &&
               os_write_all(s->input_fd, str_of(c->stdin_text), err);
    }
    const char *path = has_no_input(c) ? "/dev/null" : c->input;
    if (c->workdir && path[0] != '/') {
        path = arena_printf(env->arena, "%s/%s", c->workdir, path);
    }
    s->input_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->input_fd < 0) return error_set_errno(err, errno, "cannot open input '%s'", path);
    return true;
}

static bool plan_steps(const struct experiment_env *env, struct state *s, struct error *err)
{
    const struct config *c = s->config;
    struct child_spec spec = s->spec;
    for (size_t i = 0; i < STEP_COUNT; i++) {
        if (!command_line_is_set(&c->steps[i])) continue;
        if (!command_line_build(&c->steps[i], c->shell, c->parameters, env->arena, &spec.argv,
                                err) ||
            !child_plan_init(&s->steps[i], &spec, env->arena, err)) {
            return error_wrap(err, "'%s'", step_names[i]);
        }
    }
    return true;
}

/* After `setup`, which may have made it; what `prepare` is to make is not there yet. */
static bool plan_command(const struct experiment_env *env, struct state *s, struct error *err)
{
    const struct config *c = s->config;
    struct child_spec spec = s->spec;
    if (!command_line_build(&c->command, c->shell, c->parameters, env->arena, &spec.argv, err))
        return false;
    if (!s->steps[STEP_PREPARE].is_ready && !startable(&spec, env->arena, err)) return false;
    spec.stdin_fd = s->input_fd;
    if (c->output == OUTPUT_CAPTURE) spec.stdout_fd = s->output.write_fd;
    return child_plan_init(&s->plan, &spec, env->arena, err);
}

static const char not_clean[] = "a process of the command does not end after SIGKILL";

/* The end of what was written to standard error, on one line. */
static struct str last_words(const struct state *s, char *text)
{
    struct stat st;
    if (fstat(s->stderr_fd, &st) != 0) return (struct str){0};
    off_t from = st.st_size > STDERR_SHOWN ? st.st_size - STDERR_SHOWN : 0;
    ssize_t n = pread(s->stderr_fd, text, STDERR_SHOWN, from);
    for (ssize_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ') text[i] = ' ';
    }
    return str_trim((struct str){text, n > 0 ? (size_t)n : 0});
}

static bool explain(const struct state *s, const struct child_result *r, struct error *err)
{
    char text[STDERR_SHOWN];
    if (r->is_lost) {
        return error_set(err, ERROR_FAILED, "the process that starts the command has ended");
    }
    if (r->start_errno) return error_set_errno(err, r->start_errno, "cannot be started");
    if (r->timed_out) {
        return error_set(err, ERROR_TIMEOUT,
                         "took longer than the limit of %g s and was stopped",
                         (double)s->limit_ns / 1e9);
    }
    struct str said = last_words(s, text);
    int code = child_exit_code(r->status);
    if (code > 128 && code != 255) {
        return error_set(err, ERROR_FAILED, "exit code %d (signal %d, %s)%s%.*s", code,
                         code - 128, strsignal(code - 128), said.n ? ": " : "", STR_ARG(said));
    }
    return error_set(err, ERROR_FAILED, "exit code %d%s%.*s", code, said.n ? ": " : "",
                     STR_ARG(said));
}

/* For the next one. Few commands write to it, and cutting a file costs as much as all else
 * between two trials, even if there is nothing to cut. */
static bool empty_stderr(const struct state *s)
{
    struct stat st;
    if (fstat(s->stderr_fd, &st) == 0 && st.st_size == 0) return true;
    return ftruncate(s->stderr_fd, 0) == 0;
}

/* One of the commands around the trials: must succeed, leaves nothing behind. */
static bool run_step(struct state *s, int step, struct error *err)
{
    if (!s->steps[step].is_ready) return true;
    struct child_result r;
    child_run(&s->steps[step], s->limit_ns, NULL, &r);
    bool done = !r.is_lost && !r.start_errno && !r.timed_out && r.status == 0;
    if (!done) explain(s, &r, err);
    if (done && !r.is_clean) done = error_set(err, ERROR_FAILED, "%s", not_clean);
    if (!empty_stderr(s) && done) {
        done = error_set_errno(err, errno, "emptying the file for standard error");
    }
    return done || error_wrap(err, "'%s' command", step_names[step]);
}

static bool command_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    s->config = env->config;
    s->limit_ns = env->time_limit_ns;
    s->null_fd = s->input_fd = s->stderr_fd = -1;
    s->is_open = true;
    s->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (s->null_fd < 0) return error_set_errno(err, errno, "cannot open /dev/null");
    if (!child_adopt(err) || !starter_open(&s->starter, NULL, NULL, err) ||
        !open_unnamed(env, &s->stderr_fd, err) || !open_input(env, s, err)) {
        return false;
    }
    if (env->memory_floor) *env->memory_floor = proc_read_peak(s->starter.pid);
    if (s->config->output == OUTPUT_CAPTURE &&
        !child_output_open(&s->output, (size_t)s->config->output_max_bytes, err)) {
        return false;
    }
    s->spec = (struct child_spec){
        .workdir = s->config->workdir,
        .stdin_fd = s->null_fd,
        .stdout_fd = s->null_fd,
        .stderr_fd = s->stderr_fd,
        .starter = &s->starter,
    };
    return build_env(s->config->env, env->arena, &s->spec.env, err) &&
           plan_steps(env, s, err) && run_step(s, STEP_SETUP, err) && plan_command(env, s, err);
}

/* A trial. */

static enum trial_status command_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    s->result = (struct child_result){0};
    child_output_clear(&s->output);
    if (!run_step(s, STEP_PREPARE, &t->error)) return TRIAL_HARNESS_ERROR;
    lseek(s->input_fd, 0, SEEK_SET); /* of no effect on what cannot be rewound */
    return TRIAL_OK;
}

/* The starter was ended by somebody: another one. */
static bool is_back(struct state *s)
{
    starter_close(&s->starter);
    return child_sweep(NULL) && starter_open(&s->starter, NULL, NULL, NULL);
}

static enum trial_status command_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    child_run(&s->plan, s->limit_ns, s->output.kept ? &s->output : NULL, &s->result);
    bool is_again = s->result.is_lost && is_back(s);
    if (is_again) {
        child_output_clear(&s->output);
        lseek(s->input_fd, 0, SEEK_SET);
        child_run(&s->plan, s->limit_ns, s->output.kept ? &s->output : NULL, &s->result);
    }
    if (s->result.is_lost) return TRIAL_HARNESS_ERROR;
    if (!is_again) { /* else our own clock, which has seen both attempts */
        t->start_ns = s->result.start_ns;
        t->end_ns = s->result.end_ns;
    }
    if (s->result.start_errno) {
        bool is_ours = s->result.start_errno == EAGAIN || s->result.start_errno == ENOMEM;
        return is_ours ? TRIAL_HARNESS_ERROR : TRIAL_FAILED;
    }
    if (s->result.timed_out) return TRIAL_TIMED_OUT;
    return s->result.status == 0 || s->config->ignore_failure ? TRIAL_OK : TRIAL_FAILED;
}

static void give_values(struct trial *t, const struct child_result *r)
{
    t->values[METRIC_EXIT_CODE] = child_exit_code(r->status);
    t->values[METRIC_USER] = t->usage.user_s;
    t->values[METRIC_SYSTEM] = t->usage.system_s;
    t->values[METRIC_MEMORY] = (double)t->usage.peak_bytes / 1e6;
}

static enum trial_status command_conclude(struct trial *t, void *state,
                                          enum trial_status status)
{
    struct state *s = state;
    const struct child_result *r = &s->result;
    if (status != TRIAL_OK) explain(s, r, &t->error);
    if (!r->start_errno && !r->is_lost) {
        child_usage(r, &t->usage);
        if (!r->is_clean) {
            error_set(&t->error, ERROR_FAILED, "%s", not_clean);
            status = TRIAL_HARNESS_ERROR;
        }
        give_values(t, r);
    }
    if (s->output.kept && t->output) {
        buf_add_bytes(t->output, s->output.kept, s->output.kept_bytes);
    }
    struct error *err = status == TRIAL_OK ? &t->error : NULL;
    if (!empty_stderr(s) || !run_step(s, STEP_CONCLUDE, err)) {
        if (status == TRIAL_OK) status = TRIAL_HARNESS_ERROR;
    }
    return status;
}

static bool command_teardown(void *state, struct error *err)
{
    struct state *s = state;
    if (!s->is_open) return true;
    bool done = run_step(s, STEP_CLEANUP, err);
    child_plan_release(&s->plan);
    for (size_t i = 0; i < STEP_COUNT; i++) child_plan_release(&s->steps[i]);
    child_output_close(&s->output);
    starter_close(&s->starter);
    if (!child_sweep(err)) done = false;
    int fds[] = {s->null_fd, s->input_fd, s->stderr_fd};
    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
    s->is_open = false;
    return done;
}

const struct experiment experiment_command = {
    .name = "command",
    .summary = "times a command, from its start until it is reaped",
    .help = "Runs one process per trial, as hyperfine does. A list of words is started "
            "directly. A text is given to a shell, and the shell's start is part of the time "
            "(shell: none splits the text into words instead). {x} in any of its commands is "
            "replaced by parameters.x. Processes that the command leaves behind are ended "
            "after the trial, and their resource use is counted.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .spawns = true,
    .label_param = "command",
    .check = command_check,
    .setup = command_setup,
    .prepare = command_prepare,
    .execute_once = command_execute_once,
    .conclude = command_conclude,
    .teardown = command_teardown,
};
