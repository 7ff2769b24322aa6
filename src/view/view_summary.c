/* One metric of one cell: every number that is stated about it. */
#include "view/view_internal.h"

#include "experiment/declared.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/outlier.h"
#include "stats/quantile.h"
#include "stats/shape.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { WARNINGS_MAX = SHAPE_FLAG_COUNT + 3 };

void view_warn(struct view_metric *m, struct arena *out, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!m->warnings) m->warnings = arena_new(out, const char *, WARNINGS_MAX);
    if (m->warning_count < WARNINGS_MAX) {
        m->warnings[m->warning_count++] = arena_copy(out, text, strlen(text));
    }
}

/* The labels of coefficient of variation that benchmark reports use. */
static const char *label_of(double cv)
{
    static const struct {
        double below;
        const char *label;
    } labels[] = {{0.05, "excellent"}, {0.10, "good"}, {0.15, "moderate"}};

    if (isnan(cv)) return "unknown";
    for (size_t i = 0; i < COUNT(labels); i++) {
        if (cv < labels[i].below) return labels[i].label;
    }
    return "poor";
}

static void take_quantiles(struct view_metric *m, const double *sorted, struct arena scratch)
{
    m->min = quantile_of(sorted, m->n, 0);
    m->max = quantile_of(sorted, m->n, 1);
    m->median = quantile_median(sorted, m->n);
    m->p5 = quantile_of(sorted, m->n, 0.05);
    m->p25 = quantile_of(sorted, m->n, 0.25);
    m->p75 = quantile_of(sorted, m->n, 0.75);
    m->p95 = quantile_of(sorted, m->n, 0.95);
    m->p99 = quantile_of(sorted, m->n, 0.99);
    m->mad = quantile_mad(scratch, sorted, m->n);
    struct interval interval;
    m->median_low = m->median_high = (double)NAN;
    if (interval_median(sorted, m->n, 0.95, &interval)) {
        m->median_low = interval.low;
        m->median_high = interval.high;
    }
}

static struct shape take_numbers(struct view_metric *m, struct arena scratch)
{
    /* A value beyond all numbers says no more than a missing one. */
    double *values = arena_new(&scratch, double, m->count + 1);
    for (size_t i = 0; i < m->count; i++) {
        if (isfinite(m->samples[i])) values[m->n++] = m->samples[i];
    }
    struct moments moments = moments_of(values, m->n);
    m->mean = m->n > 0 ? moments.mean : (double)NAN;
    m->sd = moments_sd(&moments);
    m->cv = m->mean > 0 ? m->sd / m->mean : (double)NAN;
    m->cv_label = label_of(m->cv);
    struct outlier_fence fence = outlier_fence(scratch, values, m->n, OUTLIER_K);
    m->outliers = outlier_count(&fence, values, m->n);
    size_t kept = 0;
    double *sorted = stats_sort(&scratch, values, m->n, &kept);
    take_quantiles(m, sorted, scratch);
    return shape_of(scratch, values, m->n);
}

struct view_metric view_name_metric(const struct series_record *series)
{
    return (struct view_metric){
        .name = series->metric,
        .unit = series->unit ? series->unit : "1",
        .direction = series->direction,
        .definition = series->definition ? series->definition : "",
        .samples = series->samples,
        .count = series->count,
        .kind = declared_kind_of(series),
    };
}

void view_summarise(struct view_metric *m, const struct series_record *series,
                    struct arena *out)
{
    *m = view_name_metric(series);
    struct shape shape = take_numbers(m, *out);
    for (int i = 0; i < SHAPE_FLAG_COUNT; i++) {
        enum shape_flag flag = (enum shape_flag)(1 << i);
        if (shape.flags & flag) view_warn(m, out, "%s", shape_explain(&shape, flag, out));
    }
}
