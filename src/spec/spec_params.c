/* Parameters and sweeps: what is fixed, and along which axes cells differ. */
#include "spec/spec_internal.h"

#include <stdlib.h>

struct axes {
    struct spec_reader *r;
    const struct experiment *experiment;
    struct spec_axis *items;
    size_t count;
};

const struct param *spec_find_param(const struct experiment *experiment, struct str name,
                                    bool *is_below)
{
    struct str rest = name;
    const struct param *row = param_find(experiment->params, name);
    *is_below = false;
    if (row) return row;
    row = param_find(experiment->params, str_cut(&rest, '.'));
    if (!row || row->type != PARAM_MAP || rest.n == 0) return NULL;
    *is_below = true;
    return row;
}

/* Of `v`, which a file's own limit holds. */
static size_t height(const struct value *v)
{
    size_t most = 0;
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->list.count; i++) {
        size_t below = 1 + height(v->list.items[i]);
        if (below > most) most = below;
    }
    for (size_t i = 0; v->kind == VALUE_MAP && i < v->map.count; i++) {
        size_t below = 1 + height(v->map.pairs[i].value);
        if (below > most) most = below;
    }
    return most;
}

bool spec_fits_depth(struct spec_reader *r, struct str name, const struct value *v)
{
    size_t deep = height(v);
    for (size_t i = 0; i < name.n; i++) deep += name.p[i] == '.';
    if (deep <= value_limits_spec.max_depth) return true;
    return problems_add(r->problems, v->line, v->column,
                        "'%.*s%s' puts this value %zu deep; the limit is %zu",
                        (int)(name.n > 40 ? 40 : name.n), name.p, name.n > 40 ? "..." : "",
                        deep, value_limits_spec.max_depth);
}

struct spelled {
    const char *json;
    const struct value *value;
};

static int by_json(const void *a, const void *b)
{
    const struct spelled *x = a;
    const struct spelled *y = b;
    int order = strcmp(x->json, y->json);
    if (order != 0) return order;
    return x->value->line != y->value->line ? (x->value->line > y->value->line) * 2 - 1
                                            : (x->value->column > y->value->column) * 2 - 1;
}

/* Two equal values would be one cell measured twice under two numbers, unless they have
 * names: one command against itself shows what chance does. */
static void check_unique(struct spec_reader *r, struct str name,
                         const struct value *const *values, size_t count)
{
    if (r->named && str_is(name, r->named)) return;
    struct arena scratch = arena_open();
    struct spelled *order = arena_new(&scratch, struct spelled, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct spelled){json_canonical(values[i], &scratch).p, values[i]};
    }
    qsort(order, count, sizeof *order, by_json);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(order[i - 1].json, order[i].json) != 0) continue;
        const struct value *v = order[i].value;
        problems_add(r->problems, v->line, v->column, "'%.*s' sweeps over %.40s twice",
                     STR_ARG(name), order[i].json);
    }
    arena_close(&scratch);
}

static const struct spec_axis *find_axis(const struct axes *axes, struct str name)
{
    for (size_t i = 0; i < axes->count; i++) {
        if (str_equal(axes->items[i].name, name)) return &axes->items[i];
    }
    return NULL;
}

/* `row` NULL: below an open mapping, where any value goes. */
static void add_axis(struct axes *axes, const struct value_pair *pair, const struct param *row,
                     enum param_role role)
{
    struct spec_reader *r = axes->r;
    const struct value *list = pair->value;
    if (find_axis(axes, pair->key)) {
        problems_add(r->problems, pair->line, pair->column,
                     "'%.*s' sweeps twice: in params and in sweep", STR_ARG(pair->key));
        return;
    }
    if (list->list.count == 0) {
        problems_add(r->problems, list->line, list->column, "'%.*s' sweeps over an empty list",
                     STR_ARG(pair->key));
        return;
    }
    const struct value **values = arena_new(r->out, const struct value *, list->list.count);
    bool all = true;
    for (size_t i = 0; i < list->list.count; i++) {
        values[i] = list->list.items[i];
        if (!row) {
            all = spec_fits_depth(r, pair->key, values[i]) && all;
            continue;
        }
        if (param_check_value(row, values[i], r->problems)) {
            values[i] = param_normal(row, values[i], r->out);
        } else {
            all = false;
        }
    }
    if (!all) return;
    check_unique(r, pair->key, values, list->list.count);
    axes->items[axes->count++] = (struct spec_axis){
        .name = pair->key,
        .role = role,
        .values = values,
        .count = list->list.count,
    };
}

