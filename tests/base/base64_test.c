#include "base/base64.h"

#include "tests/test.h"

/* RFC 4648, section 10, and a byte that needs each of the last two digits. */
static const struct {
    const char *plain;
    const char *coded;
} vectors[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xfb\xef\xff", "++//"},
};

TEST(the_vectors_of_the_rfc)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        char memory[64];
        struct buf b;
        buf_over(&b, memory, sizeof memory);
        base64_add(&b, vectors[i].plain, strlen(vectors[i].plain));
        assert_string_equal(b.p, vectors[i].coded);
        unsigned char bytes[64];
        size_t n = 0;
        assert_true(base64_decode(str_of(vectors[i].coded), bytes, &n));
        assert_int_equal(n, strlen(vectors[i].plain));
        assert_memory_equal(bytes, vectors[i].plain, n);
    }
}

TEST(anything_else_is_refused)
{
    static const char *const wrong[] = {
        "Z", "Zg", "Zg=", "Zg=v", "=g==", "Z===", "Zh==", "Zm9=", "Zg\n=", "Zm 9", "Zg==Zg=="};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        unsigned char bytes[64];
        size_t n = 0;
        if (base64_decode(str_of(wrong[i]), bytes, &n)) fail_msg("accepted '%s'", wrong[i]);
    }
}

TEST_MAIN(T(the_vectors_of_the_rfc), T(anything_else_is_refused))
