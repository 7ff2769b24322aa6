/* answer_plan.h - a plan, and how long it will take. */
#ifndef REPORT_ANSWER_PLAN_H
#define REPORT_ANSWER_PLAN_H

#include "spec/estimate.h"

struct answer_plan {
    struct plan plan;
    struct estimate estimate;
    bool is_whole; /* its text lists every cell, not only the first 20 */
};

#endif
