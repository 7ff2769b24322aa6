/* The boundary to jansson. It parses by recursion (up to 2048 deep) and builds
 * its own tree before we see any of it, so depth is counted in the bytes first
 * and their number is limited; our tree is then made within the node budget. */
#include "base/value.h"

#include <jansson.h>

struct reader {
    struct arena *out;
    size_t nodes_left;
};

/* The deepest nesting that the brackets outside of strings open. */
static size_t deepest(struct str bytes)
{
    size_t depth = 0;
    size_t most = 0;
    bool in_text = false;
    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        if (in_text && c == '\\') {
            i++;
        } else if (c == '"') {
            in_text = !in_text;
        } else if (!in_text && (c == '[' || c == '{')) {
            depth++;
            if (depth > most) most = depth;
        } else if (!in_text && (c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return most;
}

static struct str copied(struct reader *r, const char *text, size_t n)
{
    return (struct str){arena_copy(r->out, text, n), n};
}

static bool convert(struct reader *r, json_t *from, const struct value **to);

static bool convert_list(struct reader *r, json_t *from, struct value *v)
{
    size_t count = json_array_size(from);
    if (count > r->nodes_left) return false;
    const struct value **items = arena_new(r->out, const struct value *, count);
    for (size_t i = 0; i < count; i++) {
        if (!convert(r, json_array_get(from, i), &items[i])) return false;
    }
    v->kind = VALUE_LIST;
    v->list.items = items;
    v->list.count = count;
    return true;
}

static bool convert_map(struct reader *r, json_t *from, struct value *v)
{
    size_t count = json_object_size(from);
    if (count > r->nodes_left) return false;
    struct value_pair *pairs = arena_new(r->out, struct value_pair, count);
    size_t i = 0;
    for (void *at = json_object_iter(from); at; at = json_object_iter_next(from, at), i++) {
        const char *key = json_object_iter_key(at);
        pairs[i].key = copied(r, key, strlen(key));
        if (!convert(r, json_object_iter_value(at), &pairs[i].value)) return false;
    }
    v->kind = VALUE_MAP;
    v->map.pairs = pairs;
    v->map.count = count;
    return true;
}

/* Recursion is at most as deep as the limit that deepest() checked. */
static bool convert(struct reader *r, json_t *from, const struct value **to)
{
    if (r->nodes_left == 0) return false;
    r->nodes_left--;
    struct value *v = arena_new(r->out, struct value, 1);
    *to = v;
    switch (json_typeof(from)) {
    case JSON_OBJECT: return convert_map(r, from, v);
    case JSON_ARRAY: return convert_list(r, from, v);
    case JSON_STRING:
        v->kind = VALUE_TEXT;
        v->source = copied(r, json_string_value(from), json_string_length(from));
        return true;
    case JSON_INTEGER:
        v->kind = VALUE_INT;
        v->integer = json_integer_value(from);
        return true;
    case JSON_REAL:
        v->kind = VALUE_REAL;
        v->real = json_real_value(from);
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        v->kind = VALUE_BOOL;
        v->boolean = json_is_true(from);
        return true;
    case JSON_NULL: return true;
    }
    return false;
}

bool value_read_json(struct str bytes, const struct value_limits *limits, struct arena *out,
                     const struct value **root, struct error *err)
{
    if (bytes.n > limits->max_bytes) {
        return error_set(err, ERROR_INVALID, "%zu bytes of JSON; at most %zu are read", bytes.n,
                         limits->max_bytes);
    }
    if (bytes.n && memchr(bytes.p, '\0', bytes.n)) { /* jansson reads it as the end */
        return error_set(err, ERROR_INVALID, "a NUL byte; JSON is text");
    }
    size_t depth = deepest(bytes);
    if (depth > limits->max_depth) {
        return error_set(err, ERROR_INVALID, "nested %zu deep; at most %zu is read", depth,
                         limits->max_depth);
    }
    json_error_t why;
    json_t *tree = json_loadb(bytes.p ? bytes.p : "", bytes.n,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (!tree) {
        return error_set(err, ERROR_INVALID, "line %d, column %d: %s", why.line, why.column,
                         why.text);
    }
    struct reader r = {.out = out, .nodes_left = limits->max_nodes};
    bool done = convert(&r, tree, root);
    json_decref(tree);
    if (!done) {
        return error_set(err, ERROR_INVALID, "more than %zu values, which is the limit",
                         limits->max_nodes);
    }
    return true;
}
