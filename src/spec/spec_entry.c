/* One experiment of a file: from its mapping to a struct spec_entry. */
#include "base/human.h"
#include "spec/spec_suite_internal.h"

static const struct value *empty_map(struct spec_reader *r, const struct value *at)
{
    struct value *map = value_new_map(r->out, NULL, 0);
    map->line = at->line;
    map->column = at->column;
    return map;
}

static void read_experiment(struct spec_reader *r, const struct value *map,
                            struct spec_entry *entry)
{
    const struct value *name = value_get(map, "experiment");
    if (!name) {
        problems_add(r->problems, map->line, map->column,
                     "'experiment' is missing: the name of what is run%s",
                     registry_hint(experiment_entry, (struct str){0}).text);
        return;
    }
    entry->experiment = experiment_find(name->source);
    if (entry->experiment) return;
    problems_add(r->problems, name->line, name->column, "unknown experiment '%.*s'%s",
                 name->source.n > 60 ? 60 : (int)name->source.n, name->source.p,
                 registry_hint(experiment_entry, name->source).text);
}

static void read_iterations(struct spec_reader *r, const struct value *map,
                            struct spec_entry *entry)
{
    static const struct param count = {"warmup", PARAM_INT, .min = 0, .max = 1e9};
    struct spec_iterations it = {0};
    const struct value *clean = spec_clean(r, spec_iterations_table, map, "'iterations'");
    spec_read(r, spec_iterations_table, clean, &it);
    entry->measured = it.measured;
    entry->case_count = 1;
    entry->warmup_max = it.warmup_max;
    if (!it.warmup) return;
    if (it.warmup->kind == VALUE_TEXT && str_is(it.warmup->source, "steady")) {
        entry->warmup = -1;
    } else if (it.warmup->kind == VALUE_TEXT) {
        problems_add(r->problems, it.warmup->line, it.warmup->column,
                     "'warmup' must be a number of trials or 'steady' (is '%.*s')",
                     it.warmup->source.n > 40 ? 40 : (int)it.warmup->source.n,
                     it.warmup->source.p);
    } else if (param_check_value(&count, it.warmup, r->problems)) {
        entry->warmup = param_normal(&count, it.warmup, r->out)->integer;
    }
}

/* A null says nothing. */
static bool is_said(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind != VALUE_NULL;
}

void spec_read_until(struct spec_reader *r, const struct value *map, struct spec_entry *entry)
{
    const struct value *clean = spec_clean(r, spec_until_table, map, "'until'");
    spec_read(r, spec_until_table, clean, &entry->until);
    entry->until.is_set = true;
    if (!is_said(map, "relative_ci") && !is_said(map, "max_seconds")) {
        problems_add(r->problems, map->line, map->column,
                     "'until' needs relative_ci or max_seconds; a fixed number of trials goes "
                     "under iterations");
    }
}

void spec_read_interleave(struct spec_reader *r, const struct value *v,
                          struct spec_entry *entry)
{
    if (v->kind == VALUE_BOOL) {
        entry->interleave = v->boolean;
        return;
    }
    if (v->kind != VALUE_TEXT) {
        problems_add(r->problems, v->line, v->column,
                     "'interleave' must be true, false or a swept parameter (is %s)",
                     value_kind_name(v->kind));
        return;
    }
    entry->factor = str_cstr(r->out, v->source);
    bool is_agent = str_is(v->source, "agent") && entry->agents;
    bool is_swept = is_agent;
    for (size_t i = 0; i < entry->axis_count; i++) {
        is_swept = is_swept || str_equal(entry->axes[i].name, v->source);
    }
    if (is_swept) return;
    problems_add(r->problems, v->line, v->column,
                 "'interleave: %.60s': that parameter is not swept, so nothing can take turns",
                 entry->factor);
}

