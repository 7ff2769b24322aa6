#include "base/json.h"
#include "cli/command.h"
#include "cli/signals.h"
#include "stub/stub.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

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

static int run(struct context *c)
{
    struct stub_options o = *(const struct stub_options *)c->options;
    o.idle_s = stub_options_default.idle_s;
    struct error err = {0};
    if (o.api_key_env) {
        o.api_key = getenv(o.api_key_env);
        if (!o.api_key) {
            error_set(&err, ERROR_INVALID, "--api-key-env: %s is not set", o.api_key_env);
            return command_fail(&err);
        }
    }
    int stop_fd = signals_watch();
    struct stub *stub = NULL;
    bool done = stub_open(&stub, &o, c->arena, &err);
    if (done) {
        say(c, stub, o.listen, false);
        done = stub_serve(stub, stop_fd, &err);
        say(c, stub, o.listen, true);
    }
    stub_close(stub);
    signals_close(stop_fd);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_stub = {
    .name = "stub",
    .summary = "an OpenAI-compatible model server with known delays, answers and errors",
    .usage = "[--listen HOST:PORT] [--ttft-ms TIME] [--gap-ms TIME] [options]",
    .takes = "no arguments",
    .examples = "assay stub --ttft-ms 50 --gap-ms 10 --tokens 32\n"
                "assay stub --listen 127.0.0.1:0 --answers answers.jsonl\n"
                "assay stub --ttft-ms lognormal:200,0.5 --error-rate 0.02 --rate-limit 50\n"
                "assay stub --servers 4 --service-ms exp:20 --queue-limit 100",
    .params = {stub_params, STUB_PARAMS},
    .config_size = sizeof(struct stub_options),
    .run = run,
};
