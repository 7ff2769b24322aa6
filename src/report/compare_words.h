/* compare_words.h - what may explain a difference between two runs, in words. */
#ifndef REPORT_COMPARE_WORDS_H
#define REPORT_COMPARE_WORDS_H

#include "base/sentences.h"
#include "judge/compare.h"

/* What else differs between the sides. */
void compare_words_notes(const struct compare *c, struct sentences *notes);

#endif
