#include "tests/test.h"
#include "world/observation.h"
#include "world/perception.h"
#include "world/reference.h"

struct pair {
    struct arena arena;
    struct world world;
    struct lens lenses[2]; /* by storage */
    struct observation *eyes[2];
    float *rooms[2];
};

static void pair_open(struct pair *p, const struct world_config *config, int32_t radius,
                      int32_t fov, bool is_bilinear)
{
    p->arena = arena_open();
    world_init(&p->world, config, &p->arena);
    for (int s = 0; s < 2; s++) {
        lens_init(&p->lenses[s], radius, fov, (enum observation_storage)s, is_bilinear,
                  &p->arena);
        size_t agents = (size_t)p->world.config.max_agents;
        p->eyes[s] = arena_new(&p->arena, struct observation, agents);
        for (size_t i = 0; i < agents; i++) observation_init(&p->eyes[s][i], &p->lenses[s]);
        p->rooms[s] = arena_new(&p->arena, float, lens_tensor_floats(&p->lenses[s]));
    }
}

static void pair_close(struct pair *p)
{
    for (int s = 0; s < 2; s++) {
        for (int32_t i = 0; i < p->world.config.max_agents; i++)
            observation_release(&p->eyes[s][i], &p->lenses[s]);
        lens_release(&p->lenses[s]);
        assert_int_equal(p->lenses[s].heap.live_bytes, 0);
    }
    world_release(&p->world);
    arena_close(&p->arena);
}

static const float *pair_look(struct pair *p, int storage, uint32_t agent)
{
    observation_look(&p->eyes[storage][agent], &p->lenses[storage], &p->world, agent);
    return observation_read(&p->eyes[storage][agent], &p->lenses[storage], &p->world,
                            p->rooms[storage]);
}

static float at(const struct pair *p, const float *tensor, enum observation_channel channel,
                int32_t x, int32_t y)
{
    const struct lens *lens = &p->lenses[0];
    return tensor[(size_t)channel * lens->cells + (size_t)(y * lens->side + x)];
}

/* What must be in a cell now, from nothing but the places of all agents. */
static float healthiest(const struct world *w, uint32_t self, bool is_ally, int32_t x,
                        int32_t y)
{
    float best = 0;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        if (i == self || a->death_step >= 0) continue;
        if ((a->kind == w->agents[self].kind) != is_ally) continue;
        if (world_cell(a->x, w->config.width) != x || world_cell(a->y, w->config.height) != y)
            continue;
        float share = (float)(a->health / a->starting_health);
        if (share > best) best = share;
    }
    return best;
}

static void check_instant(const struct pair *p, const float *t, uint32_t self)
{
    const struct world *w = &p->world;
    int32_t r = p->lenses[0].radius, fov = p->lenses[0].fov_radius;
    int32_t ax = world_cell(w->agents[self].x, w->config.width);
    int32_t ay = world_cell(w->agents[self].y, w->config.height);
    for (int32_t y = -r; y <= r; y++) {
        for (int32_t x = -r; x <= r; x++) {
            bool is_visible = x * x + y * y <= fov * fov;
            int32_t cx = ax + x, cy = ay + y;
            bool is_inside =
                cx >= 0 && cy >= 0 && cx < w->config.width && cy < w->config.height;
            float blocked =
                is_inside && w->obstacles ? w->obstacles[cy * w->config.width + cx] : 0;
            assert_true(at(p, t, CHANNEL_VISIBILITY, x + r, y + r) == (float)is_visible);
            assert_true(at(p, t, CHANNEL_OBSTACLES, x + r, y + r) == blocked);
            float ally = is_visible ? healthiest(w, self, true, cx, cy) : 0;
            float enemy = is_visible ? healthiest(w, self, false, cx, cy) : 0;
            assert_true(at(p, t, CHANNEL_ALLIES_HP, x + r, y + r) == ally);
            assert_true(at(p, t, CHANNEL_ENEMIES_HP, x + r, y + r) == enemy);
            float all = ally + enemy + at(p, t, CHANNEL_RESOURCES, x + r, y + r) + blocked;
            if (is_visible && all <= 1e-6F)
                assert_true(at(p, t, CHANNEL_KNOWN_EMPTY, x + r, y + r) == 1);
            else
                assert_true(at(p, t, CHANNEL_KNOWN_EMPTY, x + r, y + r) < 1);
        }
    }
}

/* The property: random worlds, with births, deaths, obstacles and every radius; every cell of
 * every agent in every step. */
