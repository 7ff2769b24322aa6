/* Everything is computed again from the blocks at every question: levels by their load (the
 * ladder), a test of each, the bracket between the highest that holds and the lowest that
 * breaks, and from that the next load. Nothing is kept between questions, so that a search
 * goes on where it ended. breaking.h has the method and its thresholds. */
#include "judge/breaking.h"

#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/sequential.h"

#include <math.h>

#define OBJECTIVE_FACTOR 10.0 /* times the p95 at the normal load, where none is demanded */
#define PRECISION        1.05
#define REQUESTS         1000.0 /* of a block, at least */
#define REST             5.0    /* a block's length in p95 of the normal load, at least */
#define CRITICAL_GROWTH  0.86   /* times sqrt(1 / N): growth at capacity, as in the header */
#define ALPHA            0.05
#define FLOOD            2.0  /* times the breaking point: the level that shows the mode */
#define FLOOD_REQUESTS   2.0  /* times the usual */
#define SAFE_SHARE       0.8  /* of the highest load that holds */
#define FALLS_BELOW      0.85 /* of the highest rate: throughput falls */
#define OUTRUN           1.05 /* load per good answer: more than is answered */
#define MEMORY_SHARE     0.9  /* of the limit: out of memory */
#define MEMORY_GROWTH    2.0  /* times that at the normal load, when it died */
#define SLOW_FACTOR      2.0  /* times what the queue of a flood takes: slow recovery */
#define HOPELESS_S       15.0 /* of spoiled blocks and no other: the load is too much to send */
#define DISTURBED_S      30.0 /* where some were sent: something else is busy, and may end */
enum { HALVINGS_MAX = 6, SPOILED_MAX = 10, GRAINS = 3 };

const char *breaking_mode_name(enum breaking_mode m)
{
    static const char *const names[] = {[BREAKING_NONE] = "none",
                                        [BREAKING_QUEUE_GROWTH] = "queue_growth",
                                        [BREAKING_ERROR_CLIFF] = "error_cliff",
                                        [BREAKING_THROUGHPUT_FALLS] = "throughput_falls",
                                        [BREAKING_MEMORY] = "memory",
                                        [BREAKING_SLOW_RECOVERY] = "slow_recovery",
                                        [BREAKING_SLOW_ANSWERS] = "slow_answers"};
    return names[m];
}

/* ---- one level ---- */

enum level_state { LEVEL_OPEN, LEVEL_HOLDS, LEVEL_BREAKS, LEVEL_SPOILED };

/* What is tested: positive values are over the limit. */
enum criterion { CRITERION_ERRORS, CRITERION_P95, CRITERION_GROWTH, CRITERIA };

struct level {
    double load;
    enum level_state state;
    enum criterion broken_by;
    bool is_near;
    bool has_died;
    size_t blocks, spoiled;
    struct moments excess[CRITERIA];
    struct moments rate, p50_s, p95_s, error_share, refused_share, growth;
    double seconds;   /* of its last block */
    double spoiled_s; /* of all that are spoiled */
    double memory_mb; /* at its highest */
};

struct objective {
    double p95_s;
    double error_share;
    size_t blocks_max;
};

static void add_known(struct moments *m, double value)
{
    if (isfinite(value)) moments_add(m, value);
}

static void add_block(struct level *l, const struct breaking_block *b,
                      const struct objective *o)
{
    double growth = b->growth_s / (2.0 / 3 * b->seconds);
    double growth_limit = CRITICAL_GROWTH / sqrt(fmax(1, b->scheduled));
    l->seconds = b->seconds;
    l->blocks++;
    l->has_died |= b->has_died;
    add_known(&l->excess[CRITERION_ERRORS], b->error_share - o->error_share);
    add_known(&l->excess[CRITERION_P95], b->p95_s / o->p95_s - 1);
    add_known(&l->excess[CRITERION_GROWTH], growth - growth_limit);
    add_known(&l->rate, b->rate);
    add_known(&l->p50_s, b->p50_s);
    add_known(&l->p95_s, b->p95_s);
    add_known(&l->error_share, b->error_share);
    add_known(&l->refused_share, b->refused_share);
    add_known(&l->growth, growth);
    l->memory_mb = fmax(l->memory_mb, b->memory_mb);
}

/* The level of the test at the look after n blocks: what is spent by then, less what the
 * looks before have spent. */
static double look_level(size_t n, size_t most)
{
    struct sequential s = {.alpha = ALPHA, .spending = SEQUENTIAL_POCOCK, .budget = most};
    double level = 0;
    for (size_t k = BREAKING_BLOCKS; k <= n && k <= most; k += BREAKING_BLOCKS)
        level = sequential_level(&s, k);
    return level;
}

