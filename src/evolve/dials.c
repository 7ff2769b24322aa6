#include "evolve/dials.h"

#include "base/buf.h"
#include "base/rng.h"

#include <math.h>

enum { FEATURES_A_LINE = 4, WANTS_A_GROUP = 3 };

struct dials dials_at(double difficulty)
{
    return (struct dials){
        .segments = (size_t)lround(10 + 8 * difficulty),
        .lines = (size_t)lround(24 + 30 * difficulty),
        .deceptive = 0.5 * difficulty,
        .noise_sd = 0.005 + 0.015 * difficulty,
    };
}

/* The first half of the features, in the order they were given. */
static void give(struct library_line *line, const uint32_t *features, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        feature_add(&line->all, features[i]);
        if (i < count / 2) feature_add(&line->half, features[i]);
    }
}

static void name_line(struct library_line *line, size_t i, const uint32_t *features,
                      size_t count, struct arena *out)
{
    line->name = arena_printf(out, "line_%03zu", i);
    struct buf text;
    char room[256];
    buf_over(&text, room, sizeof room);
    buf_text(&text, "cover");
    for (size_t k = 0; k < count; k++) buf_printf(&text, " topic_%u", features[k]);
    line->text = str_copy(out, buf_str(&text));
}

/* Planted lines share the wanted features out; of pairs each needs the other. */
static void plant(struct library_line *lines, size_t planted, const struct dials *d,
                  struct rng *rng, struct arena *out)
{
    size_t features = planted * FEATURES_A_LINE;
    uint32_t *order = arena_new(out, uint32_t, features);
    rng_permutation(rng, order, features);
    size_t paired = 2 * (size_t)lround(d->deceptive * (double)planted / 2);
    for (size_t i = 0; i < planted; i++) {
        give(&lines[i], order + i * FEATURES_A_LINE, FEATURES_A_LINE);
        name_line(&lines[i], i, order + i * FEATURES_A_LINE, FEATURES_A_LINE, out);
        lines[i].partner = i < paired ? (int)(i ^ 1) : -1;
        lines[i].setting = (uint8_t)rng_below(rng, CHALLENGE_SETTINGS);
    }
}

/* One to three features that are wanted, and one that nobody wants. */
static void fill(struct library_line *lines, size_t planted, size_t count, struct rng *rng,
                 struct arena *out)
{
    uint32_t wanted = (uint32_t)(planted * FEATURES_A_LINE);
    for (size_t i = planted; i < count; i++) {
        uint32_t features[4];
        size_t useful = 1 + (size_t)rng_below(rng, 3);
        for (size_t k = 0; k < useful; k++) features[k] = (uint32_t)rng_below(rng, wanted);
        features[useful] = wanted + (uint32_t)rng_below(rng, CHALLENGE_FEATURES_MAX - wanted);
        give(&lines[i], features, useful + 1);
        name_line(&lines[i], i, features, useful + 1, out);
        lines[i].partner = -1;
        lines[i].setting = (uint8_t)rng_below(rng, CHALLENGE_SETTINGS);
    }
}

/* So that the planted lines are not the first ones of the library. */
static const struct library_line *shuffled(const struct library_line *lines, size_t count,
                                           uint32_t *place, struct rng *rng, struct arena *out)
{
    struct library_line *mixed = arena_new(out, struct library_line, count);
    rng_permutation(rng, place, count);
    for (size_t i = 0; i < count; i++) {
        mixed[place[i]] = lines[i];
        if (lines[i].partner >= 0) mixed[place[i]].partner = (int)place[lines[i].partner];
    }
    return mixed;
}

static const struct scenario *draw_scenarios(size_t features, struct rng *rng,
                                             struct arena *out)
{
    static const double weights[CHALLENGE_GROUPS] = {0.5, 0.3, 0.2};
    struct scenario *list = arena_new(out, struct scenario, DIALS_SCENARIOS);
    for (size_t i = 0; i < DIALS_SCENARIOS; i++) {
        list[i].id = arena_printf(out, "scenario_%zu", i + 1);
        for (size_t g = 0; g < CHALLENGE_GROUPS; g++) {
            list[i].weights[g] = weights[g];
            for (size_t k = 0; k < WANTS_A_GROUP; k++) {
                feature_add(&list[i].wants[g], (size_t)rng_below(rng, features));
            }
        }
    }
    return list;
}

/* Drops lines, one at a time, as long as the fitness rises. */
static double pruned_fitness(const struct challenge *p, struct genome *g)
{
    double best = challenge_fitness(p, g);
    for (bool is_better = true; is_better;) {
        is_better = false;
        for (size_t i = 0; i < p->segments; i++) {
            struct segment was = g->segments[i];
            g->segments[i].line = -1;
            double now = challenge_fitness(p, g);
            if (now > best) {
                best = now;
                is_better = true;
            } else {
                g->segments[i] = was;
            }
        }
    }
    return best;
}

struct challenge *dials_challenge(const char *agent, double difficulty, uint64_t seed,
                                  struct arena *out)
{
    struct dials d = dials_at(difficulty);
    size_t planted = d.segments / 2;
    struct rng rng = rng_seeded(seed);
    struct library_line *lines = arena_new(out, struct library_line, d.lines);
    plant(lines, planted, &d, &rng, out);
    fill(lines, planted, d.lines, &rng, out);
    uint32_t *place = arena_new(out, uint32_t, d.lines);
    struct challenge *p = arena_new(out, struct challenge, 1);
    *p = (struct challenge){
        .agent = agent,
        .segments = d.segments,
        .lines = shuffled(lines, d.lines, place, &rng, out),
        .line_count = d.lines,
        .scenarios = draw_scenarios(planted * FEATURES_A_LINE, &rng, out),
        .scenario_count = DIALS_SCENARIOS,
        .train_count = DIALS_TRAIN,
        .segment_cost = 0.1,
        .harm = 0.04,
        .noise_sd = d.noise_sd,
        .noise_seed = rng_next(&rng),
    };
    struct genome g;
    for (size_t i = 0; i < p->segments; i++) {
        g.segments[i] = i < planted ? (struct segment){(int16_t)place[i], lines[i].setting}
                                    : (struct segment){-1, 0};
    }
    p->best_known = pruned_fitness(p, &g);
    return p;
}
