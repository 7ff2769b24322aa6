/* How long is a program that only computes kept from its processor? The trial reads the clock
 * again and again; whatever lies between two reads beyond the reading itself was an interrupt,
 * another process or the hypervisor (as jHiccup and sysjitter do it). Millions of values a
 * second, so they are counted in a histogram. */
#include "base/clock.h"
#include "experiment/trial_histogram.h"

enum { METRIC_GAPS, METRIC_LONGEST, METRIC_LOST };
enum { DIGITS = 3 };

static const int64_t highest_ns = 60000000000; /* longer ones count as this long */

struct config {
    double length_ms;
    double threshold_us;
};

struct state {
    int64_t length_ns;
    int64_t threshold_ns;
    int64_t longest_ns;
    int64_t lost_ns;
    struct hdr gaps;
};

static const struct param params[] = {
    {"length_ms", PARAM_REAL, .offset = offsetof(struct config, length_ms),
     .role = PARAM_WORKLOAD, .fallback = "100", .min = 0.1, .max = 60000, .unit = "ms",
     .help = "length of a trial"},
    {"threshold_us", PARAM_REAL, .offset = offsetof(struct config, threshold_us),
     .role = PARAM_WORKLOAD, .fallback = "10", .min = 0, .max = 1e6, .unit = "us",
     .help = "gaps of at least this length count as lost time"},
};

static const struct metric metrics[] = {
    [METRIC_GAPS] = {"gaps", "1", DIRECTION_NONE, "pauses_gaps/1",
                     "gaps between two readings of the clock"},
    [METRIC_LONGEST] = {"longest_s", "s", DIRECTION_LOWER, "pauses_longest/1",
                        "the longest gap"},
    [METRIC_LOST] = {"lost_s", "s", DIRECTION_LOWER, "pauses_lost/1",
                     "time in gaps of at least threshold_us"},
};

static const struct metric histograms[] = {
    {"gap", "ns", DIRECTION_LOWER, "pauses_gap/1", "every gap between two readings"},
};

static bool pauses_setup(const struct experiment_env *env, void *state, struct error *err)
{
    const struct config *config = env->config;
    struct state *s = state;
    s->length_ns = (int64_t)(config->length_ms * 1e6);
    s->threshold_ns = (int64_t)(config->threshold_us * 1e3);
    return hdr_init(&s->gaps, 1, highest_ns, DIGITS, env->arena, err);
}

static enum trial_status pauses_prepare(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    hdr_reset(&s->gaps);
    s->longest_ns = s->lost_ns = 0;
    return TRIAL_OK;
}

static enum trial_status pauses_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    bool fits = true;
    int64_t now_ns = clock_ns();
    for (int64_t end_ns = now_ns + s->length_ns; now_ns < end_ns;) {
        int64_t then_ns = now_ns;
        now_ns = clock_ns();
        int64_t gap_ns = now_ns - then_ns;
        if (gap_ns > s->longest_ns) s->longest_ns = gap_ns;
        if (gap_ns >= s->threshold_ns) s->lost_ns += gap_ns;
        fits &= hdr_record(&s->gaps, gap_ns < highest_ns ? gap_ns : highest_ns, 1);
    }
    return fits ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

static enum trial_status pauses_conclude(struct trial *t, void *state, enum trial_status status)
{
    const struct state *s = state;
    t->values[METRIC_GAPS] = (double)s->gaps.total;
    t->values[METRIC_LONGEST] = (double)s->longest_ns / 1e9;
    t->values[METRIC_LOST] = (double)s->lost_ns / 1e9;
    trial_put_histogram(t, &histograms[0], &s->gaps);
    return status;
}

const struct experiment experiment_pauses = {
    .name = "pauses",
    .summary = "measures gaps in which programs do not run on this machine",
    .help = "Reads the clock as fast as it can. A reading takes about 30 ns; longer gaps come "
            "from interrupts, other processes and hypervisors. All gaps of a trial are kept as "
            "a histogram, so p99.9 and the maximum come from millions of values.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .histograms = histograms,
    .histogram_count = COUNT(histograms),
    .primary = "longest_s",
    .setup = pauses_setup,
    .prepare = pauses_prepare,
    .execute_once = pauses_execute_once,
    .conclude = pauses_conclude,
};
