#include "report/answer_versus.h"

#include "base/human.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

static const char *winner_name(const struct versus *v, int side)
{
    return side < 0 ? NULL : v->agent[side].name;
}

/* ---- JSON: the requirement's keys first ---- */

static void put_verdict(struct json *j, const struct versus *v, const struct versus_metric *m)
{
    json_put_text(j, "verdict", verdict_name(m->verdict));
    json_put_text(j, "verdict_winner", winner_name(v, versus_winner(m)));
    json_put_text(j, "compared", m->compared);
    json_key(j, "effect");
    json_object(j);
    json_put_text(j, "kind", m->kind == VERSUS_RATIO ? "ratio" : "difference");
    json_put_real(j, "value", m->effect);
    json_put_real(j, "low", m->low);
    json_put_real(j, "high", m->high);
    json_end(j);
    json_put_int(j, "n", (int64_t)m->n);
    json_put_text(j, "test", m->test);
    json_put_real(j, "p", m->p);
    json_put_real(j, "p_adjusted", m->p_adjusted);
    json_put_real(j, "mde", m->mde);
    json_put_text(j, "sentence", m->sentence);
    struct arena scratch = arena_open();
    json_put_text(j, "next", m->is_measured ? words_next(&m->answer, &scratch) : NULL);
    arena_close(&scratch);
}

static void put_metric(struct json *j, const struct versus *v, const struct versus_metric *m)
{
    double difference = m->score[0] - m->score[1];
    json_object(j);
    json_put_text(j, "metric", m->name);
    json_put_real(j, "agent_a_score", m->score[0]);
    json_put_real(j, "agent_b_score", m->score[1]);
    json_put_real(j, "difference", difference);
    json_put_real(j, "percentage_difference",
                  m->score[1] != 0 ? 100 * difference / m->score[1] : (double)NAN);
    json_put_text(j, "winner", winner_name(v, versus_higher(m)));
    put_verdict(j, v, m);
    json_end(j);
}

static void put_values(struct json *j, const struct versus_value *values, size_t count)
{
    json_object(j);
    for (size_t i = 0; i < count; i++) json_put_real(j, values[i].name, values[i].value);
    json_end(j);
}

static void put_advice(struct json *j, const struct versus *v)
{
    json_key(j, "recommendations");
    json_list(j);
    for (size_t i = 0; i < v->advice_count; i++) json_text(j, v->advice[i].text);
    json_end(j);
    json_key(j, "recommendation_rules");
    json_list(j);
    for (size_t i = 0; i < v->advice_count; i++) {
        const struct versus_advice *a = &v->advice[i];
        json_object(j);
        json_put_text(j, "rule", a->rule);
        json_key(j, "values");
        put_values(j, a->values, a->value_count);
        json_key(j, "threshold");
        put_values(j, &a->threshold, 1);
        json_end(j);
    }
    json_end(j);
}

static void put_flips(struct json *j, const struct versus *v)
{
    json_key(j, "flipped_cases");
    json_list(j);
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        if (!c->is_judged || c->passed[0] == c->passed[1]) continue;
        json_object(j);
        json_put_text(j, "benchmark", c->benchmark);
        json_put_text(j, "case", c->name);
        json_put_text(j, "case_hash", c->hash);
        json_put_text(j, "passed_by", v->agent[c->passed[1]].name);
        json_end(j);
    }
    json_end(j);
    json_key(j, "mcnemar");
    json_object(j);
    json_put_int(j, "only_a_passes", (int64_t)v->flipped[0]);
    json_put_int(j, "only_b_passes", (int64_t)v->flipped[1]);
    json_put_real(j, "p", v->mcnemar_p);
    json_end(j);
}

