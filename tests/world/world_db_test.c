#include "base/os.h"
#include "tests/test.h"
#include "world/simulation.h"

#include <unistd.h>

struct life {
    struct arena arena;
    const char *dir;
    struct simulation_config config;
    struct simulation simulation;
    struct world_db_content content;
    struct sql_effective effective;
};

static void life_run(struct life *l, enum simulation_store store, enum sql_profile profile)
{
    struct error err = {0};
    *l = (struct life){.arena = arena_open()};
    if (!os_make_temp_dir("assay-test", &l->arena, &l->dir, &err)) fail_msg("%s", err.text);
    l->config = (struct simulation_config){
        .world = world_defaults,
        .steps = 40,
        .radius = 3,
        .store = store,
        .profile = profile,
        .path = os_path_below(l->dir, S("world.db"), &l->arena),
    };
    if (!simulation_open(&l->simulation, &l->config, &l->arena, &err) ||
        !simulation_pragmas(&l->simulation, &l->effective, &err) ||
        !simulation_live(&l->simulation, &err) ||
        !simulation_content(&l->simulation, &l->content, &err))
        fail_msg("%s", err.text);
}

static void life_close(struct life *l)
{
    simulation_close(&l->simulation);
    os_remove_tree(l->dir);
    arena_close(&l->arena);
}

TEST(wherever_they_are_kept_the_rows_are_the_same)
{
    struct world_db_content first = {0};
    for (int store = 0; store < 3; store++) {
        for (int profile = 0; profile < SQL_PROFILE_COUNT; profile++) {
            struct life l;
            life_run(&l, (enum simulation_store)store, (enum sql_profile)profile);
            if (first.rows == 0) first = l.content;
            assert_int_equal(l.content.rows, first.rows);
            assert_true(l.content.hash == first.hash);
            life_close(&l);
        }
    }
}

static int64_t ask(struct life *l, const char *query)
{
    int64_t n = 0;
    struct error err = {0};
    if (!sql_ask_int(world_db_sql(l->simulation.db), query, &n, &err)) fail_msg("%s", err.text);
    return n;
}

