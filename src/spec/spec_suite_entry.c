/* A benchmark as the entry of an experiment spec: what the ordinary reader would
 * have read, had somebody written the experiment `suite` by hand. */
#include "spec/spec_suite_internal.h"
#include "stats/reduce.h"

struct pairs {
    struct arena *out;
    struct value_pair items[32];
    size_t count;
};

static void put(struct pairs *p, const char *key, const struct value *v)
{
    if (!v) return;
    CHECK(p->count < COUNT(p->items));
    p->items[p->count++] = (struct value_pair){
        .key = str_of(key), .line = v->line, .column = v->column, .value = v};
}

static void put_text(struct pairs *p, const char *key, const char *text)
{
    if (text) put(p, key, value_new_text(p->out, str_of(text)));
}

static const struct value *finish(struct pairs *p, const struct value *at)
{
    struct value_pair *pairs = arena_new(p->out, struct value_pair, p->count);
    memcpy(pairs, p->items, p->count * sizeof *pairs);
    struct value *map = value_new_map(p->out, pairs, p->count);
    if (at) {
        map->line = at->line;
        map->column = at->column;
    }
    return map;
}

static void bad_prompt(struct suite_making *m, const struct value *v)
{
    problems_add(m->s->r->problems, v->line, v->column,
                 "'prompts' must be a mapping {name: text} or a list of texts (has %s)",
                 value_kind_name(v->kind));
}

/* {name: text} whatever the spelling; the names become an axis. */
static const struct value *read_prompts(struct suite_making *m, const struct value **ids)
{
    struct arena *out = m->s->r->out;
    const struct value *given = m->keys.prompts;
    if (given->kind != VALUE_MAP && given->kind != VALUE_LIST) {
        bad_prompt(m, given);
        return NULL;
    }
    bool is_list = given->kind == VALUE_LIST;
    size_t count = is_list ? given->list.count : given->map.count;
    const struct value **names = arena_new(out, const struct value *, count + 1);
    struct value_pair *pairs = arena_new(out, struct value_pair, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value *text = is_list ? given->list.items[i] : given->map.pairs[i].value;
        const char *name =
            is_list ? arena_printf(out, "p%zu", i + 1) : str_cstr(out, given->map.pairs[i].key);
        if (text->kind != VALUE_TEXT) {
            bad_prompt(m, text);
            return NULL;
        }
        pairs[i] = (struct value_pair){str_of(name), text->line, text->column, text};
        names[i] = value_new_text(out, str_of(name));
    }
    if (count == 0) return NULL;
    *ids = value_new_list(out, names, count);
    return value_new_map(out, pairs, count);
}

/* Said only where it is not the usual one. */
static void put_reducer(const struct suite_making *m, struct pairs *p)
{
    if (m->keys.reducer) put_text(p, "reducer", reducer_names[m->keys.reducer]);
}

/* Under --stub judges are stand-ins, too; what they judge is the same content. */
static const struct value *stubbed_list(const struct suite_making *m, const struct value *list)
{
    if (!list || !m->s->o->stub_name) return list;
    const struct value **items =
        arena_new(m->s->r->out, const struct value *, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        items[i] = suite_stubbed(m->s, list->list.items[i]);
    }
    return value_new_list(m->s->r->out, items, list->list.count);
}

static const struct value *make_params(struct suite_making *m, const struct value *judges)
{
    struct pairs p = {.out = m->s->r->out};
    const struct suite_benchmark *b = m->b;
    put_text(&p, "suite", m->s->suite->id);
    put_text(&p, "benchmark", b->id);
    put_text(&p, "category", m->s->suite->category);
    put_text(&p, "test_type", b->test_type);
    put_text(&p, "complexity", b->complexity);
    put(&p, "rubric", b->rubric);
    put(&p, "constraints", b->constraints);
    put(&p, "environment", m->keys.environment);
    put(&p, "judges", stubbed_list(m, judges));
    put_reducer(m, &p);
    if (m->keys.prompts) {
        const struct value *ids = NULL;
        put(&p, "prompts", read_prompts(m, &ids));
        put(&p, "prompt", ids && ids->list.count == 1 ? ids->list.items[0] : ids);
    }
    return finish(&p, m->map);
}

