/* Which cases, which phases, what it costs. */
#include "history/regress_internal.h"

#include "model/detail.h"
#include "view/units.h"

#include <math.h>
#include <stdlib.h>

struct moved {
    struct regress_case c;
    double worse; /* relative, or points */
};

static int by_worse(const void *a, const void *b)
{
    double x = ((const struct moved *)a)->worse;
    double y = ((const struct moved *)b)->worse;
    return (x < y) - (x > y);
}

static const char *case_name(struct regress_work *w, const char *hash)
{
    struct case_record c;
    struct error why = {0};
    bool is_there = store_find_case(w->store, hash, w->out, &c, &why) ||
                    error_unless_absent(&w->broken, &why);
    bool is_named = is_there && c.name && c.name[0];
    return is_named ? c.name : arena_printf(w->out, "%.8s", hash);
}

static const struct view_metric *metric_of(const struct view_cell *cell, const char *name)
{
    return cell ? view_find_metric(cell, name) : NULL;
}

/* A time-out is infinite: longer than all that were seen. */
static double worse_by(double then, double now, double sign, bool is_points)
{
    if (then == now) return 0; /* both timed out, too */
    double scale = is_points || isinf(then) ? 1 : fabs(then);
    return sign * (now - then) / scale;
}

static void find_cases(struct regress_work *w, const struct regress_row *row,
                       struct regress_impact *impact)
{
    const struct baseline_pair *p = &w->r->set.pairs[row->pair];
    const struct view_metric *then = metric_of(p->baseline, row->metric);
    const struct view_metric *now = metric_of(p->current, row->metric);
    struct view_metric failures[2];
    if (strcmp(row->metric, UNITS_FAILURES) == 0) {
        failures[0] = units_failures(p->baseline, w->out);
        failures[1] = units_failures(p->current, w->out);
        then = &failures[0];
        now = &failures[1];
    }
    if (!then || !now || !row->w.by_case) return;
    struct units a = units_of(p->baseline, then, w->out);
    struct units b = units_of(p->current, now, w->out);
    struct moved *list = arena_new(w->out, struct moved, a.count + 1);
    double sign = now->direction == DIRECTION_HIGHER ? -1 : 1;
    for (size_t i = 0, k = 0; i < a.count && k < b.count;) {
        int order = strcmp(a.keys[i], b.keys[k]);
        bool is_both = order == 0 && !isnan(a.values[i]) && !isnan(b.values[k]);
        if (is_both) {
            list[impact->case_count++] =
                (struct moved){{a.keys[i], a.values[i], b.values[k]},
                               worse_by(a.values[i], b.values[k], sign, row->w.is_points)};
        }
        i += order <= 0;
        k += order >= 0;
    }
    qsort(list, impact->case_count, sizeof *list, by_worse);
    for (size_t i = 0; i < impact->case_count && list[i].worse > row->threshold; i++) {
        impact->cases_worse++;
        if (impact->worst_count == REGRESS_CASES_MAX) continue;
        list[i].c.name = case_name(w, list[i].c.name);
        impact->worst[impact->worst_count++] = list[i].c;
    }
}

/* ---- phases: spans that the agent reported, in the detail of each trial ---- */

struct spans {
    const char *names[REGRESS_PHASES_MAX];
    double sums[REGRESS_PHASES_MAX];
    size_t count;
    size_t trials;
};

static void add_span(struct spans *s, const char *name, double ms)
{
    size_t i = 0;
    while (i < s->count && strcmp(name, s->names[i]) != 0) i++;
    if (i == REGRESS_PHASES_MAX) return;
    if (i == s->count) s->names[s->count++] = name;
    s->sums[i] += ms;
}

/* Trials that reported no span are not counted: the mean is over those that did. */
static void add_spans(struct spans *s, const struct detail *d)
{
    size_t spans = 0;
    for (size_t i = 0; i < d->turn_count; i++) {
        const struct detail_turn *t = &d->turns[i];
        for (size_t k = 0; k < t->phase_count; k++) {
            add_span(s, t->phases[k].name, 1000 * t->phases[k].duration_s);
        }
        spans += t->phase_count;
    }
    s->trials += spans > 0;
}

static struct spans spans_of(const struct view_cell *cell, struct arena *out)
{
    struct spans s = {0};
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        struct detail detail;
        bool fits = n->phase == PHASE_MEASURED && n->status == TRIAL_OK &&
                    detail_read(n->detail, out, &detail);
        if (fits) add_spans(&s, &detail);
    }
    return s;
}

static double span_mean(const struct spans *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name) == 0) return s->sums[i] / (double)s->trials;
    }
    return NAN;
}

double regress_phase_growth_ms(const struct regress_phase *x)
{
    return x->current_ms - (isnan(x->baseline_ms) ? 0 : x->baseline_ms);
}

static int by_growth(const void *a, const void *b)
{
    double x = regress_phase_growth_ms(a);
    double y = regress_phase_growth_ms(b);
    return (x < y) - (x > y);
}

static void find_phases(struct regress_work *w, const struct regress_row *row,
                        struct regress_impact *impact)
{
    const struct baseline_pair *p = &w->r->set.pairs[row->pair];
    if (strcmp(row->metric, metric_duration.name) != 0) return;
    struct spans then = spans_of(p->baseline, w->out);
    struct spans now = spans_of(p->current, w->out);
    for (size_t i = 0; i < now.count; i++) {
        impact->phases[impact->phase_count++] = (struct regress_phase){
            now.names[i], span_mean(&then, now.names[i]), span_mean(&now, now.names[i])};
    }
    qsort(impact->phases, impact->phase_count, sizeof *impact->phases, by_growth);
    const struct view_metric *m[2] = {metric_of(p->baseline, row->metric),
                                      metric_of(p->current, row->metric)};
    if (m[0] && m[1]) impact->growth_ms = 1000 * (m[1]->mean - m[0]->mean);
}

const struct regress_impact *regress_impact_of(struct regress_work *w,
                                               const struct regress_row *row)
{
    const struct baseline_pair *p = &w->r->set.pairs[row->pair];
    struct regress_impact *impact = arena_new(w->out, struct regress_impact, 1);
    const struct view_metric *cost[2] = {metric_of(p->baseline, "cost_usd"),
                                         metric_of(p->current, "cost_usd")};
    const struct regress_row *of_cost = regress_row_of(w, row->pair, "cost_usd");
    bool is_decided = of_cost && of_cost->state != REGRESS_UNDECIDED;
    impact->unit = row->unit;
    impact->cost_baseline_usd = is_decided && cost[0]->n ? cost[0]->mean : (double)NAN;
    impact->cost_current_usd = is_decided && cost[1]->n ? cost[1]->mean : (double)NAN;
    find_cases(w, row, impact);
    find_phases(w, row, impact);
    return impact;
}
