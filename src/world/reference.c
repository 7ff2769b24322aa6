#include "world/reference.h"

#include <math.h>

/* The agent whose tensor it is, and the world's cell in the window's corner. */
struct window {
    const struct lens *lens;
    const struct world *w;
    uint32_t agent;
    int32_t left, top;
};

static bool is_visible(const struct window *v, int32_t x, int32_t y)
{
    int32_t dx = x - v->lens->radius, dy = y - v->lens->radius;
    return dx * dx + dy * dy <= v->lens->fov_radius * v->lens->fov_radius;
}

static void put_agents(const struct window *v, float *planes[CHANNEL_COUNT])
{
    const struct world *w = v->w;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        int32_t x = world_cell(a->x, w->config.width) - v->left;
        int32_t y = world_cell(a->y, w->config.height) - v->top;
        bool is_in = x >= 0 && y >= 0 && x < v->lens->side && y < v->lens->side;
        if (a->death_step >= 0 || !is_in || !is_visible(v, x, y)) continue;
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
            if (x < 0 || y < 0 || x >= v->lens->side || y >= v->lens->side) continue;
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

static void put_cells(const struct window *v, const double *sums, float *planes[CHANNEL_COUNT])
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
            planes[CHANNEL_KNOWN_EMPTY][i] = is_visible(v, x, y) && there <= nothing;
        }
    }
}

/* Sums of resources may be rounded in another order; what is not empty now may be remembered to
 * have been. */
static bool agrees(enum observation_channel channel, float is, float should_be)
{
    if (channel == CHANNEL_KNOWN_EMPTY && should_be < 1) return is < 1;
    if (channel == CHANNEL_RESOURCES) return fabsf(is - should_be) <= 1e-5F * (1 + should_be);
    return is == should_be;
}

bool reference_agrees(const struct observation_view *view, uint32_t agent, struct arena scratch,
                      struct error *err)
{
    struct lens lens = *view->lens; /* counters of the copy are lost */
    const struct world *w = view->world;
    struct window v = {&lens, w, agent,
                       world_cell(w->agents[agent].x, w->config.width) - lens.radius,
                       world_cell(w->agents[agent].y, w->config.height) - lens.radius};
    static const enum observation_channel checked[] = {
        CHANNEL_SELF_HP,    CHANNEL_ALLIES_HP,   CHANNEL_ENEMIES_HP,
        CHANNEL_RESOURCES,  CHANNEL_OBSTACLES,   CHANNEL_TERRAIN_COST,
        CHANNEL_VISIBILITY, CHANNEL_KNOWN_EMPTY, CHANNEL_GOAL,
    };
    float *planes[CHANNEL_COUNT];
    for (int c = 0; c < CHANNEL_COUNT; c++) planes[c] = arena_new(&scratch, float, lens.cells);
    put_agents(&v, planes);
    double *sums = arena_new(&scratch, double, lens.cells);
    put_resources(&v, sums);
    put_cells(&v, sums, planes);
    const float *tensor = observation_read(
        view->observation, &lens, w, arena_new(&scratch, float, lens_tensor_floats(&lens)));
    for (size_t k = 0; k < COUNT(checked); k++) {
        const float *plane = &tensor[checked[k] * lens.cells];
        for (size_t i = 0; i < lens.cells; i++) {
            if (agrees(checked[k], plane[i], planes[checked[k]][i])) continue;
            return error_set(
                err, ERROR_FAILED, "channel %s, cell (%zu, %zu): %.9g, and %.9g is there",
                observation_channel_name(checked[k]), i % (size_t)lens.side,
                i / (size_t)lens.side, (double)plane[i], (double)planes[checked[k]][i]);
        }
    }
    return true;
}
