/* A program on this machine as an agent: one process per task, or one for all
 * of them. Contained and limited (contain.h); the modes are in oneshot.c and
 * session.c. */
#include "agent/process_internal.h"
#include "base/os.h"
#include "base/proc.h"
#include "model/variable.h"
#include "sandbox/startable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE_ONESHOT, MODE_SESSION };
enum { CONTAIN_AUTO, CONTAIN_OFF };
enum { ERRORS_READ = 4096, ERRORS_SHOWN = 400 };

static const char *const mode_choices[] = {"oneshot", "session", NULL};
static const char *const contain_choices[] = {"auto", "off", NULL};
static const struct process_mode *const modes[] = {&process_oneshot, &process_session};

#define ROW(key, kind, field) \
    .name = (key), .type = (kind), .offset = offsetof(struct process_config, field)

static const struct param params[] = {
    {ROW("command", PARAM_COMMAND, command), .role = PARAM_TREATMENT, .required = true,
     .help = "the program: a list is started directly, a text is run by /bin/sh -c"},
    {ROW("mode", PARAM_CHOICE, mode), .role = PARAM_TREATMENT, .fallback = "\"oneshot\"",
     .choices = mode_choices,
     .help = "oneshot: a process per task, input on stdin, answer on stdout; session: one "
             "process, JSON lines"},
    {ROW("env", PARAM_MAP, env), .role = PARAM_TREATMENT,
     .help = "environment variables to add or replace: NAME: value, or NAME: {from: OURS}"},
    {ROW("workdir", PARAM_TEXT, workdir), .role = PARAM_TREATMENT,
     .help = "folder to run in; default: the benchmark's own"},
    {ROW("contain", PARAM_CHOICE, contain), .role = PARAM_TREATMENT, .fallback = "\"auto\"",
     .choices = contain_choices,
     .help =
         "auto: namespaces and a cgroup if the kernel allows them; off: only a process group"},
    {ROW("ready", PARAM_ANY, ready), .role = PARAM_TREATMENT,
     .help = "session: the line it prints, or the port it opens, when it is ready for tasks; "
             "the time until then is the metric ready_s"},
};

/* ---- reasons ---- */

bool process_explain(const struct process *p, int status, struct error *err)
{
    char text[ERRORS_READ];
    struct stat st;
    ssize_t n = 0;
    if (fstat(p->errors_fd, &st) == 0 && st.st_size > 0) {
        off_t from = st.st_size > ERRORS_READ ? st.st_size - ERRORS_READ : 0;
        n = pread(p->errors_fd, text, sizeof text, from);
    }
    for (ssize_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ') text[i] = ' ';
    }
    struct arena scratch = p->answers; /* keys go before anything is cut */
    struct str said = secret_redacted(
        p->env.secrets, str_trim((struct str){text, n > 0 ? (size_t)n : 0}), &scratch);
    if (said.n > ERRORS_SHOWN) {
        said = (struct str){said.p + said.n - ERRORS_SHOWN, ERRORS_SHOWN};
    }
    int code = child_exit_code(status);
    if (code > 128 && code < 128 + NSIG) {
        return error_set(err, ERROR_FAILED, "ended by signal %d (%s)%s%.*s", code - 128,
                         strsignal(code - 128), said.n ? ": " : "", STR_ARG(said));
    }
    return error_set(err, ERROR_FAILED, "exit code %d%s%.*s", code, said.n ? ": " : "",
                     STR_ARG(said));
}

void process_explain_time(const struct process *p, struct error *err)
{
    error_set(err, ERROR_TIMEOUT, "took longer than the limit of %g s and was stopped",
              (double)p->env.limits.time_ns / 1e9);
}

void process_explain_output(const struct process *p, struct error *err)
{
    error_set(err, ERROR_FAILED, "wrote more output than the limit of %zu bytes",
              p->output_max);
}

/* ---- opening ---- */

bool process_open_file(const struct process *p, int *fd, struct error *err)
{
    const char *folder = p->env.work_dir ? p->env.work_dir : ".";
    char *path = arena_printf(p->env.arena, "%s/assay-XXXXXX", folder);
    *fd = mkostemp(path, O_APPEND | O_CLOEXEC);
    if (*fd < 0) return error_set_errno(err, errno, "cannot make a file in '%s'", folder);
    unlink(path);
    return true;
}

/* Truncating may wait for the disk's journal; mostly there is nothing to do. */
bool process_empty_file(int fd, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_size == 0) return true;
    return ftruncate(fd, 0) == 0 || error_set_errno(err, errno, "emptying a file");
}

