#include "cli/describe.h"

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "model/metric.h"

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

static void text_params(struct param_table table, struct arena *scratch, FILE *out)
{
    size_t name = 0;
    size_t type = 0;
    size_t fallback = 0;
    for (size_t i = 0; i < table.count; i++) {
        name = wider(name, table.rows[i].name);
        type = wider(type, param_type_name(table.rows[i].type));
        fallback = wider(fallback, default_text(&table.rows[i]));
    }
    fputs("\nparameters (name, type, default):\n", out);
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        fprintf(out, "  %-*s  %-*s  %-*s  %s\n", (int)name, row->name, (int)type,
                param_type_name(row->type), (int)fallback, default_text(row),
                remarks(row, scratch));
    }
}

static const char *direction_words(enum direction d)
{
    static const char *const words[] = {[DIRECTION_NONE] = "",
                                        [DIRECTION_LOWER] = "; lower is better",
                                        [DIRECTION_HIGHER] = "; higher is better"};
    return words[d];
}

static void text_metrics(const char *title, const struct metric *list, size_t count, FILE *out)
{
    size_t name = 0;
    size_t unit = 0;
    for (size_t i = 0; i < count; i++) {
        name = wider(name, list[i].name);
        unit = wider(unit, list[i].unit);
    }
    if (count) fprintf(out, "\n%s (name, unit):\n", title);
    for (size_t i = 0; i < count; i++) {
        const struct metric *m = &list[i];
        fprintf(out, "  %-*s  %-*s  %s%s\n", (int)name, m->name, (int)unit, m->unit, m->summary,
                direction_words(m->direction));
    }
}

/* NULL for what is not a command. */
static const struct command *command_of(const struct catalog_kind *kind,
                                        const struct registry_entry *entry)
{
    return kind->is_command ? command_find(str_of(entry->name)) : NULL;
}

void describe_text(const struct catalog_kind *kind, const struct registry_entry *entry,
                   struct arena *scratch, FILE *out)
{
    if (command_of(kind, entry)) {
        help_command(command_of(kind, entry), out);
        return;
    }
    fprintf(out, "%s %s - %s\n", kind->name, entry->name, entry->summary);
    if (entry->alias) fprintf(out, "also called %s\n", entry->alias);
    struct error why = {0};
    if (!catalog_available(entry, scratch, &why)) {
        fprintf(out, "not on this machine: %s\n", why.text);
    }
    if (entry->help) fprintf(out, "\n%s\n", entry->help);
    if (entry->params.count) text_params(entry->params, scratch, out);
    text_metrics("metrics", entry->metrics, entry->metric_count, out);
    text_metrics("histograms", entry->histograms, entry->histogram_count, out);
}

/* `are_options`: of a command, which have letters and arguments instead of roles. */
static void json_params(struct param_table table, bool are_options, struct arena *scratch,
                        struct json *j)
{
    json_list(j);
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        json_object(j);
        json_put_text(j, "name", row->name);
        json_put_text(j, "type", param_type_name(row->type));
        if (are_options) {
            bool is_flag = row->type == PARAM_BOOL;
            json_key(j, "letter");
            json_str(j, (struct str){&row->letter, row->letter ? 1 : 0});
            json_put_text(j, "argument", is_flag ? NULL : param_argument(row, scratch));
        } else {
            json_put_text(j, "role", row->role == PARAM_TREATMENT ? "treatment" : "workload");
        }
        json_put_bool(j, "required", row->required);
        json_put_raw(j, "default", row->fallback);
        if (param_has_min(row)) json_put_real(j, "min", row->min);
        if (param_has_max(row)) json_put_real(j, "max", row->max);
        if (row->choices) {
            json_key(j, "choices");
            json_list(j);
            for (size_t k = 0; row->choices[k]; k++) json_text(j, row->choices[k]);
            json_end(j);
        }
        json_put_text(j, "unit", row->unit);
        json_put_text(j, "help", row->help);
        json_end(j);
    }
    json_end(j);
}

static void json_metrics(const char *key, const struct metric *list, size_t count,
                         struct json *j)
{
    json_key(j, key);
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        const struct metric *m = &list[i];
        json_object(j);
        json_put_text(j, "name", m->name);
        json_put_text(j, "unit", m->unit);
        json_put_text(j, "direction", direction_name(m->direction));
        json_put_text(j, "definition", m->definition);
        json_put_text(j, "summary", m->summary);
        json_end(j);
    }
    json_end(j);
}

