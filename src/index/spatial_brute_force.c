/* Looks at every point, every time: the oracle of the other indexes. It is written apart from
 * them, without the scans that they share, and is too simple to be wrong in the same way. */
#include "index/spatial_slots.h"

struct brute {
    struct spatial_base base;
};

static void brute_close(void *state)
{
    (void)state;
}

static void brute_insert(void *state, uint32_t id, struct spatial_point at)
{
    struct brute *b = state;
    size_t count = b->base.count + 1;
    if (count > b->base.slots.capacity) spatial_slots_reserve(&b->base, count + count / 2);
    spatial_slot_put(&b->base, (uint32_t)b->base.count, id, at);
    b->base.count = count;
}

static void brute_fill(void *state, const struct spatial_point *points, const uint32_t *ids,
                       size_t count)
{
    struct brute *b = state;
    spatial_base_reset(&b->base, ids, count);
    spatial_slots_reserve(&b->base, count);
    for (size_t i = 0; i < count; i++) brute_insert(b, ids ? ids[i] : (uint32_t)i, points[i]);
}

static void brute_remove(void *state, uint32_t id)
{
    struct brute *b = state;
    struct spatial_slots *s = &b->base.slots;
    uint32_t slot = b->base.slot_of[id];
    uint32_t last = (uint32_t)--b->base.count;
    spatial_slot_put(&b->base, slot, s->id[last], spatial_slot_at(s, last));
    b->base.slot_of[id] = SPATIAL_NO_SLOT;
}

static void brute_move(void *state, uint32_t id, struct spatial_point to)
{
    struct brute *b = state;
    spatial_slot_put(&b->base, b->base.slot_of[id], id, to);
}

static double distance2(const struct spatial_slots *s, size_t i, struct spatial_point c)
{
    double dx = s->at[i].x - c.x;
    double dy = s->at[i].y - c.y;
    return dx * dx + dy * dy;
}

static void brute_radius(const void *state, struct spatial_point centre, double radius,
                         struct spatial_list *found)
{
    const struct brute *b = state;
    for (size_t i = 0; i < b->base.count; i++) {
        if (distance2(&b->base.slots, i, centre) > radius * radius) continue;
        *spatial_list_end(found, 1) = b->base.slots.id[i];
        found->count++;
    }
}

static void brute_range(const void *state, const struct spatial_box *box,
                        struct spatial_list *found)
{
    const struct brute *b = state;
    for (size_t i = 0; i < b->base.count; i++) {
        double x = b->base.slots.at[i].x;
        double y = b->base.slots.at[i].y;
        if (x < box->min_x || x > box->max_x || y < box->min_y || y > box->max_y) continue;
        *spatial_list_end(found, 1) = b->base.slots.id[i];
        found->count++;
    }
}

static size_t brute_nearest(const void *state, struct spatial_point centre, size_t k,
                            struct spatial_near *nearest)
{
    const struct brute *b = state;
    size_t count = 0;
    for (size_t i = 0; i < b->base.count; i++) {
        struct spatial_near item = {distance2(&b->base.slots, i, centre), b->base.slots.id[i]};
        size_t at = count;
        while (at > 0 &&
               (nearest[at - 1].distance2 > item.distance2 ||
                (nearest[at - 1].distance2 == item.distance2 && nearest[at - 1].id > item.id)))
            at--;
        if (at == k) continue;
        if (count < k) count++;
        for (size_t j = count - 1; j > at; j--) nearest[j] = nearest[j - 1];
        nearest[at] = item;
    }
    return count;
}

const struct spatial_kind spatial_brute_force = {
    .name = "brute_force",
    .summary = "looks at every point: what the others are checked against",
    .state_size = sizeof(struct brute),
    .close = brute_close,
    .fill = brute_fill,
    .insert = brute_insert,
    .remove = brute_remove,
    .move = brute_move,
    .radius = brute_radius,
    .range = brute_range,
    .nearest = brute_nearest,
};
