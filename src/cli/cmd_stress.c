/* assay stress: load an agent, or load it until it breaks. */
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/stress_progress.h"
#include "cli/version.h"
#include "judge/load_summary.h"
#include "report/answer_stress.h"
#include "report/answers.h"
#include "study/stress_run.h"

#include <math.h>

struct stress_options {
    const char *url;
    const char *serve;
    const char *method;
    const char *body;
    struct param_texts headers;
    int64_t connections;
    int64_t threads;
    double rate;
    int arrivals;
    double duration_s;
    double timeout_s;
    struct param_texts scenarios;
    bool quick;
    double factor;
    double p95_s;
    double error_share;
    struct param_texts allow_hosts;
    struct param_texts fail_if;
    const char *resume;
    int64_t seed;
    const char *plot;
};

static const char *const arrivals[] = {"constant", "poisson", NULL};

#define AT(field) .offset = offsetof(struct stress_options, field)

static const struct param rows[] = {
    {"url", PARAM_TEXT, AT(url), .argument = "URL", .help = "what to load"},
    {"serve", PARAM_TEXT, AT(serve), .argument = "COMMAND",
     .help = "start this server first, and end it after: its memory and processor time are "
             "measured, and it can be squeezed, stopped and killed"},
    {"scenario", PARAM_TEXT_LIST, AT(scenarios), .argument = "NAME",
     .help = "find out how it breaks: a scenario (`assay describe scenarios`), or all"},
    {"quick", PARAM_BOOL, AT(quick), .help = "short phases: all scenarios in two minutes"},
    {"connections", PARAM_INT, AT(connections), .fallback = "0", .max = 100000,
     .help = "requests in flight; with a rate: at most; 0: 10, with a rate 1000"},
    {"rate", PARAM_REAL, AT(rate), .fallback = "0", .max = 1e7, .unit = "1/s",
     .help = "requests due per second; with a scenario: the normal load"},
    {"arrivals", PARAM_CHOICE, AT(arrivals), .choices = arrivals, .fallback = "\"poisson\"",
     .help = "gaps between requests of a rate"},
    {"duration", PARAM_SPAN, AT(duration_s), .fallback = "\"10s\"", .min = 0.5, .max = 36000,
     .help = "of the load, in ten blocks; not of scenarios"},
    {"threads", PARAM_INT, AT(threads), .fallback = "1", .min = 1, .max = 64,
     .help = "that send"},
    {"timeout", PARAM_SPAN, AT(timeout_s), .fallback = "\"10s\"", .min = 0.001, .max = 1800,
     .help = "limit of a request"},
    {"method", PARAM_TEXT, AT(method), .help = "GET, or POST with a body"},
    {"body", PARAM_TEXT, AT(body), .argument = "TEXT", .help = "of each request"},
    {"header", PARAM_TEXT_LIST, AT(headers), .argument = "'NAME: VALUE'",
     .help = "sent with each request"},
    {"factor", PARAM_REAL, AT(factor), .fallback = "10", .min = 1.5, .max = 1e6,
     .help = "high load is so many times the normal one"},
    {"p95", PARAM_SPAN, AT(p95_s), .max = 1800,
     .help = "objective: 95 % of answers within it; default 10 times the usual"},
    {"max-errors", PARAM_SHARE, AT(error_share), .fallback = "0.01", .max = 1,
     .help = "objective: at most this share of requests without a good answer"},
    {"allow-host", PARAM_TEXT_LIST, AT(allow_hosts), .argument = "NAME",
     .help = "another machine that may be loaded: you answer for it"},
    {"fail-if", PARAM_TEXT_LIST, AT(fail_if), .argument = "LIMIT",
     .help = "exit 1 if it is so: 'p99>200ms', 'errors>1%', 'rate<500', 'goodput<400'; with "
             "scenarios: broke"},
    {"seed", PARAM_INT, AT(seed), .fallback = "42", .max = INFINITY,
     .help = "moments of requests are drawn from it"},
    {"resume", PARAM_TEXT, AT(resume), .argument = "RUN",
     .help = "go on with a test that was interrupted; of one that has ended: show it again"},
    STORED_PLOT(struct stress_options),
};

