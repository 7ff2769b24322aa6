/* assay serve: the HTTP API and the page, until it is told to stop. */
#include "api/api.h"
#include "base/os.h"
#include "cli/command.h"
#include "cli/signals.h"
#include "cli/spec_file.h"
#include "cli/version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

struct serve_options {
    const char *listen;
    struct param_texts names;
    const char *tls_cert;
    const char *tls_key;
    bool behind_proxy;
    double rate;
    const char *schedules;
    bool open;
    const char *access_log;
};

#define AT(field) .offset = offsetof(struct serve_options, field)

static const struct param options[] = {
    {"listen", PARAM_TEXT, AT(listen), .argument = "HOST:PORT",
     .fallback = "\"127.0.0.1:8377\"", .help = "where it is reached; port 0: any that is free"},
    {"name", PARAM_TEXT_LIST, AT(names), .argument = "HOST",
     .help = "its name from outside: requests for other hosts are refused; may be "
             "repeated"},
    {"tls-cert", PARAM_TEXT, AT(tls_cert), .argument = "FILE",
     .help = "certificate (PEM), to be reached from other machines"},
    {"tls-key", PARAM_TEXT, AT(tls_key), .argument = "FILE", .help = "its key (PEM)"},
    {"behind-proxy", PARAM_BOOL, AT(behind_proxy),
     .help = "another server does TLS and states X-Forwarded-For"},
    {"rate", PARAM_REAL, AT(rate), .argument = "N", .fallback = "0", .max = 1e6,
     .help = "limit of requests per second from one peer and with one token; more get 429; 0: "
             "no limit"},
    {"access-log", PARAM_TEXT, AT(access_log), .argument = "FILE",
     .help = "append a line of JSON for each request; -: standard error"},
    {"schedules", PARAM_TEXT, AT(schedules), .argument = "FILE",
     .help = "suites to run regularly: 'schedules: [{suite, agents, every: 1d}]'"},
    {"open", PARAM_BOOL, AT(open),
     .help = "open the page in the browser, logged in by a code that is valid once"},
};

static const char *url_of(const struct context *c, const struct api *api)
{
    const struct serve_options *o = c->options;
    int host_length = (int)(strrchr(o->listen, ':') - o->listen);
    return arena_printf(c->arena, "http%s://%.*s:%d/", o->tls_cert ? "s" : "", host_length,
                        o->listen, api_port(api));
}

static void say(const struct context *c, const struct api *api)
{
    if (c->json) {
        fprintf(c->out, "{\"event\":\"listening\",\"url\":\"%s\",\"port\":%d}\n",
                url_of(c, api), api_port(api));
    } else {
        fprintf(c->out, "listening on %s\n", url_of(c, api));
    }
    fflush(c->out);
}

/* As quietly as it can; it has none of our blocked signals. A shell starts it and ends, so that
 * it is not our child: nobody here would reap it. */
static void start_browser(const struct context *c, const char *url)
{
    pid_t pid;
    sigset_t none;
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"xdg-open \"$0\" &"},
                    arena_printf(c->arena, "%s", url), NULL};
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawnp(&pid, argv[0], &files, &how, argv, environ);
    while (rc == 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
}

/* The address is printed: where there is no browser, it can be copied. */
static void open_page(const struct context *c, struct api *api)
{
    char code[TOKEN_SIZE];
    api_make_code(api, code);
    const char *url = arena_printf(c->arena, "%ssession/open?code=%s", url_of(c, api), code);
    if (c->json) {
        fprintf(c->out, "{\"event\":\"open\",\"url\":\"%s\"}\n", url);
    } else {
        fprintf(c->out, "open %s (valid once, for 10 minutes)\n", url);
    }
    fflush(c->out);
    bool has_screen = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    if (has_screen) start_browser(c, url);
}

/* The text of a file, NUL-terminated; nothing for no file. */
static bool read_pem(const struct context *c, const char *file, struct str *pem,
                     struct error *err)
{
    enum { PEM_MAX = 1 << 20 };
    if (!file) return true;
    if (!os_read_file(file, PEM_MAX, c->arena, pem, err)) return false;
    *pem = str_copy(c->arena, *pem);
    return true;
}

/* -1 where no log is wanted. */
static bool open_log(const char *file, int *fd, struct error *err)
{
    *fd = -1;
    if (!file) return true;
    *fd = strcmp(file, "-") == 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                                 : open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    return *fd >= 0 || error_set_errno(err, errno, "cannot open the access log '%s'", file);
}

static int run(struct context *c)
{
    const struct serve_options *o = c->options;
    if (!o->tls_cert != !o->tls_key) {
        return command_misused(c->command, "--tls-cert and --tls-key go together");
    }
    struct error err = {0};
    struct api *api = NULL;
    struct api_options options_of_api = {.listen = o->listen,
                                         .store_url = c->store_url,
                                         .workspace = c->workspace,
                                         .assay_version = version_text,
                                         .names = o->names.items,
                                         .name_count = o->names.count,
                                         .is_behind_proxy = o->behind_proxy,
                                         .rate_per_s = o->rate,
                                         .log_fd = -1};
    struct problems problems = {.arena = c->arena};
    struct str text = {0};
    if (o->schedules && !spec_file_read(o->schedules, c->arena, &text, &err))
        return command_fail(&err);
    if (o->schedules &&
        !timetable_read(o->schedules, text, c->arena, &options_of_api.schedules, &problems)) {
        return spec_file_problems(c, &problems);
    }
    int stop_fd = signals_watch();
    bool done = open_log(o->access_log, &options_of_api.log_fd, &err) &&
                read_pem(c, o->tls_cert, &options_of_api.tls_cert, &err) &&
                read_pem(c, o->tls_key, &options_of_api.tls_key, &err) &&
                api_open(&api, &options_of_api, c->arena, &err);
    if (done) {
        say(c, api);
        if (o->open) open_page(c, api);
        done = api_serve(api, stop_fd, &err);
    }
    api_close(api);
    if (options_of_api.log_fd >= 0) close(options_of_api.log_fd);
    signals_close(stop_fd);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the HTTP API and the page over a store",
    .usage = "[--listen HOST:PORT]",
    .takes = "no arguments",
    .examples = "assay serve\n"
                "assay serve --listen 127.0.0.1:0 --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct serve_options),
    .run = run,
};
