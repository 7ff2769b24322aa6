/* Arms of a group against its first, in words. They follow the verdict, never the ends of an
 * interval, and the interval shown is the one that decided: of what is equivalent the narrower
 * one (stats/verdict.h). */
#include "base/human.h"
#include "report/phrase.h"

#include "report/words.h"

#include <math.h>

/* ---- effects ---- */

struct phrase_effect phrase_effect_of(const struct verdict_answer *a, bool is_flipped)
{
    const struct verdict_effect *e = &a->effect;
    bool is_ratio = a->kind == KIND_RATIO;
    bool is_narrow = a->verdict == VERDICT_EQUIVALENT;
    struct phrase_effect x = {.kind = a->kind,
                              .value = is_ratio ? e->ratio : e->shift,
                              .low = is_ratio ? e->low : e->shift_low,
                              .high = is_ratio ? e->high : e->shift_high};
    if (is_narrow) {
        x.low = a->narrow_low;
        x.high = a->narrow_high;
    }
    if (!is_flipped) return x;
    return (struct phrase_effect){.kind = x.kind,
                                  .value = is_ratio ? 1 / x.value : -x.value,
                                  .low = is_ratio ? 1 / x.high : -x.high,
                                  .high = is_ratio ? 1 / x.low : -x.low};
}

static void put_end(struct buf *out, int decimals, double v)
{
    if (isfinite(v)) {
        buf_printf(out, "%.*f", decimals, v);
    } else {
        buf_text(out, v > 0 ? "∞" : "-∞");
    }
}

static void put_ratio(struct buf *out, double ratio, double low, double high, const char *x)
{
    bool has_interval = !isnan(low) && !isnan(high);
    double width = has_interval && isfinite(high) ? high - low : 0;
    int decimals = width > 0 ? (int)fmin(fmax(ceil(-log10(width)), 2), 5) : 2;
    if (ratio >= 100) decimals = 0;
    put_end(out, decimals, ratio);
    buf_text(out, x);
    if (!has_interval) return;
    buf_text(out, " [");
    put_end(out, decimals, low);
    buf_text(out, ", ");
    put_end(out, decimals, high);
    buf_add_char(out, ']');
}

void phrase_ratio(struct buf *out, double ratio, double low, double high)
{
    put_ratio(out, ratio, low, high, "");
}

void phrase_effect(struct buf *out, const struct view *view, const struct view_metric *metric,
                   const struct phrase_effect *x, const char *times)
{
    if (x->kind == KIND_RATIO) {
        put_ratio(out, x->value, x->low, x->high, times);
    } else if (x->kind == KIND_SHARE) {
        buf_printf(out, "%+.1f points", 100 * x->value);
        if (isnan(x->low)) return;
        buf_printf(out, " [%+.1f, %+.1f]", 100 * x->low, 100 * x->high);
    } else {
        struct human_scale scale = phrase_scale(view, metric);
        phrase_quantity(out, &scale, x->value);
        buf_add_char(out, ' ');
        phrase_interval(out, &scale, x->low, x->high);
    }
}

void phrase_basis(struct buf *out, const struct verdict_answer *a)
{
    if (verdict_is_measured(a)) {
        struct arena scratch = arena_open();
        bool is_narrow = a->verdict == VERDICT_EQUIVALENT;
        buf_printf(out, "%s %% interval, ",
                   words_confidence(is_narrow ? 2 * a->alpha : a->alpha, &scratch));
        arena_close(&scratch);
    }
    if (a->is_paired) {
        buf_printf(out, "%zu pair%s", a->arm[0].n, PLURAL(a->arm[0].n));
    } else {
        buf_printf(out, "n = %zu and %zu", a->arm[0].n, a->arm[1].n);
    }
}

const char *phrase_effect_name(enum kind kind)
{
    return kind == KIND_RATIO ? "ratio" : "difference";
}

/* ---- sentences ---- */

static bool is_simulated(const struct view_cell *cell)
{
    const char *provenance = cell->record.provenance;
    return provenance && strcmp(provenance, "simulated") == 0;
}

