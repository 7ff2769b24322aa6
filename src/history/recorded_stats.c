/* Figures of recorded executions, versions against each other, weeks. */
#include "history/recorded.h"

#include "base/clock.h"
#include "judge/ask.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

#define CONFIDENCE   0.95
#define TOLD_CHANGE  0.10 /* what is worth telling from week to week */
#define NS_PER_DAY   86400000000000
#define DAYS_TO_WEEK 3 /* 1970-01-01 was a Thursday: three days after a Monday */

static const struct metric metrics[RECORDED_METRICS] = {
    [RECORDED_TIME] = {"execution_time", "s", DIRECTION_LOWER, "recorded.duration/1"},
    [RECORDED_SUCCESS] = {"success_rate", "1", DIRECTION_HIGHER, "rate/1", .kind = KIND_SHARE},
    [RECORDED_COST] = {"cost", "USD", DIRECTION_LOWER, "recorded.cost/1", .kind = KIND_SUM},
};

const char *recorded_metric_name(enum recorded_metric m)
{
    return metrics[m].name;
}

static struct recorded_times times_of(const double *values, size_t n, struct arena scratch)
{
    struct recorded_times t = {0};
    const double *sorted = stats_sort(&scratch, values, n, &t.n);
    struct moments m = moments_of(sorted, t.n);
    t.mean = t.n ? m.mean : (double)NAN;
    t.sd = moments_sd(&m);
    t.median = quantile_median(sorted, t.n);
    t.p95 = quantile_of(sorted, t.n, 0.95);
    t.p99 = quantile_of(sorted, t.n, 0.99);
    t.min = quantile_of(sorted, t.n, 0);
    t.max = quantile_of(sorted, t.n, 1);
    return t;
}

struct recorded_stats recorded_stats(const struct recorded *items, size_t count,
                                     struct arena scratch)
{
    struct recorded_stats s = {.count = count, .cost_total = NAN, .cost_mean = NAN};
    double *ok = arena_new(&scratch, double, count + 1);
    double *failed = arena_new(&scratch, double, count + 1);
    size_t failures = 0;
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].is_ok) ok[s.ok++] = items[i].duration_s;
        if (!items[i].is_ok) failed[failures++] = items[i].duration_s;
        if (isnan(items[i].cost_usd)) continue;
        cost += items[i].cost_usd;
        s.cost_n++;
    }
    if (s.cost_n) {
        s.cost_total = cost;
        s.cost_mean = cost / (double)s.cost_n;
    }
    s.success = proportion_wilson((int64_t)s.ok, (int64_t)count, CONFIDENCE);
    s.times = times_of(ok, s.ok, scratch);
    s.failures = times_of(failed, failures, scratch);
    return s;
}

/* ---- one version against another ---- */

