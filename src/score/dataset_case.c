/* One mapping into one case. */
#include "score/dataset_internal.h"

#include "base/id.h"
#include "base/json.h"
#include "model/record.h"

static const struct value *present(const struct value *v)
{
    return v && v->kind != VALUE_NULL ? v : NULL;
}

static const struct value *get_any(const struct value *fields, const char *const *keys)
{
    for (; *keys; keys++) {
        const struct value *v = present(value_get(fields, *keys));
        if (v) return v;
    }
    return NULL;
}

static const char *const expected_keys[] = {"expected", "expected_output", "expected_outputs",
                                            NULL};
static const char *const rubric_keys[] = {"rubric", "scoring_rubric", NULL};

const struct value *case_own_rubric(const struct value *fields)
{
    return get_any(fields, rubric_keys);
}

/* A value's own place if it has one, else that of its case. */
static uint32_t line_of(const struct value *v, uint32_t line)
{
    return v && v->line ? v->line : line;
}

static void read_input(const struct value *v, struct arena *out, struct str *input,
                       bool *is_json)
{
    *is_json = v->kind != VALUE_TEXT;
    *input = *is_json ? json_canonical(v, out) : v->source;
}

static bool read_turn(const struct case_reader *r, const struct value *v,
                      const struct case_item *item, struct case_turn *turn)
{
    turn->fields = v;
    const struct value *input = v->kind == VALUE_TEXT ? v : present(value_get(v, "input"));
    if (!input) {
        return problems_add(r->problems, line_of(v, item->line), v->column,
                            "a turn is {input, expected} or text");
    }
    read_input(input, r->out, &turn->input, &turn->is_json);
    turn->expected = get_any(v, expected_keys);
    return true;
}

static bool read_turns(const struct case_reader *r, const struct value *v,
                       struct case_item *item)
{
    if (v->kind != VALUE_LIST || v->list.count == 0) {
        return problems_add(r->problems, line_of(v, item->line), v->column,
                            "'turns' must be a list of {input, expected}, not empty");
    }
    struct case_turn *turns = arena_new(r->out, struct case_turn, v->list.count);
    for (size_t i = 0; i < v->list.count; i++) {
        if (!read_turn(r, v->list.items[i], item, &turns[i])) return false;
    }
    item->turns = turns;
    item->turn_count = v->list.count;
    return true;
}

static bool read_tags(const struct case_reader *r, const struct value *v,
                      struct case_item *item)
{
    size_t most = 2;
    if (v && v->kind == VALUE_LIST) most = v->list.count + 1;
    if (v && v->kind == VALUE_TEXT) {
        for (size_t i = 0; i < v->source.n; i++) most += v->source.p[i] == ';';
    }
    const char **tags = arena_new(r->out, const char *, most);
    item->tags = tags;
    if (!v) return true;
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->list.count; i++) {
        const struct value *tag = v->list.items[i];
        if (tag->kind == VALUE_LIST || tag->kind == VALUE_MAP) {
            return problems_add(r->problems, line_of(tag, item->line), tag->column,
                                "a tag is text, not %s", value_kind_name(tag->kind));
        }
        tags[i] = str_cstr(r->out, check_text_of(tag, r->out));
    }
    if (v->kind == VALUE_LIST) return true;
    if (v->kind == VALUE_MAP) {
        return problems_add(r->problems, line_of(v, item->line), v->column,
                            "'tags' must be a list of text");
    }
    struct str rest = check_text_of(v, r->out);
    for (size_t n = 0; rest.p;) {
        struct str tag = str_trim(str_cut(&rest, ';'));
        if (tag.n) tags[n++] = str_cstr(r->out, tag);
    }
    return true;
}

static bool read_complexity(const struct case_reader *r, const struct value *v,
                            struct case_item *item)
{
    static const char *const known[] = {"low", "medium", "high", "extreme"};
    if (!v) return true;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (v->kind == VALUE_TEXT && str_is(v->source, known[i])) item->complexity = known[i];
    }
    if (item->complexity) return true;
    return problems_add(r->problems, line_of(v, item->line), v->column,
                        "'complexity' must be one of low, medium, high, extreme");
}

