/* A request meets what a model's server would put in its way, in that order: the key, the rate
 * limit, faults, the queue (admit); what is left is answered by the route. Nothing here waits:
 * each reply is given with the time at which it is due, and the server sends it then, so that
 * one thread serves thousands of slow answers at once. Faults are drawn by the order of arrival,
 * from a stream of their own; answers by what was asked (chat.c). */
#include "stub/stub_internal.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "http/curl.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const struct stub_options stub_options_default = {
    .listen = "127.0.0.1:8400",
    .ttft_ms = "0",
    .gap_ms = "0",
    .tokens = "16",
    .error_status = 500,
    .dimensions = 256,
    .idle_s = 300,
    .seed = 42,
    .service_ms = "0",
    .queue_limit = CAPACITY_IN_FLIGHT_MAX,
};

enum { CONNECTIONS_MAX = 16384, JSON_MAX = 4096 };

static const struct value_limits body_limits = {
    .max_bytes = STUB_BODY_MAX, .max_depth = 64, .max_nodes = 1000000};

/* ---- replies ---- */

/* The names that clients turn into exceptions of their own. */
static const char *error_type(int status)
{
    if (status == 401) return "authentication_error";
    if (status == 429) return "rate_limit_error";
    return status < 500 ? "invalid_request_error" : "server_error";
}

static struct str error_body(struct http_request *r, int status, const char *message)
{
    char *text = arena_new(r->arena, char, JSON_MAX);
    struct buf b;
    struct json j;
    buf_over(&b, text, JSON_MAX);
    json_init(&j, &b, 0);
    json_object(&j);
    json_key_object(&j, "error");
    json_put_text(&j, "message", message);
    json_put_text(&j, "type", error_type(status));
    json_put_text(&j, "param", NULL);
    json_put_text(&j, "code", NULL);
    json_end(&j);
    json_end(&j);
    return buf_str(&b);
}

void stub_fail(struct http_request *r, int status, const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    http_reply(r, &(struct http_reply){.status = status,
                                       .type = "application/json",
                                       .body = error_body(r, status, message)});
}

static void refuse_head(void *context, struct http_request *r, int status, const char *why)
{
    (void)context;
    stub_fail(r, status, "%s", why);
}

struct refusal {
    int status;
    const char *message;
    double wait_s; /* what Retry-After says */
    int64_t due_ns;
};

static void refuse(struct stub *s, struct http_request *r, const struct refusal *why)
{
    struct http_header *h = arena_new(r->arena, struct http_header, 1);
    h->name = "Retry-After";
    h->value = s->options.retry_after ? s->options.retry_after
                                      : arena_printf(r->arena, "%.0f", ceil(why->wait_s));
    bool says_when = why->status == 429 || (why->status == 503 && s->options.retry_after);
    http_reply(r, &(struct http_reply){.status = why->status,
                                       .type = "application/json",
                                       .body = error_body(r, why->status, why->message),
                                       .not_before_ns = why->due_ns,
                                       .headers = h,
                                       .header_count = says_when ? 1 : 0});
}

bool stub_read_body(struct http_request *r, const struct value **body)
{
    struct error err = {0};
    if (r->is_too_large) {
        stub_fail(r, 413, "The body is larger than %d bytes", STUB_BODY_MAX);
        return false;
    }
    if (!value_read_json(r->body, &body_limits, r->arena, body, &err)) {
        stub_fail(r, 400, "The body is not JSON: %s", err.text);
        return false;
    }
    if ((*body)->kind != VALUE_MAP) {
        stub_fail(r, 400, "The body is not a JSON object");
        return false;
    }
    return true;
}

/* ---- routes ---- */

static void models(struct stub *s, struct http_request *r, int64_t from_ns)
{
    (void)s;
    (void)from_ns;
    http_reply(r, &(struct http_reply){
                      .status = 200,
                      .type = "application/json",
                      .body = S("{\"object\":\"list\",\"data\":[{\"id\":\"stub\",\"object\":"
                                "\"model\",\"created\":0,\"owned_by\":\"assay\"}]}")});
}

static void healthz(struct stub *s, struct http_request *r, int64_t from_ns)
{
    (void)s;
    (void)from_ns;
    http_reply(r, &(struct http_reply){
                      .status = 200, .type = "application/json", .body = S("{\"ok\":true}")});
}

static const struct route {
    const char *method;
    const char *path;
    bool is_model; /* wants the key, has limits and errors */
    void (*handle)(struct stub *s, struct http_request *r, int64_t from_ns);
} routes[] = {
    {"POST", "/v1/chat/completions", true, stub_chat},
    {"POST", "/v1/embeddings", true, stub_embeddings},
    {"GET", "/v1/models", false, models},
    {"GET", "/v1/stub", false, stub_describe},
    {"GET", "/healthz", false, healthz},
};

static bool has_key(const struct stub *s, const struct http_request *r)
{
    if (!s->options.api_key) return true;
    struct str given = http_header_of(r, "Authorization");
    struct str scheme = str_cut(&given, ' ');
    return str_is(scheme, "Bearer") && str_is(given, s->options.api_key);
}

