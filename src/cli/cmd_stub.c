#include "base/json.h"
#include "cli/command.h"
#include "stub/stub.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct options {
    struct stub_options stub;
    int64_t seed;
    const char *api_key_env;
};

#define ROW(text, kind, field) \
    .name = (text), .type = (kind), .offset = offsetof(struct options, field)

static const struct param rows[] = {
    {ROW("listen", PARAM_TEXT, stub.listen), .argument = "HOST:PORT",
     .help = "where to listen; port 0 takes any that is free",
     .fallback = "\"127.0.0.1:8400\""},
    {ROW("ttft-ms", PARAM_TEXT, stub.ttft_ms), .argument = "TIME",
     .help = "time to the first token: 50, uniform:10,90, normal:50,10, lognormal:50,0.5, "
             "exp:50",
     .fallback = "\"0\""},
    {ROW("gap-ms", PARAM_TEXT, stub.gap_ms), .argument = "TIME",
     .help = "time between tokens, likewise", .fallback = "\"0\""},
    {ROW("tokens", PARAM_TEXT, stub.tokens), .argument = "N",
     .help = "tokens of an answer, likewise", .fallback = "\"16\""},
    {ROW("answers", PARAM_TEXT, stub.answers), .argument = "FILE",
     .help = "JSON lines {\"match\": ..., \"answer\": ...}: what to answer to what"},
    {ROW("echo", PARAM_BOOL, stub.echo), .help = "answer with the prompt"},
    {ROW("seed", PARAM_INT, seed), .fallback = "42", .max = INFINITY,
     .help = "answers, times and errors are drawn from it"},
    {ROW("error-rate", PARAM_SHARE, stub.error_rate), .fallback = "0", .max = 1,
     .help = "share of requests that fail"},
    {ROW("error-status", PARAM_INT, stub.error_status), .argument = "STATUS", .fallback = "500",
     .min = 400, .max = 599, .help = "what they fail with"},
    {ROW("drop-rate", PARAM_SHARE, stub.drop_rate), .fallback = "0", .max = 1,
     .help = "share of streams cut off in the middle"},
    {ROW("rate-limit", PARAM_REAL, stub.rate_limit), .argument = "N", .fallback = "0",
     .max = INFINITY, .help = "requests a second before 429 with Retry-After; 0: no limit"},
    {ROW("retry-after", PARAM_TEXT, stub.retry_after), .argument = "SECONDS",
     .help = "sent with 429 and 503 instead of what fits the rate limit"},
    {ROW("no-usage", PARAM_BOOL, stub.has_no_usage), .help = "do not tell token counts"},
    {ROW("api-key-env", PARAM_TEXT, api_key_env), .argument = "NAME",
     .help = "demand the key that this environment variable holds"},
    {ROW("dimensions", PARAM_INT, stub.dimensions), .fallback = "256", .min = 1,
     .max = INFINITY, .help = "of embeddings"},
    {ROW("requests", PARAM_INT, stub.requests), .max = INFINITY,
     .help = "end after N requests"},
};

extern const struct command command_stub;

static void say(const struct context *c, const struct stub *stub, const char *listen,
                bool is_over)
{
    int host_length = (int)(strrchr(listen, ':') - listen);
    long long answered = stub_answered(stub);
    if (c->json && is_over) {
        fprintf(c->out, "{\"event\":\"stopped\",\"requests\":%lld}\n", answered);
    } else if (c->json) {
        fprintf(c->out, "{\"event\":\"listening\",\"url\":\"http://%.*s:%d/v1\",\"port\":%d}\n",
                host_length, listen, stub_port(stub), stub_port(stub));
    } else if (is_over && !c->quiet) {
        fprintf(c->out, "answered %lld requests\n", answered);
    } else if (!is_over) {
        fprintf(c->out, "listening on http://%.*s:%d/v1\n", host_length, listen,
                stub_port(stub));
    }
    fflush(c->out);
}

/* Ctrl-C and SIGTERM end it in good order. */
static int watch_signals(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    return signalfd(-1, &ends, SFD_CLOEXEC);
}

static int run(struct context *c)
{
    struct options o = *(const struct options *)c->options;
    if (c->arg_count > 0) {
        return command_misused(&command_stub, "takes no argument, got '%s'", c->args[0]);
    }
    o.stub.seed = (uint64_t)o.seed;
    struct error err = {0};
    if (o.api_key_env) {
        o.stub.api_key = getenv(o.api_key_env);
        if (!o.stub.api_key) {
            error_set(&err, ERROR_INVALID, "--api-key-env: %s is not set", o.api_key_env);
            return command_fail(&err);
        }
    }
    int stop_fd = watch_signals();
    struct stub *stub = NULL;
    bool done = stub_open(&stub, &o.stub, c->arena, &err);
    if (done) {
        say(c, stub, o.stub.listen, false);
        done = stub_serve(stub, stop_fd, &err);
        say(c, stub, o.stub.listen, true);
    }
    stub_close(stub);
    struct signalfd_siginfo heard; /* ended as asked: not by the signal, but by ourselves */
    struct pollfd p = {.fd = stop_fd, .events = POLLIN};
    while (poll(&p, 1, 0) > 0 && read(stop_fd, &heard, sizeof heard) > 0) {
    }
    close(stop_fd);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_stub = {
    .name = "stub",
    .summary = "an OpenAI-compatible model server with known delays, answers and errors",
    .usage = "[--listen HOST:PORT] [--ttft-ms TIME] [--gap-ms TIME] [options]",
    .examples = "assay stub --ttft-ms 50 --gap-ms 10 --tokens 32\n"
                "assay stub --listen 127.0.0.1:0 --answers answers.jsonl\n"
                "assay stub --ttft-ms lognormal:200,0.5 --error-rate 0.02 --rate-limit 50",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct options),
    .run = run,
};
