/* Both storages are driven by one list of marks (place this value at that cell of that
 * channel, by sum or by maximum), in the same order, and fade by the same product of two
 * floats: that is why they agree to the last bit, and what differs is only how a value is
 * kept. A cell that is seen empty has the value 1 exactly, so a bit holds it; when it is no
 * longer seen it becomes a point of 0.98 and fades from there. */
#include "world/observation.h"
#include "base/clock.h"

#include <string.h>

static const float faintest = 1e-6F; /* below, a remembered value is forgotten */
static const float nothing = 1e-6F;  /* up to this a cell counts as empty */

static const float fading[CHANNEL_COUNT] = {
    [CHANNEL_KNOWN_EMPTY] = 0.98F, [CHANNEL_DAMAGE_HEAT] = 0.85F, [CHANNEL_TRAILS] = 0.90F,
    [CHANNEL_ALLY_SIGNAL] = 0.92F, [CHANNEL_LANDMARKS] = 1,
};

static const char *const names[CHANNEL_COUNT] = {
    "self_hp",      "allies_hp",  "enemies_hp",  "resources",   "obstacles",
    "terrain_cost", "visibility", "known_empty", "damage_heat", "trails",
    "ally_signal",  "goal",       "landmarks",
};

const char *observation_channel_name(enum observation_channel channel)
{
    return names[channel];
}

void lens_init(struct lens *lens, int32_t radius, int32_t fov_radius,
               enum observation_storage storage, bool is_bilinear, struct arena *arena)
{
    CHECK(radius > 0 && radius <= OBSERVATION_RADIUS_MAX && fov_radius > 0);
    *lens = (struct lens){
        .radius = radius,
        .fov_radius = fov_radius < radius ? fov_radius : radius,
        .storage = storage,
        .is_bilinear = is_bilinear,
        .side = 2 * radius + 1,
    };
    lens->found.heap = &lens->heap;
    lens->cells = (size_t)lens->side * (size_t)lens->side;
    lens->words = (lens->cells + 63) / 64;
    lens->visible = arena_new(arena, float, lens->cells);
    lens->visible_bits = arena_new(arena, uint64_t, lens->words);
    lens->moved = arena_new(arena, float, lens->cells);
    lens->seen_bits = arena_new(arena, uint64_t, lens->words);
    for (int32_t y = -radius; y <= radius; y++) {
        for (int32_t x = -radius; x <= radius; x++) {
            if (x * x + y * y > lens->fov_radius * lens->fov_radius) continue;
            int32_t cell = (y + radius) * lens->side + x + radius;
            lens->visible[cell] = 1;
            lens->visible_bits[cell / 64] |= UINT64_C(1) << (cell % 64);
        }
    }
}

void lens_release(struct lens *lens)
{
    if (lens->found.heap) spatial_list_release(&lens->found);
}

void observation_init(struct observation *o, struct lens *lens)
{
    *o = (struct observation){0};
    if (lens->storage == OBSERVATION_DENSE) {
        o->dense = heap_new(&lens->heap, float, lens_tensor_floats(lens));
        memset(o->dense, 0, lens_tensor_floats(lens) * sizeof *o->dense);
    } else {
        o->empty = heap_new(&lens->heap, uint64_t, lens->words);
        memset(o->empty, 0, lens->words * sizeof *o->empty);
    }
}

void observation_release(struct observation *o, struct lens *lens)
{
    if (o->dense) heap_free(&lens->heap, o->dense, lens_tensor_floats(lens) * sizeof *o->dense);
    if (o->empty) heap_free(&lens->heap, o->empty, lens->words * sizeof *o->empty);
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        struct observation_points *points = &o->points[channel];
        if (points->items)
            heap_free(&lens->heap, points->items, points->capacity * sizeof *points->items);
    }
    *o = (struct observation){0};
}

/* ---- one mark ---- */

/* The cell must not have a point yet. */
static struct observation_point *add_point(struct observation_points *points, uint32_t cell,
                                           struct heap *heap)
{
    if (points->count == points->capacity) {
        uint32_t capacity = points->capacity ? points->capacity * 2 : 8;
        points->items = heap_grow(heap, points->items, points->capacity, capacity);
        points->capacity = capacity;
    }
    struct observation_point *p = &points->items[points->count++];
    *p = (struct observation_point){.cell = cell};
    return p;
}

static struct observation_point *find_or_add(struct observation_points *points, uint32_t cell,
                                             struct heap *heap)
{
    for (uint32_t i = 0; i < points->count; i++) {
        if (points->items[i].cell == cell) return &points->items[i];
    }
    return add_point(points, cell, heap);
}

