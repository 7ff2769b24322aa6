/* What does it cost to look at code of which one function has changed? Whole: everything is
 * outlined again. Focused: only what was never seen (evolve/hot_spot.h). One trial looks at so
 * many changed versions in turn; the version before the change is known to both. What was found
 * must be the outline that a whole look gives, node by node. */
#include "evolve/code_sample.h"
#include "evolve/hot_spot.h"
#include "experiment/experiment.h"

enum { METRIC_PARSED, METRIC_CACHE };
enum { MODE_WHOLE, MODE_FOCUSED };
enum { CODE_MAX = 16 << 20 };

struct config {
    int64_t functions;
    int64_t repeats;
    int mode;
};

struct state {
    const struct config *config;
    struct ledger ledger;
    struct hot_spots hot_spots;
    struct hot_spot_code *before, *after;
    struct buf codes[2]; /* before and after */
    uint64_t parsed_bytes;
};

static const char *const modes[] = {"whole", "focused", NULL};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"functions", PARAM_INT, AT(functions), .fallback = "100", .min = 1, .max = 100000,
     .help = "functions in the file, of which one has changed"},
    {"repeats", PARAM_INT, AT(repeats), .fallback = "100", .min = 1, .max = 1000000,
     .help = "looks in one trial"},
    {"mode", PARAM_CHOICE, AT(mode), .role = PARAM_TREATMENT, .fallback = "\"whole\"",
     .choices = modes, .help = "whether all of it or only the new is outlined"},
};

static const struct metric metrics[] = {
    [METRIC_PARSED] = {"parsed_bytes", "B", DIRECTION_LOWER, "hot_spots_parsed/1",
                       "code that was outlined"},
    [METRIC_CACHE] = {"cache_bytes", "B", DIRECTION_LOWER, "hot_spots_cache/1",
                      "peak of both versions' outlines"},
};

static bool hot_spots_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    s->hot_spots = hot_spots_new(&s->ledger, s->config->mode == MODE_FOCUSED);
    for (size_t i = 0; i < COUNT(s->codes); i++) buf_init(&s->codes[i], CODE_MAX);
    code_sample_write(s->config->functions, 0, 0, &s->codes[0]);
    struct code_metrics m;
    s->before = hot_spots_add(&s->hot_spots, buf_str(&s->codes[0]), &m);
    return true;
}

static enum trial_status hot_spots_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    struct rng rng = rng_seeded(t->workload_seed);
    int64_t changed = 1 + (int64_t)rng_below(&rng, (uint64_t)s->config->functions);
    buf_clear(&s->codes[1]);
    code_sample_write(s->config->functions, changed, 3, &s->codes[1]);
    s->parsed_bytes = 0;
    return TRIAL_OK;
}

static enum trial_status hot_spots_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    for (int64_t i = 0; i < s->config->repeats; i++) {
        struct code_metrics m;
        hot_spots_drop(&s->hot_spots, s->after);
        s->after = hot_spots_add(&s->hot_spots, buf_str(&s->codes[1]), &m);
        s->parsed_bytes += m.bytes_parsed;
    }
    return TRIAL_OK;
}

static enum trial_status hot_spots_conclude(struct trial *t, void *state,
                                            enum trial_status status)
{
    struct state *s = state;
    struct ledger ledger = {0};
    struct hot_spots whole = hot_spots_new(&ledger, false);
    struct code_metrics m;
    struct hot_spot_code *expected = hot_spots_add(&whole, buf_str(&s->codes[1]), &m);
    bool is_same = m.sum.lines == 4 * s->config->functions && m.sum.branches == 1 &&
                   hot_spots_same(s->after, expected);
    hot_spots_drop(&whole, expected);
    hot_spots_release(&whole);
    hot_spots_drop(&s->hot_spots, s->after);
    s->after = NULL;
    if (!is_same) {
        error_set(&t->error, ERROR_FAILED, "the outline is not that of the changed code");
        return TRIAL_FAILED;
    }
    t->values[METRIC_PARSED] = (double)s->parsed_bytes;
    t->values[METRIC_CACHE] = (double)s->ledger.peak_bytes;
    return status;
}

static bool hot_spots_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    hot_spots_drop(&s->hot_spots, s->before);
    hot_spots_release(&s->hot_spots);
    for (size_t i = 0; i < COUNT(s->codes); i++) buf_release(&s->codes[i]);
    return true;
}

const struct experiment experiment_hot_spots = {
    .name = "hot_spots",
    .summary = "looks at code of which one function has changed: all of it, or only the new",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "mode",
    .setup = hot_spots_setup,
    .prepare = hot_spots_prepare,
    .execute_once = hot_spots_execute_once,
    .conclude = hot_spots_conclude,
    .teardown = hot_spots_teardown,
};
