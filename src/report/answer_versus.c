/* Two agents head to head, case by case. */
#include "base/human.h"
#include "report/answers.h"
#include "report/table.h"
#include "report/versus_words.h"
#include "report/words.h"

#include <math.h>

static const char *winner_name(const struct versus *v, int side)
{
    return side < 0 ? NULL : v->agent[side].name;
}

/* ---- JSON: the requirement's keys first ---- */

LAYOUT_WORD_IS(verdict_of, const struct versus_metric *x, verdict_name(x->verdict))

LAYOUT_CALL_IS(put_verdict_winner, json_text, const struct versus_metric *x,
               winner_name(whole, versus_winner(x)))
LAYOUT_CALL_IS(put_winner, json_text, const struct versus_metric *x,
               winner_name(whole, versus_higher(x)))
LAYOUT_FIGURE_IS(difference_of, const struct versus_metric *m, m->score[0] - m->score[1])
LAYOUT_FIGURE_IS(percentage_of, const struct versus_metric *m,
                 m->score[1] != 0 ? 100 * difference_of(m) / m->score[1] : (double)NAN)
LAYOUT_WORD_IS(kind_of, const struct versus_metric *x,
               x->kind == VERSUS_RATIO ? "ratio" : "difference")

/* How far one agent is ahead of the other: above 1 of a ratio, above 0 of a difference. */
struct lead {
    double value;
    double low;
    double high;
};

/* `side`: 0 = A, 1 = B. Effects are B against A, of times and costs the less the better. */
static struct lead lead_of(const struct versus_metric *m, int side)
{
    bool is_as_is = m->answer.higher_is_better == (side == 1);
    if (is_as_is) return (struct lead){m->effect, m->low, m->high};
    if (m->kind == VERSUS_RATIO) return (struct lead){1 / m->effect, 1 / m->high, 1 / m->low};
    return (struct lead){0 - m->effect, 0 - m->high, 0 - m->low}; /* no -0 */
}

/* "wins, perl takes 2.47 [1.88, 3.22] times as long"; "wins by 0.218 [0.001, 0.416]"; without a
 * winner ", bc is ahead by 0.033 [-0.079, 0.185]", ", no difference in any". */
static const char *lead_text(const struct versus *v, const struct versus_metric *m, int side,
                             struct arena *out)
{
    struct lead x = lead_of(m, side);
    double none = m->kind == VERSUS_RATIO ? 1 : 0;
    bool is_cost = m == &v->metrics[SCORE_COST];
    const char *interval =
        isnan(x.low) ? "" : arena_printf(out, " [%.3g, %.3g]", x.low, x.high);
    if (x.value == none && x.low == none && x.high == none) return ", no difference in any of";
    if (m->kind == VERSUS_RATIO) {
        return arena_printf(out, ", %s %s %.3g%s times as %s over", v->agent[!side].name,
                            is_cost ? "costs" : "takes", x.value, interval,
                            is_cost ? "much" : "long");
    }
    const char *by = versus_winner(m) >= 0 ? " by"
                     : x.value == 0
                         ? ", a difference of"
                         : arena_printf(out, ", %s is ahead by", v->agent[side].name);
    return arena_printf(out, "%s %.3g%s%s over", by, x.value, interval, is_cost ? " USD" : "");
}

static const char *sentence_of(const struct versus *v, const struct versus_metric *m,
                               struct arena *out)
{
    int winner = versus_winner(m);
    double none = m->kind == VERSUS_RATIO ? 1 : 0;
    int side = winner >= 0 ? winner : lead_of(m, 0).value < none;
    if (!m->is_measured) {
        return arena_printf(out, "%s: nothing to compare, no case has a value for both",
                            m->name);
    }
    const char *lead = lead_text(v, m, side, out);
    if (winner >= 0) {
        return arena_printf(out, "%s: %s wins%s %zu cases, %s", m->name, v->agent[winner].name,
                            lead, m->n, HUMAN_P(m->p));
    }
    if (m->verdict == VERDICT_EQUIVALENT) {
        return arena_printf(out, "%s: equivalent%s %zu cases", m->name, lead, m->n);
    }
    size_t unknown = m->answer.unknown[0] + m->answer.unknown[1];
    const char *unseen =
        unknown > 0
            ? arena_printf(out, "%zu of %zu outcomes were not judged, and they may decide it",
                           unknown, m->answer.asked[0] + m->answer.asked[1])
        : isnan(m->mde)
            ? "they are too few to call it equivalent"
            : arena_printf(out, "a %s below %.2g could hardly have been seen",
                           m->kind == VERSUS_RATIO ? "relative change" : "difference", m->mde);
    return arena_printf(out, "%s: undecided%s %zu cases; %s", m->name, lead, m->n, unseen);
}

