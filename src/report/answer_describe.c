/* What can be measured, and every parameter: for people, for programs, and as the
 * reference page (format markdown), in which nothing depends on the machine. */
#include "report/answer_describe.h"

#include "model/metric.h"
#include "report/answers.h"

#include <math.h>

/* ---- JSON ---- */

LAYOUT_WORD_IS(type_of, const struct param *x, param_type_name(x->type))
LAYOUT_WORD_IS(role_of, const struct param *x,
               x->role == PARAM_TREATMENT ? "treatment" : "workload")
LAYOUT_FIGURE_IS(min_of, const struct param *row, param_has_min(row) ? row->min : (double)NAN)
LAYOUT_FIGURE_IS(max_of, const struct param *row, param_has_max(row) ? row->max : (double)NAN)
LAYOUT_CALL_IS(put_letter, json_str, const struct param *row,
               (struct str){&row->letter, row->letter ? 1 : 0})
LAYOUT_SENTENCE_IS(argument_of, const struct param *row,
                   row->type == PARAM_BOOL ? NULL : param_argument(row, scratch))

static void put_choices(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct param *row = owner;
    size_t count = 0;
    while (row->choices && row->choices[count]) count++;
    if (row->choices)
        json_texts(j, row->choices, count);
    else
        json_null(j);
}

#define OF struct param
static const struct layout_field value_fields[] = {
    LAYOUT_FIELD("required", required, "it has no default"),
    LAYOUT_JSON("default", fallback, "null: zero, none or no default"),
    LAYOUT_FIGURE("min", min_of, "the least that fits"),
    LAYOUT_FIGURE("max", max_of, "the most that fits"),
    LAYOUT_CALL("choices", put_choices, "array", "what fits; null: not a choice"),
    LAYOUT_FIELD("unit", unit, "of the value"),
    LAYOUT_FIELD("help", help, "what it is for"),
};
static const struct layout value_layout = LAYOUT(value_fields);

static const struct layout_field param_fields[] = {
    LAYOUT_FIELD("name", name, "its key"),
    LAYOUT_WORD("type", type_of, "of its values"),
    LAYOUT_WORD("role", role_of, "treatment: contenders differ in it"),
    LAYOUT_ALSO(&value_layout),
};
static const struct layout param_layout = LAYOUT_OF(OF, param_fields);

static const struct layout_field option_fields[] = {
    LAYOUT_FIELD("name", name, "--name"),
    LAYOUT_WORD("type", type_of, "of its values"),
    LAYOUT_CALL("letter", put_letter, "string", "its short form, or empty"),
    LAYOUT_SENTENCE("argument", argument_of, "what follows it; null of a flag"),
    LAYOUT_ALSO(&value_layout),
};
static const struct layout option_layout = LAYOUT_OF(OF, option_fields);
#undef OF

LAYOUT_WORD_IS(direction_of, const struct metric *x, direction_name(x->direction))
LAYOUT_WORD_IS(kind_of, const struct metric *x, kind_name(x->kind))

#define OF struct metric
static const struct layout_field metric_fields[] = {
    LAYOUT_FIELD("name", name, "its key"),
    LAYOUT_FIELD("unit", unit, "of its values"),
    LAYOUT_WORD("direction", direction_of, "which values are better: lower, higher, none"),
    LAYOUT_FIELD("definition", definition, "what exactly is measured"),
    LAYOUT_WORD("kind", kind_of, "how two sets of it compare: ratio, share, shift, sum"),
    LAYOUT_FIELD("summary", summary, "what it says"),
};
static const struct layout metric_layout = LAYOUT_OF(OF, metric_fields);
#undef OF

LAYOUT_CALL_IS(put_available, json_bool, const struct described *x, !x->reason)

