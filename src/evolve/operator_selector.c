#include "evolve/operator_selector.h"

#include <math.h>

static const double learning_rate = 0.1;
static const double success_threshold = 0.05;
static const double floor_p = 0.05;
static const double temperature = 0.2;
static const double epsilon = 0.1;

const char *const selector_rule_names[] = {"uniform",  "design",  "strict", "ucb1",
                                           "matching", "softmax", "greedy", NULL};
const char *const operator_names[] = {"revision", "recombination", "refinement", NULL};

struct operator_selector operator_selector_new(enum selector_rule rule)
{
    struct operator_selector s = {.rule = rule};
    for (int i = 0; i < OPERATOR_COUNT; i++) s.p[i] = 1.0 / OPERATOR_COUNT;
    return s;
}

int operator_selector_select(const struct operator_selector *s, struct rng *rng)
{
    double at = rng_real(rng);
    for (int i = 0; i + 1 < OPERATOR_COUNT; i++) {
        if (at < s->p[i]) return i;
        at -= s->p[i];
    }
    return OPERATOR_COUNT - 1;
}

static void normalise(double *p)
{
    double sum = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) sum += p[i];
    for (int i = 0; i < OPERATOR_COUNT; i++) p[i] /= sum;
}

/* An operator that was never tried counts as one that succeeds now and then. */
static void follow_rates(struct operator_selector *s)
{
    double rates[OPERATOR_COUNT];
    double sum = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        rates[i] = s->trials[i] > 0 ? (double)s->successes[i] / (double)s->trials[i]
                                    : 1.0 / OPERATOR_COUNT;
        sum += rates[i];
    }
    if (sum <= 0) return;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        s->p[i] = (1 - learning_rate) * s->p[i] + learning_rate * rates[i] / sum;
    }
    normalise(s->p);
}

static double scaled(const struct operator_selector *s, int i)
{
    return s->largest > 0 ? s->reward[i] / s->largest : 0;
}

static void follow_all(struct operator_selector *s, int chosen)
{
    for (int i = 0; i < OPERATOR_COUNT; i++) s->p[i] = i == chosen;
}

static int least_tried(const struct operator_selector *s)
{
    int least = 0;
    for (int i = 1; i < OPERATOR_COUNT; i++) {
        if (s->trials[i] < s->trials[least]) least = i;
    }
    return least;
}

static void follow_bound(struct operator_selector *s)
{
    int best = 0;
    double all = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) all += (double)s->trials[i];
    double most = -1;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        double bound = scaled(s, i) + sqrt(2 * log(all) / (double)s->trials[i]);
        if (bound > most) {
            most = bound;
            best = i;
        }
    }
    follow_all(s, best);
}

static void match_rewards(struct operator_selector *s)
{
    double sum = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) sum += s->reward[i];
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        double share = sum > 0 ? s->reward[i] / sum : 1.0 / OPERATOR_COUNT;
        s->p[i] = floor_p + (1 - OPERATOR_COUNT * floor_p) * share;
    }
}

static void follow_softmax(struct operator_selector *s)
{
    for (int i = 0; i < OPERATOR_COUNT; i++) s->p[i] = exp(scaled(s, i) / temperature);
    normalise(s->p);
}

static void follow_best(struct operator_selector *s)
{
    double best = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) best = fmax(best, s->reward[i]);
    int equals = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) equals += s->reward[i] >= best;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        s->p[i] =
            epsilon / OPERATOR_COUNT + (s->reward[i] >= best ? (1 - epsilon) / equals : 0);
    }
}

void operator_selector_update(struct operator_selector *s, int op, double improvement)
{
    bool is_success = s->rule == SELECTOR_STRICT ? improvement > success_threshold
                                                 : improvement >= success_threshold;
    double reward = improvement > 0 ? improvement : 0;
    s->trials[op]++;
    s->successes[op] += is_success;
    if (reward > s->largest) s->largest = reward;
    double weight = 1 / (double)s->trials[op];
    if (s->rule == SELECTOR_MATCHING && weight < learning_rate) weight = learning_rate;
    s->reward[op] += weight * (reward - s->reward[op]);
    int least = least_tried(s);
    if (s->rule >= SELECTOR_BY_REWARD && s->trials[least] == 0) {
        follow_all(s, least);
        return;
    }
    switch (s->rule) {
    case SELECTOR_DESIGN:
    case SELECTOR_STRICT: follow_rates(s); break;
    case SELECTOR_UCB1: follow_bound(s); break;
    case SELECTOR_MATCHING: match_rewards(s); break;
    case SELECTOR_SOFTMAX: follow_softmax(s); break;
    case SELECTOR_GREEDY: follow_best(s); break;
    case SELECTOR_UNIFORM:
    case SELECTOR_RULE_COUNT: break;
    }
}