/* Requirement 004's defaults: 3 warm-up trials, 5 passes. */
static const struct value *make_iterations(struct suite_making *m)
{
    struct arena *out = m->s->r->out;
    const struct value *made = m->keys.iterations;
    if (m->keys.num_runs && value_get(made, "measured")) {
        problems_add(
            m->s->r->problems, m->map->line, m->map->column,
            "'num_runs' and 'iterations.measured' are two names of one key: give only one");
    }
    if (!value_get(made, "warmup")) {
        made = value_with(out, made, S("warmup"), value_new_int(out, 3));
    }
    if (!value_get(made, "measured")) {
        int64_t passes = m->keys.num_runs ? m->keys.num_runs : 5;
        made = value_with(out, made, S("measured"), value_new_int(out, passes));
    }
    return made;
}

/* Agents from outside the file (`--agent` with a registered name) are asked everything. */
static bool is_asked(struct suite_making *m, const struct value *agent)
{
    struct str id = suite_agent_id(agent);
    bool is_known = false;
    for (size_t i = 0; i < m->keys.agents.count; i++) {
        if (str_is(id, m->keys.agents.items[i])) return true;
    }
    for (size_t i = 0; i < m->s->pool->list.count; i++) {
        is_known |= str_equal(id, suite_agent_id(m->s->pool->list.items[i]));
    }
    return !is_known;
}

const struct value *suite_choose_agents(struct suite_making *m)
{
    const struct value *all = m->s->agents;
    size_t count = 0;
    if (m->keys.agents.count == 0) return all;
    for (size_t i = 0; i < m->keys.agents.count; i++) {
        struct str name = str_of(m->keys.agents.items[i]);
        (void)suite_find_agent(m->s, name, value_get(m->map, "agents"));
    }
    const struct value **items = arena_new(m->s->r->out, const struct value *, all->list.count);
    for (size_t i = 0; i < all->list.count; i++) {
        if (is_asked(m, all->list.items[i])) items[count++] = all->list.items[i];
    }
    return count > 0 ? value_new_list(m->s->r->out, items, count) : NULL;
}

const struct value *suite_make_entry(struct suite_making *m, const struct value *judges,
                                     const struct value *agents)
{
    struct pairs p = {.out = m->s->r->out};
    const struct value *stop = m->keys.stop_early;
    const struct value *root = m->s->root;
    const struct value *never =
        value_with(p.out, NULL, S("failures_in_a_row"), value_new_int(p.out, 0));
    if (stop && !value_get(stop, "failures_in_a_row")) {
        stop = value_with(p.out, stop, S("failures_in_a_row"), value_new_int(p.out, 0));
    }
    put_text(&p, "experiment", "suite");
    put(&p, "params", make_params(m, judges));
    put(&p, "iterations", make_iterations(m));
    put(&p, "instrumentation", m->keys.instrumentation);
    put(&p, "tags", value_get(m->map, "tags"));
    put(&p, "seed", value_new_int(p.out, m->keys.seed));
    put(&p, "until", m->keys.until);
    put(&p, "stop_early", stop ? stop : never);
    put(&p, "agents", agents);
    put(&p, "claims", m->keys.claims);
    put(&p, "notes", value_get(root, "notes"));
    put(&p, "output_dir", value_get(root, "output_dir"));
    put(&p, "parallelism", value_get(root, "parallelism"));
    put(&p, "interleave", value_get(root, "interleave"));
    return finish(&p, m->map);
}

const struct value *suite_make_settings(struct suite_making *m, const struct value *judges)
{
    struct pairs p = {.out = m->s->r->out};
    put(&p, "environment", m->keys.environment);
    put(&p, "judges", judges);
    put(&p, "weights", m->keys.weights);
    if (m->keys.pass_at != 1) put(&p, "pass_at", value_new_real(p.out, m->keys.pass_at));
    put_reducer(m, &p);
    if (m->keys.pass_k.count) put(&p, "pass_k", value_get(m->map, "pass_k"));
    return finish(&p, NULL);
}
