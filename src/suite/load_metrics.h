/* load_metrics.h - what a block of load gives: the metrics and histograms of experiment
 * `load`, and their values. */
#ifndef SUITE_LOAD_METRICS_H
#define SUITE_LOAD_METRICS_H

#include "experiment/experiment.h"
#include "load/load.h"
#include "load/subject.h"

enum load_metric {
    LOAD_METRIC_RESPONSE_P95,
    LOAD_METRIC_RATE,
    LOAD_METRIC_GOODPUT,
    LOAD_METRIC_RESPONSE_P50,
    LOAD_METRIC_RESPONSE_P90,
    LOAD_METRIC_RESPONSE_P99,
    LOAD_METRIC_RESPONSE_P999,
    LOAD_METRIC_SERVICE_P50,
    LOAD_METRIC_SERVICE_P95,
    LOAD_METRIC_SERVICE_P99,
    LOAD_METRIC_ERROR_SHARE,
    LOAD_METRIC_SCHEDULED,
    LOAD_METRIC_UNSENT,
    LOAD_METRIC_SENT,
    LOAD_METRIC_OK,
    LOAD_METRIC_FAILED,
    LOAD_METRIC_TIMED_OUT,
    LOAD_METRIC_CANCELLED,
    LOAD_METRIC_NO_CONNECTION,
    LOAD_METRIC_RESET,
    LOAD_METRIC_BAD_REPLY,
    LOAD_METRIC_BAD_STATUS,
    LOAD_METRIC_TOO_MANY,
    LOAD_METRIC_QUEUE_GROWTH,
    LOAD_METRIC_LAG_P99,
    LOAD_METRIC_GENERATOR,
    LOAD_METRIC_BUSIEST,
    LOAD_METRIC_GENERATOR_CPU,
    LOAD_METRIC_RETRY_AFTER,
    LOAD_METRIC_FIRST_TOKEN_P50,
    LOAD_METRIC_FIRST_TOKEN_P95,
    LOAD_METRIC_FIRST_TOKEN_P99,
    LOAD_METRIC_TOKEN_GAP_P50,
    LOAD_METRIC_TOKEN_GAP_P95,
    LOAD_METRIC_TOKEN_GAP_P99,
    LOAD_METRIC_TOKENS,
    LOAD_METRIC_RESPONSE_MEAN,
    LOAD_METRIC_RECOVERY,
    LOAD_METRIC_LOST,
    LOAD_METRIC_FIRST_SUCCESS,
    LOAD_METRIC_SERVER_MEMORY,
    LOAD_METRIC_SERVER_CPU,
    LOAD_METRIC_SERVER_THREADS,
    LOAD_METRIC_SERVER_FILES,
    LOAD_METRIC_SERVER_DEATHS,
    LOAD_METRIC_SERVER_GROUP,
    LOAD_METRIC_SERVER_KILLS,
    LOAD_METRIC_ACCURACY,
    LOAD_METRIC_CHECKED,
    LOAD_METRIC_CHECKED_SHARE,
    LOAD_METRIC_TURN_RATE,
    LOAD_METRIC_IN_FLIGHT,
    LOAD_METRIC_BASELINE,
    LOAD_METRIC_SPIKE_RATE,
    LOAD_METRIC_COUNT
};

enum load_histogram {
    LOAD_HISTOGRAM_RESPONSE,
    LOAD_HISTOGRAM_SERVICE,
    LOAD_HISTOGRAM_LAG,
    LOAD_HISTOGRAM_FIRST_TOKEN,
    LOAD_HISTOGRAM_TOKEN_GAP,
    LOAD_HISTOGRAM_COUNT
};
extern const struct metric load_metrics[LOAD_METRIC_COUNT];
extern const struct metric load_histograms[LOAD_HISTOGRAM_COUNT];

/* Of the answers that were judged. */
struct load_accuracy {
    double score; /* mean; NaN: none was judged */
    int64_t checked;
};

struct load_block_given {
    const struct load_result *result;
    const struct subject_use *use; /* of processes of ours; NULL */
    const struct load_accuracy *accuracy;
    double spike_share; /* of the block; 0: it has no spike */
    enum subject_fault fault;
};

void load_put_block(const struct load_block_given *g, struct trial *t);

#endif