static bool is_named(const char *entry, struct str name)
{
    struct str key = str_of(entry);
    return str_equal(str_cut(&key, '='), name);
}

/* What was stated, then what the agent's own map adds or replaces, then ours. */
static bool build_env(struct process *p, struct error *err)
{
    struct arena *arena = p->env.arena;
    static const char *const none[] = {NULL};
    const char *const *stated = p->env.environment ? p->env.environment : none;
    const struct value *map = p->config->env;
    size_t added = map ? map->map.count : 0;
    size_t n = 0;
    while (stated[n]) n++;
    const char **list = arena_new(arena, const char *, n + added + 3);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_replaced = false;
        for (size_t k = 0; k < added; k++) {
            is_replaced |= is_named(stated[i], map->map.pairs[k].key);
        }
        if (!is_replaced) list[count++] = stated[i];
    }
    for (size_t i = 0; i < added; i++) {
        const char *text = NULL;
        if (!variable_read(map->map.pairs[i].value, arena, &text, err)) {
            return error_wrap(err, "env.%.*s", STR_ARG(map->map.pairs[i].key));
        }
        list[count++] = arena_printf(arena, "%.*s=%s", STR_ARG(map->map.pairs[i].key), text);
    }
    if (p->contain.temp_dir) {
        list[count++] = arena_printf(arena, "TMPDIR=%s", p->contain.temp_dir);
    }
    if (p->config->mode == MODE_ONESHOT) {
        list[count++] = arena_printf(arena, "ASSAY_USAGE_FD=%d", CHILD_EXTRA_FD);
    }
    p->spec.env = list;
    return true;
}

/* A text runs in a shell. A program named by a relative path is looked for in
 * the agent's folder, then in ours. */
static void build_argv(struct process *p)
{
    struct arena *arena = p->env.arena;
    const struct param_command *c = &p->config->command;
    const char **argv = arena_new(arena, const char *, c->argc + 4);
    for (size_t i = 0; i < c->argc; i++) argv[i] = c->argv[i];
    if (c->shell) {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = c->shell;
    }
    p->spec.argv = argv;
    const char *name = argv[0];
    if (!name || name[0] == '/' || !strchr(name, '/')) return;
    char here[4096];
    if (os_exists(arena_printf(arena, "%s/%s", p->spec.workdir, name)) || !os_exists(name) ||
        !getcwd(here, sizeof here)) {
        return;
    }
    argv[0] = arena_printf(arena, "%s/%s", here, name);
}

/* Arguments are given as they are. One that names a file of our folder, as agent.py of
 * [python3, agent.py], is most likely missed in the agent's: said once, for who wonders. */
static void remark_on_arguments(const struct process *p)
{
    const struct param_command *c = &p->config->command;
    for (size_t i = 1; i < c->argc && p->env.unenforced; i++) {
        const char *name = c->argv[i];
        bool is_name = name[0] && name[0] != '/' && name[0] != '-' && !os_is_dir(name);
        if (!is_name || !os_exists(name) ||
            os_exists(arena_printf(p->env.arena, "%s/%s", p->spec.workdir, name))) {
            continue;
        }
        buf_printf(p->env.unenforced,
                   "'%s' is in the folder where assay was started, but the agent works in "
                   "another one: give its full path, or set workdir: . for the agent\n",
                   name);
    }
}

static const char *absolute(struct arena *arena, const char *folder)
{
    char path[4096]; /* PATH_MAX, with its NUL */
    return realpath(folder ? folder : ".", path) ? arena_copy(arena, path, strlen(path)) : NULL;
}

enum side { SIDE_ELSEWHERE, SIDE_BELOW, SIDE_SAME, SIDE_ABOVE };

/* Where `path` is, as seen from `folder`. */
static enum side side_of(struct str path, const char *folder)
{
    struct str of = str_of(folder);
    if (str_equal(path, of)) return SIDE_SAME;
    bool is_root = str_is(of, "/");
    if (str_starts(path, of) && (is_root || path.p[of.n] == '/')) return SIDE_BELOW;
    if (str_starts(of, path) && (str_is(path, "/") || of.p[path.n] == '/')) return SIDE_ABOVE;
    return SIDE_ELSEWHERE;
}

static bool is_among(const char *const *list, const char *path)
{
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(list[i], path) == 0) return true;
    }
    return false;
}