TEST(rows_say_what_happened)
{
    struct life l;
    life_run(&l, SIMULATION_MEMORY, SQL_BALANCED);
    const struct world *w = &l.simulation.world;
    assert_int_equal(ask(&l, "SELECT count(*) FROM simulation_steps"), 40);
    assert_int_equal(ask(&l, "SELECT count(*) FROM resource_states"), 40 * 20);
    assert_int_equal(ask(&l, "SELECT count(*) FROM agents"), w->agent_count);
    assert_int_equal(ask(&l, "SELECT count(*) FROM agents WHERE death_time IS NULL"),
                     w->living_count);
    assert_int_equal(ask(&l, "SELECT count(*) FROM agent_states"),
                     ask(&l, "SELECT sum(total_agents) FROM simulation_steps"));
    assert_true(ask(&l, "SELECT count(*) FROM agent_actions") > 1000); /* the buffer, once */
    assert_int_equal(ask(&l, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    struct world_db_content before = l.content;
    struct error err = {0};
    assert_true(sql_exec(world_db_sql(l.simulation.db),
                         "UPDATE agent_states SET age = age + 1 WHERE rowid = 7", &err));
    assert_true(simulation_content(&l.simulation, &l.content, &err));
    assert_true(l.content.hash != before.hash);
    life_close(&l);
}

/* One column of one row of the last step at a time. */
TEST(rows_that_are_not_what_the_world_is_are_found)
{
    static const struct {
        const char *change, *said;
    } cases[] = {
        {"UPDATE agents SET generation = generation + 1 WHERE agent_id = 0", "agents"},
        {"UPDATE agents SET agent_type = 'other' WHERE agent_id = 29", "agents"},
        {"UPDATE agent_states SET resource_level = current_health", "agent_states"},
        {"UPDATE agent_states SET id = id || 'x'", "agent_states"},
        {"DELETE FROM agent_states WHERE id = (SELECT max(id) FROM agent_states"
         " WHERE step_number = 40)",
         "agent_states"},
        {"UPDATE resource_states SET amount = amount / 2", "resource_states"},
        {"UPDATE agent_actions SET action_type = 'defend'", "agent_actions"},
        {"DELETE FROM agent_actions WHERE action_id = (SELECT max(action_id)"
         " FROM agent_actions)",
         "agent_actions"},
        {"UPDATE health_incidents SET health_after = health_before", "health_incidents"},
        {"UPDATE simulation_steps SET births = births + 1", "simulation_steps"},
        {"UPDATE simulation_steps SET average_reward = average_reward + 1", "simulation_steps"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct life l;
        life_run(&l, SIMULATION_MEMORY, SQL_BALANCED);
        const struct world *w = &l.simulation.world;
        struct error err = {0};
        assert_true(w->incident_count > 0);
        assert_true(world_db_agrees(l.simulation.db, w, &err));
        assert_true(sql_exec(world_db_sql(l.simulation.db), "PRAGMA foreign_keys=0", &err));
        assert_true(sql_exec(world_db_sql(l.simulation.db), cases[i].change, &err));
        assert_false(world_db_agrees(l.simulation.db, w, &err));
        if (strncmp(err.text, cases[i].said, strlen(cases[i].said)) != 0)
            fail_msg("%s: %s", cases[i].change, err.text);
        life_close(&l);
    }
}

/* Who reads the file finds no log beside it. */
TEST(a_file_is_closed_at_the_end)
{
    struct life l;
    life_run(&l, SIMULATION_DISK, SQL_BALANCED);
    assert_null(l.simulation.db);
    assert_int_equal(access(l.config.path, F_OK), 0);
    char log[300];
    snprintf(log, sizeof log, "%s-wal", l.config.path);
    assert_int_not_equal(access(log, F_OK), 0);
    assert_true(l.content.states > 40);
    life_close(&l);
}

/* What was seen, where everybody ended and what is recorded. */
TEST(a_life_that_is_lived_again_must_be_the_same)
{
    struct life l;
    life_run(&l, SIMULATION_MEMORY, SQL_BALANCED);
    struct error err = {0};
    struct world_db_content expected;
    assert_true(simulation_relive(&l.simulation, &expected, &l.arena, &err));
    assert_true(simulation_holds(&l.simulation, &expected, &err));

    struct observation *sight = &l.simulation.observations[0];
    for (uint32_t i = 0; !world_lives(&l.simulation.world, i); i++) sight++;
    sight->empty[0] ^= 1;
    assert_false(simulation_relive(&l.simulation, &expected, &l.arena, &err));
    assert_non_null(strstr(err.text, "channel known_empty"));
    sight->empty[0] ^= 1;

    l.simulation.world.agents[0].x += 1;
    assert_false(simulation_relive(&l.simulation, &expected, &l.arena, &err));
    assert_non_null(strstr(err.text, "two worlds"));
    l.simulation.world.agents[0].x -= 1;

    assert_true(sql_exec(world_db_sql(l.simulation.db),
                         "DELETE FROM health_incidents WHERE rowid = 1", &err));
    assert_true(simulation_relive(&l.simulation, &expected, &l.arena, &err));
    assert_false(simulation_holds(&l.simulation, &expected, &err));
    life_close(&l);
}

TEST(a_profile_is_what_it_says)
{
    for (int i = 0; i < 2 * SQL_PROFILE_COUNT; i++) {
        enum sql_profile profile = (enum sql_profile)(i / 2);
        struct life l;
        life_run(&l, i % 2 ? SIMULATION_MEMORY : SIMULATION_DISK, profile);
        assert_int_equal(l.effective.is_in_memory, i % 2);
        struct error err = {0};
        l.effective.synchronous = 3;
        assert_false(sql_is_as_asked(&l.effective, profile, &err));
        assert_non_null(strstr(err.text, "synchronous is 3"));
        l.effective = (struct sql_effective){.journal_mode = "delete"};
        assert_false(sql_is_as_asked(&l.effective, profile, &err));
        assert_non_null(strstr(err.text, "journal_mode is delete"));
        life_close(&l);
    }
}

TEST(a_file_that_cannot_be_made_is_an_error)
{
    struct arena arena = arena_open();
    struct simulation_config config = {.world = world_defaults,
                                       .steps = 1,
                                       .store = SIMULATION_DISK,
                                       .path = "/nowhere/world.db"};
    struct simulation s;
    struct error err = {0};
    assert_false(simulation_open(&s, &config, &arena, &err));
    assert_non_null(strstr(err.text, "'/nowhere/world.db'"));
    simulation_close(&s);
    arena_close(&arena);
}

TEST_MAIN(T(wherever_they_are_kept_the_rows_are_the_same), T(rows_say_what_happened),
          T(rows_that_are_not_what_the_world_is_are_found), T(a_file_is_closed_at_the_end),
          T(a_life_that_is_lived_again_must_be_the_same), T(a_profile_is_what_it_says),
          T(a_file_that_cannot_be_made_is_an_error))
