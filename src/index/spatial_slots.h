/* spatial_slots.h - what the indexes share: where their points lie in memory, buckets of
 * them, and the scan of a stretch.
 *
 * A slot is a position in two parallel arrays (place and number); slot_of leads from a number to
 * its slot. An index arranges its points so that those that lie together in the plane lie
 * together here, and scans stretches of slots.
 *
 * Why pruning is exact. Points are tested by dx*dx + dy*dy <= r*r. A box is skipped by the
 * same expression on its nearest place, and taken whole by the same on its farthest.
 * Rounding is monotone: p >= q gives fl(p - c) >= fl(q - c), and so on through the square
 * and the sum. So no point can pass the test whose box failed it, and the reverse. */
#ifndef INDEX_SPATIAL_SLOTS_H
#define INDEX_SPATIAL_SLOTS_H

#include "index/spatial.h"

#include <math.h>
#include <string.h>

enum { SPATIAL_SLACK = 8 }; /* ids that may be written past the end of what was found */
#define SPATIAL_NO_SLOT UINT32_MAX
#define SPATIAL_NOWHERE ((struct spatial_point){NAN, NAN}) /* passes no test */

struct spatial_slots {
    struct spatial_point *at;
    uint32_t *id;
    uint32_t capacity;
};

/* First member of every kind's state. */
struct spatial_base {
    struct heap *heap;
    struct spatial_settings settings;
    struct spatial_slots slots;
    uint32_t *slot_of; /* by number; SPATIAL_NO_SLOT = not in the index */
    uint32_t id_capacity;
    size_t count;
};

/* A run of slots that belongs to one leaf or cell. Those not in use are nowhere. */
struct spatial_bucket {
    uint32_t begin, count, capacity;
};

/* Buckets have 8, 16, 32, ... slots; those given back are kept by size. */
enum { SPATIAL_BUCKET_MIN = 8, SPATIAL_BUCKET_SIZES = 30 };
struct spatial_pool {
    uint32_t used;                            /* slots given out so far */
    uint32_t free_list[SPATIAL_BUCKET_SIZES]; /* slot + 1 of the first; 0 = none */
};

/* Room for `capacity` slots; keeps what is there, never shrinks. */
void spatial_slots_reserve(struct spatial_base *base, size_t capacity);

/* Makes slot_of long enough for numbers below `count`. */
void spatial_ids_reserve(struct spatial_base *base, size_t count);

/* Nothing in the index, with room for these numbers (NULL = 0..count-1). */
void spatial_base_reset(struct spatial_base *base, const uint32_t *ids, size_t count);
void spatial_base_release(struct spatial_base *base);

/* Everything in the index, by number, in memory of base->heap: for rebuilding. */
struct spatial_copy {
    struct spatial_point *points;
    uint32_t *ids;
    size_t count;
};
struct spatial_copy spatial_copy_take(const struct spatial_base *base);
void spatial_copy_release(const struct spatial_base *base, struct spatial_copy *copy);

/* The smallest that holds `count`. */
uint32_t spatial_bucket_size(uint32_t count);
/* Room for one more. */
void spatial_bucket_widen(struct spatial_base *base, struct spatial_pool *pool,
                          struct spatial_bucket *bucket);
void spatial_bucket_free(struct spatial_base *base, struct spatial_pool *pool,
                         struct spatial_bucket *bucket);

/* Room for `more` ids, and SPATIAL_SLACK. */
void spatial_list_grow(struct spatial_list *list, size_t more);
static inline uint32_t *spatial_list_end(struct spatial_list *list, size_t more)
{
    if (list->capacity - list->count < more + SPATIAL_SLACK) spatial_list_grow(list, more);
    return list->ids + list->count;
}

static inline bool spatial_has(const struct spatial_base *base, uint32_t id)
{
    return id < base->id_capacity && base->slot_of[id] != SPATIAL_NO_SLOT;
}

static inline bool spatial_move_is_valid(const struct spatial_base *base,
                                         const struct spatial_move *move)
{
    return (fabs(move->to.x) <= SPATIAL_PLACE_MAX) & (fabs(move->to.y) <= SPATIAL_PLACE_MAX) &&
           spatial_has(base, move->id);
}

static inline void spatial_slot_put(struct spatial_base *base, uint32_t slot, uint32_t id,
                                    struct spatial_point at)
{
    base->slots.at[slot] = at;
    base->slots.id[slot] = id;
    base->slot_of[id] = slot;
}

static inline struct spatial_point spatial_slot_at(const struct spatial_slots *s, uint32_t slot)
{
    return s->at[slot];
}

static inline void spatial_bucket_add(struct spatial_base *base, struct spatial_pool *pool,
                                      struct spatial_bucket *bucket, uint32_t id,
                                      struct spatial_point at)
{
    if (bucket->count == bucket->capacity) spatial_bucket_widen(base, pool, bucket);
    spatial_slot_put(base, bucket->begin + bucket->count++, id, at);
}

