/* environment.h - the machine and the sources a run was made on, as JSON. */
#ifndef MODEL_ENVIRONMENT_H
#define MODEL_ENVIRONMENT_H

#include "base/arena.h"

/* Host, kernel, processor, memory, load, governor, turbo, virtualisation,
 * clock source, process id and boot id, and `warnings`: what about this
 * machine disturbs measurements. */
const char *environment_json(struct arena *out);

/* {"commit", "branch", "dirty", "changes"} of the working folder, or NULL where there is
 * no git or no repository. `changes` is the hash of model/worktree.h. */
const char *environment_vcs_json(struct arena *out);

/* True if the process that `environment` (made by environment_json) speaks of
 * is still there. */
bool environment_is_alive(const char *environment, int64_t *pid);

#endif
