/* Where an agent works: a folder of its own with the benchmark's files, a stated
 * environment, and commands before and after.
 *
 * `cleanup` has to run whatever becomes of the arm, SIGKILL included. So a small
 * process of its own waits at the end of a pipe that only the arm holds, and
 * runs it when the pipe closes. It is forked twice, to be nobody's child before
 * the arm adopts orphans.
 *
 * `cleanup` has rights that the agent has not, and the agent may write to its folder. So
 * what `setup` left is copied before the agent starts, and `cleanup` runs in the copy, which
 * is also its HOME: nothing that an agent wrote is run or read there, and nothing is gone
 * when the arm was killed and its folder removed. */
#include "suite/suite_internal.h"

#include "base/os.h"
#include "model/variable.h"
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t step_limit_ns = 300000000000;

static bool has_command(const struct param_command *c)
{
    return c->shell || c->argc > 0;
}

static const char *const *argv_of(const struct param_command *c, struct arena *arena)
{
    if (!c->shell) return c->argv;
    const char **argv = arena_new(arena, const char *, 4);
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = c->shell;
    return argv;
}

/* ---- variables ---- */

/* What is passed on from ours, HOME = the work folder, then the benchmark's. */
static bool state_variables(struct suite_place *p, const struct value *map, struct arena *arena,
                            struct error *err)
{
    static const char *const passed[] = {"PATH", "LANG", "LC_ALL", "TZ", "USER"};
    size_t added = map ? map->map.count : 0;
    const char **list = arena_new(arena, const char *, COUNT(passed) + added + 2);
    size_t n = 0;
    for (size_t i = 0; i < COUNT(passed); i++) {
        const char *value = getenv(passed[i]);
        if (value && !value_get(map, passed[i])) {
            list[n++] = arena_printf(arena, "%s=%s", passed[i], value);
        }
    }
    if (!value_get(map, "HOME")) list[n++] = arena_printf(arena, "HOME=%s", p->work_dir);
    for (size_t i = 0; i < added; i++) {
        const struct value_pair *pair = &map->map.pairs[i];
        const char *text = NULL;
        if (!variable_read(pair->value, arena, &text, err)) {
            return error_wrap(err, "environment.env.%.*s", STR_ARG(pair->key));
        }
        list[n++] = arena_printf(arena, "%.*s=%s", STR_ARG(pair->key), text);
    }
    p->variables = list;
    return true;
}

/* ---- files ---- */

/* The folder of `name` below the work folder, made where it is missing; `last` is what is
 * left of the name. An agent may have worked there before: no link is followed. */
static bool open_folder(const struct suite_place *p, struct str name, struct arena *scratch,
                        int *folder, struct str *last, struct error *err)
{
    enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    struct str rest = name;
    *folder = open(p->work_dir, HOW);
    while (*folder >= 0 && rest.p) {
        *last = str_cut(&rest, '/');
        if (str_is(*last, "..")) {
            return error_set(err, ERROR_INVALID, "'%.*s' leads out of the work folder",
                             STR_ARG(name));
        }
        if (!rest.p || last->n == 0 || str_is(*last, ".")) continue;
        const char *step = str_cstr(scratch, *last);
        if (mkdirat(*folder, step, 0777) != 0 && errno != EEXIST) break;
        int next = openat(*folder, step, HOW);
        if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
            return error_set(err, ERROR_INVALID,
                             "'%.*s': '%s' is a link or a file in '%s', not a folder",
                             STR_ARG(name), step, p->work_dir);
        }
        close(*folder);
        *folder = next;
    }
    return (*folder >= 0 && !rest.p) ||
           error_set_errno(err, errno, "folder of '%.*s' in '%s'", STR_ARG(name), p->work_dir);
}

