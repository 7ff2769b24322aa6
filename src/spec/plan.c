/* Cells are made entry by entry: every combination of the swept values, the last axis
 * varying fastest, times the agents. Each gets a key, a hash of what it is; equal cells
 * are told apart by how often they occurred before, so that no two share one and a
 * repeated plan gives the same keys. Groups are found by a second hash, over all but
 * the compared factor. Both are found by sorting: a plan of n cells costs n log n.
 * Invariants: cells of a group are arms in the order of the plan; seeds depend on what
 * a cell is, never on its place in the file. */
#include "spec/plan.h"

#include "base/rng.h"

#include <stdlib.h>

struct factor {
    const char *name; /* the compared parameter, "agent", or NULL */
    bool is_agent;
};

struct maker {
    struct arena *out;
    struct plan *plan;
    const struct spec_entry *entry; /* whose cells are being made */
    const struct value *base;       /* its completed parameters, without axes */
    struct factor *factors;         /* of each entry */
    struct buf text;                /* reused */
    size_t bytes;                   /* of all cells' parameters and labels */
};

static size_t agent_count(const struct spec_entry *e)
{
    return e->agents ? e->agents->list.count : 1;
}

/* Combinations of the axes' values, or SIZE_MAX when they are too many. */
static size_t combinations(const struct spec_entry *e)
{
    if (e->axis_count == 0) return 1;
    if (e->strategy == STRATEGY_RANDOM) return (size_t)e->samples;
    size_t total = 1;
    for (size_t i = 0; i < e->axis_count; i++) {
        if (e->axes[i].count > PLAN_CELLS_MAX / total) return SIZE_MAX;
        total *= e->axes[i].count;
    }
    return total;
}

static bool count_cells(const struct spec *spec, size_t *total, struct error *err)
{
    *total = 0;
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct spec_entry *e = &spec->entries[i];
        size_t points = combinations(e);
        size_t agents = agent_count(e);
        if (points > PLAN_CELLS_MAX || points * agents > PLAN_CELLS_MAX - *total) {
            return error_set(err, ERROR_INVALID,
                             "line %u: the sweep has more than %d cells, which is the limit; "
                             "'strategy: random' with 'samples' draws from them",
                             e->line, PLAN_CELLS_MAX);
        }
        *total += points * agents;
    }
    return true;
}

static size_t entry_index(const struct maker *m, const struct spec_entry *e)
{
    return (size_t)(e - m->plan->spec->entries);
}

/* The swept treatment that comes first in the experiment's table. */
static const char *first_treatment(struct arena *out, const struct spec_entry *e)
{
    struct param_table table = e->experiment->params;
    for (size_t i = 0; i < table.count; i++) {
        for (size_t k = 0; k < e->axis_count; k++) {
            const struct spec_axis *axis = &e->axes[k];
            struct str rest = axis->name;
            struct str head = str_cut(&rest, '.'); /* a dotted name has its mapping's row */
            bool compares = axis->role == PARAM_TREATMENT && axis->count > 1;
            if (compares && str_is(head, table.rows[i].name)) return str_cstr(out, axis->name);
        }
    }
    return NULL;
}

static struct factor choose_factor(struct arena *out, const struct spec_entry *e)
{
    if (!e->interleave) return (struct factor){0};
    if (e->factor) {
        return (struct factor){e->factor, e->agents && strcmp(e->factor, "agent") == 0};
    }
    if (agent_count(e) > 1) return (struct factor){"agent", true};
    return (struct factor){first_treatment(out, e), false};
}

/* For each axis the index of its value in combination `point`; the last varies
 * fastest. */
static void choose_values(const struct spec_entry *e, size_t point, struct rng *rng,
                          size_t *chosen)
{
    for (size_t k = e->axis_count; k-- > 0;) {
        chosen[k] = point % e->axes[k].count;
        point /= e->axes[k].count;
    }
    if (e->strategy != STRATEGY_RANDOM) return;
    for (size_t k = 0; k < e->axis_count; k++) chosen[k] = rng_below(rng, e->axes[k].count);
}

static struct str canonical(struct maker *m, const struct value *v)
{
    struct json j;
    buf_clear(&m->text);
    json_init(&j, &m->text, 0);
    json_value_canonical(&j, v);
    return buf_str(&m->text);
}

static void add_value(struct buf *b, const struct value *v)
{
    if (v->kind == VALUE_LIST && v->list.count == 1) v = v->list.items[0];
    if (v->kind == VALUE_TEXT) {
        buf_add(b, v->source);
    } else {
        struct json j;
        json_init(&j, b, 0);
        json_value(&j, v);
    }
}

