/* A server or an agent under load. A trial is a block: so many seconds of load over connections that
 * live from block to block, every latency counted in histograms. Blocks are samples like any
 * other: two arms take turns under load, and what compares and gates commands compares and
 * gates rates and percentiles. */
#include "base/clock.h"
#include "base/value.h"
#include "load/trace.h"
#include "suite/load_agent.h"

#include <math.h>

enum { READY_NS = 20000000 }; /* until all threads are there: faults come at their time */
enum { SHAPE_CONSTANT, SHAPE_RAMP, SHAPE_SPIKE, SHAPE_BURSTS };

struct config {
    const char *url;
    const char *method;
    const char *body;
    const struct value *headers;
    double rate;
    int arrivals;
    int shape;
    double factor;
    double spike_share;
    const char *trace;
    const char *trace_column;
    double time_scale;
    int64_t connections;
    int64_t threads;
    double seconds;
    double timeout_s;
    double objective_ms;
    struct param_texts allow_hosts;
    const char *ca_file;
    bool verify_certificate;
    const char *serve;
    int fault;
    double memory_limit_mb;
    int64_t body_bytes;
    const struct value *cases;
    struct suite_config asked; /* how answers are judged, and where the agent works */
};

struct state {
    const struct config *config;
    const struct experiment_env *env;
    struct target_terms terms;
    struct target target;
    struct str request;
    struct load_plan plan;
    struct load *load;
    struct schedule_plan schedule;
    struct load_live live;
    struct load_result result;
    struct load_agent *agent; /* NULL: a server by its address */
    bool is_ours;             /* its processes are */
    struct subject subject;
    struct subject_use use;
};

static const char *const arrivals[] = {"constant", "poisson", NULL};
static const char *const shapes[] = {"constant", "ramp", "spike", "bursts", NULL};
static const char *const faults[] = {
    [SUBJECT_NO_FAULT] = "none", [SUBJECT_STOP] = "stop", [SUBJECT_KILL] = "kill", NULL};

#define AT(field) .offset = offsetof(struct config, field)

