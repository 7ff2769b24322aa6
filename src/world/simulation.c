#include "world/simulation.h"
#include "world/reference.h"

double simulation_bytes(double agents, double steps)
{
    enum { STATE = 250, RESOURCE = 60, STEP = 400 }; /* with the actions, and all indexes */
    return steps * (agents * STATE + world_defaults.resources * RESOURCE + STEP);
}

bool simulation_open(struct simulation *s, const struct simulation_config *config,
                     struct arena *arena, struct error *err)
{
    *s = (struct simulation){.config = config, .arena = arena};
    world_init(&s->world, &config->world, arena);
    struct world_db_settings settings = {
        .path = config->store == SIMULATION_DISK ? config->path : ":memory:",
        .profile = config->profile,
    };
    if (config->radius > 0) {
        lens_init(&s->lens, config->radius, config->radius, config->storage, true, arena);
        size_t agents = (size_t)s->world.config.max_agents;
        s->observations = arena_new(arena, struct observation, agents + 1);
        s->room = arena_new(arena, float, lens_tensor_floats(&s->lens));
    }
    return world_db_open(&settings, arena, &s->db, err) &&
           world_db_begin(s->db, &s->world, err);
}

size_t simulation_held_bytes(const struct simulation *s)
{
    size_t bytes = world_bytes(&s->world);
    if (!s->observations) return bytes;
    return bytes + s->lens.heap.live_bytes +
           ((size_t)s->world.config.max_agents + 1) * sizeof *s->observations;
}

static void look_around(struct simulation *s)
{
    for (uint32_t i = 0; i < s->world.agent_count; i++) {
        struct observation *o = &s->observations[i];
        if (!world_lives(&s->world, i)) continue;
        if (!o->empty && !o->dense) observation_init(o, &s->lens);
        observation_look(o, &s->lens, &s->world, i);
        s->sum += observation_read(o, &s->lens, &s->world, s->room)[s->lens.cells / 2];
    }
}

bool simulation_step(struct simulation *s, struct error *err)
{
    world_step(&s->world);
    if (s->observations) look_around(s);
    return world_db_step(s->db, &s->world, err);
}

bool simulation_finish(struct simulation *s, struct error *err)
{
    if (!world_db_flush(s->db, err)) return false;
    if (s->config->store == SIMULATION_DISK) { /* its log goes into the file by this */
        world_db_close(s->db);
        s->db = NULL;
    }
    return s->config->store != SIMULATION_MEMORY_PERSIST ||
           world_db_persist(s->db, s->config->path, err);
}

void simulation_close(struct simulation *s)
{
    world_db_close(s->db);
    s->db = NULL;
    for (uint32_t i = 0; s->observations && i < s->world.agent_count; i++)
        observation_release(&s->observations[i], &s->lens);
    lens_release(&s->lens);
    world_release(&s->world);
    s->config = NULL;
}

bool simulation_live(struct simulation *s, struct error *err)
{
    for (int64_t i = 0; i < s->config->steps; i++) {
        if (!simulation_step(s, err)) return error_wrap(err, "step %lld", (long long)i + 1);
    }
    return simulation_finish(s, err);
}

bool simulation_pragmas(struct simulation *s, struct sql_effective *out, struct error *err)
{
    return sql_effective(world_db_sql(s->db), out, err) &&
           sql_is_as_asked(out, s->config->profile, err);
}

bool simulation_content(struct simulation *s, struct world_db_content *out, struct error *err)
{
    if (s->config->store == SIMULATION_MEMORY) return world_db_content(s->db, out, err);
    return world_db_content_of(s->config->path, out, err);
}

/* ---- once more ---- */

/* Rows that world_db.h promises for what has happened in the last step. */
static int64_t rows_of_step(const struct world *w)
{
    return (int64_t)w->living_count + w->resource_count + 1 + w->deed_count + w->incident_count;
}

/* As simulation_live, and counts the rows that there must be. What some see must be right in
 * every step, and so must the rows. */
static bool run_again(struct simulation *s, const struct simulation_config *config,
                      struct arena *arena, int64_t *rows, struct error *err)
{
    if (!simulation_open(s, config, arena, err)) return false;
    struct references references = {0};
    if (s->observations) references_init(&references, s->world.agent_count, &s->lens, arena);
    *rows = 3; /* experiments, simulations, simulation_config */
    for (int64_t i = 0; i < config->steps; i++) {
        if (!simulation_step(s, err) ||
            !references_agree(&references, s->observations, &s->lens, &s->world, *arena, err))
            return false;
        *rows += rows_of_step(&s->world);
    }
    *rows += s->world.agent_count;
    return simulation_finish(s, err) && world_db_agrees(s->db, &s->world, err);
}

static bool is_same_sight(const struct simulation *a, const struct simulation *b,
                          struct arena scratch, struct error *err)
{
    for (uint32_t i = 0; a->observations && i < a->world.agent_count; i++) {
        if (!world_lives(&a->world, i)) continue;
        struct observation_view one = {&a->observations[i], &a->lens, &a->world};
        struct observation_view other = {&b->observations[i], &b->lens, &b->world};
        if (!observation_is_same(&one, &other, scratch, err))
            return error_wrap(err, "agent %u", i);
    }
    return true;
}

bool simulation_relive(const struct simulation *s, struct world_db_content *expected,
                       struct arena *scratch, struct error *err)
{
    struct simulation_config config = *s->config;
    config.store = SIMULATION_MEMORY;
    config.storage =
        config.storage == OBSERVATION_DENSE ? OBSERVATION_HYBRID : OBSERVATION_DENSE;
    config.world.index = nearby_other(s->world.agents_near.index.kind, s->world.agent_count);
    struct simulation twin = {0};
    int64_t rows = 0;
    bool done = run_again(&twin, &config, scratch, &rows, err) &&
                simulation_content(&twin, expected, err);
    if (done && world_digest(&twin.world) != world_digest(&s->world))
        done = error_set(err, ERROR_FAILED, "the same seed gave two worlds");
    if (done && expected->rows != rows)
        done = error_set(err, ERROR_FAILED, "%lld rows are recorded, %lld were expected",
                         (long long)expected->rows, (long long)rows);
    done = done && is_same_sight(s, &twin, *scratch, err);
    simulation_close(&twin);
    return done;
}

bool simulation_holds(struct simulation *s, const struct world_db_content *expected,
                      struct error *err)
{
    struct world_db_content found = {0};
    if (!simulation_content(s, &found, err)) return false;
    return (found.hash == expected->hash && found.rows == expected->rows) ||
           error_set(err, ERROR_FAILED,
                     "%lld rows with hash %016llx instead of %lld with %016llx",
                     (long long)found.rows, (unsigned long long)found.hash,
                     (long long)expected->rows, (unsigned long long)expected->hash);
}
