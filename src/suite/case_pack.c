#include "suite/case_pack.h"

/* Layout: uint64_t count, uint64_t begin[count + 1], then the texts. */

static const struct value_limits limits = {
    .max_bytes = (size_t)64 << 20, .max_depth = 80, .max_nodes = 4000000};

static void put_value(struct json *j, const char *key, const struct value *v)
{
    if (!v) return;
    json_put_value(j, key, v);
}

static void put_input(struct json *j, struct str input, bool is_json)
{
    json_put_str(j, "input", input);
    if (is_json) json_put_bool(j, "is_json", true);
}

static void write_case(const struct case_item *c, struct json *j)
{
    json_object(j);
    json_put_text(j, "id", c->id);
    json_put_text(j, "hash", c->hash);
    put_input(j, c->input, c->is_json);
    put_value(j, "expected", c->expected);
    if (c->rubric_index >= 0) {
        json_put_int(j, "rubric_index", c->rubric_index);
        put_value(j, "rubric", c->rubric);
    }
    if (c->turn_count > 0) {
        json_key_list(j, "turns");
        for (size_t i = 0; i < c->turn_count; i++) {
            json_object(j);
            put_input(j, c->turns[i].input, c->turns[i].is_json);
            put_value(j, "expected", c->turns[i].expected);
            put_value(j, "fields", c->turns[i].fields);
            json_end(j);
        }
        json_end(j);
    }
    put_value(j, "fields", c->fields);
    json_end(j);
}

void case_pack_write(const struct case_set *cases, struct buf *out)
{
    CHECK(out->n == 0);
    uint64_t count = cases->count;
    size_t head = (size_t)(count + 2) * sizeof(uint64_t);
    buf_add_bytes(out, &count, sizeof count);
    for (uint64_t i = 0; i <= count; i++) buf_add_bytes(out, &count, sizeof count);
    for (size_t i = 0; i <= cases->count && !out->overflow; i++) {
        uint64_t at = out->n - head;
        memcpy(out->p + (i + 1) * sizeof at, &at, sizeof at);
        if (i == cases->count) break;
        struct json j;
        json_init(&j, out, 0);
        write_case(&cases->items[i], &j);
    }
}

static uint64_t number_at(struct str pack, size_t i)
{
    uint64_t v = 0;
    memcpy(&v, pack.p + i * sizeof v, sizeof v);
    return v;
}

size_t case_pack_count(struct str pack)
{
    return pack.n < sizeof(uint64_t) ? 0 : (size_t)number_at(pack, 0);
}

bool case_pack_get(struct str pack, size_t i, struct str *json, struct error *err)
{
    size_t count = case_pack_count(pack);
    size_t head = (count + 2) * sizeof(uint64_t);
    if (i < count && pack.n >= head) {
        uint64_t begin = number_at(pack, i + 1);
        uint64_t end = number_at(pack, i + 2);
        if (begin <= end && end <= pack.n - head) {
            *json = (struct str){pack.p + head + begin, (size_t)(end - begin)};
            return true;
        }
    }
    return error_set(err, ERROR_INVALID, "case %zu is not in the pack of %zu", i, count);
}

static struct str text_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? v->source : (struct str){0};
}

static bool bool_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_BOOL && v->boolean;
}

bool case_pack_read(struct str pack, size_t i, struct arena *out, struct case_item *item,
                    struct error *err)
{
    struct str json = {0};
    const struct value *root = NULL;
    if (!case_pack_get(pack, i, &json, err) ||
        !value_read_json(json, &limits, out, &root, err)) {
        return error_wrap(err, "case %zu", i);
    }
    const struct value *index = value_get(root, "rubric_index");
    *item = (struct case_item){
        .id = str_cstr(out, text_of(root, "id")),
        .hash = str_cstr(out, text_of(root, "hash")),
        .input = text_of(root, "input"),
        .is_json = bool_of(root, "is_json"),
        .expected = value_get(root, "expected"),
        .rubric = value_get(root, "rubric"),
        .rubric_index = index ? (ptrdiff_t)index->integer : -1,
        .fields = value_get(root, "fields"),
        .position = i,
    };
    const struct value *turns = value_get(root, "turns");
    if (!turns) return true;
    struct case_turn *list = arena_new(out, struct case_turn, turns->list.count);
    for (size_t k = 0; k < turns->list.count; k++) {
        const struct value *t = turns->list.items[k];
        list[k] = (struct case_turn){text_of(t, "input"), bool_of(t, "is_json"),
                                     value_get(t, "expected"), value_get(t, "fields")};
    }
    item->turns = list;
    item->turn_count = turns->list.count;
    return true;
}
