/* Two plain samples compared, and the layout of every verdict. */
#include "judge/compare.h"
#include "report/answers.h"
#include "report/histogram.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

/* ---- JSON ---- */

static bool is_known(const struct verdict_answer *a)
{
    return a->arm[0].n > 0 && a->arm[1].n > 0;
}

/* A side without values has no test, whatever p a formula gives. */
static void put_rank_test(struct json *j, const char *letter, const struct rank_test *t,
                          bool is_known)
{
    json_object(j);
    json_put_real(j, letter, is_known ? t->statistic : (double)NAN);
    json_put_real(j, "p", is_known ? t->p : (double)NAN);
    json_put_text(j, "method", is_known ? rank_method_name(t->method) : NULL);
    json_end(j);
}

static void put_mann_whitney(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct verdict_answer *a = owner;
    put_rank_test(j, "u", &a->mann_whitney, is_known(a));
}

static void put_signed_rank(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct verdict_answer *a = owner;
    if (isnan(a->signed_rank.p))
        json_null(j);
    else
        put_rank_test(j, "v", &a->signed_rank, is_known(a));
}

LAYOUT_FIGURE_IS(ks_d, const struct verdict_answer *a, is_known(a) ? a->ks.d : (double)NAN)
LAYOUT_FIGURE_IS(ks_p, const struct verdict_answer *a, is_known(a) ? a->ks.p : (double)NAN)
LAYOUT_WORD_IS(ks_method, const struct verdict_answer *a,
               !is_known(a)     ? NULL
               : a->ks.is_exact ? "exact"
                                : "asymptotic")

#define OF struct verdict_answer
static const struct layout_field effect_fields[] = {
    LAYOUT_FIELD("ratio", effect.ratio, "B / A; null where not all values are above 0"),
    LAYOUT_FIELD("low", effect.low, "lower end of its interval"),
    LAYOUT_FIELD("high", effect.high, "upper end"),
    LAYOUT_FIELD("shift", effect.shift, "B - A"),
    LAYOUT_FIELD("shift_low", effect.shift_low, "lower end of its interval"),
    LAYOUT_FIELD("shift_high", effect.shift_high, "upper end"),
    LAYOUT_FIELD("cliffs_delta", effect.cliffs_delta, "how often B exceeds A, -1 to 1"),
};
static const struct layout effect_layout = LAYOUT(effect_fields);

static const struct layout_field welch_fields[] = {
    LAYOUT_FIELD("t", welch.t, "Welch's t"),
    LAYOUT_FIELD("df", welch.df, "degrees of freedom"),
    LAYOUT_FIELD("p", welch.p, "two-sided"),
};
static const struct layout welch_layout = LAYOUT(welch_fields);

static const struct layout_field ks_fields[] = {
    LAYOUT_FIGURE("d", ks_d, "largest distance of the two distributions"),
    LAYOUT_FIGURE("p", ks_p, "of one distribution"),
    LAYOUT_WORD("method", ks_method, "exact or asymptotic"),
};
static const struct layout ks_layout = LAYOUT(ks_fields);

static const struct layout_field test_fields[] = {
    LAYOUT_CALL("mann_whitney", put_mann_whitney, "object", "of ranks"),
    LAYOUT_GROUP("welch", &welch_layout, "of means"),
    LAYOUT_GROUP("ks", &ks_layout, "of Kolmogorov and Smirnov, of shapes"),
    LAYOUT_CALL("signed_rank", put_signed_rank, "object", "of pairs; null without"),
};
static const struct layout test_layout = LAYOUT(test_fields);
#undef OF

#define OF struct verdict_arm
static const struct layout_field arm_fields[] = {
    LAYOUT_FIELD("mean", mean, "mean"),
    LAYOUT_FIELD("sd", sd, "standard deviation"),
    LAYOUT_FIELD("median", median, "median"),
    LAYOUT_FIELD("centre", centre, "what was compared"),
    LAYOUT_FIELD("mad", mad, "median distance from the median"),
    LAYOUT_FIELD("p95", p95, "95th percentile"),
    LAYOUT_FIELD("p99", p99, "99th percentile"),
};
static const struct layout arm_layout = LAYOUT_OF(OF, arm_fields);
#undef OF

static const char *const reason_names[REASON_COUNT] = {
    [REASON_EMPTY] = "empty",
    [REASON_ONE_VALUE] = "one_value",
    [REASON_CONSTANT] = "constant",
    [REASON_LEFT_OUT] = "left_out",
    [REASON_CENSORED] = "censored",
    [REASON_NOT_POSITIVE] = "not_positive",
    [REASON_MEMORY] = "memory",
    [REASON_BETWEEN_RUNS] = "between_runs",
    [REASON_TOO_FEW] = "too_few",
    [REASON_EQUAL] = "equal",
    [REASON_DETERMINISTIC] = "deterministic",
    [REASON_NO_MDE_WIDTH] = "no_mde_width",
    [REASON_NO_MDE_ZERO] = "no_mde_zero",
    [REASON_MARGIN_OF_ZERO] = "margin_of_zero",
    [REASON_REAL_BUT_SMALL] = "real_but_small",
    [REASON_SHAPE] = "shape",
    [REASON_TAIL] = "tail",
    [REASON_UNKNOWN] = "unknown",
};

static void put_reasons(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct verdict_answer *a = owner;
    json_list(j);
    for (size_t i = 0; i < a->reason_count; i++) json_text(j, reason_names[a->reasons[i].code]);
    json_end(j);
}

static void put_notes(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct verdict_answer *a = owner;
    struct arena scratch = arena_open();
    json_list(j);
    for (size_t i = 0; i < a->reason_count; i++) {
        json_text(j, words_reason(a, &a->reasons[i], &scratch));
    }
    json_end(j);
    arena_close(&scratch);
}

