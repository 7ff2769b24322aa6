/* JSON Schema (draft 2020-12) of parameter tables, for editors. */
#include "base/param.h"

static void write_types(struct json *j, const char *const *names, size_t count)
{
    json_put_texts(j, "type", names, count);
}

static void write_text_types(struct json *j)
{
    static const char *const names[] = {"string", "number", "boolean"};
    write_types(j, names, COUNT(names));
}

static void write_share_types(struct json *j)
{
    static const char *const names[] = {"string", "number"};
    write_types(j, names, COUNT(names));
}

static void write_number(const struct param *row, const char *type, struct json *j)
{
    json_put_text(j, "type", type);
    if (param_has_min(row)) json_put_real(j, "minimum", row->min);
    if (param_has_max(row)) json_put_real(j, "maximum", row->max);
}

/* The keywords of one item into an open object. */
static void write_item(const struct param *row, struct json *j)
{
    switch (row->type) {
    case PARAM_INT:
    case PARAM_INT_LIST: write_number(row, "integer", j); break;
    case PARAM_REAL:
    case PARAM_REAL_LIST: write_number(row, "number", j); break;
    case PARAM_BOOL:
    case PARAM_FLAG:
    case PARAM_BOOL_LIST: json_put_text(j, "type", "boolean"); break;
    case PARAM_TEXT:
    case PARAM_TEXT_LIST: write_text_types(j); break;
    case PARAM_CHOICE:
    case PARAM_CHOICE_LIST:
        json_key_list(j, "enum");
        for (size_t i = 0; row->choices[i]; i++) json_text(j, row->choices[i]);
        json_end(j);
        break;
    case PARAM_SELECTOR:
    case PARAM_SPAN:
    case PARAM_MOMENT: json_put_text(j, "type", "string"); break;
    case PARAM_SHARE:
    case PARAM_SHARE_LIST: write_share_types(j); break;
    case PARAM_MAP: json_put_text(j, "type", "object"); break;
    case PARAM_COMMAND:
    case PARAM_ANY: break;
    }
}

/* {"anyOf": [item, {"type": "array", "items": item}]} without the braces. */
static void write_item_or_list(const struct param *row, struct json *j)
{
    json_key_list(j, "anyOf");
    json_object(j);
    write_item(row, j);
    json_end(j);
    json_object(j);
    json_put_text(j, "type", "array");
    bool sweeps = !param_is_list(row->type);
    if (sweeps || param_needs_item(row)) json_put_int(j, "minItems", 1);
    json_key_object(j, "items");
    write_item(row, j);
    json_end(j);
    json_end(j);
    json_end(j);
}

static void write_command(struct json *j)
{
    json_key_list(j, "anyOf");
    json_object(j);
    json_put_text(j, "type", "string");
    json_end(j);
    json_object(j);
    json_put_text(j, "type", "array");
    json_put_int(j, "minItems", 1);
    json_key_object(j, "items");
    write_text_types(j);
    json_end(j);
    json_end(j);
    json_end(j);
}

void param_write_row_schema(const struct param *row, bool sweeps, struct json *j)
{
    json_object(j);
    if (row->help) {
        char help[400];
        struct buf b;
        buf_over(&b, help, sizeof help);
        buf_printf(&b, "%s%s%s%s", row->help, row->unit ? " (" : "", row->unit ? row->unit : "",
                   row->unit ? ")" : "");
        json_put_text(j, "description", help);
    }
    if (row->fallback) json_put_raw(j, "default", row->fallback);
    bool one_only = row->type == PARAM_MAP || row->type == PARAM_ANY;
    if (row->type == PARAM_COMMAND) {
        write_command(j);
    } else if (param_is_list(row->type) || (sweeps && !one_only)) {
        write_item_or_list(row, j);
    } else {
        write_item(row, j);
    }
    json_end(j);
}

void param_write_table_schema(struct param_table table, bool sweeps, struct json *j)
{
    json_object(j);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
    for (size_t i = 0; i < table.count; i++) {
        json_key(j, table.rows[i].name);
        param_write_row_schema(&table.rows[i], sweeps, j);
    }
    json_end(j);
    json_key_list(j, "required");
    for (size_t i = 0; i < table.count; i++) {
        if (table.rows[i].required && !sweeps) json_text(j, table.rows[i].name);
    }
    json_end(j);
    json_put_bool(j, "additionalProperties", false);
    json_end(j);
}

void param_write_schema(struct param_table table, struct json *j)
{
    param_write_table_schema(table, false, j);
}
