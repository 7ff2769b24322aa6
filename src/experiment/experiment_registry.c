/* What can be benchmarked. Adding one is adding a file and a line here. */
#include "experiment/experiment.h"

/* clang-format off */
#define ROW struct experiment
#define ROW_OF(id) experiment_##id
#define ROWS(X) \
    X(noop) \
    X(command) \
    X(spin) \
    X(pauses) \
    X(load) \
    X(suite)
/* clang-format on */

REGISTRY_ROWS(experiment)
