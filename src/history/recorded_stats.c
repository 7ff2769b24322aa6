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

static bool compare_values(const struct recorded_list *a, const struct recorded_list *b,
                           struct arena *out, struct recorded_comparison *c, struct error *err)
{
    double *x = arena_new(out, double, a->count + 1);
    double *y = arena_new(out, double, b->count + 1);
    struct verdict_question q = {.a = x,
                                 .a_count = column_of(a, c->metric, x),
                                 .b = y,
                                 .b_count = column_of(b, c->metric, y),
                                 .margin = VERDICT_MARGIN};
    struct verdict_answer answer;
    if (!verdict_compare(&q, out, &answer, err)) return false;
    c->a = answer.arm[0].mean;
    c->b = answer.arm[1].mean;
    c->a_count = answer.arm[0].n;
    c->b_count = answer.arm[1].n;
    c->improvement = c->a > 0 ? (c->a - c->b) / c->a : (double)NAN;
    c->effect = answer.effect.ratio;
    c->low = answer.effect.low;
    c->high = answer.effect.high;
    c->verdict = answer.verdict;
    c->sentence = answer.sentence;
    return true;
}

static void compare_rates(const struct recorded_list *a, const struct recorded_list *b,
                          struct arena *out, struct recorded_comparison *c)
{
    struct recorded_stats x = recorded_stats(a->items, a->count, *out);
    struct recorded_stats y = recorded_stats(b->items, b->count, *out);
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
