/* The examples follow the draft's text, keyword by keyword. */
#include "base/os.h"
#include "base/schema.h"
#include "tests/check/bench.h"

/* schema, answer, whether it fits, a part of the reason */
static const struct {
    const char *schema;
    const char *answer;
    bool fits;
    const char *why;
} table[] = {
    {"true", "3", true, NULL},
    {"false", "3", false, "the answer is not allowed"},
    {"{}", "null", true, NULL},
    {"{type: integer}", "3", true, NULL},
    {"{type: integer}", "3.0", true, NULL},
    {"{type: integer}", "3.5", false, "must be of type integer, not a number"},
    {"{type: number}", "3", true, NULL},
    {"{type: string}", "3", false, NULL},
    {"{type: boolean}", "true", true, NULL},
    {"{type: 'null'}", "null", true, NULL},
    {"{type: array}", "[]", true, NULL},
    {"{type: object}", "[]", false, NULL},
    {"{type: [string, 'null']}", "null", true, NULL},
    {"{type: [string, 'null']}", "1", false, "not of an allowed type"},
    {"{enum: [1, a, [2]]}", "[2]", true, NULL},
    {"{enum: [1, a, [2]]}", "1.0", true, NULL},
    {"{enum: [1, a]}", "\"b\"", false, "not one of the 2 allowed values"},
    {"{enum: [false]}", "0", false, NULL}, /* false is not 0 */
    {"{const: {a: 1}}", "{\"a\":1}", true, NULL},
    {"{const: {a: 1}}", "{\"a\":2}", false, NULL},
    {"{minimum: 3}", "3", true, NULL},
    {"{minimum: 3}", "2.9", false, "must be at least 3 (is 2.9)"},
    {"{minimum: 3}", "\"x\"", true, NULL}, /* concerns numbers only */
    {"{maximum: 3}", "3.1", false, NULL},
    {"{exclusiveMinimum: 3}", "3", false, "above 3"},
    {"{exclusiveMaximum: 3}", "3", false, NULL},
    {"{exclusiveMaximum: 3}", "2", true, NULL},
    {"{multipleOf: 2}", "4", true, NULL},
    {"{multipleOf: 2}", "5", false, NULL},
    {"{multipleOf: 0.1}", "0.3", true, NULL},
    {"{multipleOf: 0.01}", "4.35", true, NULL},
    {"{multipleOf: 0.1}", "0.35", false, NULL},
    {"{minLength: 3}", "\"äöü\"", true, NULL},
    {"{minLength: 4}", "\"äöü\"", false, "has 3 characters"},
    {"{maxLength: 3}", "\"äöü\"", true, NULL},
    {"{maxLength: 2}", "\"abc\"", false, NULL},
    {"{pattern: '^a+$'}", "\"aaa\"", true, NULL},
    {"{pattern: 'b'}", "\"abc\"", true, NULL}, /* not anchored */
    {"{pattern: '^a+$'}", "\"ab\"", false, "does not match '^a+$'"},
    {"{items: {type: integer}}", "[1,2]", true, NULL},
    {"{items: {type: integer}}", "[1,\"x\"]", false, "/1 must be of type integer"},
    {"{items: false}", "[]", true, NULL},
    {"{prefixItems: [{type: integer}, {type: string}]}", "[1]", true, NULL},
    {"{prefixItems: [{type: integer}, {type: string}]}", "[1,2]", false, "/1"},
    {"{prefixItems: [{}], items: false}", "[1,2]", false, "/1 is not allowed"},
    {"{prefixItems: [{}], items: false}", "[1]", true, NULL},
    {"{contains: {type: integer}}", "[\"a\",1]", true, NULL},
    {"{contains: {type: integer}}", "[\"a\"]", false, "contains 0 matching items"},
    {"{contains: {type: integer}, minContains: 0}", "[]", true, NULL},
    {"{contains: {type: integer}, minContains: 2}", "[1]", false, NULL},
    {"{contains: {type: integer}, maxContains: 1}", "[1,2]", false, NULL},
    {"{minItems: 2}", "[1]", false, NULL},
    {"{maxItems: 2}", "[1,2]", true, NULL},
    {"{maxItems: 2}", "[1,2,3]", false, "has 3 items, at most 2"},
    {"{uniqueItems: true}", "[1,2,\"1\"]", true, NULL},
    {"{uniqueItems: true}", "[1,2,1.0]", false, "has a duplicate item"},
    {"{uniqueItems: true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", false, NULL},
    {"{uniqueItems: false}", "[1,1]", true, NULL},
    {"{properties: {a: {type: integer}}}", "{\"a\":1,\"b\":\"x\"}", true, NULL},
    {"{properties: {a: {type: integer}}}", "{\"a\":\"x\"}", false, "/a must be"},
    {"{properties: {a: {properties: {b: {minimum: 1}}}}}", "{\"a\":{\"b\":0}}", false,
     "/a/b must be at least 1 (is 0)"},
    {"{additionalProperties: false, properties: {a: {}}}", "{\"a\":1}", true, NULL},
    {"{additionalProperties: false, properties: {a: {}}}", "{\"b\":1}", false,
     "/b is not allowed"},
    {"{additionalProperties: {type: integer}}", "{\"b\":\"x\"}", false, NULL},
    {"{patternProperties: {'^s_': {type: string}}}", "{\"s_a\":1}", false, "/s_a"},
    {"{patternProperties: {'^s_': {type: string}}, additionalProperties: false}",
     "{\"s_a\":\"x\"}", true, NULL},
    {"{patternProperties: {'^s_': {type: string}}, additionalProperties: false}",
     "{\"t\":\"x\"}", false, NULL},
    {"{propertyNames: {maxLength: 2}}", "{\"abc\":1}", false, "'abc'"},
    {"{required: [a, b]}", "{\"a\":1}", false, "lacks the property 'b'"},
    {"{required: [a]}", "{\"a\":null}", true, NULL},
    {"{minProperties: 1}", "{}", false, NULL},
    {"{maxProperties: 1}", "{\"a\":1,\"b\":2}", false, NULL},
    {"{dependentRequired: {a: [b]}}", "{\"a\":1}", false, "'b'"},
    {"{dependentRequired: {a: [b]}}", "{\"c\":1}", true, NULL},
    {"{dependentSchemas: {a: {required: [b]}}}", "{\"a\":1}", false, NULL},
    {"{allOf: [{minimum: 1}, {maximum: 3}]}", "2", true, NULL},
    {"{allOf: [{minimum: 1}, {maximum: 3}]}", "4", false, "at most 3"},
    {"{anyOf: [{type: string}, {minimum: 3}]}", "3", true, NULL},
    {"{anyOf: [{type: string}, {minimum: 3}]}", "2", false, "none of the 2 schemas"},
    {"{oneOf: [{minimum: 1}, {maximum: 3}]}", "4", true, NULL},
    {"{oneOf: [{minimum: 1}, {maximum: 3}]}", "2", false, "matches 2 of the 2"},
    {"{not: {type: string}}", "1", true, NULL},
    {"{not: {type: string}}", "\"x\"", false, NULL},
    {"{if: {type: string}, then: {minLength: 2}, else: {minimum: 2}}", "\"ab\"", true, NULL},
    {"{if: {type: string}, then: {minLength: 2}, else: {minimum: 2}}", "\"a\"", false, NULL},
    {"{if: {type: string}, then: {minLength: 2}, else: {minimum: 2}}", "1", false, NULL},
    {"{then: false, else: false}", "1", true, NULL},
    {"{$ref: '#/$defs/n', $defs: {n: {type: integer}}}", "1", true, NULL},
    {"{$ref: '#/$defs/n', $defs: {n: {type: integer}}}", "\"x\"", false, NULL},
    {"{$ref: '#/definitions/n', definitions: {n: {type: integer}}}", "\"x\"", false, NULL},
    {"{$ref: '#/anyOf/1', anyOf: [{}, {properties: {a: {type: string}}}]}", "{\"a\":1}", false,
     "/a must be of type string"},
    {"{$ref: '#/properties/minimum', properties: {minimum: {type: integer}}}", "1", true, NULL},
    {"{$ref: '#/$defs/n', minimum: 3, $defs: {n: {type: integer}}}", "2", false, NULL},
    {"{properties: {next: {$ref: '#'}}, additionalProperties: false}",
     "{\"next\":{\"next\":{}}}", true, NULL},
    {"{properties: {next: {$ref: '#'}}, additionalProperties: false}",
     "{\"next\":{\"nxt\":{}}}", false, "/next/nxt is not allowed"},
    {"{title: t, description: d, default: 1, examples: [1], $comment: c, deprecated: false}",
     "1", true, NULL},
    {"{$schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'urn:x'}", "1", true,
     NULL},
    {"{type: object}", "no json", false, "the answer is not JSON"},
    {"{type: object}", "", false, "empty"},
};