void describe_json(const struct catalog_kind *kind, const struct registry_entry *entry,
                   struct arena *scratch, struct json *j)
{
    const struct command *command = command_of(kind, entry);
    struct error why = {0};
    json_object(j);
    json_put_text(j, "kind", kind->name);
    json_put_text(j, "name", entry->name);
    json_put_text(j, "alias", entry->alias);
    json_put_text(j, "summary", entry->summary);
    json_put_text(j, "help", entry->help);
    bool available = catalog_available(entry, scratch, &why);
    json_put_bool(j, "available", available);
    json_put_text(j, "reason", available ? NULL : why.text);
    if (command) json_put_text(j, "usage", command->usage);
    json_key(j, command ? "options" : "params");
    json_params(entry->params, command != NULL, scratch, j);
    if (!command) {
        json_metrics("metrics", entry->metrics, entry->metric_count, j);
        json_metrics("histograms", entry->histograms, entry->histogram_count, j);
    }
    json_end(j);
}

/* A cell of a Markdown table: bars would end it. */
static void cell(const char *text, FILE *out)
{
    fputs("| ", out);
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
    fputc(' ', out);
}

static void markdown_params(struct param_table table, FILE *out)
{
    struct arena scratch = arena_open();
    fputs("\n| parameter | type | default | |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        cell(arena_printf(&scratch, "`%s`", row->name), out);
        cell(param_type_name(row->type), out);
        bool is_code = !row->required && row->fallback;
        cell(is_code ? arena_printf(&scratch, "`%s`", row->fallback) : default_text(row), out);
        cell(remarks(row, &scratch), out);
        fputs("|\n", out);
    }
    arena_close(&scratch);
}

static void markdown_metrics(const char *title, const struct metric *list, size_t count,
                             FILE *out)
{
    if (count) fprintf(out, "\n| %s | unit | |\n|---|---|---|\n", title);
    for (size_t i = 0; i < count; i++) {
        const struct metric *m = &list[i];
        fprintf(out, "| `%s` | %s ", m->name, m->unit);
        cell(m->summary, out);
        fprintf(out, "|\n");
    }
}

static void markdown_command(const struct command *command, FILE *out)
{
    fprintf(out, "\n```\nassay %s%s%s\n```\n", command->name, command->usage[0] ? " " : "",
            command->usage);
    struct arena scratch = arena_open();
    if (command->params.count) fputs("\n| option | default | |\n|---|---|---|\n", out);
    for (size_t i = 0; i < command->params.count; i++) {
        const struct param *row = &command->params.rows[i];
        char memory[1000];
        struct buf b;
        buf_over(&b, memory, sizeof memory);
        buf_text(&b, "`");
        if (row->letter) buf_printf(&b, "-%c, ", row->letter);
        buf_printf(&b, "--%s", row->name);
        if (row->type != PARAM_BOOL) {
            buf_printf(&b, row->is_optional ? " [%s]" : " %s", param_argument(row, &scratch));
        }
        buf_text(&b, "`");
        cell(memory, out);
        cell(row->fallback ? arena_printf(&scratch, "`%s`", row->fallback) : "", out);
        cell(remarks(row, &scratch), out);
        fputs("|\n", out);
    }
    arena_close(&scratch);
    fprintf(out, "\n```sh\n%s\n```\n", command->examples);
}

void describe_markdown(const struct catalog_kind *kind, const struct registry_entry *entry,
                       FILE *out)
{
    const struct command *command = command_of(kind, entry);
    fprintf(out, "\n### %s `%s`\n\n%s.\n", kind->name, entry->name, entry->summary);
    if (entry->alias) fprintf(out, "Also called `%s`.\n", entry->alias);
    if (entry->help) fprintf(out, "\n%s\n", entry->help);
    if (entry->params.count && !command) markdown_params(entry->params, out);
    markdown_metrics("metric", entry->metrics, entry->metric_count, out);
    markdown_metrics("histogram", entry->histograms, entry->histogram_count, out);
    if (command) markdown_command(command, out);
}
