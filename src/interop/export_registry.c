/* The formats that stored runs can be written in. Adding one is adding a file and a line here. */
#include "interop/export.h"

/* clang-format off */
#define ROW struct exporter
#define ROW_OF(id) exporter_##id
#define ROWS(X) \
    X(csv) \
    X(jsonl) \
    X(bencher) \
    X(hyperfine) \
    X(pytest_benchmark) \
    X(hlog) \
    X(answers)
/* clang-format on */

REGISTRY_ROWS(exporter)
