#include "base/os.h"
#include "base/schema.h"
#include "spec/spec.h"
#include "tests/test.h"

/* The schema that editors are given, by our own validator. */
static const struct schema *schema_of(struct arena *a)
{
    struct buf text;
    struct error err = {0};
    const struct value *tree = NULL;
    const struct schema *schema = NULL;
    struct problems problems = {.arena = a, .file = "schema"};
    static const struct value_limits limits = {16 << 20, 64, 1000000};
    buf_init(&text, 16 << 20);
    spec_write_schema(&text);
    if (!value_read_json(str_copy(a, buf_str(&text)), &limits, a, &tree, &err))
        fail_msg("%s", err.text);
    if (!schema_compile(tree, a, &schema, &problems)) fail_msg("%s", problems.items[0].text);
    buf_release(&text);
    return schema;
}

/* NULL = valid. */
static const char *judge(struct arena *a, const struct schema *schema, struct str text)
{
    struct value_error read = {0};
    struct error err = {0};
    const struct value *tree = NULL;
    const char *why = NULL;
    if (!value_read(text, &value_limits_spec, a, &tree, &read)) fail_msg("%s", read.error.text);
    if (!schema_validate(schema, tree, a, &why, &err)) fail_msg("%s", err.text);
    return why;
}

TEST(the_shipped_suites_are_valid)
{
    static const char *const files[] = {"specs/demo.yaml", "specs/agent-runtime.yaml",
                                        "specs/agent-performance.yaml",
                                        "specs/production.yaml"};
    struct arena a = arena_open();
    const struct schema *schema = schema_of(&a);
    for (size_t i = 0; i < COUNT(files); i++) {
        struct str text;
        struct error err = {0};
        if (!os_read_file(files[i], 1 << 20, &a, &text, &err)) fail_msg("%s", err.text);
        const char *why = judge(&a, schema, text);
        if (why) fail_msg("%s: %s", files[i], why);
    }
    arena_close(&a);
}

TEST(both_shapes_and_mistakes)
{
    static const struct {
        const char *yaml;
        bool is_valid;
    } table[] = {
        {"{suite: {id: s}, agents: [{id: a, process: {command: [cat]}}], benchmarks: [{id: b, "
         "cases: [{input: x}], rubric: {exact: 1}, iterations: {warmup: 0, measured: 2}}]}",
         true},
        {"{suite_id: s, suite_name: S, category: accuracy, version: '1', created_at: x, "
         "benchmarks: [{benchmark_id: b, test_type: synthetic, scoring_rubric: {}, dataset: "
         "{data_source: d.csv}, constraints: {time_limit_ms: 5}, expected_outputs: [y]}]}",
         true},
        {"{experiment: noop}", true},
        {"{experiments: [{experiment: noop}]}", true},
        {"{suite: {id: s}, benchmarkz: []}", false},
        {"{suite: {idd: s}, benchmarks: [{id: b}]}", false},
        {"{suite: {id: s}, benchmarks: [{id: b, rubrik: exact}]}", false},
        {"{suite: {id: s}, benchmarks: [{id: b, constraints: {time_limit: 5}}]}", false},
        {"{suite: {id: s}, agents: [{id: a, process: {comand: cat}}], benchmarks: []}", false},
        {"{experiment: noop, benchmark: x}", false},
    };
    struct arena a = arena_open();
    const struct schema *schema = schema_of(&a);
    for (size_t i = 0; i < COUNT(table); i++) {
        const char *why = judge(&a, schema, str_of(table[i].yaml));
        if ((why == NULL) != table[i].is_valid) {
            fail_msg("%s: %s", table[i].yaml, why ? why : "is valid");
        }
    }
    arena_close(&a);
}

TEST_MAIN(T(the_shipped_suites_are_valid), T(both_shapes_and_mistakes))
