/* A quadtree: a square splits into four where it holds more than LEAF points.
 *
 * Which quarter a point belongs to is decided at the centre alone (x >= centre is right,
 * y >= centre is up), so each point has one, those on lines and outside the root square too.
 * What a search skips is decided by the tight box of a node's points, never by its square:
 * edges cannot be lost, and points outside are no case of their own. Boxes only grow until
 * a node is rebuilt; a point that has left makes a search look in vain, not err.
 *
 * Points at one place cannot be told apart by splitting: at MAX_DEPTH a leaf just grows. A
 * node whose points have dwindled to LEAF / 2 becomes a leaf again, and its quarters are
 * kept for the next split. */
#include "index/spatial_slots.h"

enum { LEAF = 16, MAX_DEPTH = 40, STACK = 3 * MAX_DEPTH + 4 };

struct node {
    struct spatial_box box; /* of the points; a removed one may leave it too large */
    struct spatial_point centre;
    double half;    /* side of a quarter */
    size_t count;   /* points in all of it */
    uint32_t child; /* the first of four; 0 = a leaf */
    uint32_t depth;
    struct spatial_bucket bucket; /* of a leaf */
};

struct quadtree {
    struct spatial_base base;
    struct spatial_pool pool;
    struct node *nodes;
    uint32_t node_count, node_capacity;
    uint32_t free_nodes; /* first of four that are free; 0 = none. The next is its child */
};

static uint32_t quarter(const struct node *n, struct spatial_point p)
{
    return n->child + (p.x >= n->centre.x) + 2 * (uint32_t)(p.y >= n->centre.y);
}

static uint32_t new_quarters(struct quadtree *q)
{
    uint32_t first = q->free_nodes;
    if (first) {
        q->free_nodes = q->nodes[first].child;
        return first;
    }
    if (q->node_count + 4 > q->node_capacity) {
        uint32_t capacity = q->node_capacity * 2 + 65;
        q->nodes = heap_grow(q->base.heap, q->nodes, q->node_capacity, capacity);
        q->node_capacity = capacity;
    }
    q->node_count += 4;
    return q->node_count - 4;
}

static void add(struct quadtree *q, uint32_t at, uint32_t id, struct spatial_point p);

static void split(struct quadtree *q, uint32_t at)
{
    uint32_t first = new_quarters(q);
    struct node *n = &q->nodes[at];
    struct spatial_bucket old = n->bucket;
    n->bucket = (struct spatial_bucket){0};
    n->child = first;
    double half = n->half / 2;
    for (uint32_t i = 0; i < 4; i++) {
        q->nodes[first + i] = (struct node){
            .box = SPATIAL_BOX_NONE,
            .centre = {n->centre.x + (i & 1 ? half : -half),
                       n->centre.y + (i & 2 ? half : -half)},
            .half = half,
            .depth = n->depth + 1,
        };
    }
    for (uint32_t i = old.begin; i < old.begin + old.count; i++) {
        struct spatial_point p = spatial_slot_at(&q->base.slots, i);
        add(q, quarter(&q->nodes[at], p), q->base.slots.id[i], p);
    }
    spatial_bucket_free(&q->base, &q->pool, &old);
}

static void add(struct quadtree *q, uint32_t at, uint32_t id, struct spatial_point p)
{
    for (;;) {
        struct node *n = &q->nodes[at];
        spatial_box_add(&n->box, p);
        n->count++;
        if (n->child == 0) {
            spatial_bucket_add(&q->base, &q->pool, &n->bucket, id, p);
            if (n->bucket.count > LEAF && n->depth < MAX_DEPTH) split(q, at);
            return;
        }
        at = quarter(n, p);
    }
}

static void quadtree_insert(void *state, uint32_t id, struct spatial_point at)
{
    struct quadtree *q = state;
    add(q, 0, id, at);
    q->base.count++;
}

static void quadtree_fill(void *state, const struct spatial_point *points, const uint32_t *ids,
                          size_t count)
{
    struct quadtree *q = state;
    spatial_base_reset(&q->base, ids, count);
    q->pool = (struct spatial_pool){0};
    q->node_count = q->free_nodes = 0;
    struct spatial_box box = SPATIAL_BOX_NONE;
    for (size_t i = 0; i < count; i++) spatial_box_add(&box, points[i]);
    if (count == 0) box = (struct spatial_box){0, 0, 0, 0};
    double side = fmax(box.max_x - box.min_x, box.max_y - box.min_y);
    (void)new_quarters(q); /* the root is the first of them */
    q->nodes[0] = (struct node){
        .box = SPATIAL_BOX_NONE,
        .centre = {box.min_x / 2 + box.max_x / 2, box.min_y / 2 + box.max_y / 2},
        .half = side > 0 ? side / 2 : 0.5,
    };
    spatial_slots_reserve(&q->base, count + count / 2);
    for (size_t i = 0; i < count; i++)
        quadtree_insert(q, ids ? ids[i] : (uint32_t)i, points[i]);
}

static void quadtree_close(void *state)
{
    struct quadtree *q = state;
    heap_free(q->base.heap, q->nodes, q->node_capacity * sizeof *q->nodes);
}

/* Puts the points below node `from` into the bucket of `into`, and frees what they were in.
 * There are few, so few nodes below have any; empty ones are freed on the way. */
