/* merge.h - the records of an arm's lanes, in the order of their trials.
 *
 * Each lane has a ring of its own, in which trial numbers only grow. A trial is
 * taken when it is the next of its phase; later ones wait in their rings, so
 * nothing is ever put aside here. A lane far ahead fills its ring and waits; the
 * lane that has the next trial never does, because everything it wrote before
 * has been taken. */
#ifndef RUN_MERGE_H
#define RUN_MERGE_H

#include "model/trial.h"
#include "run/ring.h"

/* The next record to be taken of `count` rings, or NULL. It is left where it is: until
 * ring_take(*from, ...) steps over it the next call gives it again. heads[i] is the head of
 * ring i as read before: what came later waits. next[phase] is the trial that the phase
 * waits for. Notices come in the order of their ring. A trial that was taken before is
 * dropped: of a lane that was killed just after writing it, its loss is recorded too. A
 * trial of no phase or status that there is breaks its ring. */
const struct record *merge_next(struct ring_reader *readers, const uint64_t *heads,
                                size_t count, const int64_t next[PHASE_COUNT],
                                struct ring_reader **from);

#endif