static struct str agent_name(const struct value *agent)
{
    CHECK(agent != NULL);
    const struct value *id = value_get(agent, "id");
    return id ? id->source : agent->source;
}

/* In quotes where a shell would need them: ["a b"] is not ["a", "b"]. */
static void add_word(struct buf *b, const struct value *v)
{
    struct str rest = v->source;
    bool is_plain = v->kind != VALUE_TEXT || rest.n > 0;
    for (size_t i = 0; v->kind == VALUE_TEXT && i < rest.n; i++) {
        is_plain = is_plain && !strchr(" \t\n'\"\\$`;&|<>()*?[]#~!", rest.p[i]);
    }
    if (is_plain) {
        add_value(b, v);
        return;
    }
    buf_add_char(b, '\'');
    for (size_t i = 0; i < rest.n; i++) {
        if (rest.p[i] == '\'') buf_text(b, "'\\'");
        buf_add_char(b, rest.p[i]);
    }
    buf_add_char(b, '\'');
}

/* A list of words as one would type them. */
static void add_words(struct buf *b, const struct value *v)
{
    if (v->kind != VALUE_LIST) {
        add_value(b, v);
        return;
    }
    for (size_t i = 0; i < v->list.count; i++) {
        if (i > 0) buf_add_char(b, ' ');
        add_word(b, v->list.items[i]);
    }
}

/* The name that the spec gives the cell; of a list, the one of its naming parameter. */
static const struct value *given_name(const struct spec_entry *e, const size_t *chosen)
{
    if (!e->name || e->name->kind == VALUE_TEXT) return e->name;
    for (size_t k = 0; k < e->axis_count; k++) {
        if (str_is(e->axes[k].name, e->experiment->label_param))
            return e->name->list.items[chosen[k]];
    }
    return e->name->list.items[0];
}

/* "web", or "web@2" where another agent of the entry is called so, too. */
static void add_agent(struct buf *b, const struct spec_entry *e, const struct value *agent)
{
    struct str id = agent_name(agent);
    size_t namesakes = 0;
    for (size_t i = 0; i < e->agents->list.count; i++) {
        namesakes += str_equal(agent_name(e->agents->list.items[i]), id);
    }
    const struct value *version = value_get(agent, "version");
    buf_printf(b, "%sagent=%.*s", b->n ? ", " : "", STR_ARG(id));
    if (namesakes > 1 && version) buf_printf(b, "@%.*s", STR_ARG(version->source));
}

static const struct str opened = {"parameters.", 11};

/* "sleep 0.0{n}" with n = 1 is "sleep 0.01"; false if the text has no such place. */
static bool fill_place(struct buf *b, struct str axis, const struct value *value)
{
    struct buf filled;
    buf_init(&filled, b->max);
    bool is_found = false;
    for (size_t i = 0; i < b->n;) {
        struct str rest = {b->p + i, b->n - i};
        bool is_here = rest.n >= axis.n + 2 && rest.p[0] == '{' && rest.p[axis.n + 1] == '}' &&
                       memcmp(rest.p + 1, axis.p, axis.n) == 0;
        if (is_here) {
            add_value(&filled, value);
        } else {
            buf_add_char(&filled, rest.p[0]);
        }
        is_found = is_found || is_here;
        i += is_here ? axis.n + 2 : 1;
    }
    if (is_found) {
        buf_clear(b);
        buf_add(b, buf_str(&filled));
    }
    buf_release(&filled);
    return is_found;
}

/* What names the cell by itself, if spec or experiment say so, then the axes. */
static void make_label(struct maker *m, const size_t *chosen, struct plan_cell *cell)
{
    const struct spec_entry *e = m->entry;
    const char *naming = e->experiment->label_param;
    struct buf b;
    buf_init(&b, 1000);
    const struct value *given = given_name(e, chosen);
    const struct value *name = naming ? value_get(cell->params, naming) : NULL;
    if (given) {
        buf_add(&b, given->source);
    } else if (name) {
        add_words(&b, name);
    }
    for (size_t k = 0; k < e->axis_count; k++) {
        struct str axis = e->axes[k].name;
        if (name && str_is(axis, naming)) continue;
        if (str_starts(axis, opened)) {
            axis = (struct str){axis.p + opened.n, axis.n - opened.n};
            if (!given && fill_place(&b, axis, e->axes[k].values[chosen[k]])) continue;
        }
        buf_printf(&b, "%s%.*s=", b.n ? ", " : "", STR_ARG(axis));
        add_value(&b, e->axes[k].values[chosen[k]]);
    }
    if (given) cell->name = str_cstr(m->out, buf_str(&b));
    if (agent_count(e) > 1) add_agent(&b, e, cell->agent);
    if (b.n == 0) buf_text(&b, e->experiment->name);
    cell->label = str_cstr(m->out, buf_str(&b));
    buf_release(&b);
}