static void gather(struct quadtree *q, uint32_t from, uint32_t into)
{
    struct node *n = &q->nodes[from];
    if (n->child) {
        uint32_t first = n->child;
        for (uint32_t i = 0; i < 4; i++) gather(q, first + i, into);
        q->nodes[first].child = q->free_nodes;
        q->free_nodes = first;
        return;
    }
    for (uint32_t i = n->bucket.begin; i < n->bucket.begin + n->bucket.count; i++) {
        struct node *target = &q->nodes[into];
        struct spatial_point p = spatial_slot_at(&q->base.slots, i);
        spatial_box_add(&target->box, p);
        spatial_bucket_add(&q->base, &q->pool, &target->bucket, q->base.slots.id[i], p);
    }
    spatial_bucket_free(&q->base, &q->pool, &n->bucket);
}

static void merge(struct quadtree *q, uint32_t at)
{
    q->nodes[at].box = SPATIAL_BOX_NONE;
    gather(q, at, at); /* `at` is not a leaf: its own bucket is empty */
    q->nodes[at].child = 0;
}

static void quadtree_remove(void *state, uint32_t id)
{
    struct quadtree *q = state;
    uint32_t slot = q->base.slot_of[id];
    struct spatial_point p = spatial_slot_at(&q->base.slots, slot);
    uint32_t at = 0;
    uint32_t sparse = UINT32_MAX; /* the topmost that becomes a leaf */
    for (;;) {
        struct node *n = &q->nodes[at];
        n->count--;
        if (n->child == 0) break;
        if (n->count <= LEAF / 2 && sparse == UINT32_MAX) sparse = at;
        at = quarter(n, p);
    }
    spatial_bucket_drop(&q->base, &q->nodes[at].bucket, slot);
    q->base.count--;
    if (sparse != UINT32_MAX) merge(q, sparse);
}

static void quadtree_move(void *state, uint32_t id, struct spatial_point to)
{
    quadtree_remove(state, id);
    quadtree_insert(state, id, to);
}

static void take_all(const struct quadtree *q, uint32_t from, struct spatial_list *found)
{
    uint32_t stack[STACK];
    size_t depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
        const struct node *n = &q->nodes[stack[--depth]];
        if (n->child == 0) {
            uint32_t begin = n->bucket.begin;
            spatial_scan_all(&q->base.slots, begin, begin + n->bucket.count, found);
            continue;
        }
        for (uint32_t i = 0; i < 4; i++) stack[depth++] = n->child + i;
    }
}

static void quadtree_radius(const void *state, struct spatial_point centre, double radius,
                            struct spatial_list *found)
{
    const struct quadtree *q = state;
    double radius2 = radius * radius;
    uint32_t stack[STACK];
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const struct node *n = &q->nodes[at];
        if (n->count == 0 || spatial_box_near2(&n->box, centre) > radius2) continue;
        if (spatial_box_far2(&n->box, centre) <= radius2) {
            take_all(q, at, found);
        } else if (n->child == 0) {
            uint32_t begin = n->bucket.begin;
            spatial_scan_radius(&q->base.slots, begin, begin + n->bucket.count, centre, radius2,
                                found);
        } else {
            for (uint32_t i = 0; i < 4; i++) stack[depth++] = n->child + i;
        }
    }
}

static void quadtree_range(const void *state, const struct spatial_box *box,
                           struct spatial_list *found)
{
    const struct quadtree *q = state;
    uint32_t stack[STACK];
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const struct node *n = &q->nodes[at];
        if (n->count == 0 || !spatial_box_meets(&n->box, box)) continue;
        if (spatial_box_holds(box, &n->box)) {
            take_all(q, at, found);
        } else if (n->child == 0) {
            uint32_t begin = n->bucket.begin;
            spatial_scan_range(&q->base.slots, begin, begin + n->bucket.count, box, found);
        } else {
            for (uint32_t i = 0; i < 4; i++) stack[depth++] = n->child + i;
        }
    }
}

struct wait {
    double near2;
    uint32_t node;
};

/* The quarters that have points, the nearest last: it is taken up first. */
static size_t push_quarters(const struct quadtree *q, const struct node *n,
                            struct spatial_point centre, struct wait *stack, size_t depth)
{
    size_t bottom = depth;
    for (uint32_t c = n->child; c < n->child + 4; c++) {
        if (q->nodes[c].count == 0) continue;
        struct wait w = {spatial_box_near2(&q->nodes[c].box, centre), c};
        size_t at = depth++;
        for (; at > bottom && stack[at - 1].near2 < w.near2; at--) stack[at] = stack[at - 1];
        stack[at] = w;
    }
    return depth;
}

static size_t quadtree_nearest(const void *state, struct spatial_point centre, size_t k,
                               struct spatial_near *nearest)
{
    const struct quadtree *q = state;
    struct spatial_best best = {nearest, k, 0, INFINITY};
    struct wait stack[STACK];
    size_t depth = 0;
    stack[depth++] = (struct wait){0, 0};
    while (depth > 0) {
        struct wait w = stack[--depth];
        if (w.near2 > best.bound) continue;
        const struct node *n = &q->nodes[w.node];
        if (n->child) {
            depth = push_quarters(q, n, centre, stack, depth);
        } else {
            uint32_t begin = n->bucket.begin;
            spatial_scan_nearest(&q->base.slots, begin, begin + n->bucket.count, centre, &best);
        }
    }
    return best.count;
}

const struct spatial_kind spatial_quadtree = {
    .name = "quadtree",
    .summary = "splits a square into four where it is crowded",
    .state_size = sizeof(struct quadtree),
    .close = quadtree_close,
    .fill = quadtree_fill,
    .insert = quadtree_insert,
    .remove = quadtree_remove,
    .move = quadtree_move,
    .radius = quadtree_radius,
    .range = quadtree_range,
    .nearest = quadtree_nearest,
};