extern const struct command command_stress;

enum { BLOCKS = 10, SCENARIOS_MAX = 16 };

/* ---- limits ---- */

static int judge_load(const struct load_limit *limits, size_t count,
                      const struct load_summary *s)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < count; i++) {
        if (!load_limit_is_broken(&limits[i], s)) continue;
        fprintf(stderr, "assay: --fail-if '%s': it is %.4g%s\n", limits[i].text,
                load_limit_value(&limits[i], s),
                s->keeps_up ? "" : " and grows: the server does not keep up");
        code = EXIT_FAILED;
    }
    return strcmp(s->generator, "ok") != 0 && code == EXIT_DONE && count > 0 ? EXIT_UNDECIDED
                                                                             : code;
}

/* ---- one load ---- */

static int load_once(struct context *c, struct stress_request *q,
                     const struct load_limit *limits)
{
    const struct stress_options *o = c->options;
    struct error err = {0};
    char run_id[UUID_SIZE];
    bool is_interrupted = false;
    struct view *view = NULL;
    struct load_summary summary;
    if (!stress_load_once(q, c->arena, run_id, &is_interrupted, &err))
        return command_fail(&err);
    if (!view_load(q->store, run_id, c->arena, &view, &err) ||
        !load_summary_make(view, &view->cells[0], c->arena, &summary, &err))
        return command_fail(&err);
    int code = stored_answer(c, &answer_load, &summary);
    if (code == EXIT_DONE && is_interrupted) code = EXIT_FAILED;
    if (code == EXIT_DONE && summary.ok == 0) code = EXIT_FAILED;
    return code == EXIT_DONE ? judge_load(limits, o->fail_if.count, &summary) : code;
}

/* ---- scenarios ---- */

static bool find_scenarios(const struct context *c, const struct stress_scenario **list,
                           size_t *count, struct error *err)
{
    const struct param_texts *names = &((const struct stress_options *)c->options)->scenarios;
    *count = 0;
    for (size_t i = 0; i < names->count; i++) {
        struct str name = str_of(names->items[i]);
        const struct stress_scenario *one = stress_scenario_find(name);
        bool is_all = str_is(name, "all");
        if (!one && !is_all) {
            return error_set(err, ERROR_INVALID, "unknown scenario '%s'%s", names->items[i],
                             registry_hint(stress_scenario_entry, name).text);
        }
        for (size_t k = 0; is_all && stress_scenario_at(k) && *count < SCENARIOS_MAX; k++)
            list[(*count)++] = stress_scenario_at(k);
        if (one && *count < SCENARIOS_MAX) list[(*count)++] = one;
    }
    return true;
}

static struct stress_terms terms_of(const struct stress_options *o)
{
    bool quick = o->quick;
    return (struct stress_terms){
        .normal_rate = o->rate,
        .in_flight = o->connections > 0 ? o->connections : 1,
        .factor = o->factor,
        .block_s = quick ? 0.2 : 1,
        .block_max_s = quick ? 0.5 : 30,
        .search_max_s = fmin(quick ? 1.0 : 10.0, o->timeout_s),
        .sustained = quick ? 30 : 300,
        .concurrency = quick ? 32 : 100,
        .input_bytes = quick ? 256 << 10 : 16 << 20,
        .p95_s = o->p95_s,
        .error_share = o->error_share,
        .has_process = o->serve != NULL,
        .has_input = o->body != NULL,
    };
}

static bool has_broken(const struct stress *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->results[i].outcome == STRESS_BROKE) return true;
    }
    return false;
}

