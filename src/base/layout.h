/* layout.h - the layout of a struct as rows, from which its JSON is written.
 *
 * A layout lists the members of a struct that others may see: key, type, place and what it
 * means. layout_put writes a struct as an object by walking the rows, layout_write_schema
 * turns the same rows into a JSON Schema, so that what is promised and what is written
 * cannot differ.
 *
 *     #define OF struct point
 *     static const struct layout_field point_fields[] = {
 *         LAYOUT_FIELD("x", x, "metres to the east"),
 *         LAYOUT_FIELD("name", name, "what people call it"),
 *     };
 *     #undef OF
 *     static const struct layout point_layout = LAYOUT(point_fields);
 *
 *     layout_put(&j, &point_layout, &p, &p);     -> {"x":1.5,"name":null}
 *
 * The type of a member follows from the member. A value that is not a member is computed by a
 * function: LAYOUT_WORD, LAYOUT_SENTENCE, LAYOUT_NOTES and LAYOUT_FIGURE for texts and numbers,
 * LAYOUT_CALL for anything else; it gets the struct, that of LAYOUT_CALL also the whole answer
 * that it is a part of. Where the function is one expression, LAYOUT_x_IS writes it:
 *
 *     LAYOUT_FIGURE_IS(norm_of, const struct point *p, hypot(p->x, p->y))
 *         ...
 *         LAYOUT_FIGURE("norm", norm_of, "metres from the origin"), */
#ifndef BASE_LAYOUT_H
#define BASE_LAYOUT_H

#include "base/json.h"
#include "base/sentences.h"

#include <stddef.h>

enum layout_type {
    LAYOUT_IS_TEXT,     /* const char *; NULL is null */
    LAYOUT_IS_CHARS,    /* char[]; "" is null */
    LAYOUT_IS_STR,      /* struct str; .p of NULL is null */
    LAYOUT_IS_REAL,     /* double; NaN is null */
    LAYOUT_IS_INT64,    /* int64_t */
    LAYOUT_IS_INT,      /* int */
    LAYOUT_IS_UINT32,   /* uint32_t */
    LAYOUT_IS_SIZE,     /* size_t */
    LAYOUT_IS_BOOL,     /* bool */
    LAYOUT_IS_VALUE,    /* const struct value *; NULL is null */
    LAYOUT_IS_JSON,     /* const char * that holds JSON (else it is a text); "" is null */
    LAYOUT_IS_STAMP,    /* int64_t, Unix time in ns, as ISO 8601; 0 is null */
    LAYOUT_IS_WORD,     /* what `word` returns; NULL is null */
    LAYOUT_IS_SENTENCE, /* what `sentence` makes; NULL is null */
    LAYOUT_IS_NOTES,    /* what `notes` adds, a list of texts */
    LAYOUT_IS_FIGURE,   /* what `figure` returns; NaN is null */
    LAYOUT_IS_OBJECT,   /* a struct in the struct, of layout `of` */
    LAYOUT_IS_POINTER,  /* a pointer to a struct of layout `of`; NULL is null */
    LAYOUT_IS_GROUP,    /* members of this struct as an object of their own */
    LAYOUT_IS_PART,     /* a struct in the struct (ALSO: itself), its members among ours */
    LAYOUT_IS_PART_OF,  /* the same by a pointer; of NULL all members are null */
    LAYOUT_IS_LIST,     /* a pointer to structs of layout `of`, or without one to `item`s */
    LAYOUT_IS_ARRAY,    /* the same, an array in the struct */
    LAYOUT_IS_ROW,      /* an array in the struct: `fixed` of layout `of`, or `item`s */
    LAYOUT_IS_CONST,    /* the text `as` */
    LAYOUT_IS_CALL,     /* what `put` writes: one value */
};

typedef void layout_put_fn(struct json *j, const void *owner, const void *whole);
typedef bool layout_is_fn(const void *item, const void *whole);
typedef const char *layout_word_fn(const void *owner);
typedef const char *layout_sentence_fn(const void *owner, struct arena *scratch);
typedef double layout_figure_fn(const void *owner);
typedef void layout_notes_fn(const void *owner, struct sentences *notes);

struct layout;

struct layout_field {
    const char *key; /* NULL of a part */
    enum layout_type type;
    size_t offset;
    const char *help;
    const struct layout *of;
    size_t count_offset;   /* of a list: its size_t */
    size_t fixed;          /* of a row: how many */
    enum layout_type item; /* of a list or row without a layout */
    layout_is_fn *only;    /* of a list: the items that are written; NULL: all */
    layout_put_fn *put;    /* of a call */
    layout_word_fn *word;
    layout_sentence_fn *sentence;
    layout_figure_fn *figure;
    layout_notes_fn *notes;
    const char *as; /* of a call: its JSON type, "string", "number", ...; or the text */
};