/* A registered agent's map, or the one that is written; NULL with a problem. */
static const struct value *resolve_agent(struct spec_reader *r, const struct value *agent)
{
    const struct spec_override *o = r->override;
    struct error err = {0};
    if (agent->kind == VALUE_TEXT) {
        const char *name = str_cstr(r->out, agent->source);
        const struct value *found = NULL;
        if (!o || !o->find_agent || !o->find_agent(o->context, name, r->out, &found, &err)) {
            problems_add(r->problems, agent->line, agent->column,
                         "no agent '%s' is registered; `assay agents add FILE` registers one",
                         name);
            return NULL;
        }
        agent = found;
    }
    return suite_check_agent(r, agent) ? agent : NULL;
}

/* Those of a suite have been found already. */
static const struct value *resolve_agents(struct spec_reader *r, const struct value *agents)
{
    size_t count = agents->list.count;
    const struct value **items = arena_new(r->out, const struct value *, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = resolve_agent(r, agents->list.items[i]);
        if (!items[i]) return NULL;
    }
    return value_new_list(r->out, items, count);
}

static void read_agents(struct spec_reader *r, const struct value *agents,
                        struct spec_entry *entry)
{
    if (!entry->experiment->takes_agent) {
        problems_add(r->problems, agents->line, agents->column,
                     "experiment '%s' takes no agents", entry->experiment->name);
        return;
    }
    if (agents->kind != VALUE_LIST || agents->list.count == 0) {
        problems_add(r->problems, agents->line, agents->column,
                     "'agents' must be a list of names or mappings (is %s)",
                     agents->kind == VALUE_LIST ? "empty" : value_kind_name(agents->kind));
        return;
    }
    bool is_resolved = entry->experiment->agent_or != NULL;
    for (size_t i = 0; i < agents->list.count; i++) {
        const struct value *a = agents->list.items[i];
        const struct value *id = value_get(a, "id");
        if (spec_is_empty(a)) {
            problems_add(r->problems, a->line, a->column, "the name of an agent is empty");
        } else if (a->kind != VALUE_TEXT && !(id && id->kind == VALUE_TEXT)) {
            problems_add(r->problems, a->line, a->column,
                         "an agent must be a name or a mapping with an 'id' of text");
        } else if (a->kind == VALUE_MAP && !is_resolved) {
            suite_check_agent(r, a);
        }
    }
    entry->agents = is_resolved ? resolve_agents(r, agents) : agents;
}

/* Agents, or the parameter that may be given instead of them. */
static void check_subject(struct spec_reader *r, const struct value *map, bool has_agents,
                          const struct spec_entry *entry)
{
    const struct experiment *e = entry->experiment;
    bool has_other = e->agent_or && value_get(entry->params, e->agent_or);
    for (size_t i = 0; e->agent_or && i < entry->axis_count; i++) {
        has_other |= str_is(entry->axes[i].name, e->agent_or);
    }
    if (has_agents && has_other) {
        problems_add(r->problems, map->line, map->column,
                     "experiment '%s' takes 'agents' or '%s', not both", e->name, e->agent_or);
    } else if (!has_agents && !has_other && e->takes_agent) {
        problems_add(r->problems, map->line, map->column, "experiment '%s' needs 'agents'%s%s",
                     e->name, e->agent_or ? " or the parameter " : "",
                     e->agent_or ? e->agent_or : "");
    }
}

static void read_strategy(struct spec_reader *r, const struct value *map,
                          const struct spec_keys *keys, struct spec_entry *entry)
{
    entry->strategy = (enum spec_strategy)keys->strategy;
    entry->samples = keys->samples;
    const struct value *strategy = value_get(map, "strategy");
    if (entry->strategy == STRATEGY_RANDOM && entry->samples == 0) {
        problems_add(r->problems, strategy->line, strategy->column,
                     "'strategy: random' needs 'samples': how many combinations to draw");
    }
    if (entry->strategy == STRATEGY_CARTESIAN && entry->samples > 0) {
        const struct value *samples = value_get(map, "samples");
        problems_add(
            r->problems, samples->line, samples->column,
            "'samples' is for 'strategy: random': without it all combinations are run");
    }
}

