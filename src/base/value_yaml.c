/* The boundary to libfyaml.
 *
 * We take its parser's events, one at a time, and build our own tree within
 * the budgets as they come. Its document builder is not used: it recurses,
 * compares each key of a mapping with all the others, and resolves aliases
 * without a limit (1 kB of "[*a,*a,...]" lines asks for gigabytes). Here an
 * alias is a second pointer to the same node, and its whole size and height
 * are charged to the budgets, because readers will walk it and copy its text. */
#include "base/value_internal.h"

#include <libfyaml.h>
#include <stdlib.h>

enum { ANCHORS_MAX = 256 }; /* looked through one by one */

struct anchor {
    struct str name;
    const struct value *node;
    size_t nodes;  /* below and with it */
    size_t bytes;  /* of text in them */
    size_t height; /* 0 for a scalar */
};

/* A mapping or a list whose end has not come yet. */
struct frame {
    struct value *node;
    struct str anchor;   /* its name, or {0} */
    size_t first;        /* of its items in reader.items */
    size_t nodes_before; /* reader.nodes at its start */
    size_t bytes_before; /* reader.bytes there */
    size_t height;       /* of the highest item so far, plus 1 */
    bool awaits_value;   /* a key was read */
};

struct reader {
    const struct value_limits *limits;
    struct arena *out;
    struct value_error *err;
    struct frame *frames;
    size_t depth;
    struct value_pair *items; /* of all open frames, one after the other */
    size_t item_count;
    size_t item_capacity;
    struct anchor anchors[ANCHORS_MAX];
    size_t anchor_count;
    size_t nodes;
    size_t bytes;    /* of keys and scalars */
    struct buf text; /* of the scalar being read */
    const struct value *root;
    size_t documents;
    uint32_t line; /* of the event being looked at */
    uint32_t column;
};

#define REFUSE(r, ...)                                        \
    (error_set(&(r)->err->error, ERROR_INVALID, __VA_ARGS__), \
     refused((r), (r)->line, (r)->column))

static bool refused(struct reader *r, uint32_t line, uint32_t column)
{
    r->err->line = line;
    r->err->column = column;
    return false;
}

/* Of an anchor or a tag; {0} if there is none. */
static struct str token_name(struct reader *r, struct fy_token *token)
{
    size_t n = 0;
    const char *p = token ? fy_token_get_text(token, &n) : NULL;
    return p ? (struct str){arena_copy(r->out, p, n), n} : (struct str){0};
}

/* Of a scalar. Its own function for this, fy_token_get_text, loses memory on
 * quotes within quotes and miscounts some line ends (libfyaml issues 233, 387,
 * 397); the iterator does neither. */
static struct str scalar_text(struct reader *r, struct fy_token *token)
{
    struct fy_token_iter *iter = fy_token_iter_create(token);
    CHECK(iter != NULL);
    buf_clear(&r->text);
    int failed = 0;
    const struct fy_iter_chunk *chunk = fy_token_iter_chunk_next(iter, NULL, &failed);
    for (; chunk; chunk = fy_token_iter_chunk_next(iter, chunk, &failed)) {
        buf_add_bytes(&r->text, chunk->str, chunk->len);
    }
    fy_token_iter_finish(iter);
    fy_token_iter_destroy(iter);
    return str_copy(r->out, buf_str(&r->text));
}

static bool count_nodes(struct reader *r, size_t more)
{
    if (more > r->limits->max_nodes - r->nodes) {
        return REFUSE(r, "more than %zu values (with aliases expanded), which is the limit",
                      r->limits->max_nodes);
    }
    r->nodes += more;
    return true;
}

/* A file may say three bytes in two ("\\L"); only aliases say much more than stands there. */
static size_t max_text(const struct value_limits *limits)
{
    return 2 * limits->max_bytes;
}

static bool count_text(struct reader *r, size_t more)
{
    if (more > max_text(r->limits) - r->bytes) {
        return REFUSE(r,
                      "more than %zu bytes of text (with aliases expanded), which is the limit",
                      max_text(r->limits));
    }
    r->bytes += more;
    return true;
}

