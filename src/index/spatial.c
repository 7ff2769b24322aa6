#include "index/spatial.h"

#include "index/spatial_slots.h"

#include <stdlib.h>

static struct spatial_base *base_of(const struct spatial *index)
{
    return index->state;
}

void spatial_open(struct spatial *index, const struct spatial_kind *kind,
                  struct spatial_settings settings, struct heap *heap)
{
    index->kind = kind;
    index->state = heap_resize(heap, NULL, 0, kind->state_size);
    memset(index->state, 0, kind->state_size);
    struct spatial_base *base = base_of(index);
    base->heap = heap;
    base->settings = settings;
    kind->fill(index->state, NULL, NULL, 0);
}

void spatial_close(struct spatial *index)
{
    struct heap *heap = base_of(index)->heap;
    index->kind->close(index->state);
    spatial_base_release(base_of(index));
    heap_free(heap, index->state, index->kind->state_size);
    *index = (struct spatial){0};
}

bool spatial_point_is_valid(struct spatial_point at)
{
    return fabs(at.x) <= SPATIAL_PLACE_MAX && fabs(at.y) <= SPATIAL_PLACE_MAX; /* NaN: no */
}

void spatial_build(struct spatial *index, const struct spatial_point *points, size_t count)
{
    bool is_valid = true;
    for (size_t i = 0; i < count; i++) is_valid &= spatial_point_is_valid(points[i]);
    CHECK(is_valid && count < SPATIAL_ID_MAX);
    index->kind->fill(index->state, points, NULL, count);
}

void spatial_insert(struct spatial *index, uint32_t id, struct spatial_point at)
{
    struct spatial_base *base = base_of(index);
    CHECK(spatial_point_is_valid(at) && id < SPATIAL_ID_MAX && !spatial_has(base, id));
    spatial_ids_reserve(base, (size_t)id + 1);
    index->kind->insert(index->state, id, at);
}

void spatial_remove(struct spatial *index, uint32_t id)
{
    CHECK(spatial_has(base_of(index), id));
    index->kind->remove(index->state, id);
}

void spatial_move(struct spatial *index, uint32_t id, struct spatial_point to)
{
    CHECK(spatial_point_is_valid(to) && spatial_has(base_of(index), id));
    index->kind->move(index->state, id, to);
}

void spatial_update(struct spatial *index, const struct spatial_move *moves, size_t count)
{
    if (index->kind->update) {
        index->kind->update(index->state, moves, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(spatial_move_is_valid(base_of(index), &moves[i]));
        index->kind->move(index->state, moves[i].id, moves[i].to);
    }
}

size_t spatial_count(const struct spatial *index)
{
    return base_of(index)->count;
}

bool spatial_find(const struct spatial *index, uint32_t id, struct spatial_point *at)
{
    const struct spatial_base *base = base_of(index);
    if (!spatial_has(base, id)) return false;
    *at = spatial_slot_at(&base->slots, base->slot_of[id]);
    return true;
}

void spatial_radius(const struct spatial *index, struct spatial_point centre, double radius,
                    struct spatial_list *found)
{
    CHECK(spatial_point_is_valid(centre));
    if (radius >= 0) index->kind->radius(index->state, centre, radius, found);
}

void spatial_range(const struct spatial *index, const struct spatial_box *box,
                   struct spatial_list *found)
{
    if (box->min_x <= box->max_x && box->min_y <= box->max_y)
        index->kind->range(index->state, box, found);
}

size_t spatial_nearest(const struct spatial *index, struct spatial_point centre, size_t k,
                       struct spatial_near *nearest)
{
    CHECK(spatial_point_is_valid(centre));
    if (k == 0 || base_of(index)->count == 0) return 0;
    return index->kind->nearest(index->state, centre, k, nearest);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void spatial_list_sort(struct spatial_list *list)
{
    if (list->count > 1) qsort(list->ids, list->count, sizeof *list->ids, by_number);
}

void spatial_list_release(struct spatial_list *list)
{
    if (list->ids) heap_free(list->heap, list->ids, list->capacity * sizeof *list->ids);
    *list = (struct spatial_list){.heap = list->heap};
}
