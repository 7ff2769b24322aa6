/* The formulas, of any cases at all: a resample is how often each case was
 * drawn. Medians are found by walking over values sorted once, so that a
 * resample costs O(cases), some 3 ns each. */
#include "score/scores_internal.h"

#include <math.h>
#include <stdlib.h>

bool score_has_target(double target)
{
    return target > 0; /* false for NaN */
}

double score_of_use(double used, double target)
{
    return score_has_target(target) ? 1 / (1 + used / target) : (double)NAN;
}

static double field_of(const struct score_case *c, size_t offset)
{
    double value;
    memcpy(&value, (const char *)c + offset, sizeof value);
    return value;
}

struct entry {
    double value;
    uint32_t at;
};

static int by_value(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* The mean adds values in their order, so that it is the same whatever the order of cases.
 * Where a median has no target nobody asks for it, and the values stay as they are. */
static struct score_column make_column(const struct score_inquiry *q, struct score_column c,
                                       size_t offset, bool is_mean, struct arena *out)
{
    c.sorted = arena_new(out, double, q->n);
    c.order = arena_new(out, uint32_t, q->n);
    struct arena scratch = *out;
    struct entry *entries = arena_new(&scratch, struct entry, q->n);
    for (size_t i = 0; i < q->n; i++) {
        entries[c.known] = (struct entry){field_of(&q->cases[i], offset), (uint32_t)i};
        c.known += !isnan(entries[c.known].value);
    }
    bool is_ordered = is_mean || score_has_target(c.target);
    if (c.known && is_ordered) qsort(entries, c.known, sizeof *entries, by_value);
    for (size_t i = 0; i < c.known; i++) {
        c.sorted[i] = entries[i].value;
        c.order[i] = entries[i].at;
    }
    return c;
}

/* NaN if none of the cases that were drawn has a value. */
static double median_of(const struct score_column *c, const uint32_t *counts)
{
    uint64_t total = 0;
    for (size_t i = 0; i < c->known; i++) total += counts[c->order[i]];
    if (total == 0) return NAN;
    uint64_t seen = 0;
    size_t i = 0;
    while ((seen += counts[c->order[i]]) <= (total - 1) / 2) i++;
    double lower = c->sorted[i];
    while (seen <= total / 2) seen += counts[c->order[++i]];
    return (lower + c->sorted[i]) / 2;
}

/* Two sums at a time: one alone would wait for each addition to end. */
static double mean_of(const struct score_column *c, const uint32_t *counts)
{
    double sum[2] = {0};
    uint64_t total = 0;
    size_t i = 0;
    for (; i + 1 < c->known; i += 2) {
        uint32_t first = counts[c->order[i]];
        uint32_t second = counts[c->order[i + 1]];
        sum[0] += first * c->sorted[i];
        sum[1] += second * c->sorted[i + 1];
        total += (uint64_t)first + second;
    }
    if (i < c->known) {
        sum[0] += counts[c->order[i]] * c->sorted[i];
        total += counts[c->order[i]];
    }
    return total ? (sum[0] + sum[1]) / (double)total : (double)NAN;
}

double score_mean(const struct score_inquiry *q, size_t offset)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < q->n; i++) {
        double value = field_of(&q->cases[i], offset);
        if (isnan(value)) continue;
        sum += value;
        known++;
    }
    return known ? sum / (double)known : (double)NAN;
}

static double efficiency_of(const struct score_inquiry *q, const uint32_t *counts)
{
    double product = 1;
    int parts = 0;
    for (int i = SCORE_COLUMN_TOKENS; i <= SCORE_COLUMN_MEMORY; i++) {
        const struct score_column *c = &q->columns[i];
        if (!score_has_target(c->target)) continue;
        product *= score_of_use(median_of(c, counts), c->target);
        parts++;
    }
    return parts ? pow(product, 1.0 / parts) : (double)NAN;
}

static double cost_score(double cost_usd, double target)
{
    return cost_usd == 0 ? 1 : score_of_use(cost_usd, target);
}

static double reliability_of(const struct score_inquiry *q, const uint32_t *counts)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    if (q->is_reliable) return 1;
    for (size_t i = 0; i < q->n; i++) {
        ok += counts[i] * q->ok[i];
        attempted += counts[i] * q->attempted[i];
    }
    return attempted ? (double)ok / (double)attempted : (double)NAN;
}

