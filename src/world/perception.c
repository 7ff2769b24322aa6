#include "world/perception.h"
#include "base/clock.h"
#include "world/reference.h"

#include <string.h>

void perception_open(struct perception *p, const struct perception_config *config,
                     struct arena *arena)
{
    *p = (struct perception){.config = *config};
    struct world_config world = world_defaults;
    world.width = config->width;
    world.height = config->height;
    world.resources = config->resources;
    world.max_agents = config->agents;
    world.is_deathless = true;
    world.seed = config->seed;
    world.index = config->index;
    world_split(config->agents, world.agents);
    world_init(&p->world, &world, arena);
    lens_init(&p->lens, config->radius, config->fov_radius, config->storage,
              config->is_bilinear, arena);
    p->observations = arena_new(arena, struct observation, (size_t)config->agents + 1);
    p->room = arena_new(arena, float, lens_tensor_floats(&p->lens));
    for (int32_t i = 0; i < config->agents; i++)
        observation_init(&p->observations[i], &p->lens);
}

void perception_close(struct perception *p)
{
    for (int32_t i = 0; i < p->config.agents; i++)
        observation_release(&p->observations[i], &p->lens);
    lens_release(&p->lens);
    world_release(&p->world);
}

void perception_round(struct perception *p)
{
    size_t middle = p->lens.cells / 2;
    float sum = 0;
    for (int32_t i = 0; i < p->config.agents; i++) {
        struct observation *o = &p->observations[i];
        observation_look(o, &p->lens, &p->world, (uint32_t)i);
        sum += observation_read(o, &p->lens, &p->world, p->room)[middle];
    }
    p->sum += sum;
    p->rounds++;
}

void perception_tick(struct perception *p)
{
    if (p->config.is_moving) world_step(&p->world);
}

static struct observation_view view_of(const struct perception *p, int32_t agent)
{
    return (struct observation_view){&p->observations[agent], &p->lens, &p->world};
}

bool perception_verify(const struct perception *p, struct arena *scratch, struct error *err)
{
    struct perception_config config = p->config;
    config.storage =
        config.storage == OBSERVATION_DENSE ? OBSERVATION_HYBRID : OBSERVATION_DENSE;
    int32_t points = config.agents > config.resources ? config.agents : config.resources;
    config.index = nearby_other(p->world.agents_near.index.kind, (uint32_t)points);
    struct perception *twin = arena_new(scratch, struct perception, 1);
    perception_open(twin, &config, scratch);
    struct references references;
    references_init(&references, (uint32_t)config.agents, &twin->lens, scratch);
    bool is_same = true;
    for (int64_t i = 0; is_same && i < p->rounds; i++) {
        perception_round(twin);
        is_same = references_agree(&references, twin->observations, &twin->lens, &twin->world,
                                   *scratch, err);
        if (twin->world.step < p->world.step) perception_tick(twin);
    }
    if (is_same && world_digest(&p->world) != world_digest(&twin->world))
        is_same = error_set(err, ERROR_FAILED, "the same seed gave two worlds");
    for (int32_t i = 0; is_same && i < config.agents; i++) {
        struct observation_view one = view_of(p, i), other = view_of(twin, i);
        is_same =
            observation_is_same(&one, &other, *scratch, err) || error_wrap(err, "agent %d", i);
    }
    perception_close(twin);
    return is_same;
}

struct perception_memory perception_memory(const struct perception *p)
{
    struct perception_memory m = {0};
    for (int32_t i = 0; i < p->config.agents; i++) {
        m.dense_bytes += (double)(lens_tensor_floats(&p->lens) * sizeof(float));
        m.stored_bytes += (double)observation_bytes(&p->observations[i], &p->lens);
        m.points += (double)observation_point_count(&p->observations[i]);
    }
    m.allocated_bytes =
        (double)p->lens.heap.live_bytes + (double)p->config.agents * sizeof *p->observations;
    return m;
}

struct perception_times perception_profile(struct perception *p)
{
    struct lens *lens = &p->lens;
    int64_t placed = lens->points_placed;
    lens->is_timed = true;
    lens->query_ns = lens->placing_ns = 0;
    int64_t begin_ns = clock_ns();
    perception_round(p);
    int64_t took_ns = clock_ns() - begin_ns;
    lens->is_timed = false;
    return (struct perception_times){
        .round_s = (double)took_ns / 1e9,
        .query_s = (double)lens->query_ns / 1e9,
        .placing_s = (double)lens->placing_ns / 1e9,
        .points_placed = (double)(lens->points_placed - placed),
    };
}
