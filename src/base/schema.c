#include "base/schema.h"

#include "base/schema_internal.h"

/* What the value of a keyword must be. */
enum shape {
    SHAPE_ANY,
    SHAPE_BOOL,
    SHAPE_TEXT,
    SHAPE_NUMBER,
    SHAPE_POSITIVE,
    SHAPE_COUNT,
    SHAPE_LIST,
    SHAPE_TEXTS,
    SHAPE_TYPE,
    SHAPE_PATTERN,
    SHAPE_REF,
    SHAPE_DRAFT,
    SHAPE_ROOT_ID,
    SHAPE_SCHEMA,
    SHAPE_SCHEMAS,     /* a list of them, not empty */
    SHAPE_SCHEMA_MAP,  /* names to schemas */
    SHAPE_PATTERN_MAP, /* patterns to schemas */
    SHAPE_TEXTS_MAP,   /* names to lists of names */
};

static const struct keyword {
    const char *name;
    enum shape shape;
} keywords[] = {
    {"type", SHAPE_TYPE},
    {"enum", SHAPE_LIST},
    {"const", SHAPE_ANY},
    {"minimum", SHAPE_NUMBER},
    {"maximum", SHAPE_NUMBER},
    {"exclusiveMinimum", SHAPE_NUMBER},
    {"exclusiveMaximum", SHAPE_NUMBER},
    {"multipleOf", SHAPE_POSITIVE},
    {"minLength", SHAPE_COUNT},
    {"maxLength", SHAPE_COUNT},
    {"pattern", SHAPE_PATTERN},
    {"items", SHAPE_SCHEMA},
    {"prefixItems", SHAPE_SCHEMAS},
    {"contains", SHAPE_SCHEMA},
    {"minContains", SHAPE_COUNT},
    {"maxContains", SHAPE_COUNT},
    {"minItems", SHAPE_COUNT},
    {"maxItems", SHAPE_COUNT},
    {"uniqueItems", SHAPE_BOOL},
    {"properties", SHAPE_SCHEMA_MAP},
    {"patternProperties", SHAPE_PATTERN_MAP},
    {"additionalProperties", SHAPE_SCHEMA},
    {"propertyNames", SHAPE_SCHEMA},
    {"required", SHAPE_TEXTS},
    {"minProperties", SHAPE_COUNT},
    {"maxProperties", SHAPE_COUNT},
    {"dependentRequired", SHAPE_TEXTS_MAP},
    {"dependentSchemas", SHAPE_SCHEMA_MAP},
    {"allOf", SHAPE_SCHEMAS},
    {"anyOf", SHAPE_SCHEMAS},
    {"oneOf", SHAPE_SCHEMAS},
    {"not", SHAPE_SCHEMA},
    {"if", SHAPE_SCHEMA},
    {"then", SHAPE_SCHEMA},
    {"else", SHAPE_SCHEMA},
    {"$ref", SHAPE_REF},
    {"$defs", SHAPE_SCHEMA_MAP},
    {"definitions", SHAPE_SCHEMA_MAP},
    {"title", SHAPE_TEXT},
    {"description", SHAPE_TEXT},
    {"$comment", SHAPE_TEXT},
    {"default", SHAPE_ANY},
    {"examples", SHAPE_ANY},
    {"deprecated", SHAPE_BOOL},
    {"readOnly", SHAPE_BOOL},
    {"writeOnly", SHAPE_BOOL},
    {"$schema", SHAPE_DRAFT},
    {"$id", SHAPE_ROOT_ID},
};

struct compiler {
    struct schema *schema;
    struct arena *out;
    struct problems *problems;
    size_t depth;
};

enum { SCHEMA_DEPTH_MAX = 64 };

static bool compile(struct compiler *c, const struct value *v);

static bool wrong(struct compiler *c, const struct value_pair *pair, const char *what)
{
    return problems_add(c->problems, pair->value->line, pair->value->column,
                        "json schema: '%.*s' %s", STR_ARG(pair->key), what);
}

const struct pattern *schema_pattern_of(const struct schema *schema, struct str text)
{
    for (const struct schema_pattern *p = schema->patterns; p; p = p->next) {
        if (str_equal(p->text, text)) return p->pattern;
    }
    return NULL;
}

