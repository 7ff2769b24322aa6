#include "suite/load_agent.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/problems.h"
#include "load/pool.h"

#include <math.h>
#include <sched.h>

enum { KEPT_MAX = 1000, PLACES_MIN = 2, PLACES_MAX = 16, SINGLE = 1 };

struct seat { /* of the pool: somebody to ask */
    struct arena arena;
    struct suite_place place;
    struct suite_agent agent;
    struct buf unsaid; /* remarks that the first seat's repeat */
    const struct suite_trial *asked;
    struct agent_answer answer;
};

struct load_agent {
    struct load_agent_options options;
    struct suite_scorer scorer;
    struct secrets secrets;
    struct suite_trial *cases; /* with their tasks; answers only while judged */
    size_t case_count;
    struct seat *seats; /* of a service one, which writes requests and reads replies */
    size_t seat_count;
    struct pool_work work;
    struct pool *pool; /* NULL: over connections */
    struct target target;
    struct load_plan plan;
    struct load *load;
    pid_t *roots;
    size_t root_count;
    struct subject_groups groups;
};

/* ---- cases ---- */

static void fill_up(struct agent_task *task, size_t bytes, struct arena *arena)
{
    if (task->input.n >= bytes) return;
    char *filled = arena_new(arena, char, bytes);
    memset(filled, ' ', bytes);
    memcpy(filled, task->input.p, task->input.n);
    task->input = (struct str){filled, bytes};
}

static bool read_cases(struct load_agent *a, struct error *err)
{
    const struct load_agent_options *o = &a->options;
    struct arena *arena = o->env->arena;
    struct problems problems = {.arena = arena, .file = "cases"};
    struct dataset_options how = {.rubric = o->config->rubric};
    struct case_set set = {0};
    if (!o->cases || !dataset_read_list(o->cases, &how, arena, &set, &problems) ||
        set.count == 0) {
        return error_set(err, ERROR_INVALID, "an agent under load needs `cases`: %s",
                         problems.kept ? problems.items[0].text : "a list of inputs");
    }
    a->cases = arena_new(arena, struct suite_trial, set.count);
    a->case_count = set.count;
    for (size_t i = 0; i < set.count; i++) {
        struct suite_trial *t = &a->cases[i];
        *t = (struct suite_trial){.arena = arena, .item = set.items[i]};
        uint64_t seed = rng_derive(o->env->workload_seed, 2, i);
        if (!suite_scorer_begin(&a->scorer, t, seed, err))
            return error_wrap(err, "case '%s'", t->item.id);
        for (size_t k = 0; k < t->turn_count; k++)
            fill_up(&t->turns[k].task, (size_t)o->input_bytes, arena);
    }
    return true;
}

static bool has_conversations(const struct load_agent *a)
{
    for (size_t i = 0; i < a->case_count; i++) {
        if (a->cases[i].turn_count > 1) return true;
    }
    return false;
}

/* ---- seats ---- */

static bool open_seat(struct load_agent *a, size_t i, struct error *err)
{
    const struct load_agent_options *o = &a->options;
    const struct experiment_env *env = o->env;
    struct seat *s = &a->seats[i];
    struct suite_constraints c = {0};
    s->arena = arena_open();
    buf_init(&s->unsaid, 1 << 16);
    if (!param_read(suite_constraints_table, o->config->constraints, &c, &s->arena, err))
        return false;
    struct experiment_env own = *env;
    own.arena = &s->arena;
    own.work_dir = arena_printf(&s->arena, "%s/place-%zu", env->work_dir, i);
    if (!os_make_dirs(own.work_dir, err) ||
        !suite_place_open(&s->place, &own, o->config->environment, err))
        return false;
    struct agent_env to = {
        .arena = &s->arena,
        .work_dir = s->place.work_dir,
        .environment = s->place.variables,
        .hidden = env->hidden,
        .fixed = env->fixed,
        .folders = env->folders,
        .limits = {.time_ns = (int64_t)(o->wire.timeout_s * 1e9),
                   .memory_bytes = (int64_t)(c.memory_limit_mb * 1e6),
                   .output_bytes = c.output_limit_bytes,
                   .processes = c.process_limit,
                   .tokens = c.token_limit,
                   .cost_usd = c.cost_limit_usd},
        .config = value_get(env->agent, "config"),
        .pin = a->target.url ? target_pin(&a->target, &s->arena) : NULL,
        .seed = rng_derive(env->workload_seed, 3, i),
        .secrets = &a->secrets,
        .unenforced = i == 0 && env->remarks ? env->remarks : &s->unsaid,
    };
    a->groups.usual_bytes = to.limits.memory_bytes;
    suite_agent_prices(env->agent, &s->arena, &to.prices);
    return suite_agent_open(&s->agent, env->agent, &to, err);
}