static double lead_value(const void *owner)
{
    return lead_of(owner, 0).value;
}

static double lead_low(const void *owner)
{
    return lead_of(owner, 0).low;
}

static double lead_high(const void *owner)
{
    return lead_of(owner, 0).high;
}

LAYOUT_TOLD_IS(put_sentence, const struct versus_metric *m, sentence_of(whole, m, scratch))

LAYOUT_SENTENCE_IS(next_of, const struct versus_metric *m,
                   m->is_measured ? words_next(&m->answer, scratch) : NULL)

#define OF struct versus_metric
static const struct layout_field effect_fields[] = {
    LAYOUT_WORD("kind", kind_of, "ratio (B / A) or difference (B - A)"),
    LAYOUT_FIELD("value", effect, "how much they differ"),
    LAYOUT_FIELD("low", low, "lower end of its interval"),
    LAYOUT_FIELD("high", high, "upper end"),
};
static const struct layout effect_layout = LAYOUT(effect_fields);

static const struct layout_field lead_fields[] = {
    LAYOUT_FIGURE("value", lead_value, "above 1 of a ratio, above 0 of a difference: A's"),
    LAYOUT_FIGURE("low", lead_low, "lower end of its interval"),
    LAYOUT_FIGURE("high", lead_high, "upper end"),
};
static const struct layout lead_layout = LAYOUT(lead_fields);

static const struct layout_field metric_fields[] = {
    LAYOUT_FIELD("metric", name, "the score, or overall"),
    LAYOUT_FIELD("agent_a_score", score[0], "mean over the common benchmarks"),
    LAYOUT_FIELD("agent_b_score", score[1], "the same of B"),
    LAYOUT_FIGURE("difference", difference_of, "a - b"),
    LAYOUT_FIGURE("percentage_difference", percentage_of, "of b"),
    LAYOUT_CALL("winner", put_winner, "string", "who has the higher score; not a verdict"),
    LAYOUT_WORD("verdict", verdict_of, "better, worse, equivalent or undecided: of B"),
    LAYOUT_CALL("verdict_winner", put_verdict_winner, "string", "null where undecided"),
    LAYOUT_FIELD("compared", compared, "what the verdict is about"),
    LAYOUT_GROUP("effect", &effect_layout, "of what was compared"),
    LAYOUT_GROUP("lead", &lead_layout, "the same as A's lead, whichever is better"),
    LAYOUT_FIELD("n", n, "pairs of cases"),
    LAYOUT_FIELD("test", test, "that p is of; null: none"),
    LAYOUT_FIELD("p", p, "of no difference"),
    LAYOUT_FIELD("p_adjusted", p,
                 "the same as p: how many scores are asked about changes none"),
    LAYOUT_FIELD("mde", mde, "smallest difference that would probably show"),
    LAYOUT_CALL("sentence", put_sentence, "string", "the answer in words"),
    LAYOUT_SENTENCE("next", next_of, "what would decide it; null where it is decided"),
};
static const struct layout metric_layout = LAYOUT_OF(OF, metric_fields);
#undef OF

static void put_value_object(struct json *j, const struct versus_value *values, size_t count)
{
    json_object(j);
    for (size_t i = 0; i < count; i++) json_put_real(j, values[i].name, values[i].value);
    json_end(j);
}

LAYOUT_CALL_IS(put_values, put_value_object, const struct versus_advice *a, a->values,
               a->value_count)
LAYOUT_CALL_IS(put_threshold, put_value_object, const struct versus_advice *a, &a->threshold, 1)

#define OF struct versus_advice
static const struct layout_field advice_fields[] = {
    LAYOUT_FIELD("rule", rule, "that gave it"),
    LAYOUT_CALL("values", put_values, "object", "what the rule looked at"),
    LAYOUT_CALL("threshold", put_threshold, "object", "what it compared them with"),
};
static const struct layout advice_layout = LAYOUT_OF(OF, advice_fields);
#undef OF

static bool is_flipped(const void *item, const void *whole)
{
    (void)whole;
    const struct versus_case *c = item;
    return c->is_judged && c->passed[0] != c->passed[1];
}

static void put_passed_by(struct json *j, const void *owner, const void *whole)
{
    const struct versus *v = whole;
    json_text(j, v->agent[((const struct versus_case *)owner)->passed[1]].name);
}

