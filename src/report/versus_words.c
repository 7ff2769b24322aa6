/* Advice is said by its rule, with the values that the rule looked at. Notes are read from
 * the answer: whatever differs between the executions of the two, besides the agents. */
#include "report/versus_words.h"

#include "base/buf.h"
#include "base/human.h"

#include <math.h>

static const char *name_of(const struct versus *v, int side)
{
    return v->agent[side].name;
}

/* ---- advice ---- */

static const char *flips_text(const struct versus *v, const struct versus_advice *a,
                              struct arena *out)
{
    enum { SHOWN = 3 };
    struct buf b;
    size_t shown = 0;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < v->case_count && shown < SHOWN; i++) {
        const struct versus_case *c = &v->cases[i];
        if (!c->is_judged || c->passed[a->side] || !c->passed[!a->side]) continue;
        buf_printf(&b, "%s%s/%.40s", shown++ ? ", " : "", c->benchmark, c->name);
    }
    return arena_printf(out, "Look at the %zu case%s that '%s' passes and '%s' does not: %s%s.",
                        a->count, PLURAL(a->count), name_of(v, !a->side), name_of(v, a->side),
                        buf_keep(&b, out), a->count > SHOWN ? ", ..." : "");
}

static const char *cases_text(const struct versus_metric *m, struct arena *out)
{
    const char *hint =
        isnan(m->mde)
            ? ""
            : arena_printf(out, ", and could hardly have shown a difference below %.2g",
                           m->mde);
    return arena_printf(out, "Add cases before choosing: %zu do%s not decide it (%s)%s.", m->n,
                        m->n == 1 ? "es" : "", HUMAN_P(m->p), hint);
}

const char *versus_words_advice(const struct versus *v, const struct versus_advice *a,
                                struct arena *out)
{
    const struct versus_metric *m = a->metric;
    const struct versus_metric *accuracy = &v->metrics[SCORE_ACCURACY];
    const char *name = name_of(v, a->side);
    const char *other = name_of(v, !a->side);
    switch (a->id) {
    case VERSUS_PREFER:
        return arena_printf(
            out, "Prefer '%s' on this suite: overall %.3f against %.3f over %zu cases (%s).",
            name, m->score[a->side], m->score[!a->side], m->n, HUMAN_P(m->p));
    case VERSUS_TRADE_OFF:
        return arena_printf(out,
                            "Choose '%s' where right answers count (accuracy %.3f against "
                            "%.3f), '%s' where %s does (%s of %s %.3g).",
                            name, accuracy->score[a->side], accuracy->score[!a->side], other,
                            m->name, m->kind == VERSUS_RATIO ? "ratio" : "difference",
                            m->compared, m->effect);
    case VERSUS_ADD_CASES: return cases_text(m, out);
    case VERSUS_LEARN_FROM_FLIPS: return flips_text(v, a, out);
    case VERSUS_MEND_RELIABILITY:
        return arena_printf(
            out,
            "Find out why '%s' gave no answer in %.1f %% of its attempts before "
            "comparing its speed, in which only answers and time-outs count (those as the "
            "time after which they were cut off), and its cost.",
            name, 100 * (1 - m->score[a->side]));
    case VERSUS_STATE_TARGETS:
        return arena_printf(out,
                            "State a target for %s in the suite: it was measured on %zu cases "
                            "but has no score, so %s has no say in the overall.",
                            a->name, m->n, m->name);
    case VERSUS_RUN_THE_REST:
        return arena_printf(
            out, "Run '%s' on %zu benchmark%s that only '%s' was run on ('%s'%s).", name,
            a->count, PLURAL(a->count), other, a->name, a->count > 1 ? ", ..." : "");
    case VERSUS_RULE_COUNT: break;
    }
    return "";
}

/* ---- notes ---- */

/* What is newer than what is compared, and does not count. */
static void note_left_out(const struct versus *v, struct sentences *n)
{
    for (size_t i = 0; i < v->left_out_count; i++) {
        const struct versus_left_out *l = &v->left_out[i];
        const struct execution_record *e = l->execution;
        sentences_add(n, "'%s'%s%s on benchmark '%s' in run %s is left out: %s",
                      v->agent[l->side].name, e->agent_version ? " " : "",
                      e->agent_version ? e->agent_version : "", l->benchmark,
                      id_short(e->run_id), view_left_out(e, n->out));
    }
}