static const struct param params[] = {
    {"url", PARAM_TEXT, AT(url), .role = PARAM_TREATMENT,
     .help = "what to load, unless `agents` says it"},
    {"method", PARAM_TEXT, AT(method), .help = "GET, or POST with a body"},
    {"body", PARAM_TEXT, AT(body), .help = "of each request"},
    {"headers", PARAM_MAP, AT(headers), .help = "names and values"},
    {"rate", PARAM_REAL, AT(rate), .fallback = "0", .max = 1e7, .unit = "1/s",
     .help = "requests due per second; 0: as many as `connections` in flight give"},
    {"arrivals", PARAM_CHOICE, AT(arrivals), .choices = arrivals, .fallback = "\"poisson\"",
     .help = "gaps between the moments that requests are due"},
    {"shape", PARAM_CHOICE, AT(shape), .choices = shapes, .fallback = "\"constant\"",
     .help = "how the rate runs within a block"},
    {"factor", PARAM_REAL, AT(factor), .fallback = "10", .min = 1, .max = 1e6,
     .help = "of a spike: so many times the rate; of bursts: the rate while they last"},
    {"spike_share", PARAM_REAL, AT(spike_share), .fallback = "0.2", .min = 0.01, .max = 0.3,
     .help = "of the block that a spike takes, after twice that; what is left of the block is "
             "watched"},
    {"trace", PARAM_TEXT, AT(trace),
     .help = "CSV file with the moments of requests, instead of a rate; each block has those "
             "of its first `seconds`"},
    {"trace_column", PARAM_TEXT, AT(trace_column),
     .help = "name of the column with the times; without it the first"},
    {"time_scale", PARAM_REAL, AT(time_scale), .fallback = "1", .min = 1e-9, .max = 1e9,
     .help = "by which the times of the trace are multiplied: 0.1 is ten times as fast"},
    {"connections", PARAM_INT, AT(connections), .fallback = "0", .max = LOAD_CONNECTIONS_MAX,
     .help = "in flight; with a rate: at most; 0: 10, with a rate 1000"},
    {"threads", PARAM_INT, AT(threads), .fallback = "1", .min = 1, .max = LOAD_THREADS_MAX,
     .help = "that send"},
    {"seconds", PARAM_REAL, AT(seconds), .fallback = "1", .min = 0.05, .max = 3600, .unit = "s",
     .help = "length of a block, which is a trial"},
    {"timeout_s", PARAM_REAL, AT(timeout_s), .fallback = "10", .min = 0.001,
     .max = LOAD_LATENCY_MAX_S / 2.0, .unit = "s", .help = "limit of a request"},
    {"objective_ms", PARAM_REAL, AT(objective_ms), .fallback = "0", .max = 1e7, .unit = "ms",
     .help = "answers within it are goodput; 0: all good answers are"},
    {"allow_hosts", PARAM_TEXT_LIST, AT(allow_hosts),
     .help = "other machines that may be loaded: their names, as in `url`"},
    {"ca_file", PARAM_TEXT, AT(ca_file),
     .help = "of https: PEM file with the authorities to trust, instead of this machine's"},
    {"verify_certificate", PARAM_BOOL, AT(verify_certificate), .fallback = "true",
     .help = "of https: check the server's certificate and its name"},
    {"serve", PARAM_TEXT, AT(serve),
     .help = "shell command of a server to start first and to end after; it is ready when the "
             "address of `url` takes a connection"},
    {"fault", PARAM_CHOICE, AT(fault), .choices = faults, .fallback = "\"none\"",
     .help =
         "to that server, 3/10 into each block: stop it for a fifth of the block, or kill it"},
    {"memory_limit_mb", PARAM_REAL, AT(memory_limit_mb), .fallback = "0", .max = 1 << 20,
     .unit = "MB",
     .help =
         "of that server, by its cgroup, or else by looking every 10 ms; one that is killed "
         "for it is started again; 0: no limit"},
    {"body_bytes", PARAM_INT, AT(body_bytes), .fallback = "0", .max = 256 << 20,
     .help = "the body, or an agent's input, is filled up with blanks to this size"},
    {"cases", PARAM_ANY, AT(cases),
     .help = "of agents: [{input, expected}, ...] or {turns: [...]}, asked in turn"},
    {"rubric", PARAM_ANY, AT(asked.rubric), .role = PARAM_TREATMENT,
     .help = "of agents: how answers are judged; default: exact"},
    {"prompt", PARAM_TEXT, AT(asked.prompt), .role = PARAM_TREATMENT,
     .help = "of agents: the prompt that the cases use"},
    {"prompts", PARAM_MAP, AT(asked.prompts), .role = PARAM_TREATMENT,
     .help = "name: text with {{input}} and other fields of the case"},
    {"judges", PARAM_ANY, AT(asked.judges), .role = PARAM_TREATMENT,
     .help = "agents that checks ask"},
    {"constraints", PARAM_MAP, AT(asked.constraints), .role = PARAM_TREATMENT,
     .help = "of agents: limits of one request"},
    {"environment", PARAM_MAP, AT(asked.environment), .role = PARAM_TREATMENT,
     .help = "of agents: files, variables, setup and cleanup"},
};

static bool load_check(const void *config, struct error *err)
{
    const struct config *c = config;
    if (c->trace && (c->rate > 0 || c->shape != SHAPE_CONSTANT)) {
        return error_set(err, ERROR_INVALID, "a trace has its own rate: omit rate and shape");
    }
    if (!(c->rate > 0) && c->shape != SHAPE_CONSTANT)
        return error_set(err, ERROR_INVALID, "shape '%s' needs a rate", shapes[c->shape]);
    bool is_disturbed = c->fault != SUBJECT_NO_FAULT || c->memory_limit_mb > 0;
    if (!is_disturbed || c->serve || !c->url) return true;
    return error_set(err, ERROR_INVALID,
                     "fault and memory_limit_mb need a server of ours: give its command as "
                     "`serve`");
}

/* {"X-A": "b"} as lines. */
static bool write_request(struct state *s, struct arena *out, struct error *err)
{
    const struct config *c = s->config;
    struct target_request r = {.method = c->method, .body = str_of(c->body ? c->body : "")};
    if (r.body.n < (size_t)c->body_bytes) {
        char *filled = arena_new(out, char, (size_t)c->body_bytes);
        memset(filled, ' ', (size_t)c->body_bytes);
        memcpy(filled, r.body.p, r.body.n);
        r.body = (struct str){filled, (size_t)c->body_bytes};
    }
    size_t count = c->headers ? c->headers->map.count : 0;
    const char **lines = arena_new(out, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value_pair *p = &c->headers->map.pairs[i];
        if (p->value->kind == VALUE_LIST || p->value->kind == VALUE_MAP) {
            return error_set(err, ERROR_INVALID, "header '%.*s' is not a text",
                             STR_ARG(p->key));
        }
        lines[i] = arena_printf(out, "%.*s: %.*s", STR_ARG(p->key), STR_ARG(p->value->source));
    }
    r.headers = lines;
    r.header_count = count;
    return target_write(&s->target, &r, out, &s->request, err);
}