#define OF struct versus_case
static const struct layout_field case_fields[] = {
    LAYOUT_FIELD("benchmark", benchmark, "it is of"),
    LAYOUT_FIELD("case", name, "its name"),
    LAYOUT_FIELD("case_hash", hash, "of its content"),
    LAYOUT_CALL("passed_by", put_passed_by, "string", "the agent that passes it"),
};
static const struct layout case_layout = LAYOUT_OF(OF, case_fields);
#undef OF

#define OF struct agent_record
static const struct layout_field agent_fields[] = {
    LAYOUT_FIELD("agent_id", id, "in the store"),
    LAYOUT_FIELD("agent_name", name, "what people call it"),
};
static const struct layout agent_layout = LAYOUT_OF(OF, agent_fields);
#undef OF

#define EXECUTION_IS(name, side, member)                   \
    LAYOUT_WORD_IS(name, const struct versus_benchmark *x, \
                   x->execution[side] ? x->execution[side]->member : NULL)
EXECUTION_IS(execution_a, 0, id)
EXECUTION_IS(execution_b, 1, id)
EXECUTION_IS(run_a, 0, run_id)
EXECUTION_IS(run_b, 1, run_id)

#define OF struct versus_benchmark
static const struct layout_field benchmark_fields[] = {
    LAYOUT_FIELD("benchmark", name, "its name"),
    LAYOUT_FIELD("benchmark_id", id, "in the store"),
    LAYOUT_WORD("execution_a", execution_a, "A's latest success; null: none"),
    LAYOUT_WORD("execution_b", execution_b, "B's latest success; null: none"),
    LAYOUT_WORD("run_a", run_a, "the run of execution_a"),
    LAYOUT_WORD("run_b", run_b, "the run of execution_b"),
    LAYOUT_FIELD("cases", cases, "in common"),
};
static const struct layout benchmark_layout = LAYOUT_OF(OF, benchmark_fields);
#undef OF

LAYOUT_WORD_IS(overall_winner, const struct versus *v,
               winner_name(v, versus_winner(&v->overall)))

static void put_category_winners(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct versus *v = owner;
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        const struct versus_metric *m = &v->metrics[i];
        json_put_text(j, m->name, winner_name(v, versus_winner(m)));
    }
    json_end(j);
}

static void put_significance(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct versus *v = owner;
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        json_put_real(j, v->metrics[i].name, v->metrics[i].p);
    }
    json_end(j);
}

static void add_recommendations(const void *owner, struct sentences *list)
{
    const struct versus *v = owner;
    for (size_t i = 0; i < v->advice_count; i++)
        sentences_keep(list, versus_words_advice(v, &v->advice[i], list->out));
}

LAYOUT_NOTES_IS(add_notes, const struct versus *v, versus_words_notes(v, notes))

LAYOUT_WORD_IS(wins_winner, const struct versus *v,
               winner_name(v, v->wins[0] == v->wins[1] ? -1 : v->wins[1] > v->wins[0]))

/* "bc beats perl: 0.902 against 0.789 overall; ahead by 0.114 [0.052, 0.177] over 33 cases
 * (p = 0.0008)". */
static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct versus *v = owner;
    const struct versus_metric *m = &v->overall;
    if (!m->is_measured) {
        return arena_printf(out, "%s and %s have no case in common that was judged",
                            v->agent[0].name, v->agent[1].name);
    }
    int winner = versus_winner(m);
    int first = winner < 0 ? versus_higher(m) == 1 : winner;
    double by = words_thousandth(first ? m->effect : -m->effect);
    const char *names[2] = {v->agent[first].name, v->agent[!first].name};
    const char *interval =
        isnan(m->low)
            ? ""
            : arena_printf(out, " [%.3f, %.3f]", words_thousandth(first ? m->low : -m->high),
                           words_thousandth(first ? m->high : -m->low));
    const char *head =
        m->verdict == VERDICT_EQUIVALENT
            ? arena_printf(out, "%s and %s are equivalent", names[0], names[1])
        : winner >= 0 ? arena_printf(out, "%s beats %s", names[0], names[1])
                      : arena_printf(out, "%s against %s is undecided", names[0], names[1]);
    const char *lead = by == 0  ? "case by case level"
                       : by < 0 ? arena_printf(out, "case by case behind by %.3f", -by)
                                : arena_printf(out, "ahead by %.3f", by);
    return arena_printf(out, "%s: %.3f against %.3f overall; %s%s over %zu cases (%s)", head,
                        m->score[first], m->score[!first], lead, interval, m->n, HUMAN_P(m->p));
}