/* Over the limit, under it, or not known yet. */
static enum level_state test(const struct moments *excess, double level, bool is_last)
{
    if (excess->count == 0) return LEVEL_HOLDS; /* all failed: that is what errors say */
    enum level_state side = excess->mean > 0 ? LEVEL_BREAKS : LEVEL_HOLDS;
    if (is_last) return side;
    if (excess->count < 2) return LEVEL_OPEN;
    double se = moments_sd(excess) / sqrt((double)excess->count);
    if (!(se > 0)) return side;
    double p = dist_t_upper(fabs(excess->mean) / se, (double)(excess->count - 1));
    return p < level ? side : LEVEL_OPEN;
}

/* No more blocks will help. */
static bool is_hopeless(const struct level *l)
{
    return l->blocks < BREAKING_BLOCKS && l->spoiled >= SPOILED_MAX &&
           l->spoiled_s >= (l->blocks > 0 ? DISTURBED_S : HOPELESS_S);
}

static void decide(struct level *l, size_t most)
{
    bool is_last = l->blocks + l->spoiled >= most;
    double level = look_level(l->blocks, most);
    bool is_open = false;
    l->state = LEVEL_OPEN;
    if (l->has_died)
        l->state = LEVEL_BREAKS;
    else if (is_hopeless(l))
        l->state = LEVEL_SPOILED;
    if (l->state != LEVEL_OPEN || l->blocks < BREAKING_BLOCKS) return;
    for (enum criterion c = 0; c < CRITERIA; c++) {
        enum level_state is = test(&l->excess[c], level, is_last);
        is_open |= is == LEVEL_OPEN;
        l->is_near |= is_last && test(&l->excess[c], level, false) == LEVEL_OPEN;
        if (is != LEVEL_BREAKS || l->state == LEVEL_BREAKS) continue;
        l->state = LEVEL_BREAKS;
        l->broken_by = c;
    }
    if (l->state == LEVEL_OPEN && !is_open) l->state = LEVEL_HOLDS;
}

struct ladder { /* levels by load, ascending, each load once */
    struct level levels[BREAKING_LEVELS_MAX];
    size_t count;
};

static const struct level *level_of(const struct ladder *l, double load)
{
    const struct level *x = l->levels;
    while (x + 1 < l->levels + l->count && x->load < load) x++;
    return x;
}

/* The level of that load; NULL: there is no room for one more. */
static struct level *level_at(struct ladder *l, double load)
{
    size_t i = l->count;
    while (i > 0 && l->levels[i - 1].load > load * (1 + 1e-9)) i--;
    if (i > 0 && l->levels[i - 1].load > load * (1 - 1e-9)) return &l->levels[i - 1];
    if (l->count == BREAKING_LEVELS_MAX) return NULL;
    for (size_t k = l->count++; k > i; k--) l->levels[k] = l->levels[k - 1];
    l->levels[i] = (struct level){.load = load, .memory_mb = NAN};
    return &l->levels[i];
}

/* It ended while the generator was late: by the load, or by those that were late and came all
 * at once? And the blocks before it do not show that it holds: it may take as many to end. */
static bool has_died_spoiled(const struct breaking_level *phase)
{
    bool has = false;
    for (size_t b = 0; b < phase->count; b++) {
        if (phase->blocks[b].has_died && !phase->blocks[b].is_spoiled) return false;
        has |= phase->blocks[b].has_died;
    }
    return has;
}

static void build(struct ladder *l, const struct breaking_level *given, size_t count,
                  const struct objective *o)
{
    l->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct level *x = level_at(l, given[i].load);
        if (!x) break;
        bool is_void = has_died_spoiled(&given[i]);
        for (size_t b = 0; b < given[i].count; b++) {
            const struct breaking_block *block = &given[i].blocks[b];
            if (is_void || block->is_spoiled) {
                x->spoiled++;
                x->spoiled_s += block->seconds;
            } else {
                add_block(x, block, o);
            }
        }
    }
    for (size_t i = 0; i < l->count; i++) decide(&l->levels[i], o->blocks_max);
}

/* ---- the way it breaks ---- */

static bool name(struct breaking_answer *a, enum breaking_mode m, const char *rule,
                 double value, double threshold)
{
    if (!(value > threshold)) return false;
    a->mode = m;
    a->why = (struct breaking_evidence){rule, value, threshold};
    return true;
}

/* Nothing explains it but the limit that is missed: requests come faster than they are
 * answered, or fail, or are answered late though it keeps up. */
static void name_by_limit(const struct level *flood, const struct objective *o,
                          struct breaking_answer *a)
{
    double growth = flood->growth.mean, excess = flood->excess[CRITERION_GROWTH].mean;
    if (name(a, BREAKING_QUEUE_GROWTH, "load_of_rate", flood->load / flood->rate.mean, OUTRUN))
        return;
    if (flood->growth.count > 0 &&
        name(a, BREAKING_QUEUE_GROWTH, "growth", growth, growth - excess))
        return;
    if (name(a, BREAKING_ERROR_CLIFF, "error_share", flood->error_share.mean, o->error_share))
        return;
    if (flood->has_died && name(a, BREAKING_ERROR_CLIFF, "died", 1, 0)) return;
    a->mode = BREAKING_SLOW_ANSWERS;
    a->why = (struct breaking_evidence){"p95", flood->p95_s.mean, o->p95_s};
}

