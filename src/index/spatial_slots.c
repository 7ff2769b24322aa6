#include "index/spatial_slots.h"

void spatial_slots_reserve(struct spatial_base *base, size_t capacity)
{
    struct spatial_slots *s = &base->slots;
    if (capacity <= s->capacity) return;
    CHECK(capacity < SPATIAL_NO_SLOT);
    s->at = heap_grow(base->heap, s->at, s->capacity, capacity);
    s->id = heap_grow(base->heap, s->id, s->capacity, capacity);
    s->capacity = (uint32_t)capacity;
}

void spatial_ids_reserve(struct spatial_base *base, size_t count)
{
    if (count <= base->id_capacity) return;
    CHECK(count <= SPATIAL_ID_MAX);
    size_t capacity = base->id_capacity + (size_t)base->id_capacity / 2;
    if (capacity < count) capacity = count;
    base->slot_of = heap_grow(base->heap, base->slot_of, base->id_capacity, capacity);
    memset(base->slot_of + base->id_capacity, 0xff,
           (capacity - base->id_capacity) * sizeof *base->slot_of);
    base->id_capacity = (uint32_t)capacity;
}

void spatial_base_reset(struct spatial_base *base, const uint32_t *ids, size_t count)
{
    size_t needed = ids ? 0 : count;
    for (size_t i = 0; ids && i < count; i++) {
        if (needed <= ids[i]) needed = (size_t)ids[i] + 1;
    }
    spatial_ids_reserve(base, needed);
    if (base->id_capacity > 0) /* not a byte there otherwise */
        memset(base->slot_of, 0xff, base->id_capacity * sizeof *base->slot_of);
    base->count = 0;
}

void spatial_base_release(struct spatial_base *base)
{
    struct spatial_slots *s = &base->slots;
    heap_free(base->heap, s->at, s->capacity * sizeof *s->at);
    heap_free(base->heap, s->id, s->capacity * sizeof *s->id);
    heap_free(base->heap, base->slot_of, base->id_capacity * sizeof *base->slot_of);
}

struct spatial_copy spatial_copy_take(const struct spatial_base *base)
{
    struct spatial_copy copy = {heap_new(base->heap, struct spatial_point, base->count),
                                heap_new(base->heap, uint32_t, base->count), 0};
    for (uint32_t id = 0; id < base->id_capacity; id++) {
        uint32_t slot = base->slot_of[id];
        if (slot == SPATIAL_NO_SLOT) continue;
        copy.points[copy.count] = spatial_slot_at(&base->slots, slot);
        copy.ids[copy.count++] = id;
    }
    CHECK(copy.count == base->count);
    return copy;
}

void spatial_copy_release(const struct spatial_base *base, struct spatial_copy *copy)
{
    heap_free(base->heap, copy->points, copy->count * sizeof *copy->points);
    heap_free(base->heap, copy->ids, copy->count * sizeof *copy->ids);
}

/* 0 for 8 slots, 1 for 16, ... */
static unsigned size_class(uint32_t capacity)
{
    unsigned class = 0;
    while ((uint32_t)SPATIAL_BUCKET_MIN << class < capacity) class ++;
    return class;
}

uint32_t spatial_bucket_size(uint32_t count)
{
    return (uint32_t)SPATIAL_BUCKET_MIN << size_class(count);
}

/* A free bucket's first slot keeps, in `id`, where the next one is. */
void spatial_bucket_free(struct spatial_base *base, struct spatial_pool *pool,
                         struct spatial_bucket *bucket)
{
    if (bucket->capacity == 0) return;
    uint32_t *first = &pool->free_list[size_class(bucket->capacity)];
    base->slots.id[bucket->begin] = *first;
    *first = bucket->begin + 1;
    *bucket = (struct spatial_bucket){0};
}

static uint32_t bucket_take(struct spatial_base *base, struct spatial_pool *pool,
                            uint32_t capacity)
{
    uint32_t *first = &pool->free_list[size_class(capacity)];
    if (*first) {
        uint32_t begin = *first - 1;
        *first = base->slots.id[begin];
        return begin;
    }
    size_t needed = (size_t)pool->used + capacity;
    if (needed > base->slots.capacity) spatial_slots_reserve(base, needed + needed / 4);
    pool->used += capacity;
    return pool->used - capacity;
}

void spatial_bucket_widen(struct spatial_base *base, struct spatial_pool *pool,
                          struct spatial_bucket *bucket)
{
    struct spatial_bucket wide = {.count = bucket->count,
                                  .capacity = spatial_bucket_size(bucket->count + 1)};
    wide.begin = bucket_take(base, pool, wide.capacity);
    for (uint32_t i = 0; i < bucket->count; i++) {
        spatial_slot_put(base, wide.begin + i, base->slots.id[bucket->begin + i],
                         spatial_slot_at(&base->slots, bucket->begin + i));
    }
    for (uint32_t i = wide.count; i < wide.capacity; i++) {
        base->slots.at[wide.begin + i] = SPATIAL_NOWHERE;
        base->slots.id[wide.begin + i] = 0;
    }
    spatial_bucket_free(base, pool, bucket);
    *bucket = wide;
}

void spatial_list_grow(struct spatial_list *list, size_t more)
{
    size_t needed = list->count + more + SPATIAL_SLACK;
    size_t capacity = list->capacity + list->capacity / 2 + 64;
    if (capacity < needed) capacity = needed;
    list->ids = heap_grow(list->heap, list->ids, list->capacity, capacity);
    list->capacity = capacity;
}

void spatial_best_offer(struct spatial_best *best, double distance2, uint32_t id)
{
    struct spatial_near *items = best->items;
    if (best->count == best->k) {
        const struct spatial_near *worst = &items[best->k - 1];
        if (distance2 == worst->distance2 && id > worst->id) return;
        best->count--;
    }
    size_t at = best->count++;
    for (; at > 0; at--) {
        const struct spatial_near *before = &items[at - 1];
        if (before->distance2 < distance2 ||
            (before->distance2 == distance2 && before->id < id))
            break;
        items[at] = *before;
    }
    items[at] = (struct spatial_near){distance2, id};
    if (best->count == best->k) best->bound = items[best->k - 1].distance2;
}
