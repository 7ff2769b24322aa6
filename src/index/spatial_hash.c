/* A hash grid: the plane in equal cells, a bucket of points for each.
 *
 * The hash is the cell's row and column: the cells cover the box of the points that the grid
 * was made from, about POINTS_PER_CELL of them each, and a point outside belongs to the
 * nearest cell at the edge. So there are no collisions, and rows of cells are neighbours.
 *
 * Which cells can hold an answer is decided with a margin (SAFETY) that is many times the
 * rounding of the arithmetic on cells; the points in them are then tested exactly. A cell
 * that is inside a circle by the same margin is copied without tests, but for cells at the
 * edge, whose points may lie outside of them.
 *
 * A move within a cell writes two numbers; one into another cell moves two points. When
 * points have doubled, or a quarter of them was put outside, the grid is rebuilt. */
#include "index/spatial_slots.h"

#define POINTS_PER_CELL 6.0
#define SAFETY          1e-12 /* relative to the largest coordinate that plays a part */
enum { CELLS_PER_POINT = 4, CELLS_LEAST = 1024, AHEAD = 16, FAR_AHEAD = 32, IN_CACHE = 10000 };

/* What it takes to find the cell of a point: small enough for registers. */
struct lattice {
    double min_x, min_y, per_cell;
    double column_end, row_end;
    uint32_t columns;
};

struct grid {
    struct spatial_base base;
    struct spatial_pool pool;
    struct spatial_bucket *cells; /* row by row */
    size_t cell_capacity;
    uint32_t *owners; /* of each eight slots: their cell. Small enough to stay in the cache */
    size_t owner_capacity;
    struct spatial_box box;
    double cell, per_cell; /* side of a cell, and 1 / side */
    int64_t columns, rows;
    double last_column, last_row;
    struct lattice lattice;
    double slop;    /* margin of a coordinate */
    size_t built;   /* points when it was made */
    size_t outside; /* points put outside since */
};

/* Down to a whole number between 0 and the last. */
static int64_t clamped(double at, double last)
{
    at = at > 0 ? at : 0;
    return (int64_t)(at < last ? at : last);
}

static int64_t column_of(const struct grid *g, double x)
{
    return clamped((x - g->box.min_x) * g->per_cell, g->last_column);
}

static int64_t row_of(const struct grid *g, double y)
{
    return clamped((y - g->box.min_y) * g->per_cell, g->last_row);
}

static uint32_t cell_of(const struct grid *g, struct spatial_point p)
{
    return (uint32_t)(row_of(g, p.y) * g->columns + column_of(g, p.x));
}

/* Cells for these points: as settings say, but not more than a few per point. */
static void lay_out(struct grid *g, size_t count)
{
    double width = g->box.max_x - g->box.min_x;
    double height = g->box.max_y - g->box.min_y;
    double wanted = (double)count / POINTS_PER_CELL;
    double most = (double)(CELLS_PER_POINT * count + CELLS_LEAST);
    double cell = g->base.settings.cell;
    if (!(cell > 0)) {
        cell = sqrt(width * height / (wanted > 1 ? wanted : 1));
        double least = fmax(width, height) / (wanted > 1 ? wanted : 1); /* a line of points */
        if (!(cell > least)) cell = least;
    }
    if (!(cell > 0)) cell = 1;
    while ((floor(width / cell) + 1) * (floor(height / cell) + 1) > most) cell *= 1.25;
    g->cell = cell;
    g->per_cell = 1 / cell;
    g->columns = (int64_t)(width / cell) + 1;
    g->rows = (int64_t)(height / cell) + 1;
    g->last_column = (double)(g->columns - 1);
    g->last_row = (double)(g->rows - 1);
    g->lattice = (struct lattice){g->box.min_x,       g->box.min_y,    g->per_cell,
                                  (double)g->columns, (double)g->rows, (uint32_t)g->columns};
    double largest = fmax(fmax(fabs(g->box.min_x), fabs(g->box.max_x)),
                          fmax(fabs(g->box.min_y), fabs(g->box.max_y)));
    g->slop = largest * SAFETY;
}