static bool close_seat(struct seat *s, struct error *err)
{
    if (!s->unsaid.max) return true; /* never opened */
    suite_agent_close(&s->agent);
    bool done = !s->place.work_dir || suite_place_close(&s->place, err);
    buf_release(&s->unsaid);
    arena_close(&s->arena);
    *s = (struct seat){0};
    return done;
}

static bool prepare_seat(void *context, size_t place, size_t request, struct error *err)
{
    struct load_agent *a = context;
    struct seat *s = &a->seats[place];
    const struct agent_kind *kind = s->agent.kind;
    s->asked = &a->cases[request];
    bool done = !kind->prepare || kind->prepare(s->agent.state, &s->asked->turns[0].task, err);
    if (!done) secret_redact_error(&a->secrets, err);
    return done;
}

/* Framed, since a conversation has several. */
static void keep(struct buf *kept, struct str output)
{
    uint64_t n = output.n;
    buf_add_bytes(kept, &n, sizeof n);
    buf_add(kept, output);
}

static void note_stream(const struct agent_answer *answer, int64_t sent_ns, size_t turn,
                        struct pool_reply *reply)
{
    if (isnan(answer->first_token_s)) return;
    if (turn == 0) reply->first_token_ns = sent_ns + (int64_t)(1e9 * answer->first_token_s);
    reply->tokens += isnan(answer->output_tokens) ? 0 : (int64_t)answer->output_tokens;
    reply->gaps_s = answer->gaps_s; /* of the last turn */
    reply->gap_count = answer->gap_count;
}

static void ask_seat(void *context, size_t place, struct buf *kept, struct pool_reply *reply)
{
    struct load_agent *a = context;
    struct seat *s = &a->seats[place];
    const struct agent_kind *kind = s->agent.kind;
    struct agent_answer *answer = &s->answer;
    *reply = (struct pool_reply){.status = TRIAL_OK};
    for (size_t i = 0; i < s->asked->turn_count && reply->status == TRIAL_OK; i++) {
        const struct agent_task *task = &s->asked->turns[i].task;
        if (i > 0 && kind->prepare && !kind->prepare(s->agent.state, task, &answer->error)) {
            reply->status = TRIAL_HARNESS_ERROR;
            break;
        }
        int64_t sent_ns = clock_ns();
        enum trial_status status = kind->ask(s->agent.state, task);
        reply->end_ns = clock_ns();
        reply->status = kind->conclude(s->agent.state, task, status, answer);
        if (reply->status != TRIAL_OK) break;
        reply->turns++;
        note_stream(answer, sent_ns, i, reply);
        if (kept) keep(kept, answer->output);
    }
    secret_redact_error(&a->secrets, &answer->error);
    reply->why = answer->error.text;
}

/* As many as this machine has processors: more agents of one machine are no more agents. */
static size_t usual_places(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : PLACES_MIN;
    return (size_t)(n < PLACES_MIN ? PLACES_MIN : n > PLACES_MAX ? PLACES_MAX : n);
}

static bool open_pool(struct load_agent *a, const struct agent_kind *kind, struct error *err)
{
    struct arena *arena = a->options.env->arena;
    size_t wanted = a->options.connections ? a->options.connections : usual_places();
    if (wanted > POOL_PLACES_MAX) wanted = POOL_PLACES_MAX;
    a->seat_count = kind->is_single ? SINGLE : wanted;
    a->seats = arena_new(arena, struct seat, a->seat_count);
    a->roots = arena_new(arena, pid_t, a->seat_count);
    struct cgroup **groups = arena_new(arena, struct cgroup *, a->seat_count);
    for (size_t i = 0; i < a->seat_count; i++) {
        if (!open_seat(a, i, err)) return false;
        if (kind->root) a->roots[a->root_count++] = kind->root(a->seats[i].agent.state);
        if (kind->group) groups[i] = kind->group(a->seats[i].agent.state);
    }
    a->groups.items = groups;
    a->groups.count = kind->group ? a->seat_count : 0;
    a->work = (struct pool_work){.context = a, .prepare = prepare_seat, .ask = ask_seat};
    struct pool_plan plan = {.work = &a->work,
                             .places = a->seat_count,
                             .requests = a->case_count,
                             .kept_max = KEPT_MAX,
                             .patience_s = a->options.wire.timeout_s,
                             .works_itself = !kind->root && !kind->wire};
    return pool_open(&a->pool, &plan, arena, err) && pool_warm(a->pool, err);
}

