/* The world against the least that its work could cost.
 *
 * An observation against a copy of its tensor: 100 agents at radius 6, source and target of the
 * copy rotate through the tensors of 100 agents, as observations do. A step of a simulation with
 * its rows against the bare inserts of those rows: the same statements, values and transactions
 * through the sqlite3 API, the values made before; both must end with the same content. And
 * what others have published, beside ours: claimed, on their machines. */
#include "base/os.h"
#include "bench/ratio.h"
#include "world/agent_memory.h"
#include "world/perception.h"
#include "world/simulation.h"
#include "world/sql_workload.h"

#include <sqlite3.h>
#include <time.h>

enum { AGENTS = 100, ROUNDS = 40, STEPS = 60 };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const char *why)
{
    printf("bench: %s: %s MISSED\n", what, why);
    exit(1);
}

/* ---- observations ---- */

struct eyes {
    struct arena arena;
    struct perception perception;
};

static void eyes_open(struct eyes *e, enum observation_storage storage, int32_t agents,
                      int32_t radius, int32_t side)
{
    e->arena = arena_open();
    struct perception_config config = {.width = side,
                                       .height = side,
                                       .agents = agents,
                                       .resources = 10,
                                       .radius = radius,
                                       .fov_radius = radius,
                                       .storage = storage,
                                       .is_bilinear = true,
                                       .is_moving = true,
                                       .seed = 42};
    perception_open(&e->perception, &config, &e->arena);
    for (int i = 0; i < 5; i++) { /* lists reach their size */
        perception_round(&e->perception);
        perception_tick(&e->perception);
    }
}

static void eyes_close(struct eyes *e)
{
    struct arena scratch = arena_open();
    struct error err = {0};
    if (!perception_verify(&e->perception, &scratch, &err)) die("observations", err.text);
    perception_close(&e->perception);
    arena_close(&scratch);
    arena_close(&e->arena);
}

static double time_rounds(struct eyes *e, int rounds)
{
    double total = 0;
    for (int i = 0; i < rounds; i++) {
        double begin = cpu_s();
        perception_round(&e->perception);
        total += cpu_s() - begin;
        perception_tick(&e->perception);
    }
    return total;
}

static double time_copies(float *from, float *to, size_t floats)
{
    double begin = cpu_s();
    for (int i = 0; i < ROUNDS; i++) {
        for (size_t a = 0; a < AGENTS; a++) {
            memcpy(&to[a * floats], &from[a * floats], floats * sizeof *to);
            __asm__ volatile("" : : "r"(&to[a * floats]) : "memory");
        }
    }
    return cpu_s() - begin;
}

static void bench_observations(void)
{
    static const char *const names[] = {"observation, hybrid / copy of its tensor, radius 6",
                                        "observation, dense / copy of its tensor, radius 6"};
    struct eyes eyes[2];
    for (int s = 0; s < 2; s++)
        eyes_open(&eyes[s], (enum observation_storage)s, AGENTS, 6, 200);
    size_t floats = lens_tensor_floats(&eyes[0].perception.lens);
    float *from = calloc(AGENTS * floats, sizeof *from),
          *to = calloc(AGENTS * floats, sizeof *to);
    double ours[2][BLOCKS], copies[BLOCKS];
    for (int block = -1; block < BLOCKS; block++) {
        int at = block < 0 ? 0 : block;
        for (int turn = 0; turn < 3; turn++) {
            int who = (at + turn) % 3;
            if (who < 2) ours[who][at] = time_rounds(&eyes[who], ROUNDS);
            if (who == 2) copies[at] = time_copies(from, to, floats);
        }
    }
    for (int s = 0; s < 2; s++) {
        ratio_at_most(names[s], ours[s], copies, 8);
        eyes_close(&eyes[s]);
    }
    free(from);
    free(to);
}

/* ---- a step and its rows ---- */

struct state_row {
    char key[32];
    int key_length;
    struct world_agent agent;
    uint32_t id;
};