struct layout {
    const struct layout_field *fields;
    size_t count;
    size_t size; /* of the struct: how far apart the items of a list are */
};

/* `OF` is the struct, as the example shows. */
#define LAYOUT(rows)           \
    {                          \
        (rows), COUNT(rows), 0 \
    }
#define LAYOUT_OF(type, rows)             \
    {                                     \
        (rows), COUNT(rows), sizeof(type) \
    }

#define LAYOUT_TYPE(x) \
    _Generic((x),                       \
        const char *: LAYOUT_IS_TEXT,    \
        char *: LAYOUT_IS_CHARS,         \
        struct str: LAYOUT_IS_STR,       \
        double: LAYOUT_IS_REAL,          \
        int64_t: LAYOUT_IS_INT64,        \
        int: LAYOUT_IS_INT,              \
        uint32_t: LAYOUT_IS_UINT32,      \
        size_t: LAYOUT_IS_SIZE,          \
        bool: LAYOUT_IS_BOOL,            \
        struct value *: LAYOUT_IS_VALUE, \
        const struct value *: LAYOUT_IS_VALUE)

#define LAYOUT_MEMBER(member) (((OF *)NULL)->member)

#define LAYOUT_FIELD(name, member, words)                          \
    {                                                              \
        .key = (name), .type = LAYOUT_TYPE(LAYOUT_MEMBER(member)), \
        .offset = offsetof(OF, member), .help = (words)            \
    }
#define LAYOUT_OBJECT(name, member, layout, words)                               \
    {                                                                            \
        .key = (name), .type = LAYOUT_IS_OBJECT, .offset = offsetof(OF, member), \
        .of = (layout), .help = (words)                                          \
    }
#define LAYOUT_POINTER(name, member, layout, words)                               \
    {                                                                             \
        .key = (name), .type = LAYOUT_IS_POINTER, .offset = offsetof(OF, member), \
        .of = (layout), .help = (words)                                           \
    }
#define LAYOUT_GROUP(name, layout, words)                                       \
    {                                                                           \
        .key = (name), .type = LAYOUT_IS_GROUP, .of = (layout), .help = (words) \
    }
#define LAYOUT_PART(member, layout)                                            \
    {                                                                          \
        .type = LAYOUT_IS_PART, .offset = offsetof(OF, member), .of = (layout) \
    }
/* Members of this struct that another layout of it names. */
#define LAYOUT_ALSO(layout)                    \
    {                                          \
        .type = LAYOUT_IS_PART, .of = (layout) \
    }
#define LAYOUT_PART_OF(member, layout)                                            \
    {                                                                             \
        .type = LAYOUT_IS_PART_OF, .offset = offsetof(OF, member), .of = (layout) \
    }
#define LAYOUT_LIST(name, member, number, layout, words)                       \
    {                                                                          \
        .key = (name), .type = LAYOUT_IS_LIST, .offset = offsetof(OF, member), \
        .count_offset = offsetof(OF, number), .of = (layout), .help = (words)  \
    }
#define LAYOUT_LIST_IF(name, member, number, layout, test, words)                             \
    {                                                                                         \
        .key = (name), .type = LAYOUT_IS_LIST, .offset = offsetof(OF, member),                \
        .count_offset = offsetof(OF, number), .of = (layout), .only = (test), .help = (words) \
    }
#define LAYOUT_ARRAY(name, member, number, layout, words)                       \
    {                                                                           \
        .key = (name), .type = LAYOUT_IS_ARRAY, .offset = offsetof(OF, member), \
        .count_offset = offsetof(OF, number), .of = (layout), .help = (words)   \
    }
#define LAYOUT_ITEMS(name, member, number, words)                                            \
    {                                                                                        \
        .key = (name), .type = LAYOUT_IS_LIST, .offset = offsetof(OF, member),               \
        .count_offset = offsetof(OF, number), .item = LAYOUT_TYPE(LAYOUT_MEMBER(member)[0]), \
        .help = (words)                                                                      \
    }
#define LAYOUT_TEXTS(name, member, number, words) LAYOUT_ITEMS(name, member, number, words)
#define LAYOUT_JSON(name, member, words)                                                       \
    {                                                                                          \
        .key = (name), .type = LAYOUT_IS_JSON, .offset = offsetof(OF, member), .help = (words) \
    }
