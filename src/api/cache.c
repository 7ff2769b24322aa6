/* A small table that is searched by hash: what it saves costs a thousand times more. */
#include "api/cache.h"

#include "base/id.h"

#include <inttypes.h>

void cache_etag(struct str body, char etag[CACHE_ETAG_SIZE])
{
    char digest[SHA256_HEX_SIZE];
    snprintf(etag, CACHE_ETAG_SIZE, "\"%.16s\"", id_sha256(body, digest));
}

static struct cached *find(struct cache *cache, struct str key, uint64_t hash)
{
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        struct cached *e = &cache->entries[i];
        if (e->used && e->hash == hash && str_equal(buf_str(&e->key), key)) return e;
    }
    return NULL;
}

const struct cached *cache_find(struct cache *cache, struct str key, struct cache_age age)
{
    struct cached *e = find(cache, key, id_hash(key));
    cache->now++;
    cache->looked++;
    if (!e || e->age.generation != age.generation || e->age.day != age.day) return NULL;
    e->used = cache->now;
    cache->hits++;
    return e;
}

void cache_init(struct cache *cache, struct arena *arena)
{
    *cache = (struct cache){.arena = arena};
}

static void free_body(struct cache *cache, struct cached_body *body)
{
    buf_release(&body->bytes);
    body->next_free = cache->free;
    cache->free = body;
}

static struct cached_body *new_body(struct cache *cache, struct str bytes)
{
    struct cached_body *body = cache->free;
    if (body) {
        cache->free = body->next_free;
    } else {
        body = arena_new(cache->arena, struct cached_body, 1);
    }
    *body = (struct cached_body){0};
    buf_init(&body->bytes, bytes.n);
    buf_add(&body->bytes, bytes);
    return body;
}

struct cached_body *cache_use(const struct cached *e)
{
    e->body->users++;
    return e->body;
}

void cache_unuse(struct cache *cache, struct cached_body *body)
{
    CHECK(body->users > 0);
    if (--body->users == 0 && body->is_loose) free_body(cache, body);
}

static void drop(struct cache *cache, struct cached *e)
{
    cache->bytes -= e->body->bytes.n;
    buf_release(&e->key);
    e->body->is_loose = true;
    if (e->body->users == 0) free_body(cache, e->body);
    *e = (struct cached){0};
}

/* An empty place, or that of the one that was used longest ago. */
static struct cached *oldest(struct cache *cache)
{
    struct cached *found = &cache->entries[0];
    for (size_t i = 1; i < CACHE_ENTRIES; i++) {
        if (cache->entries[i].used < found->used) found = &cache->entries[i];
    }
    return found;
}

static struct cached *oldest_in_use(struct cache *cache)
{
    struct cached *found = NULL;
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        struct cached *e = &cache->entries[i];
        if (e->used && (!found || e->used < found->used)) found = e;
    }
    return found;
}

void cache_put(struct cache *cache, struct str key, struct cache_age age, struct str body)
{
    uint64_t hash = id_hash(key);
    struct cached *e = find(cache, key, hash);
    if (e) drop(cache, e);
    if (body.n > CACHE_BYTES / 4) return;
    while (cache->bytes + body.n > CACHE_BYTES) drop(cache, oldest_in_use(cache));
    e = oldest(cache);
    if (e->used) drop(cache, e);
    *e = (struct cached){.hash = hash, .age = age, .used = ++cache->now};
    buf_init(&e->key, key.n);
    buf_add(&e->key, key);
    e->body = new_body(cache, body);
    cache_etag(body, e->etag);
    cache->bytes += body.n;
}

void cache_release(struct cache *cache)
{
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        if (cache->entries[i].used) drop(cache, &cache->entries[i]);
    }
}
