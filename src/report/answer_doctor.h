/* doctor.h - what doctor found, as text and JSON. */
#ifndef REPORT_ANSWER_DOCTOR_H
#define REPORT_ANSWER_DOCTOR_H

#include "base/buf.h"
#include "judge/doctor.h"

struct doctor_report {
    const struct doctor_check *checks;
    size_t check_count;
    const struct doctor_noise *noise;
    size_t noise_count;
};

void doctor_text(const struct doctor_report *report, struct arena scratch, struct buf *out);

/* {"schema": "assay.doctor/1", ...} */
void doctor_json(const struct doctor_report *report, struct buf *out);

#endif
