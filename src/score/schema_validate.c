/* Each keyword of a schema is looked up in the table at the end and tried on
 * the value; keywords that concern another kind of value do not apply, as the
 * draft says. Steps are counted, so that a schema whose references multiply
 * cannot hang. */
#include "score/schema_internal.h"
#include "score/text.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>

enum { VALIDATE_STEPS = 1000000, VALIDATE_DEPTH = 256 };

/* Where in the answer we are, for the reason. */
struct place {
    const struct place *up;
    struct str key;
    size_t index;
};

struct validation {
    const struct schema *schema;
    struct arena *out;
    size_t steps_left;
    size_t depth;
    size_t quiet; /* inside of anyOf, not, ...: a failure is no reason yet */
    const char *why;
    bool has_failed;
    struct error *err;
};

static bool validate(struct validation *w, const struct value *schema, const struct value *v,
                     const struct place *at);

static void write_place(const struct place *at, struct buf *b)
{
    if (!at) return;
    write_place(at->up, b);
    if (at->key.p) {
        buf_printf(b, "/%.*s", STR_ARG(at->key));
    } else {
        buf_printf(b, "/%zu", at->index);
    }
}

/* Returns false. */
static bool invalid(struct validation *w, const struct place *at, const char *fmt, ...)
    PRINTF(3, 4);

static bool invalid(struct validation *w, const struct place *at, const char *fmt, ...)
{
    if (w->quiet || w->why) return false;
    char text[500];
    struct buf b;
    buf_over(&b, text, sizeof text);
    write_place(at, &b);
    if (b.n == 0) buf_text(&b, "the answer");
    buf_add_char(&b, ' ');
    va_list args;
    va_start(args, fmt);
    char what[300];
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    buf_text(&b, what);
    w->why = str_cstr(w->out, buf_str(&b));
    return false;
}

static bool fails(struct validation *w, const char *text)
{
    if (!w->has_failed) error_set(w->err, ERROR_FAILED, "json schema: %s", text);
    w->has_failed = true;
    return false;
}

/* True or false without leaving a reason. */
static bool holds(struct validation *w, const struct value *schema, const struct value *v,
                  const struct place *at)
{
    w->quiet++;
    bool is_valid = validate(w, schema, v, at);
    w->quiet--;
    return is_valid;
}

struct trial {
    struct validation *w;
    const struct value *schema; /* that has the keyword */
    const struct value *word;   /* the keyword's value */
    const struct value *v;
    const struct place *at;
};

static bool is_of_type(const struct value *v, struct str name)
{
    switch (v->kind) {
    case VALUE_NULL: return str_is(name, "null");
    case VALUE_BOOL: return str_is(name, "boolean");
    case VALUE_INT: return str_is(name, "integer") || str_is(name, "number");
    case VALUE_REAL:
        return str_is(name, "number") || (str_is(name, "integer") && v->real == floor(v->real));
    case VALUE_TEXT: return str_is(name, "string");
    case VALUE_LIST: return str_is(name, "array");
    case VALUE_MAP: return str_is(name, "object");
    }
    return false;
}

static bool try_type(const struct trial *t)
{
    const struct value *word = t->word;
    if (word->kind == VALUE_TEXT) {
        return is_of_type(t->v, word->source) ||
               invalid(t->w, t->at, "must be of type %.*s, not %s", STR_ARG(word->source),
                       value_kind_name(t->v->kind));
    }
    for (size_t i = 0; i < word->list.count; i++) {
        if (is_of_type(t->v, word->list.items[i]->source)) return true;
    }
    return invalid(t->w, t->at, "is of none of the types (is %s)", value_kind_name(t->v->kind));
}

static bool try_enum(const struct trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (value_equal(t->v, t->word->list.items[i])) return true;
    }
    return invalid(t->w, t->at, "is none of the %zu values allowed", t->word->list.count);
}

static bool try_const(const struct trial *t)
{
    return value_equal(t->v, t->word) || invalid(t->w, t->at, "is not the value required");
}

static bool try_minimum(const struct trial *t)
{
    return value_number(t->v) >= value_number(t->word) ||
           invalid(t->w, t->at, "must be at least %g (is %g)", value_number(t->word),
                   value_number(t->v));
}

