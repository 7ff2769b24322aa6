/* answer_requests.h - runs that the API was asked for. */
#ifndef REPORT_ANSWER_REQUESTS_H
#define REPORT_ANSWER_REQUESTS_H

#include "model/record.h"

struct answer_requests {
    const struct request_record *rows;
    size_t count;
};

#endif
