/* A whole simulation: agents that look, act, fight and multiply, and a database of it. How many
 * steps a second, and what does it take of the machine while it runs? Samples are taken between
 * steps, and their time is no part of any step. */
#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"
#include "experiment/databases.h"
#include "stats/quantile.h"
#include "world/simulation.h"

#include <math.h>
#include <unistd.h>

enum { SAMPLES_MAX = 1000 };
enum {
    METRIC_RATE,
    METRIC_STEP,
    METRIC_STEP_P95,
    METRIC_FINISH,
    METRIC_TOTAL,
    METRIC_CPU,
    METRIC_BEFORE,
    METRIC_AFTER,
    METRIC_GROWTH,
    METRIC_PER_AGENT,
    METRIC_PER_STEP,
    METRIC_COUNTED,
    METRIC_DB,
    METRIC_DISK_READ,
    METRIC_DISK_WRITE,
    METRIC_NETWORK,
    METRIC_AGENTS,
    METRIC_ROWS,
    METRIC_COUNT
};

struct config {
    bool monitor_cpu, monitor_memory, monitor_disk, monitor_network;
    double sampling_interval;
    int64_t num_agents, steps, world_size, radius;
    bool use_in_memory_db, persist_db_on_completion;
};

struct sample {
    double at_s; /* since the trial began */
    double cpu_s;
    double rss_mb, vms_mb;
    double read_mb, write_mb;
    double network_mb;
    double threads;
};

struct state {
    const struct experiment_env *env;
    const struct config *config;
    struct arena arena;
    const char *folder;
    struct simulation_config simulation_config;
    struct simulation simulation;
    double *step_s;
    struct sample *samples;
    size_t sample_count;
    size_t last_step; /* the sample after it; one more is taken at the end */
    int64_t interval_ns;
    bool is_thinned;
    struct sql_effective effective;
    double finish_s;
    int64_t begin_ns;
    int64_t db_before, db_peak;
};

static const struct param params[] = {
    {"monitor_cpu", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, monitor_cpu), .fallback = "true",
     .help = "report the processor time"},
    {"monitor_memory", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, monitor_memory), .fallback = "true",
     .help = "report memory"},
    {"monitor_disk", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, monitor_disk), .fallback = "true",
     .help = "report what is read and written"},
    {"monitor_network", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, monitor_network), .fallback = "false",
     .help = "report bytes over all interfaces of the machine"},
    {"sampling_interval", PARAM_REAL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, sampling_interval), .fallback = "1.0", .min = 0.00001,
     .max = 3600, .unit = "s",
     .help = "least time between two samples; the first step and the last have one, and if "
             "there would be more than 1000, the time is doubled"},
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "100",
     .min = 0, .max = 3000, .help = "agents at its beginning"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "100", .min = 1,
     .max = 1000000, .help = "steps of the simulation"},
    {"world_size", PARAM_INT, .offset = offsetof(struct config, world_size), .fallback = "100",
     .min = 1, .max = 20000, .help = "cells of a side of the world"},
    {"radius", PARAM_INT, .offset = offsetof(struct config, radius), .fallback = "5", .min = 0,
     .max = OBSERVATION_RADIUS_MAX, .help = "of every agent's observations; 0 = nobody looks"},
    {"use_in_memory_db", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, use_in_memory_db), .fallback = "true",
     .help = "keep the rows in memory"},
    {"persist_db_on_completion", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, persist_db_on_completion), .fallback = "false",
     .help = "and write them to a file at the end"},
};

