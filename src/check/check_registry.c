/* The checks. Adding one is adding a file and a line here. */
#include "check/check.h"

/* clang-format off */
#define CHECKS(X) \
    X(exact) \
    X(contains) \
    X(regex) \
    X(numeric) \
    X(json_schema) \
    X(json_path) \
    X(set_f1) \
    X(edit_distance) \
    X(similarity) \
    X(max_length) \
    X(command) \
    X(judge)
/* clang-format on */

#define DECLARE(id) extern const struct check_kind check_##id;
CHECKS(DECLARE)
#undef DECLARE

#define ENTRY(id) &check_##id,
static const struct check_kind *const kinds[] = {CHECKS(ENTRY)};
#undef ENTRY

const struct check_kind *check_kind_at(size_t i)
{
    return i < COUNT(kinds) ? kinds[i] : NULL;
}

const struct check_kind *check_kind_find(struct str name)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (str_is(name, kinds[i]->name)) return kinds[i];
    }
    return NULL;
}
