/* The step loop. Each agent decides on the places of the beginning of the step, which is what
 * the index holds until the loop has ended; who has died meanwhile is passed over. So a step
 * needs one update of the index for each agent that moved, however many have looked. */
#include "world/world.h"

#include <math.h>
#include <string.h>

static const double view_radius = 10;
static const double attack_radius = 3;
static const double reach = 1.5;
static const double stride = 1.5;
static const double full_health = 100;
static const double first_resources = 5;
static const double upkeep = 0.1;
static const double hunger_damage = 1;
static const double hit_damage = 12;
static const double bite = 2; /* gathered in a step */
static const double birth_cost = 8;
static const double birth_level = 12;
static const double birth_chance = 0.1;
static const double resource_max = 30;
static const double growth_chance = 0.1; /* each step; by growth_amount */
static const double growth_amount = 2;
static const double rest_health = 0.5;

static const double aggression[WORLD_KIND_COUNT] = {
    [WORLD_SYSTEM] = 0.05, [WORLD_INDEPENDENT] = 0.2, [WORLD_CONTROL] = 0.1};

const struct world_config world_defaults = {
    .width = 100,
    .height = 100,
    .agents = {10, 10, 10},
    .resources = 20,
    .max_agents = 3000,
    .seed = 42,
};

static const char *const kind_names[] = {"system", "independent", "control"};
static const char *const action_names[] = {"move", "gather", "attack", "defend", "reproduce"};

const char *world_kind_name(enum world_kind kind)
{
    return kind_names[kind];
}

const char *world_action_name(enum world_action action)
{
    return action_names[action];
}

void world_split(int64_t n, int32_t agents[WORLD_KIND_COUNT])
{
    agents[WORLD_SYSTEM] = agents[WORLD_INDEPENDENT] = (int32_t)(n / 3);
    agents[WORLD_CONTROL] = (int32_t)(n - 2 * (n / 3));
}

int32_t world_cell(double place, int32_t cells)
{
    int32_t cell = (int32_t)place; /* places are not negative */
    return cell < cells ? cell : cells - 1;
}

static bool is_blocked(const struct world *w, double x, double y)
{
    if (!w->obstacles) return false;
    int32_t cx = world_cell(x, w->config.width), cy = world_cell(y, w->config.height);
    return w->obstacles[(size_t)cy * (size_t)w->config.width + (size_t)cx] > 0;
}

/* A place nobody is kept from; gives up where there is none to be found. */
static void draw_place(struct world *w, double *x, double *y)
{
    for (int attempt = 0; attempt < 64; attempt++) {
        *x = rng_real(&w->rng) * w->config.width;
        *y = rng_real(&w->rng) * w->config.height;
        if (!is_blocked(w, *x, *y)) return;
    }
}

static float *draw_grid(struct world *w, double share, float value)
{
    if (!(share > 0)) return NULL;
    size_t cells = (size_t)w->config.width * (size_t)w->config.height;
    float *grid = arena_new(w->arena, float, cells);
    for (size_t i = 0; i < cells; i++) grid[i] = rng_real(&w->rng) < share ? value : 0;
    return grid;
}

static uint32_t add_agent(struct world *w, enum world_kind kind, double x, double y)
{
    uint32_t id = w->agent_count++;
    w->living_count++;
    w->agents[id] = (struct world_agent){
        .x = x,
        .y = y,
        .health = full_health,
        .starting_health = full_health,
        .resources = first_resources,
        .initial_resources = first_resources,
        .birth_step = w->step,
        .death_step = -1,
        .parent = WORLD_NOBODY,
        .kind = kind,
    };
    return id;
}

static void populate(struct world *w)
{
    for (int kind = 0; kind < WORLD_KIND_COUNT; kind++) {
        for (int32_t i = 0; i < w->config.agents[kind]; i++) {
            double x = 0, y = 0;
            draw_place(w, &x, &y);
            uint32_t id = add_agent(w, (enum world_kind)kind, x, y);
            nearby_put(&w->agents_near, id, x, y);
        }
    }
    for (uint32_t i = 0; i < w->resource_count; i++) {
        struct world_resource *r = &w->resources[i];
        draw_place(w, &r->x, &r->y);
        r->amount = r->max_amount = resource_max;
        nearby_put(&w->resources_near, i, r->x, r->y);
    }
}

