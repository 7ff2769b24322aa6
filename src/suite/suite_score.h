/* suite_score.h - answers that were kept, scored again without asking anybody
 * but judges. The same code that scores in a trial. */
#ifndef SUITE_SUITE_SCORE_H
#define SUITE_SUITE_SCORE_H

#include "model/record.h"
#include "score/dataset.h"

struct suite_rescorer;

/* `params` are those of a cell of experiment `suite`: rubric, judges, prompt.
 * `agent` is the map of the one that answered, whose key is kept out of what is
 * said, or NULL. `work_dir` is where judges may work. Everything lives in `arena`. */
MUST_USE bool suite_rescorer_open(struct suite_rescorer **r, const struct value *params,
                                  const struct value *agent, const char *base_dir,
                                  const char *work_dir, struct arena *arena, struct error *err);
void suite_rescorer_close(struct suite_rescorer *r); /* NULL too */

struct suite_again {
    double accuracy; /* NaN = not judged, or no answer */
    double dimensions[RUBRIC_DIMENSIONS];
    double judge_cost_usd; /* NaN = nobody was asked */
    const char *detail;    /* model/detail.h: the part about the answer is kept */
};

/* Scores the answer in `note`, which was given to `item`. Texts go to `out`. */
MUST_USE bool suite_rescore(struct suite_rescorer *r, const struct case_item *item,
                            const struct trial_note *note, struct arena *out,
                            struct suite_again *again, struct error *err);

#endif
