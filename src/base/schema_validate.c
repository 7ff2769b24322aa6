/* Each keyword of a schema is looked up in the table at the end and tried on
 * the value; keywords that concern another kind of value do not apply, as the
 * draft says. Steps are counted, so that a schema whose references multiply
 * cannot hang. Here are the keywords that apply other schemas (the draft's
 * applicators) and the table; schema_assert.c has those that stand alone. */
#include "base/schema_internal.h"

enum { VALIDATE_STEPS = 1000000, VALIDATE_DEPTH = 256 };

static bool validate(struct schema_run *w, const struct value *schema, const struct value *v,
                     const struct schema_place *at);

/* True or false without leaving a reason. */
static bool holds(struct schema_run *w, const struct value *schema, const struct value *v,
                  const struct schema_place *at)
{
    w->quiet++;
    bool is_valid = validate(w, schema, v, at);
    w->quiet--;
    return is_valid;
}

static bool try_prefix_items(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->list.count && i < t->v->list.count; i++) {
        struct schema_place at = {.up = t->at, .index = i};
        if (!validate(t->w, t->word->list.items[i], t->v->list.items[i], &at)) return false;
    }
    return true;
}

static bool try_items(const struct schema_trial *t)
{
    const struct value *prefix = value_get(t->schema, "prefixItems");
    for (size_t i = prefix ? prefix->list.count : 0; i < t->v->list.count; i++) {
        struct schema_place at = {.up = t->at, .index = i};
        if (!validate(t->w, t->word, t->v->list.items[i], &at)) return false;
    }
    return true;
}

static bool try_contains(const struct schema_trial *t)
{
    const struct value *least = value_get(t->schema, "minContains");
    const struct value *most = value_get(t->schema, "maxContains");
    size_t count = 0;
    for (size_t i = 0; i < t->v->list.count; i++) {
        struct schema_place at = {.up = t->at, .index = i};
        count += holds(t->w, t->word, t->v->list.items[i], &at);
    }
    if ((double)count < (least ? value_number(least) : 1) ||
        (most && (double)count > value_number(most))) {
        return schema_invalid(t->w, t->at, "contains %zu matching items", count);
    }
    return true;
}

static bool try_properties(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        const struct value *schema = value_find(t->word, pair->key);
        struct schema_place at = {.up = t->at, .key = pair->key};
        if (schema && !validate(t->w, schema, pair->value, &at)) return false;
    }
    return true;
}

static bool try_pattern_properties(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        struct schema_place at = {.up = t->at, .key = pair->key};
        for (size_t k = 0; k < t->word->map.count; k++) {
            const struct value_pair *rule = &t->word->map.pairs[k];
            if (!schema_matches(t->w, rule->key, pair->key)) continue;
            if (!validate(t->w, rule->value, pair->value, &at)) return false;
        }
    }
    return true;
}

static bool try_additional(const struct schema_trial *t)
{
    const struct value *named = value_get(t->schema, "properties");
    const struct value *patterns = value_get(t->schema, "patternProperties");
    for (size_t i = 0; i < t->v->map.count; i++) {
        const struct value_pair *pair = &t->v->map.pairs[i];
        bool is_covered = value_find(named, pair->key) != NULL;
        for (size_t k = 0; patterns && !is_covered && k < patterns->map.count; k++) {
            is_covered = schema_matches(t->w, patterns->map.pairs[k].key, pair->key);
        }
        struct schema_place at = {.up = t->at, .key = pair->key};
        if (!is_covered && !validate(t->w, t->word, pair->value, &at)) return false;
    }
    return true;
}

static bool try_property_names(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->v->map.count; i++) {
        struct value name = {.kind = VALUE_TEXT, .source = t->v->map.pairs[i].key};
        if (holds(t->w, t->word, &name, t->at)) continue;
        return schema_invalid(t->w, t->at, "has a property '%.*s', whose name is not allowed",
                              STR_ARG(name.source));
    }
    return true;
}

static bool try_dependent_schemas(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->map.count; i++) {
        const struct value_pair *rule = &t->word->map.pairs[i];
        if (!value_find(t->v, rule->key)) continue;
        if (!validate(t->w, rule->value, t->v, t->at)) return false;
    }
    return true;
}

static bool try_all_of(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (!validate(t->w, t->word->list.items[i], t->v, t->at)) return false;
    }
    return true;
}

