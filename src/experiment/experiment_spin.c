/* Work of a known size, to try the bench on: a chain of multiplications that
 * no compiler can shorten and no cache can help.
 *
 * Each round is one step of the generator x -> a x + c (mod 2^64). A step needs
 * the one before it, while n steps at once have a closed form that takes
 * log2 n steps (Brown 1994, "Random number generation with arbitrary
 * strides"), so that the work can be checked in full for nothing. */
#include "base/clock.h"
#include "experiment/experiment.h"

#include <math.h>

/* Knuth's MMIX generator. */
#define MULTIPLIER UINT64_C(6364136223846793005)
#define INCREMENT  UINT64_C(1442695040888963407)

enum { CALIBRATION_RUNS = 5 };
enum { METRIC_ROUNDS, METRIC_RATE };

struct config {
    double work_us;
    int64_t rounds;
    double jitter;
};

struct state {
    const struct config *config;
    int64_t rounds;       /* of an average trial */
    int64_t trial_rounds; /* of this trial */
    uint64_t digest;
    int64_t elapsed_ns;
};

static const struct param params[] = {
    {"work_us", PARAM_REAL, .offset = offsetof(struct config, work_us), .role = PARAM_TREATMENT,
     .fallback = "1000", .min = 0.1, .max = 1e8, .unit = "us",
     .help = "target time of a trial; setup finds the number of rounds"},
    {"rounds", PARAM_INT, .offset = offsetof(struct config, rounds), .role = PARAM_TREATMENT,
     .fallback = "0", .min = 0, .max = 1e12,
     .help = "rounds of a trial, the same on every machine; 0 = use work_us instead"},
    {"jitter", PARAM_REAL, .offset = offsetof(struct config, jitter), .fallback = "0", .min = 0,
     .max = 0.5, .help = "standard deviation of the work from trial to trial, relative"},
};

static const struct metric metrics[] = {
    [METRIC_ROUNDS] = {"rounds", "1", DIRECTION_NONE, "spin_rounds/1", "rounds executed"},
    [METRIC_RATE] = {"rounds_per_s", "1/s", DIRECTION_HIGHER, "spin_rate/1",
                     "rounds executed per second"},
};

static uint64_t spin(uint64_t x, int64_t rounds)
{
    for (int64_t i = 0; i < rounds; i++) x = x * MULTIPLIER + INCREMENT;
    return x;
}

/* The same by repeated squaring of the step. */
static uint64_t spin_at_once(uint64_t x, int64_t rounds)
{
    uint64_t step_multiplier = MULTIPLIER, step_increment = INCREMENT;
    for (uint64_t n = (uint64_t)rounds; n > 0; n >>= 1) {
        if (n & 1) x = x * step_multiplier + step_increment;
        step_increment *= step_multiplier + 1;
        step_multiplier *= step_multiplier;
    }
    return x;
}

/* Nanoseconds of one round: the fastest of a few runs of at least 1 ms. */
static double calibrate(uint64_t seed)
{
    volatile uint64_t sink = seed;
    int64_t rounds = 1 << 12;
    int64_t best_ns = INT64_MAX;
    for (int run = 0; run < CALIBRATION_RUNS;) {
        int64_t begin_ns = clock_ns();
        sink = spin(sink, rounds);
        int64_t took_ns = clock_ns() - begin_ns;
        if (took_ns < 1000000 && run == 0) {
            rounds *= 2;
            continue;
        }
        if (took_ns < best_ns) best_ns = took_ns;
        run++;
    }
    return (double)best_ns / (double)rounds;
}

static bool spin_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    s->rounds = s->config->rounds;
    if (s->rounds == 0) {
        s->rounds = llround(s->config->work_us * 1e3 / calibrate(env->workload_seed));
    }
    return true;
}

static enum trial_status spin_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    s->trial_rounds = s->rounds;
    if (s->config->jitter > 0) {
        struct rng rng = rng_seeded(t->workload_seed);
        double factor = 1 + s->config->jitter * rng_normal(&rng);
        s->trial_rounds = llround((double)s->rounds * (factor > 0.1 ? factor : 0.1));
    }
    return TRIAL_OK;
}

/* The arm's clock is not ours to see, hence two reads of our own for the rate:
 * about 50 ns in a trial that is thousands of them long. */
static enum trial_status spin_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    int64_t begin_ns = clock_ns();
    s->digest = spin(t->workload_seed, s->trial_rounds);
    s->elapsed_ns = clock_ns() - begin_ns;
    return TRIAL_OK;
}

static enum trial_status spin_conclude(struct trial *t, void *state, enum trial_status status)
{
    const struct state *s = state;
    if (status != TRIAL_OK) return status;
    uint64_t expected = spin_at_once(t->workload_seed, s->trial_rounds);
    if (s->digest != expected) {
        error_set(&t->error, ERROR_FAILED, "digest %016llx, expected %016llx",
                  (unsigned long long)s->digest, (unsigned long long)expected);
        return TRIAL_HARNESS_ERROR;
    }
    t->values[METRIC_ROUNDS] = (double)s->trial_rounds;
    if (s->elapsed_ns > 0) {
        t->values[METRIC_RATE] = (double)s->trial_rounds * 1e9 / (double)s->elapsed_ns;
    }
    return TRIAL_OK;
}

const struct experiment experiment_spin = {
    .name = "spin",
    .summary = "works for a set time or a set number of rounds",
    .help = "A chain of integer multiplications in assay's own process, without waiting or "
            "caching. Compare rounds 1000000 with 1030000 to see how small a difference this "
            "machine can show.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .setup = spin_setup,
    .prepare = spin_prepare,
    .execute_once = spin_execute_once,
    .conclude = spin_conclude,
};
