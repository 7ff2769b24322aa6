/* Tokens: their form, that no two are alike, and that digests are equal in all characters
 * or not at all. */
#include "base/token.h"
#include "tests/test.h"

TEST(a_token_has_its_form_and_all_its_characters_vary)
{
    char first[TOKEN_SIZE];
    char next[TOKEN_SIZE];
    bool varies[TOKEN_SIZE] = {0};
    token_new(first);
    assert_int_equal(strlen(first), 49);
    assert_memory_equal(first, "assay_", 6);
    for (int k = 0; k < 400; k++) {
        assert_true(token_is_one(str_of(token_new(next))));
        for (size_t i = 0; i < TOKEN_SIZE; i++) varies[i] |= next[i] != first[i];
    }
    for (size_t i = 6; i < TOKEN_SIZE - 1; i++) assert_true(varies[i]);
}

TEST(what_is_not_a_token_is_not_taken_for_one)
{
    char text[TOKEN_SIZE];
    token_new(text);
    assert_false(token_is_one(S("")));
    assert_false(token_is_one(S("assay_")));
    assert_false(token_is_one((struct str){text, TOKEN_SIZE - 2}));
    assert_false(token_is_one((struct str){text, TOKEN_SIZE})); /* with the NUL */
    text[20] = '+';
    assert_false(token_is_one(str_of(text)));
    text[20] = '\0';
    assert_false(token_is_one((struct str){text, TOKEN_SIZE - 1}));
    token_new(text);
    text[0] = 'A';
    assert_false(token_is_one(str_of(text)));
}

TEST(digests_are_equal_in_every_character_or_not_at_all)
{
    char a[SHA256_HEX_SIZE];
    char b[SHA256_HEX_SIZE];
    token_digest(S("assay_x"), a);
    assert_string_equal(a, id_sha256(S("assay_x"), b));
    assert_true(token_digest_equal(a, b));
    for (size_t i = 0; i < SHA256_HEX_SIZE - 1; i++) {
        char was = b[i];
        b[i] = was == '0' ? '1' : '0';
        assert_false(token_digest_equal(a, b));
        b[i] = was;
    }
    assert_false(token_digest_equal(a, "0000000000000000000000000000000000000000000000000000000"
                                       "000000000"));
}

TEST_MAIN(T(a_token_has_its_form_and_all_its_characters_vary),
          T(what_is_not_a_token_is_not_taken_for_one),
          T(digests_are_equal_in_every_character_or_not_at_all))