/* All that the database is given for one step. */
struct step_rows {
    struct state_row *states;
    size_t state_count;
    struct world_resource *resources;
    struct world_incident *incidents;
    size_t incident_count;
    struct world_deed *deeds;
    size_t deed_count;
    uint32_t agents_before, agents_after;
    struct world_agent *born;
    uint32_t *dead;
    size_t dead_count;
    struct world_summary summary;
    char kinds[96];
    int32_t births, deaths;
    double consumed;
};

struct life {
    struct arena arena;
    struct world_config config;
    struct world_agent *first;
    uint32_t first_count;
    uint32_t resource_count;
    struct step_rows steps[STEPS];
};

static void *copy_of(struct arena *arena, const void *items, size_t bytes)
{
    return bytes ? arena_copy(arena, items, bytes) : NULL;
}

static void keep_step(struct life *l, const struct world *w, uint32_t before,
                      struct step_rows *r)
{
    r->states = arena_new(&l->arena, struct state_row, w->living_count + 1);
    r->dead = arena_new(&l->arena, uint32_t, w->agent_count + 1);
    for (uint32_t i = 0; i < w->agent_count; i++) {
        if (w->agents[i].death_step == w->step) r->dead[r->dead_count++] = i;
        if (!world_lives(w, i)) continue;
        struct state_row *row = &r->states[r->state_count++];
        row->id = i;
        row->agent = w->agents[i];
        row->key_length = snprintf(row->key, sizeof row->key, "1:%u-%d", i, w->step);
    }
    r->resources = copy_of(&l->arena, w->resources, w->resource_count * sizeof *w->resources);
    r->incidents = copy_of(&l->arena, w->incidents, w->incident_count * sizeof *w->incidents);
    r->incident_count = w->incident_count;
    r->deeds = copy_of(&l->arena, w->deeds, w->deed_count * sizeof *w->deeds);
    r->deed_count = w->deed_count;
    r->agents_before = before;
    r->agents_after = w->agent_count;
    r->born =
        copy_of(&l->arena, &w->agents[before], (w->agent_count - before) * sizeof *r->born);
    r->summary = world_summarise(w);
    snprintf(r->kinds, sizeof r->kinds, "{\"system\":%u,\"independent\":%u,\"control\":%u}",
             r->summary.by_kind[0], r->summary.by_kind[1], r->summary.by_kind[2]);
    r->births = w->births;
    r->deaths = w->deaths;
    r->consumed = w->consumed;
}

static void keep_life(struct life *l)
{
    *l = (struct life){.arena = arena_open(), .config = world_defaults};
    world_split(AGENTS, l->config.agents);
    struct world w;
    world_init(&w, &l->config, &l->arena);
    l->first = copy_of(&l->arena, w.agents, w.agent_count * sizeof *w.agents);
    l->first_count = w.agent_count;
    l->resource_count = w.resource_count;
    for (int i = 0; i < STEPS; i++) {
        uint32_t before = w.agent_count;
        world_step(&w);
        keep_step(l, &w, before, &l->steps[i]);
    }
    world_release(&w);
}

struct bare {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *agent, *death, *state, *resource, *step, *action, *incident;
    struct {
        int64_t step;
        struct world_deed deed;
    } buffered[WORLD_DB_ACTIONS_BUFFERED];
    size_t buffered_count;
};

static sqlite3_stmt *prepared(sqlite3 *db, const char *text)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK)
        die("bare inserts", sqlite3_errmsg(db));
    return stmt;
}

static void run(struct bare *b, sqlite3_stmt *stmt)
{
    if (sqlite3_step(stmt) != SQLITE_DONE) die("bare inserts", sqlite3_errmsg(b->db));
    sqlite3_reset(stmt);
}

