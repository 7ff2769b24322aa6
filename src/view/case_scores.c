#include "view/case_scores.h"

#include "suite/scoring.h"

#include <math.h>

static double efficiency_of(const struct score_case *c, const struct score_targets *t)
{
    const double parts[] = {score_of_use(c->tokens, t->tokens),
                            score_of_use(c->cpu_s, t->cpu_s),
                            score_of_use(c->memory_mb, t->memory_mb)};
    const double targets[] = {t->tokens, t->cpu_s, t->memory_mb};
    double product = 1;
    int n = 0;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!(targets[i] > 0)) continue;
        product *= parts[i];
        n++;
    }
    return n ? pow(product, 1.0 / n) : (double)NAN;
}

static void score_one(const struct score_case *c, const struct score_targets *t, double *score)
{
    score[SCORE_ACCURACY] = c->accuracy;
    score[SCORE_SPEED] = score_of_use(c->duration_s, t->duration_s);
    score[SCORE_EFFICIENCY] = efficiency_of(c, t);
    score[SCORE_COST] = c->cost_usd == 0 ? 1.0 : score_of_use(c->cost_usd, t->cost_usd);
    score[SCORE_RELIABILITY] =
        c->attempted ? (double)c->ok / (double)c->attempted : (double)NAN;
}

static void score_ends(struct case_row *row)
{
    const struct score_case *c = &row->values;
    double tried = (double)(c->attempted + c->missing);
    for (int end = 0; end < 2; end++) {
        double *score = row->ends[end];
        memcpy(score, row->score, sizeof row->score);
        if (c->missing == 0) continue;
        score[SCORE_ACCURACY] = c->accuracy_ends[end];
        score[SCORE_RELIABILITY] = (double)(c->ok + end * c->missing) / tried;
    }
}

static bool has_trials(const struct series_record *series, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase == PHASE_MEASURED && series[i].count > 0) return true;
    }
    return false;
}

struct scores case_scores_weighted(const struct case_scores *cases,
                                   const double weights[SCORE_COUNT], struct arena *out)
{
    struct score_plan plan = cases->plan;
    struct scores scores;
    struct score_case *values = arena_new(out, struct score_case, cases->count + 1);
    for (size_t i = 0; i < cases->count; i++) values[i] = cases->rows[i].values;
    memcpy(plan.weights, weights, sizeof plan.weights);
    scores_compute(values, cases->count, &plan, out, &scores);
    return scores;
}

struct case_scores case_scores_of(const struct scoring *scoring, struct arena *out)
{
    struct case_scores cases = {
        .count = scoring->case_count, .plan = scoring->plan, .scores = scoring->scores};
    cases.rows = arena_new(out, struct case_row, scoring->case_count + 1);
    memcpy(cases.weights, score_plan_weights(&scoring->plan), sizeof cases.weights);
    for (size_t i = 0; i < scoring->case_count; i++) {
        struct case_row *row = &cases.rows[i];
        row->hash = scoring->hashes[i];
        row->name = scoring->names[i];
        row->values = scoring->cases[i];
        score_one(&row->values, &scoring->plan.targets, row->score);
        score_ends(row);
    }
    return cases;
}

bool case_scores_load(struct store *store, const char *execution_id, const char *benchmark_id,
                      struct arena *out, struct case_scores *cases, struct error *err)
{
    struct benchmark_record *benchmark = arena_new(out, struct benchmark_record, 1);
    struct series_record *series = NULL;
    struct trial_note *notes = NULL;
    struct scoring_input in = {.benchmark = benchmark};
    struct scoring scoring;
    *cases = (struct case_scores){0};
    memcpy(cases->weights, score_weights_default, sizeof cases->weights);
    if (!store_find_benchmark(store, benchmark_id, out, benchmark, err) ||
        !store_list_series(store, execution_id, out, &series, &in.series_count, err) ||
        !store_list_notes(store, execution_id, out, &notes, &in.note_count, err)) {
        return false;
    }
    if (!has_trials(series, in.series_count)) return true;
    in.series = series;
    in.notes = notes;
    if (!scoring_compute(&in, out, &scoring, err)) return false;
    *cases = case_scores_of(&scoring, out);
    return true;
}
