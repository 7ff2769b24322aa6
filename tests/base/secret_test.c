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
    expect(&t, "sk-123sk-12345sk-12.", "[redacted]sk-12.");
    expect(&t, "sk-1234", "[redacted]4");
}

/* Wherever a text was cut, and however the key is spelled. */
TEST(pieces_of_a_key_are_replaced_in_either_case_and_percent_encoded)
{
    struct secrets s = {0};
    struct error err = {0};
    assert_true(secrets_add(&s, S("sk-AGENT+key/0123456789"), &err));
    expect(&s, "'sk-AGENT+key/012345...' is no score", "'[redacted]...' is no score");
    expect(&s, "ends in y/0123456789", "ends in [redacted]");
    expect(&s, "from the middle: NT+key/0 and on", "from the middle: [redacted] and on");
    expect(&s, "seven of it: NT+key/ is too little", "seven of it: NT+key/ is too little");
    expect(&s, "SK-agent+KEY/0123456789", "[redacted]");
    expect(&s, "?k=sk-AGENT%2Bkey%2f0123456789&x", "?k=[redacted]&x");
    expect(&s, "%73%6b%2d%41%47%45%4e%54", "[redacted]");
    expect(&s, "%", "%");
    expect(&s, "sk-AGENT+key/0123456789sk-AGENT+key/0123456789", "[redacted]");
    struct secrets encoded = {0}; /* a key that has such signs itself */
    assert_true(secrets_add(&encoded, S("pass%41word%2"), &err));
    expect(&encoded, "x pass%41word%2 y passaword%2", "x [redacted] y [redacted]");
    struct secrets tiny = {0}; /* six bytes, two characters */
    assert_true(secrets_add(&tiny, S("%61%62"), &err));
    expect(&tiny, "cab", "cab");
}

TEST(a_cut_error_keeps_less_than_a_piece)
{
    struct secrets s = {0};
    struct error err = {0};
    assert_true(secrets_add(&s, S("sk-0123456789abcdefghij"), &err));
    char long_text[700];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text + 582, "sk-0123456789abcdefghij", 23);
    long_text[605] = '\0';
    error_set(&err, ERROR_FAILED, "%s", long_text); /* keeps 596 and three dots */
    assert_non_null(strstr(err.text, "sk-0123456789"));
    secret_redact_error(&s, &err);
    assert_null(strstr(err.text, "sk-"));
    assert_non_null(strstr(err.text, "x[redacted]"));
}

/* As many keys as there may be, and a text of a megabyte: the keys are still found. */
TEST(many_keys_are_found_in_a_long_text)
{
    struct secrets s = {0};
    struct error err = {0};
    static char keys[SECRETS_MAX + 1][24];
    for (size_t i = 0; i < SECRETS_MAX; i++) {
        snprintf(keys[i], sizeof keys[i], "key-%zu-%zu", i * 7919, i * 104729);
        assert_true(secrets_add(&s, str_of(keys[i]), &err));
    }
    assert_false(secrets_add(&s, S("one-too-many"), &err));
    struct arena arena = arena_open();
    char *text = arena_new(&arena, char, 1 << 20);
    for (size_t i = 0; i < (1 << 20) - 1; i++) text[i] = (char)('a' + i * i % 26);
    assert_false(secret_is_in(&s, str_of(text)));
    memcpy(text + 900000, keys[77], strlen(keys[77]));
    struct str clean = secret_redacted(&s, str_of(text), &arena);
    assert_null(memmem(clean.p, clean.n, keys[77] + 4, 8));
    assert_int_equal(clean.n, (1 << 20) - 1 - strlen(keys[77]) + strlen("[redacted]"));
    arena_close(&arena);
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
          T(pieces_of_a_key_are_replaced_in_either_case_and_percent_encoded),
          T(a_cut_error_keeps_less_than_a_piece), T(many_keys_are_found_in_a_long_text),
          T(error_texts_are_redacted_in_their_place))
