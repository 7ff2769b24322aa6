#include "base/json.h"
#include "base/value.h"

#include "tests/test.h"

static struct buf text;
static struct json j;

static void begin(int indent)
{
    buf_clear(&text);
    json_init(&j, &text, indent);
}

TEST(commas_and_nesting_are_the_writers)
{
    begin(0);
    json_object(&j);
    json_put_int(&j, "n", 3);
    json_key(&j, "list");
    json_list(&j);
    json_bool(&j, true);
    json_null(&j);
    json_text(&j, NULL);
    json_object(&j);
    json_end(&j);
    json_end(&j);
    json_put_text(&j, "t", "x");
    json_end(&j);
    assert_true(str_is(buf_str(&text), "{\"n\":3,\"list\":[true,null,null,{}],\"t\":\"x\"}"));
}

TEST(texts_are_quoted_and_bad_bytes_replaced)
{
    begin(0);
    json_str(&j, (struct str){"\"\\\n\t\x01\xFF\xC3\xA9", 8});
    assert_true(str_is(buf_str(&text), "\"\\\"\\\\\\n\\t\\u0001\xEF\xBF\xBD\xC3\xA9\""));
}

/* Plain bytes are looked at eight at a time. */
TEST(every_byte_is_written_the_same_in_every_place)
{
    static const char plain[] = "aaaaaaaaaaaaaaaaaaa";
    for (int c = 0; c < 256; c++) {
        char alone[] = {(char)c};
        begin(0);
        json_str(&j, (struct str){alone, 1});
        char written[16];
        snprintf(written, sizeof written, "%.*s", (int)text.n - 2, text.p + 1);
        for (int place = 0; place < 19; place++) {
            char around[sizeof plain], expected[64];
            memcpy(around, plain, sizeof around);
            around[place] = (char)c;
            snprintf(expected, sizeof expected, "\"%.*s%s%.*s\"", place, plain, written,
                     18 - place, plain);
            begin(0);
            json_str(&j, (struct str){around, 19});
            assert_string_equal(text.p, expected);
        }
    }
}

TEST(numbers_read_back_as_they_were)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.123456789};
    for (size_t i = 0; i < COUNT(values); i++) {
        char out[32];
        double back = 0;
        assert_true(str_to_real(str_of(json_format_real(values[i], out)), &back));
        assert_true(back == values[i]);
    }
    char out[32];
    assert_string_equal(json_format_real(0.1, out), "0.1");
    begin(0);
    json_list(&j);
    json_real(&j, (double)NAN);
    json_real(&j, (double)INFINITY);
    json_int(&j, INT64_MIN);
    json_end(&j);
    assert_true(str_is(buf_str(&text), "[null,null,-9223372036854775808]"));
}

/* Keys in any order, one text: what hashes of parameters rest on. */
TEST(canonical_form_sorts_keys_at_every_level)
{
    struct arena a = arena_open();
    struct value_limits limits = {10000, 64, 1000};
    struct error err = {0};
    const struct value *v = NULL;
    assert_true(
        value_read_json(S("{\"b\":{\"z\":1,\"a\":2},\"a\":[3]}"), &limits, &a, &v, &err));
    begin(0);
    json_value_canonical(&j, v);
    assert_true(str_is(buf_str(&text), "{\"a\":[3],\"b\":{\"a\":2,\"z\":1}}"));
    begin(0);
    json_value(&j, v);
    assert_true(str_is(buf_str(&text), "{\"b\":{\"z\":1,\"a\":2},\"a\":[3]}"));
    assert_string_equal(json_canonical(v, &a).p, "{\"a\":[3],\"b\":{\"a\":2,\"z\":1}}");
    arena_close(&a);
}

TEST(a_canonical_text_is_never_cut)
{
    enum { LENGTH = 3 << 20 };
    struct arena a = arena_open();
    char *bytes = arena_new(&a, char, LENGTH);
    memset(bytes, 1, LENGTH);
    struct str long_text = json_canonical(value_new_text(&a, (struct str){bytes, LENGTH}), &a);
    assert_int_equal(long_text.n, 6 * (size_t)LENGTH + 2); /* each is \u0001 */
    assert_int_equal(long_text.p[long_text.n - 1], '"');
    assert_int_equal(long_text.p[long_text.n], '\0');
    arena_close(&a);
}

TEST(ready_json_is_put_as_it_is_and_none_is_null)
{
    begin(0);
    json_object(&j);
    json_put_raw(&j, "a", "[1]");
    json_put_raw(&j, "b", NULL);
    json_put_raw(&j, "c", "");
    json_end(&j);
    assert_true(str_is(buf_str(&text), "{\"a\":[1],\"b\":null,\"c\":null}"));
}

TEST(a_document_is_one_line_with_its_schema_first)
{
    begin(0);
    json_open(&j, &text, "assay.test/1");
    json_put_int(&j, "n", 3);
    json_close(&j);
    assert_true(str_is(buf_str(&text), "{\"schema\":\"assay.test/1\",\"n\":3}\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(commas_and_nesting_are_the_writers),
        T(texts_are_quoted_and_bad_bytes_replaced),
        T(every_byte_is_written_the_same_in_every_place),
        T(numbers_read_back_as_they_were),
        T(canonical_form_sorts_keys_at_every_level),
        T(a_canonical_text_is_never_cut),
        T(ready_json_is_put_as_it_is_and_none_is_null),
        T(a_document_is_one_line_with_its_schema_first),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    buf_init(&text, 1 << 20);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_release(&text);
    return failed;
}
