/* POST /v1/embeddings. A request may ask for 2048 points of 4096 dimensions, a second of
 * work: they are made one by one as they are sent, so that others have their turns in
 * between and no reply is late because of it. */
#include "stub/stub_internal.h"

#include "base/base64.h"
#include "base/json.h"
#include "http/chat_reply.h"

enum { INPUTS_MAX = 2048 };

struct embedding {
    struct stub *stub;
    size_t dimensions;
    bool is_base64; /* 32-bit floats, little-endian: what the official client asks for */
    float *point;
    struct buf base64;
    size_t tokens;
    struct str model;
    const struct value *input; /* a text, or a list of them */
    size_t done;               /* points that are made */
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

/* Head, one point a chunk, tail. */
static int64_t next_point(void *context, struct buf *out)
{
    struct embedding *e = context;
    if (e->done == 0) buf_text(out, "{\"object\":\"list\",\"data\":[");
    if (e->done > 0) buf_add_char(out, ',');
    struct json j;
    json_init(&j, out, 0);
    bool is_list = e->input->kind == VALUE_LIST;
    const struct value *text = is_list ? e->input->list.items[e->done] : e->input;
    put_point(&j, e, text->source, e->done++);
    if (is_list && e->done < e->input->list.count) return 0;
    buf_text(out, "],\"model\":");
    json_init(&j, out, 0);
    json_str(&j, e->model);
    buf_text(out, ",\"system_fingerprint\":\"" CHAT_STUB_FINGERPRINT "\",\"usage\":");
    json_init(&j, out, 0);
    json_object(&j);
    json_put_int(&j, "prompt_tokens", (int64_t)e->tokens);
    json_put_int(&j, "total_tokens", (int64_t)e->tokens);
    json_end(&j);
    buf_add_char(out, '}');
    return HTTP_END;
}

void stub_embeddings(struct stub *s, struct http_request *r, int64_t from_ns)
{
    const struct value *body = NULL;
    struct embedding *e = arena_new(r->arena, struct embedding, 1);
    e->stub = s;
    if (!stub_read_body(r, &body)) return;
    e->input = value_get(body, "input");
    const struct value *model = value_get(body, "model");
    if (!are_texts(e->input)) {
        stub_fail(r, 400, "'input' must be a text or a list of 1 to %d texts", INPUTS_MAX);
        return;
    }
    if (!read_options(e, body, r)) return;
    e->model = model && model->kind == VALUE_TEXT ? model->source : S("stub");
    http_send_stream(r, &(struct http_stream){.status = 200,
                                              .type = "application/json",
                                              .first_due_ns = from_ns,
                                              .source = next_point,
                                              .context = e});
}
