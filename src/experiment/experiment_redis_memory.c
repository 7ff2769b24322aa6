/* What agents remember, in a real Redis: writing, reading, searching, batches, memory,
 * forgetting. Every agent has its own timeline; all of them are used. Single writes and
 * batches store the same entries, so that their ratio is what batching gives. */
#include "base/clock.h"
#include "base/id.h"
#include "base/proc.h"
#include "experiment/experiment.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "world/agent_memory.h"

enum { SEARCHES = 100 };
enum { SAMPLE_EVERY = 100, SAMPLES_MAX = 100 }; /* of the memory while batches are written */
enum { OP_WRITE, OP_READ, OP_SEARCH, OP_BATCH, OP_COUNT };
enum {
    METRIC_RATE, /* one a kind of operation */
    METRIC_MEAN = METRIC_RATE + OP_COUNT,
    METRIC_P50 = METRIC_MEAN + OP_COUNT,
    METRIC_P99 = METRIC_P50 + OP_COUNT,
    METRIC_BATCH_SPEEDUP = METRIC_P99 + OP_COUNT,
    METRIC_BYTES,
    METRIC_CLEANUP_TIME,
    METRIC_REMOVED,
    METRIC_REMAINING,
    METRIC_SERVER_RSS,
    METRIC_COUNT
};

struct config {
    int64_t num_agents, memory_entries, batch_size, memory_limit, ttl, cleanup_interval;
    double search_radius;
    const char *server;
    const struct value *parameters;
};

/* The times of all operations of one kind. */
struct series {
    double *seconds;
    size_t count;
    double total_s;
    double entries; /* of all operations together */
};

struct memory_sample {
    int64_t entries; /* in the server */
    int64_t used;    /* bytes of it */
};

struct state {
    const struct experiment_env *env;
    const struct config *config;
    int64_t begin_ns; /* of the trial */
    struct redis_server server;
    struct redis *redis;
    struct agent_memory memory;
    struct arena arena; /* a trial's entries */
    struct arena scratch;
    struct memory_entry *entries;
    size_t entry_count;
    uint32_t *order;
    uint64_t digest; /* of entries, their order and the searches */
    struct memory_query searches[SEARCHES];
    struct series series[OP_COUNT];
    int64_t memory_before, memory_after, memory_cleaned;
    struct memory_sample samples[SAMPLES_MAX];
    size_t sample_count;
    int64_t limit; /* of the cleanup that is measured: below what there is */
    int64_t removed, remaining;
    double cleanup_s;
};

static const struct param params[] = {
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "10",
     .min = 1, .max = 10000, .help = "agents that remember"},
    {"memory_entries", PARAM_INT, .offset = offsetof(struct config, memory_entries),
     .fallback = "1000", .min = 2, .max = 1000000, .help = "entries of each agent"},
    {"batch_size", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, batch_size), .fallback = "100", .min = 1, .max = 100000,
     .help = "entries that go out together"},
    {"search_radius", PARAM_REAL, .offset = offsetof(struct config, search_radius),
     .fallback = "10", .min = 0, .max = 1000, .help = "of searches in a world of 100 x 100"},
    {"memory_limit", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, memory_limit), .fallback = "5000", .min = 2,
     .max = 100000000,
     .help = "entries that an agent keeps; the cleanup that is timed leaves half of what is "
             "there"},
    {"ttl", PARAM_INT, .role = PARAM_TREATMENT, .offset = offsetof(struct config, ttl),
     .fallback = "3600", .min = 1, .max = 1e9, .unit = "s",
     .help = "after which the server forgets an entry"},
    {"cleanup_interval", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, cleanup_interval), .fallback = "100", .min = 1,
     .max = 100000000, .help = "writes of an agent between two looks at its limit"},
    {"server", PARAM_TEXT, .role = PARAM_TREATMENT, .offset = offsetof(struct config, server),
     .fallback = "\"\"",
     .help =
         "socket or HOST:PORT of a server, in which keys assay_agent_memory:* are written and "
         "removed; \"\" = start one on a private socket"},
    {"parameters", PARAM_MAP, .offset = offsetof(struct config, parameters),
     .help = "ignored: taken by the peer, which does not use it either"},
};

static const char *const op_names[OP_COUNT] = {"write", "read", "search", "batch"};

