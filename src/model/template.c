#include "model/template.h"

#include <inttypes.h>

enum { NAMES_MAX = 64, NUMBER_SIZE = 24 };

static const size_t text_max = (size_t)64 << 20;

/* What stands for a field: a value of the case, or one of the fixed ones. */
struct field {
    const struct value *value; /* or NULL and: */
    struct str text;
    bool is_json; /* the text is JSON */
    char number[NUMBER_SIZE];
};

static const char *const fixed[] = {"input", "case_id", "conversation", "turn", "seed"};

static bool find_fixed(struct str name, const struct agent_task *task, struct field *f)
{
    f->is_json = false;
    if (str_is(name, "input")) {
        f->text = task->input;
        f->is_json = task->is_json;
    } else if (str_is(name, "case_id")) {
        f->text = task->case_id;
    } else if (str_is(name, "conversation")) {
        f->text = task->conversation;
    } else if (str_is(name, "turn") || str_is(name, "seed")) {
        bool is_turn = str_is(name, "turn");
        snprintf(f->number, sizeof f->number, "%" PRIu64,
                 is_turn ? (uint64_t)task->turn : task->seed);
        f->text = str_of(f->number);
        f->is_json = true;
    } else {
        return false;
    }
    return true;
}

static const struct value *find_in_case(struct str name, const struct value *fields)
{
    const struct value *v = fields;
    while (v && name.p) v = value_find(v, str_cut(&name, '.'));
    return v;
}

static bool find_field(struct str name, const struct agent_task *task, struct field *f,
                       struct error *err)
{
    *f = (struct field){.value = find_in_case(name, task->fields)};
    if (f->value || find_fixed(name, task, f)) return true;
    const char *names[NAMES_MAX];
    char copies[NAMES_MAX][64];
    size_t n = 0;
    for (; n < COUNT(fixed); n++) names[n] = fixed[n];
    const struct value *map = task->fields;
    for (size_t i = 0; map && map->kind == VALUE_MAP && i < map->map.count && n < NAMES_MAX;
         i++) {
        snprintf(copies[n], sizeof copies[n], "%.*s", STR_ARG(map->map.pairs[i].key));
        names[n] = copies[n];
        n++;
    }
    const char *meant = str_suggest(name, names, n);
    return error_set(err, ERROR_INVALID, "the case has no field '%.*s'%s%s%s", STR_ARG(name),
                     STR_MEANT(meant));
}

static void write_field(const struct field *f, struct json *j)
{
    if (f->value)
        json_value(j, f->value);
    else if (f->is_json)
        json_raw(j, f->text);
    else
        json_str(j, f->text);
}

static void add_encoded(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || (c && strchr("-._~", c));
        if (is_plain)
            buf_add_char(out, c);
        else
            buf_printf(out, "%%%02X", (unsigned char)c);
    }
}

/* Into a text: a text without quotes. */
static void add_field(const struct field *f, enum template_form form, struct buf *out)
{
    bool is_text = f->value ? f->value->kind == VALUE_TEXT : !f->is_json;
    struct str text = f->value ? f->value->source : f->text;
    struct buf b;
    struct json j;
    buf_init(&b, text_max);
    if (!is_text || form == TEMPLATE_JSON) {
        json_init(&j, &b, 0);
        write_field(f, &j);
        text = buf_str(&b);
        if (is_text) text = (struct str){text.p + 1, text.n - 2};
    }
    if (form == TEMPLATE_URL)
        add_encoded(out, text);
    else
        buf_add(out, text);
    if (b.overflow) out->overflow = true;
    buf_release(&b);
}

/* The next {{name}}: what stands before it, and the name; false if none is left. */
static bool next_mark(struct str *rest, struct str *before, struct str *name)
{
    const char *open = rest->n ? memmem(rest->p, rest->n, "{{", 2) : NULL;
    const char *close = open ? memmem(open, rest->n - (size_t)(open - rest->p), "}}", 2) : NULL;
    if (!close) return false;
    *before = (struct str){rest->p, (size_t)(open - rest->p)};
    *name = str_trim((struct str){open + 2, (size_t)(close - open - 2)});
    const char *end = rest->p + rest->n;
    *rest = (struct str){close + 2, (size_t)(end - close - 2)};
    return true;
}

bool template_fill(struct str text, enum template_form form, const struct agent_task *task,
                   struct buf *out, struct error *err)
{
    struct str before = {0};
    struct str name = {0};
    while (next_mark(&text, &before, &name)) {
        struct field f;
        if (!find_field(name, task, &f, err)) return false;
        buf_add(out, before);
        add_field(&f, form, out);
    }
    buf_add(out, text);
    return true;
}

bool template_has_fields(struct str text)
{
    struct str before = {0};
    struct str name = {0};
    return next_mark(&text, &before, &name);
}

bool template_check(const struct value *tree, const struct value *fields, struct error *err)
{
    const struct agent_task task = {.fields = fields};
    if (tree->kind == VALUE_TEXT) {
        struct str rest = tree->source;
        struct str before = {0};
        struct str name = {0};
        while (next_mark(&rest, &before, &name)) {
            struct field f;
            if (!find_field(name, &task, &f, err)) return false;
        }
    }
    for (size_t i = 0; tree->kind == VALUE_LIST && i < tree->list.count; i++) {
        if (!template_check(tree->list.items[i], fields, err)) return false;
    }
    for (size_t i = 0; tree->kind == VALUE_MAP && i < tree->map.count; i++) {
        if (!template_check(tree->map.pairs[i].value, fields, err)) return false;
    }
    return true;
}

static bool write_text(struct str text, const struct agent_task *task, struct json *j,
                       struct error *err)
{
    struct str rest = text;
    struct str before = {0};
    struct str name = {0};
    struct field f;
    if (!next_mark(&rest, &before, &name)) {
        json_str(j, text);
        return true;
    }
    if (before.n == 0 && rest.n == 0) {
        if (!find_field(name, task, &f, err)) return false;
        write_field(&f, j);
        return true;
    }
    struct buf b;
    buf_init(&b, text_max);
    bool done = template_fill(text, TEMPLATE_TEXT, task, &b, err);
    if (done) json_str(j, buf_str(&b));
    buf_release(&b);
    return done;
}

bool template_write(const struct value *v, const struct agent_task *task, struct json *j,
                    struct error *err)
{
    bool done = true;
    if (v->kind == VALUE_TEXT) return write_text(v->source, task, j, err);
    if (v->kind == VALUE_LIST) {
        json_list(j);
        for (size_t i = 0; i < v->list.count && done; i++) {
            done = template_write(v->list.items[i], task, j, err);
        }
        if (done) json_end(j);
    } else if (v->kind == VALUE_MAP) {
        json_object(j);
        for (size_t i = 0; i < v->map.count && done; i++) {
            json_key_str(j, v->map.pairs[i].key);
            done = template_write(v->map.pairs[i].value, task, j, err);
        }
        if (done) json_end(j);
    } else {
        json_value(j, v);
    }
    return done;
}

struct str template_text(const struct value *v, struct arena *arena)
{
    if (v->kind == VALUE_TEXT) return v->source;
    return json_of(v, arena);
}
