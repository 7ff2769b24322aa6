#include "base/value.h"

#include <math.h>

const struct value_limits value_limits_spec = {
    .max_bytes = (size_t)512 << 10,
    .max_depth = 64,
    .max_nodes = 50000,
};

const struct value_limits value_limits_stored = {
    .max_bytes = (size_t)64 << 20,
    .max_depth = 64,
    .max_nodes = 1000000,
};

const struct value *value_stored(const char *text, struct arena *out)
{
    const struct value *v = NULL;
    return text && value_read_json(str_of(text), &value_limits_stored, out, &v, NULL) ? v
                                                                                      : NULL;
}

static const struct value *find(const struct value *map, struct str key)
{
    for (size_t i = 0; i < map->map.count; i++) {
        if (str_equal(map->map.pairs[i].key, key)) return map->map.pairs[i].value;
    }
    return NULL;
}

const struct value *value_get(const struct value *v, const char *key)
{
    return v && v->kind == VALUE_MAP ? find(v, str_of(key)) : NULL;
}

const struct value *value_find(const struct value *v, struct str key)
{
    return v && v->kind == VALUE_MAP ? find(v, key) : NULL;
}

struct str value_text(const struct value *v, const char *key)
{
    const struct value *text = value_get(v, key);
    return text && text->kind == VALUE_TEXT ? text->source : (struct str){0};
}

double value_real(const struct value *v, const char *key)
{
    const struct value *number = value_get(v, key);
    return number && value_is_number(number) ? value_number(number) : (double)NAN;
}

const char *value_kind_name(enum value_kind kind)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",     [VALUE_BOOL] = "true or false", [VALUE_INT] = "a number",
        [VALUE_REAL] = "a number", [VALUE_TEXT] = "text",          [VALUE_LIST] = "a list",
        [VALUE_MAP] = "a mapping",
    };
    CHECK(kind < COUNT(names));
    return names[kind];
}

static bool lists_equal(const struct value *a, const struct value *b)
{
    if (a->list.count != b->list.count) return false;
    for (size_t i = 0; i < a->list.count; i++) {
        if (!value_equal(a->list.items[i], b->list.items[i])) return false;
    }
    return true;
}

static bool maps_equal(const struct value *a, const struct value *b)
{
    if (a->map.count != b->map.count) return false;
    for (size_t i = 0; i < a->map.count; i++) {
        const struct value_pair *pair = &a->map.pairs[i];
        const struct value_pair *same_place = &b->map.pairs[i];
        const struct value *other =
            str_equal(pair->key, same_place->key) ? same_place->value : find(b, pair->key);
        if (!other || !value_equal(pair->value, other)) return false;
    }
    return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a == b) return true;
    if (value_is_number(a) && value_is_number(b)) {
        if (a->kind == VALUE_INT && b->kind == VALUE_INT) return a->integer == b->integer;
        return value_number(a) == value_number(b);
    }
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case VALUE_BOOL: return a->boolean == b->boolean;
    case VALUE_TEXT: return str_equal(a->source, b->source);
    case VALUE_LIST: return lists_equal(a, b);
    case VALUE_MAP: return maps_equal(a, b);
    default: return true;
    }
}

static struct value *new_value(struct arena *out, struct value v)
{
    struct value *p = arena_new(out, struct value, 1);
    *p = v;
    return p;
}

struct value *value_new_text(struct arena *out, struct str text)
{
    return new_value(out, (struct value){.kind = VALUE_TEXT, .source = text});
}

struct value *value_new_int(struct arena *out, int64_t integer)
{
    return new_value(out, (struct value){.kind = VALUE_INT, .integer = integer});
}

struct value *value_new_real(struct arena *out, double real)
{
    return new_value(out, (struct value){.kind = VALUE_REAL, .real = real});
}

struct value *value_new_bool(struct arena *out, bool boolean)
{
    return new_value(out, (struct value){.kind = VALUE_BOOL, .boolean = boolean});
}

struct value *value_new_null(struct arena *out)
{
    return new_value(out, (struct value){.kind = VALUE_NULL});
}

struct value *value_new_list(struct arena *out, const struct value *const *items, size_t count)
{
    const struct value **copy = arena_new(out, const struct value *, count);
    for (size_t i = 0; i < count; i++) copy[i] = items[i];
    return new_value(
        out, (struct value){.kind = VALUE_LIST, .list = {.items = copy, .count = count}});
}

struct value *value_new_map(struct arena *out, const struct value_pair *pairs, size_t count)
{
    struct value_pair *copy = arena_new(out, struct value_pair, count);
    for (size_t i = 0; i < count; i++) copy[i] = pairs[i];
    return new_value(out,
                     (struct value){.kind = VALUE_MAP, .map = {.pairs = copy, .count = count}});
}

const struct value *value_with(struct arena *out, const struct value *base, struct str key,
                               const struct value *item)
{
    struct str rest = key;
    struct str head = str_cut(&rest, '.');
    bool is_map = base && base->kind == VALUE_MAP;
    size_t count = is_map ? base->map.count : 0;
    struct value_pair *pairs = arena_new(out, struct value_pair, count + 1);
    size_t at = count;
    for (size_t i = 0; i < count; i++) {
        pairs[i] = base->map.pairs[i];
        if (str_equal(pairs[i].key, head)) at = i;
    }
    if (at == count) {
        pairs[count++] = (struct value_pair){head, item->line, item->column, NULL};
    }
    pairs[at].value = rest.p ? value_with(out, pairs[at].value, rest, item) : item;
    struct value map = {.kind = VALUE_MAP, .map = {.pairs = pairs, .count = count}};
    if (base) {
        map.line = base->line;
        map.column = base->column;
    }
    return new_value(out, map);
}
