/* Two passes over the same cells. The whole first, at alpha: each part's effect and the
 * reach of its interval to either side are combined by MOVER, shares as one
 * stratified sample. Whatever is told of the whole (effect, levels, n, runs, p) is of the
 * same cells: its parts. Then the cells in the order of their p, each asked again at the
 * level that Holm's steps leave it, so that the interval that is shown is the one that
 * decided. A cell that cannot be tested takes no step. Invariant: adjusted p never
 * fall from one cell to the next. */
#include "stats/family.h"

#include "stats/adjust.h"
#include "stats/dist.h"
#include "stats/hull.h"
#include "stats/moments.h"
#include "stats/share.h"
#include "stats/verdict_internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- the cells among themselves ---- */

struct ranked {
    struct family_cell *cell;
    double p;
};

static int by_p(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->p;
    double y = ((const struct ranked *)b)->p;
    return (x > y) - (x < y);
}

static bool is_decided(const struct verdict_answer *a)
{
    return a->verdict == VERDICT_BETTER || a->verdict == VERDICT_WORSE;
}

static bool ask_at(struct family_cell *cell, double level, struct arena scratch,
                   struct error *err)
{
    struct verdict_question q = cell->question;
    if (!(q.nominal > 0)) q.nominal = q.alpha > 0 ? q.alpha : VERDICT_ALPHA;
    q.alpha = level;
    return verdict_compare(&q, scratch, &cell->answer, err);
}

static bool adjust(struct family *f, double alpha, struct arena scratch, struct error *err)
{
    struct ranked *order = arena_new(&scratch, struct ranked, f->count + 1);
    size_t m = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct family_cell *c = &f->cells[i];
        c->p_adjusted = c->answer.is_tested ? c->answer.p : (double)NAN;
        if (c->answer.is_tested) order[m++] = (struct ranked){c, c->answer.p};
    }
    f->tested = m;
    if (m < 2) return true;
    qsort(order, m, sizeof *order, by_p);
    struct holm steps = holm_begin(m);
    for (size_t i = 0; i < m; i++) {
        struct family_cell *c = order[i].cell;
        if (!ask_at(c, holm_level(&steps, order[i].p, alpha), scratch, err)) return false;
        c->p_adjusted = holm_step(&steps, c->answer.p, is_decided(&c->answer));
    }
    return true;
}

/* ---- the whole ---- */

static bool has_values(const struct family_cell *c)
{
    return c->answer.arm[0].n > 0 && c->answer.arm[1].n > 0;
}

static bool is_zero(const struct verdict_arm *arm)
{
    return arm->n > 0 && arm->mean == 0 && !(arm->sd > 0);
}

/* Nothing but zeros on both sides (what is free in both versions): there is no ratio, and a
 * whole of ratios is not of it. */
static bool is_idle(const struct family_cell *c)
{
    bool is_of_ratio = c->question.kind == KIND_RATIO || c->question.kind == KIND_SUM;
    return is_of_ratio && is_zero(&c->answer.arm[0]) && is_zero(&c->answer.arm[1]);
}

static bool is_small(const struct family_cell *c)
{
    return has_values(c) && !verdict_is_measured(&c->answer) && !is_idle(c);
}

/* Of pairs only where all cells are: an arm that was stopped early has no partners. */
static bool are_paired(const struct family *f)
{
    bool are = true;
    for (size_t i = 0; i < f->count; i++)
        are &= !f->cells[i].is_part || f->cells[i].question.is_paired;
    return are;
}

