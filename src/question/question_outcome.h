/* question_outcome.h - what one run shows, and what its agents answered. */
#ifndef QUESTION_QUESTION_OUTCOME_H
#define QUESTION_QUESTION_OUTCOME_H

struct outcome_params {
    const char *run;
};

#endif