/* ---- services ---- */

/* The first address is resolved, and loaded; all others must be of the same server. */
static bool find_target(struct load_agent *a, const char *url, struct target *t,
                        struct error *err)
{
    struct arena *arena = a->options.env->arena;
    if (a->target.url) return target_open_beside(t, url, &a->target, arena, err);
    if (!target_open(t, url, &a->options.terms, arena, err)) return false;
    a->target = *t;
    return true;
}

/* The bytes of case i, whose address may differ in its path. */
static bool write_case(struct load_agent *a, size_t i, struct str *bytes, struct error *err)
{
    struct seat *s = &a->seats[0];
    struct arena *arena = a->options.env->arena;
    struct agent_wire wire;
    struct target own;
    if (!s->agent.kind->prepare(s->agent.state, &a->cases[i].turns[0].task, err)) return false;
    s->agent.kind->wire(s->agent.state, &wire);
    if (!find_target(a, arena_printf(arena, "%s", wire.url), &own, err))
        return error_wrap(err, "case '%s'", a->cases[i].item.id);
    struct target_request r = {.method = wire.method,
                               .headers = wire.headers,
                               .header_count = wire.header_count,
                               .body = wire.body};
    return target_write(&own, &r, arena, bytes, err);
}

static bool open_wire(struct load_agent *a, struct error *err)
{
    const struct load_agent_options *o = &a->options;
    struct str *requests = arena_new(o->env->arena, struct str, a->case_count);
    a->seats = arena_new(o->env->arena, struct seat, SINGLE);
    a->seat_count = SINGLE;
    if (!open_seat(a, 0, err)) return false;
    for (size_t i = 0; i < a->case_count; i++) {
        if (!write_case(a, i, &requests[i], err)) return false;
    }
    a->plan = o->wire;
    a->plan.target = &a->target;
    a->plan.requests = requests;
    a->plan.request_count = a->case_count;
    a->plan.connections = o->connections ? o->connections : o->is_open_load ? 1000 : 10;
    a->plan.kept_max = KEPT_MAX;
    return load_open(&a->load, &a->plan, o->env->arena, err);
}

/* ---- opening ---- */

static const struct agent_kind *kind_of(const struct value *map)
{
    for (size_t i = 0; agent_kind_at(i); i++) {
        if (value_get(map, agent_kind_at(i)->name)) return agent_kind_at(i);
    }
    return NULL;
}

const char *load_agent_url(const struct value *agent, struct arena *out)
{
    const struct agent_kind *kind = kind_of(agent);
    const struct value *url =
        kind && kind->wire ? value_get(value_get(agent, kind->name), "url") : NULL;
    return url ? str_cstr(out, url->source) : NULL;
}

static bool find_secrets(struct load_agent *a, struct error *err)
{
    const struct experiment_env *env = a->options.env;
    struct suite_secret_names names = {0};
    suite_add_agent_secrets(&names, env->agent);
    suite_add_variable_secrets(&names, value_get(a->options.config->environment, "env"));
    return suite_find_secrets(&a->secrets, suite_secret_list(&names, env->arena), env->arena,
                              err);
}

bool load_agent_open(struct load_agent **agent, const struct load_agent_options *options,
                     struct error *err)
{
    const struct experiment_env *env = options->env;
    struct load_agent *a = arena_new(env->arena, struct load_agent, 1);
    const struct agent_kind *kind = kind_of(env->agent);
    *agent = a;
    a->options = *options;
    if (!kind) return error_set(err, ERROR_INVALID, "the agent is of an unknown kind");
    bool done = find_secrets(a, err) &&
                suite_scorer_open(&a->scorer, options->config, env, &a->secrets, err) &&
                read_cases(a, err);
    const char *url = load_agent_url(env->agent, env->arena);
    bool is_wired = url && !has_conversations(a);
    /* Nobody is asked who may not be loaded. */
    struct target checked;
    if (options->server) a->target = *options->server;
    if (done && url && !strstr(url, "{{")) done = find_target(a, url, &checked, err);
    if (done && url && !is_wired && strstr(url, "{{")) {
        done = error_set(err, ERROR_INVALID,
                         "conversations are loaded at one address, and this one has fields: %s",
                         url);
    }
    if (done) done = is_wired ? open_wire(a, err) : open_pool(a, kind, err);
    if (!done) secret_redact_error(&a->secrets, err);
    return done;
}

