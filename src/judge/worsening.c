/* Only the sign and the scale change here: of every metric above 0 is worse, relative to the
 * baseline or in points. Between ratios and differences the spread of runs is converted
 * likewise (sd of logarithms: e^sd - 1). */
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

struct compare_gap worsening_gap(const struct baseline_pair *p, const struct view_metric *then,
                                 const struct view_metric *now)
{
    struct compare_gap gap = compare_gap_of(then, now);
    if (gap.code != COMPARE_FITS || !p->hosts[0] || !metric_is_of_machine(now->unit))
        return gap;
    return (struct compare_gap){COMPARE_HOSTS, p->hosts[0], p->hosts[1]};
}

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

static struct verdict_reason reason_of(const struct verdict_answer *a)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        enum verdict_reason_code code = a->reasons[i].code;
        bool is_why =
            code == REASON_EMPTY || code == REASON_ONE_VALUE || code == REASON_TOO_FEW;
        if (is_why) return a->reasons[i];
    }
    return (struct verdict_reason){.code = REASON_COUNT};
}

static size_t least_of(const struct verdict_answer *a)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        if (a->reasons[i].code == REASON_TOO_FEW) return (size_t)a->reasons[i].value;
    }
    return 0;
}

struct worsening worsening_of(const struct verdict_answer *a, bool by_case)
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
        .has_no_interval = !verdict_is_measured(a),
        .why = reason_of(a),
    };
}