static bool read_id(const struct case_reader *r, const struct value *v, struct case_item *item)
{
    if (!v) {
        item->id = arena_printf(r->out, "%zu", item->position + 1);
        return true;
    }
    if (v->kind == VALUE_LIST || v->kind == VALUE_MAP) {
        return problems_add(r->problems, line_of(v, item->line), v->column,
                            "'id' must be text or a number, not %s", value_kind_name(v->kind));
    }
    item->id = str_cstr(r->out, check_text_of(v, r->out));
    return item->id[0] != '\0' ||
           problems_add(r->problems, line_of(v, item->line), v->column, "'id' is empty");
}

/* A case may have fields of its own. One that is nearly 'expected', in a case that expects
 * nothing, is a slip: the case would be judged by nothing. */
static bool check_expected(const struct case_reader *r, const struct value *fields,
                           const struct case_item *item)
{
    if (item->expected || item->turn_count || fields->kind != VALUE_MAP) return true;
    for (size_t i = 0; i < fields->map.count; i++) {
        const struct value_pair *p = &fields->map.pairs[i];
        const char *meant = str_suggest(p->key, expected_keys, COUNT(expected_keys) - 1);
        if (!meant || str_is(p->key, meant)) continue;
        return problems_add(r->problems, line_of(p->value, item->line), p->value->column,
                            "expects nothing, but has '%.*s'%s%s%s", STR_ARG(p->key),
                            STR_MEANT(meant));
    }
    return true;
}

static void hash_case(const struct case_reader *r, struct case_item *item,
                      const struct value *asked)
{
    struct arena scratch = arena_open();
    struct case_record c = {
        .input = json_canonical(asked, &scratch).p,
        .expected = item->expected ? json_canonical(item->expected, &scratch).p : NULL,
        .rubric = item->rubric ? json_canonical(item->rubric, &scratch).p : NULL};
    char *hash = arena_new(r->out, char, SHA256_HEX_SIZE);
    item->hash = case_record_hash(&c, item->turn_count > 0, hash);
    arena_close(&scratch);
}

const struct value *case_asked(const struct case_reader *r, const struct value *fields,
                               uint32_t line)
{
    const struct value *input = present(value_get(fields, "input"));
    const struct value *turns = present(value_get(fields, "turns"));
    if (input && turns) {
        problems_add(r->problems, line, fields->column,
                     "has both 'input' and 'turns'; a conversation has turns only");
        return NULL;
    }
    if (!input && !turns) {
        problems_add(r->problems, line, fields->column, "has no 'input' (and no 'turns')");
    }
    return input ? input : turns;
}

bool case_read(const struct case_reader *r, const struct value *fields, uint32_t line,
               size_t position, struct case_item *item)
{
    *item = (struct case_item){
        .fields = fields, .line = line, .position = position, .rubric_index = -1};
    const struct value *asked = case_asked(r, fields, line);
    if (!asked) return false;
    bool is_right = true;
    if (asked == value_get(fields, "turns")) {
        is_right = read_turns(r, asked, item);
    } else {
        read_input(asked, r->out, &item->input, &item->is_json);
    }
    item->expected = get_any(fields, expected_keys);
    if (!item->expected && !item->turn_count) item->expected = present(r->options->expected);
    is_right = check_expected(r, fields, item) && is_right;
    const struct value *rubric = case_own_rubric(fields);
    item->rubric = rubric ? rubric : present(r->options->rubric);
    is_right = read_id(r, present(value_get(fields, "id")), item) && is_right;
    is_right = read_tags(r, present(value_get(fields, "tags")), item) && is_right;
    is_right = read_complexity(r, present(value_get(fields, "complexity")), item) && is_right;
    if (is_right) hash_case(r, item, asked);
    return is_right;
}
