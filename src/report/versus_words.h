/* versus_words.h - what to do about two agents, and what else to know, in words. */
#ifndef REPORT_VERSUS_WORDS_H
#define REPORT_VERSUS_WORDS_H

#include "base/sentences.h"
#include "judge/versus.h"

/* "Prefer 'b' on this suite: overall 0.921 against 0.702 over 40 cases (p = 0.001)." */
const char *versus_words_advice(const struct versus *v, const struct versus_advice *a,
                                struct arena *out);

/* What may explain a difference besides the agents themselves. */
void versus_words_notes(const struct versus *v, struct sentences *notes);

#endif
