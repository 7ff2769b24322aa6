/* Several agents, each against each: the answers of `versus` in a list. */
#include "report/answer_comparison.h"

#include "report/answers.h"

/* Each is an answer of its own, whose rows ask for the whole of it. */
static void put_pairs(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct answer_comparison *a = owner;
    json_list(j);
    for (size_t i = 0; i < a->pair_count; i++)
        layout_put(j, answer_versus.layout, a->pairs[i], a->pairs[i]);
    json_end(j);
}

#define OF struct answer_comparison
static const struct layout_field fields[] = {
    LAYOUT_CONST("comparison_type", "head_to_head", "each against each"),
    LAYOUT_FIELD("suite", suite, "on which they are compared"),
    LAYOUT_TEXTS("agents", agents, agent_count, "as they were asked for"),
    LAYOUT_CALL("pairs", put_pairs, "array", "as in assay.versus/1"),
};
static const struct layout layout = LAYOUT(fields);
#undef OF

static void text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_comparison *a = answer;
    for (size_t i = 0; i < a->pair_count; i++) {
        if (i) buf_add_char(out, '\n');
        answer_versus.text(a->pairs[i], look, out);
    }
}

const struct answer answer_comparison = {
    ANSWER_NAME("comparison"),
    .summary = "several agents on a suite, each against each",
    .layout = &layout,
    .text = text,
};
