/* A share is a rate: its mean over passes estimates how often the case goes well,
 * and a median would call an agent that is right three times of five perfect.
 * Times have stragglers that are not the agent's, so they keep the median. */
#include "stats/reduce.h"

#include "base/near.h"
#include "stats/quantile.h"

#include <string.h>

const char *const reducer_names[REDUCER_COUNT + 1] = {"mean", "median", "all", NULL};

enum reducer reducer_find(const char *name)
{
    for (int i = 0; name && i < REDUCER_COUNT; i++) {
        if (strcmp(reducer_names[i], name) == 0) return (enum reducer)i;
    }
    return REDUCER_MEAN;
}

double reduce_passes(enum reducer reducer, bool is_share, double *values, size_t n)
{
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i])) continue; /* infinite: cut off, and longer than all others */
        values[kept++] = values[i];
        sum += values[i];
    }
    if (kept == 0) return NAN;
    if (is_share && reducer == REDUCER_MEAN) return near_share(sum / (double)kept);
    stats_sort_inplace(values, kept);
    if (is_share && reducer == REDUCER_ALL) return values[0];
    return quantile_median(values, kept);
}
