#include "study/stress_run.h"

#include "base/json.h"
#include "load/load.h"
#include "model/cell.h"
#include "spec/spec_suite.h"
#include "study/rerun_internal.h"

#include <math.h>

enum { SPEC_MAX = 1 << 20, REQUEST_MAX = 1 << 20, MEASURED_MAX = 128 };

struct tester {
    const struct stress_request *request;
    struct arena *out;
    const struct value *target;
    struct str text;       /* the request, which the run keeps; its hash finds it again */
    struct run_record run; /* .id "" before the first phase */
    int64_t cells;         /* phases so far */
    struct stress_phase measured[MEASURED_MAX]; /* those that others may use */
    size_t measured_count;
    bool is_interrupted;
};

/* ---- the request as a value ---- */

static const struct value *text_value(struct arena *out, const char *text)
{
    return value_new_text(out, str_of(text));
}

static const struct value *list_value(struct arena *out, const struct param_texts *texts)
{
    const struct value **items = arena_new(out, const struct value *, texts->count + 1);
    for (size_t i = 0; i < texts->count; i++) items[i] = text_value(out, texts->items[i]);
    return value_new_list(out, items, texts->count);
}

static bool header_map(struct arena *out, const struct param_texts *headers,
                       const struct value **map, struct error *err)
{
    struct value_pair *pairs = arena_new(out, struct value_pair, headers->count + 1);
    for (size_t i = 0; i < headers->count; i++) {
        const char *text = headers->items[i];
        const char *colon = strchr(text, ':');
        if (!colon || colon == text)
            return error_set(err, ERROR_INVALID, "header '%s' is not 'NAME: VALUE'", text);
        pairs[i].key = (struct str){text, (size_t)(colon - text)};
        pairs[i].value = text_value(out, colon + 1 + strspn(colon + 1, " "));
    }
    *map = value_new_map(out, pairs, headers->count);
    return true;
}

static bool make_target(struct tester *t, struct error *err)
{
    const struct stress_target *g = t->request->target;
    struct arena *out = t->out;
    const struct value *headers = NULL;
    if (!header_map(out, &g->headers, &headers, err)) return false;
    const struct {
        const char *key;
        const struct value *value; /* NULL: left out */
    } rows[] = {
        {"url", g->url ? text_value(out, g->url) : NULL},
        {"serve", g->serve ? text_value(out, g->serve) : NULL},
        {"method", g->method ? text_value(out, g->method) : NULL},
        {"body", g->body && g->url ? text_value(out, g->body) : NULL},
        {"headers", g->headers.count ? headers : NULL},
        {"allow_hosts", g->allow_hosts.count ? list_value(out, &g->allow_hosts) : NULL},
        {"arrivals", text_value(out, g->arrivals)},
        {"threads", value_new_int(out, g->threads)},
        {"timeout_s", value_new_real(out, g->timeout_s)},
        {"objective_ms", g->objective_s > 0 ? value_new_real(out, 1e3 * g->objective_s) : NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].value)
            t->target = value_with(out, t->target, str_of(rows[i].key), rows[i].value);
    }
    for (size_t i = 0; g->asked && i < g->asked->map.count; i++) {
        const struct value_pair *p = &g->asked->map.pairs[i];
        t->target = value_with(out, t->target, p->key, p->value);
    }
    return true;
}

/* What makes one test another. */
static void write_request(struct tester *t)
{
    const struct stress_request *q = t->request;
    struct buf text;
    struct json j;
    buf_init(&text, REQUEST_MAX);
    json_init(&j, &text, 2);
    json_object(&j);
    if (q->target->agent) json_put_value(&j, "agent", q->target->agent);
    json_put_value(&j, "target", t->target);
    json_key(&j, "scenarios");
    json_list(&j);
    for (size_t i = 0; i < q->scenario_count; i++) json_text(&j, q->scenarios[i]->name);
    json_end(&j);
    json_put_real(&j, "rate", q->scenario_count ? q->terms->normal_rate : q->ask.rate);
    json_put_int(&j, "in_flight", q->scenario_count ? q->terms->in_flight : q->ask.connections);
    json_put_real(&j, "seconds", q->scenario_count ? q->terms->block_s : q->ask.seconds);
    json_put_real(&j, "factor", q->terms->factor);
    json_put_real(&j, "error_share", q->terms->error_share);
    json_put_int(&j, "seed", q->seed);
    json_end(&j);
    t->text = str_copy(t->out, buf_str(&text));
    buf_release(&text);
}