static const struct metric metrics[METRIC_COUNT] = {
    {"avg_write_rate", "1/s", DIRECTION_HIGHER, "redis_write_rate/1",
     "entries written one at a time, per second"},
    {"avg_read_rate", "1/s", DIRECTION_HIGHER, "redis_read_rate/2", "entries read per second"},
    {"avg_search_rate", "1/s", DIRECTION_HIGHER, "redis_search_rate/1",
     "searches per second; most of it is parsing what was read"},
    {"batch_throughput", "1/s", DIRECTION_HIGHER, "redis_batch_rate/1",
     "entries written in batches, per second"},
    {"write_mean_s", "s", DIRECTION_LOWER, "redis_write_mean/1", "mean time of a write"},
    {"read_mean_s", "s", DIRECTION_LOWER, "redis_read_mean/2", "mean time of a read"},
    {"search_mean_s", "s", DIRECTION_LOWER, "redis_search_mean/1", "mean time of a search"},
    {"batch_mean_s", "s", DIRECTION_LOWER, "redis_batch_mean/1", "mean time of a batch"},
    {"write_p50_s", "s", DIRECTION_LOWER, "redis_write_p50/1", "median time of a write"},
    {"read_p50_s", "s", DIRECTION_LOWER, "redis_read_p50/2", "median time of a read"},
    {"search_p50_s", "s", DIRECTION_LOWER, "redis_search_p50/1", "median time of a search"},
    {"batch_p50_s", "s", DIRECTION_LOWER, "redis_batch_p50/1", "median time of a batch"},
    {"write_p99_s", "s", DIRECTION_LOWER, "redis_write_p99/1",
     "99th percentile of a write; from 100 on"},
    {"read_p99_s", "s", DIRECTION_LOWER, "redis_read_p99/2",
     "99th percentile of a read; from 100 on"},
    {"search_p99_s", "s", DIRECTION_LOWER, "redis_search_p99/1",
     "99th percentile of a search; from 100 on"},
    {"batch_p99_s", "s", DIRECTION_LOWER, "redis_batch_p99/1",
     "99th percentile of a batch; from 100 on"},
    [METRIC_BATCH_SPEEDUP] = {"batch_speedup", "x", DIRECTION_HIGHER, "redis_batch_speedup/1",
                              "batch_throughput / avg_write_rate"},
    [METRIC_BYTES] = {"memory_efficiency", "B", DIRECTION_LOWER, "redis_bytes_per_entry/1",
                      "bytes that the server uses for an entry"},
    [METRIC_CLEANUP_TIME] = {"cleanup_time", "s", DIRECTION_LOWER, "redis_cleanup_time/1",
                             "removing what is above the limit, all agents"},
    [METRIC_REMOVED] = {"entries_removed", "1", DIRECTION_NONE, "redis_removed/1",
                        "entries that the cleanup removed"},
    [METRIC_REMAINING] = {"remaining_entries", "1", DIRECTION_NONE, "redis_remaining/1",
                          "entries that it left"},
    [METRIC_SERVER_RSS] = {"server_rss_mb", "MB", DIRECTION_NONE, "redis_server_rss/1",
                           "memory of the server process, where it is ours"},
};

/* ---- setup ---- */

/* An entry: its text and its keys here, and the same in the server. */
static struct experiment_demand redis_demand(const void *config)
{
    const struct config *c = config;
    return (struct experiment_demand){
        .memory_bytes = 2000 * (double)c->num_agents * (double)c->memory_entries,
        .by = "num_agents or memory_entries",
    };
}

static bool redis_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    const struct config *c = env->config;
    s->env = env;
    s->config = c;
    s->arena = arena_open();
    s->scratch = arena_open();
    const char *at = c->server;
    if (!*at) {
        if (!redis_server_start(&s->server, env->work_dir, env->arena, err)) return false;
        at = s->server.socket;
    }
    if (!redis_connect(at, env->arena, &s->redis, err)) return false;
    struct agent_memory_settings settings = {
        .agents = (uint32_t)c->num_agents,
        .ttl_s = c->ttl,
        .limit = c->memory_limit,
        .cleanup_interval = c->cleanup_interval,
    };
    agent_memory_init(&s->memory, s->redis, &settings, env->arena);
    s->entry_count = (size_t)(c->num_agents * c->memory_entries);
    s->entries = arena_new(env->arena, struct memory_entry, s->entry_count);
    s->order = arena_new(env->arena, uint32_t, s->entry_count);
    for (int op = 0; op < OP_COUNT; op++)
        s->series[op].seconds = arena_new(env->arena, double, s->entry_count + SEARCHES);
    s->limit = (c->memory_limit < c->memory_entries ? c->memory_limit : c->memory_entries) / 2;
    return true;
}