/* Only what makes the data: the same for every contender. */
static uint64_t workload_seed(struct maker *m, const struct value *params)
{
    const struct experiment *e = m->entry->experiment;
    struct json j;
    buf_clear(&m->text);
    json_init(&j, &m->text, 0);
    json_object(&j);
    for (size_t i = 0; i < e->params.count; i++) {
        const struct param *row = &e->params.rows[i];
        const struct value *v = value_get(params, row->name);
        if (row->role != PARAM_WORKLOAD || !v) continue;
        json_key(&j, row->name);
        json_value_canonical(&j, v);
    }
    json_end(&j);
    return rng_derive((uint64_t)m->entry->seed, id_hash(str_of(e->name)),
                      id_hash(buf_str(&m->text)));
}

/* The base with the chosen values put in. */
static const struct value *make_params(struct maker *m, const size_t *chosen)
{
    const struct spec_entry *e = m->entry;
    const struct value *params = m->base;
    for (size_t k = 0; k < e->axis_count; k++) {
        params = value_with(m->out, params, e->axes[k].name, e->axes[k].values[chosen[k]]);
    }
    return params;
}

static bool check_cell(struct maker *m, const struct plan_cell *cell, struct error *err)
{
    const struct experiment *e = m->entry->experiment;
    if (!e->check) return true;
    struct arena scratch = *m->out;
    void *config = arena_alloc(&scratch, 1, e->config_size, _Alignof(max_align_t));
    if (!param_read(e->params, cell->params, config, &scratch, err) || !e->check(config, err)) {
        return error_wrap(err, "line %u: cell '%s'", m->entry->params->line, cell->label);
    }
    return true;
}

static bool make_cell(struct maker *m, const size_t *chosen, const struct value *agent,
                      struct error *err)
{
    struct plan_cell *cell = &m->plan->cells[m->plan->cell_count];
    *cell = (struct plan_cell){
        .index = m->plan->cell_count++,
        .entry = m->entry,
        .params = make_params(m, chosen),
        .agent = agent,
    };
    make_label(m, chosen, cell);
    cell->params_json = str_cstr(m->out, canonical(m, cell->params));
    cell->workload_seed = workload_seed(m, cell->params);
    m->bytes += strlen(cell->params_json) + strlen(cell->label);
    if (m->bytes > PLAN_BYTES_MAX) {
        return error_set(
            err, ERROR_INVALID,
            "line %u: the parameters of the first %zu cells are more than %d MB of "
            "text, which is the limit; put long ones into a file",
            m->entry->line, m->plan->cell_count, PLAN_BYTES_MAX >> 20);
    }
    return check_cell(m, cell, err);
}

static bool make_entry_cells(struct maker *m, struct error *err)
{
    const struct spec_entry *e = m->entry;
    size_t *chosen = arena_new(m->out, size_t, e->axis_count);
    struct rng rng = rng_seeded(rng_derive(
        (uint64_t)e->seed, id_hash(str_of(e->experiment->name)), id_hash(S("sweep"))));
    m->base = param_complete(e->experiment->params, e->params, m->out);
    size_t points = combinations(e);
    for (size_t point = 0; point < points; point++) {
        choose_values(e, point, &rng, chosen);
        for (size_t a = 0; a < agent_count(e); a++) {
            const struct value *agent = e->agents ? e->agents->list.items[a] : NULL;
            if (!make_cell(m, chosen, agent, err)) return false;
        }
    }
    return true;
}

/* What a cell is: experiment, parameters, agent. */
static void hash_cell(struct maker *m, const struct plan_cell *cell, size_t occurrence,
                      char *key)
{
    struct json j;
    buf_clear(&m->text);
    json_init(&j, &m->text, 0);
    json_list(&j);
    json_text(&j, cell->entry->experiment->name);
    json_raw(&j, str_of(cell->params_json));
    if (cell->agent) json_value_canonical(&j, cell->agent);
    if (occurrence > 0) json_int(&j, (int64_t)occurrence);
    json_end(&j);
    id_sha256(buf_str(&m->text), key);
}