void world_init(struct world *w, const struct world_config *config, struct arena *arena)
{
    *w = (struct world){.config = *config, .arena = arena, .rng = rng_seeded(config->seed)};
    CHECK(config->width > 0 && config->height > 0);
    int64_t first = 0;
    for (int kind = 0; kind < WORLD_KIND_COUNT; kind++) first += config->agents[kind];
    CHECK(first <= INT32_MAX);
    if (w->config.max_agents < first) w->config.max_agents = (int32_t)first;
    size_t agents = (size_t)w->config.max_agents;
    w->resource_count = (uint32_t)config->resources;
    w->agents = arena_new(arena, struct world_agent, agents + 1);
    w->deeds = arena_new(arena, struct world_deed, agents + 1);
    w->resources = arena_new(arena, struct world_resource, w->resource_count + 1);
    nearby_init(&w->agents_near, config->index, &w->heap);
    nearby_init(&w->resources_near, config->index, &w->heap);
    nearby_init(&w->events_near, config->index, &w->heap);
    w->looked.heap = &w->heap;
    w->obstacles = draw_grid(w, config->obstacle_share, 1);
    w->terrain = draw_grid(w, config->terrain_share, 0.5F);
    populate(w);
}

void world_release(struct world *w)
{
    if (!w->arena) return;
    nearby_release(&w->agents_near);
    nearby_release(&w->resources_near);
    nearby_release(&w->events_near);
    spatial_list_release(&w->looked);
    heap_free(&w->heap, w->events, w->event_capacity * sizeof *w->events);
    heap_free(&w->heap, w->event_points, w->event_capacity * sizeof *w->event_points);
    heap_free(&w->heap, w->incidents, w->incident_capacity * sizeof *w->incidents);
    w->arena = NULL;
}

size_t world_bytes(const struct world *w)
{
    size_t agents = (size_t)w->config.max_agents + 1;
    size_t cells = (size_t)w->config.width * (size_t)w->config.height;
    size_t grids = (w->obstacles != NULL) + (size_t)(w->terrain != NULL);
    return w->heap.live_bytes + agents * (sizeof *w->agents + sizeof *w->deeds) +
           (w->resource_count + (size_t)1) * sizeof *w->resources +
           grids * cells * sizeof *w->obstacles;
}

/* ---- what happened ---- */

static void note_event(struct world *w, enum world_trace trace, uint32_t agent, double strength)
{
    if (w->event_count == w->event_capacity) {
        uint32_t capacity = w->event_capacity ? w->event_capacity * 2 : 64;
        w->events = heap_grow(&w->heap, w->events, w->event_capacity, capacity);
        w->event_points = heap_grow(&w->heap, w->event_points, w->event_capacity, capacity);
        w->event_capacity = capacity;
    }
    const struct world_agent *a = &w->agents[agent];
    w->events[w->event_count++] = (struct world_event){
        .strength = (float)strength,
        .trace = trace,
        .agent = agent,
        .cell_x = world_cell(a->x, w->config.width),
        .cell_y = world_cell(a->y, w->config.height),
    };
}

static void hurt(struct world *w, uint32_t id, double damage, const char *cause)
{
    struct world_agent *a = &w->agents[id];
    double before = a->health;
    a->health = before - damage;
    if (w->config.is_deathless && a->health < 1) a->health = 1;
    if (a->health < 0) a->health = 0;
    if (w->incident_count == w->incident_capacity) {
        uint32_t capacity = w->incident_capacity ? w->incident_capacity * 2 : 64;
        w->incidents = heap_grow(&w->heap, w->incidents, w->incident_capacity, capacity);
        w->incident_capacity = capacity;
    }
    w->incidents[w->incident_count++] = (struct world_incident){id, cause, before, a->health};
    if (a->health > 0) return;
    a->death_step = w->step;
    w->living_count--;
    w->deaths++;
}

/* ---- one agent ---- */

struct scene {
    uint32_t enemy;    /* the nearest of another kind in attack_radius */
    uint32_t resource; /* the nearest with something left in view */
    double resource_distance2;
};