/* Finite values of both; of a pair, both or none. */
static struct share_stratum stratum_of(const struct verdict_question *q, double weight,
                                       struct arena *scratch)
{
    double *a = arena_new(scratch, double, q->a_count + 1);
    double *b = arena_new(scratch, double, q->b_count + 1);
    struct share_stratum s = {
        .a = a, .b = b, .weight = weight, .worth = {q->worth[0], q->worth[1]}};
    for (size_t i = 0; i < q->a_count; i++) {
        if (isnan(q->a[i]) || (q->is_paired && isnan(q->b[i]))) continue;
        a[s.a_count++] = q->a[i];
    }
    for (size_t i = 0; i < q->b_count; i++) {
        if (isnan(q->b[i]) || (q->is_paired && isnan(q->a[i]))) continue;
        b[s.b_count++] = q->b[i];
    }
    return s;
}

/* The effect on the scale that decides, and its reach below and above. */
struct reach {
    double estimate;
    double below[2]; /* at alpha, at 2 alpha */
    double above[2];
};

static void combine_shares(const struct family *f, double alpha, struct arena scratch,
                           struct reach *r, double *exact_p, double limit_edge, double *p)
{
    struct share_stratum *strata = arena_new(&scratch, struct share_stratum, f->count + 1);
    struct share_question q = {.strata = strata, .is_paired = f->whole.is_paired};
    for (size_t i = 0; i < f->count; i++) {
        const struct family_cell *c = &f->cells[i];
        if (!c->is_part) continue;
        strata[q.count++] = stratum_of(&c->question, 1 / (double)f->used, &scratch);
    }
    *exact_p = share_exact_p(&q, scratch);
    share_prepare(&q, &scratch);
    for (int k = 0; k < 2; k++) {
        struct share_interval s = share_difference(&q, k ? 2 * alpha : alpha, *exact_p);
        r->estimate = s.estimate;
        r->below[k] = s.estimate - s.low;
        r->above[k] = s.high - s.estimate;
    }
    *p = share_p(&q, limit_edge, *exact_p);
}

static double onto_scale(enum kind kind, double ratio, double shift)
{
    return kind == KIND_RATIO ? log(ratio) : shift;
}

/* Sums of several cells: each on the level of its own A, as ratios are, so that the dearest
 * cell does not stand for all. */
static double unit_of(const struct family_cell *c)
{
    double mean = c->answer.arm[0].mean;
    return c->question.kind == KIND_SUM && mean > 0 ? mean : 1;
}

/* Pairs of cells without an interval, as one cell more. */
static bool ask_small(const struct family *f, struct arena *scratch, struct family_cell *joint,
                      struct error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < f->count; i++) total += f->cells[i].question.a_count;
    double *a = arena_new(scratch, double, total + 1);
    double *b = arena_new(scratch, double, total + 1);
    *joint = (struct family_cell){.question = f->cells[0].question};
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct verdict_question *q = &f->cells[i].question;
        if (!is_small(&f->cells[i]) || !q->is_paired) continue;
        double unit = unit_of(&f->cells[i]);
        for (size_t k = 0; k < q->a_count; k++) {
            a[n] = q->a[k] / unit;
            b[n++] = q->b[k] / unit;
        }
    }
    joint->question.a = a;
    joint->question.b = b;
    joint->question.a_count = joint->question.b_count = n;
    joint->question.is_paired = joint->question.has_no_order = true;
    joint->question.cut_at[0] = joint->question.cut_at[1] =
        0; /* cells have limits of their own */
    joint->question.is_graded[0] = joint->question.is_graded[1] = false;
    joint->question.runs = (struct verdict_runs){0};
    return verdict_compare(&joint->question, *scratch, &joint->answer, err);
}

/* Says which cells the whole is of, and counts them: of shares all that have values; else
 * those with an interval, and small ones where `joint` has one. Where nothing has, those
 * with values: they are what leaves it undecided. */
static void take_parts(struct family *f, enum kind kind, const struct family_cell *joint)
{
    f->used = 0;
    for (int pass = 0; pass < 2 && f->used == 0; pass++) {
        for (size_t i = 0; i < f->count; i++) {
            struct family_cell *c = &f->cells[i];
            bool is_joint = c->question.is_paired && verdict_is_measured(&joint->answer);
            bool is_fit = (!is_small(c) || is_joint) && !is_idle(c);
            c->is_part = has_values(c) && (kind == KIND_SHARE || pass > 0 || is_fit);
            f->used += c->is_part;
        }
    }
}

