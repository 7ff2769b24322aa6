/* The agents to benchmark: the agents of the file, of included files, and those
 * that are registered in the store. */
#include "spec/spec_suite_internal.h"

#include "base/json.h"
#include "base/os.h"
#include "model/record.h"
#include "model/variable.h"
#include "suite/suite.h"

enum { AGENTS_MAX = 64 };

static const struct value *list_of(struct arena *out, const struct value **items, size_t count)
{
    return value_new_list(out, items, count);
}

const char *suite_agent_kind(const struct value *agent)
{
    for (size_t i = 0; agent_kind_at(i); i++) {
        if (value_get(agent, agent_kind_at(i)->name)) return agent_kind_at(i)->name;
    }
    return NULL;
}

struct str suite_agent_id(const struct value *agent)
{
    CHECK(agent != NULL);
    const struct value *id = value_get(agent, "id");
    return id ? id->source : agent->source;
}

bool suite_agent_has_version(const struct value *agent)
{
    const struct value *version = value_get(agent, "version");
    return version && version->kind != VALUE_NULL;
}

/* Settings of a model, or NULL: other agents are programs, whose version is their commit. */
static const struct value *model_of(const struct value *agent)
{
    const struct value *model = value_get(agent, "openai");
    if (!model) model = value_get(agent, "http");
    return model && model->kind == VALUE_MAP ? model : NULL;
}

const struct value *suite_agent_configuration(const struct value *agent, struct arena *out)
{
    static const char *const reaching[] = {"url", "api_key_env", "api_key_header", "headers",
                                           "retry"};
    const struct value *model = model_of(agent);
    const struct value *made = value_get(agent, "config");
    if (made && made->kind != VALUE_MAP) made = NULL;
    for (size_t i = 0; model && i < model->map.count; i++) {
        const struct value_pair *pair = &model->map.pairs[i];
        bool is_part = true;
        for (size_t k = 0; k < COUNT(reaching); k++) is_part &= !str_is(pair->key, reaching[k]);
        if (is_part) made = value_with(out, made, pair->key, pair->value);
    }
    return made;
}

const char *suite_agent_version(const struct value *agent, struct arena *out)
{
    enum { SHOWN = 8 };
    if (suite_agent_has_version(agent)) {
        return str_cstr(out, value_get(agent, "version")->source);
    }
    const struct value *configuration = suite_agent_configuration(agent, out);
    char hash[SHA256_HEX_SIZE];
    if (!model_of(agent) || !configuration) return NULL;
    return arena_printf(out, "%.*s", SHOWN,
                        id_sha256(json_canonical(configuration, out), hash));
}

bool suite_agent_is_simulated(const struct value *agent)
{
    const struct value *said = value_get(agent, "simulated");
    if (said && said->kind == VALUE_BOOL && said->boolean) return true;
    const struct value *model = value_get(value_get(agent, "openai"), "model");
    return model && str_is(model->source, "stub");
}

/* An address that begins with a field is known at each case only. */
static void check_url(struct spec_reader *r, const struct value *settings)
{
    const struct value *url = value_get(settings, "url");
    if (!url || url->kind != VALUE_TEXT) return;
    static const char *const starts[] = {"http://", "https://", "{{"};
    for (size_t i = 0; i < COUNT(starts); i++) {
        if (str_starts(url->source, str_of(starts[i]))) return;
    }
    problems_add(r->problems, url->line, url->column,
                 "url '%.*s' must begin with http:// or https://", STR_ARG(url->source));
}

static void check_variables(struct spec_reader *r, const struct value *env)
{
    for (size_t i = 0; env && env->kind == VALUE_MAP && i < env->map.count; i++) {
        const struct value_pair *p = &env->map.pairs[i];
        struct error err = {0};
        if (variable_check(p->value, &err)) continue;
        problems_add(r->problems, p->value->line, p->value->column, "variable '%.*s' %s",
                     STR_ARG(p->key), err.text);
    }
}

