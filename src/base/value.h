/* value.h - one tree for what YAML and JSON files say.
 *
 * Every node knows the line and column it was written at (1-based; 0 when the
 * node was made by the program), so that whoever finds a value wrong can say
 * where. Nodes live in the arena they were read into and are read-only after.
 *
 * value_read is the boundary to libfyaml (files people write, YAML 1.2 or
 * JSON); value_read_json is the boundary to jansson (messages, strict JSON,
 * exact int64). Both enforce the budgets below before building anything large. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/buf.h"
#include "base/error.h"

enum value_kind {
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_MAP,
};

struct value_pair;

struct value {
    enum value_kind kind;
    uint32_t line;
    uint32_t column;
    struct str source; /* scalars from a file: as written (1.10 stays "1.10"); TEXT: the text */
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct {
            const struct value *const *items;
            size_t count;
        } list;
        struct {
            const struct value_pair *pairs; /* in file order, keys unique */
            size_t count;
        } map;
    };
};

struct value_pair {
    struct str key;
    uint32_t line;
    uint32_t column;
    const struct value *value;
};

struct value_limits {
    size_t max_bytes;
    size_t max_depth;
    size_t max_nodes; /* after aliases are resolved */
};

/* 512 KiB, depth 64, 50,000 nodes: what a spec may be. */
extern const struct value_limits value_limits_spec;
/* 64 MiB, depth 64, a million nodes: JSON in columns of a store. */
extern const struct value_limits value_limits_stored;

struct value_error {
    uint32_t line;
    uint32_t column;
    struct error error; /* without the place */
};

/* YAML 1.2 (JSON is a part of it). Fails with the place of the first problem:
 * not UTF-8, NUL byte, syntax, too deep, too many nodes, duplicate key,
 * unknown alias, more than one document, non-scalar key. An empty document is
 * VALUE_NULL. Scalars follow the core schema: null ~, true/false, decimal and
 * 0x/0o integers in int64, finite reals (a number out of range is an error, as
 * are .inf and .nan); quoted scalars are text. */
MUST_USE bool value_read(struct str bytes, const struct value_limits *limits, struct arena *out,
                         const struct value **root, struct value_error *err);

/* Strict JSON; line and column of nodes are 0. The error text has the place. */
MUST_USE bool value_read_json(struct str bytes, const struct value_limits *limits,
                              struct arena *out, const struct value **root, struct error *err);

/* The JSON of a column; NULL if there is none, or if it cannot be read. */
const struct value *value_stored(const char *text, struct arena *out);

/* Looks a key up in a map; NULL if absent or `v` is NULL or no map. */
const struct value *value_get(const struct value *v, const char *key);

const struct value *value_find(const struct value *v, struct str key); /* the same */

/* The text below a key; empty if absent or not a text. */
struct str value_text(const struct value *v, const char *key);

/* The number below a key; NaN if absent or not a number. */
double value_real(const struct value *v, const char *key);

const char *value_kind_name(enum value_kind kind); /* "a number", "a list", ... */

static inline bool value_is_number(const struct value *v)
{
    return v->kind == VALUE_INT || v->kind == VALUE_REAL;
}

static inline double value_number(const struct value *v)
{
    return v->kind == VALUE_INT ? (double)v->integer : v->real;
}

/* Deep equality; 1 and 1.0 are equal, places are ignored, key order too. */
bool value_equal(const struct value *a, const struct value *b);

/* Nodes made by the program. */
struct value *value_new_text(struct arena *out, struct str text); /* not copied */
struct value *value_new_int(struct arena *out, int64_t integer);
struct value *value_new_real(struct arena *out, double real);
struct value *value_new_bool(struct arena *out, bool boolean);
struct value *value_new_null(struct arena *out);
struct value *value_new_list(struct arena *out, const struct value *const *items, size_t count);
struct value *value_new_map(struct arena *out, const struct value_pair *pairs, size_t count);

/* A copy of map `base` (NULL = empty) with `key` set to `item`. A dotted key
 * ("parameters.x") goes into the map below. */
const struct value *value_with(struct arena *out, const struct value *base, struct str key,
                               const struct value *item);

#endif
