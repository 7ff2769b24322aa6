/* One walk through the rows of a layout writes a struct, another its schema; both treat a part
 * (members of another layout) as if its rows stood here, so that they agree on every key. */
#include "base/layout.h"

#include "base/clock.h"
#include "base/value.h"

static const void *member(const void *owner, size_t offset)
{
    return (const char *)owner + offset;
}

static void put_stamp(struct json *j, int64_t unix_ns)
{
    char stamp[CLOCK_STAMP_SIZE];
    json_text(j, unix_ns ? clock_stamp(unix_ns, stamp) : NULL);
}

/* What does not read as JSON, in a store of others, is a text. */
static void put_json(struct json *j, const char *text)
{
    if (!text || !*text) {
        json_null(j);
        return;
    }
    struct arena scratch = arena_open();
    const struct value *v = value_stored(text, &scratch);
    if (v)
        json_value(j, v);
    else
        json_text(j, text);
    arena_close(&scratch);
}

static void put_plain(struct json *j, enum layout_type type, const void *at)
{
    switch (type) {
    case LAYOUT_IS_TEXT: json_text(j, *(const char *const *)at); break;
    case LAYOUT_IS_CHARS: json_text(j, *(const char *)at ? at : NULL); break;
    case LAYOUT_IS_STR:
        if (((const struct str *)at)->p)
            json_str(j, *(const struct str *)at);
        else
            json_null(j);
        break;
    case LAYOUT_IS_REAL: json_real(j, *(const double *)at); break;
    case LAYOUT_IS_INT64: json_int(j, *(const int64_t *)at); break;
    case LAYOUT_IS_INT: json_int(j, *(const int *)at); break;
    case LAYOUT_IS_UINT32: json_int(j, *(const uint32_t *)at); break;
    case LAYOUT_IS_SIZE: json_int(j, (int64_t) * (const size_t *)at); break;
    case LAYOUT_IS_BOOL: json_bool(j, *(const bool *)at); break;
    case LAYOUT_IS_VALUE: json_value(j, *(const struct value *const *)at); break;
    case LAYOUT_IS_JSON: put_json(j, *(const char *const *)at); break;
    case LAYOUT_IS_STAMP: put_stamp(j, *(const int64_t *)at); break;
    default: CHECK(false);
    }
}

static size_t plain_size(enum layout_type type)
{
    switch (type) {
    case LAYOUT_IS_REAL: return sizeof(double);
    case LAYOUT_IS_INT64: return sizeof(int64_t);
    case LAYOUT_IS_INT: return sizeof(int);
    case LAYOUT_IS_UINT32: return sizeof(uint32_t);
    case LAYOUT_IS_SIZE: return sizeof(size_t);
    case LAYOUT_IS_BOOL: return sizeof(bool);
    default: CHECK(type == LAYOUT_IS_TEXT); return sizeof(const char *);
    }
}

static void put_list(struct json *j, const struct layout_field *f, const void *owner,
                     const void *whole)
{
    const void *first = member(owner, f->offset);
    if (f->type == LAYOUT_IS_LIST) first = *(const void *const *)first;
    size_t count = *(const size_t *)member(owner, f->count_offset);
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        if (!f->of) {
            put_plain(j, f->item, member(first, i * plain_size(f->item)));
            continue;
        }
        const void *item = member(first, i * f->of->size);
        if (!f->only || f->only(item, whole)) layout_put(j, f->of, item, whole);
    }
    json_end(j);
}

static void put_row(struct json *j, const struct layout_field *f, const void *owner,
                    const void *whole)
{
    json_list(j);
    for (size_t i = 0; i < f->fixed; i++) {
        if (f->of)
            layout_put(j, f->of, member(owner, f->offset + i * f->of->size), whole);
        else
            put_plain(j, f->item, member(owner, f->offset + i * plain_size(f->item)));
    }
    json_end(j);
}

static void put_sentence(struct json *j, layout_sentence_fn *sentence, const void *owner)
{
    struct arena scratch = arena_open();
    json_text(j, sentence(owner, &scratch));
    arena_close(&scratch);
}

static void put_notes(struct json *j, layout_notes_fn *add, const void *owner)
{
    struct arena scratch = arena_open();
    struct sentences notes = {.out = &scratch};
    add(owner, &notes);
    json_texts(j, notes.items, notes.count);
    arena_close(&scratch);
}

static void put_nulls(struct json *j, const struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_field *f = &layout->fields[i];
        if (f->type == LAYOUT_IS_PART || f->type == LAYOUT_IS_PART_OF) {
            put_nulls(j, f->of);
            continue;
        }
        json_key(j, f->key);
        json_null(j);
    }
}

static void put_field(struct json *j, const struct layout_field *f, const void *owner,
                      const void *whole)
{
    const void *at = member(owner, f->offset);
    switch (f->type) {
    case LAYOUT_IS_OBJECT: layout_put(j, f->of, at, whole); break;
    case LAYOUT_IS_GROUP: layout_put(j, f->of, owner, whole); break;
    case LAYOUT_IS_POINTER:
        if (*(const void *const *)at)
            layout_put(j, f->of, *(const void *const *)at, whole);
        else
            json_null(j);
        break;
    case LAYOUT_IS_LIST:
    case LAYOUT_IS_ARRAY: put_list(j, f, owner, whole); break;
    case LAYOUT_IS_ROW: put_row(j, f, owner, whole); break;
    case LAYOUT_IS_CALL: f->put(j, owner, whole); break;
    case LAYOUT_IS_WORD: json_text(j, f->word(owner)); break;
    case LAYOUT_IS_SENTENCE: put_sentence(j, f->sentence, owner); break;
    case LAYOUT_IS_NOTES: put_notes(j, f->notes, owner); break;
    case LAYOUT_IS_FIGURE: json_real(j, f->figure(owner)); break;
    case LAYOUT_IS_CONST: json_text(j, f->as); break;
    default: put_plain(j, f->type, at);
    }
}

