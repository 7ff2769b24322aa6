/* What verdict.c found, for people: why something is missing, and one sentence. */
#include "stats/verdict_internal.h"

#include <math.h>

#define SHAPE_P 0.001

static void note(struct verdict_answer *answer, const char *text)
{
    CHECK(answer->note_count < VERDICT_NOTES_MAX);
    answer->notes[answer->note_count++] = text;
}

static bool is_constant(const struct verdict_arm *arm)
{
    return arm->n > 1 && arm->sd == 0;
}

static void note_data(const struct verdict_work *w, struct arena *out,
                      struct verdict_answer *answer)
{
    if (w->dropped > 0) {
        note(answer, arena_printf(out,
                                  "%zu values that are NaN, infinite or without their "
                                  "partner were left out",
                                  w->dropped));
    }
    for (int i = 0; i < 2; i++) {
        const struct verdict_arm *arm = &answer->arm[i];
        const char *name = i == 0 ? "A" : "B";
        if (arm->n == 0) note(answer, arena_printf(out, "%s has no values", name));
        if (arm->n == 1) {
            note(answer, arena_printf(out, "%s has one value: its noise is unknown", name));
        }
        if (is_constant(arm)) {
            note(answer, arena_printf(out,
                                      "all %zu values of %s are equal (%g): a constant, or "
                                      "a measure too coarse to see its noise",
                                      arm->n, name, arm->median));
        }
    }
    if (!w->is_ratio && answer->arm[0].n > 0 && answer->arm[1].n > 0) {
        note(answer, "not all values are above 0: there is no ratio, the shift decides");
    }
}

static void note_interval(const struct verdict_work *w, struct arena *out,
                          struct verdict_answer *answer)
{
    const struct verdict_arm *a = &answer->arm[0];
    const struct verdict_arm *b = &answer->arm[1];
    if (w->is_widened) {
        note(answer, arena_printf(out,
                                  "successive values resemble each other: the interval is that "
                                  "of an effective n of %.1f and %.1f",
                                  a->effective_n, b->effective_n));
    }
    if (w->wide.is_short) {
        note(answer,
             "the interval spans all differences and is still too narrow for so small an "
             "effective n: measure longer");
    }
    if (!w->wide.has_interval && a->n > 0 && b->n > 0) {
        bool is_paired = w->q->is_paired;
        const char *what = is_paired ? "pairs" : "values a side";
        note(answer, arena_printf(out,
                                  "no %g %% interval exists for so few %s (n = %zu and %zu): "
                                  "measure more%s",
                                  100 * (1 - w->alpha), what, a->n, b->n,
                                  is_paired ? " trials, or of a suite more cases" : ""));
    }
    if (isnan(answer->mde) && w->wide.has_interval) {
        note(answer, w->wide.low < w->wide.high
                         ? "no smallest detectable change: A's median is 0"
                         : "no smallest detectable change: the interval has no width");
    }
    if (!w->is_ratio && w->q->margin > 0 && a->median == 0) {
        note(answer, "a relative margin of A's median, 0, holds nothing: never equivalent");
    }
    bool excludes_none = w->wide.low > 0 || w->wide.high < 0;
    if (answer->verdict == VERDICT_EQUIVALENT && excludes_none) {
        note(answer, arena_printf(out, "the change is real, but smaller than %g %%",
                                  100 * w->q->margin));
    }
    bool is_same_level = answer->verdict != VERDICT_BETTER && answer->verdict != VERDICT_WORSE;
    if (is_same_level && !w->is_widened && answer->ks.p < SHAPE_P && answer->p > 0.05) {
        note(answer, arena_printf(out,
                                  "the spread or shape differs (KS p = %.2g) where the "
                                  "level does not",
                                  answer->ks.p));
    }
}

/* "1.082 times A, 95 % interval 1.051 to 1.114" or the like for a shift. */
static const char *effect_text(const struct verdict_work *w, const struct hodges *h,
                               double level, struct arena *out)
{
    double confidence = 100 * (1 - level);
    if (w->is_ratio) {
        return arena_printf(out, "B is %.4g times A, %g %% interval %.4g to %.4g",
                            exp(h->estimate), confidence, exp(h->low), exp(h->high));
    }
    return arena_printf(out, "B - A is %.4g, %g %% interval %.4g to %.4g", h->estimate,
                        confidence, h->low, h->high);
}

static const char *sentence(const struct verdict_work *w, const struct verdict_answer *answer,
                            struct arena *out)
{
    size_t m = answer->arm[0].n;
    size_t n = answer->arm[1].n;
    if (m == 0 || n == 0) return "undecided: there is nothing to compare";
    if (!w->wide.has_interval) {
        return arena_printf(out, "undecided: n = %zu and %zu is too few for any interval", m,
                            n);
    }
    const char *name = verdict_name(answer->verdict);
    if (answer->verdict == VERDICT_EQUIVALENT) {
        return arena_printf(out, "%s: %s, inside the margin of %g %% (n = %zu and %zu)", name,
                            effect_text(w, &w->narrow, 2 * w->alpha, out), 100 * w->q->margin,
                            m, n);
    }
    const char *effect = effect_text(w, &w->wide, w->alpha, out);
    if (answer->verdict != VERDICT_UNDECIDED || !isfinite(answer->mde)) {
        return arena_printf(out, "%s: %s (n = %zu and %zu)", name, effect, m, n);
    }
    const char *percent =
        arena_printf(out, answer->mde < 0.0995 ? "%.2g" : "%.0f", 100 * answer->mde);
    return arena_printf(out,
                        "%s: %s (n = %zu and %zu); with these data only a change of %s %% or "
                        "more would probably show",
                        name, effect, m, n, percent);
}

void verdict_say(const struct verdict_work *w, struct arena *out, struct verdict_answer *answer)
{
    note_data(w, out, answer);
    note_interval(w, out, answer);
    answer->sentence = sentence(w, answer, out);
}