static bool try_maximum(const struct trial *t)
{
    return value_number(t->v) <= value_number(t->word) ||
           invalid(t->w, t->at, "must be at most %g (is %g)", value_number(t->word),
                   value_number(t->v));
}

static bool try_above(const struct trial *t)
{
    return value_number(t->v) > value_number(t->word) ||
           invalid(t->w, t->at, "must be above %g (is %g)", value_number(t->word),
                   value_number(t->v));
}

static bool try_below(const struct trial *t)
{
    return value_number(t->v) < value_number(t->word) ||
           invalid(t->w, t->at, "must be below %g (is %g)", value_number(t->word),
                   value_number(t->v));
}

static bool try_multiple(const struct trial *t)
{
    bool is_multiple;
    if (t->v->kind == VALUE_INT && t->word->kind == VALUE_INT) {
        is_multiple = t->v->integer % t->word->integer == 0;
    } else { /* 0.3 is a multiple of 0.1, whatever binary fractions say */
        double times = value_number(t->v) / value_number(t->word);
        is_multiple = fabs(times - round(times)) <= 1e-9 * fmax(1, fabs(times));
    }
    return is_multiple || invalid(t->w, t->at, "must be a multiple of %g (is %g)",
                                  value_number(t->word), value_number(t->v));
}

static bool at_least(const struct trial *t, size_t n, const char *what)
{
    return (double)n >= value_number(t->word) ||
           invalid(t->w, t->at, "has %zu %s, at least %g are required", n, what,
                   value_number(t->word));
}

static bool at_most(const struct trial *t, size_t n, const char *what)
{
    return (double)n <= value_number(t->word) ||
           invalid(t->w, t->at, "has %zu %s, at most %g are allowed", n, what,
                   value_number(t->word));
}

static bool try_min_length(const struct trial *t)
{
    return at_least(t, text_count(t->v->source), "characters");
}

static bool try_max_length(const struct trial *t)
{
    return at_most(t, text_count(t->v->source), "characters");
}

static bool try_min_items(const struct trial *t)
{
    return at_least(t, t->v->list.count, "items");
}

static bool try_max_items(const struct trial *t)
{
    return at_most(t, t->v->list.count, "items");
}

static bool try_min_properties(const struct trial *t)
{
    return at_least(t, t->v->map.count, "properties");
}

static bool try_max_properties(const struct trial *t)
{
    return at_most(t, t->v->map.count, "properties");
}

static bool matches(struct validation *w, struct str pattern, struct str text)
{
    bool is_found = false;
    struct str match;
    struct error err = {0};
    if (!pattern_find(schema_pattern_of(w->schema, pattern), text, &is_found, &match, &err)) {
        return fails(w, err.text);
    }
    return is_found;
}

static bool try_pattern(const struct trial *t)
{
    return matches(t->w, t->word->source, t->v->source) ||
           invalid(t->w, t->at, "does not match '%.*s'", STR_ARG(t->word->source));
}

static bool try_prefix_items(const struct trial *t)
{
    for (size_t i = 0; i < t->word->list.count && i < t->v->list.count; i++) {
        struct place at = {.up = t->at, .index = i};
        if (!validate(t->w, t->word->list.items[i], t->v->list.items[i], &at)) return false;
    }
    return true;
}

static bool try_items(const struct trial *t)
{
    const struct value *prefix = value_get(t->schema, "prefixItems");
    for (size_t i = prefix ? prefix->list.count : 0; i < t->v->list.count; i++) {
        struct place at = {.up = t->at, .index = i};
        if (!validate(t->w, t->word, t->v->list.items[i], &at)) return false;
    }
    return true;
}

