#include "evolve/code_sample.h"

void code_sample_write(int64_t functions, int64_t changed, int64_t value, struct buf *out)
{
    for (int64_t i = 1; i <= functions; i++) {
        buf_printf(out, "def foo_%lld():\n    x = 1\n    y = ", (long long)i);
        if (i == changed) {
            buf_printf(out, "%lld if x else 2", (long long)value);
        } else {
            buf_text(out, "2");
        }
        buf_text(out, "\n    return x + y\n\n\n");
    }
}
