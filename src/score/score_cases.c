/* Trials into cases: one value of each metric (stats/reduce.h), and counts. */
#include "base/near.h"
#include "score/scores.h"

#include <math.h>

void score_trial_init(struct score_trial *t)
{
    *t = (struct score_trial){
        .accuracy = NAN,
        .duration_s = NAN,
        .tokens = NAN,
        .cpu_s = NAN,
        .memory_mb = NAN,
        .cost_usd = NAN,
    };
    for (int d = 0; d < RUBRIC_DIMENSIONS; d++) t->dimensions[d] = NAN;
}

enum counted {
    COUNTED_ANY,    /* whatever the trial's end */
    COUNTED_OK,     /* what gave no answer took for ever: nobody gets faster by failing */
    COUNTED_JUDGED, /* 0 where no answer came */
};

/* Where each value comes from and goes to. What is judged is a share. */
static const struct column {
    size_t from;
    size_t to;
    enum counted counted;
} columns[] = {
#define COLUMN(field) offsetof(struct score_trial, field), offsetof(struct score_case, field)
    {COLUMN(accuracy), COUNTED_JUDGED},
    {COLUMN(dimensions[RUBRIC_CORRECTNESS]), COUNTED_JUDGED},
    {COLUMN(dimensions[RUBRIC_COMPLETENESS]), COUNTED_JUDGED},
    {COLUMN(dimensions[RUBRIC_RELEVANCE]), COUNTED_JUDGED},
    {COLUMN(duration_s), COUNTED_OK},
    {COLUMN(tokens), COUNTED_ANY},
    {COLUMN(cpu_s), COUNTED_ANY},
    {COLUMN(memory_mb), COUNTED_ANY},
    {COLUMN(cost_usd), COUNTED_ANY},
#undef COLUMN
};

static double value_of(const struct score_trial *t, const struct column *c, bool is_named)
{
    bool is_ok = t->status == TRIAL_OK;
    if (t->status == TRIAL_HARNESS_ERROR) return NAN;
    if (c->counted == COUNTED_OK && !is_ok) return is_named ? (double)INFINITY : (double)NAN;
    if (c->counted == COUNTED_JUDGED && !is_ok) {
        return t->is_unjudged || !is_named ? (double)NAN : 0.0;
    }
    double value;
    memcpy(&value, (const char *)t + c->from, sizeof value);
    return value;
}

/* Whether any answer has a value in this column: a dimension that no check names, and the time
 * of answers that were not timed (a replay's), must stay NaN in trials without an answer. Where
 * no answer came at all, times would have been there. */
static bool is_named(const struct score_trial *trials, size_t n, const struct column *c)
{
    if (c->counted == COUNTED_ANY || c->from == offsetof(struct score_trial, accuracy))
        return true;
    bool is_answered = false;
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, (const char *)&trials[i] + c->from, sizeof value);
        if (!isnan(value)) return true;
        is_answered |= trials[i].status == TRIAL_OK;
    }
    return c->counted == COUNTED_OK && !is_answered;
}

static void count(const struct score_trial *t, double pass_at, struct score_case *c)
{
    c->missing += t->status == TRIAL_HARNESS_ERROR;
    if (t->status == TRIAL_HARNESS_ERROR) return;
    c->attempted++;
    c->ok += t->status == TRIAL_OK;
    c->unpriced += t->status == TRIAL_OK && isnan(t->cost_usd);
    c->uncounted += t->status == TRIAL_OK && isnan(t->tokens);
    if (t->is_unjudged || (t->status == TRIAL_OK && isnan(t->accuracy))) return;
    c->judged++;
    c->passed += t->status == TRIAL_OK && near_reaches(t->accuracy, pass_at);
}

enum case_state score_case_state(const struct score_case *c)
{
    if (c->passed < c->judged || c->ok < c->attempted) return CASE_WRONG;
    return c->judged > 0 ? CASE_RIGHT : CASE_UNJUDGED;
}

/* What was tried and never judged may have been wrong, and right. */
static void set_ends(const struct score_trial *const *trials, size_t n, enum reducer reducer,
                     double *values, struct score_case *c)
{
    for (int end = 0; end < 2; end++) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            bool is_open = trials[i]->status == TRIAL_HARNESS_ERROR;
            double value = is_open ? (double)end : value_of(trials[i], &columns[0], true);
            if (!isnan(value)) values[kept++] = value;
        }
        c->accuracy_ends[end] = reduce_passes(reducer, true, values, kept);
    }
}

/* Passed and not are 1 and 0 as any share, of which the reducer makes one. */
static bool is_passed(const struct score_case *c, enum reducer reducer, double *values)
{
    for (int64_t i = 0; i < c->judged; i++) values[i] = i < c->passed;
    return reduce_passes(reducer, true, values, (size_t)c->judged) > 0.5;
}

struct score_case *score_cases(const struct score_trial *trials, size_t n, size_t case_count,
                               const struct score_rules *rules, struct arena *out)
{
    static const struct score_rules usual = {.pass_at = 1};
    if (!rules) rules = &usual;
    double pass_at = rules->pass_at > 0 ? rules->pass_at : 1;
    struct score_case *cases = arena_new(out, struct score_case, case_count);
    struct arena scratch = *out;
    size_t *ends = arena_new(&scratch, size_t, case_count + 1);
    for (size_t i = 0; i < n; i++) {
        CHECK(trials[i].case_index < case_count);
        ends[trials[i].case_index + 1]++;
    }
    for (size_t c = 0; c < case_count; c++) ends[c + 1] += ends[c];
    /* Trials by case; afterwards ends[c] is where case c ends. */
    const struct score_trial **by_case = arena_new(&scratch, const struct score_trial *, n);
    for (size_t i = 0; i < n; i++) {
        count(&trials[i], pass_at, &cases[trials[i].case_index]);
        by_case[ends[trials[i].case_index]++] = &trials[i];
    }
    double *values = arena_new(&scratch, double, n);
    for (size_t c = 0, i = 0; c < case_count; i = ends[c++]) {
        set_ends(by_case + i, ends[c] - i, rules->reducer, values, &cases[c]);
        cases[c].is_passed = is_passed(&cases[c], rules->reducer, values);
    }
    for (size_t k = 0; k < COUNT(columns); k++) {
        bool named = is_named(trials, n, &columns[k]);
        for (size_t c = 0, i = 0; c < case_count; c++) {
            size_t kept = 0;
            double sum = 0;
            for (; i < ends[c]; i++) {
                double value = value_of(by_case[i], &columns[k], named);
                if (isnan(value)) continue;
                values[kept++] = value;
                sum += value;
            }
            bool is_share = columns[k].counted == COUNTED_JUDGED;
            bool is_money = columns[k].to == offsetof(struct score_case, cost_usd);
            double value = reduce_passes(is_money ? REDUCER_MEAN : rules->reducer,
                                         is_share || is_money, values, kept);
            memcpy((char *)&cases[c] + columns[k].to, &value, sizeof value);
            if (!is_money) continue; /* it adds up, as in view/units.c */
            cases[c].cost_total_usd =
                sum + value * (double)(cases[c].attempted - (int64_t)kept);
        }
    }
    return cases;
}