static void add_reach(const struct family_cell *c, double share, enum kind kind,
                      struct reach *r)
{
    const struct verdict_effect *e = &c->answer.effect;
    double x = onto_scale(kind, e->ratio, e->shift);
    double low[2] = {onto_scale(kind, e->low, e->shift_low),
                     onto_scale(kind, c->answer.narrow_low, c->answer.narrow_low)};
    double high[2] = {onto_scale(kind, e->high, e->shift_high),
                      onto_scale(kind, c->answer.narrow_high, c->answer.narrow_high)};
    r->estimate += share * x;
    for (int k = 0; k < 2; k++) {
        double below = share * (x - low[k]);
        double above = share * (high[k] - x);
        r->below[k] += below * below;
        r->above[k] += above * above;
    }
}

/* The mean over the parts; the small ones are in it together, as many as they are. */
static void combine_effects(const struct family *f, const struct family_cell *joint,
                            enum kind kind, struct reach *r)
{
    double share = 1 / (double)f->used;
    size_t small = 0;
    *r = (struct reach){0};
    for (size_t i = 0; i < f->count; i++) {
        const struct family_cell *c = &f->cells[i];
        if (!c->is_part) continue;
        small += is_small(c);
        if (!is_small(c)) add_reach(c, share, kind, r);
    }
    if (small > 0) add_reach(joint, (double)small * share, kind, r);
    for (int k = 0; k < 2; k++) {
        r->below[k] = f->used > 0 ? sqrt(r->below[k]) : (double)NAN;
        r->above[k] = f->used > 0 ? sqrt(r->above[k]) : (double)NAN;
    }
}

/* All cells on one scale: a ratio only where each is one that is not idle. */
static enum kind common_kind(const struct family *f)
{
    enum kind kind = f->cells[0].question.kind;
    if (kind == KIND_SUM) kind = KIND_RATIO;
    size_t idle = 0;
    size_t rest = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct family_cell *c = &f->cells[i];
        if (!has_values(c)) continue;
        idle += is_idle(c);
        rest += !is_idle(c);
        if (!is_idle(c) && c->answer.kind != kind) kind = KIND_SHIFT;
    }
    return idle > 0 && rest == 0 ? KIND_SHIFT : kind;
}

/* A ratio asked as a shift. Its runs are logarithms: their distances from A's mean are put
 * onto A's level. */
static struct verdict_question as_shift(const struct family_cell *c, struct arena *out)
{
    struct verdict_question q = c->question;
    q.kind = KIND_SHIFT;
    double middle = moments_of(q.runs.values[0], q.runs.count[0]).mean;
    for (int s = 0; s < 2; s++) {
        double *values = arena_new(out, double, q.runs.count[s] + 1);
        for (size_t i = 0; i < q.runs.count[s]; i++)
            values[i] = c->answer.arm[0].centre * exp(q.runs.values[s][i] - middle);
        q.runs.values[s] = values;
    }
    return q;
}

/* Copies of the cells, with what the others are not asked as a shift. */
static bool onto_one_scale(struct family *f, enum kind kind, double alpha, struct arena *out,
                           struct error *err)
{
    struct family_cell *cells = arena_new(out, struct family_cell, f->count);
    memcpy(cells, f->cells, f->count * sizeof *cells);
    f->cells = cells;
    for (size_t i = 0; i < f->count; i++) {
        bool is_on_it = cells[i].answer.kind == kind || is_idle(&cells[i]);
        if (!has_values(&cells[i]) || is_on_it) continue;
        cells[i].question = as_shift(&cells[i], out);
        if (!ask_at(&cells[i], alpha, *out, err)) return false;
    }
    return true;
}

