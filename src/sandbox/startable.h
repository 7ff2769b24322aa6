/* startable.h - can a program be started at all, asked before it counts.
 *
 * A program that does not exist, may not be executed, is of another machine, whose
 * interpreter or shared library is missing, has given no answer that could be wrong: it is
 * found here, before the first trial, and no trial is charged with it. Nothing of the
 * program is executed. */
#ifndef SANDBOX_STARTABLE_H
#define SANDBOX_STARTABLE_H

#include "sandbox/child.h"

/* `spec` is what would be started, by its starter. False with ERROR_UNAVAILABLE, the reason
 * and the way out; true also where it cannot be known. */
MUST_USE bool startable(const struct child_spec *spec, struct arena *arena, struct error *err);

#endif
