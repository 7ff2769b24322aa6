/* Statistics of a sample given as counts. Sorting once and walking the counts
 * makes the median and the trimmed mean of a resample cost O(n). */
#include "stats/bootstrap_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t bootstrap_sample_count(const struct bootstrap_plan *plan)
{
    return plan->contrast == BOOTSTRAP_ONE ? 1 : 2;
}

size_t bootstrap_resamples(const struct bootstrap_plan *plan)
{
    return plan->resamples ? plan->resamples : BOOTSTRAP_RESAMPLES;
}

size_t bootstrap_units(const struct bootstrap_plan *plan, size_t sample)
{
    const struct bootstrap_sample *s = &plan->samples[sample];
    return plan->grouping == BOOTSTRAP_CLUSTERS ? s->groups : s->n;
}

size_t bootstrap_unit(const struct bootstrap_plan *plan, size_t sample, size_t u, size_t *end)
{
    const struct bootstrap_sample *s = &plan->samples[sample];
    if (plan->grouping != BOOTSTRAP_CLUSTERS) {
        *end = u + 1;
        return u;
    }
    *end = s->ends[u];
    return u > 0 ? s->ends[u - 1] : 0;
}

static int by_value(const void *a, const void *b, void *values)
{
    const double *v = values;
    double x = v[*(const uint32_t *)a];
    double y = v[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

struct bootstrap_state bootstrap_state_new(const struct bootstrap_plan *plan, struct arena *out)
{
    struct bootstrap_state state = {.plan = plan};
    for (size_t k = 0; k < bootstrap_sample_count(plan); k++) {
        struct bootstrap_counted *c = &state.samples[k];
        c->sample = &plan->samples[k];
        size_t n = c->sample->n;
        bool shared = k > 0 && plan->is_paired;
        c->counts = shared ? state.samples[0].counts : arena_new(out, uint32_t, n);
        if (plan->statistic != BOOTSTRAP_CUSTOM && plan->statistic != BOOTSTRAP_MEAN) {
            c->order = arena_new(out, uint32_t, n);
            for (size_t i = 0; i < n; i++) c->order[i] = (uint32_t)i;
            double *values = arena_new(out, double, n);
            memcpy(values, c->sample->values, n * sizeof *values);
            qsort_r(c->order, n, sizeof *c->order, by_value, values);
        }
    }
    return state;
}

static double counted_mean(const struct bootstrap_counted *c)
{
    double sum = 0;
    double total = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        sum += c->counts[i] * c->sample->values[i];
        total += c->counts[i];
    }
    return sum / total;
}

static uint64_t counted_total(const struct bootstrap_counted *c)
{
    uint64_t total = 0;
    for (size_t i = 0; i < c->sample->n; i++) total += c->counts[i];
    return total;
}

/* Mean of the values at the ranks [first, last] of the drawn ones, from 0. */
static double counted_between(const struct bootstrap_counted *c, uint64_t first, uint64_t last)
{
    double sum = 0;
    uint64_t rank = 0; /* of the first copy of the value at hand */
    for (size_t i = 0; i < c->sample->n && rank <= last; i++) {
        uint64_t beyond = rank + c->counts[c->order[i]];
        uint64_t from = rank > first ? rank : first;
        uint64_t to = beyond < last + 1 ? beyond : last + 1;
        if (to > from) sum += (double)(to - from) * c->sample->values[c->order[i]];
        rank = beyond;
    }
    return sum / (double)(last + 1 - first);
}

static double counted_custom(const struct bootstrap_plan *plan,
                             const struct bootstrap_counted *c)
{
    struct bootstrap_draw draw = {c->sample->values, c->counts, c->sample->n};
    return plan->custom(&draw, plan->custom_context);
}

static double counted_value(const struct bootstrap_plan *plan,
                            const struct bootstrap_counted *c)
{
    uint64_t total;
    switch (plan->statistic) {
    case BOOTSTRAP_MEAN: return counted_mean(c);
    case BOOTSTRAP_MEDIAN:
        total = counted_total(c);
        return counted_between(c, (total - 1) / 2, total / 2);
    case BOOTSTRAP_TRIMMED_MEAN:
        total = counted_total(c);
        return counted_between(c, total / 4, total - 1 - total / 4);
    case BOOTSTRAP_CUSTOM: break;
    }
    return counted_custom(plan, c);
}

double bootstrap_state_value(const struct bootstrap_state *state)
{
    const struct bootstrap_plan *plan = state->plan;
    double first = counted_value(plan, &state->samples[0]);
    if (plan->contrast == BOOTSTRAP_ONE) return first;
    double second = counted_value(plan, &state->samples[1]);
    return plan->contrast == BOOTSTRAP_DIFFERENCE ? second - first : second / first;
}