/* What the arms of a group have in common: all but the factor. */
static void hash_group(struct maker *m, const struct plan_cell *cell, size_t occurrence,
                       char *key)
{
    size_t entry = entry_index(m, cell->entry);
    struct factor factor = m->factors[entry];
    struct arena scratch = *m->out;
    const struct value *params = cell->params;
    if (!factor.is_agent) {
        struct value *blank = value_new_null(&scratch);
        params = value_with(&scratch, params, str_of(factor.name), blank);
    }
    struct json j;
    buf_clear(&m->text);
    json_init(&j, &m->text, 0);
    json_list(&j);
    json_int(&j, (int64_t)entry);
    json_int(&j, (int64_t)occurrence);
    json_value_canonical(&j, params);
    if (cell->agent && !factor.is_agent) json_value_canonical(&j, cell->agent);
    json_end(&j);
    id_sha256(buf_str(&m->text), key);
}

struct keyed {
    char key[SHA256_HEX_SIZE];
    size_t cell;
    size_t occurrence; /* of equal keys, in plan order */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a;
    const struct keyed *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

static void sort_keys(struct keyed *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(keys[i - 1].key, keys[i].key) == 0) {
            keys[i].occurrence = keys[i - 1].occurrence + 1;
        }
    }
}

/* Equal cells (a random sweep may draw one twice, two entries may agree) are
 * told apart by which of them they are: no two share a key. `again`: how often
 * the cell's own entry had it before. */
static void make_keys(struct maker *m, size_t *again)
{
    struct plan *plan = m->plan;
    struct arena scratch = arena_open();
    struct keyed *keys = arena_new(&scratch, struct keyed, plan->cell_count);
    for (size_t i = 0; i < plan->cell_count; i++) {
        keys[i].cell = i;
        hash_cell(m, &plan->cells[i], 0, keys[i].key);
    }
    sort_keys(keys, plan->cell_count);
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct plan_cell *cell = &plan->cells[keys[i].cell];
        bool is_again = keys[i].occurrence > 0;
        const struct plan_cell *before = is_again ? &plan->cells[keys[i - 1].cell] : NULL;
        /* Two names for one command are two arms: it is compared with itself. */
        bool has_own_name =
            before && cell->name && before->name && strcmp(cell->name, before->name) != 0;
        if (before && before->entry == cell->entry && !has_own_name) {
            again[keys[i].cell] = again[keys[i - 1].cell] + 1;
        }
        hash_cell(m, cell, keys[i].occurrence, cell->key);
        cell->private_seed = rng_derive(cell->workload_seed, id_hash(str_of(cell->key)), 0);
    }
    arena_close(&scratch);
}

/* A name is the identity of its cell: no two that differ share one. */
static bool check_names(struct maker *m, struct error *err)
{
    const struct plan *plan = m->plan;
    struct arena scratch = arena_open();
    struct keyed *keys = arena_new(&scratch, struct keyed, plan->cell_count + 1);
    size_t count = 0;
    bool done = true;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        if (!cell->name) continue;
        struct json j;
        buf_clear(&m->text);
        json_init(&j, &m->text, 0);
        json_list(&j);
        json_text(&j, cell->entry->experiment->name);
        json_text(&j, cell->name);
        if (cell->agent) json_value_canonical(&j, cell->agent);
        json_end(&j);
        keys[count].cell = i;
        id_sha256(buf_str(&m->text), keys[count++].key);
    }
    sort_keys(keys, count);
    for (size_t i = 1; i < count && done; i++) {
        const struct plan_cell *cell = &plan->cells[keys[i].cell];
        const struct plan_cell *other = &plan->cells[keys[i - 1].cell];
        if (keys[i].occurrence == 0 || strcmp(cell->params_json, other->params_json) == 0)
            continue;
        done =
            error_set(err, ERROR_INVALID,
                      "line %u: two cells are called '%s', but their parameters differ: give "
                      "each a name of its own",
                      cell->entry->line, cell->name);
    }
    arena_close(&scratch);
    return done;
}

/* For each cell the first one of its group. */
static size_t *find_first(struct maker *m, const size_t *again, struct arena *scratch)
{
    struct plan *plan = m->plan;
    size_t count = plan->cell_count;
    struct keyed *keys = arena_new(scratch, struct keyed, count);
    size_t *first = arena_new(scratch, size_t, count);
    for (size_t i = 0; i < count; i++) {
        keys[i].cell = i;
        if (m->factors[entry_index(m, plan->cells[i].entry)].name) {
            hash_group(m, &plan->cells[i], again[i], keys[i].key);
        } else {
            snprintf(keys[i].key, sizeof keys[i].key, "%zu", i);
        }
    }
    sort_keys(keys, count);
    for (size_t i = 0; i < count; i++) {
        bool joins = keys[i].occurrence > 0;
        first[keys[i].cell] = joins ? first[keys[i - 1].cell] : keys[i].cell;
    }
    return first;
}

