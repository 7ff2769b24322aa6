/* The checks. Adding one is adding a file and a line here. */
#include "check/check.h"

/* clang-format off */
#define ROW struct check_kind
#define ROW_OF(id) check_##id
#define ROWS(X) \
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

REGISTRY_ROWS(check_kind)
