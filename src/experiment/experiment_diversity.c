/* How long does it take to say how different trajectories are? What was measured must be what a
 * plain count gives: of all bytes for Hamming; for edits, whose plain count is quadratic, of the
 * first CHECKED_BYTES of the first CHECKED_TEXTS, and never more than Hamming of the whole. */
#include "evolve/diversity_metric.h"
#include "experiment/experiment.h"

#include <math.h>

enum { METRIC_DIVERSITY };
enum { CHECKED_BYTES = 500, CHECKED_TEXTS = 10 };
static const double rounding = 1e-12;

struct config {
    int64_t trajectories;
    int64_t bytes;
    int distance;
};

struct state {
    const struct config *config;
    char **texts;
    struct str *views; /* the same, to read */
    struct arena scratch;
    double diversity;
};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"trajectories", PARAM_INT, AT(trajectories), .fallback = "10", .min = 2, .max = 1000,
     .help = "texts that are compared, each with each"},
    {"bytes", PARAM_INT, AT(bytes), .fallback = "50000", .min = 1, .max = 10000000, .unit = "B",
     .help = "length of each"},
    {"distance", PARAM_CHOICE, AT(distance), .role = PARAM_TREATMENT, .fallback = "\"hamming\"",
     .choices = diversity_distance_names, .help = "bytes that differ in place, or edits"},
};

static const struct metric metrics[] = {
    [METRIC_DIVERSITY] = {"diversity", "1", DIRECTION_NONE, "diversity/1",
                          "mean distance over all pairs, of the length"},
};

/* The texts; and of edits, which bytes are where, in bits. */
static struct experiment_demand diversity_demand(const void *config)
{
    const struct config *c = config;
    double texts = (double)c->trajectories + (c->distance == DIVERSITY_LEVENSHTEIN ? 32 : 0);
    return (struct experiment_demand){
        .memory_bytes = texts * (double)c->bytes,
        .by = "trajectories or bytes",
    };
}

static bool diversity_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    s->texts = arena_new(env->arena, char *, (size_t)s->config->trajectories);
    s->views = arena_new(env->arena, struct str, (size_t)s->config->trajectories);
    for (int64_t i = 0; i < s->config->trajectories; i++) {
        s->texts[i] = arena_new(env->arena, char, (size_t)s->config->bytes);
        s->views[i] = (struct str){s->texts[i], (size_t)s->config->bytes};
    }
    s->scratch = *env->arena;
    return true;
}

/* One text in sixteen letters, and copies of it of which ever more bytes are changed. */
static enum trial_status diversity_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    struct rng rng = rng_seeded(t->workload_seed);
    for (int64_t i = 0; i < s->config->trajectories; i++) {
        for (int64_t k = 0; k < s->config->bytes; k++) {
            bool is_new =
                i == 0 || rng_below(&rng, (uint64_t)s->config->trajectories) < (uint64_t)i;
            s->texts[i][k] = is_new ? (char)('a' + rng_below(&rng, 16)) : s->texts[0][k];
        }
    }
    return TRIAL_OK;
}

static enum trial_status diversity_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    s->diversity = diversity_of(s->views, (size_t)s->config->trajectories,
                                (enum diversity_distance)s->config->distance, s->scratch);
    return TRIAL_OK;
}

static size_t plain_hamming(struct str a, struct str b)
{
    size_t count = 0;
    for (size_t i = 0; i < a.n; i++) count += a.p[i] != b.p[i];
    return count;
}

/* Row by row (Wagner and Fischer 1974). */
static size_t plain_edits(struct str a, struct str b)
{
    size_t row[CHECKED_BYTES + 1];
    for (size_t k = 0; k <= b.n; k++) row[k] = k;
    for (size_t i = 1; i <= a.n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b.n; k++) {
            size_t best = corner + (a.p[i - 1] != b.p[k - 1]);
            corner = row[k];
            if (row[k] + 1 < best) best = row[k] + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            row[k] = best;
        }
    }
    return row[b.n];
}

/* Of texts of one length. */
static double plain_diversity(const struct str *texts, size_t count,
                              size_t (*distance)(struct str a, struct str b))
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) sum += (double)distance(texts[i], texts[k]);
    }
    return sum / ((double)count * (double)(count - 1) / 2) / (double)texts[0].n;
}

static bool is_plain_edits(const struct state *s)
{
    struct str part[CHECKED_TEXTS] = {0};
    size_t all = (size_t)s->config->trajectories;
    size_t count = all < CHECKED_TEXTS ? all : CHECKED_TEXTS;
    bool is_all = count == all && s->views[0].n <= CHECKED_BYTES;
    for (size_t i = 0; i < count; i++) {
        part[i] = s->views[i];
        if (part[i].n > CHECKED_BYTES) part[i].n = CHECKED_BYTES;
    }
    double got =
        is_all ? s->diversity : diversity_of(part, count, DIVERSITY_LEVENSHTEIN, s->scratch);
    return fabs(got - plain_diversity(part, count, plain_edits)) <= rounding;
}

static enum trial_status diversity_conclude(struct trial *t, void *state,
                                            enum trial_status status)
{
    const struct state *s = state;
    double hamming = plain_diversity(s->views, (size_t)s->config->trajectories, plain_hamming);
    bool is_right = s->config->distance == DIVERSITY_HAMMING
                        ? fabs(s->diversity - hamming) <= rounding
                        : s->diversity <= hamming && is_plain_edits(s);
    t->values[METRIC_DIVERSITY] = s->diversity;
    if (is_right) return status;
    error_set(&t->error, ERROR_FAILED, "a diversity of %g is not what a plain count gives",
              s->diversity);
    return TRIAL_FAILED;
}

const struct experiment experiment_diversity = {
    .name = "diversity",
    .summary = "computes how different trajectories are, by Hamming or edit distance",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "distance",
    .demand = diversity_demand,
    .setup = diversity_setup,
    .prepare = diversity_prepare,
    .execute_once = diversity_execute_once,
    .conclude = diversity_conclude,
};
