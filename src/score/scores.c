/* The unit of evidence is the case. For intervals of what is no plain mean or
 * median (efficiency, overall) the bootstrap resamples positions of cases and
 * computes the whole formula from them; medians of a resample are found by
 * counting over values sorted once, so that a resample costs O(cases). */
#include "score/scores.h"

#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "stats/quantile.h"

#include <math.h>

static const struct {
    const char *name;
    const char *formula;
} names[SCORE_COUNT] = {
    [SCORE_ACCURACY] = {"accuracy", "accuracy/1"},
    [SCORE_SPEED] = {"speed", "speed/1"},
    [SCORE_EFFICIENCY] = {"efficiency", "efficiency/1"},
    [SCORE_COST] = {"cost", "cost/1"},
    [SCORE_RELIABILITY] = {"reliability", "reliability/1"},
};

const double score_weights_default[SCORE_COUNT] = {
    [SCORE_ACCURACY] = 0.30, [SCORE_SPEED] = 0.20,       [SCORE_EFFICIENCY] = 0.20,
    [SCORE_COST] = 0.15,     [SCORE_RELIABILITY] = 0.15,
};

const struct score_targets score_targets_none = {NAN, NAN, NAN, NAN, NAN};

const char *score_name(enum score_id id)
{
    CHECK(id < SCORE_COUNT);
    return names[id].name;
}

const char *score_formula(enum score_id id)
{
    CHECK(id < SCORE_COUNT);
    return names[id].formula;
}

static bool has_target(double target)
{
    return target > 0; /* false for NaN */
}

double score_of_use(double used, double target)
{
    return has_target(target) ? 1 / (1 + used / target) : (double)NAN;
}

/* What is resampled: one metric of all cases, sorted once. */
struct column {
    double *sorted;
    size_t known; /* cases that have a value */
    size_t *rank; /* of each case in `sorted`; SIZE_MAX = no value */
    double target;
    const char *name;
};

enum { COLUMN_DURATION, COLUMN_TOKENS, COLUMN_CPU, COLUMN_MEMORY, COLUMN_COUNT };

struct inquiry {
    const struct score_case *cases;
    size_t n;
    const struct score_plan *plan;
    double confidence;
    struct column columns[COLUMN_COUNT];
    uint32_t *counts; /* scratch of a resample: one thread */
    const double *weights;
    double fallback[SCORE_COUNT]; /* the scores of the data itself */
};

static struct column make_column(const struct inquiry *q, const char *name, size_t offset,
                                 double target, struct arena *out)
{
    struct column c = {.target = target, .name = name};
    double *values = arena_new(out, double, q->n);
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&values[i], (const char *)&q->cases[i] + offset, sizeof values[i]);
    }
    c.sorted = stats_sort(out, values, q->n, &c.known);
    c.rank = arena_new(out, size_t, q->n);
    for (size_t i = 0; i < q->n; i++) {
        size_t low = 0;
        size_t high = c.known;
        while (low < high) { /* equal values share a rank, which a median does not mind */
            size_t middle = low + (high - low) / 2;
            if (c.sorted[middle] < values[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        c.rank[i] = isnan(values[i]) ? SIZE_MAX : low;
    }
    return c;
}

/* The value at position `at` of the multiset that `counts` describes. */
static double nth(const struct column *c, const uint32_t *counts, size_t at)
{
    size_t seen = 0;
    for (size_t i = 0; i < c->known; i++) {
        seen += counts[i];
        if (seen > at) return c->sorted[i];
    }
    return NAN;
}

/* Of the cases at these positions; NaN if none of them has a value. */
static double median_of(const struct inquiry *q, const struct column *c,
                        const double *positions, size_t n)
{
    memset(q->counts, 0, c->known * sizeof *q->counts);
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        size_t rank = c->rank[(size_t)positions[i]];
        if (rank == SIZE_MAX) continue;
        q->counts[rank]++;
        total++;
    }
    if (total == 0) return NAN;
    double upper = nth(c, q->counts, total / 2);
    if (total % 2) return upper;
    return (nth(c, q->counts, total / 2 - 1) + upper) / 2;
}

static double efficiency_of(const struct inquiry *q, const double *positions, size_t n)
{
    double product = 1;
    int parts = 0;
    for (int i = COLUMN_TOKENS; i < COLUMN_COUNT; i++) {
        const struct column *c = &q->columns[i];
        if (!has_target(c->target)) continue;
        product *= score_of_use(median_of(q, c, positions, n), c->target);
        parts++;
    }
    return parts ? pow(product, 1.0 / parts) : (double)NAN;
}

/* The mean of the field at `offset` over the cases that have it. */
static double mean_of(const struct inquiry *q, size_t offset, const double *positions, size_t n)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, (const char *)&q->cases[(size_t)positions[i]] + offset, sizeof value);
        if (isnan(value)) continue;
        sum += value;
        known++;
    }
    return known ? sum / (double)known : (double)NAN;
}

