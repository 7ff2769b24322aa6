/* reference.h - what an agent must see, worked out the slow way: from the places of everything
 * in the world and from its own past, cell by cell as observation.h defines it, without an index
 * and without the code that places, moves and fades things. For checks of the fast way. */
#ifndef WORLD_REFERENCE_H
#define WORLD_REFERENCE_H

#include "world/observation.h"

/* What one agent must have in its tensor, of the last step. */
struct reference {
    uint32_t agent;
    bool has_looked;
    int32_t left, top; /* the world's cell in the window's corner */
    float *planes[CHANNEL_COUNT];
};

/* Some of the agents 0..agents-1, spread over their numbers. */
enum { REFERENCES_MAX = 8 };
struct references {
    struct reference items[REFERENCES_MAX];
    size_t count;
};

void references_init(struct references *r, uint32_t agents, const struct lens *lens,
                     struct arena *arena);

/* After everybody has looked at the world as it is now, in every step from the first on: false
 * with the first cell that is wrong. By number in `observations`; of the dead nothing is said. */
MUST_USE bool references_agree(struct references *r, const struct observation *observations,
                               const struct lens *lens, const struct world *w,
                               struct arena scratch, struct error *err);

#endif
