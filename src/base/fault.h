/* fault.h - named places where a test can make the program fail or die.
 *
 * The environment variable ASSAY_FAULT holds "point:n:what": the n-th time
 * (1-based) this process reaches the named point it either dies at once by
 * SIGKILL (what = kill), or the operation there fails with that errno (what =
 * ENOSPC, EIO, EACCES, ENOMEM). Without the variable a point costs one load.
 *
 * The counter is the program's only mutable file-scope state: the seam exists
 * for tests, and a context pointer through every layer for it would cost every
 * reader more than it saves. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/invariant.h"

/* 0, or the errno with which the operation is to fail. */
int fault_at(const char *point);

#endif
