/* spatial.h - points of the plane that answer "who is near?": one contract, several indexes.
 *
 * kd-tree, quadtree, hash grid, and brute force as the oracle of the others. A point is a
 * number with a place; an index keeps a set of them and answers
 *
 *     radius     all points at distance <= r (edge points belong to it)
 *     range      all points in a closed rectangle
 *     nearest    the nearest k, by distance and then by number: ties have one answer
 *
 * The same set gives the same answer in every index, to the last bit: distances are compared
 * as dx*dx + dy*dy in double. The order of radius and range results is the index's own
 * (spatial_list_sort makes it one). Nothing is allocated by queries: results go to a
 * caller's list that grows only when it must.
 *
 *     struct heap heap = {0};
 *     struct spatial index;
 *     spatial_open(&index, spatial_kind_find(S("kd_tree")), (struct spatial_settings){0}, &heap);
 *     spatial_build(&index, points, count);                  numbers 0..count-1
 *     struct spatial_list found = {.heap = &heap};
 *     spatial_radius(&index, (struct spatial_point){3, 4}, 10, &found);
 *     ... found.ids[0..found.count) ...
 *     spatial_list_release(&found);
 *     spatial_close(&index);
 *
 * Numbers are below SPATIAL_ID_MAX, and tables are as long as the largest: keep them dense.
 * Queries do not change the index: any number of threads may ask at once.
 *
 * To add one: write src/index/spatial_<name>.c ending in `const struct spatial_kind
 * spatial_<name>`, and name it in the list in spatial_registry.c. */
#ifndef INDEX_SPATIAL_H
#define INDEX_SPATIAL_H

#include "base/heap.h"
#include "base/registry.h"

#define SPATIAL_ID_MAX    UINT32_C(0x7fffffff)
#define SPATIAL_PLACE_MAX 1e150 /* of a coordinate, so that no square overflows */

struct spatial_point {
    double x, y;
};

struct spatial_box {
    double min_x, min_y, max_x, max_y; /* closed */
};

struct spatial_move {
    uint32_t id;
    struct spatial_point to;
};

struct spatial_near {
    double distance2; /* squared */
    uint32_t id;
};

/* What a query found. {.heap = ...} is empty; queries append. */
struct spatial_list {
    uint32_t *ids;
    size_t count, capacity;
    struct heap *heap;
};

struct spatial_settings {
    double cell; /* side of a cell of the hash grid; 0 = chosen by the density of the points */
};

struct spatial_kind {
    REGISTRY_ENTRY;
    size_t state_size; /* zeroed; its first member is a struct spatial_base (spatial_slots.h) */

    /* All are required but where it says so. What they are given has been checked. */
    void (*close)(void *state);
    /* Replaces the whole set. `ids` NULL = 0..count-1. */
    void (*fill)(void *state, const struct spatial_point *points, const uint32_t *ids,
                 size_t count);
    void (*insert)(void *state, uint32_t id, struct spatial_point at);
    void (*remove)(void *state, uint32_t id);
    void (*move)(void *state, uint32_t id, struct spatial_point to);
    /* Many moves at once, in order, which it checks itself (spatial_move_is_valid), so as to
     * look at each but once; NULL = one after the other. */
    void (*update)(void *state, const struct spatial_move *moves, size_t count);
    void (*radius)(const void *state, struct spatial_point centre, double radius,
                   struct spatial_list *found);
    void (*range)(const void *state, const struct spatial_box *box, struct spatial_list *found);
    /* The nearest k of at least one, into nearest[0..), sorted; gives how many. */
    size_t (*nearest)(const void *state, struct spatial_point centre, size_t k,
                      struct spatial_near *nearest);
};

REGISTRY(struct spatial_kind, spatial_kind)

struct spatial {
    const struct spatial_kind *kind;
    void *state;
};

/* An empty index; its memory comes from `heap`, which must outlive it. */
void spatial_open(struct spatial *index, const struct spatial_kind *kind,
                  struct spatial_settings settings, struct heap *heap);
void spatial_close(struct spatial *index);

/* Replaces what the index holds by points[0..count), numbered in order. */
void spatial_build(struct spatial *index, const struct spatial_point *points, size_t count);

/* A number that is not in the index; one that is; one that is. */
void spatial_insert(struct spatial *index, uint32_t id, struct spatial_point at);
void spatial_remove(struct spatial *index, uint32_t id);
void spatial_move(struct spatial *index, uint32_t id, struct spatial_point to);

/* The same as the moves one after the other, and faster. */
void spatial_update(struct spatial *index, const struct spatial_move *moves, size_t count);

size_t spatial_count(const struct spatial *index);

/* Where a point is, to the last bit; false if it is not in the index. */
MUST_USE bool spatial_find(const struct spatial *index, uint32_t id, struct spatial_point *at);

/* Appends to `found`. A negative radius and an inverted box find nothing. */
void spatial_radius(const struct spatial *index, struct spatial_point centre, double radius,
                    struct spatial_list *found);
void spatial_range(const struct spatial *index, const struct spatial_box *box,
                   struct spatial_list *found);

/* Fills nearest[0..k) by distance and then by number; gives how many: k, or all points
 * there are. */
size_t spatial_nearest(const struct spatial *index, struct spatial_point centre, size_t k,
                       struct spatial_near *nearest);

void spatial_list_sort(struct spatial_list *list);
void spatial_list_release(struct spatial_list *list);

/* Whether both coordinates are finite and within SPATIAL_PLACE_MAX. */
bool spatial_point_is_valid(struct spatial_point at);

#endif
