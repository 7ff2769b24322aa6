#include "model/note.h"

#include "base/json.h"
#include "base/value.h"

static const char *const names[NOTE_KIND_COUNT] = {
    [NOTE_REMARK] = "remark", [NOTE_MISSING] = "missing",     [NOTE_UNSTEADY] = "unsteady",
    [NOTE_BASIS] = "basis",   [NOTE_STOPPED] = "stopped",     [NOTE_TEARDOWN] = "teardown",
    [NOTE_LOST] = "lost",     [NOTE_DISTURBED] = "disturbed", [NOTE_AGAIN] = "again",
};

static const char *note_kind_name(enum note_kind kind)
{
    CHECK(kind < NOTE_KIND_COUNT);
    return names[kind];
}

static enum note_kind kind_named(struct str name)
{
    for (enum note_kind k = 0; k < NOTE_KIND_COUNT; k++) {
        if (str_is(name, names[k])) return k;
    }
    return NOTE_REMARK; /* of a newer assay */
}

bool note_has(const struct note_list *list, enum note_kind kind)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == kind) return true;
    }
    return false;
}

void note_add(struct note_list *list, struct arena *out, enum note_kind kind, struct str text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == kind && str_is(text, list->items[i].text)) return;
    }
    if (text.n == 0 || list->count == NOTE_LIST_MAX) return;
    struct note *items = arena_new(out, struct note, list->count + 1);
    if (list->count) memcpy(items, list->items, list->count * sizeof *items);
    items[list->count++] = (struct note){kind, str_cstr(out, text)};
    list->items = items;
}

const char *note_write(const struct note_list *list, struct arena *out)
{
    struct buf b;
    struct json j;
    if (list->count == 0) return NULL;
    buf_init(&b, value_limits_stored.max_bytes);
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; i < list->count; i++) {
        json_object(&j);
        json_put_text(&j, "kind", note_kind_name(list->items[i].kind));
        json_put_text(&j, "text", list->items[i].text);
        json_end(&j);
    }
    json_end(&j);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* Before kinds, what was missing was said as "speed_score: NULL, why". */
static enum note_kind kind_of_old(struct str text)
{
    static const char mark[] = ": NULL, ";
    return memmem(text.p, text.n, mark, sizeof mark - 1) ? NOTE_MISSING : NOTE_REMARK;
}

struct note_list note_read(const char *text, struct arena *out)
{
    struct note_list list = {0};
    if (!text || !*text) return list;
    const struct value *root = value_stored(text, out);
    if (!root || root->kind != VALUE_LIST) {
        note_add(&list, out, NOTE_REMARK, str_of(text));
        return list;
    }
    struct note *items = arena_new(out, struct note, root->list.count + 1);
    for (size_t i = 0; i < root->list.count && list.count < NOTE_LIST_MAX; i++) {
        const struct value *v = root->list.items[i];
        const struct value *kind = value_get(v, "kind");
        const struct value *said = v->kind == VALUE_TEXT ? v : value_get(v, "text");
        if (!said || said->kind != VALUE_TEXT || said->source.n == 0) continue;
        items[list.count++] =
            (struct note){.kind = said == v                          ? kind_of_old(said->source)
                                  : kind && kind->kind == VALUE_TEXT ? kind_named(kind->source)
                                                                     : NOTE_REMARK,
                          .text = str_cstr(out, said->source)};
    }
    list.items = items;
    return list;
}

const char *note_lines(const struct note_list *list, struct arena *out)
{
    const char *text = NULL;
    for (size_t i = 0; i < list->count; i++) {
        text =
            text ? arena_printf(out, "%s\n%s", text, list->items[i].text) : list->items[i].text;
    }
    return text;
}

void note_put_texts(struct json *j, const struct note_list *list)
{
    json_list(j);
    for (size_t i = 0; i < list->count; i++) json_text(j, list->items[i].text);
    json_end(j);
}
