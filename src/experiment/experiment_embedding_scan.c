/* Cosines of a query with every embedding of a cache, kept as floats or as int8: how long, how
 * many bytes, and how far from the cosines of the vectors themselves. The trial is the scan; after
 * it every cosine is computed once more, plainly and in double precision. One that is further off
 * than an embedding may be, or is no number, fails the trial. */
#include "experiment/experiment.h"
#include "vec/rows.h"

#include <math.h>

enum { METRIC_BYTES, METRIC_ERROR };
enum { STORAGE_FLOAT32, STORAGE_INT8 };

struct config {
    int64_t vectors;
    int64_t dimensions;
    int storage;
};

struct state {
    const struct config *config;
    struct dot_kernels kernels;
    struct heap heap; /* of the rows */
    struct rows rows;
    float *vectors; /* as they were drawn */
    double *lengths;
    float *query;
    float *cosines;
};

static const double error_max = 0.02;

static const char *const storages[] = {"float32", "int8", NULL};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"vectors", PARAM_INT, AT(vectors), .fallback = "20000", .min = 1, .max = 1000000,
     .help = "embeddings in the cache"},
    {"dimensions", PARAM_INT, AT(dimensions), .fallback = "384", .min = 1, .max = 4096,
     .help = "numbers in an embedding"},
    {"storage", PARAM_CHOICE, AT(storage), .role = PARAM_TREATMENT, .fallback = "\"float32\"",
     .choices = storages, .help = "how they are kept"},
};

static const struct metric metrics[] = {
    [METRIC_BYTES] = {"cache_bytes", "B", DIRECTION_LOWER, "embedding_cache_bytes/2",
                      "bytes of all embeddings, with their scales, counted by their allocator"},
    [METRIC_ERROR] = {"worst_error", "1", DIRECTION_LOWER, "embedding_worst_error/2",
                      "largest difference from the exact cosine, over all embeddings",
                      .kind = KIND_SHIFT},
};

static void draw(struct rng *rng, float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) v[i] = (float)rng_normal(rng);
}

/* Without the kernels that are measured. */
static double plain_dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* As they were drawn, and as the cache keeps them. */
static struct experiment_demand embedding_scan_demand(const void *config)
{
    const struct config *c = config;
    return (struct experiment_demand){
        .memory_bytes = 2 * (double)c->vectors * (double)c->dimensions * sizeof(float),
        .by = "vectors or dimensions",
    };
}

static bool embedding_scan_setup(const struct experiment_env *env, void *state,
                                 struct error *err)
{
    (void)err;
    struct state *s = state;
    const struct config *c = s->config = env->config;
    size_t count = (size_t)c->vectors;
    size_t n = (size_t)c->dimensions;
    s->kernels = dot_kernels_best();
    s->rows = rows_new(count, n, c->storage == STORAGE_INT8, &s->heap);
    s->vectors = arena_new(env->arena, float, count *n);
    s->lengths = arena_new(env->arena, double, count);
    s->query = arena_new(env->arena, float, n);
    s->cosines = arena_new(env->arena, float, count);
    struct rng rng = rng_seeded(env->workload_seed);
    for (size_t i = 0; i < count; i++) {
        float *v = s->vectors + i * n;
        draw(&rng, v, c->dimensions);
        rows_set(&s->rows, &s->kernels, i, v);
        s->lengths[i] = sqrt(plain_dot(v, v, n));
    }
    return true;
}

/* A query that has something of one of the rows, so that cosines of all sizes occur. */
static enum trial_status embedding_scan_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    size_t n = s->rows.dimensions;
    struct rng rng = rng_seeded(t->workload_seed);
    draw(&rng, s->query, s->config->dimensions);
    const float *near = s->vectors + (size_t)rng_below(&rng, s->rows.count) * n;
    float much = (float)(2 * rng_real(&rng));
    for (size_t i = 0; i < n; i++) s->query[i] += much * near[i];
    return TRIAL_OK;
}

static enum trial_status embedding_scan_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    rows_cosines(&s->rows, &s->kernels, s->query, s->cosines, *t->env->arena);
    return TRIAL_OK;
}

static enum trial_status embedding_scan_conclude(struct trial *t, void *state,
                                                 enum trial_status status)
{
    const struct state *s = state;
    size_t n = s->rows.dimensions;
    double length = sqrt(plain_dot(s->query, s->query, n));
    double worst = 0;
    for (size_t i = 0; i < s->rows.count; i++) {
        double exact = plain_dot(s->query, s->vectors + i * n, n) / (length * s->lengths[i]);
        double error = fabs((double)s->cosines[i] - exact);
        if (!(error <= error_max)) { /* nor if it is no number */
            error_set(&t->error, ERROR_FAILED, "the cosine with embedding %zu is %g, not %g", i,
                      (double)s->cosines[i], exact);
            return TRIAL_FAILED;
        }
        if (error > worst) worst = error;
    }
    t->values[METRIC_BYTES] = (double)s->heap.live_bytes;
    t->values[METRIC_ERROR] = worst;
    return status;
}

static bool embedding_scan_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    if (s->config) rows_release(&s->rows, &s->heap);
    return true;
}

const struct experiment experiment_embedding_scan = {
    .name = "embedding_scan",
    .summary = "compares a query with every embedding of a cache, kept as float32 or int8",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "storage",
    .demand = embedding_scan_demand,
    .setup = embedding_scan_setup,
    .prepare = embedding_scan_prepare,
    .execute_once = embedding_scan_execute_once,
    .conclude = embedding_scan_conclude,
    .teardown = embedding_scan_teardown,
};
