#include "judge/worsening.h"

#include <math.h>

const struct worsening worsening_none = {.baseline = NAN,
                                         .current = NAN,
                                         .amount = NAN,
                                         .low = NAN,
                                         .high = NAN,
                                         .alpha = VERDICT_ALPHA,
                                         .p = 1,
                                         .mde = NAN,
                                         .run_sd = NAN};

struct ask worsening_ask(const struct baseline_pair *p, const struct view_metric *then,
                         const struct view_metric *now, const struct ask_terms *terms,
                         struct arena *out)
{
    const struct ask_subject subject = {.cell = {p->baseline, p->current},
                                        .metric = {then, now},
                                        .runs = {p->runs[0], p->runs[1]},
                                        .run_count = {p->run_count[0], p->run_count[1]}};
    return ask_about(&subject, terms, out);
}

static const char *reason_of(const struct verdict_answer *a, struct arena *out)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        const struct verdict_reason *r = &a->reasons[i];
        if (r->code == REASON_EMPTY) {
            if (a->is_paired) return "no case has a value then and now";
            return r->arm ? "there are no values now" : "the baseline has no values";
        }
        if (r->code == REASON_ONE_VALUE) {
            return r->arm ? "one value now: its noise is unknown"
                          : "the baseline has one value: its noise is unknown";
        }
        if (r->code != REASON_TOO_FEW) continue;
        return a->is_paired
                   ? arena_printf(out, "%zu pairs are too few for any verdict: %.0f could",
                                  a->arm[0].n, r->value)
                   : arena_printf(out,
                                  "%zu and %zu values are too few for any verdict: %.0f on "
                                  "each side could",
                                  a->arm[0].n, a->arm[1].n, r->value);
    }
    return "too few values for an interval";
}

static size_t least_of(const struct verdict_answer *a)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        if (a->reasons[i].code == REASON_TOO_FEW) return (size_t)a->reasons[i].value;
    }
    return 0;
}

struct worsening worsening_of(const struct verdict_answer *a, bool by_case, struct arena *out)
{
    struct verdict_worsening x = verdict_worsening_of(a);
    double sd = a->run_sd;
    if (a->kind == KIND_RATIO) sd = expm1(sd);
    if (a->kind == KIND_SHIFT) sd /= fabs(a->arm[0].centre);
    return (struct worsening){
        .verdict = a->verdict,
        .is_within = a->is_within,
        .is_no_worse = a->kind == KIND_SHARE && x.worst <= 0,
        .baseline = a->arm[0].centre,
        .current = a->arm[1].centre,
        .amount = x.amount,
        .low = x.low,
        .high = x.high,
        .alpha = a->alpha,
        .p = a->p,
        .mde = a->mde,
        .is_points = a->kind == KIND_SHARE,
        .is_paired = a->is_paired,
        .by_case = by_case,
        .is_tested = a->is_tested,
        .is_deterministic = verdict_has(a, REASON_DETERMINISTIC),
        .n = {a->arm[0].n, a->arm[1].n},
        .unknown = {a->unknown[0], a->unknown[1]},
        .asked = {a->asked[0], a->asked[1]},
        .needs_runs = a->needs_runs,
        .least = least_of(a),
        .need = verdict_need_of(a),
        .run_sd = sd,
        .why = verdict_is_measured(a) ? NULL : reason_of(a, out),
    };
}

const char *worsening_text(const struct worsening *w, double amount, struct arena *out)
{
    if (isnan(amount)) return "-";
    if (isinf(amount)) return amount > 0 ? "more than 0" : "less than 0";
    double shown = fabs(amount) < 0.0005 ? 0 : 100 * amount; /* not "-0.0" */
    int decimals = fabs(shown) < 9.95 ? 1 : 0;
    return arena_printf(out, "%.*f %s", decimals, shown, w->is_points ? "points" : "%");
}

const char *worsening_unknown(const struct worsening *w, struct arena *out)
{
    const char *text = "";
    for (int s = 0; s < 2; s++) {
        if (w->unknown[s] == 0) continue;
        text = arena_printf(out, "%s; %zu of %zu %s%s %s not judged", text, w->unknown[s],
                            w->asked[s], w->by_case ? "cases" : "trials",
                            s ? "" : " of the baseline", w->unknown[s] == 1 ? "was" : "were");
    }
    return text;
}

const char *worsening_few(const struct worsening *w, struct arena *out)
{
    if (w->least == 0) return "";
    return arena_printf(out, "; %zu %s are too few for any verdict: %zu could", w->n[0],
                        w->by_case     ? "cases"
                        : w->is_paired ? "pairs"
                                       : "values",
                        w->least);
}

const char *worsening_effect(const struct worsening *w, struct arena *out)
{
    bool is_worse = w->amount >= 0;
    return arena_printf(out, "%s by %s [%s, %s]", is_worse ? "worse" : "better",
                        worsening_text(w, fabs(w->amount), out),
                        worsening_text(w, is_worse ? w->low : -w->high, out),
                        worsening_text(w, is_worse ? w->high : -w->low, out));
}