/* NULL: not a service, or its address has fields of cases. */
static const char *service_url(const struct value *agent, struct arena *out)
{
    const char *kind = suite_agent_kind(agent);
    const struct value *map = kind ? value_get(agent, kind) : NULL;
    const struct value *url = map && map->kind == VALUE_MAP ? value_get(map, "url") : NULL;
    bool is_whole = url && str_starts(url->source, S("http")) &&
                    !memmem(url->source.p, url->source.n, "{{", 2);
    return is_whole ? str_cstr(out, url->source) : NULL;
}

/* What no run could do is said before one is stored. */
static bool check_target(const struct tester *t, struct error *err)
{
    enum { IN_FLIGHT = 10, OPEN_IN_FLIGHT = 1000 }; /* where nobody says (experiment load) */
    const struct stress_request *q = t->request;
    const struct stress_target *g = q->target;
    struct target target;
    struct str ignored;
    struct target_terms terms = {.allowed = g->allow_hosts.items,
                                 .allowed_count = g->allow_hosts.count,
                                 .names = q->nursery ? q->nursery->names : NULL};
    struct target_request asks = {.method = g->method,
                                  .headers = g->headers.items,
                                  .header_count = g->headers.count,
                                  .body = str_of(g->body ? g->body : "")};
    bool is_open_load = q->scenario_count > 0 || q->ask.rate > 0;
    int64_t in_flight = q->scenario_count > 0 ? 0 : q->ask.connections;
    if (in_flight == 0) in_flight = is_open_load ? OPEN_IN_FLIGHT : IN_FLIGHT;
    const char *service = g->agent ? service_url(g->agent, t->out) : NULL;
    if (service) return target_open(&target, service, &terms, t->out, err);
    if (!g->url) return true;
    return target_open(&target, g->url, &terms, t->out, err) &&
           target_write(&target, &asks, t->out, &ignored, err) &&
           load_has_room((size_t)in_flight, err);
}

static bool begin(struct tester *t, struct error *err)
{
    if (t->request->resume) t->run = *t->request->resume;
    if (!make_target(t, err) || !check_target(t, err)) return false;
    write_request(t);
    return true;
}

/* ---- a phase as a cell ---- */

static void put_params(struct json *j, const struct tester *t, const struct stress_ask *ask)
{
    const struct value *target = t->target;
    json_key(j, "params");
    json_object(j);
    for (size_t i = 0; i < target->map.count; i++) {
        if (ask->timeout_s > 0 && str_is(target->map.pairs[i].key, "timeout_s")) continue;
        json_key_str(j, target->map.pairs[i].key);
        json_value(j, target->map.pairs[i].value);
    }
    if (ask->timeout_s > 0)
        json_put_real(j, "timeout_s", fmin(ask->timeout_s, t->request->target->timeout_s));
    json_put_real(j, "rate", ask->rate);
    if (ask->connections > 0) json_put_int(j, "connections", ask->connections);
    json_put_real(j, "seconds", ask->seconds);
    json_put_text(j, "shape", ask->shape);
    if (ask->factor > 0) json_put_real(j, "factor", ask->factor);
    if (ask->spike_share > 0) json_put_real(j, "spike_share", ask->spike_share);
    if (ask->body_bytes > 0) json_put_int(j, "body_bytes", ask->body_bytes);
    if (strcmp(ask->fault, "none") != 0) json_put_text(j, "fault", ask->fault);
    if (ask->memory_limit_mb > 0) json_put_real(j, "memory_limit_mb", ask->memory_limit_mb);
    json_end(j);
}