/* Arms have as many trials unless one was stopped: from there on the other has no pairs. */
static void put_end_of_pairs(struct buf *out, const struct view_cell *a,
                             const struct view_cell *b)
{
    const struct view_cell *ended = a->trial_count < b->trial_count ? a : b;
    if (a->trial_count == b->trial_count || ended->trial_count == 0) return;
    buf_printf(out, "; unpaired from trial %zu on, where %s was stopped", ended->trial_count,
               phrase_label(ended));
}

/* "B ran 1.10 x [1.08, 1.12] faster than A": said of the better one, with a factor above 1 or
 * a difference above 0. */
static void put_better(struct buf *out, const struct view *view,
                       const struct view_comparison *c, const struct view_cell *better,
                       const struct view_cell *worse)
{
    const struct verdict_answer *a = &c->answer;
    const struct view_metric *metric = &view->cells[c->cell].metrics[0];
    bool is_lower = !a->higher_is_better;
    bool is_time = is_lower && strcmp(metric->unit, "s") == 0;
    bool is_below = (better == &view->cells[c->cell]) == is_lower;
    struct phrase_effect x = phrase_effect_of(a, is_below);
    if (is_time) {
        buf_printf(out, "%s ran ", phrase_label(better));
    } else {
        buf_printf(out, "%s: %s ", phrase_label(better), metric->name);
    }
    if (isfinite(x.value)) {
        phrase_effect(out, view, metric, &x, " x");
        buf_add_char(out, ' ');
    } else if (isfinite(x.low) && x.low > 0) {
        buf_printf(out, "more than %.2f x ", x.low);
    }
    buf_printf(out, "%s than %s",
               is_time    ? "faster"
               : is_lower ? "lower"
                          : "higher",
               phrase_label(worse));
    if (is_simulated(better) || is_simulated(worse))
        buf_printf(out, " (%s is simulated)",
                   phrase_label(is_simulated(better) ? better : worse));
    buf_text(out, " (");
    phrase_basis(out, a);
    buf_add_char(out, ')');
}

/* Neither is better: the two are equivalent, or it is undecided. */
static void put_open(struct buf *out, const struct view *view, const struct view_comparison *c,
                     const char *b, const char *a)
{
    const struct verdict_answer *answer = &c->answer;
    struct phrase_effect x = phrase_effect_of(answer, false);
    if (answer->verdict == VERDICT_EQUIVALENT) {
        struct arena scratch = arena_open();
        buf_printf(out, "%s and %s are the same within %s", b, a,
                   words_size(answer->margin, answer->kind, &scratch));
        arena_close(&scratch);
    } else if (verdict_is_measured(answer)) {
        buf_printf(out, "no difference shown between %s and %s", b, a);
    } else {
        buf_printf(out, "%s against %s", b, a);
    }
    buf_printf(out, ": %s ", phrase_effect_name(x.kind));
    phrase_effect(out, view, &view->cells[c->cell].metrics[0], &x, "");
    buf_text(out, " (");
    phrase_basis(out, answer);
    buf_text(out, verdict_is_measured(answer) ? ")" : ": too few for an interval)");
}

static void put_censored(struct buf *out, const struct verdict_answer *a)
{
    struct arena scratch = arena_open();
    for (size_t i = 0; i < a->reason_count; i++) {
        if (a->reasons[i].code == REASON_CENSORED)
            buf_printf(out, "; %s", words_reason(a, &a->reasons[i], &scratch));
    }
    arena_close(&scratch);
}

const char *phrase_paired(const struct view *view)
{
    return view->suite_count > 0 ? "paired cases" : "paired trials";
}

void phrase_comparison(struct buf *out, const struct view *view,
                       const struct view_comparison *c)
{
    const struct view_cell *b = &view->cells[c->cell];
    const struct view_cell *a = &view->cells[c->reference];
    const struct verdict_answer *answer = &c->answer;
    if (!c->is_asked || answer->arm[0].n == 0 || answer->arm[1].n == 0) {
        buf_printf(out, "%s against %s: nothing to compare (0 pairs)", phrase_label(b),
                   phrase_label(a));
    } else if (answer->verdict == VERDICT_BETTER) {
        put_better(out, view, c, b, a);
    } else if (answer->verdict == VERDICT_WORSE) {
        put_better(out, view, c, a, b);
    } else {
        put_open(out, view, c, phrase_label(b), phrase_label(a));
    }
    if (c->is_asked) put_censored(out, answer);
    put_end_of_pairs(out, a, b);
}
