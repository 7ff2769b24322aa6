/* machine.h - measurements on one machine disturb each other: those that servers start take
 * turns, by a lock on a file that every process of the machine sees. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/error.h"

/* Waits until nobody has it. It is given back when this process ends. */
MUST_USE bool machine_take(const char *path, struct error *err);

/* Whether nobody has it now; never waits. */
bool machine_is_free(const char *path);

/* Says that this process is one of those that use what `path` stands for, until *fd is
 * closed. *is_alone: no other one does. Of several that begin at once one is alone. */
MUST_USE bool machine_join(const char *path, int *fd, bool *is_alone, struct error *err);

#define MACHINE_LOCK "/tmp/assay-machine.lock" /* the path, but for tests */

#endif