static void own(struct grid *g, uint32_t cell)
{
    const struct spatial_bucket *b = &g->cells[cell];
    size_t needed = g->base.slots.capacity / SPATIAL_BUCKET_MIN + 1;
    if (needed > g->owner_capacity) {
        g->owners = heap_grow(g->base.heap, g->owners, g->owner_capacity, needed);
        g->owner_capacity = needed;
    }
    for (uint32_t i = 0; i < b->capacity; i += SPATIAL_BUCKET_MIN)
        g->owners[(b->begin + i) / SPATIAL_BUCKET_MIN] = cell;
}

/* Counts the points of each cell, lays the buckets out in order, and puts the points in. */
static void distribute(struct grid *g, const struct spatial_point *points, const uint32_t *ids,
                       size_t count)
{
    size_t cell_count = (size_t)(g->columns * g->rows);
    if (cell_count > g->cell_capacity) {
        g->cells = heap_grow(g->base.heap, g->cells, g->cell_capacity, cell_count);
        g->cell_capacity = cell_count;
    }
    memset(g->cells, 0, cell_count * sizeof *g->cells);
    uint32_t *cell_at = heap_new(g->base.heap, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        cell_at[i] = cell_of(g, points[i]);
        g->cells[cell_at[i]].count++;
    }
    size_t used = 0;
    for (size_t c = 0; c < cell_count; c++) {
        struct spatial_bucket *b = &g->cells[c];
        *b = (struct spatial_bucket){(uint32_t)used, 0, spatial_bucket_size(b->count)};
        used += b->capacity;
    }
    spatial_slots_reserve(&g->base, used + used / 8);
    g->pool = (struct spatial_pool){.used = (uint32_t)used};
    for (uint32_t c = 0; c < cell_count; c++) own(g, c);
    for (size_t i = 0; i < used; i++) g->base.slots.at[i] = SPATIAL_NOWHERE;
    memset(g->base.slots.id, 0, used * sizeof *g->base.slots.id);
    for (size_t i = 0; i < count; i++) {
        struct spatial_bucket *b = &g->cells[cell_at[i]];
        spatial_slot_put(&g->base, b->begin + b->count++, ids ? ids[i] : (uint32_t)i,
                         points[i]);
    }
    heap_free(g->base.heap, cell_at, count * sizeof *cell_at);
}

static void grid_fill(void *state, const struct spatial_point *points, const uint32_t *ids,
                      size_t count)
{
    struct grid *g = state;
    spatial_base_reset(&g->base, ids, count);
    g->base.count = g->built = count;
    g->outside = 0;
    g->box = SPATIAL_BOX_NONE;
    for (size_t i = 0; i < count; i++) spatial_box_add(&g->box, points[i]);
    if (count == 0) g->box = (struct spatial_box){0, 0, 0, 0};
    lay_out(g, count);
    distribute(g, points, ids, count);
}

static void grid_close(void *state)
{
    struct grid *g = state;
    heap_free(g->base.heap, g->cells, g->cell_capacity * sizeof *g->cells);
    heap_free(g->base.heap, g->owners, g->owner_capacity * sizeof *g->owners);
}

static void rebuild_if_due(struct grid *g)
{
    if (g->base.count <= 2 * g->built + 64 && g->outside <= g->base.count / 4 + 64) return;
    struct spatial_copy copy = spatial_copy_take(&g->base);
    grid_fill(g, copy.points, copy.ids, copy.count);
    spatial_copy_release(&g->base, &copy);
}

static bool is_outside(const struct grid *g, struct spatial_point p)
{
    const struct spatial_box *b = &g->box;
    return p.x < b->min_x || p.x > b->max_x || p.y < b->min_y || p.y > b->max_y;
}

/* The common case: inside all walls, which no coordinate is that is not finite. */
static bool find_cell(const struct lattice *l, struct spatial_point p, uint32_t *cell)
{
    double column = (p.x - l->min_x) * l->per_cell;
    double row = (p.y - l->min_y) * l->per_cell;
    *cell = 0;
    if (!((column >= 0) & (column < l->column_end) & (row >= 0) & (row < l->row_end)))
        return false;
    *cell = (uint32_t)(int32_t)row * l->columns + (uint32_t)(int32_t)column;
    return true;
}

/* The cell of a point that is to be put in, wherever it is. */
static uint32_t cell_for(struct grid *g, struct spatial_point p)
{
    uint32_t cell;
    if (find_cell(&g->lattice, p, &cell)) return cell;
    CHECK(spatial_point_is_valid(p));
    g->outside += is_outside(g, p);
    return cell_of(g, p);
}

