/* profile_words.h - what the rules of a profile found, in words: each sentence with the
 * rule, the values and the threshold. */
#ifndef REPORT_PROFILE_WORDS_H
#define REPORT_PROFILE_WORDS_H

#include "judge/profile.h"

const char *profile_words_rule(const struct profile_finding *found); /* "slow-phase" */

/* "60 % of the time is spent in this phase [rule slow-phase: at least 40 %]" */
const char *profile_words_cause(const struct profile_finding *found, struct arena *out);

/* What would help. */
const char *profile_words_suggestion(const struct profile_finding *found, struct arena *out);

/* What that would save. */
const char *profile_words_improvement(const struct profile_finding *found, struct arena *out);

#endif