static void average_arms(const struct family *f, struct verdict_answer *whole)
{
    for (int s = 0; s < 2; s++) {
        struct verdict_arm *arm = &whole->arm[s];
        *arm = (struct verdict_arm){.median = (double)NAN,
                                    .mad = (double)NAN,
                                    .p95 = (double)NAN,
                                    .p99 = (double)NAN,
                                    .lag1 = (double)NAN,
                                    .sd = (double)NAN};
        for (size_t i = 0; i < f->count; i++) {
            const struct verdict_arm *of = &f->cells[i].answer.arm[s];
            if (!f->cells[i].is_part) continue;
            double share = 1 / (double)f->used;
            arm->n += of->n;
            arm->effective_n += of->effective_n;
            bool is_ratio = whole->kind == KIND_RATIO; /* then a geometric mean fits it */
            arm->centre += share * (is_ratio ? log(of->centre) : of->centre);
            arm->mean += share * of->mean;
        }
        if (whole->kind == KIND_RATIO) arm->centre = exp(arm->centre);
    }
}

static void put_effect(struct verdict_answer *a, const struct reach *r)
{
    struct verdict_effect *e = &a->effect;
    double low = r->estimate - r->below[0];
    double high = r->estimate + r->above[0];
    bool is_ratio = a->kind == KIND_RATIO;
    *e = (struct verdict_effect){(double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                 (double)NAN, (double)NAN, (double)NAN, NULL};
    a->narrow_low = r->estimate - r->below[1];
    a->narrow_high = r->estimate + r->above[1];
    if (is_ratio) {
        e->ratio = exp(r->estimate);
        e->low = exp(low);
        e->high = exp(high);
        a->narrow_low = exp(a->narrow_low);
        a->narrow_high = exp(a->narrow_high);
        return;
    }
    e->shift = r->estimate;
    e->shift_low = low;
    e->shift_high = high;
    double mean = a->arm[0].mean;
    if (a->kind == KIND_SHARE && mean > 0) {
        e->ratio = 1 + r->estimate / mean;
        e->low = 1 + low / mean;
        e->high = 1 + high / mean;
    }
}

static bool has_runs(const struct verdict_runs *r)
{
    return r->count[0] > 0 && r->count[1] > 0 && r->count[0] + r->count[1] > 2;
}

static bool are_alike(const struct verdict_runs *a, const struct verdict_runs *b)
{
    return a->count[0] == b->count[0] && a->count[1] == b->count[1] &&
           a->is_paired == b->is_paired;
}

/* Parts that have as many runs as this one. */
static size_t count_alike(const struct family *f, const struct verdict_runs *like)
{
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++)
        n += f->cells[i].is_part && are_alike(&f->cells[i].question.runs, like);
    return n;
}

/* What a run met happened to all its cells: one number for each run, the mean over them. Where
 * cells differ in how many runs they have (a new benchmark, a run that broke off), over the
 * largest number of them that do not: `cells`. */
static struct verdict_runs runs_of_whole(const struct family *f, struct arena *out,
                                         size_t *cells)
{
    struct verdict_runs runs = {0};
    *cells = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct verdict_runs *r = &f->cells[i].question.runs;
        size_t alike = f->cells[i].is_part && has_runs(r) ? count_alike(f, r) : 0;
        if (alike <= *cells) continue;
        *cells = alike;
        runs = *r;
    }
    for (int s = 0; s < 2; s++) {
        double *values = arena_new(out, double, runs.count[s] + 1);
        for (size_t i = 0; i < f->count; i++) {
            const struct verdict_runs *r = &f->cells[i].question.runs;
            bool is_in = f->cells[i].is_part && are_alike(r, &runs);
            for (size_t k = 0; is_in && k < runs.count[s]; k++)
                values[k] += r->values[s][k] / (double)*cells;
        }
        runs.values[s] = values;
    }
    return runs;
}

