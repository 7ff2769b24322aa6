/* Where results can be kept. Adding one is adding a file and a line here. */
#include "store/store.h"

/* clang-format off */
#define ROW struct store_kind
#define ROW_OF(id) store_##id
#define ROWS(X) \
    X(sqlite) \
    X(postgresql)
/* clang-format on */

REGISTRY_ROWS(store_kind)
