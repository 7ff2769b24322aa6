/* bootstrap_internal.h - a sample as counts: how often each of its values is
 * drawn. One form serves plain, paired, clustered and stratified resampling,
 * and leaving one unit out. */
#ifndef STATS_BOOTSTRAP_INTERNAL_H
#define STATS_BOOTSTRAP_INTERNAL_H

#include "stats/bootstrap.h"

struct bootstrap_counted {
    const struct bootstrap_sample *sample;
    uint32_t *order;  /* indices by ascending value; NULL if not needed */
    uint32_t *counts; /* by index; those of the first sample if paired */
};

/* One worker's memory. */
struct bootstrap_state {
    const struct bootstrap_plan *plan;
    struct bootstrap_counted samples[2];
};

struct bootstrap_state bootstrap_state_new(const struct bootstrap_plan *plan,
                                           struct arena *out);

/* The contrast of the statistics at the present counts. */
double bootstrap_state_value(const struct bootstrap_state *state);

size_t bootstrap_sample_count(const struct bootstrap_plan *plan);
size_t bootstrap_resamples(const struct bootstrap_plan *plan); /* with its default */

/* How many units of a sample are drawn, and where unit u begins and ends. */
size_t bootstrap_units(const struct bootstrap_plan *plan, size_t sample);
size_t bootstrap_unit(const struct bootstrap_plan *plan, size_t sample, size_t u, size_t *end);

#endif
