/* Trials become units in three steps: what trials without a sample say is filled in (an answer
 * that failed is accuracy 0, one that was timed out is longer than all others, one that we
 * failed to judge is unknown between 0 and 1), trials are sorted by case, and the passes of a
 * case are reduced to one value. Units ascend by key, so that two sides are paired by one walk
 * through both; which trials are of which case is found once for all metrics of a cell.
 * `ends` go through the same steps as the values: whatever is asked of them is
 * asked the same way. */
#include "view/units.h"

#include "base/text_order.h"
#include "model/detail.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "stats/reduce.h"
#include "stats/share.h"
#include "stats/typical.h"

#include <math.h>
#include <stdlib.h>

enum { SEED = 42 };

struct how { /* passes become the value of a case */
    enum reducer reducer;
    bool of_share;
    struct arena *scratch;
};

/* ---- which trials are of which case ---- */

static bool is_definition(const struct view_metric *m, const char *definition)
{
    return m->definition && strcmp(m->definition, definition) == 0;
}

/* The case of each measured trial; NULL if any has none. */
static const char **cases_of(const struct view_cell *cell, size_t count, struct arena *out)
{
    if (cell->note_count < count) return NULL;
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

const struct units_order *units_order(const struct view_cell *cell, size_t count,
                                      struct arena *out)
{
    struct units_order *order = arena_new(out, struct units_order, 1);
    *order = (struct units_order){
        .notes = cell->notes, .note_count = cell->note_count, .trial_count = count};
    struct arena scratch = arena_open();
    const char **cases = cases_of(cell, count, &scratch);
    if (cases) {
        const size_t *sorted = text_order(cases, count, out);
        size_t *first = arena_new(out, size_t, count + 1);
        order->keys = arena_new(out, const char *, count + 1);
        for (size_t i = 0; i < count; i++) {
            const char *key = cases[sorted[i]];
            size_t n = order->count;
            if (n > 0 && strcmp(order->keys[n - 1], key) == 0) continue;
            first[n] = i;
            order->keys[order->count++] = key;
        }
        first[order->count] = count;
        order->trials = sorted;
        order->first = first;
    }
    arena_close(&scratch);
    return order;
}

/* The one that the cell has, if it is still of these notes and of so many trials. */
static const struct units_order *order_of(const struct view_cell *cell,
                                          const struct view_metric *metric, struct arena *out)
{
    const struct units_order *known = cell->order;
    bool is_known = known && known->notes == cell->notes &&
                    known->note_count == cell->note_count &&
                    known->trial_count == metric->count;
    return is_known ? known : units_order(cell, metric->count, out);
}

/* A metric with what trials that gave no sample say of it: as far as is known, at the
 * lowest, at the highest. */
struct filled {
    const double *values;
    double *ends[2]; /* NULL: all is known */
};

/* Where no trial was judged: is a failure a wrong answer, or was there nothing to judge by? */
static bool can_be_judged(const struct view_cell *cell, struct arena scratch)
{
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        bool has_failed = n->phase == PHASE_MEASURED && n->status != TRIAL_OK &&
                          n->status != TRIAL_HARNESS_ERROR;
        struct detail detail;
        if (!has_failed || !detail_read(n->detail, &scratch, &detail)) continue;
        if (!detail.has_judgement || detail.is_judged) return true;
    }
    return false;
}

/* How long the trial that was ended first had run; 0 where the metric is not a duration. */
static double shortest_cut(const struct view_cell *cell, const struct view_metric *m,
                           struct arena scratch)
{
    double shortest = 0;
    if (!m->definition || strcmp(m->definition, metric_duration.definition) != 0) return 0;
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        struct detail detail;
        bool is_cut = n->phase == PHASE_MEASURED && n->status == TRIAL_TIMED_OUT &&
                      detail_read(n->detail, &scratch, &detail) && detail.duration_s > 0;
        if (is_cut && !(shortest > 0 && shortest < detail.duration_s))
            shortest = detail.duration_s;
    }
    return shortest;
}

/* ---- blocks that the load generator spoiled ---- */

