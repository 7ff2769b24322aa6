#include "load/schedule.h"

#include <math.h>

struct schedule schedule_begin(const struct schedule_plan *plan)
{
    return (struct schedule){.plan = plan, .rng = rng_seeded(plan->seed)};
}

static double area(const struct schedule_piece *p)
{
    return p->length_s * (p->from_rate + p->to_rate) / 2;
}

/* How far into the piece the area is `a`: the root of r x + (r1 - r0) x^2 / 2T = a that
 * loses no digits where the slope is small. */
static double place(const struct schedule_piece *p, double a)
{
    double slope = (p->to_rate - p->from_rate) / p->length_s;
    double root = sqrt(fmax(0, p->from_rate * p->from_rate + 2 * a * slope));
    double below = p->from_rate + root;
    return below > 0 ? fmin(2 * a / below, p->length_s) : p->length_s;
}

static double gap(struct schedule *s)
{
    bool is_first = !s->has_begun;
    s->has_begun = true;
    if (s->plan->arrivals == SCHEDULE_POISSON) return rng_exponential(&s->rng);
    return is_first ? 0.5 : 1;
}

bool schedule_next(struct schedule *s, double *at_s)
{
    const struct schedule_plan *plan = s->plan;
    if (plan->trace_s) {
        if (s->at >= plan->trace_count) return false;
        *at_s = plan->trace_s[s->at++];
        return true;
    }
    if (s->at >= plan->piece_count) return false;
    double left = gap(s);
    while (s->at < plan->piece_count) {
        const struct schedule_piece *p = &plan->pieces[s->at];
        double room = area(p) - s->done;
        if (left < room) {
            s->done += left;
            *at_s = s->begin_s + place(p, s->done);
            return true;
        }
        left -= room;
        s->begin_s += p->length_s;
        s->done = 0;
        s->at++;
    }
    return false;
}

static double length_of(const struct schedule_plan *plan)
{
    if (plan->trace_s) return plan->trace_count ? plan->trace_s[plan->trace_count - 1] : 0;
    double length = 0;
    for (size_t i = 0; i < plan->piece_count; i++) length += plan->pieces[i].length_s;
    return length;
}

double schedule_expected(const struct schedule_plan *plan)
{
    if (plan->trace_s) return (double)plan->trace_count;
    double sum = 0;
    for (size_t i = 0; i < plan->piece_count; i++) sum += area(&plan->pieces[i]);
    return sum;
}

double schedule_highest_rate(const struct schedule_plan *plan)
{
    if (plan->trace_s) {
        double length = length_of(plan);
        return length > 0 ? (double)plan->trace_count / length : 0;
    }
    double highest = 0;
    for (size_t i = 0; i < plan->piece_count; i++) {
        highest = fmax(highest, fmax(plan->pieces[i].from_rate, plan->pieces[i].to_rate));
    }
    return highest;
}

static struct schedule_plan of_pieces(const struct schedule_piece *pieces, size_t count,
                                      struct arena *out)
{
    struct schedule_piece *copy = arena_new(out, struct schedule_piece, count);
    memcpy(copy, pieces, count * sizeof *pieces);
    return (struct schedule_plan){.pieces = copy, .piece_count = count};
}

struct schedule_plan schedule_constant(double rate, double length_s, struct arena *out)
{
    return of_pieces(&(struct schedule_piece){length_s, rate, rate}, 1, out);
}

struct schedule_plan schedule_ramp(double from, double to, double length_s, struct arena *out)
{
    return of_pieces(&(struct schedule_piece){length_s, from, to}, 1, out);
}

struct schedule_plan schedule_spike(double rate, double factor, double share, double length_s,
                                    struct arena *out)
{
    const struct schedule_piece pieces[] = {
        {SCHEDULE_SPIKE_BEGIN * share * length_s, rate, rate},
        {share * length_s, rate * factor, rate * factor},
        {(1 - SCHEDULE_SPIKE_END * share) * length_s, rate, rate}};
    return of_pieces(pieces, COUNT(pieces), out);
}

struct schedule_plan schedule_bursts(double rate, double period_s, double duty, double length_s,
                                     struct arena *out)
{
    size_t periods = (size_t)fmax(1, ceil(length_s / period_s));
    struct schedule_piece *pieces = arena_new(out, struct schedule_piece, 2 * periods);
    for (size_t i = 0; i < periods; i++) {
        pieces[2 * i] = (struct schedule_piece){duty * period_s, rate / duty, rate / duty};
        pieces[2 * i + 1] = (struct schedule_piece){(1 - duty) * period_s, 0, 0};
    }
    return (struct schedule_plan){.pieces = pieces, .piece_count = 2 * periods};
}