static bool fits_depth(struct reader *r, size_t height)
{
    if (r->depth + height <= r->limits->max_depth) return true;
    return REFUSE(r, "nested more than %zu deep, which is the limit", r->limits->max_depth);
}

static void grow_items(struct reader *r)
{
    r->item_capacity = r->item_capacity ? 2 * r->item_capacity : 64;
    r->items = realloc(r->items, r->item_capacity * sizeof *r->items);
    if (!r->items) memory_failed(r->item_capacity * sizeof *r->items);
}

static void push_item(struct reader *r, struct value_pair item)
{
    if (r->item_count == r->item_capacity) grow_items(r);
    r->items[r->item_count++] = item;
}

static struct frame *top(struct reader *r)
{
    return r->depth ? &r->frames[r->depth - 1] : NULL;
}

static bool awaits_key(struct reader *r)
{
    const struct frame *f = top(r);
    return f && f->node->kind == VALUE_MAP && !f->awaits_value;
}

/* A finished node goes where the open frame wants it. */
static void place(struct reader *r, const struct value *node, size_t height)
{
    struct frame *f = top(r);
    if (!f) {
        r->root = node;
        return;
    }
    if (height + 1 > f->height) f->height = height + 1;
    if (f->node->kind == VALUE_MAP) {
        r->items[r->item_count - 1].value = node;
        f->awaits_value = false;
    } else {
        push_item(r, (struct value_pair){.value = node});
    }
}

/* A later anchor of the same name replaces the earlier one (YAML 1.2, 7.1). */
static bool keep_anchor(struct reader *r, struct anchor a)
{
    if (!a.name.p) return true;
    size_t i = 0;
    while (i < r->anchor_count && !str_equal(r->anchors[i].name, a.name)) i++;
    if (i == ANCHORS_MAX) return REFUSE(r, "more than %zu anchors, which is the limit", i);
    r->anchors[i] = a;
    if (i == r->anchor_count) r->anchor_count++;
    return true;
}

static bool on_alias(struct reader *r, const struct fy_event *event)
{
    struct str name = token_name(r, event->alias.anchor);
    if (awaits_key(r)) return REFUSE(r, "an alias cannot be a key; write the key out");
    for (size_t i = 0; i < r->anchor_count; i++) {
        const struct anchor *a = &r->anchors[i];
        if (!str_equal(a->name, name)) continue;
        if (!count_nodes(r, a->nodes) || !count_text(r, a->bytes) || !fits_depth(r, a->height))
            return false;
        place(r, a->node, a->height);
        return true;
    }
    return REFUSE(r, "alias '*%.*s' is undefined: no anchor '&%.*s' ends before it",
                  STR_ARG(name), STR_ARG(name));
}

static bool tag_is_text(struct reader *r, struct fy_token *tag, bool *is_text)
{
    struct str name = token_name(r, tag);
    *is_text = str_is(name, "!") || str_is(name, "tag:yaml.org,2002:str");
    if (!tag || *is_text) return true;
    return REFUSE(r, "tag '%.40s' is not supported; only !!str is", name.p);
}

static bool on_key(struct reader *r, struct value *key, bool is_plain)
{
    if (is_plain && str_is(key->source, "<<")) {
        return REFUSE(r, "merge keys ('<<') are not supported; write the keys out");
    }
    push_item(r, (struct value_pair){key->source, key->line, key->column, NULL});
    r->frames[r->depth - 1].awaits_value = true;
    return true;
}

static bool on_scalar(struct reader *r, const struct fy_event *event)
{
    bool is_text = false;
    if (!tag_is_text(r, event->scalar.tag, &is_text)) return false;
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    bool is_plain = style == FYSS_PLAIN && !is_text;
    bool is_quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (is_quoted && r->column > 1) r->column--; /* the mark is after the quote */
    struct value *v = arena_new(r->out, struct value, 1);
    *v = (struct value){.kind = VALUE_TEXT, .line = r->line, .column = r->column};
    v->source = scalar_text(r, event->scalar.value);
    if (!str_is_utf8(v->source)) return REFUSE(r, "text with a NUL character (\\0)");
    bool is_key = awaits_key(r);
    if ((!is_key && !count_nodes(r, 1)) || !count_text(r, v->source.n)) return false;
    if (is_plain && !is_key && !value_resolve(v, &r->err->error)) {
        return refused(r, r->line, r->column);
    }
    struct anchor a = {token_name(r, event->scalar.anchor), v, 1, v->source.n, 0};
    if (!keep_anchor(r, a)) return false;
    if (is_key) return on_key(r, v, is_plain);
    place(r, v, 0);
    return true;
}

