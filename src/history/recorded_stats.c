/* Figures of recorded executions, versions against each other, weeks. */
#include "history/recorded.h"

#include "base/clock.h"
#include "base/human.h"
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
    some.capacity = some.count;
    return some;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return n ? sum / (double)n : (double)NAN;
}

/* Values of one side, task by task, and the sums of what the tasks took. */
struct matched {
    double *values[2];
    size_t count[2];
    double sum[2]; /* of the tasks' means */
    double ratio;  /* sum of B's means over A's */
    size_t tasks;  /* that have values on both sides */
};

static void add_task(struct matched *m, const struct recorded_list *const sides[2],
                     enum recorded_metric metric, bool is_scaled)
{
    size_t n[2];
    double mean[2];
    for (int i = 0; i < 2; i++) {
        n[i] = column_of(sides[i], metric, m->values[i] + m->count[i]);
        mean[i] = mean_of(m->values[i] + m->count[i], n[i]);
    }
    if (n[0] == 0 || n[1] == 0) return;
    double scale = is_scaled && mean[0] > 0 ? mean[0] : 1;
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < n[i]; k++) m->values[i][m->count[i] + k] /= scale;
        m->count[i] += n[i];
        m->sum[i] += mean[i];
    }
    m->ratio += mean[1] / mean[0];
    m->tasks++;
}

static bool compare_values(const struct recorded_list *a, const struct recorded_list *b,
                           struct arena *out, struct recorded_comparison *c, struct error *err)
{
    const char **tasks = NULL;
    size_t count = recorded_tasks(a, b, out, &tasks);
    struct matched m = {
        .values = {arena_new(out, double, a->count + 1), arena_new(out, double, b->count + 1)}};
    for (size_t i = 0; i < count; i++) {
        struct recorded_list x = recorded_of_task(a, tasks[i], out);
        struct recorded_list y = recorded_of_task(b, tasks[i], out);
        add_task(&m, (const struct recorded_list *const[]){&x, &y}, c->metric, count > 1);
    }
    struct verdict_question q = {.a = m.values[0],
                                 .a_count = m.count[0],
                                 .b = m.values[1],
                                 .b_count = m.count[1],
                                 .margin = VERDICT_MARGIN};
    struct verdict_answer answer;
    if (!verdict_compare(&q, out, &answer, err)) return false;
    double n = (double)m.tasks;
    c->a = m.tasks ? m.sum[0] / n : (double)NAN;
    c->b = m.tasks ? m.sum[1] / n : (double)NAN;
    c->a_count = m.count[0];
    c->b_count = m.count[1];
    c->improvement = c->a > 0 ? 1 - m.ratio / n : (double)NAN;
    c->effect = answer.effect.ratio;
    c->low = answer.effect.low;
    c->high = answer.effect.high;
    c->verdict = answer.verdict;
    c->sentence = answer.sentence;
    return true;
}

/* Records of tasks that the other side did, too. */
static struct recorded_list keep_common(const struct recorded_list *list,
                                        const struct recorded_list *other, struct arena *out)
{
    const char **tasks = NULL;
    size_t count = recorded_tasks(list, other, out, &tasks);
    struct recorded_list some = {.items = arena_new(out, struct recorded, list->count + 1)};
    for (size_t i = 0; i < list->count; i++) {
        bool is_common = has_task(tasks, count, list->items[i].task);
        if (is_common) some.items[some.count++] = list->items[i];
    }
    some.capacity = some.count;
    return some;
}

static void compare_rates(const struct recorded_list *a, const struct recorded_list *b,
                          struct arena *out, struct recorded_comparison *c)
{
    struct recorded_list of_a = keep_common(a, b, out);
    struct recorded_list of_b = keep_common(b, a, out);
    struct recorded_stats x = recorded_stats(of_a.items, of_a.count, *out);
    struct recorded_stats y = recorded_stats(of_b.items, of_b.count, *out);
    struct proportion d = proportion_newcombe((int64_t)y.ok, (int64_t)y.count, (int64_t)x.ok,
                                              (int64_t)x.count, CONFIDENCE);
    c->a = x.success.estimate;
    c->b = y.success.estimate;
    c->a_count = x.count;
    c->b_count = y.count;
    c->improvement = c->a > 0 ? (c->b - c->a) / c->a : (double)NAN;
    c->effect = d.estimate;
    c->low = d.low;
    c->high = d.high;
    c->verdict = d.low > 0 ? VERDICT_BETTER : d.high < 0 ? VERDICT_WORSE : VERDICT_UNDECIDED;
    c->sentence =
        arena_printf(out,
                     "%s: success rate %.1f %% against %.1f %%, difference %+.1f points "
                     "[%+.1f, %+.1f]",
                     verdict_name(c->verdict), 100 * c->b, 100 * c->a, 100 * c->effect,
                     100 * c->low, 100 * c->high);
}

bool recorded_compare(const struct recorded_list *a, const struct recorded_list *b,
                      enum recorded_metric metric, struct arena *out,
                      struct recorded_comparison *answer, struct error *err)
{
    *answer = (struct recorded_comparison){.metric = metric};
    if (metric != RECORDED_SUCCESS) return compare_values(a, b, out, answer, err);
    compare_rates(a, b, out, answer);
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
        if (before.count) {
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