static const struct metric metrics[METRIC_COUNT] = {
    {"steps_per_second", "1/s", DIRECTION_HIGHER, "steps_per_second/1", "steps per second"},
    {"avg_step_time", "s", DIRECTION_LOWER, "avg_step_time/1", "mean time of a step"},
    {"p95_step_time", "s", DIRECTION_LOWER, "p95_step_time/1",
     "95th percentile of it; from 20 steps on"},
    {"finish_time_s", "s", DIRECTION_LOWER, "simulation_finish_time/1",
     "after the last step: closing the file, or writing it"},
    {"total_time_s", "s", DIRECTION_LOWER, "simulation_total_time/1",
     "all steps, and what comes after them"},
    {"cpu_percent_simulating", "%", DIRECTION_NONE, "cpu_percent_simulating/1",
     "processor time while it ran; 100 = one processor"},
    {"memory_before_mb", "MB", DIRECTION_NONE, "memory_before_mb/1",
     "resident before the first step"},
    {"memory_after_mb", "MB", DIRECTION_NONE, "memory_after_mb/1", "resident after the last"},
    {"memory_growth_over_run_mb", "MB", DIRECTION_LOWER, "memory_growth_over_run/1",
     "the difference of the two"},
    {"memory_per_agent_kb", "kB", DIRECTION_LOWER, "memory_per_agent_kb/1",
     "that growth, an agent that ever lived"},
    {"memory_per_step_kb", "kB", DIRECTION_LOWER, "memory_per_step_kb/1",
     "that growth, a step"},
    {"counted_mb", "MB", DIRECTION_LOWER, "simulation_counted_mb/2",
     "what world and observations have asked of the allocator at the end"},
    {"database_mb", "MB", DIRECTION_LOWER, "simulation_database_mb/1",
     "most that SQLite allocated"},
    {"disk_read_mb", "MB", DIRECTION_NONE, "simulation_read_mb/2",
     "fetched from disks while it ran; what the page cache has is not"},
    {"disk_write_mb", "MB", DIRECTION_NONE, "simulation_write_mb/2",
     "written to files on disks while it ran"},
    {"network_mb", "MB", DIRECTION_NONE, "simulation_network_mb/1",
     "over all interfaces of the machine while it ran, whoever's they were"},
    {"final_agent_count", "1", DIRECTION_NONE, "final_agent_count/1",
     "agents alive at the end"},
    {"rows", "1", DIRECTION_NONE, "simulation_rows/1", "rows that it left, in all tables"},
};

/* Bytes received and sent by all interfaces but the loopback; NaN where that cannot be read. */
static double network_mb(void)
{
    struct arena scratch = arena_open();
    struct str text;
    struct error ignored;
    double bytes = (double)NAN;
    if (os_read_file("/proc/net/dev", 1 << 20, &scratch, &text, &ignored)) {
        bytes = 0;
        while (text.p) {
            struct str line = str_trim(str_cut(&text, '\n'));
            struct str name = str_cut(&line, ':');
            if (!line.p || str_is(name, "lo")) continue;
            for (int column = 0; line.p && column <= 8;) {
                struct str word = str_cut(&line, ' ');
                int64_t n = 0;
                if (word.n == 0) continue;
                if ((column == 0 || column == 8) && str_to_int(word, &n)) bytes += (double)n;
                column++;
            }
        }
    }
    arena_close(&scratch);
    return bytes / 1e6;
}

/* Every other sample is dropped when there is room for no more than the last two. */
static void thin_out(struct state *s)
{
    if (s->sample_count < SAMPLES_MAX - 2) return;
    size_t kept = 0;
    for (size_t i = 0; i < s->sample_count; i += 2) s->samples[kept++] = s->samples[i];
    s->sample_count = kept;
    s->interval_ns *= 2;
    s->is_thinned = true;
}

static void take_sample(struct state *s)
{
    struct sample *x = &s->samples[s->sample_count];
    *x = (struct sample){.at_s = (double)(clock_ns() - s->begin_ns) / 1e9};
    x->rss_mb = x->vms_mb = x->threads = (double)NAN; /* where they cannot be read */
    x->read_mb = x->write_mb = (double)NAN;
    struct proc_stat stat;
    struct proc_io io;
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    x->cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
    if (proc_read_stat(getpid(), &stat)) {
        x->rss_mb = (double)stat.rss_bytes / 1e6;
        x->vms_mb = (double)stat.vms_bytes / 1e6;
        x->threads = (double)stat.threads;
    }
    if (s->config->monitor_disk && proc_read_io(getpid(), &io)) {
        x->read_mb = (double)io.disk_read_bytes / 1e6;
        x->write_mb = (double)io.disk_write_bytes / 1e6;
    }
    if (s->config->monitor_network) x->network_mb = network_mb();
    s->sample_count++;
}