static const struct view_metric *find_generator(const struct view_cell *cell)
{
    const struct view_metric *m = view_find_metric(cell, "generator");
    bool is_it = m && m->definition && strcmp(m->definition, "load_generator/1") == 0;
    return is_it && m->count == cell->trial_count ? m : NULL;
}

size_t units_spoiled(const struct view_cell *cell)
{
    const struct view_metric *generator = find_generator(cell);
    size_t spoiled = 0;
    for (size_t i = 0; generator && i < generator->count; i++)
        spoiled += generator->samples[i] > 0;
    return spoiled;
}

/* Its times and rates are the generator's; what failed was the server's. */
static bool can_be_spoiled(const struct view_metric *m)
{
    bool is_of_load = m->definition && strncmp(m->definition, "load_", 5) == 0;
    return is_of_load && (strcmp(m->unit, "s") == 0 || strcmp(m->unit, "1/s") == 0);
}

bool units_is_spoiled(const struct view_cell *cell, const struct view_metric *m, size_t trial)
{
    const struct view_metric *generator = can_be_spoiled(m) ? find_generator(cell) : NULL;
    return generator && trial < generator->count && generator->samples[trial] > 0;
}

/* ---- successes that do not say what they used ---- */

/* An agent that says it of one trial can say it of each. Tokens that were cached or wasted are
 * there where some were, a judge's cost where one was asked. */
static bool is_owed(const struct view_metric *m)
{
    static const struct {
        const char *name, *definition;
    } owed[] = {{"cost_usd", "cost/1"},
                {"tokens", "tokens/1"},
                {"input_tokens", "tokens/1"},
                {"output_tokens", "tokens/1"},
                {"api_calls", "calls/1"}};
    for (size_t i = 0; i < COUNT(owed); i++) {
        if (m->name && strcmp(m->name, owed[i].name) == 0 &&
            is_definition(m, owed[i].definition))
            return true;
    }
    return false;
}

bool units_is_silent(const struct view_cell *cell, const struct view_metric *m, size_t trial)
{
    bool is_there = m->count == cell->trial_count && trial < m->count;
    return is_there && is_owed(m) && cell->statuses[trial] == TRIAL_OK &&
           isnan(m->samples[trial]);
}

/* What the trials gave, but for those that we spoiled: nothing that they used or took is the
 * agent's (score/score_cases.c leaves them out as well). */
static double *without_spoiled(const struct view_cell *cell, const struct view_metric *m,
                               struct arena *out)
{
    double *values = arena_new(out, double, m->count + 1);
    bool has_trials = m->count == cell->trial_count;
    const struct view_metric *generator =
        has_trials && can_be_spoiled(m) ? find_generator(cell) : NULL;
    for (size_t i = 0; i < m->count; i++) {
        bool is_ours = has_trials && cell->statuses[i] == TRIAL_HARNESS_ERROR;
        bool is_spoiled = generator && generator->samples[i] > 0;
        values[i] = is_ours || is_spoiled ? (double)NAN : m->samples[i];
    }
    return values;
}

static struct filled fill(const struct view_cell *cell, const struct view_metric *m,
                          struct arena *out)
{
    double *values = without_spoiled(cell, m, out);
    struct filled f = {.values = values};
    const char *definition = m->definition ? m->definition : "";
    bool is_accuracy = strcmp(definition, "rubric_score/1") == 0;
    bool is_duration = strcmp(definition, metric_duration.definition) == 0;
    bool is_outcome = is_accuracy || strcmp(definition, "rate/1") == 0;
    if (m->count != cell->trial_count || (!is_outcome && !is_duration)) return f;
    if (is_duration && m->n == 0) return f;
    if (is_accuracy && m->n == 0 && !can_be_judged(cell, *out)) return f;
    double *ends[2];
    for (int k = 0; k < 2; k++) ends[k] = arena_new(out, double, m->count + 1);
    size_t unknown = 0;
    for (size_t i = 0; i < m->count; i++) {
        uint8_t status = cell->statuses[i];
        double v = values[i];
        bool is_ours = is_outcome && status == TRIAL_HARNESS_ERROR;
        bool has_failed = status != TRIAL_OK && status != TRIAL_HARNESS_ERROR;
        if (isnan(v) && is_accuracy && has_failed) v = 0;
        if (isnan(v) && is_duration && status == TRIAL_TIMED_OUT) v = (double)INFINITY;
        values[i] = v;
        ends[0][i] = is_ours ? 0 : v;
        ends[1][i] = is_ours ? 1 : v;
        unknown += is_ours;
    }
    for (int k = 0; k < 2 && unknown > 0; k++) f.ends[k] = ends[k];
    return f;
}

