/* operator_selector.h - which operator makes the next trajectory: the first of the five parts.
 *
 *   uniform   each with the same probability: no part at all
 *   design    the sparse-memory design's rule, corrected: rate = successes / trials, where a
 *             success improves by at least `threshold`; p <- (1 - lr) p + lr rate / sum of
 *             rates; p starts at 1/n
 *   strict    the same as it was designed: an improvement must exceed the threshold. In the
 *             design's own acceptance test every improvement equals the threshold, so that
 *             none counts and nothing is learned
 *   ucb1      largest mean reward + c sqrt(ln N / n), c = sqrt 2 (Auer, Cesa-Bianchi, Fischer
 *             2002). Rewards are max(0, improvement), scaled by the largest one seen
 *   matching  p = floor + (1 - n floor) q / sum of q, q an average of rewards in which old
 *             ones fade by the learning rate once there are ten (Thierens 2005)
 *   softmax   p proportional to exp(q / temperature), q scaled as above
 *   greedy    the best mean reward, but with probability epsilon any; equals share
 *
 * The last four go by rewards and try each operator once before they compare: one never tried
 * would count as one that never succeeds, and the first one tried would win.
 *
 * A value; one draw of `rng` for each selection, whatever the rule. */
#ifndef EVOLVE_OPERATOR_SELECTOR_H
#define EVOLVE_OPERATOR_SELECTOR_H

#include "base/rng.h"

enum { OPERATOR_REVISION, OPERATOR_RECOMBINATION, OPERATOR_REFINEMENT, OPERATOR_COUNT };

enum selector_rule {
    SELECTOR_UNIFORM,
    SELECTOR_DESIGN,
    SELECTOR_STRICT,
    SELECTOR_UCB1,
    SELECTOR_BY_REWARD = SELECTOR_UCB1, /* and all that follow */
    SELECTOR_MATCHING,
    SELECTOR_SOFTMAX,
    SELECTOR_GREEDY,
    SELECTOR_RULE_COUNT,
};

struct operator_selector {
    enum selector_rule rule;
    double p[OPERATOR_COUNT];      /* of the next selection */
    double reward[OPERATOR_COUNT]; /* matching: the fading average; others: the mean */
    double largest;                /* reward seen */
    int64_t trials[OPERATOR_COUNT];
    int64_t successes[OPERATOR_COUNT];
};

extern const char *const selector_rule_names[]; /* by enum, NULL-terminated */
extern const char *const operator_names[];      /* "revision", ... */

struct operator_selector operator_selector_new(enum selector_rule rule);
int operator_selector_select(const struct operator_selector *s, struct rng *rng);
void operator_selector_update(struct operator_selector *s, int op, double improvement);

#endif