static struct scene look(struct world *w, uint32_t id)
{
    struct spatial_list *list = &w->looked;
    const struct world_agent *a = &w->agents[id];
    struct scene s = {WORLD_NOBODY, WORLD_NOBODY, INFINITY};
    nearby_within(&w->resources_near, a->x, a->y, view_radius, list);
    for (size_t i = 0; i < list->count; i++) {
        const struct world_resource *r = &w->resources[list->ids[i]];
        double dx = r->x - a->x, dy = r->y - a->y;
        if (r->amount < 1 || dx * dx + dy * dy >= s.resource_distance2) continue;
        s.resource = list->ids[i];
        s.resource_distance2 = dx * dx + dy * dy;
    }
    double nearest = INFINITY;
    nearby_within(&w->agents_near, a->x, a->y, attack_radius, list);
    for (size_t i = 0; i < list->count; i++) {
        const struct world_agent *other = &w->agents[list->ids[i]];
        if (other->kind == a->kind || other->death_step >= 0) continue;
        double dx = other->x - a->x, dy = other->y - a->y;
        if (dx * dx + dy * dy >= nearest) continue;
        s.enemy = list->ids[i];
        nearest = dx * dx + dy * dy;
    }
    return s;
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Towards the goal, or anywhere; not onto an obstacle. */
static double move(struct world *w, uint32_t id)
{
    struct world_agent *a = &w->agents[id];
    double dx = 0, dy = 0;
    if (a->has_goal) {
        dx = a->goal_x - a->x;
        dy = a->goal_y - a->y;
    } else {
        dx = rng_real(&w->rng) - 0.5;
        dy = rng_real(&w->rng) - 0.5;
    }
    double length = sqrt(dx * dx + dy * dy);
    if (length <= 0) return 0;
    double far = stride;
    int32_t cx = world_cell(a->x, w->config.width), cy = world_cell(a->y, w->config.height);
    if (w->terrain && w->terrain[(size_t)cy * (size_t)w->config.width + (size_t)cx] > 0)
        far /= 2;
    if (a->has_goal && length < far) far = length;
    double x = clamp(a->x + dx / length * far, 0, w->config.width);
    double y = clamp(a->y + dy / length * far, 0, w->config.height);
    if (is_blocked(w, x, y)) {
        a->has_goal = false;
        return -0.01;
    }
    if (world_cell(x, w->config.width) != cx || world_cell(y, w->config.height) != cy)
        note_event(w, TRACE_TRAIL, id, 1);
    a->x = x;
    a->y = y;
    return 0.1;
}

static double gather(struct world *w, uint32_t id, uint32_t resource)
{
    struct world_agent *a = &w->agents[id];
    struct world_resource *r = &w->resources[resource];
    double taken = r->amount < bite ? r->amount : bite;
    r->amount -= taken;
    a->resources += taken;
    w->consumed += taken;
    a->has_goal = false;
    note_event(w, TRACE_LANDMARK, id, 1);
    return taken;
}

static double attack(struct world *w, uint32_t id, uint32_t enemy)
{
    struct world_agent *other = &w->agents[enemy];
    double damage = other->is_defending ? hit_damage / 2 : hit_damage;
    note_event(w, TRACE_DAMAGE, enemy, damage / other->starting_health);
    hurt(w, enemy, damage, "attack");
    if (other->death_step < 0) return 1;
    w->agents[id].resources += other->resources;
    other->resources = 0;
    return 5;
}

static double reproduce(struct world *w, uint32_t id, uint32_t *child)
{
    struct world_agent *a = &w->agents[id];
    a->resources -= birth_cost;
    *child = add_agent(w, a->kind, a->x, a->y);
    w->agents[*child].parent = id;
    w->agents[*child].generation = a->generation + 1;
    w->births++;
    return 3;
}

static enum world_action choose(struct world *w, uint32_t id, const struct scene *s)
{
    struct world_agent *a = &w->agents[id];
    double mood = rng_real(&w->rng), urge = rng_real(&w->rng);
    if (s->enemy != WORLD_NOBODY && a->health < 0.3 * a->starting_health) return ACTION_DEFEND;
    if (s->enemy != WORLD_NOBODY && mood < aggression[a->kind]) return ACTION_ATTACK;
    if (a->resources >= birth_level && urge < birth_chance &&
        w->agent_count < (uint32_t)w->config.max_agents)
        return ACTION_REPRODUCE;
    if (s->resource != WORLD_NOBODY && s->resource_distance2 <= reach * reach)
        return ACTION_GATHER;
    if (s->resource != WORLD_NOBODY) {
        a->has_goal = true;
        a->goal_x = w->resources[s->resource].x;
        a->goal_y = w->resources[s->resource].y;
    } else {
        a->has_goal = false;
    }
    return ACTION_MOVE;
}

static void act(struct world *w, uint32_t id)
{
    struct world_agent *a = &w->agents[id];
    struct scene s = look(w, id);
    struct world_deed deed = {.agent = id, .target = WORLD_NOBODY};
    deed.action = choose(w, id, &s);
    a->is_defending = deed.action == ACTION_DEFEND;
    switch (deed.action) {
    case ACTION_MOVE: deed.reward = move(w, id); break;
    case ACTION_GATHER:
        deed.target = s.resource;
        deed.reward = gather(w, id, s.resource);
        break;
    case ACTION_ATTACK:
        deed.target = s.enemy;
        deed.reward = attack(w, id, s.enemy);
        break;
    case ACTION_DEFEND:
        note_event(w, TRACE_SIGNAL, id, 1);
        a->health = clamp(a->health + rest_health, 0, a->starting_health);
        break;
    case ACTION_REPRODUCE: deed.reward = reproduce(w, id, &deed.target); break;
    case ACTION_COUNT: break;
    }
    a->total_reward += deed.reward;
    w->deeds[w->deed_count++] = deed;
}

static void feed(struct world *w, uint32_t id)
{
    struct world_agent *a = &w->agents[id];
    a->resources -= upkeep;
    if (a->resources >= 0) {
        a->starving_steps = 0;
        return;
    }
    a->resources = 0;
    a->starving_steps++;
    hurt(w, id, hunger_damage, "starvation");
}

/* The index as the next step will see it. */
static void settle(struct world *w)
{
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        if (a->death_step < 0) {
            nearby_put(&w->agents_near, i, a->x, a->y);
        } else if (a->death_step == w->step) {
            nearby_drop(&w->agents_near, i);
        }
    }
    for (uint32_t i = 0; i < w->event_count; i++) {
        const struct world_event *e = &w->events[i];
        w->event_points[i] = (struct spatial_point){e->cell_x + 0.5, e->cell_y + 0.5};
    }
    nearby_fill(&w->events_near, w->event_points, w->event_count);
}