/* A new file: whatever was there, a link too, is replaced. */
static bool write_new(const struct suite_place *p, struct str name, struct str bytes, int mode,
                      struct arena *scratch, struct error *err)
{
    int folder = -1;
    int fd = -1;
    struct str last = {0};
    bool done = open_folder(p, name, scratch, &folder, &last, err);
    if (done) {
        const char *file = str_cstr(scratch, last);
        bool is_free = unlinkat(folder, file, 0) == 0 || errno == ENOENT;
        if (is_free)
            fd = openat(folder, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        mode);
        done = fd >= 0 || error_set_errno(err, errno, "cannot write '%s/%.*s'", p->work_dir,
                                          STR_ARG(name));
    }
    done = done && os_write_all(fd, bytes, err);
    if (fd >= 0) close(fd);
    if (folder >= 0) close(folder);
    return done;
}

static bool write_one(const struct suite_place *p, const struct experiment_env *env,
                      const struct value_pair *pair, struct error *err)
{
    enum { FILE_MAX = 64 << 20 };
    struct arena scratch = arena_open();
    const struct value *from = value_get(pair->value, "from");
    struct str bytes = pair->value->source;
    bool done = true;
    bool is_program = false;
    if (from) {
        const char *base_dir = env->base_dir ? env->base_dir : ".";
        const char *source = os_path_below(base_dir, from->source, &scratch);
        done = os_read_file(source, FILE_MAX, &scratch, &bytes, err);
        is_program = access(source, X_OK) == 0;
    }
    done = done && write_new(p, pair->key, bytes, is_program ? 0755 : 0644, &scratch, err);
    arena_close(&scratch);
    return done || error_wrap(err, "environment.files");
}

/* ---- commands ---- */

static bool run_command(const struct suite_place *p, const struct param_command *c,
                        const char *name, struct arena *arena, struct error *err)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0) return error_set_errno(err, errno, "cannot open /dev/null");
    struct child_spec spec = {.argv = argv_of(c, arena),
                              .env = p->variables,
                              .workdir = p->work_dir,
                              .stdin_fd = null_fd,
                              .stdout_fd = null_fd,
                              .stderr_fd = null_fd};
    struct child_plan plan = {0};
    struct child_result result = {0};
    bool done = child_plan_init(&plan, &spec, arena, err);
    if (done) {
        child_run(&plan, step_limit_ns, NULL, &result);
        child_settle(&result);
        if (result.start_errno) {
            done = error_set_errno(err, result.start_errno, "cannot be started");
        } else if (result.timed_out) {
            done = error_set(err, ERROR_TIMEOUT, "did not end within 300 s");
        } else if (result.status != 0) {
            done = error_set(err, ERROR_FAILED, "exit code %d", child_exit_code(result.status));
        }
        child_plan_release(&plan);
    }
    close(null_fd);
    return done || error_wrap(err, "environment's '%s' command", name);
}

/* The variables, with HOME in the copy if it was the work folder. */
static const char *const *at_home(const struct suite_place *p, struct arena *arena)
{
    size_t n = 0;
    while (p->variables[n]) n++;
    const char **list = arena_new(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool is_home = str_starts(str_of(p->variables[i]), S("HOME=")) &&
                       strcmp(p->variables[i] + 5, p->work_dir) == 0;
        list[i] = is_home ? arena_printf(arena, "HOME=%s", p->copy) : p->variables[i];
    }
    return list;
}

static _Noreturn void be_cleaner(const struct suite_place *p, const struct param_command *c,
                                 int wait_fd, int tell_fd)
{
    struct arena arena = arena_open();
    char byte = 0;
    bool is_copied = false;
    setsid();
    if (chdir("/") != 0) _exit(1);
    for (ssize_t n; (n = read(wait_fd, &byte, 1)) != 0;) {
        if (n > 0) is_copied = true;
        if (n < 0 && errno != EINTR) break;
    }
    struct error err = {0};
    struct suite_place place = *p;
    /* Killed within `setup`, its folder may be gone already. */
    if (p->copy && (is_copied || !os_is_dir(p->work_dir))) {
        place = (struct suite_place){.work_dir = p->copy, .variables = at_home(p, &arena)};
    }
    bool done = run_command(&place, c, "cleanup", &arena, &err);
    if (p->copy) os_remove_tree(p->copy);
    char reply = done ? 'y' : 'n';
    bool is_told = write(tell_fd, &reply, 1) == 1 &&
                   (done || write(tell_fd, err.text, strlen(err.text)) > 0);
    _exit(is_told ? 0 : 1);
}

