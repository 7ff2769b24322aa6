/* The spec loader and the plan: any bytes end in a plan or in problems. */
#include "spec/plan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size ? size : 1); /* exact, so that a read past it is seen */
    CHECK(bytes != NULL);
    if (size > 0) memcpy(bytes, data, size);
    struct arena arena = arena_open();
    struct problems problems = {.arena = &arena};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    struct error err = {0};
    if (spec_load("fuzz", (struct str){bytes, size}, &none, &arena, &spec, &problems)) {
        CHECK(problems.total == 0);
        CHECK(plan_make(spec, &arena, &plan, &err) || err.code == ERROR_INVALID);
    } else {
        CHECK(problems.total > 0);
    }
    arena_close(&arena);
    free(bytes);
    return 0;
}
