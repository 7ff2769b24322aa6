/* Replies under load: whatever a server sends is read to the same end wherever it is cut.
 * The first byte is the size of the pieces, the second says whether the request was HEAD and
 * whether the connection ends. */
#include "load/reply.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum reply_progress read_all(struct reply *r, struct str bytes, size_t step, int flags)
{
    enum reply_progress p = REPLY_MORE;
    reply_begin(r, flags & 1, NULL);
    while (p == REPLY_MORE && bytes.n > 0) {
        struct str piece = {bytes.p, bytes.n < step ? bytes.n : step};
        bytes = (struct str){bytes.p + piece.n, bytes.n - piece.n};
        p = reply_take(r, piece);
    }
    CHECK(p != REPLY_BAD || r->why != NULL);
    CHECK(p != REPLY_DONE || (r->has_headers && r->status >= 100 && r->status <= 599));
    return p == REPLY_MORE && flags & 2 ? reply_end(r) : p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 14) return 0;
    char *exact = malloc(size - 1); /* of the size, so that a byte too far is seen */
    memcpy(exact, data + 2, size - 2);
    struct str bytes = {exact, size - 2};
    struct reply whole;
    struct reply cut;
    enum reply_progress a = read_all(&whole, bytes, SIZE_MAX, data[1]);
    enum reply_progress b = read_all(&cut, bytes, (size_t)data[0] + 1, data[1]);
    CHECK(a == b);
    CHECK(whole.tokens == cut.tokens);
    CHECK((whole.tokens > 0) == (whole.first_token_ns > 0));
    CHECK(a != REPLY_DONE || whole.status == cut.status);
    CHECK(a != REPLY_DONE || whole.retry_after_s == cut.retry_after_s ||
          (isnan(whole.retry_after_s) && isnan(cut.retry_after_s)));
    CHECK(isnan(whole.retry_after_s) || whole.retry_after_s >= 0);
    free(exact);
    return 0;
}
