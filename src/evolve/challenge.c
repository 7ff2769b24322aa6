#include "evolve/challenge.h"

#include "base/rng.h"

static struct feature_set both(const struct feature_set *a, const struct feature_set *b)
{
    struct feature_set out;
    for (size_t i = 0; i < CHALLENGE_WORDS; i++) out.bits[i] = a->bits[i] & b->bits[i];
    return out;
}

static void join(struct feature_set *to, const struct feature_set *from)
{
    for (size_t i = 0; i < CHALLENGE_WORDS; i++) to->bits[i] |= from->bits[i];
}

static bool has_line(const struct challenge *p, const struct genome *g, int line)
{
    for (size_t i = 0; i < p->segments; i++) {
        if (g->segments[i].line == line) return true;
    }
    return false;
}

static const struct feature_set *given(const struct library_line *line, struct segment s)
{
    return s.setting == line->setting ? &line->all : &line->half;
}

static struct offer offer_without(const struct challenge *p, const struct genome *g, size_t but)
{
    struct offer o = {0};
    for (size_t i = 0; i < p->segments; i++) {
        struct segment s = g->segments[i];
        if (i == but || s.line < 0) continue;
        const struct library_line *line = &p->lines[s.line];
        o.used++;
        bool is_lonely = line->partner >= 0 && !has_line(p, g, line->partner);
        o.lonely += is_lonely;
        join(&o.has, is_lonely ? &line->half : given(line, s));
    }
    return o;
}

struct offer challenge_offer(const struct challenge *p, const struct genome *g)
{
    return offer_without(p, g, SIZE_MAX);
}

/* The same for the same satisfied wishes, whatever else the playbook has. */
static double noise(const struct challenge *p, size_t scenario, const struct offer *o)
{
    uint64_t key = rng_derive(p->noise_seed, scenario, (uint64_t)o->lonely);
    for (size_t g = 0; g < CHALLENGE_GROUPS; g++) {
        struct feature_set met = both(&o->has, &p->scenarios[scenario].wants[g]);
        for (size_t i = 0; i < CHALLENGE_WORDS; i++) {
            if (met.bits[i]) key = rng_derive(key, g * CHALLENGE_WORDS + i, met.bits[i]);
        }
    }
    struct rng rng = rng_seeded(key);
    return p->noise_sd * rng_normal(&rng);
}

double challenge_score(const struct challenge *p, size_t scenario, const struct offer *o,
                       bool with_noise)
{
    const struct scenario *s = &p->scenarios[scenario];
    double score = 0;
    for (size_t g = 0; g < CHALLENGE_GROUPS; g++) {
        int wanted = feature_count(&s->wants[g]);
        struct feature_set met = both(&o->has, &s->wants[g]);
        if (wanted > 0) score += s->weights[g] * feature_count(&met) / wanted;
    }
    score -= p->harm * o->lonely;
    if (with_noise && p->noise_sd > 0) score += noise(p, scenario, o);
    return score < 0 ? 0 : score > 1 ? 1 : score;
}

bool challenge_is_same(const struct challenge *p, size_t scenario, const struct offer *o,
                       const struct offer *before)
{
    if (o->lonely != before->lonely) return false;
    const struct scenario *s = &p->scenarios[scenario];
    for (size_t g = 0; g < CHALLENGE_GROUPS; g++) {
        for (size_t i = 0; i < CHALLENGE_WORDS; i++) {
            if ((o->has.bits[i] ^ before->has.bits[i]) & s->wants[g].bits[i]) return false;
        }
    }
    return true;
}

double challenge_cost(const struct challenge *p, const struct offer *o)
{
    return p->segment_cost * o->used / (double)p->segments;
}

static double mean_score(const struct challenge *p, const struct genome *g, size_t from,
                         size_t to, bool with_noise)
{
    if (from == to) return 0;
    struct offer o = challenge_offer(p, g);
    double sum = 0;
    for (size_t i = from; i < to; i++) sum += challenge_score(p, i, &o, with_noise);
    return sum / (double)(to - from) - challenge_cost(p, &o);
}

double challenge_fitness(const struct challenge *p, const struct genome *g)
{
    return mean_score(p, g, 0, p->train_count, false);
}

double challenge_measured(const struct challenge *p, const struct genome *g)
{
    return mean_score(p, g, 0, p->train_count, true);
}

double challenge_held_out(const struct challenge *p, const struct genome *g)
{
    return mean_score(p, g, p->train_count, p->scenario_count, false);
}

int challenge_contribution(const struct challenge *p, const struct genome *g, size_t i)
{
    if (g->segments[i].line < 0) return 0;
    const struct library_line *line = &p->lines[g->segments[i].line];
    struct offer others = offer_without(p, g, i);
    struct feature_set wanted = {0};
    for (size_t s = 0; s < p->train_count; s++) {
        for (size_t k = 0; k < CHALLENGE_GROUPS; k++) join(&wanted, &p->scenarios[s].wants[k]);
    }
    bool is_lonely = line->partner >= 0 && !has_line(p, g, line->partner);
    struct feature_set mine =
        both(is_lonely ? &line->half : given(line, g->segments[i]), &wanted);
    for (size_t k = 0; k < CHALLENGE_WORDS; k++) mine.bits[k] &= ~others.has.bits[k];
    return feature_count(&mine);
}
