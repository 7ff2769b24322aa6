/* What a value must be by itself: the validation vocabulary of the draft, and
 * what both vocabularies need. */
#include "base/schema_internal.h"
#include "base/text.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>

static void write_place(const struct schema_place *at, struct buf *b)
{
    if (!at) return;
    write_place(at->up, b);
    if (at->key.p) {
        buf_printf(b, "/%.*s", STR_ARG(at->key));
    } else {
        buf_printf(b, "/%zu", at->index);
    }
}

bool schema_invalid(struct schema_run *w, const struct schema_place *at, const char *fmt, ...)
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

bool schema_fails(struct schema_run *w, const char *text)
{
    if (!w->has_failed) error_set(w->err, ERROR_FAILED, "json schema: %s", text);
    w->has_failed = true;
    return false;
}

bool schema_matches(struct schema_run *w, struct str pattern, struct str text)
{
    bool is_found = false;
    struct str match;
    struct error err = {0};
    if (!pattern_find(schema_pattern_of(w->schema, pattern), text, &is_found, &match, &err)) {
        return schema_fails(w, err.text);
    }
    return is_found;
}

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

bool schema_try_type(const struct schema_trial *t)
{
    const struct value *word = t->word;
    if (word->kind == VALUE_TEXT) {
        return is_of_type(t->v, word->source) ||
               schema_invalid(t->w, t->at, "must be of type %.*s, not %s",
                              STR_ARG(word->source), value_kind_name(t->v->kind));
    }
    for (size_t i = 0; i < word->list.count; i++) {
        if (is_of_type(t->v, word->list.items[i]->source)) return true;
    }
    return schema_invalid(t->w, t->at, "is not of an allowed type (is %s)",
                          value_kind_name(t->v->kind));
}

bool schema_try_enum(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->list.count; i++) {
        if (value_equal(t->v, t->word->list.items[i])) return true;
    }
    return schema_invalid(t->w, t->at, "is not one of the %zu allowed values",
                          t->word->list.count);
}

bool schema_try_const(const struct schema_trial *t)
{
    return value_equal(t->v, t->word) ||
           schema_invalid(t->w, t->at, "is not the required value");
}

/* One bound of a number: whether it is kept, and what it asks for. */
static bool bound(const struct schema_trial *t, bool is_kept, const char *asked)
{
    return is_kept || schema_invalid(t->w, t->at, "must be %s %g (is %g)", asked,
                                     value_number(t->word), value_number(t->v));
}

bool schema_try_minimum(const struct schema_trial *t)
{
    return bound(t, value_number(t->v) >= value_number(t->word), "at least");
}

bool schema_try_maximum(const struct schema_trial *t)
{
    return bound(t, value_number(t->v) <= value_number(t->word), "at most");
}

bool schema_try_above(const struct schema_trial *t)
{
    return bound(t, value_number(t->v) > value_number(t->word), "above");
}

bool schema_try_below(const struct schema_trial *t)
{
    return bound(t, value_number(t->v) < value_number(t->word), "below");
}

bool schema_try_multiple(const struct schema_trial *t)
{
    bool is_multiple;
    if (t->v->kind == VALUE_INT && t->word->kind == VALUE_INT) {
        is_multiple = t->v->integer % t->word->integer == 0;
    } else { /* 0.3 is a multiple of 0.1, whatever binary fractions say */
        double times = value_number(t->v) / value_number(t->word);
        is_multiple = fabs(times - round(times)) <= 1e-9 * fmax(1, fabs(times));
    }
    return bound(t, is_multiple, "a multiple of");
}

/* Characters, items or properties, by the kind of value. */
static size_t size_of(const struct value *v, const char **what)
{
    if (v->kind == VALUE_TEXT) {
        *what = "characters";
        return text_count(v->source);
    }
    *what = v->kind == VALUE_LIST ? "items" : "properties";
    return v->kind == VALUE_LIST ? v->list.count : v->map.count;
}

bool schema_try_least_size(const struct schema_trial *t)
{
    const char *what;
    size_t n = size_of(t->v, &what);
    return (double)n >= value_number(t->word) ||
           schema_invalid(t->w, t->at, "has %zu %s, at least %g are required", n, what,
                          value_number(t->word));
}

bool schema_try_most_size(const struct schema_trial *t)
{
    const char *what;
    size_t n = size_of(t->v, &what);
    return (double)n <= value_number(t->word) ||
           schema_invalid(t->w, t->at, "has %zu %s, at most %g are allowed", n, what,
                          value_number(t->word));
}

bool schema_try_pattern(const struct schema_trial *t)
{
    return schema_matches(t->w, t->word->source, t->v->source) ||
           schema_invalid(t->w, t->at, "does not match '%.*s'", STR_ARG(t->word->source));
}

static int compare_texts(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* By sorting their canonical JSON: comparing all pairs of a long answer would
 * take for ever. */
bool schema_try_unique(const struct schema_trial *t)
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
    return is_unique || schema_invalid(t->w, t->at, "has a duplicate item");
}

static bool has_all(const struct schema_trial *t, const struct value *names)
{
    for (size_t i = 0; i < names->list.count; i++) {
        struct str name = names->list.items[i]->source;
        if (!value_find(t->v, name)) {
            return schema_invalid(t->w, t->at, "lacks the property '%.*s'", STR_ARG(name));
        }
    }
    return true;
}

bool schema_try_required(const struct schema_trial *t)
{
    return has_all(t, t->word);
}

bool schema_try_dependent_required(const struct schema_trial *t)
{
    for (size_t i = 0; i < t->word->map.count; i++) {
        const struct value_pair *rule = &t->word->map.pairs[i];
        if (value_find(t->v, rule->key) && !has_all(t, rule->value)) return false;
    }
    return true;
}
