#include "store/store.h"

/* The only lines to touch when adding one. */
#define STORES(X) \
    X(sqlite)     \
    X(postgresql)

#define DECLARE(id) extern const struct store_kind store_##id;
STORES(DECLARE)
#undef DECLARE

#define ENTRY(id) &store_##id,
static const struct store_kind *const kinds[] = {STORES(ENTRY)};
#undef ENTRY

const struct store_kind *store_kind_at(size_t i)
{
    return i < COUNT(kinds) ? kinds[i] : NULL;
}
