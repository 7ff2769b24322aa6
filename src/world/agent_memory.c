#include "world/agent_memory.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"

#include <unistd.h>

enum { CHUNK = 500, SIDE = 11 };

static const char *const actions[] = {"move",   "eat",    "sleep", "attack",
                                      "defend", "gather", "build", "communicate"};

void agent_memory_init(struct agent_memory *m, struct redis *redis,
                       const struct agent_memory_settings *settings, struct arena *arena)
{
    *m = (struct agent_memory){
        .redis = redis,
        .arena = arena,
        .namespace = arena_printf(arena, "assay_agent_memory:%d-%llx", (int)getpid(),
                                  (unsigned long long)clock_ns()),
        .ttl_text = str_of(arena_printf(arena, "%lld", (long long)settings->ttl_s)),
        .limit = settings->limit,
        .cleanup_interval = settings->cleanup_interval,
        .agents = settings->agents,
        .timelines = arena_new(arena, struct str, settings->agents + 1),
        .writes = arena_new(arena, int64_t, settings->agents + 1),
    };
    for (uint32_t i = 0; i < m->agents; i++) {
        m->timelines[i] = str_of(arena_printf(arena, "%s:agent_%u:timeline", m->namespace, i));
    }
}

/* ---- entries ---- */

static void put_state(struct json *j, const struct memory_entry *e, struct rng *rng)
{
    json_key_object(j, "state");
    json_put_text(j, "agent_id", "");
    json_put_int(j, "step_number", e->step);
    json_put_real(j, "position_x", e->x);
    json_put_real(j, "position_y", e->y);
    json_put_real(j, "position_z", 0);
    json_put_real(j, "resource_level", rng_real(rng) * 100);
    json_put_real(j, "current_health", rng_real(rng) * 100);
    json_put_bool(j, "is_defending", rng_below(rng, 2));
    json_put_real(j, "total_reward", rng_real(rng) * 100);
    json_put_int(j, "age", (int64_t)rng_below(rng, 101));
    json_put_int(j, "generation", 0);
    json_put_text(j, "genome_id", "");
    json_put_int(j, "birth_time", 0);
    json_key(j, "death_time");
    json_null(j);
    json_put_bool(j, "alive", true);
    json_end(j);
}

static void put_rest(struct json *j, struct rng *rng)
{
    json_put_real(j, "priority", rng_real(rng));
    json_put_text(j, "action", actions[rng_below(rng, COUNT(actions))]);
    json_put_real(j, "reward", rng_real(rng) * 2 - 1);
    json_key_list(j, "perception");
    for (int i = 0; i < SIDE * SIDE; i++) json_int(j, 0);
    json_end(j);
    json_key_object(j, "metadata");
    char id[11] = {0};
    for (int i = 0; i < 10; i++) id[i] = (char)('a' + (int)rng_below(rng, 26));
    json_put_text(j, "test_id", id);
    json_put_real(j, "importance", rng_real(rng));
    json_end(j);
}

struct memory_entry agent_memory_make(const struct agent_memory *m, uint32_t agent,
                                      int64_t step, struct rng *rng, struct arena *arena)
{
    struct memory_entry e = {.agent = agent, .step = step};
    e.x = rng_real(rng) * 100;
    e.y = rng_real(rng) * 100;
    struct buf text;
    buf_init(&text, 8192);
    struct json j;
    json_init(&j, &text, 0);
    json_object(&j);
    json_put_int(&j, "timestamp", 1700000000 + step);
    json_put_int(&j, "step", step);
    put_state(&j, &e, rng);
    put_rest(&j, rng);
    json_end(&j);
    e.json = str_copy(arena, buf_str(&text));
    buf_release(&text);
    e.key = str_of(
        arena_printf(arena, "%s:agent_%u:memory:%lld", m->namespace, agent, (long long)step));
    e.step_text = str_of(arena_printf(arena, "%lld", (long long)step));
    return e;
}

/* ---- writing ---- */

static bool drain(struct agent_memory *m, size_t answers, struct error *err)
{
    struct redis_answer a;
    bool done = true;
    for (size_t i = 0; i < answers; i++) {
        struct error why = {0};
        if (redis_answer(m->redis, &a, &why)) continue;
        if (done) *err = why;
        done = false;
        if (why.code == ERROR_IO) break; /* the connection is gone */
    }
    return done;
}

static bool clean_up_when_due(struct agent_memory *m, uint32_t agent, struct error *err)
{
    if (m->writes[agent] < m->cleanup_interval) return true;
    m->writes[agent] = 0;
    int64_t removed = 0;
    bool done = agent_memory_evict(m, agent, m->limit, &removed, err);
    m->evicted += removed;
    return done;
}

bool agent_memory_remember(struct agent_memory *m, const struct memory_entry *entries,
                           size_t count, struct error *err)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        const struct memory_entry *e = &entries[i];
        redis_queue(
            m->redis,
            (struct str[]){S("ZADD"), m->timelines[e->agent], e->step_text, e->step_text}, 4);
        redis_queue(m->redis, (struct str[]){S("SET"), e->key, e->json, S("EX"), m->ttl_text},
                    5);
        asked += 2;
        if (m->writes[e->agent]++ > 0) continue;
        redis_queue(m->redis, (struct str[]){S("EXPIRE"), m->timelines[e->agent], m->ttl_text},
                    3);
        asked++;
    }
    if (!drain(m, asked, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!clean_up_when_due(m, entries[i].agent, err)) return false;
    }
    return true;
}

