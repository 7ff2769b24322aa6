#include "view/units.h"

#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "stats/reduce.h"
#include "stats/share.h"
#include "stats/typical.h"

#include <math.h>
#include <stdlib.h>

enum { SEED = 42 };

struct keyed {
    const char *key;
    double value;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct keyed *)a)->key, ((const struct keyed *)b)->key);
}

/* The case of each measured trial; NULL if any has none. */
static const char **cases_of(const struct view_cell *cell, size_t count, struct arena *out)
{
    const char **cases = arena_new(out, const char *, count + 1);
    size_t known = 0;
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        bool fits = n->phase == PHASE_MEASURED && n->case_hash && n->trial >= 0 &&
                    (size_t)n->trial < count && !cases[n->trial];
        if (!fits) continue;
        cases[n->trial] = n->case_hash;
        known++;
    }
    return known == count && count > 0 ? cases : NULL;
}

static double reduce(const struct keyed *items, size_t count, enum reducer reducer,
                     bool of_share, struct arena scratch)
{
    double *values = arena_new(&scratch, double, count);
    for (size_t i = 0; i < count; i++) values[i] = items[i].value;
    return reduce_passes(reducer, of_share, values, count);
}

/* The samples with what a trial that gave none says of this metric. */
static struct view_metric completed(const struct view_cell *cell, const struct view_metric *m,
                                    struct arena *out)
{
    struct view_metric filled = *m;
    bool is_accuracy = m->definition && strcmp(m->definition, "rubric_score/1") == 0;
    bool is_duration = m->definition && strcmp(m->definition, metric_duration.definition) == 0;
    if (m->n == 0 || m->count != cell->trial_count || (!is_accuracy && !is_duration))
        return filled;
    double *samples = arena_new(out, double, m->count + 1);
    for (size_t i = 0; i < m->count; i++) {
        uint8_t status = cell->statuses[i];
        samples[i] = m->samples[i];
        if (!isnan(samples[i]) || status == TRIAL_OK || status == TRIAL_HARNESS_ERROR) continue;
        if (is_accuracy) samples[i] = 0;
        if (is_duration && status == TRIAL_TIMED_OUT) samples[i] = (double)INFINITY;
    }
    filled.samples = samples;
    return filled;
}

struct units units_of(const struct view_cell *cell, const struct view_metric *metric,
                      struct arena *out)
{
    struct view_metric filled = completed(cell, metric, out);
    metric = &filled;
    const struct value *said = value_get(cell->record.parameters, "reducer");
    bool is_said = said && said->kind == VALUE_TEXT;
    /* A rate is how often, whatever the benchmark says of answers. */
    bool is_rate = metric->definition && strcmp(metric->definition, "rate/1") == 0;
    enum reducer reducer =
        is_said && !is_rate ? reducer_find(str_cstr(out, said->source)) : REDUCER_MEAN;
    if (metric->kind == KIND_SUM) reducer = REDUCER_MEAN; /* money adds up */
    bool of_share = metric->kind == KIND_SHARE || metric->kind == KIND_SUM;
    struct units u = {.values = arena_new(out, double, metric->count + 1)};
    const char **cases = metric->is_of_trials ? NULL : cases_of(cell, metric->count, out);
    if (!cases) {
        u.count = metric->count;
        if (u.count) memcpy(u.values, metric->samples, u.count * sizeof *u.values);
        return u;
    }
    struct keyed *items = arena_new(out, struct keyed, metric->count);
    u.keys = arena_new(out, const char *, metric->count);
    for (size_t i = 0; i < metric->count; i++) {
        items[i] = (struct keyed){cases[i], metric->samples[i]};
    }
    qsort(items, metric->count, sizeof *items, by_key);
    for (size_t i = 0; i < metric->count;) {
        size_t end = i + 1;
        while (end < metric->count && strcmp(items[end].key, items[i].key) == 0) end++;
        u.keys[u.count] = items[i].key;
        u.values[u.count++] = reduce(items + i, end - i, reducer, of_share, *out);
        i = end;
    }
    return u;
}

/* ---- metrics that every cell has ---- */

static struct view_metric rate_of(const struct view_cell *cell, bool of_success,
                                  struct arena *out)
{
    double *samples = arena_new(out, double, cell->trial_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < cell->trial_count; i++) {
        bool is_ours = cell->statuses[i] == TRIAL_HARNESS_ERROR;
        bool is_ok = cell->statuses[i] == TRIAL_OK;
        samples[i] = is_ours ? (double)NAN : (double)(is_ok == of_success);
        n += !is_ours;
    }
    return (struct view_metric){.name = of_success ? UNITS_SUCCESSES : UNITS_FAILURES,
                                .unit = "1",
                                .definition = "rate/1",
                                .direction = of_success ? DIRECTION_HIGHER : DIRECTION_LOWER,
                                .kind = KIND_SHARE,
                                .samples = samples,
                                .count = cell->trial_count,
                                .n = n};
}

struct view_metric units_failures(const struct view_cell *cell, struct arena *out)
{
    return rate_of(cell, false, out);
}

struct view_metric units_successes(const struct view_cell *cell, struct arena *out)
{
    return rate_of(cell, true, out);
}

/* ---- their level ---- */

struct units_level units_level(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch)
{
    struct units_level level = {(double)NAN, (double)NAN, (double)NAN, 0};
    double *values = arena_new(&scratch, double, u->count + 1);
    for (size_t i = 0; i < u->count; i++) {
        if (!isnan(u->values[i])) values[level.n++] = u->values[i];
    }
    if (level.n == 0) return level;
    if (kind == KIND_SHARE) {
        struct share_interval s = share_mean(values, level.n, alpha);
        return (struct units_level){s.estimate, s.low, s.high, level.n};
    }
    if (kind == KIND_SUM) {
        double *ones = arena_new(&scratch, double, level.n);
        for (size_t i = 0; i < level.n; i++) ones[i] = 1;
        struct typical t = typical_pairs(ones, values, level.n, SEED, &scratch);
        level.centre = moments_of(values, level.n).mean;
        typical_interval(&t, alpha, &level.low, &level.high);
        return level;
    }
    stats_sort_inplace(values, level.n);
    level.centre = quantile_median(values, level.n);
    struct interval interval;
    if (interval_median(values, level.n, 1 - alpha, &interval, NULL)) {
        level.low = interval.low;
        level.high = interval.high;
    }
    return level;
}

bool units_pair(const struct units *a, const struct units *b, struct arena *out,
                struct units paired[2])
{
    if (!a->keys != !b->keys) return false;
    size_t most = a->count < b->count ? a->count : b->count;
    for (int i = 0; i < 2; i++) {
        paired[i] = (struct units){.values = arena_new(out, double, most + 1)};
    }
    size_t i = 0;
    size_t k = 0;
    size_t n = 0;
    while (i < a->count && k < b->count) { /* keys ascend on both sides */
        int order = a->keys ? strcmp(a->keys[i], b->keys[k]) : 0;
        if (order == 0) {
            paired[0].values[n] = a->values[i];
            paired[1].values[n++] = b->values[k];
        }
        i += order <= 0;
        k += order >= 0;
    }
    paired[0].count = paired[1].count = n;
    return true;
}