static enum trial_status redis_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    struct rng rng = rng_seeded(t->workload_seed);
    s->digest = s->entry_count;
    for (size_t i = 0; i < s->entry_count; i++) {
        uint32_t agent = (uint32_t)(i % s->memory.agents);
        s->entries[i] = agent_memory_make(&s->memory, agent, (int64_t)(i / s->memory.agents),
                                          &rng, &s->arena);
        s->digest = rng_derive(s->digest, agent, id_hash(s->entries[i].json));
    }
    rng_permutation(&rng, s->order, s->entry_count);
    for (int i = 0; i < SEARCHES; i++) {
        struct memory_query *q = &s->searches[i];
        *q = (struct memory_query){.agent = (uint32_t)i % s->memory.agents,
                                   .radius = s->config->search_radius};
        q->x = rng_real(&rng) * 100;
        q->y = rng_real(&rng) * 100;
    }
    s->digest = rng_derive(s->digest, rng_next(&rng), 0); /* all draws have been the same */
    for (int op = 0; op < OP_COUNT; op++) {
        s->series[op].count = 0;
        s->series[op].total_s = s->series[op].entries = 0;
    }
    s->removed = s->remaining = 0;
    return agent_memory_clear(&s->memory, &t->error) ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

/* ---- the operations ---- */

/* Ends a trial early, so that teardown can remove its keys. */
static bool goes_on(const struct state *s, struct error *err)
{
    return !experiment_is_over(s->env) || error_set(err, ERROR_FAILED, "interrupted");
}

static void note_time(struct series *series, int64_t begin_ns, size_t entries)
{
    double s = (double)(clock_ns() - begin_ns) / 1e9;
    series->seconds[series->count++] = s;
    series->total_s += s;
    series->entries += (double)entries;
}

static bool write_all(struct state *s, struct error *err)
{
    for (size_t i = 0; i < s->entry_count; i++) {
        if (!goes_on(s, err)) return false;
        int64_t begin_ns = clock_ns();
        if (!agent_memory_remember(&s->memory, &s->entries[i], 1, err)) return false;
        note_time(&s->series[OP_WRITE], begin_ns, 1);
    }
    return true;
}

/* Where an agent keeps fewer than it was told, the oldest are gone. */
static bool is_kept(const struct state *s, const struct memory_entry *e)
{
    int64_t n = s->config->memory_entries, limit = s->memory.limit;
    if (n <= limit) return true;
    int64_t interval = s->memory.cleanup_interval;
    int64_t written = n / interval * interval; /* when it was last looked at */
    return e->step >= written - limit;
}

/* Those that were evicted must be missing; only reads that find something count. */
static bool read_all(struct state *s, struct error *err)
{
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct memory_entry *e = &s->entries[s->order[i]];
        bool kept = is_kept(s, e);
        if (!goes_on(s, err)) return false;
        struct str json = {0};
        int64_t begin_ns = clock_ns();
        if (!agent_memory_recall(&s->memory, e, &json, err)) return false;
        if (kept) note_time(&s->series[OP_READ], begin_ns, 1);
        struct str expected = kept ? e->json : (struct str){0};
        if (!str_equal(json, expected))
            return error_set(err, ERROR_FAILED,
                             "agent %u remembers %zu bytes of step %lld instead of %zu",
                             e->agent, json.n, (long long)e->step, expected.n);
    }
    return true;
}

/* What a search must find, from the entries themselves. */
static bool is_right(const struct state *s, const struct memory_query *q, struct error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < s->entry_count && found < MEMORY_FOUND_MAX; i++) {
        const struct memory_entry *e = &s->entries[i];
        double dx = e->x - q->x, dy = e->y - q->y;
        if (e->agent != q->agent || !is_kept(s, e)) continue;
        if (dx * dx + dy * dy > q->radius * q->radius) continue;
        if (found >= q->count || q->steps[found] != e->step)
            return error_set(err, ERROR_FAILED, "a search of agent %u did not find step %lld",
                             q->agent, (long long)e->step);
        found++;
    }
    return found == q->count ||
           error_set(err, ERROR_FAILED, "a search found %zu entries instead of %zu", q->count,
                     found);
}

static bool search_all(struct state *s, struct error *err)
{
    for (int i = 0; i < SEARCHES; i++) {
        if (!goes_on(s, err)) return false;
        int64_t begin_ns = clock_ns();
        if (!agent_memory_search(&s->memory, &s->searches[i], s->scratch, err)) return false;
        note_time(&s->series[OP_SEARCH], begin_ns, 1);
    }
    return true;
}

