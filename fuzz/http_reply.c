/* Replies of models, whole and streamed: whatever a server sends is read or
 * refused, and what is said of it holds together. The first byte is the size of
 * the pieces in which it comes. */
#include "http/chat_reply.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNKS_MAX = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14) return 0;
    char *exact = malloc(size);
    memcpy(exact, data + 1, size - 1);
    struct curl_chunk chunks[CHUNKS_MAX];
    struct curl_reply raw = {.body = {exact, size - 1}, .chunks = chunks};
    size_t step = (size_t)data[0] + 1;
    for (size_t end = 0; end < raw.body.n && raw.chunk_count < CHUNKS_MAX;) {
        bool is_last = raw.chunk_count + 1 == CHUNKS_MAX || end + step > raw.body.n;
        end = is_last ? raw.body.n : end + step;
        chunks[raw.chunk_count] =
            (struct curl_chunk){.end = end, .at_ns = (int64_t)raw.chunk_count + 1};
        raw.chunk_count++;
    }
    struct arena a = arena_open();
    struct chat_reply reply;
    struct error err = {0};
    enum trial_status status = chat_reply_read(&raw, &a, &reply, &err);
    CHECK(status == TRIAL_OK || err.text[0] != '\0');
    CHECK(status != TRIAL_OK || reply.has_ended);
    CHECK((reply.deltas > 0) == (reply.first_ns > 0));
    CHECK(reply.gap_count == (reply.deltas > 0 ? reply.deltas - 1 : 0));
    const struct value *calls = NULL;
    struct value_limits limits = {.max_bytes = 1 << 20, .max_depth = 70, .max_nodes = 100000};
    if (status == TRIAL_OK && reply.tool_calls.n > 0) {
        CHECK(value_read_json(reply.tool_calls, &limits, &a, &calls, &err));
    }
    arena_close(&a);
    free(exact);
    return 0;
}