bool suite_check_agent(struct spec_reader *r, const struct value *agent)
{
    size_t before = r->problems->total;
    if (agent->kind != VALUE_MAP) {
        return problems_add(r->problems, agent->line, agent->column,
                            "an agent must be a name or a mapping with an 'id' (is %s)",
                            value_kind_name(agent->kind));
    }
    struct str id = suite_agent_id(agent);
    const char *what = arena_printf(r->out, "agent '%.*s'", STR_ARG(id));
    if (!param_check(suite_agent_table(r->out), agent, id.n ? what : "an agent", r->problems))
        return false;
    if (str_trim(id).n == 0) {
        const struct value *at = value_get(agent, "id");
        return problems_add(r->problems, at->line, at->column,
                            "an agent needs an 'id', which is not empty");
    }
    const struct value *prices = value_get(agent, "prices");
    if (prices && !param_check(suite_prices_table, prices, "'prices'", r->problems))
        return false;
    size_t kinds = 0;
    for (size_t i = 0; agent_kind_at(i); i++) {
        const struct agent_kind *kind = agent_kind_at(i);
        const struct value *settings = value_get(agent, kind->name);
        if (!settings) continue;
        kinds++;
        what = arena_printf(r->out, "'%s'", kind->name);
        if (settings->kind == VALUE_MAP &&
            !param_check(kind->params, settings, what, r->problems))
            return false;
        check_url(r, settings);
        check_variables(r, value_get(settings, "env"));
    }
    if (kinds != 1) {
        problems_add(r->problems, agent->line, agent->column,
                     "agent '%.*s' needs exactly one of %s (has %zu)", STR_ARG(id),
                     registry_names(agent_kind_entry).text, kinds);
    }
    return r->problems->total == before;
}

/* ---- files with agents ---- */

/* The list in a file: under `agents`, or the file itself, or the one agent. */
static const struct value *agents_in(struct spec_reader *r, const struct value *root)
{
    const struct value *list = value_get(root, "agents");
    if (!list && root->kind == VALUE_LIST) list = root;
    if (!list && value_get(root, "id")) list = list_of(r->out, &root, 1);
    if (list && list->kind == VALUE_LIST && list->list.count > 0) return list;
    problems_add(r->problems, root->line, root->column,
                 "a file of agents has 'agents: [...]', or is a list, or one agent with an id");
    return NULL;
}

static const struct value *read_included(struct suite_reader *s, const struct value *name)
{
    struct spec_reader *r = s->r;
    const char *path = os_path_below(s->base_dir, name->source, r->out);
    struct str bytes = {0};
    struct error err = {0};
    if (!os_read_file(path, value_limits_spec.max_bytes, r->out, &bytes, &err)) {
        problems_add(r->problems, name->line, name->column, "include: %s", err.text);
        return NULL;
    }
    const char *file = r->problems->file;
    const struct value *root = NULL;
    const struct value *list = NULL;
    struct value_error e;
    r->problems->file = path;
    if (!value_read(bytes, &value_limits_spec, r->out, &root, &e)) {
        problems_add(r->problems, e.line, e.column, "%s", e.error.text);
    } else {
        list = agents_in(r, root);
    }
    for (size_t i = 0; list && i < list->list.count; i++) {
        if (!suite_check_agent(r, list->list.items[i])) list = NULL;
    }
    r->problems->file = file;
    return list;
}

bool suite_load_agents(const char *path, struct str bytes, struct arena *out,
                       const struct value **list, struct problems *problems)
{
    struct spec_reader r = {.out = out, .problems = problems};
    const struct value *root = NULL;
    struct value_error e;
    problems->file = path;
    if (!value_read(bytes, &value_limits_spec, out, &root, &e)) {
        return problems_add(problems, e.line, e.column, "%s", e.error.text);
    }
    *list = agents_in(&r, root);
    for (size_t i = 0; *list && i < (*list)->list.count; i++) {
        suite_check_agent(&r, (*list)->list.items[i]);
    }
    problems_sort(problems);
    return problems->total == 0;
}

/* ---- the pool ---- */

struct pool {
    struct spec_reader *r;
    const struct value *items[AGENTS_MAX];
    size_t count;
};