/* The whole holds what whole runs differ by: cells share it, so it does not average out.
 * Whether it had to be widened. */
static bool widen_whole(struct family *f, struct verdict_interval *v, struct arena scratch)
{
    size_t cells;
    const struct verdict_runs runs = runs_of_whole(f, &scratch, &cells);
    struct runs_difference x = verdict_between_runs(&runs);
    double width = v->high - v->low;
    if (cells < f->used) x.d = v->estimate; /* of all cells: some say how much runs differ */
    f->whole.run_sd = x.sd;
    runs_widen(&x, v->alpha, &v->low, &v->high);
    runs_widen(&x, 2 * v->alpha, &v->narrow[0], &v->narrow[1]);
    f->whole.needs_runs = v->high - v->low > 1.2 * width;
    if (f->whole.needs_runs) {
        f->whole.reasons[f->whole.reason_count++] =
            (struct verdict_reason){.code = REASON_BETWEEN_RUNS, .value = x.sd};
    }
    return v->high - v->low > width;
}

/* The smallest p that all values together could have by ranks or signs: what a normal
 * approximation puts below it is not known. */
static double least_p(const struct family *f)
{
    double n[2] = {(double)f->whole.arm[0].n, (double)f->whole.arm[1].n};
    if (f->whole.is_paired) return exp2(1 - n[0]);
    return 2 * exp(lgamma(n[0] + 1) + lgamma(n[1] + 1) - lgamma(n[0] + n[1] + 1));
}

/* Each part is the same constant in both arms, and so is the whole: nothing was tested. */
static void settle_equal(struct family *f)
{
    bool are_equal = f->used > 0;
    for (size_t i = 0; i < f->count; i++)
        are_equal &= !f->cells[i].is_part || verdict_has(&f->cells[i].answer, REASON_EQUAL);
    if (!are_equal) return;
    f->whole.is_tested = false;
    f->whole.p = 1;
    f->whole.verdict = f->whole.margin > 0 ? VERDICT_EQUIVALENT : VERDICT_UNDECIDED;
    verdict_give_reason(&f->whole, (struct verdict_reason){.code = REASON_EQUAL});
}

/* The same rules as for one cell, by its own functions: the whole is one comparison
 * of which the interval is known. */
static void settle_whole(struct family *f, enum kind kind, const struct family_cell *joint,
                         double alpha, struct arena scratch)
{
    const struct verdict_question *q = &f->cells[0].question;
    struct verdict_interval v = {.kind = kind,
                                 .higher_is_better = q->higher_is_better,
                                 .alpha = alpha,
                                 .margin = q->margin,
                                 .limit = q->limit};
    f->whole = (struct verdict_answer){.p = 1,
                                       .kind = v.kind,
                                       .is_paired = are_paired(f),
                                       .higher_is_better = q->higher_is_better,
                                       .is_of_cases = q->has_no_order,
                                       .alpha = alpha,
                                       .margin = q->margin,
                                       .limit = q->limit,
                                       .run_sd = (double)NAN,
                                       .mann_whitney = {(double)NAN, (double)NAN, false},
                                       .signed_rank = {(double)NAN, (double)NAN, false},
                                       .welch = {(double)NAN, (double)NAN, (double)NAN},
                                       .ks = {(double)NAN, (double)NAN}};
    average_arms(f, &f->whole);
    v.a_centre = f->whole.arm[0].centre;
    struct reach r = {0};
    double exact_p = 0;
    double share_at_edge = 1;
    if (v.kind == KIND_SHARE) {
        combine_shares(f, alpha, scratch, &r, &exact_p, 0, &share_at_edge);
        double edge = verdict_edge(&v, r.estimate);
        if (!isnan(edge) && edge != 0)
            combine_shares(f, alpha, scratch, &r, &exact_p, edge, &share_at_edge);
    } else {
        combine_effects(f, joint, kind, &r);
    }
    v.estimate = r.estimate;
    v.low = r.estimate - r.below[0];
    v.high = r.estimate + r.above[0];
    v.narrow[0] = r.estimate - r.below[1];
    v.narrow[1] = r.estimate + r.above[1];
    if (v.kind == KIND_SHARE) {
        size_t n[2] = {f->whole.arm[0].n, f->whole.arm[1].n};
        verdict_widen_shares(n[0] < n[1] ? n[0] : n[1], alpha, v.narrow);
    }
    bool is_wider = widen_whole(f, &v, scratch);
    r = (struct reach){.estimate = r.estimate,
                       .below = {r.estimate - v.low, r.estimate - v.narrow[0]},
                       .above = {v.high - r.estimate, v.narrow[1] - r.estimate}};
    put_effect(&f->whole, &r);
    f->whole.worst = f->whole.effect.shift;
    verdict_settle(&v, &f->whole);
    f->whole.p = fmax(f->whole.p, least_p(f));
    if (v.kind == KIND_SHARE) {
        double edge = verdict_edge(&v, r.estimate);
        double of_runs = is_wider ? f->whole.p : 0;
        f->whole.p = isnan(edge) && q->limit != 0 ? 1 : fmax(of_runs, share_at_edge);
    }
}

