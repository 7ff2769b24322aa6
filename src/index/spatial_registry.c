/* The indexes; the oracle of the others first. Adding one is adding a file and a line here. */
#include "index/spatial.h"

/* clang-format off */
#define ROW struct spatial_kind
#define ROW_OF(id) spatial_##id
#define ROWS(X) \
    X(brute_force) \
    X(kd_tree) \
    X(quadtree) \
    X(hash)
/* clang-format on */

REGISTRY_ROWS(spatial_kind)
