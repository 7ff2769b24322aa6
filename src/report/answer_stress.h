/* answer_stress.h - the conclusions of a stress test as the store keeps them. */
#ifndef REPORT_ANSWER_STRESS_H
#define REPORT_ANSWER_STRESS_H

#include "judge/stress.h"
#include "model/record.h"

/* A row for each scenario that was carried out. */
struct stress_record *answer_stress_records(const struct stress *stress, struct arena *out,
                                            size_t *count);

/* What a test has come to, counted. */
struct stress_tally {
    const char *agent; /* its URL or name */
    size_t count;      /* scenarios that were asked for */
    size_t broken, held, spoiled;
    double resilience; /* NaN: no scenario applies */
    bool is_partial;   /* some do not apply, or were not asked for */
};
const char *stress_tally_head(const struct stress_tally *t, struct arena *scratch);
const char *stress_tally_resilience(const struct stress_tally *t, struct arena *scratch);

/* What was shown, and of how many scenarios; one that is undecided was not held. */
const char *answer_stress_head(const struct stress *s, struct arena *scratch);
const char *answer_stress_resilience(const struct stress *s, struct arena *scratch);

/* What decided, in words; of what was not judged, why. */
const char *answer_stress_sentence(const struct stress_result *r, struct arena *scratch);
/* "high_load: refuse requests early ... (queue_growth: 2.63, threshold 1)" */
const char *answer_stress_recommendation(const struct stress_recommendation *r,
                                         struct arena *scratch);

#endif