static int stress_all(struct context *c, struct stress_request *q)
{
    const struct stress_options *o = c->options;
    struct error err = {0};
    struct stress stress;
    for (size_t i = 0; i < o->fail_if.count; i++) {
        if (strcmp(o->fail_if.items[i], "broke") == 0) continue;
        return command_misused(&command_stress,
                               "with scenarios --fail-if takes `broke`, not '%s'",
                               o->fail_if.items[i]);
    }
    if (!stress_carry_out(q, c->arena, &stress, &err)) return command_fail(&err);
    if (stress.is_interrupted) {
        fprintf(stderr, "assay: interrupted; to go on: the same command with --resume %s\n",
                id_short(stress.run_id));
        return EXIT_FAILED;
    }
    size_t count = 0;
    const struct stress_record *records = answer_stress_records(&stress, c->arena, &count);
    if (!store_put_stress(q->store, stress.run_id, records, count, &err))
        return command_fail(&err);
    int code = stored_answer(c, &answer_stress, &stress);
    if (code != EXIT_DONE) return code;
    return o->fail_if.count > 0 && has_broken(&stress) ? EXIT_FAILED : EXIT_DONE;
}

/* ---- the command ---- */

static struct stress_target target_of(const struct stress_options *o)
{
    return (struct stress_target){
        .url = o->url,
        .serve = o->serve,
        .method = o->method,
        .body = o->body,
        .headers = o->headers,
        .allow_hosts = o->allow_hosts,
        .arrivals = arrivals[o->arrivals],
        .threads = o->threads,
        .timeout_s = o->timeout_s,
        .objective_s = o->p95_s,
    };
}

static int carry_out(struct context *c, struct nursery *nursery)
{
    const struct stress_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct run_record resumed;
    struct store_options how = {.create = true};
    struct load_limit *limits = arena_new(c->arena, struct load_limit, o->fail_if.count + 1);
    struct stress_target target = target_of(o);
    struct stress_terms terms = terms_of(o);
    struct stress_progress progress = {.is_live =
                                           !c->quiet && !c->json && progress_can_be_live(),
                                       .is_quiet = c->quiet || c->json};
    struct stress_request q = {.nursery = nursery,
                               .target = &target,
                               .terms = &terms,
                               .ask = {.role = "load",
                                       .rate = o->rate,
                                       .connections = o->connections,
                                       .seconds = o->duration_s / BLOCKS,
                                       .blocks = BLOCKS,
                                       .shape = "constant",
                                       .fault = "none"},
                               .seed = o->seed,
                               .command = stored_command_line(c),
                               .assay_version = version_text,
                               .listener = stress_progress_listener(&progress)};
    const struct stress_scenario *list[SCENARIOS_MAX];
    q.scenarios = list;
    bool done = find_scenarios(c, list, &q.scenario_count, &err);
    for (size_t i = 0; done && o->scenarios.count == 0 && i < o->fail_if.count; i++)
        done = load_limit_parse(o->fail_if.items[i], &limits[i], &err);
    done = done && store_open(c->store_url, &how, &store, &err) &&
           (!o->resume || store_find_run(store, o->resume, c->arena, &resumed, &err));
    if (!done) {
        store_close(store);
        return command_fail(&err);
    }
    q.store = store;
    q.resume = o->resume ? &resumed : NULL;
    int code = o->scenarios.count > 0 ? stress_all(c, &q) : load_once(c, &q, limits);
    stress_progress_clear(&progress);
    store_close(store);
    return code;
}

static int run(struct context *c)
{
    const struct stress_options *o = c->options;
    if (c->arg_count > 0 || !o->url) {
        return command_misused(&command_stress, "needs --url URL: what is to be loaded");
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
    .summary = "load a server, or load it until it breaks: where, how, and what to do",
    .usage = "--url URL [--scenario NAME] [options]",
    .examples = "assay stress --url http://127.0.0.1:8400/v1/models --rate 200 --duration 5s\n"
                "assay stress --url http://127.0.0.1:8400/v1/models --scenario all --quick",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct stress_options),
    .run = run,
};
