/* answer_recorded.h - figures of recorded executions, and which were asked for. */
#ifndef REPORT_ANSWER_RECORDED_H
#define REPORT_ANSWER_RECORDED_H

#include "history/recorded.h"

struct answer_recorded_stats {
    struct recorded_filter filter;
    struct recorded_stats stats;
};

#endif
