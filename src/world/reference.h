/* reference.h - what an agent must see, worked out the slow way: from the places of everything
 * in the world, cell by cell as observation.h defines it, without an index and without the code
 * that places things. For checks of the fast way. */
#ifndef WORLD_REFERENCE_H
#define WORLD_REFERENCE_H

#include "world/observation.h"

/* Of a living agent that has looked at the world as it is now. All channels but those of
 * traces, which depend on the past. False with the first cell that is wrong. */
MUST_USE bool reference_agrees(const struct observation_view *view, uint32_t agent,
                               struct arena scratch, struct error *err);

#endif
