/* detector_score.h - how often a change detector is wrong, and how often it
 * finds a step: on real series of unchanged code, and on made noise. Shared by
 * the unit test and bench/detector.c, so that both mean the same by "found". */
#ifndef TESTS_DETECTOR_SCORE_H
#define TESTS_DETECTOR_SCORE_H

#include "base/os.h"
#include "base/rng.h"
#include "stats/change.h"

#include <math.h>

enum { SERIES_COUNT = 81, SERIES_POINTS = 120 };

/* series,suite,test,lifespan,region,sku,vm,i,starttime,value */
static inline bool series_read(const char *path, double values[SERIES_COUNT][SERIES_POINTS],
                               struct arena scratch, struct error *err)
{
    struct str rest;
    if (!os_read_file(path, (size_t)8 << 20, &scratch, &rest, err)) return false;
    str_cut(&rest, '\n');
    size_t rows = 0;
    while (rest.p) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (line.n == 0) continue;
        struct str field[10];
        for (size_t i = 0; i < COUNT(field); i++) field[i] = str_cut(&line, ',');
        int64_t series;
        int64_t i;
        double value;
        if (!str_to_int(field[0], &series) || !str_to_int(field[7], &i) ||
            !str_to_real(field[9], &value) || series < 1 || series > SERIES_COUNT || i < 0 ||
            i >= SERIES_POINTS)
            return error_set(err, ERROR_INVALID, "%s: row %zu is not a point", path, rows + 2);
        values[series - 1][i] = value;
        rows++;
    }
    if (rows != (size_t)SERIES_COUNT * SERIES_POINTS)
        return error_set(err, ERROR_INVALID, "%s has %zu points, not 81 x 120", path, rows);
    return true;
}

/* Does the detector see anything in the first 100 points? */
static inline bool detector_flags(const double *values, const struct change_options *o,
                                  struct arena scratch)
{
    return change_find(values, 100, o, &scratch).count > 0;
}

/* Points 60..79 of the first 80 times `factor`: a change within 60 +- 3? */
static inline bool detector_finds(const double *values, double factor,
                                  const struct change_options *o, struct arena scratch)
{
    double y[80];
    for (size_t i = 0; i < 80; i++) y[i] = values[i] * (i < 60 ? 1 : factor);
    struct change_found found = change_find(y, 80, o, &scratch);
    for (size_t i = 0; i < found.count; i++) {
        if (found.points[i].index >= 57 && found.points[i].index <= 63) return true;
    }
    return false;
}

struct detector_score {
    size_t series;
    size_t flagged;
    size_t found10; /* of a step of +10 % */
    size_t found5;
};

static inline void detector_add(struct detector_score *score, const double *values,
                                const struct change_options *o, struct arena scratch)
{
    score->series++;
    score->flagged += detector_flags(values, o, scratch);
    score->found10 += detector_finds(values, 1.10, o, scratch);
    score->found5 += detector_finds(values, 1.05, o, scratch);
}

/* Noise around 100, of one level: nothing is to be found in it. Those after
 * NOISE_PROMISED have states or memory that last as long as a level does, or a
 * level that wanders; no alarm rate is promised there, it is only told. */
enum noise {
    NOISE_NORMAL_1,
    NOISE_NORMAL_5,
    NOISE_LOGNORMAL,
    NOISE_BIMODAL,
    NOISE_AR3,
    NOISE_AR6,
    NOISE_OUTLIERS,
    NOISE_T3,
    NOISE_ROUNDED,
    NOISE_UNSTEADY,
    NOISE_DAILY,
    NOISE_AR8,
    NOISE_PROMISED,
    NOISE_HIDDEN_AR8 = NOISE_PROMISED,
    NOISE_STATES,
    NOISE_WALK,
    NOISE_WAVE,
    NOISE_COUNT
};

static const char *const noise_names[NOISE_COUNT] = {
    "normal 1 %",      "normal 5 %",  "lognormal",   "bimodal",   "AR(1) .3",   "AR(1) .6",
    "normal+outliers", "Student t3",  "rounded",     "unsteady",  "daily wave", "AR(1) .8",
    "AR .8+white",     "long states", "random walk", "slow wave",
};

struct noise_state {
    double memory; /* standard normal at the start */
    double turn;   /* where in its wave the series begins, 0..1 */
    size_t i;
};

/* Waves of standard deviation 1, `period` points long. */
static inline double noise_wave(const struct noise_state *s, double period)
{
    return sqrt(2) * sin(2 * 3.141592653589793 * (s->turn + (double)s->i / period));
}

/* Around 0, standard deviation near 1, of the kinds with a state. */
static inline double noise_moving(enum noise kind, struct rng *r, struct noise_state *s)
{
    double z = rng_normal(r);
    double rho = kind == NOISE_AR3                               ? 0.3
                 : kind == NOISE_AR6                             ? 0.6
                 : kind == NOISE_AR8 || kind == NOISE_HIDDEN_AR8 ? 0.8
                                                                 : 0;
    switch (kind) {
    case NOISE_UNSTEADY: /* the variance has the memory: GARCH(1,1) */
        s->memory = sqrt(0.1 + (0.3 * z * z + 0.6) * s->memory * s->memory);
        return s->memory * rng_normal(r);
    case NOISE_STATES: /* two, that last 7 points on the average */
        if (rng_real(r) < 0.15) s->memory = -s->memory;
        return 0.3 * z + (s->memory > 0 ? 1 : -1);
    case NOISE_WALK: s->memory += 0.05 * rng_normal(r); return z + s->memory;
    case NOISE_DAILY: return 0.7 * z + 0.7 * noise_wave(s, 24);
    case NOISE_WAVE: return 0.7 * z + 0.7 * noise_wave(s, 60);
    default: break;
    }
    s->memory = rho * s->memory + sqrt(1 - rho * rho) * z;
    return kind == NOISE_HIDDEN_AR8 ? 0.6 * s->memory + 0.8 * rng_normal(r) : s->memory;
}

static inline double noise_next(enum noise kind, struct rng *r, struct noise_state *s)
{
    double z = rng_normal(r);
    switch (kind) {
    case NOISE_NORMAL_1: return 100 + z;
    case NOISE_NORMAL_5: return 100 + 5 * z;
    case NOISE_ROUNDED: return 100 + 4 * round(z);
    case NOISE_LOGNORMAL: return 95 * exp(0.05 * exp(0.8 * z)); /* skewed, floor at 95 */
    case NOISE_BIMODAL: return 100 + 3 * z + (rng_real(r) < 0.3 ? 20 : 0);
    case NOISE_OUTLIERS: return (100 + 2 * z) * (rng_real(r) < 0.05 ? 1 + rng_real(r) : 1);
    case NOISE_T3: {
        double a = rng_normal(r);
        double b = rng_normal(r);
        double c = rng_normal(r);
        return 100 * exp(0.05 * z / sqrt((a * a + b * b + c * c) / 3));
    }
    default: return 100 + 5 * noise_moving(kind, r, s);
    }
}

static inline struct detector_score detector_on_noise(enum noise kind, size_t series,
                                                      const struct change_options *o,
                                                      struct arena scratch)
{
    struct detector_score score = {0};
    for (size_t i = 0; i < series; i++) {
        struct rng r = rng_seeded(rng_derive(2026, kind, i));
        struct noise_state state = {rng_normal(&r), rng_real(&r), 0};
        double values[100];
        for (; state.i < COUNT(values); state.i++)
            values[state.i] = noise_next(kind, &r, &state);
        detector_add(&score, values, o, scratch);
    }
    return score;
}

#endif