static void add_agent(struct pool *pool, const struct value *agent)
{
    struct str id = suite_agent_id(agent);
    const char *version = suite_agent_version(agent, pool->r->out);
    for (size_t i = 0; i < pool->count; i++) {
        const char *other = suite_agent_version(pool->items[i], pool->r->out);
        bool is_alike =
            str_equal(suite_agent_id(pool->items[i]), id) && str_is(str_of(version), other);
        if (!is_alike) continue;
        problems_add(pool->r->problems, agent->line, agent->column,
                     "two agents have the id '%.*s' and the same version", STR_ARG(id));
        return;
    }
    if (pool->count == AGENTS_MAX) {
        problems_add(pool->r->problems, agent->line, agent->column, "more than %d agents",
                     AGENTS_MAX);
        return;
    }
    pool->items[pool->count++] = agent;
}

static void add_list(struct pool *pool, const struct value *list)
{
    for (size_t i = 0; list && i < list->list.count; i++) {
        const struct value *agent = list->list.items[i];
        if (agent->kind == VALUE_TEXT) continue;
        if (suite_check_agent(pool->r, agent)) add_agent(pool, agent);
    }
}

static const struct value *checked_list(struct spec_reader *r, const char *key,
                                        const struct value *list)
{
    if (!list || (list->kind == VALUE_LIST && list->list.count > 0)) return list;
    problems_add(r->problems, list->line, list->column,
                 "'%s' must be a list of names or mappings (is %s)", key,
                 list->kind == VALUE_LIST ? "empty" : value_kind_name(list->kind));
    return NULL;
}

static void include_files(struct suite_reader *s, const struct value *include,
                          struct pool *pool)
{
    if (!include) return;
    const struct value *const *files = &include;
    size_t count = 1;
    if (include->kind == VALUE_LIST) {
        files = include->list.items;
        count = include->list.count;
    }
    for (size_t i = 0; i < count; i++) {
        if (files[i]->kind != VALUE_TEXT) {
            problems_add(s->r->problems, files[i]->line, files[i]->column,
                         "'include' must be a file name or a list of them (is %s)",
                         value_kind_name(files[i]->kind));
            continue;
        }
        const struct value *list = read_included(s, files[i]);
        for (size_t k = 0; list && k < list->list.count; k++) {
            add_agent(pool, list->list.items[k]);
        }
    }
}

/* `name` is an id, or id@version. */
static const struct value *find_in(const struct value *list, struct str name, struct arena *out)
{
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *agent = list->list.items[i];
        const struct value *version = value_get(agent, "version");
        const char *stated = version ? str_cstr(out, version->source) : NULL;
        if (agent_name_fits(name, suite_agent_id(agent), stated)) return agent;
    }
    return NULL;
}

const struct value *suite_find_agent(struct suite_reader *s, struct str name,
                                     const struct value *at)
{
    struct spec_reader *r = s->r;
    const struct value *agent = find_in(s->pool, name, r->out);
    if (agent) return agent;
    struct error err = {0};
    const char *word = str_cstr(r->out, name);
    if (s->o->find_agent && s->o->find_agent(s->o->context, word, r->out, &agent, &err)) {
        suite_add_agent_secrets(&s->secrets, agent);
        return suite_check_agent(r, agent) ? agent : NULL;
    }
    const char *names[AGENTS_MAX];
    size_t count = s->pool->list.count;
    for (size_t i = 0; i < count; i++) {
        names[i] = str_cstr(r->out, suite_agent_id(s->pool->list.items[i]));
    }
    const char *near = str_suggest(name, names, count);
    problems_add(r->problems, at ? at->line : 0, at ? at->column : 0,
                 "no agent '%s' is in the file or registered%s%s%s; `assay agents add FILE` "
                 "registers one",
                 word, STR_MEANT(near));
    return NULL;
}

/* ---- the stand-in for models ---- */

/* What is asked stays; where, and with which key, does not. */
static const struct value *stub_settings(struct arena *out, const struct value *of,
                                         const char *url)
{
    static const char *const kept[] = {"stream", "max_tokens", "temperature",
                                       "system", "tools",      "extra"};
    const struct value *map = value_with(out, NULL, S("url"), value_new_text(out, str_of(url)));
    map = value_with(out, map, S("model"), value_new_text(out, S("stub")));
    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct value *v = value_get(of, kept[i]);
        if (v) map = value_with(out, map, str_of(kept[i]), v);
    }
    return map;
}

