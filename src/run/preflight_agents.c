/* What this machine lacks of what a suite's agents need, found before any of them is asked:
 * programs, scripts, libraries, files of answers, variables. And keys that stand in the
 * file as they are. */
#include "agent/agent.h"
#include "base/os.h"
#include "model/variable.h"
#include "run/preflight.h"
#include "spec/spec_suite.h"

struct looker {
    const struct value *environment; /* of the benchmark, or NULL */
    struct arena *out;
    struct preflight_report *report;
    const char *name; /* of the agent */
};

static void lack(struct looker *l, const char *text)
{
    l->report->lacking++;
    const char *line = arena_printf(l->out, "agent '%s': %s\n", l->name, text);
    struct buf *said = l->report->missing;
    if (!said->p || !strstr(said->p, line)) buf_text(said, line);
}

static void warn_of_keys(struct looker *l, const char *what, const struct value *map)
{
    for (size_t i = 0; map && map->kind == VALUE_MAP && i < map->map.count; i++) {
        const struct value_pair *p = &map->map.pairs[i];
        if (p->value->kind != VALUE_TEXT) continue;
        if (!variable_looks_like_key(p->key, p->value->source)) continue;
        const char *way = strcmp(what, "env") == 0 ? "use {from: NAME}" : "use api_key_env";
        const char *line = arena_printf(
            l->out, "agent '%s': %s.%.*s looks like a key and is stored in clear text: %s\n",
            l->name, what, STR_ARG(p->key), way);
        struct buf *said = l->report->missing;
        if (!said->p || !strstr(said->p, line)) buf_text(said, line);
    }
}

static bool is_script(struct str name)
{
    static const char *const ends[] = {".py", ".js", ".mjs", ".ts",
                                       ".sh", ".rb", ".pl",  ".lua"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (str_ends(name, str_of(ends[i])) && name.p[0] != '-') return true;
    }
    return false;
}

static bool exists_below(struct looker *l, const struct value *workdir, struct str name)
{
    const char *folder = workdir ? str_cstr(l->out, workdir->source) : ".";
    return os_exists(os_path_below(folder, name, l->out));
}

/* A file among the arguments is looked for in the agent's folder only. */
static void look_at_script(struct looker *l, const struct value *workdir, struct str name)
{
    if (!is_script(name) || (workdir && exists_below(l, workdir, name))) return;
    if (name.p[0] == '/' && os_exists(str_cstr(l->out, name))) return;
    if (!workdir && name.p[0] != '/' && exists_below(l, NULL, name)) {
        lack(l, arena_printf(l->out,
                             "'%.*s' is in this folder, but the agent works in another one: "
                             "give its full path, or set workdir: . for the agent",
                             STR_ARG(name)));
        return;
    }
    lack(l, arena_printf(l->out, "file '%.*s' does not exist", STR_ARG(name)));
}

/* What the environment makes (files, setup) or changes (PATH, workdir) cannot be known. */
static void look_at_command(struct looker *l, const struct value *settings)
{
    const struct value *command = value_get(settings, "command");
    const struct value *workdir = value_get(settings, "workdir");
    if (l->environment || value_get(value_get(settings, "env"), "PATH")) return;
    if (!command || command->kind != VALUE_LIST || command->list.count == 0) return;
    struct str name = command->list.items[0]->source;
    bool is_path = memchr(name.p, '/', name.n) != NULL;
    bool is_there = is_path && workdir && exists_below(l, workdir, name);
    if (!is_there && !os_find_program(str_cstr(l->out, name), l->out)) {
        lack(l, arena_printf(l->out, "command '%.*s' not found%s", STR_ARG(name),
                             is_path ? "" : " on PATH"));
    }
    for (size_t i = 1; i < command->list.count; i++) {
        const struct value *v = command->list.items[i];
        if (v->kind == VALUE_TEXT) look_at_script(l, workdir, v->source);
    }
}

/* False where a variable is not set: no case could be asked. */
static bool has_variables(const struct value *env, struct arena *out, struct error *err)
{
    for (size_t i = 0; env && env->kind == VALUE_MAP && i < env->map.count; i++) {
        const char *text = NULL;
        if (!variable_read(env->map.pairs[i].value, out, &text, err)) {
            return error_wrap(err, "env.%.*s", STR_ARG(env->map.pairs[i].key));
        }
    }
    return true;
}

static bool look_at_agent(struct looker *l, const struct value *agent, struct error *err)
{
    const char *name = agent->kind == VALUE_MAP ? suite_agent_kind(agent) : NULL;
    const struct agent_kind *kind = name ? agent_kind_find(str_of(name)) : NULL;
    if (!kind) return true;
    const struct value *settings = value_get(agent, name);
    l->name = str_cstr(l->out, suite_agent_id(agent));
    warn_of_keys(l, "env", value_get(settings, "env"));
    warn_of_keys(l, "headers", value_get(settings, "headers"));
    if (!has_variables(value_get(settings, "env"), l->out, err)) {
        return error_wrap(err, "agent '%s'", l->name);
    }
    if (strcmp(name, "process") == 0) look_at_command(l, settings);
    if (!kind->available) return true;
    struct error why = {0};
    void *config = arena_alloc(l->out, 1, kind->config_size + 1, _Alignof(max_align_t));
    if (!param_read(kind->params, settings, config, l->out, &why)) return true; /* the spec's */
    if (kind->available(config, &why)) return true;
    if (why.code == ERROR_UNAVAILABLE) {
        *err = why;
        return error_wrap(err, "agent '%s'", l->name);
    }
    lack(l, why.text);
    return true;
}

static bool look_at_list(struct looker *l, const struct value *list, struct error *err)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (!look_at_agent(l, list->list.items[i], err)) return false;
    }
    return true;
}

bool preflight_agents(const struct spec_entry *e, struct arena *out,
                      struct preflight_report *report, struct error *err)
{
    if (!e->agents) return true;
    const struct value *environment = e->benchmark
                                          ? value_get(e->benchmark->settings, "environment")
                                          : value_get(e->params, "environment");
    struct looker l = {.environment = environment, .out = out, .report = report};
    if (!has_variables(value_get(environment, "env"), out, err)) {
        return error_wrap(err, "%s '%s': environment",
                          e->benchmark ? "benchmark" : "experiment",
                          e->benchmark ? e->benchmark->id : e->experiment->name);
    }
    return look_at_list(&l, e->agents, err) &&
           look_at_list(&l, value_get(e->params, "judges"), err);
}