/* Where a value goes; a cell outside of the window gives NULL. */
static float *place(struct observation *o, struct lens *lens, enum observation_channel channel,
                    int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= lens->side || y >= lens->side) return NULL;
    uint32_t cell = (uint32_t)(y * lens->side + x);
    if (o->dense) return &o->dense[channel * lens->cells + cell];
    return &find_or_add(&o->points[channel], cell, &lens->heap)->value;
}

static void mark_max(struct observation *o, struct lens *lens, enum observation_channel channel,
                     int32_t x, int32_t y, float value)
{
    float *at = place(o, lens, channel, x, y);
    if (at && value > *at) *at = value;
}

static void mark_sum(struct observation *o, struct lens *lens, int32_t x, int32_t y,
                     double value)
{
    if (value <= 0) return;
    float *at = place(o, lens, CHANNEL_RESOURCES, x, y);
    if (at) *at += (float)value;
}

/* ---- what is remembered ---- */

static float faded(float value, float factor)
{
    float now = value * factor;
    return now < faintest ? 0 : now;
}

/* One plane moves by (dx, dy) cells against the agent. */
static void shift_plane(float *plane, const struct lens *lens, int32_t dx, int32_t dy)
{
    memset(lens->moved, 0, lens->cells * sizeof *lens->moved);
    int32_t side = lens->side;
    int32_t low = dx > 0 ? 0 : -dx, high = dx > 0 ? side - dx : side;
    for (int32_t y = 0; y < side && low < high; y++) {
        int32_t from = y + dy;
        if (from < 0 || from >= side) continue;
        memcpy(&lens->moved[y * side + low], &plane[from * side + low + dx],
               (size_t)(high - low) * sizeof *plane);
    }
    memcpy(plane, lens->moved, lens->cells * sizeof *plane);
}

static void remember_dense(struct observation *o, const struct lens *lens, int32_t dx,
                           int32_t dy)
{
    memset(o->dense, 0, CHANNEL_VISIBILITY * lens->cells * sizeof *o->dense);
    memset(&o->dense[CHANNEL_GOAL * lens->cells], 0, lens->cells * sizeof *o->dense);
    memcpy(&o->dense[CHANNEL_VISIBILITY * lens->cells], lens->visible,
           lens->cells * sizeof *o->dense);
    for (int channel = CHANNEL_KNOWN_EMPTY; channel < CHANNEL_COUNT; channel++) {
        if (!(fading[channel] > 0)) continue;
        float *plane = &o->dense[(size_t)channel * lens->cells];
        if (dx || dy) shift_plane(plane, lens, dx, dy);
        if (channel == CHANNEL_LANDMARKS) continue;
        for (size_t i = 0; i < lens->cells; i++) plane[i] = faded(plane[i], fading[channel]);
    }
}

/* Moves a cell; false if it leaves the window. */
static bool shift_cell(uint32_t *cell, const struct lens *lens, int32_t dx, int32_t dy)
{
    int32_t x = (int32_t)*cell % lens->side - dx, y = (int32_t)*cell / lens->side - dy;
    *cell = (uint32_t)(y * lens->side + x);
    return x >= 0 && y >= 0 && x < lens->side && y < lens->side;
}

static void remember_points(struct observation_points *points, const struct lens *lens,
                            int32_t dx, int32_t dy, float factor)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        struct observation_point p = points->items[i];
        p.value = factor < 1 ? faded(p.value, factor) : p.value;
        if (p.value > 0 && shift_cell(&p.cell, lens, dx, dy)) points->items[kept++] = p;
    }
    points->count = kept;
}

static void remember_hybrid(struct observation *o, const struct lens *lens, int32_t dx,
                            int32_t dy)
{
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        if (fading[channel] > 0) {
            remember_points(&o->points[channel], lens, dx, dy, fading[channel]);
        } else {
            o->points[channel].count = 0;
        }
    }
}

/* ---- what is there ---- */

/* A query; its time is added up where somebody wants to know. */
static void find_near(struct lens *lens, const struct nearby *n, double x, double y,
                      double radius)
{
    int64_t begin_ns = lens->is_timed ? clock_ns() : 0;
    nearby_within(n, x, y, radius, &lens->found);
    if (lens->is_timed) lens->query_ns += clock_ns() - begin_ns;
}