/* Takes the point at `slot` out; the last one gets its place. Its number has no slot then,
 * unless the caller gives it one. */
static inline void spatial_bucket_drop(struct spatial_base *base, struct spatial_bucket *bucket,
                                       uint32_t slot)
{
    struct spatial_slots *s = &base->slots;
    uint32_t last = bucket->begin + --bucket->count;
    uint32_t id = s->id[slot];
    spatial_slot_put(base, slot, s->id[last], s->at[last]);
    s->at[last] = SPATIAL_NOWHERE;
    base->slot_of[id] = SPATIAL_NO_SLOT;
}

/* Distance along one axis from c to [low, high]. */
static inline double spatial_gap(double c, double low, double high)
{
    double below = low - c;
    double above = c - high;
    double gap = below > above ? below : above;
    return gap > 0 ? gap : 0;
}

/* Squared distance from c to the nearest place of the box, and to the farthest. */
static inline double spatial_box_near2(const struct spatial_box *b, struct spatial_point c)
{
    double dx = spatial_gap(c.x, b->min_x, b->max_x);
    double dy = spatial_gap(c.y, b->min_y, b->max_y);
    return dx * dx + dy * dy;
}

static inline double spatial_box_far2(const struct spatial_box *b, struct spatial_point c)
{
    double left = c.x - b->min_x, right = b->max_x - c.x;
    double down = c.y - b->min_y, up = b->max_y - c.y;
    double dx = left > right ? left : right;
    double dy = down > up ? down : up;
    return dx * dx + dy * dy;
}

static inline bool spatial_box_meets(const struct spatial_box *a, const struct spatial_box *b)
{
    return a->min_x <= b->max_x && b->min_x <= a->max_x && a->min_y <= b->max_y &&
           b->min_y <= a->max_y;
}

/* Whether `inner` is all in `outer`. */
static inline bool spatial_box_holds(const struct spatial_box *outer,
                                     const struct spatial_box *inner)
{
    return outer->min_x <= inner->min_x && inner->max_x <= outer->max_x &&
           outer->min_y <= inner->min_y && inner->max_y <= outer->max_y;
}

/* An empty box; grows by spatial_box_add. */
#define SPATIAL_BOX_NONE ((struct spatial_box){INFINITY, INFINITY, -INFINITY, -INFINITY})

static inline void spatial_box_add(struct spatial_box *b, struct spatial_point p)
{
    if (p.x < b->min_x) b->min_x = p.x;
    if (p.x > b->max_x) b->max_x = p.x;
    if (p.y < b->min_y) b->min_y = p.y;
    if (p.y > b->max_y) b->max_y = p.y;
}

/* Of a run of whole fours whose unused slots are NaN: no count to mispredict. */
static inline void spatial_scan_fours(const struct spatial_slots *s, uint32_t begin,
                                      uint32_t end, struct spatial_point c, double radius2,
                                      struct spatial_list *found)
{
    uint32_t *out = spatial_list_end(found, end - begin);
    for (uint32_t i = begin; i < end; i += 4) {
        const struct spatial_point *p = &s->at[i];
        const uint32_t *id = &s->id[i];
        double dx0 = p[0].x - c.x, dx1 = p[1].x - c.x, dx2 = p[2].x - c.x, dx3 = p[3].x - c.x;
        double dy0 = p[0].y - c.y, dy1 = p[1].y - c.y, dy2 = p[2].y - c.y, dy3 = p[3].y - c.y;
        *out = id[0];
        out += dx0 * dx0 + dy0 * dy0 <= radius2;
        *out = id[1];
        out += dx1 * dx1 + dy1 * dy1 <= radius2;
        *out = id[2];
        out += dx2 * dx2 + dy2 * dy2 <= radius2;
        *out = id[3];
        out += dx3 * dx3 + dy3 * dy3 <= radius2;
    }
    found->count = (size_t)(out - found->ids);
}

static inline double spatial_distance2(const struct spatial_point *p, struct spatial_point c)
{
    double dx = p->x - c.x, dy = p->y - c.y;
    return dx * dx + dy * dy;
}

/* The least squared distance in a run; HUGE_VAL if nothing is in it. There are four least
 * ones, so that no comparison waits for the one before; in this order NaN is never one. */
static inline double spatial_least(const struct spatial_slots *s, uint32_t begin, uint32_t end,
                                   struct spatial_point c)
{
    double least0 = HUGE_VAL, least1 = HUGE_VAL, least2 = HUGE_VAL, least3 = HUGE_VAL;
    uint32_t i = begin;
    for (; i + 4 <= end; i += 4) {
        const struct spatial_point *p = &s->at[i];
        double d0 = spatial_distance2(&p[0], c), d1 = spatial_distance2(&p[1], c);
        double d2 = spatial_distance2(&p[2], c), d3 = spatial_distance2(&p[3], c);
        least0 = d0 < least0 ? d0 : least0;
        least1 = d1 < least1 ? d1 : least1;
        least2 = d2 < least2 ? d2 : least2;
        least3 = d3 < least3 ? d3 : least3;
    }
    for (; i < end; i++) {
        double d = spatial_distance2(&s->at[i], c);
        least0 = d < least0 ? d : least0;
    }
    least0 = least1 < least0 ? least1 : least0;
    least2 = least3 < least2 ? least3 : least2;
    return least2 < least0 ? least2 : least0;
}

