#include "world/reference.h"

#include <math.h>
#include <string.h>

/* What of the past is left after a step; 0 = nothing, drawn anew. */
static const float stays[CHANNEL_COUNT] = {
    [CHANNEL_KNOWN_EMPTY] = 0.98F, [CHANNEL_DAMAGE_HEAT] = 0.85F, [CHANNEL_TRAILS] = 0.90F,
    [CHANNEL_ALLY_SIGNAL] = 0.92F, [CHANNEL_LANDMARKS] = 1,
};

/* The agent whose tensor it is, and the world's cell in the window's corner. */
struct window {
    const struct lens *lens;
    const struct world *w;
    uint32_t agent;
    int32_t left, top;
};

void references_init(struct references *r, uint32_t agents, const struct lens *lens,
                     struct arena *arena)
{
    *r = (struct references){0};
    uint32_t stride = agents / REFERENCES_MAX + 1;
    for (uint32_t i = 0; i < agents; i += stride) {
        struct reference *one = &r->items[r->count++];
        *one = (struct reference){.agent = i};
        for (int c = 0; c < CHANNEL_COUNT; c++)
            one->planes[c] = arena_new(arena, float, lens->cells);
    }
}

static bool is_in(const struct lens *lens, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < lens->side && y < lens->side;
}

/* What each cell of the world held that was in the last window, and is in this one. */
static void put_past(const struct window *v, struct reference *r, struct arena scratch)
{
    int32_t side = v->lens->side;
    float *past = arena_new(&scratch, float, v->lens->cells);
    for (int c = 0; c < CHANNEL_COUNT; c++) {
        float *now = r->planes[c];
        memcpy(past, now, v->lens->cells * sizeof *past);
        memset(now, 0, v->lens->cells * sizeof *now);
        for (int32_t y = 0; y < side && r->has_looked && stays[c] > 0; y++) {
            for (int32_t x = 0; x < side; x++) {
                int32_t px = x + v->left - r->left, py = y + v->top - r->top;
                float left = is_in(v->lens, px, py) ? past[py * side + px] * stays[c] : 0;
                now[y * side + x] = left < 1e-6F ? 0 : left;
            }
        }
    }
    r->left = v->left;
    r->top = v->top;
    r->has_looked = true;
}

static bool is_visible(const struct window *v, int32_t x, int32_t y)
{
    int32_t dx = x - v->lens->radius, dy = y - v->lens->radius;
    return dx * dx + dy * dy <= v->lens->fov_radius * v->lens->fov_radius;
}

static void put_agents(const struct window *v, float *const planes[CHANNEL_COUNT])
{
    const struct world *w = v->w;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        int32_t x = world_cell(a->x, w->config.width) - v->left;
        int32_t y = world_cell(a->y, w->config.height) - v->top;
        if (a->death_step >= 0 || !is_in(v->lens, x, y) || !is_visible(v, x, y)) continue;
        enum observation_channel channel = i == v->agent ? CHANNEL_SELF_HP
                                           : a->kind == w->agents[v->agent].kind
                                               ? CHANNEL_ALLIES_HP
                                               : CHANNEL_ENEMIES_HP;
        float *cell = &planes[channel][y * v->lens->side + x];
        *cell = fmaxf(*cell, (float)(a->health / a->starting_health));
    }
}

/* The share of a thing at `place` that lies in a cell: all or nothing, or less the farther the
 * cell's corner is. */
static double share(double place, int32_t cell, bool is_bilinear)
{
    if (!is_bilinear) return floor(place) == cell;
    return fmax(0, 1 - fabs(place - cell));
}

/* Sums, as doubles. */
static void put_resources(const struct window *v, double *sums)
{
    const struct world_agent *a = &v->w->agents[v->agent];
    double reach = v->lens->radius + 1;
    for (uint32_t i = 0; i < v->w->resource_count; i++) {
        const struct world_resource *r = &v->w->resources[i];
        double dx = r->x - a->x, dy = r->y - a->y;
        if (dx * dx + dy * dy > reach * reach) continue;
        double lx = r->x - v->left, ly = r->y - v->top;
        for (int32_t cell = 0; cell < 4; cell++) { /* those that it can reach into */
            int32_t x = (int32_t)floor(lx) + cell % 2, y = (int32_t)floor(ly) + cell / 2;
            if (!is_in(v->lens, x, y)) continue;
            sums[y * v->lens->side + x] += r->amount / r->max_amount *
                                           share(lx, x, v->lens->is_bilinear) *
                                           share(ly, y, v->lens->is_bilinear);
        }
    }
}

static float grid_at(const struct window *v, const float *grid, int32_t x, int32_t y)
{
    const struct world_config *c = &v->w->config;
    x += v->left;
    y += v->top;
    return grid && x >= 0 && y >= 0 && x < c->width && y < c->height ? grid[y * c->width + x]
                                                                     : 0;
}