/* Phases of a test have one target: what tells them apart is what is done to it. */
static const char *label_of(const struct tester *t, const char *target,
                            const struct stress_ask *ask)
{
    const char *role = strcmp(ask->fault, "none") == 0 ? ask->role : ask->fault;
    if (t->request->scenario_count == 0) return target; /* one load */
    if (ask->body_bytes > 0)
        return arena_printf(t->out, "%s, %lld bytes", target, (long long)ask->body_bytes);
    if (ask->memory_limit_mb > 0)
        return arena_printf(t->out, "%s, %s to %.4g MB", target, role, ask->memory_limit_mb);
    if (ask->rate > 0) return arena_printf(t->out, "%s, %s %.4g/s", target, role, ask->rate);
    return arena_printf(t->out, "%s, %lld in flight", target, (long long)ask->connections);
}

/* The cell alone is the plan, with its place in the whole run. */
static bool make_plan(struct tester *t, const struct stress_ask *ask, struct plan **plan,
                      struct error *err)
{
    struct buf text;
    struct json j;
    buf_init(&text, SPEC_MAX);
    json_init(&j, &text, 0);
    json_object(&j);
    json_put_text(&j, "experiment", "load");
    json_put_int(&j, "seed", t->request->seed + t->cells); /* a phase again: other draws */
    json_key(&j, "iterations");
    json_object(&j);
    json_put_int(&j, "warmup", 0);
    json_put_int(&j, "measured", ask->blocks);
    json_end(&j);
    put_params(&j, t, ask);
    if (t->request->target->agent) {
        json_key_list(&j, "agents");
        json_value(&j, t->request->target->agent);
        json_end(&j);
    }
    json_end(&j);
    struct spec *spec = NULL;
    struct str bytes = str_copy(t->out, buf_str(&text));
    buf_release(&text);
    if (!spec_load_text("(stress)", bytes, NULL, t->out, &spec, err)) return false;
    if (t->request->target->spec_path) spec->path = t->request->target->spec_path;
    spec->stub_name = t->request->target->stub_name;
    spec->stub_url = t->request->target->stub_url;
    spec->text = t->text;
    id_sha256(t->text, spec->hash);
    if (!rerun_check(spec, t->out, err) || !plan_make(spec, t->out, plan, err)) return false;
    struct plan_cell *cell = &(*plan)->cells[0];
    cell->index = (size_t)t->cells;
    cell->name = arena_printf(t->out, "%lld %s", (long long)t->cells, ask->role);
    cell->label = label_of(t, cell->label, ask);
    return true;
}

/* All its blocks are there, or not one was answered. One that was cut off is measured on. */
static bool is_whole(const struct execution_record *e)
{
    const struct trial_counts *c = &e->counts;
    bool is_full = c->attempted >= e->measured_planned || c->by_status[TRIAL_OK] == 0;
    return e->status == RUN_SUCCESS || (e->status == RUN_FAILED && c->attempted > 0 && is_full);
}

/* What was just measured is as whole as it gets: a failure to start has its reason. */
static bool find_stored(struct tester *t, const struct plan_cell *cell, bool is_new,
                        const struct execution_record **found, struct error *err)
{
    struct execution_record *all = NULL;
    size_t count = 0;
    *found = NULL;
    if (!t->run.id[0]) return true;
    if (!store_list_executions(t->request->store, t->run.id, t->out, &all, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_it =
            all[i].cell_index == (int64_t)cell->index && cell_has_key(&all[i], cell->key);
        bool is_over = is_new && all[i].status == RUN_FAILED;
        if (is_it && (is_over || is_whole(&all[i]))) *found = &all[i];
    }
    return true;
}

static bool measure(struct tester *t, const struct plan *plan, struct error *err)
{
    const struct stress_request *q = t->request;
    struct run_outcome outcome = {0};
    struct run_request run = {
        .store = q->store,
        .nursery = q->nursery,
        .plan = plan,
        .resume = t->run.id[0] ? &t->run : NULL,
        .jobs = 1,
        .command = q->command,
        .assay_version = q->assay_version,
        .listener = q->listener,
    };
    bool done = run_execute(&run, t->out, &outcome, err);
    t->is_interrupted |= outcome.interrupted;
    return done && store_find_run(q->store, outcome.run_id, t->out, &t->run, err);
}

/* ---- what was measured ---- */

static const double *find_series(const struct series_record *all, size_t count,
                                 const char *name, size_t *n)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i].phase != PHASE_MEASURED || strcmp(all[i].metric, name) != 0) continue;
        *n = all[i].count;
        return all[i].samples;
    }
    return NULL;
}

