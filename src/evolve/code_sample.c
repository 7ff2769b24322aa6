#include "evolve/code_sample.h"

void code_sample_write(int64_t functions, int64_t changed, int64_t value, struct buf *out)
{
    for (int64_t i = 1; i <= functions; i++) {
        buf_printf(out, "def foo_%lld():\n    x = 1\n    y = %lld\n    return x + y\n\n\n",
                   (long long)i, i == changed ? (long long)value : 2LL);
    }
}
