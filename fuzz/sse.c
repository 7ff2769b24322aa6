/* Server-sent events: the same events wherever the bytes are cut. The first byte
 * is the size of the pieces. */
#include "http/sse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct str bytes, size_t step, struct buf *out)
{
    struct sse s;
    sse_init(&s, 1 << 16);
    while (bytes.n > 0) {
        struct str piece = {bytes.p, bytes.n < step ? bytes.n : step};
        bytes = (struct str){bytes.p + piece.n, bytes.n - piece.n};
        struct sse_event event;
        while (sse_next(&s, &piece, &event)) {
            buf_add(out, event.type);
            buf_add_char(out, '|');
            buf_add(out, event.data);
            buf_add_char(out, ';');
        }
        CHECK(piece.n == 0);
    }
    sse_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14) return 0;
    char *exact = malloc(size);
    memcpy(exact, data + 1, size - 1);
    struct str bytes = {exact, size - 1};
    struct buf whole;
    struct buf cut;
    buf_init(&whole, 1 << 20);
    buf_init(&cut, 1 << 20);
    read_all(bytes, SIZE_MAX, &whole);
    read_all(bytes, (size_t)data[0] + 1, &cut);
    CHECK(str_equal(buf_str(&whole), buf_str(&cut)));
    buf_release(&whole);
    buf_release(&cut);
    free(exact);
    return 0;
}
