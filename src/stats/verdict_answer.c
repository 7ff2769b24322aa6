/* What askers read off an answer: names, how much worse, what would settle it; and two rules
 * that a whole of several cells (stats/family.h) has in common with one. */
#include "stats/verdict.h"

#include <math.h>

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"undecided", "better", "worse", "equivalent"};
    return names[verdict];
}

bool verdict_has(const struct verdict_answer *answer, enum verdict_reason_code code)
{
    for (size_t i = 0; i < answer->reason_count; i++) {
        if (answer->reasons[i].code == code) return true;
    }
    return false;
}

bool verdict_is_measured(const struct verdict_answer *answer)
{
    return !isnan(answer->effect.shift_low) || !isnan(answer->effect.low);
}

static double part_of(double shift, double a_centre)
{
    return shift == 0 ? 0 : shift / fabs(a_centre);
}

struct verdict_worsening verdict_worsening_of(const struct verdict_answer *answer)
{
    const struct verdict_effect *e = &answer->effect;
    double x[3] = {e->ratio - 1, e->low - 1, e->high - 1};
    if (answer->kind != KIND_RATIO) {
        const double shift[3] = {e->shift, e->shift_low, e->shift_high};
        for (int i = 0; i < 3; i++) {
            x[i] = answer->kind == KIND_SHARE ? shift[i]
                                              : part_of(shift[i], answer->arm[0].centre);
        }
    }
    bool is_open = answer->unknown[0] + answer->unknown[1] > 0;
    double worst = is_open ? answer->worst : x[0];
    if (!answer->higher_is_better) return (struct verdict_worsening){x[0], x[1], x[2], worst};
    return (struct verdict_worsening){-x[0], -x[2], -x[1], -worst};
}

static double reason_value(const struct verdict_answer *a, enum verdict_reason_code code)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        if (a->reasons[i].code == code) return a->reasons[i].value;
    }
    return (double)NAN;
}

struct verdict_need verdict_need_of(const struct verdict_answer *a)
{
    struct verdict_need need = {.is_of_cases = a->is_of_cases};
    bool is_equal = verdict_has(a, REASON_EQUAL);
    if (a->verdict != VERDICT_UNDECIDED || is_equal) return need;
    if (a->unknown[0] + a->unknown[1] > 0) {
        need.what = NEED_OUTCOMES;
        need.n = a->unknown[0] + a->unknown[1];
        return need;
    }
    size_t n = a->arm[0].n < a->arm[1].n ? a->arm[0].n : a->arm[1].n;
    double least = reason_value(a, REASON_TOO_FEW);
    need.what = a->needs_runs ? NEED_RUNS : NEED_VALUES;
    need.n = isnan(least) ? n + 1 : (size_t)least;
    double found = fabs(verdict_worsening_of(a).amount);
    double times = pow((a->mde - a->limit) / (found - a->limit), 2);
    if (!isfinite(a->mde) || !isnan(least) || a->needs_runs || n == 0) return need;
    if (!(times < VERDICT_NEED_MOST)) need.what = NEED_TOO_MANY;
    if (need.what == NEED_VALUES) need.n = (size_t)ceil((double)n * fmax(1, times)) + 1;
    return need;
}

/* ---- for one cell and for the whole ---- */

struct runs_difference verdict_between_runs(const struct verdict_runs *r)
{
    bool are_several = r->count[0] > 0 && r->count[1] > 0 && r->count[0] + r->count[1] > 2;
    if (!are_several) return runs_compare(NULL, 0, NULL, 0);
    return r->is_paired ? runs_compare_pairs(r->values[0], r->values[1], r->count[0])
                        : runs_compare(r->values[0], r->count[0], r->values[1], r->count[1]);
}

/* That so many units did not differ much does not say that none would: those of which n
 * units showed none, at 1 - alpha, may differ by as much as shares can. */
void verdict_widen_shares(size_t n, double alpha, double narrow[2])
{
    double unseen = 1 - pow(alpha, 1 / fmax(1, (double)n));
    double middle = (narrow[0] + narrow[1]) / 2;
    narrow[0] = fmin(narrow[0], middle - unseen);
    narrow[1] = fmax(narrow[1], middle + unseen);
}
