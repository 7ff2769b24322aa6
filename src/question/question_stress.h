/* question_stress.h - what has a stress test concluded? */
#ifndef QUESTION_QUESTION_STRESS_H
#define QUESTION_QUESTION_STRESS_H

struct stress_params {
    const char *run; /* a selector; NULL: the newest that has some */
};

#endif
