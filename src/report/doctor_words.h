/* doctor_words.h - what doctor found about this machine, in words. */
#ifndef REPORT_DOCTOR_WORDS_H
#define REPORT_DOCTOR_WORDS_H

#include "judge/doctor.h"

const char *doctor_words_name(const struct doctor_check *check); /* "governor" */

/* What was found: "0.12 on 8 CPUs in the last minute". */
const char *doctor_words_value(const struct doctor_check *check, struct arena *out);

/* What to do; NULL where all is well, or nothing can be done. */
const char *doctor_words_advice(const struct doctor_check *check);

#endif
