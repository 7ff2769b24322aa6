#include "load/kept.h"

void kept_open(struct kept *k, size_t max, struct arena *out)
{
    *k = (struct kept){.max = max};
    k->slots = arena_new(out, struct kept_answer, max + 1);
    for (size_t i = 0; i < max; i++) buf_init(&k->slots[i].bytes, KEPT_BYTES_MAX);
}

void kept_close(struct kept *k)
{
    for (size_t i = 0; i < k->max; i++) buf_release(&k->slots[i].bytes);
    *k = (struct kept){0};
}

void kept_begin(struct kept *k, uint64_t seed)
{
    k->rng = rng_seeded(seed);
    k->used = 0;
    k->offered = 0;
}

struct kept_answer *kept_take(struct kept *k, size_t request)
{
    if (k->max == 0) return NULL;
    size_t at = (size_t)k->offered++;
    if (at >= k->max) at = (size_t)rng_below(&k->rng, (uint64_t)k->offered);
    if (at >= k->max) return NULL;
    struct kept_answer *a = &k->slots[at];
    if (at < k->used && a->is_flying) return NULL;
    if (at == k->used) k->used++;
    a->request = request;
    a->is_flying = true;
    a->is_whole = false;
    buf_clear(&a->bytes);
    return a;
}

void kept_end(struct kept_answer *a, bool is_good)
{
    if (!a) return;
    a->is_flying = false;
    a->is_whole = is_good && !a->bytes.overflow;
}
