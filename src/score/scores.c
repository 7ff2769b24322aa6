/* The unit of evidence is the case. For intervals of what is not a plain mean
 * (speed, efficiency, cost) the bootstrap draws cases and computes the whole
 * formula from how often each was drawn (scores_formula.c).
 *
 * The overall is a weighted sum, and resampling it would see no doubt in a part
 * that is equal in every case: of ten right answers it said [1, 1]. Its interval
 * recovers each part's variance from that part's own interval instead (MOVER:
 * Zou and Donner 2008; Zou, Huang and Zhang 2009): with d_i = w_i (value_i - low_i),
 *     low = overall - sqrt(sum over i, k of r_ik d_i d_k),
 * and high likewise. r is the correlation of the parts when cases are drawn again;
 * where one of them never moves nothing is known of it, and 1 is on the safe
 * side. With one part in doubt the interval is that part's, scaled. */
#include "score/scores_internal.h"

#include "base/near.h"
#include "base/rng.h"
#include "model/vocabulary.h"
#include "stats/proportion.h"

#include <math.h>

_Static_assert((int)VOCABULARY_SCORES == (int)SCORE_COUNT, "names of the scores");

static const char *const formulas[SCORE_COUNT] = {
    [SCORE_ACCURACY] = "accuracy/2",       [SCORE_SPEED] = "speed/2",
    [SCORE_EFFICIENCY] = "efficiency/1",   [SCORE_COST] = "cost/2",
    [SCORE_RELIABILITY] = "reliability/1",
};

const double score_weights_default[SCORE_COUNT] = {
    [SCORE_ACCURACY] = 0.30, [SCORE_SPEED] = 0.20,       [SCORE_EFFICIENCY] = 0.20,
    [SCORE_COST] = 0.15,     [SCORE_RELIABILITY] = 0.15,
};

const struct score_targets score_targets_none = {NAN, NAN, NAN, NAN, NAN};

const char *score_name(enum score_id id)
{
    CHECK(id < SCORE_COUNT);
    return vocabulary_scores[id];
}

static const char *formula_of(enum score_id id)
{
    CHECK(id < SCORE_COUNT);
    return formulas[id];
}

/* Somebody waits for it: 10 million draws. With 10,000 cases the ends of an interval
 * then vary by a twelfth of the standard error, which is below 0.0005. */
static size_t resamples_for(size_t n)
{
    enum { DRAWS = 10000000, LEAST = 400 };
    size_t fit = DRAWS / (n + 1);
    return fit > SCORE_RESAMPLES ? SCORE_RESAMPLES : fit > LEAST ? fit : LEAST;
}

static void set_part_interval(const struct score_inquiry *q, struct score *s, enum score_id id,
                              struct arena *out)
{
    /* The cases are drawn; the statistic knows their values. */
    struct score_part part = {q, id};
    struct bootstrap_plan plan = {
        .n = q->n,
        .function = score_part_statistic,
        .context = &part,
        .confidence = q->confidence,
        .resamples = q->plan->resamples ? q->plan->resamples : resamples_for(q->n),
        .seed = q->plan->seed,
    };
    struct bootstrap_interval interval;
    struct error err = {0};
    if (!bootstrap_interval(&plan, *out, &interval, &err)) {
        s->reason = arena_printf(out, "no interval: %s", err.text);
        return;
    }
    s->low = fmax(interval.low, 0);
    s->high = fmin(interval.high, 1);
    s->method = "bootstrap";
}

static void set_mean_interval(const struct score_inquiry *q, struct score *s,
                              const double *values, size_t n)
{
    struct proportion p = proportion_of_shares(values, n, q->confidence);
    s->low = p.low;
    s->high = p.high;
    s->method = "exact";
}

static double *known_values(const struct score_inquiry *q, size_t offset, size_t *known,
                            struct arena *out)
{
    double *values = arena_new(out, double, q->n);
    *known = 0;
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&values[*known], (const char *)&q->cases[i] + offset, sizeof *values);
        *known += !isnan(values[*known]);
    }
    return values;
}

static void compute_accuracy(const struct score_inquiry *q, struct score *s, struct arena *out)
{
    size_t n;
    double *values = known_values(q, offsetof(struct score_case, accuracy), &n, out);
    s->n = n;
    if (n == 0) {
        s->reason = "no case has an answer that could be judged";
        return;
    }
    s->value = q->whole[SCORE_ACCURACY];
    set_mean_interval(q, s, values, n);
}