#define OF struct described
static const struct layout_field described_fields[] = {
    LAYOUT_FIELD("kind", kind, "of registry"),
    LAYOUT_FIELD("name", entry.name, "what it is called"),
    LAYOUT_FIELD("alias", entry.alias, "another name"),
    LAYOUT_FIELD("summary", entry.summary, "what it is, in one line"),
    LAYOUT_FIELD("help", entry.help, "more about it"),
    LAYOUT_CALL("available", put_available, "boolean", "this machine can do it"),
    LAYOUT_FIELD("reason", reason, "why it cannot"),
    LAYOUT_FIELD("usage", usage, "of a command"),
    LAYOUT_LIST("options", options.rows, options.count, &option_layout, "of a command"),
    LAYOUT_LIST("params", entry.params.rows, entry.params.count, &param_layout,
                "of the others"),
    LAYOUT_LIST("metrics", entry.metrics, entry.metric_count, &metric_layout,
                "that it measures"),
    LAYOUT_LIST("histograms", entry.histograms, entry.histogram_count, &metric_layout,
                "what it counts, value by value"),
};
static const struct layout described_layout = LAYOUT_OF(OF, described_fields);
#undef OF

#define OF struct answer_describe
static const struct layout_field describe_fields[] = {
    LAYOUT_LIST("entries", entries, count, &described_layout, "that were asked for"),
};
static const struct layout describe_layout = LAYOUT(describe_fields);
#undef OF

/* ---- text ---- */

static const char *default_text(const struct param *row)
{
    return row->required ? "required" : row->fallback ? row->fallback : "-";
}

/* Everything about a row but name, type and default, in one line. */
static const char *remarks(const struct param *row, struct arena *out)
{
    char memory[1000];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    param_remarks(row, &b);
    for (size_t i = 0; row->choices && row->choices[i]; i++) {
        buf_printf(&b, "%s%s", i ? ", " : "; one of ", row->choices[i]);
    }
    if (row->role == PARAM_TREATMENT) buf_text(&b, "; treatment");
    return str_cstr(out, buf_str(&b));
}

static size_t wider(size_t width, const char *text)
{
    return strlen(text) > width ? strlen(text) : width;
}

static void put_params(struct param_table table, struct buf *out)
{
    size_t name = 0;
    size_t type = 0;
    size_t fallback = 0;
    struct arena scratch = arena_open();
    for (size_t i = 0; i < table.count; i++) {
        name = wider(name, table.rows[i].name);
        type = wider(type, param_type_name(table.rows[i].type));
        fallback = wider(fallback, default_text(&table.rows[i]));
    }
    if (table.count) buf_text(out, "\nparameters (name, type, default):\n");
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        buf_printf(out, "  %-*s  %-*s  %-*s  %s\n", (int)name, row->name, (int)type,
                   param_type_name(row->type), (int)fallback, default_text(row),
                   remarks(row, &scratch));
    }
    arena_close(&scratch);
}

static const char *direction_words(enum direction d)
{
    static const char *const words[] = {[DIRECTION_NONE] = "",
                                        [DIRECTION_LOWER] = "; lower is better",
                                        [DIRECTION_HIGHER] = "; higher is better"};
    return words[d];
}

static void put_metrics(const char *title, const struct metric *list, size_t count,
                        struct buf *out)
{
    size_t name = 0;
    size_t unit = 0;
    for (size_t i = 0; i < count; i++) {
        name = wider(name, list[i].name);
        unit = wider(unit, list[i].unit);
    }
    if (count) buf_printf(out, "\n%s (name, unit):\n", title);
    for (size_t i = 0; i < count; i++) {
        const struct metric *m = &list[i];
        buf_printf(out, "  %-*s  %-*s  %s%s\n", (int)name, m->name, (int)unit, m->unit,
                   m->summary, direction_words(m->direction));
    }
}

