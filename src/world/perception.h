/* perception.h - everybody in a world looks at it, again and again.
 *
 *     perception_open(&p, &config, arena);
 *     for (;;) { perception_round(&p); perception_tick(&p); }
 *
 * A round lets every agent look and reads its tensor; a tick lets the world go on, births and
 * deaths excepted, so that every round has the same number of observations. Whether the
 * answers are right is perception_verify's part: it does the same again with the other storage
 * and another index, and compares every cell. */
#ifndef WORLD_PERCEPTION_H
#define WORLD_PERCEPTION_H

#include "base/error.h"
#include "world/observation.h"

struct perception_config {
    int32_t width, height;
    int32_t agents;
    int32_t resources;
    int32_t radius, fov_radius;
    enum observation_storage storage;
    bool is_bilinear;
    bool is_moving; /* false: ticks do nothing */
    uint64_t seed;
    const struct spatial_kind *index; /* NULL = the world's choice */
};

struct perception {
    struct perception_config config;
    struct world world;
    struct lens lens;
    struct observation *observations; /* one an agent */
    float *room;
    int64_t rounds;
    float sum; /* of the middles of the tensors: they have been read */
};

void perception_open(struct perception *p, const struct perception_config *config,
                     struct arena *arena);
void perception_close(struct perception *p);

void perception_round(struct perception *p);
void perception_tick(struct perception *p);

/* Lives the same life again in the other storage and with another index, in `scratch`: as many
 * rounds and ticks. False, with the first cell that differs, unless the worlds and all tensors
 * are equal, and those of some agents in all rounds what reference.h says. */
MUST_USE bool perception_verify(const struct perception *p, struct arena *scratch,
                                struct error *err);

/* Of all observations together, as they are now. */
struct perception_memory {
    double dense_bytes;     /* of all tensors */
    double stored_bytes;    /* what the storage holds */
    double allocated_bytes; /* what it has asked for to hold it: lists have heads, and room to
                               grow */
    double points;
};
struct perception_memory perception_memory(const struct perception *p);

/* One more round with clocks in it. */
struct perception_times {
    double round_s;
    double query_s;
    double placing_s;
    double points_placed;
};
struct perception_times perception_profile(struct perception *p);

#endif
