/* environment.h - the machine and the sources a run was made on. */
#ifndef MODEL_ENVIRONMENT_H
#define MODEL_ENVIRONMENT_H

#include "base/value.h"

/* Host, kernel, processor, memory, load, governor, turbo, virtualisation,
 * clock source, process id and boot id, and `warnings`: what about this
 * machine disturbs measurements, each with its kind in `warning_kinds` (governor, turbo,
 * load, virtual, clock). */
#define MACHINE_VIRTUAL "virtual" /* the kind that no waiting mends */
const struct value *environment_now(struct arena *out);

/* What run_vcs (model/record.h) reads, of the working folder; NULL where there is no git or
 * no repository. `changes` is the hash of model/worktree.h. */
const struct value *environment_vcs(struct arena *out);

/* The same in two steps: git works while we do something else. What has begun must be ended. */
struct environment_vcs *environment_vcs_begin(struct arena *out);
const struct value *environment_vcs_end(struct environment_vcs *asked);

/* True if the process that `environment` (made by environment_now) speaks of
 * is still there. */
bool environment_is_alive(const struct value *environment, int64_t *pid);

#endif