static void see_resources(struct observation *o, struct lens *lens, const struct world *w,
                          const struct world_agent *a)
{
    find_near(lens, &w->resources_near, a->x, a->y, lens->radius + 1);
    int64_t begin_ns = lens->is_timed ? clock_ns() : 0;
    for (size_t i = 0; i < lens->found.count; i++) {
        const struct world_resource *r = &w->resources[lens->found.ids[i]];
        double v = r->amount / r->max_amount;
        double lx = r->x - (o->cell_x - lens->radius), ly = r->y - (o->cell_y - lens->radius);
        if (lx < -1 || ly < -1) continue;
        int32_t x = (int32_t)(lx + 1) - 1, y = (int32_t)(ly + 1) - 1; /* floor of >= -1 */
        if (!lens->is_bilinear) {
            mark_sum(o, lens, x, y, v);
            lens->points_placed++;
            continue;
        }
        double fx = lx - x, fy = ly - y;
        mark_sum(o, lens, x, y, v * (1 - fx) * (1 - fy));
        mark_sum(o, lens, x, y + 1, v * (1 - fx) * fy);
        mark_sum(o, lens, x + 1, y, v * fx * (1 - fy));
        mark_sum(o, lens, x + 1, y + 1, v * fx * fy);
        lens->points_placed += 4;
    }
    if (lens->is_timed) lens->placing_ns += clock_ns() - begin_ns;
}

static bool is_seen(const struct lens *lens, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= lens->side || y >= lens->side) return false;
    return lens->visible[y * lens->side + x] > 0;
}

/* Places within this of the middle of the agent's own cell reach every visible cell: the
 * middle of a cell is at most sqrt(0.5) from anything in it. */
static double sight(const struct lens *lens)
{
    return lens->fov_radius + 0.7072;
}

static void see_agents(struct observation *o, struct lens *lens, const struct world *w,
                       uint32_t self)
{
    enum world_kind kind = w->agents[self].kind;
    find_near(lens, &w->agents_near, o->cell_x + 0.5, o->cell_y + 0.5, sight(lens));
    for (size_t i = 0; i < lens->found.count; i++) {
        uint32_t id = lens->found.ids[i];
        const struct world_agent *a = &w->agents[id];
        if (id == self || a->death_step >= 0) continue;
        int32_t x = world_cell(a->x, w->config.width) - o->cell_x + lens->radius;
        int32_t y = world_cell(a->y, w->config.height) - o->cell_y + lens->radius;
        if (!is_seen(lens, x, y)) continue;
        mark_max(o, lens, a->kind == kind ? CHANNEL_ALLIES_HP : CHANNEL_ENEMIES_HP, x, y,
                 (float)(a->health / a->starting_health));
    }
}

static void see_events(struct observation *o, struct lens *lens, const struct world *w,
                       uint32_t self)
{
    enum world_kind kind = w->agents[self].kind;
    find_near(lens, &w->events_near, o->cell_x + 0.5, o->cell_y + 0.5, sight(lens));
    for (size_t i = 0; i < lens->found.count; i++) {
        const struct world_event *e = &w->events[lens->found.ids[i]];
        int32_t x = e->cell_x - o->cell_x + lens->radius;
        int32_t y = e->cell_y - o->cell_y + lens->radius;
        if (!is_seen(lens, x, y)) continue;
        switch (e->trace) {
        case TRACE_DAMAGE: mark_max(o, lens, CHANNEL_DAMAGE_HEAT, x, y, e->strength); break;
        case TRACE_TRAIL: mark_max(o, lens, CHANNEL_TRAILS, x, y, e->strength); break;
        case TRACE_SIGNAL:
            if (e->agent != self && w->agents[e->agent].kind == kind)
                mark_max(o, lens, CHANNEL_ALLY_SIGNAL, x, y, e->strength);
            break;
        case TRACE_LANDMARK:
            if (e->agent == self) mark_max(o, lens, CHANNEL_LANDMARKS, x, y, e->strength);
            break;
        }
    }
}

/* The window of a grid of the world into a plane of zeros. */
static void copy_window(const struct observation *o, const struct lens *lens,
                        const struct world *w, const float *grid, float *plane)
{
    if (!grid) return;
    int32_t left = o->cell_x - lens->radius, top = o->cell_y - lens->radius;
    int32_t low = left < 0 ? -left : 0;
    int32_t high = left + lens->side > w->config.width ? w->config.width - left : lens->side;
    for (int32_t y = 0; y < lens->side && low < high; y++) {
        int32_t from = top + y;
        if (from < 0 || from >= w->config.height) continue;
        memcpy(&plane[y * lens->side + low], &grid[from * w->config.width + left + low],
               (size_t)(high - low) * sizeof *plane);
    }
}