TEST(hybrid_equals_dense_in_every_cell)
{
    int64_t used[CHANNEL_COUNT] = {0};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct rng rng = rng_seeded(seed);
        struct world_config config = world_defaults;
        config.seed = seed;
        config.width = 8 + (int32_t)rng_below(&rng, 50);
        config.height = 8 + (int32_t)rng_below(&rng, 50);
        config.max_agents = 60;
        config.obstacle_share = seed % 3 == 0 ? 0.15 : 0;
        config.terrain_share = seed % 4 == 0 ? 0.3 : 0;
        int32_t radius = 1 + (int32_t)rng_below(&rng, 12);
        struct pair p;
        pair_open(&p, &config, radius, 1 + (int32_t)rng_below(&rng, 12), seed % 2 == 0);
        for (int step = 0; step < 60; step++) {
            for (uint32_t i = 0; i < p.world.agent_count; i++) {
                const float *hybrid = pair_look(&p, OBSERVATION_HYBRID, i);
                const float *dense = pair_look(&p, OBSERVATION_DENSE, i);
                size_t floats = lens_tensor_floats(&p.lenses[0]);
                if (memcmp(hybrid, dense, floats * sizeof *dense) != 0)
                    fail_msg("seed %d step %d agent %u", (int)seed, step, i);
                if (world_lives(&p.world, i) && i % 7 == 0) check_instant(&p, dense, i);
                for (size_t k = 0; k < floats; k++) used[k / p.lenses[0].cells] += dense[k] > 0;
            }
            world_step(&p.world);
        }
        pair_close(&p);
    }
    for (int c = 0; c < CHANNEL_COUNT; c++) {
        if (used[c] == 0) fail_msg("channel %s was never used", observation_channel_name(c));
    }
}

/* Two agents and one resource in known places. */
static void small_world(struct pair *p, bool is_bilinear)
{
    struct world_config config = world_defaults;
    config.width = config.height = 40;
    config.agents[0] = 1;
    config.agents[1] = 1;
    config.agents[2] = 0;
    config.resources = 1;
    pair_open(p, &config, 6, 6, is_bilinear);
    static const double places[][2] = {{20.5, 20.5}, {23.5, 20.5}};
    for (uint32_t i = 0; i < 2; i++) {
        p->world.agents[i].x = places[i][0];
        p->world.agents[i].y = places[i][1];
        nearby_put(&p->world.agents_near, i, places[i][0], places[i][1]);
    }
    p->world.resources[0].x = 18.25;
    p->world.resources[0].y = 22.75;
    p->world.resources[0].amount = 15;
    nearby_put(&p->world.resources_near, 0, 18.25, 22.75);
}

TEST(a_resource_lies_in_its_cell_or_in_the_four_around_its_place)
{
    for (int storage = 0; storage < 2; storage++) {
        struct pair p;
        small_world(&p, false);
        const float *t = pair_look(&p, storage, 0);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 4, 8), 0.5, 0);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 5, 8), 0, 0);
        assert_close(at(&p, t, CHANNEL_SELF_HP, 6, 6), 1, 0);
        assert_close(at(&p, t, CHANNEL_ENEMIES_HP, 9, 6), 1, 0);
        pair_close(&p);
        small_world(&p, true);
        t = pair_look(&p, storage, 0);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 4, 8), 0.5 * 0.75 * 0.25, 1e-7);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 4, 9), 0.5 * 0.75 * 0.75, 1e-7);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 5, 8), 0.5 * 0.25 * 0.25, 1e-7);
        assert_close(at(&p, t, CHANNEL_RESOURCES, 5, 9), 0.5 * 0.25 * 0.75, 1e-7);
        pair_close(&p);
    }
}

/* At the window's edge a part of it is outside: it is lost, not piled up on the border. */
TEST(what_falls_outside_of_the_window_is_lost)
{
    struct pair p;
    small_world(&p, true);
    p.world.resources[0].x = 26.75; /* between the last column and the next */
    p.world.resources[0].y = 20.5;
    nearby_put(&p.world.resources_near, 0, 26.75, 20.5);
    double sum = 0;
    const float *t = pair_look(&p, OBSERVATION_DENSE, 0);
    for (int32_t i = 0; i < 169; i++) sum += (double)t[CHANNEL_RESOURCES * 169 + i];
    assert_close(sum, 0.5 * 0.25, 1e-6);
    pair_close(&p);
}