static int by_task(const void *a, const void *b)
{
    const struct recorded *x = a;
    const struct recorded *y = b;
    int order = strcmp(x->task, y->task);
    if (order == 0) order = (x->run_ns > y->run_ns) - (x->run_ns < y->run_ns);
    if (order == 0) order = strcmp(x->run, y->run);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static struct recorded_list sorted_by_task(const struct recorded_list *list, struct arena *out)
{
    struct recorded_list sorted = {arena_new(out, struct recorded, list->count + 1),
                                   list->count};
    if (list->count) memcpy(sorted.items, list->items, list->count * sizeof *sorted.items);
    if (list->count) qsort(sorted.items, list->count, sizeof *sorted.items, by_task);
    return sorted;
}

/* The first task of a sorted list, which loses it. */
static struct recorded_list cut_task(struct recorded_list *rest)
{
    struct recorded_list some = {.items = rest->items};
    while (some.count < rest->count &&
           strcmp(rest->items[some.count].task, rest->items->task) == 0)
        some.count++;
    rest->items += some.count;
    rest->count -= some.count;
    return some;
}

struct recorded_matches recorded_match(const struct recorded_list *a,
                                       const struct recorded_list *b, struct arena *out)
{
    struct recorded_list rest[2] = {sorted_by_task(a, out), sorted_by_task(b, out)};
    size_t least = a->count < b->count ? a->count : b->count;
    struct recorded_matches m = {arena_new(out, struct recorded_match, least + 1), 0, true};
    while (rest[0].count > 0 && rest[1].count > 0) {
        int order = strcmp(rest[0].items->task, rest[1].items->task);
        if (order != 0) {
            m.is_all = false;
            (void)cut_task(&rest[order > 0]);
            continue;
        }
        struct recorded_match *both = &m.items[m.count++];
        both->task = rest[0].items->task;
        for (int k = 0; k < 2; k++) both->side[k] = cut_task(&rest[k]);
    }
    m.is_all = m.is_all && rest[0].count + rest[1].count == 0;
    return m;
}

static double value_of(const struct recorded *r, enum recorded_metric metric)
{
    if (metric == RECORDED_SUCCESS) return r->is_ok;
    if (metric == RECORDED_COST) return r->cost_usd;
    return r->is_ok ? r->duration_s : (double)NAN;
}

/* A cell that has this one metric. */
static struct view_cell cell_of(enum recorded_metric metric, const double *values,
                                const uint8_t *statuses, size_t count, struct arena *out)
{
    const struct metric *like = &metrics[metric];
    struct view_metric *m = arena_new(out, struct view_metric, 1);
    *m = (struct view_metric){.name = like->name,
                              .unit = like->unit,
                              .direction = like->direction,
                              .definition = like->definition,
                              .kind = like->kind,
                              .samples = values,
                              .count = count};
    for (size_t i = 0; i < count; i++) m->n += !isnan(values[i]);
    return (struct view_cell){
        .metrics = m, .metric_count = 1, .statuses = statuses, .trial_count = count};
}

/* One side of the question: what a version did of a task, whole and run by run. */
static void take_side(const struct recorded_list *list, enum recorded_metric metric, int side,
                      struct arena *out, struct ask_subject *subject)
{
    double *values = arena_new(out, double, list->count + 1);
    uint8_t *statuses = arena_new(out, uint8_t, list->count + 1);
    const struct view_cell **runs = arena_new(out, const struct view_cell *, list->count + 1);
    size_t n = 0;
    for (size_t i = 0, first = 0; i < list->count; i++) {
        const struct recorded *r = &list->items[i];
        statuses[n] = r->is_ok ? TRIAL_OK : TRIAL_FAILED;
        values[n++] = value_of(r, metric);
        bool is_last = i + 1 == list->count || strcmp(r->run, r[1].run) != 0;
        if (!is_last) continue;
        struct view_cell *run = arena_new(out, struct view_cell, 1);
        *run = cell_of(metric, values + first, statuses + first, n - first, out);
        snprintf(run->record.run_id, sizeof run->record.run_id, "%s", r->run);
        runs[subject->run_count[side]++] = run;
        first = n;
    }
    struct view_cell *whole = arena_new(out, struct view_cell, 1);
    *whole = cell_of(metric, values, statuses, n, out);
    subject->cell[side] = whole;
    subject->metric[side] = whole->metrics;
    subject->runs[side] = runs;
}

/* Tasks are the cells of a family: matched, never pooled. */
static bool ask_tasks(const struct recorded_list *a, const struct recorded_list *b,
                      enum recorded_metric metric, struct arena *out,
                      struct verdict_answer *answer, struct error *err)
{
    static const struct ask_terms terms = {.margin = VERDICT_MARGIN};
    struct ask all = {0};
    struct arena scratch = arena_open();
    struct recorded_matches tasks = recorded_match(a, b, &scratch);
    struct family f = {.cells = arena_new(&scratch, struct family_cell, tasks.count + 1)};
    for (size_t i = 0; i < tasks.count; i++) {
        struct ask_subject subject = {0};
        for (int k = 0; k < 2; k++)
            take_side(&tasks.items[i].side[k], metric, k, &scratch, &subject);
        if (subject.metric[0]->n == 0 || subject.metric[1]->n == 0) continue;
        const struct ask ask = ask_about(&subject, &terms, &scratch);
        f.cells[f.count++].question = ask.question;
        ask_add_lacks(&all, &ask);
    }
    bool done = family_ask(&f, *out, err);
    if (done) *answer = f.whole;
    if (done) ask_leave_open(&all, answer);
    arena_close(&scratch);
    return done;
}

/* The effect that was tested, so that it never contradicts the verdict. Values too few for any
 * have their levels. */
static double improvement_of(const struct verdict_answer *a)
{
    double level = a->arm[0].centre;
    double change = a->effect.ratio - 1;
    if (isnan(change)) change = a->effect.shift / level;
    if (isnan(change)) change = a->arm[1].centre / level - 1;
    if (!isfinite(change)) return (double)NAN;
    return a->higher_is_better || change == 0 ? change : -change;
}

bool recorded_compare(const struct recorded_list *a, const struct recorded_list *b,
                      enum recorded_metric metric, struct arena *out,
                      struct recorded_comparison *c, struct error *err)
{
    bool of_success = metric == RECORDED_SUCCESS;
    *c = (struct recorded_comparison){.metric = metric};
    if (!ask_tasks(a, b, metric, out, &c->answer, err)) return false;
    const struct verdict_effect *e = &c->answer.effect;
    bool is_known = c->answer.arm[0].n > 0 && c->answer.arm[1].n > 0;
    c->a = is_known ? c->answer.arm[0].centre : (double)NAN;
    c->b = is_known ? c->answer.arm[1].centre : (double)NAN;
    c->a_count = c->answer.arm[0].n;
    c->b_count = c->answer.arm[1].n;
    c->improvement = is_known ? improvement_of(&c->answer) : (double)NAN;
    c->effect = is_known ? (of_success ? e->shift : e->ratio) : (double)NAN;
    c->low = is_known ? (of_success ? e->shift_low : e->low) : (double)NAN;
    c->high = is_known ? (of_success ? e->shift_high : e->high) : (double)NAN;
    c->verdict = c->answer.verdict;
    return true;
}

/* ---- weeks ---- */

static int64_t week_of(int64_t at_ns)
{
    return (at_ns / NS_PER_DAY + DAYS_TO_WEEK) / 7;
}

static const char *told_of(const struct recorded_comparison *c)
{
    if (c->verdict == VERDICT_BETTER && c->improvement >= TOLD_CHANGE) return "improved";
    if (c->verdict == VERDICT_WORSE && c->improvement <= -TOLD_CHANGE) return "degraded";
    return NULL;
}

bool recorded_weeks(const struct recorded_list *list, struct arena *out,
                    struct recorded_week **weeks, size_t *count, struct error *err)
{
    *weeks = arena_new(out, struct recorded_week, list->count + 1);
    *count = 0;
    struct recorded_list before = {0};
    for (size_t i = 0; i < list->count;) {
        size_t end = i;
        int64_t week = week_of(list->items[i].at_ns);
        while (end < list->count && week_of(list->items[end].at_ns) == week) end++;
        struct recorded_list now = {.items = list->items + i, .count = end - i};
        struct recorded_week *w = &(*weeks)[(*count)++];
        char stamp[CLOCK_STAMP_SIZE];
        clock_stamp((week * 7 - DAYS_TO_WEEK) * NS_PER_DAY, stamp);
        snprintf(w->monday, sizeof w->monday, "%.10s", stamp);
        w->stats = recorded_stats(now.items, now.count, *out);
        w->has_before = before.count > 0;
        if (w->has_before) {
            if (!recorded_compare(&before, &now, RECORDED_TIME, out, &w->time, err)) {
                return false;
            }
            w->told = told_of(&w->time);
        }
        before = now;
        i = end;
    }
    return true;
}