/* ---- what is empty ---- */

static void know_empty_dense(struct observation *o, const struct lens *lens)
{
    size_t n = lens->cells;
    const float *allies = &o->dense[CHANNEL_ALLIES_HP * n];
    const float *enemies = &o->dense[CHANNEL_ENEMIES_HP * n];
    const float *resources = &o->dense[CHANNEL_RESOURCES * n];
    const float *obstacles = &o->dense[CHANNEL_OBSTACLES * n];
    float *empty = &o->dense[CHANNEL_KNOWN_EMPTY * n];
    for (size_t i = 0; i < n; i++) {
        float there = allies[i] + enemies[i] + resources[i] + obstacles[i];
        empty[i] = lens->visible[i] > 0.5F && there <= nothing ? 1 : empty[i];
    }
}

/* The sum of all that is on a cell, in the order that the dense storage adds it up. */
static float what_is_there(const struct observation *o, uint32_t cell, float obstacle)
{
    static const enum observation_channel channels[] = {CHANNEL_ALLIES_HP, CHANNEL_ENEMIES_HP,
                                                        CHANNEL_RESOURCES};
    float sum = 0;
    for (size_t c = 0; c < COUNT(channels); c++) {
        const struct observation_points *points = &o->points[channels[c]];
        for (uint32_t i = 0; i < points->count; i++) {
            if (points->items[i].cell == cell) sum += points->items[i].value;
        }
    }
    return sum + obstacle;
}

static void clear_occupied(struct observation *o, const struct lens *lens,
                           const struct world *w, uint64_t *seen)
{
    static const enum observation_channel channels[] = {CHANNEL_ALLIES_HP, CHANNEL_ENEMIES_HP,
                                                        CHANNEL_RESOURCES};
    for (size_t c = 0; c < COUNT(channels); c++) {
        const struct observation_points *points = &o->points[channels[c]];
        for (uint32_t i = 0; i < points->count; i++) {
            uint32_t cell = points->items[i].cell;
            if (what_is_there(o, cell, 0) > nothing)
                seen[cell / 64] &= ~(UINT64_C(1) << (cell % 64));
        }
    }
    if (!w->obstacles) return;
    memset(lens->moved, 0, lens->cells * sizeof *lens->moved);
    copy_window(o, lens, w, w->obstacles, lens->moved);
    for (uint32_t cell = 0; cell < lens->cells; cell++) {
        if (lens->moved[cell] > nothing) seen[cell / 64] &= ~(UINT64_C(1) << (cell % 64));
    }
}

/* Whatever was a bit and is none now becomes a point that fades; what is a bit now needs no
 * point. A cell was never both, and moving keeps cells apart: what is added is new. */
static void know_empty_hybrid(struct observation *o, struct lens *lens, const struct world *w,
                              int32_t dx, int32_t dy)
{
    uint64_t *seen = lens->seen_bits;
    memcpy(seen, lens->visible_bits, lens->words * sizeof *seen);
    clear_occupied(o, lens, w, seen);
    struct observation_points *points = &o->points[CHANNEL_KNOWN_EMPTY];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t cell = points->items[i].cell;
        if (seen[cell / 64] >> (cell % 64) & 1) continue;
        points->items[kept++] = points->items[i];
    }
    points->count = kept;
    bool is_still = dx == 0 && dy == 0;
    for (size_t word = 0; word < lens->words; word++) {
        uint64_t left = is_still ? o->empty[word] & ~seen[word] : o->empty[word];
        for (; left; left &= left - 1) {
            uint32_t cell = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
            if (!shift_cell(&cell, lens, dx, dy)) continue;
            if (seen[cell / 64] >> (cell % 64) & 1) continue;
            add_point(points, cell, &lens->heap)->value = faded(1, fading[CHANNEL_KNOWN_EMPTY]);
        }
    }
    memcpy(o->empty, seen, lens->words * sizeof *seen);
}

/* ---- the observation ---- */

static void forget(struct observation *o, const struct lens *lens)
{
    if (o->dense) {
        memset(o->dense, 0, lens_tensor_floats(lens) * sizeof *o->dense);
    } else {
        memset(o->empty, 0, lens->words * sizeof *o->empty);
        for (int channel = 0; channel < CHANNEL_COUNT; channel++) o->points[channel].count = 0;
    }
    o->has_looked = false;
    o->is_blind = true;
}