static struct units take_trials(const struct filled *f, size_t count, struct arena *out)
{
    struct units u = {.values = arena_new(out, double, count + 1),
                      .count = count,
                      .ends = {f->ends[0], f->ends[1]}};
    if (count) memcpy(u.values, f->values, count * sizeof *u.values);
    return u;
}

static void reduce_cases(const double *from, const struct units_order *order,
                         const struct how *how, double *to)
{
    struct arena scratch = *how->scratch;
    double *passes = arena_new(&scratch, double, order->trial_count + 1);
    for (size_t i = 0; i < order->count; i++) {
        size_t count = order->first[i + 1] - order->first[i];
        const size_t *trials = order->trials + order->first[i];
        for (size_t k = 0; k < count; k++) passes[k] = from[trials[k]];
        to[i] = reduce_passes(how->reducer, how->of_share, passes, count);
    }
}

static struct units take_cases(const struct filled *f, const struct units_order *order,
                               const struct how *how, struct arena *out)
{
    struct units u = {.values = arena_new(out, double, order->count + 1),
                      .keys = order->keys,
                      .count = order->count};
    reduce_cases(f->values, order, how, u.values);
    for (int k = 0; k < 2 && f->ends[0]; k++) {
        double *ends = arena_new(out, double, order->count + 1);
        reduce_cases(f->ends[k], order, how, ends);
        u.ends[k] = ends;
    }
    return u;
}

static size_t count_unknown(const struct units *u)
{
    size_t unknown = 0;
    for (size_t i = 0; u->ends[0] && i < u->count; i++)
        unknown += u->ends[0][i] < u->ends[1][i];
    return unknown;
}

/* Units with a silent trial. */
static bool *find_silent(const struct view_cell *cell, const struct view_metric *m,
                         const struct units_order *order, size_t count, struct arena *out)
{
    if (!is_owed(m)) return NULL;
    bool *is_silent = arena_new(out, bool, count + 1);
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        size_t end = order ? order->first[i + 1] : i + 1;
        for (size_t k = order ? order->first[i] : i; k < end; k++)
            is_silent[i] |= units_is_silent(cell, m, order ? order->trials[k] : k);
        has_any |= is_silent[i];
    }
    return has_any ? is_silent : NULL;
}

static bool has_grades(const struct filled *f, size_t count)
{
    bool has = false;
    for (size_t i = 0; i < count; i++) has |= f->values[i] > 0 && f->values[i] < 1;
    return has;
}

struct units units_of(const struct view_cell *cell, const struct view_metric *metric,
                      struct arena *out)
{
    struct filled f = fill(cell, metric, out);
    const struct value *said = value_get(cell->record.parameters, "reducer");
    bool is_said = said && said->kind == VALUE_TEXT;
    /* A rate is how often, whatever the benchmark says of answers. */
    bool is_rate = metric->definition && strcmp(metric->definition, "rate/1") == 0;
    struct arena scratch = arena_open();
    bool is_sum = metric->kind == KIND_SUM; /* money adds up */
    const struct how how = {.reducer = is_said && !is_rate && !is_sum
                                           ? reducer_find(str_cstr(out, said->source))
                                           : REDUCER_MEAN,
                            .of_share = metric->kind == KIND_SHARE || is_sum,
                            .scratch = &scratch};
    const struct units_order *order = metric->is_of_trials ? NULL : order_of(cell, metric, out);
    if (order && !order->keys) order = NULL;
    struct units u =
        order ? take_cases(&f, order, &how, out) : take_trials(&f, metric->count, out);
    u.unknown = count_unknown(&u);
    u.is_silent = find_silent(cell, metric, order, u.count, out);
    u.of = view_metric_of(metric);
    u.is_graded = metric->kind == KIND_SHARE && has_grades(&f, metric->count);
    u.cut_at = shortest_cut(cell, metric, *out);
    arena_close(&scratch);
    return u;
}

