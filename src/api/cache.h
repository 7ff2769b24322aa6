/* cache.h - bodies of answers, kept while they are true.
 *
 * A key names workspace and target of a request; the age is what the answer depends on
 * besides: the store's generation and the UTC day. A body of another age is not found. At
 * most CACHE_BYTES are kept; the one that was not asked for longest goes first. A body that
 * is being sent (cache_use) stays until that is over. */
#ifndef API_CACHE_H
#define API_CACHE_H

#include "base/buf.h"

enum { CACHE_ENTRIES = 512, CACHE_BYTES = 64 << 20, CACHE_ETAG_SIZE = 24 };

struct cache_age {
    uint64_t generation;
    int64_t day;
};

struct cached_body {
    struct buf bytes;
    int users;     /* that are sending it */
    bool is_loose; /* no entry has it any more: the last user frees it */
    struct cached_body *next_free;
};

struct cached {
    struct buf key;
    struct cached_body *body;
    char etag[CACHE_ETAG_SIZE]; /* with its quotes */
    uint64_t hash;
    struct cache_age age;
    int64_t used; /* when, by the count of questions; 0 = empty */
};

struct cache {
    struct arena *arena; /* of what is never given back: few */
    struct cached_body *free;
    struct cached entries[CACHE_ENTRIES];
    size_t bytes;
    int64_t now; /* counts finds and puts */
    int64_t looked;
    int64_t hits;
};

void cache_init(struct cache *cache, struct arena *arena);

/* NULL if it is not there. It stays until the next cache_put. */
const struct cached *cache_find(struct cache *cache, struct str key, struct cache_age age);

/* Too large a body is not kept. */
void cache_put(struct cache *cache, struct str key, struct cache_age age, struct str body);

/* Its bytes stay until cache_unuse. */
struct cached_body *cache_use(const struct cached *e);
void cache_unuse(struct cache *cache, struct cached_body *body);

void cache_release(struct cache *cache);

/* Of any body: 16 hexadecimal digits in quotes. */
void cache_etag(struct str body, char etag[CACHE_ETAG_SIZE]);

#endif