static uint32_t cell_at(const struct grid *g, uint32_t slot)
{
    return g->owners[slot / SPATIAL_BUCKET_MIN];
}

static void put_in(struct grid *g, uint32_t id, struct spatial_point at, uint32_t cell)
{
    struct spatial_bucket *b = &g->cells[cell];
    uint32_t before = b->begin;
    spatial_bucket_add(&g->base, &g->pool, b, id, at);
    if (b->begin != before) own(g, cell);
}

static void grid_insert(void *state, uint32_t id, struct spatial_point at)
{
    struct grid *g = state;
    put_in(g, id, at, cell_for(g, at));
    g->base.count++;
    rebuild_if_due(g);
}

static void grid_remove(void *state, uint32_t id)
{
    struct grid *g = state;
    uint32_t slot = g->base.slot_of[id];
    spatial_bucket_drop(&g->base, &g->cells[cell_at(g, slot)], slot);
    g->base.count--;
}

static void change_cell(struct grid *g, uint32_t id, struct spatial_point to, uint32_t into)
{
    uint32_t slot = g->base.slot_of[id];
    spatial_bucket_drop(&g->base, &g->cells[cell_at(g, slot)], slot);
    put_in(g, id, to, into);
}

static void grid_move(void *state, uint32_t id, struct spatial_point to)
{
    struct grid *g = state;
    uint32_t slot = g->base.slot_of[id];
    uint32_t into = cell_for(g, to);
    if (into == cell_at(g, slot)) {
        g->base.slots.at[slot] = to;
    } else {
        change_cell(g, id, to, into);
    }
    rebuild_if_due(g);
}

/* The moves touch memory all over the place: what a later one needs is asked for ahead. */
static void prefetch(const struct grid *g, uint32_t near_id, uint32_t far_id)
{
    CHECK(near_id < g->base.id_capacity && far_id < g->base.id_capacity);
    __builtin_prefetch(&g->base.slot_of[far_id], 1);
    uint32_t slot = g->base.slot_of[near_id];
    if (slot == SPATIAL_NO_SLOT) return; /* it will be found out */
    __builtin_prefetch(&g->base.slots.at[slot], 1);
    __builtin_prefetch(&g->owners[slot / SPATIAL_BUCKET_MIN]);
}

static void grid_update(void *state, const struct spatial_move *moves, size_t count)
{
    struct grid *g = state;
    const struct lattice lattice = g->lattice; /* a copy, which no store can change */
    size_t prefetched = g->base.count > IN_CACHE && count > FAR_AHEAD ? count - FAR_AHEAD : 0;
    for (size_t i = 0; i < count; i++) {
        const struct spatial_move *m = &moves[i];
        if (i < prefetched) prefetch(g, moves[i + AHEAD].id, moves[i + FAR_AHEAD].id);
        CHECK(spatial_has(&g->base, m->id));
        uint32_t slot = g->base.slot_of[m->id];
        uint32_t into;
        if (!find_cell(&lattice, m->to, &into)) into = cell_for(g, m->to);
        if (into == cell_at(g, slot)) {
            g->base.slots.at[slot] = m->to;
        } else {
            change_cell(g, m->id, m->to, into);
        }
    }
    rebuild_if_due(g);
}

/* Columns (or rows) first..last. */
struct span {
    int64_t first, last;
};

static bool at_edge(int64_t at, int64_t count)
{
    return at == 0 || at == count - 1;
}

/* Margin of a coordinate that may be anywhere between these two. */
static double margin(const struct grid *g, double low, double high)
{
    low = fabs(low);
    high = fabs(high);
    return g->slop + (low > high ? low : high) * SAFETY + 1e-150;
}

static void take_cells(const struct grid *g, const struct spatial_bucket *row, struct span s,
                       struct spatial_list *found)
{
    for (int64_t c = s.first; c <= s.last; c++)
        spatial_take_bucket(&g->base.slots, &row[c], found);
}

static void scan_cells(const struct grid *g, const struct spatial_bucket *row, struct span s,
                       struct spatial_point centre, double radius2, struct spatial_list *found)
{
    for (int64_t c = s.first; c <= s.last; c++)
        spatial_scan_fours(&g->base.slots, row[c].begin, row[c].begin + row[c].capacity, centre,
                           radius2, found);
}

