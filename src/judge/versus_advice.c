/* What to do about it: a row per rule, at the end of the file. A rule speaks only
 * when its values pass its threshold, and says both, so that anybody can check it
 * and so that its sentence goes when its cause does. */
#include "base/buf.h"
#include "base/human.h"
#include "judge/versus_internal.h"

#include <math.h>

static struct versus_advice *add(struct versus *v, const struct versus_rule *rule,
                                 const char *text)
{
    CHECK(v->advice_count < VERSUS_ADVICE_MAX);
    struct versus_advice *a = &v->advice[v->advice_count++];
    *a = (struct versus_advice){.rule = rule->name, .text = text, .threshold = rule->threshold};
    if (isnan(a->threshold.value)) a->threshold.value = v->question.alpha;
    return a;
}

static void look_at(struct versus_advice *a, const char *name, double value)
{
    CHECK(a->value_count < VERSUS_VALUES_MAX);
    a->values[a->value_count++] = (struct versus_value){name, value};
}

static const char *name_of(const struct versus *v, int side)
{
    return v->agent[side].name;
}

/* Somebody is better as a whole. */
static void prefer(struct versus *v, const struct versus_rule *rule, struct arena *out)
{
    const struct versus_metric *m = &v->overall;
    int winner = versus_winner(m);
    if (winner < 0) return;
    struct versus_advice *a =
        add(v, rule,
            arena_printf(out,
                         "Prefer '%s' on this suite: overall %.3f against %.3f over %zu cases "
                         "(%s).",
                         name_of(v, winner), m->score[winner], m->score[!winner], m->n,
                         HUMAN_P(m->p)));
    look_at(a, "overall_a", m->score[0]);
    look_at(a, "overall_b", m->score[1]);
    look_at(a, "p", m->p);
}

/* One is right more often, the other is faster or cheaper. */
static void trade_off(struct versus *v, const struct versus_rule *rule, struct arena *out)
{
    static const enum score_id others[] = {SCORE_SPEED, SCORE_COST, SCORE_EFFICIENCY};
    const struct versus_metric *accuracy = &v->metrics[SCORE_ACCURACY];
    int right = versus_winner(accuracy);
    for (size_t i = 0; i < COUNT(others) && right >= 0; i++) {
        const struct versus_metric *m = &v->metrics[others[i]];
        if (versus_winner(m) != !right) continue;
        struct versus_advice *a =
            add(v, rule,
                arena_printf(out,
                             "Choose '%s' where right answers count (accuracy %.3f against "
                             "%.3f), '%s' where %s does (%s of %s %.3g).",
                             name_of(v, right), accuracy->score[right], accuracy->score[!right],
                             name_of(v, !right), m->name,
                             m->kind == VERSUS_RATIO ? "ratio" : "difference", m->compared,
                             m->effect));
        look_at(a, "accuracy_a", accuracy->score[0]);
        look_at(a, "accuracy_b", accuracy->score[1]);
        look_at(a, "p_accuracy", accuracy->p_adjusted);
        look_at(a, "effect", m->effect);
        look_at(a, "p", m->p_adjusted);
        return;
    }
}

/* The better one still fails where the other does not. */
static void learn_from_flips(struct versus *v, const struct versus_rule *rule,
                             struct arena *out)
{
    enum { SHOWN = 3 };
    int better = v->flipped[1] > v->flipped[0] ? 1 : 0;
    size_t lost = v->flipped[!better];
    if (lost == 0) return;
    char names[200];
    struct buf b;
    size_t shown = 0;
    buf_over(&b, names, sizeof names);
    for (size_t i = 0; i < v->case_count && shown < SHOWN; i++) {
        const struct versus_case *c = &v->cases[i];
        if (!c->is_judged || c->passed[better] || !c->passed[!better]) continue;
        buf_printf(&b, "%s%s/%.40s", shown++ ? ", " : "", c->benchmark, c->name);
    }
    struct versus_advice *a = add(
        v, rule,
        arena_printf(out, "Look at the %zu case%s that '%s' passes and '%s' does not: %.*s%s.",
                     lost, lost == 1 ? "" : "s", name_of(v, !better), name_of(v, better),
                     STR_ARG(buf_str(&b)), lost > SHOWN ? ", ..." : ""));
    look_at(a, "only_a_passes", (double)v->flipped[0]);
    look_at(a, "only_b_passes", (double)v->flipped[1]);
}