TEST(memory_fades_and_moves_against_the_agent)
{
    for (int storage = 0; storage < 2; storage++) {
        struct pair p;
        small_world(&p, false);
        struct world_event event = {
            .strength = 0.5F, .trace = TRACE_DAMAGE, .agent = 1, .cell_x = 22, .cell_y = 21};
        struct spatial_point place = {22.5, 21.5};
        p.world.events = &event;
        p.world.event_count = 1;
        nearby_fill(&p.world.events_near, &place, 1);
        const float *t = pair_look(&p, storage, 0);
        assert_close(at(&p, t, CHANNEL_DAMAGE_HEAT, 8, 7), 0.5, 0);
        assert_close(at(&p, t, CHANNEL_KNOWN_EMPTY, 0, 6), 1, 0);
        p.world.event_count = 0;
        p.world.events = NULL;
        nearby_fill(&p.world.events_near, NULL, 0);
        p.world.agents[0].x = 22.5; /* two cells to the right */
        nearby_put(&p.world.agents_near, 0, 22.5, 20.5);
        t = pair_look(&p, storage, 0);
        assert_close(at(&p, t, CHANNEL_DAMAGE_HEAT, 8, 7), 0, 0);
        assert_close(at(&p, t, CHANNEL_DAMAGE_HEAT, 6, 7), 0.5F * 0.85F, 1e-7);
        /* Seen empty in the upper part of the disk before, now beyond its rim. */
        assert_close(at(&p, t, CHANNEL_KNOWN_EMPTY, 1, 2), 0.98F, 1e-7);
        for (int i = 0; i < 200; i++) t = pair_look(&p, storage, 0);
        assert_close(at(&p, t, CHANNEL_DAMAGE_HEAT, 6, 7), 0, 0); /* forgotten */
        pair_close(&p);
    }
}

TEST(the_dead_see_nothing)
{
    struct pair p;
    small_world(&p, true);
    pair_look(&p, 0, 0);
    pair_look(&p, 1, 0);
    p.world.agents[0].death_step = 0;
    for (int storage = 0; storage < 2; storage++) {
        const float *t = pair_look(&p, storage, 0);
        for (size_t i = 0; i < lens_tensor_floats(&p.lenses[0]); i++) assert_true(t[i] == 0);
    }
    pair_close(&p);
}

TEST(a_difference_between_the_storages_is_found)
{
    struct arena arena = arena_open(), scratch = arena_open();
    struct perception p;
    struct perception_config config = {.width = 50,
                                       .height = 50,
                                       .agents = 9,
                                       .resources = 10,
                                       .radius = 4,
                                       .fov_radius = 4,
                                       .is_moving = true,
                                       .is_bilinear = true,
                                       .seed = 5};
    perception_open(&p, &config, &arena);
    for (int i = 0; i < 5; i++) {
        perception_round(&p);
        perception_tick(&p);
    }
    struct error err = {0};
    assert_true(perception_verify(&p, &scratch, &err));
    p.observations[3].points[CHANNEL_SELF_HP].items[0].value += 0.125F;
    assert_false(perception_verify(&p, &scratch, &err));
    assert_non_null(strstr(err.text, "agent 3: channel self_hp, cell (4, 4)"));
    perception_close(&p);
    arena_close(&scratch);
    arena_close(&arena);
}

TEST(a_disk_of_points_is_smaller_than_its_tensor)
{
    struct arena arena = arena_open();
    static const int32_t radii[] = {3, 5, 8, 20};
    static const double tensor_bytes[] = {2548, 6292, 15028, 87412};
    for (size_t i = 0; i < COUNT(radii); i++) {
        struct perception p;
        struct perception_config config = {.width = 200,
                                           .height = 200,
                                           .agents = 30,
                                           .resources = 10,
                                           .radius = radii[i],
                                           .fov_radius = radii[i],
                                           .is_moving = true,
                                           .seed = 7};
        perception_open(&p, &config, &arena);
        for (int k = 0; k < 20; k++) {
            perception_round(&p);
            perception_tick(&p);
        }
        struct perception_memory m = perception_memory(&p);
        assert_close(m.dense_bytes / 30, tensor_bytes[i], 0);
        assert_true(m.stored_bytes < 0.5 * m.dense_bytes);
        assert_true(m.stored_bytes >= 8 * m.points);
        assert_true(m.allocated_bytes >= m.stored_bytes + 30 * sizeof *p.observations);
        assert_true(m.allocated_bytes < m.dense_bytes);
        perception_close(&p);
    }
    arena_close(&arena);
}

/* The channel in which what was seen is not what is there. */
static void assert_wrong(struct pair *p, struct references *r, const char *said)
{
    struct error err = {0};
    assert_false(references_agree(r, p->eyes[0], &p->lenses[0], &p->world, p->arena, &err));
    if (!strstr(err.text, said)) fail_msg("%s", err.text);
}

