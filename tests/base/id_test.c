#include "base/id.h"

#include "tests/test.h"

/* FIPS 180-4, appendix B.1; and the digest of nothing. */
TEST(sha256_of_known_texts)
{
    char out[SHA256_HEX_SIZE];
    assert_string_equal(id_sha256(S("abc"), out),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(id_sha256((struct str){0}, out),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(uuid7_sorts_by_time_and_has_its_version)
{
    char before[UUID_SIZE] = "";
    for (int i = 0; i < 1000; i++) {
        char now[UUID_SIZE];
        id_uuid7(now);
        assert_int_equal(strlen(now), 36);
        assert_true(now[14] == '7' && strchr("89ab", now[19]) != NULL);
        /* Within one tick of 244 ns two may come in either order, never equal. */
        assert_true(strncmp(before, now, 18) <= 0);
        assert_true(strcmp(before, now) != 0);
        memcpy(before, now, sizeof now);
    }
}

TEST(uuid5_is_the_same_everywhere_and_tells_names_apart)
{
    char a[UUID_SIZE];
    char b[UUID_SIZE];
    id_uuid5(S("default"), "agent", S("bc"), a);
    assert_true(a[14] == '5');
    assert_string_equal(a, id_uuid5(S("default"), "agent", S("bc"), b));
    assert_string_not_equal(a, id_uuid5(S("default"), "agent", S("bd"), b));
    assert_string_not_equal(a, id_uuid5(S("default"), "suite", S("bc"), b));
    assert_string_not_equal(a, id_uuid5(S("other"), "agent", S("bc"), b));
}

TEST(hash_tells_near_texts_apart)
{
    assert_true(id_hash(S("a")) != id_hash(S("b")));
    assert_true(id_hash(S("ab")) != id_hash(S("ba")));
    assert_true(id_hash(S("x")) == id_hash(S("x")));
}

TEST_MAIN(T(sha256_of_known_texts), T(uuid7_sorts_by_time_and_has_its_version),
          T(uuid5_is_the_same_everywhere_and_tells_names_apart), T(hash_tells_near_texts_apart))
