/* vocabulary.h - words that several tables of settings choose from.
 *
 * NULL-terminated lists, for `choices` of parameters (base/param.h). */
#ifndef MODEL_VOCABULARY_H
#define MODEL_VOCABULARY_H

/* "accuracy", "speed", "efficiency", "cost", "reliability", in the order of enum score_id,
 * then "overall" and, for questions, "all", which means the same. */
enum { VOCABULARY_SCORES = 5 };
extern const char *const vocabulary_scores[];

/* "overall" (all of them, for questions), then the categories of suites. */
extern const char *const vocabulary_categories[];
#define VOCABULARY_SUITE_CATEGORIES (vocabulary_categories + 1)

/* Scenarios of a stress test (judge/stress.h), and "all" of them. */
extern const char *const vocabulary_scenarios[];

#endif
