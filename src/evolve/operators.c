#include "evolve/operators.h"

#include <math.h>

enum { INSIGHTS_MAX = 8 };

struct segment operators_random_segment(const struct challenge *p, struct rng *rng)
{
    struct segment s;
    s.line = (int16_t)rng_below(rng, p->line_count);
    s.setting = (uint8_t)rng_below(rng, CHALLENGE_SETTINGS);
    return s;
}

/* --- whom to start from --------------------------------------------------- */

static const struct trajectory *failed_or_worst(const struct operators_input *in)
{
    const struct trajectory_pool *pool = in->pool;
    size_t failed = 0;
    for (size_t i = 0; i < pool->count; i++) failed += trajectory_is_failed(pool->items[i]);
    if (failed == 0) return trajectory_pool_worst(pool);
    size_t pick = (size_t)rng_below(in->rng, failed);
    for (size_t i = 0;; i++) {
        if (trajectory_is_failed(pool->items[i]) && pick-- == 0) return pool->items[i];
    }
}

/* The fitness from which on a trajectory counts as successful. */
static double success_level(const struct trajectory_pool *pool)
{
    double best = -1;
    double second = -1;
    for (size_t i = 0; i < pool->count; i++) {
        double f = pool->items[i]->fitness;
        if (f > best) {
            second = best;
            best = f;
        } else if (f > second) {
            second = f;
        }
    }
    return second < 0.7 ? second : 0.7;
}

static const struct trajectory *most_different(const struct operators_input *in, double level,
                                               const struct trajectory *from)
{
    const struct trajectory *other = NULL;
    double least = 2;
    for (size_t i = 0; i < in->pool->count; i++) {
        const struct trajectory *t = in->pool->items[i];
        if (t == from || t->fitness < level) continue;
        double c = embedding_cosine(in->embeddings, from->embedding, t->embedding);
        if (c < least) {
            least = c;
            other = t;
        }
    }
    return other;
}

static struct operators_child successful_pair(const struct operators_input *in)
{
    const struct trajectory_pool *pool = in->pool;
    double level = success_level(pool);
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) count += pool->items[i]->fitness >= level;
    size_t pick = (size_t)rng_below(in->rng, count);
    const struct trajectory *first = NULL;
    for (size_t i = 0; !first; i++) {
        if (pool->items[i]->fitness >= level && pick-- == 0) first = pool->items[i];
    }
    return (struct operators_child){first->genome, {first, most_different(in, level, first)}};
}

struct operators_child operators_parents(int op, const struct operators_input *in)
{
    if (op == OPERATOR_RECOMBINATION) return successful_pair(in);
    const struct trajectory *from =
        op == OPERATOR_REVISION ? failed_or_worst(in) : trajectory_pool_best(in->pool);
    return (struct operators_child){from->genome, {from, NULL}};
}

/* --- what to do with them --------------------------------------------------- */

static void revise(struct genome *g, const struct operators_input *in)
{
    size_t n = in->challenge->segments;
    size_t replaced = 0;
    for (size_t i = 0; i < n; i++) {
        if (challenge_contribution(in->challenge, g, i) > 0) continue;
        g->segments[i] = operators_random_segment(in->challenge, in->rng);
        replaced++;
    }
    if (replaced > 0) return;
    size_t at = (size_t)rng_below(in->rng, n);
    g->segments[at] = operators_random_segment(in->challenge, in->rng);
}

static void recombine(struct genome *g, const struct trajectory *other,
                      const struct operators_input *in)
{
    if (!other) return;
    for (size_t i = 0; i < in->challenge->segments; i++) {
        if (rng_next(in->rng) >> 63) g->segments[i] = other->genome.segments[i];
    }
}

static bool uses(const struct challenge *p, const struct genome *g, int16_t line)
{
    for (size_t i = 0; i < p->segments; i++) {
        if (g->segments[i].line == line) return true;
    }
    return false;
}

/* The fitness of the last one of the best quarter. */
static double quarter_level(const struct trajectory_pool *pool)
{
    double level = INFINITY;
    for (size_t k = 0; k < (pool->count + 3) / 4; k++) {
        double next = -INFINITY;
        for (size_t i = 0; i < pool->count; i++) {
            double f = pool->items[i]->fitness;
            if (f < level && f > next) next = f;
        }
        if (isfinite(next)) level = next;
    }
    return level;
}

size_t operators_insights(const struct operators_input *in, int16_t *lines, size_t max)
{
    const struct trajectory_pool *pool = in->pool;
    double level = quarter_level(pool);
    double counts[2][CHALLENGE_LINES_MAX];
    for (size_t k = 0; k < 2; k++)
        memset(counts[k], 0, in->challenge->line_count * sizeof(double));
    double of[2] = {0};
    for (size_t i = 0; i < pool->count; i++) {
        bool is_top = pool->items[i]->fitness >= level;
        of[is_top]++;
        for (size_t k = 0; k < in->challenge->segments; k++) {
            int16_t line = pool->items[i]->genome.segments[k].line;
            if (line >= 0) counts[is_top][line]++;
        }
    }
    double surplus[INSIGHTS_MAX];
    size_t count = 0;
    max = max < INSIGHTS_MAX ? max : INSIGHTS_MAX;
    for (size_t line = 0; line < in->challenge->line_count; line++) {
        double more = counts[1][line] / of[1] - (of[0] > 0 ? counts[0][line] / of[0] : 0);
        if (more <= 0) continue;
        size_t at = count;
        while (at > 0 && surplus[at - 1] < more) at--;
        if (at >= max) continue;
        if (count < max) count++;
        memmove(surplus + at + 1, surplus + at, (count - at - 1) * sizeof *surplus);
        memmove(lines + at + 1, lines + at, (count - at - 1) * sizeof *lines);
        surplus[at] = more;
        lines[at] = (int16_t)line;
    }
    return count;
}

/* A segment that satisfies nothing, else any. */
static size_t weakest(const struct genome *g, const struct operators_input *in)
{
    size_t n = in->challenge->segments;
    size_t start = (size_t)rng_below(in->rng, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = (start + i) % n;
        if (challenge_contribution(in->challenge, g, at) == 0) return at;
    }
    return start;
}

static void refine(struct genome *g, const struct operators_input *in)
{
    int16_t insights[INSIGHTS_MAX];
    size_t known = operators_insights(in, insights, INSIGHTS_MAX);
    size_t changes = 1 + (size_t)rng_below(in->rng, 2);
    for (size_t k = 0; k < changes; k++) {
        struct segment next = operators_random_segment(in->challenge, in->rng);
        uint64_t way = rng_below(in->rng, 8);
        if (way < 2) { /* another setting of what is there */
            size_t at = (size_t)rng_below(in->rng, in->challenge->segments);
            g->segments[at].setting = next.setting;
            continue;
        }
        size_t at = weakest(g, in);
        if (way == 2) {
            g->segments[at].line = -1;
            continue;
        }
        if (way < 5 && known > 0) {
            int16_t line = insights[rng_below(in->rng, known)];
            if (!uses(in->challenge, g, line)) next.line = line;
        }
        g->segments[at] = next;
    }
}

struct operators_child operators_apply(int op, const struct operators_input *in)
{
    struct operators_child c = operators_parents(op, in);
    switch (op) {
    case OPERATOR_REVISION: revise(&c.genome, in); break;
    case OPERATOR_RECOMBINATION: recombine(&c.genome, c.parents[1], in); break;
    default: refine(&c.genome, in); break;
    }
    return c;
}
