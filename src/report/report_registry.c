/* What a run can be turned into. Adding one is adding a file and a line here. */
#include "report/report.h"

/* clang-format off */
#define ROW struct reporter
#define ROW_OF(id) reporter_##id
#define ROWS(X) \
    X(text) \
    X(json) \
    X(csv) \
    X(markdown) \
    X(html)
/* clang-format on */

REGISTRY_ROWS(reporter)