/* For the cleaner, which is told by a byte. */
static bool copy_place(const struct suite_place *p, struct arena *arena, struct error *err)
{
    const char *argv[] = {"cp", "-a", ".", p->copy, NULL};
    struct param_command copy = {.argv = argv, .argc = 4};
    return run_command(p, &copy, "setup", arena, err) &&
           (write(p->cleaner_fd, "c", 1) == 1 || error_set_errno(err, errno, "the cleaner"));
}

static bool start_cleaner(struct suite_place *p, const struct param_command *c,
                          struct error *err)
{
    int wait_fds[2];
    int tell_fds[2];
    if (pipe2(wait_fds, O_CLOEXEC) != 0) return error_set_errno(err, errno, "pipe");
    if (pipe2(tell_fds, O_CLOEXEC) != 0) {
        close(wait_fds[0]);
        close(wait_fds[1]);
        return error_set_errno(err, errno, "pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(wait_fds[1]);
        close(tell_fds[0]);
        pid_t second = fork();
        if (second == 0) be_cleaner(p, c, wait_fds[0], tell_fds[1]);
        _exit(second < 0);
    }
    close(wait_fds[0]);
    close(tell_fds[1]);
    p->cleaner_fd = wait_fds[1];
    p->cleaned_fd = tell_fds[0];
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 || error_set_errno(err, errno, "fork");
}

bool suite_place_open(struct suite_place *p, const struct experiment_env *env,
                      const struct value *environment, struct error *err)
{
    struct suite_environment e = {0};
    *p = (struct suite_place){.cleaner_fd = -1, .cleaned_fd = -1};
    if (!param_read(suite_environment_table, environment, &e, env->arena, err)) return false;
    const char *folder =
        e.workdir ? e.workdir : arena_printf(env->arena, "%s/agent", env->work_dir);
    char path[PATH_MAX];
    if (!e.workdir && !os_make_dirs(folder, err)) return false;
    if (!realpath(folder, path)) return error_set_errno(err, errno, "workdir '%s'", folder);
    if (e.workdir && !agent_folder_stays(env->folders, e.workdir, path, err)) return false;
    p->work_dir = arena_copy(env->arena, path, strlen(path));
    if (!state_variables(p, e.env, env->arena, err)) return false;
    if (has_command(&e.cleanup)) {
        struct param_command *kept = arena_new(env->arena, struct param_command, 1);
        *kept = e.cleanup;
        bool is_ready =
            e.workdir || os_make_temp_dir("assay-cleanup", env->arena, &p->copy, err);
        if (!is_ready || !start_cleaner(p, kept, err)) return false;
    }
    for (size_t i = 0; e.files && i < e.files->map.count; i++) {
        if (!write_one(p, env, &e.files->map.pairs[i], err)) return false;
    }
    if (has_command(&e.setup) && !run_command(p, &e.setup, "setup", env->arena, err))
        return false;
    return !p->copy || copy_place(p, env->arena, err);
}

bool suite_place_close(struct suite_place *p, struct error *err)
{
    if (!p->work_dir || p->cleaner_fd < 0) return true;
    char text[300];
    size_t n = 0;
    close(p->cleaner_fd);
    p->cleaner_fd = -1;
    for (;;) {
        ssize_t got = read(p->cleaned_fd, text + n, sizeof text - 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(p->cleaned_fd);
    text[n] = '\0';
    if (text[0] == 'y') return true;
    return error_set(err, ERROR_FAILED, "%s", n > 1 ? text + 1 : "cleanup could not be run");
}
