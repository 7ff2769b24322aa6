/* agent_memory.h - what agents remember, kept in Redis.
 *
 * An entry is one moment of one agent as JSON: its state, what it saw, what it did, how
 * important it was. Two things a moment in the server:
 *
 *     <namespace>:<agent>:timeline        sorted set, member and score are the step; for ttl
 *                                         seconds after a first write and every cleanup
 *     <namespace>:<agent>:memory:<step>   the entry, for ttl seconds
 *
 * The namespace, assay_agent_memory:<...>, is that of one agent_memory: others may use the same
 * server at the same time.
 *
 * An agent keeps the newest `limit` entries: every `cleanup_interval` writes those before are
 * removed. Keys and entries are made before they are written, so that writing is writing. */
#ifndef WORLD_AGENT_MEMORY_H
#define WORLD_AGENT_MEMORY_H

#include "base/rng.h"
#include "world/redis.h"

/* One moment, ready to be written. */
struct memory_entry {
    uint32_t agent;
    int64_t step;
    double x, y;
    struct str json;
    struct str key;
    struct str step_text;
};

struct agent_memory {
    struct redis *redis;
    struct arena *arena;
    const char *namespace;
    struct str ttl_text;
    int64_t limit, cleanup_interval;
    uint32_t agents;
    struct str *timelines; /* a key an agent */
    int64_t *writes;       /* of each, since it was last cleaned up */
    int64_t evicted;       /* by writes above the limit, since it was cleared */
};

struct agent_memory_settings {
    uint32_t agents;
    int64_t ttl_s, limit, cleanup_interval;
};

void agent_memory_init(struct agent_memory *m, struct redis *redis,
                       const struct agent_memory_settings *settings, struct arena *arena);

/* A random moment. */
struct memory_entry agent_memory_make(const struct agent_memory *m, uint32_t agent,
                                      int64_t step, struct rng *rng, struct arena *arena);

/* Writes entries, one after the other in one round trip. */
MUST_USE bool agent_memory_remember(struct agent_memory *m, const struct memory_entry *entries,
                                    size_t count, struct error *err);

/* The entry as it is stored; empty if there is none. Valid until the next call. */
MUST_USE bool agent_memory_recall(struct agent_memory *m, const struct memory_entry *entry,
                                  struct str *json, struct error *err);

/* Seconds after which the server forgets a key; -1 = never, -2 = there is none. */
MUST_USE bool agent_memory_ttl(struct agent_memory *m, struct str key, int64_t *ttl_s,
                               struct error *err);

enum { MEMORY_FOUND_MAX = 10 };

struct memory_query {
    uint32_t agent;
    double x, y, radius;
    int64_t steps[MEMORY_FOUND_MAX]; /* found, oldest first */
    size_t count;
};

/* The first entries of the agent within the radius of a place: it reads all of them in the
 * order of time and stops when it has enough. */
MUST_USE bool agent_memory_search(struct agent_memory *m, struct memory_query *query,
                                  struct arena scratch, struct error *err);

/* Removes the oldest until `limit` are left; gives how many. */
MUST_USE bool agent_memory_evict(struct agent_memory *m, uint32_t agent, int64_t limit,
                                 int64_t *removed, struct error *err);

MUST_USE bool agent_memory_count(struct agent_memory *m, uint32_t agent, int64_t *count,
                                 struct error *err);
MUST_USE bool agent_memory_clear(struct agent_memory *m, struct error *err);

#endif