/* The lowest number in a run at this distance; SPATIAL_NO_SLOT: none. */
static inline uint32_t spatial_number_at(const struct spatial_slots *s, uint32_t begin,
                                         uint32_t end, struct spatial_point c, double distance2)
{
    uint32_t lowest = SPATIAL_NO_SLOT;
    for (uint32_t i = begin; i < end; i++) {
        bool is_other = spatial_distance2(&s->at[i], c) != distance2;
        uint32_t id = s->id[i] | (0 - (uint32_t)is_other); /* all bits: is never the lowest */
        lowest = id < lowest ? id : lowest;
    }
    return lowest;
}

/* The scans write every id and step on only where the test holds: no branch to mispredict
 * in a leaf that is half inside. A slot whose x is NaN is empty and passes no test. */
static inline void spatial_scan_radius(const struct spatial_slots *s, uint32_t begin,
                                       uint32_t end, struct spatial_point c, double radius2,
                                       struct spatial_list *found)
{
    uint32_t *out = spatial_list_end(found, end - begin);
    for (uint32_t i = begin; i < end; i++) {
        double dx = s->at[i].x - c.x;
        double dy = s->at[i].y - c.y;
        *out = s->id[i];
        out += dx * dx + dy * dy <= radius2;
    }
    found->count = (size_t)(out - found->ids);
}

static inline void spatial_scan_range(const struct spatial_slots *s, uint32_t begin,
                                      uint32_t end, const struct spatial_box *b,
                                      struct spatial_list *found)
{
    uint32_t *out = spatial_list_end(found, end - begin);
    for (uint32_t i = begin; i < end; i++) {
        double x = s->at[i].x, y = s->at[i].y;
        *out = s->id[i];
        out += (x >= b->min_x) & (x <= b->max_x) & (y >= b->min_y) & (y <= b->max_y);
    }
    found->count = (size_t)(out - found->ids);
}

/* Untested, from a bucket: copies its first eight, whatever the count, and rarely more. */
static inline void spatial_take_bucket(const struct spatial_slots *s,
                                       const struct spatial_bucket *b,
                                       struct spatial_list *found)
{
    uint32_t *out = spatial_list_end(found, b->capacity);
    memcpy(out, s->id + b->begin, SPATIAL_BUCKET_MIN * sizeof *out);
    if (b->count > SPATIAL_BUCKET_MIN) memcpy(out, s->id + b->begin, b->count * sizeof *out);
    found->count += b->count;
}

/* Untested: everything there is inside. */
static inline void spatial_scan_all(const struct spatial_slots *s, uint32_t begin, uint32_t end,
                                    struct spatial_list *found)
{
    uint32_t *out = spatial_list_end(found, end - begin);
    memcpy(out, s->id + begin, (end - begin) * sizeof *out);
    found->count += end - begin;
}

/* The nearest so far: sorted, at most k. */
struct spatial_best {
    struct spatial_near *items;
    size_t k, count;
    double bound; /* what is farther is not wanted; INFINITY until there are k */
};

void spatial_best_offer(struct spatial_best *best, double distance2, uint32_t id);

/* The common question, for one. `least` is the least distance of the run and at most the
 * bound: which point has it is looked for without a branch, since none could be predicted. */
static inline void spatial_take_first(const struct spatial_slots *s, uint32_t begin,
                                      uint32_t end, struct spatial_point c, double least,
                                      struct spatial_best *best)
{
    uint32_t id = spatial_number_at(s, begin, end, c, least);
    bool is_tied = best->count > 0 && least == best->bound;
    if (id == SPATIAL_NO_SLOT || (is_tied && best->items->id < id)) return;
    *best->items = (struct spatial_near){least, id};
    best->count = 1;
    best->bound = least;
}

static inline void spatial_scan_first(const struct spatial_slots *s, uint32_t begin,
                                      uint32_t end, struct spatial_point c,
                                      struct spatial_best *best)
{
    double least = spatial_least(s, begin, end, c);
    if (least <= best->bound) spatial_take_first(s, begin, end, c, least, best);
}

static inline void spatial_scan_nearest(const struct spatial_slots *s, uint32_t begin,
                                        uint32_t end, struct spatial_point c,
                                        struct spatial_best *best)
{
    if (best->k == 1) {
        spatial_scan_first(s, begin, end, c, best);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        double dx = s->at[i].x - c.x;
        double dy = s->at[i].y - c.y;
        double distance2 = dx * dx + dy * dy;
        if (distance2 <= best->bound) spatial_best_offer(best, distance2, s->id[i]);
    }
}

#endif