static bool try_contains(const struct trial *t)
{
    const struct value *least = value_get(t->schema, "minContains");
    const struct value *most = value_get(t->schema, "maxContains");
    size_t count = 0;
    for (size_t i = 0; i < t->v->list.count; i++) {
        struct place at = {.up = t->at, .index = i};
        count += holds(t->w, t->word, t->v->list.items[i], &at);
    }
    if ((double)count < (least ? value_number(least) : 1) ||
        (most && (double)count > value_number(most))) {
        return invalid(t->w, t->at, "contains %zu items of the kind asked for", count);
    }
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* By sorting their canonical JSON: comparing all pairs of a long answer would
 * take for ever. */
static bool try_unique(const struct trial *t)
{
    size_t n = t->v->list.count;
    if (!t->word->boolean || n < 2) return true;
    struct arena scratch = arena_open();
    struct str *texts = arena_new(&scratch, struct str, n);
    for (size_t i = 0; i < n; i++) texts[i] = json_canonical(t->v->list.items[i], &scratch);
    qsort(texts, n, sizeof *texts, compare_texts);
    bool is_unique = true;
    for (size_t i = 1; i < n && is_unique; i++) is_unique = !str_equal(texts[i], texts[i - 1]);
    arena_close(&scratch);
    return is_unique || invalid(t->w, t->at, "has an item twice");
}

static const struct value *property(const struct value *map, struct str key)
{
    for (size_t i = 0; map && i < map->map.count; i++) {
        if (str_equal(map->map.pairs[i].key, key)) return map->map.pairs[i].value;
    }
    return NULL;
}

static bool try_properties(const struct trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        const struct value *schema = property(t->word, pair->key);
        struct place at = {.up = t->at, .key = pair->key};
        if (schema && !validate(t->w, schema, pair->value, &at)) return false;
    }
    return true;
}

static bool try_pattern_properties(const struct trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        struct place at = {.up = t->at, .key = pair->key};
        for (size_t k = 0; k < t->word->map.count; k++) {
            const struct value_pair *rule = &t->word->map.pairs[k];
            if (!matches(t->w, rule->key, pair->key)) continue;
            if (!validate(t->w, rule->value, pair->value, &at)) return false;
        }
    }
    return true;
}

static bool try_additional(const struct trial *t)
{
    const struct value *named = value_get(t->schema, "properties");
    const struct value *patterns = value_get(t->schema, "patternProperties");
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        bool is_covered = property(named, pair->key) != NULL;
        for (size_t k = 0; patterns && !is_covered && k < patterns->map.count; k++) {
            is_covered = matches(t->w, patterns->map.pairs[k].key, pair->key);
        }
        struct place at = {.up = t->at, .key = pair->key};
        if (!is_covered && !validate(t->w, t->word, pair->value, &at)) return false;
    }
    return true;
}

static bool try_property_names(const struct trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        struct value name = {.kind = VALUE_TEXT, .source = t->v->map.pairs[i].key};
        if (holds(t->w, t->word, &name, t->at)) continue;
        return invalid(t->w, t->at, "has a property '%.*s', which is no name allowed",
                       STR_ARG(name.source));
    }
    return true;
}

static bool has_all(const struct trial *t, const struct value *names)
{
    for (size_t i = 0; i < names->list.count; i++) {
        struct str name = names->list.items[i]->source;
        if (!property(t->v, name)) {
            return invalid(t->w, t->at, "lacks the property '%.*s'", STR_ARG(name));
        }
    }
    return true;
}

static bool try_required(const struct trial *t)
{
    return has_all(t, t->word);
}

static bool try_dependent_required(const struct trial *t)
{
    for (size_t i = 0; i < t->word->map.count; i++) {
        const struct value_pair *rule = &t->word->map.pairs[i];
        if (property(t->v, rule->key) && !has_all(t, rule->value)) return false;
    }
    return true;
}

static bool try_dependent_schemas(const struct trial *t)
{
    for (size_t i = 0; i < t->word->map.count; i++) {
        const struct value_pair *rule = &t->word->map.pairs[i];
        if (!property(t->v, rule->key)) continue;
        if (!validate(t->w, rule->value, t->v, t->at)) return false;
    }
    return true;
}

static bool try_all_of(const struct trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (!validate(t->w, t->word->list.items[i], t->v, t->at)) return false;
    }
    return true;
}

static bool try_any_of(const struct trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (holds(t->w, t->word->list.items[i], t->v, t->at)) return true;
    }
    return invalid(t->w, t->at, "fits none of the %zu schemas of anyOf", t->word->list.count);
}

static bool try_one_of(const struct trial *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->word->list.count; i++) {
        count += holds(t->w, t->word->list.items[i], t->v, t->at);
    }
    return count == 1 || invalid(t->w, t->at, "fits %zu of the %zu schemas of oneOf, not 1",
                                 count, t->word->list.count);
}

static bool try_not(const struct trial *t)
{
    return !holds(t->w, t->word, t->v, t->at) || invalid(t->w, t->at, "is what 'not' excludes");
}