/* Scores of an agent that often gives no answer describe the rest only. */
static void mend_reliability(struct versus *v, const struct versus_rule *rule,
                             struct arena *out)
{
    const struct versus_metric *m = &v->metrics[SCORE_RELIABILITY];
    for (int side = 0; side < 2; side++) {
        if (!(m->score[side] < rule->threshold.value)) continue;
        struct versus_advice *a = add(
            v, rule,
            arena_printf(out,
                         "Find out why '%s' gave no answer in %.1f %% of its attempts before "
                         "comparing its speed and cost, which count answers only.",
                         name_of(v, side), 100 * (1 - m->score[side])));
        look_at(a, side ? "reliability_b" : "reliability_a", m->score[side]);
    }
}

/* Not decided is not the same. */
static void add_cases(struct versus *v, const struct versus_rule *rule, struct arena *out)
{
    const struct versus_metric *m = &v->overall;
    if (!m->is_measured || m->verdict != VERDICT_UNDECIDED) return;
    bool has_mde = !isnan(m->mde); /* not of one or two cases */
    const char *hint = has_mde ? arena_printf(out,
                                              ", and could hardly have shown a difference "
                                              "below %.2g",
                                              m->mde)
                               : "";
    struct versus_advice *a =
        add(v, rule,
            arena_printf(out, "Add cases before choosing: %zu do%s not decide it (%s)%s.", m->n,
                         m->n == 1 ? "es" : "", HUMAN_P(m->p), hint));
    look_at(a, "cases", (double)m->n);
    look_at(a, "p", m->p);
    if (has_mde) look_at(a, "smallest_detectable", m->mde);
}

/* Measured, but without a target there is no score and no say in the overall. */
static void state_targets(struct versus *v, const struct versus_rule *rule, struct arena *out)
{
    static const struct {
        enum score_id id;
        const char *target;
    } rows[] = {{SCORE_SPEED, "duration_s"}, {SCORE_COST, "cost_usd"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct versus_metric *m = &v->metrics[rows[i].id];
        if (!m->is_measured || !isnan(m->score[0]) || !isnan(m->score[1])) continue;
        struct versus_advice *a =
            add(v, rule,
                arena_printf(out,
                             "State a target for %s in the suite: it was measured on %zu cases "
                             "but has no score, so %s has no say in the overall.",
                             rows[i].target, m->n, m->name));
        look_at(a, "cases", (double)m->n);
    }
}

/* A benchmark that one of them has not met. */
static void run_the_rest(struct versus *v, const struct versus_rule *rule, struct arena *out)
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
        struct versus_advice *a = add(
            v, rule,
            arena_printf(
                out, "Run '%s' on %zu benchmark%s that only '%s' has been through ('%s'%s).",
                name_of(v, side), missing, missing == 1 ? "" : "s", name_of(v, !side), first,
                missing > 1 ? ", ..." : ""));
        look_at(a, "missing", (double)missing);
    }
}

static const struct versus_rule rules[] = {
    {.name = "prefer",
     .summary = "one agent is better as a whole",
     .threshold = {"p_below", NAN},
     .find = prefer},
    {.name = "trade_off",
     .summary = "one is right more often, the other is faster, cheaper or thriftier",
     .threshold = {"p_below", NAN},
     .find = trade_off},
    {.name = "add_cases",
     .summary = "the cases do not decide which is better",
     .threshold = {"p_at_least", NAN},
     .find = add_cases},
    {.name = "learn_from_flips",
     .summary = "the better one fails cases that the other passes",
     .threshold = {"at_least", 1},
     .find = learn_from_flips},
    {.name = "mend_reliability",
     .summary = "an agent often gives no answer",
     .threshold = {"below", 0.95},
     .find = mend_reliability},
    {.name = "state_targets",
     .summary = "a score is missing because the suite states no target for it",
     .threshold = {"at_least", 1},
     .find = state_targets},
    {.name = "run_the_rest",
     .summary = "an agent has not been through a benchmark that the other has",
     .threshold = {"at_least", 1},
     .find = run_the_rest},
};

REGISTRY_TABLE(struct versus_rule, versus_rule, rules)

void versus_advise(struct versus *v, struct arena *out)
{
    for (size_t i = 0; i < COUNT(rules); i++) rules[i].find(v, &rules[i], out);
}