static bool ask_whole(struct family *f, double alpha, struct arena scratch, struct error *err)
{
    enum kind kind = common_kind(f);
    struct family_cell joint = {0};
    struct family_cell *cells = f->cells;
    if (kind != KIND_SHARE && (!onto_one_scale(f, kind, alpha, &scratch, err) ||
                               !ask_small(f, &scratch, &joint, err)))
        return false;
    take_parts(f, kind, &joint);
    settle_whole(f, kind, &joint, alpha, scratch);
    settle_equal(f);
    for (size_t i = 0; i < f->count; i++) cells[i].is_part = f->cells[i].is_part;
    f->cells = cells;
    return true;
}

/* What the whole rests on. */
static void check_questions(const struct family *f)
{
    for (size_t i = 1; i < f->count; i++) {
        CHECK(family_is_alike(&f->cells[i].question, &f->cells[0].question));
    }
}

bool family_is_alike(const struct verdict_question *a, const struct verdict_question *b)
{
    return a->kind == b->kind && a->higher_is_better == b->higher_is_better &&
           a->alpha == b->alpha && a->margin == b->margin && a->limit == b->limit;
}

static bool ask_closed(struct family *f, struct arena scratch, struct error *err)
{
    f->tested = f->used = 0;
    f->whole = (struct verdict_answer){.p = 1, .alpha = VERDICT_ALPHA};
    if (f->count == 0) return true;
    check_questions(f);
    double alpha = f->cells[0].question.alpha > 0 ? f->cells[0].question.alpha : VERDICT_ALPHA;
    for (size_t i = 0; i < f->count; i++) {
        if (!ask_at(&f->cells[i], alpha, scratch, err)) return false;
    }
    if (f->count == 1) {
        f->cells[0].is_part = has_values(&f->cells[0]);
        f->used = f->cells[0].is_part;
        f->whole = f->cells[0].answer;
    } else if (!ask_whole(f, alpha, scratch, err)) {
        return false;
    }
    return adjust(f, alpha, scratch, err);
}

static bool is_open(const struct family *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (hull_is_open(&f->cells[i].question)) return true;
    }
    return false;
}

static double larger_p(double a, double b)
{
    return isnan(a) ? b : fmax(a, b);
}

typedef bool ask_function(struct family *f, struct arena scratch, struct error *err);

