/* A program judges. It gets {"input","output","expected","case"} as JSON on its
 * standard input and prints a score from 0 to 1, or {"score": .., "why": ".."}.
 * An exit code other than 0, a reply that is neither, and time running out are
 * harness errors: the judge failed, not the agent.
 *
 * Its process group is ended with it. What it reads in the agent's work folder must be the
 * agent's: an answer with a link to what is hidden from the agent scores 0 (links.h). It is
 * looked for before and after, as a session goes on working. */
#include "base/number.h"
#include "base/secret.h"
#include "check/check.h"
#include "check/links.h"
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REPLY_BYTES_MAX = 65536, ERRORS_READ = 4096, ERRORS_SHOWN = 200 };

struct config {
    struct param_command command;
    const struct value *env;
    int64_t timeout_ms;
};

struct state {
    const struct config *config;
    struct child_plan plan;
    struct child_output output;
    int input_fd; /* memory; written again for each answer */
    const struct secrets *secrets;
    const char *const *own;
    const char *const *hidden;
    int errors_fd; /* likewise, what the program says on standard error */
    bool is_open;
};

static const struct param params[] = {
    {"command", PARAM_COMMAND, .offset = offsetof(struct config, command), .required = true,
     .help = "the program that judges: a list of words, or text for the shell"},
    {"env", PARAM_MAP, .offset = offsetof(struct config, env),
     .help = "variables besides PATH, HOME, LANG, LC_ALL, TZ and USER: NAME: text, or NAME: "
             "{from: ONE_OF_OURS}"},
    {"timeout_ms", PARAM_INT, .offset = offsetof(struct config, timeout_ms),
     .fallback = "10000", .min = 1, .max = 3600000, .unit = "ms",
     .help = "time limit for one answer"},
};

static void command_close(void *state)
{
    struct state *s = state;
    if (!s->is_open) return;
    child_plan_release(&s->plan);
    child_output_close(&s->output);
    if (s->input_fd >= 0) close(s->input_fd);
    if (s->errors_fd >= 0) close(s->errors_fd);
    s->is_open = false;
}

/* Not ours: what judges must not hold keys that nobody gave it. */
static const char *const *environment_of(const struct value *map, struct arena *arena)
{
    static const char *const passed[] = {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER"};
    size_t added = map ? map->map.count : 0;
    const char **list = arena_new(arena, const char *, COUNT(passed) + added + 1);
    size_t n = 0;
    for (size_t i = 0; i < COUNT(passed); i++) {
        const char *value = value_get(map, passed[i]) ? NULL : getenv(passed[i]);
        if (value) list[n++] = arena_printf(arena, "%s=%s", passed[i], value);
    }
    for (size_t i = 0; i < added; i++) {
        const struct value_pair *pair = &map->map.pairs[i];
        const struct value *from = value_get(pair->value, "from");
        const char *value = from ? getenv(str_cstr(arena, from->source))
                                 : str_cstr(arena, check_text_of(pair->value, arena));
        if (value) list[n++] = arena_printf(arena, "%.*s=%s", STR_ARG(pair->key), value);
    }
    return list;
}

static bool command_open(void *state, const void *config, const struct check_env *env,
                         struct error *err)
{
    struct state *s = state;
    s->config = config;
    s->secrets = env->secrets;
    s->own = env->own;
    s->hidden = env->hidden;
    s->is_open = true;
    s->errors_fd = -1;
    s->input_fd = memfd_create("assay-check", MFD_CLOEXEC);
    if (s->input_fd >= 0) s->errors_fd = memfd_create("assay-check", MFD_CLOEXEC);
    if (s->errors_fd < 0) return error_set_errno(err, errno, "memory for the program's input");
    if (!child_output_open(&s->output, REPLY_BYTES_MAX, err)) return false;
    s->output.ends_child = true;
    const char *const *argv = s->config->command.argv;
    if (s->config->command.shell) {
        const char **words = arena_new(env->arena, const char *, 4);
        words[0] = "/bin/sh";
        words[1] = "-c";
        words[2] = s->config->command.shell;
        argv = words;
    }
    struct child_spec spec = {
        .argv = argv,
        .env = environment_of(s->config->env, env->arena),
        .workdir = env->base_dir,
        .stdin_fd = s->input_fd,
        .stdout_fd = s->output.write_fd,
        .stderr_fd = s->errors_fd,
    };
    return child_plan_init(&s->plan, &spec, env->arena, err);
}

static bool rewrite(int fd, struct str bytes, struct error *err)
{
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
        return error_set_errno(err, errno, "the program's input");
    }
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0) return error_set_errno(err, errno, "the program's input");
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    if (lseek(fd, 0, SEEK_SET) == 0) return true;
    return error_set_errno(err, errno, "the program's input");
}

