/* What can be measured around a trial. Adding one is adding a file and a line here. */
#include "instrument/instrument.h"

/* clang-format off */
#define ROW struct instrument
#define ROW_OF(id) instrument_##id
#define ROWS(X) \
    X(timing) \
    X(rusage) \
    X(resources) \
    X(perf) \
    X(profile) \
    X(gpu)
/* clang-format on */

REGISTRY_ROWS(instrument)
