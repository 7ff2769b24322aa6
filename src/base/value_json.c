/* The boundary to jansson. It parses by recursion (up to 2048 deep) and builds
 * its own tree before we see any of it, so depth is counted in the bytes first
 * and their number is limited; our tree is then made within the node budget.
 *
 * Most of what we read are messages, cases and details: short, ASCII, right. These are read
 * into our tree directly, in a tenth of the time. That reader refuses whatever is not so
 * plain (escapes by number, other letters, long lists, anything wrong), and jansson decides:
 * what is read, and which error is reported, does not depend on who reads. */
#include "base/value.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

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

/* ---- plain JSON ---- */

enum {
    PENDING_MAX = 256, /* items of lists and maps that are not closed yet */
    PLAIN_KEYS_MAX = 32,
    PLAIN_DIGITS_MAX = 18, /* fit into int64_t */
    PLAIN_REAL_MAX = 40,
};

struct plain {
    struct reader r;
    const char *at;
    const char *end;
    size_t depth_left;
    size_t pending;
    struct value_pair items[PENDING_MAX];
};

static void skip_space(struct plain *p)
{
    while (p->at < p->end &&
           (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) {
        p->at++;
    }
}

static bool take_char(struct plain *p, char c)
{
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static char unescaped(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

static bool is_plain_char(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7F;
}

/* Between its quotes, the first of which has been taken. */
static bool plain_text(struct plain *p, struct str *to)
{
    const char *begin = p->at;
    size_t escapes = 0;
    for (; p->at < p->end && *p->at != '"'; p->at++) {
        if (!is_plain_char(*p->at)) return false;
        if (*p->at != '\\') continue;
        escapes++;
        p->at++;
        if (p->at == p->end || !unescaped(*p->at)) return false;
    }
    if (p->at == p->end) return false;
    size_t n = (size_t)(p->at - begin) - escapes;
    p->at++;
    if (escapes == 0) {
        *to = copied(&p->r, begin, n);
        return true;
    }
    char *text = arena_new(p->r.out, char, n + 1);
    for (size_t i = 0; i < n; i++) {
        text[i] = *begin == '\\' ? unescaped(*++begin) : *begin;
        begin++;
    }
    *to = (struct str){text, n};
    return true;
}

static size_t count_digits(const struct plain *p)
{
    size_t n = 0;
    while (p->at + n < p->end && p->at[n] >= '0' && p->at[n] <= '9') n++;
    return n;
}

static bool plain_real(struct plain *p, const char *begin, struct value *v)
{
    char text[PLAIN_REAL_MAX + 1];
    if (take_char(p, '.')) {
        size_t digits = count_digits(p);
        if (digits == 0) return false;
        p->at += digits;
    }
    if (take_char(p, 'e') || take_char(p, 'E')) {
        if (!take_char(p, '-')) (void)take_char(p, '+');
        size_t digits = count_digits(p);
        if (digits == 0) return false;
        p->at += digits;
    }
    size_t n = (size_t)(p->at - begin);
    if (n > PLAIN_REAL_MAX) return false;
    memcpy(text, begin, n);
    text[n] = '\0';
    char *rest = NULL;
    v->kind = VALUE_REAL;
    v->real = strtod(text, &rest);
    return *rest == '\0' && isfinite(v->real);
}

static bool plain_number(struct plain *p, struct value *v)
{
    const char *begin = p->at;
    bool is_negative = take_char(p, '-');
    size_t digits = count_digits(p);
    bool has_zero = digits > 1 && *p->at == '0';
    if (digits == 0 || digits > PLAIN_DIGITS_MAX || has_zero) return false;
    int64_t n = 0;
    for (size_t i = 0; i < digits; i++) n = 10 * n + (p->at[i] - '0');
    p->at += digits;
    if (p->at < p->end && (*p->at == '.' || *p->at == 'e' || *p->at == 'E'))
        return plain_real(p, begin, v);
    v->kind = VALUE_INT;
    v->integer = is_negative ? -n : n;
    return true;
}

static bool plain_word(struct plain *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

static bool plain_value(struct plain *p, const struct value **to);

static bool is_new_key(const struct plain *p, size_t first)
{
    const struct str key = p->items[p->pending].key;
    if (p->pending - first >= PLAIN_KEYS_MAX) return false;
    for (size_t i = first; i < p->pending; i++) {
        if (str_equal(p->items[i].key, key)) return false;
    }
    return true;
}

/* One more item of the list or map that began at `first`. */
static bool plain_item(struct plain *p, size_t first, bool is_map)
{
    if (p->pending == PENDING_MAX) return false;
    p->items[p->pending] = (struct value_pair){0};
    if (is_map) {
        skip_space(p);
        if (!take_char(p, '"') || !plain_text(p, &p->items[p->pending].key)) return false;
        if (!is_new_key(p, first)) return false;
        skip_space(p);
        if (!take_char(p, ':')) return false;
    }
    size_t at = p->pending++;
    return plain_value(p, &p->items[at].value);
}

/* After the first bracket. */
static bool plain_items(struct plain *p, char end, struct value *v)
{
    bool is_map = end == '}';
    size_t first = p->pending;
    if (p->depth_left == 0) return false;
    p->depth_left--;
    skip_space(p);
    if (!take_char(p, end)) {
        do {
            if (!plain_item(p, first, is_map)) return false;
            skip_space(p);
        } while (take_char(p, ','));
        if (!take_char(p, end)) return false;
    }
    p->depth_left++;
    size_t count = p->pending - first;
    p->pending = first;
    v->kind = is_map ? VALUE_MAP : VALUE_LIST;
    if (is_map) {
        struct value_pair *pairs = arena_new(p->r.out, struct value_pair, count);
        if (count) memcpy(pairs, &p->items[first], count * sizeof *pairs);
        v->map.pairs = pairs;
        v->map.count = count;
        return true;
    }
    const struct value **items = arena_new(p->r.out, const struct value *, count);
    for (size_t i = 0; i < count; i++) items[i] = p->items[first + i].value;
    v->list.items = items;
    v->list.count = count;
    return true;
}

static bool plain_value(struct plain *p, const struct value **to)
{
    skip_space(p);
    if (p->r.nodes_left == 0 || p->at == p->end) return false;
    p->r.nodes_left--;
    struct value *v = arena_new(p->r.out, struct value, 1);
    *to = v;
    switch (*p->at) {
    case '{': p->at++; return plain_items(p, '}', v);
    case '[': p->at++; return plain_items(p, ']', v);
    case '"':
        p->at++;
        v->kind = VALUE_TEXT;
        return plain_text(p, &v->source);
    case 't':
    case 'f':
        v->kind = VALUE_BOOL;
        v->boolean = *p->at == 't';
        return plain_word(p, v->boolean ? "true" : "false");
    case 'n': return plain_word(p, "null");
    default: return plain_number(p, v);
    }
}

/* False: not plain, and nothing was taken from `out`. */
static bool read_plain(struct str bytes, const struct value_limits *limits, struct arena *out,
                       const struct value **root)
{
    struct plain p;
    struct arena before = *out;
    const struct value *v = NULL;
    if (bytes.n == 0 || bytes.n > limits->max_bytes) return false;
    p.r = (struct reader){.out = out, .nodes_left = limits->max_nodes};
    p.at = bytes.p;
    p.end = bytes.p + bytes.n;
    p.depth_left = limits->max_depth;
    p.pending = 0;
    if (plain_value(&p, &v)) {
        skip_space(&p);
        if (p.at == p.end) {
            *root = v;
            return true;
        }
    }
    *out = before;
    return false;
}

bool value_read_json(struct str bytes, const struct value_limits *limits, struct arena *out,
                     const struct value **root, struct error *err)
{
    if (read_plain(bytes, limits, out, root)) return true;
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
