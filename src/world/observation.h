/* observation.h - what an agent sees: 13 channels of a square window around it.
 *
 * A tensor of floats [channel][y][x] with 2R + 1 cells a side; the agent stands in the middle
 * cell. Three sorts of channels:
 *
 *     instant     what is there now; drawn anew by every observation
 *     fading      what was there: multiplied by a factor a step, below 1e-6 forgotten
 *     lasting     never fades
 *
 * What fades or lasts stays where it is in the world: when the agent moves, remembered cells
 * move the other way through the window, and out of it.
 *
 * Two storages that give the same tensor, to the last bit of every cell:
 *
 *     dense    the tensor itself, changed in place; reading it costs nothing
 *     hybrid   points (cell, value) of what is not zero, a bit for every cell seen empty,
 *              nothing at all for what is the same for everybody (visibility) or is the
 *              world's (obstacles, terrain); reading it writes a tensor
 *
 * Resources count within R + 1 of the agent's place. `bilinear` spreads one over the four
 * cells around its place by their shares (what falls outside of the window is lost),
 * otherwise all of it lies in its cell; several in one cell add up. Of agents in one cell
 * the healthiest is seen. Agents and events are seen in cells at most fov_radius away, which
 * is what the channel of visibility shows. */
#ifndef WORLD_OBSERVATION_H
#define WORLD_OBSERVATION_H

#include "world/world.h"

enum observation_channel {
    CHANNEL_SELF_HP,    /* share of full health, in the middle */
    CHANNEL_ALLIES_HP,  /* of agents of the same kind */
    CHANNEL_ENEMIES_HP, /* of others */
    CHANNEL_RESOURCES,  /* amount / largest amount */
    CHANNEL_OBSTACLES,  /* 0 outside of the world, as all world channels */
    CHANNEL_TERRAIN_COST,
    CHANNEL_VISIBILITY,  /* 1 where dx*dx + dy*dy <= fov*fov, fov = min(fov_radius, R) */
    CHANNEL_KNOWN_EMPTY, /* fades by 0.98: visible and nobody and nothing there */
    CHANNEL_DAMAGE_HEAT, /* fades by 0.85 */
    CHANNEL_TRAILS,      /* fades by 0.90 */
    CHANNEL_ALLY_SIGNAL, /* fades by 0.92 */
    CHANNEL_GOAL,        /* 1 at the cell that the agent is heading for */
    CHANNEL_LANDMARKS,   /* lasts: where it has found food */
    CHANNEL_COUNT
};

enum { OBSERVATION_RADIUS_MAX = 100 };

enum observation_storage { OBSERVATION_HYBRID, OBSERVATION_DENSE };

/* How a group of agents looks at the world; shared by them. */
struct lens {
    struct heap heap; /* of all that the observations through it hold */
    int32_t radius, fov_radius;
    enum observation_storage storage;
    bool is_bilinear;
    int32_t side;   /* 2R + 1 */
    size_t cells;   /* side * side */
    size_t words;   /* of 64 bits for them */
    float *visible; /* a plane */
    uint64_t *visible_bits;
    float *moved; /* room for a plane */
    uint64_t *seen_bits;
    struct spatial_list found;
    int64_t points_placed; /* resources drawn, by cell: 4 each if bilinear */
    int64_t renders;       /* tensors written from points */
    bool is_timed;         /* add up the two below; costs a few clock reads a look */
    int64_t query_ns;      /* asking the indexes: agents, resources and events */
    int64_t placing_ns;    /* drawing resources */
};

struct observation_point {
    uint32_t cell;
    float value;
};

/* What one agent sees and remembers. */
struct observation {
    int32_t cell_x, cell_y; /* of the agent, when it last looked */
    bool has_looked;
    bool is_blind;   /* it is dead: all zero */
    float *dense;    /* the tensor; NULL if hybrid */
    uint64_t *empty; /* hybrid: cells whose CHANNEL_KNOWN_EMPTY is 1 */
    struct observation_points {
        struct observation_point *items;
        uint32_t count, capacity;
    } points[CHANNEL_COUNT]; /* hybrid */
};

/* Stays where it is initialised; its planes are the arena's. */
void lens_init(struct lens *lens, int32_t radius, int32_t fov_radius,
               enum observation_storage storage, bool is_bilinear, struct arena *arena);
void lens_release(struct lens *lens); /* after the observations; a zeroed one is released too */

static inline size_t lens_tensor_floats(const struct lens *lens)
{
    return CHANNEL_COUNT * lens->cells;
}

void observation_init(struct observation *o, struct lens *lens);
void observation_release(struct observation *o, struct lens *lens); /* a zeroed one too */

/* Looks, once a step. An agent that is dead sees nothing and forgets. */
void observation_look(struct observation *o, struct lens *lens, const struct world *w,
                      uint32_t agent);

/* The tensor: the agent's own (dense) or written to `room` (hybrid). The world must be the
 * one that was looked at. */
const float *observation_read(const struct observation *o, struct lens *lens,
                              const struct world *w, float *room);

/* What the storage holds for this agent: bytes of points, bits and planes in use. */
size_t observation_bytes(const struct observation *o, const struct lens *lens);
size_t observation_point_count(const struct observation *o);

/* One agent's tensor, and another's that must be equal to the last bit: false with the first
 * cell that differs. */
struct observation_view {
    const struct observation *observation;
    const struct lens *lens;
    const struct world *world;
};
MUST_USE bool observation_is_same(const struct observation_view *a,
                                  const struct observation_view *b, struct arena scratch,
                                  struct error *err);

const char *observation_channel_name(enum observation_channel channel);

#endif