/* A folder that it would work in, but for a link there that leads to what assay runs. */
static void close_folder(const struct process *p, struct contain_spec *spec, const char *folder)
{
    size_t kept = 0;
    for (size_t i = 0; i < COUNT(spec->writable) && spec->writable[i]; i++) {
        bool is_it = strcmp(spec->writable[i], folder) == 0;
        if (!is_it) spec->writable[kept++] = spec->writable[i];
    }
    spec->writable[kept] = NULL;
    buf_printf(
        p->env.unenforced,
        "The agent cannot write to %s: a link there leads to what assay runs or reads.\n",
        folder);
}

/* Of what is not to be changed, the part that it could change. */
static void fix_files(const struct process *p, struct contain_spec *spec, const char **fixed)
{
    enum { NAMED_MAX = 8 };
    size_t count = 0;
    for (size_t i = 0; p->env.fixed && p->env.fixed[i]; i++) {
        struct str path = str_of(p->env.fixed[i]);
        bool is_closed = str_ends(path, S("/"));
        bool seen[SIDE_ABOVE + 1] = {false};
        if (is_closed) path.n--;
        for (size_t k = 0; k < COUNT(spec->writable) && spec->writable[k]; k++) {
            seen[side_of(path, spec->writable[k])] = true;
        }
        const char *name = str_cstr(p->env.arena, path);
        if (is_closed && seen[SIDE_SAME]) {
            close_folder(p, spec, name);
        } else if (seen[SIDE_BELOW] && !seen[SIDE_SAME] && !seen[SIDE_ABOVE] &&
                   !is_among(spec->hidden, name) && !is_among(spec->fixed, name)) {
            fixed[count++] = name;
        }
    }
    for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
        buf_printf(p->env.unenforced, "%s%s%s", i ? ", " : "The agent cannot change ", fixed[i],
                   i + 1 == count       ? ".\n"
                   : i + 1 == NAMED_MAX ? ", and others.\n"
                                        : "");
    }
}

/* Who works in a repository has its history, and is said to. It cannot change it: git does
 * what a repository's configuration says, for whoever asks next. */
static void keep_own_history(const struct process *p, struct contain_spec *spec)
{
    size_t n = 0;
    while (p->env.hidden && p->env.hidden[n]) n++;
    const char **list = arena_new(p->env.arena, const char *, n + 1);
    size_t most = n;
    for (size_t i = 0; p->env.fixed && p->env.fixed[i]; i++) most++;
    const char **fixed = arena_new(p->env.arena, const char *, most + 1);
    size_t kept = 0;
    size_t fixed_count = 0;
    for (size_t i = 0; i < n; i++) {
        const char *path = p->env.hidden[i];
        size_t above = (size_t)(strrchr(path, '/') - path);
        bool is_history = str_ends(str_of(path), S("/.git")) && above > 0 &&
                          strncmp(p->spec.workdir, path, above) == 0 &&
                          strchr("/", p->spec.workdir[above]);
        if (!is_history) {
            list[kept++] = path;
            continue;
        }
        fixed[fixed_count++] = path;
        buf_printf(p->env.unenforced, "The agent can see %s.\n", path);
    }
    spec->hidden = list;
    spec->fixed = fixed;
    fix_files(p, spec, fixed + fixed_count);
}

/* The file, not its name; 0 = there is none. What SQLite keeps next to a store comes and
 * goes. */
