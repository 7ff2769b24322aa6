#include "index/entities.h"

#include "base/rng.h"

#include <string.h>

const char *const entities_ways[] = {"list", "dict", "numpy_array", NULL};

void entities_open(struct entities *e, enum entities_way way, struct heap *heap)
{
    *e = (struct entities){.way = way, .heap = heap};
}

void entities_close(struct entities *e)
{
    if (e->way == ENTITIES_ARRAY) {
        heap_free(e->heap, e->block, e->capacity * sizeof *e->block);
    } else {
        size_t places = e->way == ENTITIES_DICT ? e->capacity : e->count;
        for (size_t i = 0; i < places; i++) {
            if (e->links[i]) heap_free(e->heap, e->links[i], sizeof **e->links);
        }
        heap_free(e->heap, e->links, e->capacity * sizeof(struct entity *));
    }
    *e = (struct entities){0};
}

/* Where the number is, or the free place where it belongs. */
static size_t dict_place(const struct entities *e, uint64_t id)
{
    size_t at = rng_nth(id, 0) & (e->capacity - 1);
    while (e->links[at] && e->links[at]->id != id) at = (at + 1) & (e->capacity - 1);
    return at;
}

static void dict_grow(struct entities *e)
{
    struct entity **old = e->links;
    size_t old_capacity = e->capacity;
    e->capacity = old_capacity ? 2 * old_capacity : 8;
    e->links = heap_new(e->heap, struct entity *, e->capacity);
    memset(e->links, 0, e->capacity * sizeof(struct entity *));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i]) e->links[dict_place(e, old[i]->id)] = old[i];
    }
    heap_free(e->heap, old, old_capacity * sizeof(struct entity *));
}

static void make_room(struct entities *e)
{
    if (e->way == ENTITIES_DICT) {
        if (4 * (e->count + 1) > 3 * e->capacity) dict_grow(e);
        return;
    }
    if (e->count < e->capacity) return;
    size_t capacity = e->capacity + e->capacity / 2 + 8;
    if (e->way == ENTITIES_ARRAY) {
        e->block = heap_grow(e->heap, e->block, e->capacity, capacity);
    } else {
        e->links = heap_grow(e->heap, e->links, e->capacity, capacity);
    }
    e->capacity = capacity;
}

struct entity *entities_add(struct entities *e, struct spatial_point at)
{
    make_room(e);
    uint64_t id = e->count++;
    struct entity *entity =
        e->way == ENTITIES_ARRAY ? &e->block[id] : heap_new(e->heap, struct entity, (size_t)1);
    *entity = (struct entity){.id = id, .at = at};
    if (e->way == ENTITIES_LIST) e->links[id] = entity;
    if (e->way == ENTITIES_DICT) e->links[dict_place(e, id)] = entity;
    return entity;
}

struct entity *entities_get(const struct entities *e, uint64_t id)
{
    CHECK(id < e->count);
    if (e->way == ENTITIES_ARRAY) return &e->block[id];
    return e->links[e->way == ENTITIES_LIST ? id : dict_place(e, id)];
}
