/* What assay answers. Adding one is adding a file and a word to ANSWERS. */
#include "report/answers.h"

#include "base/fault.h"

#define ROW        struct answer
#define ROW_OF(id) answer_##id
#define ROWS       ANSWERS
REGISTRY_ROWS(answer)

#define PLOTS_SCHEMA "assay.plots/1"

void answer_json(const struct answer *row, const void *answer, struct buf *out)
{
    struct json j;
    json_open(&j, out, row->schema);
    layout_put_members(&j, row->layout, answer, answer);
    json_close(&j);
}

bool answer_is_whole(const struct buf *text, struct error *err)
{
    bool is_whole = !text->overflow && fault_at("answer") == 0;
    return is_whole ||
           error_set(err, ERROR_FAILED, "the answer would be larger than %zu MB; ask for less",
                     text->max >> 20);
}

bool answer_text(const struct answer *row, const void *answer, struct arena *out,
                 struct str *text, struct error *err)
{
    struct buf b;
    buf_init(&b, ANSWER_MAX_BYTES);
    answer_json(row, answer, &b);
    bool is_whole = answer_is_whole(&b, err);
    if (is_whole) *text = str_copy(out, buf_str(&b));
    buf_release(&b);
    return is_whole;
}

struct plots {
    const char *answer;
    struct plot_list plots;
};

#define OF struct plots
static const struct layout_field plots_fields[] = {
    LAYOUT_FIELD("answer", answer, "whose pictures they are"),
    LAYOUT_LIST("plots", plots.items, plots.count, &plot_layout, "in the order of the answer"),
};
static const struct layout plots_layout = LAYOUT(plots_fields);
#undef OF

void answer_plots_json(const struct answer *row, const void *answer, struct buf *out)
{
    struct arena arena = arena_open();
    struct plots plots = {.answer = row->name};
    if (row->plots) plots.plots = row->plots(answer, &arena);
    struct json j;
    json_open(&j, out, PLOTS_SCHEMA);
    layout_put_members(&j, &plots_layout, &plots, &plots);
    json_close(&j);
    arena_close(&arena);
}

void answer_plots_schema(struct buf *out)
{
    layout_write_schema(&plots_layout, PLOTS_SCHEMA, out);
}

const struct answer_format *answer_format_find(const struct answer *row, const char *name)
{
    for (size_t i = 0; i < ANSWER_FORMATS_MAX && row->formats[i].name; i++) {
        if (strcmp(row->formats[i].name, name) == 0) return &row->formats[i];
    }
    return NULL;
}
