/* Traces: what is read is in order, begins at 0 and scales; the rest is refused with a
 * reason. The first byte: is there a name of a column, and which scale. */
#include "load/trace.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14) return 0;
    char *exact = malloc(size);
    memcpy(exact, data + 1, size - 1);
    struct arena a = arena_open();
    struct error err = {0};
    struct trace t;
    struct trace_options o = {.column = data[0] & 1 ? "t" : NULL,
                              .time_scale = data[0] & 2 ? 0.1 : 1};
    bool done = trace_parse(&t, (struct str){exact, size - 1}, &o, &a, &err);
    CHECK(done || (err.code == ERROR_INVALID && err.text[0]));
    CHECK(!done || (t.count > 0 && t.at_s[0] == 0));
    for (size_t i = 1; done && i < t.count; i++) {
        CHECK(isfinite(t.at_s[i]) && t.at_s[i] >= t.at_s[i - 1]);
    }
    arena_close(&a);
    free(exact);
    return 0;
}