static void put_n(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct verdict_answer *a = owner;
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)a->arm[i].n);
    json_end(j);
}

LAYOUT_WORD_IS(verdict_of, const struct verdict_answer *x, verdict_name(x->verdict))
LAYOUT_WORD_IS(kind_of, const struct verdict_answer *x, kind_name(x->kind))
LAYOUT_FIGURE_IS(confidence_of, const struct verdict_answer *x, 1 - x->alpha)

LAYOUT_SENTENCE_IS(sentence_of, const struct verdict_answer *x, words_verdict(x, scratch))
LAYOUT_SENTENCE_IS(next_of, const struct verdict_answer *x, words_next(x, scratch))

#define OF struct verdict_answer
static const struct layout_field verdict_fields[] = {
    LAYOUT_CALL("n", put_n, "array", "values of A and of B"),
    LAYOUT_WORD("verdict", verdict_of, "better, worse, equivalent or undecided: of B"),
    LAYOUT_WORD("kind", kind_of, "ratio, share or shift: what decided"),
    LAYOUT_FIGURE("confidence", confidence_of, "of the interval"),
    LAYOUT_GROUP("effect", &effect_layout, "how much they differ"),
    LAYOUT_GROUP("tests", &test_layout, "they inform, the interval decides"),
    LAYOUT_ROW_OF("summary", arm, &arm_layout, "of A and of B"),
    LAYOUT_FIELD("mde", mde, "smallest change that would probably show: relative, or points"),
    LAYOUT_CALL("reasons", put_reasons, "array", "why it is so, as codes"),
    LAYOUT_CALL("notes", put_notes, "array", "the same in words"),
    LAYOUT_SENTENCE("sentence", sentence_of, "the answer in words"),
    LAYOUT_SENTENCE("next", next_of, "what would decide it; null where it is decided"),
};
const struct layout answer_verdict_layout = LAYOUT_OF(OF, verdict_fields);
#undef OF

double answer_verdict_p(const struct verdict_answer *a)
{
    return a->is_tested ? a->p : (double)NAN;
}

LAYOUT_FIGURE_IS(p_of, const struct compare_samples *x, answer_verdict_p(&x->answer))

#define OF struct compare_samples
static const struct layout_field samples_fields[] = {
    LAYOUT_FIGURE("p", p_of, "of no effect, by the test that belongs to the interval"),
    LAYOUT_PART(answer, &answer_verdict_layout),
};
static const struct layout samples_layout = LAYOUT(samples_fields);
#undef OF

/* ---- text ---- */

static void put_sides(const struct compare_samples *s, struct arena scratch, struct buf *out)
{
    struct table t;
    table_begin(&t, "lrrrrrl", &scratch);
    table_row(&t, (const char *[]){"", "n", "median", "mean", "sd", "p95", ""});
    for (int i = 0; i < 2; i++) {
        const struct verdict_arm *arm = &s->answer.arm[i];
        const double numbers[] = {arm->median, arm->mean, arm->sd, arm->p95};
        table_add(&t, "%c", "AB"[i]);
        table_add(&t, "%zu", arm->n);
        for (size_t k = 0; k < COUNT(numbers); k++) {
            table_add(&t, isnan(numbers[k]) ? "-" : "%.5g", numbers[k]);
        }
        table_add(&t, "%s", s->side[i].name);
    }
    table_write(&t, 2, out);
}

static void put_tests(const struct verdict_answer *a, struct arena scratch, struct buf *out)
{
    if (a->arm[0].n < 2 || a->arm[1].n < 2) return;
    const char *welch = isnan(a->welch.p) ? "-" : arena_printf(&scratch, "%.3g", a->welch.p);
    buf_printf(out,
               "  Mann-Whitney p = %.3g, Welch p = %s, KS p = %.3g (these inform, "
               "the interval decides)\n",
               a->mann_whitney.p, welch, a->ks.p);
    buf_printf(out, "  Cliff's delta %+.2f (%s)", a->effect.cliffs_delta,
               a->effect.cliffs_label);
    if (isfinite(a->mde)) {
        buf_printf(out, "; smallest change that would probably show: %s",
                   words_size(a->mde, a->kind, &scratch));
    }
    buf_add_char(out, '\n');
}

static void samples_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct compare_samples *s = answer;
    const struct verdict_answer *a = &s->answer;
    if (look->quiet) {
        buf_printf(out, "%s\n", verdict_name(a->verdict));
        return;
    }
    struct arena scratch = arena_open();
    buf_printf(out, "%s\n\n", words_verdict(a, &scratch));
    put_sides(s, scratch, out);
    buf_add_char(out, '\n');
    const struct histogram_side sides[2] = {{s->side[0].values, s->side[0].count},
                                            {s->side[1].values, s->side[1].count}};
    size_t before = out->n;
    histogram_pair(sides, NULL, scratch, out);
    if (out->n > before) buf_add_char(out, '\n');
    put_tests(a, scratch, out);
    for (size_t i = 0; i < a->reason_count; i++) {
        buf_printf(out, "  ! %s\n", words_reason(a, &a->reasons[i], &scratch));
    }
    arena_close(&scratch);
}

/* ---- plots ---- */

static struct plot_list samples_plots(const void *answer, struct arena *out)
{
    const struct compare_samples *s = answer;
    return plot_effects(&(struct plot_effect){s->side[1].name, &s->answer}, 1, "B against A",
                        NULL, out);
}

const struct answer answer_samples = {
    .name = "samples",
    .summary = "two plain samples: effect, interval and verdict",
    .schema = "assay.compare/1",
    .layout = &samples_layout,
    .judges = true,
    .text = samples_text,
    .plots = samples_plots,
};