/* After every hundredth entry or so, between the batches. */
static bool sample_memory(struct state *s, size_t written, struct error *err)
{
    size_t every = s->entry_count / SAMPLES_MAX;
    if (every < SAMPLE_EVERY) every = SAMPLE_EVERY;
    if (s->sample_count == SAMPLES_MAX || written < (s->sample_count + 1) * every) return true;
    struct memory_sample *x = &s->samples[s->sample_count++];
    x->entries = (int64_t)written - s->memory.evicted;
    return redis_used_memory(s->redis, &x->used, err);
}

static bool write_batches(struct state *s, struct error *err)
{
    s->sample_count = 0;
    if (!agent_memory_clear(&s->memory, err) ||
        !redis_used_memory(s->redis, &s->memory_before, err))
        return false;
    size_t batch = (size_t)s->config->batch_size;
    for (size_t first = 0; first < s->entry_count; first += batch) {
        size_t n = s->entry_count - first < batch ? s->entry_count - first : batch;
        if (!goes_on(s, err)) return false;
        int64_t begin_ns = clock_ns();
        if (!agent_memory_remember(&s->memory, &s->entries[first], n, err)) return false;
        note_time(&s->series[OP_BATCH], begin_ns, n);
        if (!sample_memory(s, first + n, err)) return false;
    }
    return redis_used_memory(s->redis, &s->memory_after, err);
}

static bool clean_up(struct state *s, struct error *err)
{
    int64_t begin_ns = clock_ns();
    for (uint32_t i = 0; i < s->memory.agents; i++) {
        int64_t removed = 0;
        if (!agent_memory_evict(&s->memory, i, s->limit, &removed, err)) return false;
        s->removed += removed;
    }
    s->cleanup_s = (double)(clock_ns() - begin_ns) / 1e9;
    return redis_used_memory(s->redis, &s->memory_cleaned, err);
}

static enum trial_status redis_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    s->begin_ns = clock_ns();
    bool done = write_all(s, &t->error) && read_all(s, &t->error) && search_all(s, &t->error) &&
                write_batches(s, &t->error);
    return done ? TRIAL_OK : TRIAL_FAILED;
}

/* ---- checks and results ---- */

/* Every agent keeps at least so many entries, the newest of all, to the byte. */
static bool keeps_newest(struct state *s, uint32_t agent, int64_t least, int64_t *count,
                         struct error *err)
{
    int64_t n = s->config->memory_entries;
    if (!agent_memory_count(&s->memory, agent, count, err)) return false;
    if (*count < least)
        return error_set(err, ERROR_FAILED, "agent %u keeps %lld entries instead of %lld",
                         agent, (long long)*count, (long long)least);
    for (int64_t step = 0; step < n; step++) {
        const struct memory_entry *e = &s->entries[step * s->memory.agents + agent];
        struct str json = {0};
        if (!goes_on(s, err) || !agent_memory_recall(&s->memory, e, &json, err)) return false;
        bool should_be = step >= n - *count;
        if (should_be != (json.n > 0) || (should_be && !str_equal(json, e->json)))
            return error_set(err, ERROR_FAILED, "agent %u %s step %lld", agent,
                             should_be ? "has forgotten" : "still remembers", (long long)step);
    }
    return true;
}

/* Of an agent's timeline and its last entry: forgotten after ttl, and not before. */
static bool will_be_forgotten(struct state *s, uint32_t agent, struct error *err)
{
    const struct memory_entry *last = &s->entries[s->entry_count - s->memory.agents + agent];
    struct str keys[] = {s->memory.timelines[agent], last->key};
    int64_t ttl = s->config->ttl;
    for (size_t i = 0; i < COUNT(keys); i++) {
        int64_t left = 0;
        if (!agent_memory_ttl(&s->memory, keys[i], &left, err)) return false;
        double passed_s = (double)(clock_ns() - s->begin_ns) / 1e9;
        if (left <= ttl && (double)left >= (double)ttl - passed_s - 1 && left >= 0) continue;
        return error_set(err, ERROR_FAILED, "%.*s lives for %lld s instead of %lld",
                         STR_ARG(keys[i]), (long long)left, (long long)ttl);
    }
    return true;
}