static void compute_speed(const struct score_inquiry *q, struct score *s, struct arena *out)
{
    const struct score_column *c = &q->columns[SCORE_COLUMN_DURATION];
    s->n = c->known;
    if (!score_has_target(c->target)) {
        s->reason = "the benchmark has no target for duration_s";
        return;
    }
    if (c->known == 0) {
        s->reason = "no trial has a time";
        return;
    }
    s->value = q->whole[SCORE_SPEED];
    set_part_interval(q, s, SCORE_SPEED, out);
}

/* Cases of which a pass was answered and lacks a value, though others have it. */
static size_t count_untold(const struct score_inquiry *q, bool of_tokens)
{
    size_t untold = 0;
    for (size_t i = 0; i < q->n; i++) {
        const struct score_case *c = &q->cases[i];
        untold += (of_tokens ? c->uncounted : c->unpriced) > 0;
    }
    return untold;
}

static void compute_efficiency(const struct score_inquiry *q, struct score *s,
                               struct arena *out)
{
    s->n = q->n;
    size_t targets = 0;
    for (int i = SCORE_COLUMN_TOKENS; i <= SCORE_COLUMN_MEMORY; i++) {
        const struct score_column *c = &q->columns[i];
        if (!score_has_target(c->target)) continue;
        targets++;
        if (c->known < s->n) s->n = c->known;
        if (c->known == 0) {
            s->reason =
                arena_printf(out, "%s has a target, but the agent does not report it", c->name);
            return;
        }
        bool is_reported = i == SCORE_COLUMN_TOKENS; /* the others are measured */
        size_t untold = is_reported ? count_untold(q, true) : 0;
        if (untold > 0) {
            s->reason =
                arena_printf(out, "%zu of %zu cases do not report their tokens", untold, q->n);
            s->is_hidden = true;
            return;
        }
    }
    if (targets == 0) {
        s->reason = "the benchmark has no target for tokens, cpu_s or memory_mb";
        return;
    }
    s->value = q->whole[SCORE_EFFICIENCY];
    set_part_interval(q, s, SCORE_EFFICIENCY, out);
}

static void compute_cost(const struct score_inquiry *q, struct score *s, struct arena *out)
{
    s->n = q->columns[SCORE_COLUMN_COST].known;
    if (s->n == 0) {
        s->reason = "the agent reports neither its cost nor tokens that have a price";
        return;
    }
    size_t untold = count_untold(q, false);
    if (untold > 0) {
        s->reason =
            arena_printf(out, "%zu of %zu cases do not report their cost", untold, q->n);
        s->is_hidden = true;
        return;
    }
    s->value = q->whole[SCORE_COST];
    if (isnan(s->value)) {
        s->reason = "the benchmark has no target for cost_usd";
        return;
    }
    set_part_interval(q, s, SCORE_COST, out);
}

static void compute_reliability(const struct score_inquiry *q, struct score *s)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    for (size_t i = 0; i < q->n; i++) {
        ok += q->cases[i].ok;
        attempted += q->cases[i].attempted;
    }
    s->n = (size_t)attempted;
    if (attempted == 0) {
        s->reason = "nothing was attempted";
        return;
    }
    struct proportion p = proportion_wilson(ok, attempted, q->confidence);
    s->value = p.estimate;
    s->low = p.low;
    s->high = p.high;
    s->method = "wilson";
}

const double *score_plan_weights(const struct score_plan *plan)
{
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (plan->weights[i] != 0) return plan->weights;
    }
    return score_weights_default;
}

bool score_weights_are_equal(const double a[SCORE_COUNT], const double b[SCORE_COUNT])
{
    double sums[2] = {0, 0};
    bool are_equal = true;
    for (int i = 0; i < SCORE_COUNT; i++) {
        sums[0] += a[i];
        sums[1] += b[i];
    }
    for (int i = 0; i < SCORE_COUNT; i++)
        are_equal &= fabs(a[i] / sums[0] - b[i] / sums[1]) < 1e-9;
    return are_equal;
}

/* How the five scores move together when cases are drawn again, into r: 1 where one of the two
 * does not move. Where no two do, nothing is drawn. */