static bool is_name(const struct value *v)
{
    return v->kind == VALUE_TEXT && v->source.n > 0 && v->source.n <= SPEC_NAME_MAX &&
           !memchr(v->source.p, '\n', v->source.n);
}

/* One name, or one for each value of the parameter that names cells. */
static void read_name(struct spec_reader *r, const struct value *v, struct spec_entry *entry)
{
    const char *naming = entry->experiment->label_param;
    size_t wanted = 1;
    for (size_t i = 0; naming && i < entry->axis_count; i++) {
        if (str_is(entry->axes[i].name, naming)) wanted = entry->axes[i].count;
    }
    size_t count = v->kind == VALUE_LIST ? v->list.count : 1;
    if (count != wanted) {
        problems_add(r->problems, v->line, v->column,
                     "'name' has %zu name%s for %zu %s%s: give each its own", count,
                     PLURAL(count), wanted, naming ? naming : "cell", PLURAL(wanted));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct value *one = v->kind == VALUE_LIST ? v->list.items[i] : v;
        if (is_name(one)) continue;
        problems_add(r->problems, one->line, one->column,
                     "'name' must be a text of one line and at most %d characters",
                     SPEC_NAME_MAX);
        return;
    }
    entry->name = v;
}

/* What needs to know the experiment. */
static void read_for_experiment(struct spec_reader *r, const struct value *map,
                                const struct spec_keys *keys, struct spec_entry *entry)
{
    const struct value *params = keys->params ? keys->params : empty_map(r, map);
    bool has_names = keys->name && keys->name->kind == VALUE_LIST;
    r->named = has_names ? entry->experiment->label_param : NULL;
    spec_read_params(r, params, keys->sweep, true, entry);
    r->named = NULL;
    if (keys->agents) read_agents(r, keys->agents, entry);
    check_subject(r, map, keys->agents != NULL, entry);
    if (keys->interleave) spec_read_interleave(r, keys->interleave, entry);
    if (keys->name) read_name(r, keys->name, entry);
}

void spec_read_entry(struct spec_reader *r, const struct value *map, struct spec_entry *entry)
{
    struct spec_keys keys = {0};
    map = spec_clean(r, spec_keys_table, map, "a spec");
    spec_read(r, spec_keys_table, map, &keys);
    *entry = (struct spec_entry){
        .interleave = true,
        .output_dir = keys.output_dir,
        .notes = keys.notes,
        .seed = keys.seed,
        .parallelism = keys.parallelism,
        .concurrency = 1,
        .baseline = keys.baseline,
        .time_limit_s = keys.time_limit_ms / 1000,
        .claims = keys.claims,
        .params = empty_map(r, map),
        .line = map->line,
    };
    entry->tags = value_get(param_complete(spec_keys_table, map, r->out), "tags");
    read_experiment(r, map, entry);
    read_iterations(r, keys.iterations, entry);
    read_strategy(r, map, &keys, entry);
    if (keys.until) spec_read_until(r, keys.until, entry);
    struct spec_stop_early stop = {0};
    spec_read(r, spec_stop_early_table,
              spec_clean(r, spec_stop_early_table, keys.stop_early, "'stop_early'"), &stop);
    entry->stop_failures = stop.failures_in_a_row;
    entry->stop_breach = stop.breach;
    spec_read_instruments(r, keys.instrumentation, entry);
    if (entry->experiment) read_for_experiment(r, map, &keys, entry);
    if (entry->claims) spec_check_claims(r, entry);
}

int64_t spec_trials(const struct spec_entry *entry)
{
    static const int64_t default_max_iterations = 10000;
    if (!entry->until.is_set) return entry->measured * entry->case_count;
    int64_t most = entry->until.max_iterations;
    return (most > 0 ? most : default_max_iterations) * entry->case_count;
}

int64_t spec_lanes(const struct spec_entry *entry)
{
    int64_t trials = spec_trials(entry);
    return entry->concurrency < trials ? entry->concurrency : trials;
}