/* A bucket that holds one second's worth and fills at the rate. */
static bool is_within_rate(struct stub *s, int64_t now_ns, double *wait_s)
{
    double rate = s->options.rate_limit;
    if (rate <= 0) return true;
    double size = fmax(rate, 1);
    double refill = (double)(now_ns - s->allowance_ns) / 1e9 * rate;
    s->allowance = fmin(s->allowance + refill, size);
    s->allowance_ns = now_ns;
    if (s->allowance < 1) {
        *wait_s = (1 - s->allowance) / rate;
        return false;
    }
    s->allowance -= 1;
    return true;
}

/* ---- capacity ---- */

/* As a server that leaks: what it takes is written to, so that the machine has to give it.
 * One that dies does so as the kernel would end it, in the middle of a request. */
static void grow(struct stub *s)
{
    const struct stub_options *o = &s->options;
    int64_t bytes = (int64_t)(o->memory_kb * 1024);
    if (bytes == 0) return;
    bool is_over = o->memory_limit_mb > 0 &&
                   (double)(s->memory_bytes + bytes) > o->memory_limit_mb * (1 << 20);
    if (is_over && o->at_limit == STUB_DIE) raise(SIGKILL);
    if (is_over) return;
    memset(arena_new(&s->memory, char, (size_t)bytes), 0xA5, (size_t)bytes);
    s->memory_bytes += bytes;
}

int64_t stub_after_stall(const struct stub *s, int64_t at_ns)
{
    return s->has_capacity ? capacity_after_stall(&s->capacity, at_ns) : at_ns;
}

/* False after a reply that refuses it. */
static bool admit(struct stub *s, struct http_request *r, int64_t *from_ns)
{
    *from_ns = r->arrived_ns;
    if (!s->has_capacity) return true;
    struct refusal why = {.wait_s = 1};
    switch (capacity_arrive(&s->capacity, r->arrived_ns, from_ns)) {
    case CAPACITY_SERVED: grow(s); return true;
    case CAPACITY_QUEUE_FULL:
        why.status = 503;
        why.message = "The queue is full";
        break;
    default:
        why.status = (int)s->options.error_status;
        why.message = "Too many requests for this server";
        break;
    }
    why.due_ns = *from_ns;
    refuse(s, r, &why);
    return false;
}

static void handle_model(struct stub *s, struct http_request *r, const struct route *route)
{
    struct refusal why = {.wait_s = 1, .due_ns = stub_after_stall(s, r->arrived_ns)};
    int64_t from_ns = 0;
    if (!has_key(s, r)) {
        stub_fail(r, 401, "Incorrect API key provided");
    } else if (!is_within_rate(s, r->arrived_ns, &why.wait_s)) {
        s->rate_limited++;
        why.status = 429;
        why.message = "Rate limit reached";
        refuse(s, r, &why);
    } else if (s->options.error_rate > 0 && rng_real(&s->faults) < s->options.error_rate) {
        s->failed++;
        why.status = (int)s->options.error_status;
        why.message = "The stub was configured to fail";
        refuse(s, r, &why);
    } else if (admit(s, r, &from_ns)) {
        route->handle(s, r, from_ns);
    }
}

static void handle(void *context, struct http_request *r)
{
    struct stub *s = context;
    s->answered++;
    const struct route *other = NULL;
    for (size_t i = 0; i < COUNT(routes); i++) {
        const struct route *route = &routes[i];
        if (!str_is(r->path, route->path)) continue;
        other = route;
        if (!str_is(r->method, route->method)) continue;
        if (route->is_model)
            handle_model(s, r, route);
        else
            route->handle(s, r, r->arrived_ns);
        return;
    }
    if (other)
        stub_fail(r, 405, "%s takes %s only", other->path, other->method);
    else
        stub_fail(r, 404, "There is no %.*s here", STR_ARG(r->path));
}

/* ---- opening ---- */

/* Commands check their options by the same rows; those who call us do not. */
static bool check_range(const struct stub_options *o, const struct param *row,
                        struct error *err)
{
    const char *at = (const char *)o + row->offset;
    double value = 0;
    switch (row->type) {
    case PARAM_INT: value = (double)*(const int64_t *)(const void *)at; break;
    case PARAM_REAL:
    case PARAM_SHARE: value = *(const double *)(const void *)at; break;
    default: return true;
    }
    if (value >= row->min && value <= row->max) return true;
    return error_set(err, ERROR_INVALID, "--%s must be from %g to %g (is %g)", row->name,
                     row->min, row->max, value);
}

