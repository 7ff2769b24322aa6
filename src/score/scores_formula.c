/* The formulas, of any cases at all: the cases are given by position, so that a
 * resample is a list of positions. Medians of a resample are found by counting
 * over values sorted once, so that a resample costs O(cases). */
#include "score/scores_internal.h"

#include "stats/quantile.h"

#include <math.h>

bool score_has_target(double target)
{
    return target > 0; /* false for NaN */
}

double score_of_use(double used, double target)
{
    return score_has_target(target) ? 1 / (1 + used / target) : (double)NAN;
}

static struct score_column make_column(const struct score_inquiry *q, const char *name,
                                       size_t offset, double target, struct arena *out)
{
    struct score_column c = {.target = target, .name = name};
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
static double nth(const struct score_column *c, const uint32_t *counts, size_t at)
{
    size_t seen = 0;
    for (size_t i = 0; i < c->known; i++) {
        seen += counts[i];
        if (seen > at) return c->sorted[i];
    }
    return NAN;
}

/* Of the cases at these positions; NaN if none of them has a value. */
static double median_of(const struct score_inquiry *q, const struct score_column *c,
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

static double efficiency_of(const struct score_inquiry *q, const double *positions, size_t n)
{
    double product = 1;
    int parts = 0;
    for (int i = SCORE_COLUMN_TOKENS; i < SCORE_COLUMN_COUNT; i++) {
        const struct score_column *c = &q->columns[i];
        if (!score_has_target(c->target)) continue;
        product *= score_of_use(median_of(q, c, positions, n), c->target);
        parts++;
    }
    return parts ? pow(product, 1.0 / parts) : (double)NAN;
}

/* The mean of the field at `offset` over the cases that have it. */
double score_mean(const struct score_inquiry *q, size_t offset, const double *positions,
                  size_t n)
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

static double reliability_of(const struct score_inquiry *q, const double *positions, size_t n)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    for (size_t i = 0; i < n; i++) {
        ok += q->cases[(size_t)positions[i]].ok;
        attempted += q->cases[(size_t)positions[i]].attempted;
    }
    return attempted ? (double)ok / (double)attempted : (double)NAN;
}

static double score_of(const struct score_inquiry *q, enum score_id id, const double *positions,
                       size_t n)
{
    switch (id) {
    case SCORE_ACCURACY:
        return score_mean(q, offsetof(struct score_case, accuracy), positions, n);
    case SCORE_SPEED:
        return score_of_use(median_of(q, &q->columns[SCORE_COLUMN_DURATION], positions, n),
                            q->columns[SCORE_COLUMN_DURATION].target);
    case SCORE_EFFICIENCY: return efficiency_of(q, positions, n);
    case SCORE_COST:
        return cost_score(score_mean(q, offsetof(struct score_case, cost_usd), positions, n),
                          q->plan->targets.cost_usd);
    case SCORE_RELIABILITY: return reliability_of(q, positions, n);
    case SCORE_COUNT: break;
    }
    return NAN;
}

/* A resample may hold no case that has a value (a metric known for few): the
 * score of the data stands in, since the statistic must be finite. */
static double part_of(const struct score_inquiry *q, enum score_id id, const double *positions,
                      size_t n)
{
    double value = score_of(q, id, positions, n);
    return isnan(value) ? q->whole[id] : value;
}

double score_part_statistic(const double *positions, size_t n, const void *context)
{
    const struct score_part *part = context;
    return part_of(part->inquiry, part->id, positions, n);
}

double score_overall_statistic(const double *positions, size_t n, const void *context)
{
    const struct score_inquiry *q = context;
    double sum = 0;
    for (int id = 0; id < SCORE_COUNT; id++) {
        if (q->weights[id] > 0) sum += q->weights[id] * part_of(q, id, positions, n);
    }
    return sum;
}

double *score_positions(size_t n, struct arena *out)
{
    double *positions = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) positions[i] = (double)i;
    return positions;
}

void score_prepare(struct score_inquiry *q, struct arena *out)
{
    q->counts = arena_new(out, uint32_t, q->n);
    const struct score_targets *t = &q->plan->targets;
    q->columns[SCORE_COLUMN_DURATION] = make_column(
        q, "duration_s", offsetof(struct score_case, duration_s), t->duration_s, out);
    q->columns[SCORE_COLUMN_TOKENS] =
        make_column(q, "tokens", offsetof(struct score_case, tokens), t->tokens, out);
    q->columns[SCORE_COLUMN_CPU] =
        make_column(q, "cpu_s", offsetof(struct score_case, cpu_s), t->cpu_s, out);
    q->columns[SCORE_COLUMN_MEMORY] =
        make_column(q, "memory_mb", offsetof(struct score_case, memory_mb), t->memory_mb, out);
    const double *positions = score_positions(q->n, out);
    for (int i = 0; i < SCORE_COUNT; i++) q->whole[i] = score_of(q, i, positions, q->n);
}