static double cost_score(double cost_usd, double target)
{
    return cost_usd == 0 ? 1 : score_of_use(cost_usd, target);
}

static double reliability_of(const struct inquiry *q, const double *positions, size_t n)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    for (size_t i = 0; i < n; i++) {
        ok += q->cases[(size_t)positions[i]].ok;
        attempted += q->cases[(size_t)positions[i]].attempted;
    }
    return attempted ? (double)ok / (double)attempted : (double)NAN;
}

static double score_of(const struct inquiry *q, enum score_id id, const double *positions,
                       size_t n)
{
    switch (id) {
    case SCORE_ACCURACY: return mean_of(q, offsetof(struct score_case, accuracy), positions, n);
    case SCORE_SPEED:
        return score_of_use(median_of(q, &q->columns[COLUMN_DURATION], positions, n),
                            q->columns[COLUMN_DURATION].target);
    case SCORE_EFFICIENCY: return efficiency_of(q, positions, n);
    case SCORE_COST:
        return cost_score(mean_of(q, offsetof(struct score_case, cost_usd), positions, n),
                          q->plan->targets.cost_usd);
    case SCORE_RELIABILITY: return reliability_of(q, positions, n);
    case SCORE_COUNT: break;
    }
    return NAN;
}

/* A resample may hold no case that has a value (a metric known for few): the
 * score of the data stands in, since the statistic must be finite. */
static double part_of(const struct inquiry *q, enum score_id id, const double *positions,
                      size_t n)
{
    double value = score_of(q, id, positions, n);
    return isnan(value) ? q->fallback[id] : value;
}

static double overall_of(const double *positions, size_t n, const void *context)
{
    const struct inquiry *q = context;
    double sum = 0;
    for (int id = 0; id < SCORE_COUNT; id++) {
        if (q->weights[id] > 0) sum += q->weights[id] * part_of(q, id, positions, n);
    }
    return sum;
}

static double speed_statistic(const double *positions, size_t n, const void *context)
{
    return part_of(context, SCORE_SPEED, positions, n);
}

static double efficiency_statistic(const double *positions, size_t n, const void *context)
{
    return part_of(context, SCORE_EFFICIENCY, positions, n);
}

static double cost_statistic(const double *positions, size_t n, const void *context)
{
    return part_of(context, SCORE_COST, positions, n);
}

static double *all_positions(size_t n, struct arena *out)
{
    double *positions = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) positions[i] = (double)i;
    return positions;
}

static struct bootstrap_plan resampling(const struct inquiry *q, const double *values, size_t n)
{
    return (struct bootstrap_plan){
        .samples = {{.values = values, .n = n}},
        .confidence = q->confidence,
        .resamples = q->plan->resamples ? q->plan->resamples : SCORE_RESAMPLES,
        .seed = q->plan->seed,
    };
}

static void set_interval(struct score *s, const struct bootstrap_plan *plan, struct arena *out)
{
    struct bootstrap_interval interval;
    struct error err = {0};
    if (!bootstrap_interval(plan, *out, &interval, &err)) {
        s->reason = arena_printf(out, "no interval: %s", err.text);
        return;
    }
    s->low = fmax(interval.low, 0);
    s->high = fmin(interval.high, 1);
    s->method = "bootstrap";
}

static void set_statistic_interval(const struct inquiry *q, struct score *s,
                                   bootstrap_function *statistic, struct arena *out)
{
    struct bootstrap_plan plan = resampling(q, all_positions(q->n, out), q->n);
    plan.statistic = BOOTSTRAP_CUSTOM;
    plan.custom = statistic;
    plan.custom_context = q;
    set_interval(s, &plan, out);
}

/* Of a mean over cases. Where each is 0 or 1 the bootstrap of n right answers
 * would say [1, 1]; Wilson's interval does not. */
