#include "stats/hull.h"

#include <math.h>

bool hull_is_open(const struct verdict_question *q)
{
    return q->kind == KIND_SHARE && (q->a_ends[0] || q->b_ends[0]);
}

struct verdict_question hull_close(const struct verdict_question *q, enum hull_way way)
{
    struct verdict_question closed = *q;
    for (int k = 0; k < 2; k++) closed.a_ends[k] = closed.b_ends[k] = NULL;
    if (way == HULL_KNOWN) return closed;
    bool b_is_high = (way == HULL_FOR) == q->higher_is_better;
    if (q->a_ends[0]) closed.a = q->a_ends[!b_is_high];
    if (q->b_ends[0]) closed.b = q->b_ends[b_is_high];
    return closed;
}

static size_t count_open(const double *const ends[2], size_t count)
{
    size_t open = 0;
    for (size_t i = 0; ends[0] && i < count; i++) open += ends[0][i] < ends[1][i];
    return open;
}

void hull_count(const struct verdict_question *q, struct verdict_answer *answer)
{
    answer->unknown[0] = count_open(q->a_ends, q->a_count);
    answer->unknown[1] = count_open(q->b_ends, q->b_count);
    answer->asked[0] = q->a_count;
    answer->asked[1] = q->b_count;
}

static void join_effect(struct verdict_effect *e, const struct verdict_effect *x,
                        const struct verdict_effect *y)
{
    if (isnan(e->shift)) e->shift = (x->shift + y->shift) / 2; /* nothing is known */
    if (isnan(e->ratio)) e->ratio = (x->ratio + y->ratio) / 2;
    e->low = fmin(x->low, y->low);
    e->high = fmax(x->high, y->high);
    e->shift_low = fmin(x->shift_low, y->shift_low);
    e->shift_high = fmax(x->shift_high, y->shift_high);
}

void hull_join(struct verdict_answer *known, const struct verdict_answer *against,
               const struct verdict_answer *with)
{
    bool are_one = against->verdict == with->verdict;
    join_effect(&known->effect, &against->effect, &with->effect);
    known->narrow_low = fmin(against->narrow_low, with->narrow_low);
    known->narrow_high = fmax(against->narrow_high, with->narrow_high);
    known->verdict = are_one ? against->verdict : VERDICT_UNDECIDED;
    known->is_within = against->is_within && with->is_within;
    known->is_tested = against->is_tested || with->is_tested;
    known->alpha = fmin(against->alpha, with->alpha);
    known->p = fmax(against->p, with->p);
    if (!are_one && known->p < known->alpha) known->p = 1; /* decided, and not the same */
    known->mde = fmax(against->mde, with->mde);
    known->worst = against->effect.shift;
    bool is_full = known->reason_count == VERDICT_REASONS_MAX;
    if (is_full || known->unknown[0] + known->unknown[1] == 0) return;
    known->reasons[known->reason_count++] =
        (struct verdict_reason){.code = REASON_UNKNOWN,
                                .value = (double)(known->unknown[0] + known->unknown[1]),
                                .other = (double)(known->asked[0] + known->asked[1])};
}
