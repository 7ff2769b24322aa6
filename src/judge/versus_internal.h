/* versus_internal.h - what the versus*.c files share. */
#ifndef JUDGE_VERSUS_INTERNAL_H
#define JUDGE_VERSUS_INTERNAL_H

#include "judge/versus.h"

/* Fills metrics and overall from the pairs. */
MUST_USE bool versus_compare(struct versus *v, struct arena *out, struct error *err);

/* Fills advice from what has been compared: each has one rule, the values it looked at and
 * its threshold. */
void versus_advise(struct versus *v);

#endif