static bool on_start(struct reader *r, enum value_kind kind, struct fy_token *anchor,
                     struct fy_token *tag)
{
    bool is_text = false;
    if (awaits_key(r)) {
        return REFUSE(r, "a key must be text, not %s", value_kind_name(kind));
    }
    if (!count_nodes(r, 1) || !fits_depth(r, 1) || !tag_is_text(r, tag, &is_text)) return false;
    struct value *v = arena_new(r->out, struct value, 1);
    *v = (struct value){.kind = kind, .line = r->line, .column = r->column};
    r->frames[r->depth++] = (struct frame){
        .node = v,
        .anchor = token_name(r, anchor),
        .first = r->item_count,
        .nodes_before = r->nodes - 1,
        .bytes_before = r->bytes,
        .height = 1,
    };
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct value_pair *const *x = a;
    const struct value_pair *const *y = b;
    int order = str_compare((*x)->key, (*y)->key);
    return order ? order : (*x > *y) - (*x < *y);
}

static bool keys_are_unique(struct reader *r, const struct value *map)
{
    size_t count = map->map.count;
    struct arena scratch = *r->out;
    const struct value_pair **order = arena_new(&scratch, const struct value_pair *, count);
    for (size_t i = 0; i < count; i++) order[i] = &map->map.pairs[i];
    qsort(order, count, sizeof(const struct value_pair *), by_key);
    for (size_t i = 1; i < count; i++) {
        const struct value_pair *again = order[i];
        if (!str_equal(order[i - 1]->key, again->key)) continue;
        error_set(&r->err->error, ERROR_INVALID, "duplicate key '%.*s' (first in line %u)",
                  STR_ARG(again->key), order[i - 1]->line);
        return refused(r, again->line, again->column);
    }
    return true;
}

static bool on_end(struct reader *r)
{
    struct frame f = r->frames[--r->depth];
    const struct value_pair *items = r->items + f.first;
    size_t count = r->item_count - f.first;
    CHECK(count == 0 || r->items != NULL);
    r->item_count = f.first;
    if (f.node->kind == VALUE_MAP) {
        struct value_pair *pairs = arena_new(r->out, struct value_pair, count);
        for (size_t i = 0; i < count; i++) pairs[i] = items[i];
        f.node->map.pairs = pairs;
        f.node->map.count = count;
        if (!keys_are_unique(r, f.node)) return false;
    } else {
        const struct value **list = arena_new(r->out, const struct value *, count);
        for (size_t i = 0; i < count; i++) list[i] = items[i].value;
        f.node->list.items = list;
        f.node->list.count = count;
    }
    struct anchor a = {f.anchor, f.node, r->nodes - f.nodes_before, r->bytes - f.bytes_before,
                       f.height};
    if (!keep_anchor(r, a)) return false;
    place(r, f.node, f.height);
    return true;
}

static bool on_event(struct reader *r, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark) {
        r->line = (uint32_t)mark->line + 1;
        r->column = (uint32_t)mark->column + 1;
    }
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++r->documents == 1) return true;
        return REFUSE(r, "a second document ('---') starts here; a file may have only one");
    case FYET_SCALAR: return on_scalar(r, event);
    case FYET_ALIAS: return on_alias(r, event);
    case FYET_MAPPING_START:
        return on_start(r, VALUE_MAP, event->mapping_start.anchor, event->mapping_start.tag);
    case FYET_SEQUENCE_START:
        return on_start(r, VALUE_LIST, event->sequence_start.anchor, event->sequence_start.tag);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return on_end(r);
    default: return true;
    }
}

