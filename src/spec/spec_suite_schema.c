/* The JSON Schema of suite files, made from the same tables that check them. Both shapes are
 * known: ours, and that of requirement 1.1 with its own names for some keys. What a table
 * leaves to a reader of its own (rubrics, cases, prompts) is not narrowed further. */
#include "spec/spec_suite_internal.h"

#include "agent/agent.h"
#include "suite/suite.h"

/* A key whose inside is a definition: the value, or each item of a list. */
struct inner {
    const char *key;
    const char *ref;
    bool is_list;
};

static void put_ref(struct json *j, const struct inner *in, const char *help)
{
    json_key_object(j, in->key);
    if (help) json_put_text(j, "description", help);
    if (in->is_list) {
        json_put_text(j, "type", "array");
        json_key_object(j, "items");
    }
    json_put_text(j, "$ref", in->ref);
    if (in->is_list) json_end(j);
    json_end(j);
}

static void put_rows(struct json *j, struct param_table table, const struct inner *inners,
                     size_t count)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct param *row = &table.rows[i];
        const struct inner *in = NULL;
        for (size_t k = 0; k < count; k++) {
            if (strcmp(row->name, inners[k].key) == 0) in = &inners[k];
        }
        if (in) {
            put_ref(j, in, row->help);
        } else {
            json_key(j, row->name);
            param_write_row_schema(row, false, j);
        }
    }
}

static void put_other_name(struct json *j, const char *key, const char *ours)
{
    char text[80];
    snprintf(text, sizeof text, "the same as '%s'", ours);
    json_key_object(j, key);
    json_put_text(j, "description", text);
    json_end(j);
}

static void open_map(struct json *j, const char *name)
{
    json_key_object(j, name);
    json_put_text(j, "type", "object");
    json_key_object(j, "properties");
}

static void close_map(struct json *j)
{
    json_end(j);
    json_put_bool(j, "additionalProperties", false);
    json_end(j);
}

#define OF_BOTH                                                                               \
    {"iterations", "#/$defs/iterations", false}, {"until", "#/$defs/until", false},           \
        {"stop_early", "#/$defs/stop_early", false},                                          \
        {"instrumentation", "#/$defs/instrumentation", false},                                \
        {"claims", "#/$defs/claims", false}, {"constraints", "#/$defs/constraints", false},   \
        {"targets", "#/$defs/targets", false}, {"environment", "#/$defs/environment", false}, \
    {                                                                                         \
        "weights", "#/$defs/weights", false                                                   \
    }

static void write_root(struct json *j)
{
    static const struct inner inners[] = {
        OF_BOTH,
        {"suite", "#/$defs/suite_head", false},
        {"stub", "#/$defs/stub", false},
        {"agents", "#/$defs/agent", true},
        {"judges", "#/$defs/agent", true},
        {"benchmarks", "#/$defs/benchmark", true},
        {"baseline_scores", "#/$defs/baseline", true},
    };
    struct arena scratch = arena_open();
    open_map(j, "suite");
    put_rows(j, suite_root_table(&scratch), inners, COUNT(inners));
    /* In the requirement's shape the keys of `suite` stand here. */
    for (size_t i = 0; i < suite_head_table.count; i++) {
        const char *name = suite_head_table.rows[i].name;
        if (strcmp(name, "id") == 0 || strcmp(name, "name") == 0) continue;
        json_key(j, name);
        param_write_row_schema(&suite_head_table.rows[i], false, j);
    }
    put_other_name(j, "suite_id", "suite: {id}");
    put_other_name(j, "suite_name", "suite: {name}");
    put_other_name(j, "scoring_rubric", "rubric");
    close_map(j);
    arena_close(&scratch);
}

static void write_benchmark(struct json *j)
{
    static const struct inner inners[] = {OF_BOTH};
    open_map(j, "benchmark");
    put_rows(j, suite_benchmark_table, inners, COUNT(inners));
    put_other_name(j, "benchmark_id", "id");
    put_other_name(j, "scoring_rubric", "rubric");
    close_map(j);
}

static void write_agent(struct json *j)
{
    struct arena scratch = arena_open();
    struct param_table table = suite_agent_table(&scratch);
    open_map(j, "agent");
    for (size_t i = 0; i < table.count; i++) {
        const struct agent_kind *kind = agent_kind_find(str_of(table.rows[i].name));
        json_key(j, table.rows[i].name);
        if (kind) {
            param_write_schema(kind->params, j);
        } else {
            param_write_row_schema(&table.rows[i], false, j);
        }
    }
    close_map(j);
    arena_close(&scratch);
}

void suite_write_definitions(struct json *j)
{
    const struct {
        const char *name;
        struct param_table table;
    } plain[] = {
        {"suite_head", suite_head_table},   {"stub", suite_stub_table},
        {"baseline", suite_baseline_table}, {"constraints", suite_constraints_table},
        {"targets", suite_targets_table},   {"environment", suite_environment_table},
        {"weights", suite_weights_table},
    };
    write_root(j);
    write_benchmark(j);
    write_agent(j);
    for (size_t i = 0; i < COUNT(plain); i++) {
        json_key(j, plain[i].name);
        param_write_schema(plain[i].table, j);
    }
}
