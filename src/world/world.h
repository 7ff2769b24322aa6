/* world.h - a small world of agents that look for food and fight over it.
 *
 * A rectangle of cells with resources that grow again and agents of three kinds. A step lets
 * every agent act once, in the order of their numbers, on what it sees of the beginning of the
 * step: it gathers, attacks, defends, gives birth or moves. Everything that happened stands in
 * the world until the next step, for whoever observes (world/observation.h) or records it
 * (world/world_db.h).
 *
 * Deterministic: equal config and seed give the same world after any number of steps, with
 * every compiler and on every machine (world_digest). Neighbours are compared by distance and
 * then by number, sums run in the order of numbers, and of the mathematical functions only
 * sqrt is used, which IEEE 754 defines to the last bit.
 *
 * Memory of agents and resources comes from the arena that world_init is given, all of it at
 * once; what grows with what happens (events, indexes) from the world's own counted heap. A
 * world must stay where it was initialised. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/arena.h"
#include "base/rng.h"
#include "world/nearby.h"

enum world_kind { WORLD_SYSTEM, WORLD_INDEPENDENT, WORLD_CONTROL, WORLD_KIND_COUNT };
enum world_action {
    ACTION_MOVE,
    ACTION_GATHER,
    ACTION_ATTACK,
    ACTION_DEFEND,
    ACTION_REPRODUCE,
    ACTION_COUNT
};

/* What others can perceive of an action, at the place where it happened. */
enum world_trace {
    TRACE_DAMAGE,   /* somebody was hit; strength = share of its full health */
    TRACE_TRAIL,    /* somebody left this cell */
    TRACE_SIGNAL,   /* somebody defends itself and calls its kind */
    TRACE_LANDMARK, /* a place that `agent` has found food at; for itself only */
};

struct world_config {
    int32_t width, height;
    int32_t agents[WORLD_KIND_COUNT];
    int32_t resources;
    int32_t max_agents;    /* living and dead; no births beyond */
    double obstacle_share; /* of cells that hold an obstacle; nobody walks there */
    double terrain_share;  /* of cells that are hard to cross: half the stride */
    bool is_deathless;     /* health stays at least 1 */
    uint64_t seed;
    const struct spatial_kind *index; /* of those nearby; NULL = nearby.h's choice */
};

/* 100 x 100 cells, 10 agents of each kind, 20 resources, at most 3000 agents. */
extern const struct world_config world_defaults;

/* Splits n agents over the kinds: n/3, n/3 and the rest. */
void world_split(int64_t n, int32_t agents[WORLD_KIND_COUNT]);

struct world_agent {
    double x, y;
    double health, starting_health;
    double resources, initial_resources;
    double total_reward;
    double goal_x, goal_y;          /* where it is heading; see has_goal */
    int32_t birth_step, death_step; /* death_step -1 = lives */
    int32_t starving_steps;
    int32_t generation;
    uint32_t parent; /* WORLD_NOBODY = none */
    enum world_kind kind;
    bool is_defending;
    bool has_goal;
};

struct world_resource {
    double x, y;
    double amount, max_amount;
};

#define WORLD_NOBODY UINT32_MAX

/* One action of this step. */
struct world_deed {
    uint32_t agent;
    uint32_t
        target; /* of an attack: an agent; of gathering: a resource; of a birth: the child */
    enum world_action action;
    double reward;
};

/* A change of health in this step. */
struct world_incident {
    uint32_t agent;
    const char *cause; /* "attack", "starvation" */
    double before, after;
};

struct world_event {
    float strength;
    enum world_trace trace;
    uint32_t agent; /* who left the trace */
    int32_t cell_x, cell_y;
};

struct world {
    struct world_config config;
    struct arena *arena;
    struct heap heap;
    struct rng rng;
    int32_t step; /* how many have been made */

    struct world_agent *agents;
    uint32_t agent_count; /* living and dead */
    uint32_t living_count;
    struct world_resource *resources;
    uint32_t resource_count;
    float *obstacles; /* height x width, 1 = blocked; NULL = none anywhere */
    float *terrain;   /* 0.5 = hard; NULL = easy everywhere */

    /* Of the last step. */
    struct world_deed *deeds; /* at most one an agent */
    uint32_t deed_count;
    struct world_incident *incidents; /* at most two an agent that acts */
    uint32_t incident_count, incident_capacity;
    struct world_event *events;
    struct spatial_point *event_points; /* the middles of their cells */
    uint32_t event_count, event_capacity;
    int32_t births, deaths;
    double consumed;

    struct nearby agents_near;    /* the living, where they are now */
    struct nearby resources_near; /* they do not move */
    struct nearby events_near;    /* event_points */
    struct spatial_list looked;   /* room for what an agent sees */
};

void world_init(struct world *w, const struct world_config *config, struct arena *arena);
void world_release(struct world *w); /* a zeroed one is released too */

/* What it holds: tables for max_agents, grids, events, indexes. */
size_t world_bytes(const struct world *w);

/* One step of everybody. */
void world_step(struct world *w);

static inline bool world_lives(const struct world *w, uint32_t agent)
{
    return agent < w->agent_count && w->agents[agent].death_step < 0;
}

/* The cell that a place lies in; the last one for places on the far edge. */
int32_t world_cell(double place, int32_t cells);

/* A hash of all that the world is: places, health, resources, counts. */
uint64_t world_digest(const struct world *w);

/* What a step's summary row says of the living. */
struct world_summary {
    uint32_t living;
    uint32_t by_kind[WORLD_KIND_COUNT];
    double total_resources; /* in the ground */
    double mean_agent_resources;
    double mean_health;
    double mean_age;
    double mean_reward;
    double efficiency; /* consumed in this step, a living agent */
    int32_t max_generation;
    double largest_kind_share;
    double kind_diversity;  /* 1 - sum of squared shares (Simpson 1949) */
    double resource_spread; /* 1 - sum of squared shares of what lies where */
};
struct world_summary world_summarise(const struct world *w);

const char *world_kind_name(enum world_kind kind);
const char *world_action_name(enum world_action action);

#endif
