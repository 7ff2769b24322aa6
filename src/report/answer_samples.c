#include "report/answer_samples.h"

#include "base/human.h"
#include "base/plain.h"
#include "report/histogram.h"
#include "report/table.h"
#include "report/words.h"
#include "stats/quantile.h"

#include <math.h>

enum { PLOT_BINS = 60 };

static void put_effect(struct json *j, const struct verdict_effect *e)
{
    json_key(j, "effect");
    json_object(j);
    json_put_real(j, "ratio", e->ratio);
    json_put_real(j, "low", e->low);
    json_put_real(j, "high", e->high);
    json_put_real(j, "shift", e->shift);
    json_put_real(j, "shift_low", e->shift_low);
    json_put_real(j, "shift_high", e->shift_high);
    json_put_real(j, "cliffs_delta", e->cliffs_delta);
    json_end(j);
}

/* A side without values has no test, whatever p a formula gives. */
static void put_rank_test(struct json *j, const char *name, const char *letter,
                          const struct rank_test *t, bool is_known)
{
    json_key(j, name);
    json_object(j);
    json_put_real(j, letter, is_known ? t->statistic : (double)NAN);
    json_put_real(j, "p", is_known ? t->p : (double)NAN);
    json_put_text(j, "method", is_known ? rank_method_name(t->method) : NULL);
    json_end(j);
}

static void put_tests(struct json *j, const struct verdict_answer *a)
{
    bool is_known = a->arm[0].n > 0 && a->arm[1].n > 0;
    json_key(j, "tests");
    json_object(j);
    put_rank_test(j, "mann_whitney", "u", &a->mann_whitney, is_known);
    json_key(j, "welch");
    json_object(j);
    json_put_real(j, "t", a->welch.t);
    json_put_real(j, "df", a->welch.df);
    json_put_real(j, "p", a->welch.p);
    json_end(j);
    json_key(j, "ks");
    json_object(j);
    json_put_real(j, "d", is_known ? a->ks.d : (double)NAN);
    json_put_real(j, "p", is_known ? a->ks.p : (double)NAN);
    json_put_text(j, "method", !is_known ? NULL : a->ks.is_exact ? "exact" : "asymptotic");
    json_end(j);
    if (!isnan(a->signed_rank.p)) {
        put_rank_test(j, "signed_rank", "v", &a->signed_rank, is_known);
    }
    json_end(j);
}

static const char *reason_name(enum verdict_reason_code code)
{
    static const char *const names[REASON_COUNT] = {
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
    };
    return names[code];
}

/* Codes for programs, sentences for people, in the same order. */
static void put_reasons(struct json *j, const struct verdict_answer *a, struct arena scratch)
{
    json_key(j, "reasons");
    json_list(j);
    for (size_t i = 0; i < a->reason_count; i++) json_text(j, reason_name(a->reasons[i].code));
    json_end(j);
    json_key(j, "notes");
    json_list(j);
    for (size_t i = 0; i < a->reason_count; i++) {
        json_text(j, words_reason(a, &a->reasons[i], &scratch));
    }
    json_end(j);
    json_put_text(j, "sentence", words_verdict(a, &scratch));
    json_put_text(j, "next", words_next(a, &scratch));
}

void comparison_put(struct json *j, const struct verdict_answer *a, struct arena scratch)
{
    json_key(j, "n");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)a->arm[i].n);
    json_end(j);
    json_put_text(j, "verdict", verdict_name(a->verdict));
    json_put_text(j, "kind", kind_name(a->kind));
    json_put_real(j, "confidence", 1 - a->alpha);
    put_effect(j, &a->effect);
    put_tests(j, a);
    json_key(j, "summary");
    json_list(j);
    for (int i = 0; i < 2; i++) {
        const struct verdict_arm *arm = &a->arm[i];
        json_object(j);
        json_put_real(j, "mean", arm->mean);
        json_put_real(j, "sd", arm->sd);
        json_put_real(j, "median", arm->median);
        json_put_real(j, "mad", arm->mad);
        json_put_real(j, "p95", arm->p95);
        json_put_real(j, "p99", arm->p99);
        json_end(j);
    }
    json_end(j);
    json_put_real(j, "mde", a->mde);
    put_reasons(j, a, scratch);
}

void comparison_json(const struct verdict_answer *answer, struct arena scratch, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.compare/1");
    json_put_real(&j, "p", answer->is_tested ? answer->p : (double)NAN);
    comparison_put(&j, answer, scratch);
    json_end(&j);
    buf_add_char(out, '\n');
}