/* Of row `r`, the columns that are inside the circle for sure; first > last if none is. */
static struct span inner_columns(const struct grid *g, int64_t r, struct spatial_point centre,
                                 double radius2, double safe)
{
    struct span none = {1, 0};
    if (at_edge(r, g->rows)) return none;
    double low = g->box.min_y + (double)r * g->cell - safe;
    double dy = fmax(centre.y - low, low + g->cell + 2 * safe - centre.y);
    double half2 = radius2 * (1 - SAFETY) - dy * dy;
    if (!(half2 > 0)) return none;
    double half = sqrt(half2) - safe;
    double left = (centre.x - half - g->box.min_x) * g->per_cell;
    double right = (centre.x + half - g->box.min_x) * g->per_cell;
    /* Whole cells between the two, without those at the edge. */
    struct span s = {clamped(left, g->last_column) + 1, clamped(right, g->last_column) - 1};
    return s.first <= s.last ? s : none;
}

static void grid_radius(const void *state, struct spatial_point centre, double radius,
                        struct spatial_list *found)
{
    const struct grid *g = state;
    double radius2 = radius * radius;
    double safe = margin(g, fabs(centre.x) + radius, fabs(centre.y) + radius);
    struct span rows = {row_of(g, centre.y - radius - safe),
                        row_of(g, centre.y + radius + safe)};
    for (int64_t r = rows.first; r <= rows.last; r++) {
        const struct spatial_bucket *row = &g->cells[r * g->columns];
        double low = g->box.min_y + (double)r * g->cell;
        double dy = spatial_gap(centre.y, low - safe, low + g->cell + safe);
        double half2 = at_edge(r, g->rows) ? radius2 : radius2 * (1 + SAFETY) - dy * dy;
        double half = (half2 > 0 ? sqrt(half2) : 0) + safe;
        struct span all = {column_of(g, centre.x - half), column_of(g, centre.x + half)};
        struct span inner = inner_columns(g, r, centre, radius2, safe);
        if (inner.first > inner.last) {
            scan_cells(g, row, all, centre, radius2, found);
            continue;
        }
        scan_cells(g, row, (struct span){all.first, inner.first - 1}, centre, radius2, found);
        take_cells(g, row, inner, found);
        scan_cells(g, row, (struct span){inner.last + 1, all.last}, centre, radius2, found);
    }
}

static void grid_range(const void *state, const struct spatial_box *box,
                       struct spatial_list *found)
{
    const struct grid *g = state;
    struct span columns = {column_of(g, box->min_x), column_of(g, box->max_x)};
    struct span rows = {row_of(g, box->min_y), row_of(g, box->max_y)};
    for (int64_t r = rows.first; r <= rows.last; r++) {
        const struct spatial_bucket *row = &g->cells[r * g->columns];
        bool is_inner_row = r > rows.first && r < rows.last;
        for (int64_t c = columns.first; c <= columns.last; c++) {
            uint32_t begin = row[c].begin, end = begin + row[c].count;
            /* The hash is monotone: between the cells of the box's corners all is inside. */
            if (is_inner_row && c > columns.first && c < columns.last) {
                spatial_scan_all(&g->base.slots, begin, end, found);
            } else {
                spatial_scan_range(&g->base.slots, begin, end, box, found);
            }
        }
    }
}

static void nearest_in_row(const struct grid *g, int64_t r, struct span columns,
                           struct spatial_point centre, struct spatial_best *best)
{
    const struct spatial_bucket *row = &g->cells[r * g->columns];
    for (int64_t c = columns.first; c <= columns.last; c++)
        spatial_scan_nearest(&g->base.slots, row[c].begin, row[c].begin + row[c].capacity,
                             centre, best);
}

/* `ring` steps around the middle, in both directions; and of those that exist. */
static struct span ring_of(int64_t middle, int64_t ring)
{
    return (struct span){middle - ring, middle + ring};
}

static struct span existing(struct span s, int64_t count)
{
    return (struct span){s.first < 0 ? 0 : s.first, s.last < count ? s.last : count - 1};
}

/* Distance from c along one axis to the nearest cell beyond the ring; none: HUGE_VAL. A
 * centre outside the grid may be past a wall: then it is negative, and nothing is ruled out. */
static double wall_distance(const struct grid *g, double c, double low, struct span ring,
                            int64_t count)
{
    double before = ring.first > 0 ? c - (low + (double)ring.first * g->cell) : HUGE_VAL;
    double after =
        ring.last < count - 1 ? low + (double)(ring.last + 1) * g->cell - c : HUGE_VAL;
    return before < after ? before : after;
}