static float goal_at(const struct window *v, int32_t x, int32_t y)
{
    const struct world_agent *a = &v->w->agents[v->agent];
    return a->has_goal && world_cell(a->goal_x, v->w->config.width) == x + v->left &&
           world_cell(a->goal_y, v->w->config.height) == y + v->top;
}

/* The channel in which an agent notices an event, if it does: trails and wounds of everybody,
 * calls of its kind, its own finds. */
static int channel_of(const struct window *v, const struct world_event *e)
{
    bool is_own = e->agent == v->agent;
    bool is_ally = !is_own && v->w->agents[e->agent].kind == v->w->agents[v->agent].kind;
    switch (e->trace) {
    case TRACE_DAMAGE: return CHANNEL_DAMAGE_HEAT;
    case TRACE_TRAIL: return CHANNEL_TRAILS;
    case TRACE_SIGNAL: return is_ally ? CHANNEL_ALLY_SIGNAL : -1;
    case TRACE_LANDMARK: return is_own ? CHANNEL_LANDMARKS : -1;
    }
    return -1;
}

static void put_events(const struct window *v, float *const planes[CHANNEL_COUNT])
{
    for (uint32_t i = 0; i < v->w->event_count; i++) {
        const struct world_event *e = &v->w->events[i];
        int32_t x = e->cell_x - v->left, y = e->cell_y - v->top;
        int channel = channel_of(v, e);
        if (channel < 0 || !is_in(v->lens, x, y) || !is_visible(v, x, y)) continue;
        float *cell = &planes[channel][y * v->lens->side + x];
        *cell = fmaxf(*cell, e->strength);
    }
}

static void put_cells(const struct window *v, const double *sums,
                      float *const planes[CHANNEL_COUNT])
{
    static const float nothing = 1e-6F;
    for (int32_t y = 0; y < v->lens->side; y++) {
        for (int32_t x = 0; x < v->lens->side; x++) {
            int32_t i = y * v->lens->side + x;
            planes[CHANNEL_RESOURCES][i] = (float)sums[i];
            planes[CHANNEL_OBSTACLES][i] = grid_at(v, v->w->obstacles, x, y);
            planes[CHANNEL_TERRAIN_COST][i] = grid_at(v, v->w->terrain, x, y);
            planes[CHANNEL_VISIBILITY][i] = is_visible(v, x, y);
            planes[CHANNEL_GOAL][i] = goal_at(v, x, y);
            float there = planes[CHANNEL_ALLIES_HP][i] + planes[CHANNEL_ENEMIES_HP][i] +
                          planes[CHANNEL_RESOURCES][i] + planes[CHANNEL_OBSTACLES][i];
            if (is_visible(v, x, y) && there <= nothing) planes[CHANNEL_KNOWN_EMPTY][i] = 1;
        }
    }
}

static void look(struct reference *r, const struct lens *lens, const struct world *w,
                 struct arena scratch)
{
    const struct world_agent *a = &w->agents[r->agent];
    struct window v = {lens, w, r->agent, world_cell(a->x, w->config.width) - lens->radius,
                       world_cell(a->y, w->config.height) - lens->radius};
    double *sums = arena_new(&scratch, double, lens->cells);
    put_past(&v, r, scratch);
    put_agents(&v, r->planes);
    put_resources(&v, sums);
    put_cells(&v, sums, r->planes);
    put_events(&v, r->planes);
}

/* Sums of resources may be rounded in another order. */
static bool agrees(int channel, float is, float should_be)
{
    if (channel == CHANNEL_RESOURCES) return fabsf(is - should_be) <= 1e-5F * (1 + should_be);
    return is == should_be;
}

static bool has_seen(const struct reference *r, const struct observation *o,
                     const struct lens *seen_by, const struct world *w, struct arena scratch,
                     struct error *err)
{
    struct lens lens = *seen_by; /* counters of the copy are lost */
    const float *tensor =
        observation_read(o, &lens, w, arena_new(&scratch, float, lens_tensor_floats(&lens)));
    for (int c = 0; c < CHANNEL_COUNT; c++) {
        const float *plane = &tensor[(size_t)c * lens.cells];
        for (size_t i = 0; i < lens.cells; i++) {
            if (agrees(c, plane[i], r->planes[c][i])) continue;
            return error_set(err, ERROR_FAILED,
                             "agent %u: channel %s, cell (%zu, %zu): %.9g, and %.9g is there",
                             r->agent, observation_channel_name((enum observation_channel)c),
                             i % (size_t)lens.side, i / (size_t)lens.side, (double)plane[i],
                             (double)r->planes[c][i]);
        }
    }
    return true;
}

bool references_agree(struct references *r, const struct observation *observations,
                      const struct lens *lens, const struct world *w, struct arena scratch,
                      struct error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        struct reference *one = &r->items[i];
        if (!world_lives(w, one->agent)) continue;
        look(one, lens, w, scratch);
        if (!has_seen(one, &observations[one->agent], lens, w, scratch, err)) return false;
    }
    return true;
}
