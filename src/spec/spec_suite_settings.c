/* What whoever starts a run from outside may set above a suite's file: the paths that the
 * file lists under `overridable`, and no others. Few things can be listed at all: none of
 * them decides what is asked, how it is judged, or what is started. */
#include "spec/spec_suite_internal.h"

struct settings_keys {
    int64_t measured, warmup, seed, concurrency;
};
#define AT(field) .offset = offsetof(struct settings_keys, field)

static const struct param rows[] = {
    {"iterations.measured", PARAM_INT, AT(measured), .min = 1, .max = 1e9,
     .help = "passes over the cases that are measured"},
    {"iterations.warmup", PARAM_INT, AT(warmup), .min = 0, .max = 1e9,
     .help = "passes before them"},
    {"seed", PARAM_INT, AT(seed), .min = 0, .max = 9e15, .help = "of all random streams"},
    {"concurrency", PARAM_INT, AT(concurrency), .min = 1, .max = 1024,
     .help = "cases of an agent in flight at once"},
};
static const struct param_table table = {rows, COUNT(rows)};

/* "agents.ID.config.KEY" taken apart; false if it is not one. */
static bool cut_agent_path(struct str path, struct str *id, struct str *key)
{
    static const char middle[] = ".config.";
    struct str agents = S("agents.");
    if (!str_starts(path, agents)) return false;
    struct str rest = {path.p + agents.n, path.n - agents.n};
    const char *at = memmem(rest.p, rest.n, middle, sizeof middle - 1);
    if (!at || at == rest.p) return false;
    *id = (struct str){rest.p, (size_t)(at - rest.p)};
    *key = (struct str){at + sizeof middle - 1, rest.n - id->n - (sizeof middle - 1)};
    return key->n > 0 && !memchr(key->p, '.', key->n);
}

void suite_check_overridable(struct spec_reader *r, const struct value *list)
{
    struct str id;
    struct str key;
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        bool is_path = v->kind == VALUE_TEXT &&
                       (param_find(table, v->source) || cut_agent_path(v->source, &id, &key));
        if (is_path) continue;
        problems_add(r->problems, v->line, v->column,
                     "'overridable' can list iterations.measured, iterations.warmup, seed, "
                     "concurrency and agents.ID.config.KEY (is '%.*s')",
                     STR_ARG(v->source));
    }
    if (list && list->kind != VALUE_LIST) {
        problems_add(r->problems, list->line, list->column,
                     "'overridable' must be a list of paths such as iterations.measured");
    }
}

static bool is_listed(const struct value *list, struct str path)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (str_equal(list->list.items[i]->source, path)) return true;
    }
    return false;
}

/* A scalar, of the kind that the file has there, if it has one. */
static bool fits_config(struct spec_reader *r, struct str path, const struct value *was,
                        const struct value *v)
{
    bool is_number = v->kind == VALUE_INT || v->kind == VALUE_REAL;
    bool is_scalar = is_number || v->kind == VALUE_TEXT || v->kind == VALUE_BOOL;
    bool was_number = was && (was->kind == VALUE_INT || was->kind == VALUE_REAL);
    if (is_scalar && (!was || was->kind == v->kind || (was_number && is_number))) return true;
    return problems_add_setting(r->problems, path, "must be %s (is %s)",
                                was ? value_kind_name(was->kind)
                                    : "a number, a text or true or false",
                                value_kind_name(v->kind));
}

const struct value *suite_set_agent(struct spec_reader *r, const struct value *settings,
                                    const struct value *agent)
{
    for (size_t i = 0; settings && i < settings->map.count; i++) {
        const struct value_pair *pair = &settings->map.pairs[i];
        const struct value *config = value_get(agent, "config");
        struct str id;
        struct str key;
        bool is_ours =
            cut_agent_path(pair->key, &id, &key) && str_equal(id, suite_agent_id(agent));
        if (!is_ours) continue;
        const struct value *was = config && config->kind == VALUE_MAP
                                      ? value_get(config, str_cstr(r->out, key))
                                      : NULL;
        if (!fits_config(r, pair->key, was, pair->value)) continue;
        if (config && config->kind != VALUE_MAP) config = NULL;
        agent = value_with(r->out, agent, S("config"),
                           value_with(r->out, config, key, pair->value));
    }
    return agent;
}

static void set_field(struct spec_override *o, const struct param *row, int64_t x)
{
    if (row == &rows[0]) o->measured = x;
    if (row == &rows[1]) o->warmup = x;
    if (row == &rows[2]) o->seed = x;
    if (row == &rows[2]) o->has_seed = true;
    if (row == &rows[3]) o->concurrency = x;
}

void suite_apply_settings(struct spec_reader *r, const struct value *root,
                          struct spec_override *o)
{
    const struct value *list = value_get(root, "overridable");
    for (size_t i = 0; i < o->settings->map.count; i++) {
        const struct value_pair *pair = &o->settings->map.pairs[i];
        const struct param *row = param_find(table, pair->key);
        struct error why = {0};
        if (!is_listed(list, pair->key)) {
            problems_add_setting(
                r->problems, pair->key,
                "cannot be set: the suite does not list it under 'overridable'");
        } else if (row && !param_fits(row, pair->value, &why)) {
            problems_add_setting(r->problems, pair->key, "%s", why.text);
        } else if (row) {
            set_field(o, row, param_normal(row, pair->value, r->out)->integer);
        }
    }
}
