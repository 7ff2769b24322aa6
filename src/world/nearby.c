#include "world/nearby.h"

void nearby_init(struct nearby *n, const struct spatial_kind *kind, struct heap *heap)
{
    if (!kind) kind = spatial_kind_find(S("spatial_hash"));
    spatial_open(&n->index, kind, (struct spatial_settings){0}, heap);
}

const struct spatial_kind *nearby_other(const struct spatial_kind *kind, uint32_t points)
{
    enum { FEW = 1000 };
    const struct spatial_kind *other =
        spatial_kind_find(points <= FEW ? S("brute_force") : S("kd_tree"));
    return kind == other ? spatial_kind_find(S("spatial_hash")) : other;
}

void nearby_release(struct nearby *n)
{
    spatial_close(&n->index);
}

void nearby_put(struct nearby *n, uint32_t id, double x, double y)
{
    struct spatial_point was, at = {x, y};
    if (!spatial_find(&n->index, id, &was)) {
        spatial_insert(&n->index, id, at);
    } else if (was.x != x || was.y != y) {
        spatial_move(&n->index, id, at);
    }
}

void nearby_drop(struct nearby *n, uint32_t id)
{
    struct spatial_point was;
    if (spatial_find(&n->index, id, &was)) spatial_remove(&n->index, id);
}

void nearby_fill(struct nearby *n, const struct spatial_point *points, size_t count)
{
    spatial_build(&n->index, points, count);
}

/* Most answers are a handful, for which calling qsort costs more than sorting. */
static void sort(struct spatial_list *list)
{
    enum { FEW = 24 };
    if (list->count > FEW) {
        spatial_list_sort(list);
        return;
    }
    for (size_t i = 1; i < list->count; i++) {
        uint32_t id = list->ids[i];
        size_t at = i;
        for (; at > 0 && list->ids[at - 1] > id; at--) list->ids[at] = list->ids[at - 1];
        list->ids[at] = id;
    }
}

void nearby_within(const struct nearby *n, double x, double y, double radius,
                   struct spatial_list *out)
{
    out->count = 0;
    spatial_radius(&n->index, (struct spatial_point){x, y}, radius, out);
    sort(out);
}
