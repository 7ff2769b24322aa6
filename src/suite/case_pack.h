/* case_pack.h - the cases of a benchmark as the processes of a group share them.
 *
 * One piece of memory: how many, where each begins, and each as JSON. The
 * parent writes it into the group's shared memory; an arm reads one case at a
 * time out of it, so that its own size, which Linux carries into the peak of
 * the processes it starts, does not grow with the dataset. */
#ifndef SUITE_CASE_PACK_H
#define SUITE_CASE_PACK_H

#include "score/dataset.h"

/* Appends the pack of `cases` to `out`, which must be empty. */
void case_pack_write(const struct case_set *cases, struct buf *out);

size_t case_pack_count(struct str pack); /* 0 for an empty pack */

/* The JSON of case i; fails only for a pack that is damaged. */
MUST_USE bool case_pack_get(struct str pack, size_t i, struct str *json, struct error *err);

/* One case, read back into `out`: what an arm needs of a case_item. `rubric` is
 * set where the case has its own; `rubric_index` distinguishes such rubrics. */
MUST_USE bool case_pack_read(struct str pack, size_t i, struct arena *out,
                             struct case_item *item, struct error *err);

#endif