static uint64_t file_at(const char *path)
{
    struct stat st;
    struct str name = str_of(path);
    bool comes_and_goes =
        str_ends(name, S("-wal")) || str_ends(name, S("-shm")) || str_ends(name, S("-journal"));
    return !comes_and_goes && stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static void remember_hidden(struct process *p)
{
    size_t n = 0;
    while (p->env.hidden && p->env.hidden[n]) n++;
    p->hidden_files = arena_new(p->env.arena, uint64_t, n + 1);
    for (size_t i = 0; i < n; i++) p->hidden_files[i] = file_at(p->env.hidden[i]);
}

/* What is mounted over a file goes with the file: who puts another in its place (most
 * editors save so) shows that one to the agent. */
static void say_replaced(const struct process *p)
{
    for (size_t i = 0; p->hidden_files && p->env.hidden && p->env.hidden[i]; i++) {
        uint64_t now = file_at(p->env.hidden[i]);
        if (!p->hidden_files[i] || !now || now == p->hidden_files[i]) continue;
        buf_printf(
            p->env.unenforced,
            "%s was replaced during the run, and the agent may have seen the new file.\n",
            p->env.hidden[i]);
    }
}

static bool open_containment(struct process *p, struct error *err)
{
    struct contain_spec spec = {
        .is_off = p->config->contain == CONTAIN_OFF,
        .limits = p->env.limits,
        .errors_fd = p->errors_fd,
        .unenforced = p->env.unenforced,
    };
    const char *work_dir = absolute(p->env.arena, p->env.work_dir);
    size_t n = 0;
    /* What a judge keeps of its prompts, agents do not see. */
    if (p->env.is_judge) spec.memory = work_dir;
    if (work_dir && !spec.memory) spec.writable[n++] = work_dir;
    if (!work_dir || strcmp(work_dir, p->spec.workdir) != 0) {
        spec.writable[n++] = p->spec.workdir;
        buf_printf(p->env.unenforced, "The agent can write to %s.\n", p->spec.workdir);
    }
    keep_own_history(p, &spec);
    remember_hidden(p);
    return contain_open(&p->contain, &spec, p->env.arena, err);
}

static bool process_open(void *state, const void *config, const struct agent_env *env,
                         struct error *err)
{
    struct process *p = state;
    p->config = config;
    p->env = *env;
    p->answers = arena_open();
    p->null_fd = p->errors_fd = -1;
    p->output_max = agent_output_max(&env->limits);
    const char *folder = p->config->workdir ? p->config->workdir : env->work_dir;
    p->spec.workdir = absolute(env->arena, folder);
    if (!p->spec.workdir) {
        return error_set(err, ERROR_NOT_FOUND, "the working folder '%s' does not exist",
                         folder);
    }
    if (p->config->workdir && !agent_folder_stays(env->folders, folder, p->spec.workdir, err))
        return false;
    p->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (p->null_fd < 0) return error_set_errno(err, errno, "cannot open /dev/null");
    if (!process_open_file(p, &p->errors_fd, err) || !open_containment(p, err) ||
        !build_env(p, err)) {
        return false;
    }
    if (env->memory_floor) *env->memory_floor = proc_read_peak(p->contain.starter.pid);
    build_argv(p);
    remark_on_arguments(p);
    if (!p->spec.argv[0]) return error_set(err, ERROR_INVALID, "the command is empty");
    p->spec.stderr_fd = p->errors_fd;
    p->spec.starter = &p->contain.starter;
    struct child_spec alone = p->spec;
    alone.stdin_fd = alone.stdout_fd = p->null_fd;
    if (!startable(&alone, env->arena, err)) return false;
    const struct process_mode *mode = modes[p->config->mode];
    p->mode_state = arena_alloc(env->arena, 1, mode->state_size, _Alignof(max_align_t));
    return mode->open(p, err);
}

/* ---- tasks ---- */

static bool process_prepare(void *state, const struct agent_task *task, struct error *err)
{
    struct process *p = state;
    arena_reset(&p->answers);
    if (!process_empty_file(p->errors_fd, err)) return error_wrap(err, "standard error");
    return modes[p->config->mode]->prepare(p, task, err);
}

static enum trial_status process_ask(void *state, const struct agent_task *task)
{
    (void)task;
    struct process *p = state;
    return modes[p->config->mode]->ask(p);
}

static enum trial_status process_conclude(void *state, const struct agent_task *task,
                                          enum trial_status status, struct agent_answer *answer)
{
    (void)task;
    struct process *p = state;
    agent_answer_init(answer);
    status = modes[p->config->mode]->conclude(p, status, answer);
    return agent_answer_settle(answer, &p->env, status);
}

static void process_close(void *state)
{
    struct process *p = state;
    if (!p->config) return;
    if (p->mode_state) modes[p->config->mode]->close(p);
    say_replaced(p);
    if (p->contain.lost > 0) {
        buf_printf(p->env.unenforced,
                   "The process that starts the agent was killed %lld times (by the agent, by "
                   "another program, or for lack of memory): the trial was repeated once, and "
                   "its time counts from the first attempt.\n",
                   (long long)p->contain.lost);
    }
    contain_close(&p->contain);
    if (p->null_fd >= 0) close(p->null_fd);
    if (p->errors_fd >= 0) close(p->errors_fd);
    arena_close(&p->answers);
    *p = (struct process){0};
}

static pid_t process_root(const void *state)
{
    const struct process *p = state;
    return p->contain.starter.pid;
}

static struct cgroup *process_group(void *state)
{
    struct process *p = state;
    return &p->contain.cgroup;
}

const struct agent_kind agent_process = {
    .name = "process",
    .summary = "a program on this machine: one process per task, or one for all",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct process_config),
    .state_size = sizeof(struct process),
    .is_local = true,
    .open = process_open,
    .prepare = process_prepare,
    .ask = process_ask,
    .conclude = process_conclude,
    .close = process_close,
    .root = process_root,
    .group = process_group,
};
