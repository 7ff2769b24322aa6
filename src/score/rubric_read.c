/* What people write as a rubric, into a tree with weights. Everything that is
 * wrong is noted at its place; nothing is opened here. */
#include "score/rubric_internal.h"

#include <math.h>

static const char *const dimension_names[RUBRIC_DIMENSIONS] = {
    [RUBRIC_CORRECTNESS] = "output_correctness",
    [RUBRIC_COMPLETENESS] = "output_completeness",
    [RUBRIC_RELEVANCE] = "output_relevance",
};

const char *rubric_dimension_name(enum rubric_dimension d)
{
    CHECK(d < RUBRIC_DIMENSIONS);
    return dimension_names[d];
}

struct reader {
    struct arena *out;
    struct problems *problems;
    struct rubric *rubric;
    size_t depth;
};

static bool read_level(struct reader *r, const struct value *v, struct rubric_node *group);

static bool note(struct reader *r, const struct value *at, const char *text)
{
    return problems_add(r->problems, at->line, at->column, "%s", text);
}

static int read_dimension(struct reader *r, const struct value *v, int inherited)
{
    if (!v || v->kind == VALUE_NULL) return inherited;
    for (int i = 0; i < RUBRIC_DIMENSIONS && v->kind == VALUE_TEXT; i++) {
        /* "correctness" and "output_correctness" */
        struct str name = str_of(dimension_names[i]);
        struct str tail = {name.p + strlen("output_"), name.n - strlen("output_")};
        if (str_equal(v->source, name) || str_equal(v->source, tail)) return i;
    }
    note(r, v, "'dimension' must be one of correctness, completeness, relevance");
    return inherited;
}

/* NaN = not given. */
static double read_weight(struct reader *r, const struct value *v)
{
    if (!v || v->kind == VALUE_NULL) return NAN;
    if (!value_is_number(v)) {
        note(r, v, "'weight' must be a number from 0 to 1");
        return 0;
    }
    double weight = value_number(v);
    if (weight >= 0 && weight <= 1) return weight;
    problems_add(r->problems, v->line, v->column,
                 "'weight' must be from 0 to 1 (is %g); the weights of a level add up to 1",
                 weight);
    return 0;
}

static bool unknown_check(struct reader *r, struct str name, uint32_t line, uint32_t column)
{
    return problems_add(r->problems, line, column, "unknown check '%.*s'%s", STR_ARG(name),
                        registry_hint(check_kind_entry, name).text);
}

static bool is_common(struct str key)
{
    return str_is(key, "check") || str_is(key, "weight") || str_is(key, "dimension");
}

/* The entry without what every check has: its options. */
static const struct value *options_of(struct reader *r, const struct value *entry)
{
    if (entry->kind != VALUE_MAP) return NULL;
    struct value_pair *pairs = arena_new(r->out, struct value_pair, entry->map.count);
    size_t count = 0;
    for (size_t i = 0; i < entry->map.count; i++) {
        if (!is_common(entry->map.pairs[i].key)) pairs[count++] = entry->map.pairs[i];
    }
    struct value *options = arena_new(r->out, struct value, 1);
    *options = (struct value){
        .kind = VALUE_MAP,
        .line = entry->line,
        .column = entry->column,
        .map = {pairs, count},
    };
    return options;
}

static bool read_check(struct reader *r, const struct check_kind *kind,
                       const struct value *entry, struct rubric_node *node)
{
    const struct value *options = options_of(r, entry);
    const char *what = arena_printf(r->out, "check '%s'", kind->name);
    node->kind = kind;
    node->index = r->rubric->checks++;
    if (node->index >= RUBRIC_CHECKS_MAX) {
        return note(r, entry, "more than 200 checks in one rubric");
    }
    if (!param_check(kind->params, options, what, r->problems)) return false;
    void *config = arena_alloc(r->out, 1, kind->config_size, _Alignof(max_align_t));
    struct error err = {0};
    if (!param_read(kind->params, options, config, r->out, &err)) {
        return note(r, entry, err.text);
    }
    node->config = config;
    return !kind->check || kind->check(config, options, r->problems);
}

static bool read_group(struct reader *r, const struct value *entry, struct rubric_node *node)
{
    bool is_right = true;
    for (size_t i = 0; i < entry->map.count; i++) {
        const struct value_pair *pair = &entry->map.pairs[i];
        if (str_is(pair->key, "group") || str_is(pair->key, "rubric") ||
            str_is(pair->key, "weight") || str_is(pair->key, "dimension") ||
            str_is(pair->key, "threshold"))
            continue;
        is_right = problems_add(r->problems, pair->line, pair->column,
                                "unknown key '%.*s' of a group; it has group, weight, "
                                "threshold, dimension and rubric",
                                STR_ARG(pair->key));
    }
    const struct value *threshold = value_get(entry, "threshold");
    if (threshold && threshold->kind != VALUE_NULL) {
        node->threshold = value_is_number(threshold) ? value_number(threshold) : -1;
        if (!(node->threshold >= 0 && node->threshold <= 1)) {
            is_right = note(r, threshold, "'threshold' must be a number from 0 to 1");
        }
    }
    const struct value *name = value_get(entry, "group");
    node->group = name ? str_cstr(r->out, check_text_of(name, r->out)) : "";
    const struct value *below = value_get(entry, "rubric");
    if (!below) return note(r, entry, "a group needs a 'rubric': the list of its checks");
    return read_level(r, below, node) && is_right;
}