static bool compile_pattern(struct compiler *c, const struct value_pair *pair, struct str text)
{
    if (schema_pattern_of(c->schema, text)) return true;
    struct schema_pattern *p = arena_new(c->out, struct schema_pattern, 1);
    struct error err = {0};
    if (!pattern_compile(text, 0, c->out, &p->pattern, &err)) {
        return wrong(
            c, pair,
            arena_printf(c->out, "has the pattern '%.*s': %s", STR_ARG(text), err.text));
    }
    p->text = text;
    p->next = c->schema->patterns;
    c->schema->patterns = p;
    return true;
}

static const struct keyword *find_keyword(struct str name)
{
    for (size_t i = 0; i < COUNT(keywords); i++) {
        if (str_is(name, keywords[i].name)) return &keywords[i];
    }
    return NULL;
}

/* Whether the pointer ends where a schema is compiled. What stands under `const`
 * or `examples` may look like one, and nobody has checked it. */
static bool leads_to_schema(struct str pointer)
{
    bool is_schema = true; /* else we are in a map or a list of schemas */
    struct str rest = {pointer.p + 1, pointer.n - 1};
    while (rest.p) {
        struct str part = str_cut(&rest, '/'); /* no keyword has a character to escape */
        const struct keyword *k = is_schema ? find_keyword(part) : NULL;
        bool holds_schemas = k && (k->shape == SHAPE_SCHEMAS || k->shape == SHAPE_SCHEMA_MAP ||
                                   k->shape == SHAPE_PATTERN_MAP);
        if (is_schema && !holds_schemas && (!k || k->shape != SHAPE_SCHEMA)) return false;
        is_schema = !holds_schemas;
    }
    return is_schema;
}

const struct value *schema_resolve(const struct schema *schema, struct str ref)
{
    if (str_is(ref, "#")) return schema->root;
    if (!str_starts(ref, S("#/")) || memchr(ref.p, '%', ref.n)) return NULL;
    struct str pointer = {ref.p + 1, ref.n - 1};
    if (!pointer_check(pointer, NULL) || !leads_to_schema(pointer)) return NULL;
    return pointer_find(schema->root, pointer);
}

static bool compile_ref(struct compiler *c, const struct value_pair *pair)
{
    const struct value *v = pair->value;
    if (v->kind != VALUE_TEXT || !str_starts(v->source, S("#"))) {
        return wrong(c, pair, "must point into this schema, such as \"#/$defs/x\"");
    }
    const struct value *target = schema_resolve(c->schema, v->source);
    if (target && (target->kind == VALUE_MAP || target->kind == VALUE_BOOL)) return true;
    return wrong(c, pair, "does not point to a schema");
}

static bool is_type_name(const struct value *v)
{
    static const char *const names[] = {"null",   "boolean", "integer", "number",
                                        "string", "array",   "object"};
    for (size_t i = 0; i < COUNT(names) && v->kind == VALUE_TEXT; i++) {
        if (str_is(v->source, names[i])) return true;
    }
    return false;
}

static bool are_all(const struct value *v, bool (*test)(const struct value *))
{
    if (v->kind != VALUE_LIST) return false;
    for (size_t i = 0; i < v->list.count; i++) {
        if (!test(v->list.items[i])) return false;
    }
    return true;
}

static bool is_text(const struct value *v)
{
    return v->kind == VALUE_TEXT;
}

static bool compile_list(struct compiler *c, const struct value_pair *pair)
{
    const struct value *v = pair->value;
    if (v->kind != VALUE_LIST || v->list.count == 0) {
        return wrong(c, pair, "must be a list of schemas, not empty");
    }
    bool is_right = true;
    for (size_t i = 0; i < v->list.count; i++) {
        is_right = compile(c, v->list.items[i]) && is_right;
    }
    return is_right;
}

static bool compile_map(struct compiler *c, const struct value_pair *pair, enum shape shape)
{
    const struct value *v = pair->value;
    if (v->kind != VALUE_MAP) return wrong(c, pair, "must be a mapping");
    bool is_right = true;
    for (size_t i = 0; i < v->map.count; i++) {
        const struct value_pair *below = &v->map.pairs[i];
        if (shape == SHAPE_TEXTS_MAP) {
            bool is_list = are_all(below->value, is_text);
            is_right = (is_list || wrong(c, below, "must be a list of names")) && is_right;
            continue;
        }
        if (shape == SHAPE_PATTERN_MAP) {
            is_right = compile_pattern(c, pair, below->key) && is_right;
        }
        is_right = compile(c, below->value) && is_right;
    }
    return is_right;
}