void observation_look(struct observation *o, struct lens *lens, const struct world *w,
                      uint32_t agent)
{
    if (!world_lives(w, agent)) {
        if (!o->is_blind) forget(o, lens);
        return;
    }
    const struct world_agent *a = &w->agents[agent];
    int32_t x = world_cell(a->x, w->config.width), y = world_cell(a->y, w->config.height);
    int32_t dx = o->has_looked ? x - o->cell_x : 0, dy = o->has_looked ? y - o->cell_y : 0;
    o->cell_x = x;
    o->cell_y = y;
    o->has_looked = true;
    o->is_blind = false;
    if (o->dense) {
        remember_dense(o, lens, dx, dy);
        copy_window(o, lens, w, w->obstacles, &o->dense[CHANNEL_OBSTACLES * lens->cells]);
        copy_window(o, lens, w, w->terrain, &o->dense[CHANNEL_TERRAIN_COST * lens->cells]);
    } else {
        remember_hybrid(o, lens, dx, dy);
    }
    mark_max(o, lens, CHANNEL_SELF_HP, lens->radius, lens->radius,
             (float)(a->health / a->starting_health));
    see_agents(o, lens, w, agent);
    see_resources(o, lens, w, a);
    if (w->event_count) see_events(o, lens, w, agent);
    if (a->has_goal) {
        mark_max(o, lens, CHANNEL_GOAL,
                 world_cell(a->goal_x, w->config.width) - x + lens->radius,
                 world_cell(a->goal_y, w->config.height) - y + lens->radius, 1);
    }
    if (o->dense) {
        know_empty_dense(o, lens);
    } else {
        know_empty_hybrid(o, lens, w, dx, dy);
    }
}

const float *observation_read(const struct observation *o, struct lens *lens,
                              const struct world *w, float *room)
{
    if (o->dense) return o->dense;
    lens->renders++;
    memset(room, 0, lens_tensor_floats(lens) * sizeof *room);
    if (o->is_blind || !o->has_looked) return room;
    size_t n = lens->cells;
    copy_window(o, lens, w, w->obstacles, &room[CHANNEL_OBSTACLES * n]);
    copy_window(o, lens, w, w->terrain, &room[CHANNEL_TERRAIN_COST * n]);
    memcpy(&room[CHANNEL_VISIBILITY * n], lens->visible, n * sizeof *room);
    for (size_t channel = 0; channel < CHANNEL_COUNT; channel++) {
        const struct observation_points *points = &o->points[channel];
        float *plane = &room[channel * n];
        for (uint32_t i = 0; i < points->count; i++)
            plane[points->items[i].cell] = points->items[i].value;
    }
    float *empty = &room[CHANNEL_KNOWN_EMPTY * n];
    for (size_t word = 0; word < lens->words; word++) {
        for (uint64_t left = o->empty[word]; left; left &= left - 1)
            empty[word * 64 + (size_t)__builtin_ctzll(left)] = 1;
    }
    return room;
}

size_t observation_point_count(const struct observation *o)
{
    size_t count = 0;
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) count += o->points[channel].count;
    return count;
}

size_t observation_bytes(const struct observation *o, const struct lens *lens)
{
    if (o->dense) return lens_tensor_floats(lens) * sizeof *o->dense;
    return observation_point_count(o) * sizeof(struct observation_point) +
           lens->words * sizeof *o->empty;
}

bool observation_is_same(const struct observation_view *a, const struct observation_view *b,
                         struct arena scratch, struct error *err)
{
    struct lens lens_a = *a->lens, lens_b = *b->lens; /* counters of the copies are lost */
    size_t floats = lens_tensor_floats(&lens_a);
    const float *x =
        observation_read(a->observation, &lens_a, a->world, arena_new(&scratch, float, floats));
    const float *y =
        observation_read(b->observation, &lens_b, b->world, arena_new(&scratch, float, floats));
    if (memcmp(x, y, floats * sizeof *x) == 0) return true;
    for (size_t i = 0; i < floats; i++) {
        if (x[i] == y[i]) continue;
        size_t cell = i % lens_a.cells, side = (size_t)lens_a.side;
        return error_set(err, ERROR_FAILED,
                         "channel %s, cell (%zu, %zu): %.9g here and %.9g in the other "
                         "storage",
                         observation_channel_name((enum observation_channel)(i / lens_a.cells)),
                         cell % side, cell / side, (double)x[i], (double)y[i]);
    }
    return true;
}
