/* rate.h - how often somebody may ask: token buckets (ITU-T I.371) by name.
 *
 * A bucket holds up to `burst` and gets `per_s` back each second; a request takes one. Names
 * are hashed into a table of fixed size: one that has not asked for longest loses its
 * bucket, which is full again by then or soon after, to one that needs the place. */
#ifndef API_RATE_H
#define API_RATE_H

#include "base/arena.h"
#include "base/str.h"

enum { RATE_SLOTS = 4096, RATE_NEAR = 8 };

struct rate_bucket {
    uint64_t name; /* hash; 0 = empty */
    double left;
    int64_t at_ns;
};

struct rate {
    double per_s; /* 0: no limit */
    double burst;
    struct rate_bucket *buckets; /* RATE_SLOTS of them */
};

struct rate rate_new(double per_s, double burst, struct arena *arena);

/* 0 if it may ask now, and it has; else the seconds until it may. */
double rate_take(struct rate *rate, struct str name, int64_t now_ns);

#endif