/* How many of `count` arms a group gets: groups of a long sweep are about equal. */
static size_t arms_each(size_t count)
{
    size_t groups = (count + PLAN_ARMS_MAX - 1) / PLAN_ARMS_MAX;
    return (count + groups - 1) / groups;
}

static void make_groups(struct maker *m, const size_t *again)
{
    struct plan *plan = m->plan;
    struct arena scratch = arena_open();
    const size_t *first = find_first(m, again, &scratch);
    size_t *all = arena_new(&scratch, size_t, plan->cell_count);    /* by the first cell: */
    size_t *newest = arena_new(&scratch, size_t, plan->cell_count); /* cells, open group */
    for (size_t i = 0; i < plan->cell_count; i++) all[first[i]]++;
    plan->groups = arena_new(m->out, struct plan_group, plan->cell_count);
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct plan_cell *cell = &plan->cells[i];
        size_t *open = &newest[first[i]];
        bool is_full = plan->groups[*open].count == arms_each(all[first[i]]);
        if (first[i] == i || is_full) *open = plan->group_count++;
        cell->group = *open;
        struct plan_group *g = &plan->groups[cell->group];
        g->index = cell->group;
        g->entry = cell->entry;
        g->factor = m->factors[entry_index(m, cell->entry)].name;
        cell->arm = g->count++;
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct plan_group *g = &plan->groups[plan->cells[i].group];
        if (!g->cells) g->cells = arena_new(m->out, size_t, g->count);
        g->cells[plan->cells[i].arm] = i;
    }
    arena_close(&scratch);
}

static int by_label(const void *x, const void *y)
{
    const struct plan_cell *a = *(struct plan_cell *const *)x;
    const struct plan_cell *b = *(struct plan_cell *const *)y;
    int order = strcmp(a->label, b->label);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Cells of several entries that would be called the same are told apart by the entry. */
static void number_labels(struct maker *m)
{
    size_t count = m->plan->cell_count;
    struct plan_cell **sorted = arena_new(m->out, struct plan_cell *, count + 1);
    for (size_t i = 0; i < count; i++) sorted[i] = &m->plan->cells[i];
    if (count > 1) qsort(sorted, count, sizeof(void *), by_label);
    for (size_t i = 0, end = 0; i < count; i = end) {
        bool is_shared = false;
        for (end = i; end < count && strcmp(sorted[end]->label, sorted[i]->label) == 0; end++)
            is_shared |= sorted[end]->entry != sorted[i]->entry;
        const char *label = sorted[i]->label;
        for (size_t k = i; is_shared && k < end; k++)
            sorted[k]->label = arena_printf(m->out, "%s, entry %zu", label,
                                            1 + entry_index(m, sorted[k]->entry));
    }
}

bool plan_make(const struct spec *spec, struct arena *out, struct plan **plan,
               struct error *err)
{
    size_t total = 0;
    if (!count_cells(spec, &total, err)) return false;
    *plan = arena_new(out, struct plan, 1);
    (*plan)->spec = spec;
    (*plan)->cells = arena_new(out, struct plan_cell, total);
    struct maker m = {.out = out, .plan = *plan};
    m.factors = arena_new(out, struct factor, spec->entry_count);
    buf_init(&m.text, SIZE_MAX / 2);
    bool done = true;
    for (size_t i = 0; i < spec->entry_count && done; i++) {
        m.entry = &spec->entries[i];
        m.factors[i] = choose_factor(out, m.entry);
        done = make_entry_cells(&m, err);
    }
    done = done && check_names(&m, err);
    if (done) {
        size_t *again = arena_new(out, size_t, total);
        make_keys(&m, again);
        make_groups(&m, again);
        if (spec->entry_count > 1) number_labels(&m);
    }
    buf_release(&m.text);
    return done;
}

/* Williams (1949): the first row zigzags 0, 1, n-1, 2, n-2, ... so that its
 * neighbouring differences are all different; the other rows are shifts of it.
 * For an odd number of arms that balances only together with the mirrored rows. */
size_t plan_turn(size_t arms, int64_t round, size_t turn)
{
    CHECK(arms > 0 && turn < arms && round >= 0);
    size_t rows = arms % 2 ? 2 * arms : arms;
    size_t row = (size_t)(round % (int64_t)rows);
    if (row >= arms) turn = arms - 1 - turn;
    size_t step = turn % 2 ? (turn + 1) / 2 : (arms - turn / 2) % arms;
    return (step + row) % arms;
}
