/* Elapsed time. Its number comes from the arm's two clock reads, which every
 * trial has, so that there is nothing to do here but to declare it. */
#include "instrument/instrument.h"

const struct instrument instrument_timing = {
    .name = "timing",
    .summary = "elapsed time of each trial, always on",
    .metrics = &metric_duration,
    .metric_count = 1,
};