/* Without a version in the question the newest execution of each benchmark counts. */
static void note_versions(const struct versus *v, struct sentences *n)
{
    for (int k = 0; k < 2; k++) {
        const char *first = NULL;
        bool is_mixed = false;
        for (size_t i = 0; i < v->benchmark_count; i++) {
            const struct execution_record *e = v->benchmarks[i].execution[k];
            if (!e || !v->benchmarks[i].execution[!k]) continue;
            const char *version = e->agent_version ? e->agent_version : "";
            is_mixed |= first && strcmp(first, version) != 0;
            if (!first) first = version;
        }
        if (!is_mixed) continue;
        sentences_add(n,
                      "'%s' has different versions on different benchmarks: name one (%s@%s)",
                      v->agent[k].name, v->agent[k].name, first);
    }
}

/* What may explain a difference besides the agents themselves. */
static void note_unlike(const struct versus *v, struct sentences *n)
{
    bool is_other_run = false;
    bool is_other_configuration = false;
    bool is_other_load = false;
    for (size_t i = 0; i < v->benchmark_count; i++) {
        const struct execution_record *const *e = v->benchmarks[i].execution;
        if (!e[0] || !e[1]) {
            int has = e[0] ? 0 : 1;
            if (e[has]) {
                sentences_add(
                    n, "benchmark '%s' is left out: only '%s' has a measured success on it",
                    v->benchmarks[i].name, v->agent[has].name);
            }
            continue;
        }
        is_other_run = is_other_run || strcmp(e[0]->run_id, e[1]->run_id) != 0;
        is_other_load = is_other_load || execution_lanes(e[0]) != execution_lanes(e[1]);
        is_other_configuration =
            is_other_configuration ||
            !str_is(str_of(e[0]->model_configuration), e[1]->model_configuration);
    }
    if (is_other_run) {
        sentences_add(
            n, "the two were measured in different runs, not in turn: the machine's state "
               "may be part of a difference in speed");
    }
    if (is_other_load) {
        sentences_add(
            n,
            "the two had different numbers of cases in flight at once (--concurrency): their "
            "times are not comparable");
    }
    if (is_other_configuration)
        sentences_add(n, "the agents are configured differently (config:)");
    note_versions(v, n);
}

/* Who would win by what was seen, and lacks the rest. */
static void note_owed(const struct versus *v, const struct versus_metric *m,
                      struct sentences *n)
{
    if (!m->is_owed) return;
    if (m == &v->overall) {
        sentences_add(n, "overall: undecided: who is ahead does not report the cost of cases "
                         "in which the other does");
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (m->lacking[k] == 0) continue;
        sentences_add(n,
                      "%s: undecided: in %zu cases '%s' failed or does not report %s, and '%s' "
                      "does",
                      m->name, m->lacking[k], v->agent[k].name, m->compared, v->agent[!k].name);
    }
}

/* What is compared by case need not be what the scores differ by. */
static void note_scores(const struct versus *v, struct sentences *n)
{
    const struct versus_metric *m[] = {&v->metrics[SCORE_EFFICIENCY], &v->overall};
    for (size_t i = 0; i < COUNT(m); i++) {
        double shown = m[i]->score[1] - m[i]->score[0];
        if (!(fabs(shown - m[i]->effect) > 0.0005)) continue;
        sentences_add(
            n,
            "%s: the scores differ by %.3g, the cases' own by %.3g on average, and these "
            "are compared: scores of time and use go by the median over cases",
            m[i]->name, shown, m[i]->effect);
    }
}

/* What does not mean the same in both is not compared. */
static void note_definitions(const struct versus *v, struct sentences *n)
{
    for (size_t i = 0; i < v->benchmark_count * SCORE_COUNT; i++) {
        const struct versus_benchmark *b = &v->benchmarks[i / SCORE_COUNT];
        const struct units *u = b->paired[i % SCORE_COUNT];
        enum metric_unlike unlike = units_unlike(&u[0], &u[1]);
        if (unlike == METRIC_ALIKE) continue;
        bool is_unit = unlike == METRIC_UNLIKE_UNIT;
        sentences_add(n,
                      "benchmark '%s': %s is not compared: its %s is '%s' in one and '%s' in "
                      "the other",
                      b->name, u[0].of.name, is_unit ? "unit" : "definition",
                      is_unit ? u[0].of.unit : u[0].of.definition,
                      is_unit ? u[1].of.unit : u[1].of.definition);
    }
}

void versus_words_notes(const struct versus *v, struct sentences *notes)
{
    note_definitions(v, notes);
    note_left_out(v, notes);
    note_unlike(v, notes);
    for (size_t i = 0; i < SCORE_COUNT; i++) note_owed(v, &v->metrics[i], notes);
    note_owed(v, &v->overall, notes);
    note_scores(v, notes);
    if (v->has_mixed_weights)
        sentences_add(notes, "benchmarks state weights that differ from each other: the "
                             "overall is by the default ones");
}
