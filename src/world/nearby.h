/* nearby.h - who is within a distance of a place: the world's only door to src/index.
 *
 * A set of numbered points; answers come sorted by number, so that whoever adds them up or
 * takes the first of equals gets the same result from every index. */
#ifndef WORLD_NEARBY_H
#define WORLD_NEARBY_H

#include "index/spatial.h"

struct nearby {
    struct spatial index;
};

/* `kind` NULL: the hash grid, the fastest for points that move a little and questions that
 * find a few. */
void nearby_init(struct nearby *n, const struct spatial_kind *kind, struct heap *heap);
void nearby_release(struct nearby *n);

/* Another kind than `kind`, for doing the same again with so many points: the oracle, or a tree
 * where that would take too long. */
const struct spatial_kind *nearby_other(const struct spatial_kind *kind, uint32_t points);

void nearby_put(struct nearby *n, uint32_t id, double x, double y); /* new or moved */
void nearby_drop(struct nearby *n, uint32_t id);

/* These points instead of all that there were, numbered in order. */
void nearby_fill(struct nearby *n, const struct spatial_point *points, size_t count);

/* All points at distance <= radius, instead of what the list held. */
void nearby_within(const struct nearby *n, double x, double y, double radius,
                   struct spatial_list *out);

#endif
