#include "stats/shape.h"

#include "base/human.h"
#include "stats/autocorr.h"
#include "stats/moments.h"
#include "stats/outlier.h"
#include "stats/quantile.h"
#include "stats/unimodal.h"

#include <math.h>

/* Below these many values a check would mostly report chance. */
enum { FIRST_MIN_N = 5, BIMODAL_MIN_N = 20, PILE_MIN_N = 10, LAG_MIN_N = 10 };

#define DRIFT_P        0.001
#define DRIFT_RELATIVE 0.01
#define FIRST_K        5.0
#define FIRST_RELATIVE 0.05
#define CLIP_SHARE     0.1
#define CLIP_CROWD     3.0 /* times the next value's count: rounding alone is smoother */
#define QUANTISED_STEP 0.5
#define LAG_LIMIT      0.2

static double relative(double value, double to)
{
    return to == 0 ? (value == 0 ? 0 : copysign((double)INFINITY, value))
                   : (value - to) / fabs(to);
}

static void check_drift(struct shape *shape, struct arena scratch, const double *series,
                        size_t n)
{
    shape->drift = drift_of(scratch, series, n);
    if (shape->drift.p < DRIFT_P && fabs(shape->drift.relative) >= DRIFT_RELATIVE) {
        shape->flags |= SHAPE_DRIFT;
    }
}

static void check_first(struct shape *shape, struct arena scratch, const double *series,
                        size_t n)
{
    if (n < FIRST_MIN_N) return;
    double first = series[0];
    shape->first_relative = relative(first, stats_median(scratch, series + 1, n - 1));
    bool is_highest = true;
    bool is_lowest = true;
    for (size_t i = 1; i < n; i++) {
        is_highest &= first > series[i];
        is_lowest &= first < series[i];
    }
    struct outlier_fence fence = outlier_fence(scratch, series + 1, n - 1, FIRST_K);
    bool is_out = outlier_is(&fence, first) || fence.scale == OUTLIER_SCALE_NONE;
    if ((is_highest || is_lowest) && is_out && fabs(shape->first_relative) >= FIRST_RELATIVE) {
        shape->flags |= SHAPE_FIRST_APART;
    }
}

/* How many of the values at one end (from the low end if `from` is 0) are equal
 * to the extreme, and how many to the next different one. */
static void count_pile(const double *sorted, size_t n, bool at_top, double *extreme,
                       double *next)
{
    size_t counts[2] = {0, 0};
    size_t which = 0;
    for (size_t i = 0; i < n && which < 2; i++) {
        double value = sorted[at_top ? n - 1 - i : i];
        double before = i == 0 ? value : sorted[at_top ? n - i : i - 1];
        if (value != before) which++;
        if (which < 2) counts[which]++;
    }
    *extreme = (double)counts[0];
    *next = (double)counts[1];
}

static void check_pile(struct shape *shape, const double *sorted, size_t n)
{
    for (int at_top = 0; at_top < 2; at_top++) {
        double extreme = 0;
        double next = 0;
        count_pile(sorted, n, at_top, &extreme, &next);
        double share = extreme / (double)n;
        shape->clip_share = fmax(shape->clip_share, share);
        bool is_pile = share >= CLIP_SHARE && extreme >= 3 && extreme > CLIP_CROWD * next;
        if (n >= PILE_MIN_N && is_pile) shape->flags |= SHAPE_CLIPPED;
    }
}

static void check_distribution(struct shape *shape, struct arena scratch, const double *sorted,
                               size_t n)
{
    struct moments m = moments_of(sorted, n);
    double step = unimodal_step(sorted, n);
    shape->step_over_sd = step / moments_sd(&m);
    shape->dip = unimodal_dip(scratch, sorted, n, step);
    check_pile(shape, sorted, n);
    if (n >= PILE_MIN_N && shape->step_over_sd > QUANTISED_STEP) {
        shape->flags |= SHAPE_QUANTISED;
    } else if (n >= BIMODAL_MIN_N && shape->dip > UNIMODAL_LIMIT &&
               !(shape->flags & SHAPE_CLIPPED)) {
        shape->flags |= SHAPE_BIMODAL;
    }
}

struct shape shape_of(struct arena scratch, const double *series, size_t n)
{
    struct shape shape = {.drift = {0, 1, 0}};
    double *clean = arena_new(&scratch, double, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        if (isfinite(series[i])) clean[shape.n++] = series[i];
    }
    n = shape.n;
    if (n < 2) return shape;
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, clean, n, &kept);
    if (sorted[0] == sorted[n - 1]) {
        shape.flags = SHAPE_ZERO_VARIANCE;
        return shape;
    }
    check_drift(&shape, scratch, clean, n);
    check_first(&shape, scratch, clean, n);
    check_distribution(&shape, scratch, sorted, n);
    shape.lag1 = autocorr_lag1(clean, n);
    /* 2.6 standard errors: 0.5 % of independent series are beyond. */
    double chance = 2.6 / sqrt((double)n);
    if (n >= LAG_MIN_N && shape.lag1 > fmax(LAG_LIMIT, chance)) {
        shape.flags |= SHAPE_AUTOCORRELATED;
    }
    return shape;
}

const char *shape_explain(const struct shape *s, enum shape_flag flag, struct arena *out)
{
    switch (flag) {
    case SHAPE_ZERO_VARIANCE:
        return arena_printf(
            out, "all %zu values are equal: a constant, or too coarse a resolution", s->n);
    case SHAPE_DRIFT:
        return arena_printf(out, "drifts: %+.1f %% from the first third to the last (%s)",
                            s->drift.relative * 100, HUMAN_P(s->drift.p));
    case SHAPE_FIRST_APART:
        return arena_printf(
            out, "the first value is %+.0f %% from the rest: %s", s->first_relative * 100,
            s->first_relative > 0 ? "warm up longer"
                                  : "something changed after it (a cache filled, the clock "
                                    "slowed down); drop it with a warm-up trial");
    case SHAPE_BIMODAL:
        return arena_printf(
            out,
            "more than one peak (dip %.2f, one peak stays below %.2f): the mean "
            "describes neither",
            s->dip, UNIMODAL_LIMIT);
    case SHAPE_CLIPPED:
        return arena_printf(out,
                            "%.0f %% of the values are equal to one extreme: a limit, or too "
                            "coarse a resolution",
                            s->clip_share * 100);
    case SHAPE_QUANTISED:
        return arena_printf(out, "values come in steps of %.2f standard deviations: too coarse",
                            s->step_over_sd);
    case SHAPE_AUTOCORRELATED:
        return arena_printf(out,
                            "each value resembles the one before (lag-1 autocorrelation %.2f): "
                            "the effective n is smaller",
                            s->lag1);
    case SHAPE_FLAG_COUNT: break;
    }
    return "";
}
