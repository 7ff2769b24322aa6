/* A kd-tree whose points lie in the order of its leaves.
 *
 * The plane is halved across x and y in turn, at the middle, until at most LEAF points are
 * left. The order of those leaves is the Z-order of the points (Morton 1966), so one radix
 * sort of interleaved coordinates (16 bits each) makes the whole tree: a node is a run of
 * sorted keys, and it splits where the next bit turns from 0 to 1 (as in Lauterbach and
 * others 2009, "Fast BVH construction on GPUs"). That is linear in the number of points
 * where partitioning level by level is n log n. Runs of equal keys, which the bits cannot
 * split, are halved by count.
 *
 * Every node has the tight box of its points. So a search by radius or rectangle skips or
 * takes whole subtrees exactly (spatial_slots.h says why), and a subtree that is taken is one
 * copy, because its points are one run of slots. A search for the nearest needs less: where
 * the two halves part.
 *
 * Changes: a removed point leaves an empty slot (x = NaN), an inserted one goes to a tail of
 * unsorted slots after the tree that every query scans. When the tail or the holes exceed
 * 4 sqrt(n), the tree is rebuilt: so an insertion costs O(sqrt n) on average, and a
 * query O(sqrt n) cheap tests more. A batch of more moves than that is one rebuild. */
#include "index/spatial_slots.h"

enum { LEAF = 24, KEY_BITS = 32, RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, PASSES = 3 };
enum { STACK = KEY_BITS + 32 + 2 }; /* a node a level; runs of equal keys add up to 32 */

struct node {
    struct spatial_box box;
    uint32_t begin, end;
    uint32_t child; /* the first of two; 0 = a leaf */
};

/* The same tree again, in the little that a search for the nearest reads: which axis is cut,
 * where the lower half ends, where the upper begins, and what is between; or the run of a
 * leaf. */
struct split {
    uint32_t child; /* the first of two; 0 = a leaf */
    uint32_t axis;  /* 0 = x, 1 = y */
    union {
        struct {
            double edges[2], middle;
        };
        struct {
            uint32_t begin, end;
        };
    };
};

struct tree {
    struct spatial_base base;
    struct node *nodes;
    struct split *splits; /* one for each node */
    uint32_t node_count, node_capacity;
    uint32_t sorted;    /* slots of the tree; the tail follows */
    uint32_t tail;      /* slots after them in use */
    uint32_t holes;     /* empty slots in the tree */
    uint32_t tolerance; /* tail or holes above which it is rebuilt */
};

struct keyed {
    uint32_t key, index;
};

static uint32_t spread_bits(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ff;
    v = (v | v << 4) & 0x0f0f0f0f;
    v = (v | v << 2) & 0x33333333;
    return (v | v << 1) & 0x55555555;
}

/* Keys in the order of the points. Both axes have one scale, so that halves are squares and
 * half squares whatever the shape of the whole. */
static void make_keys(const struct spatial_point *points, size_t count, struct keyed *keys)
{
    struct spatial_box box = SPATIAL_BOX_NONE;
    for (size_t i = 0; i < count; i++) spatial_box_add(&box, points[i]);
    double side = fmax(box.max_x - box.min_x, box.max_y - box.min_y);
    double scale = side > 0 ? 65535 / side : 0;
    if (!(scale < 1e300)) scale = 0; /* points that are one place but for a denormal */
    for (size_t i = 0; i < count; i++) {
        uint32_t x = (uint32_t)((points[i].x - box.min_x) * scale);
        uint32_t y = (uint32_t)((points[i].y - box.min_y) * scale);
        keys[i] = (struct keyed){spread_bits(x) << 1 | spread_bits(y), (uint32_t)i};
    }
}

/* By key and, within a key, in the order they had. The sorted ones end in `from`: that is,
 * `from` and `to` are exchanged in odd passes, and the caller is told where they ended. */