#define OF struct versus
static const struct layout_field win_fields[] = {
    LAYOUT_FIELD("agent_a", wins[0], "scores in which A has more"),
    LAYOUT_FIELD("agent_b", wins[1], "scores in which B has more"),
    LAYOUT_FIELD("ties", ties, "equal scores"),
    LAYOUT_WORD("winner", wins_winner, "who has more of them; not a verdict"),
};
static const struct layout win_layout = LAYOUT(win_fields);

static const struct layout_field mcnemar_fields[] = {
    LAYOUT_FIELD("only_a_passes", flipped[0], "cases"),
    LAYOUT_FIELD("only_b_passes", flipped[1], "cases"),
    LAYOUT_FIELD("a_more_accurate", ahead[0], "cases in which A is right more often"),
    LAYOUT_FIELD("b_more_accurate", ahead[1], "cases"),
    LAYOUT_FIELD("p", mcnemar_p, "of equal chances to pass; decides nothing"),
};
static const struct layout mcnemar_layout = LAYOUT(mcnemar_fields);

static const struct layout_field versus_fields[] = {
    LAYOUT_WORD("overall_winner", overall_winner, "by the overall score; null: none"),
    LAYOUT_CALL("category_winners", put_category_winners, "object",
                "of each score, by verdict"),
    LAYOUT_ROW_OF("detailed_metrics", metrics, &metric_layout, "the five scores"),
    LAYOUT_CALL("statistical_significance", put_significance, "object", "p of each score"),
    LAYOUT_NOTES("recommendations", add_recommendations, "sentences"),
    LAYOUT_ARRAY("recommendation_rules", advice, advice_count, &advice_layout,
                 "where each of them comes from"),
    LAYOUT_OBJECT("overall", overall, &metric_layout, "the weighted score"),
    LAYOUT_SENTENCE("sentence", whole_sentence, "who wins overall, by how much, how sure"),
    LAYOUT_GROUP("win_count", &win_layout, "scores that are higher: a count, not a verdict"),
    LAYOUT_LIST_IF("flipped_cases", cases, case_count, &case_layout, is_flipped,
                   "cases that only one of them passes"),
    LAYOUT_GROUP("mcnemar", &mcnemar_layout, "of the flipped cases"),
    LAYOUT_OBJECT("agent_a", agent[0], &agent_layout, "the baseline"),
    LAYOUT_OBJECT("agent_b", agent[1], &agent_layout, "the contender"),
    LAYOUT_FIELD("agent_a_version", version[0], "that is compared; null: several, or unknown"),
    LAYOUT_FIELD("agent_b_version", version[1], "the same of B"),
    LAYOUT_FIELD("suite", suite.name, "on which they are compared"),
    LAYOUT_FIELD("suite_id", suite.id, "in the store"),
    LAYOUT_FIELD("cases", case_count, "in common"),
    LAYOUT_LIST("benchmarks", benchmarks, benchmark_count, &benchmark_layout, "of the suite"),
    LAYOUT_NOTES("notes", add_notes, "what else to know"),
};
static const struct layout versus_layout = LAYOUT(versus_fields);
#undef OF

/* ---- text ---- */

static void add_score(struct table *t, double score)
{
    table_add(t, isnan(score) ? "-" : "%.3f", score);
}

static void add_metric(struct table *t, const struct versus *v, const struct versus_metric *m)
{
    int winner = versus_winner(m);
    table_add(t, "%s", m->name);
    add_score(t, m->score[0]);
    add_score(t, m->score[1]);
    table_add(t, "%s", winner < 0 ? verdict_name(m->verdict) : v->agent[winner].name);
    table_add(t, isnan(m->effect) ? "-" : "%.3g", m->effect);
    table_add(t, isnan(m->low) ? "-" : "[%.3g, %.3g]", m->low, m->high);
    table_add(t, "%s", m->is_measured ? m->compared : "");
    table_add(t, "%s", HUMAN_P_CELL(m->p));
    table_add(t, "%zu", m->n);
}

static void put_table(struct buf *b, const struct versus *v)
{
    struct arena scratch = arena_open();
    struct table t;
    table_begin(&t, "lrrlrllrr", &scratch);
    const char *const head[] = {
        "metric", v->agent[0].name, v->agent[1].name, "wins", "effect", "[95 %]", "of",
        "p",      "cases"};
    table_row(&t, head);
    for (size_t i = 0; i < SCORE_COUNT; i++) add_metric(&t, v, &v->metrics[i]);
    add_metric(&t, v, &v->overall);
    table_write(&t, 0, b);
    arena_close(&scratch);
}