/* The usual cause of a libfyaml error that does not name it. */
static const char *usual_cause(struct str reason)
{
    static const struct {
        const char *reason, *cause;
    } rows[] = {
        {"invalid multiline plain key", "; is the next line indented too far, or by a tab?"},
        {"invalid nested block mapping on the same line",
         "; a text that contains ': ' needs quotes"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (str_is(reason, rows[i].reason)) return rows[i].cause;
    }
    return "";
}

/* libfyaml's own reason, said once and with its place. */
static bool syntax_error(struct reader *r, struct fy_diag *diag)
{
    void *at = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &at);
    if (!e || !e->msg) return REFUSE(r, "not YAML");
    if (e->line > 0) {
        r->line = (uint32_t)e->line;
        r->column = (uint32_t)e->column;
    }
    struct str msg = str_trim(str_of(e->msg));
    return REFUSE(r, "not YAML: %.*s%s", STR_ARG(msg), usual_cause(msg));
}

static bool read_events(struct reader *r, struct fy_parser *parser, struct fy_diag *diag)
{
    for (;;) {
        struct fy_event *event = fy_parser_parse(parser);
        if (!event) break;
        bool last = event->type == FYET_STREAM_END;
        bool done = on_event(r, event);
        fy_parser_event_free(parser, event);
        if (!done) return false;
        if (last) return true;
    }
    return syntax_error(r, diag);
}

static bool is_control(char c)
{
    return (c >= 0 && c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/* Bytes that no YAML file may hold (1.2, section 5.1), with the place of the
 * first. */
static bool check_bytes(struct reader *r, struct str bytes)
{
    size_t good = str_utf8_prefix(bytes);
    for (size_t i = 0; i < good; i++) {
        if (is_control(bytes.p[i])) good = i;
    }
    if (good == bytes.n) return true;
    CHECK(bytes.p != NULL);
    struct str before = {bytes.p, good};
    for (r->line = 0; before.p; r->line++) {
        struct str line = str_cut(&before, '\n');
        r->column = (uint32_t)line.n + 1;
    }
    CHECK(bytes.p != NULL);
    if (bytes.p[good] == '\0') return REFUSE(r, "a NUL byte; a spec is text");
    unsigned byte = (unsigned char)bytes.p[good];
    if (is_control(bytes.p[good])) return REFUSE(r, "control character 0x%02x", byte);
    return REFUSE(r, "byte 0x%02x is not UTF-8", byte);
}

/* A flow collection may turn out to be a key, so libfyaml queues tokens up to
 * its end before it gives us the first: 350 bytes for each '{'. A file within
 * the budget of values has less than four of these characters for each. */
static bool check_marks(struct reader *r, struct str bytes)
{
    size_t marks = 0;
    for (size_t i = 0; i < bytes.n; i++) marks += strchr("[]{},:", bytes.p[i]) != NULL;
    if (marks / 4 <= r->limits->max_nodes) return true;
    return REFUSE(r, "%zu brackets, commas and colons; at most %zu are read", marks,
                  4 * r->limits->max_nodes);
}

bool value_read(struct str bytes, const struct value_limits *limits, struct arena *out,
                const struct value **root, struct value_error *err)
{
    *err = (struct value_error){0};
    struct reader r = {.limits = limits, .out = out, .err = err, .line = 1, .column = 1};
    if (bytes.n > limits->max_bytes) {
        return REFUSE(&r, "%zu bytes; at most %zu are read", bytes.n, limits->max_bytes);
    }
    if (!check_bytes(&r, bytes) || !check_marks(&r, bytes)) return false;
    grow_items(&r);
    buf_init(&r.text, max_text(limits));
    struct arena scratch = arena_open();
    r.frames = arena_new(&scratch, struct frame, limits->max_depth);

    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    CHECK(diag != NULL);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 |
                 FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_ALLOW_DUPLICATE_KEYS | FYPCF_JSON_NONE,
        .diag = diag,
    };
    struct fy_parser *parser = fy_parser_create(&cfg);
    CHECK(parser != NULL && fy_parser_set_string(parser, bytes.p ? bytes.p : "", bytes.n) == 0);
    bool done = read_events(&r, parser, diag);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    free(r.items);
    buf_release(&r.text);
    arena_close(&scratch);
    struct value *empty = value_new_null(out);
    empty->line = empty->column = 1;
    *root = r.root ? r.root : empty;
    return done;
}
