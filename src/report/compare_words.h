/* compare_words.h - what may explain a difference between two runs, in words. */
#ifndef REPORT_COMPARE_WORDS_H
#define REPORT_COMPARE_WORDS_H

#include "judge/compare.h"

/* What else differs between the sides, each sentence once; returns how many. */
size_t compare_words_notes(const struct compare *c, struct arena *out, const char ***notes);

/* "only A has sums, bc 1.08" */
const char *compare_words_unmatched(const struct compare_unmatched *x, struct arena *out);

#endif