static const struct {
    const char *metric;
    size_t offset;
} members[] = {
#define MEMBER(name, member)                        \
    {                                               \
        name, offsetof(struct stress_block, member) \
    }
    MEMBER("rate", rate),
    MEMBER("response_p50_s", p50_s),
    MEMBER("response_p95_s", p95_s),
    MEMBER("response_p99_s", p99_s),
    MEMBER("response_mean_s", mean_s),
    MEMBER("queue_growth_s", growth_s),
    MEMBER("error_share", error_share),
    MEMBER("retry_after_s", retry_after_s),
    MEMBER("recovery_s", recovery_s),
    MEMBER("baseline", baseline),
    MEMBER("spike_rate", spike_rate),
    MEMBER("lost", lost),
    MEMBER("first_success_s", first_success_s),
    MEMBER("server_memory_mb", memory_mb),
    MEMBER("server_cpu_s", cpu_s),
    MEMBER("server_threads", threads),
    MEMBER("server_files", files),
    MEMBER("server_deaths", deaths),
    MEMBER("server_group_mb", group_mb),
    MEMBER("server_memory_kills", memory_kills),
    MEMBER("accuracy", accuracy),
    MEMBER("in_flight", in_flight),
#undef MEMBER
};

/* Shares of what was scheduled, from the counts. */
static void fill_shares(const struct series_record *all, size_t count, double seconds,
                        struct stress_block *blocks, size_t n)
{
    size_t length = 0;
    const double *scheduled = find_series(all, count, "scheduled", &length);
    const double *limited = find_series(all, count, "too_many_requests", &length);
    const double *status = find_series(all, count, "bad_status", &length);
    const double *reset = find_series(all, count, "reset", &length);
    const double *refused = find_series(all, count, "no_connection", &length);
    for (size_t i = 0; i < n && scheduled && limited && status && reset && refused; i++) {
        if (!(scheduled[i] > 0)) continue;
        blocks[i].scheduled_rate = scheduled[i] / seconds;
        blocks[i].limited_share = limited[i] / scheduled[i];
        blocks[i].refused_share =
            (limited[i] + status[i] + reset[i] + refused[i]) / scheduled[i];
    }
}

static bool read_phase(struct tester *t, const struct execution_record *e,
                       struct stress_phase *phase, struct error *err)
{
    struct series_record *all = NULL;
    size_t count = 0, n = 0, length = 0;
    if (!store_list_series(t->request->store, e->id, t->out, &all, &count, err)) return false;
    const double *statuses = find_series(all, count, "trial.status", &n);
    const double *generator = find_series(all, count, "generator", &length);
    struct stress_block *blocks = arena_new(t->out, struct stress_block, n + 1);
    for (size_t i = 0; i < n; i++) {
        blocks[i].is_answered = (int)statuses[i] == TRIAL_OK;
        blocks[i].is_spoiled = generator && i < length && generator[i] > 0;
    }
    for (size_t m = 0; m < COUNT(members); m++) {
        const double *values = find_series(all, count, members[m].metric, &length);
        for (size_t i = 0; i < n; i++) {
            double *to = (double *)((char *)&blocks[i] + members[m].offset);
            *to = values && i < length ? values[i] : (double)NAN;
        }
    }
    fill_shares(all, count, phase->ask.seconds, blocks, n);
    phase->execution_id = arena_printf(t->out, "%s", e->id);
    phase->blocks = blocks;
    phase->count = n;
    if (n == 0 || e->counts.by_status[TRIAL_OK] == 0) phase->error = e->error_details;
    return true;
}

/* The same load on the same agent, for however long. */
static bool is_same_load(const struct stress_ask *a, const struct stress_ask *b)
{
    double off = fabs(a->rate - b->rate);
    return off <= 1e-9 * fmax(a->rate, b->rate) && a->connections == b->connections &&
           a->body_bytes == b->body_bytes &&
           fabs(a->memory_limit_mb - b->memory_limit_mb) < 0.01 &&
           strcmp(a->shape, b->shape) == 0 && strcmp(a->fault, b->fault) == 0;
}