/* Whether no cell beyond these can have a point that is wanted. */
static bool is_settled(const struct grid *g, struct spatial_point centre, struct span columns,
                       struct span rows, double bound)
{
    double across = wall_distance(g, centre.x, g->box.min_x, columns, g->columns);
    double up = wall_distance(g, centre.y, g->box.min_y, rows, g->rows);
    double wall = across < up ? across : up;
    double sure = wall - margin(g, centre.x, centre.y);
    return wall == HUGE_VAL || (sure > 0 && sure * sure * (1 - SAFETY) > bound);
}

/* The cell of c and the neighbour that is nearer. */
static struct span nearer_two(const struct grid *g, double c, double low, int64_t count)
{
    double last = (double)(count - 1);
    int64_t first = clamped((c - low) * g->per_cell - 0.5, last);
    return existing((struct span){first, first + 1}, count);
}

/* For the nearest one: four cells around the centre, the least distance of each, then the
 * points of the cell that has the least of all. Which that is cannot be predicted, so it is
 * chosen without a branch; ties between cells are rare. True if that settles it. */
static bool nearest_of_four(const struct grid *g, struct spatial_point centre,
                            struct spatial_best *best)
{
    struct span columns = nearer_two(g, centre.x, g->box.min_x, g->columns);
    struct span rows = nearer_two(g, centre.y, g->box.min_y, g->rows);
    const struct spatial_slots *s = &g->base.slots;
    const struct spatial_bucket *cells[4];
    double least[4], overall = HUGE_VAL;
    size_t count = 0, first = 0, end = 0;
    for (int64_t r = rows.first; r <= rows.last; r++) {
        for (int64_t c = columns.first; c <= columns.last; c++) {
            const struct spatial_bucket *b = &g->cells[r * g->columns + c];
            cells[count] = b;
            least[count++] = spatial_least(s, b->begin, b->begin + b->capacity, centre);
        }
    }
    for (size_t i = 0; i < count; i++) overall = least[i] < overall ? least[i] : overall;
    for (size_t i = 0; i < count; i++) end = least[i] == overall ? i + 1 : end;
    for (size_t i = count; i > 0; i--) first = least[i - 1] == overall ? i - 1 : first;
    for (size_t i = first; i < end; i++) {
        uint32_t begin = cells[i]->begin;
        if (least[i] == overall)
            spatial_take_first(s, begin, begin + cells[i]->capacity, centre, overall, best);
    }
    return is_settled(g, centre, columns, rows, best->bound);
}

static void nearest_in_ring(const struct grid *g, struct span across, struct span up,
                            struct spatial_point centre, struct spatial_best *best)
{
    struct span columns = existing(across, g->columns), rows = existing(up, g->rows);
    for (int64_t r = rows.first; r <= rows.last; r++) {
        if (r == up.first || r == up.last) {
            nearest_in_row(g, r, columns, centre, best);
            continue;
        }
        struct span left = {columns.first, across.first};
        struct span right = {across.last, columns.last};
        nearest_in_row(g, r, left, centre, best);
        nearest_in_row(g, r, right, centre, best);
    }
}

/* Rings of cells around the cell of the centre, until nothing beyond them can be nearer. */
static size_t grid_nearest(const void *state, struct spatial_point centre, size_t k,
                           struct spatial_near *nearest)
{
    const struct grid *g = state;
    struct spatial_best best = {nearest, k, 0, HUGE_VAL};
    if (k == 1 && nearest_of_four(g, centre, &best)) return best.count;
    int64_t column = column_of(g, centre.x), row = row_of(g, centre.y);
    for (int64_t ring = 0;; ring++) {
        struct span across = ring_of(column, ring), up = ring_of(row, ring);
        nearest_in_ring(g, across, up, centre, &best);
        if (is_settled(g, centre, across, up, best.bound)) return best.count;
    }
}

const struct spatial_kind spatial_hash = {
    .name = "spatial_hash",
    .alias = "hash_grid",
    .summary = "equal cells, each with the points in it",
    .state_size = sizeof(struct grid),
    .close = grid_close,
    .fill = grid_fill,
    .insert = grid_insert,
    .remove = grid_remove,
    .move = grid_move,
    .update = grid_update,
    .radius = grid_radius,
    .range = grid_range,
    .nearest = grid_nearest,
};