TEST(keywords)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        char options[400];
        snprintf(options, sizeof options, "schema: %s", table[i].schema);
        struct check_case c = {options, "", table[i].answer, table[i].fits, table[i].why};
        bench_cases("json_schema", &c, 1, NULL);
    }
}

static const struct problem_case wrong[] = {
    {"schema: {type: object, format: date}",
     "1:39: json schema: keyword 'format' is not implemented"},
    {"schema: {unevaluatedProperties: false}",
     "1:25: json schema: keyword 'unevaluatedProperties' is not implemented"},
    {"schema: {properties: {a: {$dynamicRef: x}}}",
     "1:42: json schema: keyword '$dynamicRef' is not implemented"},
    {"schema: {minimun: 3}",
     "1:25: json schema: keyword 'minimun' is not implemented; did you mean 'minimum'?"},
    {"schema: {minimum: x}", "1:34: json schema: 'minimum' must be a number"},
    {"schema: {minItems: -1}", "1:35: json schema: 'minItems' must be a whole number from 0"},
    {"schema: {type: text}",
     "1:31: json schema: 'type' must be null, boolean, integer, number, string, array or "
     "object, or a list of these"},
    {"schema: {items: [{}]}",
     "1:32: json schema: a schema is a mapping, true or false, not a list"},
    {"schema: {pattern: '('}",
     "1:34: json schema: 'pattern' has the pattern '(': at 1: missing closing parenthesis"},
    {"schema: {$ref: 'http://x'}",
     "1:31: json schema: '$ref' must point into this schema, such as \"#/$defs/x\""},
    {"schema: {$ref: '#/$defs/x'}", "1:31: json schema: '$ref' does not point to a schema"},
    /* What looks like a schema and is not checked as one. */
    {"schema: {$ref: '#/examples/0', examples: [{pattern: a}]}",
     "1:31: json schema: '$ref' does not point to a schema"},
    {"schema: {$ref: '#/const', const: {type: 5}}",
     "1:31: json schema: '$ref' does not point to a schema"},
    {"schema: {$ref: '#/properties', properties: {pattern: {}}}",
     "1:31: json schema: '$ref' does not point to a schema"},
    {"schema: {$schema: 'http://json-schema.org/draft-07/schema#'}",
     "1:34: json schema: '$schema' must be draft 2020-12, which is the one implemented"},
    {"schema: {required: a}", "1:35: json schema: 'required' must be a list of names"},
    {"schema: {anyOf: []}", "1:32: json schema: 'anyOf' must be a list of schemas, not empty"},
    {"schema: {multipleOf: 0}", "1:37: json schema: 'multipleOf' must be a number above 0"},
    {"", "1:15: 'json_schema' needs 'schema' or 'file'"},
    {"schema: {}, file: x", "1:34: 'json_schema' needs 'schema' or 'file', not both"},
};