static const struct keyed *sort_keys(struct keyed *from, struct keyed *to, size_t count)
{
    uint32_t place[PASSES][RADIX] = {0};
    for (size_t i = 0; i < count; i++) {
        for (int p = 0; p < PASSES; p++)
            place[p][from[i].key >> (p * RADIX_BITS) & (RADIX - 1)]++;
    }
    for (int p = 0; p < PASSES; p++) {
        uint32_t sum = 0;
        for (int d = 0; d < RADIX; d++) {
            uint32_t here = place[p][d];
            place[p][d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[place[p][from[i].key >> (p * RADIX_BITS) & (RADIX - 1)]++] = from[i];
        struct keyed *other = from;
        from = to;
        to = other;
    }
    return from;
}

static uint32_t new_pair(struct tree *t)
{
    if (t->node_count + 2 > t->node_capacity) {
        uint32_t capacity = t->node_capacity * 2 + 64;
        t->nodes = heap_grow(t->base.heap, t->nodes, t->node_capacity, capacity);
        t->splits = heap_grow(t->base.heap, t->splits, t->node_capacity, capacity);
        t->node_capacity = capacity;
    }
    t->node_count += 2;
    return t->node_count - 2;
}

/* The first in [begin, end) whose key has the bit; end if none has. */
static uint32_t first_with_bit(const struct keyed *keys, uint32_t begin, uint32_t end, int bit)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (keys[middle].key >> bit & 1) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return begin;
}

static struct spatial_box box_of_run(const struct spatial_slots *s, uint32_t begin,
                                     uint32_t end)
{
    struct spatial_box box = SPATIAL_BOX_NONE;
    for (uint32_t i = begin; i < end; i++) spatial_box_add(&box, spatial_slot_at(s, i));
    return box;
}

static struct spatial_box box_of_both(const struct spatial_box *a, const struct spatial_box *b)
{
    return (struct spatial_box){fmin(a->min_x, b->min_x), fmin(a->min_y, b->min_y),
                                fmax(a->max_x, b->max_x), fmax(a->max_y, b->max_y)};
}

/* Where two halves part: across the axis along which they are farther apart. They may
 * overlap, which runs of equal keys and rounding of keys can make them do; then the gap is
 * negative, and a search treats it as none. */
static struct split split_of(const struct node *pair, uint32_t child)
{
    double gap_x = pair[1].box.min_x - pair[0].box.max_x;
    double gap_y = pair[1].box.min_y - pair[0].box.max_y;
    bool is_y = gap_y > gap_x;
    double low = is_y ? pair[0].box.max_y : pair[0].box.max_x;
    double high = is_y ? pair[1].box.min_y : pair[1].box.min_x;
    return (struct split){
        .child = child, .axis = is_y, .edges = {low, high}, .middle = (low + high) / 2};
}

/* Makes node `at`, whose run is set. Every level below has a bit less in which the keys
 * differ, or half the run. */
static void make_node(struct tree *t, const struct keyed *keys, uint32_t at)
{
    uint32_t begin = t->nodes[at].begin, end = t->nodes[at].end;
    if (end - begin <= LEAF) {
        t->nodes[at].box = box_of_run(&t->base.slots, begin, end);
        t->splits[at] = (struct split){.begin = begin, .end = end};
        return;
    }
    uint32_t differ = keys[begin].key ^ keys[end - 1].key;
    uint32_t cut = differ ? first_with_bit(keys, begin, end, 31 - __builtin_clz(differ))
                          : begin + (end - begin) / 2;
    uint32_t child = new_pair(t);
    t->nodes[child] = (struct node){.begin = begin, .end = cut};
    t->nodes[child + 1] = (struct node){.begin = cut, .end = end};
    make_node(t, keys, child);
    make_node(t, keys, child + 1);
    t->nodes[at].child = child;
    t->nodes[at].box = box_of_both(&t->nodes[child].box, &t->nodes[child + 1].box);
    t->splits[at] = split_of(&t->nodes[child], child);
}

static void tree_fill(void *state, const struct spatial_point *points, const uint32_t *ids,
                      size_t count)
{
    struct tree *t = state;
    spatial_base_reset(&t->base, ids, count);
    t->base.count = count;
    t->sorted = (uint32_t)count;
    t->tail = t->holes = t->node_count = 0;
    t->tolerance = 32 + (uint32_t)(4 * sqrt((double)count));
    if (count == 0) return;
    spatial_slots_reserve(&t->base, count);
    struct keyed *keys = heap_new(t->base.heap, struct keyed, 2 * count);
    make_keys(points, count, keys);
    const struct keyed *sorted = sort_keys(keys, keys + count, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t from = sorted[i].index;
        spatial_slot_put(&t->base, (uint32_t)i, ids ? ids[from] : from, points[from]);
    }
    (void)new_pair(t); /* the root is the first; the other is not used */
    t->nodes[0] = (struct node){.begin = 0, .end = (uint32_t)count};
    make_node(t, sorted, 0);
    heap_free(t->base.heap, keys, 2 * count * sizeof *keys);
}

static void tree_close(void *state)
{
    struct tree *t = state;
    heap_free(t->base.heap, t->nodes, t->node_capacity * sizeof *t->nodes);
    heap_free(t->base.heap, t->splits, t->node_capacity * sizeof *t->splits);
}

static void rebuild(struct tree *t)
{
    struct spatial_copy copy = spatial_copy_take(&t->base);
    tree_fill(t, copy.points, copy.ids, copy.count);
    spatial_copy_release(&t->base, &copy);
}

static void tree_insert(void *state, uint32_t id, struct spatial_point at)
{
    struct tree *t = state;
    uint32_t slot = t->sorted + t->tail;
    if (slot == t->base.slots.capacity) {
        size_t room = (size_t)slot + t->tolerance + 1;
        spatial_slots_reserve(&t->base, room);
    }
    spatial_slot_put(&t->base, slot, id, at);
    t->base.count++;
    if (++t->tail > t->tolerance) rebuild(t);
}

/* Without building anew. */
static void take_out(struct tree *t, uint32_t id)
{
    struct spatial_slots *s = &t->base.slots;
    uint32_t slot = t->base.slot_of[id];
    if (slot < t->sorted) {
        s->at[slot] = SPATIAL_NOWHERE;
        t->holes++;
    } else {
        uint32_t last = t->sorted + --t->tail;
        spatial_slot_put(&t->base, slot, s->id[last], spatial_slot_at(s, last));
    }
    t->base.slot_of[id] = SPATIAL_NO_SLOT;
    t->base.count--;
}

static void tree_remove(void *state, uint32_t id)
{
    struct tree *t = state;
    take_out(t, id);
    if (t->holes > t->tolerance) rebuild(t);
}

static void tree_move(void *state, uint32_t id, struct spatial_point to)
{
    struct tree *t = state;
    uint32_t slot = t->base.slot_of[id];
    if (slot >= t->sorted) {
        spatial_slot_put(&t->base, slot, id, to);
        return;
    }
    take_out(t, id);
    tree_insert(t, id, to);
}

static void tree_update(void *state, const struct spatial_move *moves, size_t count)
{
    struct tree *t = state;
    bool is_rebuilt = count > t->tolerance;
    for (size_t i = 0; i < count; i++) {
        CHECK(spatial_move_is_valid(&t->base, &moves[i]));
        if (is_rebuilt) {
            spatial_slot_put(&t->base, t->base.slot_of[moves[i].id], moves[i].id, moves[i].to);
        } else {
            tree_move(t, moves[i].id, moves[i].to);
        }
    }
    if (is_rebuilt) rebuild(t);
}

/* A subtree that is all inside: one copy, but for holes. */
static void take_run(const struct tree *t, const struct node *n, struct spatial_list *found)
{
    static const struct spatial_box everywhere = {-INFINITY, -INFINITY, INFINITY, INFINITY};
    if (t->holes == 0) {
        spatial_scan_all(&t->base.slots, n->begin, n->end, found);
    } else {
        spatial_scan_range(&t->base.slots, n->begin, n->end, &everywhere, found);
    }
}

static void tree_radius(const void *state, struct spatial_point centre, double radius,
                        struct spatial_list *found)
{
    const struct tree *t = state;
    const struct spatial_slots *s = &t->base.slots;
    double radius2 = radius * radius;
    uint32_t stack[STACK];
    size_t depth = 0;
    if (t->sorted && spatial_box_near2(&t->nodes[0].box, centre) <= radius2) stack[depth++] = 0;
    while (depth > 0) {
        const struct node *n = &t->nodes[stack[--depth]];
        if (n->child == 0) {
            spatial_scan_radius(s, n->begin, n->end, centre, radius2, found);
        } else if (spatial_box_far2(&n->box, centre) <= radius2) {
            take_run(t, n, found);
        } else {
            const struct node *pair = &t->nodes[n->child];
            stack[depth] = n->child + 1;
            depth += spatial_box_near2(&pair[1].box, centre) <= radius2;
            stack[depth] = n->child;
            depth += spatial_box_near2(&pair[0].box, centre) <= radius2;
        }
    }
    spatial_scan_radius(s, t->sorted, t->sorted + t->tail, centre, radius2, found);
}

static void tree_range(const void *state, const struct spatial_box *box,
                       struct spatial_list *found)
{
    const struct tree *t = state;
    const struct spatial_slots *s = &t->base.slots;
    uint32_t stack[STACK];
    size_t depth = 0;
    if (t->sorted && spatial_box_meets(&t->nodes[0].box, box)) stack[depth++] = 0;
    while (depth > 0) {
        const struct node *n = &t->nodes[stack[--depth]];
        if (n->child == 0) {
            spatial_scan_range(s, n->begin, n->end, box, found);
        } else if (spatial_box_holds(box, &n->box)) {
            take_run(t, n, found);
        } else {
            for (uint32_t c = n->child; c < n->child + 2; c++) {
                if (spatial_box_meets(&t->nodes[c].box, box)) stack[depth++] = c;
            }
        }
    }
    spatial_scan_range(s, t->sorted, t->sorted + t->tail, box, found);
}

/* A subtree that waits, and how far it is along each axis at least. */
struct wait {
    double near2;
    double gap[2];
    uint32_t node;
};

/* Down to the side of the centre, keeping the other with its distance: when it comes up
 * again, what has been found since may rule it out. One axis of the distance changes with
 * each plane that is crossed, so no box is looked at (Arya and Mount 1993, "Algorithms for
 * fast vector quantization"). Nobody can predict the side: it is computed, from a middle that
 * is ready, because the way down waits for it; the gap is exact whichever side is taken. */
static size_t tree_nearest(const void *state, struct spatial_point centre, size_t k,
                           struct spatial_near *nearest)
{
    const struct tree *t = state;
    const struct spatial_slots *s = &t->base.slots;
    struct spatial_best best = {nearest, k, 0, HUGE_VAL};
    struct wait stack[STACK];
    size_t depth = 0;
    static const double signs[2] = {-1, 1};
    const double at[2] = {centre.x, centre.y};
    if (t->tail) spatial_scan_nearest(s, t->sorted, t->sorted + t->tail, centre, &best);
    if (t->sorted) {
        const struct spatial_box *b = &t->nodes[0].box;
        stack[depth++] = (struct wait){
            spatial_box_near2(b, centre),
            {spatial_gap(at[0], b->min_x, b->max_x), spatial_gap(at[1], b->min_y, b->max_y)},
            0};
    }
    while (depth > 0) {
        struct wait w = stack[--depth];
        if (w.near2 > best.bound) continue;
        const struct split *split = &t->splits[w.node];
        while (split->child) {
            double here = at[split->axis];
            bool is_low = here < split->middle; /* nearer to what is below */
            double gap = (split->edges[is_low] - here) * signs[is_low]; /* to the other */
            double before = w.gap[split->axis];
            double other = w.gap[1 - split->axis];
            gap = gap > before ? gap : before;
            struct wait *far = &stack[depth];
            far->node = split->child + is_low;
            far->gap[split->axis] = gap;
            far->gap[1 - split->axis] = other;
            far->near2 = gap * gap + other * other;
            depth += far->near2 <= best.bound;
            split = &t->splits[split->child + !is_low];
        }
        spatial_scan_nearest(s, split->begin, split->end, centre, &best);
    }
    return best.count;
}

const struct spatial_kind spatial_kd_tree = {
    .name = "kd_tree",
    .alias = "kdtree",
    .summary = "halves the plane across x and y in turn",
    .state_size = sizeof(struct tree),
    .close = tree_close,
    .fill = tree_fill,
    .insert = tree_insert,
    .remove = tree_remove,
    .move = tree_move,
    .update = tree_update,
    .radius = tree_radius,
    .range = tree_range,
    .nearest = tree_nearest,
};