/* What the batches wrote, before the cleanup removes the half of it. */
static bool is_written(struct state *s, struct error *err)
{
    int64_t n = s->config->memory_entries, limit = s->memory.limit, count = 0;
    for (uint32_t i = 0; i < s->memory.agents; i++) {
        if (!keeps_newest(s, i, n < limit ? n : limit, &count, err) ||
            !will_be_forgotten(s, i, err))
            return error_wrap(err, "after the batches");
    }
    return true;
}

static bool is_cleaned(struct state *s, struct error *err)
{
    for (uint32_t i = 0; i < s->memory.agents; i++) {
        int64_t count = 0;
        if (!keeps_newest(s, i, s->limit, &count, err))
            return error_wrap(err, "after the cleanup");
        if (count > s->limit)
            return error_set(
                err, ERROR_FAILED,
                "after the cleanup: agent %u keeps %lld entries, the limit is %lld", i,
                (long long)count, (long long)s->limit);
        s->remaining += count;
    }
    return s->removed > 0 || error_set(err, ERROR_FAILED, "the cleanup removed nothing");
}

/* The cleanup has a clock of its own: it comes when what it removes has been read. */
static bool is_verified(struct state *s, struct error *err)
{
    for (int i = 0; i < SEARCHES; i++) {
        if (!is_right(s, &s->searches[i], err)) return false;
    }
    return is_written(s, err) && clean_up(s, err) && is_cleaned(s, err);
}

/* A server that has forgotten in time is right. */
static void explain(const struct state *s, struct error *err)
{
    double passed_s = (double)(clock_ns() - s->begin_ns) / 1e9;
    if (err->code != ERROR_FAILED || passed_s < (double)s->config->ttl) return;
    (void)error_set(err, ERROR_FAILED,
                    "the trial took %.1f s, and entries expire after a ttl of %lld s: raise "
                    "'ttl', or write less",
                    passed_s, (long long)s->config->ttl);
}

static void give(struct trial *t, struct state *s)
{
    double *v = t->values;
    for (int op = 0; op < OP_COUNT; op++) {
        struct series *x = &s->series[op];
        stats_sort_inplace(x->seconds, x->count);
        v[METRIC_RATE + op] = x->entries / x->total_s;
        v[METRIC_MEAN + op] = x->total_s / (double)x->count;
        v[METRIC_P50 + op] = quantile_of(x->seconds, x->count, 0.5);
        if (x->count >= 100) v[METRIC_P99 + op] = quantile_of(x->seconds, x->count, 0.99);
    }
    v[METRIC_BATCH_SPEEDUP] = v[METRIC_RATE + OP_BATCH] / v[METRIC_RATE + OP_WRITE];
    double used = (double)(s->memory_after - s->memory_before);
    double kept = (double)(s->removed + s->remaining);
    v[METRIC_BYTES] = used / kept;
    v[METRIC_CLEANUP_TIME] = s->cleanup_s;
    v[METRIC_REMOVED] = (double)s->removed;
    v[METRIC_REMAINING] = (double)s->remaining;
    struct proc_stat stat;
    if (s->server.pid > 0 && proc_read_stat(s->server.pid, &stat))
        v[METRIC_SERVER_RSS] = (double)stat.rss_bytes / 1e6;
}

static void put_percentiles(struct json *j, const struct series *x)
{
    static const struct {
        const char *name;
        double q;
        size_t least;
    } rows[] = {{"p50", 0.5, 1}, {"p90", 0.9, 10}, {"p95", 0.95, 20}, {"p99", 0.99, 100}};
    json_key_object(j, "percentiles");
    for (size_t i = 0; i < COUNT(rows); i++) {
        json_key(j, rows[i].name);
        if (x->count >= rows[i].least) {
            json_real(j, quantile_of(x->seconds, x->count, rows[i].q));
        } else {
            json_null(j);
        }
    }
    json_end(j);
}

/* Names as the peer's: an operation of a batch is an entry, its times are those of batches. */
static void put_series(struct json *j, const struct state *s, int op)
{
    const struct series *x = &s->series[op];
    bool is_batch = op == OP_BATCH;
    struct moments m = moments_of(x->seconds, x->count);
    json_key_object(j, op_names[op]);
    json_put_int(j, "total_operations", (int64_t)x->entries);
    if (is_batch) {
        json_put_int(j, "total_batches", (int64_t)x->count);
        json_put_int(j, "batch_size", s->config->batch_size);
        json_put_real(j, "batches_per_second", (double)x->count / x->total_s);
    }
    json_put_real(j, "total_time", x->total_s);
    json_put_real(j, is_batch ? "operations_per_second" : "iterations_per_second",
                  x->entries / x->total_s);
    json_put_real(j, is_batch ? "avg_batch_time" : "avg_operation_time",
                  x->total_s / (double)x->count);
    json_put_real(j, is_batch ? "min_batch_time" : "min_operation_time", x->seconds[0]);
    json_put_real(j, is_batch ? "max_batch_time" : "max_operation_time",
                  x->seconds[x->count - 1]);
    json_put_real(j, is_batch ? "std_batch_time" : "std_operation_time", moments_sd(&m));
    put_percentiles(j, x);
    json_end(j);
}