static bool write_question(const struct state *s, const struct check_input *input,
                           struct error *err)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)256 << 20);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_str(&j, "input", input->input);
    json_put_str(&j, "output", input->output);
    if (input->expected) {
        json_put_value(&j, "expected", input->expected);
    }
    if (input->fields) {
        json_put_value(&j, "case", input->fields);
    }
    json_end(&j);
    buf_add_char(&b, '\n');
    bool done = !b.overflow || error_set(err, ERROR_INVALID, "the question is too long");
    done = done && rewrite(s->input_fd, buf_str(&b), err) &&
           rewrite(s->errors_fd, (struct str){0}, err);
    buf_release(&b);
    return done;
}

/* The first line that the program wrote to standard error. */
static const char *complaint(const struct state *s, struct arena *out)
{
    char text[ERRORS_READ];
    ssize_t n = pread(s->errors_fd, text, sizeof text, 0);
    struct str line = {text, n > 0 ? (size_t)n : 0};
    line = secret_redacted(s->secrets, str_trim(str_cut(&line, '\n')), out);
    if (line.n > ERRORS_SHOWN) line.n = ERRORS_SHOWN;
    return line.n ? arena_printf(out, ": %.*s", STR_ARG(line)) : "";
}

static bool read_verdict(struct str reply, struct arena *out, struct check_result *result,
                         struct error *err)
{
    const struct value *v = NULL;
    double score = -1;
    const char *why = "the program said so";
    if (number_read(reply, 0, &score)) {
        /* nothing else to read */
    } else if (check_read_json(reply, false, out, &v, NULL) && v->kind == VALUE_MAP) {
        const struct value *given = value_get(v, "score");
        const struct value *reason = value_get(v, "why");
        if (given && value_is_number(given)) score = value_number(given);
        if (reason && reason->kind == VALUE_TEXT) why = check_shown(reason->source, out);
    }
    if (score >= 0 && score <= 1) return check_say(result, out, score, "%s", why);
    return error_set(
        err, ERROR_FAILED,
        "the program printed '%s', which is neither a score from 0 to 1 nor {\"score\": ..}",
        check_shown(reply, out));
}

static const char *find_link(const struct state *s, struct arena *out)
{
    const char *link = NULL;
    for (size_t i = 0; s->own && s->own[i] && !link; i++) {
        link = links_to_hidden(s->own[i], s->hidden, out);
    }
    return link;
}

static bool ask_program(struct state *s, const struct check_input *input, struct arena *out,
                        struct check_result *result, struct error *err)
{
    if (!write_question(s, input, err)) return false;
    child_output_clear(&s->output);
    struct child_result run = {0};
    child_run(&s->plan, s->config->timeout_ms * 1000000, &s->output, &run);
    child_settle(&run);
    if (run.start_errno) {
        return error_set_errno(err, run.start_errno, "cannot start '%s'", s->plan.file);
    }
    kill(-run.pid, SIGKILL); /* what it may have left behind */
    if (run.timed_out) {
        return error_set(err, ERROR_TIMEOUT,
                         "the program took longer than its timeout_ms of %" PRId64,
                         s->config->timeout_ms);
    }
    if (run.has_flooded) {
        return error_set(err, ERROR_FAILED, "the program printed more than %d bytes",
                         REPLY_BYTES_MAX);
    }
    int code = child_exit_code(run.status);
    if (code != 0) {
        return error_set(err, ERROR_FAILED, "the program ended with code %d%s", code,
                         complaint(s, out));
    }
    struct str reply = {s->output.kept, s->output.kept_bytes};
    reply = secret_redacted(s->secrets, str_trim(reply), out);
    return read_verdict(reply, out, result, err);
}

static bool command_score(void *state, const struct check_input *input, struct arena *out,
                          struct check_result *result, struct error *err)
{
    struct state *s = state;
    struct error reason = {0};
    const char *link = find_link(s, out);
    bool done = !link && ask_program(s, input, out, result, &reason);
    if (!link) link = find_link(s, out);
    if (link) return check_say(result, out, 0, "the agent left a link: %s", link);
    if (!done && err) *err = reason;
    return done;
}

const struct check_kind check_command = {
    .name = "command",
    .summary = "a program judges the answer",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .runs_program = true,
    .open = command_open,
    .score = command_score,
    .close = command_close,
};