/* Worlds with obstacles and hard ground, seen at their edges too. */
TEST(the_slow_way_sees_the_same)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct world_config config = world_defaults;
        config.seed = seed;
        config.width = config.height = 10 + (int32_t)seed * 3;
        config.max_agents = 60;
        config.obstacle_share = seed % 3 == 0 ? 0.15 : 0;
        config.terrain_share = seed % 4 == 0 ? 0.3 : 0;
        struct pair p;
        pair_open(&p, &config, 1 + (int32_t)seed, 4, seed % 2 == 0);
        struct references r, blind;
        references_init(&r, p.world.agent_count, &p.lenses[0], &p.arena);
        references_init(&blind, p.world.agent_count, &p.lenses[0], &p.arena);
        assert_int_equal(r.count, 8);
        struct error err = {0};
        for (int step = 0; step < 30; step++, world_step(&p.world)) {
            for (uint32_t i = 0; i < p.world.agent_count; i++) {
                if (world_lives(&p.world, i)) pair_look(&p, OBSERVATION_HYBRID, i);
            }
            if (!references_agree(&r, p.eyes[0], &p.lenses[0], &p.world, p.arena, &err))
                fail_msg("seed %d, step %d: %s", (int)seed, step, err.text);
        }
        assert_wrong(&p, &r, "channel"); /* nobody has looked since */
        assert_wrong(&p, &blind, "channel");
        pair_close(&p);
    }
}

/* Whoever looks away while something happens, or does not look where he has been. */
TEST(the_slow_way_misses_no_event_and_remembers)
{
    enum { DAMAGE, TRAIL, SIGNAL, LANDMARK, TRACES };
    static const char *const said[TRACES] = {"channel damage_heat", "channel trails",
                                             "channel ally_signal", "channel landmarks"};
    for (int trace = 0; trace < TRACES; trace++) {
        struct world_config config = world_defaults;
        config.width = config.height = 20;
        struct pair p;
        pair_open(&p, &config, 6, 6, true);
        struct references r;
        references_init(&r, p.world.agent_count, &p.lenses[0], &p.arena);
        uint32_t seer = r.items[1].agent;
        const struct world_agent *a = &p.world.agents[seer];
        struct world_event event = {
            .strength = 0.5F,
            .trace = (enum world_trace)trace,
            .agent = trace == LANDMARK ? seer : seer + 1, /* of one kind */
            .cell_x = world_cell(a->x, 20),
            .cell_y = world_cell(a->y, 20),
        };
        assert_int_equal(p.world.agents[seer + 1].kind, a->kind);
        for (uint32_t i = 0; i < p.world.agent_count; i++) pair_look(&p, OBSERVATION_HYBRID, i);
        p.world.events = &event;
        p.world.event_count = 1;
        assert_wrong(&p, &r, said[trace]);
        p.world.events = NULL;
        p.world.event_count = 0;
        for (uint32_t i = 0; i < p.world.agent_count; i++) pair_look(&p, OBSERVATION_HYBRID, i);
        assert_wrong(&p, &r, said[trace]); /* half a step later it is still there */
        pair_close(&p);
    }
}

/* What is wrong in an index must not be wrong in the same way when it is done again. */
TEST(whatever_was_measured_is_done_again_with_another_index)
{
    static const char *const names[] = {"spatial_hash", "kd_tree", "quadtree", "brute_force"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct spatial_kind *kind = spatial_kind_find(str_of(names[i]));
        assert_non_null(kind);
        for (uint32_t points = 10; points <= 10000; points *= 1000)
            assert_ptr_not_equal(nearby_other(kind, points), kind);
    }
    assert_string_equal(nearby_other(NULL, 1000)->name, "brute_force");
    assert_string_equal(nearby_other(NULL, 1001)->name, "kd_tree");
}

TEST_MAIN(T(whatever_was_measured_is_done_again_with_another_index),
          T(the_slow_way_sees_the_same), T(the_slow_way_misses_no_event_and_remembers),
          T(hybrid_equals_dense_in_every_cell),
          T(a_resource_lies_in_its_cell_or_in_the_four_around_its_place),
          T(what_falls_outside_of_the_window_is_lost),
          T(memory_fades_and_moves_against_the_agent), T(the_dead_see_nothing),
          T(a_difference_between_the_storages_is_found),
          T(a_disk_of_points_is_smaller_than_its_tensor))