static void put_memory(struct json *j, const struct trial *t, const struct state *s)
{
    json_key_object(j, "memory");
    json_put_int(j, "initial_memory", s->memory_before);
    json_put_int(j, "final_memory", s->memory_after);
    json_put_int(j, "total_memory_used", s->memory_after - s->memory_before);
    json_put_int(j, "entries", s->removed + s->remaining);
    json_put_real(j, "bytes_per_entry", t->values[METRIC_BYTES]);
    json_key_list(j, "memory_samples");
    for (size_t i = 0; i < s->sample_count; i++) {
        const struct memory_sample *x = &s->samples[i];
        json_object(j);
        json_put_int(j, "entries", x->entries);
        json_put_int(j, "total_memory", x->used);
        json_put_real(j, "memory_per_entry",
                      (double)(x->used - s->memory_before) / (double)x->entries);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void put_overall(struct json *j, const struct trial *t)
{
    json_key_object(j, "overall");
    for (int op = 0; op < OP_COUNT; op++)
        json_put_real(j, metrics[METRIC_RATE + op].name, t->values[METRIC_RATE + op]);
    json_put_real(j, metrics[METRIC_BYTES].name, t->values[METRIC_BYTES]);
    json_put_real(j, metrics[METRIC_CLEANUP_TIME].name, t->values[METRIC_CLEANUP_TIME]);
    json_end(j);
}

static void put_detail(const struct trial *t, const struct state *s)
{
    struct json j;
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)s->digest);
    json_init(&j, t->detail, 0);
    json_object(&j);
    json_put_text(&j, "workload_digest", hex);
    for (int op = 0; op < OP_COUNT; op++) put_series(&j, s, op);
    put_memory(&j, t, s);
    json_key_object(&j, "cleanup");
    json_put_real(&j, "cleanup_time", s->cleanup_s);
    json_put_int(&j, "initial_entries", s->removed + s->remaining);
    json_put_int(&j, "remaining_entries", s->remaining);
    json_put_int(&j, "entries_removed", s->removed);
    json_put_int(&j, "memory_limit", s->config->memory_limit);
    json_put_int(&j, "left_to_each_agent", s->limit);
    json_put_int(&j, "memory_after_cleanup", s->memory_cleaned);
    json_end(&j);
    put_overall(&j, t);
    json_end(&j);
}

static enum trial_status redis_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    if (status == TRIAL_OK && !is_verified(s, &t->error)) status = TRIAL_FAILED;
    if (status == TRIAL_FAILED) explain(s, &t->error);
    if (status == TRIAL_OK) {
        give(t, s);
        put_detail(t, s);
    }
    return status;
}

static bool redis_teardown(void *state, struct error *err)
{
    struct state *s = state;
    bool done = true;
    if (s->redis && s->server.pid == 0) done = agent_memory_clear(&s->memory, err);
    redis_close(s->redis);
    redis_server_stop(&s->server);
    if (s->config) {
        arena_close(&s->arena);
        arena_close(&s->scratch);
    }
    return done;
}

static const struct experiment_plot plots[] = {
    {"Entries a second",
     EXPERIMENT_LINES,
     "batch_size",
     {"avg_write_rate", "avg_read_rate", "batch_throughput"}},
};

const struct experiment experiment_redis_memory = {
    .name = "redis_memory",
    .summary = "agents' memories in Redis: writing, reading, searching, batches, forgetting",
    .help = "Without a server it starts redis-server on a private socket. What is read must be "
            "what was written, to the byte, one by one and in batches; searches are checked "
            "against all entries; after the cleanup the newest entries, and no others, must "
            "be left. Entries and timelines must expire after ttl.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "avg_write_rate",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = redis_demand,
    .setup = redis_setup,
    .prepare = redis_prepare,
    .execute_once = redis_execute_once,
    .conclude = redis_conclude,
    .teardown = redis_teardown,
};
