/* Figures of recorded executions, versions against each other, weeks. */
#include "history/recorded.h"

#include "base/clock.h"
#include "base/human.h"
#include "stats/family.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

#define CONFIDENCE   0.95
#define TOLD_CHANGE  0.10 /* what is worth telling from week to week */
#define NS_PER_DAY   86400000000000
#define DAYS_TO_WEEK 3 /* 1970-01-01 was a Thursday: three days after a Monday */

const char *recorded_metric_name(enum recorded_metric m)
{
    static const char *const names[RECORDED_METRICS] = {"execution_time", "success_rate",
                                                        "cost"};
    return names[m];
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

static size_t column_of(const struct recorded_list *list, enum recorded_metric metric,
                        double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct recorded *r = &list->items[i];
        bool counts = metric == RECORDED_COST ? !isnan(r->cost_usd) : r->is_ok;
        if (counts) values[n++] = metric == RECORDED_COST ? r->cost_usd : r->duration_s;
    }
    return n;
}

static bool has_task(const char *const *tasks, size_t count, const char *task)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tasks[i], task) == 0) return true;
    }
    return false;
}

static size_t list_tasks(const struct recorded_list *list, const char **tasks)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const char *task = list->items[i].task;
        if (!has_task(tasks, count, task)) tasks[count++] = task;
    }
    return count;
}

size_t recorded_tasks(const struct recorded_list *a, const struct recorded_list *b,
                      struct arena *out, const char ***tasks)
{
    const char **of_a = arena_new(out, const char *, a->count + 1);
    const char **of_b = arena_new(out, const char *, b->count + 1);
    size_t count_a = list_tasks(a, of_a);
    size_t count_b = list_tasks(b, of_b);
    size_t common = 0;
    for (size_t i = 0; i < count_a; i++) {
        if (has_task(of_b, count_b, of_a[i])) of_a[common++] = of_a[i];
    }
    *tasks = of_a;
    return common;
}

struct recorded_list recorded_of_task(const struct recorded_list *list, const char *task,
                                      struct arena *out)
{
    struct recorded_list some = {.items = arena_new(out, struct recorded, list->count + 1)};
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].task, task) == 0) some.items[some.count++] = list->items[i];
    }
    return some;
}

/* 1 for each that succeeded. */
static size_t flags_of(const struct recorded_list *list, double *values)
{
    for (size_t i = 0; i < list->count; i++) values[i] = list->items[i].is_ok;
    return list->count;
}

static struct verdict_question question_of(const struct recorded_list *a,
                                           const struct recorded_list *b,
                                           enum recorded_metric metric, struct arena *out)
{
    bool of_success = metric == RECORDED_SUCCESS;
    double *x = arena_new(out, double, a->count + 1);
    double *y = arena_new(out, double, b->count + 1);
    return (struct verdict_question){
        .a = x,
        .a_count = of_success ? flags_of(a, x) : column_of(a, metric, x),
        .b = y,
        .b_count = of_success ? flags_of(b, y) : column_of(b, metric, y),
        .kind = of_success                ? KIND_SHARE
                : metric == RECORDED_COST ? KIND_SUM
                                          : KIND_RATIO,
        .higher_is_better = of_success,
        .margin = VERDICT_MARGIN};
}

/* Tasks are the cells of a family: matched, never pooled. */
static bool ask_tasks(const struct recorded_list *a, const struct recorded_list *b,
                      enum recorded_metric metric, struct arena *out,
                      struct verdict_answer *answer, struct error *err)
{
    const char **tasks = NULL;
    size_t count = recorded_tasks(a, b, out, &tasks);
    struct family f = {.cells = arena_new(out, struct family_cell, count + 1)};
    for (size_t i = 0; i < count; i++) {
        struct recorded_list of_a = recorded_of_task(a, tasks[i], out);
        struct recorded_list of_b = recorded_of_task(b, tasks[i], out);
        struct verdict_question q = question_of(&of_a, &of_b, metric, out);
        if (q.a_count > 0 && q.b_count > 0) f.cells[f.count++].question = q;
    }
    if (!family_ask(&f, *out, err)) return false;
    *answer = f.whole;
    return true;
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
    c->improvement = c->a > 0 ? (of_success ? c->b - c->a : c->a - c->b) / c->a : (double)NAN;
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
