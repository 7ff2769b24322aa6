/* assay stress: load an agent, or load it until it breaks. */
#include "cli/options.h"
#include "cli/stored.h"
#include "cli/stress_job.h"

#include <math.h>

const char *const stress_arrivals[] = {"constant", "poisson", NULL};

#define AT(field) .offset = offsetof(struct stress_options, field)

static const struct param rows[] = {
    {"url", PARAM_TEXT, AT(url), .argument = "URL", .help = "what to load"},
    {"serve", PARAM_TEXT, AT(serve), .argument = "COMMAND",
     .help = "start this server first, and end it after: its memory and processor time are "
             "measured, and it can be squeezed, stopped and killed"},
    {"agent", PARAM_TEXT_LIST, AT(agents), .argument = "NAME",
     .help = "of a suite: load only this agent"},
    {"only", PARAM_TEXT_LIST, AT(only), .argument = "BENCHMARK",
     .help = "of a suite: whose cases are the requests"},
    {"cases", PARAM_TEXT, AT(cases), .argument = "FILE",
     .help = "of a registered agent: requests from a file of cases (.jsonl, .csv)"},
    {"scenario", PARAM_TEXT_LIST, AT(scenarios), .argument = "NAME",
     .help = "find out how it breaks: a scenario (`assay describe scenarios`), or all"},
    {"quick", PARAM_BOOL, AT(quick), .help = "short phases: all scenarios in two minutes"},
    {"connections", PARAM_INT, AT(connections), .fallback = "0", .max = 100000,
     .help =
         "requests in flight (with a rate: at most); 0: 10, or 1000 with a rate; of a program: "
         "how many of its processes, by default one per processor"},
    {"rate", PARAM_REAL, AT(rate), .fallback = "0", .max = 1e7, .unit = "1/s",
     .help = "requests due per second; with a scenario: the normal load"},
    {"arrivals", PARAM_CHOICE, AT(arrivals), .choices = stress_arrivals,
     .fallback = "\"poisson\"", .help = "gaps between requests of a rate"},
    {"duration", PARAM_SPAN, AT(duration_s), .fallback = "\"10s\"", .min = 0.5, .max = 36000,
     .help = "how long to load, in ten blocks; not for scenarios"},
    {"threads", PARAM_INT, AT(threads), .fallback = "1", .min = 1, .max = 64,
     .help = "threads that send requests"},
    {"timeout", PARAM_SPAN, AT(timeout_s), .fallback = "\"10s\"", .min = 0.001, .max = 1800,
     .help = "time limit of a request"},
    {"method", PARAM_TEXT, AT(method), .help = "default: GET, or POST with a body"},
    {"body", PARAM_TEXT, AT(body), .argument = "TEXT",
     .help = "body of each request; for a registered agent, what it is asked"},
    {"header", PARAM_TEXT_LIST, AT(headers), .argument = "'NAME: VALUE'",
     .help = "sent with each request"},
    {"factor", PARAM_REAL, AT(factor), .fallback = "10", .min = 1.5, .max = 1e6,
     .help = "high load, as a multiple of the normal one"},
    {"p95", PARAM_SPAN, AT(p95_s), .max = 1800,
     .help = "objective: 95 % of answers within it; default 10 times the usual"},
    {"max-errors", PARAM_SHARE, AT(error_share), .fallback = "0.01", .max = 1,
     .help = "objective: at most this share of requests without a good answer"},
    {"allow-host", PARAM_TEXT_LIST, AT(allow_hosts), .argument = "NAME",
     .help = "another machine that may be loaded; you are responsible for it"},
    {"fail-if", PARAM_TEXT_LIST, AT(fail_if), .argument = "LIMIT",
     .help = "exit 1 if this is true: 'p99>200ms', 'errors>1%', 'rate<500', 'goodput<400', "
             "'accuracy<0.9'; with scenarios of the normal load, or: broke"},
    {"seed", PARAM_INT, AT(seed), .fallback = "42", .max = INFINITY,
     .help = "seed of the times of requests"},
    {"resume", PARAM_TEXT, AT(resume), .argument = "RUN",
     .help = "continue a test that was interrupted; show again one that has ended"},
    {"report", PARAM_TEXT, AT(report), .argument = "FILE",
     .help = "of scenarios: write them as a document with plots, FILE.html or FILE.md; of "
             "several agents FILE-AGENT.html"},
    STORED_PLOT(struct stress_options),
};

