#include "api/rate.h"

#include "base/id.h"

struct rate rate_new(double per_s, double burst, struct arena *arena)
{
    return (struct rate){.per_s = per_s,
                         .burst = burst,
                         .buckets = arena_new(arena, struct rate_bucket, RATE_SLOTS)};
}

/* Its own, or of the few where it may be the one that was used least lately. */
static struct rate_bucket *bucket_of(struct rate *rate, uint64_t name, int64_t now_ns)
{
    struct rate_bucket *oldest = NULL;
    for (size_t i = 0; i < RATE_NEAR; i++) {
        struct rate_bucket *b = &rate->buckets[(name + i) % RATE_SLOTS];
        if (b->name == name) return b;
        if (!oldest || b->name == 0 || (oldest->name != 0 && b->at_ns < oldest->at_ns))
            oldest = b;
    }
    *oldest = (struct rate_bucket){name, rate->burst, now_ns};
    return oldest;
}

double rate_take(struct rate *rate, struct str name, int64_t now_ns)
{
    if (rate->per_s <= 0) return 0;
    struct rate_bucket *b = bucket_of(rate, id_hash(name) | 1, now_ns);
    b->left += (double)(now_ns - b->at_ns) / 1e9 * rate->per_s;
    if (b->left > rate->burst) b->left = rate->burst;
    b->at_ns = now_ns;
    if (b->left < 1) return (1 - b->left) / rate->per_s;
    b->left -= 1;
    return 0;
}