static void set_mean_interval(const struct inquiry *q, struct score *s, const double *values,
                              size_t n, struct arena *out)
{
    int64_t hits = 0;
    bool is_binary = true;
    for (size_t i = 0; i < n; i++) {
        hits += values[i] == 1;
        is_binary = is_binary && (values[i] == 0 || values[i] == 1);
    }
    if (!is_binary) {
        struct bootstrap_plan plan = resampling(q, values, n);
        set_interval(s, &plan, out);
        return;
    }
    struct proportion p = proportion_wilson(hits, (int64_t)n, q->confidence);
    s->low = p.low;
    s->high = p.high;
    s->method = "wilson";
}

static double *known_values(const struct inquiry *q, size_t offset, size_t *known,
                            struct arena *out)
{
    double *values = arena_new(out, double, q->n);
    *known = 0;
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&values[*known], (const char *)&q->cases[i] + offset, sizeof *values);
        *known += !isnan(values[*known]);
    }
    return values;
}

static void compute_accuracy(const struct inquiry *q, struct score *s, struct arena *out)
{
    size_t n;
    double *values = known_values(q, offsetof(struct score_case, accuracy), &n, out);
    s->n = n;
    if (n == 0) {
        s->reason = "no case has an answer that could be judged";
        return;
    }
    s->value = q->fallback[SCORE_ACCURACY];
    set_mean_interval(q, s, values, n, out);
}

static void compute_speed(const struct inquiry *q, struct score *s, struct arena *out)
{
    const struct column *c = &q->columns[COLUMN_DURATION];
    s->n = c->known;
    if (!has_target(c->target)) {
        s->reason = "the benchmark has no target for duration_s";
        return;
    }
    if (c->known == 0) {
        s->reason = "no trial went well";
        return;
    }
    s->value = q->fallback[SCORE_SPEED];
    set_statistic_interval(q, s, speed_statistic, out);
}

static void compute_efficiency(const struct inquiry *q, struct score *s, struct arena *out)
{
    s->n = q->n;
    size_t targets = 0;
    for (int i = COLUMN_TOKENS; i < COLUMN_COUNT; i++) {
        const struct column *c = &q->columns[i];
        if (!has_target(c->target)) continue;
        targets++;
        if (c->known < s->n) s->n = c->known;
        if (c->known == 0) {
            s->reason =
                arena_printf(out, "%s has a target, but the agent does not tell it", c->name);
            return;
        }
    }
    if (targets == 0) {
        s->reason = "the benchmark has no target for tokens, cpu_s or memory_mb";
        return;
    }
    s->value = q->fallback[SCORE_EFFICIENCY];
    set_statistic_interval(q, s, efficiency_statistic, out);
}

static void compute_cost(const struct inquiry *q, struct score *s, struct arena *out)
{
    known_values(q, offsetof(struct score_case, cost_usd), &s->n, out);
    if (s->n == 0) {
        s->reason = "the agent does not tell its cost and has no prices";
        return;
    }
    s->value = q->fallback[SCORE_COST];
    if (isnan(s->value)) {
        s->reason = "the benchmark has no target for cost_usd";
        return;
    }
    set_statistic_interval(q, s, cost_statistic, out);
}

static void compute_reliability(const struct inquiry *q, struct score *s)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    for (size_t i = 0; i < q->n; i++) {
        ok += q->cases[i].ok;
        attempted += q->cases[i].attempted;
    }
    s->n = (size_t)attempted;
    if (attempted == 0) {
        s->reason = "nothing was attempted";
        return;
    }
    struct proportion p = proportion_wilson(ok, attempted, q->confidence);
    s->value = p.estimate;
    s->low = p.low;
    s->high = p.high;
    s->method = "wilson";
}

static bool are_all_zero(const double *weights)
{
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (weights[i] != 0) return false;
    }
    return true;
}

static void compute_overall(struct inquiry *q, struct scores *scores, struct arena *out)
{
    const double *asked =
        are_all_zero(q->plan->weights) ? score_weights_default : q->plan->weights;
    double sum = 0;
    struct buf missing;
    char text[96];
    buf_over(&missing, text, sizeof text);
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (asked[i] <= 0) continue;
        if (isnan(scores->by[i].value)) {
            scores->is_partial = true;
            buf_printf(&missing, "%s%s", missing.n ? ", " : "", score_name(i));
        } else {
            sum += asked[i];
        }
    }
    struct score *s = &scores->overall;
    s->n = q->n;
    if (sum == 0) {
        s->reason = "there is no score to weigh";
        return;
    }
    for (int i = 0; i < SCORE_COUNT; i++) {
        bool counts = asked[i] > 0 && !isnan(scores->by[i].value);
        scores->weights[i] = counts ? asked[i] / sum : 0;
    }
    q->weights = scores->weights;
    s->value = overall_of(all_positions(q->n, out), q->n, q);
    set_statistic_interval(q, s, overall_of, out);
    if (!scores->is_partial) return;
    s->reason = arena_printf(out, "partial: without %s%s%s", text, s->reason ? "; " : "",
                             s->reason ? s->reason : "");
}