static void bare_open(struct bare *b)
{
    *b = (struct bare){0};
    struct sql_effective a = sql_asked(SQL_BALANCED);
    char pragmas[400];
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size=%lld; PRAGMA synchronous=%lld; PRAGMA cache_size=%lld;"
             "PRAGMA temp_store=%lld; PRAGMA foreign_keys=%lld; BEGIN;",
             (long long)a.page_size, (long long)a.synchronous, (long long)a.cache_size,
             (long long)a.temp_store, (long long)a.foreign_keys);
    if (sqlite3_open_v2(":memory:", &b->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_exec(b->db, pragmas, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(b->db, world_db_schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(b->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        die("bare inserts", sqlite3_errmsg(b->db));
    b->begin = prepared(b->db, "BEGIN IMMEDIATE");
    b->commit = prepared(b->db, "COMMIT");
    b->agent = prepared(b->db, world_db_insert_agent);
    b->death = prepared(b->db, world_db_update_death);
    b->state = prepared(b->db, world_db_insert_state);
    b->resource = prepared(b->db, world_db_insert_resource);
    b->step = prepared(b->db, world_db_insert_step);
    b->action = prepared(b->db, world_db_insert_action);
    b->incident = prepared(b->db, world_db_insert_incident);
}

static void bare_close(struct bare *b)
{
    sqlite3_stmt *all[] = {b->begin,    b->commit, b->agent,  b->death,   b->state,
                           b->resource, b->step,   b->action, b->incident};
    for (size_t i = 0; i < COUNT(all); i++) sqlite3_finalize(all[i]);
    sqlite3_close(b->db);
}

static void bind_text(sqlite3_stmt *s, int at, const char *text, int n)
{
    sqlite3_bind_text(s, at, text, n, SQLITE_STATIC);
}

static void bare_agent(struct bare *b, uint32_t id, const struct world_agent *a)
{
    char genome[48];
    int n = snprintf(genome, sizeof genome, "%s:%d", world_kind_name(a->kind), a->generation);
    sqlite3_bind_int64(b->agent, 1, id);
    sqlite3_bind_int64(b->agent, 2, a->birth_step);
    bind_text(b->agent, 3, world_kind_name(a->kind), -1);
    sqlite3_bind_double(b->agent, 4, a->x);
    sqlite3_bind_double(b->agent, 5, a->y);
    sqlite3_bind_double(b->agent, 6, a->initial_resources);
    sqlite3_bind_double(b->agent, 7, a->starting_health);
    bind_text(b->agent, 8, genome, n);
    sqlite3_bind_int64(b->agent, 9, a->generation);
    bind_text(b->agent, 10, "{}", 2);
    run(b, b->agent);
}

static void bare_first(struct bare *b, const struct life *l)
{
    char text[400];
    snprintf(text, sizeof text,
             "INSERT INTO experiments VALUES(1,'world');"
             "INSERT INTO simulations VALUES(1,1,'running','%llu');"
             "INSERT INTO simulation_config VALUES(1,1,"
             "'{\"width\":%d,\"height\":%d,\"resources\":%d,\"agents\":%u}');",
             (unsigned long long)l->config.seed, l->config.width, l->config.height,
             l->config.resources, l->first_count);
    run(b, b->begin);
    sqlite3_exec(b->db, text, NULL, NULL, NULL);
    for (uint32_t i = 0; i < l->first_count; i++) bare_agent(b, i, &l->first[i]);
    run(b, b->commit);
}

static void bare_states(struct bare *b, const struct step_rows *r, int step)
{
    for (size_t i = 0; i < r->state_count; i++) {
        const struct state_row *row = &r->states[i];
        const struct world_agent *a = &row->agent;
        bind_text(b->state, 1, row->key, row->key_length);
        sqlite3_bind_int64(b->state, 2, step);
        sqlite3_bind_int64(b->state, 3, row->id);
        sqlite3_bind_double(b->state, 4, a->x);
        sqlite3_bind_double(b->state, 5, a->y);
        sqlite3_bind_double(b->state, 6, a->resources);
        sqlite3_bind_double(b->state, 7, a->health);
        sqlite3_bind_double(b->state, 8, a->starting_health);
        sqlite3_bind_int64(b->state, 9, a->starving_steps);
        sqlite3_bind_int64(b->state, 10, a->is_defending);
        sqlite3_bind_double(b->state, 11, a->total_reward);
        sqlite3_bind_int64(b->state, 12, step - a->birth_step);
        run(b, b->state);
    }
}

static void bare_summary(struct bare *b, const struct step_rows *r, int step)
{
    const struct world_summary *m = &r->summary;
    sqlite3_bind_int64(b->step, 1, step);
    sqlite3_bind_int64(b->step, 2, m->living);
    bind_text(b->step, 3, r->kinds, -1);
    sqlite3_bind_double(b->step, 4, m->total_resources);
    sqlite3_bind_double(b->step, 5, m->mean_agent_resources);
    sqlite3_bind_int64(b->step, 6, r->births);
    sqlite3_bind_int64(b->step, 7, r->deaths);
    sqlite3_bind_int64(b->step, 8, m->max_generation);
    sqlite3_bind_double(b->step, 9, m->efficiency);
    sqlite3_bind_double(b->step, 10, m->resource_spread);
    sqlite3_bind_double(b->step, 11, m->mean_health);
    sqlite3_bind_double(b->step, 12, m->mean_age);
    sqlite3_bind_double(b->step, 13, m->mean_reward);
    sqlite3_bind_double(b->step, 14, m->kind_diversity);
    sqlite3_bind_double(b->step, 15, m->largest_kind_share);
    sqlite3_bind_double(b->step, 16, r->consumed);
    run(b, b->step);
}

static void bare_actions(struct bare *b)
{
    for (size_t i = 0; i < b->buffered_count; i++) {
        const struct world_deed *d = &b->buffered[i].deed;
        sqlite3_bind_int64(b->action, 1, b->buffered[i].step);
        sqlite3_bind_int64(b->action, 2, d->agent);
        bind_text(b->action, 3, world_action_name(d->action), -1);
        if (d->target == WORLD_NOBODY) {
            sqlite3_bind_null(b->action, 4);
        } else {
            sqlite3_bind_int64(b->action, 4, d->target);
        }
        sqlite3_bind_double(b->action, 5, d->reward);
        sqlite3_bind_int64(b->action, 6, d->agent);
        run(b, b->action);
    }
    b->buffered_count = 0;
}

static void bare_others(struct bare *b, const struct life *l, const struct step_rows *r,
                        int step)
{
    for (uint32_t i = 0; i < l->resource_count; i++) {
        const struct world_resource *x = &r->resources[i];
        sqlite3_bind_int64(b->resource, 1, step);
        sqlite3_bind_int64(b->resource, 2, i);
        sqlite3_bind_double(b->resource, 3, x->amount);
        sqlite3_bind_double(b->resource, 4, x->x);
        sqlite3_bind_double(b->resource, 5, x->y);
        run(b, b->resource);
    }
    bare_summary(b, r, step);
    for (size_t i = 0; i < r->incident_count; i++) {
        const struct world_incident *x = &r->incidents[i];
        sqlite3_bind_int64(b->incident, 1, step);
        sqlite3_bind_int64(b->incident, 2, x->agent);
        sqlite3_bind_double(b->incident, 3, x->before);
        sqlite3_bind_double(b->incident, 4, x->after);
        bind_text(b->incident, 5, x->cause, -1);
        run(b, b->incident);
    }
    for (size_t i = 0; i < r->dead_count; i++) {
        sqlite3_bind_int64(b->death, 1, step);
        sqlite3_bind_int64(b->death, 2, r->dead[i]);
        run(b, b->death);
    }
}

static void bare_step(struct bare *b, const struct life *l, int step)
{
    const struct step_rows *r = &l->steps[step - 1];
    run(b, b->begin);
    for (uint32_t i = r->agents_before; i < r->agents_after; i++)
        bare_agent(b, i, &r->born[i - r->agents_before]);
    bare_states(b, r, step);
    bare_others(b, l, r, step);
    for (size_t i = 0; i < r->deed_count; i++) {
        b->buffered[b->buffered_count].step = step;
        b->buffered[b->buffered_count++].deed = r->deeds[i];
        if (b->buffered_count == COUNT(b->buffered)) bare_actions(b);
    }
    run(b, b->commit);
}

static double time_bare(const struct life *l, const char *file)
{
    static struct bare b;
    bare_open(&b);
    bare_first(&b, l);
    double begin = cpu_s();
    for (int step = 1; step <= STEPS; step++) bare_step(&b, l, step);
    double took = cpu_s() - begin;
    run(&b, b.begin);
    bare_actions(&b);
    run(&b, b.commit);
    if (file) {
        char text[600];
        snprintf(text, sizeof text, "VACUUM INTO '%s'", file);
        if (sqlite3_exec(b.db, text, NULL, NULL, NULL) != SQLITE_OK)
            die("bare inserts", sqlite3_errmsg(b.db));
    }
    bare_close(&b);
    return took;
}

static double time_simulation(const struct simulation_config *config, int64_t steps,
                              struct world_db_content *content)
{
    struct arena arena = arena_open();
    struct simulation s;
    struct error err = {0};
    bool done = simulation_open(&s, config, &arena, &err);
    double begin = cpu_s();
    for (int64_t i = 0; done && i < steps; i++) done = simulation_step(&s, &err);
    double took = cpu_s() - begin;
    done = done && simulation_finish(&s, &err) &&
           (!content || simulation_content(&s, content, &err));
    if (!done) die("simulation", err.text);
    simulation_close(&s);
    arena_close(&arena);
    return took;
}

static void bench_steps(const char *folder)
{
    static struct life life;
    keep_life(&life);
    struct simulation_config config = {.world = life.config, .store = SIMULATION_MEMORY};
    char file[600];
    snprintf(file, sizeof file, "%s/bare.db", folder);
    struct world_db_content is = {0}, should_be = {0};
    struct error err = {0};
    (void)time_bare(&life, file);
    (void)time_simulation(&config, STEPS, &is);
    if (!world_db_content_of(file, &should_be, &err)) die("bare inserts", err.text);
    if (is.hash != should_be.hash || is.rows != should_be.rows)
        die("simulation", "its rows are not those of the bare inserts");
    double ours[BLOCKS], bare[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        if (block % 2) bare[block] = time_bare(&life, NULL);
        ours[block] = time_simulation(&config, STEPS, NULL);
        if (block % 2 == 0) bare[block] = time_bare(&life, NULL);
    }
    ratio_at_most("simulation step with its rows / bare inserts of them", ours, bare, 1.3);
    arena_close(&life.arena);
}

/* ---- what others have published ---- */

static void claimed(const char *what, double ours, double theirs, const char *unit,
                    const char *host)
{
    printf("%-58s %.4g %s; claimed: %.4g (%s)\n", what, ours, unit, theirs, host);
}

static const char py[] = "Linux x86_64, Python 3.12.3, 22 cores";

static void claim_observations(void)
{
    static const struct {
        int32_t agents, radius, side;
        int rounds;
        double theirs;
    } rows[] = {{20, 3, 50, 10, 1889}, {100, 6, 200, 30, 2434}, {200, 20, 200, 20, 1698}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct eyes e;
        char what[80];
        eyes_open(&e, OBSERVATION_HYBRID, rows[i].agents, rows[i].radius, rows[i].side);
        double took = time_rounds(&e, rows[i].rounds);
        snprintf(what, sizeof what, "observations a second, %d agents, radius %d",
                 rows[i].agents, rows[i].radius);
        claimed(what, rows[i].rounds * rows[i].agents / took, rows[i].theirs, "/s", py);
        eyes_close(&e);
    }
}

static void claim_steps(void)
{
    static const struct {
        int64_t agents;
        double theirs;
        const char *host;
    } rows[] = {
        {10, 8.6, py}, {50, 6.5, py}, {200, 2.5, py}, {30, 6.67, "a Linux VM, CPU only"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct simulation_config config = {
            .world = world_defaults, .radius = 6, .store = SIMULATION_MEMORY};
        world_split(rows[i].agents, config.world.agents);
        char what[80];
        snprintf(what, sizeof what, "simulation steps a second, %d agents",
                 (int)rows[i].agents);
        claimed(what, 100 / time_simulation(&config, 100, NULL), rows[i].theirs, "/s",
                rows[i].host);
    }
}

static void claim_writes(const char *folder)
{
    static const double theirs[SQL_PROFILE_COUNT] = {885e3, 870e3, 120e3, 118e3};
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        struct arena arena = arena_open();
        struct error err = {0};
        struct sql_work w = {.workload = SQL_WRITE_HEAVY,
                             .profile = (enum sql_profile)p,
                             .records = 10000,
                             .path = arena_printf(&arena, "%s/write-%d.db", folder, p)};
        if (!sql_work_open(&w, &arena, &err)) die("writes", err.text);
        double begin = wall_s();
        bool done = sql_work_run(&w, &err);
        double took = wall_s() - begin;
        if (!done || !sql_work_verify(&w, &err)) die("writes", err.text);
        char what[80];
        snprintf(what, sizeof what, "SQLite rows a second in batches of 1000, %s",
                 sql_profile_names[p]);
        claimed(what, 10000 / took, theirs[p], "/s", py);
        arena_close(&arena);
    }
}

/* 500 entries of one agent: one at a time, read back, and in one batch. */
static void time_memory(struct agent_memory *m, struct arena *arena, double rates[3])
{
    enum { ENTRIES = 500 };
    static struct memory_entry entries[ENTRIES];
    struct rng rng = rng_seeded(42);
    struct error err = {0};
    for (int i = 0; i < ENTRIES; i++) entries[i] = agent_memory_make(m, 0, i, &rng, arena);
    double times[4] = {wall_s()};
    bool done = true;
    for (int i = 0; i < ENTRIES && done; i++)
        done = agent_memory_remember(m, &entries[i], 1, &err);
    times[1] = wall_s();
    for (int i = 0; i < ENTRIES && done; i++) {
        struct str json = {0};
        done =
            agent_memory_recall(m, &entries[i], &json, &err) &&
            (str_equal(json, entries[i].json) || error_set(&err, ERROR_FAILED, "other bytes"));
    }
    times[2] = wall_s();
    done = done && agent_memory_remember(m, entries, ENTRIES, &err);
    times[3] = wall_s();
    if (!done) die("Redis", err.text);
    for (int i = 0; i < 3; i++) rates[i] = ENTRIES / (times[i + 1] - times[i]);
}

static void claim_redis(const char *folder)
{
    static const char host[] = "GitHub Actions runner, Redis on localhost";
    struct arena arena = arena_open();
    struct redis_server server = {0};
    struct redis *redis = NULL;
    struct error err = {0};
    if (!redis_server_start(&server, folder, &arena, &err) ||
        !redis_connect(server.socket, &arena, &redis, &err)) {
        printf("Redis: not measured: %s\n", err.text);
    } else {
        struct agent_memory memory;
        struct agent_memory_settings settings = {1, 3600, 100000, 100000};
        agent_memory_init(&memory, redis, &settings, &arena);
        double rates[3];
        time_memory(&memory, &arena, rates);
        claimed("Redis: entries written one at a time", rates[0], 2830, "/s", host);
        claimed("Redis: entries read", rates[1], 6100, "/s", host);
        claimed("Redis: entries written in batches of 500", rates[2], 27232, "/s", host);
    }
    redis_close(redis);
    redis_server_stop(&server);
    arena_close(&arena);
}

/* The line of /proc/cpuinfo that names the processor. */
static const char *our_host(struct arena *arena)
{
    struct str text = {0};
    struct error ignored;
    if (!os_read_file("/proc/cpuinfo", 1 << 22, arena, &text, &ignored)) return "unknown";
    while (text.p) {
        struct str line = str_cut(&text, '\n');
        struct str key = str_trim(str_cut(&line, ':'));
        if (str_is(key, "model name")) return str_cstr(arena, str_trim(line));
    }
    return "unknown";
}

int main(void)
{
    struct arena arena = arena_open();
    const char *folder = NULL;
    struct error err = {0};
    printf("this machine: %s\n", our_host(&arena));
    if (!os_make_temp_dir("assay-bench", &arena, &folder, &err)) die("world", err.text);
    bench_observations();
    bench_steps(folder);
    claim_observations();
    claim_steps();
    claim_writes(folder);
    claim_redis(folder);
    os_remove_tree(folder);
    arena_close(&arena);
    return 0;
}
