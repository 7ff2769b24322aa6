/* remote.h - an adapter over HTTP under test, against the stub or against a
 * server that the test describes, each in a process of its own. */
#ifndef TESTS_AGENT_REMOTE_H
#define TESTS_AGENT_REMOTE_H

#include "agent/agent.h"
#include "base/clock.h"
#include "http/server.h"
#include "stub/stub.h"
#include "tests/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct remote {
    struct arena arena;
    const struct agent_kind *kind;
    void *config;
    void *state;
    struct agent_env env;
    struct agent_answer answer;
    struct error err;
    double duration_s;
};

/* %d in the text is the port. */
static inline bool remote_try_open(struct remote *r, const char *kind, const char *yaml,
                                   int port, struct agent_limits limits)
{
    *r = (struct remote){.arena = arena_open()};
    const struct value *map = NULL;
    struct value_error where = {0};
    const char *mark = strstr(yaml, "%d");
    const char *text =
        mark ? arena_printf(&r->arena, "%.*s%d%s", (int)(mark - yaml), yaml, port, mark + 2)
             : yaml;
    if (!value_read(str_of(text), &value_limits_spec, &r->arena, &map, &where))
        fail_msg("%s", where.error.text);
    r->kind = agent_kind_find(str_of(kind));
    r->config = arena_alloc(&r->arena, 1, r->kind->config_size, 16);
    r->state = arena_alloc(&r->arena, 1, r->kind->state_size, 16);
    struct problems problems = {.arena = &r->arena};
    if (!param_check(r->kind->params, map, kind, &problems))
        fail_msg("%s", problems.items[0].text);
    if (!param_read(r->kind->params, map, r->config, &r->arena, &r->err))
        fail_msg("%s", r->err.text);
    r->env = (struct agent_env){
        .arena = &r->arena, .limits = limits, .prices = {1, 10, 0.5, "2026-01-01"}};
    return r->kind->available(r->config, &r->err) &&
           r->kind->open(r->state, r->config, &r->env, &r->err);
}

static inline void remote_open(struct remote *r, const char *kind, const char *yaml, int port,
                               struct agent_limits limits)
{
    if (!remote_try_open(r, kind, yaml, port, limits)) fail_msg("%s", r->err.text);
}

static inline enum trial_status remote_ask_task(struct remote *r, const struct agent_task *task)
{
    if (!r->kind->prepare(r->state, task, &r->err)) return TRIAL_HARNESS_ERROR;
    int64_t start_ns = clock_ns();
    enum trial_status status = r->kind->ask(r->state, task);
    r->duration_s = (double)(clock_ns() - start_ns) / 1e9;
    return r->kind->conclude(r->state, task, status, &r->answer);
}

static inline void remote_expect(struct remote *r, const char *input, enum trial_status want,
                                 const char *reason)
{
    struct agent_task task = {.case_id = S("c1"), .input = str_of(input)};
    enum trial_status got = remote_ask_task(r, &task);
    if (got != want || !strstr(r->answer.error.text, reason))
        fail_msg("'%s': %s, '%s'", input, trial_status_name(got), r->answer.error.text);
}

static inline void remote_close(struct remote *r)
{
    r->kind->close(r->state);
    arena_close(&r->arena);
}

static inline struct stub_process remote_stub(struct stub_options options)
{
    struct stub_process stub;
    struct error err = {0};
    options.listen = "127.0.0.1:0";
    if (!stub_start(&stub, &options, &err)) fail_msg("%s", err.text);
    return stub;
}

/* A server with the test's own handler; ended by stub_stop. */
static inline struct stub_process remote_server(http_handler *handle, void *context)
{
    int ends[2];
    struct stub_process process = {0};
    assert_int_equal(pipe(ends), 0);
    process.pid = fork();
    if (process.pid == 0) {
        struct arena a = arena_open();
        struct http_server *server = NULL;
        struct http_server_options options = {.listen = "127.0.0.1:0",
                                              .body_max = 1 << 20,
                                              .connections_max = 64,
                                              .handle = handle,
                                              .context = context};
        struct error err = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int port = http_server_open(&server, &options, &a, &err) ? http_server_port(server) : 0;
        bool told = write(ends[1], &port, sizeof port) == (ssize_t)sizeof port;
        _exit(port && told && http_server_run(server, -1, &err) ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &process.port, sizeof process.port), sizeof process.port);
    assert_true(process.port > 0);
    close(ends[0]);
    close(ends[1]);
    return process;
}

#endif