/* Ratios (seconds, dollars) and differences of scores have an axis each. */
static struct plot_list versus_plots(const void *answer, struct arena *out)
{
    const struct versus *v = answer;
    struct plot *plots = arena_new(out, struct plot, 2);
    struct plot_effect effects[SCORE_COUNT + 1];
    size_t count = 0;
    for (int kind = VERSUS_RATIO; kind <= VERSUS_DIFFERENCE; kind++) {
        size_t n = 0;
        for (size_t i = 0; i <= SCORE_COUNT; i++) {
            const struct versus_metric *m = i < SCORE_COUNT ? &v->metrics[i] : &v->overall;
            if (!m->is_measured || (int)m->kind != kind) continue;
            effects[n++] = (struct plot_effect){m->name, &m->answer};
        }
        const char *title =
            arena_printf(out, "%s (B) against %s (A)", v->agent[1].name, v->agent[0].name);
        struct plot_list one = plot_effects(effects, n, title, NULL, out);
        if (one.count > 0) plots[count++] = one.items[0];
    }
    return (struct plot_list){plots, count};
}

static void put_advice(struct buf *b, const struct versus *v)
{
    struct arena scratch = arena_open();
    if (v->advice_count) buf_add_char(b, '\n');
    for (size_t i = 0; i < v->advice_count; i++) {
        const struct versus_advice *a = &v->advice[i];
        buf_printf(b, "- %s [%s]\n    ", versus_words_advice(v, a, &scratch), a->rule);
        for (size_t k = 0; k < a->value_count; k++) {
            buf_printf(b, "%s%s %.4g", k ? ", " : "", a->values[k].name, a->values[k].value);
        }
        buf_printf(b, "; threshold: %s %.4g\n", a->threshold.name, a->threshold.value);
    }
    struct sentences notes = {.out = &scratch};
    versus_words_notes(v, &notes);
    if (notes.count) buf_add_char(b, '\n');
    sentences_put(&notes, "note: ", b);
    arena_close(&scratch);
}

static bool is_repeated(const struct versus *v)
{
    for (size_t i = 0; i < v->case_count; i++) {
        for (int k = 0; k < 2; k++) {
            if (v->cases[i].row[k]->values.attempted > 1) return true;
        }
    }
    return false;
}

static void versus_text(const void *answer, const struct answer_look *look, struct buf *b)
{
    const struct versus *v = answer;
    int winner = versus_winner(&v->overall);
    buf_printf(b, "%s against %s on %s, %zu cases\n", v->agent[0].name, v->agent[1].name,
               v->suite.name, v->case_count);
    for (int k = 0; k < 2; k++) {
        buf_printf(b, "%s  %s: version %s\n", k ? "B" : "A", v->agent[k].name,
                   v->version[k] ? v->version[k] : "unknown, or several");
    }
    buf_add_char(b, '\n');
    put_table(b, v);
    struct arena scratch = arena_open();
    struct plot_list plots = versus_plots(v, &scratch);
    for (size_t i = 0; i < plots.count && !look->quiet; i++) {
        buf_add_char(b, '\n');
        plot_text(&plots.items[i], look->width, scratch, b);
    }
    arena_close(&scratch);
    if (winner >= 0) {
        buf_printf(b, "\noverall winner: %s\n", v->agent[winner].name);
    } else {
        buf_printf(b, "\noverall winner: none (%s)\n", verdict_name(v->overall.verdict));
    }
    buf_printf(
        b, "higher score in: %s %d, %s %d, equal %d of %d metrics (a count, not a verdict)\n",
        v->agent[0].name, v->wins[0], v->agent[1].name, v->wins[1], v->ties,
        v->wins[0] + v->wins[1] + v->ties);
    buf_printf(b, "cases in which %s is more accurate: %zu, %s: %zu", v->agent[0].name,
               v->ahead[0], v->agent[1].name, v->ahead[1]);
    buf_printf(b, "; cases that only %s passes: %zu, only %s: %zu%s\n", v->agent[0].name,
               v->flipped[0], v->agent[1].name, v->flipped[1],
               is_repeated(v) ? " (in most attempts, or in all where the reducer says so)"
                              : "");
    put_advice(b, v);
}

const struct answer answer_versus = {
    ANSWER_NAME("versus"),    .summary = "two agents head to head on a suite, case by case",
    .layout = &versus_layout, .judges = true,
    .text = versus_text,      .plots = versus_plots,
};
