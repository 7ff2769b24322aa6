/* kept.h - some of the answers to a load, drawn at random, to be judged after the block.
 *
 * Judging while requests are sent would take the generator's processor, so a block keeps at
 * most so many answers, each request with the same chance whatever their number (reservoir
 * sampling: Vitter, 1985, algorithm R, decided when it is sent). A request whose slot is still
 * in flight is passed over. The same seed draws the same requests. */
#ifndef LOAD_KEPT_H
#define LOAD_KEPT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/rng.h"

enum { KEPT_BYTES_MAX = 1 << 20 }; /* of one answer: a longer one is not whole */

struct kept_answer {
    size_t request; /* which of the plan's */
    bool is_flying;
    bool is_whole; /* a good answer came, and all of it is here */
    struct buf bytes;
};

struct kept {
    struct kept_answer *slots;
    size_t max; /* 0: nothing is kept */
    size_t used;
    int64_t offered;
    struct rng rng;
};

void kept_open(struct kept *k, size_t max, struct arena *out);
void kept_close(struct kept *k); /* a zeroed one too */
void kept_begin(struct kept *k, uint64_t seed);

/* A request is sent: where its answer goes, or NULL. */
struct kept_answer *kept_take(struct kept *k, size_t request);

/* Its answer has come, or has not; NULL is nobody's. */
void kept_end(struct kept_answer *a, bool is_good);

#endif
