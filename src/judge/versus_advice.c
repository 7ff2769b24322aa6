/* What to do about it: a row per rule, at the end of the file. A rule speaks only when its
 * values pass its threshold, and gives both, so that anybody can check it and so that its
 * advice goes when its cause does. The words are those of report/versus_words.h. */
#include "judge/versus_internal.h"

#include <math.h>

static struct versus_advice *add(struct versus *v, const struct versus_rule *rule,
                                 enum versus_rule_id id, int side)
{
    CHECK(v->advice_count < VERSUS_ADVICE_MAX);
    struct versus_advice *a = &v->advice[v->advice_count++];
    *a = (struct versus_advice){
        .id = id, .rule = rule->name, .side = side, .threshold = rule->threshold};
    if (isnan(a->threshold.value)) a->threshold.value = v->question.alpha;
    return a;
}

static void look_at(struct versus_advice *a, const char *name, double value)
{
    CHECK(a->value_count < VERSUS_VALUES_MAX);
    a->values[a->value_count++] = (struct versus_value){name, value};
}

/* Somebody is better as a whole. */
static void prefer(struct versus *v, const struct versus_rule *rule)
{
    const struct versus_metric *m = &v->overall;
    int winner = versus_winner(m);
    if (winner < 0) return;
    struct versus_advice *a = add(v, rule, VERSUS_PREFER, winner);
    a->metric = m;
    look_at(a, "overall_a", m->score[0]);
    look_at(a, "overall_b", m->score[1]);
    look_at(a, "p", m->p);
}

/* One is right more often, the other is faster or cheaper. */
static void trade_off(struct versus *v, const struct versus_rule *rule)
{
    static const enum score_id others[] = {SCORE_SPEED, SCORE_COST, SCORE_EFFICIENCY};
    const struct versus_metric *accuracy = &v->metrics[SCORE_ACCURACY];
    int right = versus_winner(accuracy);
    for (size_t i = 0; i < COUNT(others) && right >= 0; i++) {
        const struct versus_metric *m = &v->metrics[others[i]];
        if (versus_winner(m) != !right) continue;
        struct versus_advice *a = add(v, rule, VERSUS_TRADE_OFF, right);
        a->metric = m;
        look_at(a, "accuracy_a", accuracy->score[0]);
        look_at(a, "accuracy_b", accuracy->score[1]);
        look_at(a, "p_accuracy", accuracy->p);
        look_at(a, "effect", m->effect);
        look_at(a, "p", m->p);
        return;
    }
}

/* The better one still fails where the other does not. */
static void learn_from_flips(struct versus *v, const struct versus_rule *rule)
{
    int better = v->flipped[1] > v->flipped[0] ? 1 : 0;
    size_t lost = v->flipped[!better];
    if (lost == 0) return;
    struct versus_advice *a = add(v, rule, VERSUS_LEARN_FROM_FLIPS, better);
    a->count = lost;
    look_at(a, "only_a_passes", (double)v->flipped[0]);
    look_at(a, "only_b_passes", (double)v->flipped[1]);
}

/* Scores of an agent that often gives no answer describe the rest only. */
static void mend_reliability(struct versus *v, const struct versus_rule *rule)
{
    const struct versus_metric *m = &v->metrics[SCORE_RELIABILITY];
    for (int side = 0; side < 2; side++) {
        if (!(m->score[side] < rule->threshold.value)) continue;
        struct versus_advice *a = add(v, rule, VERSUS_MEND_RELIABILITY, side);
        a->metric = m;
        look_at(a, side ? "reliability_b" : "reliability_a", m->score[side]);
    }
}

/* Not decided is not the same. More cases do not tell what is hidden in these. */
static void add_cases(struct versus *v, const struct versus_rule *rule)
{
    const struct versus_metric *m = &v->overall;
    if (!m->is_measured || m->verdict != VERDICT_UNDECIDED || m->is_owed) return;
    struct versus_advice *a = add(v, rule, VERSUS_ADD_CASES, 0);
    a->metric = m;
    look_at(a, "cases", (double)m->n);
    look_at(a, "p", m->p);
    if (!isnan(m->mde)) look_at(a, "smallest_detectable", m->mde); /* not of one or two cases */
}

/* Measured, but without a target there is no score and no say in the overall. */
static void state_targets(struct versus *v, const struct versus_rule *rule)
{
    static const struct {
        enum score_id id;
        const char *target;
    } rows[] = {{SCORE_SPEED, "duration_s"}, {SCORE_COST, "cost_usd"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct versus_metric *m = &v->metrics[rows[i].id];
        if (!m->is_measured || !isnan(m->score[0]) || !isnan(m->score[1])) continue;
        if (m->lacking[0] || m->lacking[1]) continue; /* hidden, not without a target */
        struct versus_advice *a = add(v, rule, VERSUS_STATE_TARGETS, 0);
        a->metric = m;
        a->name = rows[i].target;
        look_at(a, "cases", (double)m->n);
    }
}

/* A benchmark that one of them has not met. */
static void run_the_rest(struct versus *v, const struct versus_rule *rule)
{
    for (int side = 0; side < 2; side++) {
        size_t missing = 0;
        const char *first = NULL;
        for (size_t i = 0; i < v->benchmark_count; i++) {
            const struct versus_benchmark *b = &v->benchmarks[i];
            if (b->execution[side] || !b->execution[!side]) continue;
            if (missing++ == 0) first = b->name;
        }
        if (missing == 0) continue;
        struct versus_advice *a = add(v, rule, VERSUS_RUN_THE_REST, side);
        a->name = first;
        a->count = missing;
        look_at(a, "missing", (double)missing);
    }
}

static const struct versus_rule rules[VERSUS_RULE_COUNT] = {
    [VERSUS_PREFER] = {.name = "prefer",
                       .summary = "one agent is better as a whole",
                       .threshold = {"p_below", NAN},
                       .find = prefer},
    [VERSUS_TRADE_OFF] =
        {.name = "trade_off",
         .summary = "one is right more often, the other is faster, cheaper or uses less",
         .threshold = {"p_below", NAN},
         .find = trade_off},
    [VERSUS_ADD_CASES] = {.name = "add_cases",
                          .summary = "the cases do not decide which is better",
                          .threshold = {"p_at_least", NAN},
                          .find = add_cases},
    [VERSUS_LEARN_FROM_FLIPS] = {.name = "learn_from_flips",
                                 .summary = "the better one fails cases that the other passes",
                                 .threshold = {"at_least", 1},
                                 .find = learn_from_flips},
    [VERSUS_MEND_RELIABILITY] = {.name = "mend_reliability",
                                 .summary = "an agent often gives no answer",
                                 .threshold = {"below", 0.95},
                                 .find = mend_reliability},
    [VERSUS_STATE_TARGETS] =
        {.name = "state_targets",
         .summary = "a score is missing because the suite states no target for it",
         .threshold = {"at_least", 1},
         .find = state_targets},
    [VERSUS_RUN_THE_REST] = {.name = "run_the_rest",
                             .summary =
                                 "an agent was not run on a benchmark that the other was",
                             .threshold = {"at_least", 1},
                             .find = run_the_rest},
};

REGISTRY_TABLE(struct versus_rule, versus_rule, rules)

void versus_advise(struct versus *v)
{
    for (size_t i = 0; i < COUNT(rules); i++) rules[i].find(v, &rules[i]);
}