static void put_sides(struct json *j, const struct versus *v)
{
    static const char *const keys[] = {"agent_a", "agent_b"};
    for (int k = 0; k < 2; k++) {
        json_key(j, keys[k]);
        json_object(j);
        json_put_text(j, "agent_id", v->agent[k].id);
        json_put_text(j, "agent_name", v->agent[k].name);
        json_end(j);
    }
    json_put_text(j, "suite", v->suite.name);
    json_put_text(j, "suite_id", v->suite.id);
    json_put_int(j, "cases", (int64_t)v->case_count);
    json_key(j, "benchmarks");
    json_list(j);
    for (size_t i = 0; i < v->benchmark_count; i++) {
        const struct versus_benchmark *b = &v->benchmarks[i];
        json_object(j);
        json_put_text(j, "benchmark", b->name);
        json_put_text(j, "benchmark_id", b->id);
        json_put_text(j, "execution_a", b->execution[0] ? b->execution[0]->id : NULL);
        json_put_text(j, "execution_b", b->execution[1] ? b->execution[1]->id : NULL);
        json_put_int(j, "cases", (int64_t)b->cases);
        json_end(j);
    }
    json_end(j);
}

static void put_wins(struct json *j, const struct versus *v)
{
    int side = v->wins[0] == v->wins[1] ? -1 : v->wins[1] > v->wins[0];
    json_key(j, "win_count");
    json_object(j);
    json_put_int(j, "agent_a", v->wins[0]);
    json_put_int(j, "agent_b", v->wins[1]);
    json_put_int(j, "ties", v->ties);
    json_put_text(j, "winner", winner_name(v, side));
    json_end(j);
}

void duel_json(struct json *j, const struct versus *v)
{
    json_object(j);
    json_put_text(j, "schema", "assay.versus/1");
    json_put_text(j, "overall_winner", winner_name(v, versus_winner(&v->overall)));
    json_key(j, "category_winners");
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        const struct versus_metric *m = &v->metrics[i];
        json_put_text(j, m->name, winner_name(v, versus_winner(m)));
    }
    json_end(j);
    json_key(j, "detailed_metrics");
    json_list(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) put_metric(j, v, &v->metrics[i]);
    json_end(j);
    json_key(j, "statistical_significance");
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        json_put_real(j, v->metrics[i].name, v->metrics[i].p_adjusted);
    }
    json_end(j);
    put_advice(j, v);
    json_key(j, "overall");
    put_metric(j, v, &v->overall);
    put_wins(j, v);
    put_flips(j, v);
    put_sides(j, v);
    json_put_texts(j, "notes", v->notes, v->note_count);
    json_end(j);
}

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
    table_add(t, "%s", HUMAN_P_CELL(m->p_adjusted));
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

void duel_text(struct buf *b, const struct versus *v)
{
    int winner = versus_winner(&v->overall);
    buf_printf(b, "%s against %s on %s, %zu cases\n\n", v->agent[0].name, v->agent[1].name,
               v->suite.name, v->case_count);
    put_table(b, v);
    if (winner >= 0) {
        buf_printf(b, "\noverall winner: %s\n", v->agent[winner].name);
    } else {
        buf_printf(b, "\noverall winner: none (%s)\n", verdict_name(v->overall.verdict));
    }
    buf_printf(b,
               "higher score in: %s %d, %s %d, equal %d of %d metrics (a count, no verdict)\n",
               v->agent[0].name, v->wins[0], v->agent[1].name, v->wins[1], v->ties,
               v->wins[0] + v->wins[1] + v->ties);
    buf_printf(b, "cases that only %s passes: %zu, only %s: %zu (McNemar %s)\n",
               v->agent[0].name, v->flipped[0], v->agent[1].name, v->flipped[1],
               HUMAN_P(v->mcnemar_p));
    if (v->advice_count) buf_add_char(b, '\n');
    for (size_t i = 0; i < v->advice_count; i++) {
        const struct versus_advice *a = &v->advice[i];
        buf_printf(b, "- %s [%s]\n    ", a->text, a->rule);
        for (size_t k = 0; k < a->value_count; k++) {
            buf_printf(b, "%s%s %.4g", k ? ", " : "", a->values[k].name, a->values[k].value);
        }
        buf_printf(b, "; threshold: %s %.4g\n", a->threshold.name, a->threshold.value);
    }
    if (v->note_count) buf_add_char(b, '\n');
    for (size_t i = 0; i < v->note_count; i++) buf_printf(b, "note: %s\n", v->notes[i]);
}