static bool try_if(const struct trial *t)
{
    bool is_so = holds(t->w, t->word, t->v, t->at);
    const struct value *next = value_get(t->schema, is_so ? "then" : "else");
    return !next || validate(t->w, next, t->v, t->at);
}

static bool try_ref(const struct trial *t)
{
    struct arena scratch = arena_open();
    const struct value *target = schema_resolve(t->w->schema, t->word->source, &scratch);
    arena_close(&scratch);
    return validate(t->w, target, t->v, t->at);
}

/* To which values a keyword applies, and what tries it. */
enum { ON_ANY, ON_NUMBER, ON_TEXT, ON_LIST, ON_MAP };

static const struct {
    const char *name;
    int on;
    bool (*try)(const struct trial *t);
} tests[] = {
    {"type", ON_ANY, try_type},
    {"enum", ON_ANY, try_enum},
    {"const", ON_ANY, try_const},
    {"minimum", ON_NUMBER, try_minimum},
    {"maximum", ON_NUMBER, try_maximum},
    {"exclusiveMinimum", ON_NUMBER, try_above},
    {"exclusiveMaximum", ON_NUMBER, try_below},
    {"multipleOf", ON_NUMBER, try_multiple},
    {"minLength", ON_TEXT, try_min_length},
    {"maxLength", ON_TEXT, try_max_length},
    {"pattern", ON_TEXT, try_pattern},
    {"prefixItems", ON_LIST, try_prefix_items},
    {"items", ON_LIST, try_items},
    {"contains", ON_LIST, try_contains},
    {"minItems", ON_LIST, try_min_items},
    {"maxItems", ON_LIST, try_max_items},
    {"uniqueItems", ON_LIST, try_unique},
    {"properties", ON_MAP, try_properties},
    {"patternProperties", ON_MAP, try_pattern_properties},
    {"additionalProperties", ON_MAP, try_additional},
    {"propertyNames", ON_MAP, try_property_names},
    {"required", ON_MAP, try_required},
    {"minProperties", ON_MAP, try_min_properties},
    {"maxProperties", ON_MAP, try_max_properties},
    {"dependentRequired", ON_MAP, try_dependent_required},
    {"dependentSchemas", ON_MAP, try_dependent_schemas},
    {"allOf", ON_ANY, try_all_of},
    {"anyOf", ON_ANY, try_any_of},
    {"oneOf", ON_ANY, try_one_of},
    {"not", ON_ANY, try_not},
    {"if", ON_ANY, try_if},
    {"$ref", ON_ANY, try_ref},
};

static bool applies(int on, const struct value *v)
{
    switch (on) {
    case ON_NUMBER: return value_is_number(v);
    case ON_TEXT: return v->kind == VALUE_TEXT;
    case ON_LIST: return v->kind == VALUE_LIST;
    case ON_MAP: return v->kind == VALUE_MAP;
    default: return true;
    }
}

static bool try_keywords(struct validation *w, const struct value *schema,
                         const struct value *v, const struct place *at)
{
    for (size_t i = 0; i < COUNT(tests); i++) {
        if (!applies(tests[i].on, v)) continue;
        struct trial t = {w, schema, value_get(schema, tests[i].name), v, at};
        if (t.word && !tests[i].try(&t)) return false;
    }
    return true;
}

static bool validate(struct validation *w, const struct value *schema, const struct value *v,
                     const struct place *at)
{
    if (w->has_failed) return false;
    if (w->steps_left == 0) return fails(w, "needs more steps than are allowed");
    if (w->depth == VALIDATE_DEPTH) return fails(w, "its references go round in a circle");
    w->steps_left--;
    if (schema->kind == VALUE_BOOL) {
        return schema->boolean || invalid(w, at, "is not allowed");
    }
    w->depth++;
    bool is_valid = try_keywords(w, schema, v, at);
    w->depth--;
    return is_valid;
}

bool schema_validate(const struct schema *schema, const struct value *v, struct arena *out,
                     const char **why, struct error *err)
{
    struct validation w = {
        .schema = schema,
        .out = out,
        .steps_left = VALIDATE_STEPS,
        .err = err,
    };
    bool is_valid = validate(&w, schema->root, v, NULL);
    *why = is_valid ? NULL : w.why ? w.why : "the answer does not fit the schema";
    return !w.has_failed;
}
