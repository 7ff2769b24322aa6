#include "base/json.h"

#include "base/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_init(struct json *j, struct buf *out, int indent)
{
    *j = (struct json){.out = out, .indent = indent};
}

static void new_line(struct json *j)
{
    if (j->indent == 0) return;
    buf_add_char(j->out, '\n');
    for (int i = 0; i < j->depth * j->indent; i++) buf_add_char(j->out, ' ');
}

/* What goes before any item: a comma and a new line where needed. */
static void before_item(struct json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0) return;
    CHECK(!j->is_object[j->depth]);
    if (j->has_items[j->depth]) buf_add_char(j->out, ',');
    j->has_items[j->depth] = true;
    new_line(j);
}

static void open_level(struct json *j, bool is_object)
{
    before_item(j);
    CHECK(j->depth + 1 < JSON_DEPTH_MAX);
    j->depth++;
    j->is_object[j->depth] = is_object;
    j->has_items[j->depth] = false;
    buf_add_char(j->out, is_object ? '{' : '[');
}

void json_object(struct json *j)
{
    open_level(j, true);
}

void json_list(struct json *j)
{
    open_level(j, false);
}

void json_end(struct json *j)
{
    CHECK(j->depth > 0 && !j->after_key);
    bool is_object = j->is_object[j->depth];
    bool has_items = j->has_items[j->depth];
    j->depth--;
    if (has_items) new_line(j);
    buf_add_char(j->out, is_object ? '}' : ']');
}

/* Whether none of eight bytes needs a closer look. It may say no of some that are plain:
 * borrows and carries run from one byte into the next, but never from plain bytes alone. */
static bool are_plain(const char *eight)
{
    const uint64_t each = 0x0101010101010101, high = each * 0x80;
    uint64_t w;
    memcpy(&w, eight, sizeof w);
    uint64_t quote = w ^ each * '"';
    uint64_t slash = w ^ each * '\\';
    uint64_t below = (w - each * 0x20) | (quote - each) | (slash - each); /* < 0x20; zero */
    return ((below | w | (w + each)) & high) == 0;
}

/* Bytes that must be escaped, else the longest run of well-formed text. */
static void write_escaped(struct buf *out, struct str s)
{
    size_t i = 0;
    while (i < s.n) {
        size_t start = i;
        while (i + 8 <= s.n && are_plain(s.p + i)) i += 8;
        while (i < s.n) {
            unsigned char c = (unsigned char)s.p[i];
            if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7F) break;
            i++;
        }
        buf_add_bytes(out, s.p + start, i - start);
        if (i == s.n) return;
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x80) {
            size_t length = 4;
            while (length > 1 &&
                   (i + length > s.n || !str_is_utf8((struct str){s.p + i, length}) ||
                    (length > 1 && str_is_utf8((struct str){s.p + i, length - 1})))) {
                length--;
            }
            bool whole = length > 1;
            buf_add(out, whole ? (struct str){s.p + i, length} : S("\xEF\xBF\xBD"));
            i += length;
            continue;
        }
        switch (c) {
        case '"': buf_text(out, "\\\""); break;
        case '\\': buf_text(out, "\\\\"); break;
        case '\n': buf_text(out, "\\n"); break;
        case '\r': buf_text(out, "\\r"); break;
        case '\t': buf_text(out, "\\t"); break;
        default: buf_printf(out, "\\u%04x", c); break;
        }
        i++;
    }
}

static void write_quoted(struct buf *out, struct str s)
{
    buf_add_char(out, '"');
    write_escaped(out, s);
    buf_add_char(out, '"');
}

void json_key_str(struct json *j, struct str key)
{
    CHECK(j->depth > 0 && j->is_object[j->depth] && !j->after_key);
    if (j->has_items[j->depth]) buf_add_char(j->out, ',');
    j->has_items[j->depth] = true;
    new_line(j);
    write_quoted(j->out, key);
    buf_text(j->out, j->indent ? ": " : ":");
    j->after_key = true;
}

void json_key(struct json *j, const char *key)
{
    json_key_str(j, str_of(key));
}

