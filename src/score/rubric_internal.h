/* rubric_internal.h - the tree that rubric_read.c makes and rubric.c walks. */
#ifndef SCORE_RUBRIC_INTERNAL_H
#define SCORE_RUBRIC_INTERNAL_H

#include "score/rubric.h"

enum { RUBRIC_DEPTH_MAX = 8, RUBRIC_CHECKS_MAX = 200, RUBRIC_NO_DIMENSION = -1 };

/* A check, or a group of nodes. */
struct rubric_node {
    const struct check_kind *kind; /* NULL = a group */
    const void *config;
    const char *group;
    double weight;    /* in its level; the weights of a level add up to 1 */
    double share;     /* of the whole: the product of the weights above */
    double threshold; /* of a group: below it the group scores 0; 0 = none */
    int dimension;
    size_t index; /* of a check, in reading order */
    struct rubric_node *nodes;
    size_t count;
};

struct rubric {
    struct rubric_node root; /* a group without name */
    size_t checks;
};

#endif
