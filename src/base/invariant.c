#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *fact, const char *file, int line)
{
    fprintf(stderr, "assay: internal error at %s:%d: %s\n", file, line, fact);
    abort();
}