bool units_are_empty(const struct view_cell *cell, const struct view_metric *metric,
                     struct arena scratch)
{
    if (metric->n > 0) return false;
    struct units u = units_of(cell, metric, &scratch);
    for (size_t i = 0; i < u.count; i++) {
        if (!isnan(u.values[i])) return false;
    }
    return true;
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

bool units_is_rate(const struct view_cell *cell, const char *name)
{
    bool is_one = strcmp(name, UNITS_SUCCESSES) == 0 || strcmp(name, UNITS_FAILURES) == 0;
    return is_one && !view_find_metric(cell, name);
}

const struct view_metric *units_find_metric(const struct view_cell *cell, const char *name,
                                            struct arena *out)
{
    if (!units_is_rate(cell, name)) return view_find_metric(cell, name);
    struct view_metric *m = arena_new(out, struct view_metric, 1);
    *m = rate_of(cell, strcmp(name, UNITS_SUCCESSES) == 0, out);
    struct units u = units_of(cell, m, out);
    m->centre = units_level(&u, m->kind, 0.05, *out).centre;
    return m;
}

/* ---- their level ---- */

static size_t known_of(const double *from, size_t count, double *to)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(from[i])) to[n++] = from[i];
    }
    return n;
}

struct units_level units_level(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch)
{
    struct units_level level = {.centre = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .confidence = 1 - alpha,
                                .unknown = u->unknown,
                                .asked = u->count};
    double *values = arena_new(&scratch, double, u->count + 1);
    level.n = known_of(u->values, u->count, values);
    if (level.n == 0) return level;
    if (kind == KIND_SHARE) {
        struct share_interval s = share_mean(values, level.n, alpha);
        level.centre =
            moments_of(values, level.n).mean; /* 7 of 10 are 0.7, to the last digit */
        level.low = s.low;
        level.high = s.high;
        for (int k = 0; k < 2 && u->ends[0]; k++) {
            size_t n = known_of(u->ends[k], u->count, values);
            s = share_mean(values, n, alpha);
            if (k == 0) level.low = s.low;
            if (k == 1) level.high = s.high;
        }
        return level;
    }
    if (kind == KIND_SUM) {
        struct typical t = typical_mean(values, level.n, SEED, &scratch);
        level.centre = moments_of(values, level.n).mean;
        typical_interval(&t, alpha, &level.low, &level.high);
        return level;
    }
    stats_sort_inplace(values, level.n);
    level.centre = quantile_median(values, level.n);
    struct interval interval;
    if (interval_median(values, level.n, 1 - alpha, &interval)) {
        level.low = interval.low;
        level.high = interval.high;
    }
    return level;
}

struct units_level units_reach(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch)
{
    struct units_level level = units_level(u, kind, alpha, scratch);
    if (!isnan(level.low) || level.n == 0) return level;
    level.low = (double)INFINITY;
    level.high = -(double)INFINITY;
    for (size_t i = 0; i < u->count; i++) {
        level.low = fmin(level.low, u->values[i]);
        level.high = fmax(level.high, u->values[i]);
    }
    level.confidence = 1 - exp2(1 - (double)level.n); /* that the median is between them */
    return level;
}

/* Of a trial that timed out the duration is known: longer than all. Of one that we spoiled
 * nothing is, whatever its sample. */
static bool has_failed(const struct view_cell *cell, const struct view_metric *m, size_t i)
{
    uint8_t status = cell->statuses[i];
    bool is_late = status == TRIAL_TIMED_OUT && is_definition(m, metric_duration.definition);
    bool has_value = status != TRIAL_HARNESS_ERROR && !isnan(m->samples[i]);
    return status != TRIAL_OK && !has_value && !is_late;
}