static struct schedule_plan schedule_of(const struct config *c, struct arena *out)
{
    switch (c->shape) {
    case SHAPE_RAMP: return schedule_ramp(0, 2 * c->rate, c->seconds, out);
    case SHAPE_SPIKE:
        return schedule_spike(c->rate, c->factor, c->spike_share, c->seconds, out);
    case SHAPE_BURSTS:
        return schedule_bursts(c->rate, c->seconds / 5, 1 / c->factor, c->seconds, out);
    default: return schedule_constant(c->rate, c->seconds, out);
    }
}

static bool is_open_load(const struct config *c)
{
    return c->rate > 0 || c->trace;
}

/* The moments of the trace that fall into a block. */
static bool read_trace(struct state *s, struct arena *out, struct error *err)
{
    const struct config *c = s->config;
    struct trace trace;
    struct trace_options options = {.column = c->trace_column, .time_scale = c->time_scale};
    if (!trace_read(&trace, c->trace, &options, out, err)) return false;
    while (trace.at_s[trace.count - 1] >= c->seconds) trace.count--; /* the first is at 0 */
    s->schedule = (struct schedule_plan){.trace_s = trace.at_s, .trace_count = trace.count};
    return true;
}

static bool open_server(struct state *s, const struct experiment_env *env, struct error *err)
{
    const struct config *c = s->config;
    if (!c->url)
        return error_set(err, ERROR_INVALID, "nothing to load: give `url`, or `agents`");
    if (!target_open(&s->target, c->url, &s->terms, env->arena, err) ||
        !write_request(s, env->arena, err))
        return false;
    int64_t fallback = is_open_load(c) ? 1000 : 10;
    s->plan.target = &s->target;
    s->plan.requests = &s->request;
    s->plan.request_count = 1;
    s->plan.connections = (size_t)(c->connections ? c->connections : fallback);
    s->is_ours = c->serve != NULL;
    if (c->serve &&
        !subject_open(&s->subject, c->serve, &s->target, env->work_dir, env->arena, err))
        return false;
    return load_open(&s->load, &s->plan, env->arena, err);
}

/* The server of a service's agent. */
static bool start_agent_server(struct state *s, const struct experiment_env *env,
                               struct error *err)
{
    const struct config *c = s->config;
    const char *url = load_agent_url(env->agent, env->arena);
    if (!url) {
        return error_set(err, ERROR_INVALID,
                         "`serve` starts the server of an http or openai agent; this one is "
                         "another kind");
    }
    return target_open(&s->target, url, &s->terms, env->arena, err) &&
           subject_open(&s->subject, c->serve, &s->target, env->work_dir, env->arena, err);
}

static bool open_agent(struct state *s, const struct experiment_env *env, struct error *err)
{
    const struct config *c = s->config;
    const pid_t *roots = NULL;
    struct subject_groups groups = {0};
    struct load_agent_options options = {.env = env,
                                         .config = &c->asked,
                                         .cases = c->cases,
                                         .input_bytes = c->body_bytes,
                                         .terms = s->terms,
                                         .connections = (size_t)c->connections,
                                         .is_open_load = is_open_load(c),
                                         .wire = s->plan,
                                         .server = c->serve ? &s->target : NULL};
    if (c->serve && !start_agent_server(s, env, err)) return false;
    if (!load_agent_open(&s->agent, &options, err)) return false;
    size_t count = load_agent_roots(s->agent, &roots, &groups);
    s->is_ours = count > 0 || c->serve;
    if (!c->serve) subject_adopt(&s->subject, roots, count, &groups);
    if (s->is_ours || (c->fault == SUBJECT_NO_FAULT && !(c->memory_limit_mb > 0))) return true;
    return error_set(err, ERROR_INVALID,
                     "fault and memory_limit_mb need an agent that is a process of ours");
}

static bool load_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    const struct config *c = env->config;
    s->config = c;
    s->env = env;
    s->terms = (struct target_terms){.allowed = c->allow_hosts.items,
                                     .allowed_count = c->allow_hosts.count,
                                     .names = env->names};
    s->plan = (struct load_plan){
        .threads = (size_t)c->threads,
        .timeout_s = c->timeout_s,
        .ca_file = c->ca_file,
        .trusts_everybody = !c->verify_certificate,
    };
    if (c->trace) {
        if (!read_trace(s, env->arena, err)) return false;
    } else {
        s->schedule = schedule_of(c, env->arena);
        s->schedule.arrivals = c->arrivals == 1 ? SCHEDULE_POISSON : SCHEDULE_EVEN;
    }
    return env->agent ? open_agent(s, env, err) : open_server(s, env, err);
}

