#include "base/kind.h"

#include <math.h>
#include <string.h>

const char *const kind_choices[] = {"auto", "ratio", "share", "shift", "sum", NULL};
_Static_assert(COUNT(kind_choices) == KIND_COUNT + 2, "each kind has a name");

const char *kind_name(enum kind kind)
{
    return kind < KIND_COUNT ? kind_choices[1 + kind] : NULL;
}

enum kind kind_parse(const char *name)
{
    int k = 0;
    while (k < KIND_COUNT && !(name && strcmp(name, kind_choices[1 + k]) == 0)) k++;
    return (enum kind)k;
}

enum kind kind_common(enum kind a, enum kind b)
{
    if (a == b) return a;
    return a == KIND_SHIFT || b == KIND_SHIFT ? KIND_SHIFT : KIND_RATIO;
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
