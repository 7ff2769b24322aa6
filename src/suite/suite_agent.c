#include "suite/suite_internal.h"

#include "base/json.h"
#include "base/os.h"
#include "model/variable.h"

#include <math.h>
#include <stdlib.h>

static const struct agent_kind *kind_of(const struct value *map)
{
    for (size_t i = 0; agent_kind_at(i); i++) {
        if (value_get(map, agent_kind_at(i)->name)) return agent_kind_at(i);
    }
    return NULL;
}

bool suite_agent_open(struct suite_agent *a, const struct value *map,
                      const struct agent_env *env, struct error *err)
{
    const struct value *id = value_get(map, "id");
    struct str name = id ? id->source : (struct str){0};
    const struct agent_kind *kind = kind_of(map);
    if (!kind) {
        return error_set(err, ERROR_INVALID, "agent '%.*s' is of an unknown kind",
                         STR_ARG(name));
    }
    void *config = arena_alloc(env->arena, 1, kind->config_size + 1, _Alignof(max_align_t));
    a->state = arena_alloc(env->arena, 1, kind->state_size + 1, _Alignof(max_align_t));
    bool done = param_read(kind->params, value_get(map, kind->name), config, env->arena, err) &&
                (!kind->available || kind->available(config, err));
    if (done) {
        a->kind = kind;
        a->limits = env->limits;
        done = kind->open(a->state, config, env, err);
    }
    if (done) return true;
    /* Whatever the reason: it cannot be started here. */
    if (err) err->code = ERROR_UNAVAILABLE;
    return error_wrap(err, "agent '%.*s' (%s)", STR_ARG(name), kind->name);
}

void suite_agent_close(struct suite_agent *a)
{
    if (a->kind) a->kind->close(a->state);
    a->kind = NULL;
}

void suite_agent_prices(const struct value *map, struct arena *arena,
                        struct agent_prices *prices)
{
    struct suite_prices p = {0};
    *prices = (struct agent_prices){.input = NAN, .output = NAN, .cache_read = NAN};
    if (!param_read(suite_prices_table, value_get(map, "prices"), &p, arena, NULL)) return;
    if (p.input >= 0) prices->input = p.input;
    if (p.output >= 0) prices->output = p.output;
    if (p.cache_read >= 0) prices->cache_read = p.cache_read;
    prices->date = p.date;
}

/* ---- keys ---- */

static struct str quoted(struct str text, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, 6 * text.n + 3);
    json_init(&j, &b, 0);
    json_str(&j, text);
    struct str inside = str_copy(out, (struct str){b.p + 1, b.n - 2});
    buf_release(&b);
    return inside;
}

static void add_name(struct suite_secret_names *names, const struct value *name)
{
    if (!name || name->kind != VALUE_TEXT) return;
    for (size_t i = 0; i < names->count; i++) {
        if (str_equal(names->items[i]->source, name->source)) return;
    }
    if (names->count < COUNT(names->items)) names->items[names->count++] = name;
}

void suite_add_variable_secrets(struct suite_secret_names *names, const struct value *env)
{
    for (size_t i = 0; env && env->kind == VALUE_MAP && i < env->map.count; i++) {
        add_name(names, variable_secret(env->map.pairs[i].value));
    }
}

void suite_add_agent_secrets(struct suite_secret_names *names, const struct value *agent)
{
    const struct agent_kind *kind = agent ? kind_of(agent) : NULL;
    const struct value *settings = kind ? value_get(agent, kind->name) : NULL;
    add_name(names, value_get(settings, "api_key_env"));
    suite_add_variable_secrets(names, value_get(settings, "env"));
}

const struct value *suite_secret_list(const struct suite_secret_names *names, struct arena *out)
{
    const struct value **items = arena_new(out, const struct value *, names->count + 1);
    for (size_t i = 0; i < names->count; i++) items[i] = names->items[i];
    return value_new_list(out, items, names->count);
}

bool suite_find_secrets(struct secrets *secrets, const struct value *names, struct arena *arena,
                        struct error *err)
{
    for (size_t i = 0; names && names->kind == VALUE_LIST && i < names->list.count; i++) {
        struct str key =
            str_trim(str_of(getenv(str_cstr(arena, names->list.items[i]->source))));
        for (int depth = 0; depth < 3; depth++) {
            if (!secrets_add(secrets, key, err)) return false;
            key = quoted(key, arena);
        }
    }
    return true;
}

/* ---- judges ---- */

static bool open_judge(struct suite_judges *j, size_t i, struct error *err)
{
    struct arena *arena = j->env->arena;
    const struct value *map = j->maps->list.items[i];
    static const char *const variables[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    const char *folder = arena_printf(arena, "%s/judge-%zu", j->env->work_dir, i);
    if (!os_make_dirs(folder, err)) return false;
    struct agent_env env = {
        .arena = arena,
        .work_dir = folder,
        .environment = variables,
        .limits = {.time_ns = j->time_ns},
        .config = value_get(map, "config"),
        .is_judge = true,
        .seed = j->env->workload_seed,
        .secrets = j->secrets,
        .unenforced = j->env->remarks,
    };
    suite_agent_prices(map, arena, &env.prices);
    return suite_agent_open(&j->agents[i], map, &env, err);
}

static bool find_judge(const struct suite_judges *j, const char *id, size_t *at,
                       struct error *err)
{
    size_t count = j->maps ? j->maps->list.count : 0;
    for (*at = 0; *at < count && *at < SUITE_JUDGES_MAX; (*at)++) {
        const struct value *name = value_get(j->maps->list.items[*at], "id");
        if (!name || !str_is(name->source, id)) continue;
        return true;
    }
    return error_set(err, ERROR_NOT_FOUND, "no agent '%s' to ask", id);
}

bool suite_judges_open(struct suite_judges *j, struct error *err)
{
    size_t count = j->maps ? j->maps->list.count : 0;
    for (size_t i = 0; i < count && i < SUITE_JUDGES_MAX; i++) {
        if (!open_judge(j, i, err)) return error_wrap(err, "for the rubric");
    }
    return true;
}

bool suite_judges_ask(void *context, const char *agent_id, struct str prompt, struct arena *out,
                      struct check_reply *reply, struct error *err)
{
    struct suite_judges *j = context;
    size_t at = 0;
    if (!find_judge(j, agent_id, &at, err)) return false;
    struct suite_agent *a = &j->agents[at];
    struct agent_answer answer;
    char number[32];
    snprintf(number, sizeof number, "judge-%lld", (long long)++j->asked);
    struct agent_task task = {
        .case_id = str_of(number), .input = prompt, .seed = j->env->workload_seed};
    agent_answer_init(&answer);
    if (a->kind->prepare && !a->kind->prepare(a->state, &task, err)) return false;
    enum trial_status status = a->kind->ask(a->state, &task);
    status = a->kind->conclude(a->state, &task, status, &answer);
    if (status != TRIAL_OK) {
        return error_set(err, ERROR_FAILED, "agent '%s': %s: %s", agent_id,
                         trial_status_name(status), answer.error.text);
    }
    *reply = (struct check_reply){.output = str_copy(out, answer.output),
                                  .cost_usd = answer.cost_usd,
                                  .tokens = answer.input_tokens + answer.output_tokens};
    return true;
}

void suite_judges_close(struct suite_judges *j)
{
    for (size_t i = 0; i < SUITE_JUDGES_MAX; i++) suite_agent_close(&j->agents[i]);
}
