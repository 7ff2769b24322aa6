#include "base/gzip.h"
#include "tests/test.h"

static struct str round_trip(struct str bytes, struct buf *packed, struct buf *back)
{
    struct error err = {0};
    buf_init(packed, (size_t)8 << 20);
    buf_init(back, (size_t)8 << 20);
    gzip_pack(bytes, packed);
    assert_true(gzip_is(buf_str(packed)));
    if (!gzip_unpack(buf_str(packed), back, &err)) fail_msg("%s", err.text);
    return buf_str(back);
}

TEST(what_is_packed_unpacks)
{
    static char large[300000];
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * i >> 3);
    struct str texts[] = {S(""), S("a\0b"), {large, sizeof large}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct buf packed;
        struct buf back;
        assert_true(str_equal(round_trip(texts[i], &packed, &back), texts[i]));
        buf_release(&packed);
        buf_release(&back);
    }
}

TEST(limits_cuts_and_tails_are_refused)
{
    struct buf packed;
    struct buf back;
    struct error err = {0};
    round_trip(S("hello hello hello hello"), &packed, &back);
    struct str bytes = buf_str(&packed);
    buf_clear(&back);
    assert_false(gzip_unpack((struct str){bytes.p, bytes.n - 3}, &back, &err));
    assert_non_null(strstr(err.text, "truncated"));
    buf_add_char(&packed, 'x');
    assert_false(gzip_unpack(buf_str(&packed), &back, &err));
    assert_non_null(strstr(err.text, "after its end"));
    assert_false(gzip_unpack(S("not gzip at all"), &back, &err));
    char small[8];
    struct buf tiny;
    buf_over(&tiny, small, sizeof small);
    assert_false(gzip_unpack(bytes, &tiny, &err));
    buf_release(&packed);
    buf_release(&back);
}

/* RFC 1952, 2.2: a file is a series of members. */
TEST(members_that_were_joined_unpack_to_all)
{
    static const char *const parts[] = {"one ", "", "two ", "three"};
    struct buf joined;
    struct buf back;
    struct error err = {0};
    buf_init(&joined, 1000);
    buf_init(&back, 1000);
    for (size_t i = 0; i < COUNT(parts); i++) gzip_pack(str_of(parts[i]), &joined);
    if (!gzip_unpack(buf_str(&joined), &back, &err)) fail_msg("%s", err.text);
    assert_true(str_is(buf_str(&back), "one two three"));
    buf_clear(&back);
    assert_false(gzip_unpack((struct str){joined.p, joined.n - 1}, &back, &err));
    assert_non_null(strstr(err.text, "truncated"));
    buf_add_char(&joined, '\x1F'); /* half a beginning */
    assert_false(gzip_unpack(buf_str(&joined), &back, &err));
    assert_non_null(strstr(err.text, "after its end"));
    buf_release(&joined);
    buf_release(&back);
}

TEST_MAIN(T(members_that_were_joined_unpack_to_all), T(what_is_packed_unpacks),
          T(limits_cuts_and_tails_are_refused))
