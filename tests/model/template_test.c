#include "model/template.h"

#include "tests/test.h"

static const char *const fields_json =
    "{\"question\":\"say \\\"hi\\\"\\n\",\"n\":3,\"list\":[1,2],\"user\":{\"name\":\"Ada\"},"
    "\"empty\":\"\",\"none\":null}";

static bool fill(const char *text, enum template_form form, const char *expected,
                 struct error *err)
{
    struct arena a = arena_open();
    struct buf out;
    const struct value *fields = NULL;
    buf_init(&out, 4096);
    assert_true(value_read_json(str_of(fields_json), &value_limits_spec, &a, &fields, err));
    struct agent_task task = {
        .case_id = S("c7"), .input = S("2+2"), .turn = 1, .seed = 9, .fields = fields};
    bool done = template_fill(str_of(text), form, &task, &out, err);
    if (done && !str_is(buf_str(&out), expected))
        fail_msg("%s gives %.*s", text, STR_ARG(buf_str(&out)));
    buf_release(&out);
    arena_close(&a);
    return done;
}

TEST(fields_go_into_texts)
{
    struct error err = {0};
    assert_true(fill("{{question}}!", TEMPLATE_TEXT, "say \"hi\"\n!", &err));
    assert_true(fill("{\"q\": \"{{question}}\"}", TEMPLATE_JSON,
                     "{\"q\": \"say \\\"hi\\\"\\n\"}", &err));
    assert_true(fill("{\"n\": {{n}}, \"l\": {{list}}}", TEMPLATE_JSON,
                     "{\"n\": 3, \"l\": [1,2]}", &err));
    assert_true(fill("{{ user.name }} {{case_id}} {{turn}} {{seed}} {{input}}", TEMPLATE_TEXT,
                     "Ada c7 1 9 2+2", &err));
    assert_true(fill("a{{empty}}b{{none}}", TEMPLATE_TEXT, "abnull", &err));
    assert_true(
        fill("no field, {{ not closed", TEMPLATE_TEXT, "no field, {{ not closed", &err));
    assert_true(fill("", TEMPLATE_TEXT, "", &err));
}

TEST(fields_go_into_addresses)
{
    struct error err = {0};
    assert_true(fill("http://a/{{case_id}}?q={{question}}&n={{n}}&l={{list}}", TEMPLATE_URL,
                     "http://a/c7?q=say%20%22hi%22%0A&n=3&l=%5B1%2C2%5D", &err));
    assert_true(template_has_fields(S("a{{b}}")));
    assert_false(template_has_fields(S("a{{b}")));
}

TEST(a_field_that_is_not_there_is_named)
{
    struct error err = {0};
    assert_false(fill("{{questoin}}", TEMPLATE_TEXT, "", &err));
    assert_non_null(strstr(err.text, "'questoin'; did you mean 'question'?"));
    assert_false(fill("{{user.age}}", TEMPLATE_TEXT, "", &err));
}

static void write(const char *tree, const char *expected)
{
    struct arena a = arena_open();
    struct buf out;
    struct json j;
    const struct value *fields = NULL;
    const struct value *v = NULL;
    struct error err = {0};
    buf_init(&out, 4096);
    assert_true(value_read_json(str_of(fields_json), &value_limits_spec, &a, &fields, &err));
    assert_true(value_read_json(str_of(tree), &value_limits_spec, &a, &v, &err));
    struct agent_task task = {.input = S("{\"k\":1}"), .is_json = true, .fields = fields};
    json_init(&j, &out, 0);
    if (!template_write(v, &task, &j, &err)) fail_msg("%s", err.text);
    if (!str_is(buf_str(&out), expected)) fail_msg("%.*s", STR_ARG(buf_str(&out)));
    buf_release(&out);
    arena_close(&a);
}

TEST(a_field_alone_keeps_its_type)
{
    write("{\"a\":\"{{n}}\",\"b\":\"n={{n}}\",\"c\":[\"{{list}}\",true,1.5,null]}",
          "{\"a\":3,\"b\":\"n=3\",\"c\":[[1,2],true,1.5,null]}");
    write("\"{{input}}\"", "{\"k\":1}");
    write("{\"q\":\"{{question}}\"}", "{\"q\":\"say \\\"hi\\\"\\n\"}");
    write("\"x{{question}}\"", "\"xsay \\\"hi\\\"\\n\"");
}

TEST_MAIN(T(fields_go_into_texts), T(fields_go_into_addresses),
          T(a_field_that_is_not_there_is_named), T(a_field_alone_keeps_its_type))
