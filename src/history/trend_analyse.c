/* What a series of points says: its changes, how far the detector can be trusted
 * on it, and whether the newest point is what the ones before it predict. */
#include "history/trend.h"
#include "stats/moments.h"
#include "stats/predict.h"
#include "stats/quantile.h"

#include <math.h>

#define EXPECT_CONFIDENCE 0.99
#define ROUNDING          1e-12
enum { PREDICT_MIN_N = 5 };

const char *trend_kind(const struct trend_series *s, size_t i)
{
    if (s->direction == DIRECTION_NONE) return "change";
    switch (s->verdicts[i].verdict) {
    case VERDICT_BETTER: return "improvement";
    case VERDICT_WORSE: return "degradation";
    case VERDICT_EQUIVALENT:
    case VERDICT_UNDECIDED: break;
    }
    return "change";
}

/* The same question as that of any comparison: the points of a level against those of the
 * one before, in order of time. */
static void judge_changes(struct trend_series *s, const double *values, struct arena *out)
{
    s->verdicts = arena_new(out, struct verdict_answer, s->change_count + 1);
    for (size_t i = 0; i < s->change_count; i++) {
        size_t from = i ? s->changes[i - 1].index : 0;
        size_t at = s->changes[i].index;
        size_t to = i + 1 < s->change_count ? s->changes[i + 1].index : s->count;
        const struct verdict_question q = {.a = values + from,
                                           .a_count = at - from,
                                           .b = values + at,
                                           .b_count = to - at,
                                           .kind = s->kind,
                                           .higher_is_better =
                                               s->direction == DIRECTION_HIGHER};
        if (!verdict_compare(&q, *out, &s->verdicts[i], NULL)) {
            s->verdicts[i] = (struct verdict_answer){.verdict = VERDICT_UNDECIDED};
        }
    }
}

static double longest_of(const double *values, size_t n)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i])) longest = fmax(longest, values[i]);
    }
    return longest;
}

/* A point of which most trials were timed out is longer than all that were seen, and no
 * detector takes an infinite value: twice the longest stands in for it. */
static const double *tame(const double *values, size_t n, double longest, struct arena *out)
{
    double *tamed = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool is_beyond = values[i] > 0 && isinf(values[i]);
        tamed[i] = is_beyond ? 2 * longest : values[i];
    }
    return tamed;
}

/* A level that is a stand-in is reported as infinite. */
static void untame(struct trend_series *s, double longest)
{
    for (size_t i = 0; i < s->change_count; i++) {
        struct change_point *p = &s->changes[i];
        bool is_beyond[2] = {p->before > 1.5 * longest, p->after > 1.5 * longest};
        if (is_beyond[0] == is_beyond[1]) continue;
        *(is_beyond[0] ? &p->before : &p->after) = (double)INFINITY;
        p->change = is_beyond[0] ? -1 : (double)INFINITY;
    }
}

/* What the level since the last change says about the newest point. Where values
 * have two modes, the interval around their median holds one of them only: it is
 * widened to all but the outermost twentieth of what was there before. */
static void predict_newest(struct trend_series *s, const double *values, struct arena scratch)
{
    s->expected_low = s->expected_high = NAN;
    size_t from = s->change_count ? s->changes[s->change_count - 1].index : 0;
    size_t n = s->count > from + 1 ? s->count - 1 - from : 0;
    double *history = arena_new(&scratch, double, n + 1);
    bool is_log = true;
    for (size_t i = 0; i < n; i++) is_log &= values[from + i] > 0;
    for (size_t i = 0; i < n; i++) {
        history[i] = is_log ? log(values[from + i]) : values[from + i];
    }
    if (n < PREDICT_MIN_N) return;
    struct predict p = predict_robust(scratch, history, n, EXPECT_CONFIDENCE);
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, history, n, &kept);
    if (kept == 0) return;
    double low = fmin(p.low, sorted[kept / 20]);
    double high = fmax(p.high, sorted[kept - 1 - kept / 20]);
    /* exp(log(x)) is not always x: a level without any noise must hold itself. */
    s->expected_low = is_log ? exp(low) * (1 - ROUNDING) : low;
    s->expected_high = is_log ? exp(high) * (1 + ROUNDING) : high;
}

static struct trend_moves moves_of(const double *values, size_t n, struct arena scratch)
{
    struct trend_moves m = {.low = INFINITY, .high = -(double)INFINITY};
    double *seen = arena_new(&scratch, double, n + 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i])) seen[count++] = values[i];
    }
    if (count < TREND_MOVES_MIN_N) return m;
    struct moments all = moments_of(seen, count);
    double steps = 0;
    for (size_t i = 1; i < count; i++)
        steps += (seen[i] - seen[i - 1]) * (seen[i] - seen[i - 1]);
    double ratio = steps / (double)(count - 1) / ((double)all.m2 / (double)count);
    for (size_t i = 0; i + CHANGE_SETTLED <= count; i++) {
        double level = stats_median(scratch, seen + i, CHANGE_SETTLED);
        if (i == 0) m.from = level;
        m.to = level;
        m.low = fmin(m.low, level);
        m.high = fmax(m.high, level);
    }
    m.is_found = ratio < TREND_MOVES_RATIO; /* false of constants: NaN */
    return m;
}

void trend_analyse(struct trend_series *s, const struct trend_question *q, struct arena *out)
{
    double *values = arena_new(out, double, s->count + 1);
    for (size_t i = 0; i < s->count; i++) values[i] = s->points[i].value;
    double longest = longest_of(values, s->count);
    const double *seen = tame(values, s->count, longest, out);
    struct change_found found = change_find(seen, s->count, &q->change, out);
    s->changes = found.points;
    s->change_count = found.count;
    judge_changes(s, values, out);
    untame(s, longest);
    s->drift = found.drift;
    s->too_few = found.too_few;
    if (s->change_count == 0 && !s->drift.is_found) s->moves = moves_of(seen, s->count, *out);
    if (q->wants_rates) s->rates = trend_rates(seen, s->count, &q->change, 42, *out);
    predict_newest(s, seen, *out);
}