static struct inquiry inquire(const struct score_case *cases, size_t n,
                              const struct score_plan *plan)
{
    return (struct inquiry){
        .cases = cases,
        .n = n,
        .plan = plan,
        .confidence = plan->confidence > 0 ? plan->confidence : 0.95,
    };
}

void scores_compute(const struct score_case *cases, size_t n, const struct score_plan *plan,
                    struct arena *out, struct scores *scores)
{
    static const struct score nothing = {.value = NAN, .low = NAN, .high = NAN};
    *scores = (struct scores){.overall = nothing};
    scores->overall.formula = "overall/1";
    for (int i = 0; i < SCORE_COUNT; i++) {
        scores->by[i] = nothing;
        scores->by[i].formula = score_formula(i);
    }
    struct inquiry q = inquire(cases, n, plan);
    q.counts = arena_new(out, uint32_t, n);
    const struct score_targets *t = &plan->targets;
    q.columns[COLUMN_DURATION] = make_column(
        &q, "duration_s", offsetof(struct score_case, duration_s), t->duration_s, out);
    q.columns[COLUMN_TOKENS] =
        make_column(&q, "tokens", offsetof(struct score_case, tokens), t->tokens, out);
    q.columns[COLUMN_CPU] =
        make_column(&q, "cpu_s", offsetof(struct score_case, cpu_s), t->cpu_s, out);
    q.columns[COLUMN_MEMORY] =
        make_column(&q, "memory_mb", offsetof(struct score_case, memory_mb), t->memory_mb, out);
    const double *positions = all_positions(n, out);
    for (int i = 0; i < SCORE_COUNT; i++) q.fallback[i] = score_of(&q, i, positions, n);

    compute_accuracy(&q, &scores->by[SCORE_ACCURACY], out);
    compute_speed(&q, &scores->by[SCORE_SPEED], out);
    compute_efficiency(&q, &scores->by[SCORE_EFFICIENCY], out);
    compute_cost(&q, &scores->by[SCORE_COST], out);
    compute_reliability(&q, &scores->by[SCORE_RELIABILITY]);
    compute_overall(&q, scores, out);
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
        size_t offset = offsetof(struct score_case, dimensions) + d * sizeof(double);
        scores->dimensions[d] = mean_of(&q, offset, positions, n);
    }
}

static void set_pass(const struct inquiry *q, const double *values, struct score_pass *pass,
                     double *value, double *low, double *high, struct arena *out)
{
    struct score s = {.low = NAN, .high = NAN};
    double sum = 0;
    for (size_t i = 0; i < pass->cases; i++) sum += values[i];
    *value = sum / (double)pass->cases;
    set_mean_interval(q, &s, values, pass->cases, out);
    *low = s.low;
    *high = s.high;
    pass->reason = s.reason;
}

void score_pass_k(const struct score_case *cases, size_t n, int64_t k,
                  const struct score_plan *plan, struct arena *out, struct score_pass *pass)
{
    *pass = (struct score_pass){k, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, NULL};
    struct inquiry q = inquire(cases, n, plan);
    double *at_k = arena_new(out, double, n);
    double *all_k = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) {
        if (k < 1 || cases[i].judged < k) continue;
        at_k[pass->cases] = proportion_pass_at_k(cases[i].judged, cases[i].passed, k);
        all_k[pass->cases] = proportion_pass_all_k(cases[i].judged, cases[i].passed, k);
        pass->cases++;
    }
    pass->left_out = n - pass->cases;
    if (pass->cases == 0) {
        pass->reason = "no case has that many judged attempts";
        return;
    }
    set_pass(&q, at_k, pass, &pass->at_k, &pass->at_k_low, &pass->at_k_high, out);
    set_pass(&q, all_k, pass, &pass->all_k, &pass->all_k_low, &pass->all_k_high, out);
}