/* One item of a list: {check: ...}, {group: ...} or the bare name of a check. */
static bool read_entry(struct reader *r, const struct value *entry, struct rubric_node *node)
{
    node->weight = read_weight(r, value_get(entry, "weight"));
    node->dimension = read_dimension(r, value_get(entry, "dimension"), node->dimension);
    if (value_get(entry, "group") || value_get(entry, "rubric")) {
        return read_group(r, entry, node);
    }
    const struct value *name = entry->kind == VALUE_MAP ? value_get(entry, "check") : entry;
    if (!name || name->kind != VALUE_TEXT) {
        return note(r, name ? name : entry,
                    "an entry of a rubric needs 'check' (the name of a check) or 'group'");
    }
    const struct check_kind *kind = check_kind_find(name->source);
    if (!kind) return unknown_check(r, name->source, name->line, name->column);
    return read_check(r, kind, entry, node);
}

/* One pair of the mapping form: exact: 0.7, or exact: {weight: 0.7, ...}. */
static bool read_pair(struct reader *r, const struct value_pair *pair, struct rubric_node *node)
{
    const struct value *v = pair->value;
    const struct check_kind *kind = check_kind_find(pair->key);
    if (!kind) return unknown_check(r, pair->key, pair->line, pair->column);
    bool is_map = v->kind == VALUE_MAP;
    node->weight = read_weight(r, is_map ? value_get(v, "weight") : v);
    node->dimension = read_dimension(r, value_get(v, "dimension"), node->dimension);
    return read_check(r, kind, v, node);
}

static const char *name_of(const struct rubric_node *node)
{
    return node->kind ? node->kind->name : node->group;
}

/* Weights that add up to 1, or none at all. */
static bool settle_weights(struct reader *r, const struct value *at, struct rubric_node *group)
{
    size_t given = 0;
    double sum = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (isnan(group->nodes[i].weight)) continue;
        given++;
        sum += group->nodes[i].weight;
    }
    if (given == 0) {
        for (size_t i = 0; i < group->count; i++) {
            group->nodes[i].weight = 1 / (double)group->count;
        }
        return true;
    }
    for (size_t i = 0; i < group->count && given < group->count; i++) {
        if (isnan(group->nodes[i].weight)) {
            return problems_add(r->problems, at->line, at->column,
                                "'%s' has no weight, but others next to it do",
                                name_of(&group->nodes[i]));
        }
    }
    if (fabs(sum - 1) <= 1e-9) return true;
    char shown[32];
    return problems_add(r->problems, at->line, at->column, "the weights add up to %s, not 1",
                        json_format_real(round(sum * 1e12) / 1e12, shown));
}

static bool is_entry(const struct value *v)
{
    return value_get(v, "check") || value_get(v, "group") || value_get(v, "rubric");
}

static bool read_nodes(struct reader *r, const struct value *v, struct rubric_node *group)
{
    bool is_list = v->kind == VALUE_LIST;
    bool is_single = v->kind == VALUE_TEXT || (v->kind == VALUE_MAP && is_entry(v));
    if (!is_list && !is_single && v->kind != VALUE_MAP) {
        return note(r, v,
                    "a rubric is a list of checks, a mapping of checks to weights, or the name "
                    "of a check");
    }
    group->count = is_list ? v->list.count : is_single ? 1 : v->map.count;
    if (group->count == 0) return note(r, v, "the rubric is empty; omit it for 'exact'");
    group->nodes = arena_new(r->out, struct rubric_node, group->count);
    bool is_right = true;
    size_t before = r->problems->total;
    for (size_t i = 0; i < group->count; i++) {
        struct rubric_node *node = &group->nodes[i];
        node->dimension = group->dimension;
        bool is_good = is_list     ? read_entry(r, v->list.items[i], node)
                       : is_single ? read_entry(r, v, node)
                                   : read_pair(r, &v->map.pairs[i], node);
        is_right = is_right && is_good;
    }
    /* After a wrong weight the rest would not add up either. */
    return is_right && r->problems->total == before && settle_weights(r, v, group);
}

static bool read_level(struct reader *r, const struct value *v, struct rubric_node *group)
{
    if (r->depth == RUBRIC_DEPTH_MAX) {
        return note(r, v, "groups nested more than 8 deep");
    }
    r->depth++;
    bool is_right = read_nodes(r, v, group);
    r->depth--;
    return is_right;
}

static void set_shares(struct rubric_node *node, double share)
{
    node->share = share;
    for (size_t i = 0; i < node->count; i++) {
        set_shares(&node->nodes[i], share * node->nodes[i].weight);
    }
}

bool rubric_read(const struct value *v, struct arena *out, const struct rubric **rubric,
                 struct problems *problems)
{
    static const struct value exact = {.kind = VALUE_TEXT, .source = {"exact", 5}};
    struct rubric *made = arena_new(out, struct rubric, 1);
    struct reader r = {.out = out, .problems = problems, .rubric = made};
    made->root = (struct rubric_node){.weight = 1, .dimension = RUBRIC_NO_DIMENSION};
    size_t before = problems->total;
    bool is_default =
        !v || v->kind == VALUE_NULL || (v->kind == VALUE_MAP && v->map.count == 0);
    bool is_right = read_level(&r, is_default ? &exact : v, &made->root);
    if (!is_right || problems->total > before) return false;
    set_shares(&made->root, 1);
    *rubric = made;
    return true;
}