static void correlate(const struct score_inquiry *q, double r[SCORE_COUNT][SCORE_COUNT],
                      struct arena scratch)
{
    struct rng rng = rng_seeded(q->plan->seed);
    uint32_t *counts = arena_new(&scratch, uint32_t, q->n);
    double mean[SCORE_COUNT] = {0};
    double product[SCORE_COUNT][SCORE_COUNT] = {{0}};
    bool moves[SCORE_COUNT];
    int moving = 0;
    for (int i = 0; i < SCORE_COUNT; i++) {
        moves[i] = q->weights[i] > 0 && score_varies(q, i);
        moving += moves[i];
    }
    size_t rounds = q->plan->resamples ? q->plan->resamples : resamples_for(q->n);
    if (moving < 2) rounds = 0;
    for (size_t round = 0; round < rounds; round++) {
        double step[SCORE_COUNT];
        memset(counts, 0, q->n * sizeof *counts);
        for (size_t i = 0; i < q->n; i++) counts[rng_below(&rng, q->n)]++;
        for (int i = 0; i < SCORE_COUNT; i++) {
            double value = moves[i] ? score_part(q, i, counts) : 0;
            step[i] = value - mean[i];
            mean[i] += step[i] / (double)(round + 1);
            double part = step[i] * (double)round / (double)(round + 1);
            for (int k = 0; k <= i; k++) product[i][k] += part * step[k];
        }
    }
    for (int i = 0; i < SCORE_COUNT; i++) {
        for (int k = 0; k <= i; k++) {
            double both = sqrt(product[i][i] * product[k][k]);
            r[i][k] = r[k][i] = both > 0 ? fmax(-1, fmin(1, product[i][k] / both)) : 1;
        }
    }
}

/* The square root above, of one side: distances of all parts, weighted. */
static double joined(const double d[SCORE_COUNT], double r[SCORE_COUNT][SCORE_COUNT])
{
    double sum = 0;
    for (int i = 0; i < SCORE_COUNT; i++) {
        for (int k = 0; k < SCORE_COUNT; k++) sum += r[i][k] * d[i] * d[k];
    }
    return sqrt(fmax(sum, 0));
}

static void set_overall_interval(const struct score_inquiry *q, struct scores *scores,
                                 struct arena *out)
{
    struct score *s = &scores->overall;
    double down[SCORE_COUNT] = {0};
    double up[SCORE_COUNT] = {0};
    double r[SCORE_COUNT][SCORE_COUNT];
    for (int i = 0; i < SCORE_COUNT; i++) {
        const struct score *part = &scores->by[i];
        double weight = scores->weights[i];
        double low = part->low;
        double high = part->high;
        if (weight <= 0) continue;
        if (isnan(low)) {
            s->reason = part->reason;
            return;
        }
        if (i == SCORE_RELIABILITY) { /* Wilson's is shown; it covers too little near 1 */
            double n = (double)part->n;
            struct proportion p = proportion_exact(part->value * n, n, q->confidence);
            low = p.low;
            high = p.high;
        }
        down[i] = weight * fmax(part->value - low, 0);
        up[i] = weight * fmax(high - part->value, 0);
    }
    correlate(q, r, *out);
    s->low = fmax(s->value - joined(down, r), 0);
    s->high = fmin(s->value + joined(up, r), 1);
    s->method = "mover";
}

static void count_judged(const struct score_inquiry *q, struct scores *scores)
{
    for (size_t i = 0; i < q->n; i++) {
        const struct score_case *c = &q->cases[i];
        scores->total += c->judged > 0 || c->missing > 0;
        scores->judged += c->judged > 0 && c->missing == 0;
    }
}

/* "partial: without speed, cost; 2 of 4 cases judged" */
static const char *partial_reason(const struct scores *scores, const char *missing,
                                  const char *reason, struct arena *out)
{
    struct buf b;
    char text[400];
    buf_over(&b, text, sizeof text);
    buf_text(&b, "partial: ");
    if (missing[0]) buf_printf(&b, "without %s", missing);
    if (scores->judged < scores->total) {
        buf_printf(&b, "%s%zu of %zu cases judged", missing[0] ? "; " : "", scores->judged,
                   scores->total);
    }
    if (reason) buf_printf(&b, "; %s", reason);
    return str_cstr(out, buf_str(&b));
}

static void compute_overall(struct score_inquiry *q, struct scores *scores, struct arena *out)
{
    const double *asked = score_plan_weights(q->plan);
    double sum = 0;
    struct buf missing;
    char text[96] = "";
    buf_over(&missing, text, sizeof text);
    count_judged(q, scores);
    scores->is_partial = scores->judged < scores->total;
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (asked[i] <= 0) continue;
        if (isnan(scores->by[i].value)) {
            scores->is_partial = true;
            if (scores->by[i].is_hidden) scores->hidden += asked[i];
            buf_printf(&missing, "%s%s", missing.n ? ", " : "", score_name(i));
        } else {
            sum += asked[i];
        }
    }
    struct score *s = &scores->overall;
    s->n = q->n;
    if (sum == 0) {
        s->reason = "there are no scores to combine";
        return;
    }
    for (int i = 0; i < SCORE_COUNT; i++) {
        bool counts = asked[i] > 0 && !isnan(scores->by[i].value);
        scores->weights[i] = counts ? asked[i] / sum : 0;
    }
    scores->hidden /= sum;
    q->weights = scores->weights;
    s->value = near_share(score_overall(q, score_each_once(q->n, out)));
    set_overall_interval(q, scores, out);
    if (scores->is_partial) s->reason = partial_reason(scores, text, s->reason, out);
}