void world_step(struct world *w)
{
    w->deed_count = w->incident_count = w->event_count = 0;
    w->births = w->deaths = 0;
    w->consumed = 0;
    w->step++;
    uint32_t before = w->agent_count; /* who is born acts from the next step on */
    for (uint32_t i = 0; i < before; i++) {
        if (!world_lives(w, i)) continue;
        act(w, i);
        if (world_lives(w, i)) feed(w, i);
    }
    for (uint32_t i = 0; i < w->resource_count; i++) {
        struct world_resource *r = &w->resources[i];
        if (r->amount < r->max_amount && rng_real(&w->rng) < growth_chance)
            r->amount = clamp(r->amount + growth_amount, 0, r->max_amount);
    }
    settle(w);
}

/* ---- what it is like ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_real(uint64_t hash, double v)
{
    return mix(hash, &v, sizeof v);
}

static uint64_t mix_int(uint64_t hash, int64_t v)
{
    return mix(hash, &v, sizeof v);
}

uint64_t world_digest(const struct world *w)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix_int(hash, w->step);
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        hash = mix_real(mix_real(hash, a->x), a->y);
        hash = mix_real(mix_real(hash, a->health), a->resources);
        hash = mix_real(hash, a->total_reward);
        hash = mix_int(mix_int(mix_int(hash, a->kind), a->birth_step), a->death_step);
    }
    for (uint32_t i = 0; i < w->resource_count; i++) {
        const struct world_resource *r = &w->resources[i];
        hash = mix_real(mix_real(mix_real(hash, r->x), r->y), r->amount);
    }
    return hash;
}

struct world_summary world_summarise(const struct world *w)
{
    struct world_summary s = {.living = w->living_count};
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        if (a->death_step >= 0) continue;
        s.by_kind[a->kind]++;
        s.mean_agent_resources += a->resources;
        s.mean_health += a->health;
        s.mean_age += w->step - a->birth_step;
        s.mean_reward += a->total_reward;
        if (a->generation > s.max_generation) s.max_generation = a->generation;
    }
    for (uint32_t i = 0; i < w->resource_count; i++)
        s.total_resources += w->resources[i].amount;
    s.kind_diversity = s.resource_spread = 1;
    for (uint32_t i = 0; i < w->resource_count && s.total_resources > 0; i++) {
        double share = w->resources[i].amount / s.total_resources;
        s.resource_spread -= share * share;
    }
    if (s.living == 0) return s;
    for (int kind = 0; kind < WORLD_KIND_COUNT; kind++) {
        double share = (double)s.by_kind[kind] / s.living;
        s.kind_diversity -= share * share;
        if (share > s.largest_kind_share) s.largest_kind_share = share;
    }
    s.mean_agent_resources /= s.living;
    s.mean_health /= s.living;
    s.mean_age /= s.living;
    s.mean_reward /= s.living;
    s.efficiency = w->consumed / s.living;
    return s;
}
