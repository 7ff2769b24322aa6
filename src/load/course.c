#include "load/course.h"

#include "stats/dist.h"

#include <math.h>

#define USUAL_SHARE 0.95
#define SLOW_P      0.01 /* of so many slow answers by chance */
enum { STEADY = 3, LOWEST_BITS = 10, SOME_NS = 1000000 };

static size_t bucket_of(int64_t ns)
{
    if (ns < 1 << LOWEST_BITS) return 0;
    int bits = 63 - __builtin_clzll((unsigned long long)ns);
    size_t at = (size_t)(4 * (bits - LOWEST_BITS)) + ((size_t)(ns >> (bits - 2)) & 3);
    return at < COURSE_TIMES ? at : COURSE_TIMES - 1;
}

/* Where the bucket ends. */
static int64_t top_of(size_t bucket)
{
    return (int64_t)(5 + bucket % 4) << (bucket / 4 + LOWEST_BITS - 2);
}

void course_note(struct course *c, const struct course_end *e)
{
    double share = fmin(fmax(0, e->share), 1);
    size_t at = share < 1 ? (size_t)(share * COURSE_SLOTS) : COURSE_SLOTS - 1;
    struct course_slot *slot = &c->slots[at];
    slot->ok += e->is_good;
    slot->bad += !e->is_good;
    if (e->is_good) {
        size_t time = bucket_of(e->end_ns - e->due_ns);
        slot->sum_s += 1e-9 * (double)(e->end_ns - e->due_ns);
        slot->by_time[time]++;
        if (e->end_share >= 0 && e->end_share < 1)
            c->ended[(size_t)(e->end_share * COURSE_SLOTS)][time]++;
    }
    if (e->fault_ns == 0 || e->end_ns < e->fault_ns) return;
    c->lost += !e->is_good;
    bool is_first = c->first_ns == 0 || e->end_ns < c->first_ns;
    if (e->is_good && e->sent_ns >= e->fault_ns && is_first) c->first_ns = e->end_ns;
}

void course_add(struct course *to, const struct course *c)
{
    for (size_t i = 0; i < COURSE_SLOTS; i++) {
        struct course_slot *x = &to->slots[i];
        const struct course_slot *y = &c->slots[i];
        x->sum_s += y->sum_s;
        x->ok += y->ok;
        x->bad += y->bad;
        for (size_t k = 0; k < COURSE_TIMES; k++) {
            x->by_time[k] += y->by_time[k];
            to->ended[i][k] += c->ended[i][k];
        }
    }
    to->lost += c->lost;
    bool is_first = to->first_ns == 0 || c->first_ns < to->first_ns;
    if (c->first_ns > 0 && is_first) to->first_ns = c->first_ns;
}

double course_mean_s(const struct course *c, size_t from, size_t to)
{
    double sum_s = 0;
    int64_t n = 0;
    for (size_t i = from; i < to; i++) {
        sum_s += c->slots[i].sum_s;
        n += c->slots[i].ok;
    }
    return n > 0 ? sum_s / (double)n : (double)NAN;
}

double course_peak_rate(const struct course *c, double length_s, double begin, double width)
{
    const double rounding = 1e-6;
    size_t slots = (size_t)fmax(1, width * COURSE_SLOTS + rounding);
    int64_t most = 0;
    for (size_t i = (size_t)(begin * COURSE_SLOTS + rounding); i + slots <= COURSE_SLOTS; i++) {
        int64_t n = 0;
        for (size_t at = i; at < i + slots; at++) {
            for (size_t k = 0; k < COURSE_TIMES; k++) n += c->ended[at][k];
        }
        if (n > most) most = n;
    }
    return (double)most * COURSE_SLOTS / (length_s * (double)slots);
}

/* Answers of a bucket that came in the slots before the moment. */
static int64_t count_before(const struct course *c, double begin, size_t bucket)
{
    int64_t n = 0;
    size_t slots = (size_t)(fmin(fmax(0, begin), 1) * COURSE_SLOTS);
    for (size_t i = 0; i < slots; i++) n += c->ended[i][bucket];
    return n;
}

int64_t course_baseline(const struct course *c, double begin)
{
    int64_t n = 0;
    for (size_t k = 0; k < COURSE_TIMES; k++) n += count_before(c, begin, k);
    return n;
}

/* The bucket of what is usual before the moment; false: too little was answered. */
static bool find_usual(const struct course *c, double begin, size_t *bucket)
{
    int64_t n = course_baseline(c, begin), below = 0;
    for (*bucket = 0; *bucket < COURSE_TIMES; (*bucket)++) {
        below += count_before(c, begin, *bucket);
        if ((double)below >= USUAL_SHARE * (double)n) break;
    }
    return n >= COURSE_BASELINE_MIN;
}

static int64_t count_slow(const struct course_slot *s, size_t usual)
{
    int64_t n = 0;
    for (size_t k = usual + 1; k < COURSE_TIMES; k++) n += s->by_time[k];
    return n;
}

/* This slot and the next of those that have requests. */
static bool is_steady(const struct course *c, size_t at, size_t usual)
{
    size_t seen = 0;
    int64_t n = 0, slow = 0;
    for (size_t i = at; i < COURSE_SLOTS && seen < STEADY; i++) {
        const struct course_slot *s = &c->slots[i];
        if (s->bad > 0) return false;
        if (s->ok == 0) continue;
        seen++;
        n += s->ok;
        slow += count_slow(s, usual);
    }
    /* P(X >= slow) */
    return seen == STEADY &&
           dist_binomial_upper((double)slow - 1, (double)n, 1 - USUAL_SHARE) >= SLOW_P;
}

double course_recovery_s(const struct course *c, double length_s, struct course_span span)
{
    double slot_s = length_s / COURSE_SLOTS;
    double back = fmax(span.end, span.back);
    size_t usual = 0;
    if (!(span.begin > 0 && back < 1)) return NAN;
    if (!find_usual(c, span.begin, &usual)) return NAN;
    usual = bucket_of(top_of(usual) + SOME_NS);
    for (size_t i = (size_t)(back * COURSE_SLOTS); i < COURSE_SLOTS; i++) {
        if (c->slots[i].ok == 0 || !is_steady(c, i, usual)) continue;
        double after_s = fmax((double)i * slot_s, back * length_s) - span.end * length_s;
        return after_s > slot_s / 1e3 ? after_s : 0; /* not rounding */
    }
    return NAN;
}