/* Of what is known, against B and for B (stats/hull.h). */
static bool ask_ways(struct family *f, ask_function *ask, struct arena scratch,
                     struct error *err)
{
    if (!is_open(f)) return ask(f, scratch, err);
    struct family ways[HULL_WAYS];
    for (int k = 0; k < HULL_WAYS; k++) {
        ways[k] = *f;
        ways[k].cells = arena_new(&scratch, struct family_cell, f->count);
        for (size_t i = 0; i < f->count; i++) {
            ways[k].cells[i] = f->cells[i];
            ways[k].cells[i].question = hull_close(&f->cells[i].question, (enum hull_way)k);
        }
        if (!ask(&ways[k], scratch, err)) return false;
    }
    struct verdict_answer *whole = &ways[HULL_KNOWN].whole;
    for (int s = 0; s < 2; s++) whole->unknown[s] = whole->asked[s] = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct family_cell *c = &f->cells[i];
        const struct family_cell *against = &ways[HULL_AGAINST].cells[i];
        const struct family_cell *with = &ways[HULL_FOR].cells[i];
        c->answer = ways[HULL_KNOWN].cells[i].answer;
        c->is_part = against->is_part;
        c->p_adjusted = larger_p(against->p_adjusted, with->p_adjusted);
        hull_count(&c->question, &c->answer);
        hull_join(&c->answer, &against->answer, &with->answer);
        for (int s = 0; s < 2; s++) {
            whole->unknown[s] += c->answer.unknown[s];
            whole->asked[s] += c->answer.asked[s];
        }
    }
    hull_join(whole, &ways[HULL_AGAINST].whole, &ways[HULL_FOR].whole);
    f->whole = *whole;
    f->tested = ways[HULL_AGAINST].tested;
    f->used = ways[HULL_AGAINST].used;
    return true;
}

bool family_ask(struct family *f, struct arena scratch, struct error *err)
{
    return ask_ways(f, ask_closed, scratch, err);
}

/* What a whole of shares needs to know of a stratum. */
static void describe(struct family_cell *c)
{
    const struct verdict_question *q = &c->question;
    struct moments m[2] = {{0}, {0}};
    for (size_t i = 0; i < q->a_count; i++) {
        if (isnan(q->a[i]) || isnan(q->b[i])) continue;
        moments_add(&m[0], q->a[i]);
        moments_add(&m[1], q->b[i]);
    }
    c->answer = (struct verdict_answer){.kind = KIND_SHARE};
    for (int s = 0; s < 2; s++) {
        c->answer.arm[s] = (struct verdict_arm){.n = (size_t)m[s].count,
                                                .effective_n = (double)m[s].count,
                                                .mean = m[s].mean,
                                                .centre = m[s].mean};
    }
}

static bool ask_described(struct family *f, struct arena scratch, struct error *err)
{
    double alpha = f->cells[0].question.alpha;
    for (size_t i = 0; i < f->count; i++) describe(&f->cells[i]);
    return ask_whole(f, alpha > 0 ? alpha : VERDICT_ALPHA, scratch, err);
}

bool family_ask_strata(const struct family_stratum *strata, size_t count,
                       const struct verdict_question *how, struct arena *out,
                       struct family *family, struct error *err)
{
    *family = (struct family){.cells = arena_new(out, struct family_cell, count + 1)};
    for (size_t i = 0; i < count; i++) {
        if (strata[i].count == 0) continue;
        struct verdict_question *q = &family->cells[family->count++].question;
        *q = *how;
        q->a = strata[i].a;
        q->b = strata[i].b;
        q->a_count = q->b_count = strata[i].count;
        for (int k = 0; k < 2; k++) {
            q->a_ends[k] = strata[i].a_ends[k];
            q->b_ends[k] = strata[i].b_ends[k];
            q->cut_at[k] = strata[i].cut_at[k];
            q->is_graded[k] = strata[i].is_graded[k];
        }
        q->is_paired = true;
        q->has_no_order = true;
    }
    bool is_one = family->count < 2 || how->kind != KIND_SHARE;
    return ask_ways(family, is_one ? ask_closed : ask_described, *out, err);
}
