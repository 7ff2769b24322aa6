/* The JSON Schema of spec files, made from the same tables that check them. */
#include "spec/spec_internal.h"

static void put_ref(struct json *j, const char *key, const char *ref)
{
    json_key_object(j, key);
    json_put_text(j, "$ref", ref);
    json_end(j);
}

/* The keys whose inside has a table or a definition of its own. */
static const struct {
    const char *key;
    const char *ref;
} inner[] = {
    {"iterations", "#/$defs/iterations"}, {"until", "#/$defs/until"},
    {"stop_early", "#/$defs/stop_early"}, {"instrumentation", "#/$defs/instrumentation"},
    {"claims", "#/$defs/claims"},
};

static void write_keys(struct json *j)
{
    for (size_t i = 0; i < spec_keys_table.count; i++) {
        const struct param *row = &spec_keys_table.rows[i];
        const char *ref = NULL;
        for (size_t k = 0; k < COUNT(inner); k++) {
            if (strcmp(row->name, inner[k].key) == 0) ref = inner[k].ref;
        }
        if (ref) {
            put_ref(j, row->name, ref);
        } else {
            json_key(j, row->name);
            param_write_row_schema(row, false, j);
        }
    }
}

static void put_required(struct json *j, const char *key)
{
    json_key_list(j, "required");
    json_text(j, key);
    json_end(j);
}

/* One name, with its parameters and what of them may be swept. */
static void write_experiment(struct json *j, const struct experiment *e)
{
    json_object(j);
    json_put_text(j, "title", e->name);
    json_put_text(j, "description", e->summary);
    json_key_object(j, "properties");
    json_key_object(j, "experiment");
    json_put_text(j, "const", e->name);
    json_end(j);
    json_key(j, "params");
    param_write_table_schema(e->params, true, j);
    json_end(j);
    put_required(j, "experiment");
    json_end(j);
}

static void write_entry(struct json *j)
{
    json_object(j);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
    write_keys(j);
    json_end(j);
    json_put_bool(j, "additionalProperties", false);
    json_key_list(j, "oneOf");
    for (size_t i = 0; experiment_at(i); i++) write_experiment(j, experiment_at(i));
    json_end(j);
    json_end(j);
}

static void write_file(struct json *j)
{
    json_object(j);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
    write_keys(j);
    json_key_object(j, "experiments");
    json_put_text(j, "description", "several experiments; keys next to this one are shared");
    json_put_text(j, "type", "array");
    json_put_int(j, "minItems", 1);
    put_ref(j, "items", "#/$defs/entry");
    json_end(j);
    json_end(j);
    put_required(j, "experiments");
    json_put_bool(j, "additionalProperties", false);
    json_end(j);
}

static void write_instrument_names(struct json *j)
{
    json_object(j);
    json_key_list(j, "enum");
    for (size_t i = 0; instrument_at(i); i++) {
        json_text(j, instrument_at(i)->name);
        if (instrument_at(i)->alias) json_text(j, instrument_at(i)->alias);
    }
    json_end(j);
    json_end(j);
}

static void write_instrument(struct json *j, const struct instrument *it)
{
    json_object(j);
    json_put_text(j, "description", it->summary);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
    json_key_object(j, "name");
    json_key_list(j, "enum");
    json_text(j, it->name);
    if (it->alias) json_text(j, it->alias);
    json_end(j);
    json_end(j);
    json_key_object(j, "optional");
    json_put_text(j, "type", "boolean");
    json_end(j);
    for (size_t i = 0; i < it->params.count; i++) {
        json_key(j, it->params.rows[i].name);
        param_write_row_schema(&it->params.rows[i], false, j);
    }
    json_end(j);
    put_required(j, "name");
    json_put_bool(j, "additionalProperties", false);
    json_end(j);
}

static void write_instrumentation(struct json *j)
{
    json_object(j);
    json_put_text(j, "type", "array");
    json_key_object(j, "items");
    json_key_list(j, "anyOf");
    write_instrument_names(j);
    for (size_t i = 0; instrument_at(i); i++) write_instrument(j, instrument_at(i));
    json_end(j);
    json_end(j);
    json_end(j);
}

/* An integer, or the word. */
static void write_iterations(struct json *j)
{
    json_object(j);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
    for (size_t i = 0; i < spec_iterations_table.count; i++) {
        const struct param *row = &spec_iterations_table.rows[i];
        json_key(j, row->name);
        if (row->type != PARAM_ANY) {
            param_write_row_schema(row, false, j);
            continue;
        }
        json_object(j);
        json_put_text(j, "description", row->help);
        json_key(j, "anyOf");
        json_raw(j, S("[{\"type\":\"integer\",\"minimum\":0},{\"const\":\"steady\"}]"));
        json_end(j);
    }
    json_end(j);
    json_put_bool(j, "additionalProperties", false);
    json_end(j);
}

/* A suite (spec_is_suite), or one experiment. */
static void write_choice(struct json *j)
{
    static const char *const marks[] = {"suite", "suite_id", "benchmarks"};
    json_key_object(j, "if");
    json_key_list(j, "anyOf");
    for (size_t i = 0; i < COUNT(marks); i++) {
        json_object(j);
        put_required(j, marks[i]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    put_ref(j, "then", "#/$defs/suite");
    put_ref(j, "else", "#/$defs/entry");
}

void spec_write_schema(struct buf *out)
{
    struct json j;
    json_init(&j, out, 2);
    json_object(&j);
    json_put_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_put_text(&j, "title", "assay spec");
    json_key_object(&j, "if");
    put_required(&j, "experiments");
    json_end(&j);
    put_ref(&j, "then", "#/$defs/file");
    json_key_object(&j, "else");
    write_choice(&j);
    json_end(&j);
    json_key_object(&j, "$defs");
    suite_write_definitions(&j);
    json_key(&j, "entry");
    write_entry(&j);
    json_key(&j, "file");
    write_file(&j);
    json_key(&j, "iterations");
    write_iterations(&j);
    json_key(&j, "until");
    param_write_schema(spec_until_table, &j);
    json_key(&j, "stop_early");
    param_write_schema(spec_stop_early_table, &j);
    json_key(&j, "instrumentation");
    write_instrumentation(&j);
    json_key_object(&j, "claims");
    json_put_text(&j, "type", "array");
    json_key(&j, "items");
    param_write_schema(spec_claim_table, &j);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    buf_add_char(out, '\n');
}
