/* json.h - writes JSON into a buffer.
 *
 * Commas, quoting and indentation are the writer's business; CHECKs catch a
 * caller who nests wrongly. Numbers are written shortest-that-reads-back;
 * NaN and infinities, which JSON cannot say, are null. Text that is not UTF-8
 * has its bad bytes replaced by U+FFFD.
 *
 *     struct json j;
 *     json_init(&j, &buf, 0);
 *     json_object(&j);
 *     json_key(&j, "n");  json_int(&j, 3);
 *     json_end(&j);                                  -> {"n":3}             */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

struct value;

enum { JSON_DEPTH_MAX = 96 };

struct json {
    struct buf *out;
    int indent; /* spaces per level; 0 = one line */
    int depth;
    bool has_items[JSON_DEPTH_MAX];
    bool is_object[JSON_DEPTH_MAX];
    bool after_key;
};

void json_init(struct json *j, struct buf *out, int indent);

/* A document of ours: an object in one line whose first member is its schema
 * ("assay.list/1"). json_close ends it, and the line. */
void json_open(struct json *j, struct buf *out, const char *schema);
void json_close(struct json *j);

void json_object(struct json *j);
void json_list(struct json *j);
void json_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_key_str(struct json *j, struct str key);

void json_text(struct json *j, const char *text); /* NULL -> null */
void json_str(struct json *j, struct str text);
void json_int(struct json *j, int64_t v);
void json_real(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
void json_raw(struct json *j, struct str ready_json);   /* must be valid JSON */
void json_value(struct json *j, const struct value *v); /* NULL -> null */
void json_texts(struct json *j, const char *const *texts, size_t count); /* a list */

/* Map keys sorted at every level: equal values give equal bytes, so that a
 * hash of them is an identity. */
void json_value_canonical(struct json *j, const struct value *v);

/* The same as a text of its own in `out`, with a NUL after it. Not cut: values
 * have their limits where they enter. */
struct str json_canonical(const struct value *v, struct arena *out);

/* json_value as such a text: a NUL after it, not cut. */
struct str json_of(const struct value *v, struct arena *out);

/* key and value in one line each. */
static inline void json_put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

static inline void json_put_int(struct json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_int(j, v);
}

static inline void json_put_real(struct json *j, const char *key, double v)
{
    json_key(j, key);
    json_real(j, v);
}

static inline void json_put_bool(struct json *j, const char *key, bool v)
{
    json_key(j, key);
    json_bool(j, v);
}

static inline void json_put_str(struct json *j, const char *key, struct str text)
{
    json_key(j, key);
    json_str(j, text);
}

static inline void json_put_value(struct json *j, const char *key, const struct value *v)
{
    json_key(j, key);
    json_value(j, v);
}

static inline void json_put_texts(struct json *j, const char *key, const char *const *texts,
                                  size_t count)
{
    json_key(j, key);
    json_texts(j, texts, count);
}

/* Ready JSON; NULL or "" -> null. */
static inline void json_put_raw(struct json *j, const char *key, const char *ready_json)
{
    json_key(j, key);
    json_raw(j, ready_json && ready_json[0] ? str_of(ready_json) : S("null"));
}

/* An object or a list by its key; json_end ends it. */
static inline void json_key_object(struct json *j, const char *key)
{
    json_key(j, key);
    json_object(j);
}

static inline void json_key_list(struct json *j, const char *key)
{
    json_key(j, key);
    json_list(j);
}

/* The shortest of %.15g, %.16g, %.17g that reads back as v (finite) into a
 * buffer of at least 32 bytes; returns it. */
const char *json_format_real(double v, char *out);

#endif
