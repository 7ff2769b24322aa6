#include "suite/stored_cases.h"

#include "base/json.h"

static bool read_json(const char *text, struct arena *out, const struct value **v,
                      struct error *err)
{
    *v = NULL;
    return !text || value_read_json(str_of(text), &value_limits_stored, out, v, err);
}

/* Text as it is, the rest as JSON text, as agents get it. */
static struct str input_of(const struct value *v, bool *is_json, struct arena *out)
{
    *is_json = v && v->kind != VALUE_TEXT;
    if (!v || !*is_json) return v ? v->source : (struct str){0};
    return json_of(v, out);
}

static const struct value *expected_of(const struct value *turn)
{
    static const char *const names[] = {"expected", "expected_output", "expected_outputs"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct value *v = value_get(turn, names[i]);
        if (v && v->kind != VALUE_NULL) return v;
    }
    return NULL;
}

static void take_turns(struct case_item *item, const struct value *list, struct arena *out)
{
    struct case_turn *turns = arena_new(out, struct case_turn, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *turn = list->list.items[i];
        const struct value *input = turn->kind == VALUE_MAP ? value_get(turn, "input") : turn;
        turns[i].input = input_of(input, &turns[i].is_json, out);
        turns[i].expected = expected_of(turn);
        turns[i].fields = turn->kind == VALUE_MAP ? turn : NULL;
    }
    item->turns = turns;
    item->turn_count = list->list.count;
}

static ptrdiff_t rubric_index(struct stored_cases *s, const struct value *rubric)
{
    bool is_common = rubric && s->rubric ? value_equal(rubric, s->rubric) : rubric == s->rubric;
    if (is_common || !rubric) return -1;
    for (size_t i = 0; i < s->rubric_count; i++) {
        if (value_equal(s->rubrics[i], rubric)) return (ptrdiff_t)i;
    }
    if (s->rubric_count == COUNT(s->rubrics)) return (ptrdiff_t)COUNT(s->rubrics);
    s->rubrics[s->rubric_count] = rubric;
    return (ptrdiff_t)s->rubric_count++;
}

static bool read_case(struct stored_cases *s, const char *hash, struct case_item *item,
                      struct error *err)
{
    struct case_record row;
    const struct value *input = NULL;
    if (!store_find_case(s->store, hash, s->out, &row, err) ||
        !read_json(row.input, s->out, &input, err) ||
        !read_json(row.expected, s->out, &item->expected, err) ||
        !read_json(row.rubric, s->out, &item->rubric, err) ||
        !read_json(row.fields, s->out, &item->fields, err)) {
        return error_wrap(err, "case %.12s", hash);
    }
    item->id = row.name ? row.name : row.hash;
    item->hash = row.hash;
    item->rubric_index = rubric_index(s, item->rubric);
    if (value_get(item->fields, "turns") && input && input->kind == VALUE_LIST) {
        take_turns(item, input, s->out);
    } else {
        item->input = input_of(input, &item->is_json, s->out);
    }
    return true;
}

bool stored_case(struct stored_cases *s, const char *hash, const struct case_item **item,
                 struct error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        *item = &s->items[i];
        if (strcmp(s->items[i].hash, hash) == 0) return true;
    }
    s->items = arena_grow(s->out, s->items, s->count, sizeof *s->items);
    struct case_item *added = &s->items[s->count];
    *added = (struct case_item){0};
    if (!read_case(s, hash, added, err)) return false;
    s->count++;
    *item = added;
    return true;
}