static enum trial_status load_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    s->schedule.seed = t->workload_seed;
    int64_t begin_ns = clock_ns() + (s->is_ours ? READY_NS : 0);
    struct subject_watch watch = {.begin_ns = begin_ns,
                                  .length_s = c->seconds,
                                  .fault = (enum subject_fault)c->fault,
                                  .memory_limit_bytes = (int64_t)(c->memory_limit_mb * 1e6),
                                  .fault_at = &s->live.fault_ns};
    atomic_store(&s->live.fault_ns, 0);
    if (s->is_ours && !subject_begin(&s->subject, &watch, &t->error))
        return TRIAL_HARNESS_ERROR;
    struct load_block block = {
        .schedule = is_open_load(c) ? &s->schedule : NULL,
        .length_s = c->seconds,
        .begin_ns = begin_ns,
        .objective_ns = c->objective_ms > 0 ? (int64_t)(1e6 * c->objective_ms) : INT64_MAX,
        .seed = t->workload_seed,
        .live = &s->live};
    bool done = s->agent ? load_agent_block(s->agent, &block, &s->result, &t->error)
                         : load_block(s->load, &block, &s->result, &t->error);
    if (s->is_ours) subject_end(&s->subject, &s->use);
    /* An interrupt ends what we have started (run/arm.c): what it lost then is not its fault. */
    if (s->is_ours && experiment_is_over(s->env)) {
        error_set(&t->error, ERROR_FAILED, "interrupted");
        return TRIAL_HARNESS_ERROR;
    }
    /* Whoever sees to an agent's processes reports those that end as broken answers. */
    bool is_disturbed = c->fault != SUBJECT_NO_FAULT;
    if (s->agent && !c->serve && !is_disturbed)
        s->use.deaths = (double)s->result.counts.by_failure[LOAD_RESET];
    return done ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

static enum trial_status load_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    const struct load_result *r = &s->result;
    if (status != TRIAL_OK) return status;
    struct load_accuracy accuracy = {.score = NAN};
    if (s->agent && !load_agent_judge(s->agent, r, t->workload_seed, &accuracy, &t->error))
        return TRIAL_HARNESS_ERROR;
    struct load_block_given given = {
        .result = r,
        .use = s->is_ours ? &s->use : NULL,
        .accuracy = &accuracy,
        .spike_share = s->config->shape == SHAPE_SPIKE ? s->config->spike_share : 0,
        .fault = (enum subject_fault)s->config->fault,
    };
    load_put_block(&given, t);
    if (r->counts.ok > 0 || r->counts.scheduled == 0) return TRIAL_OK;
    error_set(&t->error, ERROR_UNAVAILABLE, "no good answer to %lld requests: %s",
              (long long)r->counts.scheduled, r->error);
    return r->counts.timed_out > 0 ? TRIAL_TIMED_OUT : TRIAL_FAILED;
}

static bool load_teardown(void *state, struct error *err)
{
    struct state *s = state;
    load_close(s->load);
    subject_close(&s->subject);
    return load_agent_close(s->agent, err);
}

const struct experiment experiment_load = {
    .name = "load",
    .summary = "loads a server or an agent; counts every answer from the moment it was due",
    .help = "With `rate` requests are due whether or not the server keeps up, and their times "
            "count from that moment; without it, `connections` requests are always in flight. "
            "Each trial is a block of `seconds`, its latencies are kept as histograms. The "
            "generator judges itself: a result whose `generator` is not 0 says more about the "
            "load than about the server. With `agents` their `cases` are the requests and "
            "answers are judged as in a suite; a program is loaded by `connections` of its "
            "processes.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = load_metrics,
    .metric_count = LOAD_METRIC_COUNT,
    .histograms = load_histograms,
    .histogram_count = LOAD_HISTOGRAM_COUNT,
    .label_param = "url",
    .primary = "response_p95_s",
    .takes_agent = true,
    .agent_or = "url",
    .check = load_check,
    .setup = load_setup,
    .execute_once = load_execute_once,
    .conclude = load_conclude,
    .teardown = load_teardown,
};