#define LAYOUT_STAMP(name, member, words)                                       \
    {                                                                           \
        .key = (name), .type = LAYOUT_IS_STAMP, .offset = offsetof(OF, member), \
        .help = (words)                                                         \
    }
#define LAYOUT_WORD(name, function, words)                                         \
    {                                                                              \
        .key = (name), .type = LAYOUT_IS_WORD, .word = (function), .help = (words) \
    }
#define LAYOUT_SENTENCE(name, function, words)                                             \
    {                                                                                      \
        .key = (name), .type = LAYOUT_IS_SENTENCE, .sentence = (function), .help = (words) \
    }
#define LAYOUT_NOTES(name, function, words)                                          \
    {                                                                                \
        .key = (name), .type = LAYOUT_IS_NOTES, .notes = (function), .help = (words) \
    }
#define LAYOUT_FIGURE(name, function, words)                                           \
    {                                                                                  \
        .key = (name), .type = LAYOUT_IS_FIGURE, .figure = (function), .help = (words) \
    }
#define LAYOUT_ROW(name, member, words)                                                       \
    {                                                                                         \
        .key = (name), .type = LAYOUT_IS_ROW, .offset = offsetof(OF, member),                 \
        .fixed = COUNT(LAYOUT_MEMBER(member)), .item = LAYOUT_TYPE(LAYOUT_MEMBER(member)[0]), \
        .help = (words)                                                                       \
    }
#define LAYOUT_ROW_OF(name, member, layout, words)                             \
    {                                                                          \
        .key = (name), .type = LAYOUT_IS_ROW, .offset = offsetof(OF, member),  \
        .fixed = COUNT(LAYOUT_MEMBER(member)), .of = (layout), .help = (words) \
    }
#define LAYOUT_CONST(name, text, words)                                       \
    {                                                                         \
        .key = (name), .type = LAYOUT_IS_CONST, .as = (text), .help = (words) \
    }
#define LAYOUT_CALL(name, function, json_type, words)                                \
    {                                                                                \
        .key = (name), .type = LAYOUT_IS_CALL, .put = (function), .as = (json_type), \
        .help = (words)                                                              \
    }

/* Functions of rows that are one expression over `parameter`, the struct; that of a sentence
 * may use `scratch`, that of notes `notes`, that of a call `whole`, and `put` is json_text,
 * json_int, json_bool, ... LAYOUT_TOLD_IS is a call that writes a sentence, and
 * LAYOUT_WHOLE_IS one whose `parameter` is the whole. */
#define LAYOUT_WORD_IS(function, parameter, ...)   \
    static const char *function(const void *owner) \
    {                                              \
        parameter = owner;                         \
        return __VA_ARGS__;                        \
    }
#define LAYOUT_FIGURE_IS(function, parameter, ...) \
    static double function(const void *owner)      \
    {                                              \
        parameter = owner;                         \
        return __VA_ARGS__;                        \
    }
#define LAYOUT_SENTENCE_IS(function, parameter, ...)                      \
    static const char *function(const void *owner, struct arena *scratch) \
    {                                                                     \
        parameter = owner;                                                \
        return __VA_ARGS__;                                               \
    }
#define LAYOUT_CALL_IS(function, put, parameter, ...)                          \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        (void)whole;                                                           \
        parameter = owner;                                                     \
        put(j, __VA_ARGS__);                                                   \
    }

#define LAYOUT_WHOLE_IS(function, put, parameter, ...)                         \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        (void)owner;                                                           \
        parameter = whole;                                                     \
        put(j, __VA_ARGS__);                                                   \
    }
#define LAYOUT_TOLD_IS(function, parameter, ...)                               \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        struct arena memory = arena_open();                                    \
        struct arena *scratch = &memory;                                       \
        parameter = owner;                                                     \
        json_text(j, __VA_ARGS__);                                             \
        arena_close(&memory);                                                  \
    }
#define LAYOUT_NOTES_IS(function, parameter, ...)                    \
    static void function(const void *owner, struct sentences *notes) \
    {                                                                \
        parameter = owner;                                           \
        __VA_ARGS__;                                                 \
    }

/* One struct as an object. `whole` goes to the functions of LAYOUT_CALL. */
void layout_put(struct json *j, const struct layout *layout, const void *owner,
                const void *whole);

/* Its members into an object that is open. */
void layout_put_members(struct json *j, const struct layout *layout, const void *owner,
                        const void *whole);

/* The JSON Schema (2020-12) of a document that begins with that schema's name. */
void layout_write_schema(const struct layout *layout, const char *name, struct buf *out);

#endif