const struct param_table stress_options_table = {rows, COUNT(rows)};

/* ---- the command ---- */

/* `broke` is a limit of scenarios; all others are of a load. */
static bool read_limits(const struct stress_options *o, bool has_scenarios,
                        struct load_limit *limits, size_t *count, struct error *err)
{
    *count = 0;
    for (size_t i = 0; i < o->fail_if.count; i++) {
        if (has_scenarios && strcmp(o->fail_if.items[i], "broke") == 0) continue;
        struct load_limit *limit = &limits[(*count)++];
        if (!load_limit_parse(o->fail_if.items[i], limit, err)) return false;
        if (o->url && load_limit_is_accuracy(limit)) {
            return error_set(
                err, ERROR_INVALID,
                "--fail-if '%s': accuracy is not known: nothing is checked; load a "
                "suite or an agent with --cases",
                limit->text);
        }
    }
    return true;
}

/* --url, or whatever the argument names. */
static int carry_out(struct context *c, struct nursery *nursery)
{
    const struct stress_options *o = c->options;
    struct error err = {0};
    struct run_record resumed;
    struct store_options how = {.create = true, .workspace = c->workspace};
    struct load_limit *limits = arena_new(c->arena, struct load_limit, o->fail_if.count + 1);
    struct stress_desk desk = {.nursery = nursery, .limits = limits};
    const struct stress_scenario *list[STRESS_SCENARIOS_MAX];
    struct stress_job *jobs = NULL;
    size_t count = 1, known = 0;
    struct stress_source_options from = {.name = c->arg_count > 0 ? c->args[0] : NULL,
                                         .agents = o->agents,
                                         .only = o->only,
                                         .input = o->body,
                                         .cases = o->cases,
                                         .seed = o->seed};
    if (!stress_find_scenarios(&o->scenarios, list, &known, &err)) return command_fail(&err);
    int code = from.name ? stress_source_read(c, &from, &jobs, &count) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (o->resume && count > 1) {
        return command_misused(c->command,
                               "--resume continues the test of one agent: name it with "
                               "--agent");
    }
    bool has_scenarios = stress_job_options(c, o, jobs).scenarios.count > 0;
    if ((o->report || o->plot) && !has_scenarios) {
        return command_misused(c->command,
                               "--%s shows what scenarios found: give --scenario NAME",
                               o->report ? "report" : "plot");
    }
    bool done = read_limits(o, has_scenarios, limits, &desk.limit_count, &err) &&
                store_open(c->store_url, &how, &desk.store, &err) &&
                (!o->resume || store_find_run(desk.store, o->resume, c->arena, &resumed, &err));
    desk.resume = o->resume ? &resumed : NULL;
    desk.has_several = count > 1;
    if (!done) code = command_fail(&err);
    for (size_t i = 0; done && i < count; i++) {
        const struct stress_job *job = jobs ? &jobs[i] : NULL;
        struct stress_options own = stress_job_options(c, o, job);
        code = command_heavier(code, stress_job_run(c, &desk, &own, job));
    }
    store_close(desk.store);
    return code;
}

static int run(struct context *c)
{
    const struct stress_options *o = c->options;
    if (c->arg_count > 1 || (c->arg_count == 1) == (o->url != NULL)) {
        return command_misused(c->command,
                               "needs --url URL, or a suite or agent: what is to be loaded");
    }
    const char *dot = o->report ? strrchr(o->report, '.') : ".md";
    if (!dot || (strcmp(dot, ".md") != 0 && strcmp(dot, ".html") != 0)) {
        return command_misused(c->command, "--report: '%s' should end in .html or .md",
                               o->report);
    }
    struct nursery nursery = {0}; /* first, while this process is small */
    struct error err = {0};
    if (!nursery_start(&nursery, &err)) return command_fail(&err);
    int code = carry_out(c, &nursery);
    nursery_end(&nursery);
    return code;
}

const struct command command_stress = {
    .name = "stress",
    .summary = "load an agent, or load it until it breaks: where, how, and what to do",
    .usage = "SPEC | AGENT | --url URL [--scenario NAME] [options]",
    .examples = "assay stress --url http://127.0.0.1:8400/v1/models --rate 200 --duration 5s\n"
                "assay stress --url http://127.0.0.1:8400/v1/models --scenario all --quick\n"
                "assay stress suite.yaml --agent bc --rate 50 --fail-if 'accuracy<0.9'",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct stress_options),
    .run = run,
};