/* The bulk of both sides: of a long tail only the end bin is drawn. */
static bool plot_range(const struct comparison_side sides[2], struct arena scratch, double *low,
                       double *high)
{
    size_t count = sides[0].count + sides[1].count;
    double *all = arena_new(&scratch, double, count + 1);
    size_t n = 0;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s].count; i++) {
            if (isfinite(sides[s].values[i])) all[n++] = sides[s].values[i];
        }
    }
    if (n < 2) return false;
    stats_sort_inplace(all, n);
    double q1 = quantile_of(all, n, 0.25);
    double q3 = quantile_of(all, n, 0.75);
    double reach = 8 * (q3 - q1);
    *low = fmax(all[0], q1 - reach);
    *high = fmin(all[n - 1], q3 + reach);
    if (reach > 0) return true;
    *low = all[0];
    *high = all[n - 1];
    return true;
}

void comparison_plot(const struct comparison_side sides[2], const char *unit,
                     struct arena scratch, struct buf *out)
{
    double low = 0;
    double high = 0;
    if (!plot_range(sides, scratch, &low, &high) || !(low < high)) return;
    for (int s = 0; s < 2; s++) {
        struct histogram h;
        histogram_fill(&h, sides[s].values, sides[s].count, low, high, PLOT_BINS);
        buf_printf(out, "  %c ", "AB"[s]);
        histogram_sparkline(&h, out);
        while (out->n > 0 && out->p[out->n - 1] == ' ') out->p[--out->n] = '\0';
        buf_add_char(out, '\n');
    }
    char left[HUMAN_SIZE];
    char right[HUMAN_SIZE];
    snprintf(left, sizeof left, "%.4g", low);
    snprintf(right, sizeof right, "%.4g", high);
    if (unit) {
        human_value(unit, low, left);
        human_value(unit, high, right);
    }
    size_t used = plain_columns(str_of(left)) + plain_columns(str_of(right));
    buf_printf(out, "    %s%*s%s\n", left, (int)(PLOT_BINS - used), "", right);
}

static void put_sides(const struct verdict_answer *a, const struct comparison_side sides[2],
                      struct arena scratch, struct buf *out)
{
    struct table t;
    table_begin(&t, "lrrrrrl", &scratch);
    table_row(&t, (const char *[]){"", "n", "median", "mean", "sd", "p95", ""});
    for (int i = 0; i < 2; i++) {
        const struct verdict_arm *arm = &a->arm[i];
        const double numbers[] = {arm->median, arm->mean, arm->sd, arm->p95};
        table_add(&t, "%c", "AB"[i]);
        table_add(&t, "%zu", arm->n);
        for (size_t k = 0; k < COUNT(numbers); k++) {
            table_add(&t, isnan(numbers[k]) ? "-" : "%.5g", numbers[k]);
        }
        table_add(&t, "%s", sides[i].name);
    }
    table_write(&t, 2, out);
}

void comparison_text(const struct verdict_answer *a, const struct comparison_side sides[2],
                     struct arena scratch, struct buf *out)
{
    buf_printf(out, "%s\n\n", words_verdict(a, &scratch));
    put_sides(a, sides, scratch, out);
    buf_add_char(out, '\n');
    size_t before = out->n;
    comparison_plot(sides, NULL, scratch, out);
    if (out->n > before) buf_add_char(out, '\n');
    if (a->arm[0].n > 1 && a->arm[1].n > 1) {
        buf_printf(out,
                   "  Mann-Whitney %s, Welch %s, KS %s (these inform, "
                   "the interval decides)\n",
                   HUMAN_P(a->mann_whitney.p), HUMAN_P(a->welch.p), HUMAN_P(a->ks.p));
        buf_printf(out, "  Cliff's delta %+.2f (%s)", a->effect.cliffs_delta,
                   a->effect.cliffs_label);
        if (isfinite(a->mde)) {
            buf_text(out, "; smallest change that would probably show: ");
            buf_printf(out, a->mde < 0.0995 ? "%.2g" : "%.0f", 100 * a->mde);
            buf_text(out, a->kind == KIND_SHARE ? " points" : " %");
        }
        buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < a->reason_count; i++) {
        buf_printf(out, "  ! %s\n", words_reason(a, &a->reasons[i], &scratch));
    }
}
