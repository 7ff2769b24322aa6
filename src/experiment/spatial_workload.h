/* spatial_workload.h - what the spatial experiments have in common: points, the questions put
 * to an index of them, the moves, and the check of the answers.
 *
 * A workload is drawn from a seed that all contenders share, before the clock starts. Nothing
 * but additions, multiplications, divisions and square roots enters it, so that it is the same
 * to the last bit with every compiler; `digest` says so. */
#ifndef EXPERIMENT_SPATIAL_WORKLOAD_H
#define EXPERIMENT_SPATIAL_WORKLOAD_H

#include "experiment/experiment.h"
#include "index/spatial.h"

enum spatial_pattern {
    SPATIAL_UNIFORM,   /* anywhere, each for itself */
    SPATIAL_CLUSTERED, /* five clouds; one in six anywhere */
    SPATIAL_LINEAR,    /* on the two diagonals in turn */
    SPATIAL_SPARSE,    /* as far apart as may be: one in each cell of a lattice */
    SPATIAL_RANDOM,    /* of questions: where a random point is */
};

/* Choices of parameters. */
extern const char *const spatial_algorithms[];    /* names of kinds, without brute force */
extern const char *const spatial_distributions[]; /* by enum spatial_pattern, up to SPARSE */
extern const char *const spatial_query_patterns[];
enum spatial_pattern spatial_query_pattern(int choice); /* of the last list */

struct spatial_plan {
    int algorithm;         /* index of spatial_algorithms */
    size_t movable, fixed; /* points that move, and others, numbered after them */
    double side;           /* of the square world */
    enum spatial_pattern distribution, asked;
    size_t questions;
    size_t moves;
    double stride; /* longest step of a move along an axis */
    uint64_t seed;
};

struct spatial_workload {
    struct arena arena; /* of the lists below */
    struct spatial_plan plan;
    const struct spatial_kind *kind;
    size_t count;
    struct spatial_point *points;  /* where they are at first */
    struct spatial_point *at;      /* where they are when all moves are done */
    struct spatial_point *centres; /* questions */
    struct spatial_move *moves;
    struct heap heap;          /* of the indexes and what they find */
    struct spatial_list found; /* answers; has room for all before the clock starts */
    uint64_t digest;           /* of points, centres, moves and checked answers */
};

/* Of a plan with so many points, questions and moves. */
struct experiment_demand spatial_workload_demand(double points, double questions, double moves,
                                                 const char *by);

/* Draws it. Release it after the trial, with all of its indexes closed. */
void spatial_workload_make(struct spatial_workload *w, const struct spatial_plan *plan);
void spatial_workload_release(struct spatial_workload *w);

/* An index of the plan's kind over `points`. */
void spatial_workload_open(struct spatial_workload *w, struct spatial *index);

/* One of `count` orders in which contenders within a trial have their turns; by the seed. */
int spatial_workload_draw(const struct spatial_workload *w, int count);

/* What the clock saw of all questions. */
struct spatial_times {
    double total_s;
    double mean_s; /* of a question */
    double std_s;  /* between means of blocks of ten questions; NaN of one block */
};
struct spatial_times spatial_time_radius(struct spatial_workload *w,
                                         const struct spatial *index, double radius);
struct spatial_times spatial_time_range(struct spatial_workload *w, const struct spatial *index,
                                        double half_side);
struct spatial_times spatial_time_nearest(struct spatial_workload *w,
                                          const struct spatial *index);
/* Points within `radius` of a centre and of the place so far to the right of it. */
struct spatial_times spatial_time_intersection(struct spatial_workload *w,
                                               const struct spatial *index, double radius);
struct spatial_times spatial_time_build(struct spatial_workload *w); /* without closing */

enum { SPATIAL_CHECKED = 100, SPATIAL_EDGES = 16 }; /* questions */

/* Asks an index in which all moves have been done SPATIAL_CHECKED questions of every kind, and
 * SPATIAL_EDGES with points on their very edge, and compares each answer with brute force. On
 * false `err` says which was wrong. The answers to the former enter the digest. */
MUST_USE bool spatial_workload_check(struct spatial_workload *w, const struct spatial *index,
                                     double radius, struct error *err);

/* The same of an index in which none has been done. */
MUST_USE bool spatial_workload_check_unmoved(struct spatial_workload *w,
                                             const struct spatial *index, double radius,
                                             struct error *err);

/* Checks each of these indexes, closes them all and releases the workload: false as above. */
MUST_USE bool spatial_workload_finish(struct spatial_workload *w,
                                      struct spatial *const *indexes, size_t count,
                                      double radius, struct error *err);

/* "workload_digest" and the plan, into an open object. */
struct json;
void spatial_workload_write(const struct spatial_workload *w, struct json *j);

#endif