static bool is_missing(const struct view_cell *cell, const struct view_metric *m, size_t i)
{
    return has_failed(cell, m, i) || units_is_silent(cell, m, i);
}

struct units_missing units_missing(const struct view_cell *cell, const struct view_metric *m)
{
    struct units_missing missing = {0};
    bool is_outcome = is_definition(m, "rubric_score/1") || is_definition(m, "rate/1");
    if (is_outcome || m->count != cell->trial_count) return missing;
    for (size_t i = 0; i < m->count; i++) {
        missing.failed += has_failed(cell, m, i);
        missing.silent += units_is_silent(cell, m, i);
    }
    return missing;
}

/* The least, or the most, that the metric can be. */
static double end_of(const struct view_metric *m, int end)
{
    bool is_positive = m->kind == KIND_SHARE || m->kind == KIND_RATIO || is_owed(m);
    if (end == 0) return is_positive ? 0 : -(double)INFINITY;
    return m->kind == KIND_SHARE ? 1 : (double)INFINITY;
}

/* As if each missing trial had given that. */
static struct units units_at(const struct view_cell *cell, const struct view_metric *m, int end,
                             struct arena *out)
{
    struct view_metric filled = *m;
    struct view_cell whole = *cell;
    struct units_missing missing = units_missing(cell, m);
    if (missing.failed + missing.silent == 0) return units_of(cell, m, out);
    double *samples = arena_new(out, double, m->count + 1);
    uint8_t *statuses = arena_new(out, uint8_t, m->count + 1);
    for (size_t i = 0; i < m->count; i++) {
        bool is_filled = is_missing(cell, m, i);
        samples[i] = is_filled ? end_of(m, end) : m->samples[i];
        statuses[i] = is_filled ? (uint8_t)TRIAL_OK : cell->statuses[i];
    }
    filled.samples = samples;
    whole.statuses = statuses;
    return units_of(&whole, &filled, out);
}

struct units_level units_bound(const struct view_cell *cell, const struct view_metric *m,
                               double alpha, struct arena scratch)
{
    struct units u = units_of(cell, m, &scratch);
    struct units_level level = units_reach(&u, m->kind, alpha, scratch);
    struct units_missing missing = units_missing(cell, m);
    level.missing = missing.failed + missing.silent;
    level.silent = missing.silent;
    level.ends[0] = level.ends[1] = level.centre;
    level.trials = cell->trial_count;
    for (int k = 0; k < 2 && level.missing > 0 && level.n > 0; k++) {
        u = units_at(cell, m, k, &scratch);
        struct units_level end = units_reach(&u, m->kind, alpha, scratch);
        level.confidence = end.confidence;
        if (m->kind == KIND_SUM && !isfinite(end_of(m, k)))
            end.centre = end.low = end.high = end_of(m, k); /* of a mean nothing is known */
        level.ends[k] = end.centre;
        if (k == 0) level.low = end.low;
        if (k == 1) level.high = end.high;
    }
    return level;
}

static struct share_stratum stratum_at(const struct view_cell *cell,
                                       const struct view_metric *m, int end, struct arena *out)
{
    struct units u = units_at(cell, m, end, out);
    double *values = arena_new(out, double, u.count + 1);
    size_t n = known_of(u.ends[0] ? u.ends[end] : u.values, u.count, values);
    return (struct share_stratum){.a = values, .a_count = n};
}

static void add_level(const struct units_level *l, struct units_level *to)
{
    to->centre += l->centre;
    for (int k = 0; k < 2; k++) to->ends[k] += l->ends[k];
    to->low += (l->ends[0] - l->low) * (l->ends[0] - l->low);
    to->high += (l->high - l->ends[1]) * (l->high - l->ends[1]);
    to->n += l->n;
    to->unknown += l->unknown;
    to->asked += l->asked;
    to->missing += l->missing;
    to->silent += l->silent;
    to->trials += l->trials;
}

