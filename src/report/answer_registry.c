/* What assay answers. Adding one is adding a file and a word to ANSWERS. */
#include "report/answers.h"

#define ROW        struct answer
#define ROW_OF(id) answer_##id
#define ROWS       ANSWERS
REGISTRY_ROWS(answer)

void answer_json(const struct answer *row, const void *answer, struct buf *out)
{
    struct json j;
    json_open(&j, out, row->schema);
    layout_put_members(&j, row->layout, answer, answer);
    json_close(&j);
}

void answer_plots_json(const struct answer *row, const void *answer, struct buf *out)
{
    struct arena arena = arena_open();
    struct plot_list plots = {0};
    if (row->plots) plots = row->plots(answer, &arena);
    struct json j;
    json_open(&j, out, "assay.plots/1");
    json_put_text(&j, "answer", row->name);
    json_key_list(&j, "plots");
    for (size_t i = 0; i < plots.count; i++) {
        layout_put(&j, &plot_layout, &plots.items[i], &plots.items[i]);
    }
    json_end(&j);
    json_close(&j);
    arena_close(&arena);
}

const struct answer_format *answer_format_find(const struct answer *row, const char *name)
{
    for (size_t i = 0; i < ANSWER_FORMATS_MAX && row->formats[i].name; i++) {
        if (strcmp(row->formats[i].name, name) == 0) return &row->formats[i];
    }
    return NULL;
}
