#include "agent/secret.h"
#include "tests/test.h"

static void expect(const struct secrets *s, const char *text, const char *want)
{
    struct buf out;
    buf_init(&out, 4096);
    secret_redact(s, str_of(text), &out);
    if (!str_is(buf_str(&out), want)) fail_msg("'%s' became '%s'", text, out.p);
    assert_int_equal(secret_is_in(s, str_of(text)), strcmp(text, want) != 0);
    buf_release(&out);
}

TEST(every_occurrence_of_every_key_is_replaced)
{
    struct secrets s = {0};
    struct error err = {0};
    setenv("ASSAY_TEST_KEY", " sk-12345\n", 1);
    assert_true(secrets_add(&s, S("sk-123"), &err));
    assert_true(secrets_add_env(&s, "ASSAY_TEST_KEY", &err));
    assert_true(secrets_add_env(&s, "ASSAY_TEST_KEY", &err));
    assert_true(secrets_add_env(&s, "ASSAY_TEST_UNSET", &err));
    assert_true(secrets_add(&s, S("abc"), &err)); /* a word, not a key */
    assert_int_equal(s.count, 2);
    unsetenv("ASSAY_TEST_KEY");

    struct secrets t = {0};
    assert_true(secrets_add(&t, S("sk-123"), &err));
    assert_true(secrets_add(&t, S("sk-12345"), &err));
    expect(&t, "", "");
    expect(&t, "abc", "abc");
    expect(&t, "Bearer sk-12345.", "Bearer [redacted].");
    expect(&t, "sk-123sk-12345sk-12", "[redacted][redacted]sk-12");
    expect(&t, "sk-1234", "[redacted]4");
}

TEST(error_texts_are_redacted_in_their_place)
{
    struct secrets s = {0};
    struct error err = {0};
    assert_true(secrets_add(&s, S("topsecret"), &err));
    error_set(&err, ERROR_FAILED, "401: key topsecret is not known");
    secret_redact_error(&s, &err);
    assert_string_equal(err.text, "401: key [redacted] is not known");
}

TEST_MAIN(T(every_occurrence_of_every_key_is_replaced),
          T(error_texts_are_redacted_in_their_place))