static const struct stress_phase *find_old(const struct tester *t, const struct stress_ask *ask)
{
    for (size_t i = t->measured_count; i > 0 && ask->can_be_old; i--) {
        if (is_same_load(&t->measured[i - 1].ask, ask)) return &t->measured[i - 1];
    }
    return NULL;
}

static bool carry_out_phase(struct tester *t, const struct stress_ask *ask,
                            struct stress_phase *phase, struct error *err)
{
    struct plan *plan = NULL;
    const struct execution_record *e = NULL;
    const struct stress_phase *old = find_old(t, ask);
    if (old) {
        *phase = *old;
        return true;
    }
    *phase = (struct stress_phase){.ask = *ask};
    if (!make_plan(t, ask, &plan, err) || !find_stored(t, &plan->cells[0], false, &e, err))
        return false;
    if (!e && (!measure(t, plan, err) || !find_stored(t, &plan->cells[0], true, &e, err)))
        return false;
    t->cells++;
    if (e && !read_phase(t, e, phase, err)) return false;
    if (e && t->measured_count < MEASURED_MAX) t->measured[t->measured_count++] = *phase;
    return true;
}

bool stress_load_once(const struct stress_request *request, struct arena *out,
                      char run_id[UUID_SIZE], bool *is_interrupted, struct error *err)
{
    struct tester t = {.request = request, .out = out};
    struct stress_phase phase;
    bool done = begin(&t, err) && carry_out_phase(&t, &request->ask, &phase, err);
    memcpy(run_id, t.run.id, UUID_SIZE);
    *is_interrupted = t.is_interrupted;
    return done;
}

/* ---- scenarios ---- */

enum { PHASES_MAX = 64 };

static bool find_usual(struct tester *t, struct stress_case *c, struct error *err)
{
    const struct stress_terms *terms = t->request->terms;
    struct stress_phase *phases = arena_new(t->out, struct stress_phase, PHASES_MAX);
    size_t count = 0;
    struct stress_ask ask;
    while (!t->is_interrupted && stress_next_usual(terms, phases, count, &ask)) {
        if (!carry_out_phase(t, &ask, &phases[count], err)) return false;
        count++;
    }
    return t->is_interrupted || stress_usual(terms, phases, count, c, err);
}

static bool carry_out_scenario(struct tester *t, const struct stress_case *usual,
                               struct stress_result *r, struct error *err)
{
    struct stress_case c = *usual;
    struct stress_phase *phases = arena_new(t->out, struct stress_phase, PHASES_MAX);
    struct stress_ask ask;
    c.phases = phases;
    r->score = NAN;
    enum stress_reason needs = r->scenario->needs;
    if ((needs == STRESS_NO_PROCESS && !c.terms->has_process) ||
        (needs == STRESS_NO_INPUT && !c.terms->has_input)) {
        r->outcome = STRESS_NOT_APPLICABLE;
        r->reason = needs;
        return true;
    }
    while (!t->is_interrupted && c.count < PHASES_MAX && stress_next(r->scenario, &c, &ask)) {
        if (!carry_out_phase(t, &ask, &phases[c.count], err)) return false;
        c.count++;
    }
    if (!t->is_interrupted) stress_judge(&c, t->out, r);
    return true;
}

bool stress_carry_out(const struct stress_request *request, struct arena *out,
                      struct stress *stress, struct error *err)
{
    struct tester t = {.request = request, .out = out};
    const struct stress_target *target = request->target;
    *stress = (struct stress){.agent = target->url};
    if (target->agent) stress->agent = str_cstr(out, suite_agent_id(target->agent));
    stress->results = arena_new(out, struct stress_result, request->scenario_count + 1);
    bool done = begin(&t, err) && find_usual(&t, &stress->usual, err);
    for (size_t i = 0; done && !t.is_interrupted && i < request->scenario_count; i++) {
        struct stress_result *r = &stress->results[i];
        r->scenario = request->scenarios[i];
        done = carry_out_scenario(&t, &stress->usual, r, err);
        stress->count += done && !t.is_interrupted;
    }
    stress->run_id = arena_printf(out, "%s", t.run.id);
    stress->is_interrupted = t.is_interrupted;
    if (done) stress_conclude(stress, out);
    return done;
}
