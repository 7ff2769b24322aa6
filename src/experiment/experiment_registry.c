/* What can be put on the bench. Adding one is adding a file and a line here. */
#include "experiment/experiment.h"

/* clang-format off */
#define EXPERIMENTS(X) \
    X(noop) \
    X(command) \
    X(spin) \
    X(pauses) \
    X(suite)
/* clang-format on */

#define DECLARE(id) extern const struct experiment experiment_##id;
EXPERIMENTS(DECLARE)
#undef DECLARE

#define ENTRY(id) &experiment_##id,
static const struct experiment *const experiments[] = {EXPERIMENTS(ENTRY)};
#undef ENTRY

const struct experiment *experiment_at(size_t i)
{
    return i < COUNT(experiments) ? experiments[i] : NULL;
}

const struct experiment *experiment_find(struct str name)
{
    for (size_t i = 0; i < COUNT(experiments); i++) {
        if (str_is(name, experiments[i]->name)) return experiments[i];
    }
    return NULL;
}