/* The first rule that fits: what it runs out of explains refusals, and refusals explain
 * that fewer are answered. */
static void name_mode(const struct ladder *l, const struct breaking_terms *t,
                      const struct objective *o, struct breaking_answer *a)
{
    const struct level *flood = NULL;             /* the highest that breaks */
    double memory = NAN, highest = 0, lowest = 0; /* the lowest rate beyond the highest */
    bool has_died = false;
    for (size_t i = 0; i < l->count; i++) {
        const struct level *x = &l->levels[i];
        if (x->state == LEVEL_SPOILED) continue;
        lowest = fmin(lowest, x->rate.mean);
        if (x->rate.mean > highest) highest = lowest = x->rate.mean;
        if (x->state != LEVEL_BREAKS) continue;
        flood = x;
        has_died |= x->has_died;
        memory = fmax(memory, x->memory_mb);
    }
    CHECK(flood);
    double before = l->levels[0].memory_mb, limit = t->memory_limit_mb;
    bool is_full = limit > 0 && before >= MEMORY_SHARE * limit; /* at any load */
    if (limit > 0 && !is_full &&
        name(a, BREAKING_MEMORY, "memory_of_limit", memory / limit, MEMORY_SHARE))
        return;
    if (has_died &&
        name(a, BREAKING_MEMORY, "memory_growth_when_it_died", memory / before, MEMORY_GROWTH))
        return;
    if (flood->refused_share.mean > flood->error_share.mean / 2 &&
        name(a, BREAKING_ERROR_CLIFF, "refused_share", flood->refused_share.mean,
             o->error_share))
        return;
    if (name(a, BREAKING_THROUGHPUT_FALLS, "fall_from_highest_rate", 1 - lowest / highest,
             1 - FALLS_BELOW))
        return;
    name_by_limit(flood, o, a);
}

static void tell_limit(const struct level *x, const struct objective *o,
                       struct breaking_answer *a)
{
    const struct breaking_evidence rows[] = {
        [CRITERION_ERRORS] = {"errors", x->error_share.mean, o->error_share},
        [CRITERION_P95] = {"p95", x->p95_s.mean, o->p95_s},
        [CRITERION_GROWTH] = {"growth", x->growth.mean,
                              x->growth.mean - x->excess[CRITERION_GROWTH].mean},
    };
    a->limit = x->has_died ? (struct breaking_evidence){"died", 1, 0} : rows[x->broken_by];
}

/* ---- the search ---- */

struct search {
    struct ladder ladder;
    struct objective objective;
    const struct breaking_terms *terms;
    double rest_s; /* a block is at least so long */
};

static void measure(const struct search *s, struct breaking_answer *a, double load, double more)
{
    double least = s->terms->seconds_min > 0 ? s->terms->seconds_min : 1;
    double most = s->terms->seconds_max > 0 ? s->terms->seconds_max : 10;
    double seconds = fmax(more * REQUESTS / load, s->rest_s);
    a->step = BREAKING_MEASURE;
    a->next_load = load;
    a->next_seconds = fmin(most, fmax(least, seconds));
    a->next_blocks = BREAKING_BLOCKS;
}

static void conclude(struct search *s, struct breaking_answer *a)
{
    const struct ladder *l = &s->ladder;
    double power = 0;
    a->step = BREAKING_DONE;
    a->point = NAN;
    for (size_t i = 0; i < l->count; i++) {
        const struct level *x = &l->levels[i];
        a->is_near |= x->is_near;
        a->highest_rate = fmax(a->highest_rate, x->rate.mean);
        if (x->p50_s.count == 0 || x->rate.mean / x->p50_s.mean <= power) continue;
        power = x->rate.mean / x->p50_s.mean;
        a->knee = x->load;
    }
    if (a->has_broken) {
        /* In short blocks a queue may seem to hold more than was ever answered. Of what ended
         * nobody knows how much it would have answered. */
        bool is_known = a->highest_rate > 0 && !level_of(l, a->breaks)->has_died;
        double most = is_known ? a->highest_rate : (double)INFINITY;
        a->point = fmin(most, a->holds > 0 ? sqrt(a->holds * a->breaks) : a->breaks);
        a->holds = fmin(a->holds, a->highest_rate);
    }
    a->safe = SAFE_SHARE * a->holds;
    a->headroom = a->holds / s->terms->normal - 1;
    if (!a->has_broken) return;
    tell_limit(level_of(l, a->breaks), &s->objective, a);
    name_mode(l, s->terms, &s->objective, a);
}

