/* challenge.h - what a playbook is evolved for: scenarios, and the lines it may be made of.
 *
 * A scenario wants features in three groups with weights that add up to 1. A line of the
 * library provides features: all of them at its right setting, the first half of them at
 * another. A line may need a partner: without it, it provides the first half and does harm, so
 * that a search which adds one line at a time walks away from the pair (epistasis).
 *
 *     share(s)   = sum over groups of weight * satisfied / wanted
 *     score(s)   = share(s) - harm * lonely lines + noise, within 0..1
 *     fitness    = mean score over the training scenarios - cost * used segments / segments
 *     held out   = mean of share(s) - harm, without noise, over the others; less the same cost
 *
 * The noise is drawn from the scenario and from what of its wishes is satisfied: to ask twice
 * gives the same answer, so that whoever keeps scores sees what he would have computed. */
#ifndef EVOLVE_CHALLENGE_H
#define EVOLVE_CHALLENGE_H

#include "base/str.h"

enum {
    CHALLENGE_WORDS = 8,
    CHALLENGE_FEATURES_MAX = 64 * CHALLENGE_WORDS,
    CHALLENGE_GROUPS = 3,
    CHALLENGE_SEGMENTS_MAX = 64,
    CHALLENGE_LINES_MAX = 1024,
    CHALLENGE_SCENARIOS_MAX = 512,
    CHALLENGE_SETTINGS = 2, /* of a line: 0, 1 */
};

struct feature_set {
    uint64_t bits[CHALLENGE_WORDS];
};

struct library_line {
    const char *name; /* a word: what a playbook says */
    struct str text;  /* what an agent with it says */
    struct feature_set all, half;
    uint8_t setting; /* the right one */
    int partner;     /* index of the line without which this one does harm; -1 = none */
};

struct scenario {
    const char *id;
    struct feature_set wants[CHALLENGE_GROUPS];
    double weights[CHALLENGE_GROUPS];
};

struct challenge {
    const char *agent;
    size_t segments; /* places in a playbook */
    const struct library_line *lines;
    size_t line_count;
    const struct scenario *scenarios; /* the first train_count are for training */
    size_t scenario_count;
    size_t train_count;
    double segment_cost;
    double harm;
    double noise_sd;
    uint64_t noise_seed;
    double best_known; /* training fitness without noise of the best known playbook */
};

/* One place of a playbook: a line at a setting, or nothing (line -1). */
struct segment {
    int16_t line;
    uint8_t setting;
};

/* A playbook without its text: challenge->segments places. */
struct genome {
    struct segment segments[CHALLENGE_SEGMENTS_MAX];
};

/* What a genome has to offer to every scenario. */
struct offer {
    struct feature_set has;
    int lonely; /* lines without their partners */
    int used;
};

struct offer challenge_offer(const struct challenge *p, const struct genome *g);

/* score(s), with noise or without. */
double challenge_score(const struct challenge *p, size_t scenario, const struct offer *o,
                       bool with_noise);

/* True if `o` and `before` give this scenario the same score. */
bool challenge_is_same(const struct challenge *p, size_t scenario, const struct offer *o,
                       const struct offer *before);

double challenge_cost(const struct challenge *p, const struct offer *o);

double challenge_fitness(const struct challenge *p, const struct genome *g); /* without noise */
double challenge_measured(const struct challenge *p, const struct genome *g); /* with it */
double challenge_held_out(const struct challenge *p, const struct genome *g);

/* Features that segment i alone satisfies and some training scenario wants. */
int challenge_contribution(const struct challenge *p, const struct genome *g, size_t i);

static inline void feature_add(struct feature_set *s, size_t feature)
{
    s->bits[feature / 64] |= (uint64_t)1 << (feature % 64);
}

static inline bool feature_has(const struct feature_set *s, size_t feature)
{
    return s->bits[feature / 64] >> (feature % 64) & 1;
}

static inline int feature_count(const struct feature_set *s)
{
    int n = 0;
    for (size_t i = 0; i < CHALLENGE_WORDS; i++) n += __builtin_popcountll(s->bits[i]);
    return n;
}

#endif
