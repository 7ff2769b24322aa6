#include "base/kind.h"

#include <math.h>
#include <string.h>

static const char *const names[KIND_COUNT] = {"ratio", "share", "shift", "sum"};

const char *kind_name(enum kind kind)
{
    return names[kind];
}

static void look(const double *values, size_t n, bool *are_flags, bool *are_positive)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i])) continue;
        *are_flags &= values[i] == 0 || values[i] == 1;
        *are_positive &= values[i] > 0;
    }
}

enum kind kind_guess(const double *a, size_t a_count, const double *b, size_t b_count)
{
    bool are_flags = true;
    bool are_positive = true;
    look(a, a_count, &are_flags, &are_positive);
    look(b, b_count, &are_flags, &are_positive);
    if (are_flags) return KIND_SHARE;
    return are_positive ? KIND_RATIO : KIND_SHIFT;
}