static struct score_inquiry inquire(const struct score_case *cases, size_t n,
                                    const struct score_plan *plan)
{
    return (struct score_inquiry){
        .cases = cases,
        .n = n,
        .plan = plan,
        .confidence = plan->confidence > 0 ? plan->confidence : 0.95,
    };
}

void scores_compute(const struct score_case *cases, size_t n, const struct score_plan *plan,
                    struct arena *out, struct scores *scores)
{
    static const struct score nothing = {.value = NAN, .low = NAN, .high = NAN};
    *scores = (struct scores){.overall = nothing};
    scores->overall.formula = "overall/1";
    for (int i = 0; i < SCORE_COUNT; i++) {
        scores->by[i] = nothing;
        scores->by[i].formula = formula_of(i);
    }
    struct score_inquiry q = inquire(cases, n, plan);
    score_prepare(&q, out);
    compute_accuracy(&q, &scores->by[SCORE_ACCURACY], out);
    compute_speed(&q, &scores->by[SCORE_SPEED], out);
    compute_efficiency(&q, &scores->by[SCORE_EFFICIENCY], out);
    compute_cost(&q, &scores->by[SCORE_COST], out);
    compute_reliability(&q, &scores->by[SCORE_RELIABILITY]);
    compute_overall(&q, scores, out);
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
        size_t offset = offsetof(struct score_case, dimensions) + d * sizeof(double);
        scores->dimensions[d] = score_mean(&q, offset);
    }
}

static void add_unjudged(const struct scores *scores, const struct score_case *cases, size_t n,
                         double ends[2])
{
    double right = 0;
    double open = 0;
    double ok = 0;
    double tried = 0;
    double missing = 0;
    for (size_t i = 0; i < n; i++) {
        const struct score_case *c = &cases[i];
        if (c->missing > 0) {
            open++;
        } else if (c->judged > 0) {
            right += c->accuracy;
        }
        ok += (double)c->ok;
        tried += (double)(c->attempted + c->missing);
        missing += (double)c->missing;
    }
    if (scores->judged == scores->total || !(tried > 0)) return;
    const double accuracy = scores->by[SCORE_ACCURACY].value;
    const double reliability = scores->by[SCORE_RELIABILITY].value;
    for (int k = 0; k < 2; k++) {
        double as_right = (right + (k ? open : 0)) / (double)scores->total;
        double as_ok = (ok + (k ? missing : 0)) / tried;
        if (!isnan(accuracy))
            ends[k] += scores->weights[SCORE_ACCURACY] * (as_right - accuracy);
        if (!isnan(reliability))
            ends[k] += scores->weights[SCORE_RELIABILITY] * (as_ok - reliability);
    }
}

void scores_ends(const struct scores *scores, const struct score_case *cases, size_t n,
                 double ends[2])
{
    ends[0] = ends[1] = scores->overall.value;
    add_unjudged(scores, cases, n, ends);
    for (int k = 0; k < 2; k++) {
        double at_worst_or_best = k ? scores->hidden : 0;
        ends[k] = (ends[k] + at_worst_or_best) / (1 + scores->hidden);
    }
}

static void set_pass(const struct score_inquiry *q, const double *values,
                     struct score_pass *pass, double *value, double *low, double *high)
{
    struct score s = {.low = NAN, .high = NAN};
    double sum = 0;
    for (size_t i = 0; i < pass->cases; i++) sum += values[i];
    *value = sum / (double)pass->cases;
    set_mean_interval(q, &s, values, pass->cases);
    *low = s.low;
    *high = s.high;
    pass->reason = s.reason;
}

void score_pass_k(const struct score_case *cases, size_t n, int64_t k,
                  const struct score_plan *plan, struct arena *out, struct score_pass *pass)
{
    *pass = (struct score_pass){k, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, NULL};
    struct score_inquiry q = inquire(cases, n, plan);
    double *at_k = arena_new(out, double, n);
    double *all_k = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) {
        if (k < 1 || cases[i].judged < k) continue;
        at_k[pass->cases] = proportion_pass_at_k(cases[i].judged, cases[i].passed, k);
        all_k[pass->cases] = proportion_pass_all_k(cases[i].judged, cases[i].passed, k);
        pass->cases++;
    }
    pass->left_out = n - pass->cases;
    if (pass->cases == 0) {
        pass->reason = "no case has that many judged attempts";
        return;
    }
    set_pass(&q, at_k, pass, &pass->at_k, &pass->at_k_low, &pass->at_k_high);
    set_pass(&q, all_k, pass, &pass->all_k, &pass->all_k_low, &pass->all_k_high);
}
