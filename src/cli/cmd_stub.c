#include "base/json.h"
#include "cli/command.h"
#include "stub/stub.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct options {
    struct stub_options stub;
    int64_t seed;
    const char *api_key_env;
};

#define ROW(text, type, field) \
    .name = (text), .kind = (type), .offset = offsetof(struct options, field)

static const struct option rows[] = {
    {ROW("listen", OPTION_TEXT, stub.listen), .argument = "HOST:PORT",
     .help = "where to listen; port 0 takes any that is free (127.0.0.1:8400)"},
    {ROW("ttft-ms", OPTION_TEXT, stub.ttft_ms), .argument = "TIME",
     .help = "time to the first token: 50, uniform:10,90, normal:50,10, lognormal:50,0.5, "
             "exp:50 (0)"},
    {ROW("gap-ms", OPTION_TEXT, stub.gap_ms), .argument = "TIME",
     .help = "time between tokens, likewise (0)"},
    {ROW("tokens", OPTION_TEXT, stub.tokens), .argument = "N",
     .help = "tokens of an answer, likewise (16)"},
    {ROW("answers", OPTION_TEXT, stub.answers), .argument = "FILE",
     .help = "JSON lines {\"match\": ..., \"answer\": ...}: what to answer to what"},
    {ROW("echo", OPTION_FLAG, stub.echo), .help = "answer with the prompt"},
    {ROW("seed", OPTION_INT, seed), .argument = "N",
     .help = "answers, times and errors are drawn from it (42)"},
    {ROW("error-rate", OPTION_REAL, stub.error_rate), .argument = "SHARE",
     .help = "share of requests that fail, 0 to 1 (0)"},
    {ROW("error-status", OPTION_INT, stub.error_status), .argument = "STATUS",
     .help = "what they fail with, 400 to 599 (500)"},
    {ROW("drop-rate", OPTION_REAL, stub.drop_rate), .argument = "SHARE",
     .help = "share of streams cut off in the middle, 0 to 1 (0)"},
    {ROW("rate-limit", OPTION_REAL, stub.rate_limit), .argument = "N",
     .help = "requests a second before 429 with Retry-After; 0 is no limit (0)"},
    {ROW("retry-after", OPTION_TEXT, stub.retry_after), .argument = "SECONDS",
     .help = "sent with 429 and 503 instead of what fits the rate limit"},
    {ROW("no-usage", OPTION_FLAG, stub.has_no_usage), .help = "do not tell token counts"},
    {ROW("api-key-env", OPTION_TEXT, api_key_env), .argument = "NAME",
     .help = "demand the key that this environment variable holds"},
    {ROW("dimensions", OPTION_INT, stub.dimensions), .argument = "N",
     .help = "of embeddings (256)"},
    {ROW("requests", OPTION_INT, stub.requests), .argument = "N",
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
    close(stop_fd);
    return done ? EXIT_DONE : command_fail(&err);
}

static const struct options defaults = {
    .seed = 42,
    .stub = {.listen = "127.0.0.1:8400",
             .ttft_ms = "0",
             .gap_ms = "0",
             .tokens = "16",
             .error_status = 500,
             .dimensions = 256},
};

const struct command command_stub = {
    .name = "stub",
    .summary = "an OpenAI-compatible model server with known delays, answers and errors",
    .usage = "[--listen HOST:PORT] [--ttft-ms TIME] [--gap-ms TIME] [options]",
    .examples = "assay stub --ttft-ms 50 --gap-ms 10 --tokens 32\n"
                "assay stub --listen 127.0.0.1:0 --answers answers.jsonl\n"
                "assay stub --ttft-ms lognormal:200,0.5 --error-rate 0.02 --rate-limit 50",
    .options = rows,
    .option_count = COUNT(rows),
    .options_size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