void layout_put_members(struct json *j, const struct layout *layout, const void *owner,
                        const void *whole)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_field *f = &layout->fields[i];
        if (f->type == LAYOUT_IS_PART) {
            layout_put_members(j, f->of, member(owner, f->offset), whole);
            continue;
        }
        if (f->type == LAYOUT_IS_PART_OF) {
            const void *part = *(const void *const *)member(owner, f->offset);
            if (part)
                layout_put_members(j, f->of, part, whole);
            else
                put_nulls(j, f->of);
            continue;
        }
        json_key(j, f->key);
        put_field(j, f, owner, whole);
    }
}

void layout_put(struct json *j, const struct layout *layout, const void *owner,
                const void *whole)
{
    json_object(j);
    layout_put_members(j, layout, owner, whole);
    json_end(j);
}

/* ---- JSON Schema ---- */

static const char *plain_name(enum layout_type type)
{
    switch (type) {
    case LAYOUT_IS_TEXT:
    case LAYOUT_IS_CHARS:
    case LAYOUT_IS_STR:
    case LAYOUT_IS_STAMP:
    case LAYOUT_IS_SENTENCE:
    case LAYOUT_IS_WORD: return "string";
    case LAYOUT_IS_REAL:
    case LAYOUT_IS_FIGURE: return "number";
    case LAYOUT_IS_INT64:
    case LAYOUT_IS_INT:
    case LAYOUT_IS_UINT32:
    case LAYOUT_IS_SIZE: return "integer";
    case LAYOUT_IS_BOOL: return "boolean";
    case LAYOUT_IS_NOTES: return "array";
    default: return NULL;
    }
}

/* Texts and reals may be null; counts and flags never are. */
static bool may_be_null(enum layout_type type)
{
    return type != LAYOUT_IS_INT64 && type != LAYOUT_IS_INT && type != LAYOUT_IS_UINT32 &&
           type != LAYOUT_IS_SIZE && type != LAYOUT_IS_BOOL;
}

static void put_type(struct json *j, const char *name, bool or_null)
{
    json_key(j, "type");
    if (!or_null) {
        json_text(j, name);
        return;
    }
    json_texts(j, (const char *const[]){name, "null"}, 2);
}

static void schema_object(struct json *j, const struct layout *layout, const char *name,
                          bool or_null);

static void schema_items(struct json *j, const struct layout_field *f, bool or_null)
{
    put_type(j, "array", or_null);
    json_key_object(j, "items");
    if (f->of)
        schema_object(j, f->of, NULL, false);
    else
        put_type(j, plain_name(f->item), may_be_null(f->item));
    json_end(j);
}

/* `or_null`: of a part that may not be there, whose members all are null then. */
static void schema_field(struct json *j, const struct layout_field *f, bool or_null)
{
    json_key_object(j, f->key);
    json_put_text(j, "description", f->help);
    switch (f->type) {
    case LAYOUT_IS_OBJECT:
    case LAYOUT_IS_GROUP: schema_object(j, f->of, NULL, or_null); break;
    case LAYOUT_IS_POINTER: schema_object(j, f->of, NULL, true); break;
    case LAYOUT_IS_LIST:
    case LAYOUT_IS_ARRAY:
    case LAYOUT_IS_ROW: schema_items(j, f, or_null); break;
    case LAYOUT_IS_CALL: put_type(j, f->as, true); break;
    case LAYOUT_IS_CONST:
        if (or_null)
            put_type(j, "string", true);
        else
            json_put_text(j, "const", f->as);
        break;
    case LAYOUT_IS_JSON:
    case LAYOUT_IS_VALUE: break; /* anything */
    default: put_type(j, plain_name(f->type), or_null || may_be_null(f->type));
    }
    json_end(j);
}

static void schema_members(struct json *j, const struct layout *layout, bool or_null)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_field *f = &layout->fields[i];
        if (f->type == LAYOUT_IS_PART || f->type == LAYOUT_IS_PART_OF)
            schema_members(j, f->of, or_null || f->type == LAYOUT_IS_PART_OF);
        else
            schema_field(j, f, or_null);
    }
}

static void schema_required(struct json *j, const struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_field *f = &layout->fields[i];
        if (f->type == LAYOUT_IS_PART || f->type == LAYOUT_IS_PART_OF)
            schema_required(j, f->of);
        else
            json_text(j, f->key);
    }
}

/* Of a document the first member is its name. */
static void schema_object(struct json *j, const struct layout *layout, const char *name,
                          bool or_null)
{
    put_type(j, "object", or_null);
    json_key_object(j, "properties");
    if (name) {
        json_key_object(j, "schema");
        json_put_text(j, "const", name);
        json_end(j);
    }
    schema_members(j, layout, false);
    json_end(j);
    json_key_list(j, "required");
    if (name) json_text(j, "schema");
    schema_required(j, layout);
    json_end(j);
}

void layout_write_schema(const struct layout *layout, const char *name, struct buf *out)
{
    struct json j;
    json_init(&j, out, 2);
    json_object(&j);
    json_put_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_put_text(&j, "title", name);
    schema_object(&j, layout, name, false);
    json_end(&j);
    buf_add_char(out, '\n');
}
