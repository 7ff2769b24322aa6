/* doctor_noise.h - the A/A test of `assay doctor`: the same work as both arms of
 * a group, through the real runner. judge/doctor.h says what is made of it. */
#ifndef STUDY_DOCTOR_NOISE_H
#define STUDY_DOCTOR_NOISE_H

#include "judge/doctor.h"
#include "run/nursery.h"

struct doctor_request {
    struct nursery *nursery;
    const char *workload;
    size_t sessions;
    const char *assay_version;
};

MUST_USE bool doctor_measure(const struct doctor_request *request, struct arena *out,
                             struct doctor_noise *noise, struct error *err);

#endif
