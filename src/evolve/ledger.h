/* ledger.h - the memory of a search, counted by what it is for.
 *
 * A heap (base/heap.h) for each part, and the peak of all together. Blocks know their part and
 * size, in a header of 16 bytes that is counted with them.
 *
 *     live bytes of the whole == sum over the parts, at every moment (ledger_check)
 *
 * The peak of the whole is that of the sum, not the sum of the peaks. */
#ifndef EVOLVE_LEDGER_H
#define EVOLVE_LEDGER_H

#include "base/heap.h"

enum {
    LEDGER_TRAJECTORIES, /* their code, scores and descent */
    LEDGER_EMBEDDINGS,
    LEDGER_SYNTAX, /* outlines of code and their cache */
    LEDGER_OTHER,
    LEDGER_PARTS
};

struct ledger {
    struct heap parts[LEDGER_PARTS];
    size_t live_bytes;
    size_t peak_bytes;
};

/* Zeroed, aligned to 16 bytes. Never NULL. */
void *ledger_alloc(struct ledger *l, int part, size_t bytes);
void ledger_free(struct ledger *l, void *block); /* NULL: nothing */

/* A list of `count` items (NULL: none yet) with room for one more, which is not zeroed. It grows
 * by 64 items when it is full, so that its bytes follow what is in it; it may move. */
MUST_USE void *ledger_room(struct ledger *l, int part, void *list, size_t count,
                           size_t item_bytes);
void ledger_check(const struct ledger *l); /* CHECKs the identity above */

#endif