void json_str(struct json *j, struct str text)
{
    before_item(j);
    write_quoted(j->out, text);
}

void json_text(struct json *j, const char *text)
{
    if (text) {
        json_str(j, str_of(text));
    } else {
        json_null(j);
    }
}

void json_int(struct json *j, int64_t v)
{
    before_item(j);
    buf_printf(j->out, "%" PRId64, v);
}

const char *json_format_real(double v, char *out)
{
    if (fabs(v) < 1e15 && v == trunc(v) && !(v == 0 && signbit(v))) { /* most of them */
        snprintf(out, 32, "%" PRId64, (int64_t)v);
        return out;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, v);
        if (strtod(out, NULL) == v) break;
    }
    return out;
}

void json_real(struct json *j, double v)
{
    if (!isfinite(v)) {
        json_null(j);
        return;
    }
    before_item(j);
    char text[32];
    buf_text(j->out, json_format_real(v, text));
}

void json_bool(struct json *j, bool v)
{
    before_item(j);
    buf_text(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
    before_item(j);
    buf_text(j->out, "null");
}

void json_raw(struct json *j, struct str ready_json)
{
    before_item(j);
    buf_add(j->out, ready_json);
}

static int by_key(const void *a, const void *b)
{
    const struct value_pair *const *x = a;
    const struct value_pair *const *y = b;
    return str_compare((*x)->key, (*y)->key);
}

static void write_map(struct json *j, const struct value *v, bool canonical)
{
    size_t count = v->map.count;
    const struct value_pair **order = calloc(count ? count : 1, sizeof(struct value_pair *));
    if (!order) memory_failed(count * sizeof *order);
    for (size_t i = 0; i < count; i++) order[i] = &v->map.pairs[i];
    if (canonical) qsort(order, count, sizeof *order, by_key);
    json_object(j);
    for (size_t i = 0; i < count; i++) {
        json_key_str(j, order[i]->key);
        if (canonical) {
            json_value_canonical(j, order[i]->value);
        } else {
            json_value(j, order[i]->value);
        }
    }
    json_end(j);
    free(order);
}

static void write_value(struct json *j, const struct value *v, bool canonical)
{
    switch (v->kind) {
    case VALUE_NULL: json_null(j); break;
    case VALUE_BOOL: json_bool(j, v->boolean); break;
    case VALUE_INT: json_int(j, v->integer); break;
    case VALUE_REAL: json_real(j, v->real); break;
    case VALUE_TEXT: json_str(j, v->source); break;
    case VALUE_LIST:
        json_list(j);
        for (size_t i = 0; i < v->list.count; i++) write_value(j, v->list.items[i], canonical);
        json_end(j);
        break;
    case VALUE_MAP: write_map(j, v, canonical); break;
    }
}

void json_value(struct json *j, const struct value *v)
{
    if (v) {
        write_value(j, v, false);
    } else {
        json_null(j);
    }
}

void json_texts(struct json *j, const char *const *texts, size_t count)
{
    json_list(j);
    for (size_t i = 0; i < count; i++) json_text(j, texts[i]);
    json_end(j);
}

void json_value_canonical(struct json *j, const struct value *v)
{
    write_value(j, v, true);
}

static struct str written(void (*write)(struct json *j, const struct value *v),
                          const struct value *v, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, SIZE_MAX / 2);
    json_init(&j, &b, 0);
    write(&j, v);
    struct str text = str_copy(out, buf_str(&b));
    buf_release(&b);
    return text;
}

struct str json_canonical(const struct value *v, struct arena *out)
{
    return written(json_value_canonical, v, out);
}

struct str json_of(const struct value *v, struct arena *out)
{
    return written(json_value, v, out);
}

void json_open(struct json *j, struct buf *out, const char *schema)
{
    json_init(j, out, 0);
    json_object(j);
    json_put_text(j, "schema", schema);
}

void json_close(struct json *j)
{
    CHECK(j->depth == 1);
    json_end(j);
    buf_add_char(j->out, '\n');
}
