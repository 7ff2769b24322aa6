#include "tests/test.h"
#include "world/world.h"

#define DIGEST_42    UINT64_C(0x45bec130985f2570)
#define DIGEST_ROUGH UINT64_C(0x853a9b4ee93a71ee)

static uint64_t digest_after(struct world_config config, int steps)
{
    struct arena arena = arena_open();
    struct world w;
    world_init(&w, &config, &arena);
    for (int i = 0; i < steps; i++) world_step(&w);
    uint64_t digest = world_digest(&w);
    world_release(&w);
    arena_close(&arena);
    return digest;
}

TEST(agents_are_split_over_the_kinds)
{
    static const int cases[][4] = {
        {30, 10, 10, 10}, {60, 20, 20, 20}, {31, 10, 10, 11}, {1, 0, 0, 1}, {0, 0, 0, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t agents[WORLD_KIND_COUNT];
        world_split(cases[i][0], agents);
        for (int kind = 0; kind < WORLD_KIND_COUNT; kind++)
            assert_int_equal(agents[kind], cases[i][kind + 1]);
    }
}

/* The numbers are those of gcc 12 and clang 14, optimised or not. Whoever changes the rules of
 * the world changes them too: results before and after do not compare. */
TEST(a_seed_is_a_life)
{
    struct world_config config = world_defaults;
    assert_true(digest_after(config, 200) == DIGEST_42);
    config.obstacle_share = 0.1;
    config.terrain_share = 0.2;
    assert_true(digest_after(config, 200) == DIGEST_ROUGH);
    config = world_defaults;
    config.seed = 43;
    assert_true(digest_after(config, 200) != DIGEST_42);
}

TEST(births_fights_and_deaths_happen_and_add_up)
{
    struct arena arena = arena_open();
    struct world w;
    struct world_config config = world_defaults;
    config.width = config.height = 40;
    config.obstacle_share = 0.1;
    world_init(&w, &config, &arena);
    int64_t births = 0, deaths = 0, by_action[ACTION_COUNT] = {0};
    for (int step = 1; step <= 300; step++) {
        uint32_t living = w.living_count;
        world_step(&w);
        births += w.births;
        deaths += w.deaths;
        assert_true(w.deed_count <= living);
        assert_int_equal(w.living_count, 30 + births - deaths);
        for (uint32_t i = 0; i < w.deed_count; i++) by_action[w.deeds[i].action]++;
        for (uint32_t i = 0; i < w.agent_count; i++) {
            const struct world_agent *a = &w.agents[i];
            assert_true(a->x >= 0 && a->x <= 40 && a->y >= 0 && a->y <= 40);
            assert_true((a->health > 0) == (a->death_step < 0));
            size_t cell = (size_t)world_cell(a->y, 40) * 40 + (size_t)world_cell(a->x, 40);
            assert_true(w.obstacles[cell] == 0);
        }
    }
    assert_true(births > 0 && deaths > 0);
    for (int i = 0; i < ACTION_COUNT; i++) {
        if (by_action[i] == 0) fail_msg("nobody ever did %s", world_action_name(i));
    }
    struct world_summary s = world_summarise(&w);
    assert_int_equal(s.by_kind[0] + s.by_kind[1] + s.by_kind[2], w.living_count);
    world_release(&w);
    arena_close(&arena);
}

TEST(an_empty_world_goes_on)
{
    struct world_config config = world_defaults;
    config.agents[0] = config.agents[1] = config.agents[2] = 0;
    config.resources = 0;
    assert_true(digest_after(config, 3) != 0);
}

TEST_MAIN(T(agents_are_split_over_the_kinds), T(a_seed_is_a_life),
          T(births_fights_and_deaths_happen_and_add_up), T(an_empty_world_goes_on))
