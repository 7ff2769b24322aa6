#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Not an error of ours: nothing to abort for, and no core to look at. */
void memory_failed(size_t bytes)
{
    fprintf(stderr,
            "assay: out of memory: cannot allocate %zu bytes; raise the limit (ulimit -v, the "
            "container's), or select less at once\n",
            bytes);
    _exit(3); /* this machine cannot */
}

void check_failed(const char *fact, const char *file, int line)
{
    fprintf(stderr, "assay: internal error at %s:%d: %s\n", file, line, fact);
    abort();
}
