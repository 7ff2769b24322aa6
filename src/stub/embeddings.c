/* POST /v1/embeddings. */
#include "stub/stub_internal.h"

#include "base/base64.h"
#include "base/json.h"

enum { INPUTS_MAX = 2048 };

struct embedding {
    struct stub *stub;
    size_t dimensions;
    bool is_base64; /* 32-bit floats, little-endian: what the official client asks for */
    float *point;
    struct buf base64;
    size_t tokens;
};

static void put_point(struct json *j, struct embedding *e, struct str text, size_t index)
{
    answer_embed(text, e->stub->options.seed, e->point, e->dimensions);
    e->tokens += answer_count_tokens(text);
    json_object(j);
    json_put_text(j, "object", "embedding");
    json_put_int(j, "index", (int64_t)index);
    json_key(j, "embedding");
    if (e->is_base64) {
        buf_clear(&e->base64);
        base64_add(&e->base64, e->point, e->dimensions * sizeof *e->point);
        json_str(j, buf_str(&e->base64));
    } else {
        json_list(j);
        for (size_t i = 0; i < e->dimensions; i++) json_real(j, (double)e->point[i]);
        json_end(j);
    }
    json_end(j);
}

static bool read_options(struct embedding *e, const struct value *body, struct http_request *r)
{
    const struct value *dimensions = value_get(body, "dimensions");
    const struct value *format = value_get(body, "encoding_format");
    int64_t wanted = e->stub->options.dimensions;
    if (dimensions) wanted = dimensions->kind == VALUE_INT ? dimensions->integer : 0;
    if (wanted < 1 || wanted > STUB_DIMENSIONS_MAX) {
        stub_fail(r, 400, "'dimensions' must be from 1 to %d", STUB_DIMENSIONS_MAX);
        return false;
    }
    e->dimensions = (size_t)wanted;
    e->is_base64 = format && format->kind == VALUE_TEXT && str_is(format->source, "base64");
    e->point = arena_new(r->arena, float, e->dimensions);
    size_t room = e->dimensions * 6 + 8;
    buf_over(&e->base64, arena_new(r->arena, char, room), room);
    return true;
}

static bool are_texts(const struct value *input)
{
    if (!input) return false;
    if (input->kind == VALUE_TEXT) return true;
    if (input->kind != VALUE_LIST || input->list.count == 0) return false;
    for (size_t i = 0; i < input->list.count; i++) {
        if (input->list.items[i]->kind != VALUE_TEXT) return false;
    }
    return input->list.count <= INPUTS_MAX;
}

static struct str make_body(struct embedding *e, struct str model, const struct value *input,
                            struct arena *arena)
{
    size_t count = input->kind == VALUE_LIST ? input->list.count : 1;
    struct buf b;
    struct json j;
    buf_init(&b, 1024 + model.n * 6 + count * (128 + e->dimensions * 32));
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "object", "list");
    json_key(&j, "data");
    json_list(&j);
    for (size_t i = 0; i < count; i++) {
        const struct value *text = input->kind == VALUE_LIST ? input->list.items[i] : input;
        put_point(&j, e, text->source, i);
    }
    json_end(&j);
    json_key(&j, "model");
    json_str(&j, model);
    json_key(&j, "usage");
    json_object(&j);
    json_put_int(&j, "prompt_tokens", (int64_t)e->tokens);
    json_put_int(&j, "total_tokens", (int64_t)e->tokens);
    json_end(&j);
    json_end(&j);
    CHECK(!b.overflow);
    struct str text = str_copy(arena, buf_str(&b));
    buf_release(&b);
    return text;
}

void stub_embeddings(struct stub *s, struct http_request *r)
{
    const struct value *body = NULL;
    struct embedding e = {.stub = s};
    if (!stub_read_body(r, &body)) return;
    const struct value *input = value_get(body, "input");
    const struct value *model = value_get(body, "model");
    if (!are_texts(input)) {
        stub_fail(r, 400, "'input' must be a text or a list of 1 to %d texts", INPUTS_MAX);
        return;
    }
    if (!read_options(&e, body, r)) return;
    struct str name = model && model->kind == VALUE_TEXT ? model->source : S("stub");
    http_reply(r, &(struct http_reply){.status = 200,
                                       .type = "application/json",
                                       .body = make_body(&e, name, input, r->arena)});
}