TEST(what_it_does_not_implement_is_refused_with_its_place)
{
    PROBLEMS("json_schema", wrong);
}

TEST(work_is_limited)
{
    static const struct check_case cases[] = {
        {"schema: {$ref: '#'}", "", "1", HARNESS_ERROR, "form a cycle"},
        {"schema: {pattern: '(a+)+$'}", "",
         "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", 0, "steps"},
        /* Each level asks the one below twice: 2^30 steps. */
        {"schema: {$ref: '#/$defs/a', $defs: {"
         "a: {items: {allOf: [{$ref: '#/$defs/a'}, {$ref: '#/$defs/a'}]}}}}",
         "", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", 0,
         "more steps than allowed"},
        /* Eight references a level: deeper than the limit at 40 levels. */
        {"schema: {$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/c'},"
         "c: {$ref: '#/$defs/d'}, d: {$ref: '#/$defs/e'}, e: {$ref: '#/$defs/f'},"
         "f: {$ref: '#/$defs/g'}, g: {$ref: '#/$defs/h'}, h: {items: {$ref: '#/$defs/a'}}}}",
         "",
         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", 0,
         "cycle"},
    };
    BENCH("json_schema", cases);
}

/* Another implementation's opinion: tests/reference/json_schema.js made these
 * with Ajv, as many valid pairs as invalid ones. */