bool load_agent_close(struct load_agent *a, struct error *err)
{
    bool done = true;
    if (!a) return true;
    load_close(a->load);
    pool_close(a->pool);
    for (size_t i = 0; i < a->seat_count; i++) {
        done = close_seat(&a->seats[i], done ? err : NULL) && done;
    }
    suite_scorer_close(&a->scorer);
    if (!done) secret_redact_error(&a->secrets, err);
    return done;
}

bool load_agent_block(struct load_agent *a, const struct load_block *block,
                      struct load_result *result, struct error *err)
{
    return a->pool ? pool_block(a->pool, block, result, err)
                   : load_block(a->load, block, result, err);
}

size_t load_agent_roots(const struct load_agent *a, const pid_t **roots,
                        struct subject_groups *groups)
{
    *groups = a->groups;
    *roots = a->roots;
    return a->root_count;
}

/* ---- judging ---- */

/* Of a conversation's turns. */
static bool next_output(struct str *rest, struct str *output)
{
    uint64_t n = 0;
    if (rest->n < sizeof n) return false;
    memcpy(&n, rest->p, sizeof n);
    if (rest->n - sizeof n < n) return false;
    *output = (struct str){rest->p + sizeof n, (size_t)n};
    *rest = (struct str){rest->p + sizeof n + n, rest->n - sizeof n - (size_t)n};
    return true;
}

/* What came over the wire and cannot be read is an answer that is wrong. */
static bool take_answers(struct load_agent *a, const struct kept_answer *kept,
                         struct suite_trial *t)
{
    struct str rest = buf_str(&kept->bytes);
    for (t->answered = 0; t->answered < t->turn_count; t->answered++) {
        struct agent_answer *answer = &t->turns[t->answered].answer;
        struct seat *s = &a->seats[0];
        agent_answer_init(answer);
        if (a->pool) {
            if (!next_output(&rest, &answer->output)) return false;
        } else if (s->agent.kind->read(s->agent.state, rest, answer) != TRIAL_OK) {
            return false;
        }
    }
    return true;
}

static bool judge_one(struct load_agent *a, const struct kept_answer *kept,
                      struct load_accuracy *to, struct error *err)
{
    struct suite_trial t = a->cases[kept->request];
    struct arena scratch = arena_open();
    bool is_judged = false, done = true;
    for (size_t i = 0; i < t.turn_count; i++) is_judged |= t.turns[i].is_judged;
    t.arena = &scratch;
    t.score = 0;
    if (is_judged && take_answers(a, kept, &t)) done = suite_scorer_judge(&a->scorer, &t, err);
    if (done && is_judged && !isnan(t.score)) {
        to->checked++;
        to->score += t.score;
    }
    arena_close(&scratch);
    return done;
}

bool load_agent_judge(struct load_agent *a, const struct load_result *r, uint64_t seed,
                      struct load_accuracy *accuracy, struct error *err)
{
    int64_t until_ns = clock_ns() + (int64_t)(r->length_s * 1e9);
    struct arena scratch = arena_open();
    struct rng rng = rng_seeded(rng_derive(seed, 4, 0));
    bool done = true;
    *accuracy = (struct load_accuracy){0};
    size_t n = 0;
    for (size_t k = 0; k < r->kept_count; k++) n += r->kept[k].used;
    const struct kept_answer **all = arena_new(&scratch, const struct kept_answer *, n + 1);
    uint32_t *order = arena_new(&scratch, uint32_t, n + 1);
    n = 0;
    for (size_t k = 0; k < r->kept_count; k++) {
        for (size_t i = 0; i < r->kept[k].used; i++) {
            if (r->kept[k].slots[i].is_whole) all[n++] = &r->kept[k].slots[i];
        }
    }
    rng_permutation(&rng, order, n);
    for (size_t i = 0; i < n && done && (i == 0 || clock_ns() < until_ns); i++)
        done = judge_one(a, all[order[i]], accuracy, err);
    accuracy->score =
        accuracy->checked > 0 ? accuracy->score / (double)accuracy->checked : (double)NAN;
    if (!done) secret_redact_error(&a->secrets, err);
    arena_close(&scratch);
    return done;
}
