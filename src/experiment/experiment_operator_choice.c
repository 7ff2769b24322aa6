/* Does an operator selector learn which of three operators is best? The acceptance test of the
 * sparse-memory design: so many steps in which Revision improves by 0.05 and the others by 0.02;
 * then what is the probability of Revision? One trial is one such walk. */
#include "evolve/operator_selector.h"
#include "experiment/experiment.h"

enum { METRIC_PROBABILITY, METRIC_PREFERS, METRIC_SHARE };

struct config {
    int rule;
    int64_t steps;
    double better;
    double others;
};

struct state {
    const struct config *config;
    struct operator_selector selector;
};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"rule", PARAM_CHOICE, AT(rule), .role = PARAM_TREATMENT, .fallback = "\"design\"",
     .choices = selector_rule_names, .help = "how the next operator is chosen"},
    {"steps", PARAM_INT, AT(steps), .fallback = "50", .min = 1, .max = 1000000,
     .help = "choices in one walk"},
    {"better", PARAM_REAL, AT(better), .fallback = "0.05", .min = -1, .max = 1,
     .help = "what Revision improves by"},
    {"others", PARAM_REAL, AT(others), .fallback = "0.02", .min = -1, .max = 1,
     .help = "what the other two improve by"},
};

static const struct metric metrics[] = {
    [METRIC_PROBABILITY] = {"p_revision", "1", DIRECTION_HIGHER, "operator_choice_p/2",
                            "probability of Revision after the walk", .kind = KIND_SHIFT},
    [METRIC_PREFERS] = {"prefers_revision", "1", DIRECTION_HIGHER, "operator_choice_prefers/1",
                        "walks that end with a probability above one half", .kind = KIND_SHARE},
    [METRIC_SHARE] = {"revision_share", "1", DIRECTION_HIGHER, "operator_choice_share/1",
                      "share of the steps that chose Revision", .kind = KIND_SHARE},
};

static bool operator_choice_setup(const struct experiment_env *env, void *state,
                                  struct error *err)
{
    (void)err;
    ((struct state *)state)->config = env->config;
    return true;
}

static enum trial_status operator_choice_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    struct rng rng = rng_seeded(t->workload_seed);
    s->selector = operator_selector_new((enum selector_rule)c->rule);
    for (int64_t i = 0; i < c->steps; i++) {
        int op = operator_selector_select(&s->selector, &rng);
        operator_selector_update(&s->selector, op,
                                 op == OPERATOR_REVISION ? c->better : c->others);
    }
    return TRIAL_OK;
}

static enum trial_status operator_choice_conclude(struct trial *t, void *state,
                                                  enum trial_status status)
{
    const struct state *s = state;
    double p = s->selector.p[OPERATOR_REVISION];
    t->values[METRIC_PROBABILITY] = p;
    t->values[METRIC_PREFERS] = p > 0.5;
    t->values[METRIC_SHARE] =
        (double)s->selector.trials[OPERATOR_REVISION] / (double)s->config->steps;
    return status;
}

const struct experiment experiment_operator_choice = {
    .name = "operator_choice",
    .summary = "lets an operator selector learn which of three operators is best",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "rule",
    .primary = "p_revision",
    .setup = operator_choice_setup,
    .execute_once = operator_choice_execute_once,
    .conclude = operator_choice_conclude,
};