static void unknown(struct axes *axes, const struct value_pair *pair)
{
    const char *what = arena_printf(axes->r->out, "experiment '%s'", axes->experiment->name);
    param_unknown(axes->experiment->params, pair, "parameter", what, axes->r->problems);
}

static bool list_sweeps(const struct param *row)
{
    return !param_is_list(row->type) && row->type != PARAM_COMMAND && row->type != PARAM_MAP &&
           row->type != PARAM_ANY;
}

/* The pairs that are fixed into `fixed`; the others become axes. */
static size_t read_fixed(struct axes *axes, const struct value *params,
                         const struct value *sweep, struct value_pair *fixed)
{
    size_t n = 0;
    for (size_t i = 0; i < params->map.count; i++) {
        const struct value_pair *pair = &params->map.pairs[i];
        const struct param *row = param_find(axes->experiment->params, pair->key);
        if (!row) {
            unknown(axes, pair);
        } else if (pair->value->kind == VALUE_LIST && list_sweeps(row)) {
            add_axis(axes, pair, row, row->role);
        } else if (!param_is_absent(row, pair->value) &&
                   param_check_value(row, pair->value, axes->r->problems) &&
                   !value_get(sweep, row->name)) {
            fixed[n++] = *pair;
        }
    }
    return n;
}

static void read_sweep(struct axes *axes, const struct value *sweep)
{
    for (size_t i = 0; sweep && i < sweep->map.count; i++) {
        const struct value_pair *pair = &sweep->map.pairs[i];
        bool is_below = false;
        const struct param *row = spec_find_param(axes->experiment, pair->key, &is_below);
        if (!row) {
            unknown(axes, pair);
        } else if (pair->value->kind != VALUE_LIST) {
            problems_add(axes->r->problems, pair->value->line, pair->value->column,
                         "'%.*s' must be a list of values to sweep over (is %s); one value "
                         "goes under params",
                         STR_ARG(pair->key), value_kind_name(pair->value->kind));
        } else {
            add_axis(axes, pair, is_below ? NULL : row, row->role);
        }
    }
}

static void check_required(struct axes *axes, const struct value *params,
                           const struct value *sweep)
{
    struct param_table table = axes->experiment->params;
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        bool is_given = !param_is_absent(row, value_get(params, row->name));
        if (!row->required || is_given || value_get(sweep, row->name)) continue;
        problems_add(axes->r->problems, params->line, params->column,
                     "experiment '%s' needs parameter '%s' (%s)%s%s", axes->experiment->name,
                     row->name, param_type_name(row->type), row->help ? ": " : "",
                     row->help ? row->help : "");
    }
}

static int by_name(const void *a, const void *b)
{
    const struct spec_axis *x = a;
    const struct spec_axis *y = b;
    return str_compare(x->name, y->name);
}

/* The experiment's own check, on the first cell; the plan does the others. */
static void check_first_cell(struct spec_reader *r, const struct spec_entry *entry)
{
    const struct experiment *e = entry->experiment;
    if (!e->check) return;
    const struct value *first = entry->params;
    for (size_t i = 0; i < entry->axis_count; i++) {
        first = value_with(r->out, first, entry->axes[i].name, entry->axes[i].values[0]);
    }
    struct error why = {0};
    void *config = arena_alloc(r->out, 1, e->config_size, _Alignof(max_align_t));
    if (!param_read(e->params, first, config, r->out, &why) || !e->check(config, &why)) {
        problems_add(r->problems, entry->params->line, entry->params->column, "%s", why.text);
    }
}

void spec_read_params(struct spec_reader *r, const struct value *params,
                      const struct value *sweep, bool is_whole, struct spec_entry *entry)
{
    size_t before = r->problems->total;
    size_t most = params->map.count + (sweep ? sweep->map.count : 0);
    struct axes axes = {.r = r, .experiment = entry->experiment};
    axes.items = arena_new(r->out, struct spec_axis, most);
    struct value_pair *fixed = arena_new(r->out, struct value_pair, params->map.count);
    size_t count = read_fixed(&axes, params, sweep, fixed);
    read_sweep(&axes, sweep);
    if (is_whole) check_required(&axes, params, sweep);
    qsort(axes.items, axes.count, sizeof *axes.items, by_name);
    struct value *rest = value_new_map(r->out, fixed, count);
    rest->line = params->line;
    rest->column = params->column;
    entry->params = rest;
    entry->axes = axes.items;
    entry->axis_count = axes.count;
    if (is_whole && r->problems->total == before) check_first_cell(r, entry);
}
