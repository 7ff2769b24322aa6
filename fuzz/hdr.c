/* Foreign histograms: whatever is accepted must survive a round trip. */
#include "stats/hdr.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct arena a = arena_open();
    struct hdr h;
    struct error err = {0};
    if (hdr_decode(&h, (struct str){exact, size}, &a, &err)) {
        struct buf text;
        buf_init(&text, (size_t)64 << 20);
        hdr_encode(&h, &text);
        struct hdr back;
        CHECK(hdr_decode(&back, buf_str(&text), &a, &err));
        CHECK(back.total == h.total && back.min == h.min && back.max == h.max);
        CHECK(hdr_percentile(&back, 99) == hdr_percentile(&h, 99));
        buf_release(&text);
    }
    arena_close(&a);
    free(exact);
    return 0;
}