/* The database and that of the same life again, whose observations are dense. */
static struct experiment_demand system_demand(const void *config)
{
    const struct config *c = config;
    double bytes = simulation_bytes((double)c->num_agents, (double)c->steps);
    double side = 2 * (double)c->radius + 1;
    return (struct experiment_demand){
        .memory_bytes = 2 * bytes + (double)c->num_agents * CHANNEL_COUNT * side * side * 4,
        .disk_bytes = c->use_in_memory_db && !c->persist_db_on_completion ? 0 : bytes,
        .by = "steps, num_agents or radius",
    };
}

static bool system_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->env = env;
    s->config = env->config;
    s->arena = arena_open();
    s->step_s = arena_new(env->arena, double, (size_t)s->config->steps);
    s->samples = arena_new(env->arena, struct sample, SAMPLES_MAX);
    if (!s->config->use_in_memory_db || s->config->persist_db_on_completion)
        databases_remark(env);
    return true;
}

static enum trial_status system_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    arena_reset(&s->arena);
    s->folder = os_path_below(s->env->work_dir, S("trial"), &s->arena);
    if (!os_make_dirs(s->folder, &t->error)) return TRIAL_HARNESS_ERROR;
    s->simulation_config = (struct simulation_config){
        .world = world_defaults,
        .steps = c->steps,
        .radius = (int32_t)c->radius,
        .store = !c->use_in_memory_db          ? SIMULATION_DISK
                 : c->persist_db_on_completion ? SIMULATION_MEMORY_PERSIST
                                               : SIMULATION_MEMORY,
        .path = os_path_below(s->folder, S("world.db"), &s->arena),
    };
    struct world_config *world = &s->simulation_config.world;
    world->width = world->height = (int32_t)c->world_size;
    world->seed = t->workload_seed;
    world_split(c->num_agents, world->agents);
    s->simulation = (struct simulation){0};
    s->sample_count = 0;
    return TRIAL_OK;
}

static enum trial_status system_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    s->db_before = sql_memory_bytes();
    (void)sql_memory_peak(true);
    if (!simulation_open(&s->simulation, &s->simulation_config, &s->arena, &t->error))
        return TRIAL_FAILED;
    if (!simulation_pragmas(&s->simulation, &s->effective, &t->error)) return TRIAL_FAILED;
    s->interval_ns = (int64_t)(s->config->sampling_interval * 1e9);
    int64_t last_ns = s->begin_ns = clock_ns();
    take_sample(s);
    for (int64_t i = 0; i < s->config->steps; i++) {
        int64_t begin_ns = clock_ns();
        if (!simulation_step(&s->simulation, &t->error)) return TRIAL_FAILED;
        int64_t end_ns = clock_ns();
        s->step_s[i] = (double)(end_ns - begin_ns) / 1e9;
        if (end_ns - last_ns < s->interval_ns || i + 1 == s->config->steps) continue;
        take_sample(s);
        thin_out(s);
        last_ns = end_ns;
    }
    s->last_step = s->sample_count;
    take_sample(s);
    int64_t begin_ns = clock_ns();
    bool done = simulation_finish(&s->simulation, &t->error);
    s->finish_s = (double)(clock_ns() - begin_ns) / 1e9;
    take_sample(s);
    s->db_peak = sql_memory_peak(false);
    return done ? TRIAL_OK : TRIAL_FAILED;
}

/* The same life once more must leave the same world, the same rows and the same sights. */
static bool is_right(struct state *s, struct world_db_content *content, struct error *err)
{
    return simulation_relive(&s->simulation, content, &s->arena, err) &&
           simulation_holds(&s->simulation, content, err);
}

static void give_memory(const struct state *s, double *v)
{
    const struct sample *first = &s->samples[0], *last = &s->samples[s->last_step];
    double growth = last->rss_mb - first->rss_mb;
    v[METRIC_BEFORE] = first->rss_mb;
    v[METRIC_AFTER] = last->rss_mb;
    v[METRIC_GROWTH] = growth;
    if (s->simulation.world.agent_count > 0)
        v[METRIC_PER_AGENT] = growth * 1e3 / s->simulation.world.agent_count;
    v[METRIC_PER_STEP] = growth * 1e3 / (double)s->config->steps;
    v[METRIC_COUNTED] = (double)simulation_held_bytes(&s->simulation) / 1e6;
    v[METRIC_DB] = (double)(s->db_peak - s->db_before) / 1e6;
}