bool agent_memory_recall(struct agent_memory *m, const struct memory_entry *entry,
                         struct str *json, struct error *err)
{
    struct redis_answer a;
    if (!redis_call(m->redis, (struct str[]){S("GET"), entry->key}, 2, &a, err)) return false;
    *json = a.text;
    return true;
}

bool agent_memory_ttl(struct agent_memory *m, struct str key, int64_t *ttl_s, struct error *err)
{
    struct redis_answer a;
    if (!redis_call(m->redis, (struct str[]){S("TTL"), key}, 2, &a, err)) return false;
    *ttl_s = a.integer;
    return true;
}

/* ---- asking ---- */

/* A command on the keys of entries. */
struct keys {
    struct str *args;
    size_t count; /* of keys: one less than of args */
    struct arena *arena;
};

/* For the entries of the ranks first..last, at most CHUNK. */
static bool find_keys(struct agent_memory *m, uint32_t agent, const int64_t ranks[2],
                      struct keys *keys, struct error *err)
{
    struct redis_answer a;
    char low[24], high[24];
    snprintf(low, sizeof low, "%lld", (long long)ranks[0]);
    snprintf(high, sizeof high, "%lld", (long long)ranks[1]);
    if (!redis_call(m->redis,
                    (struct str[]){S("ZRANGE"), m->timelines[agent], str_of(low), str_of(high)},
                    4, &a, err))
        return false;
    keys->count = a.count;
    for (size_t i = 0; i < a.count; i++) {
        struct str member = redis_item(&a, i).text;
        keys->args[i + 1] = str_of(arena_printf(keys->arena, "%s:agent_%u:memory:%.*s",
                                                m->namespace, agent, STR_ARG(member)));
    }
    return true;
}

static bool is_near(const struct memory_query *q, struct str json, int64_t *step,
                    struct arena scratch)
{
    const struct value *entry = NULL;
    struct error ignored;
    if (!value_read_json(json, &value_limits_spec, &scratch, &entry, &ignored)) return false;
    const struct value *state = value_get(entry, "state");
    double dx = value_real(state, "position_x") - q->x;
    double dy = value_real(state, "position_y") - q->y;
    *step = (int64_t)value_real(entry, "step");
    return dx * dx + dy * dy <= q->radius * q->radius;
}

bool agent_memory_search(struct agent_memory *m, struct memory_query *q, struct arena scratch,
                         struct error *err)
{
    struct keys keys = {.args = arena_new(&scratch, struct str, CHUNK + 1), .count = CHUNK};
    q->count = 0;
    for (int64_t first = 0; keys.count == CHUNK && q->count < MEMORY_FOUND_MAX;
         first += CHUNK) {
        struct arena room = scratch;
        struct redis_answer a;
        keys.arena = &room;
        keys.args[0] = S("MGET");
        if (!find_keys(m, q->agent, (int64_t[]){first, first + CHUNK - 1}, &keys, err))
            return false;
        if (keys.count == 0) break;
        if (!redis_call(m->redis, keys.args, keys.count + 1, &a, err)) return false;
        for (size_t i = 0; i < a.count && q->count < MEMORY_FOUND_MAX; i++) {
            struct redis_answer item = redis_item(&a, i);
            if (item.kind == REDIS_TEXT && is_near(q, item.text, &q->steps[q->count], room))
                q->count++;
        }
    }
    return true;
}

bool agent_memory_count(struct agent_memory *m, uint32_t agent, int64_t *count,
                        struct error *err)
{
    struct redis_answer a;
    if (!redis_call(m->redis, (struct str[]){S("ZCARD"), m->timelines[agent]}, 2, &a, err))
        return false;
    *count = a.integer;
    return true;
}

bool agent_memory_evict(struct agent_memory *m, uint32_t agent, int64_t limit, int64_t *removed,
                        struct error *err)
{
    struct arena scratch = arena_open();
    struct keys keys = {.args = arena_new(&scratch, struct str, CHUNK + 1)};
    int64_t surplus = 0;
    *removed = 0;
    bool done = agent_memory_count(m, agent, &surplus, err);
    surplus -= limit;
    while (done && surplus > 0) {
        struct arena room = scratch;
        int64_t n = surplus < CHUNK ? surplus : CHUNK;
        char last[24];
        snprintf(last, sizeof last, "%lld", (long long)n - 1);
        keys.arena = &room;
        keys.args[0] = S("DEL");
        done = find_keys(m, agent, (int64_t[]){0, n - 1}, &keys, err);
        if (!done || keys.count == 0) break;
        redis_queue(m->redis, keys.args, keys.count + 1);
        redis_queue(
            m->redis,
            (struct str[]){S("ZREMRANGEBYRANK"), m->timelines[agent], S("0"), str_of(last)}, 4);
        done = drain(m, 2, err);
        surplus -= n;
        *removed += n;
    }
    arena_close(&scratch);
    return done;
}

bool agent_memory_clear(struct agent_memory *m, struct error *err)
{
    for (uint32_t i = 0; i < m->agents; i++) {
        int64_t removed = 0;
        if (!agent_memory_evict(m, i, 0, &removed, err)) return false;
        m->writes[i] = 0;
    }
    m->evicted = 0;
    return true;
}
