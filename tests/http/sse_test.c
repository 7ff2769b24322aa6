#include "http/sse.h"

#include "tests/test.h"

/* Events as "type|data;" each, the bytes given in pieces of `step`. */
static void read_all(struct str bytes, size_t step, struct buf *out)
{
    struct sse s;
    sse_init(&s, 4096);
    while (bytes.n > 0) {
        struct str piece = {bytes.p, bytes.n < step ? bytes.n : step};
        bytes = (struct str){bytes.p + piece.n, bytes.n - piece.n};
        struct sse_event event;
        while (sse_next(&s, &piece, &event)) {
            buf_printf(out, "%.*s|%.*s;", STR_ARG(event.type), STR_ARG(event.data));
        }
        assert_int_equal(piece.n, 0);
    }
    sse_release(&s);
}

static const struct {
    const char *bytes;
    const char *events;
} streams[] = {
    {"data: a\n\ndata: b\n\n", "|a;|b;"},
    {"data: a\r\n\r\ndata: b\r\n\r\n", "|a;|b;"},
    {"data: a\r\rdata: b\r\r", "|a;|b;"},
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "|a;"},
    {"data: one\ndata: two\n\n", "|one\ntwo;"},
    {"data\ndata\n\n", "|\n;"},
    {"data:\n\n", "|;"},
    {": comment\n\n:\ndata: a\n\n", "|a;"},
    {"event: error\ndata: {\"x\": 1}\n\ndata: next\n\n", "error|{\"x\": 1};|next;"},
    {"event: alone\n\ndata: a\n\n", "|a;"}, /* no data: no event */
    {"id: 7\nretry: 10\nunknown: x\ndata:  two spaces\n\n", "| two spaces;"},
    {"data: not ended\n", ""},
    {"data: a\n\ndata: cut off", "|a;"},
    {"", ""},
};

TEST(events_are_the_same_wherever_the_bytes_are_cut)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        for (size_t step = 1; step <= 64; step++) {
            char memory[512];
            struct buf out;
            buf_over(&out, memory, sizeof memory);
            read_all(str_of(streams[i].bytes), step, &out);
            if (strcmp(out.p, streams[i].events) != 0)
                fail_msg("stream %zu in pieces of %zu: %s", i, step, out.p);
        }
    }
}

TEST(an_event_beyond_the_limit_is_told)
{
    struct sse s;
    struct sse_event event;
    sse_init(&s, 8);
    struct str bytes = S("data: 123\n\ndata: 0123456789\n\n");
    assert_true(sse_next(&s, &bytes, &event));
    assert_false(s.overflow);
    assert_true(sse_next(&s, &bytes, &event));
    assert_true(s.overflow);
    sse_release(&s);
}

TEST_MAIN(T(events_are_the_same_wherever_the_bytes_are_cut),
          T(an_event_beyond_the_limit_is_told))