static bool is_count(const struct value *v)
{
    return (v->kind == VALUE_INT && v->integer >= 0) ||
           (v->kind == VALUE_REAL && v->real >= 0 && v->real < 0x1p53 &&
            v->real == (double)(int64_t)v->real);
}

static bool compile_keyword(struct compiler *c, const struct value_pair *pair, enum shape shape)
{
    const struct value *v = pair->value;
    switch (shape) {
    case SHAPE_ANY: return true;
    case SHAPE_BOOL: return v->kind == VALUE_BOOL || wrong(c, pair, "must be true or false");
    case SHAPE_TEXT: return is_text(v) || wrong(c, pair, "must be text");
    case SHAPE_NUMBER: return value_is_number(v) || wrong(c, pair, "must be a number");
    case SHAPE_POSITIVE:
        return (value_is_number(v) && value_number(v) > 0) ||
               wrong(c, pair, "must be a number above 0");
    case SHAPE_COUNT: return is_count(v) || wrong(c, pair, "must be a whole number from 0");
    case SHAPE_LIST: return v->kind == VALUE_LIST || wrong(c, pair, "must be a list");
    case SHAPE_TEXTS: return are_all(v, is_text) || wrong(c, pair, "must be a list of names");
    case SHAPE_TYPE:
        return is_type_name(v) || (are_all(v, is_type_name) && v->list.count) ||
               wrong(c, pair,
                     "must be null, boolean, integer, number, string, array or object, or a "
                     "list of these");
    case SHAPE_PATTERN:
        return is_text(v) ? compile_pattern(c, pair, v->source)
                          : wrong(c, pair, "must be text");
    case SHAPE_REF: return compile_ref(c, pair);
    case SHAPE_DRAFT:
        return (is_text(v) && memmem(v->source.p, v->source.n, "2020-12", 7)) ||
               wrong(c, pair, "must be draft 2020-12, which is the one implemented");
    case SHAPE_ROOT_ID:
        return (is_text(v) && c->depth == 1) ||
               wrong(c, pair, "is not implemented below the root");
    case SHAPE_SCHEMA: return compile(c, v);
    case SHAPE_SCHEMAS: return compile_list(c, pair);
    case SHAPE_SCHEMA_MAP:
    case SHAPE_PATTERN_MAP:
    case SHAPE_TEXTS_MAP: return compile_map(c, pair, shape);
    }
    return false;
}

static bool compile_pair(struct compiler *c, const struct value_pair *pair)
{
    const struct keyword *known = find_keyword(pair->key);
    if (known) return compile_keyword(c, pair, known->shape);
    const char *names[COUNT(keywords)];
    for (size_t i = 0; i < COUNT(keywords); i++) names[i] = keywords[i].name;
    const char *near = str_suggest(pair->key, names, COUNT(names));
    return problems_add(c->problems, pair->line, pair->column,
                        "json schema: keyword '%.*s' is not implemented%s%s%s",
                        STR_ARG(pair->key), STR_MEANT(near));
}

static bool compile(struct compiler *c, const struct value *v)
{
    if (v->kind == VALUE_BOOL) return true;
    if (v->kind != VALUE_MAP) {
        return problems_add(c->problems, v->line, v->column,
                            "json schema: a schema is a mapping, true or false, not %s",
                            value_kind_name(v->kind));
    }
    if (c->depth == SCHEMA_DEPTH_MAX) {
        return problems_add(c->problems, v->line, v->column,
                            "json schema: nested more than %d deep", SCHEMA_DEPTH_MAX);
    }
    c->depth++;
    bool is_right = true;
    for (size_t i = 0; i < v->map.count; i++) {
        is_right = compile_pair(c, &v->map.pairs[i]) && is_right;
    }
    c->depth--;
    return is_right;
}

bool schema_compile(const struct value *v, struct arena *out, const struct schema **schema,
                    struct problems *problems)
{
    struct schema *made = arena_new(out, struct schema, 1);
    made->root = v;
    struct compiler c = {.schema = made, .out = out, .problems = problems};
    *schema = made;
    return compile(&c, v);
}
