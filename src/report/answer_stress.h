/* answer_stress.h - the conclusions of a stress test as the store keeps them. */
#ifndef REPORT_ANSWER_STRESS_H
#define REPORT_ANSWER_STRESS_H

#include "judge/stress.h"
#include "model/record.h"

/* A row for each scenario that was carried out. */
struct stress_record *answer_stress_records(const struct stress *stress, struct arena *out,
                                            size_t *count);

#endif
