/* What is wrong with a file: a line for each problem, with as much of its place as is
 * known. */
#include "base/human.h"
#include "base/plain.h"
#include "base/problems.h"
#include "report/answers.h"

#define OF struct problem
static const struct layout_field problem_fields[] = {
    LAYOUT_FIELD("file", file, "where it is"),
    LAYOUT_FIELD("line", line, "from 1; 0: of an option"),
    LAYOUT_FIELD("column", column, "from 1; 0: of an option"),
    LAYOUT_FIELD("text", text, "what is wrong"),
};
static const struct layout problem_layout = LAYOUT_OF(OF, problem_fields);
#undef OF

#define OF struct problems
static const struct layout_field problems_fields[] = {
    LAYOUT_FIELD("total", total, "all there are"),
    LAYOUT_ARRAY("problems", items, kept, &problem_layout, "the first 20"),
};
static const struct layout problems_layout = LAYOUT(problems_fields);
#undef OF

static void put_problem(struct buf *out, const struct problem *x, const char *spec)
{
    bool is_option = x->file[0] == '-' && x->file[1];
    bool is_of_spec = is_option || x->file[0] == '(' || strcmp(x->file, spec) == 0;
    if (x->file[0] == '(' || (x->line == 0 && is_of_spec)) { /* an option's, a one-liner's */
        buf_text(out, "assay: ");
        if (is_option) plain_add(out, str_of(x->file), SIZE_MAX);
        if (is_option) buf_text(out, ": ");
    } else {
        plain_add(out, str_of(x->file), SIZE_MAX);
        if (x->line > 0) buf_printf(out, ":%u", x->line);
        if (x->column > 0) buf_printf(out, ":%u", x->column);
        buf_text(out, ": ");
    }
    plain_add(out, str_of(x->text), SIZE_MAX);
    buf_add_char(out, '\n');
}

static void problems_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look; /* quiet is about what went well */
    const struct problems *p = answer;
    for (size_t i = 0; i < p->kept; i++) put_problem(out, &p->items[i], p->file);
    if (p->total > p->kept) {
        buf_printf(out, "and %zu more problem%s\n", p->total - p->kept,
                   PLURAL(p->total - p->kept));
    }
}

const struct answer answer_problems = {
    ANSWER_NAME("problems"),
    .summary = "what is wrong with a file",
    .layout = &problems_layout,
    .text = problems_text,
};