static bool check_options(struct stub *s, struct error *err)
{
    const struct stub_options *o = &s->options;
    if (!draw_parse(o->ttft_ms, "the time to the first token", &s->ttft_ms, err) ||
        !draw_parse(o->gap_ms, "the gap between tokens", &s->gap_ms, err) ||
        !draw_parse(o->tokens, "the number of tokens", &s->tokens, err) ||
        !draw_parse(o->service_ms, "the service time", &s->service_ms, err)) {
        return false;
    }
    for (size_t i = 0; i < STUB_PARAMS; i++) {
        if (!check_range(o, &stub_params[i], err)) return false;
    }
    if (o->queue_limit < CAPACITY_IN_FLIGHT_MAX && o->servers == 0) {
        return error_set(err, ERROR_INVALID,
                         "--queue-limit needs --servers: without them "
                         "nothing waits");
    }
    if (o->stall_s > 0 && o->stall_s >= o->stall_every_s) {
        return error_set(err, ERROR_INVALID,
                         "--stall-s %g must be shorter than "
                         "--stall-every-s %g",
                         o->stall_s, o->stall_every_s);
    }
    return true;
}

static void open_capacity(struct stub *s)
{
    const struct stub_options *o = &s->options;
    struct capacity_plan plan = {
        .servers = o->servers,
        .service_ms = s->service_ms,
        .contention = o->contention,
        .coherence = o->coherence,
        .queue_limit = o->queue_limit,
        .cliff_in_flight = o->cliff_in_flight,
        .cliff_rate = o->cliff_rate,
        .stall_every_ns = (int64_t)(o->stall_every_s * 1e9),
        .stall_ns = (int64_t)(o->stall_s * 1e9),
        .seed = rng_derive((uint64_t)o->seed, 2, 0),
    };
    s->has_capacity = o->servers > 0 || draw_mean(&s->service_ms) > 0 ||
                      o->cliff_in_flight > 0 || o->cliff_rate > 0 || o->stall_s > 0 ||
                      o->memory_kb > 0;
    if (o->memory_kb > 0) s->memory = arena_open();
    if (s->has_capacity) capacity_init(&s->capacity, &plan, clock_ns(), s->arena);
}

/* A connection is a descriptor: as many as we may have. */
static void allow_connections(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool stub_open(struct stub **stub, const struct stub_options *options, struct arena *arena,
               struct error *err)
{
    struct stub *s = arena_new(arena, struct stub, 1);
    *stub = s;
    s->options = *options;
    s->arena = arena;
    s->faults = rng_seeded(rng_derive((uint64_t)options->seed, 1, 0));
    s->allowance = fmax(options->rate_limit, 1);
    s->allowance_ns = clock_ns();
    if (!check_options(s, err)) return false;
    open_capacity(s);
    allow_connections();
    if (options->answers && !answer_table_read(&s->table, options->answers, arena, err)) {
        return false;
    }
    static const struct http_header mark = {CURL_STUB_HEADER, "1"};
    struct http_server_options server = {
        .listen = options->listen,
        .body_max = STUB_BODY_MAX,
        .connections_max = CONNECTIONS_MAX,
        .requests_max = options->requests,
        .idle_s = options->idle_s,
        .marks = &mark,
        .mark_count = 1,
        .handle = handle,
        .refuse = refuse_head,
        .context = s,
    };
    return http_server_open(&s->server, &server, arena, err);
}

void stub_close(struct stub *s)
{
    if (!s) return;
    http_server_close(s->server);
    if (s->memory.block) arena_close(&s->memory);
}

int stub_port(const struct stub *s)
{
    return http_server_port(s->server);
}

bool stub_serve(struct stub *s, int stop_fd, struct error *err)
{
    return http_server_run(s->server, stop_fd, err);
}

int64_t stub_answered(const struct stub *s)
{
    return s->answered;
}

/* ---- in a process of its own ---- */

struct started { /* what the child reports through the pipe */
    int port;
    struct error error;
};

static void serve_in_child(const struct stub_options *options, int pipe_fd)
{
    struct arena arena = arena_open();
    struct started told = {0};
    struct stub *stub = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    os_step_back(false); /* its times are those of the agent */
    bool done = stub_open(&stub, options, &arena, &told.error);
    if (done) told.port = stub_port(stub);
    done &= write(pipe_fd, &told, sizeof told) == (ssize_t)sizeof told;
    close(pipe_fd);
    if (done) done = stub_serve(stub, -1, &told.error);
    stub_close(stub);
    arena_close(&arena);
    _exit(done ? 0 : 1);
}

bool stub_start(struct stub_process *process, const struct stub_options *options,
                struct error *err)
{
    int ends[2];
    *process = (struct stub_process){0};
    if (pipe2(ends, O_CLOEXEC) != 0) return error_set_errno(err, errno, "starting the stub");
    process->pid = fork();
    if (process->pid == 0) {
        close(ends[0]);
        serve_in_child(options, ends[1]);
    }
    close(ends[1]);
    struct started told = {0};
    ssize_t n = process->pid > 0 ? read(ends[0], &told, sizeof told) : 0;
    close(ends[0]);
    process->port = told.port;
    if (n == (ssize_t)sizeof told && told.port > 0) return true;
    stub_stop(process);
    if (told.error.code == ERROR_NONE) error_set(&told.error, ERROR_FAILED, "it did not start");
    *err = told.error;
    return error_wrap(err, "starting the stub");
}

void stub_stop(struct stub_process *process)
{
    if (process->pid <= 0) return;
    kill(process->pid, SIGTERM);
    waitpid(process->pid, NULL, 0);
    process->pid = 0;
}
