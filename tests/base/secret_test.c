#include "base/secret.h"
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
    assert_true(secrets_add(&s, S("sk-123"), &err));
    assert_true(secrets_add(&s, S("sk-12345"), &err));
    assert_true(secrets_add(&s, S("sk-12345"), &err));
    assert_true(secrets_add(&s, S("abc"), &err)); /* a word, not a key */
    assert_true(secrets_add(&s, (struct str){0}, &err));
    assert_int_equal(s.count, 2);

    struct secrets t = {0};
    assert_true(secrets_add(&t, S("sk-123"), &err));
    assert_true(secrets_add(&t, S("sk-12345"), &err));
    expect(&t, "", "");
    expect(&t, "abc", "abc");
    expect(&t, "Bearer sk-12345.", "Bearer [redacted].");
    expect(&t, "sk-123sk-12345sk-12.", "[redacted][redacted]sk-12.");
    expect(&t, "sk-1234", "[redacted]4");
}

/* What was cut in the middle of a key ends in a part of it. */
TEST(the_beginning_of_a_key_at_the_end_is_replaced)
{
    struct secrets s = {0};
    struct error err = {0};
    assert_true(secrets_add(&s, S("sk-0123456789abcdefghij"), &err)); /* 23 bytes */
    expect(&s, "key sk-0123456789abcde", "key [redacted]");
    expect(&s, "key sk-01", "key [redacted]"); /* a quarter */
    expect(&s, "key sk-0", "key sk-0");
    expect(&s, "sk-0123456789abcde is known", "sk-0123456789abcde is known");
    char long_text[700];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text + 582, "sk-0123456789abcdefghij", 23);
    long_text[605] = '\0';
    error_set(&err, ERROR_FAILED, "%s", long_text); /* keeps 596 and three dots */
    assert_non_null(strstr(err.text, "sk-0123456789"));
    secret_redact_error(&s, &err);
    assert_null(strstr(err.text, "sk-"));
    assert_non_null(strstr(err.text, "x[redacted]..."));
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
          T(the_beginning_of_a_key_at_the_end_is_replaced),
          T(error_texts_are_redacted_in_their_place))