static double score_of(const struct score_inquiry *q, enum score_id id, const uint32_t *counts)
{
    const struct score_column *duration = &q->columns[SCORE_COLUMN_DURATION];
    const struct score_column *cost = &q->columns[SCORE_COLUMN_COST];
    switch (id) {
    case SCORE_ACCURACY: return mean_of(&q->columns[SCORE_COLUMN_ACCURACY], counts);
    case SCORE_SPEED: return score_of_use(median_of(duration, counts), duration->target);
    case SCORE_EFFICIENCY: return efficiency_of(q, counts);
    case SCORE_COST: return cost_score(mean_of(cost, counts), cost->target);
    case SCORE_RELIABILITY: return reliability_of(q, counts);
    case SCORE_COUNT: break;
    }
    return NAN;
}

double score_part(const struct score_inquiry *q, enum score_id id, const uint32_t *counts)
{
    double value = score_of(q, id, counts);
    return isnan(value) ? q->whole[id] : value;
}

static bool column_varies(const struct score_column *c)
{
    return c->known > 1 && c->sorted[0] != c->sorted[c->known - 1];
}

bool score_varies(const struct score_inquiry *q, enum score_id id)
{
    bool does_part = false;
    switch (id) {
    case SCORE_ACCURACY: return column_varies(&q->columns[SCORE_COLUMN_ACCURACY]);
    case SCORE_SPEED: return column_varies(&q->columns[SCORE_COLUMN_DURATION]);
    case SCORE_EFFICIENCY:
        for (int i = SCORE_COLUMN_TOKENS; i <= SCORE_COLUMN_MEMORY; i++) {
            const struct score_column *c = &q->columns[i];
            does_part |= score_has_target(c->target) && column_varies(c);
        }
        return does_part;
    case SCORE_COST: return column_varies(&q->columns[SCORE_COLUMN_COST]);
    case SCORE_RELIABILITY: return !q->is_reliable;
    case SCORE_COUNT: break;
    }
    return false;
}

double score_overall(const struct score_inquiry *q, const uint32_t *counts)
{
    double sum = 0;
    for (int id = 0; id < SCORE_COUNT; id++) {
        if (q->weights[id] > 0) sum += q->weights[id] * score_part(q, id, counts);
    }
    return sum;
}

double score_part_statistic(const uint32_t *counts, const void *context)
{
    const struct score_part *part = context;
    return score_part(part->inquiry, part->id, counts);
}

uint32_t *score_each_once(size_t n, struct arena *out)
{
    uint32_t *counts = arena_new(out, uint32_t, n);
    for (size_t i = 0; i < n; i++) counts[i] = 1;
    return counts;
}

void score_prepare(struct score_inquiry *q, struct arena *out)
{
    const struct score_targets *t = &q->plan->targets;
    const struct {
        const char *name;
        size_t offset;
        double target;
    } rows[SCORE_COLUMN_COUNT] = {
        [SCORE_COLUMN_DURATION] = {"duration_s", offsetof(struct score_case, duration_s),
                                   t->duration_s},
        [SCORE_COLUMN_TOKENS] = {"tokens", offsetof(struct score_case, tokens), t->tokens},
        [SCORE_COLUMN_CPU] = {"cpu_s", offsetof(struct score_case, cpu_s), t->cpu_s},
        [SCORE_COLUMN_MEMORY] = {"memory_mb", offsetof(struct score_case, memory_mb),
                                 t->memory_mb},
        [SCORE_COLUMN_ACCURACY] = {"accuracy", offsetof(struct score_case, accuracy), NAN},
        [SCORE_COLUMN_COST] = {"cost_usd", offsetof(struct score_case, cost_usd), t->cost_usd},
    };
    for (size_t i = 0; i < SCORE_COLUMN_COUNT; i++) {
        const struct score_column column = {.name = rows[i].name, .target = rows[i].target};
        bool is_mean = i == SCORE_COLUMN_ACCURACY || i == SCORE_COLUMN_COST;
        q->columns[i] = make_column(q, column, rows[i].offset, is_mean, out);
    }
    q->ok = arena_new(out, int64_t, q->n);
    q->attempted = arena_new(out, int64_t, q->n);
    q->is_reliable = q->n > 0;
    for (size_t i = 0; i < q->n; i++) {
        q->ok[i] = q->cases[i].ok;
        q->attempted[i] = q->cases[i].attempted;
        q->is_reliable &= q->ok[i] == q->attempted[i] && q->ok[i] > 0;
    }
    const uint32_t *counts = score_each_once(q->n, out);
    for (int i = 0; i < SCORE_COUNT; i++) q->whole[i] = score_of(q, i, counts);
}