static bool try_any_of(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (holds(t->w, t->word->list.items[i], t->v, t->at)) return true;
    }
    return schema_invalid(t->w, t->at, "matches none of the %zu schemas of anyOf",
                          t->word->list.count);
}

static bool try_one_of(const struct schema_trial *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->word->list.count; i++) {
        count += holds(t->w, t->word->list.items[i], t->v, t->at);
    }
    return count == 1 ||
           schema_invalid(t->w, t->at, "matches %zu of the %zu schemas of oneOf, not 1", count,
                          t->word->list.count);
}

static bool try_not(const struct schema_trial *t)
{
    return !holds(t->w, t->word, t->v, t->at) ||
           schema_invalid(t->w, t->at, "matches the schema of 'not'");
}

static bool try_if(const struct schema_trial *t)
{
    bool is_so = holds(t->w, t->word, t->v, t->at);
    const struct value *next = value_get(t->schema, is_so ? "then" : "else");
    return !next || validate(t->w, next, t->v, t->at);
}

static bool try_ref(const struct schema_trial *t)
{
    return validate(t->w, schema_resolve(t->w->schema, t->word->source), t->v, t->at);
}

/* To which values a keyword applies, and what tries it. */
enum { ON_ANY, ON_NUMBER, ON_TEXT, ON_LIST, ON_MAP };

static const struct {
    const char *name;
    int on;
    bool (*try)(const struct schema_trial *t);
} tests[] = {
    {"type", ON_ANY, schema_try_type},
    {"enum", ON_ANY, schema_try_enum},
    {"const", ON_ANY, schema_try_const},
    {"minimum", ON_NUMBER, schema_try_minimum},
    {"maximum", ON_NUMBER, schema_try_maximum},
    {"exclusiveMinimum", ON_NUMBER, schema_try_above},
    {"exclusiveMaximum", ON_NUMBER, schema_try_below},
    {"multipleOf", ON_NUMBER, schema_try_multiple},
    {"minLength", ON_TEXT, schema_try_least_size},
    {"maxLength", ON_TEXT, schema_try_most_size},
    {"pattern", ON_TEXT, schema_try_pattern},
    {"prefixItems", ON_LIST, try_prefix_items},
    {"items", ON_LIST, try_items},
    {"contains", ON_LIST, try_contains},
    {"minItems", ON_LIST, schema_try_least_size},
    {"maxItems", ON_LIST, schema_try_most_size},
    {"uniqueItems", ON_LIST, schema_try_unique},
    {"properties", ON_MAP, try_properties},
    {"patternProperties", ON_MAP, try_pattern_properties},
    {"additionalProperties", ON_MAP, try_additional},
    {"propertyNames", ON_MAP, try_property_names},
    {"required", ON_MAP, schema_try_required},
    {"minProperties", ON_MAP, schema_try_least_size},
    {"maxProperties", ON_MAP, schema_try_most_size},
    {"dependentRequired", ON_MAP, schema_try_dependent_required},
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

static bool try_keywords(struct schema_run *w, const struct value *schema,
                         const struct value *v, const struct schema_place *at)
{
    for (size_t i = 0; i < COUNT(tests); i++) {
        if (!applies(tests[i].on, v)) continue;
        struct schema_trial t = {w, schema, value_get(schema, tests[i].name), v, at};
        if (t.word && !tests[i].try(&t)) return false;
    }
    return true;
}

static bool validate(struct schema_run *w, const struct value *schema, const struct value *v,
                     const struct schema_place *at)
{
    if (w->has_failed) return false;
    if (w->steps_left == 0) return schema_fails(w, "takes more steps than allowed");
    if (w->depth == VALIDATE_DEPTH)
        return schema_fails(w, "its references form a cycle or are too deep");
    w->steps_left--;
    if (schema->kind == VALUE_BOOL) {
        return schema->boolean || schema_invalid(w, at, "is not allowed");
    }
    w->depth++;
    bool is_valid = try_keywords(w, schema, v, at);
    w->depth--;
    return is_valid;
}

bool schema_validate(const struct schema *schema, const struct value *v, struct arena *out,
                     const char **why, struct error *err)
{
    struct schema_run w = {
        .schema = schema,
        .out = out,
        .steps_left = VALIDATE_STEPS,
        .err = err,
    };
    bool is_valid = validate(&w, schema->root, v, NULL);
    *why = is_valid ? NULL : w.why ? w.why : "the answer does not match the schema";
    return !w.has_failed;
}