static void give(struct state *s, double *v)
{
    const struct sample *first = &s->samples[0], *last = &s->samples[s->last_step];
    const struct sample *end = &s->samples[s->sample_count - 1];
    size_t steps = (size_t)s->config->steps;
    double total = 0;
    for (size_t i = 0; i < steps; i++) total += s->step_s[i];
    stats_sort_inplace(s->step_s, steps);
    v[METRIC_RATE] = (double)steps / total;
    v[METRIC_STEP] = total / (double)steps;
    if (steps >= 20) v[METRIC_STEP_P95] = quantile_of(s->step_s, steps, 0.95);
    v[METRIC_FINISH] = s->finish_s;
    v[METRIC_TOTAL] = total + s->finish_s;
    double elapsed = last->at_s - first->at_s;
    if (s->config->monitor_cpu && elapsed > 0)
        v[METRIC_CPU] = (last->cpu_s - first->cpu_s) / elapsed * 100;
    if (s->config->monitor_memory) give_memory(s, v);
    if (s->config->monitor_disk) {
        v[METRIC_DISK_READ] = end->read_mb - first->read_mb;
        v[METRIC_DISK_WRITE] = end->write_mb - first->write_mb;
    }
    if (s->config->monitor_network) v[METRIC_NETWORK] = end->network_mb - first->network_mb;
    v[METRIC_AGENTS] = s->simulation.world.living_count;
}

static void put_detail(const struct state *s, const struct world_db_content *rows,
                       struct buf *out)
{
    struct json j;
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)rows->hash);
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "content_hash", hex);
    json_put_int(&j, "cpu_count", sysconf(_SC_NPROCESSORS_ONLN));
    json_put_real(&j, "sampling_interval", (double)s->interval_ns / 1e9);
    json_key_object(&j, "pragmas");
    databases_put_pragmas(&j, &s->effective);
    json_end(&j);
    json_key_list(&j, "samples");
    for (size_t i = 0; i < s->sample_count; i++) {
        const struct sample *x = &s->samples[i], *before = &s->samples[i ? i - 1 : 0];
        double elapsed = x->at_s - before->at_s;
        json_object(&j);
        json_put_real(&j, "timestamp", x->at_s);
        json_put_real(&j, "cpu_percent",
                      elapsed > 0 ? (x->cpu_s - before->cpu_s) / elapsed * 100 : (double)NAN);
        json_put_real(&j, "memory_rss_mb", x->rss_mb);
        json_put_real(&j, "memory_vms_mb", x->vms_mb);
        json_put_real(&j, "disk_read_mb", x->read_mb);
        json_put_real(&j, "disk_write_mb", x->write_mb);
        json_put_real(&j, "num_threads", x->threads);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static enum trial_status system_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    struct world_db_content content = {0};
    if (status == TRIAL_OK && !is_right(s, &content, &t->error)) status = TRIAL_FAILED;
    if (status == TRIAL_OK) {
        give(s, t->values);
        t->values[METRIC_ROWS] = (double)content.rows;
        put_detail(s, &content, t->detail);
    }
    simulation_close(&s->simulation);
    os_remove_tree(s->folder);
    return status;
}

static bool system_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    if (s->is_thinned && s->env->remarks)
        buf_text(s->env->remarks,
                 "sampling_interval gave more than 1000 samples in a trial: the interval was "
                 "doubled, and every other sample dropped\n");
    arena_close(&s->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Steps a second", EXPERIMENT_LINES, "num_agents", {"steps_per_second"}},
};

const struct experiment experiment_system_profiler = {
    .name = "system_profiler",
    .summary = "a whole simulation: steps a second, and what it takes of the machine",
    .help =
        "Agents observe, act, fight and multiply, and every step is recorded. The same life "
        "once more, with its rows in memory and its observations in the other storage, must "
        "leave the same world, the same rows and the same observations.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "steps_per_second",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = system_demand,
    .setup = system_setup,
    .prepare = system_prepare,
    .execute_once = system_execute_once,
    .conclude = system_conclude,
    .teardown = system_teardown,
};
