#include "view/units.h"

#include "stats/reduce.h"

#include <math.h>
#include <stdlib.h>

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

/* Judged or counted, from 0 to 1: what reduce_passes calls a share. */
static bool is_share(const struct view_metric *m)
{
    return m->is_rate || (m->definition && (strcmp(m->definition, "rubric_score/1") == 0 ||
                                            strcmp(m->definition, "rubric_dimension/1") == 0));
}

static double reduce(const struct keyed *items, size_t count, enum reducer reducer,
                     bool of_share, struct arena scratch)
{
    double *values = arena_new(&scratch, double, count);
    for (size_t i = 0; i < count; i++) values[i] = items[i].value;
    return reduce_passes(reducer, of_share, values, count);
}

struct units units_of(const struct view_cell *cell, const struct view_metric *metric,
                      struct arena *out)
{
    const struct value *said = value_get(cell->params, "reducer");
    bool is_said = said && said->kind == VALUE_TEXT;
    /* A rate is how often, whatever the benchmark says of answers. */
    enum reducer reducer =
        is_said && !metric->is_rate ? reducer_find(str_cstr(out, said->source)) : REDUCER_MEAN;
    bool of_share = is_share(metric);
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