struct units_level units_bound_mean(const struct view_cell *const *cells,
                                    const struct view_metric *const *metrics, size_t count,
                                    double alpha, struct arena scratch, size_t *used)
{
    struct units_level mean = {.confidence = 1 - alpha};
    struct share_stratum *strata[2];
    for (int k = 0; k < 2; k++) strata[k] = arena_new(&scratch, struct share_stratum, count);
    *used = 0;
    for (size_t i = 0; i < count; i++) {
        struct metric is = view_metric_of(metrics[i]);
        struct metric first = view_metric_of(metrics[0]);
        struct units_level l = units_bound(cells[i], metrics[i], alpha, scratch);
        bool is_sure = l.n > 0 && isfinite(l.centre) && l.confidence > 1 - alpha - 1e-9;
        if (!is_sure || is.kind != first.kind || !metric_is_comparable(&is, &first)) continue;
        for (int k = 0; k < 2 && is.kind == KIND_SHARE; k++)
            strata[k][*used] = stratum_at(cells[i], metrics[i], k, &scratch);
        add_level(&l, &mean);
        ++*used;
    }
    if (*used < 2) return (struct units_level){.centre = NAN, .low = NAN, .high = NAN};
    double n = (double)*used;
    mean.centre /= n;
    /* What is missing is not chance: it does not become less by the number of cells. */
    mean.low = (mean.ends[0] - sqrt(mean.low)) / n;
    mean.high = (mean.ends[1] + sqrt(mean.high)) / n;
    for (int k = 0; k < 2; k++) mean.ends[k] /= n;
    if (isnan(mean.low)) mean.low = -(double)INFINITY;
    if (isnan(mean.high)) mean.high = (double)INFINITY;
    if (metrics[0]->kind != KIND_SHARE) return mean;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < *used; i++) strata[k][i].weight = 1 / n;
        struct share_interval s = share_mean_of(strata[k], *used, alpha);
        if (k == 0) mean.low = s.low;
        if (k == 1) mean.high = s.high;
    }
    return mean;
}

enum metric_unlike units_unlike(const struct units *a, const struct units *b)
{
    bool are_known = a->of.unit && b->of.unit && a->of.definition && b->of.definition;
    return are_known ? metric_unlike(&a->of, &b->of) : METRIC_ALIKE;
}

/* Room for as many as both can have in common. */
static void make_room(const struct units *from, const char **keys, size_t most,
                      struct arena *out, struct units *to)
{
    *to = (struct units){
        .of = from->of, .keys = keys, .is_graded = from->is_graded, .cut_at = from->cut_at};
    to->values = arena_new(out, double, most + 1);
    for (int e = 0; e < 2 && from->ends[0]; e++) to->ends[e] = arena_new(out, double, most + 1);
    if (from->is_silent) to->is_silent = arena_new(out, bool, most + 1);
}

static void take_unit(const struct units *from, size_t at, struct units *to)
{
    size_t n = to->count++;
    to->values[n] = from->values[at];
    for (int e = 0; e < 2 && to->ends[0]; e++) to->ends[e][n] = from->ends[e][at];
    if (to->is_silent) to->is_silent[n] = from->is_silent[at];
}

bool units_pair(const struct units *a, const struct units *b, struct arena *out,
                struct units paired[2])
{
    size_t most = a->count < b->count ? a->count : b->count;
    const char **keys = a->keys ? arena_new(out, const char *, most + 1) : NULL;
    make_room(a, keys, most, out, &paired[0]);
    make_room(b, keys, most, out, &paired[1]);
    if (!a->keys != !b->keys || units_unlike(a, b) != METRIC_ALIKE) return false;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) { /* keys ascend on both sides */
        int order = a->keys ? strcmp(a->keys[i], b->keys[k]) : 0;
        if (order == 0) {
            if (keys) keys[paired[0].count] = a->keys[i];
            take_unit(a, i, &paired[0]);
            take_unit(b, k, &paired[1]);
        }
        i += order <= 0;
        k += order >= 0;
    }
    for (int s = 0; s < 2; s++) paired[s].unknown = count_unknown(&paired[s]);
    return true;
}