TEST(the_same_verdicts_as_ajv)
{
    struct arena a = arena_open();
    struct str rest;
    struct error err = {0};
    if (!os_read_file("tests/reference/json_schema.jsonl", 1 << 22, &a, &rest, &err))
        fail_msg("%s", err.text);
    size_t counts[2] = {0};
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        const struct value *v = NULL;
        if (line.n == 0) continue;
        assert_true(check_read_json(line, false, &a, &v, &err));
        struct problems p = {.arena = &a};
        const struct schema *schema;
        const char *why;
        if (!schema_compile(value_get(v, "schema"), &a, &schema, &p))
            fail_msg("%s: %.*s", p.items[0].text, STR_ARG(line));
        if (!schema_validate(schema, value_get(v, "value"), &a, &why, &err))
            fail_msg("%s: %.*s", err.text, STR_ARG(line));
        bool wanted = value_get(v, "valid")->boolean;
        if (wanted != !why) fail_msg("%s: %.*s", why ? why : "valid", STR_ARG(line));
        counts[wanted]++;
    }
    assert_true(counts[0] == 400 && counts[1] == 400);
    arena_close(&a);
}

TEST(a_schema_in_a_file)
{
    struct arena a = arena_open();
    const char *dir;
    struct error err = {0};
    assert_true(os_make_temp_dir("schema", &a, &dir, &err));
    assert_true(
        os_write_file(arena_printf(&a, "%s/s.json", dir), S("{\"type\":\"integer\"}"), &err));
    assert_true(
        os_write_file(arena_printf(&a, "%s/bad.json", dir), S("{\n \"format\":\"x\"}"), &err));
    struct check_env env = {.base_dir = dir};
    const struct check_case cases[] = {
        {"file: s.json", "", "3", 1, NULL},
        {"file: s.json", "", "\"x\"", 0, NULL},
        {"file: none.json", "", "3", HARNESS_ERROR, "none.json"},
        {"file: bad.json", "", "3", HARNESS_ERROR,
         "bad.json:2:2: json schema: keyword 'format' is not implemented"},
    };
    bench_cases("json_schema", cases, COUNT(cases), &env);
    os_remove_tree(dir);
    arena_close(&a);
}

TEST_MAIN(T(keywords), T(what_it_does_not_implement_is_refused_with_its_place),
          T(work_is_limited), T(the_same_verdicts_as_ajv), T(a_schema_in_a_file))