const struct value *suite_stubbed(const struct suite_reader *s, const struct value *agent)
{
    struct arena *out = s->r->out;
    const char *kind = suite_agent_kind(agent);
    if (!s->o->stub_name || !kind) return agent;
    if (strcmp(kind, "openai") != 0 && strcmp(kind, "http") != 0) return agent;
    struct value_pair *pairs = arena_new(out, struct value_pair, agent->map.count + 2);
    size_t n = 0;
    for (size_t i = 0; i < agent->map.count; i++) {
        if (!str_is(agent->map.pairs[i].key, kind)) pairs[n++] = agent->map.pairs[i];
    }
    const struct value *stub = stub_settings(out, value_get(agent, "openai"), s->o->stub_name);
    pairs[n++] = (struct value_pair){.key = S("openai"), .value = stub};
    const struct value *whole = value_new_map(out, pairs, n);
    return value_with(out, whole, S("simulated"), value_new_bool(out, true));
}

/* ---- choosing ---- */

/* --agent: only these, in the order in which they are named. */
static void choose_named(struct suite_reader *s, struct pool *chosen)
{
    for (size_t i = 0; i < s->o->agent_count; i++) {
        const char *file = s->r->problems->file;
        s->r->problems->file = "--agent";
        const struct value *agent = suite_find_agent(s, str_of(s->o->agents[i]), NULL);
        s->r->problems->file = file;
        if (agent) add_agent(chosen, agent);
    }
}

static void choose_listed(struct suite_reader *s, const struct value *agents,
                          struct pool *chosen)
{
    for (size_t i = 0; i < agents->list.count; i++) {
        const struct value *item = agents->list.items[i];
        const struct value *agent =
            item->kind == VALUE_TEXT ? suite_find_agent(s, item->source, item) : item;
        if (agent) add_agent(chosen, agent);
    }
}

/* Those of the file, and registered ones that it names. */
static const struct value *known_agents(const struct suite_reader *s)
{
    const struct value *const lists[] = {s->pool, s->agents};
    size_t n = 0;
    const struct value **items =
        arena_new(s->r->out, const struct value *, (size_t)2 * AGENTS_MAX);
    for (size_t k = 0; k < COUNT(lists); k++) {
        for (size_t i = 0; i < lists[k]->list.count; i++) items[n++] = lists[k]->list.items[i];
    }
    return list_of(s->r->out, items, n);
}

void suite_read_agents(struct suite_reader *s, const struct value *agents,
                       const struct value *judges, const struct value *include)
{
    struct spec_reader *r = s->r;
    struct pool pool = {.r = r};
    struct pool chosen = {.r = r};
    size_t before = r->problems->total;
    agents = checked_list(r, "agents", agents);
    judges = checked_list(r, "judges", judges);
    include_files(s, include, &pool);
    size_t included = pool.count;
    add_list(&pool, agents);
    add_list(&pool, judges);
    const struct value **items = arena_new(r->out, const struct value *, pool.count + 1);
    memcpy(items, pool.items, pool.count * sizeof *items);
    s->pool = list_of(r->out, items, pool.count);
    for (size_t i = 0; i < pool.count; i++) suite_add_agent_secrets(&s->secrets, items[i]);
    if (s->o->agent_count > 0) {
        choose_named(s, &chosen);
    } else if (agents) {
        if (r->problems->total == before) choose_listed(s, agents, &chosen);
    } else {
        for (size_t i = 0; i < included; i++) add_agent(&chosen, pool.items[i]);
    }
    if (chosen.count == 0 && r->problems->total == before && !s->o->agents_are_optional) {
        problems_add(r->problems, s->root->line, s->root->column,
                     "a suite needs agents: 'agents: [...]', 'include: FILE', or --agent with "
                     "the name of a registered one");
    }
    /* Without any, a name that nobody asks: the rest can be checked anyway. */
    if (chosen.count == 0) chosen.items[chosen.count++] = value_new_text(r->out, S("none"));
    const struct value **list = arena_new(r->out, const struct value *, chosen.count);
    for (size_t i = 0; i < chosen.count; i++) {
        list[i] = suite_stubbed(s, suite_set_agent(r, s->o->settings, chosen.items[i]));
    }
    s->agents = list_of(r->out, list, chosen.count);
    r->known_agents = s->o->agent_count > 0 ? NULL : known_agents(s);
}