static void describe_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_describe *a = answer;
    for (size_t i = 0; i < a->count; i++) {
        const struct described *e = &a->entries[i];
        buf_printf(out, "%s%s %s - %s\n", i ? "\n" : "", e->kind, e->entry.name,
                   e->entry.summary);
        if (e->entry.alias) buf_printf(out, "also called %s\n", e->entry.alias);
        if (e->reason) buf_printf(out, "not on this machine: %s\n", e->reason);
        if (e->entry.help) buf_printf(out, "\n%s\n", e->entry.help);
        put_params(e->entry.params, out);
        put_metrics("metrics", e->entry.metrics, e->entry.metric_count, out);
        put_metrics("histograms", e->entry.histograms, e->entry.histogram_count, out);
    }
}

/* ---- Markdown ---- */

/* A cell of a table: bars would end it. */
static void put_cell(const char *text, struct buf *out)
{
    buf_text(out, "| ");
    for (; *text; text++) {
        if (*text == '|') buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
    buf_add_char(out, ' ');
}

static void markdown_params(struct param_table table, struct buf *out)
{
    struct arena scratch = arena_open();
    if (table.count) buf_text(out, "\n| parameter | type | default | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        bool is_code = !row->required && row->fallback;
        put_cell(arena_printf(&scratch, "`%s`", row->name), out);
        put_cell(param_type_name(row->type), out);
        put_cell(is_code ? arena_printf(&scratch, "`%s`", row->fallback) : default_text(row),
                 out);
        put_cell(remarks(row, &scratch), out);
        buf_text(out, "|\n");
    }
    arena_close(&scratch);
}

static void markdown_metrics(const char *title, const struct metric *list, size_t count,
                             struct buf *out)
{
    if (count) buf_printf(out, "\n| %s | unit | |\n|---|---|---|\n", title);
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "| `%s` | %s ", list[i].name, list[i].unit);
        put_cell(list[i].summary, out);
        buf_text(out, "|\n");
    }
}

/* `-n, --measured N` */
static const char *option_name(const struct param *row, struct arena *out)
{
    char letter[] = {'-', row->letter, ',', ' ', '\0'};
    const char *name = arena_printf(out, "%s--%s", row->letter ? letter : "", row->name);
    if (row->type == PARAM_BOOL) return arena_printf(out, "`%s`", name);
    return arena_printf(out, row->is_optional ? "`%s [%s]`" : "`%s %s`", name,
                        param_argument(row, out));
}

static void markdown_command(const struct described *e, struct buf *out)
{
    struct arena scratch = arena_open();
    buf_printf(out, "\n```\nassay %s%s%s\n```\n", e->entry.name, e->usage[0] ? " " : "",
               e->usage);
    if (e->options.count) buf_text(out, "\n| option | default | |\n|---|---|---|\n");
    for (size_t i = 0; i < e->options.count; i++) {
        const struct param *row = &e->options.rows[i];
        put_cell(option_name(row, &scratch), out);
        put_cell(row->fallback ? arena_printf(&scratch, "`%s`", row->fallback) : "", out);
        put_cell(remarks(row, &scratch), out);
        buf_text(out, "|\n");
    }
    buf_printf(out, "\n```sh\n%s\n```\n", e->examples);
    arena_close(&scratch);
}

static void write_markdown(const void *answer, struct buf *out)
{
    const struct answer_describe *a = answer;
    for (size_t i = 0; i < a->count; i++) {
        const struct described *e = &a->entries[i];
        buf_printf(out, "\n### %s `%s`\n\n%s.\n", e->kind, e->entry.name, e->entry.summary);
        if (e->entry.alias) buf_printf(out, "Also called `%s`.\n", e->entry.alias);
        if (e->entry.help) buf_printf(out, "\n%s\n", e->entry.help);
        markdown_params(e->entry.params, out);
        markdown_metrics("metric", e->entry.metrics, e->entry.metric_count, out);
        markdown_metrics("histogram", e->entry.histograms, e->entry.histogram_count, out);
        if (e->usage) markdown_command(e, out);
    }
}

const struct answer answer_describe = {
    ANSWER_NAME("describe"),
    .summary = "what can be measured, and every parameter",
    .layout = &describe_layout,
    .text = describe_text,
    .formats = {{"markdown", write_markdown}},
};