/* The level that has no verdict yet; NULL: none. */
static const struct level *unsettled(const struct ladder *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (l->levels[i].state == LEVEL_OPEN) return &l->levels[i];
    }
    return NULL;
}

/* The highest that holds below the lowest that breaks. Spoiled ones are neither. */
static void bracket(const struct ladder *l, struct breaking_answer *a)
{
    for (size_t i = 0; i < l->count && !a->has_broken; i++) {
        const struct level *x = &l->levels[i];
        if (x->state == LEVEL_HOLDS) a->holds = x->load;
        if (x->state != LEVEL_BREAKS) continue;
        a->breaks = x->load;
        a->has_broken = true;
    }
}

/* False: the normal load is not measured yet. */
static bool set_objective(struct search *s, const struct breaking_level *levels, size_t count)
{
    const struct breaking_terms *t = s->terms;
    s->objective.error_share = t->error_share;
    s->objective.p95_s = INFINITY;
    s->objective.blocks_max = t->blocks_max > 0 ? t->blocks_max : BREAKING_BLOCKS_MAX;
    build(&s->ladder, levels, count, &s->objective);
    const struct level *normal = level_at(&s->ladder, t->normal);
    if (normal && normal->p95_s.count > 0) {
        s->objective.p95_s = OBJECTIVE_FACTOR * normal->p95_s.mean;
        s->rest_s = REST * normal->p95_s.mean;
    }
    if (t->p95_s > 0) s->objective.p95_s = t->p95_s;
    return normal && (normal->blocks > 0 || normal->spoiled > 0 || normal->has_died);
}

/* Where to look next; false: nowhere. */
static bool go_on(const struct search *s, struct breaking_answer *a)
{
    const struct breaking_terms *t = s->terms;
    const struct ladder *l = &s->ladder;
    double highest = l->levels[l->count - 1].load;
    double lowest = l->levels[0].load;
    if (l->count >= BREAKING_LEVELS_MAX - 1) return false;
    if (!a->has_broken) {
        if (highest >= t->max) return false;
        measure(s, a, fmin(2 * highest, t->max), 1);
        return true;
    }
    if (a->holds == 0 && lowest > t->normal * pow(0.5, HALVINGS_MAX)) {
        measure(s, a, lowest / 2, 1);
        return true;
    }
    bool is_spoiled = level_of(l, a->breaks) != level_of(l, a->holds) + 1; /* between them */
    if (a->holds > 0 && a->breaks / a->holds > a->precision && !is_spoiled) {
        measure(s, a, sqrt(a->breaks * a->holds), 1);
        return true;
    }
    double flood = fmin(t->max, FLOOD * a->breaks);
    if (highest > flood * 0.999) return false;
    measure(s, a, flood, FLOOD_REQUESTS);
    return true;
}

void breaking_ask(const struct breaking_level *levels, size_t count,
                  const struct breaking_terms *t, struct breaking_answer *a)
{
    struct search s = {.terms = t};
    *a = (struct breaking_answer){.breaks = INFINITY, .recovery_s = NAN};
    bool has_normal = set_objective(&s, levels, count);
    a->objective_s = s.objective.p95_s;
    a->precision = t->precision > 1 ? t->precision : PRECISION;
    if (!has_normal) {
        measure(&s, a, t->normal, 1);
        return;
    }
    build(&s.ladder, levels, count, &s.objective);
    bracket(&s.ladder, a);
    const struct level *open = unsettled(&s.ladder);
    if (open) { /* blocks as long as those it has */
        measure(&s, a, open->load, 1);
        if (open->seconds > 0) a->next_seconds = open->seconds;
        return;
    }
    const struct level *top = &s.ladder.levels[s.ladder.count - 1];
    if (!a->has_broken && top->state == LEVEL_SPOILED) {
        conclude(&s, a);
        a->step = BREAKING_SPOILED;
        a->next_load = top->load;
    } else if (!go_on(&s, a)) {
        conclude(&s, a);
    }
}

void breaking_note_recovery(struct breaking_answer *a, const struct breaking_recovery *r)
{
    double queue = fmax(0, r->load - a->highest_rate) * r->flood_s;
    double drain_s = fmax(queue / (a->highest_rate - r->rest), r->grain_s);
    double least_s = isinf(r->recovery_s) ? r->left_s : r->recovery_s;
    a->recovery_s = r->recovery_s;
    if (a->mode != BREAKING_QUEUE_GROWTH || !(a->highest_rate > r->rest)) return;
    if (least_s <= drain_s + GRAINS * r->grain_s) return;
    name(a, BREAKING_SLOW_RECOVERY, "recovery_of_queue", least_s / drain_s, SLOW_FACTOR);
}
